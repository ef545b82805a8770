/* parse.c - see parse.h.
 *
 * The cheapest way to each cell is found from the front to the back (dynamic programming), in
 * windows that overlap. Four things make it fast.
 *
 * Cells are seen as runs. All symbols are one tree of runs: all but the last run of a symbol end
 * where the cells' runs do, so there are few ways on from each place.
 *
 * A run is a sequence of items, each of so many cells of the value as the largest power of two that
 * is a symbol: so pairs.c learned it. Symbols that end in the middle of a run are followed if they
 * end where an item does; others are as good as never missed.
 *
 * Where cells could be of this run or of the next, the run could end anywhere. How frequent runs of
 * each length are tells which ends are of use, and few of them are tried.
 *
 * A way is given up if there is one further on that costs little more. */
#include "gen/code/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gen/code/runs.h"
#include "gen/code/values.h"

enum {
    WINDOW = 1 << 13,
    MARGIN = 1 << 9, /* at the end of a window: what is found there is not final */
    NO_SYMBOL = 0xffff,
    NO_ID = 0xff, /* of no value */
    COST_MOST = 0x7fff,
    LAST = 0x8000,
    SHORT = 63, /* lengths of which a group has bits */
    CHAIN = 32, /* loose ends that are looked at together */
    WIDTH = RUNS_SHIFT + 1,
    AHEAD = 2 /* runs ahead in which there may be a better way */
};

/* How many ends of a run are tried at most, and how much more they may cost than the best; and what
 * a way may cost more than one further on: in bits / PARSE_BIT. By effort. */
typedef struct Limits {
    uint32_t ends, slack, behind;
} Limits;

static const Limits limits[] = {
    [PARSE_PLAIN] = {1, 0, 0},
    [PARSE_QUICK] = {2, 4 * PARSE_BIT, 0},
    [PARSE_MIDDLE] = {3, 4 * PARSE_BIT, 0},
    [PARSE_THOROUGH] = {WIDTH, 5 * PARSE_BIT, 4 * PARSE_BIT},
};

/* A way on in the tree of symbols: a run of some cells more. */
typedef struct Edge {
    uint64_t values; /* bits of the ids % 64 of values that longer symbols go on with */
    uint32_t groups; /* the first of those */
    uint16_t cost;   /* of the symbol that ends here; LAST: of its group */
    uint16_t symbol; /* or NO_SYMBOL */
} Edge;

/* Edges with the same value from one place, the shorter first. */
typedef struct Group {
    uint64_t lengths; /* bits 1 to 63: those that there are; bit 0: there are longer ones */
    uint32_t first;   /* edge */
    uint8_t id;       /* of the value */
    bool last;        /* from that place */
} Group;

/* A symbol as runs. */
typedef struct Shape {
    uint32_t first, count; /* of Shapes.run */
} Shape;

typedef struct ShapeRun {
    uint16_t length;
    uint8_t id;
} ShapeRun;

typedef struct Shapes {
    Shape shape[CODE_SYMBOLS_MAX];
    ShapeRun *run;
    size_t count, room;
} Shapes;

struct Parser {
    const Pairs *pairs;
    const RunValues *run_values;
    unsigned values;
    Shapes *shapes;
    uint8_t id[ENCODE_VALUES];       /* by value; what follows is by id */
    uint32_t lengths[ENCODE_VALUES]; /* the sum of those that items have */
    uint16_t longest[ENCODE_VALUES]; /* symbol of one value, in cells */
    uint16_t longest_symbol[ENCODE_VALUES];
    uint16_t (*run_cost)[2 * PAIRS_LONGEST]; /* about what a run costs, by its length */
    uint64_t (*parts)[SHORT + 1]; /* bits: how long the first items of a run are, by its length */
    Edge (*root)[PAIRS_LONGEST + 1]; /* where symbols begin, by the length of the first run */
    Edge *edge;                      /* all of them */
    uint16_t *edge_length;
    Group *group;
    Limits limits;
    uint32_t symbol_cost; /* on average */
};

