/* coded.c - see coded.h.
 *
 * Some slices of each side are looked at first: which values are frequent, and which order of the axes
 * suits them; of distances the side that takes less is kept. Codes are learned from parts of all its
 * slices if there are not too many (side.h). Then all slices go by, some at a time: their cells become
 * values, are brought into that order, cut into symbols and packed, all in parallel, and written in
 * order. */
#include "gen/write/coded.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/compress/trials.h"
#include "gen/write/shared.h"

/* ---- All cells ------------------------------------------------------------------------------ */

static treb_status batch_encode(const Out *out, const Batch *batch, treb_error *error)
{
    const Side *s = out->side;
    const uint64_t slice = s->reorder.cells;
    for (size_t i = 0; i < batch->count && s->ordered != NULL; i++)
        reorder_slice(&s->reorder, batch_slice(s, batch, i), s->ordered + i * slice);
    return side_encode(out, &(Source){batch, s->ordered, batch->count * slice}, error);
}

/* ---- Large slices ---------------------------------------------------------------------------- */

/* Codes some coordinates of the outermost axis of a slice, one after the other, so that what comes out does
 * not depend on how many there is memory for. */
static treb_status write_window(const Out *out, Batch *batch, uint32_t first, uint32_t count,
                                treb_error *error)
{
    const Side *s = out->side;
    Window window;
    if (!window_init(&window, &s->reorder, first, count)) return fail_memory(error);
    batch->window = &window;
    memset(batch->cells, ENCODE_ANY, window.cells);
    treb_status status = batch_fill(s, batch, error);
    const uint64_t each = window.stride[0];
    for (uint32_t i = 0; i < count && status == TREB_OK; i++)
        status = side_encode(out, &(Source){NULL, batch->cells + i * each, each}, error);
    window_free(&window);
    return status;
}

/* As many coordinates at once as there is memory for: unless they are pairs of kings, all planes are looked
 * at each time. */
static treb_status write_large(Out *out, treb_error *error)
{
    Side *s = out->side;
    const uint32_t radix = s->reorder.radix[0];
    const uint64_t each = s->reorder.cells / radix;
    batch_free(&s->sample);
    uint64_t room = side_sample_cells(s->job->large) + side_spare_memory(s) / 4 * 3;
    uint64_t most = (s->job->large > 0 ? s->job->large : room) / each;
    const uint32_t at_once = most < 1 ? 1 : most < radix ? (uint32_t)most : radix;
    uint64_t number;
    Batch batch = {&number, 1, ledger_alloc(s->job->ledger, at_once * each), NULL};
    treb_status status = batch.cells != NULL ? TREB_OK : fail_memory(error);
    for (; out->class < s->classes && status == TREB_OK; out->class ++) {
        const Class *class = &s->each[out->class];
        for (uint64_t i = 0; i < class->slices && status == TREB_OK; i++) {
            number = class->first + i;
            for (uint32_t c = 0; c < radix && status == TREB_OK; c += at_once)
                status =
                    write_window(out, &batch, c, radix - c < at_once ? radix - c : at_once, error);
        }
    }
    ledger_free(batch.cells);
    return status;
}

/* ---- Slices ---------------------------------------------------------------------------------- */

/* Slices that no position uses are like cells that do not matter. */
static treb_status write_class(const Out *out, Batch *batch, treb_error *error)
{
    const Side *s = out->side;
    const Class *class = &s->each[out->class];
    size_t most = batch_slices(s, BATCH_CELLS);
    treb_status status = TREB_OK;
    for (uint64_t at = 0; at < class->slices && status == TREB_OK; at += most) {
        uint64_t first = class->first + at;
        size_t count = class->slices - at < most ? (size_t)(class->slices - at) : most;
        if (s->sample.cells != NULL) {
            Batch kept = {NULL, count, s->sample.cells + first * s->cells, NULL};
            status = batch_encode(out, &kept, error);
            continue;
        }
        batch->count = count;
        for (size_t i = 0; i < count; i++) batch->number[i] = first + i;
        if (batch->cells != NULL) memset(batch->cells, ENCODE_ANY, count * s->cells);
        status = batch_fill(s, batch, error);
        if (status == TREB_OK) status = batch_encode(out, batch, error);
    }
    return status;
}

