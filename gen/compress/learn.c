/* learn.c - see learn.h. */
#include "gen/compress/learn.h"

#include <string.h>

enum {
    /* Number of times that symbols are learned. After the first time, the sample is cut, which gives a
     * value to each cell that allows several. The second time learns from these values. */
    LEARN_PASSES = 2,
    FIRST_PART = 8, /* the first time learns from one range in so many, which is nearly as good */
    LEAST = 4, /* in an estimate, a pair becomes a symbol only if it occurs this often */
    /* Number of times that the sample is cut to find and drop the symbols that save nothing. If the
     * sample is the whole array, it is small, and there is time for one more. */
    REFINEMENTS = 1,
    REFINEMENTS_WHOLE = 2
};

/* ---- Values ---------------------------------------------------------------------------------- */

void learn_count(Stretch cells, uint64_t times[256])
{
    /* Four counters for each byte: to increment one counter twice in a row is slower. */
    uint32_t count[4][256] = {{0}};
    size_t at = 0;
    for (; at + 4 <= cells.size; at += 4)
        for (int i = 0; i < 4; i++) count[i][cells.cells[at + i]]++;
    for (; at < cells.size; at++) count[0][cells.cells[at]]++;
    for (int v = 0; v < 256; v++)
        times[v] += (uint64_t)count[0][v] + count[1][v] + count[2][v] + count[3][v];
}

void learn_values(Learned *learned, const uint64_t times[256])
{
    const uint8_t *up_to = learned->limits.up_to;
    RunValues *values = &learned->values;
    unsigned most = 0, n = 0; /* the first n limits are below the value */
    for (unsigned v = 0; v < ENCODE_VALUES; v++) {
        while (n < ENCODE_LIMITS && (up_to != NULL ? up_to[n] : n) < v)
            values->best[n++] = (uint8_t)most;
        if (times[v] > times[most]) most = v;
        learned->present[v] = times[v] != 0;
        values->flexible_from[v] = (uint8_t)(ENCODE_UP_TO + n);
    }
    while (n <= ENCODE_LIMITS) values->best[n++] = (uint8_t)most;
    for (unsigned i = 0; i <= ENCODE_LIMITS; i++)
        if (times[ENCODE_UP_TO + i] != 0) learned->present[values->best[i]] = true;
}

/* ---- Costs ----------------------------------------------------------------------------------- */

/* Sets the cost of each symbol to its length in an ideal code. A symbol without uses counts as half a
 * use, because other cells may need it. No cost is below a quarter of a bit. */
static void set_costs(Learned *learned)
{
    const Pairs *pairs = &learned->pairs;
    uint64_t all = 1;
    for (unsigned s = 0; s < pairs->count; s++) all += pairs->used[s];
    for (unsigned s = 0; s < pairs->count; s++) {
        uint32_t cost = parse_log(2 * all) - parse_log(pairs->used[s] ? 2 * pairs->used[s] : 1);
        learned->cost[s] = cost < PARSE_BIT / 4 ? PARSE_BIT / 4 : cost;
    }
}

/* Drops the symbols that save fewer bits than they take in the file. */
static void drop_symbols(Learned *learned, const LearnOptions *options)
{
    Pairs *pairs = &learned->pairs;
    const uint32_t *cost = learned->cost;
    int64_t least = (int64_t)learned->limits.symbol_bits * PARSE_BIT;
    bool drop[CODE_SYMBOLS_MAX];
    memset(drop, 0, sizeof drop);
    for (unsigned s = pairs->values; s < pairs->count; s++) {
        int64_t saved = (int64_t)cost[pairs->left[s]] + cost[pairs->right[s]] - cost[s];
        int64_t used = (int64_t)pairs->used[s] - options->chance;
        drop[s] = saved <= 0 || used <= 0 || saved * used * (int64_t)options->part < least;
    }
    pairs_drop(pairs, drop);
}

/* ---- Learning -------------------------------------------------------------------------------- */

static bool learn_pairs(Learned *learned, const RunList *list, uint32_t least)
{
    PairsParams params = {learned->present, least, learned->limits.symbols};
    if (!pairs_learn(&learned->pairs, list->run, list->count, &params)) return false;
    set_costs(learned);
    return true;
}

bool learn_once(Learned *learned, const RunList *list) { return learn_pairs(learned, list, LEAST); }

/* Cuts the ranges into symbols and counts the uses. If `list` is not NULL, it gets the runs of these
 * symbols, to learn from, and the cut is a fast one. Returns false if memory runs out. */
static bool cut_cells(Learned *learned, CellRanges *ranges, RunList *list, MemoryBudget *budget,
                      int threads)
{
    ParseEffort effort = list != NULL ? PARSE_FASTEST : learned->effort;
    Parser *parser = parser_make(&learned->pairs, &learned->values, learned->cost, effort);
    bool done = parser != NULL && cell_ranges_cut(ranges, parser, budget, threads);
    if (done) cell_ranges_used(ranges, learned->pairs.used, learned->pairs.count);
    if (done && list != NULL) done = cell_ranges_cut_runs(ranges, parser, list);
    parser_free(parser);
    return done;
}

bool learned_cut(Learned *learned, CellRanges *ranges, MemoryBudget *budget, int threads)
{
    return cut_cells(learned, ranges, NULL, budget, threads);
}

static bool cut_again(Learned *learned, CellRanges *sample, RunList *list,
                      const LearnOptions *options)
{
    if (stop_asked(options->stop)) return false;
    if (!cut_cells(learned, sample, list, options->budget, options->threads)) return false;
    set_costs(learned);
    return true;
}

/* Keeps the runs of one range in `part`. */
static void thin_out(RunList *list, unsigned part)
{
    size_t kept = 0, range = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (range % part == 0) list->run[kept++] = list->run[i];
        range += list->run[i].length == 0;
    }
    list->count = kept;
}

bool learn(Learned *learned, CellRanges *sample, RunList *list, const LearnOptions *options)
{
    if (sample->count >= 8 * FIRST_PART) thin_out(list, FIRST_PART);
    for (int i = 0; i < LEARN_PASSES; i++) {
        if (stop_asked(options->stop) || !learn_pairs(learned, list, options->least)) return false;
        if (i + 1 < LEARN_PASSES && !cut_again(learned, sample, list, options)) return false;
    }
    int refinements = options->part == 1 ? REFINEMENTS_WHOLE : REFINEMENTS;
    for (int i = 0; i < refinements; i++) {
        if (!cut_again(learned, sample, NULL, options)) return false;
        drop_symbols(learned, options);
        set_costs(learned);
    }
    return true;
}