/* ---- Symbols as runs ------------------------------------------------------------------------- */

static bool shapes_reserve(Shapes *shapes, size_t more)
{
    if (shapes->count + more <= shapes->room) return true;
    size_t room = 2 * shapes->room + more + 4096;
    ShapeRun *run = realloc(shapes->run, room * sizeof *run);
    if (run == NULL) return false;
    shapes->run = run;
    shapes->room = room;
    return true;
}

static void shapes_append(Shapes *shapes, Shape *to, ShapeRun run)
{
    ShapeRun *last = shapes->run + shapes->count - 1;
    if (to->count > 0 && last->id == run.id) {
        last->length = (uint16_t)(last->length + run.length);
        return;
    }
    shapes->run[shapes->count++] = run;
    to->count++;
}

static bool shapes_make(Shapes *shapes, const Parser *parser)
{
    const Pairs *pairs = parser->pairs;
    for (unsigned s = 0; s < pairs->count; s++) {
        Shape new = {(uint32_t)shapes->count, 0};
        if (!shapes_reserve(shapes, PAIRS_LONGEST)) return false;
        if (s < pairs->values) {
            shapes_append(shapes, &new, (ShapeRun){1, parser->id[pairs->left[s]]});
        } else {
            const uint16_t part[2] = {pairs->left[s], pairs->right[s]};
            for (int i = 0; i < 2; i++) {
                Shape from = shapes->shape[part[i]];
                for (uint32_t r = 0; r < from.count; r++)
                    shapes_append(shapes, &new, shapes->run[from.first + r]);
            }
        }
        shapes->shape[s] = new;
    }
    return true;
}

/* ---- Items ----------------------------------------------------------------------------------- */

/* log2 of the first item's length in a run of `length`. */
static inline uint32_t level_of(uint32_t lengths, uint32_t length)
{
    uint32_t all = (UINT32_C(2) << (31 - __builtin_clz(length))) - 1;
    return 31 - (uint32_t)__builtin_clz(lengths & all);
}

static void find_lengths(Parser *parser)
{
    for (unsigned s = 0; s < parser->pairs->count; s++) {
        Shape shape = parser->shapes->shape[s];
        ShapeRun run = parser->shapes->run[shape.first];
        if (shape.count > 1) continue;
        if ((run.length & (run.length - 1)) == 0) parser->lengths[run.id] |= run.length;
        if (run.length <= parser->longest[run.id]) continue;
        parser->longest[run.id] = run.length;
        parser->longest_symbol[run.id] = (uint16_t)s;
    }
}

/* Those of all items together are the run: it is not noted. */
static bool make_parts(Parser *parser)
{
    parser->parts = calloc(parser->values, sizeof *parser->parts);
    if (parser->parts == NULL) return false;
    for (unsigned v = 0; v < parser->values; v++)
        for (uint32_t length = 1; length <= SHORT; length++)
            for (uint32_t at = 0; at < length;) {
                at += UINT32_C(1) << level_of(parser->lengths[v], length - at);
                if (at < length) parser->parts[v][length] |= UINT64_C(1) << at;
            }
    return true;
}

/* ---- The tree -------------------------------------------------------------------------------- */

/* While the tree is made: an edge and where it comes from. */
typedef struct Draft {
    uint32_t key; /* node << 8 | id */
    uint32_t length;
    uint32_t node; /* where longer symbols go on; 0: there are none */
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
    uint64_t x = ((uint64_t)a << 16 | b) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32);
}

/* Room for all edges is there. */
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

