/* coded.c - see coded.h.
 *
 * Some slices are looked at first: which values are frequent, and which order of the axes suits them.
 * Slices of one class, those that have the first pawn in the same place or nearly so, are much alike:
 * each class has a code of its own, learned from parts of all its slices if there are not too many.
 * Then all slices go by, some at a time: their cells become values, are brought into that order, cut
 * into symbols and packed, all in parallel, and written in order. */
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
    LEARN_CELLS = 512 << 20,  /* of the slices that codes are learned from, or one of each class */
    BATCH_CELLS = 16 << 20,   /* of the slices that go by together, or one slice */
    STRETCH = 1 << 13,        /* cells of a part of what a code is learned from, */
    STRETCHES = 2048,         /* and about how many parts there are at most */
    CLASSES = 12,             /* that a side has at most */
    CLASSES_FEW = 4,          /* and one of less than LARGE_BYTES by one code */
    LARGE_BYTES = 3 << 20,
    MANY_BYTES = 384 << 10, /* sides with less by one code are not divided, */
    MANY_CELLS = 8 << 20,   /* nor tables with fewer cells */
    LEARN_AT_ONCE = 4,      /* codes */
    SOME_CELLS = 1 << 20,   /* of a class, that tell how many a block holds */
    SEGMENT = 1 << 20,      /* cells that a thread codes at a time */
    ROWS = 8,
    LIMITS = ENCODE_LIMITS - 1,
    UNKNOWN = ENCODE_UP_TO | LIMITS /* a value that no cell has */
};

/* Bytes of a block: of verdicts and of distances, by how long reading one takes; then less, as a page
 * has room for a whole number of them and what belongs to each. */
static const uint16_t block_sizes[] = {184, 64, 31, 20, 10};
enum { BLOCK_SIZES = sizeof block_sizes / sizeof *block_sizes };

/* Slices whose cells are in memory, as values. */
typedef struct Batch {
    uint64_t *number; /* of each slice, in the file */
    size_t count;
    uint8_t *cells; /* slice after slice as the solver has them */
} Batch;

/* Slices that have a code of their own: they follow each other in the file. */
typedef struct Class {
    uint64_t first, slices;
    Coder *coder;
    uint8_t *some; /* of its cells, to see how many a block holds */
    size_t count;
} Class;

typedef struct Side {
    const CodedJob *job;
    int side;
    uint64_t cells; /* of a slice */
    uint8_t of[WDL_VALUES][PLIES_OPEN + 1];
    const uint8_t *row[ROWS]; /* of `of`, by what stands for the verdict */
    bool present[ENCODE_VALUES];
    uint8_t limit[ENCODE_LIMITS]; /* of mate distances: what ENCODE_UP_TO | n stands for */
    Batch sample;
    Reorder reorder;
    uint64_t bytes; /* that the cells take by one code, about */
    Class each[CLASSES];
    unsigned classes;
    unsigned block_bytes;
} Side;

/* Distances are looked at with the verdict, as their values depend on it. */
static bool by_verdict(const CodedJob *job) { return job->metric != TREB_WDL; }

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

