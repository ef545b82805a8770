/* script_names.h - what a condition or a rule can ask of a position: names, and functions. Private to find/. */
#ifndef TREB_FIND_SCRIPT_NAMES_H
#define TREB_FIND_SCRIPT_NAMES_H

#include <lua.h>

#include "find/position_info.h"

/* What a script is asked about. Zeros while its file is read. */
typedef struct ScriptSubject {
    PositionInfo *info; /* the position */
    PositionInfo *root; /* the position at which a strategy began its search; otherwise the same as `look` */
    Move move;  /* the move in `look`, if a move is asked about */
} ScriptSubject;

/* Every Lua state of a script has one subject, which must live as long as the state. */
void script_set_subject(lua_State *lua, ScriptSubject *subject);
ScriptSubject *script_subject(lua_State *lua);

/* Puts them among the globals, to which no others can be added from then on. Raises errors of Lua's. */
void script_names_open(lua_State *lua);

/* The position that is asked about, and the one that is called root. While a file is read there is none: an
 * error of Lua's. */
PositionInfo *script_position(lua_State *lua);
PositionInfo *script_root(lua_State *lua);

/* Pushes the move that is asked about, in the position that is: a table whose fields are worked out when they are
 * asked for. It stands for whatever move is asked about at the time. */
void script_names_push_move(lua_State *lua);
Move script_move(lua_State *lua);

#endif
