/* order_search.h - finds out which order of an array's cells takes the fewest bytes. It compares
 * samples of all orders in rounds: each round tries fewer orders with larger samples. */
#ifndef TREB_GEN_COMPRESS_ORDER_SEARCH_H
#define TREB_GEN_COMPRESS_ORDER_SEARCH_H

#include <stdbool.h>

#include "core/system/memory_budget.h"
#include "core/system/stop.h"
#include "gen/compress/code_limits.h"

enum {
    SEARCH_FEW = 12,     /* up to this number of orders, every round tries all of them */
    SEARCH_FINALISTS = 6 /* number of orders in the last round if there are more than SEARCH_FEW */
};

/* The orders to compare, numbered from 0 to count - 1. Several threads call the functions at a time. */
typedef struct OrderSearch {
    size_t count;
    const void *context;
    /* Returns the number of cells in this order, or 0 if the order must not be chosen. */
    uint64_t (*size)(const void *context, size_t number);
    /* Writes `count` cells of this order, from cell `first` on, to `out`. */
    void (*read)(const void *context, size_t number, uint64_t first, size_t count, uint8_t *out);
    const atomic_bool *stop; /* when it becomes true, the search returns false soon; may be NULL */
} OrderSearch;

typedef struct OrderTrial {
    uint64_t bytes;   /* estimated bytes of all cells in this order; UINT64_MAX: never choose it */
    uint64_t sampled; /* estimated bytes of the sample alone; UINT64_MAX: the sample is all cells */
    size_t number;    /* number of the order */
} OrderTrial;

/* Fills `trial`, an array with one element for each order, in parallel. The best order comes first.
 * The first order_search_finalists(count) elements have been in every round and are in order of
 * their bytes. Returns false if memory runs out or the caller asked to stop. */
bool order_search_run(const OrderSearch *search, const CodeLimits *limits, MemoryBudget *budget,
                      OrderTrial *trial);
size_t order_search_finalists(size_t count);

/* Returns the bytes that order_search_run claims from the budget with `threads` threads. */
uint64_t order_search_memory(int threads);

#endif
