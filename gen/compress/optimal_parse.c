/* optimal_parse.c - finds the cheapest path to each cell: see parse.c. The Makefile builds it for
 * several kinds of processor. */
#include "gen/compress/optimal_parse.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <string.h>

enum {
    CHAIN = 32, /* the most flexible runs whose ends are chosen together */
    LANES = 16  /* WIDTH, rounded up to whole vectors */
};

/* The name of parse_stretch in this build. */
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

/* Returns the edges that follow `edge` and whose runs have the value `id`; NULL if there are none. */
static inline const Group *find_group(const Parser *parser, const Edge *edge, unsigned id)
{
    uint64_t bit = UINT64_C(1) << id % 64;
    if (!(edge->values & bit)) return NULL;
    const Branch *at = parser->branch + edge->groups + count_bits(edge->values & (bit - 1));
    for (; at->group.id != id; at++)
        if (at->group.last) return NULL;
    return &at->group;
}

static inline uint32_t run_cost(const Parser *parser, unsigned id, uint32_t length)
{
    uint32_t l = length < 2 * PAIRS_LONGEST ? length : PAIRS_LONGEST | length % PAIRS_LONGEST;
    return parser->run_cost[id][l];
}

/* ---- The ends of runs ------------------------------------------------------------------------ */

/* The costs of consecutive flexible runs, by run and by its end: the cost of the runs up to this end,
 * and the cost of the runs after it. The latter begin with the last end, so that one function finds
 * both. The arrays have room for whole vectors. */
typedef struct Chain {
    int32_t before[CHAIN + 1][LANES], behind[CHAIN + 1][LANES];
} Chain;

static uint32_t width_of(const FlexibleRun *run) { return run->most - run->least + 1; }

/* add_run_costs sets the first `width` elements to[i], and perhaps more, to the lowest sum of an
 * element of `from`, read backwards, and the cost of a run that is one longer with each step in
 * either array. `cost`: of the shortest run, and of 2 * LANES in all. ends_within returns a bit for
 * each cost that is not above `most`. */
#ifdef __AVX2__

enum { VECTOR = 8 };

static inline void add_run_costs(const uint16_t *cost, const int32_t *from, uint32_t count,
                                 uint32_t width, int32_t *to)
{
    for (uint32_t lane = 0; lane < width; lane += VECTOR) {
        __m256i best = _mm256_set1_epi32(INT32_MAX);
        for (uint32_t k = 0; k < count; k++) {
            __m128i narrow = _mm_loadu_si128((const __m128i *)(const void *)(cost + lane + k));
            __m256i sum = _mm256_add_epi32(_mm256_cvtepu16_epi32(narrow),
                                           _mm256_set1_epi32(from[count - 1 - k]));
            best = _mm256_min_epi32(best, sum);
        }
        _mm256_storeu_si256((__m256i *)(void *)(to + lane), best);
    }
}

static inline uint32_t ends_within(const int32_t *cost, uint32_t width, int32_t most)
{
    uint32_t above = 0;
    for (uint32_t lane = 0; lane < width; lane += VECTOR) {
        __m256i costs = _mm256_loadu_si256((const __m256i *)(const void *)(cost + lane));
        __m256i more = _mm256_cmpgt_epi32(costs, _mm256_set1_epi32(most));
        above |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(more)) << lane;
    }
    return ~above & ((UINT32_C(1) << width) - 1);
}

#else

static inline void add_run_costs(const uint16_t *cost, const int32_t *from, uint32_t count,
                                 uint32_t width, int32_t *to)
{
    for (uint32_t i = 0; i < width; i++) {
        to[i] = INT32_MAX;
        for (uint32_t k = 0; k < count; k++) {
            int32_t sum = from[count - 1 - k] + cost[i + k];
            if (sum < to[i]) to[i] = sum;
        }
    }
}

static inline uint32_t ends_within(const int32_t *cost, uint32_t width, int32_t most)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < width; i++) ends |= (uint32_t)(cost[i] <= most) << i;
    return ends;
}

