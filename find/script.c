/* script.c - see script.h: reads scripts, limits what they may use of Lua, and calls them. */
#include "find/script.h"

#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/material.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/text_file.h"
#include "find/script_names.h"
#include "find/script_words.h"

enum { MEMORY = 64 << 20, HOOK = 1 << 16 /* instructions between two checks of `stop` */ };

struct Script {
    ScriptSubject subject; /* must be first: the Lua state points to it (script_names.h) */
    lua_State *lua;
    size_t bytes;
    bool full;             /* the script needed more memory than it may have */
    int chunk, used;       /* registry references: the value to call, and the rules that it uses */
    char name[256];        /* name of the script in errors */
    char *folder;          /* folder of the script's file; NULL: it has none */
    const RuleText *rules; /* list of rules in memory for a script without a folder, or NULL */
    const atomic_bool *stop; /* checked while the file is read; may be NULL */
};

static Script *script_of(lua_State *lua) { return (Script *)script_subject(lua); }

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Pushes the chunk of a rule in memory, or raises an error. */
static void load_text(lua_State *lua, const RuleText *rules, const char *name)
{
    while (rules->name != NULL && strcmp(rules->name, name) != 0) rules++;
    if (rules->name == NULL) luaL_error(lua, "there is no rule '%s'", name);
    const char *chunk = lua_pushfstring(lua, "=%s.lua", name);
    if (luaL_loadbufferx(lua, rules->text, strlen(rules->text), chunk, "t") != LUA_OK)
        lua_error(lua);
    lua_remove(lua, -2);
}

/* Pushes the chunk of a file, or raises an error. As Lua does, passes over the mark of UTF-8 and a first line that begins
 * with '#'. */
static void load_file(lua_State *lua, const char *path)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t size, start = 0;
    const char *chunk = lua_pushfstring(lua, "@%s", path);
    char *text = text_file_read(path, &size);
    if (text == NULL) {
        lua_pushfstring(lua, "cannot open %s: %s", path, strerror(errno));
        lua_error(lua);
    }
    if (strncmp(text, mark, 3) == 0) start = 3;
    if (text[start] == '#') start += strcspn(text + start, "\n");
    int status = luaL_loadbufferx(lua, text + start, size - start, chunk, "t");
    free(text);
    if (status != LUA_OK) lua_error(lua);
    lua_remove(lua, -2);
}

/* use("square"): returns what another rule of the folder returns. */
static int use(lua_State *lua)
{
    const Script *script = script_of(lua);
    const char *name = luaL_checkstring(lua, 1);
    char path[4400];
    if ((script->folder == NULL && script->rules == NULL) ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")])
        return luaL_argerror(lua, 1, "the name of a rule in the same folder is expected");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, script->used);
    if (lua_getfield(lua, -1, name) != LUA_TNIL) return 1;
    lua_pop(lua, 1);
    snprintf(path, sizeof path, "%s/%.200s.lua", script->folder, name);
    if (script->rules != NULL)
        load_text(lua, script->rules, name);
    else
        load_file(lua, path);
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
    if (grown == NULL) return NULL;
    script->bytes += size - had;
    script->full = false; /* if it was full, Lua has collected garbage and asked again */
    return grown;
}

/* Removes the functions of Lua that reach files and the system, or load other code. */
static void remove_unsafe(lua_State *lua)
{
    static const char *const unsafe[] = {"dofile",         "loadfile", "load",         "print",
                                         "collectgarbage", "rawset",   "setmetatable", "_G"};
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++) {
        lua_pushnil(lua);
        lua_setglobal(lua, unsafe[i]);
    }
    lua_getglobal(lua, "string");
    lua_pushnil(lua);
    lua_setfield(lua, -2, "dump");
    lua_pop(lua, 1);
    /* A script must give the same answer each time. */
    lua_getglobal(lua, "math");
    lua_pushnil(lua);
    lua_setfield(lua, -2, "random");
    lua_pushnil(lua);
    lua_setfield(lua, -2, "randomseed");
    lua_pop(lua, 1);
}

/* Creates the globals of a script: the safe part of Lua, `use`, and the names for the position. */
static void prepare(lua_State *lua)
{
    static const luaL_Reg libraries[] = {{"_G", luaopen_base},
                                         {"string", luaopen_string},
                                         {"table", luaopen_table},
                                         {"math", luaopen_math}};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        luaL_requiref(lua, libraries[i].name, libraries[i].func, 1);
        lua_pop(lua, 1);
    }
    remove_unsafe(lua);
    lua_register(lua, "use", use);
    script_names_open(lua);
}

/* Converts a Lua error. Only strings are shown: converting another value to a string needs memory,
 * which may not be there. */
