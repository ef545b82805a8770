/* writer.c - see writer.h.
 *
 * The cells of all slices wait until the table is complete (cells.h). Then each metric's file is
 * made from them, with codec symbols (symbols_file.h) or zstd (zstd_file.h). */
#include "gen/write/writer.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/stop.h"
#include "core/system/system.h"
#include "gen/write/side_values.h"
#include "gen/write/symbols_file.h"
#include "gen/write/zstd_file.h"

enum {
    LEVEL_DEFAULT = 9,
    ENCODER_BYTES = 4 << 20 /* of zstd at level 19 for blocks as small as ours */
};

struct Writer {
    const Layout *layout;
    MemoryBudget *budget;
    char directory[4096];
    WriteOptions options;
    unsigned metrics, width; /* width: bytes of a distance with codec zstd */
    TableCodec codec;
    bool bounds, begun;
    int threads;
    TableEncoder **encoder; /* by thread; NULL: not made yet */
    uint64_t encoder_bytes; /* bytes claimed for the encoders */
    ZstdBlocks file[TREB_METRICS];
    bool dtc_is_dtz; /* the DTC file has the distances of the DTZ file (TableHeader.as_dtz) */
    Cells *cells[TREB_METRICS]; /* that wait, by metric */
    bool resumed;               /* an earlier run has added all or some slices */
    bool made[TREB_METRICS];    /* the earlier run has made the file of the metric */
    uint64_t file_size[TREB_METRICS];
    TableStatistics statistics;
    Histograms *histograms;
};

static bool has(const Writer *w, int metric) { return w->metrics >> metric & 1; }

/* Bytes of a distance with codec zstd: two where a distance may need them. */
static unsigned width_of(const Layout *layout, const WriteOptions *options)
{
    bool many = material_men(&layout->material) > PLIES_BYTE_MEN;
    return options->wide || (many && options->codec == TABLE_ZSTD) ? 2 : 1;
}

static CellsPlace cells_place(const Writer *w)
{
    return (CellsPlace){.directory = w->options.scratch,
                        .path = w->options.path,
                        .budget = w->budget,
                        .keep = w->options.keep / TREB_METRICS,
                        .stop = w->options.stop,
                        .progress = w->options.progress,
                        .processes = w->options.processes};
}

static bool is_first(const Writer *w)
{
    return w->options.processes == NULL || w->options.processes->index == 0;
}

/* Whether the cells of a metric are bounds. Captures complete verdicts without that. */
static bool has_bounds(const Writer *w, treb_metric metric)
{
    return w->bounds &&
           (metric == TREB_DTM || (metric == TREB_WDL && material_last_pawn(&w->layout->material)));
}

static unsigned cells_sides(const Writer *w, treb_metric metric)
{
    bool one = metric != TREB_WDL && w->layout->symmetric;
    return (one ? 1u << TREB_WHITE : CELLS_BOTH) | (has_bounds(w, metric) ? CELLS_BOUNDS : 0);
}

/* Creates the set in which the cells of a metric wait. */
static treb_status wait_for(Writer *w, treb_metric metric, treb_error *error)
{
    CellsPlace place = cells_place(w);
    w->cells[metric] = cells_new(w->layout, metric, cells_sides(w, metric), &place, error);
    return w->cells[metric] != NULL ? TREB_OK : error->status;
}

/* Reads what writer_put saved. Returns false if it cannot be used. */
static bool writer_get(Writer *w, State *state)
{
    w->begun = state_get_most(state, 1);
    w->dtc_is_dtz = state_get_most(state, 1);
    state_get_bytes(state, &w->statistics, sizeof w->statistics);
    state_get_bytes(state, w->histograms, sizeof *w->histograms);
    for (int m = 0; m < TREB_METRICS; m++) {
        if (state_get_most(state, 1) == 0) continue;
        CellsPlace place = cells_place(w);
        w->cells[m] =
            cells_get(w->layout, (treb_metric)m, cells_sides(w, (treb_metric)m), &place, state);
        if (w->cells[m] == NULL) return false;
    }
    return w->cells[TREB_WDL] != NULL && !state->failed;
}

