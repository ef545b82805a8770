/* reorder.h - copies cells of a slice from the solver's order to the order of one of our files
 * with codec symbols.
 *
 * Both orders number cells by the same axes (the kings and each group of like men), only in
 * another order. So a cell's number in the solver's order is a sum of one offset for each axis.
 * Syzygy's files number positions in another way, without such axes; gen/syzygy/remap.h does
 * that. codes_order does it for codec zstd. */
#ifndef TREB_GEN_WRITE_REORDER_H
#define TREB_GEN_WRITE_REORDER_H

#include "core/format/index.h"
#include "gen/solve/slice_provider.h"

/* Where the cells of a file come from. */
typedef struct Reorder {
    Index index;
    uint64_t cells; /* of a slice */
    int axes;
    uint32_t radix[INDEX_AXES_MAX];   /* number of coordinates, outermost axis first */
    uint64_t *offset[INDEX_AXES_MAX]; /* offset in the solver's order, by coordinate */
} Reorder;

/* `order`: the order of axes for index_init_square_colors. Returns false if out of memory. */
bool reorder_init(Reorder *reorder, const Layout *layout, const uint8_t *order);
void reorder_free(Reorder *reorder); /* a Reorder that is all 0 may be freed too */

/* Copies `count` cells of a slice from cell `first` on. `from` has the cells of that slice plane
 * after plane, as cells_read writes them. */
void reorder_copy(const Reorder *reorder, const uint8_t *from, uint64_t first, size_t count,
                  uint8_t *out);

/* Copies all cells of a slice, in parallel. Several times as fast as reorder_copy. */
void reorder_slice(const Reorder *reorder, const uint8_t *from, uint8_t *out);

/* One axis: its number of coordinates, the offset of each coordinate in `from`, and the step
 * between two coordinates in the output. */
typedef struct ReorderAxis {
    uint32_t radix;
    const uint64_t *from;
    uint64_t to;
} ReorderAxis;

/* Copies all cells that these axes number. The innermost axis must have step 1. */
void reorder_axes(const ReorderAxis *axis, int axes, const uint8_t *from, uint8_t *out);

#endif
