/* side_fill.c - see side_fill.h. */
#include "gen/write/side_fill.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/write/exchange_values.h"
#include "gen/write/side_cells.h"
#include "gen/write/side_values.h"

static treb_status fill_chunk(void *context, size_t slice, uint32_t number, const CellChunk *chunk,
                              treb_error *error)
{
    const SideEncoder *s = ((void **)context)[0];
    const CellBatch *batch = ((void **)context)[1];
    const size_t plane = layout_lane_cells(s->job->layout);
    uint32_t first = number * cells_planes(s->job->layout);
    uint8_t *cells = cell_batch_slice(s, batch, slice);
    /* Values go directly to their place, or first to the chunk's memory if the batch has a
     * window. */
    uint8_t *out = cells + first * plane;
    if (batch->window != NULL) out = chunk->values;
    treb_status status = side_chunk_values(s, chunk, out, error);
    for (uint32_t k = 0; batch->window != NULL && k < chunk->cell.count / plane; k++)
        window_add(batch->window, first + k, out + k * plane, cells);
    return status;
}

treb_status side_fill_batch(const SideEncoder *s, CellBatch *batch, treb_error *error)
{
    void *context[2] = {(void *)(uintptr_t)s, batch};
    if (s->job->processes != NULL) return exchange_sample(s, batch, error);
    if (batch->cells == NULL && s->filled) return TREB_OK;
    return side_each_chunk(s, batch, fill_chunk, context, error);
}

treb_status side_fill_whole(SideEncoder *s, treb_error *error)
{
    const uint64_t slices = s->job->layout->index.slices;
    if (s->whole == NULL || s->filled) return TREB_OK;
    CellBatch rest = {.number = malloc(slices * sizeof *rest.number)};
    if (rest.number == NULL) return fail_memory(error);
    size_t sampled = 0;
    for (uint64_t i = 0; i < slices; i++) {
        if (sampled < s->sample.count && s->sample.number[sampled] == i) {
            sampled++;
            continue;
        }
        if (cells_has(s->job->cells, side_solved_slice(s->job, i)))
            rest.number[rest.count++] = i;
        else
            memset(s->whole + i * s->cells, ENCODE_ANY, s->cells);
    }
    treb_status status = side_fill_batch(s, &rest, error);
    cell_batch_free(&rest);
    s->filled = status == TREB_OK;
    return status;
}
