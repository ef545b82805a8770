/* ways.c - the cheapest way from the front to each cell: see parse.c. It is built for several kinds of processor. */
#include "gen/compress/ways.h"

#include <string.h>

enum { CHAIN = 32 /* loose ends that are looked at together */ };

/* The name of a build. */
#ifndef WAYS_BUILD
#define WAYS_BUILD ways_portable
#endif

/* ---- The tree of symbols ---------------------------------------------------------------------- */

static inline unsigned count_bits(uint64_t x)
{
#ifdef __POPCNT__
    return (unsigned)__builtin_popcountll(x);
#else
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
#endif
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

static inline uint32_t run_cost(const Parser *parser, unsigned id, uint32_t length)
{
    uint32_t l = length < 2 * PAIRS_LONGEST ? length : PAIRS_LONGEST | length % PAIRS_LONGEST;
    return parser->run_cost[id][l];
}

/* ---- The ends of runs ------------------------------------------------------------------------ */

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

size_t WAYS_BUILD(const Parser *parser, ParseRoom *room, Stretch stretch, uint16_t *tokens)
{
    size_t count = 0, taken;
    for (size_t at = 0; at < stretch.size; at += taken) {
        count += skip_run(parser, stretch, at, tokens + count, &taken);
        at += taken;
        count += parse_window(parser, room, stretch, at, tokens + count, &taken);
    }
    return count;
}