static void tree_insert(Tree *tree, const ShapeRun *run, uint32_t count, uint16_t symbol,
                        const uint32_t *cost)
{
    uint32_t node = 0;
    Draft *d = NULL;
    for (uint32_t r = 0; r < count; r++) {
        d = tree_edge(tree, node << 8 | run[r].id, run[r].length);
        if (r + 1 < count && d->node == 0) d->node = tree->nodes++;
        node = d->node;
    }
    /* Two symbols may look the same. */
    if (d->symbol == NO_SYMBOL || cost[d->symbol] > cost[symbol]) d->symbol = symbol;
}

/* Nodes one behind the other; of a node, values as their bits stand in Edge.values. */
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

static bool tree_make(Tree *tree, const Shapes *shapes, unsigned symbols, const uint32_t *cost)
{
    tree->nodes = 1;
    tree->count = 0;
    tree->mask = 1;
    while (tree->mask < 2 * shapes->count) tree->mask *= 2;
    tree->mask -= 1;
    tree->draft = malloc((shapes->count + 1) * sizeof *tree->draft);
    tree->slot = malloc(((size_t)tree->mask + 1) * sizeof *tree->slot);
    if (tree->draft == NULL || tree->slot == NULL) return false;
    memset(tree->slot, 0xff, ((size_t)tree->mask + 1) * sizeof *tree->slot);
    for (unsigned s = 0; s < symbols; s++) {
        Shape shape = shapes->shape[s];
        tree_insert(tree, shapes->run + shape.first, shape.count, (uint16_t)s, cost);
    }
    qsort(tree->draft, tree->count, sizeof *tree->draft, by_key);
    return true;
}

/* Processors without an instruction for it are served. */
static inline unsigned count_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Where symbols go on with a value. NULL: there are none. */
static inline const Group *find_group(const Parser *parser, const Edge *edge, unsigned id)
{
    uint64_t bit = UINT64_C(1) << id % 64;
    if (!(edge->values & bit)) return NULL;
    const Group *group = parser->group + edge->groups + count_bits(edge->values & (bit - 1));
    for (; group->id != id; group++)
        if (group->last) return NULL;
    return group;
}

/* Where the groups of a node are. */
typedef struct Place {
    uint64_t values;
    uint32_t groups;
} Place;

/* Drafts of a group become edges. Returns how many there are. */
static uint32_t put_group(Parser *parser, const Tree *tree, uint32_t first, Group *group,
                          const uint32_t *cost)
{
    uint32_t key = tree->draft[first].key, i = first;
    *group = (Group){.first = first, .id = (uint8_t)key, .last = true};
    for (; i < tree->count && tree->draft[i].key == key; i++) {
        const Draft *d = &tree->draft[i];
        uint32_t own = d->symbol != NO_SYMBOL ? cost[d->symbol] : 0;
        group->lengths |= d->length <= SHORT ? UINT64_C(1) << d->length : 1;
        parser->edge_length[i] = (uint16_t)d->length;
        parser->edge[i] =
            (Edge){.cost = (uint16_t)(own < COST_MOST ? own : COST_MOST), .symbol = d->symbol};
    }
    parser->edge[i - 1].cost |= LAST;
    return i - first;
}

static void put_groups(Parser *parser, const Tree *tree, Place *place, const uint32_t *cost)
{
    uint32_t groups = 0, count;
    for (uint32_t i = 0; i < tree->count; i += count, groups++) {
        Group *group = &parser->group[groups];
        Place *at = &place[tree->draft[i].key >> 8];
        count = put_group(parser, tree, i, group, cost);
        if (at->values == 0)
            at->groups = groups;
        else
            group[-1].last = false;
        at->values |= UINT64_C(1) << group->id % 64;
    }
}

static void link_edges(Parser *parser, const Tree *tree, const Place *place)
{
    for (unsigned v = 0; v < parser->values; v++)
        for (unsigned l = 0; l <= PAIRS_LONGEST; l++)
            parser->root[v][l] = (Edge){.cost = COST_MOST, .symbol = NO_SYMBOL};
    for (uint32_t i = 0; i < tree->count; i++) {
        const Draft *d = &tree->draft[i];
        Edge *edge = &parser->edge[i];
        if (d->node != 0) {
            edge->values = place[d->node].values;
            edge->groups = place[d->node].groups;
        }
        if (d->key >> 8 == 0) parser->root[d->key][d->length] = *edge;
    }
}