#endif

/* Passes the costs for the ends of one of two neighbours on to the ends of the other, across the run
 * between these ends, which is `run`, the second of them. */
static void pass_costs(const Parser *parser, const FlexibleRun *run, const int32_t *from,
                       uint32_t count, uint32_t width, int32_t *to)
{
    const uint32_t shortest = run->least - run[-1].most;
    uint16_t other[2 * LANES];
    const uint16_t *cost = other;
    if (shortest + 2 * LANES <= 2 * PAIRS_LONGEST)
        cost = parser->run_cost[run->value] + shortest;
    else
        for (uint32_t i = 0; i < 2 * LANES; i++)
            other[i] = (uint16_t)run_cost(parser, run->value, shortest + i);
    add_run_costs(cost, from, count, width, to);
}

static void set_ends(ParseSegment *out, uint32_t least, uint32_t best, uint32_t picked)
{
    out->least = (uint16_t)least;
    out->end = (uint16_t)(least + best);
    out->most = (uint16_t)(least + 31 - (uint32_t)__builtin_clz(picked));
    out->ends = (uint16_t)picked;
}

/* Picks the ends of a run that cost least. Returns the cost of the runs up to the best one. */
static int32_t pick_ends(const Parser *parser, const FlexibleRun *run, const int32_t *before,
                         const int32_t *behind, ParseSegment *out)
{
    uint32_t width = width_of(run), best = 0;
    int32_t cost[LANES] = {0};
    for (uint32_t i = 0; i < width; i++) {
        cost[i] = before[i] + behind[width - 1 - i];
        if (cost[i] < cost[best]) best = i;
    }
    uint32_t picked;
    for (int32_t slack = (int32_t)parser->limits.slack;; slack /= 2) {
        picked = ends_within(cost, width, cost[best] + slack);
        if (slack == 0 || count_bits(picked) <= parser->limits.ends) break;
    }
    set_ends(out, run->least, best, picked);
    return before[best];
}

/* Chooses the ends of run `first`, which begins at cell `start`, and of the runs after it, up to the
 * first run with a fixed end. `estimate`: the cost of the runs before run `first`. Returns the index of
 * the next run. */
static uint32_t choose_chain(const Parser *parser, ParseBuffer *buffer, uint32_t first,
                             uint32_t start, uint32_t estimate)
{
    Chain chain;
    const FlexibleRun *run = buffer->flexible + first;
    uint32_t count = 0;
    for (uint32_t i = 0; i < width_of(run); i++)
        chain.before[0][i] =
            (int32_t)(estimate + run_cost(parser, run->value, run->least + i - start));
    while (run[count].least != run[count].most && count + 1 < CHAIN) {
        count++;
        pass_costs(parser, run + count, chain.before[count - 1], width_of(run + count - 1),
                   width_of(run + count), chain.before[count]);
    }
    memset(chain.behind[count], 0, sizeof chain.behind[count]);
    for (uint32_t c = count + 1; c-- > 0;) {
        buffer->estimate[first + c] = (uint32_t)pick_ends(parser, run + c, chain.before[c],
                                                          chain.behind[c], &buffer->run[first + c]);
        if (c > 0)
            pass_costs(parser, run + c, chain.behind[c], width_of(run + c), width_of(run + c - 1),
                       chain.behind[c - 1]);
    }
    /* If the chain reached its maximum length, the end of its last run is fixed here. */
    ParseSegment *last = &buffer->run[first + count];
    set_ends(last, last->end, 0, 1);
    return first + count + 1;
}

/* Chooses the ends of all runs of the window, and estimates the cost of a path to each of them. */
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

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Notes a path to cell `at` whose last symbol is `symbol`, if it is cheaper than the best so far.
 * Always writes, because no processor can guess which path is cheaper. */
