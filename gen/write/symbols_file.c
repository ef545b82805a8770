/* symbols_file.c - see symbols_file.h.
 *
 * First a sample of slices of each side is analysed: which values are frequent, and which order
 * of the axes is best. Of distances only the side that takes fewer bytes is kept. Then codes are
 * learned from parts of all slices, or of many if there are too many. At last all slices are
 * encoded, some at a time: their cells become values, are brought into the chosen order, cut
 * into symbols and packed, all in parallel, and the blocks are written in order. */
#include "gen/write/symbols_file.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/compress/order_search.h"
#include "gen/write/side_coders.h"
#include "gen/write/side_fill.h"
#include "gen/write/side_order.h"
#include "gen/write/side_processes.h"
#include "gen/write/side_sample.h"
#include "gen/write/side_values.h"

/* ---- All cells ------------------------------------------------------------------------------ */

static treb_status batch_encode(const BlockOutput *out, const CellBatch *batch, treb_error *error)
{
    const SideEncoder *s = out->side;
    const uint64_t slice = s->reorder.cells;
    for (size_t i = 0; i < batch->count && s->ordered != NULL; i++)
        reorder_slice(&s->reorder, cell_batch_slice(s, batch, i), s->ordered + i * slice);
    const uint8_t *ordered = s->in_order ? cell_batch_slice(s, batch, 0) : s->ordered;
    return side_encode(out, &(EncodeInput){batch, ordered, batch->count * slice}, error);
}

/* ---- Large slices ---------------------------------------------------------------------------- */

/* Encodes `count` coordinates of the outermost axis of a slice, one after the other, so that the
 * bytes do not depend on how many coordinates memory allows at a time. */
static treb_status write_window(const BlockOutput *out, CellBatch *batch, uint32_t first,
                                uint32_t count, treb_error *error)
{
    const SideEncoder *s = out->side;
    Window window;
    if (!window_init(&window, &s->reorder, first, count)) return fail_memory(error);
    batch->window = &window;
    memset(batch->cells, ENCODE_ANY, window.cells);
    treb_status status = side_fill_batch(s, batch, error);
    const uint64_t each = window.stride[0];
    for (uint32_t i = 0; i < count && status == TREB_OK; i++)
        status = side_encode(out, &(EncodeInput){NULL, batch->cells + i * each, each}, error);
    window_free(&window);
    return status;
}

/* Takes as many coordinates at a time as memory allows. Unless the outermost axis is the kings,
 * each time all planes are read. */
static treb_status write_large(BlockOutput *out, treb_error *error)
{
    SideEncoder *s = out->side;
    const uint32_t radix = s->reorder.radix[0];
    const uint64_t each = s->reorder.cells / radix;
    cell_batch_free(&s->sample);
    uint64_t memory = side_sample_cells(s->job->large) + side_spare_memory(s) / 4 * 3;
    uint64_t most = (s->job->large > 0 ? s->job->large : memory) / each;
    const uint32_t at_once = most < 1 ? 1 : most < radix ? (uint32_t)most : radix;
    uint64_t number;
    CellBatch batch = {&number, 1, budget_alloc(s->job->budget, at_once * each), NULL};
    treb_status status = batch.cells != NULL ? TREB_OK : fail_memory(error);
    for (; out->class < s->classes && status == TREB_OK; out->class ++) {
        const SliceClass *class = &s->each[out->class];
        for (uint64_t i = 0; i < class->slices && status == TREB_OK; i++) {
            number = class->first + i;
            for (uint32_t c = 0; c < radix && status == TREB_OK; c += at_once)
                status =
                    write_window(out, &batch, c, radix - c < at_once ? radix - c : at_once, error);
        }
    }
    budget_free(batch.cells);
    return status;
}

/* ---- Slices ---------------------------------------------------------------------------------- */

/* Encodes a class of slices. Cells of slices that no position uses do not matter. */
static treb_status write_class(const BlockOutput *out, CellBatch *batch, treb_error *error)
{
    const SideEncoder *s = out->side;
    const SliceClass *class = &s->each[out->class];
    size_t most = side_slices_in(s, BATCH_CELLS);
    treb_status status = TREB_OK;
    for (uint64_t at = 0; at < class->slices && status == TREB_OK; at += most) {
        uint64_t first = class->first + at;
        size_t count = class->slices - at < most ? (size_t)(class->slices - at) : most;
        if (s->sample.cells != NULL) {
            uint8_t *cells = cell_batch_slice(s, &s->sample, first);
            CellBatch kept = {NULL, count, cells, NULL};
            status = batch_encode(out, &kept, error);
            continue;
        }
        batch->count = count;
        for (size_t i = 0; i < count; i++) batch->number[i] = first + i;
        if (batch->cells != NULL) memset(batch->cells, ENCODE_ANY, count * s->cells);
        status = side_fill_batch(s, batch, error);
        if (status == TREB_OK) status = batch_encode(out, batch, error);
    }
    return status;
}

