/* unpack.c - see unpack.h.
 *
 * A file has its axes in an order of its own, in which the kings may be anywhere, and it may number
 * bishops and slices differently. But in either order the number of a cell is a sum of one term for
 * each coordinate. So this module first computes, for each coordinate of the file, the term that it
 * adds to the number of the word. Then it copies rows of cells along the innermost axis of the
 * file. If there is not enough memory for a whole side, this is done for one batch of planes after
 * the other, and the file is unpacked each time. That takes little time compared with the moves of
 * the positions. */
#include <stdlib.h>
#include <string.h>

#include "check/verify/passes.h"
#include "check/verify/unpack.h"

enum { PER_BYTE_MAX = 8 };

/* The work of unpacking a side of a file into a batch. */
typedef struct Transfer {
    const VerifyFullCheck *full;
    const VerifyFile *file;
    const Index *from, *to;
    /* by axis and coordinate: the term that it adds to the number of a word */
    uint64_t *step[INDEX_AXES_MAX];
    uint8_t digit[256][PER_BYTE_MAX]; /* codes in a byte, if several share one */
    uint64_t block_cells;
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
static uint64_t group_step(const Transfer *t, int axis, uint32_t coordinate)
{
    const IndexGroup *from = &t->from->group[axis - 1], *to = &t->to->group[axis - 1];
    uint8_t squares[TREB_MEN_MAX];
    uint64_t stride = t->to->stride[axis];
    if (from->by_square_color == to->by_square_color) return coordinate * stride;
    index_group_squares(from, coordinate, squares);
    return index_group(to, squares) * stride;
}

static uint32_t axis_radix(const Index *index, int axis)
{
    return axis == INDEX_KINGS_AXIS ? index->kings : index->group[axis - 1].radix;
}

static bool transfer_open(Transfer *t)
{
    const TableHeader *h = t->file->header;
    t->block_cells = (UINT64_C(1) << h->block_bits) / h->width * h->per_byte;
    for (int axis = 0; axis < t->from->axes; axis++) {
        uint32_t radix = axis_radix(t->from, axis);
        t->step[axis] = malloc(radix * sizeof **t->step);
        if (t->step[axis] == NULL) return false;
        for (uint32_t c = 0; c < radix; c++)
            t->step[axis][c] = axis == INDEX_KINGS_AXIS ? c * t->to->stride[INDEX_KINGS_AXIS]
                                                        : group_step(t, axis, c);
    }
    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned i = 0, rest = byte; i < h->per_byte; i++, rest /= h->base)
            t->digit[byte][i] = (uint8_t)(rest % h->base);
    return true;
}

static void transfer_close(Transfer *t)
{
    for (int axis = 0; axis < INDEX_AXES_MAX; axis++) free(t->step[axis]);
}

/* Copies codes from cell `i` of a block on, each to the place that `step` gives. */
static void copy_codes(const Transfer *t, const uint8_t *block, uint64_t i, uint64_t base,
                       const uint64_t *step, uint64_t count)
{
    const TableHeader *h = t->file->header;
    uint8_t *out = t->out;
    if (h->width == 2) {
        for (uint64_t k = 0; k < count; k++)
            memcpy(out + 2 * (base + step[k]), block + 2 * (i + k), 2);
    } else if (h->per_byte == 1) {
        for (uint64_t k = 0; k < count; k++) out[base + step[k]] = block[i + k];
    } else {
        const uint8_t *byte = block + i / h->per_byte;
        unsigned place = (unsigned)(i % h->per_byte);
        for (uint64_t k = 0; k < count; k++) {
            out[base + step[k]] = t->digit[*byte][place];
            if (++place < h->per_byte) continue;
            place = 0;
            byte++;
        }
    }
}

/* A position in a file: a cell and its coordinates. */
typedef struct Place {
    uint64_t cell, slice, base; /* `base`: number of the first word of the slice */
    uint32_t coordinate[INDEX_AXES_MAX], radix[INDEX_AXES_MAX]; /* by axis, with padding */
} Place;

