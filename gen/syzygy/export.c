/* export.c - see export.h. */
#include "gen/syzygy/export.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"
#include "core/system/stop.h"
#include "gen/compress/size_estimate.h"
#include "gen/compress/values.h"
#include "gen/syzygy/export_file.h"
#include "gen/write/cells.h"

enum { SIDES = 2, FILES = 4 };

struct Exporter {
    const Layout *layout;
    ExportOptions options;
    int files;
    RemapTables tables;
    Cells *cells[TREB_DTZ + 1]; /* by metric */
    PlyCounts counts[FILES];    /* estimates for DTZ, by pawn file; above 0 for all that occur */
    ArrayOrders orders[TREB_DTZ + 1][SIDES]; /* orders to try, by metric and side to move */
    int distance_side; /* side to move whose distances are stored; set with the first pawn file */
    TableStatistics statistics;
    Histograms *histograms;
};

/* ---- Adding slices --------------------------------------------------------------------------- */

static treb_status exporter_init(Exporter *e, treb_error *error)
{
    CellsPlace place = {.directory = e->options.directory,
                        .budget = e->options.budget,
                        .keep = e->options.keep / 2,
                        .stop = e->options.stop};
    if (!remap_tables_init(&e->tables, e->layout)) return fail_memory(error);
    for (int m = TREB_WDL; m <= TREB_DTZ; m++)
        if ((e->cells[m] = cells_new(e->layout, m, CELLS_BOTH, &place, error)) == NULL)
            return error->status;
    e->histograms = budget_calloc(e->options.budget, sizeof *e->histograms);
    return e->histograms != NULL ? TREB_OK : fail_memory(error);
}

Exporter *export_new(const Layout *layout, const ExportOptions *options, treb_error *error)
{
    Exporter *e = calloc(1, sizeof *e);
    if (e == NULL) {
        fail_memory(error);
        return NULL;
    }
    e->layout = layout;
    e->options = *options;
    e->files = layout->pawns ? FILES : 1;
    if (exporter_init(e, error) == TREB_OK) return e;
    export_abort(e);
    return NULL;
}

void export_abort(Exporter *e)
{
    if (e == NULL) return;
    for (int m = TREB_WDL; m <= TREB_DTZ; m++) cells_free(e->cells[m]);
    for (int i = 0; i < (TREB_DTZ + 1) * SIDES; i++) orders_free(&e->orders[i / SIDES][i % SIDES]);
    remap_tables_free(&e->tables);
    budget_free(e->histograms);
    free(e);
}

/* Subtracts the wins by a capture or pawn move from the wins in one ply, because the files do not
 * store a value for them. The result is an estimate that shows how frequent the value is; it is at
 * least 1 if there was any win in one ply. */
static void drop_shown_wins(const SolvedSlice *slice, PlyCounts *counts)
{
    uint64_t weight = (slice->layout->pawns ? 2 : 8) << slice->layout->pair;
    for (int side = 0; side < SIDES; side++) {
        uint64_t shown = weight * slice->zeroing_wins[side], *ones = &counts->of[side][1][1];
        if (*ones > 0) *ones = *ones > shown ? *ones - shown : 1;
    }
}

/* Adds the distances of a slice to the counts of its pawn file. Slices solved together have one
 * common count, which is added once to each pawn file that one of them belongs to. */
static void count_plies(Exporter *e, const uint64_t *number, const SolvedSlice *slice)
{
    bool counted[FILES] = {false};
    PlyCounts counts = slice->counts[TREB_DTZ], *own = &counts;
    drop_shown_wins(slice, own);
    const unsigned longest = slice->plies[TREB_DTZ];
    for (int lane = 0; lane < slice->lanes; lane++) {
        int file = e->tables.file[number[lane]];
        if (counted[file]) continue;
        counted[file] = true;
        PlyCounts *sum = &e->counts[file];
#pragma omp critical(export_counts)
        for (int i = 0; i < 4; i++)
            for (unsigned n = 0; n <= longest; n++)
                sum->of[i / 2][i % 2][n] += own->of[i / 2][i % 2][n];
    }
}

