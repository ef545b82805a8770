/* strategy.c - see strategy.h: reads a strategy, and searches for a forcing tree. */
#include "find/strategy.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "core/format/index.h"
#include "core/system/error.h"
#include "core/system/hash.h"
#include "find/script.h"
#include "find/script_names.h"

enum { RULES_MAX = 32, ANY = LUA_NOREF };
enum {
    DEAD_BITS = 15,
    DEAD_ENDS = 1 << DEAD_BITS,
    DEAD_PLIES = 3 /* with fewer plies left, searching again takes less time */
};

typedef struct Advice {
    char name[STRATEGY_NAME_SIZE];
    int better, holding, us, them; /* registry references; ANY: everything is allowed */
    int depth;
} Advice;

typedef struct Rule {
    int when; /* registry reference; ANY: always */
    int count;
    uint8_t advice[STRATEGY_ADVICE_MAX];
} Rule;

/* A position with White to move from which a search found no tree at a ply. */
typedef struct DeadEnd {
    treb_position pos;
    uint32_t search; /* 0: empty */
    int ply;
} DeadEnd;

struct Strategy {
    Script *script;
    Material material;
    Index index;
    Advice advice[STRATEGY_ADVICE_MAX];
    int advices;
    Rule rule[RULES_MAX];
    int rules;
    /* State of a search: */
    Plan *plan;
    int depth; /* depth of the trees that are searched for now */
    const Advice *follow;
    const atomic_bool *stop;
    uint64_t looked, most; /* number of positions examined, and the maximum; 0: no limit */
    uint32_t search;       /* number of the search, which has its own plan, advice and depth */
    DeadEnd *dead;         /* by a hash of the position; a new entry replaces an older one */
    PositionInfo info[STRATEGY_DEPTH_MAX + 1]; /* by ply */
};

/* ---- Reading it ------------------------------------------------------------------------------ */

static int field_function(lua_State *lua, const char *name, const char *of, bool needed)
{
    int type = lua_getfield(lua, -1, name);
    if (type == LUA_TFUNCTION) return luaL_ref(lua, LUA_REGISTRYINDEX);
    if (type != LUA_TNIL || needed)
        luaL_error(lua, "%s: '%s' must be a function, not %s", of, name, luaL_typename(lua, -1));
    lua_pop(lua, 1);
    return ANY;
}

static void read_material(lua_State *lua, Strategy *s)
{
    char name[MATERIAL_NAME_SIZE];
    if (lua_getfield(lua, 1, "material") != LUA_TSTRING ||
        !material_parse(lua_tostring(lua, -1), &s->material))
        luaL_error(lua, "'material' must be a material such as \"KRvK\"");
    Material canonical = s->material;
    if (material_canonical(&canonical)) {
        material_name(&canonical, name);
        luaL_error(lua, "a strategy is for the stronger side: 'material' must be \"%s\"", name);
    }
    if (s->material.count[TREB_WHITE][TREB_PAWN] && s->material.count[TREB_BLACK][TREB_PAWN])
        luaL_error(lua, "a strategy cannot be for pawns on both sides");
    if (!index_init(&s->index, &s->material, NULL, 1))
        luaL_error(lua, "a strategy can have at most %d men", TREB_MEN_MAX);
    lua_pop(lua, 1);
}

/* Reads one piece of advice. The stack has its name, and its table above it. */
static void read_advice(lua_State *lua, Strategy *s)
{
    Advice *a = &s->advice[s->advices];
    if (lua_type(lua, -2) != LUA_TSTRING || !lua_istable(lua, -1))
        luaL_error(lua, "'advice' must have names as keys and tables as values");
    const char *name = lua_tostring(lua, -2);
    if (s->advices == STRATEGY_ADVICE_MAX)
        luaL_error(lua, "there can be at most %d pieces of advice", STRATEGY_ADVICE_MAX);
    if (name[0] == '\0' || strlen(name) >= sizeof a->name || strpbrk(name, "\n\r\t\033") != NULL)
        luaL_error(lua, "the name of a piece of advice must have 1 to %d letters",
                   (int)sizeof a->name - 1);
    memcpy(a->name, name, strlen(name) + 1);
    a->better = field_function(lua, "better", name, true);
    a->holding = field_function(lua, "holding", name, false);
    a->us = field_function(lua, "us", name, false);
    a->them = field_function(lua, "them", name, false);
    int whole;
    lua_getfield(lua, -1, "depth");
    lua_Integer depth = lua_isnil(lua, -1) ? 1 : lua_tointegerx(lua, -1, &whole);
    if (depth < 1 || depth > STRATEGY_DEPTH_MAX)
        luaL_error(lua, "%s: 'depth' must be a number of plies from 1 to %d", name,
                   STRATEGY_DEPTH_MAX);
    a->depth = (int)depth;
    lua_pop(lua, 1);
    s->advices++;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const Advice *)a)->name, ((const Advice *)b)->name);
}