static bool make_groups(Parser *parser, const Tree *tree, const uint32_t *cost)
{
    Place *place = calloc(tree->nodes, sizeof *place);
    parser->group = malloc(tree->count * sizeof *parser->group);
    parser->edge = malloc(tree->count * sizeof *parser->edge);
    parser->edge_length = malloc(tree->count * sizeof *parser->edge_length);
    parser->root = malloc(parser->values * sizeof *parser->root);
    bool done = place != NULL && parser->group != NULL && parser->edge != NULL &&
                parser->edge_length != NULL && parser->root != NULL;
    if (done) {
        put_groups(parser, tree, place, cost);
        link_edges(parser, tree, place);
    }
    free(place);
    return done;
}

static bool make_tree(Parser *parser, const uint32_t *cost)
{
    Tree tree = {0};
    find_lengths(parser);
    bool done = tree_make(&tree, parser->shapes, parser->pairs->count, cost) &&
                make_groups(parser, &tree, cost) && make_parts(parser);
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

/* How often a run was there, times 2^16, as if some more had been seen, most of them short ones and
 * those of few items. */
static uint64_t times_of(const uint32_t *runs, unsigned length)
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
        for (unsigned l = 1; l < 2 * PAIRS_LONGEST; l++) all += times_of(runs, l);
        for (unsigned l = 1; l < 2 * PAIRS_LONGEST; l++)
            parser->run_cost[v][l] = (uint16_t)(parse_log(all) - parse_log(times_of(runs, l)));
        parser->run_cost[v][0] = UINT16_MAX;
    }
    return true;
}

/* Runs within a symbol cost less than one by one. */
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

static inline uint32_t run_cost(const Parser *parser, unsigned id, uint32_t length)
{
    uint32_t l = length < 2 * PAIRS_LONGEST ? length : PAIRS_LONGEST | length % PAIRS_LONGEST;
    return parser->run_cost[id][l];
}

/* ---- The parser ------------------------------------------------------------------------------ */

Parser *parser_make(const Pairs *pairs, const RunValues *values, const uint32_t *cost,
                    ParseEffort effort)
{
    Parser *parser = calloc(1, sizeof *parser);
    Shapes *shapes = calloc(1, sizeof *shapes);
    bool done = parser != NULL && shapes != NULL;
    if (parser != NULL) parser->shapes = shapes;
    if (done) {
        parser->pairs = pairs;
        parser->run_values = values;
        parser->values = pairs->values;
        for (unsigned v = 0; v < pairs->values; v++) parser->id[pairs->left[v]] = (uint8_t)v;
        done = shapes_make(shapes, parser) && make_tree(parser, cost) && make_run_costs(parser);
    }
    if (done) {
        scale_run_costs(parser, cost);
        parser->limits = limits[effort];
        return parser;
    }
    if (parser == NULL) free(shapes); /* else they are its own */
    parser_free(parser);
    return NULL;
}

void parser_free(Parser *parser)
{
    if (parser == NULL) return;
    if (parser->shapes != NULL) free(parser->shapes->run);
    free(parser->shapes);
    free(parser->edge);
    free(parser->edge_length);
    free(parser->group);
    free(parser->root);
    free(parser->parts);
    free(parser->run_cost);
    free(parser);
}

/* ---- The ends of runs ------------------------------------------------------------------------ */

/* A run, and where it may end: bits of the cells from `least` on; `end` is the best of them, and
 * `most` the last. */
typedef struct Segment {
    uint16_t least, end, most;
    uint16_t ends;
    uint8_t id;
} Segment;

