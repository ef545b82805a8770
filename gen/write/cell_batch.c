/* cell_batch.c - see cell_batch.h. */
#include "gen/write/cell_batch.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/write/side_encoder.h"

uint64_t cell_batch_slice_cells(const SideEncoder *s, const CellBatch *batch)
{
    if (batch->window != NULL) return batch->window->cells;
    return s->in_order ? s->reorder.cells : s->cells;
}

uint8_t *cell_batch_slice(const SideEncoder *s, const CellBatch *batch, size_t i)
{
    const uint64_t slice = cell_batch_slice_cells(s, batch);
    return batch->cells == NULL ? s->whole + batch->number[i] * slice : batch->cells + i * slice;
}

treb_status cell_batch_reserve(const SideEncoder *s, CellBatch *batch, uint64_t cells,
                               treb_error *error)
{
    size_t slices = side_slices_in(s, cells);
    batch->number = malloc(slices * sizeof *batch->number);
    if (s->whole == NULL) batch->cells = budget_alloc(s->job->budget, slices * s->cells);
    bool enough = batch->number != NULL && (batch->cells != NULL || s->whole != NULL);
    return enough ? TREB_OK : fail_memory(error);
}

void cell_batch_free(CellBatch *batch)
{
    free(batch->number);
    budget_free(batch->cells);
    *batch = (CellBatch){NULL, 0, NULL, NULL};
}

/* The range of planes is a chunk of one process, so that any number of processes uses the same
 * planes. */
bool cell_batch_covers(const SideEncoder *s, const CellBatch *batch, uint32_t kings)
{
    const uint32_t most = cells_planes(s->job->layout), first = kings / most * most;
    if (batch->window == NULL) return true;
    for (uint32_t k = first; k < first + most && k < s->job->layout->kings; k++)
        if (window_has(batch->window, k)) return true;
    return false;
}

void cell_batch_copy(const SideEncoder *s, const CellBatch *batch, const Reorder *reorder,
                     uint64_t first, size_t count, uint8_t *out)
{
    uint64_t size = reorder->cells;
    while (count > 0) {
        uint64_t slice = first / size, at = first % size;
        size_t part = size - at < count ? (size_t)(size - at) : count;
        const uint8_t *cells = cell_batch_slice(s, batch, slice);
        if (s->in_order)
            memcpy(out, cells + at, part);
        else
            reorder_copy(reorder, cells, at, part, out);
        out += part;
        first += part;
        count -= part;
    }
}