static void read_advices(lua_State *lua, Strategy *s)
{
    if (lua_getfield(lua, 1, "advice") != LUA_TTABLE) luaL_error(lua, "'advice' must be a table");
    for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1)) read_advice(lua, s);
    lua_pop(lua, 1);
    /* Lua returns them in any order. */
    qsort(s->advice, (size_t)s->advices, sizeof *s->advice, compare_names);
}

static int find_advice(const Strategy *s, const char *name)
{
    for (int i = 0; i < s->advices; i++)
        if (strcmp(s->advice[i].name, name) == 0) return i;
    return -1;
}

static void read_rule(lua_State *lua, Strategy *s)
{
    Rule *rule = &s->rule[s->rules++];
    if (!lua_istable(lua, -1)) luaL_error(lua, "a rule must be a table");
    rule->when = field_function(lua, "when", "a rule", false);
    lua_Integer count = (lua_Integer)lua_rawlen(lua, -1);
    if (count < 1 || count > STRATEGY_ADVICE_MAX)
        luaL_error(lua, "a rule must name 1 to %d pieces of advice", STRATEGY_ADVICE_MAX);
    for (lua_Integer i = 1; i <= count; i++) {
        const char *name =
            lua_rawgeti(lua, -1, i) == LUA_TSTRING ? lua_tostring(lua, -1) : luaL_typename(lua, -1);
        int advice = find_advice(s, name);
        if (advice < 0) luaL_error(lua, "a rule names '%s', which is not a piece of advice", name);
        rule->advice[rule->count++] = (uint8_t)advice;
        lua_pop(lua, 1);
    }
}

static void read_rules(lua_State *lua, Strategy *s)
{
    if (lua_getfield(lua, 1, "rules") != LUA_TTABLE)
        luaL_error(lua, "'rules' must be a list of rules");
    lua_Integer count = (lua_Integer)lua_rawlen(lua, -1);
    if (count < 1 || count > RULES_MAX) luaL_error(lua, "there must be 1 to %d rules", RULES_MAX);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(lua, -1, i);
        read_rule(lua, s);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

static int read_strategy(lua_State *lua)
{
    Strategy *s = lua_touserdata(lua, 2);
    read_material(lua, s);
    read_advices(lua, s);
    read_rules(lua, s);
    return 0;
}

/* Opens a strategy from a file, or from a list in memory. */
static treb_status open_one(const RuleText *strategies, const char *path, const atomic_bool *stop,
                            Strategy **out, treb_error *error)
{
    Strategy *s = calloc(1, sizeof *s);
    PositionInfo info = {.tables = NULL};
    *out = NULL;
    if (s == NULL) return fail_memory(error);
    s->dead = calloc(DEAD_ENDS, sizeof *s->dead);
    if (s->dead == NULL) {
        free(s);
        return fail_memory(error);
    }
    treb_status status = strategies != NULL
                             ? script_open_text(strategies, path, LUA_TTABLE, &s->script, error)
                             : script_open(path, LUA_TTABLE, stop, &s->script, error);
    if (status == TREB_OK && !script_run(s->script, &info, read_strategy, s))
        status = fail(error, info.status, "%s: %s", path, info.error.text);
    if (status != TREB_OK) {
        strategy_free(s);
        return status;
    }
    *out = s;
    return TREB_OK;
}

treb_status strategy_open(const char *path, const atomic_bool *stop, Strategy **out,
                          treb_error *error)
{
    return open_one(NULL, path, stop, out, error);
}

treb_status strategy_open_text(const RuleText *strategies, const char *name, Strategy **out,
                               treb_error *error)
{
    return open_one(strategies, name, NULL, out, error);
}

void strategy_limit(Strategy *strategy, uint64_t positions) { strategy->most = positions; }

void strategy_free(Strategy *strategy)
{
    if (strategy == NULL) return;
    script_free(strategy->script);
    free(strategy->dead);
    free(strategy);
}

const Material *strategy_material(const Strategy *strategy) { return &strategy->material; }

const char *strategy_advice(const Strategy *strategy, int advice)
{
    return strategy->advice[advice].name;
}

int strategy_advice_count(const Strategy *strategy) { return strategy->advices; }

/* ---- Asking it ------------------------------------------------------------------------------- */

/* Whether a function of the script holds for the position at a ply. */
static bool holds(lua_State *lua, Strategy *s, int function, int ply)
{
    if (function == ANY) return true;
    script_turn_to(s->script, &s->info[ply], 0);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, function);
    lua_pushinteger(lua, ply);
    lua_call(lua, 1, 1);
    bool yes = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return yes;
}