static void put_path(ParseBuffer *buffer, uint32_t at, uint32_t cost, uint16_t symbol)
{
    uint64_t path = (uint64_t)cost << 32 | symbol, old = buffer->path[at];
    buffer->reached[at / 64] |= UINT64_C(1) << at % 64;
    buffer->path[at] = path < old ? path : old;
}

static void follow(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at,
                   const Group *group, uint32_t cost);

/* Takes an edge that leads to cell `at`, where run `r` may end, and then the edges of the next run. */
static inline void take_edge(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at,
                             const Edge *edge, uint32_t cost)
{
    if (edge->symbol != NO_SYMBOL) {
        uint32_t now = cost + (edge->cost & COST_MOST), best = buffer->reached_cost[r];
        put_path(buffer, at, now, edge->symbol);
        buffer->reached_cost[r] = now < best ? now : best;
    }
    if (edge->values == 0) return;
    const Group *next = find_group(parser, edge, buffer->run[r + 1].id);
    if (next != NULL) follow(parser, buffer, r + 1, at, next, cost);
}

static bool ends_at(const ParseSegment *run, uint32_t at)
{
    return at >= run->least && at <= run->most && (run->ends >> (at - run->least) & 1);
}

/* Does the work of follow() for a run that is longer than SHORT cells. */
static void follow_long(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at,
                        const Group *group, uint32_t cost)
{
    const ParseSegment *run = &buffer->run[r];
    for (uint32_t e = group->first;; e++) {
        const Edge *edge = &parser->branch[e].edge;
        uint32_t to = at + parser->edge_length[e];
        if (to > run->most) break;
        if (ends_at(run, to)) take_edge(parser, buffer, r, to, edge, cost);
        if (edge->cost & LAST) break;
    }
}

/* Takes the edges of `group` that fit run `r`, which begins at cell `at`. `cost`: of the path up to
 * the first cell of these symbols. */
static void follow(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at,
                   const Group *group, uint32_t cost)
{
    const ParseSegment *run = &buffer->run[r];
    if (run->most - at > SHORT) {
        follow_long(parser, buffer, r, at, group, cost);
        return;
    }
    uint64_t take = group->lengths & (uint64_t)run->ends << (run->least - at);
    for (; take != 0; take &= take - 1) {
        unsigned length = (unsigned)__builtin_ctzll(take);
        uint64_t shorter = group->lengths & ((UINT64_C(1) << length) - 2);
        const Branch *branch = parser->branch + group->first + count_bits(shorter);
        take_edge(parser, buffer, r, at + length, &branch->edge, cost);
    }
}

/* Takes all symbols that begin at cell `at` of run `r`. `cost`: of the path to that cell. */
static void begin_symbols(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at,
                          uint32_t cost)
{
    const ParseSegment *run = &buffer->run[r];
    const Edge *root = parser->root[run->id];
    uint32_t lengths = parser->lengths[run->id], all = run->end - at;
    /* A symbol that ends within the run is of use if no symbol reaches the end of the run. */
    bool needed = all > PAIRS_LONGEST || root[all].symbol == NO_SYMBOL;
    for (uint32_t to = at; needed && to < run->end;) {
        to += UINT32_C(1) << level_of(lengths, run->end - to);
        if (to >= run->end || to - at > PAIRS_LONGEST) break;
        const Edge *edge = &root[to - at];
        if (edge->symbol != NO_SYMBOL)
            put_path(buffer, to, cost + (edge->cost & COST_MOST), edge->symbol);
    }
    for (uint32_t ends = run->ends; ends != 0; ends &= ends - 1) {
        uint32_t to = run->least + (uint32_t)__builtin_ctz(ends);
        if (to > at && to - at <= PAIRS_LONGEST)
            take_edge(parser, buffer, r, to, &root[to - at], cost);
    }
}

/* Whether to give up a path of `cost`, because there is a much better path to the end of run `r` or of
 * a run after it. `estimate`: the estimated cost of a path to this cell. The other path is further
 * on by the estimated cost of the cells between. No more than the average cost of one symbol is
 * deducted for this, because the next symbol of this path may reach as far. */
