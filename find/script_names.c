/* script_names.c - see script_names.h.
 *
 * A name is looked up when a script reads it, so that only the names that are used take time. Names
 * can be read a thousand times a millisecond. So reading them creates no strings or tables: those
 * for squares, colours and verdicts are created once. */
#include "find/script_names.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/chess/san.h"

void script_set_subject(lua_State *lua, ScriptSubject *subject)
{
    *(ScriptSubject **)lua_getextraspace(lua) = subject;
}

ScriptSubject *script_subject(lua_State *lua) { return *(ScriptSubject **)lua_getextraspace(lua); }

static PositionInfo *require_position(lua_State *lua, PositionInfo *info)
{
    if (info == NULL) luaL_error(lua, "there is no position yet: use it inside the function");
    return info;
}

/* Return the position that the script is asked about, and its root. Raise a Lua error while a file is
 * read, as there is no position then. */
static PositionInfo *script_position(lua_State *lua)
{
    return require_position(lua, script_subject(lua)->info);
}
static PositionInfo *script_root(lua_State *lua)
{
    return require_position(lua, script_subject(lua)->root);
}
static Move script_move(lua_State *lua) { return script_subject(lua)->move; }

/* The names that a script can read. */
typedef enum Name {
    NAME_TURN = 1,
    NAME_VERDICT,
    NAME_PASSED,
    NAME_CURSED,
    NAME_ZUGZWANG,
    NAME_DTZ,
    NAME_DTC,
    NAME_DTM,
    NAME_DTM50,
    NAME_CHECK,
    NAME_MATE,
    NAME_STALEMATE,
    NAME_FEN,
    NAME_MOVES,
    NAME_ROOT,
    NAME_MEN, /* from here on: the square of a man, 16 * colour + type */
    NAME_MOVE = NAME_MEN + 32 /* from here on: the distance of a move, by metric */
} Name;

static const char *const names[] = {[NAME_TURN] = "turn",
                                    [NAME_VERDICT] = "verdict",
                                    [NAME_PASSED] = "passed",
                                    [NAME_CURSED] = "cursed",
                                    [NAME_ZUGZWANG] = "zugzwang",
                                    [NAME_DTZ] = "dtz",
                                    [NAME_DTC] = "dtc",
                                    [NAME_DTM] = "dtm",
                                    [NAME_DTM50] = "dtm50",
                                    [NAME_CHECK] = "check",
                                    [NAME_FEN] = "fen",
                                    [NAME_MOVES] = "moves",
                                    [NAME_MATE] = "mate",
                                    [NAME_STALEMATE] = "stalemate",
                                    [NAME_ROOT] = "root"};

/* Keys in the registry, by address: the tables that stand for the root and for a strategy's move, and the
 * metatable of the moves of a position. */
static const char root_key, move_key, moves_key;

/* Upvalues of the functions that look up names, and of the functions for scripts. */
enum { UP_NAMES = 1, UP_TEXTS, UP_ROOT };

/* letters of the types, from TREB_PAWN on */
static const char type_letters[] = "pnbrqk";

/* Indices in the table of texts: squares from 1 on, then these. */
enum { TEXT_COLOR = 65, TEXT_RESULT = 67, TEXT_ZUGZWANG = 70 };

static void push_text(lua_State *lua, int text)
{
    lua_rawgeti(lua, lua_upvalueindex(UP_TEXTS), text);
}

static void push_result(lua_State *lua, int result)
{
    if (result == INFO_NONE)
        lua_pushnil(lua);
    else
        push_text(lua, TEXT_RESULT + result - LOST);
}

static void push_plies(lua_State *lua, PositionInfo *info, treb_metric metric)
{
    int plies = info_plies(info, metric);
    if (plies == INFO_NONE)
        lua_pushnil(lua);
    else
        lua_pushinteger(lua, plies);
}

/* Ends the script if a probe failed. The error is in `info`. */
static void raise_failure(lua_State *lua, const PositionInfo *info)
{
    if (info->status != TREB_OK) luaL_error(lua, "%s", info->error.text);
}

/* ---- Moves ----------------------------------------------------------------------------------- */

static void set_flag(lua_State *lua, const char *name, bool value)
{
    lua_pushboolean(lua, value);
    lua_setfield(lua, -2, name);
}

/* The number of the move that a table stands for is the value of this key in the table. */
enum { MOVE_NUMBER = 0 };

