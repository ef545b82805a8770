/* script.h - conditions, rules and strategies in Lua. Private to find/.
 *
 * A condition is an expression, or statements that end with `return`; what it gives is true or not
 * as Lua has it. A rule is a file that returns a function, which says what a position is worth and on what
 * ground, or nothing; a strategy (strategy.h) one that returns a table. docs/find.md and docs/rules.md list what
 * they can ask. They can reach neither files (but others of a file's folder) nor the system, and their memory is
 * bounded. One script is for one thread at a time. */
#ifndef TREB_FIND_SCRIPT_H
#define TREB_FIND_SCRIPT_H

#include <lua.h>

#include "find/position_info.h"
#include "find/rule_claim.h"

typedef struct Script Script;

/* TREB_ERR_ARGUMENT with line and reason, TREB_ERR_MEMORY. */
treb_status script_new(const char *condition, Script **out, treb_error *error);
/* The same with a file that returns a value of this type of Lua's: LUA_TFUNCTION from a rule, LUA_TTABLE from a
 * strategy. What the file does while it is read ends when `stop` becomes true (NULL allowed). TREB_ERR_ARGUMENT also
 * then, and if there is no such file. */
treb_status script_open(const char *path, int type, const atomic_bool *stop, Script **out,
                        treb_error *error);
/* The same with one that is in memory: it reaches no files. */
treb_status script_open_text(const RuleText *rules, const char *name, int type, Script **out,
                             treb_error *error);

void script_free(Script *script);

/* Whether it holds. A failure of the script or of a probe is in look->status. */
bool script_holds(Script *script, PositionInfo *info);

/* What a rule says of a position: RULE_NOTHING also after a failure. */
RuleClaim script_claim(Script *script, PositionInfo *info, char ground[RULE_GROUND_SIZE]);

/* Calls a function of C's with what the file returned, and `context` behind that as light userdata; whatever it
 * raises ends it. False: the failure is in the look, which is also the root (script_names.h). */
bool script_run(Script *script, PositionInfo *info, lua_CFunction function, void *context);

/* In such a function: the position that functions of the script are to be asked about, and a move in it
 * (script_names_push_move). */
void script_turn_to(Script *script, PositionInfo *info, Move move);

#endif
