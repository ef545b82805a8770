/* side_values.c - see side_values.h.
 *
 * Values are numbered so that they compress well: verdicts in their order, distances by how
 * frequent they are, and mate distances so that the possible values of a bound are a range that
 * begins at 0. */
#include "gen/write/side_values.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/write/side_cells.h"

enum {
    LIMITS = ENCODE_LIMITS - 1,
    UNKNOWN = ENCODE_UP_TO | LIMITS /* UNKNOWN: a value that no cell may have */
};

/* How often each cell code occurs. */
typedef struct Counts {
    uint64_t of[ROWS][PLIES_OPEN + 1]; /* in a chunk by row, in all chunks by verdict */
} Counts;

/* The row of a cell is what is stored for its verdict, modulo ROWS: one of five verdicts, or one
 * of the two kinds of cell that do not matter (codes.h), which are the largest numbers. */
static unsigned row_of(Plies verdict) { return verdict % ROWS; }

/* Returns the row of cell `i` of a chunk: the low bits of half a byte (cells_pack.h). It is 0 if the
 * metric needs no verdicts. */
static inline unsigned row_at(const CellChunk *chunk, size_t i)
{
    const uint8_t *verdicts = chunk->verdict.bytes;
    return verdicts != NULL ? verdicts[i / 2] >> 4 * (i % 2) & (ROWS - 1) : 0;
}

enum { BYTES = 256 };

/* Sets the cell code that each byte of a packed chunk stands for. */
static void codes_of_bytes(const PackedChunk *packed, Plies code[BYTES])
{
    uint8_t byte[BYTES];
    for (unsigned b = 0; b < BYTES; b++) byte[b] = (uint8_t)b;
    bytes_unpack(packed->bounds, byte, BYTES, code);
}

/* Returns the verdict under which distances of a row count, or -1 if they do not. Where a
 * capture wins, the verdict is not stored but a mate distance may be. */
static int verdict_of_row(const SymbolsJob *job, int row)
{
    if ((unsigned)row == row_of(CELL_FREE)) return job->metric == TREB_DTM ? TREB_WIN : -1;
    return row < WDL_VALUES && row != TREB_DRAW ? row : -1;
}

/* Counts the cells from `first` up to `end` of a chunk, by row and by what is kept for them. Neighbours
 * are mostly alike, and to increment one counter twice in a row is slower: there are two for each. */
static void count_bytes(const CellChunk *chunk, size_t first, size_t end, Counts *counts)
{
    const uint8_t *byte = chunk->cell.bytes, *verdict = chunk->verdict.bytes;
    uint32_t count[2][ROWS][BYTES] = {{{0}}};
    size_t i = first;
    for (; i + 2 <= end && i % 2 == 0; i += 2) {
        count[0][verdict[i / 2] & (ROWS - 1)][byte[i]]++;
        count[1][verdict[i / 2] >> 4 & (ROWS - 1)][byte[i + 1]]++;
    }
    for (; i < end; i++) count[0][row_at(chunk, i)][byte[i]]++;
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned b = 0; b < BYTES; b++)
            counts->of[r][b] += (uint64_t)count[0][r][b] + count[1][r][b];
}

static void count_wide(const CellChunk *chunk, size_t first, size_t end, Counts *counts)
{
    const Plies *cell = (const void *)chunk->cell.bytes;
    for (size_t i = first; i < end; i++) counts->of[row_at(chunk, i)][cell[i]]++;
}