/* Returns the place of a move in the order in which moves are tried; -1 if the move is not
 * allowed. */
static double preference(lua_State *lua, Strategy *s, int function, int ply, Move move)
{
    if (function == ANY) return 1;
    script_turn_to(s->script, &s->info[ply], move);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, function);
    script_names_push_move(lua);
    lua_pushinteger(lua, ply);
    lua_call(lua, 2, 1);
    double order = !lua_toboolean(lua, -1)            ? -1
                   : lua_type(lua, -1) == LUA_TNUMBER ? lua_tonumber(lua, -1)
                                                      : 1;
    if (lua_toboolean(lua, -1) && !(order >= 0 && order <= 1e9))
        luaL_error(lua, "the order of a move must be a number, at least 0");
    lua_pop(lua, 1);
    return order;
}

/* Lists the moves that a function allows, those that it prefers first. Returns their number. */
static int allowed_moves(lua_State *lua, Strategy *s, int function, int ply, Move out[MOVES_MAX])
{
    double order[MOVES_MAX];
    Move all[MOVES_MAX];
    int count = movegen_legal(&s->info[ply].pos, all), chosen = 0;
    for (int i = 0; i < count; i++) {
        double key = preference(lua, s, function, ply, all[i]);
        if (key < 0) continue;
        int at = chosen++;
        for (; at > 0 && order[at - 1] > key; at--) {
            order[at] = order[at - 1];
            out[at] = out[at - 1];
        }
        order[at] = key;
        out[at] = all[i];
    }
    return chosen;
}

/* ---- The search ------------------------------------------------------------------------------ */

static uint32_t add_node(lua_State *lua, Plan *plan, Move move)
{
    if (plan->nodes == STRATEGY_NODES_MAX)
        luaL_error(lua, "a forcing tree has more than %d moves", STRATEGY_NODES_MAX);
    if (plan->nodes == plan->room) {
        uint32_t room = plan->room ? 2 * plan->room : 64;
        PlanNode *grown = realloc(plan->node, room * sizeof *grown);
        if (grown == NULL) luaL_error(lua, "not enough memory");
        plan->node = grown;
        plan->room = room;
    }
    plan->node[plan->nodes] = (PlanNode){.move = move};
    return plan->nodes++;
}

static void make(lua_State *lua, Strategy *s, int ply, Move move)
{
    treb_position child;
    if (s->looked++ == s->most && s->most > 0)
        luaL_error(lua, "a plan would have to examine more than %d positions", (int)s->most);
    position_make(&s->info[ply].pos, move, &child);
    info_set_position(&s->info[ply + 1], &child);
}

/* Returns the entry for the position at a ply. Goals and limits depend on the position, the ply and
 * the root. So at the same ply of the same search the position is a dead end again, whatever moves
 * lead to it. */
static DeadEnd *dead_end(const Strategy *s, int ply)
{
    const treb_position *pos = &s->info[ply].pos;
    uint64_t hash = (uint64_t)ply;
    for (int c = 0; c < 2; c++) hash = (hash ^ pos->by_color[c]) * HASH_FACTOR;
    for (int type = 0; type < TREB_TYPES; type++)
        hash = (hash ^ hash >> 29 ^ pos->by_type[type]) * HASH_FACTOR_2;
    return &s->dead[hash >> (64 - DEAD_BITS)];
}

static bool is_dead_end(const Strategy *s, int ply)
{
    if (s->depth - ply < DEAD_PLIES) return false;
    const DeadEnd *d = dead_end(s, ply);
    return d->search == s->search && d->ply == ply && position_equal(&d->pos, &s->info[ply].pos);
}

static bool answer_all(lua_State *lua, Strategy *s, int ply, uint32_t node);

/* Searches for a move of White at a ply. Returns its node, or 0 if there is none. */
static uint32_t find_move(lua_State *lua, Strategy *s, int ply)
{
    const Advice *a = s->follow;
    Move moves[MOVES_MAX];
    if (ply == s->depth || is_dead_end(s, ply)) return 0;
    int count = allowed_moves(lua, s, a->us, ply, moves);
    for (int i = 0; i < count; i++) {
        uint32_t before = s->plan->nodes, node = add_node(lua, s->plan, moves[i]);
        make(lua, s, ply, moves[i]);
        if (holds(lua, s, a->holding, ply + 1) &&
            (holds(lua, s, a->better, ply + 1) || answer_all(lua, s, ply + 1, node)))
            return node;
        s->plan->nodes = before;
    }
    if (s->depth - ply >= DEAD_PLIES)
        *dead_end(s, ply) = (DeadEnd){s->info[ply].pos, s->search, ply};
    return 0;
}