static void set_slice(const Transfer *t, Place *p, uint64_t slice)
{
    p->slice = slice;
    if (slice >= t->from->slices) return;
    unsigned place = index_slice_place(t->from, slice);
    p->base = index_slice_in(t->to, t->from, slice, place) * t->to->slice_size;
}

static void place_seek(const Transfer *t, Place *p, uint64_t cell)
{
    const Index *from = t->from;
    uint64_t rest = cell % from->slice_size, outer = from->slice_size;
    p->cell = cell;
    for (int i = 0; i < from->axes; i++) {
        int axis = from->order[i];
        p->radix[axis] = (uint32_t)(outer / from->stride[axis]);
        p->coordinate[axis] = (uint32_t)(rest / from->stride[axis]);
        rest %= from->stride[axis];
        outer = from->stride[axis];
    }
    set_slice(t, p, cell / from->slice_size);
}

/* Moves forward by a number of cells, at most to the end of the row. */
static void place_next(const Transfer *t, Place *p, uint32_t cells)
{
    p->cell += cells;
    for (int i = t->from->axes - 1; i >= 0; i--, cells = 1) {
        int axis = t->from->order[i];
        p->coordinate[axis] += cells;
        if (p->coordinate[axis] < p->radix[axis]) return;
        p->coordinate[axis] = 0;
    }
    set_slice(t, p, p->slice + 1);
}

/* Copies those cells of a row that the batch contains. `block` is the memory for the block that
 * contains the row. It is unpacked the first time that a cell of it is needed; then *ready is
 * set. */
static bool copy_row(const Transfer *t, const Place *p, uint32_t cells, VerifyReader *reader,
                     uint8_t *block, bool *ready)
{
    const VerifyBatch *batch = &t->full->batch;
    int inner = t->from->order[t->from->axes - 1];
    uint32_t from = p->coordinate[inner], end = from + cells, radix = axis_radix(t->from, inner);
    uint64_t base = p->base, plane = t->to->stride[INDEX_KINGS_AXIS];
    if (end > radix) end = radix; /* The rest is padding. */
    for (int axis = 0; axis < t->from->axes; axis++)
        if (axis != inner) base += t->step[axis][p->coordinate[axis]];
    uint32_t first = from;
    if (inner == INDEX_KINGS_AXIS) {
        uint64_t low = batch->first > p->base ? (batch->first - p->base) / plane : 0;
        uint64_t high = batch->end > p->base ? (batch->end - p->base) / plane : 0;
        if (first < low) first = low < end ? (uint32_t)low : end;
        if (end > high) end = (uint32_t)high;
    } else if (base < batch->first || base >= batch->end) {
        return true;
    }
    if (first >= end) return true;
    if (!*ready && !verify_block(reader, t->file, batch->side, p->cell / t->block_cells, block))
        return false;
    *ready = true;
    copy_codes(t, block, p->cell % t->block_cells + (first - from), base - batch->first,
               &t->step[inner][first], end - first);
    return true;
}

static void copy_block(const Transfer *t, VerifyReader *reader, uint8_t *bytes, uint64_t block)
{
    Place p = {0};
    int inner = t->from->order[t->from->axes - 1], side = t->full->batch.side;
    uint64_t end = (block + 1) * t->block_cells;
    if (end > t->from->size) end = t->from->size;
    /* The first time, every block is unpacked, so that all checksums are compared. */
    bool ready = !t->full->batch.again;
    if (ready && !verify_block(reader, t->file, side, block, bytes)) return;
    place_seek(t, &p, block * t->block_cells);
    while (p.cell < end) {
        uint64_t left = p.radix[inner] - p.coordinate[inner];
        uint32_t cells = (uint32_t)(left < end - p.cell ? left : end - p.cell);
        if (!copy_row(t, &p, cells, reader, bytes, &ready)) return;
        place_next(t, &p, cells);
    }
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
        transfer_close(&t);
    }
}

/* Returns the cell that has the code of the worker's position. If the position stands in two
 * orientations, it is the cell of the orientation that the file uses. */
static uint64_t code_cell(const VerifyWorker *w, const VerifyFile *file)
{
    const Index *index = w->full->index;
    IndexMen men = w->walk.men;
    int symmetry;
    if (!w->walk.twofold) return w->walk.cell;
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