static treb_status count_chunk(void *context, size_t slice, uint32_t number, const CellChunk *chunk,
                               treb_error *error)
{
    (void)slice;
    const SideEncoder *s = ((void **)context)[0];
    const size_t size = layout_lane_cells(s->job->layout);
    Counts *all = ((void **)context)[1], *mine = calloc(1, sizeof *mine);
    const bool bytes = chunk->cell.as == PACKED_BYTES;
    Plies code[BYTES];
    uint32_t planes;
    const uint32_t *plane = cells_chunk_planes(s->job->cells, number, &planes);
    if (mine == NULL) return fail_memory(error);
    codes_of_bytes(&chunk->cell, code);
    for (uint32_t k = 0, end; k < planes; k = end) {
        bool covered = cell_batch_covers(s, &s->sample, plane[k]);
        for (end = k + 1; end < planes; end++)
            if (cell_batch_covers(s, &s->sample, plane[end]) != covered) break;
        if (covered) (bytes ? count_bytes : count_wide)(chunk, k * size, end * size, mine);
    }
#pragma omp critical(coded_counts)
    for (int r = 0; r < ROWS; r++)
        for (unsigned n = 0; n < (bytes ? BYTES : CODES_END); n++) {
            int verdict = verdict_of_row(s->job, r);
            unsigned p = bytes ? code[n] : n;
            if (verdict >= 0 && p < CODES_END) all->of[verdict][p] += mine->of[r][n];
        }
    free(mine);
    return TREB_OK;
}

