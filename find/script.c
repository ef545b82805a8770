/* script.c - see script.h.
 *
 * The names that a condition uses are looked up when it asks for them: so it pays for no more than it
 * uses. What is called a thousand times a millisecond makes no strings and no tables: those for
 * squares, colours and verdicts are made once. */
#include "find/script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bitboard.h"
#include "core/error.h"
#include "core/san.h"

enum { MEMORY = 64 << 20, HOOK = 1 << 16 /* instructions between looks at whether to stop */ };

struct Script {
    lua_State *lua;
    size_t bytes;
    bool full;         /* it wanted more than it may have */
    int chunk, used;   /* in the registry: what is called; rules that it uses */
    char folder[4096]; /* of a rule; else empty */
    Look *look;
};

/* What a condition can ask of a position. */
typedef enum Name {
    NAME_TURN = 1,
    NAME_VERDICT,
    NAME_PASSED,
    NAME_CURSED,
    NAME_ZUGZWANG,
    NAME_DTZ,
    NAME_DTC,
    NAME_DTM,
    NAME_CHECK,
    NAME_FEN,
    NAME_MOVES,
    NAME_MEN /* from here on: a man's square, 16 * colour + type */
} Name;

static const char *const names[] = {
    [NAME_TURN] = "turn",     [NAME_VERDICT] = "verdict",   [NAME_PASSED] = "passed",
    [NAME_CURSED] = "cursed", [NAME_ZUGZWANG] = "zugzwang", [NAME_DTZ] = "dtz",
    [NAME_DTC] = "dtc",       [NAME_DTM] = "dtm",           [NAME_CHECK] = "check",
    [NAME_FEN] = "fen",       [NAME_MOVES] = "moves"};

/* Upvalues of what looks names up. */
enum { UP_NAMES = 1, UP_TEXTS };

/* In the table of texts: squares from 1 on, then these. */
enum { TEXT_COLOR = 65, TEXT_RESULT = 67, TEXT_ZUGZWANG = 70 };

static Script *script_of(lua_State *lua) { return *(Script **)lua_getextraspace(lua); }

/* The position that is asked about. While the file of a rule is read there is none. */
static Look *look_of(lua_State *lua)
{
    Look *look = script_of(lua)->look;
    if (look == NULL) luaL_error(lua, "there is no position yet: ask for it inside the function");
    return look;
}

static void push_text(lua_State *lua, int text)
{
    lua_rawgeti(lua, lua_upvalueindex(UP_TEXTS), text);
}

static void push_result(lua_State *lua, int result)
{
    if (result == LOOK_NONE)
        lua_pushnil(lua);
    else
        push_text(lua, TEXT_RESULT + result - LOST);
}

static void push_plies(lua_State *lua, Look *look, treb_metric metric)
{
    int plies = look_plies(look, metric);
    if (plies == LOOK_NONE)
        lua_pushnil(lua);
    else
        lua_pushinteger(lua, plies);
}

/* A failure of a probe ends the script; it is in the look. */
static void mind(lua_State *lua, const Look *look)
{
    if (look->status != TREB_OK) luaL_error(lua, "%s", look->error.text);
}

/* ---- Moves ----------------------------------------------------------------------------------- */

static void set_flag(lua_State *lua, const char *name, bool value)
{
    lua_pushboolean(lua, value);
    lua_setfield(lua, -2, name);
}

