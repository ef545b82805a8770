/* packed.h - sets of cells of a plane in few bytes: as large as a set is when it is dense, some bytes for
 * each cell when it is not. The same bytes with any kernel. */
#ifndef TREB_GEN_PACKED_H
#define TREB_GEN_PACKED_H

#include "gen/solve/kernel.h"

enum { PACKED_SLACK = 8 /* bytes behind a packed set that may be looked at, or written */ };

/* Bytes that a set of so many words, a power of 8, takes at most, with PACKED_SLACK. */
size_t packed_most(size_t words);

/* Packs a set; returns the end of what was written, which is nothing if the set is empty. Rows outside these
 * slabs (kernel.h) are not looked at. */
uint8_t *packed_put(const Kernel *kernel, const uint64_t *set, size_t words, uint64_t slabs,
                    uint8_t *out);

/* The same with a list of cells in ascending order. */
uint8_t *packed_put_cells(const Kernel *kernel, const uint32_t *cell, size_t count, size_t words,
                          uint8_t *out);

/* Ors a packed set into another; or writes it, in the rows where there is something: returns these slabs. */
void packed_or(const Kernel *kernel, const uint8_t *packed, size_t words, uint64_t *set);
uint64_t packed_get(const Kernel *kernel, const uint8_t *packed, size_t words, uint64_t *set);

/* Gives each cell of it a distance. */
void packed_mark(const Kernel *kernel, const uint8_t *packed, size_t words, Plies value,
                 Plies *plies);

#endif