treb_status export_add(Exporter *e, const uint64_t *number, const SolvedSlice *slice,
                       treb_error *error)
{
    treb_status status = cells_add(e->cells, TREB_DTZ + 1, number, slice, NULL, error);
    if (status != TREB_OK) return status;
    count_plies(e, number, slice);
    return statistics_add_slice(&e->statistics, e->histograms, number[0], slice, NULL,
                                e->options.budget, NULL, error);
}

/* ---- Values of distances --------------------------------------------------------------------- */

/* How an array of distances stores its cells. */
typedef struct Values {
    uint8_t of[WDL_VALUES][PLIES_OPEN + 1]; /* value in the array, by verdict and plies */
    ExportArray *array; /* gets the flags, and the maps from values to distances */
} Values;

/* The verdict of each map, in the order of the maps in a file. */
static const uint8_t map_verdict[SYZYGY_MAPS] = {TREB_WIN, TREB_LOSS, TREB_CURSED_WIN,
                                                 TREB_BLESSED_LOSS};

/* Returns whether the wins of a colour must be stored in plies: if one of them takes all the plies that
 * the 50-move rule allows, rounding it up by one ply would turn it into a draw. */
static bool exact_wins(const Exporter *e, int file, int color)
{
    const PlyCounts *c = &e->counts[file];
    bool own = c->of[color][1][RULE_PLIES] || c->of[!color][0][RULE_PLIES];
    bool other = c->of[!color][1][RULE_PLIES] || c->of[color][0][RULE_PLIES];
    return e->options.exact || own || (e->layout->symmetric && other);
}

/* Returns the number that a file stores for a distance in plies. A mate on the board (0 plies) has the
 * number of a distance of 1. */
static unsigned stored_value(int verdict, bool exact, unsigned plies)
{
    if (verdict == TREB_CURSED_WIN || verdict == TREB_BLESSED_LOSS)
        return (plies - RULE_PLIES - 1) / 2;
    unsigned value = plies > 0 ? plies - 1 : 0;
    return exact ? value : value / 2;
}

/* Fills the map of verdict map_verdict[m], with the most frequent number first. Returns false if the
 * verdict has more than ENCODE_VALUES numbers. */
static bool fill_map(Values *values, const uint64_t *plies_count, int m, bool exact)
{
    ValueCount count[PLIES_MOST + 1];
    uint16_t number[PLIES_MOST + 1];
    int verdict = map_verdict[m];
    bool counts = verdict == TREB_WIN || verdict == TREB_LOSS;
    int first = counts ? 0 : RULE_PLIES + 1, last = counts ? RULE_PLIES : PLIES_MOST;
    ExportArray *array = values->array;
    for (int v = 0; v <= PLIES_MOST; v++) count[v] = (ValueCount){0, (unsigned)v};
    for (int p = first; p <= last; p++)
        count[stored_value(verdict, exact, (unsigned)p)].count += plies_count[p];
    qsort(count, PLIES_MOST + 1, sizeof *count, values_by_count);
    for (int i = 0; i <= PLIES_MOST && count[i].count > 0; i++) {
        if (i == ENCODE_VALUES) return false;
        array->map[m][i] = (uint16_t)count[i].value;
        array->map_count[m] = (uint16_t)(i + 1);
        number[count[i].value] = (uint16_t)i;
        if (count[i].value > UINT8_MAX) array->flags |= SYZYGY_WIDE;
    }
    for (int p = first; p <= last; p++)
        if (plies_count[p] > 0)
            values->of[verdict][p] = (uint8_t)number[stored_value(verdict, exact, (unsigned)p)];
    return true;
}

static treb_status values_init(const Exporter *e, int file, int side, Values *values,
                               treb_error *error)
{
    bool win = exact_wins(e, file, side), loss = exact_wins(e, file, !side);
    ExportArray *array = values->array;
    memset(values->of, ENCODE_ANY, sizeof values->of);
    array->flags = (uint8_t)((side ? SYZYGY_BLACK : 0) | SYZYGY_MAPPED |
                             (win ? SYZYGY_WIN_PLIES : 0) | (loss ? SYZYGY_LOSS_PLIES : 0));
    for (int m = 0; m < SYZYGY_MAPS; m++) {
        bool won = map_verdict[m] > TREB_DRAW;
        if (!fill_map(values, e->counts[file].of[side][won], m, won ? win : loss))
            return fail(error, TREB_ERR_ARGUMENT,
                        "a table with so many different distances cannot be exported");
    }
    return TREB_OK;
}

