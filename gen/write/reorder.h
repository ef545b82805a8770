/* reorder.h - copies cells of a slice from the solver's order to the order of a table file with codec
 * symbols.
 *
 * Both orders number cells by the axes of the index (the kings and each group of like men), but the
 * axes come in a different order. So a cell's number in the solver's order is a sum of one offset for
 * each axis. For codec zstd, codes_order does this. Syzygy's files number positions without such axes:
 * see gen/syzygy/remap.h. */
#ifndef TREB_GEN_WRITE_REORDER_H
#define TREB_GEN_WRITE_REORDER_H

#include "core/format/index.h"
#include "gen/solve/slice_provider.h"

/* The axes of a file, and where its cells come from. */
typedef struct Reorder {
    Index index;
    uint64_t cells; /* number of cells of a slice */
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

/* Copies all cells of a slice, in parallel. It is several times faster than reorder_copy. */
void reorder_slice(const Reorder *reorder, const uint8_t *from, uint8_t *out);

/* One axis: its number of coordinates, the offset of each coordinate in `from`, and the step
 * between two coordinates in the output. */
typedef struct ReorderAxis {
    uint32_t radix;
    const uint64_t *from;
    uint64_t to;
} ReorderAxis;

/* Copies the cells of all combinations of coordinates of these axes. The innermost axis must have step 1. */
void reorder_axes(const ReorderAxis *axis, int axes, const uint8_t *from, uint8_t *out);

#endif
