/* script.h - conditions in Lua. Private to find/.
 *
 * A condition is an expression, or statements that end with `return`; what it gives is true or not
 * as Lua has it. docs/find.md lists what it can ask. It can reach neither files nor the system, and its
 * memory is bounded. One script is for one thread at a time. */
#ifndef TREB_FIND_SCRIPT_H
#define TREB_FIND_SCRIPT_H

#include "find/look.h"

typedef struct Script Script;

/* TREB_ERR_ARGUMENT with line and reason, TREB_ERR_MEMORY. */
treb_status script_new(const char *condition, Script **out, treb_error *error);
void script_free(Script *script);

/* Whether it holds. A failure of the script or of a probe is in look->status. */
bool script_holds(Script *script, Look *look);

#endif
