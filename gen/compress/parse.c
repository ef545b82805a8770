/* parse.c - see parse.h.
 *
 * A path to a cell is a sequence of symbols that covers all cells before it. optimal_parse.c finds
 * the cheapest path to each cell, from the front to the back (dynamic programming), in windows that
 * overlap. This file makes the tree of symbols that optimal_parse.c follows. Four things make the
 * search fast:
 *
 * 1. Cells are treated as runs, and all symbols form one tree of runs. Every run of a symbol except
 *    the last ends where a run of the cells ends, so few symbols are possible at each cell.
 *
 * 2. A run is a sequence of items. The length of each item is the largest power of two that fits and
 *    is a symbol of that value: pairs.c learned the symbols from runs cut in this way. A symbol ends
 *    in the middle of a run only if no symbol reaches the end of the run, and then where an item ends.
 *    Other symbols save 0.3 % of the bytes and take a tenth of the time.
 *
 * 3. Where cells may belong to this run or to the next, the run may end at several cells. The
 *    frequencies of run lengths show which ends are likely, and only a few of them are tried.
 *
 * 4. A path is given up if another path is further on and costs little more. */
#include "gen/compress/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/hash.h"
#include "gen/compress/optimal_parse.h"
#include "gen/compress/runs.h"

static const EffortLimits effort_limits[] = {
    [PARSE_FASTEST] = {1, 0, -2 * PARSE_BIT},
    [PARSE_FAST] = {2, 4 * PARSE_BIT, 0},
    [PARSE_GOOD] = {3, 3 * PARSE_BIT, -PARSE_BIT},
    [PARSE_BEST] = {WIDTH, 5 * PARSE_BIT, 4 * PARSE_BIT},
};

/* ---- Symbols as runs ------------------------------------------------------------------------- */

static bool symbol_runs_reserve(SymbolRunsTable *table, size_t more)
{
    if (table->count + more <= table->capacity) return true;
    size_t capacity = 2 * table->capacity + more + 4096;
    SymbolRun *run = realloc(table->run, capacity * sizeof *run);
    if (run == NULL) return false;
    table->run = run;
    table->capacity = capacity;
    return true;
}

static void symbol_runs_append(SymbolRunsTable *table, SymbolRuns *to, SymbolRun run)
{
    SymbolRun *last = table->run + table->count - 1;
    if (to->count > 0 && last->id == run.id) {
        last->length = (uint16_t)(last->length + run.length);
        return;
    }
    table->run[table->count++] = run;
    to->count++;
}

static bool symbol_runs_make(SymbolRunsTable *table, const Parser *parser)
{
    const Pairs *pairs = parser->pairs;
    for (unsigned s = 0; s < pairs->count; s++) {
        SymbolRuns new = {(uint32_t)table->count, 0};
        if (!symbol_runs_reserve(table, PAIRS_LONGEST)) return false;
        if (s < pairs->values) {
            symbol_runs_append(table, &new, (SymbolRun){1, parser->id[pairs->left[s]]});
        } else {
            const uint16_t part[2] = {pairs->left[s], pairs->right[s]};
            for (int i = 0; i < 2; i++) {
                SymbolRuns from = table->symbol[part[i]];
                for (uint32_t r = 0; r < from.count; r++)
                    symbol_runs_append(table, &new, table->run[from.first + r]);
            }
        }
        table->symbol[s] = new;
    }
    return true;
}

/* ---- Items ----------------------------------------------------------------------------------- */

static void find_lengths(Parser *parser)
{
    for (unsigned s = 0; s < parser->pairs->count; s++) {
        SymbolRuns runs = parser->symbol_runs->symbol[s];
        SymbolRun run = parser->symbol_runs->run[runs.first];
        if (runs.count > 1) continue;
        if ((run.length & (run.length - 1)) == 0) parser->lengths[run.id] |= run.length;
        if (run.length <= parser->longest[run.id]) continue;
        parser->longest[run.id] = run.length;
        parser->longest_symbol[run.id] = (uint16_t)s;
    }
}

/* ---- The tree -------------------------------------------------------------------------------- */

/* An edge while the tree is made, with the node that it comes from. */
typedef struct Draft {
    uint32_t key; /* node << 8 | id */
    uint32_t length;
    uint32_t node; /* the node at its end, from which longer symbols continue; 0: none */
    uint16_t symbol;
} Draft;

