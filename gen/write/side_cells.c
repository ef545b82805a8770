/* side_cells.c - see side_cells.h. */
#include "gen/write/side_cells.h"

#include "core/system/error.h"
#include "core/system/stop.h"

static void forget_cells(CellChunk *chunk)
{
    cells_free_packed(&chunk->cell);
    cells_free_packed(&chunk->verdict);
}

treb_status side_read_chunk(const SideEncoder *s, uint64_t slice, uint32_t number, CellChunk *out,
                            treb_error *error)
{
    const SymbolsJob *job = s->job;
    forget_cells(out);
    treb_status status = cells_read_packed(job->cells, slice, s->side, number, &out->cell, error);
    if (status == TREB_OK && side_by_verdict(job))
        status = cells_read_packed(job->verdicts, slice, s->side, number, &out->verdict, error);
    return status;
}

bool side_chunk_init(const SideEncoder *s, CellChunk *chunk)
{
    size_t cells = cells_chunk_bytes(s->job->layout) / sizeof(Plies);
    *chunk = (CellChunk){.values = budget_alloc(s->job->budget, cells)};
    return chunk->values != NULL;
}

void side_chunk_free(CellChunk *chunk)
{
    forget_cells(chunk);
    budget_free(chunk->values);
}

uint64_t side_solved_slice(const SymbolsJob *job, uint64_t slice)
{
    const Index *file = &job->header->index;
    return index_slice_in(&job->layout->index, file, slice, index_slice_place(file, slice));
}

static bool chunk_wanted(const SideEncoder *s, const CellBatch *batch, uint32_t number)
{
    uint32_t planes;
    const uint32_t *plane = cells_chunk_planes(s->job->cells, number, &planes);
    const uint32_t most = cells_planes(s->job->layout);
    bool wanted = false;
    for (uint32_t k = 0; k < planes && !wanted; k++)
        if (k == 0 || plane[k] / most != plane[k - 1] / most)
            wanted = cell_batch_covers(s, batch, plane[k]);
    return wanted && cells_here(s->job->cells, number);
}

treb_status side_each_chunk(const SideEncoder *s, const CellBatch *batch, UseChunk *use,
                            void *context, treb_error *error)
{
    const SymbolsJob *job = s->job;
    treb_status status = TREB_OK;
    uint64_t chunks = cells_chunks(job->cells), parts = batch->count * chunks;
#pragma omp parallel
    {
        CellChunk chunk;
        bool enough = side_chunk_init(s, &chunk);
#pragma omp for schedule(dynamic)
        for (uint64_t i = 0; i < parts; i++) {
            treb_error mine;
            size_t slice = i / chunks;
            uint64_t solved = side_solved_slice(job, batch->number[slice]);
            if (!cells_has(job->cells, solved)) continue;
            uint32_t number = (uint32_t)(i % chunks);
            if (!chunk_wanted(s, batch, number)) continue;
            treb_status own = enough ? stop_check(job->stop, &mine) : fail_memory(&mine);
            if (own == TREB_OK) own = side_read_chunk(s, solved, number, &chunk, &mine);
            if (own == TREB_OK) own = use(context, slice, number, &chunk, &mine);
            if (own == TREB_OK) continue;
#pragma omp critical(encode_error)
            {
                status = own;
                *error = mine;
            }
        }
        side_chunk_free(&chunk);
    }
    return status;
}
