/* packed.h - sets of cells of a plane, packed.
 *
 * A packed dense set is about as large as the set. A packed sparse set takes some bytes for each cell. All builds of
 * the kernel write the same bytes. */
#ifndef TREB_GEN_SOLVE_PACKED_H
#define TREB_GEN_SOLVE_PACKED_H

#include "gen/solve/kernel.h"

enum {
    PACKED_SLACK = 8 /* bytes behind a packed set that may be read, or overwritten when packing */
};

/* Returns the most bytes that a packed set of `words` words (a power of 8) takes, PACKED_SLACK included. */
size_t packed_most(size_t words);

/* Packs a set. Returns the end of what was written; `out` if the set is empty. Rows outside these blocks (kernel.h)
 * are not read. */
uint8_t *packed_put(const Kernel *kernel, const uint64_t *set, size_t words, uint64_t row_blocks,
                    uint8_t *out);

/* Packs the set of a list of cells in ascending order. */
uint8_t *packed_put_cells(const Kernel *kernel, const uint32_t *cell, size_t count, size_t words,
                          uint8_t *out);

/* Adds a packed set to another set; or writes it to a set and returns the blocks that were written. The other blocks
 * are not cleared. */
void packed_or(const Kernel *kernel, const uint8_t *packed, size_t words, uint64_t *set);
uint64_t packed_get(const Kernel *kernel, const uint8_t *packed, size_t words, uint64_t *set);

/* Sets the distance of each cell of a packed set. */
void packed_mark(const Kernel *kernel, const uint8_t *packed, size_t words, Plies value,
                 Plies *plies);

#endif