static bool is_dominated(const Parser *parser, const ParseBuffer *buffer, uint32_t r,
                         uint32_t estimate, uint32_t cost)
{
    int32_t best = INT32_MAX, most = (int32_t)parser->symbol_cost;
    for (unsigned i = 0; i < AHEAD; i++) {
        int32_t ahead = (int32_t)(buffer->estimate[r + i] - estimate);
        int32_t worth = (int32_t)buffer->reached_cost[r + i] - (ahead < most ? ahead : most);
        if (worth < best) best = worth;
    }
    return (int32_t)cost > best + parser->limits.behind;
}

/* Extends the best path to cell `at` of run `r` by one symbol. */
static void extend_path(const Parser *parser, ParseBuffer *buffer, uint32_t r, uint32_t at)
{
    const ParseSegment *run = &buffer->run[r];
    uint32_t cost = (uint32_t)(buffer->path[at] >> 32), estimate = buffer->estimate[r];
    if (at >= run->least) { /* this run may end here: then the next run begins */
        if (!is_dominated(parser, buffer, r + 1, estimate, cost))
            begin_symbols(parser, buffer, r + 1, at, cost);
        return;
    }
    if (r > 0 && run[-1].most == at)
        estimate = buffer->estimate[r - 1];
    else
        estimate -= run_cost(parser, run->id, run->end - at) / 2;
    if (!is_dominated(parser, buffer, r, estimate, cost))
        begin_symbols(parser, buffer, r, at, cost);
}

/* Returns the edge from the root for run `r`, from the best end of the run before it to its own; NULL
 * if no symbol is so long. */
static inline const Edge *root_edge(const Parser *parser, const ParseBuffer *buffer, uint32_t r)
{
    const ParseSegment *run = &buffer->run[r];
    uint32_t length = (uint32_t)(run->end - (r > 0 ? run[-1].end : 0));
    return length <= PAIRS_LONGEST ? &parser->root[run->id][length] : NULL;
}

/* Asks the processor for what the search will read soon after it comes to run `r`. The tree is larger
 * than its fast caches; without this most of the time goes in waiting. */
static inline void prefetch_tree(const Parser *parser, const ParseBuffer *buffer, uint32_t r)
{
    enum { ROOT = 8, GROUP = 5, EDGE = 2 };
    if (r + ROOT + 1 >= buffer->runs) return;
    const Edge *edge = root_edge(parser, buffer, r + ROOT);
    if (edge != NULL) __builtin_prefetch(edge);
    edge = root_edge(parser, buffer, r + GROUP);
    uint64_t bit = UINT64_C(1) << buffer->run[r + GROUP + 1].id % 64;
    if (edge != NULL && edge->values & bit)
        __builtin_prefetch(parser->branch + edge->groups + count_bits(edge->values & (bit - 1)));
    edge = root_edge(parser, buffer, r + EDGE);
    bit = UINT64_C(1) << buffer->run[r + EDGE + 1].id % 64;
    if (edge != NULL && edge->values & bit) {
        const Group *group =
            &parser->branch[edge->groups + count_bits(edge->values & (bit - 1))].group;
        uint32_t length = (uint32_t)(buffer->run[r + EDGE + 1].end - buffer->run[r + EDGE].end);
        if (length <= SHORT)
            __builtin_prefetch(parser->branch + group->first +
                               count_bits(group->lengths & ((UINT64_C(1) << length) - 2)));
    }
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
            while (buffer->run[r].most <= at) prefetch_tree(parser, buffer, ++r);
            extend_path(parser, buffer, r, at);
        }
}

/* Lists the symbols of the best path to cell `size` in buffer->token, the last symbol first. Returns
 * their number. */
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

/* Parses the window that begins at cell `at`. Writes those symbols that are final and sets *taken to
 * the number of cells that they cover. Returns the number of symbols. */
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

/* Writes the longest symbols for a run that is longer than a window, except for the end of the run.
 * Sets *taken to the number of cells that they cover. Returns the number of symbols. */
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