typedef struct Tree {
    Draft *draft;
    uint32_t count, nodes;
    uint32_t *slot;
    uint32_t mask;
} Tree;

static uint32_t hash(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 16 | b) * HASH_FACTOR;
    return (uint32_t)(x >> 32);
}

/* Returns the edge of a node with this key and length, and adds it if it is new. tree_make has
 * allocated memory for all edges. */
static Draft *tree_edge(Tree *tree, uint32_t key, uint16_t length)
{
    uint32_t at = hash(key, length) & tree->mask;
    for (; tree->slot[at] != UINT32_MAX; at = (at + 1) & tree->mask) {
        Draft *d = &tree->draft[tree->slot[at]];
        if (d->key == key && d->length == length) return d;
    }
    tree->slot[at] = tree->count;
    Draft *new = &tree->draft[tree->count++];
    *new = (Draft){key, length, 0, NO_SYMBOL};
    return new;
}

static void tree_insert(Tree *tree, const SymbolRun *run, uint32_t count, uint16_t symbol,
                        const uint32_t *cost)
{
    uint32_t node = 0;
    Draft *d = NULL;
    for (uint32_t r = 0; r < count; r++) {
        d = tree_edge(tree, node << 8 | run[r].id, run[r].length);
        if (r + 1 < count && d->node == 0) d->node = tree->nodes++;
        node = d->node;
    }
    /* Two symbols may stand for the same cells: keep the cheaper one. */
    if (d->symbol == NO_SYMBOL || cost[d->symbol] > cost[symbol]) d->symbol = symbol;
}

/* The sort key of an edge: first the node, then id % 64 as in the bits of Edge.values, then id / 64. */
static uint32_t group_order(uint32_t key)
{
    return (key & ~UINT32_C(0xff)) | (key & 63) << 2 | (key >> 6 & 3);
}

static int by_key(const void *a, const void *b)
{
    const Draft *x = a, *y = b;
    uint32_t of_x = group_order(x->key), of_y = group_order(y->key);
    if (of_x != of_y) return of_x < of_y ? -1 : 1;
    return (int)x->length - (int)y->length;
}

static bool tree_make(Tree *tree, const SymbolRunsTable *table, unsigned symbols,
                      const uint32_t *cost)
{
    tree->nodes = 1;
    tree->count = 0;
    tree->mask = 1;
    while (tree->mask < 2 * table->count) tree->mask *= 2;
    tree->mask -= 1;
    tree->draft = malloc((table->count + 1) * sizeof *tree->draft);
    tree->slot = malloc(((size_t)tree->mask + 1) * sizeof *tree->slot);
    if (tree->draft == NULL || tree->slot == NULL) return false;
    memset(tree->slot, 0xff, ((size_t)tree->mask + 1) * sizeof *tree->slot);
    for (unsigned s = 0; s < symbols; s++) {
        SymbolRuns runs = table->symbol[s];
        tree_insert(tree, table->run + runs.first, runs.count, (uint16_t)s, cost);
    }
    qsort(tree->draft, tree->count, sizeof *tree->draft, by_key);
    return true;
}

/* The groups of a node: the bits of their values, and the place of the first. */
typedef struct NodePlace {
    uint64_t values;
    uint32_t groups;
} NodePlace;

static Edge edge_of(const Draft *draft, const NodePlace *place, const uint32_t *cost)
{
    uint32_t own = draft->symbol != NO_SYMBOL ? cost[draft->symbol] : 0;
    Edge edge = {.cost = (uint16_t)(own < COST_MOST ? own : COST_MOST), .symbol = draft->symbol};
    if (draft->node != 0) {
        edge.values = place[draft->node].values;
        edge.groups = place[draft->node].groups;
    }
    return edge;
}

/* Decides where the groups of each node are: before its edges. */
static void place_nodes(const Tree *tree, NodePlace *place)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        uint32_t key = tree->draft[i].key;
        NodePlace *at = &place[key >> 8];
        if (at->values == 0) at->groups = i + groups;
        if (i > 0 && tree->draft[i - 1].key == key) continue;
        at->values |= UINT64_C(1) << (key & 63);
        groups++;
    }
}

/* Turns the drafts of a node, from draft `first` on, into branches from `at` on. Returns the number of
 * drafts. */
