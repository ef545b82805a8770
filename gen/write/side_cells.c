/* side_cells.c - the cells of a side as they have waited (cells.h), and some of its slices in memory:
 * see side.h. */
#include <omp.h>
#include <stdlib.h>

#include "core/system/error.h"
#include "core/system/stop.h"
#include "gen/write/side.h"

enum { LARGE_SAMPLED = 4 /* slices of which some cells are looked at first */ };

/* ---- Chunks ---------------------------------------------------------------------------------- */

treb_status side_read_chunk(const Side *s, uint64_t slice, uint32_t number, Chunk *out,
                            treb_error *error)
{
    const CodedJob *job = s->job;
    uint32_t planes;
    cells_chunk_planes(job->cells, number, &planes);
    out->count = planes * shape_lane_cells(job->shape);
    treb_status status = cells_read(job->cells, slice, s->side, number, out->cell, error);
    if (status == TREB_OK && side_by_verdict(job))
        status = cells_read(job->verdicts, slice, s->side, number, out->verdict, error);
    return status;
}

bool side_chunk_init(const Side *s, Chunk *chunk)
{
    Ledger *ledger = s->job->ledger;
    size_t bytes = cells_chunk_bytes(s->job->shape);
    *chunk = (Chunk){ledger_alloc(ledger, bytes), ledger_alloc(ledger, bytes),
                     ledger_alloc(ledger, bytes / sizeof(Plies)), 0};
    return chunk->cell && chunk->verdict && chunk->spare;
}

void side_chunk_free(Chunk *chunk)
{
    ledger_free(chunk->cell);
    ledger_free(chunk->verdict);
    ledger_free(chunk->spare);
}

/* The solver's number of a slice. */
uint64_t side_solved_slice(const CodedJob *job, uint64_t slice)
{
    const Index *file = &job->header->index;
    return index_slice_in(&job->shape->index, file, slice, index_slice_place(file, slice));
}

/* By the chunks of one process, so that ranks look at the same planes. */
bool batch_looks_at(const Side *s, const Batch *batch, uint32_t kings)
{
    const uint32_t most = cells_planes(s->job->shape), first = kings / most * most;
    if (batch->window == NULL) return true;
    for (uint32_t k = first; k < first + most && k < s->job->shape->kings; k++)
        if (window_has(batch->window, k)) return true;
    return false;
}

static bool chunk_wanted(const Side *s, const Batch *batch, uint32_t number)
{
    uint32_t planes;
    const uint32_t *plane = cells_chunk_planes(s->job->cells, number, &planes);
    const uint32_t most = cells_planes(s->job->shape);
    bool wanted = false;
    for (uint32_t k = 0; k < planes && !wanted; k++)
        if (k == 0 || plane[k] / most != plane[k - 1] / most)
            wanted = batch_looks_at(s, batch, plane[k]);
    return wanted && cells_here(s->job->cells, number);
}

treb_status side_each_chunk(const Side *s, const Batch *batch, UseChunk *use, void *context,
                            treb_error *error)
{
    const CodedJob *job = s->job;
    treb_status status = TREB_OK;
    uint64_t chunks = cells_chunks(job->cells), parts = batch->count * chunks;
#pragma omp parallel
    {
        Chunk chunk;
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
#pragma omp critical(coded_error)
            {
                status = own;
                *error = mine;
            }
        }
        side_chunk_free(&chunk);
    }
    return status;
}

/* ---- Batches --------------------------------------------------------------------------------- */

uint64_t batch_slice_cells(const Side *s, const Batch *batch)
{
    return batch->window != NULL ? batch->window->cells : s->cells;
}

size_t batch_slices(const Side *s, uint64_t cells)
{
    uint64_t slices = cells / s->cells;
    uint64_t all = s->job->shape->index.slices;
    return slices < 1 ? 1 : slices < all ? (size_t)slices : (size_t)all;
}

uint8_t *batch_slice(const Side *s, const Batch *batch, size_t i)
{
    if (batch->cells == NULL) return s->whole + batch->number[i] * s->cells;
    return batch->cells + i * batch_slice_cells(s, batch);
}