static void push_move(lua_State *lua, Look *look, int i)
{
    const treb_position *pos = &look->pos;
    Move m = look->move[i];
    treb_position child;
    char san[SAN_SIZE], uci[UCI_SIZE];
    move_to_san(pos, m, san);
    move_to_uci(m, uci);
    position_make(pos, m, &child);
    bool check = position_in_check(&child), any = movegen_any(&child);
    lua_createtable(lua, 0, 10);
    lua_pushstring(lua, san);
    lua_setfield(lua, -2, "san");
    lua_pushstring(lua, uci);
    lua_setfield(lua, -2, "uci");
    push_text(lua, 1 + move_from(m));
    lua_setfield(lua, -2, "from");
    push_text(lua, 1 + move_to(m));
    lua_setfield(lua, -2, "to");
    push_result(lua, look_move_result(look, i));
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

static void push_moves(lua_State *lua, Look *look)
{
    int count = look_moves(look);
    lua_createtable(lua, count, 0);
    for (int i = 0; i < count; i++) {
        push_move(lua, look, i);
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

static void push_name(lua_State *lua, Look *look, int name)
{
    FindZugzwang zugzwang;
    switch ((Name)(name < NAME_MEN ? name : NAME_MEN)) {
    case NAME_TURN:
        push_text(lua, TEXT_COLOR + look->pos.turn);
        break;
    case NAME_VERDICT:
        push_result(lua, look_result(look));
        break;
    case NAME_PASSED:
        push_result(lua, look_passed(look));
        break;
    case NAME_CURSED:
        lua_pushboolean(lua,
                        look_wdl(look) == TREB_CURSED_WIN || look_wdl(look) == TREB_BLESSED_LOSS);
        break;
    case NAME_ZUGZWANG:
        zugzwang = look_zugzwang(look);
        if (zugzwang == FIND_NO_ZUGZWANG)
            lua_pushnil(lua);
        else
            push_text(lua, TEXT_ZUGZWANG + (zugzwang == FIND_FULL_POINT));
        break;
    case NAME_DTZ:
    case NAME_DTC:
    case NAME_DTM:
        push_plies(lua, look, (treb_metric)(TREB_DTZ + name - NAME_DTZ));
        break;
    case NAME_CHECK:
        lua_pushboolean(lua, position_in_check(&look->pos));
        break;
    case NAME_FEN:
        push_fen(lua, &look->pos);
        break;
    case NAME_MOVES:
        push_moves(lua, look);
        break;
    case NAME_MEN:
        push_man(lua, &look->pos, name - NAME_MEN);
        break;
    }
}

static int look_up(lua_State *lua)
{
    lua_pushvalue(lua, 2);
    if (lua_rawget(lua, lua_upvalueindex(UP_NAMES)) == LUA_TNIL)
        return luaL_error(lua, "there is nothing called '%s' to ask for",
                          lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?");
    Look *look = look_of(lua);
    push_name(lua, look, (int)lua_tointeger(lua, -1));
    mind(lua, look);
    return 1;
}

/* What is kept from one position to the next would make the answer depend on their order. */
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
        return luaL_argerror(lua, argument, "a square such as \"e4\" is wanted");
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

/* King's moves from one square to another. */
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

static int to_color(lua_State *lua, int argument)
{
    static const char *const colors[] = {"white", "black", NULL};
    return luaL_checkoption(lua, argument, NULL, colors);
}

static int attacked(lua_State *lua)
{
    int square = to_square(lua, 1);
    lua_pushboolean(lua, square_attacked(&look_of(lua)->pos, square, to_color(lua, 2)));
    return 1;
}

/* All men of a kind, as squares("wp"). */
static int squares(lua_State *lua)
{
    const char *man = luaL_checkstring(lua, 1), *types = "pnbrqk", *type = NULL;
    if ((man[0] == 'w' || man[0] == 'b') && man[1] != '\0' && man[2] == '\0')
        type = strchr(types, man[1]);
    if (type == NULL) return luaL_argerror(lua, 1, "men such as \"wp\" are wanted");
    uint64_t men = position_men_of(&look_of(lua)->pos, man[0] == 'b', (int)(type - types));
    lua_createtable(lua, 4, 0);
    for (int i = 1; men != 0; i++) {
        push_text(lua, 1 + bit_pop(&men));
        lua_rawseti(lua, -2, i);
    }
    return 1;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* What another file of the folder returns, as use("square"). */
static int use(lua_State *lua)
{
    const Script *script = script_of(lua);
    const char *name = luaL_checkstring(lua, 1);
    char path[4400];
    if (script->folder[0] == '\0' || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")])
        return luaL_argerror(lua, 1, "the name of a rule beside this one is wanted");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, script->used);
    if (lua_getfield(lua, -1, name) != LUA_TNIL) return 1;
    lua_pop(lua, 1);
    snprintf(path, sizeof path, "%s/%.200s.lua", script->folder, name);
    if (luaL_loadfilex(lua, path, "t") != LUA_OK) return lua_error(lua);
    lua_call(lua, 0, 1);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -3, name);
    return 1;
}

/* ---- Making it ------------------------------------------------------------------------------- */

static void *bounded(void *context, void *old, size_t before, size_t size)
{
    Script *script = context;
    size_t had = old != NULL ? before : 0;
    if (size > had && script->bytes + (size - had) > MEMORY) {
        script->full = true;
        return NULL;
    }
    if (size == 0) {
        free(old);
        script->bytes -= had;
        return NULL;
    }
    void *grown = realloc(old, size);
    if (grown != NULL) script->bytes += size - had;
    return grown;
}

/* Texts that are asked for again and again. */
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
            char name[3] = {"wb"[color], "pnbrqk"[type], '\0'};
            lua_pushinteger(lua, NAME_MEN + 16 * color + type);
            lua_setfield(lua, -2, name);
        }
}

/* Parts of Lua that reach out, or take other code in. */
static void close_doors(lua_State *lua)
{
    static const char *const doors[] = {"dofile",         "loadfile", "load",         "print",
                                        "collectgarbage", "rawset",   "setmetatable", "_G"};
    for (size_t i = 0; i < sizeof doors / sizeof *doors; i++) {
        lua_pushnil(lua);
        lua_setglobal(lua, doors[i]);
    }
    lua_getglobal(lua, "string");
    lua_pushnil(lua);
    lua_setfield(lua, -2, "dump");
    lua_pop(lua, 1);
    /* The same answer each time. */
    lua_getglobal(lua, "math");
    lua_pushnil(lua);
    lua_setfield(lua, -2, "random");
    lua_pushnil(lua);
    lua_setfield(lua, -2, "randomseed");
    lua_pop(lua, 1);
}

/* Makes what a condition sees: what is safe of Lua, functions, and names that are looked up. */
static int prepare(lua_State *lua)
{
    static const luaL_Reg functions[] = {
        {"file", file_of},   {"rank", rank_of},      {"distance", distance},
        {"light", is_light}, {"attacked", attacked}, {"squares", squares},
        {"use", use}};
    static const luaL_Reg libraries[] = {{"_G", luaopen_base},
                                         {"string", luaopen_string},
                                         {"table", luaopen_table},
                                         {"math", luaopen_math}};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        luaL_requiref(lua, libraries[i].name, libraries[i].func, 1);
        lua_pop(lua, 1);
    }
    close_doors(lua);
    lua_pushglobaltable(lua);
    push_names(lua);
    push_texts(lua);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        lua_pushvalue(lua, -2);
        lua_pushvalue(lua, -2);
        lua_pushcclosure(lua, functions[i].func, 2);
        lua_setfield(lua, -4, functions[i].name);
    }
    lua_pushcclosure(lua, look_up, 2);
    lua_createtable(lua, 0, 3);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, refuse_global);
    lua_setfield(lua, -2, "__newindex");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
    return 0;
}