static uint32_t put_node(Parser *parser, const Tree *tree, const NodePlace *place, uint32_t first,
                         uint32_t at, const uint32_t *cost)
{
    const Draft *draft = tree->draft + first;
    uint32_t count = 0, groups = 0;
    for (; first + count < tree->count && draft[count].key >> 8 == draft->key >> 8; count++)
        groups += count == 0 || draft[count].key != draft[count - 1].key;
    Group *group = NULL;
    for (uint32_t i = 0, g = at; i < count; i++) {
        uint32_t to = at + groups + i;
        if (i == 0 || draft[i].key != draft[i - 1].key) {
            if (group != NULL) parser->branch[to - 1].edge.cost |= LAST;
            group = &parser->branch[g++].group;
            *group = (Group){.first = to, .id = (uint8_t)draft[i].key};
        }
        group->lengths |= draft[i].length <= SHORT ? UINT64_C(1) << draft[i].length : 1;
        parser->edge_length[to] = (uint16_t)draft[i].length;
        parser->branch[to].edge = edge_of(&draft[i], place, cost);
    }
    group->last = true;
    parser->branch[at + groups + count - 1].edge.cost |= LAST;
    return count;
}

static void make_root(Parser *parser, const Tree *tree, const NodePlace *place,
                      const uint32_t *cost)
{
    for (unsigned v = 0; v < parser->values; v++)
        for (unsigned l = 0; l <= PAIRS_LONGEST; l++)
            parser->root[v][l] = (Edge){.cost = COST_MOST, .symbol = NO_SYMBOL};
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->draft[i].key >> 8 == 0)
            parser->root[tree->draft[i].key][tree->draft[i].length] =
                edge_of(&tree->draft[i], place, cost);
}

static bool make_branches(Parser *parser, const Tree *tree, const uint32_t *cost)
{
    size_t branches = 2 * (size_t)tree->count; /* no more groups than edges */
    NodePlace *place = calloc(tree->nodes, sizeof *place);
    parser->branch = malloc(branches * sizeof *parser->branch);
    parser->edge_length = malloc(branches * sizeof *parser->edge_length);
    parser->root = malloc(parser->values * sizeof *parser->root);
    bool done = place != NULL && parser->branch != NULL && parser->edge_length != NULL &&
                parser->root != NULL;
    if (done) {
        place_nodes(tree, place);
        for (uint32_t i = 0; i < tree->count;)
            i += put_node(parser, tree, place, i, place[tree->draft[i].key >> 8].groups, cost);
        make_root(parser, tree, place, cost);
    }
    free(place);
    return done;
}

static bool make_tree(Parser *parser, const uint32_t *cost)
{
    Tree tree = {0};
    find_lengths(parser);
    bool done = tree_make(&tree, parser->symbol_runs, parser->pairs->count, cost) &&
                make_branches(parser, &tree, cost);
    free(tree.draft);
    free(tree.slot);
    return done;
}

/* ---- What runs cost -------------------------------------------------------------------------- */

uint32_t parse_log(uint64_t n)
{
    uint32_t whole = 63 - (uint32_t)__builtin_clzll(n), log = whole;
    uint64_t x = whole >= 31 ? n >> (whole - 31) : n << (31 - whole); /* 1 to 2, times 2^31 */
    for (unsigned bit = 1; bit < PARSE_BIT; bit *= 2) {
        x = x * x >> 31;
        log = 2 * log + (x >> 32 != 0);
        if (x >> 32) x >>= 1;
    }
    return log;
}

/* Returns how often a run of `length` cells was counted, times 2^16. Adds a constant share to each
 * count, so that a length that was not seen has a cost too. The share is larger for short runs and
 * for runs of few items. */
static uint64_t smoothed_count(const uint32_t *runs, unsigned length)
{
    enum { ONE = 1 << 16, MORE = 4 * ONE, LONGER = 64 };
    unsigned items = (unsigned)__builtin_popcount(length);
    uint64_t times = length <= PAIRS_LONGEST
                         ? (uint64_t)runs[length] * ONE
                         : ((uint64_t)runs[PAIRS_LONGEST + 1] * ONE >> items) / LONGER;
    return times + (MORE >> items) / length + 1;
}