/* ---- From the solver's cells to an array's values -------------------------------------------- */

static uint8_t verdict_value(Plies cell)
{
    if (cell == CELL_FREE) return ENCODE_ANY;
    return cell == CELL_UP_TO_DRAW ? ENCODE_UP_TO | TREB_DRAW : (uint8_t)cell;
}

static uint8_t distance_value(const Values *values, Plies verdict, Plies plies)
{
    return verdict < WDL_VALUES ? values->of[verdict][plies] : ENCODE_ANY;
}

/* The cells of one pawn file and side to move, in the solver's order. */
typedef struct RemapInput {
    int file, side;
    const Values *values; /* how to store distances; NULL: store verdicts */
    uint8_t *cells;       /* slice after slice, see Remap */
} RemapInput;

/* The solver stores the cells of a pair of like men in one order only. Copies them to the other order,
 * because an array may read either. */
static void mirror_pair(const Layout *layout, uint8_t *cells)
{
    for (size_t cell = 0; cell < layout->plane_cells && layout->pair; cell += 64)
        if (layout_cell(layout, cell) != cell)
            memcpy(cells + cell, cells + layout_cell(layout, cell), 64);
}

static treb_status fill_chunk(const Exporter *e, const RemapInput *s, uint64_t slice,
                              uint32_t chunk, Plies *chunk_cells[2], treb_error *error)
{
    uint32_t planes = cells_planes(e->layout), first = chunk * planes;
    if (planes > e->layout->kings - first) planes = e->layout->kings - first;
    size_t count = planes * e->tables.plane;
    uint8_t *out = s->cells + e->tables.place[slice] * e->tables.slice + first * e->tables.plane;
    for (int m = TREB_WDL; m <= (s->values ? TREB_DTZ : TREB_WDL); m++) {
        treb_status status = cells_read(e->cells[m], slice, s->side, chunk, chunk_cells[m], error);
        if (status != TREB_OK) return status;
    }
    if (s->values != NULL)
        for (size_t i = 0; i < count; i++)
            out[i] = distance_value(s->values, chunk_cells[TREB_WDL][i], chunk_cells[TREB_DTZ][i]);
    else
        for (size_t i = 0; i < count; i++) out[i] = verdict_value(chunk_cells[TREB_WDL][i]);
    for (uint32_t k = 0; k < planes; k++) mirror_pair(e->layout, out + k * e->tables.plane);
    return TREB_OK;
}

