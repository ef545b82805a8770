/* coded.c - see coded.h.
 *
 * Some slices are looked at first: which values are frequent, which order of the axes suits them,
 * what symbols make them short. Then all slices go by, some at a time: their cells become values,
 * are brought into that order, cut into symbols and packed, all in parallel, and written in order. */
#include "gen/write/coded.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "gen/code/coder.h"
#include "gen/code/trials.h"
#include "gen/write/reorder.h"

enum {
    SAMPLE_CELLS = 128 << 20, /* of the slices that are looked at first, or one slice */
    BATCH_CELLS = 16 << 20,   /* of the slices that go by together, or one slice */
    STRETCH = 1 << 13,        /* cells of a part of what a code is learned from, */
    STRETCHES = 2048,         /* and how many parts there are at most */
    SEGMENT = 1 << 20,        /* cells that a thread codes at a time */
    UNKNOWN = 0xfe,           /* a value that no cell has */
    ORDERS_MAX = 5040
};

/* Bytes of a block: of verdicts and of distances, by how long reading one takes; then less, as a page
 * has room for a whole number of them and what belongs to each. */
static const uint16_t block_sizes[] = {184, 64, 31, 20, 10};

/* Slices whose cells are in memory, as values. */
typedef struct Batch {
    uint64_t *number; /* of each slice */
    size_t count;
    uint8_t *cells; /* slice after slice as the solver has them */
} Batch;

typedef struct Side {
    const CodedJob *job;
    int side;
    uint64_t cells; /* of a slice */
    uint8_t of[WDL_VALUES][PLIES_OPEN + 1];
    bool present[ENCODE_VALUES];
    Batch sample;
    Reorder reorder;
    Coder *coder;
    unsigned block_bytes;
} Side;

/* Verdicts are looked at before the distance, as its value depends on them. Mates may hide behind
 * captures that win, where the verdict is not stored; there all verdicts have the same values. */
static bool by_verdict(const CodedJob *job)
{
    return job->metric == TREB_DTZ || job->metric == TREB_DTC;
}

/* ---- The solver's cells ---------------------------------------------------------------------- */

/* A chunk of a slice: its cells, and their verdicts where those matter. */
typedef struct Chunk {
    Plies *cell, *verdict;
    size_t count;
} Chunk;

static treb_status read_chunk(const Side *s, uint64_t slice, uint32_t number, Chunk *out,
                              treb_error *error)
{
    const CodedJob *job = s->job;
    uint32_t planes = cells_planes(job->shape), first = number * planes;
    if (planes > job->shape->kings - first) planes = job->shape->kings - first;
    out->count = planes * shape_lane_cells(job->shape);
    treb_status status = cells_read(job->cells, slice, s->side, number, out->cell, error);
    if (status == TREB_OK && by_verdict(job))
        status = cells_read(job->verdicts, slice, s->side, number, out->verdict, error);
    return status;
}

/* What is done with each chunk. */
typedef treb_status UseChunk(void *context, size_t slice, uint32_t number, const Chunk *chunk,
                             treb_error *error);