struct ParseRoom {
    uint64_t way[WINDOW + 1];        /* to a cell: cost << 32 | the last symbol */
    uint64_t found[WINDOW / 64 + 1]; /* bits of cells that there is a way to */
    LooseRun loose[WINDOW];
    Segment run[WINDOW + AHEAD];
    uint32_t hope[WINDOW + AHEAD];  /* about what it costs to come to the end of a run */
    uint32_t front[WINDOW + AHEAD]; /* what it costs */
    uint32_t runs;
    uint16_t token[WINDOW]; /* the last first */
};

ParseRoom *parse_room_make(void) { return malloc(sizeof(ParseRoom)); }
void parse_room_free(ParseRoom *room) { free(room); }

/* Loose ends one behind the other, between two that are not. What the runs cost up to each end, and
 * from there on. */
typedef struct Chain {
    uint32_t before[CHAIN + 1][WIDTH], behind[CHAIN + 1][WIDTH];
} Chain;

static uint32_t width_of(const LooseRun *run) { return run->most - run->least + 1; }

static void cost_before(const Parser *parser, const LooseRun *run, const uint32_t *from,
                        uint32_t *to)
{
    uint32_t width = width_of(run), width_before = width_of(run - 1);
    const uint32_t gap = run->least - run[-1].least;
    for (uint32_t i = 0; i < width; i++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t j = 0; j < width_before; j++) {
            uint32_t cost = from[j] + run_cost(parser, run->value, gap + i - j);
            if (cost < best) best = cost;
        }
        to[i] = best;
    }
}

static void cost_behind(const Parser *parser, const LooseRun *run, const uint32_t *from,
                        uint32_t *to)
{
    uint32_t width = width_of(run), width_before = width_of(run - 1);
    const uint32_t gap = run->least - run[-1].least;
    for (uint32_t j = 0; j < width_before; j++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < width; i++) {
            uint32_t cost = from[i] + run_cost(parser, run->value, gap + i - j);
            if (cost < best) best = cost;
        }
        to[j] = best;
    }
}

static void set_ends(Segment *out, uint32_t least, uint32_t best, uint32_t picked)
{
    out->least = (uint16_t)least;
    out->end = (uint16_t)(least + best);
    out->most = (uint16_t)(least + 31 - (uint32_t)__builtin_clz(picked));
    out->ends = (uint16_t)picked;
}

/* The ends that cost least, and what it costs to come to the best one. */
static uint32_t pick_ends(const Parser *parser, const LooseRun *run, const uint32_t *before,
                          const uint32_t *behind, Segment *out)
{
    uint32_t width = width_of(run), best = 0, cost[WIDTH];
    for (uint32_t i = 0; i < width; i++) {
        cost[i] = before[i] + behind[i];
        if (cost[i] < cost[best]) best = i;
    }
    uint32_t picked, count;
    for (uint32_t slack = parser->limits.slack;; slack /= 2) {
        picked = count = 0;
        for (uint32_t i = 0; i < width; i++) {
            uint32_t take = cost[i] <= cost[best] + slack;
            picked |= take << i;
            count += take;
        }
        if (count <= parser->limits.ends || slack == 0) break;
    }
    set_ends(out, run->least, best, picked);
    return before[best];
}

/* Chooses ends from run `first` on, which begins where it is known to begin, until there is an end
 * that is not loose. Returns the run behind that. */