/* Allocates memory to bring a whole batch into the file's order at once, if there is more memory
 * than needed. */
static void reserve_ordered(SideEncoder *s)
{
    size_t bytes = side_slices_in(s, BATCH_CELLS) * s->cells;
    if (!s->in_order && side_spare_memory(s) >= budget_cost(bytes))
        s->ordered = budget_alloc(s->job->budget, bytes);
}

static treb_status write_slices(BlockOutput *out, treb_error *error)
{
    CellBatch batch = {NULL, 0, NULL, NULL};
    SideEncoder *s = out->side;
    if (s->job->processes != NULL) return side_encode_together(out, error);
    if (s->large) return write_large(out, error);
    bool kept = s->sample.cells != NULL;
    treb_status status = kept ? TREB_OK : cell_batch_reserve(s, &batch, BATCH_CELLS, error);
    reserve_ordered(s);
    for (; out->class < out->side->classes && status == TREB_OK; out->class ++)
        status = write_class(out, &batch, error);
    cell_batch_free(&batch);
    budget_free(s->ordered);
    s->ordered = NULL;
    side_free_whole(s);
    return status;
}

/* ---- A file ---------------------------------------------------------------------------------- */

static treb_status put_codes(SideEncoder *s, treb_error *error)
{
    TableHeader *header = s->job->header;
    TableSide *side = &header->side[s->side];
    side->index = s->reorder.index;
    side->code.block_bytes = s->block_bytes;
    side->code.count = s->classes;
    for (unsigned c = 0; c < s->classes; c++) side->code.size += coder_code(s->each[c].coder, NULL);
    uint8_t *at = side->code.bytes = malloc(side->code.size);
    if (at == NULL) return fail_memory(error);
    for (unsigned c = 0; c < s->classes; c++) at += coder_code(s->each[c].coder, at);
    return TREB_OK;
}

/* Whether the sample may stay in memory until it is encoded: it is the whole table, or all
 * slices are kept, and enough memory is left for everything else. */
static bool can_keep(const SideEncoder *s)
{
    if (s->whole != NULL) return true;
    return s->job->processes == NULL && !s->large &&
           s->sample.count == s->job->layout->index.slices && side_spare_memory(s) > 0;
}

/* Brings the slices that are kept into the file's order, if there is memory for one more: to learn from
 * cells all over memory takes much longer. */
static void order_kept(SideEncoder *s)
{
    const uint64_t slice = s->reorder.cells, slices = s->job->layout->index.slices;
    if (!can_keep(s) || side_spare_memory(s) < budget_cost(slice)) return;
    uint8_t *cells = s->whole != NULL ? s->whole : s->sample.cells;
    uint8_t *ordered = budget_alloc(s->job->budget, slice);
    if (ordered == NULL) return;
    for (uint64_t i = 0; i < slices; i++) {
        reorder_slice(&s->reorder, cells + i * s->cells, ordered);
        memcpy(cells + i * slice, ordered, slice); /* `slice` is not above s->cells */
    }
    budget_free(ordered);
    s->in_order = true;
}

/* Analyses a sample of a side's cells: what the values stand for, and the best order. */
static treb_status analyse_sample(SideEncoder *s, treb_error *error)
{
    side_keep_whole(s);
    treb_status status = side_choose_sample(s, error);
    if (status == TREB_OK) status = side_choose_values(s, error);
    if (status == TREB_OK) status = side_fill_batch(s, &s->sample, error);
    if (status == TREB_OK) status = side_choose_order(s, error);
    return status;
}

/* Learns the codes of a side that was analysed. */
static treb_status prepare(SideEncoder *s, treb_error *error)
{
    treb_status status = side_fill_whole(s, error);
    if (status == TREB_OK && s->sample.number == NULL) {
        status = side_choose_sample(s, error);
        if (status == TREB_OK && !s->large && side_sample_is_all(s))
            status = side_fill_batch(s, &s->sample, error);
    }
    if (status == TREB_OK) order_kept(s);
    if (status == TREB_OK) status = side_learn(s, error);
    budget_trim(s->job->budget);
    if (status == TREB_OK) status = put_codes(s, error);
    if (!can_keep(s)) {
        cell_batch_free(&s->sample);
        s->in_order = false;
    }
    return status;
}

static void forget_values(TableSide *side)
{
    for (int v = 0; v < WDL_VALUES; v++) {
        free(side->plies[v]);
        side->plies[v] = NULL;
        side->codes[v] = 0;
    }
}