static bool make_run_costs(Parser *parser)
{
    parser->run_cost = malloc(parser->values * sizeof *parser->run_cost);
    if (parser->run_cost == NULL) return false;
    for (unsigned v = 0; v < parser->values; v++) {
        const uint32_t *runs = parser->pairs->runs[parser->pairs->left[v]];
        uint64_t all = 0;
        for (unsigned l = 1; l < 2 * PAIRS_LONGEST; l++) all += smoothed_count(runs, l);
        for (unsigned l = 1; l < 2 * PAIRS_LONGEST; l++)
            parser->run_cost[v][l] =
                (uint16_t)(parse_log(all) - parse_log(smoothed_count(runs, l)));
        parser->run_cost[v][0] = UINT16_MAX;
    }
    return true;
}

/* Scales the costs of runs to the average in the cells that were counted: a run inside a longer
 * symbol costs less than a run of its own. Also sets the average cost of a symbol. */
static void scale_run_costs(Parser *parser, const uint32_t *cost)
{
    enum { ONE = 256, LEAST = 16 };
    const Pairs *pairs = parser->pairs;
    uint64_t bits = 0, runs = 1, symbols = 1;
    for (unsigned s = 0; s < pairs->count; s++) {
        bits += pairs->used[s] * cost[s];
        symbols += pairs->used[s];
    }
    for (unsigned v = 0; v < parser->values; v++)
        for (unsigned l = 1; l < PAIRS_LONGEST + 2; l++)
            runs += (uint64_t)pairs->runs[pairs->left[v]][l] * parser->run_cost[v][l];
    uint64_t scale = ONE * bits / runs;
    if (scale > ONE) scale = ONE;
    if (scale < LEAST) scale = LEAST;
    for (unsigned v = 0; v < parser->values; v++)
        for (unsigned l = 1; l < 2 * PAIRS_LONGEST; l++)
            parser->run_cost[v][l] = (uint16_t)(parser->run_cost[v][l] * scale / ONE);
    parser->symbol_cost = (uint32_t)(bits / symbols);
}

/* ---- The parser ------------------------------------------------------------------------------ */

static OptimalParse *best_optimal_parse(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
        return optimal_parse_avx2;
#endif
    return optimal_parse_portable;
}

Parser *parser_make(const Pairs *pairs, const RunValues *values, const uint32_t *cost,
                    ParseEffort effort)
{
    Parser *parser = calloc(1, sizeof *parser);
    SymbolRunsTable *table = calloc(1, sizeof *table);
    bool done = parser != NULL && table != NULL;
    if (parser != NULL) parser->symbol_runs = table;
    if (done) {
        parser->pairs = pairs;
        parser->run_values = values;
        parser->values = pairs->values;
        for (unsigned v = 0; v < pairs->values; v++) parser->id[pairs->left[v]] = (uint8_t)v;
        done = symbol_runs_make(table, parser) && make_tree(parser, cost) && make_run_costs(parser);
    }
    if (done) {
        scale_run_costs(parser, cost);
        parser->limits = effort_limits[effort];
        parser->optimal_parse = best_optimal_parse();
        return parser;
    }
    if (parser == NULL) free(table); /* otherwise parser_free frees the table */
    parser_free(parser);
    return NULL;
}

void parser_free(Parser *parser)
{
    if (parser == NULL) return;
    if (parser->symbol_runs != NULL) free(parser->symbol_runs->run);
    free(parser->symbol_runs);
    free(parser->branch);
    free(parser->edge_length);
    free(parser->root);
    free(parser->run_cost);
    free(parser);
}

/* ---- Cutting ---------------------------------------------------------------------------------- */

ParseBuffer *parse_buffer_make(void) { return malloc(sizeof(ParseBuffer)); }
void parse_buffer_free(ParseBuffer *buffer) { free(buffer); }

size_t parse_stretch(const Parser *parser, ParseBuffer *buffer, Stretch stretch, uint16_t *tokens)
{
    return parser->optimal_parse(parser, buffer, stretch, tokens);
}

size_t parser_runs(const Parser *parser, const uint16_t *tokens, size_t count, Run *runs)
{
    size_t listed = 0;
    unsigned last = UINT_MAX;
    for (size_t t = 0; t < count; t++) {
        const SymbolRuns *symbol = &parser->symbol_runs->symbol[tokens[t]];
        for (uint32_t r = 0; r < symbol->count; r++) {
            const SymbolRun *run = parser->symbol_runs->run + symbol->first + r;
            if (run->id != last) listed++;
            if (runs != NULL && run->id != last)
                runs[listed - 1] = (Run){0, (uint8_t)parser->pairs->left[run->id]};
            if (runs != NULL) runs[listed - 1].length += run->length;
            last = run->id;
        }
    }
    return listed;
}
