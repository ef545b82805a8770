/* script.h - conditions and rules in Lua. Private to find/.
 *
 * A condition is an expression, or statements that end with `return`; what it gives is true or not
 * as Lua has it. A rule is a file that returns a function, which says what a position is worth and on what
 * ground, or nothing. docs/find.md and docs/rules.md list what they can ask. They can reach neither files (but
 * a rule others of its folder) nor the system, and their memory is bounded. One script is for one thread at a
 * time. */
#ifndef TREB_FIND_SCRIPT_H
#define TREB_FIND_SCRIPT_H

#include "find/look.h"
#include "find/rule.h"

typedef struct Script Script;

/* TREB_ERR_ARGUMENT with line and reason, TREB_ERR_MEMORY. */
treb_status script_new(const char *condition, Script **out, treb_error *error);
/* The same with a rule: TREB_ERR_ARGUMENT also if there is no such file. */
treb_status script_open(const char *path, Script **out, treb_error *error);

void script_free(Script *script);

/* Whether it holds. A failure of the script or of a probe is in look->status. */
bool script_holds(Script *script, Look *look);

/* What a rule says of a position: RULE_NOTHING also after a failure. */
RuleClaim script_claim(Script *script, Look *look, char ground[RULE_GROUND_SIZE]);

#endif
