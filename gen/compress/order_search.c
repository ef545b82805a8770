/* order_search.c - see order_search.h. */
#include "gen/compress/order_search.h"

#include <stdlib.h>

#include "gen/compress/size_estimate.h"

enum {
    RUNS = 256,  /* runs of cells in the sample of an order */
    LENGTH = 64, /* cells of a run in the first round; each round has four times as many */
    LENGTH_ENOUGH = 16 * LENGTH, /* cells of a run in the last round, at least */
    LENGTH_MOST = 64 * LENGTH,   /* cells of a run in any round, at most */
    SEEN_BYTES = 1000 /* bytes that the median sample must take to compare orders by it */
};

/* A round tries each order with a sample: RUNS runs of `length` cells from the whole array. */
typedef struct Round {
    const OrderSearch *search;
    const CodeLimits *limits;
    MemoryBudget *budget;
    size_t length;
    bool last; /* few orders are left: estimate by halves */
} Round;

/* Reads the sample of one order into `cells`. `size`: cells of the array. */
static void take_runs(const OrderSearch *search, size_t number, uint64_t size, Samples samples,
                      uint8_t *cells)
{
    /* Not at equal distances: the cells of an order come in groups of equal size, and all runs could
     * fall on one part of a group. */
    const double golden = 0.6180339887498949;
    double at = 0.5;
    for (size_t r = 0; r < samples.runs; r++) {
        uint64_t first = (uint64_t)(at * (double)(size - samples.length + 1));
        search->read(search->context, number, first, samples.length, cells + r * samples.length);
        at += golden;
        if (at >= 1) at -= 1;
    }
}

/* Fills `trial` for one order. `cells`: memory for the sample. Returns false if memory runs out. */
static bool try_order(const Round *round, uint8_t *cells, OrderTrial *trial)
{
    const OrderSearch *search = round->search;
    uint64_t size = search->size(search->context, trial->number);
    Samples samples = {cells, RUNS, round->length};
    trial->bytes = trial->sampled = UINT64_MAX;
    if (size == 0) return true; /* never chosen */
    bool whole = size <= samples.runs * samples.length;
    if (whole) samples = (Samples){cells, 1, (size_t)size};
    take_runs(search, trial->number, size, samples, cells);
    trial->bytes = (round->last && !whole ? size_estimate_by_halves : size_estimate)(&samples, size,
                                                                                     round->limits);
    if (!whole)
        trial->sampled = (uint64_t)((double)trial->bytes * (double)(samples.runs * samples.length) /
                                    (double)size);
    return trial->bytes > 0;
}

static int compare_trials(const void *a, const void *b)
{
    const OrderTrial *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool try_all(const Round *round, OrderTrial *trial, size_t count)
{
    bool ok = true;
#pragma omp parallel
    {
        uint8_t *cells = budget_alloc(round->budget, RUNS * round->length);
        bool mine = cells != NULL;
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < count; i++)
            mine = mine && !stop_asked(round->search->stop) && try_order(round, cells, &trial[i]);
        if (!mine) {
#pragma omp atomic write
            ok = false;
        }
        budget_free(cells);
    }
    qsort(trial, count, sizeof *trial, compare_trials);
    return ok;
}

/* Each round tries fewer orders with larger samples. If the samples take very few bytes, then the
 * differences between orders are mostly chance: then the first round gives up no order, and more
 * last rounds with still larger samples follow. */
bool order_search_run(const OrderSearch *search, const CodeLimits *limits, MemoryBudget *budget,
                      OrderTrial *trial)
{
    size_t count = search->count;
    Round round = {search, limits, budget, LENGTH, count <= SEARCH_FEW};
    for (size_t i = 0; i < count; i++) trial[i] = (OrderTrial){.number = i};
    for (;;) {
        if (!try_all(&round, trial, count)) return false;
        bool seen = trial[count / 2].sampled >= SEEN_BYTES, most = round.length == LENGTH_MOST;
        if (round.last && round.length >= LENGTH_ENOUGH && (seen || most)) return true;
        if (!round.last && (seen || round.length > LENGTH))
            count = count / 4 > SEARCH_FINALISTS ? count / 4 : (size_t)SEARCH_FINALISTS;
        round.last = count <= SEARCH_FINALISTS;
        if (!most) round.length *= 4;
    }
}

size_t order_search_finalists(size_t count)
{
    return count > SEARCH_FEW ? (size_t)SEARCH_FINALISTS : count;
}

uint64_t order_search_memory(int threads)
{
    return (uint64_t)threads * budget_cost((size_t)RUNS * LENGTH_MOST);
}