/* The solver's number of a slice. */
static uint64_t solved_slice(const CodedJob *job, uint64_t slice)
{
    const Index *file = &job->header->index;
    return index_slice_in(&job->shape->index, file, slice, index_slice_place(file, slice));
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

/* ---- Values ---------------------------------------------------------------------------------- */

/* How often each distance occurs. */
typedef struct Counts {
    uint64_t of[ROWS][PLIES_OPEN + 1]; /* of a chunk by row, of all by verdict */
} Counts;

/* Cells are told apart by what stands for their verdict: five verdicts and two kinds of cell that do
 * not matter (codes.h), the largest numbers there are. */
static unsigned row_of(Plies verdict) { return verdict % ROWS; }

/* Under which verdict a row's distances count, or -1. Where a capture wins the verdict is not stored,
 * but a mate distance may be. */
static int verdict_of_row(const CodedJob *job, int row)
{
    if ((unsigned)row == row_of(CELL_FREE)) return job->metric == TREB_DTM ? TREB_WIN : -1;
    return row < WDL_VALUES && row != TREB_DRAW ? row : -1;
}

static treb_status count_chunk(void *context, size_t slice, uint32_t number, const Chunk *chunk,
                               treb_error *error)
{
    (void)slice, (void)number;
    const Side *s = ((void **)context)[0];
    Counts *all = ((void **)context)[1], *mine = calloc(1, sizeof *mine);
    if (mine == NULL) return fail_memory(error);
    for (size_t i = 0; i < chunk->count; i++) mine->of[row_of(chunk->verdict[i])][chunk->cell[i]]++;
#pragma omp critical(coded_counts)
    for (int r = 0; r < ROWS; r++)
        for (int p = 0; p < CODES_END; p++) {
            int verdict = verdict_of_row(s->job, r);
            if (verdict >= 0) all->of[verdict][p] += mine->of[r][p];
        }
    free(mine);
    return TREB_OK;
}

typedef struct Rank {
    uint64_t count;
    unsigned code;
} Rank;

/* The frequent ones first: so wins and losses have the same values. */
static int compare_counts(const void *a, const void *b)
{
    const Rank *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

/* Short losses first, */
static int compare_codes(const void *a, const void *b)
{
    const Rank *x = a, *y = b;
    return x->code < y->code ? -1 : x->code > y->code;
}

/* and long wins: what a bound may be is then a range from 0 on. */
static int compare_codes_of_wins(const void *a, const void *b) { return compare_codes(b, a); }

/* Which codes positions of a verdict have anywhere in the table; of mate distances positions of
 * either kind of win or loss, as the verdict that hides behind a capture is not known. */
static void mark_codes(const CodedJob *job, int side, int verdict, bool *there)
{
    for (int v = 0; v < WDL_VALUES; v++) {
        bool same =
            job->metric == TREB_DTM ? (v > TREB_DRAW) == (verdict > TREB_DRAW) : v == verdict;
        const uint64_t *plies = job->histograms->of[job->metric][side][v];
        for (unsigned p = 0; p <= PLIES_MOST && same; p++)
            if (plies[p] > 0) there[job->metric == TREB_DTM ? p / 2 : p] = true;
    }
}

/* Sets what each value stands for, under a verdict. */
static treb_status rank_codes(Side *s, int verdict, const uint64_t *count, treb_error *error)
{
    Rank rank[PLIES_OPEN + 1];
    bool there[PLIES_OPEN + 1] = {false}, bounds = s->job->metric == TREB_DTM;
    unsigned values = 0;
    mark_codes(s->job, s->side, verdict, there);
    for (unsigned code = 0; code <= PLIES_OPEN; code++)
        if (there[code]) rank[values++] = (Rank){count[code], code};
    qsort(rank, values, sizeof *rank,
          !bounds               ? compare_counts
          : verdict > TREB_DRAW ? compare_codes_of_wins
                                : compare_codes);
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

/* Limits that are about as frequent as each other, of bounds whose values are counted. The first is
 * 0, so that each bound has one. */
static void choose_limits(Side *s, const uint64_t *count)
{
    uint64_t all = 0, below = 0;
    unsigned limits = 0;
    for (unsigned v = 0; v < ENCODE_VALUES; v++) all += count[v];
    for (unsigned v = 0; v < ENCODE_VALUES && limits < LIMITS; v++) {
        if ((double)below >= (double)all * limits / LIMITS && s->present[v])
            s->limit[limits++] = (uint8_t)v;
        below += count[v];
    }
    for (; limits < ENCODE_LIMITS; limits++)
        s->limit[limits] = limits > 0 ? s->limit[limits - 1] : 0;
}

/* What may be at a bound: the highest limit that is not above it. */
static uint8_t bound_cell(const Side *s, uint8_t value)
{
    unsigned n = ENCODE_LIMITS - 1;
    while (n > 0 && s->limit[n] > value) n--;
    while (n > 0 && s->limit[n - 1] == s->limit[n]) n--;
    return (uint8_t)(ENCODE_UP_TO | n);
}

static void set_bounds(Side *s, const Counts *counts)
{
    uint64_t count[ENCODE_VALUES] = {0};
    for (int v = 0; v < WDL_VALUES; v++)
        for (unsigned code = CELL_BOUND; code < CODES_END; code++) {
            uint8_t value = s->of[v][code - CELL_BOUND];
            if (value != UNKNOWN) count[value] += counts->of[v][code];
        }
    choose_limits(s, count);
    for (int v = 0; v < WDL_VALUES; v++)
        for (unsigned code = CELL_BOUND; code < CODES_END; code++) {
            uint8_t value = s->of[v][code - CELL_BOUND];
            if (value != UNKNOWN) s->of[v][code] = bound_cell(s, value);
        }
}

/* Distances: what stands for which is chosen by how frequent they are in the sample. */
static treb_status rank_distances(Side *s, treb_error *error)
{
    Counts counts = {0};
    void *context[2] = {s, &counts};
    treb_status status = each_chunk(s, &s->sample, count_chunk, context, error);
    for (int v = 0; v < WDL_VALUES && status == TREB_OK; v++)
        if (v != TREB_DRAW) status = rank_codes(s, v, counts.of[v], error);
    if (status == TREB_OK && s->job->metric == TREB_DTM) set_bounds(s, &counts);
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
    if (s->job->metric == TREB_WDL) return rank_verdicts(s, error);
    treb_status status = rank_distances(s, error);
    /* Cells without a distance, and no cell of a draw matters. */
    for (int v = 0; v < WDL_VALUES; v++)
        memset(s->of[v] + CODES_END, ENCODE_ANY, PLIES_OPEN + 1 - CODES_END);
    memset(s->of[TREB_DRAW], ENCODE_ANY, sizeof s->of[TREB_DRAW]);
    for (int r = 0; r < ROWS; r++) {
        int verdict = verdict_of_row(s->job, r);
        s->row[r] = s->of[verdict >= 0 ? verdict : TREB_DRAW];
    }
    return status;
}

static treb_status fill_chunk(void *context, size_t slice, uint32_t number, const Chunk *chunk,
                              treb_error *error)
{
    const Side *s = ((void **)context)[0];
    const Batch *batch = ((void **)context)[1];
    bool unknown = false;
    uint64_t first = (uint64_t)number * cells_planes(s->job->shape);
    uint8_t *out = batch->cells + slice * s->cells + first * shape_lane_cells(s->job->shape);
    if (by_verdict(s->job))
        for (size_t i = 0; i < chunk->count; i++)
            out[i] = s->row[row_of(chunk->verdict[i])][chunk->cell[i]];
    else
        for (size_t i = 0; i < chunk->count; i++) out[i] = s->of[0][chunk->cell[i]];
    for (size_t i = 0; i < chunk->count; i++) unknown |= out[i] == UNKNOWN;
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

/* Lists slices from all over some that follow each other: one of each of so many parts, not always in
 * the same place, as these might have a pawn on the same square. In ascending order, and only such as
 * positions use. */
static size_t list_slices(const Side *s, uint64_t first, uint64_t slices, size_t wanted,
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

/* Whether all slices are in the sample; else codes are learned from others, which take its place. */
static bool sample_is_all(const Side *s)
{
    return batch_slices(s, SAMPLE_CELLS) == s->job->shape->index.slices;
}

static treb_status choose_sample(Side *s, treb_error *error)
{
    Batch *sample = &s->sample;
    treb_status status = batch_reserve(s, sample, SAMPLE_CELLS, error);
    if (status == TREB_OK)
        sample->count = list_slices(s, 0, s->job->shape->index.slices,
                                    batch_slices(s, SAMPLE_CELLS), sample->number);
    return status;
}

/* ---- The order of the axes ------------------------------------------------------------------- */

typedef struct Orders {
    const Side *side;
    Reorder *reorder; /* by order */
} Orders;

/* What the cells of a side may be. */
static CodeForm side_form(const Side *s)
{
    CodeForm form = coder_form;
    if (s->job->metric == TREB_DTM) form.limit = s->limit;
    return form;
}

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
    CodeForm form = side_form(s);
    for (size_t i = 0; i < count && good; i++)
        good = reorder_init(&orders.reorder[i], s->job->shape, order[i]);
    good = good && trials_sort(&trials, &form, s->job->ledger, trial);
    if (good) {
        *best = trial[0].number;
        s->bytes = (uint64_t)((double)trial[0].bytes * (double)s->job->shape->index.slices /
                              (double)(s->sample.count ? s->sample.count : 1));
    }
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
    good = good && try_orders(s, order, count, &best) &&
           reorder_init(&s->reorder, s->job->shape, order[best]);
    free(order);
    return good ? TREB_OK : fail_memory(error);
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* How many classes there may be. Those of small tables are never worth it. */
static unsigned classes_most(const Shape *shape, unsigned wanted)
{
    uint64_t cells = shape->kings * shape_lane_cells(shape) * shape->index.slices;
    if (!shape->pawns) return 1;
    return wanted > 0 ? wanted : cells >= MANY_CELLS ? CLASSES : 1;
}

/* One that is like most: of the second file, and in the middle of it. */
static unsigned middle_class(unsigned classes) { return classes / 4 + classes / 8; }

/* Divides the places of the first pawn, by file and then by rank, into so many parts. */
static void divide(Side *s, unsigned wanted)
{
    const Index *index = &s->job->header->index;
    s->classes = wanted;
    for (unsigned c = 0; c < wanted; c++) {
        unsigned place = index_place_by_file(c * INDEX_PLACES / wanted);
        s->each[c] = (Class){.first = index->lead_first[place] * index->second_radix};
    }
    for (unsigned c = 0; c < wanted; c++) {
        uint64_t end = c + 1 < wanted ? s->each[c + 1].first : index->slices;
        s->each[c].slices = end - s->each[c].first;
    }
}

/* ---- What a code is learned from ------------------------------------------------------------- */

/* Parts of the slices of a class, in their order. */
typedef struct Lesson {
    Class *class;
    CoderCells *stretch;
    uint8_t *cells;
    size_t count, size; /* parts, and cells of all of them */
} Lesson;

/* A class has fewer than a table that is not divided: its slices are alike. */
static size_t lesson_stretches(unsigned classes) { return classes > 1 ? STRETCHES / 2 : STRETCHES; }

static bool lesson_make(const Side *s, Class *class, Lesson *lesson)
{
    size_t room = lesson_stretches(s->classes);
    *lesson = (Lesson){.class = class,
                       .stretch = malloc(room * sizeof *lesson->stretch),
                       .cells = ledger_alloc(s->job->ledger, room * STRETCH)};
    return lesson->stretch != NULL && lesson->cells != NULL;
}

static void lesson_free(Lesson *lesson)
{
    free(lesson->stretch);
    ledger_free(lesson->cells);
    *lesson = (Lesson){0};
}

/* Takes one part in `every` of some slices of the sample. */
static void take_parts(const Side *s, Lesson *lesson, size_t first, size_t slices, uint64_t every)
{
    uint64_t slice = s->reorder.index.slice_size, all = slices * slice;
    uint64_t parts = (all + STRETCH - 1) / STRETCH, taken = (parts + every - 1) / every;
    size_t left = lesson_stretches(s->classes) - lesson->count;
    if (taken > left) taken = left;
#pragma omp parallel for schedule(dynamic, 16)
    for (uint64_t i = 0; i < taken; i++) {
        uint64_t at = i * every * STRETCH, behind = all - at;
        CoderCells *to = &lesson->stretch[lesson->count + i];
        uint8_t *cells = lesson->cells + lesson->size + i * STRETCH;
        *to = (CoderCells){cells, behind < STRETCH ? (size_t)behind : STRETCH};
        copy_cells(s, &s->sample, &s->reorder, first * slice + at, to->size, cells);
    }
    for (uint64_t i = 0; i < taken; i++) lesson->size += lesson->stretch[lesson->count++].size;
}

/* One part in so many, that there are as many as wanted. */
static uint64_t parts_apart(const Side *s, size_t slices)
{
    uint64_t parts = (slices * s->reorder.index.slice_size + STRETCH - 1) / STRETCH;
    size_t wanted = lesson_stretches(s->classes);
    return parts > wanted ? (parts + wanted - 1) / wanted : 1;
}

/* From the sample, if that is the whole table. */
static void take_from_sample(const Side *s, Lesson *lesson)
{
    const Class *class = lesson->class;
    const Batch *sample = &s->sample;
    size_t first = 0, end;
    while (first < sample->count && sample->number[first] < class->first) first++;
    for (end = first; end < sample->count; end++)
        if (sample->number[end] - class->first >= class->slices) break;
    take_parts(s, lesson, first, end - first, parts_apart(s, end - first));
}

/* How many slices of a class are looked at. */
static size_t slices_wanted(const Side *s, const Class *class)
{
    uint64_t all = s->job->shape->index.slices, most = LEARN_CELLS / s->cells;
    if (most >= all) return (size_t) class->slices;
    uint64_t own = (uint64_t)((double)most * (double)class->slices / (double)all);
    return own < 1 ? 1 : (size_t)own;
}

/* From slices of all the class, which take the place of the sample, some at a time. */
static treb_status take_from_slices(Side *s, Lesson *lesson, treb_error *error)
{
    const Class *class = lesson->class;
    size_t wanted = slices_wanted(s, class), most = batch_slices(s, SAMPLE_CELLS);
    uint64_t *number = malloc((wanted + 1) * sizeof *number);
    if (number == NULL) return fail_memory(error);
    size_t count = list_slices(s, class->first, class->slices, wanted, number);
    uint64_t every = parts_apart(s, count);
    treb_status status = TREB_OK;
    for (size_t at = 0; at < count && status == TREB_OK; at += most) {
        s->sample.count = count - at < most ? count - at : most;
        memcpy(s->sample.number, number + at, s->sample.count * sizeof *number);
        status = batch_fill(s, &s->sample, error);
        if (status == TREB_OK) take_parts(s, lesson, 0, s->sample.count, every);
    }
    free(number);
    return status;
}

static treb_status take_lesson(Side *s, Class *class, Lesson *lesson, treb_error *error)
{
    if (!lesson_make(s, class, lesson)) return fail_memory(error);
    if (!sample_is_all(s)) return take_from_slices(s, lesson, error);
    take_from_sample(s, lesson);
    return TREB_OK;
}

/* ---- The codes ------------------------------------------------------------------------------- */

/* Keeps some of its parts, from all over it. */
static bool take_some(const Side *s, const Lesson *lesson, Class *class)
{
    size_t every = lesson->size / SOME_CELLS + 1;
    class->some = ledger_alloc(s->job->ledger, SOME_CELLS + STRETCH);
    if (class->some == NULL) return false;
    for (size_t i = 0; i < lesson->count && class->count < SOME_CELLS; i += every) {
        memcpy(class->some + class->count, lesson->stretch[i].cells, lesson->stretch[i].size);
        class->count += lesson->stretch[i].size;
    }
    return true;
}

static bool learn_class(const Side *s, const Lesson *lesson, int threads, treb_error *error)
{
    Class *class = lesson->class;
    CoderSample sample = {.stretch = lesson->stretch,
                          .count = lesson->count,
                          .size = class->slices * s->reorder.index.slice_size,
                          .limit = side_form(s).limit};
    CoderOptions options = {.ledger = s->job->ledger, .threads = threads};
    memcpy(sample.present, s->present, sizeof sample.present);
    class->coder = coder_learn(&sample, &options, error);
    if (class->coder == NULL) return false;
    return take_some(s, lesson, class) || fail_memory(error) == TREB_OK;
}

/* What is claimed while a code is learned, and given back. */
static uint64_t learn_memory(unsigned classes)
{
    return ledger_cost(STRETCH * lesson_stretches(classes)) + coder_learn_memory();
}

/* How many codes are learned at once: as many as there is memory for, or one. */
static unsigned at_once(const Side *s)
{
    uint64_t room = ledger_room(s->job->ledger),
             kept = coder_memory(2 * CLASSES, 1) + CLASSES * ledger_cost(SOME_CELLS + STRETCH);
    uint64_t most = (room > kept ? room - kept : 0) / learn_memory(s->classes);
    if (most > (uint64_t)omp_get_max_threads()) most = (uint64_t)omp_get_max_threads();
    if (most > LEARN_AT_ONCE) most = LEARN_AT_ONCE;
    return most > 1 ? (unsigned)most : 1;
}

/* The codes of some classes, at once. */
static treb_status learn_some(Side *s, Class *class, int count, treb_error *error)
{
    Lesson lesson[LEARN_AT_ONCE] = {{0}};
    int threads = omp_get_max_threads() / count;
    treb_status status = TREB_OK;
    for (int i = 0; i < count && status == TREB_OK; i++)
        status = take_lesson(s, &class[i], &lesson[i], error);
    if (status == TREB_OK) {
#pragma omp parallel for num_threads(count)
        for (int i = 0; i < count; i++) {
            treb_error mine;
            if (learn_class(s, &lesson[i], threads > 0 ? threads : 1, &mine)) continue;
#pragma omp critical(coded_error)
            {
                status = mine.status;
                *error = mine;
            }
        }
    }
    for (int i = 0; i < count; i++) lesson_free(&lesson[i]);
    return status;
}

/* Of all classes that have none yet. */
static treb_status learn(Side *s, treb_error *error)
{
    treb_status status = TREB_OK;
    unsigned most = at_once(s), end;
    for (unsigned c = 0; c < s->classes && status == TREB_OK; c = end) {
        for (end = c; end < s->classes && end - c < most && s->each[end].coder == NULL;) end++;
        if (end == c)
            end++;
        else
            status = learn_some(s, &s->each[c], (int)(end - c), error);
    }
    return status;
}

/* ---- How many classes ------------------------------------------------------------------------ */

/* Blocks that some cells of a class take by a code. */
static treb_status count_blocks(const Class *class, const Coder *coder, CoderRoom *room,
                                unsigned block_bytes, uint64_t *count, treb_error *error)
{
    CodedBlocks blocks = {0};
    treb_status status =
        coder_encode(coder, room, class->some, class->count, block_bytes, &blocks, error);
    *count += blocks.count;
    coder_blocks_free(&blocks);
    return status;
}

static void class_free(Class *class)
{
    coder_free(class->coder);
    ledger_free(class->some);
    *class = (Class){.first = class->first, .slices = class->slices};
}

/* A class in the middle tells what a code of its own saves against that of all. Sets the bytes that
 * the side would take if divided so. */
static treb_status try_class(const Side *s, const Class *class, const Coder *common, double *bytes,
                             treb_error *error)
{
    enum { BLOCK = 10, ROUNDING = 50 /* the code was learned from some of the cells that tell */ };
    CoderRoom *room = coder_room_make(common);
    treb_status status = room != NULL ? TREB_OK : fail_memory(error);
    uint64_t by_own = 0, by_common = 1;
    if (status == TREB_OK) status = count_blocks(class, class->coder, room, BLOCK, &by_own, error);
    if (status == TREB_OK) status = count_blocks(class, common, room, BLOCK, &by_common, error);
    coder_room_free(room);
    by_own += by_own / ROUNDING;
    double fixed = (double)coder_code(class->coder, NULL) + TABLE_PAGE_SIZE / 2;
    *bytes = (double)s->bytes * (double)by_own / (double)by_common + s->classes * fixed;
    return status;
}

/* Divides the side, if that saves more than a part in WORTH: many codes take time, and memory when the
 * file is open. One class has its code then. */
static treb_status try_classes(Side *s, treb_error *error)
{
    enum { WORTH = 10 };
    unsigned count = s->bytes < LARGE_BYTES ? CLASSES_FEW : CLASSES;
    Class whole = s->each[0];
    double all = (double)s->bytes + (double)coder_code(whole.coder, NULL), bytes = all;
    divide(s, count);
    Class *middle = &s->each[middle_class(count)];
    treb_status status = learn_some(s, middle, 1, error);
    if (status == TREB_OK) status = try_class(s, middle, whole.coder, &bytes, error);
    if (bytes < all - all / WORTH) {
        class_free(&whole);
        return status;
    }
    class_free(middle);
    divide(s, 1);
    s->each[0] = whole;
    return status;
}

static treb_status choose_classes(Side *s, treb_error *error)
{
    unsigned most = classes_most(s->job->shape, s->job->classes);
    bool told = s->job->classes > 0;
    divide(s, told ? most : 1);
    if (told) return TREB_OK;
    treb_status status = learn_some(s, &s->each[0], 1, error);
    if (status != TREB_OK || most == 1 || s->bytes < MANY_BYTES) return status;
    return try_classes(s, error);
}

/* ---- The codes of a side --------------------------------------------------------------------- */

/* Blocks hold at most 65,535 cells: where cells take next to nothing they are never full unless they
 * are small. */
static treb_status choose_block(Side *s, treb_error *error)
{
    enum { FULL = CODER_BLOCK_CELLS / 2 };
    CoderRoom *room = coder_room_make(s->each[0].coder);
    treb_status status = room != NULL ? TREB_OK : fail_memory(error);
    uint64_t cells = 0, blocks = 0;
    for (unsigned c = 0; c < s->classes; c++) cells += s->each[c].count;
    for (size_t i = s->job->metric == TREB_WDL; status == TREB_OK && i < BLOCK_SIZES; i++) {
        s->block_bytes = block_sizes[i];
        blocks = 0;
        for (unsigned c = 0; c < s->classes && status == TREB_OK; c++)
            status =
                count_blocks(&s->each[c], s->each[c].coder, room, s->block_bytes, &blocks, error);
        if (cells < FULL * blocks) break;
    }
    coder_room_free(room);
    for (unsigned c = 0; c < s->classes; c++) {
        ledger_free(s->each[c].some);
        s->each[c].some = NULL;
    }
    return status;
}

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

/* ---- All cells ------------------------------------------------------------------------------- */

/* Who writes a side. */
typedef struct Out {
    const Side *side;
    TableWriter *writer[2]; /* the second may be NULL */
    unsigned class;         /* that is being written */
} Out;

static treb_status write_blocks(const Out *out, const CodedBlocks *blocks, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int w = 0; w < 2 && out->writer[w] != NULL; w++)
        for (size_t b = 0; b < blocks->count && status == TREB_OK; b++)
            status = table_writer_add_words(out->writer[w], out->side->side, out->class,
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

/* Codes all cells of a batch, which are of one class, a segment after the other whatever the slices. */
static treb_status batch_encode(const Out *out, const Batch *batch, treb_error *error)
{
    const Side *s = out->side;
    const Coder *coder = s->each[out->class].coder;
    treb_status status = TREB_OK;
    uint64_t size = batch->count * s->reorder.index.slice_size;
#pragma omp parallel
    {
        Worker worker = {coder_room_make(coder), ledger_alloc(s->job->ledger, SEGMENT), {0}};
#pragma omp for schedule(dynamic) ordered
        for (uint64_t first = 0; first < size; first += SEGMENT) {
            treb_error mine;
            size_t part = size - first < SEGMENT ? (size_t)(size - first) : SEGMENT;
            treb_status own = worker.room && worker.cells ? TREB_OK : fail_memory(&mine);
            if (own == TREB_OK) {
                copy_cells(s, batch, &s->reorder, first, part, worker.cells);
                own = coder_encode(coder, worker.room, worker.cells, part, s->block_bytes,
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
            Batch kept = {NULL, count, s->sample.cells + first * s->cells};
            status = batch_encode(out, &kept, error);
            continue;
        }
        batch->count = count;
        for (size_t i = 0; i < count; i++) batch->number[i] = first + i;
        memset(batch->cells, ENCODE_ANY, count * s->cells);
        status = batch_fill(s, batch, error);
        if (status == TREB_OK) status = batch_encode(out, batch, error);
    }
    return status;
}

static treb_status write_slices(Out *out, treb_error *error)
{
    Batch batch = {NULL, 0, NULL};
    bool kept = out->side->sample.cells != NULL;
    treb_status status = kept ? TREB_OK : batch_reserve(out->side, &batch, BATCH_CELLS, error);
    for (; out->class < out->side->classes && status == TREB_OK; out->class ++)
        status = write_class(out, &batch, error);
    batch_free(&batch);
    return status;
}

/* ---- A file ---------------------------------------------------------------------------------- */

/* Whether the sample need not be read again: it is the whole table, and leaves enough memory for all
 * that is still to come. */
static bool can_keep(const Side *s)
{
    const CodedJob *job = s->job;
    return s->sample.count == job->shape->index.slices &&
           ledger_room(job->ledger) >=
               coded_memory(job->shape, job->classes, omp_get_max_threads());
}

/* Looks at a sample of a side's cells: their values, and the order that suits them. */
static treb_status look(Side *s, treb_error *error)
{
    treb_status status = choose_sample(s, error);
    if (status == TREB_OK) status = choose_values(s, error);
    if (status == TREB_OK) status = batch_fill(s, &s->sample, error);
    if (status == TREB_OK) status = choose_order(s, error);
    return status;
}

/* Has a code learned for a side that was looked at. */
static treb_status prepare(Side *s, treb_error *error)
{
    treb_status status = TREB_OK;
    if (s->sample.cells == NULL) {
        status = choose_sample(s, error);
        if (status == TREB_OK && sample_is_all(s)) status = batch_fill(s, &s->sample, error);
    }
    if (status == TREB_OK) status = choose_classes(s, error);
    if (status == TREB_OK) status = learn(s, error);
    if (status == TREB_OK) status = choose_block(s, error);
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

/* Which sides to move the file has, prepared: of distances the one that takes less. One sample at a
 * time is in memory. */
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
    forget_values(&job->header->side[!chosen]);
    return prepare(&sides[chosen], error);
}

static void side_free(Side *s)
{
    batch_free(&s->sample);
    reorder_free(&s->reorder);
    for (unsigned c = 0; c < s->classes; c++) class_free(&s->each[c]);
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
        Out out = {&sides[s], {*writer, *copy}, 0};
        if (keep[s] && !is_constant(&sides[s])) status = write_slices(&out, error);
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

uint64_t coded_memory(const Shape *shape, unsigned classes, int threads)
{
    uint64_t slice = shape->kings * shape_lane_cells(shape), all = slice * shape->index.slices;
    uint64_t sample = slice > SAMPLE_CELLS ? slice : SAMPLE_CELLS;
    uint64_t batch = slice > BATCH_CELLS ? slice : BATCH_CELLS;
    uint64_t blocks = SEGMENT; /* a symbol takes less than the byte of a cell */
    unsigned divided = classes_most(shape, classes);
    if (sample > all) sample = all;
    if (batch > all) batch = all;
    uint64_t learning = learn_memory(1), trials = trials_memory(threads);
    learning += (divided + 1) * ledger_cost(SOME_CELLS + STRETCH);
    uint64_t most = ledger_cost(sample) + (learning > trials ? learning : trials);
    uint64_t working = ledger_cost(batch) + (uint64_t)threads * ledger_cost(SEGMENT + blocks);
    return (most > working ? most : working) + coder_memory(2 * (int)divided + 1, threads) +
           2 * (uint64_t)threads * ledger_cost(cells_chunk_bytes(shape));
}
