/* ways.c - the cheapest way from the front to each cell: see parse.c. It is built for several kinds of processor. */
#include "gen/compress/optimal_parse.h"

#include <string.h>

enum { CHAIN = 32 /* loose ends that are looked at together */ };

/* The name of a build. */
#ifndef OPTIMAL_PARSE_BUILD
#define OPTIMAL_PARSE_BUILD optimal_parse_portable
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

static uint32_t width_of(const FlexibleRun *run) { return run->most - run->least + 1; }

static void cost_before(const Parser *parser, const FlexibleRun *run, const uint32_t *from,
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

static void cost_behind(const Parser *parser, const FlexibleRun *run, const uint32_t *from,
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

static void set_ends(ParseSegment *out, uint32_t least, uint32_t best, uint32_t picked)
{
    out->least = (uint16_t)least;
    out->end = (uint16_t)(least + best);
    out->most = (uint16_t)(least + 31 - (uint32_t)__builtin_clz(picked));
    out->ends = (uint16_t)picked;
}

/* The ends that cost least, and what it costs to come to the best one. */
static uint32_t pick_ends(const Parser *parser, const FlexibleRun *run, const uint32_t *before,
                          const uint32_t *behind, ParseSegment *out)
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
static uint32_t choose_chain(const Parser *parser, ParseBuffer *buffer, uint32_t first,
                             uint32_t start, uint32_t estimate)
{
    Chain chain;
    const FlexibleRun *run = buffer->flexible + first;
    uint32_t count = 0;
    for (uint32_t i = 0; i < width_of(run); i++)
        chain.before[0][i] = estimate + run_cost(parser, run->value, run->least + i - start);
    while (run[count].least != run[count].most && count + 1 < CHAIN) {
        count++;
        cost_before(parser, run + count, chain.before[count - 1], chain.before[count]);
    }
    memset(chain.behind[count], 0, sizeof chain.behind[count]);
    for (uint32_t c = count + 1; c-- > 0;) {
        buffer->estimate[first + c] =
            pick_ends(parser, run + c, chain.before[c], chain.behind[c], &buffer->run[first + c]);
        if (c > 0) cost_behind(parser, run + c, chain.behind[c], chain.behind[c - 1]);
    }
    /* So long a chain is cut in two. */
    ParseSegment *last = &buffer->run[first + count];
    set_ends(last, last->end, 0, 1);
    return first + count + 1;
}

static void choose_ends(const Parser *parser, ParseBuffer *buffer)
{
    uint32_t start = 0, estimate = 0;
    for (uint32_t r = 0; r < buffer->runs;) {
        const FlexibleRun *run = &buffer->flexible[r];
        if (run->least == run->most) {
            estimate += run_cost(parser, run->value, run->most - start);
            set_ends(&buffer->run[r], run->most, 0, 1);
            buffer->estimate[r++] = estimate;
        } else {
            r = choose_chain(parser, buffer, r, start, estimate);
            estimate = buffer->estimate[r - 1];
        }
        start = buffer->run[r - 1].end;
    }
}

static void list_runs(const Parser *parser, ParseBuffer *buffer, const uint8_t *cells,
                      uint32_t size)
{
    buffer->runs = (uint32_t)runs_list(cells, size, parser->run_values, buffer->flexible);
    for (uint32_t r = 0; r < buffer->runs; r++)
        buffer->run[r].id = buffer->flexible[r].value = parser->id[buffer->flexible[r].value];
    choose_ends(parser, buffer);
    for (uint32_t r = 0; r < buffer->runs + AHEAD; r++) buffer->reached_cost[r] = INT32_MAX / 2;
    memset(buffer->estimate + buffer->runs, 0, AHEAD * sizeof *buffer->estimate);
    buffer->run[buffer->runs] = (ParseSegment){.id = NO_ID};
}

/* ---- OptimalParse ------------------------------------------------------------------------------------ */

static void put_path(ParseBuffer *buffer, uint32_t at, uint32_t cost, uint16_t symbol)
{
    uint64_t path = (uint64_t)cost << 32 | symbol;
    buffer->reached[at / 64] |= UINT64_C(1) << at % 64;
    if (path < buffer->path[at]) buffer->path[at] = path;
}

static void follow(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at,
                   const Group *group, uint32_t cost);

/* An edge that comes to a cell of run `r`, and what is behind it if the run may end there. */
static inline void take_edge(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at,
                             const Edge *edge, bool is_end, uint32_t cost)
{
    if (edge->symbol != NO_SYMBOL) {
        uint32_t now = cost + (edge->cost & COST_MOST);
        put_path(buffer, at, now, edge->symbol);
        if (is_end && now < buffer->reached_cost[r]) buffer->reached_cost[r] = now;
    }
    if (!is_end || edge->values == 0) return;
    const Group *next = find_group(parser, edge, buffer->run[r + 1].id);
    if (next != NULL) follow(parser, buffer, r + 1, at, next, cost);
}

/* Whether the first items of a run have a length. */
static bool is_part(uint32_t lengths, uint32_t length, uint32_t part)
{
    uint32_t at = 0;
    while (at < part) at += UINT32_C(1) << level_of(lengths, length - at);
    return at == part;
}

static bool ends_at(const ParseSegment *run, uint32_t at)
{
    return at >= run->least && at <= run->most && (run->ends >> (at - run->least) & 1);
}

static void follow_long(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at,
                        const Group *group, uint32_t cost)
{
    const ParseSegment *run = &buffer->run[r];
    for (uint32_t e = group->first;; e++) {
        const Edge *edge = &parser->edge[e];
        uint32_t to = at + parser->edge_length[e];
        if (to > run->most) break;
        if (ends_at(run, to))
            take_edge(parser, buffer, r, to, edge, true, cost);
        else if (to < run->end && is_part(parser->lengths[run->id], run->end - at, to - at))
            take_edge(parser, buffer, r, to, edge, false, cost);
        if (edge->cost & LAST) break;
    }
}

/* Finds where symbols end that have come to run `r`, which begins at `at`. */
static void follow(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at,
                   const Group *group, uint32_t cost)
{
    const ParseSegment *run = &buffer->run[r];
    if (run->most - at > SHORT) {
        follow_long(parser, buffer, r, at, group, cost);
        return;
    }
    uint64_t ends = (uint64_t)run->ends << (run->least - at);
    uint64_t take = group->lengths & (ends | parser->parts[run->id][run->end - at]);
    for (; take != 0; take &= take - 1) {
        unsigned length = (unsigned)__builtin_ctzll(take);
        uint64_t shorter = group->lengths & ((UINT64_C(1) << length) - 2);
        const Edge *edge = parser->edge + group->first + count_bits(shorter);
        take_edge(parser, buffer, r, at + length, edge, ends >> length & 1, cost);
    }
}

/* Whether it is of use to end a symbol of one value where `left` cells of its run follow: others
 * must begin there that go on into the next run. */
static bool is_useful(const ParseSegment *run, const Edge *root, uint32_t left)
{
    return left > PAIRS_LONGEST || (root[left].values >> run[1].id % 64 & 1);
}

/* The same for symbols that begin in run `r`. */
static void begin(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at, uint32_t cost)
{
    const ParseSegment *run = &buffer->run[r];
    const Edge *root = parser->root[run->id];
    uint32_t lengths = parser->lengths[run->id], all = run->end - at;
    bool needed = all > PAIRS_LONGEST || root[all].symbol == NO_SYMBOL;
    for (uint32_t to = at; to < run->end;) {
        to += UINT32_C(1) << level_of(lengths, run->end - to);
        if (to >= run->end || to - at > PAIRS_LONGEST) break;
        const Edge *edge = &root[to - at];
        if (edge->symbol != NO_SYMBOL && (needed || is_useful(run, root, run->end - to)))
            put_path(buffer, to, cost + (edge->cost & COST_MOST), edge->symbol);
    }
    for (uint32_t ends = run->ends; ends != 0; ends &= ends - 1) {
        uint32_t to = run->least + (uint32_t)__builtin_ctz(ends);
        if (to > at && to - at <= PAIRS_LONGEST)
            take_edge(parser, buffer, r, to, &root[to - at], true, cost);
    }
}

/* Whether there is a better way further on, in run `r` or behind it. `hope`: about what it costs to
 * come here. To be ahead is worth what those cells cost, but not more than a symbol: the next one
 * may go as far. */
static bool is_behind(const Parser *parser, const ParseBuffer *buffer, uint32_t r,
                      uint32_t estimate, uint32_t cost)
{
    int32_t best = INT32_MAX, most = (int32_t)parser->symbol_cost;
    for (unsigned i = 0; i < AHEAD; i++) {
        int32_t ahead = (int32_t)(buffer->estimate[r + i] - estimate);
        int32_t worth = (int32_t)buffer->reached_cost[r + i] - (ahead < most ? ahead : most);
        if (worth < best) best = worth;
    }
    return (int32_t)cost > best + (int32_t)parser->limits.behind;
}

/* Goes on from a cell of run `r` that there is a way to. */
static void go_on(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at)
{
    const ParseSegment *run = &buffer->run[r];
    uint32_t cost = (uint32_t)(buffer->path[at] >> 32), estimate = buffer->estimate[r];
    if (at >= run->least) { /* the next run may have begun */
        if (is_behind(parser, buffer, r + 1, estimate, cost)) return;
        begin(parser, buffer, r + 1, at, cost);
    } else {
        if (r > 0 && run[-1].most == at)
            estimate = buffer->estimate[r - 1];
        else
            estimate -= run_cost(parser, run->id, run->end - at) / 2;
        if (is_behind(parser, buffer, r, estimate, cost)) return;
    }
    begin(parser, buffer, r, at, cost);
}

static void find_paths(const Parser *parser, ParseBuffer *buffer, uint32_t size)
{
    uint32_t r = 0;
    memset(buffer->path, 0xff, (size + 1) * sizeof *buffer->path);
    memset(buffer->reached, 0, sizeof buffer->reached);
    buffer->path[0] = 0;
    buffer->reached[0] = 1;
    for (uint32_t w = 0; w <= size / 64; w++)
        for (; buffer->reached[w] != 0; buffer->reached[w] &= buffer->reached[w] - 1) {
            uint32_t at = 64 * w + (uint32_t)__builtin_ctzll(buffer->reached[w]);
            if (at == size) return;
            while (buffer->run[r].most <= at) r++;
            go_on(parser, buffer, r, at);
        }
}

/* Lists the symbols of the way to the end, the last first. */
static uint32_t trace(const Parser *parser, ParseBuffer *buffer, uint32_t size)
{
    uint32_t count = 0;
    for (uint32_t at = size; at > 0;) {
        uint16_t symbol = (uint16_t)buffer->path[at];
        buffer->token[count++] = symbol;
        at -= parser->pairs->length[symbol];
    }
    return count;
}

/* The symbols from `at` on, as far as they are final: *taken cells. */
static size_t parse_window(const Parser *parser, ParseBuffer *buffer, Stretch stretch, size_t at,
                           uint16_t *tokens, size_t *taken)
{
    const uint8_t *cells = stretch.cells + at;
    size_t left = stretch.size - at, size = left < WINDOW ? left : WINDOW;
    size_t final = size == left ? size : size - MARGIN, done = 0, count = 0;
    list_runs(parser, buffer, cells, (uint32_t)size);
    find_paths(parser, buffer, (uint32_t)size);
    uint32_t listed = trace(parser, buffer, (uint32_t)size);
    while (listed > 0 && done < final) {
        tokens[count] = buffer->token[--listed];
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

size_t OPTIMAL_PARSE_BUILD(const Parser *parser, ParseBuffer *buffer, Stretch stretch,
                           uint16_t *tokens)
{
    size_t count = 0, taken;
    for (size_t at = 0; at < stretch.size; at += taken) {
        count += skip_run(parser, stretch, at, tokens + count, &taken);
        at += taken;
        count += parse_window(parser, buffer, stretch, at, tokens + count, &taken);
    }
    return count;
}