static treb_status fill_input(const Exporter *e, const RemapInput *s, treb_error *error)
{
    treb_status status = TREB_OK;
    uint64_t chunks = cells_chunks(e->cells[TREB_WDL]), parts = e->layout->index.slices * chunks;
#pragma omp parallel
    {
        Plies *chunk_cells[2];
        for (int m = 0; m < 2; m++)
            chunk_cells[m] = budget_alloc(e->options.budget, cells_chunk_bytes(e->layout));
#pragma omp for schedule(dynamic)
        for (uint64_t i = 0; i < parts; i++) {
            treb_error mine;
            uint64_t slice = i / chunks;
            if (!cells_has(e->cells[TREB_WDL], slice) || e->tables.file[slice] != s->file) continue;
            treb_status own =
                chunk_cells[0] && chunk_cells[1]
                    ? fill_chunk(e, s, slice, (uint32_t)(i % chunks), chunk_cells, &mine)
                    : fail_memory(&mine);
            if (own == TREB_OK) continue;
#pragma omp critical(export_error)
            {
                status = own;
                *error = mine;
            }
        }
        for (int m = 0; m < 2; m++) budget_free(chunk_cells[m]);
    }
    return status;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static bool stopped(const Exporter *e) { return stop_asked(e->options.stop); }

/* Fills the input of an array, and chooses the orders to try on all its cells. */
static treb_status prepare_array(Exporter *e, RemapInput *s, OrderChoice *choice, treb_error *error)
{
    ArrayOrders *orders = &e->orders[s->values ? TREB_DTZ : TREB_WDL][s->side], own = {NULL, 0};
    s->cells = budget_alloc(e->options.budget, e->tables.slices[s->file] * e->tables.slice);
    if (s->cells == NULL) return fail_memory(error);
    treb_status status = fill_input(e, s, error);
    OrderParams params = {&e->tables, s->file, s->cells, e->options.budget};
    /* Later pawn files try only the best orders of the first pawn file. */
    if (s->file > 0) {
        if (status == TREB_OK && !orders_copy(&own, orders)) status = fail_memory(error);
        orders = &own;
    }
    if (status == TREB_OK) status = orders_choose(orders, &params, choice, error);
    orders_free(&own);
    return status;
}

/* Returns the cells in the given order; the caller frees them with budget_free. Returns NULL if memory
 * runs out. */
static uint8_t *ordered_cells(const Exporter *e, const RemapInput *s, const ArrayOrder *order,
                              uint64_t *size)
{
    SyzygyIndex index;
    syzygy_index_init(&index, &e->tables.syzygy, &e->layout->material, order->man, order->place,
                      order->place2, s->file);
    *size = index.size;
    uint8_t *cells = budget_alloc(e->options.budget, index.size);
    if (cells != NULL)
        remap_all(&(Remap){&e->tables, &index, s->file, s->cells, ENCODE_ANY}, cells);
    return cells;
}

/* Compares the orders on all cells, and returns the one that takes the fewest bytes. Returns NULL if
 * memory runs out. */
static const ArrayOrder *best_order(const Exporter *e, const RemapInput *s,
                                    const OrderChoice *choice)
{
    enum { LITTLE = 128 }; /* bytes: an array this small needs no better order */
    int best = 0, count = choice->count;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < count && count > 1 && least > LITTLE && !stopped(e); i++) {
        uint64_t size, bytes = 0;
        uint8_t *cells = ordered_cells(e, s, &choice->order[i], &size);
        if (cells != NULL)
            bytes = size_estimate_array(cells, size, &array_limits, e->options.budget);
        budget_free(cells);
        if (bytes == 0) return NULL;
        if (bytes < least) {
            least = bytes;
            best = i;
        }
    }
    return &choice->order[best];
}

static treb_status encode_input(const Exporter *e, const RemapInput *s, const OrderChoice *choice,
                                ExportArray *array, treb_error *error)
{
    const ArrayOrder *order = best_order(e, s, choice);
    if (order == NULL) return fail_memory(error);
    uint64_t size;
    uint8_t *cells = ordered_cells(e, s, order, &size);
    if (cells == NULL) return fail_memory(error);
    EncodeOptions options = {.budget = e->options.budget,
                             .threads = omp_get_max_threads(),
                             .only_zero = s->values != NULL,
                             .block_bits = s->values != NULL ? 10 : 6};
    array->order = *order;
    treb_status status = encode_array(cells, size, &options, &array->encoded, error);
    budget_free(cells);
    return status;
}

static treb_status verdict_array(Exporter *e, int file, int side, ExportArray *array,
                                 treb_error *error)
{
    RemapInput s = {.file = file, .side = side};
    OrderChoice choice;
    treb_status status = prepare_array(e, &s, &choice, error);
    if (status == TREB_OK && !stopped(e)) status = encode_input(e, &s, &choice, array, error);
    budget_free(s.cells);
    return status;
}

/* Distances of one side to move. */
typedef struct Distances {
    ExportArray array;
    Values values;
    RemapInput input;
    OrderChoice choice; /* `bytes` is exact once the array is encoded */
} Distances;

static treb_status prepare_distances(Exporter *e, int file, int side, Distances *d,
                                     treb_error *error)
{
    d->values.array = &d->array;
    d->input = (RemapInput){file, side, &d->values, NULL};
    treb_status status = values_init(e, file, side, &d->values, error);
    if (status != TREB_OK) return status;
    return prepare_array(e, &d->input, &d->choice, error);
}

static treb_status encode_distances(const Exporter *e, Distances *d, treb_error *error)
{
    treb_status status = encode_input(e, &d->input, &d->choice, &d->array, error);
    budget_free(d->input.cells);
    d->input.cells = NULL;
    d->choice.bytes = encoded_bytes(&d->array.encoded);
    return status;
}

/* Sets *best to the side to move whose distances take fewer bytes. If the estimates do not clearly
 * differ, the function encodes the distances of both sides and compares the results. */
