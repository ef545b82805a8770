/* reorder.h - from the solver's cells of a slice to those of a file, whatever the order of its
 * axes. */
#ifndef TREB_GEN_WRITE_REORDER_H
#define TREB_GEN_WRITE_REORDER_H

#include "core/format/index.h"
#include "gen/solve/slice_provider.h"

/* Where the cells of a file come from. */
typedef struct Reorder {
    Index index;
    uint64_t cells; /* of a slice */
    int axes;
    uint32_t radix[INDEX_AXES_MAX];   /* outermost first */
    uint64_t *offset[INDEX_AXES_MAX]; /* what a coordinate adds to the number of a solver's cell */
} Reorder;

/* For the order of axes of an index_init_square_colors. False: out of memory. */
bool reorder_init(Reorder *reorder, const Layout *layout, const uint8_t *order);
void reorder_free(Reorder *reorder); /* also of zeros */

/* Copies `count` cells from cell `first` of a slice on. `from`: the cells of that slice, plane after
 * plane, as in gen/write/cells.h. */
void reorder_copy(const Reorder *reorder, const uint8_t *from, uint64_t first, size_t count,
                  uint8_t *out);

/* Copies all cells of a slice, in parallel: several times as fast. */
void reorder_slice(const Reorder *reorder, const uint8_t *from, uint8_t *out);

/* One of the axes that cells differ in: how many coordinates it has, and what each adds to the number of
 * a solver's cell, and one step to that of a cell in memory. */
typedef struct ReorderAxis {
    uint32_t radix;
    const uint64_t *from;
    uint64_t to;
} ReorderAxis;

/* Copies all cells that differ in these axes, the innermost of which has steps of 1. */
void reorder_axes(const ReorderAxis *axis, int axes, const uint8_t *from, uint8_t *out);

#endif
