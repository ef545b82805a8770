/* script.h - conditions, rules and strategies in Lua. Private to find/.
 *
 * A condition is an expression, or statements that end with `return`. It holds if its value is true
 * in Lua. A rule is a file that returns a function; the function returns a claim about a position
 * and the ground of the claim, or nothing. A strategy (strategy.h) is a file that returns a table.
 * docs/find.md and docs/rules.md list the names and functions that scripts can use. Scripts cannot
 * read files, except other scripts in their own folder, and cannot reach the system. Their memory
 * is limited. Only one thread at a time may use a script. */
#ifndef TREB_FIND_SCRIPT_H
#define TREB_FIND_SCRIPT_H

#include <lua.h>

#include "find/position_info.h"
#include "find/rule_claim.h"

typedef struct Script Script;

/* Creates a script from a condition. `name` is its name in errors; NULL: "condition". Returns
 * TREB_ERR_ARGUMENT with line and reason, also for a comparison with a word that no value has
 * (script_words.h); or TREB_ERR_MEMORY. */
treb_status script_new(const char *condition, const char *name, Script **out, treb_error *error);
/* Creates a script from a file that must return a Lua value of `type`: LUA_TFUNCTION for a rule,
 * LUA_TTABLE for a strategy. Reading the file runs it; that ends if `stop` becomes true (NULL
 * allowed). Returns TREB_ERR_ARGUMENT with line and reason, also if it was stopped or there is no
 * such file; or TREB_ERR_MEMORY. */
treb_status script_open(const char *path, int type, const atomic_bool *stop, Script **out,
                        treb_error *error);
/* Creates a script from a text in the list `rules`. Such a script can read no files. Errors are
 * those of script_open. */
treb_status script_open_text(const RuleText *rules, const char *name, int type, Script **out,
                             treb_error *error);

void script_free(Script *script);

/* Whether the condition holds. An error of the script or of a probe is in info->status. */
bool script_holds(Script *script, PositionInfo *info);

/* Returns what a rule claims of a position; RULE_NOTHING also after an error, which is in
 * info->status. */
RuleClaim script_claim(Script *script, PositionInfo *info, char ground[RULE_GROUND_SIZE]);

/* Calls a C function with two arguments: the value that the file returned, and `context` as light
 * userdata. Every error that the function raises ends it. Returns false after an error, which is in
 * `info`. The position `info` is also the root (script_names.h). */
bool script_run(Script *script, PositionInfo *info, lua_CFunction function, void *context);

/* For such a C function: sets the position, and the move in it, that functions of the script see
 * (script_names_push_move). */
void script_turn_to(Script *script, PositionInfo *info, Move move);

#endif
