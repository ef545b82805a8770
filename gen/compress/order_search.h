/* trials.h - which of many orders of cells takes least bytes, found by samples, in rounds. */
#ifndef TREB_GEN_COMPRESS_ORDER_SEARCH_H
#define TREB_GEN_COMPRESS_ORDER_SEARCH_H

#include <stdbool.h>

#include "core/system/memory_budget.h"
#include "core/system/stop.h"
#include "gen/compress/code_limits.h"

enum {
    SEARCH_FEW = 12, /* orders, of which none is given up before the last round */
    SEARCH_FINALISTS = 6  /* that are in the last round if there are more */
};

/* What is tried: orders known by number. The functions are called by several threads. */
typedef struct OrderSearch {
    size_t count;
    const void *context;
    /* How many cells there are in that order. 0: never choose it. */
    uint64_t (*size)(const void *context, size_t number);
    /* Writes `count` cells from `first` on. */
    void (*read)(const void *context, size_t number, uint64_t first, size_t count, uint8_t *out);
    const atomic_bool *stop; /* NULL allowed */
} OrderSearch;

typedef struct OrderTrial {
    uint64_t bytes;   /* that all cells take in this order, about, */
    uint64_t sampled; /* and those cells that tell so; UINT64_MAX: they are all */
    size_t number;    /* of the order */
} OrderTrial;

/* Fills `trial`, one for each order, those with the fewest bytes first, in parallel. The first
 * order_search_finalists are in each round. False: out of memory, or asked to stop. */
bool order_search_run(const OrderSearch *search, const CodeLimits *limits, MemoryBudget *budget, OrderTrial *trial);
size_t order_search_finalists(size_t count);

/* Bytes that it claims with so many threads. */
uint64_t order_search_memory(int threads);

#endif