static treb_status writer_init(Writer *w, State *state, treb_error *error)
{
    if (strlen(w->options.directory) >= sizeof w->directory)
        return fail(error, TREB_ERR_ARGUMENT, "the folder's name is too long");
    strcpy(w->directory, w->options.directory);
    w->histograms = budget_calloc(w->budget, sizeof *w->histograms);
    if (w->histograms == NULL) return fail_memory(error);
    if (state == NULL) return wait_for(w, TREB_WDL, error);
    w->resumed = true;
    if (writer_get(w, state)) return TREB_OK;
    return fail(error, TREB_ERR_DAMAGED, "the checkpoint of an earlier run is damaged");
}

Writer *writer_new(const Layout *layout, const WriteOptions *options, State *state,
                   treb_error *error)
{
    Writer *w = calloc(1, sizeof *w);
    if (w == NULL) {
        fail_memory(error);
        return NULL;
    }
    w->layout = layout;
    w->options = *options;
    w->budget = options->budget;
    w->metrics = options->metrics;
    w->width = width_of(layout, options);
    w->codec = w->options.wide ? TABLE_ZSTD : options->codec;
    w->bounds = w->codec == TABLE_SYMBOLS &&
                material_men(&layout->material) >= (options->bounds ? options->bounds : BOUNDS_MEN);
    w->threads = omp_get_max_threads();
    if (writer_init(w, state, error) == TREB_OK) return w;
    writer_abort(w);
    return NULL;
}

static void encoders_free(Writer *w)
{
    for (int i = 0; w->encoder != NULL && i < w->threads; i++) table_encoder_free(w->encoder[i]);
    free(w->encoder);
    w->encoder = NULL;
    budget_release(w->budget, w->encoder_bytes);
    w->encoder_bytes = 0;
}

void writer_abort(Writer *w)
{
    if (w == NULL) return;
    for (int m = 0; m < TREB_METRICS; m++) {
        zstd_blocks_close(&w->file[m]);
        cells_free(w->cells[m]);
    }
    encoders_free(w);
    budget_free(w->histograms);
    free(w);
}

static treb_status writer_begin(Writer *w, const SolvedSlice *slice, treb_error *error)
{
    w->dtc_is_dtz = slice->dtc_is_dtz && has(w, TREB_DTZ) && has(w, TREB_DTC);
    treb_status status = TREB_OK;
    for (int m = TREB_DTZ; m < TREB_METRICS && status == TREB_OK; m++)
        if (has(w, m) && !(m == TREB_DTC && w->dtc_is_dtz)) status = wait_for(w, (treb_metric)m, error);
    w->begun = true;
    return status;
}

treb_status writer_put(const Writer *w, State *state, treb_error *error)
{
    treb_status status = TREB_OK;
    state_put(state, w->begun);
    state_put(state, w->dtc_is_dtz);
    state_put_bytes(state, &w->statistics, sizeof w->statistics);
    state_put_bytes(state, w->histograms, sizeof *w->histograms);
    for (int m = 0; m < TREB_METRICS && status == TREB_OK; m++) {
        state_put(state, w->cells[m] != NULL);
        if (w->cells[m] != NULL) status = cells_put(w->cells[m], state, error);
    }
    return status;
}

treb_status writer_add(Writer *w, const uint64_t *number, const SolvedSlice *slice,
                       treb_error *error)
{
    treb_status status = TREB_OK;
    Cells *cells[TREB_METRICS];
    int count = 0;
    assert(slice->layout == w->layout && number[0] < w->layout->index.slices);
#pragma omp critical(writer_begin)
    if (!w->begun) status = writer_begin(w, slice, error);
    for (int m = 0; m < TREB_METRICS; m++)
        if (w->cells[m] != NULL) cells[count++] = w->cells[m];
    PlaneStatistics *planes = NULL;
    if (status == TREB_OK && !plane_statistics_new(slice, &planes)) status = fail_memory(error);
    if (status == TREB_OK) status = cells_add(cells, count, number, slice, planes, error);
    if (status == TREB_OK && w->options.processes != NULL)
        plane_statistics_sum(planes, w->options.processes);
    if (status == TREB_OK)
        status = statistics_add_slice(&w->statistics, w->histograms, number[0], slice, planes,
                                      w->budget, w->options.processes, error);
    plane_statistics_free(planes);
    return status;
}

/* ---- one file -------------------------------------------------------------------------------- */

static bool set_histogram(TableSide *side, int verdict, const uint64_t *positions)
{
    size_t bytes = ((size_t)side->longest[verdict] + 1) * sizeof *positions;
    side->histogram[verdict] = malloc(bytes);
    if (side->histogram[verdict]) memcpy(side->histogram[verdict], positions, bytes);
    return side->histogram[verdict] != NULL;
}