static treb_status choose_side(const Exporter *e, Distances d[SIDES], int *best, treb_error *error)
{
    enum { FAR = 3, OF = 2 }; /* estimates decide if they differ by more than FAR / OF */
    int less = d[1].choice.bytes < d[0].choice.bytes;
    bool clear = OF * d[!less].choice.bytes > FAR * d[less].choice.bytes;
    treb_status status = TREB_OK;
    for (int side = 0; side < SIDES && !clear && status == TREB_OK; side++)
        status = encode_distances(e, &d[side], error);
    *best = clear ? less : d[1].choice.bytes < d[0].choice.bytes;
    return status;
}

/* Makes the array of distances of one pawn file. A DTZ file stores the distances of one side to move
 * only. The first pawn file chooses that side, and all other pawn files use it. */
static treb_status distance_array(Exporter *e, int file, ExportArray *array, treb_error *error)
{
    Distances *d = calloc(SIDES, sizeof *d);
    int best = file > 0 ? e->distance_side : 0, first = best, last = best;
    if (d == NULL) return fail_memory(error);
    if (file == 0 && !e->layout->symmetric) last = SIDES - 1;
    treb_status status = TREB_OK;
    for (int side = first; side <= last && status == TREB_OK && !stopped(e); side++)
        status = prepare_distances(e, file, side, &d[side], error);
    if (first < last && status == TREB_OK && !stopped(e)) status = choose_side(e, d, &best, error);
    if (status == TREB_OK && !stopped(e) && d[best].input.cells != NULL)
        status = encode_distances(e, &d[best], error);
    e->distance_side = file == 0 ? best : e->distance_side;
    *array = d[best].array;
    encode_free(&d[!best].array.encoded);
    for (int side = 0; side < SIDES; side++) budget_free(d[side].input.cells);
    free(d);
    return status;
}

/* ---- In parallel ----------------------------------------------------------------------------- */

/* Returns the bytes of memory needed to make one array with `threads` threads. */
static uint64_t array_memory(const RemapTables *tables, int threads)
{
    uint64_t most = 0;
    for (int f = 0; f < FILES; f++)
        if (tables->slices[f] > most) most = tables->slices[f];
    /* Two buffers: first the cells of both sides to move; later the cells of one side, and a copy of
     * them in the array's order. The copy has at most 1 % more cells. */
    uint64_t input = budget_cost(most * tables->slice + most * tables->slice / 64);
    return 2 * input + encode_memory(input, threads) + orders_memory(threads) +
           2 * (uint64_t)threads * budget_cost(cells_chunk_bytes(tables->layout));
}

/* Returns how many arrays to make in parallel. Parallel arrays use the cores better, because one thread
 * learns the code of an array. */
static int arrays_at_once(const Exporter *e, int arrays)
{
    int threads = omp_in_parallel() ? 1 : omp_get_max_threads(), n = threads;
    uint64_t memory = budget_left(e->options.budget);
    if (n > arrays) n = arrays;
    while (n > 1 && memory / (uint64_t)n < array_memory(&e->tables, (threads + n - 1) / n)) n--;
    return n;
}

/* The arrays that are made in parallel, and the error if one failed. */
typedef struct ArrayTasks {
    Exporter *e;
    ExportFile *file; /* by metric */
    int threads;      /* threads of one array; 0: the default number */
    treb_status status;
    treb_error *error;
} ArrayTasks;

static void make_array(ArrayTasks *tasks, int metric, int f, int side)
{
    treb_error mine;
    ExportArray *array = &tasks->file[metric].array[f][side];
    if (stopped(tasks->e)) return;
    if (tasks->threads > 0) omp_set_num_threads(tasks->threads);
    treb_status own = metric == TREB_WDL ? verdict_array(tasks->e, f, side, array, &mine)
                                         : distance_array(tasks->e, f, array, &mine);
    if (own == TREB_OK) return;
#pragma omp critical(export_error)
    {
        tasks->status = own;
        *tasks->error = mine;
    }
}

/* Makes all arrays of the metrics from `first` to `last`. The arrays of later pawn files wait for that
 * of the first one, because they use the orders and the side to move that it chose. */