static uint32_t choose_chain(const Parser *parser, ParseRoom *room, uint32_t first, uint32_t start,
                             uint32_t hope)
{
    Chain chain;
    const LooseRun *run = room->loose + first;
    uint32_t count = 0;
    for (uint32_t i = 0; i < width_of(run); i++)
        chain.before[0][i] = hope + run_cost(parser, run->value, run->least + i - start);
    while (run[count].least != run[count].most && count + 1 < CHAIN) {
        count++;
        cost_before(parser, run + count, chain.before[count - 1], chain.before[count]);
    }
    memset(chain.behind[count], 0, sizeof chain.behind[count]);
    for (uint32_t c = count + 1; c-- > 0;) {
        room->hope[first + c] =
            pick_ends(parser, run + c, chain.before[c], chain.behind[c], &room->run[first + c]);
        if (c > 0) cost_behind(parser, run + c, chain.behind[c], chain.behind[c - 1]);
    }
    /* So long a chain is cut in two. */
    Segment *last = &room->run[first + count];
    set_ends(last, last->end, 0, 1);
    return first + count + 1;
}

static void choose_ends(const Parser *parser, ParseRoom *room)
{
    uint32_t start = 0, hope = 0;
    for (uint32_t r = 0; r < room->runs;) {
        const LooseRun *run = &room->loose[r];
        if (run->least == run->most) {
            hope += run_cost(parser, run->value, run->most - start);
            set_ends(&room->run[r], run->most, 0, 1);
            room->hope[r++] = hope;
        } else {
            r = choose_chain(parser, room, r, start, hope);
            hope = room->hope[r - 1];
        }
        start = room->run[r - 1].end;
    }
}

static void list_runs(const Parser *parser, ParseRoom *room, const uint8_t *cells, uint32_t size)
{
    room->runs = (uint32_t)runs_list(cells, size, parser->run_values, room->loose);
    for (uint32_t r = 0; r < room->runs; r++)
        room->run[r].id = room->loose[r].value = parser->id[room->loose[r].value];
    choose_ends(parser, room);
    for (uint32_t r = 0; r < room->runs + AHEAD; r++) room->front[r] = INT32_MAX / 2;
    memset(room->hope + room->runs, 0, AHEAD * sizeof *room->hope);
    room->run[room->runs] = (Segment){.id = NO_ID};
}

/* ---- Ways ------------------------------------------------------------------------------------ */

static void put_way(ParseRoom *room, uint32_t at, uint32_t cost, uint16_t symbol)
{
    uint64_t way = (uint64_t)cost << 32 | symbol;
    room->found[at / 64] |= UINT64_C(1) << at % 64;
    if (way < room->way[at]) room->way[at] = way;
}

static void follow(const Parser *parser, ParseRoom *room, uint32_t r, uint32_t at,
                   const Group *group, uint32_t cost);

/* An edge that comes to a cell of run `r`, and what is behind it if the run may end there. */
static inline void take_edge(const Parser *parser, ParseRoom *room, uint32_t r, uint32_t at,
                             const Edge *edge, bool is_end, uint32_t cost)
{
    if (edge->symbol != NO_SYMBOL) {
        uint32_t now = cost + (edge->cost & COST_MOST);
        put_way(room, at, now, edge->symbol);
        if (is_end && now < room->front[r]) room->front[r] = now;
    }
    if (!is_end || edge->values == 0) return;
    const Group *next = find_group(parser, edge, room->run[r + 1].id);
    if (next != NULL) follow(parser, room, r + 1, at, next, cost);
}

/* Whether the first items of a run have a length. */
static bool is_part(uint32_t lengths, uint32_t length, uint32_t part)
{
    uint32_t at = 0;
    while (at < part) at += UINT32_C(1) << level_of(lengths, length - at);
    return at == part;
}

static bool ends_at(const Segment *run, uint32_t at)
{
    return at >= run->least && at <= run->most && (run->ends >> (at - run->least) & 1);
}

static void follow_long(const Parser *parser, ParseRoom *room, uint32_t r, uint32_t at,
                        const Group *group, uint32_t cost)
{
    const Segment *run = &room->run[r];
    for (uint32_t e = group->first;; e++) {
        const Edge *edge = &parser->edge[e];
        uint32_t to = at + parser->edge_length[e];
        if (to > run->most) break;
        if (ends_at(run, to))
            take_edge(parser, room, r, to, edge, true, cost);
        else if (to < run->end && is_part(parser->lengths[run->id], run->end - at, to - at))
            take_edge(parser, room, r, to, edge, false, cost);
        if (edge->cost & LAST) break;
    }
}

