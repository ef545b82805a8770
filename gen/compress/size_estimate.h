/* size_estimate.h - estimates the compressed size of an array, including its code. The estimate
 * serves to compare different orders of the cells. */
#ifndef TREB_GEN_COMPRESS_SIZE_ESTIMATE_H
#define TREB_GEN_COMPRESS_SIZE_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/system/memory_budget.h"
#include "gen/compress/code_limits.h"

/* A sample of an array: `runs` stretches of `length` cells each, stored one after another. */
typedef struct Samples {
    const uint8_t *cells;
    size_t runs, length;
} Samples;

/* Returns the estimated bytes of an array of `size` cells, or 0 if memory runs out. */
uint64_t size_estimate(const Samples *samples, uint64_t size, const CodeLimits *limits);

/* Like size_estimate, but it learns the symbols from one half of the stretches and counts the bytes
 * of the other half. size_estimate is too low for an array that rarely repeats itself, because it
 * counts in the cells that it learned from. This function takes several times as long. */
uint64_t size_estimate_by_halves(const Samples *samples, uint64_t size, const CodeLimits *limits);

/* Returns the estimated bytes of an array of `size` cells, all of which are in memory. Claims the
 * memory for a sample from `budget`. Returns 0 if memory runs out or the budget is too small. */
uint64_t size_estimate_array(const uint8_t *cells, uint64_t size, const CodeLimits *limits,
                             MemoryBudget *budget);

#endif
