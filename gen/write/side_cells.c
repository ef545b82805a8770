/* side_cells.c - the cells of a side as they have waited (cells.h), and some of its slices in memory:
 * see side.h. */
#include <omp.h>
#include <stdlib.h>

#include "core/error.h"
#include "gen/write/side.h"

/* ---- Chunks ---------------------------------------------------------------------------------- */

static treb_status read_chunk(const Side *s, uint64_t slice, uint32_t number, Chunk *out,
                              treb_error *error)
{
    const CodedJob *job = s->job;
    uint32_t planes = cells_planes(job->shape), first = number * planes;
    if (planes > job->shape->kings - first) planes = job->shape->kings - first;
    out->count = planes * shape_lane_cells(job->shape);
    treb_status status = cells_read(job->cells, slice, s->side, number, out->cell, error);
    if (status == TREB_OK && side_by_verdict(job))
        status = cells_read(job->verdicts, slice, s->side, number, out->verdict, error);
    return status;
}

/* The solver's number of a slice. */
static uint64_t solved_slice(const CodedJob *job, uint64_t slice)
{
    const Index *file = &job->header->index;
    return index_slice_in(&job->shape->index, file, slice, index_slice_place(file, slice));
}

treb_status side_each_chunk(const Side *s, const Batch *batch, UseChunk *use, void *context,
                            treb_error *error)
{
    const CodedJob *job = s->job;
    treb_status status = TREB_OK;
    uint64_t chunks = cells_chunks(job->cells), parts = batch->count * chunks;
#pragma omp parallel
    {
        Chunk chunk = {ledger_alloc(job->ledger, cells_chunk_bytes(job->shape)),
                       ledger_alloc(job->ledger, cells_chunk_bytes(job->shape)), 0};
#pragma omp for schedule(dynamic)
        for (uint64_t i = 0; i < parts; i++) {
            treb_error mine;
            size_t slice = i / chunks;
            uint64_t solved = solved_slice(job, batch->number[slice]);
            if (!cells_has(job->cells, solved)) continue;
            uint32_t number = (uint32_t)(i % chunks);
            treb_status own = chunk.cell && chunk.verdict ? TREB_OK : fail_memory(&mine);
            if (own == TREB_OK) own = read_chunk(s, solved, number, &chunk, &mine);
            if (own == TREB_OK) own = use(context, slice, number, &chunk, &mine);
            if (own == TREB_OK) continue;
#pragma omp critical(coded_error)
            {
                status = own;
                *error = mine;
            }
        }
        ledger_free(chunk.cell);
        ledger_free(chunk.verdict);
    }
    return status;
}

/* ---- Batches --------------------------------------------------------------------------------- */

size_t batch_slices(const Side *s, uint64_t cells)
{
    uint64_t slices = cells / s->cells;
    uint64_t all = s->job->shape->index.slices;
    return slices < 1 ? 1 : slices < all ? (size_t)slices : (size_t)all;
}

treb_status batch_reserve(const Side *s, Batch *batch, uint64_t cells, treb_error *error)
{
    size_t slices = batch_slices(s, cells);
    batch->number = malloc(slices * sizeof *batch->number);
    batch->cells = ledger_alloc(s->job->ledger, slices * s->cells);
    return batch->number != NULL && batch->cells != NULL ? TREB_OK : fail_memory(error);
}

void batch_free(Batch *batch)
{
    free(batch->number);
    ledger_free(batch->cells);
    *batch = (Batch){NULL, 0, NULL};
}

size_t side_list_slices(const Side *s, uint64_t first, uint64_t slices, size_t wanted,
                        uint64_t *out)
{
    const double golden = 0.6180339887498949;
    size_t listed = 0;
    double within = 0.5;
    for (uint64_t i = 0; i < wanted; i++, within += golden) {
        if (within >= 1) within -= 1;
        double at = ((double)i + within) * (double)slices / (double)wanted;
        uint64_t number = first + (wanted == slices ? i : (uint64_t)at);
        bool again = listed > 0 && out[listed - 1] == number;
        if (!again && cells_has(s->job->cells, solved_slice(s->job, number)))
            out[listed++] = number;
    }
    for (uint64_t i = 0; i < slices && listed == 0; i++)
        if (cells_has(s->job->cells, solved_slice(s->job, first + i))) out[listed++] = first + i;
    return listed;
}

uint64_t side_spare_memory(const Side *s)
{
    const CodedJob *job = s->job;
    uint64_t room = ledger_room(job->ledger),
             each = coded_memory(job->shape, job->classes, omp_get_max_threads()),
             needed = each * job->at_once;
    return room > needed ? room - needed : 0;
}

bool side_sample_is_all(const Side *s)
{
    return batch_slices(s, SAMPLE_CELLS) == s->job->shape->index.slices;
}

treb_status side_choose_sample(Side *s, treb_error *error)
{
    Batch *sample = &s->sample;
    treb_status status = batch_reserve(s, sample, SAMPLE_CELLS, error);
    if (status == TREB_OK)
        sample->count = side_list_slices(s, 0, s->job->shape->index.slices,
                                         batch_slices(s, SAMPLE_CELLS), sample->number);
    return status;
}