/* A field of a move that its table does not have: a distance, which takes long, so that it is looked up
 * when it is read; or the promotion of a move that is none. */
static int look_up_move(lua_State *lua)
{
    PositionInfo *info = script_position(lua);
    const char *field = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?";
    int metric = TREB_DTZ;
    while (metric <= TREB_DTM50 && strcmp(field, treb_metric_text((treb_metric)metric)) != 0)
        metric++;
    if (metric > TREB_DTM50) {
        if (strcmp(field, "promotion") != 0)
            return luaL_error(lua, "a move has no '%s'", field);
        lua_pushnil(lua);
        return 1;
    }
    lua_rawgeti(lua, 1, MOVE_NUMBER);
    const lua_Integer number = lua_tointeger(lua, -1);
    if (number < 0 || number >= info_moves(info))
        return luaL_error(lua, "a move has a %s only in its own position", field);
    const int distance = info_move_plies(info, (int)number, (treb_metric)metric);
    raise_failure(lua, info);
    if (distance == INFO_NONE) {
        script_subject(lua)->absent = NAME_MOVE + metric;
        lua_pushnil(lua);
    } else {
        lua_pushinteger(lua, distance);
    }
    return 1;
}

static void push_move(lua_State *lua, PositionInfo *info, int i)
{
    const treb_position *pos = &info->pos;
    Move m = info->move[i];
    treb_position child;
    char san[SAN_SIZE], uci[UCI_SIZE];
    move_to_san(pos, m, san);
    move_to_uci(m, uci);
    position_make(pos, m, &child);
    bool check = position_in_check(&child), any = movegen_any(&child);
    lua_createtable(lua, 0, 12);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &moves_key);
    lua_setmetatable(lua, -2);
    lua_pushinteger(lua, i);
    lua_rawseti(lua, -2, MOVE_NUMBER);
    lua_pushlstring(lua, &type_letters[position_piece_at(pos, move_from(m), NULL)], 1);
    lua_setfield(lua, -2, "man");
    lua_pushstring(lua, san);
    lua_setfield(lua, -2, "san");
    lua_pushstring(lua, uci);
    lua_setfield(lua, -2, "uci");
    push_text(lua, 1 + move_from(m));
    lua_setfield(lua, -2, "from");
    push_text(lua, 1 + move_to(m));
    lua_setfield(lua, -2, "to");
    push_result(lua, info_move_result(info, i));
    lua_setfield(lua, -2, "verdict");
    if (move_promo(m) != 0) {
        lua_pushlstring(lua, &"pnbrq"[move_promo(m)], 1);
        lua_setfield(lua, -2, "promotion");
    }
    set_flag(lua, "capture", move_is_capture(pos, m));
    set_flag(lua, "check", check);
    set_flag(lua, "mate", check && !any);
    set_flag(lua, "stalemate", !check && !any);
}

static void push_moves(lua_State *lua, PositionInfo *info)
{
    int count = info_moves(info);
    lua_createtable(lua, count, 0);
    for (int i = 0; i < count; i++) {
        push_move(lua, info, i);
        lua_rawseti(lua, -2, i + 1);
    }
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void push_man(lua_State *lua, const treb_position *pos, int man)
{
    uint64_t men = position_men_of(pos, man >> 4, man & 15);
    if (men == 0)
        lua_pushnil(lua);
    else
        push_text(lua, 1 + bit_first(men));
}

static void push_fen(lua_State *lua, const treb_position *pos)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(pos, fen);
    lua_pushstring(lua, fen);
}