/* Finds where symbols end that have come to run `r`, which begins at `at`. */
static void follow(const Parser *parser, ParseRoom *room, uint32_t r, uint32_t at,
                   const Group *group, uint32_t cost)
{
    const Segment *run = &room->run[r];
    if (run->most - at > SHORT) {
        follow_long(parser, room, r, at, group, cost);
        return;
    }
    uint64_t ends = (uint64_t)run->ends << (run->least - at);
    uint64_t take = group->lengths & (ends | parser->parts[run->id][run->end - at]);
    for (; take != 0; take &= take - 1) {
        unsigned length = (unsigned)__builtin_ctzll(take);
        uint64_t shorter = group->lengths & ((UINT64_C(1) << length) - 2);
        const Edge *edge = parser->edge + group->first + count_bits(shorter);
        take_edge(parser, room, r, at + length, edge, ends >> length & 1, cost);
    }
}

/* Whether it is of use to end a symbol of one value where `left` cells of its run follow: others
 * must begin there that go on into the next run. */
static bool is_useful(const Segment *run, const Edge *root, uint32_t left)
{
    return left > PAIRS_LONGEST || (root[left].values >> run[1].id % 64 & 1);
}

/* The same for symbols that begin in run `r`. */
static void begin(const Parser *parser, ParseRoom *room, uint32_t r, uint32_t at, uint32_t cost)
{
    const Segment *run = &room->run[r];
    const Edge *root = parser->root[run->id];
    uint32_t lengths = parser->lengths[run->id], all = run->end - at;
    bool needed = all > PAIRS_LONGEST || root[all].symbol == NO_SYMBOL;
    for (uint32_t to = at; to < run->end;) {
        to += UINT32_C(1) << level_of(lengths, run->end - to);
        if (to >= run->end || to - at > PAIRS_LONGEST) break;
        const Edge *edge = &root[to - at];
        if (edge->symbol != NO_SYMBOL && (needed || is_useful(run, root, run->end - to)))
            put_way(room, to, cost + (edge->cost & COST_MOST), edge->symbol);
    }
    for (uint32_t ends = run->ends; ends != 0; ends &= ends - 1) {
        uint32_t to = run->least + (uint32_t)__builtin_ctz(ends);
        if (to > at && to - at <= PAIRS_LONGEST)
            take_edge(parser, room, r, to, &root[to - at], true, cost);
    }
}

/* Whether there is a better way further on, in run `r` or behind it. `hope`: about what it costs to
 * come here. To be ahead is worth what those cells cost, but not more than a symbol: the next one
 * may go as far. */
static bool is_behind(const Parser *parser, const ParseRoom *room, uint32_t r, uint32_t hope,
                      uint32_t cost)
{
    int32_t best = INT32_MAX, most = (int32_t)parser->symbol_cost;
    for (unsigned i = 0; i < AHEAD; i++) {
        int32_t ahead = (int32_t)(room->hope[r + i] - hope);
        int32_t worth = (int32_t)room->front[r + i] - (ahead < most ? ahead : most);
        if (worth < best) best = worth;
    }
    return (int32_t)cost > best + (int32_t)parser->limits.behind;
}

/* Goes on from a cell of run `r` that there is a way to. */
static void go_on(const Parser *parser, ParseRoom *room, uint32_t r, uint32_t at)
{
    const Segment *run = &room->run[r];
    uint32_t cost = (uint32_t)(room->way[at] >> 32), hope = room->hope[r];
    if (at >= run->least) { /* the next run may have begun */
        if (is_behind(parser, room, r + 1, hope, cost)) return;
        begin(parser, room, r + 1, at, cost);
    } else {
        if (r > 0 && run[-1].most == at)
            hope = room->hope[r - 1];
        else
            hope -= run_cost(parser, run->id, run->end - at) / 2;
        if (is_behind(parser, room, r, hope, cost)) return;
    }
    begin(parser, room, r, at, cost);
}

