/* cell_batch.h - slices of one side to move whose cells are in memory, as values of a code. */
#ifndef TREB_GEN_WRITE_CELL_BATCH_H
#define TREB_GEN_WRITE_CELL_BATCH_H

#include "gen/write/window.h"
#include "trebuchet.h"

typedef struct SideEncoder SideEncoder; /* side_encoder.h */

typedef struct CellBatch {
    uint64_t *number; /* of each slice, in the file */
    size_t count;
    /* slice after slice, in the solver's order unless SideEncoder.in_order; NULL: they are in SideEncoder.whole */
    uint8_t *cells;
    Window *window; /* if not NULL `cells` holds only the cells of this window of each slice */
} CellBatch;

/* Number of cells of each slice that the batch holds. */
uint64_t cell_batch_slice_cells(const SideEncoder *s, const CellBatch *batch);

/* Returns the cells of slice number `i` of the batch. */
uint8_t *cell_batch_slice(const SideEncoder *s, const CellBatch *batch, size_t i);

/* Allocates memory for slices with `cells` cells together (at least one slice), unless the side keeps all slices in
 * memory. A batch that is all 0 may be freed too. */
treb_status cell_batch_reserve(const SideEncoder *s, CellBatch *batch, uint64_t cells,
                               treb_error *error);
void cell_batch_free(CellBatch *batch);

/* Whether the batch needs the plane of this pair of kings. With a window it also takes the planes that one process
 * alone would have in the same chunk, so that the sample does not depend on the number of processes. */
bool cell_batch_covers(const SideEncoder *s, const CellBatch *batch, uint32_t kings);

/* Copies `count` cells from cell `first` on, in the order of `reorder`, one slice after the other. `reorder` must be
 * the side's own if its cells are in the file's order. */
void cell_batch_copy(const SideEncoder *s, const CellBatch *batch, const Reorder *reorder,
                     uint64_t first, size_t count, uint8_t *out);

#endif