/* Puts what was counted into a header. With codec zstd, value maps are as long as the longest
 * distance needs. */
static bool complete_header(const Writer *w, ZstdBlocks *file)
{
    TableHeader *h = &file->header;
    for (int side = 0; side < 2; side++) {
        TableSide *s = &h->side[side];
        memcpy(s->count, w->statistics.count[side], sizeof s->count);
        if (h->metric == TREB_WDL) continue;
        for (int v = 0; v < WDL_VALUES; v++) {
            const char *fen = w->statistics.fen[h->metric][side][v];
            s->longest[v] = w->statistics.longest[h->metric][side][v];
            memcpy(s->longest_fen[v], fen, TABLE_FEN_SIZE);
            if (fen[0] == '\0') continue;
            if (!set_histogram(s, v, w->histograms->of[h->metric][side][v])) return false;
            if (!s->stored || h->codec == TABLE_SYMBOLS) continue;
            unsigned codes = (s->longest[v] >> (h->metric == TREB_DTM)) + 1;
            if (!zstd_blocks_set_map(file, side, v, codes)) return false;
        }
    }
    return true;
}

/* Completes the file of a metric and gives it its name. With DTZ makes the DTC file that needs it. */
static treb_status publish(Writer *w, treb_metric metric, treb_error *error)
{
    ZstdBlocks *file = &w->file[metric];
    TableWriter *writer = file->writer;
    if (writer == NULL) return TREB_OK; /* the file was completed before */
    if (!complete_header(w, file)) return fail_memory(error);
    file->writer = NULL;
    treb_status status =
        table_writer_finish(writer, &file->header, &w->file_size[metric], error);
    if (status != TREB_OK || metric != TREB_DTZ || !w->dtc_is_dtz) return status;
    return table_write_as_dtz(w->directory, &file->header, &w->file_size[TREB_DTC], error);
}

/* Whether an interrupted run has already completed the file of a metric. */
static bool made_before(Writer *w, treb_metric metric)
{
    char name[TABLE_NAME_SIZE];
    SystemFile about;
    if (!w->resumed || !has(w, metric)) return false;
    table_file_name(&w->layout->material, metric, name);
    char *path = io_path(w->directory, name);
    bool made = path != NULL && system_about_path(path, &about);
    if (made) w->file_size[metric] = about.size;
    free(path);
    return made && (!w->dtc_is_dtz || metric != TREB_DTZ || made_before(w, TREB_DTC));
}

/* Whether the file of a metric must still be made, from cells. */
static bool to_make(Writer *w, int metric)
{
    return has(w, metric) && w->cells[metric] != NULL && !w->made[metric];
}

/* Frees the cells of a metric whose file is made; verdicts stay. If a later run could resume,
 * completes the file now. */
static treb_status file_made(Writer *w, treb_metric metric, treb_error *error)
{
    if (metric == TREB_WDL) return TREB_OK;
    cells_free(w->cells[metric]);
    w->cells[metric] = NULL;
    return w->options.path != NULL ? publish(w, metric, error) : TREB_OK;
}

/* ---- codec zstd ------------------------------------------------------------------------------ */

/* Makes an encoder for each thread. Returns false if out of memory. */
static bool encoders_new(Writer *w, treb_metric metric)
{
    /* Without pawns DTC is mostly the same as DTZ. So both are tuned in the same way, and the bytes are
     * the same whichever metrics are made. */
    bool as_dtz = metric == TREB_DTC && !w->layout->pawns;
    const int level = w->options.level;
    uint64_t bytes = (uint64_t)w->threads * ENCODER_BYTES;
    encoders_free(w);
    if (!budget_claim(w->budget, bytes)) return false;
    w->encoder_bytes = bytes;
    w->encoder = calloc(w->threads, sizeof *w->encoder);
    for (int i = 0; w->encoder && i < w->threads; i++) {
        w->encoder[i] = table_encoder_new(level ? level : LEVEL_DEFAULT, NULL, 0);
        if (w->encoder[i] == NULL) return false;
        if (level == 0) table_encoder_tune(w->encoder[i], as_dtz ? TREB_DTZ : metric);
    }
    return w->encoder != NULL;
}

/* Whether the file of a metric has codec symbols. In tables with the very longest lines a
 * verdict has too many distances for that. */