/* Room to bring a batch into the order at once, where there is more memory than is needed. */
static void reserve_ordered(Side *s)
{
    size_t bytes = batch_slices(s, BATCH_CELLS) * s->cells;
    if (side_spare_memory(s) >= ledger_cost(bytes))
        s->ordered = ledger_alloc(s->job->ledger, bytes);
}

static treb_status write_slices(Out *out, treb_error *error)
{
    Batch batch = {NULL, 0, NULL, NULL};
    Side *s = out->side;
    if (s->job->ranks != NULL) return shared_write(out, error);
    if (s->large) return write_large(out, error);
    bool kept = s->sample.cells != NULL;
    treb_status status = kept ? TREB_OK : batch_reserve(s, &batch, BATCH_CELLS, error);
    reserve_ordered(s);
    for (; out->class < out->side->classes && status == TREB_OK; out->class ++)
        status = write_class(out, &batch, error);
    batch_free(&batch);
    ledger_free(s->ordered);
    s->ordered = NULL;
    side_free_whole(s);
    return status;
}

/* ---- A file ---------------------------------------------------------------------------------- */

static treb_status put_codes(Side *s, treb_error *error)
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

/* Whether the sample need not be read again: all slices are kept, or it is the whole table, and leaves enough memory
 * for all that is still to come. */
static bool can_keep(const Side *s)
{
    if (s->whole != NULL) return true;
    return s->job->ranks == NULL && !s->large && s->sample.count == s->job->shape->index.slices &&
           side_spare_memory(s) > 0;
}

/* Looks at a sample of a side's cells: their values, and the order that suits them. */
static treb_status look(Side *s, treb_error *error)
{
    side_keep_whole(s);
    treb_status status = side_choose_sample(s, error);
    if (status == TREB_OK) status = side_choose_values(s, error);
    if (status == TREB_OK) status = batch_fill(s, &s->sample, error);
    if (status == TREB_OK) status = side_choose_order(s, error);
    return status;
}

