/* parse.c - see parse.h.
 *
 * The cheapest way to each cell is found from the front to the back (dynamic programming), in
 * windows that overlap. What makes it fast is that cells are seen as runs. A symbol that goes over
 * the end of a run must have there what is in the cells: its first part ends where the run ends. So
 * there are few places in a run where such a symbol can begin, and few where the one before can
 * have ended, however long the run is; the cheapest way between is known beforehand, by their
 * distance. */
#include "gen/code/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gen/code/runs.h"
#include "gen/code/values.h"

enum {
    WINDOW = 1 << 15,
    MARGIN = 1 << 10, /* at the end of a window: what is found there is not final */
    FILL_TABLE = 2 * PAIRS_LONGEST,
    NEAR = 2 * PAIRS_LONGEST,
    SLACK = PARSE_BIT,
    BEHIND =
        4 * PARSE_BIT, /* what costs so much more than another way is not followed, and so many */
    BEHIND_CELLS = 4,  /* cells, at what they mostly cost: where they cost much symbols save much */
    NO_SYMBOL = 0xffff,
    FILLED = 0x8000, /* with a value's number, as a symbol: any of that value alone */
    NO_COST = INT32_MAX
};

/* A way on in the tree of symbols: a run of `length` cells more. */
typedef struct Edge {
    uint32_t cost;   /* of the symbol that ends here */
    uint32_t node;   /* where longer ones go on; 0: there are none */
    uint32_t groups; /* the first of that node */
    uint16_t length; /* of the run */
    uint16_t symbol; /* or NO_SYMBOL */
} Edge;

/* Edges with the same value from one node, the shorter first. */
typedef struct Group {
    uint32_t key; /* node << 8 | value */
    uint32_t first, count;
    uint32_t cheapest; /* of the symbols that go this way */
} Group;

/* Symbols that begin with `length` cells of one value, and go on with a certain other value. */
typedef struct Start {
    uint32_t group;
    uint32_t cheapest; /* of them */
    uint32_t length;
} Start;

/* The cheapest symbols for `distance` cells of one value. */
typedef struct Fill {
    uint32_t cost[FILL_TABLE];
    uint16_t symbol[FILL_TABLE]; /* the first of them */
    uint16_t longest;            /* symbol, in cells */
    uint16_t longest_symbol;
} Fill;

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
    uint32_t behind;
    Shapes *shapes;
    uint8_t id[ENCODE_VALUES]; /* by value */
    Edge *edge;
    size_t edges;
    Group *group;
    size_t groups;
    uint32_t *slot; /* a hash table of groups */
    uint32_t slot_mask;
    Start *start;
    uint32_t *start_first; /* by id and next id; the end is where those of the next begin */
    Fill *fill;            /* by id */
};

/* ---- The tree -------------------------------------------------------------------------------- */

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

/* While the tree is made: an edge and where it comes from. */
typedef struct Draft {
    uint32_t key; /* node << 8 | id */
    Edge edge;
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
        if (d->key == key && d->edge.length == length) return d;
    }
    tree->slot[at] = tree->count;
    Draft *new = &tree->draft[tree->count++];
    *new = (Draft){key, {.cost = 0, .node = 0, .length = length, .symbol = NO_SYMBOL}};
    return new;
}

static void tree_insert(Tree *tree, const ShapeRun *run, uint32_t count, uint16_t symbol,
                        const uint32_t *cost)
{
    uint32_t node = 0;
    Draft *d = NULL;
    for (uint32_t r = 0; r < count; r++) {
        d = tree_edge(tree, node << 8 | run[r].id, run[r].length);
        if (r + 1 < count && d->edge.node == 0) d->edge.node = tree->nodes++;
        node = d->edge.node;
    }
    /* Two symbols may look the same. */
    if (d->edge.symbol != NO_SYMBOL && cost[d->edge.symbol] <= cost[symbol]) return;
    d->edge.symbol = symbol;
    d->edge.cost = cost[symbol];
}

