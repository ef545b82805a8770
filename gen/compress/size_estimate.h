/* estimate.h - about how many bytes an array takes, code and all: to compare orders of its cells. */
#ifndef TREB_GEN_COMPRESS_SIZE_ESTIMATE_H
#define TREB_GEN_COMPRESS_SIZE_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/system/memory_budget.h"
#include "gen/compress/code_limits.h"

/* Samples of an array: `runs` stretches of `length` cells, one behind the other. */
typedef struct Samples {
    const uint8_t *cells;
    size_t runs, length;
} Samples;

/* The bytes of an array of `size` cells. 0: out of memory. */
uint64_t size_estimate(const Samples *samples, uint64_t size, const CodeLimits *limits);

/* The same with less of a bias for arrays of which every part is new: half of the stretches are cut
 * into symbols that were learned from the other half. Takes some times as long. */
uint64_t size_estimate_by_halves(const Samples *samples, uint64_t size, const CodeLimits *limits);

/* The same from all cells. What it learns from is claimed of the budget. */
uint64_t size_estimate_array(const uint8_t *cells, uint64_t size, const CodeLimits *limits, MemoryBudget *budget);

#endif
