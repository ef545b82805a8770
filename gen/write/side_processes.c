/* side_processes.c - see side_processes.h. */
#include "gen/write/side_processes.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/write/block_spool.h"
#include "gen/write/exchange_values.h"

/* ---- Blocks ---------------------------------------------------------------------------------- */

static treb_status use_blocks(void *context, const CodedBlocks *blocks, treb_error *error)
{
    const BlockOutput *out = context;
    treb_status status = side_write_blocks(out, blocks, error);
    for (size_t b = 0; b < blocks->count && out->side->job->progress; b++)
        progress_add(&out->side->job->progress->written, blocks->cells[b]);
    return status;
}

/* ProcessExchange.take of the first process, which writes the blocks of another. */
static treb_status take_blocks(void *context, const ReceivedBytes *received, treb_error *error)
{
    return block_spool_receive(received, use_blocks, context, error);
}

/* The other processes send their blocks to the first, one process after the other. The first has
 * written its own blocks before. */
static treb_status bring_blocks(BlockOutput *out, BlockSpool *spool, treb_error *error)
{
    const Processes *processes = out->side->job->processes;
    treb_status status = TREB_OK;
    for (int r = 1; r < processes->count && status == TREB_OK; r++) {
        ProcessExchange x = {processes->index == 0 ? (void *)out : spool, processes->index == r,
                             processes->index == 0 ? UINT64_C(1) << r : 0, block_spool_send,
                             take_blocks};
        status = processes_exchange(processes, &x, error);
    }
    return status == TREB_OK ? block_spool_clear(spool, error) : status;
}

/* ---- Slices, or parts of them ---------------------------------------------------------------- */

/* How a slice is divided among processes: into coordinates of the outermost axis if slices are
 * large, otherwise into segments. */
typedef struct Units {
    uint64_t unit,
        units; /* cells of a unit (the last may have fewer); number of units of the slice */
    uint64_t each, at_once; /* cells of a coordinate; units that each process takes at a time */
} Units;

static Units units_of(const SideEncoder *s)
{
    const Processes *processes = s->job->processes;
    const uint64_t radix = s->reorder.radix[0], n = (uint64_t)processes->count;
    Units c = {.each = s->reorder.cells / radix};
    c.unit = s->large ? c.each : SEGMENT;
    c.units = (s->reorder.cells + c.unit - 1) / c.unit;
    c.at_once = (c.units + n - 1) / n;
    if (!s->large) return c;
    /* As many as every process has memory for. */
    uint64_t memory = side_sample_cells(s->job->large) + side_spare_memory(s) / 4 * 3;
    uint64_t most = (s->job->large > 0 ? s->job->large : memory) / c.each;
    most = processes->all_min(processes->context, most < 1 ? 1 : most);
    if (c.at_once > most) c.at_once = most;
    return c;
}

/* Encodes the units of a slice from number `first` on: at_once units for each process. */
static treb_status write_units(BlockOutput *out, const Units *c, uint64_t slice, uint64_t first,
                               treb_error *error)
{
    const SideEncoder *s = out->side;
    const Processes *processes = s->job->processes;
    Window window[PROCESSES_MAX];
    WantedCells wanted[PROCESSES_MAX];
    uint64_t number = slice, begin = 0, end = 0;
    uint32_t coordinate = 0;
    treb_status status = TREB_OK;
    memset(window, 0, sizeof window);
    for (int r = 0; r < processes->count && status == TREB_OK; r++) {
        uint64_t from = (first + (unsigned)r * c->at_once) * c->unit,
                 to = from + c->at_once * c->unit;
        if (to > s->reorder.cells) to = s->reorder.cells;
        wanted[r] = (WantedCells){0, from < to, &window[r]};
        if (from >= to) continue;
        const uint32_t a = (uint32_t)(from / c->each), b = (uint32_t)((to - 1) / c->each + 1);
        if (!window_init(&window[r], &s->reorder, a, b - a)) status = fail_memory(error);
        if (r != processes->index) continue;
        begin = from;
        end = to;
        coordinate = a;
    }
    const uint64_t cells = window[processes->index].cells;
    CellBatch batch = {&number, 1, budget_alloc(s->job->budget, cells + 1), NULL};
    if (status == TREB_OK && batch.cells == NULL) status = fail_memory(error);
    if (status == TREB_OK) memset(batch.cells, ENCODE_ANY, cells);
    if (status == TREB_OK) status = exchange_values(s, &batch, wanted, error);
    const uint64_t step = s->large ? c->each : end - begin;
    for (uint64_t at = begin; at < end && status == TREB_OK; at += step)
        status = side_encode(
            out, &(EncodeInput){NULL, batch.cells + (at - coordinate * c->each), step}, error);
    for (int r = 0; r < processes->count; r++) window_free(&window[r]);
    budget_free(batch.cells);
    return status;
}