/* All chunks of a batch, in parallel. */
static treb_status each_chunk(const Side *s, const Batch *batch, UseChunk *use, void *context,
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
            if (!cells_has(job->cells, batch->number[slice])) continue;
            uint32_t number = (uint32_t)(i % chunks);
            treb_status own = chunk.cell && chunk.verdict ? TREB_OK : fail_memory(&mine);
            if (own == TREB_OK) own = read_chunk(s, batch->number[slice], number, &chunk, &mine);
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

/* ---- Values ---------------------------------------------------------------------------------- */

/* How often each distance occurs. */
typedef struct Counts {
    uint64_t of[WDL_VALUES][PLIES_OPEN + 1];
} Counts;

static bool matters(const Chunk *chunk, size_t i, bool verdicts, unsigned *verdict)
{
    *verdict = verdicts ? chunk->verdict[i] : TREB_WIN;
    return chunk->cell[i] < CODES_END && *verdict < WDL_VALUES && *verdict != TREB_DRAW;
}

static treb_status count_chunk(void *context, size_t slice, uint32_t number, const Chunk *chunk,
                               treb_error *error)
{
    (void)slice, (void)number, (void)error;
    const Side *s = ((void **)context)[0];
    Counts *all = ((void **)context)[1], mine = {0};
    bool verdicts = by_verdict(s->job);
    for (size_t i = 0; i < chunk->count; i++) {
        unsigned verdict;
        if (matters(chunk, i, verdicts, &verdict)) mine.of[verdict][chunk->cell[i]]++;
    }
#pragma omp critical(coded_counts)
    for (int v = 0; v < WDL_VALUES; v++)
        for (int p = 0; p <= PLIES_OPEN; p++) all->of[v][p] += mine.of[v][p];
    return TREB_OK;
}

typedef struct Rank {
    uint64_t count;
    unsigned code;
} Rank;

static int compare_ranks(const void *a, const void *b)
{
    const Rank *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

/* Which codes positions of a verdict have anywhere in the table. */
static void mark_codes(const CodedJob *job, int side, int verdict, bool *there)
{
    const uint64_t *plies = job->histograms->of[job->metric][side][verdict];
    for (unsigned p = 0; p <= PLIES_MOST; p++)
        if (plies[p] > 0) there[job->metric == TREB_DTM ? p / 2 : p] = true;
}

/* The most frequent distances of a verdict get the lowest values, so that wins and losses have the
 * same. Sets what each value stands for. */
static treb_status rank_codes(Side *s, int verdict, const bool *there, const uint64_t *count,
                              treb_error *error)
{
    Rank rank[PLIES_OPEN + 1];
    unsigned values = 0;
    for (unsigned code = 0; code <= PLIES_OPEN; code++)
        if (there[code]) rank[values++] = (Rank){count[code], code};
    qsort(rank, values, sizeof *rank, compare_ranks);
    if (values > ENCODE_VALUES)
        return fail(error, TREB_ERR_ARGUMENT,
                    "a table with so many different distances cannot be coded by symbols");
    TableSide *side = &s->job->header->side[s->side];
    side->plies[verdict] = malloc((values + 1) * sizeof *side->plies[verdict]);
    if (side->plies[verdict] == NULL) return fail_memory(error);
    side->codes[verdict] = (uint16_t)values;
    for (unsigned i = 0; i < values; i++) {
        side->plies[verdict][i] = (uint16_t)codes_plies(s->job->metric, verdict, rank[i].code);
        s->of[verdict][rank[i].code] = (uint8_t)i;
        s->present[i] = true;
    }
    return TREB_OK;
}

/* Distances: what stands for which is chosen by how frequent they are in the sample. */
static treb_status rank_distances(Side *s, treb_error *error)
{
    Counts counts = {0};
    void *context[2] = {s, &counts};
    treb_status status = each_chunk(s, &s->sample, count_chunk, context, error);
    bool there[WDL_VALUES][PLIES_OPEN + 1] = {{false}}, any[PLIES_OPEN + 1] = {false};
    bool verdicts = by_verdict(s->job);
    for (int v = 0; v < WDL_VALUES; v++) {
        mark_codes(s->job, s->side, v, there[v]);
        mark_codes(s->job, s->side, v, any);
    }
    for (int v = 0; v < WDL_VALUES && status == TREB_OK; v++)
        if (v != TREB_DRAW)
            status = rank_codes(s, v, verdicts ? there[v] : any, counts.of[verdicts ? v : TREB_WIN],
                                error);
    return status;
}

/* Verdicts: those that occur, in their order, so that "up to a draw" is a range of values. Where a
 * capture draws it is a draw. */
static treb_status rank_verdicts(Side *s, treb_error *error)
{
    TableSide *side = &s->job->header->side[s->side];
    const uint64_t *count = s->job->tally->count[s->side];
    unsigned values = 0;
    side->plies[0] = malloc(WDL_VALUES * sizeof *side->plies[0]);
    if (side->plies[0] == NULL) return fail_memory(error);
    for (unsigned v = 0; v < WDL_VALUES; v++) {
        if (count[v] == 0) continue;
        s->present[values] = true;
        s->of[0][v] = (uint8_t)values;
        side->plies[0][values++] = (uint16_t)v;
    }
    side->codes[0] = (uint16_t)values;
    s->of[0][CELL_FREE] = ENCODE_ANY;
    if (count[TREB_DRAW] > 0)
        s->of[0][CELL_UP_TO_DRAW] = (uint8_t)(ENCODE_UP_TO | s->of[0][TREB_DRAW]);
    return values > 0 ? TREB_OK : fail(error, TREB_ERR_ARGUMENT, "there is no position at all");
}

static treb_status choose_values(Side *s, treb_error *error)
{
    memset(s->of, UNKNOWN, sizeof s->of);
    return s->job->metric == TREB_WDL ? rank_verdicts(s, error) : rank_distances(s, error);
}

static treb_status fill_chunk(void *context, size_t slice, uint32_t number, const Chunk *chunk,
                              treb_error *error)
{
    const Side *s = ((void **)context)[0];
    const Batch *batch = ((void **)context)[1];
    bool wdl = s->job->metric == TREB_WDL, verdicts = by_verdict(s->job), unknown = false;
    uint64_t first = (uint64_t)number * cells_planes(s->job->shape);
    uint8_t *out = batch->cells + slice * s->cells + first * shape_lane_cells(s->job->shape);
    for (size_t i = 0; i < chunk->count; i++) {
        unsigned verdict;
        if (wdl)
            out[i] = s->of[0][chunk->cell[i]];
        else
            out[i] =
                matters(chunk, i, verdicts, &verdict) ? s->of[verdict][chunk->cell[i]] : ENCODE_ANY;
        unknown |= out[i] == UNKNOWN;
    }
    if (!unknown) return TREB_OK;
    return fail(error, TREB_ERR_ARGUMENT, "a cell has a value that no position was counted with");
}

/* ---- Batches --------------------------------------------------------------------------------- */

static size_t batch_slices(const Side *s, uint64_t cells)
{
    uint64_t slices = cells / s->cells;
    uint64_t all = s->job->shape->index.slices;
    return slices < 1 ? 1 : slices < all ? (size_t)slices : (size_t)all;
}

static treb_status batch_reserve(const Side *s, Batch *batch, uint64_t cells, treb_error *error)
{
    size_t slices = batch_slices(s, cells);
    batch->number = malloc(slices * sizeof *batch->number);
    batch->cells = ledger_alloc(s->job->ledger, slices * s->cells);
    return batch->number != NULL && batch->cells != NULL ? TREB_OK : fail_memory(error);
}

static void batch_free(Batch *batch)
{
    free(batch->number);
    ledger_free(batch->cells);
    *batch = (Batch){NULL, 0, NULL};
}

static treb_status batch_fill(const Side *s, Batch *batch, treb_error *error)
{
    void *context[2] = {(void *)(uintptr_t)s, batch};
    return each_chunk(s, batch, fill_chunk, context, error);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Slices from all over the table, not at equal distances: these might all have their pawn on the same
 * file. */
static treb_status choose_sample(Side *s, treb_error *error)
{
    const double golden = 0.6180339887498949;
    uint64_t all = s->job->shape->index.slices;
    size_t slices = batch_slices(s, SAMPLE_CELLS);
    Batch *sample = &s->sample;
    treb_status status = batch_reserve(s, sample, SAMPLE_CELLS, error);
    double at = 0.5;
    for (uint64_t i = 0; status == TREB_OK && i < slices; i++, at += golden) {
        if (at >= 1) at -= 1;
        uint64_t number = slices == all ? i : (uint64_t)(at * (double)all);
        if (cells_has(s->job->cells, number)) sample->number[sample->count++] = number;
    }
    if (status != TREB_OK) return status;
    qsort(sample->number, sample->count, sizeof *sample->number, compare_numbers);
    size_t kept = 0;
    for (size_t i = 0; i < sample->count; i++)
        if (i == 0 || sample->number[i] != sample->number[i - 1])
            sample->number[kept++] = sample->number[i];
    sample->count = kept;
    return TREB_OK;
}

/* ---- The order of the axes ------------------------------------------------------------------- */

typedef struct Orders {
    const Side *side;
    Reorder *reorder; /* by order */
} Orders;

static uint64_t order_size(const void *context, size_t number)
{
    const Orders *orders = context;
    return orders->side->sample.count * orders->reorder[number].index.slice_size;
}

/* Cells of a batch in an order, slice after slice. */
static void copy_cells(const Side *s, const Batch *batch, const Reorder *reorder, uint64_t first,
                       size_t count, uint8_t *out)
{
    uint64_t size = reorder->index.slice_size;
    while (count > 0) {
        uint64_t slice = first / size, at = first % size;
        size_t part = size - at < count ? (size_t)(size - at) : count;
        reorder_copy(reorder, batch->cells + slice * s->cells, at, part, out);
        out += part;
        first += part;
        count -= part;
    }
}

static void order_some(const void *context, size_t number, uint64_t first, size_t count,
                       uint8_t *out)
{
    const Orders *orders = context;
    copy_cells(orders->side, &orders->side->sample, &orders->reorder[number], first, count, out);
}

static bool try_orders(Side *s, uint8_t (*order)[INDEX_AXES_MAX], size_t count, size_t *best)
{
    Orders orders = {s, calloc(count, sizeof *orders.reorder)};
    TrialOrders trials = {count, &orders, order_size, order_some};
    Trial *trial = calloc(count, sizeof *trial);
    bool good = orders.reorder != NULL && trial != NULL;
    for (size_t i = 0; i < count && good; i++)
        good = reorder_init(&orders.reorder[i], s->job->shape, order[i]);
    good = good && trials_sort(&trials, &coder_form, s->job->ledger, trial);
    if (good) *best = trial[0].number;
    for (size_t i = 0; orders.reorder != NULL && i < count; i++) reorder_free(&orders.reorder[i]);
    free(orders.reorder);
    free(trial);
    return good;
}

static treb_status choose_order(Side *s, treb_error *error)
{
    int axes = s->job->header->index.axes;
    size_t count = reorder_list(axes, NULL, 0), best = 0;
    uint8_t(*order)[INDEX_AXES_MAX] = malloc(count * sizeof *order);
    bool good = order != NULL;
    if (good) reorder_list(axes, order, count);
    good = good && (count == 1 || try_orders(s, order, count, &best)) &&
           reorder_init(&s->reorder, s->job->shape, order[best]);
    free(order);
    return good ? TREB_OK : fail_memory(error);
}

/* ---- The code -------------------------------------------------------------------------------- */

/* Blocks hold at most 65,535 cells: where cells take next to nothing they are never full unless they
 * are small. `cells`: of the sample. */
static treb_status choose_block(Side *s, const uint8_t *cells, size_t count, treb_error *error)
{
    enum { MOST = 1 << 20, FULL = CODER_BLOCK_CELLS / 2 };
    CoderRoom *room = coder_room_make(s->coder);
    CodedBlocks blocks = {0};
    treb_status status = room != NULL ? TREB_OK : fail_memory(error);
    if (count > MOST) count = MOST;
    for (size_t i = s->job->metric == TREB_WDL;
         status == TREB_OK && i < sizeof block_sizes / sizeof *block_sizes; i++) {
        s->block_bytes = block_sizes[i];
        status = coder_encode(s->coder, room, cells, count, s->block_bytes, &blocks, error);
        if (status == TREB_OK && count / blocks.count < FULL) break;
    }
    coder_room_free(room);
    coder_blocks_free(&blocks);
    return status;
}

/* Parts of the sample in their order, at equal distances. */
static treb_status learn(Side *s, treb_error *error)
{
    uint64_t all = s->sample.count * s->reorder.index.slice_size;
    uint64_t parts = (all + STRETCH - 1) / STRETCH, every = (parts + STRETCHES - 1) / STRETCHES;
    size_t count = (size_t)((parts + every - 1) / every), used = 0, taken = 0;
    CoderSample sample = {.size = s->job->header->index.size};
    CoderCells *stretch = malloc(count * sizeof *stretch);
    uint8_t *cells = ledger_alloc(s->job->ledger, count * STRETCH);
    treb_status status = stretch && cells ? TREB_OK : fail_memory(error);
    for (uint64_t i = 0; status == TREB_OK && i < parts; i += every, used++) {
        uint64_t left = all - i * STRETCH;
        stretch[used] = (CoderCells){cells + used * STRETCH, left < STRETCH ? left : STRETCH};
        copy_cells(s, &s->sample, &s->reorder, i * STRETCH, stretch[used].size,
                   cells + used * STRETCH);
        taken += stretch[used].size;
    }
    if (status == TREB_OK) {
        CoderOptions options = {.ledger = s->job->ledger, .threads = omp_get_max_threads()};
        sample.stretch = stretch;
        sample.count = used;
        memcpy(sample.present, s->present, sizeof sample.present);
        s->coder = coder_learn(&sample, &options, error);
        if (s->coder == NULL) status = error->status;
    }
    if (status == TREB_OK) status = choose_block(s, cells, taken, error);
    free(stretch);
    ledger_free(cells);
    return status;
}

static treb_status put_code(Side *s, treb_error *error)
{
    TableHeader *header = s->job->header;
    TableSide *side = &header->side[s->side];
    side->index = s->reorder.index;
    side->code.block_bytes = s->block_bytes;
    side->code.count = 1;
    side->code.size = coder_code(s->coder, NULL);
    side->code.bytes = malloc(side->code.size);
    if (side->code.bytes == NULL) return fail_memory(error);
    coder_code(s->coder, side->code.bytes);
    return TREB_OK;
}

/* ---- All cells ------------------------------------------------------------------------------- */

/* Who writes a side. */
typedef struct Out {
    const Side *side;
    TableWriter *writer[2]; /* the second may be NULL */
} Out;

static treb_status write_blocks(const Out *out, const CodedBlocks *blocks, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int w = 0; w < 2 && out->writer[w] != NULL; w++)
        for (size_t b = 0; b < blocks->count && status == TREB_OK; b++)
            status = table_writer_add_words(out->writer[w], out->side->side, 0,
                                            blocks->bytes + b * blocks->block_bytes,
                                            blocks->cells[b], error);
    return status;
}

/* What a thread needs. */
typedef struct Worker {
    CoderRoom *room;
    uint8_t *cells;
    CodedBlocks blocks;
} Worker;

/* Codes all cells of a batch, a segment after the other whatever the slices. */
static treb_status batch_encode(const Out *out, const Batch *batch, treb_error *error)
{
    const Side *s = out->side;
    treb_status status = TREB_OK;
    uint64_t size = batch->count * s->reorder.index.slice_size;
#pragma omp parallel
    {
        Worker worker = {coder_room_make(s->coder), ledger_alloc(s->job->ledger, SEGMENT), {0}};
#pragma omp for schedule(dynamic) ordered
        for (uint64_t first = 0; first < size; first += SEGMENT) {
            treb_error mine;
            size_t part = size - first < SEGMENT ? (size_t)(size - first) : SEGMENT;
            treb_status own = worker.room && worker.cells ? TREB_OK : fail_memory(&mine);
            if (own == TREB_OK) {
                copy_cells(s, batch, &s->reorder, first, part, worker.cells);
                own = coder_encode(s->coder, worker.room, worker.cells, part, s->block_bytes,
                                   &worker.blocks, &mine);
            }
#pragma omp ordered
            {
                if (own == TREB_OK && status == TREB_OK)
                    own = write_blocks(out, &worker.blocks, &mine);
                if (own != TREB_OK && status == TREB_OK) {
                    status = own;
                    *error = mine;
                }
            }
        }
        coder_room_free(worker.room);
        coder_blocks_free(&worker.blocks);
        ledger_free(worker.cells);
    }
    return status;
}

/* Slices that no position uses are like cells that do not matter. */
static treb_status write_slices(const Out *out, treb_error *error)
{
    const Side *s = out->side;
    uint64_t all = s->job->shape->index.slices;
    size_t most = batch_slices(s, BATCH_CELLS);
    Batch batch = {NULL, 0, NULL};
    treb_status status = batch_reserve(s, &batch, BATCH_CELLS, error);
    for (uint64_t first = 0; first < all && status == TREB_OK; first += most) {
        batch.count = all - first < most ? (size_t)(all - first) : most;
        for (size_t i = 0; i < batch.count; i++) batch.number[i] = first + i;
        memset(batch.cells, ENCODE_ANY, batch.count * s->cells);
        status = batch_fill(s, &batch, error);
        if (status == TREB_OK) status = batch_encode(out, &batch, error);
    }
    batch_free(&batch);
    return status;
}

/* ---- A file ---------------------------------------------------------------------------------- */

/* Chooses all that a side's cells are written by. */
static treb_status prepare(Side *s, treb_error *error)
{
    treb_status status = choose_sample(s, error);
    if (status == TREB_OK) status = choose_values(s, error);
    if (status == TREB_OK) status = batch_fill(s, &s->sample, error);
    if (status == TREB_OK) status = choose_order(s, error);
    if (status == TREB_OK) status = learn(s, error);
    if (status == TREB_OK) status = put_code(s, error);
    batch_free(&s->sample);
    return status;
}

static void side_free(Side *s)
{
    batch_free(&s->sample);
    reorder_free(&s->reorder);
    coder_free(s->coder);
}

/* One value throughout needs no pages. */
static bool is_constant(const Side *s)
{
    int values = 0;
    for (int v = 0; v < ENCODE_VALUES; v++) values += s->present[v];
    return values <= 1;
}

/* Gives the other file's side what this one's has. */
static treb_status copy_side(const TableSide *from, TableSide *to, treb_error *error)
{
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
    *writer = table_writer_open(job->directory, job->header, NULL, 0, error);
    if (*writer != NULL && job->copy != NULL)
        *copy = table_writer_open(job->directory, job->copy, NULL, 0, error);
    return *writer != NULL && (*copy != NULL || job->copy == NULL) ? TREB_OK : error->status;
}

static treb_status write_sides(const CodedJob *job, Side *sides, TableWriter **writer,
                               TableWriter **copy, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int s = 0; s < 2 && status == TREB_OK; s++) {
        if (!job->keep[s]) continue;
        status = prepare(&sides[s], error);
        if (status == TREB_OK && job->copy != NULL)
            status = copy_side(&job->header->side[s], &job->copy->side[s], error);
    }
    if (status == TREB_OK) status = open_writers(job, writer, copy, error);
    for (int s = 0; s < 2 && status == TREB_OK; s++) {
        Out out = {&sides[s], {*writer, *copy}};
        if (job->keep[s] && !is_constant(&sides[s])) status = write_slices(&out, error);
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

uint64_t coded_memory(const Shape *shape, int threads)
{
    uint64_t slice = shape->kings * shape_lane_cells(shape), all = slice * shape->index.slices;
    uint64_t sample = slice > SAMPLE_CELLS ? slice : SAMPLE_CELLS;
    uint64_t batch = slice > BATCH_CELLS ? slice : BATCH_CELLS;
    uint64_t blocks = SEGMENT; /* a symbol takes less than the byte of a cell */
    if (sample > all) sample = all;
    if (batch > all) batch = all;
    uint64_t learning = ledger_cost((uint64_t)STRETCH * STRETCHES) + trials_memory(threads);
    uint64_t most = ledger_cost(sample) + learning;
    uint64_t working = ledger_cost(batch) + (uint64_t)threads * ledger_cost(SEGMENT + blocks);
    return (most > working ? most : working) + coder_memory(threads) +
           2 * (uint64_t)threads * ledger_cost(cells_chunk_bytes(shape));
}