static int by_key(const void *a, const void *b)
{
    const Draft *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (int)x->edge.length - (int)y->edge.length;
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

/* ---- The parser ------------------------------------------------------------------------------ */

static const Group *find_group(const Parser *parser, uint32_t node, unsigned id)
{
    uint32_t key = node << 8 | id;
    for (uint32_t at = hash(key, 0) & parser->slot_mask;; at = (at + 1) & parser->slot_mask) {
        uint32_t g = parser->slot[at];
        if (g == UINT32_MAX) return NULL;
        if (parser->group[g].key == key) return &parser->group[g];
    }
}

/* The same for what an edge leads to: groups of a node stand one behind the other. */
static const Group *next_group(const Parser *parser, const Edge *edge, unsigned id)
{
    uint32_t key = edge->node << 8 | id;
    const Group *group = parser->group + edge->groups;
    while (group->key < key) group++;
    return group->key == key ? group : NULL;
}

/* Children have higher numbers than their node: groups are sorted by them. */
static void link_groups(Parser *parser)
{
    for (size_t g = parser->groups; g-- > 0;) {
        Group *group = &parser->group[g];
        group->cheapest = NO_COST;
        for (uint32_t e = group->first; e < group->first + group->count; e++) {
            Edge *edge = &parser->edge[e];
            if (edge->symbol != NO_SYMBOL && edge->cost < group->cheapest)
                group->cheapest = edge->cost;
            if (edge->node == 0) continue;
            size_t next = g + 1;
            for (size_t end = parser->groups; next < end;) {
                size_t middle = next + (end - next) / 2;
                if (parser->group[middle].key < edge->node << 8)
                    next = middle + 1;
                else
                    end = middle;
            }
            edge->groups = (uint32_t)next;
            for (; parser->group[next].key >> 8 == edge->node; next++)
                if (parser->group[next].cheapest < group->cheapest)
                    group->cheapest = parser->group[next].cheapest;
        }
    }
}

static bool make_groups(Parser *parser, const Tree *tree)
{
    parser->edge = malloc(tree->count * sizeof *parser->edge);
    parser->group = malloc((tree->count + 1) * sizeof *parser->group);
    parser->slot_mask = tree->mask;
    parser->slot = malloc(((size_t)tree->mask + 1) * sizeof *parser->slot);
    if (parser->edge == NULL || parser->group == NULL || parser->slot == NULL) return false;
    memset(parser->slot, 0xff, ((size_t)tree->mask + 1) * sizeof *parser->slot);
    for (uint32_t i = 0; i < tree->count; i++) {
        const Draft *d = &tree->draft[i];
        parser->edge[i] = d->edge;
        if (i > 0 && tree->draft[i - 1].key == d->key) {
            parser->group[parser->groups - 1].count++;
            continue;
        }
        uint32_t at = hash(d->key, 0) & parser->slot_mask;
        while (parser->slot[at] != UINT32_MAX) at = (at + 1) & parser->slot_mask;
        parser->slot[at] = (uint32_t)parser->groups;
        parser->group[parser->groups++] = (Group){d->key, i, 1, 0};
    }
    parser->group[parser->groups] = (Group){UINT32_MAX, 0, 0, 0};
    link_groups(parser);
    parser->edges = tree->count;
    return true;
}

/* Where symbols can leave a run of one value for one of another. */
static bool make_starts(Parser *parser)
{
    size_t cells = (size_t)parser->values * parser->values, count = 0;
    parser->start_first = calloc(cells + 1, sizeof *parser->start_first);
    parser->start = malloc(parser->groups * sizeof *parser->start);
    if (parser->start_first == NULL || parser->start == NULL) return false;
    for (unsigned v = 0; v < parser->values; v++) {
        const Group *from = find_group(parser, 0, v);
        for (unsigned to = 0; to < parser->values; to++) {
            parser->start_first[v * parser->values + to] = (uint32_t)count;
            for (uint32_t e = from->first; e < from->first + from->count; e++) {
                if (parser->edge[e].node == 0) continue;
                const Group *g = next_group(parser, &parser->edge[e], to);
                if (g == NULL) continue;
                parser->start[count++] =
                    (Start){(uint32_t)(g - parser->group), g->cheapest, parser->edge[e].length};
            }
        }
    }
    parser->start_first[cells] = (uint32_t)count;
    return true;
}

static void make_fill(Fill *fill, const Edge *edge, uint32_t count)
{
    fill->cost[0] = 0;
    fill->symbol[0] = NO_SYMBOL;
    for (unsigned d = 1; d < FILL_TABLE; d++) {
        fill->cost[d] = NO_COST;
        for (uint32_t e = count; e-- > 0;) {
            if (edge[e].symbol == NO_SYMBOL || edge[e].length > d) continue;
            uint32_t cost = edge[e].cost + fill->cost[d - edge[e].length];
            if (cost >= fill->cost[d]) continue;
            fill->cost[d] = cost;
            fill->symbol[d] = edge[e].symbol;
        }
    }
    for (uint32_t e = 0; e < count; e++) {
        if (edge[e].symbol == NO_SYMBOL) continue;
        fill->longest = edge[e].length;
        fill->longest_symbol = edge[e].symbol;
    }
}

static bool make_fills(Parser *parser)
{
    parser->fill = malloc(parser->values * sizeof *parser->fill);
    if (parser->fill == NULL) return false;
    for (unsigned v = 0; v < parser->values; v++) {
        const Group *g = find_group(parser, 0, v);
        make_fill(&parser->fill[v], parser->edge + g->first, g->count);
    }
    return true;
}

static uint32_t cost_of_cell(const Pairs *pairs, const uint32_t *cost)
{
    uint64_t all = 0, cells = 1;
    for (unsigned s = 0; s < pairs->count; s++) {
        all += pairs->used[s] * cost[s];
        cells += pairs->used[s] * pairs->length[s];
    }
    return (uint32_t)(all / cells);
}

Parser *parser_make(const Pairs *pairs, const RunValues *values, const uint32_t *cost)
{
    Parser *parser = calloc(1, sizeof *parser);
    Shapes *shapes = calloc(1, sizeof *shapes);
    Tree tree = {0};
    bool done = parser != NULL && shapes != NULL;
    if (parser != NULL) parser->shapes = shapes;
    if (done) {
        parser->pairs = pairs;
        parser->run_values = values;
        parser->values = pairs->values;
        parser->behind = BEHIND + BEHIND_CELLS * cost_of_cell(pairs, cost);
        for (unsigned v = 0; v < pairs->values; v++) parser->id[pairs->left[v]] = (uint8_t)v;
        done = shapes_make(shapes, parser) && tree_make(&tree, shapes, pairs->count, cost) &&
               make_groups(parser, &tree) && make_starts(parser) && make_fills(parser);
    }
    free(tree.draft);
    free(tree.slot);
    if (done) return parser;
    if (parser == NULL) free(shapes);
    parser_free(parser);
    return NULL;
}

void parser_free(Parser *parser)
{
    if (parser == NULL) return;
    if (parser->shapes != NULL) free(parser->shapes->run);
    free(parser->shapes);
    free(parser->edge);
    free(parser->group);
    free(parser->slot);
    free(parser->start);
    free(parser->start_first);
    free(parser->fill);
    free(parser);
}

/* ---- A window -------------------------------------------------------------------------------- */

/* The cheapest way to a cell. */
typedef struct State {
    uint32_t cost;
    uint16_t symbol; /* the last one; or FILLED */
    uint16_t gap;    /* FILLED: how many cells */
} State;

/* Where symbols that came into a run have ended, if a way from there may be the cheapest. */
typedef struct Entry {
    uint32_t at, cost;
} Entry;

struct ParseRoom {
    State state[WINDOW + 1];
    LooseRun run[WINDOW];
    uint32_t runs;
    uint64_t reached[NEAR]; /* by place: for which run and cell the way was found last */
    Entry entry[PAIRS_LONGEST + RUNS_SHIFT + 1];
    uint32_t entries;
    uint16_t token[WINDOW]; /* the last first */
};

ParseRoom *parse_room_make(void) { return malloc(sizeof(ParseRoom)); }
void parse_room_free(ParseRoom *room) { free(room); }

/* Only the ends of a run can be reached other than by filling. */
static void clear_states(ParseRoom *room, uint32_t from, uint32_t to)
{
    enum { END = PAIRS_LONGEST + RUNS_SHIFT };
    if (to - from > 2 * END) {
        clear_states(room, from, from + END);
        clear_states(room, to - END, to);
        return;
    }
    for (uint32_t i = from; i < to; i++) room->state[i].cost = NO_COST;
}

static void list_runs(const Parser *parser, ParseRoom *room, const uint8_t *cells, uint32_t size)
{
    uint32_t from = 0;
    memset(room->reached, 0, sizeof room->reached);
    room->runs = (uint32_t)runs_list(cells, size, parser->run_values, room->run);
    for (uint32_t r = 0; r < room->runs; r++) {
        LooseRun *run = &room->run[r];
        run->value = parser->id[run->value];
        clear_states(room, from, run->most);
        from = run->most;
    }
    room->state[size].cost = NO_COST;
    room->state[0] = (State){0, NO_SYMBOL, 0};
}

static uint32_t fill_cost(const Fill *fill, uint32_t distance)
{
    if (distance < FILL_TABLE) return fill->cost[distance];
    uint32_t times = (distance - PAIRS_LONGEST) / fill->longest;
    return times * fill->cost[fill->longest] + fill->cost[distance - times * fill->longest];
}

static void list_entries(ParseRoom *room, const Fill *fill, uint32_t from, uint32_t to)
{
    room->entries = 0;
    for (uint32_t at = from; at < to; at++) {
        uint32_t cost = room->state[at].cost, e = 0;
        if (cost == NO_COST) continue;
        while (e < room->entries && room->entry[e].cost + fill->cost[at - room->entry[e].at] > cost)
            e++;
        if (e < room->entries) continue;
        /* Those before it that cost more can be of use only where lengths fit much better. */
        uint32_t kept = 0;
        for (e = 0; e < room->entries; e++)
            if (room->entry[e].cost < cost + SLACK) room->entry[kept++] = room->entry[e];
        room->entry[kept++] = (Entry){at, cost};
        room->entries = kept;
    }
}

/* The cheapest way to a cell of the run whose entries are listed. NO_COST: there is none. */
static uint32_t reach(ParseRoom *room, const Fill *fill, uint32_t r, uint32_t at)
{
    unsigned id = room->run[r].value;
    State *state = &room->state[at];
    uint64_t *reached = &room->reached[at % NEAR], now = (uint64_t)(r + 1) << 32 | at;
    if (*reached == now) return state->cost;
    *reached = now;
    for (uint32_t e = 0; e < room->entries && room->entry[e].at < at; e++) {
        uint32_t gap = at - room->entry[e].at;
        uint32_t cost = room->entry[e].cost + fill_cost(fill, gap);
        if (cost < state->cost) *state = (State){cost, (uint16_t)(FILLED | id), (uint16_t)gap};
    }
    return state->cost;
}

/* Follows symbols at a cost into run `r`, which begins at `from`. */
static void follow(const Parser *parser, ParseRoom *room, uint32_t r, uint32_t from,
                   const Group *group, uint32_t cost)
{
    uint32_t least = room->run[r].least - from, most = room->run[r].most - from;
    const Edge *edge = parser->edge + group->first, *end = edge + group->count;
    for (; edge < end && edge->length <= most; edge++) {
        State *state = &room->state[from + edge->length];
        if (edge->symbol != NO_SYMBOL && cost + edge->cost < state->cost)
            *state = (State){cost + edge->cost, edge->symbol, 0};
        if (edge->length < least || edge->node == 0 || r + 1 == room->runs) continue;
        const Group *next = next_group(parser, edge, room->run[r + 1].value);
        if (next != NULL) follow(parser, room, r + 1, from + edge->length, next, cost);
    }
}

/* Symbols that go from run `r`, which begins at `from` or behind that, into the next one. */
static void leave(const Parser *parser, ParseRoom *room, uint32_t r, uint32_t from)
{
    const LooseRun *run = &room->run[r];
    const Fill *fill = &parser->fill[run->value];
    const uint32_t *first = parser->start_first + run->value * parser->values + run[1].value;
    const Start *start = parser->start + first[0], *last = parser->start + first[1];
    for (uint32_t end = run->least; end <= run->most; end++) {
        uint32_t bound = room->state[end].cost + parser->behind;
        for (const Start *s = start; s < last && s->length <= end - from; s++) {
            uint32_t cost = reach(room, fill, r, end - s->length);
            if (cost != NO_COST && cost + s->cheapest < bound)
                follow(parser, room, r + 1, end, parser->group + s->group, cost);
        }
    }
}

static void find_ways(const Parser *parser, ParseRoom *room)
{
    uint32_t from = 0, entered = 0;
    for (uint32_t r = 0; r < room->runs; r++) {
        const LooseRun *run = &room->run[r];
        const Fill *fill = &parser->fill[run->value];
        entered += PAIRS_LONGEST;
        list_entries(room, fill, from, run->most < entered ? run->most : entered);
        for (uint32_t end = run->least; end <= run->most; end++) reach(room, fill, r, end);
        if (r + 1 < room->runs) leave(parser, room, r, from);
        from = run->least;
        entered = run->most;
    }
}

static uint32_t put_fill(const Fill *fill, const Pairs *pairs, uint32_t distance, uint16_t *token,
                         uint32_t count)
{
    while (distance > 0) {
        uint16_t symbol = distance < FILL_TABLE ? fill->symbol[distance] : fill->longest_symbol;
        token[count++] = symbol;
        distance -= pairs->length[symbol];
    }
    return count;
}

/* Lists the symbols of the way to the end, the last first. */
static uint32_t trace(const Parser *parser, ParseRoom *room, uint32_t size)
{
    uint32_t count = 0;
    for (uint32_t at = size; at > 0;) {
        State state = room->state[at];
        if (state.symbol & FILLED) {
            const Fill *fill = &parser->fill[state.symbol & ~FILLED];
            count = put_fill(fill, parser->pairs, state.gap, room->token, count);
            at -= state.gap;
        } else {
            room->token[count++] = state.symbol;
            at -= parser->pairs->length[state.symbol];
        }
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
    find_ways(parser, room);
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
    const Fill *fill = &parser->fill[parser->id[value]];
    size_t count = (end - at - MARGIN) / fill->longest;
    for (size_t i = 0; i < count; i++) tokens[i] = fill->longest_symbol;
    *taken = count * fill->longest;
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
