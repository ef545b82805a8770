/* runs.h - cells as runs of one value. Private to export/. */
#ifndef TREB_EXPORT_RUNS_H
#define TREB_EXPORT_RUNS_H

#include <stddef.h>
#include <stdint.h>

/* Gives a value to each cell that has none, so that there are few runs, and returns how many runs
 * there are then. `best[v]`: which value to take where any up to v will do and no neighbour helps, the
 * last for any at all. */
uint64_t runs_fill(uint8_t *cells, size_t size, const uint8_t best[32]);

/* The first cell from `at` on that differs from the one there, or `size`. */
size_t runs_end(const uint8_t *cells, size_t at, size_t size);

#endif
