/* size_estimate.c - see size_estimate.h. */
#include "gen/compress/size_estimate.h"

#include <stdlib.h>

#include "gen/compress/learn.h"
#include "gen/compress/sample.h"

enum { WHOLE_RANGE = 1 << 21 /* cells of a range if the sample is the whole array */ };

typedef struct Estimate {
    Learned learned;
    RunList list;
    CellRanges sample;
} Estimate;

/* Begins an estimate and counts the values of `cells`. Returns NULL if memory runs out. */
static Estimate *begin_estimate(Stretch cells, const CodeLimits *limits)
{
    uint64_t times[256] = {0};
    Estimate *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    e->learned.limits = *limits;
    e->learned.effort = PARSE_FAST;
    learn_count(cells, times);
    learn_values(&e->learned, times);
    return e;
}

static void end_estimate(Estimate *e)
{
    free(e->list.run);
    cell_ranges_free(&e->sample);
    free(e);
}

/* Returns the estimated bytes of `to` cells, with the list of symbols. The uses of the symbols were
 * counted in `from` cells. */
static uint64_t scaled_bytes(const Learned *learned, uint64_t from, uint64_t to)
{
    const Pairs *pairs = &learned->pairs;
    uint64_t bits = 0;
    for (unsigned s = 0; s < pairs->count; s++) bits += pairs->used[s] * learned->cost[s];
    bits = (uint64_t)((double)(bits / PARSE_BIT) * (double)to / (double)from);
    return (bits + (uint64_t)learned->limits.symbol_bits * pairs->count + 8) / 8;
}

static bool learn_sample(Estimate *e)
{
    return cell_ranges_runs(&e->sample, &e->learned.values, &e->list) &&
           learn_once(&e->learned, &e->list);
}

uint64_t size_estimate(const Samples *samples, uint64_t size, const CodeLimits *limits)
{
    Stretch cells = {samples->cells, samples->runs * samples->length};
    Estimate *e = begin_estimate(cells, limits);
    uint64_t bytes = 0;
    if (e == NULL) return 0;
    if (cell_ranges_make(&e->sample, cells, samples->length, 1) && learn_sample(e))
        bytes = scaled_bytes(&e->learned, cells.size, size);
    end_estimate(e);
    return bytes;
}

uint64_t size_estimate_array(const uint8_t *cells, uint64_t size, const CodeLimits *limits,
                             MemoryBudget *budget)
{
    Stretch array = {cells, size};
    Estimate *e = begin_estimate(array, limits);
    uint64_t bytes = 0, part;
    if (e == NULL) return 0;
    bool claimed = budget_claim(budget, SAMPLE_BYTES);
    if (claimed &&
        sample_take(array, &e->learned.values, WHOLE_RANGE, &e->sample, &e->list, &part) &&
        learn_once(&e->learned, &e->list))
        bytes = scaled_bytes(&e->learned, cell_ranges_cells(&e->sample), size);
    if (claimed) budget_release(budget, SAMPLE_BYTES);
    end_estimate(e);
    return bytes;
}

/* Keeps every second range, beginning with the one at index `first`. */
static void halve(CellRanges *ranges, size_t first)
{
    size_t count = 0;
    for (size_t i = first; i < ranges->count; i += 2)
        ranges->range[count++].cells = ranges->range[i].cells;
    ranges->count = count;
}

uint64_t size_estimate_by_halves(const Samples *samples, uint64_t size, const CodeLimits *limits)
{
    MemoryBudget unbound;
    Stretch cells = {samples->cells, samples->runs * samples->length};
    CellRanges other_half = {0};
    Estimate *e = begin_estimate(cells, limits);
    uint64_t bytes = 0;
    if (e == NULL) return 0;
    budget_init(&unbound, UINT64_MAX);
    if (cell_ranges_make(&e->sample, cells, samples->length, 1) &&
        cell_ranges_make(&other_half, cells, samples->length, 1)) {
        halve(&e->sample, 0);
        halve(&other_half, 1);
        if (learn_sample(e) && learned_cut(&e->learned, &other_half, &unbound, 1))
            bytes = scaled_bytes(&e->learned, cell_ranges_cells(&other_half), size);
    }
    cell_ranges_free(&other_half);
    end_estimate(e);
    return bytes;
}