static treb_status write_large_slices(BlockOutput *out, BlockSpool *spool, treb_error *error)
{
    const SideEncoder *s = out->side;
    const SliceClass *class = &s->each[out->class];
    const Units c = units_of(s);
    const uint64_t all = c.at_once * (unsigned)s->job->processes->count;
    treb_status status = TREB_OK;
    for (uint64_t i = 0; i < class->slices && status == TREB_OK; i++)
        for (uint64_t u = 0; u < c.units && status == TREB_OK; u += all) {
            status = write_units(out, &c, class->first + i, u, error);
            if (status == TREB_OK) status = bring_blocks(out, spool, error);
        }
    return status;
}

/* Encodes small slices: each process takes whole batches of them. */
static treb_status write_batches(BlockOutput *out, BlockSpool *spool, treb_error *error)
{
    const SideEncoder *s = out->side;
    const Processes *processes = s->job->processes;
    const SliceClass *class = &s->each[out->class];
    const size_t most = side_slices_in(s, BATCH_CELLS), all = most * (size_t)processes->count;
    CellBatch batch = {malloc(all * sizeof *batch.number), 0,
                       budget_alloc(s->job->budget, most * s->cells), NULL};
    treb_status status = batch.number && batch.cells ? TREB_OK : fail_memory(error);
    for (uint64_t at = 0; at < class->slices && status == TREB_OK; at += all) {
        WantedCells wanted[PROCESSES_MAX];
        batch.count = class->slices - at < all ? (size_t)(class->slices - at) : all;
        for (size_t i = 0; i < batch.count; i++) batch.number[i] = class->first + at + i;
        for (int r = 0; r < processes->count; r++) {
            const size_t first = (size_t)r * most, end = first + most;
            wanted[r] = (WantedCells){first < batch.count ? first : batch.count,
                                      end < batch.count ? end : batch.count, NULL};
        }
        memset(batch.cells, ENCODE_ANY, most * s->cells);
        status = exchange_values(s, &batch, wanted, error);
        const size_t count = wanted[processes->index].end - wanted[processes->index].first;
        const CellBatch own = {NULL, count, batch.cells, NULL};
        const EncodeInput input = {&own, NULL, count * s->reorder.cells};
        if (status == TREB_OK) status = side_encode(out, &input, error);
        if (status == TREB_OK) status = bring_blocks(out, spool, error);
    }
    cell_batch_free(&batch);
    return status;
}

treb_status side_encode_together(BlockOutput *out, treb_error *error)
{
    const SideEncoder *s = out->side;
    const Processes *processes = s->job->processes;
    BlockSpool spool;
    treb_status status =
        block_spool_init(&spool, processes, s->job->scratch, processes->index > 0, error);
    if (status != TREB_OK) return status;
    if (processes->index > 0) out->spool = &spool;
    cell_batch_free(&out->side->sample);
    for (; out->class < s->classes && status == TREB_OK; out->class ++)
        status = s->large || side_slices_in(s, BATCH_CELLS) == 1
                     ? write_large_slices(out, &spool, error)
                     : write_batches(out, &spool, error);
    block_spool_free(&spool);
    return status;
}