static bool by_symbols(const Writer *w, int metric)
{
    if (w->codec != TABLE_SYMBOLS || metric == TREB_WDL) return w->codec == TABLE_SYMBOLS;
    for (int side = 0; side < 2; side++)
        if (!symbols_fit(w->histograms, (treb_metric)metric, side)) return false;
    return true;
}

static treb_status write_zstd_file(Writer *w, treb_metric metric, treb_error *error)
{
    unsigned width = w->codec == TABLE_SYMBOLS ? 2 : w->width;
    if (!encoders_new(w, metric)) return fail_memory(error);
    const Cells *cells = w->cells[metric];
    treb_status status = TREB_OK;
    Cells *all = NULL;
    /* With processes the first one makes the file, from the cells of all. */
    const CellsPlace place = cells_place(w);
    if (place.processes != NULL)
        status =
            cells_gather(cells, w->layout, metric, cells_sides(w, metric), &place, &all, error);
    if (all != NULL) cells = all;
    ZstdJob job = {w->layout, w->budget,  w->directory,        metric,         cells,
                   width,     w->encoder, w->options.progress, w->options.stop};
    if (status == TREB_OK && is_first(w))
        status = zstd_file_write(&job, &w->file[metric], error);
    cells_free(all);
    return status == TREB_OK ? file_made(w, metric, error) : status;
}

/* Makes all files with codec zstd. */
static treb_status finish_zstd(Writer *w, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int m = 0; m < TREB_METRICS && status == TREB_OK; m++)
        if (!by_symbols(w, m) && to_make(w, m) && !stop_asked(w->options.stop))
            status = write_zstd_file(w, (treb_metric)m, error);
    return status;
}

/* ---- codec symbols --------------------------------------------------------------------------- */

static void symbols_header(Writer *w, treb_metric metric)
{
    TableHeader *h = &w->file[metric].header;
    int verdicts = bit_count(cells_seen(w->cells[TREB_WDL]));
    h->metric = metric;
    h->codec = TABLE_SYMBOLS;
    h->bounds = has_bounds(w, metric);
    h->pad = h->width = 1;
    h->per_byte = metric != TREB_WDL ? 1 : verdicts <= 2 ? 8 : verdicts <= 4 ? 4 : 2;
    h->base = 1u << 8 / h->per_byte;
    h->block_bits = SYMBOLS_BLOCK_BITS;
    index_init_square_colors(&h->index, &w->layout->material, NULL);
}

static treb_status write_symbols_file(Writer *w, treb_metric metric, int at_once, treb_error *error)
{
    ZstdBlocks *file = &w->file[metric];
    SymbolsJob job = {.layout = w->layout,
                      .scratch = w->options.scratch,
                      .processes = w->options.processes,
                      .budget = w->budget,
                      .directory = w->directory,
                      .metric = metric,
                      .verdicts = w->cells[TREB_WDL],
                      .cells = w->cells[metric],
                      .effort = w->options.effort,
                      .classes = w->options.classes,
                      .large = w->options.large,
                      .stop = w->options.stop,
                      .progress = w->options.progress,
                      .at_once = (unsigned)at_once,
                      .statistics = &w->statistics,
                      .histograms = w->histograms,
                      .header = &file->header};
    symbols_header(w, metric);
    treb_status status = symbols_file_write(&job, &file->writer, error);
    return status == TREB_OK ? file_made(w, metric, error) : status;
}

/* Returns how many files to make at the same time, because parts of the work on a file use only
 * one thread: as many as memory allows. Sets the threads of each. */
static int files_at_once(const Writer *w, int files, int *threads)
{
    const int all = omp_get_max_threads();
    int most = files < all ? files : all;
    /* All processes must make the files in the same order. */
    if (w->options.processes != NULL) most = 1;
    for (; most > 1; most--) {
        *threads = 2 * all / most < all ? 2 * all / most : all;
        uint64_t each = symbols_file_memory(w->layout, w->options.classes, w->options.large,
                                            w->options.processes, *threads);
        if (each <= budget_left(w->budget) / (unsigned)most) return most;
    }
    *threads = all;
    return 1;
}

