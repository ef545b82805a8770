/* unpack.c - see unpack.h.
 *
 * If there is not enough memory for a whole side, one batch of planes is unpacked after the other,
 * and the file is read each time. That takes little time compared with the moves of the
 * positions. */
#include <stdlib.h>
#include <string.h>

#include "check/verify/passes.h"
#include "check/verify/unpack.h"
#include "core/format/table_order.h"

/* The work of unpacking a side of a file into a batch. */
typedef struct Transfer {
    const VerifyFullCheck *full;
    const VerifyFile *file;
    const Index *from, *to;
    TableOrder order;
    uint8_t *out;
} Transfer;

static unsigned batch_width(const VerifyFullCheck *full, int metric)
{
    return full->entry->file[metric].header->width;
}

uint64_t verify_batch_bytes(const VerifyFullCheck *full, uint64_t cells)
{
    uint64_t most = 0;
    for (int s = 0; s < full->sides; s++) {
        uint64_t distances = 0, verdicts = batch_width(full, TREB_WDL) * cells;
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            if (full->stored[s] & metric_bit(m)) distances += batch_width(full, m) * cells;
        if (verdicts > most) most = verdicts;
        if (distances > most) most = distances;
    }
    return most;
}

/* Returns the term of a coordinate of a group. */
static uint64_t group_term(const Transfer *t, int axis, uint32_t coordinate)
{
    const IndexGroup *from = &t->from->group[axis - 1], *to = &t->to->group[axis - 1];
    uint8_t squares[TREB_MEN_MAX];
    uint64_t stride = t->to->stride[axis];
    if (from->by_square_color == to->by_square_color) return coordinate * stride;
    index_group_squares(from, coordinate, squares);
    return index_group(to, squares) * stride;
}

static uint64_t slice_place(const void *context, uint64_t slice, unsigned place)
{
    const Transfer *t = context;
    return index_slice_in(t->to, t->from, slice, place) * t->to->slice_size;
}

static bool transfer_open(Transfer *t)
{
    const VerifyBatch *batch = &t->full->batch;
    TableOrder *order = &t->order;
    if (!table_order_init(order, t->file->header, batch->side)) return false;
    order->slice = slice_place;
    order->context = t;
    order->first = batch->first;
    order->end = batch->end;
    order->plane = t->to->stride[INDEX_KINGS_AXIS];
    for (int axis = 0; axis < t->from->axes; axis++)
        for (uint32_t c = 0; c < table_order_radix(t->from, axis); c++)
            order->term[axis][c] =
                axis == INDEX_KINGS_AXIS ? c * order->plane : group_term(t, axis, c);
    return true;
}

static void copy_block(const Transfer *t, VerifyReader *reader, uint8_t *bytes, uint64_t block)
{
    const VerifyBatch *batch = &t->full->batch;
    /* The first time, every block is unpacked, so that all checksums are compared. */
    if (batch->again && !table_order_copy(&t->order, block, NULL, t->out)) return;
    if (verify_block(reader, t->file, batch->side, block, bytes))
        table_order_copy(&t->order, block, bytes, t->out);
}

/* Unpacks one side of one file with all threads. */
static void unpack_file(const Transfer *t)
{
    VerifyReport *report = t->full->report;
    uint64_t blocks = table_side_blocks(t->file->header);
#pragma omp parallel num_threads(verify_threads(report->options))
    {
        VerifyReader *reader = verify_reader_new(t->full->store);
        uint8_t *bytes = malloc((size_t)1 << t->file->header->block_bits);
        bool memory = reader != NULL && bytes != NULL;
        if (!memory) verify_report_no_memory(report);
#pragma omp for schedule(dynamic, 16)
        for (uint64_t b = 0; b < blocks; b++) {
            if (!memory || atomic_load(&report->stop)) continue;
            copy_block(t, reader, bytes, b);
            if (b % 64 == 0)
                verify_report_progress(report, 0); /* The callback may end the check. */
            verify_memory_reclaim(&t->full->store->memory);
        }
        if (memory && reader->error.status != TREB_OK) verify_report_fail(report, &reader->error);
        verify_reader_free(reader);
        free(bytes);
    }
    if (!t->full->batch.again) report->result->blocks += blocks;
}

void verify_unpack(VerifyFullCheck *full, unsigned metrics)
{
    VerifyBatch *batch = &full->batch;
    uint8_t *out = batch->memory;
    for (int m = 0; m < TREB_METRICS; m++) {
        VerifyFile *file = &full->entry->file[m];
        batch->code[m] = NULL;
        if (!(metrics & metric_bit(m)) || atomic_load(&full->report->stop)) continue;
        batch->code[m] = out;
        Transfer t = {.full = full,
                      .file = file,
                      .from = &file->header->side[batch->side].index,
                      .to = full->index,
                      .out = out};
        out += batch_width(full, m) * full->batch_cells;
        if (transfer_open(&t))
            unpack_file(&t);
        else
            verify_report_no_memory(full->report);
        table_order_free(&t.order);
    }
}

/* Returns the cell that has the code of the worker's position. If the position stands in two
 * orientations, it is the cell of the orientation that the file uses. */
static uint64_t code_cell(const VerifyWorker *w, const VerifyFile *file)
{
    const Index *index = w->full->index;
    IndexMen men = w->walk.men;
    int symmetry;
    if (!w->walk.twofold) return w->walk.at.cell;
    index_of_men(&file->header->side[w->side].index, &men);
    int kings = index_kings(index->pawns, men.king[0], men.king[1], &symmetry);
    uint64_t cell = index_slice(index, men.pawns) * index->slice_size +
                    (uint64_t)kings * index->stride[INDEX_KINGS_AXIS];
    const uint8_t *square = men.square;
    for (int g = 0; g < index->groups; square += index->group[g++].count)
        cell += index_group(&index->group[g], square) * index->stride[1 + g];
    return cell;
}

unsigned verify_batch_code(const VerifyWorker *w, int metric)
{
    const VerifyBatch *batch = &w->full->batch;
    const VerifyFile *file = &w->full->entry->file[metric];
    const uint8_t *code = batch->code[metric];
    uint64_t at = code_cell(w, file) - batch->first;
    return file->header->width == 2 ? code[2 * at] | (unsigned)code[2 * at + 1] << 8 : code[at];
}