/* Whether White has an answer to all replies. Chains the replies behind White's move. */
static bool answer_all(lua_State *lua, Strategy *s, int ply, uint32_t node)
{
    const Advice *a = s->follow;
    Move moves[MOVES_MAX];
    uint32_t last = 0;
    if (ply == s->depth) return false;
    if (s->stop != NULL && atomic_load_explicit(s->stop, memory_order_relaxed))
        luaL_error(lua, "stopped");
    int count = allowed_moves(lua, s, a->them, ply, moves);
    for (int i = 0; i < count; i++) {
        uint32_t reply = add_node(lua, s->plan, moves[i]);
        if (last == 0)
            s->plan->node[node].first = reply;
        else
            s->plan->node[last].next = reply;
        last = reply;
        make(lua, s, ply, moves[i]);
        if (!holds(lua, s, a->holding, ply + 1)) return false;
        if (holds(lua, s, a->better, ply + 1)) continue;
        uint32_t answer = find_move(lua, s, ply + 1);
        if (answer == 0) return false;
        s->plan->node[reply].first = answer;
    }
    return count > 0;
}

static bool follow(lua_State *lua, Strategy *s, int advice)
{
    s->follow = &s->advice[advice];
    if (!holds(lua, s, s->follow->holding, 0)) return false;
    for (s->depth = 1; s->depth <= s->follow->depth; s->depth++) {
        s->plan->nodes = 0;
        /* Each search must have a number of its own. */
        if (++s->search == 0) {
            memset(s->dead, 0, DEAD_ENDS * sizeof *s->dead);
            s->search = 1;
        }
        add_node(lua, s->plan, 0);
        if (find_move(lua, s, 0) == 0) continue;
        s->plan->advice = advice;
        return true;
    }
    return false;
}

/* Only the first rule that applies is followed. */
static int search(lua_State *lua)
{
    Strategy *s = lua_touserdata(lua, 2);
    for (int r = 0; r < s->rules; r++) {
        const Rule *rule = &s->rule[r];
        if (!holds(lua, s, rule->when, 0)) continue;
        for (int i = 0; i < rule->count; i++)
            if (follow(lua, s, rule->advice[i])) return 0;
        return 0;
    }
    return 0;
}

/* Maps a position to its symmetric copy that the index has. Returns the symmetry. */
static int canonical(const Strategy *s, const treb_position *pos, treb_position *out)
{
    IndexMen men;
    index_to_men(&s->index, index_of_position(&s->index, pos), &men);
    index_men_to_position(&s->index, &men, pos->turn, out);
    for (int symmetry = 0; symmetry < 8; symmetry++) {
        bool same = true;
        for (int c = 0; c < 2 && same; c++)
            for (int type = TREB_PAWN; type < TREB_TYPES && same; type++)
                same = index_symmetry_board(symmetry, position_men_of(pos, c, type)) ==
                       position_men_of(out, c, type);
        if (same) return symmetry;
    }
    return 0; /* not reached: every position of the material has a cell */
}

treb_status strategy_plan(Strategy *s, const treb_position *pos, const atomic_bool *stop,
                          Plan *plan, treb_error *error)
{
    treb_position first;
    plan->nodes = 0;
    plan->advice = -1;
    plan->symmetry = canonical(s, pos, &first);
    s->plan = plan;
    s->looked = 0;
    s->stop = stop;
    memset(s->info, 0, sizeof s->info);
    for (int i = 0; i <= STRATEGY_DEPTH_MAX; i++) s->info[i].stop = stop;
    info_set_position(&s->info[0], &first);
    if (script_run(s->script, &s->info[0], search, s)) return TREB_OK;
    if (s->info[0].status == TREB_OK) return fail(error, TREB_ERR_ARGUMENT, "stopped");
    if (error != NULL) *error = s->info[0].error;
    return s->info[0].status;
}

void plan_free(Plan *plan)
{
    free(plan->node);
    memset(plan, 0, sizeof *plan);
}

static int square_before(int symmetry, int square)
{
    int before = 0;
    while (index_symmetry_square(symmetry, before) != square) before++;
    return before;
}

Move plan_move(const Plan *plan, Move move)
{
    return move_make(square_before(plan->symmetry, move_from(move)),
                     square_before(plan->symmetry, move_to(move)), move_promo(move));
}

uint32_t plan_answer(const Plan *plan, uint32_t node, Move reply)
{
    for (uint32_t r = plan->node[node].first; r != 0; r = plan->node[r].next)
        if (plan_move(plan, plan->node[r].move) == reply) return plan->node[r].first;
    return 0;
}