/* Analyses and prepares the sides to move that the file has; of distances the side that takes
 * fewer bytes. `keep` tells which. Unless memory is plentiful only one sample at a time is in
 * memory. */
static treb_status prepare_sides(const SymbolsJob *job, SideEncoder *sides, bool keep[2],
                                 treb_error *error)
{
    treb_status status = TREB_OK;
    const bool places = job->metric == TREB_DTM50;
    bool one = job->metric != TREB_WDL && !places && !job->layout->symmetric;
    keep[0] = true;
    keep[1] = !places && !job->layout->symmetric;
    for (int s = 0; s < 2 && status == TREB_OK; s++) {
        if (!keep[s]) continue;
        status = analyse_sample(&sides[s], error);
        if (status == TREB_OK && !one) status = prepare(&sides[s], error);
        if (one && s == 0 && !can_keep(&sides[s])) cell_batch_free(&sides[s].sample);
    }
    if (!one || status != TREB_OK) return status;
    int chosen = sides[1].bytes < sides[0].bytes;
    keep[!chosen] = false;
    cell_batch_free(&sides[!chosen].sample);
    side_free_whole(&sides[!chosen]);
    forget_values(&job->header->side[!chosen]);
    return prepare(&sides[chosen], error);
}

static void side_free(SideEncoder *s)
{
    window_free(&s->window);
    cell_batch_free(&s->sample);
    side_free_whole(s);
    reorder_free(&s->reorder);
    side_free_coders(s);
}

static treb_status open_writer(const SymbolsJob *job, TableWriter **writer, treb_error *error)
{
    if (job->processes != NULL && job->processes->index > 0) return TREB_OK;
    *writer = table_writer_open(job->directory, job->header, NULL, 0, error);
    return *writer != NULL ? TREB_OK : error->status;
}

static treb_status write_sides(const SymbolsJob *job, SideEncoder *sides, TableWriter **writer,
                               treb_error *error)
{
    bool keep[2];
    treb_status status = prepare_sides(job, sides, keep, error);
    for (int s = 0; s < 2; s++)
        if (keep[s] || table_has_cells(job->header, s)) job->header->side[s].stored = keep[s];
    if (status == TREB_OK) status = open_writer(job, writer, error);
    for (int s = 0; s < 2 && status == TREB_OK; s++) {
        BlockOutput out = {&sides[s], *writer, 0, NULL};
        if (keep[s] && !side_is_constant(&sides[s])) status = write_slices(&out, error);
    }
    return status;
}

treb_status symbols_file_write(const SymbolsJob *job, TableWriter **writer, treb_error *error)
{
    SideEncoder *sides = calloc(2, sizeof *sides);
    *writer = NULL;
    if (sides == NULL) return fail_memory(error);
    const uint64_t each = symbols_file_memory(job->layout, job->classes, job->large, job->processes,
                                              omp_get_max_threads());
    for (int s = 0; s < 2; s++) side_encoder_init(&sides[s], job, s, each * job->at_once);
    treb_status status = write_sides(job, sides, writer, error);
    for (int s = 0; s < 2; s++) side_free(&sides[s]);
    free(sides);
    if (status == TREB_OK || *writer == NULL) return status;
    table_writer_abort(*writer);
    *writer = NULL;
    return status;
}

uint64_t symbols_file_memory(const Layout *layout, unsigned classes, uint64_t large,
                             const Processes *processes, int threads)
{
    uint64_t slice = layout->kings * layout_lane_cells(layout), all = slice * layout->index.slices;
    /* Of large slices at least the part that belongs to one coordinate of an axis is in memory. */
    uint64_t sample = SAMPLE_CELLS, batch = BATCH_CELLS;
    if (side_is_large(layout, large))
        batch = SAMPLE_CELLS;
    else if (slice > batch)
        batch = slice;
    uint64_t blocks = SEGMENT; /* a symbol takes less than the byte of a cell */
    unsigned divided = side_classes_most(layout, classes);
    if (sample > all) sample = all;
    if (batch > all) batch = all;
    uint64_t learning = side_learn_memory(layout, classes), trials = order_search_memory(threads);
    uint64_t most = budget_cost(sample) + (learning > trials ? learning : trials);
    uint64_t working = budget_cost(batch) + (uint64_t)threads * budget_cost(SEGMENT + blocks);
    return (most > working ? most : working) + coder_memory(2 * (int)divided + 1, threads) +
           (processes != NULL ? 5 : 3) * (uint64_t)threads *
               budget_cost(cells_chunk_bytes(layout)) +
           (uint64_t)threads * cells_read_memory(layout);
}