/* Has a code learned for a side that was looked at. */
static treb_status prepare(Side *s, treb_error *error)
{
    treb_status status = side_fill_whole(s, error);
    if (status == TREB_OK && s->sample.number == NULL) {
        status = side_choose_sample(s, error);
        if (status == TREB_OK && !s->large && side_sample_is_all(s))
            status = batch_fill(s, &s->sample, error);
    }
    if (status == TREB_OK) status = side_learn(s, error);
    ledger_trim(s->job->ledger);
    if (status == TREB_OK) status = put_codes(s, error);
    if (!can_keep(s)) batch_free(&s->sample);
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

/* Which sides to move the file has, prepared: of distances the one that takes less. Unless memory is
 * ample one sample at a time is there. */
static treb_status prepare_sides(const CodedJob *job, Side *sides, bool keep[2], treb_error *error)
{
    treb_status status = TREB_OK;
    bool one = job->metric != TREB_WDL && !job->shape->symmetric;
    keep[0] = true;
    keep[1] = !job->shape->symmetric;
    for (int s = 0; s < 2 && status == TREB_OK; s++) {
        if (!keep[s]) continue;
        status = look(&sides[s], error);
        if (status == TREB_OK && !one) status = prepare(&sides[s], error);
        if (one && s == 0 && !can_keep(&sides[s])) batch_free(&sides[s].sample);
    }
    if (!one || status != TREB_OK) return status;
    int chosen = sides[1].bytes < sides[0].bytes;
    keep[!chosen] = false;
    batch_free(&sides[!chosen].sample);
    side_free_whole(&sides[!chosen]);
    forget_values(&job->header->side[!chosen]);
    return prepare(&sides[chosen], error);
}

static void side_free(Side *s)
{
    window_free(&s->window);
    batch_free(&s->sample);
    side_free_whole(s);
    reorder_free(&s->reorder);
    side_free_codes(s);
}

/* Gives the other file's side what this one's has. */
static treb_status copy_side(const TableSide *from, TableSide *to, treb_error *error)
{
    to->stored = from->stored;
    to->index = from->index;
    to->code = from->code;
    to->code.bytes = malloc(from->code.size);
    if (to->code.bytes == NULL) return fail_memory(error);
    memcpy(to->code.bytes, from->code.bytes, from->code.size);
    for (int v = 0; v < WDL_VALUES; v++) {
        size_t bytes = from->codes[v] * sizeof *from->plies[v];
        to->codes[v] = from->codes[v];
        to->plies[v] = from->plies[v] != NULL ? malloc(bytes + 1) : NULL;
        if (from->plies[v] == NULL) continue;
        if (to->plies[v] == NULL) return fail_memory(error);
        memcpy(to->plies[v], from->plies[v], bytes);
    }
    return TREB_OK;
}

static treb_status open_writers(const CodedJob *job, TableWriter **writer, TableWriter **copy,
                                treb_error *error)
{
    if (job->ranks != NULL && job->ranks->rank > 0) return TREB_OK;
    *writer = table_writer_open(job->directory, job->header, NULL, 0, error);
    if (*writer != NULL && job->copy != NULL)
        *copy = table_writer_open(job->directory, job->copy, NULL, 0, error);
    return *writer != NULL && (*copy != NULL || job->copy == NULL) ? TREB_OK : error->status;
}

static treb_status write_sides(const CodedJob *job, Side *sides, TableWriter **writer,
                               TableWriter **copy, treb_error *error)
{
    bool keep[2];
    treb_status status = prepare_sides(job, sides, keep, error);
    for (int s = 0; s < 2 && status == TREB_OK; s++) {
        job->header->side[s].stored = keep[s];
        if (job->copy != NULL && keep[s])
            status = copy_side(&job->header->side[s], &job->copy->side[s], error);
    }
    if (status == TREB_OK) status = open_writers(job, writer, copy, error);
    for (int s = 0; s < 2 && status == TREB_OK; s++) {
        Out out = {&sides[s], {*writer, *copy}, 0, NULL};
        if (keep[s] && !side_is_constant(&sides[s])) status = write_slices(&out, error);
    }
    return status;
}

treb_status coded_write(const CodedJob *job, TableWriter **writer, TableWriter **copy,
                        treb_error *error)
{
    Side *sides = calloc(2, sizeof *sides);
    *writer = *copy = NULL;
    if (sides == NULL) return fail_memory(error);
    for (int s = 0; s < 2; s++) {
        sides[s].job = job;
        sides[s].side = s;
        sides[s].cells = job->shape->kings * shape_lane_cells(job->shape);
        sides[s].large = side_is_large(job->shape, job->large);
    }
    treb_status status = write_sides(job, sides, writer, copy, error);
    for (int s = 0; s < 2; s++) side_free(&sides[s]);
    free(sides);
    if (status == TREB_OK) return TREB_OK;
    if (*writer != NULL) table_writer_abort(*writer);
    if (*copy != NULL) table_writer_abort(*copy);
    *writer = *copy = NULL;
    return status;
}

uint64_t coded_memory(const Shape *shape, unsigned classes, uint64_t large, const Ranks *ranks,
                      int threads)
{
    uint64_t slice = shape->kings * shape_lane_cells(shape), all = slice * shape->index.slices;
    /* Of large slices a part that belongs to one coordinate of an axis is in memory, or more. */
    uint64_t sample = SAMPLE_CELLS, batch = BATCH_CELLS;
    if (side_is_large(shape, large))
        batch = SAMPLE_CELLS;
    else if (slice > batch)
        batch = slice;
    uint64_t blocks = SEGMENT; /* a symbol takes less than the byte of a cell */
    unsigned divided = side_classes_most(shape, classes);
    if (sample > all) sample = all;
    if (batch > all) batch = all;
    uint64_t learning = side_learn_memory(shape, classes), trials = trials_memory(threads);
    uint64_t most = ledger_cost(sample) + (learning > trials ? learning : trials);
    uint64_t working = ledger_cost(batch) + (uint64_t)threads * ledger_cost(SEGMENT + blocks);
    return (most > working ? most : working) + coder_memory(2 * (int)divided + 1, threads) +
           (ranks != NULL ? 5 : 3) * (uint64_t)threads * ledger_cost(cells_chunk_bytes(shape)) +
           (uint64_t)threads * cells_read_memory(shape);
}