static treb_status script_fail(Script *script, int status, treb_error *error)
{
    lua_State *lua = script->lua;
    if (script->full)
        return fail(error, TREB_ERR_ARGUMENT, "%s: it needs more than %d MiB of memory",
                    script->name, MEMORY >> 20);
    if (status == LUA_ERRMEM) return fail_memory(error);
    const char *text = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "it failed";
    char why[160] = "";
    /* Lua says that a value is nil, but not of which name. The last name that was nil is it. */
    if (strstr(text, "with nil") != NULL || strstr(text, "nil with") != NULL ||
        strstr(text, "arithmetic on a nil") != NULL || strstr(text, "got nil") != NULL)
        script_names_absent(script->subject.absent, why, sizeof why);
    return fail(error, TREB_ERR_ARGUMENT, "%s%s%s", text, *why ? ": " : "", why);
}

/* What to read. Lua calls the functions that read it, so that every failure becomes a Lua error. */
typedef struct ScriptSource {
    Script *script;
    const char *condition, *expression; /* of a condition; or NULL */
    const char *path;                   /* of a file, or its name in the list of rules in memory */
    int type;                           /* the type that the file must return */
    const char *name;                   /* of a condition in errors, or NULL */
} ScriptSource;

/* A condition is an expression; if it cannot be read as one, statements. */
static void read_condition(lua_State *lua, const ScriptSource *source)
{
    char why[SCRIPT_WORDS_SIZE];
    const char *chunk = lua_pushfstring(lua, "=%s", source->script->name);
    const char *text = source->expression;
    int status = luaL_loadbufferx(lua, text, strlen(text), chunk, "t");
    if (status == LUA_ERRSYNTAX && strstr(source->condition, "return") != NULL) {
        lua_pop(lua, 1);
        text = source->condition;
        status = luaL_loadbufferx(lua, text, strlen(text), chunk, "t");
    }
    if (status != LUA_OK) lua_error(lua);
    if (!script_words_check(source->condition, why)) {
        lua_pushfstring(lua, "%s:%s", source->script->name, why);
        lua_error(lua);
    }
}

static void read_file(lua_State *lua, const ScriptSource *source)
{
    lua_newtable(lua);
    source->script->used = luaL_ref(lua, LUA_REGISTRYINDEX);
    if (source->script->rules != NULL)
        load_text(lua, source->script->rules, source->path);
    else
        load_file(lua, source->path);
    lua_call(lua, 0, 1);
    if (lua_type(lua, -1) != source->type)
        luaL_error(lua, "%s returns no %s", source->path, lua_typename(lua, source->type));
}

static int read_source(lua_State *lua)
{
    const ScriptSource *source = lua_touserdata(lua, 1);
    prepare(lua);
    if (source->path != NULL)
        read_file(lua, source);
    else
        read_condition(lua, source);
    source->script->chunk = luaL_ref(lua, LUA_REGISTRYINDEX);
    return 0;
}

/* Called by Lua after every HOOK instructions; ends the script if it is told to stop. The script
 * cannot ignore that by catching the error (pcall): from then on each of its instructions fails. */
static void stop_hook(lua_State *lua, lua_Debug *debug)
{
    (void)debug;
    const Script *script = script_of(lua);
    const atomic_bool *stop =
        script->subject.info != NULL ? script->subject.info->stop : script->stop;
    if (stop == NULL || !atomic_load_explicit(stop, memory_order_relaxed)) return;
    lua_sethook(lua, stop_hook, LUA_MASKCOUNT, 1);
    luaL_error(lua, "stopped");
}

static treb_status script_make(ScriptSource *source, Script **out, treb_error *error)
{
    Script *script = *out = source->script;
    snprintf(script->name, sizeof script->name, "%s",
             source->path != NULL   ? source->path
             : source->name != NULL ? source->name
                                    : "condition");
    lua_State *lua = script->lua = lua_newstate(bounded, script);
    if (lua == NULL) {
        script_free(script);
        *out = NULL;
        return fail_memory(error);
    }
    script_set_subject(lua, &script->subject);
    lua_sethook(lua, stop_hook, LUA_MASKCOUNT, HOOK);
    lua_pushcfunction(lua, read_source);
    lua_pushlightuserdata(lua, source);
    int status = lua_pcall(lua, 1, 0, 0);
    if (status == LUA_OK) return TREB_OK;
    treb_status failed = script_fail(script, status, error);
    script_free(script);
    *out = NULL;
    return failed;
}