/* Sorts losses: short distances first. */
static int compare_codes(const void *a, const void *b)
{
    const ValueCount *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Sorts wins: long distances first. The possible values of a bound are then a range that begins
 * at 0. */
static int compare_codes_of_wins(const void *a, const void *b) { return compare_codes(b, a); }

/* Marks the codes that positions of a verdict have anywhere in the table. Of mate distances it
 * marks those of both kinds of win, or of loss, because the verdict is not stored where a
 * capture decides. */
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

bool symbols_fit(const Histograms *histograms, treb_metric metric, int side)
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

/* Chooses what each value stands for, under a verdict. */
static treb_status number_codes(SideEncoder *s, int verdict, const uint64_t *count,
                                treb_error *error)
{
    ValueCount sorted[PLIES_OPEN + 1];
    bool there[PLIES_OPEN + 1] = {false}, bounds = s->job->header->bounds;
    unsigned values = 0;
    mark_codes(s->job->histograms, s->job->metric, s->side, verdict, there);
    for (unsigned code = 0; code <= PLIES_OPEN; code++)
        if (there[code]) sorted[values++] = (ValueCount){count[code], code};
    qsort(sorted, values, sizeof *sorted,
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
        side->plies[verdict][i] = (uint16_t)codes_plies(s->job->metric, verdict, sorted[i].value);
        s->value[verdict][sorted[i].value] = (uint8_t)i;
        s->present[i] = true;
    }
    return TREB_OK;
}

/* Chooses limits for bounds so that about the same number of bounds lies between any two.
 * `count`: how often bounds have each value. The first limit is 0, so that every bound has a
 * limit. */
static void choose_limits(SideEncoder *s, const uint64_t *count)
{
    uint64_t all = 0, below = 0;
    unsigned limits = 0;
    for (unsigned v = 0; v < ENCODE_VALUES; v++) all += count[v];
    for (unsigned v = 0; v < ENCODE_VALUES && limits < LIMITS; v++) {
        if ((double)below >= (double)all * limits / LIMITS && s->present[v])
            s->up_to[limits++] = (uint8_t)v;
        below += count[v];
    }
    for (; limits < ENCODE_LIMITS; limits++)
        s->up_to[limits] = limits > 0 ? s->up_to[limits - 1] : 0;
}

/* Returns the cell for a bound: it stands for the highest limit that is not above the value. */
static uint8_t bound_cell(const SideEncoder *s, uint8_t value)
{
    unsigned n = ENCODE_LIMITS - 1;
    while (n > 0 && s->up_to[n] > value) n--;
    while (n > 0 && s->up_to[n - 1] == s->up_to[n]) n--;
    return (uint8_t)(ENCODE_UP_TO | n);
}

static void set_bounds(SideEncoder *s, const Counts *counts)
{
    uint64_t count[ENCODE_VALUES] = {0};
    for (int v = 0; v < WDL_VALUES; v++)
        for (unsigned code = CELL_BOUND; code < CODES_END; code++) {
            uint8_t value = s->value[v][code - CELL_BOUND];
            if (value != UNKNOWN) count[value] += counts->of[v][code];
        }
    choose_limits(s, count);
    for (int v = 0; v < WDL_VALUES; v++)
        for (unsigned code = CELL_BOUND; code < CODES_END; code++) {
            uint8_t value = s->value[v][code - CELL_BOUND];
            if (value != UNKNOWN) s->value[v][code] = bound_cell(s, value);
        }
}

/* Counts the cells of some slices of the sample, which are enough to see what is frequent. */
static treb_status count_sample(const SideEncoder *s, Counts *counts, treb_error *error)
{
    enum { SLICES = 4 };
    void *context[2] = {(void *)(uintptr_t)s, counts};
    const size_t every = s->sample.count / SLICES;
    if (every < 2) return side_each_chunk(s, &s->sample, count_chunk, context, error);
    uint64_t number[SLICES];
    CellBatch some = s->sample;
    some.number = number;
    some.count = SLICES;
    for (size_t i = 0; i < SLICES; i++) number[i] = s->sample.number[i * every + every / 2];
    return side_each_chunk(s, &some, count_chunk, context, error);
}

/* Chooses what the values stand for, in a file of distances, from how frequent the distances are
 * in the sample. */
static treb_status choose_distances(SideEncoder *s, treb_error *error)
{
    Counts *counts = calloc(1, sizeof *counts);
    if (counts == NULL) return fail_memory(error);
    treb_status status = count_sample(s, counts, error);
    const Processes *processes = s->job->processes;
    for (int v = 0; v < WDL_VALUES && processes != NULL && status == TREB_OK; v++)
        processes->all_sum(processes->context, counts->of[v], CODES_END);
    for (int v = 0; v < WDL_VALUES && status == TREB_OK; v++)
        if (v != TREB_DRAW) status = number_codes(s, v, counts->of[v], error);
    if (status == TREB_OK && s->job->header->bounds) set_bounds(s, counts);
    free(counts);
    return status;
}

/* Chooses what the values stand for, in a file of verdicts: the verdicts that occur, in their
 * order, so that "up to a draw" is a range of values. CELL_UP_TO_DRAW is such a range. */
static treb_status choose_verdicts(SideEncoder *s, treb_error *error)
{
    TableSide *side = &s->job->header->side[s->side];
    const uint64_t *count = s->job->statistics->count[s->side];
    unsigned values = 0;
    side->plies[0] = malloc(WDL_VALUES * sizeof *side->plies[0]);
    if (side->plies[0] == NULL) return fail_memory(error);
    for (unsigned v = 0; v < WDL_VALUES; v++) {
        if (count[v] == 0) continue;
        s->present[values] = true;
        s->value[0][v] = (uint8_t)values;
        side->plies[0][values++] = (uint16_t)v;
    }
    side->codes[0] = (uint16_t)values;
    s->value[0][CELL_FREE] = ENCODE_ANY;
    if (count[TREB_DRAW] > 0)
        s->value[0][CELL_UP_TO_DRAW] = (uint8_t)(ENCODE_UP_TO | s->value[0][TREB_DRAW]);
    return values > 0 ? TREB_OK : fail(error, TREB_ERR_ARGUMENT, "the table has no legal position");
}

/* In a file of profiles a cell is a place. */
static treb_status choose_places(SideEncoder *s)
{
    for (unsigned v = 0; v < ENCODE_VALUES; v++) {
        s->value[0][v] = (uint8_t)v;
        s->present[v] = v < s->job->header->profiles.most;
    }
    s->value[0][CELL_FREE] = ENCODE_ANY;
    return TREB_OK;
}

treb_status side_choose_values(SideEncoder *s, treb_error *error)
{
    memset(s->value, UNKNOWN, sizeof s->value);
    if (s->job->metric == TREB_DTM50) return choose_places(s);
    if (s->job->metric == TREB_WDL) return choose_verdicts(s, error);
    treb_status status = choose_distances(s, error);
    /* Cells without a distance do not matter, nor do cells of drawn positions. */
    for (int v = 0; v < WDL_VALUES; v++)
        memset(s->value[v] + CODES_END, ENCODE_ANY, PLIES_OPEN + 1 - CODES_END);
    memset(s->value[TREB_DRAW], ENCODE_ANY, sizeof s->value[TREB_DRAW]);
    for (int r = 0; r < ROWS; r++) {
        int verdict = verdict_of_row(s->job, r);
        memcpy(s->value_by_row[r], s->value[verdict >= 0 ? verdict : TREB_DRAW],
               sizeof s->value_by_row[r]);
    }
    return status;
}

/* side_chunk_values for each way of packing. A cell is looked up as it is packed: unpacking it first
 * took more time than the rest. */
static void values_of_nibbles(const SideEncoder *s, const CellChunk *chunk, uint8_t *restrict out)
{
    const uint8_t *packed = chunk->cell.bytes;
    const size_t count = chunk->cell.count;
    uint8_t two[BYTES][2];
    for (unsigned b = 0; b < BYTES; b++) {
        const uint8_t byte = (uint8_t)b;
        Plies cell[2];
        nibbles_unpack(&byte, 2, cell);
        for (int i = 0; i < 2; i++) two[b][i] = s->value[0][cell[i]];
    }
    for (size_t i = 0; i + 1 < count; i += 2) memcpy(out + i, two[packed[i / 2]], 2);
    if (count % 2) out[count - 1] = two[packed[count / 2]][0];
}

static const uint8_t *row_values(const SideEncoder *s, unsigned row)
{
    return side_by_verdict(s->job) ? s->value_by_row[row] : s->value[0];
}

static void values_of_bytes(const SideEncoder *s, const CellChunk *chunk, uint8_t *restrict out)
{
    const uint8_t *cell = chunk->cell.bytes, *verdict = chunk->verdict.bytes;
    const size_t count = chunk->cell.count;
    Plies code[BYTES];
    uint8_t value[ROWS][BYTES];
    codes_of_bytes(&chunk->cell, code);
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned b = 0; b < BYTES; b++) value[r][b] = row_values(s, r)[code[b]];
    for (size_t i = 0; i + 1 < count && verdict != NULL; i += 2) {
        const unsigned two = verdict[i / 2];
        out[i] = value[two & (ROWS - 1)][cell[i]];
        out[i + 1] = value[two >> 4 & (ROWS - 1)][cell[i + 1]];
    }
    for (size_t i = verdict != NULL ? count & ~(size_t)1 : 0; i < count; i++)
        out[i] = value[row_at(chunk, i)][cell[i]];
}

