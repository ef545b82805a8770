/* side_values.c - what the values of cells stand for, and cells as values: see side.h.
 *
 * Values are numbered so that the coder has it easy: verdicts in their order, distances by how frequent
 * they are, mate distances so that what a bound may be is a range from 0 on. */
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/write/shared.h"

enum { LIMITS = ENCODE_LIMITS - 1, UNKNOWN = ENCODE_UP_TO | LIMITS /* a value that no cell has */ };

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
    (void)slice;
    const Side *s = ((void **)context)[0];
    const size_t size = shape_lane_cells(s->job->shape);
    Counts *all = ((void **)context)[1], *mine = calloc(1, sizeof *mine);
    uint32_t planes;
    const uint32_t *plane = cells_chunk_planes(s->job->cells, number, &planes);
    if (mine == NULL) return fail_memory(error);
    for (uint32_t k = 0; k < planes; k++) {
        if (!batch_looks_at(s, &s->sample, plane[k])) continue;
        for (size_t i = k * size; i < (k + 1) * size; i++)
            mine->of[row_of(chunk->verdict[i])][chunk->cell[i]]++;
    }
#pragma omp critical(coded_counts)
    for (int r = 0; r < ROWS; r++)
        for (int p = 0; p < CODES_END; p++) {
            int verdict = verdict_of_row(s->job, r);
            if (verdict >= 0) all->of[verdict][p] += mine->of[r][p];
        }
    free(mine);
    return TREB_OK;
}