treb_status script_new(const char *condition, const char *name, Script **out, treb_error *error)
{
    size_t size = strlen(condition) + 16;
    char *expression = malloc(size);
    ScriptSource source = {calloc(1, sizeof(Script)), condition, expression, NULL, 0, name};
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

treb_status script_open(const char *path, int type, const atomic_bool *stop, Script **out,
                        treb_error *error)
{
    ScriptSource source = {calloc(1, sizeof(Script)), NULL, NULL, path, type, NULL};
    *out = NULL;
    if (source.script == NULL) return fail_memory(error);
    source.script->stop = stop;
    source.script->folder = io_folder(path);
    if (source.script->folder != NULL) return script_make(&source, out, error);
    script_free(source.script);
    return fail_memory(error);
}

treb_status script_open_text(const RuleText *rules, const char *name, int type, Script **out,
                             treb_error *error)
{
    ScriptSource source = {calloc(1, sizeof(Script)), NULL, NULL, name, type, NULL};
    *out = NULL;
    if (source.script == NULL) return fail_memory(error);
    source.script->rules = rules;
    return script_make(&source, out, error);
}

void script_free(Script *script)
{
    if (script == NULL) return;
    if (script->lua != NULL) lua_close(script->lua);
    free(script->folder);
    free(script);
}

/* Calls the function on the stack for a position. Returns true with its results on the stack.
 * Returns false after an error, which is in `info`. */
static bool script_call(Script *script, PositionInfo *info, int arguments, int results)
{
    lua_State *lua = script->lua;
    script->subject.info = script->subject.root = info;
    script->subject.absent = 0;
    int status = lua_pcall(lua, arguments, results, 0);
    if (status == LUA_OK) return true;
    if (info->stop != NULL && atomic_load(info->stop)) {
        lua_pop(lua, 1);
        return false; /* the script has not failed */
    }
    if (info->status == TREB_OK) info->status = script_fail(script, status, &info->error);
    lua_pop(lua, 1);
    return false;
}

static void push_chunk(const Script *script)
{
    lua_rawgeti(script->lua, LUA_REGISTRYINDEX, script->chunk);
}

bool script_holds(Script *script, PositionInfo *info)
{
    push_chunk(script);
    if (!script_call(script, info, 0, 1)) return false;
    bool holds = lua_toboolean(script->lua, -1);
    lua_pop(script->lua, 1);
    return holds;
}

/* Converts what a rule returned to a RuleClaim; RULE_CLAIMS if it is none. */
static RuleClaim claim_of(lua_State *lua, int index)
{
    const char *text = lua_type(lua, index) == LUA_TSTRING ? lua_tostring(lua, index) : NULL;
    if (lua_isnil(lua, index)) return RULE_NOTHING;
    if (lua_isboolean(lua, index)) return lua_toboolean(lua, index) ? RULE_TRUE : RULE_FALSE;
    for (int claim = RULE_WIN; claim < RULE_TRUE && text != NULL; claim++)
        if (strcmp(text, rule_claim_text((RuleClaim)claim)) == 0) return (RuleClaim)claim;
    return RULE_CLAIMS;
}

/* Adds the position at which a rule failed to the error. Most often the position does not have the
 * men that the rule expects. */
static void add_position(PositionInfo *info)
{
    char fen[TREB_FEN_SIZE], name[MATERIAL_NAME_SIZE];
    const Material material = material_of_position(&info->pos);
    const size_t length = strlen(info->error.text);
    position_to_fen(&info->pos, fen);
    material_name(&material, name);
    snprintf(info->error.text + length, sizeof info->error.text - length,
             " (in the position %s of %s: is the rule for another ending?)", fen, name);
}

RuleClaim script_claim(Script *script, PositionInfo *info, char ground[RULE_GROUND_SIZE])
{
    lua_State *lua = script->lua;
    push_chunk(script);
    if (!script_call(script, info, 0, 2)) {
        if (info->status == TREB_ERR_ARGUMENT) add_position(info);
        return RULE_NOTHING;
    }
    RuleClaim claim = claim_of(lua, -2);
    const char *text = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "";
    snprintf(ground, RULE_GROUND_SIZE, "%s", text);
    /* The text is printed on terminals. */
    for (char *c = ground; *c != '\0'; c++)
        if ((unsigned char)*c < 32 || *c == 127) *c = ' ';
    if (claim == RULE_CLAIMS) {
        info->status = fail(
            &info->error, TREB_ERR_ARGUMENT,
            "a rule must return win, draw, loss, not win, not loss, true, false or nothing, not %s",
            lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : luaL_typename(lua, -2));
        claim = RULE_NOTHING;
    }
    lua_pop(lua, 2);
    return claim;
}

bool script_run(Script *script, PositionInfo *info, lua_CFunction function, void *context)
{
    lua_pushcfunction(script->lua, function);
    push_chunk(script);
    lua_pushlightuserdata(script->lua, context);
    return script_call(script, info, 2, 0);
}

void script_turn_to(Script *script, PositionInfo *info, Move move)
{
    script->subject.info = info;
    script->subject.move = move;
}