static treb_status finish_symbols(Writer *w, treb_error *error)
{
    treb_status status = TREB_OK;
    treb_metric metric[TREB_METRICS];
    int files = 0, threads, levels = omp_get_max_active_levels();
    /* The longest work comes first. */
    for (int m = TREB_METRICS - 1; m >= 0; m--)
        if (by_symbols(w, m) && to_make(w, m)) metric[files++] = (treb_metric)m;
    if (files == 0) return TREB_OK;
    int at_once = files_at_once(w, files, &threads);
    if (at_once > 1) omp_set_max_active_levels(levels + 1);
#pragma omp parallel for schedule(dynamic, 1) num_threads(at_once) if (at_once > 1)
    for (int f = 0; f < files; f++) {
        treb_error mine;
        treb_status before;
#pragma omp atomic read
        before = status;
        if (before != TREB_OK || stop_asked(w->options.stop)) continue;
        if (at_once > 1) omp_set_num_threads(threads);
        treb_status own = write_symbols_file(w, metric[f], at_once, &mine);
        if (own == TREB_OK) continue;
#pragma omp critical(writer_error)
        {
#pragma omp atomic write
            status = own;
            *error = mine;
        }
    }
    omp_set_max_active_levels(levels);
    return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Completes the files. The file of verdicts comes last: without it no file of distances is of
 * use. */
static treb_status finish_files(Writer *w, WriteResult *result, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int m = TREB_METRICS - 1; m >= 0 && status == TREB_OK; m--)
        if (has(w, m)) status = publish(w, (treb_metric)m, error);
    memcpy(result->file_size, w->file_size, sizeof w->file_size);
    return status;
}

/* Sets the number of cells to write. Of distances only one side to move is written. */
static void progress_start(const Writer *w)
{
    if (w->options.progress == NULL) return;
    uint64_t cells = w->layout->index.slices * w->layout->kings * layout_lane_cells(w->layout);
    int files = bit_count(w->metrics) - w->dtc_is_dtz + !w->layout->symmetric;
    atomic_store(&w->options.progress->written, 0);
    atomic_store(&w->options.progress->all, (uint64_t)files * cells);
}

treb_status writer_finish(Writer *w, WriteResult *result, treb_error *error)
{
    const Processes *processes = w->options.processes;
    progress_start(w);
    memset(result, 0, sizeof *result);
    for (int m = 0; m < TREB_METRICS; m++) w->made[m] = made_before(w, (treb_metric)m);
    if (processes != NULL) {
        cells_agree(w->cells[TREB_WDL], processes);
        processes->broadcast(processes->context, w->made, sizeof w->made);
    }
    statistics_finish(&w->statistics, w->histograms, w->layout);
    treb_status status = finish_zstd(w, error);
    if (status == TREB_OK) status = finish_symbols(w, error);
    if (status == TREB_OK && !stop_asked(w->options.stop)) status = finish_files(w, result, error);
    result->statistics = w->statistics;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) result->positions += w->statistics.count[side][v];
    writer_abort(w);
    return status;
}

WriterMemory writer_memory(const Layout *layout, const WriteOptions *options, int threads)
{
    unsigned metrics = options->metrics | 1u << TREB_WDL;
    uint64_t encoders = (uint64_t)threads * ENCODER_BYTES, most = 0;
    uint64_t always = budget_cost(sizeof(Histograms)) +
                      (uint64_t)bit_count(metrics) * cells_memory(layout, options->processes);
    if (options->codec == TABLE_SYMBOLS && !options->wide)
        most = symbols_file_memory(layout, options->classes, options->large, options->processes,
                                   threads);
    for (int m = 0; m < TREB_METRICS; m++) {
        if (!(metrics >> m & 1)) continue;
        unsigned width = m == TREB_WDL ? 1 : width_of(layout, options);
        uint64_t bytes = encoders + zstd_file_memory(layout, (treb_metric)m, width, threads);
        /* With processes the first one then has the cells of all. */
        if (options->processes != NULL) {
            uint64_t gathering = cells_gather_memory(layout);
            bytes = (bytes > gathering ? bytes : gathering) + cells_memory(layout, NULL);
        }
        /* Some tables of six men have too many distances for codec symbols. */
        bool by_symbols = options->codec == TABLE_SYMBOLS && !options->wide;
        if (by_symbols && material_men(&layout->material) <= PLIES_BYTE_MEN) continue;
        if (bytes > most) most = bytes;
    }
    /* The cells of DTM50 come later, when the others have been written. */
    const int added = bit_count(metrics & ((1u << TREB_METRICS) - 1));
    return (WriterMemory){always + cells_add_memory(layout, added, threads),
                          always + most};
}