static void values_of_wide(const SideEncoder *s, const CellChunk *chunk, uint8_t *restrict out)
{
    const Plies *cell = (const void *)chunk->cell.bytes;
    for (size_t i = 0; i < chunk->cell.count; i++)
        out[i] = row_values(s, row_at(chunk, i))[cell[i]];
}

treb_status side_chunk_values(const SideEncoder *s, const CellChunk *chunk, uint8_t *restrict out,
                              treb_error *error)
{
    if (chunk->cell.as == PACKED_NIBBLES)
        values_of_nibbles(s, chunk, out);
    else if (chunk->cell.as == PACKED_BYTES)
        values_of_bytes(s, chunk, out);
    else
        values_of_wide(s, chunk, out);
    if (memchr(out, UNKNOWN, chunk->cell.count) == NULL) return TREB_OK;
    return fail(error, TREB_ERR_ARGUMENT, "a cell has a value that no counted position has");
}

CodeLimits side_limits(const SideEncoder *s)
{
    CodeLimits limits = coder_limits;
    if (s->job->header->bounds && s->job->metric != TREB_WDL) limits.up_to = s->up_to;
    return limits;
}

bool side_is_constant(const SideEncoder *s)
{
    int values = 0;
    for (int v = 0; v < ENCODE_VALUES; v++) values += s->present[v];
    return values <= 1;
}