treb_status batch_reserve(const Side *s, Batch *batch, uint64_t cells, treb_error *error)
{
    size_t slices = batch_slices(s, cells);
    batch->number = malloc(slices * sizeof *batch->number);
    if (s->whole == NULL) batch->cells = ledger_alloc(s->job->ledger, slices * s->cells);
    bool enough = batch->number != NULL && (batch->cells != NULL || s->whole != NULL);
    return enough ? TREB_OK : fail_memory(error);
}

void batch_free(Batch *batch)
{
    free(batch->number);
    ledger_free(batch->cells);
    *batch = (Batch){NULL, 0, NULL, NULL};
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
        if (!again && cells_has(s->job->cells, side_solved_slice(s->job, number)))
            out[listed++] = number;
    }
    for (uint64_t i = 0; i < slices && listed == 0; i++)
        if (cells_has(s->job->cells, side_solved_slice(s->job, first + i)))
            out[listed++] = first + i;
    return listed;
}

uint64_t side_spare_memory(const Side *s)
{
    const CodedJob *job = s->job;
    uint64_t room = ledger_room(job->ledger),
             each = coded_memory(job->shape, job->classes, job->large, job->ranks,
                                 omp_get_max_threads()),
             needed = each * job->at_once;
    return room > needed ? room - needed : 0;
}

void side_keep_whole(Side *s)
{
    const CodedJob *job = s->job;
    const uint64_t bytes = job->shape->index.slices * s->cells;
    if (!job->ledger->ample || s->large || job->ranks != NULL || side_sample_is_all(s)) return;
    /* Of what is spare the other files get as much, and arrays that were freed may hold some. */
    const uint64_t spare = side_spare_memory(s), freed = ledger_freed_most(job->ledger);
    if (spare < freed || (spare - freed) / (2 * job->at_once) < ledger_cost(bytes)) return;
    s->whole = ledger_alloc(job->ledger, bytes);
}

void side_free_whole(Side *s)
{
    ledger_free(s->whole);
    s->whole = NULL;
}

bool side_sample_is_all(const Side *s)
{
    return batch_slices(s, side_sample_cells(s->job->large)) == s->job->shape->index.slices;
}

treb_status side_sample_window(Side *s, const Reorder *reorder, size_t slices, bool inner_whole,
                               treb_error *error)
{
    window_free(&s->window);
    bool made = window_init_sample(&s->window, reorder, side_sample_cells(s->job->large) / slices,
                                   inner_whole);
    s->sample.window = &s->window;
    return made ? TREB_OK : fail_memory(error);
}

/* Some of the cells of some large slices. */
static treb_status choose_large_sample(Side *s, treb_error *error)
{
    Batch *sample = &s->sample;
    uint64_t slices = s->job->shape->index.slices;
    size_t wanted = slices < LARGE_SAMPLED ? (size_t)slices : LARGE_SAMPLED;
    Reorder plain;
    if (!reorder_init(&plain, s->job->shape, NULL)) return fail_memory(error);
    sample->number = malloc(slices * sizeof *sample->number);
    sample->cells = ledger_alloc(s->job->ledger, SAMPLE_CELLS);
    bool enough = sample->number != NULL && sample->cells != NULL;
    treb_status status = enough ? TREB_OK : fail_memory(error);
    if (status == TREB_OK) sample->count = side_list_slices(s, 0, slices, wanted, sample->number);
    if (status == TREB_OK) status = side_sample_window(s, &plain, wanted, false, error);
    reorder_free(&plain);
    return status;
}

treb_status side_choose_sample(Side *s, treb_error *error)
{
    Batch *sample = &s->sample;
    if (s->large) return choose_large_sample(s, error);
    const uint64_t cells = side_sample_cells(s->job->large);
    treb_status status = batch_reserve(s, sample, cells, error);
    if (status == TREB_OK)
        sample->count = side_list_slices(s, 0, s->job->shape->index.slices, batch_slices(s, cells),
                                         sample->number);
    return status;
}