/* Short losses first, */
static int compare_codes(const void *a, const void *b)
{
    const ValueCount *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* and long wins: what a bound may be is then a range from 0 on. */
static int compare_codes_of_wins(const void *a, const void *b) { return compare_codes(b, a); }

/* Which codes positions of a verdict have anywhere in the table; of mate distances positions of
 * either kind of win or loss, as the verdict that hides behind a capture is not known. */
static void mark_codes(const Histograms *histograms, treb_metric metric, int side, int verdict,
                       bool *there)
{
    for (int v = 0; v < WDL_VALUES; v++) {
        bool same = metric == TREB_DTM ? (v > TREB_DRAW) == (verdict > TREB_DRAW) : v == verdict;
        const uint64_t *plies = histograms->of[metric][side][v];
        for (unsigned p = 0; p <= PLIES_MOST && same; p++)
            if (plies[p] > 0) there[metric == TREB_DTM ? p / 2 : p] = true;
    }
}

bool coded_fits(const Histograms *histograms, treb_metric metric, int side)
{
    for (int v = 0; v < WDL_VALUES; v++) {
        bool there[PLIES_OPEN + 1] = {false};
        unsigned values = 0;
        if (v == TREB_DRAW) continue;
        mark_codes(histograms, metric, side, v, there);
        for (unsigned code = 0; code <= PLIES_OPEN; code++) values += there[code];
        if (values > ENCODE_VALUES) return false;
    }
    return true;
}

/* Sets what each value stands for, under a verdict. */
static treb_status rank_codes(Side *s, int verdict, const uint64_t *count, treb_error *error)
{
    ValueCount rank[PLIES_OPEN + 1];
    bool there[PLIES_OPEN + 1] = {false}, bounds = s->job->header->bounds;
    unsigned values = 0;
    mark_codes(s->job->histograms, s->job->metric, s->side, verdict, there);
    for (unsigned code = 0; code <= PLIES_OPEN; code++)
        if (there[code]) rank[values++] = (ValueCount){count[code], code};
    qsort(rank, values, sizeof *rank,
          !bounds               ? values_by_count
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
        side->plies[verdict][i] = (uint16_t)codes_plies(s->job->metric, verdict, rank[i].value);
        s->of[verdict][rank[i].value] = (uint8_t)i;
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
    Counts *counts = calloc(1, sizeof *counts);
    if (counts == NULL) return fail_memory(error);
    void *context[2] = {s, counts};
    treb_status status = side_each_chunk(s, &s->sample, count_chunk, context, error);
    const Ranks *ranks = s->job->ranks;
    for (int v = 0; v < WDL_VALUES && ranks != NULL && status == TREB_OK; v++)
        ranks->sum(ranks->context, counts->of[v], CODES_END);
    for (int v = 0; v < WDL_VALUES && status == TREB_OK; v++)
        if (v != TREB_DRAW) status = rank_codes(s, v, counts->of[v], error);
    if (status == TREB_OK && s->job->header->bounds) set_bounds(s, counts);
    free(counts);
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

treb_status side_choose_values(Side *s, treb_error *error)
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
        memcpy(s->row[r], s->of[verdict >= 0 ? verdict : TREB_DRAW], sizeof s->row[r]);
    }
    return status;
}

treb_status side_chunk_values(const Side *s, const Chunk *chunk, uint8_t *restrict out,
                              treb_error *error)
{
    const Plies *cell = chunk->cell, *verdict = chunk->verdict;
    const size_t count = chunk->count;
    if (side_by_verdict(s->job))
        for (size_t i = 0; i < count; i++) out[i] = s->row[row_of(verdict[i])][cell[i]];
    else
        for (size_t i = 0; i < count; i++) out[i] = s->of[0][cell[i]];
    if (memchr(out, UNKNOWN, count) == NULL) return TREB_OK;
    return fail(error, TREB_ERR_ARGUMENT, "a cell has a value that no position was counted with");
}

static treb_status fill_chunk(void *context, size_t slice, uint32_t number, const Chunk *chunk,
                              treb_error *error)
{
    const Side *s = ((void **)context)[0];
    const Batch *batch = ((void **)context)[1];
    const size_t plane = shape_lane_cells(s->job->shape);
    uint32_t first = number * cells_planes(s->job->shape);
    uint8_t *cells = batch_slice(s, batch, slice);
    /* To their place, or on the way to a window. */
    uint8_t *out = cells + first * plane;
    if (batch->window != NULL) out = chunk->spare;
    treb_status status = side_chunk_values(s, chunk, out, error);
    for (uint32_t k = 0; batch->window != NULL && k < chunk->count / plane; k++)
        window_add(batch->window, first + k, out + k * plane, cells);
    return status;
}

treb_status batch_fill(const Side *s, Batch *batch, treb_error *error)
{
    void *context[2] = {(void *)(uintptr_t)s, batch};
    if (s->job->ranks != NULL) return shared_sample(s, batch, error);
    if (batch->cells == NULL && s->filled) return TREB_OK;
    return side_each_chunk(s, batch, fill_chunk, context, error);
}

treb_status side_fill_whole(Side *s, treb_error *error)
{
    const uint64_t slices = s->job->shape->index.slices;
    if (s->whole == NULL || s->filled) return TREB_OK;
    Batch rest = {.number = malloc(slices * sizeof *rest.number)};
    if (rest.number == NULL) return fail_memory(error);
    size_t sampled = 0;
    for (uint64_t i = 0; i < slices; i++) {
        if (sampled < s->sample.count && s->sample.number[sampled] == i) {
            sampled++;
            continue;
        }
        if (cells_has(s->job->cells, side_solved_slice(s->job, i)))
            rest.number[rest.count++] = i;
        else
            memset(s->whole + i * s->cells, ENCODE_ANY, s->cells);
    }
    treb_status status = batch_fill(s, &rest, error);
    batch_free(&rest);
    s->filled = status == TREB_OK;
    return status;
}

CodeForm side_form(const Side *s)
{
    CodeForm form = coder_form;
    if (s->job->header->bounds) form.limit = s->limit;
    return form;
}

bool side_is_constant(const Side *s)
{
    int values = 0;
    for (int v = 0; v < ENCODE_VALUES; v++) values += s->present[v];
    return values <= 1;
}