static void push_name(lua_State *lua, PositionInfo *info, int name)
{
    FindZugzwang zugzwang;
    switch ((Name)(name < NAME_MEN ? name : NAME_MEN)) {
    case NAME_TURN:
        push_text(lua, TEXT_COLOR + info->pos.turn);
        break;
    case NAME_VERDICT:
        push_result(lua, info_result(info));
        break;
    case NAME_PASSED:
        push_result(lua, info_result_if_passed(info));
        break;
    case NAME_CURSED:
        lua_pushboolean(lua,
                        info_wdl(info) == TREB_CURSED_WIN || info_wdl(info) == TREB_BLESSED_LOSS);
        break;
    case NAME_ZUGZWANG:
        zugzwang = info_zugzwang(info);
        if (zugzwang == FIND_NO_ZUGZWANG)
            lua_pushnil(lua);
        else
            push_text(lua, TEXT_ZUGZWANG + (zugzwang == FIND_FULL_POINT));
        break;
    case NAME_DTZ:
    case NAME_DTC:
    case NAME_DTM:
        push_plies(lua, info, (treb_metric)(TREB_DTZ + name - NAME_DTZ));
        break;
    case NAME_DTM50:
        push_plies(lua, info, TREB_DTM50);
        break;
    case NAME_CHECK:
        lua_pushboolean(lua, position_in_check(&info->pos));
        break;
    case NAME_MATE:
    case NAME_STALEMATE:
        lua_pushboolean(lua, position_in_check(&info->pos) == (name == NAME_MATE) &&
                                 !movegen_any(&info->pos));
        break;
    case NAME_FEN:
        push_fen(lua, &info->pos);
        break;
    case NAME_MOVES:
        push_moves(lua, info);
        break;
    case NAME_ROOT:
        lua_rawgetp(lua, LUA_REGISTRYINDEX, &root_key);
        break;
    case NAME_MEN:
    case NAME_MOVE: /* is not looked up by name */
        push_man(lua, &info->pos, name - NAME_MEN);
        break;
    }
}