/* Whoever fails in Lua says so in an error, of which only texts are shown: others would have to be made into one,
 * for which there may be no memory. */
static treb_status script_fail(Script *script, int status, treb_error *error)
{
    lua_State *lua = script->lua;
    if (script->full)
        return fail(error, TREB_ERR_ARGUMENT, "it wants more than %d MiB of memory", MEMORY >> 20);
    if (status == LUA_ERRMEM) return fail_memory(error);
    const char *text = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : NULL;
    return fail(error, TREB_ERR_ARGUMENT, "%s", text != NULL ? text : "it failed");
}

/* What is read. Called by Lua, so that whatever goes wrong comes back as its error. */
typedef struct Source {
    Script *script;
    const char *condition, *expression; /* or */
    const char *path;
} Source;

/* A condition is an expression, else statements. */
static void read_condition(lua_State *lua, const Source *source)
{
    int status =
        luaL_loadbufferx(lua, source->expression, strlen(source->expression), "=condition", "t");
    if (status == LUA_ERRSYNTAX && strstr(source->condition, "return") != NULL) {
        lua_pop(lua, 1);
        status =
            luaL_loadbufferx(lua, source->condition, strlen(source->condition), "=condition", "t");
    }
    if (status != LUA_OK) lua_error(lua);
}

static void read_rule(lua_State *lua, const Source *source)
{
    lua_newtable(lua);
    source->script->used = luaL_ref(lua, LUA_REGISTRYINDEX);
    if (luaL_loadfilex(lua, source->path, "t") != LUA_OK) lua_error(lua);
    lua_call(lua, 0, 1);
    if (!lua_isfunction(lua, -1)) luaL_error(lua, "%s returns no function", source->path);
}

static int read_source(lua_State *lua)
{
    const Source *source = lua_touserdata(lua, 1);
    prepare(lua);
    if (source->path != NULL)
        read_rule(lua, source);
    else
        read_condition(lua, source);
    source->script->chunk = luaL_ref(lua, LUA_REGISTRYINDEX);
    return 0;
}