static treb_status fill_files(Exporter *e, ExportFile *file, int first, int last, treb_error *error)
{
    int arrays = 0;
    for (int m = first; m <= last; m++) arrays += file[m].files * file[m].sides;
    int lanes = arrays_at_once(e, arrays);
    int threads = omp_get_max_threads(), levels = omp_get_max_active_levels();
    ArrayTasks tasks = {e, file, lanes > 1 ? (threads + lanes - 1) / lanes : 0, TREB_OK, error};
    if (lanes > 1) omp_set_max_active_levels(levels + 1);
#pragma omp parallel num_threads(lanes) if (lanes > 1)
#pragma omp single
    {
        char done[(TREB_DTZ + 1) * SIDES]; /* names the dependences of tasks; holds no data */
        (void)done;
        for (int f = 0; f < e->files; f++)
            for (int i = last * SIDES + SIDES - 1; i >= first * SIDES; i--) {
                int m = i / SIDES, side = i % SIDES;
                if (side >= file[m].sides) continue;
                if (f == 0) {
#pragma omp task depend(out : done[i])
                    make_array(&tasks, m, f, side);
                } else {
#pragma omp task depend(in : done[i])
                    make_array(&tasks, m, f, side);
                }
            }
#pragma omp taskwait
    }
    if (lanes > 1) omp_set_max_active_levels(levels);
    return tasks.status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Makes the arrays of both files. With pawns both metrics together have enough arrays to make them in
 * parallel; without pawns the metrics come one after the other. */
static treb_status fill_all(Exporter *e, ExportFile *file, treb_error *error)
{
    if (e->files > 1) return fill_files(e, file, TREB_WDL, TREB_DTZ, error);
    treb_status status = fill_files(e, file, TREB_DTZ, TREB_DTZ, error);
    return status == TREB_OK ? fill_files(e, file, TREB_WDL, TREB_WDL, error) : status;
}

/* Writes the DTZ file, then the WDL file. A program cannot use a DTZ file without the WDL file. */
static treb_status write_files(Exporter *e, WriteResult *result, treb_error *error)
{
    ExportFile *file = calloc(TREB_DTZ + 1, sizeof *file);
    if (file == NULL) return fail_memory(error);
    for (int m = TREB_WDL; m <= TREB_DTZ; m++) {
        file[m].material = &e->layout->material;
        file[m].metric = m;
        file[m].files = e->files;
        file[m].sides = m == TREB_WDL && !e->layout->symmetric ? SIDES : 1;
    }
    treb_status status = fill_all(e, file, error);
    for (int m = TREB_DTZ; m >= TREB_WDL && status == TREB_OK && !stopped(e); m--)
        status = export_file_write(&file[m], e->options.directory, &result->file_size[m], error);
    for (int m = TREB_WDL; m <= TREB_DTZ; m++) export_file_free(&file[m]);
    free(file);
    return status;
}

static bool list_orders(Exporter *e)
{
    ArrayOrders all;
    bool ok = orders_list(&all, &e->tables);
    for (int i = 0; i < (TREB_DTZ + 1) * SIDES && ok; i++)
        ok = orders_copy(&e->orders[i / SIDES][i % SIDES], &all);
    if (all.order != NULL) orders_free(&all);
    return ok;
}

treb_status export_finish(Exporter *e, WriteResult *result, treb_error *error)
{
    memset(result, 0, sizeof *result);
    statistics_finish(&e->statistics, e->histograms, e->layout);
    treb_status status = list_orders(e) ? write_files(e, result, error) : fail_memory(error);
    result->statistics = e->statistics;
    for (int side = 0; side < SIDES; side++)
        for (int v = 0; v < WDL_VALUES; v++) result->positions += e->statistics.count[side][v];
    export_abort(e);
    return status;
}

WriterMemory export_memory(const Layout *layout, int threads)
{
    RemapTables *tables = calloc(1, sizeof *tables);
    WriterMemory bytes = {UINT64_MAX / 2, UINT64_MAX / 2};
    if (tables == NULL || !remap_tables_init(tables, layout)) {
        free(tables);
        return bytes;
    }
    uint64_t always = budget_cost(sizeof(Histograms)) + 2 * cells_memory(layout, NULL);
    bytes.adding = always + cells_add_memory(layout, 2, threads);
    /* One array at a time, and the encoded arrays that wait to be written. */
    bytes.finishing =
        always + array_memory(tables, threads) + (uint64_t)threads * cells_read_memory(layout);
    for (int f = 0; f < FILES; f++) bytes.finishing += tables->slices[f] * tables->slice / 6;
    remap_tables_free(tables);
    free(tables);
    return bytes;
}