static void find_ways(const Parser *parser, ParseRoom *room, uint32_t size)
{
    uint32_t r = 0;
    memset(room->way, 0xff, (size + 1) * sizeof *room->way);
    memset(room->found, 0, sizeof room->found);
    room->way[0] = 0;
    room->found[0] = 1;
    for (uint32_t w = 0; w <= size / 64; w++)
        for (; room->found[w] != 0; room->found[w] &= room->found[w] - 1) {
            uint32_t at = 64 * w + (uint32_t)__builtin_ctzll(room->found[w]);
            if (at == size) return;
            while (room->run[r].most <= at) r++;
            go_on(parser, room, r, at);
        }
}

/* Lists the symbols of the way to the end, the last first. */
static uint32_t trace(const Parser *parser, ParseRoom *room, uint32_t size)
{
    uint32_t count = 0;
    for (uint32_t at = size; at > 0;) {
        uint16_t symbol = (uint16_t)room->way[at];
        room->token[count++] = symbol;
        at -= parser->pairs->length[symbol];
    }
    return count;
}

/* The symbols from `at` on, as far as they are final: *taken cells. */
static size_t parse_window(const Parser *parser, ParseRoom *room, Stretch stretch, size_t at,
                           uint16_t *tokens, size_t *taken)
{
    const uint8_t *cells = stretch.cells + at;
    size_t left = stretch.size - at, size = left < WINDOW ? left : WINDOW;
    size_t final = size == left ? size : size - MARGIN, done = 0, count = 0;
    list_runs(parser, room, cells, (uint32_t)size);
    find_ways(parser, room, (uint32_t)size);
    uint32_t listed = trace(parser, room, (uint32_t)size);
    while (listed > 0 && done < final) {
        tokens[count] = room->token[--listed];
        done += parser->pairs->length[tokens[count++]];
    }
    *taken = done;
    return count;
}

/* A run that fills more than a window. */
static size_t skip_run(const Parser *parser, Stretch stretch, size_t at, uint16_t *tokens,
                       size_t *taken)
{
    uint8_t value;
    size_t end = runs_end(stretch.cells, at, stretch.size, parser->run_values, &value);
    *taken = 0;
    if (end - at <= WINDOW) return 0;
    unsigned id = parser->id[value];
    size_t count = (end - at - MARGIN) / parser->longest[id];
    for (size_t i = 0; i < count; i++) tokens[i] = parser->longest_symbol[id];
    *taken = count * parser->longest[id];
    return count;
}

size_t parse_stretch(const Parser *parser, ParseRoom *room, Stretch stretch, uint16_t *tokens)
{
    size_t count = 0, taken;
    for (size_t at = 0; at < stretch.size; at += taken) {
        count += skip_run(parser, stretch, at, tokens + count, &taken);
        at += taken;
        count += parse_window(parser, room, stretch, at, tokens + count, &taken);
    }
    return count;
}

size_t parser_runs(const Parser *parser, const uint16_t *tokens, size_t count, Run *runs)
{
    size_t listed = 0;
    unsigned last = UINT_MAX;
    for (size_t t = 0; t < count; t++) {
        const Shape *shape = &parser->shapes->shape[tokens[t]];
        for (uint32_t r = 0; r < shape->count; r++) {
            const ShapeRun *run = parser->shapes->run + shape->first + r;
            if (run->id != last) listed++;
            if (runs != NULL && run->id != last)
                runs[listed - 1] = (Run){0, (uint8_t)parser->pairs->left[run->id]};
            if (runs != NULL) runs[listed - 1].length += run->length;
            last = run->id;
        }
    }
    return listed;
}