static treb_status script_make(Source *source, Script **out, treb_error *error)
{
    Script *script = *out = source->script;
    lua_State *lua = script->lua = lua_newstate(bounded, script);
    if (lua == NULL) {
        free(script);
        *out = NULL;
        return fail_memory(error);
    }
    *(Script **)lua_getextraspace(lua) = script;
    lua_pushcfunction(lua, read_source);
    lua_pushlightuserdata(lua, source);
    int status = lua_pcall(lua, 1, 0, 0);
    if (status == LUA_OK) return TREB_OK;
    treb_status failed = script_fail(script, status, error);
    script_free(script);
    *out = NULL;
    return failed;
}

treb_status script_new(const char *condition, Script **out, treb_error *error)
{
    size_t size = strlen(condition) + 16;
    char *expression = malloc(size);
    Source source = {calloc(1, sizeof(Script)), condition, expression, NULL};
    treb_status status = TREB_OK;
    *out = NULL;
    if (expression == NULL || source.script == NULL) {
        free(source.script);
        status = fail_memory(error);
    } else {
        snprintf(expression, size, "return %s\n", condition);
        status = script_make(&source, out, error);
    }
    free(expression);
    return status;
}

/* The folder that a path is in. */
static void folder_of(const char *path, char out[4096])
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(out, 4096, ".");
    else
        snprintf(out, 4096, "%.*s", slash > path ? (int)(slash - path) : 1, path);
}

treb_status script_open(const char *path, Script **out, treb_error *error)
{
    Source source = {calloc(1, sizeof(Script)), NULL, NULL, path};
    *out = NULL;
    if (source.script == NULL) return fail_memory(error);
    folder_of(path, source.script->folder);
    return script_make(&source, out, error);
}

void script_free(Script *script)
{
    if (script == NULL) return;
    lua_close(script->lua);
    free(script);
}

/* Now and then: whether all is to end. */
static void look_for_stop(lua_State *lua, lua_Debug *debug)
{
    (void)debug;
    const Look *look = script_of(lua)->look;
    if (look != NULL && look->stop != NULL &&
        atomic_load_explicit(look->stop, memory_order_relaxed))
        luaL_error(lua, "stopped");
}

/* Calls it for a position. What it returns is on the stack if true; else the failure is in the look. */
static bool script_call(Script *script, Look *look, int results)
{
    lua_State *lua = script->lua;
    script->look = look;
    if (lua_gethook(lua) == NULL) lua_sethook(lua, look_for_stop, LUA_MASKCOUNT, HOOK);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, script->chunk);
    int status = lua_pcall(lua, 0, results, 0);
    if (status == LUA_OK) return true;
    if (look->stop != NULL && atomic_load(look->stop)) {
        lua_pop(lua, 1);
        return false; /* no failure of the script's */
    }
    if (look->status == TREB_OK) look->status = script_fail(script, status, &look->error);
    lua_pop(lua, 1);
    return false;
}

bool script_holds(Script *script, Look *look)
{
    if (!script_call(script, look, 1)) return false;
    bool holds = lua_toboolean(script->lua, -1);
    lua_pop(script->lua, 1);
    return holds;
}

/* What a rule may say; by RuleClaim. */
static RuleClaim claim_of(lua_State *lua, int index)
{
    const char *text = lua_type(lua, index) == LUA_TSTRING ? lua_tostring(lua, index) : NULL;
    if (lua_isnil(lua, index)) return RULE_NOTHING;
    for (int claim = RULE_WIN; claim < RULE_CLAIMS && text != NULL; claim++)
        if (strcmp(text, rule_claim_text((RuleClaim)claim)) == 0) return (RuleClaim)claim;
    return RULE_CLAIMS;
}

RuleClaim script_claim(Script *script, Look *look, char ground[RULE_GROUND_SIZE])
{
    lua_State *lua = script->lua;
    if (!script_call(script, look, 2)) return RULE_NOTHING;
    RuleClaim claim = claim_of(lua, -2);
    const char *text = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "";
    snprintf(ground, RULE_GROUND_SIZE, "%s", text);
    /* It is printed on terminals. */
    for (char *c = ground; *c != '\0'; c++)
        if ((unsigned char)*c < 32 || *c == 127) *c = ' ';
    if (claim == RULE_CLAIMS) {
        look->status =
            fail(&look->error, TREB_ERR_ARGUMENT,
                 "a rule says win, draw, loss, not win, not loss or nothing, not %s",
                 lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : luaL_typename(lua, -2));
        claim = RULE_NOTHING;
    }
    lua_pop(lua, 2);
    return claim;
}
