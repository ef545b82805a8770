/* script_names.h - the names and functions with which a script asks about a position. Private to
 * find/. */
#ifndef TREB_FIND_SCRIPT_NAMES_H
#define TREB_FIND_SCRIPT_NAMES_H

#include <lua.h>

#include "find/position_info.h"

/* What a script is asked about. All members are zero while its file is read. */
typedef struct ScriptSubject {
    PositionInfo *info; /* the position */
    PositionInfo
        *root; /* the position at which a strategy began its search; otherwise equal to `info` */
    Move move; /* the move in `info`, if the script is asked about a move */
    int absent; /* the last name whose value was nil in this position, or 0 */
} ScriptSubject;

/* Every Lua state of a script has one subject, which must live as long as the state. */
void script_set_subject(lua_State *lua, ScriptSubject *subject);
ScriptSubject *script_subject(lua_State *lua);

/* Adds the names and functions to the globals. After that a script can add no globals. Raises Lua
 * errors. */
void script_names_open(lua_State *lua);

/* Says why ScriptSubject.absent is nil, and what to write. Leaves `out` as it is if it is 0. */
void script_names_absent(int absent, char *out, size_t size);

/* Pushes the move that the script is asked about: a table whose fields are computed when they are
 * read. The table always stands for the move that the script is currently asked about. */
void script_names_push_move(lua_State *lua);

#endif