static int refuse_name(lua_State *lua)
{
    return luaL_error(lua, "there is no name '%s'",
                      lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?");
}

static int look_up_in(lua_State *lua, PositionInfo *(*which)(lua_State *))
{
    lua_pushvalue(lua, 2);
    if (lua_rawget(lua, lua_upvalueindex(UP_NAMES)) == LUA_TNIL) return refuse_name(lua);
    PositionInfo *info = which(lua);
    const int name = (int)lua_tointeger(lua, -1);
    push_name(lua, info, name);
    raise_failure(lua, info);
    if (lua_isnil(lua, -1)) script_subject(lua)->absent = name;
    return 1;
}

void script_names_absent(int absent, char *out, size_t size)
{
    static const char *const colors[] = {"white", "black"};
    static const char *const types[TREB_TYPES] = {"pawn", "knight", "bishop",
                                                  "rook", "queen",  "king"};
    if (absent >= NAME_MOVE) {
        snprintf(out, size, "the %s of a move that leads to a draw is nil",
                 treb_metric_text((treb_metric)(absent - NAME_MOVE)));
    } else if (absent >= NAME_MEN) {
        const int color = (absent - NAME_MEN) >> 4, type = (absent - NAME_MEN) & 15;
        snprintf(out, size, "%c%c is nil: there is no %s %s", "wb"[color], type_letters[type],
                 colors[color], types[type]);
    } else if (absent >= NAME_DTZ && absent <= NAME_DTM50) {
        const char *name = names[absent];
        snprintf(out, size, "%s is nil in a draw: write '%s and %s > 60'", name, name, name);
    } else if (absent == NAME_PASSED) {
        snprintf(out, size, "passed is nil if the side to move is in check");
    } else if (absent == NAME_ZUGZWANG) {
        snprintf(out, size, "zugzwang is nil if there is none");
    }
}

static int look_up_name(lua_State *lua) { return look_up_in(lua, script_position); }
static int look_up_root(lua_State *lua) { return look_up_in(lua, script_root); }

/* ---- A strategy's move ----------------------------------------------------------------------- */

/* Returns what a move leads to: bit 0 is set for a check, bit 1 if the opponent has no move. */
static int consequence(const treb_position *pos, Move m)
{
    treb_position child;
    position_make(pos, m, &child);
    return position_in_check(&child) + 2 * !movegen_any(&child);
}

static int move_field(lua_State *lua)
{
    static const char *const fields[] = {"man",     "from",  "to",   "promotion",
                                         "capture", "check", "mate", "stalemate"};
    const treb_position *pos = &script_position(lua)->pos;
    const Move m = script_move(lua);
    const char *field = luaL_checkstring(lua, 2);
    size_t i = 0;
    while (i < sizeof fields / sizeof *fields && strcmp(field, fields[i]) != 0) i++;
    switch (i) {
    case 0:
        lua_pushlstring(lua, &type_letters[position_piece_at(pos, move_from(m), NULL)], 1);
        break;
    case 1:
    case 2:
        push_text(lua, 1 + (i == 1 ? move_from(m) : move_to(m)));
        break;
    case 3:
        if (move_promo(m) == 0)
            lua_pushnil(lua);
        else
            lua_pushlstring(lua, &"pnbrq"[move_promo(m)], 1);
        break;
    case 4:
        lua_pushboolean(lua, move_is_capture(pos, m));
        break;
    case 5:
        lua_pushboolean(lua, consequence(pos, m) & 1);
        break;
    case 6:
    case 7:
        lua_pushboolean(lua, consequence(pos, m) == (i == 6 ? 3 : 2));
        break;
    default:
        return luaL_error(lua, "a move has no '%s'", field);
    }
    return 1;
}

void script_names_push_move(lua_State *lua) { lua_rawgetp(lua, LUA_REGISTRYINDEX, &move_key); }

/* Refuses globals. A script that keeps values from one position to the next would give answers that
 * depend on the order of the positions. */
static int refuse_global(lua_State *lua)
{
    return luaL_error(lua, "'%s' is not local: write 'local %s'", luaL_tolstring(lua, 2, NULL),
                      luaL_tolstring(lua, 2, NULL));
}

/* ---- Functions ------------------------------------------------------------------------------- */

static int to_square(lua_State *lua, int argument)
{
    size_t length;
    const char *text = luaL_checklstring(lua, argument, &length);
    if (length != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8')
        return luaL_argerror(lua, argument, "a square such as \"e4\" is expected");
    return square_at(text[0] - 'a', text[1] - '1');
}

static int file_of(lua_State *lua)
{
    lua_pushinteger(lua, 1 + square_file(to_square(lua, 1)));
    return 1;
}

static int rank_of(lua_State *lua)
{
    lua_pushinteger(lua, 1 + square_rank(to_square(lua, 1)));
    return 1;
}

/* distance("a1", "c2"): number of king moves from one square to another. */
static int distance(lua_State *lua)
{
    int a = to_square(lua, 1), b = to_square(lua, 2);
    int files = abs(square_file(a) - square_file(b)), ranks = abs(square_rank(a) - square_rank(b));
    lua_pushinteger(lua, files > ranks ? files : ranks);
    return 1;
}

static int is_light(lua_State *lua)
{
    int square = to_square(lua, 1);
    lua_pushboolean(lua, (square_file(square) + square_rank(square)) % 2);
    return 1;
}

/* Returns the position that a function asks about: the root if it is a function of `root`. */
static const treb_position *position_asked(lua_State *lua)
{
    const bool root = lua_toboolean(lua, lua_upvalueindex(UP_ROOT));
    return &(root ? script_root(lua) : script_position(lua))->pos;
}

static int to_color(lua_State *lua, int argument)
{
    static const char *const colors[] = {"white", "black", NULL};
    return luaL_checkoption(lua, argument, NULL, colors);
}

static int attacked(lua_State *lua)
{
    int square = to_square(lua, 1);
    lua_pushboolean(lua, square_attacked(position_asked(lua), square, to_color(lua, 2)));
    return 1;
}

/* Returns the squares that a side's men of these types attack. The other king does not block
 * lines. */
static uint64_t attacks_of(const treb_position *pos, int color, const char *types)
{
    const uint64_t occupied = position_occupied(pos) & ~position_men_of(pos, 1 - color, TREB_KING);
    uint64_t attacks = 0;
    for (; *types != '\0'; types++) {
        const int type = (int)(strchr(type_letters, *types) - type_letters);
        uint64_t men = position_men_of(pos, color, type);
        if (type == TREB_PAWN) attacks |= pawns_attack(color, men);
        while (type != TREB_PAWN && men != 0)
            attacks |= piece_attacks(type, bit_pop(&men), occupied);
    }
    return attacks;
}

/* room("black"): number of squares that a king can reach, including its own, while all other men
 * stand still. room("black", "rb") counts only the attacks of rooks and bishops. */
static int room(lua_State *lua)
{
    const treb_position *pos = position_asked(lua);
    const int color = to_color(lua, 1);
    const char *types = luaL_optstring(lua, 2, type_letters);
    if (types[strspn(types, type_letters)] != '\0')
        return luaL_argerror(lua, 2, "types of men such as \"qr\" are expected");
    const uint64_t men = pos->by_color[color] | position_men_of(pos, 1 - color, TREB_KING);
    const uint64_t closed = men | attacks_of(pos, 1 - color, types);
    uint64_t reached = position_men_of(pos, color, TREB_KING), next = reached;
    while (next != 0) {
        const uint64_t fresh = king_attacks(bit_pop(&next)) & ~closed & ~reached;
        reached |= fresh;
        next |= fresh;
    }
    lua_pushinteger(lua, bit_count(reached));
    return 1;
}

/* squares("wp"): all squares with men of a kind. */
static int squares(lua_State *lua)
{
    const char *man = luaL_checkstring(lua, 1), *type = NULL;
    if ((man[0] == 'w' || man[0] == 'b') && man[1] != '\0' && man[2] == '\0')
        type = strchr(type_letters, man[1]);
    if (type == NULL) return luaL_argerror(lua, 1, "men such as \"wp\" are expected");
    uint64_t men = position_men_of(position_asked(lua), man[0] == 'b', (int)(type - type_letters));
    lua_createtable(lua, 4, 0);
    for (int i = 1; men != 0; i++) {
        push_text(lua, 1 + bit_pop(&men));
        lua_rawseti(lua, -2, i);
    }
    return 1;
}

/* ---- Creating them --------------------------------------------------------------------------- */

/* Pushes a table of the texts that are needed often. */
static void push_texts(lua_State *lua)
{
    static const char *const more[] = {"white", "black", "loss", "draw", "win", "half", "full"};
    lua_createtable(lua, 80, 0);
    for (int square = 0; square < 64; square++) {
        lua_pushfstring(lua, "%c%d", 'a' + square_file(square), 1 + square_rank(square));
        lua_rawseti(lua, -2, 1 + square);
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        lua_pushstring(lua, more[i]);
        lua_rawseti(lua, -2, TEXT_COLOR + (lua_Integer)i);
    }
}

static void push_names(lua_State *lua)
{
    lua_createtable(lua, 0, 32);
    for (size_t i = NAME_TURN; i < sizeof names / sizeof *names; i++) {
        lua_pushinteger(lua, (lua_Integer)i);
        lua_setfield(lua, -2, names[i]);
    }
    for (int color = 0; color < 2; color++)
        for (int type = 0; type < TREB_TYPES; type++) {
            char name[3] = {"wb"[color], type_letters[type], '\0'};
            lua_pushinteger(lua, NAME_MEN + 16 * color + type);
            lua_setfield(lua, -2, name);
        }
}

/* Gives the table on top a function that looks up missing fields, and makes it read-only. The
 * tables of names and texts are at `names` and `names + 1` on the stack. */
static void set_lookup(lua_State *lua, int names, lua_CFunction index)
{
    lua_createtable(lua, 0, 3);
    lua_pushvalue(lua, names);
    lua_pushvalue(lua, names + 1);
    lua_pushcclosure(lua, index, 2);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, refuse_global);
    lua_setfield(lua, -2, "__newindex");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
}

/* Puts the functions into a table. The table `root` gets only those that ask about a position. */
static void add_functions(lua_State *lua, int names, int table, bool root)
{
    static const luaL_Reg functions[] = {
        {"attacked", attacked}, {"squares", squares},   {"room", room},     {"file", file_of},
        {"rank", rank_of},      {"distance", distance}, {"light", is_light}};
    const size_t count = root ? 3 : sizeof functions / sizeof *functions;
    for (size_t i = 0; i < count; i++) {
        lua_pushvalue(lua, names);
        lua_pushvalue(lua, names + 1);
        lua_pushboolean(lua, root);
        lua_pushcclosure(lua, functions[i].func, 3);
        lua_setfield(lua, table, functions[i].name);
    }
}

/* Stores a table with such a lookup function in the registry. */
static void keep(lua_State *lua, int names, lua_CFunction index, const char *key)
{
    lua_createtable(lua, 0, 4);
    if (key == &root_key) add_functions(lua, names, lua_gettop(lua), true);
    set_lookup(lua, names, index);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, key);
}

void script_names_open(lua_State *lua)
{
    lua_pushglobaltable(lua);
    const int globals = lua_gettop(lua), names = globals + 1;
    push_names(lua);
    push_texts(lua);
    add_functions(lua, names, globals, false);
    keep(lua, names, look_up_root, &root_key);
    keep(lua, names, move_field, &move_key);
    lua_createtable(lua, 0, 2);
    lua_pushcfunction(lua, look_up_move);
    lua_setfield(lua, -2, "__index");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &moves_key);
    lua_pushvalue(lua, globals);
    set_lookup(lua, names, look_up_name);
    lua_settop(lua, globals - 1);
}
