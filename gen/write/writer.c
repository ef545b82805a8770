/* writer.c - see writer.h.
 *
 * Cells that are coded by symbols wait until all slices are there (cells.h, coded.h), and verdicts
 * do in any case. With codec zstd the side to move whose distances are kept is chosen on a sample of
 * the first slice, and a slice goes to a file in three steps: the codes of its cells become runs of
 * bytes (codes.h), runs are cut into the file's blocks (blocks.h), and whole blocks are compressed,
 * all in parallel. */
#include "gen/write/writer.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/bitboard.h"
#include "core/error.h"
#include "gen/write/coded.h"
#include "gen/write/planes.h"

enum {
    LEVEL_DEFAULT = 9,
    ENCODER_BYTES = 4 << 20 /* what zstd takes at level 19 for blocks as small as ours */
};

struct Writer {
    const Shape *shape;
    Ledger *ledger;
    char directory[4096];
    unsigned metrics, width; /* width: bytes of a distance */
    TableCodec codec;
    unsigned classes;
    uint64_t large;
    bool bounds;
    uint64_t keep; /* bytes of the cells of each metric that may wait in memory */
    bool begun;
    int threads;
    TableEncoder **encoder[TREB_METRICS]; /* by thread; NULL for metrics not wanted */
    FileBlocks file[TREB_METRICS];
    bool is_copy[TREB_METRICS]; /* its cells are those of another's */
    uint64_t encoder_bytes;     /* claimed */
    Cells *cells[TREB_METRICS]; /* that wait */
    Tally tally;
    Histograms *histograms;
};

static bool has(const Writer *w, int metric) { return w->metrics >> metric & 1; }

/* Whether a metric's cells go to a file as they come. */
static bool at_once(const Writer *w, int metric)
{
    return w->codec == TABLE_ZSTD && has(w, metric) && !w->is_copy[metric];
}

/* With codec zstd, two bytes where a distance may need them. */
static unsigned width_of(const Shape *shape, const WriteOptions *options)
{
    bool many = material_men(&shape->material) > PLIES_BYTE_MEN;
    return options->wide || (many && options->codec == TABLE_ZSTD) ? 2 : 1;
}

/* Encoders for every thread, of one metric. */
static bool encoders_new(Writer *w, treb_metric metric, int level)
{
    /* Without pawns DTC mostly is DTZ, and is then the same bytes whichever is wanted. */
    bool as_dtz = metric == TREB_DTC && !w->shape->pawns;
    uint64_t bytes = (uint64_t)w->threads * ENCODER_BYTES;
    if (!ledger_claim(w->ledger, bytes)) return false;
    w->encoder_bytes += bytes;
    w->encoder[metric] = calloc(w->threads, sizeof *w->encoder[metric]);
    for (int i = 0; w->encoder[metric] && i < w->threads; i++) {
        TableEncoder *encoder = table_encoder_new(level ? level : LEVEL_DEFAULT, NULL, 0);
        if (encoder == NULL) return false;
        if (level == 0) table_encoder_tune(encoder, as_dtz ? TREB_DTZ : metric);
        w->encoder[metric][i] = encoder;
    }
    return w->encoder[metric] != NULL;
}

static void encoders_free(Writer *w, treb_metric metric)
{
    for (int i = 0; w->encoder[metric] && i < w->threads; i++)
        table_encoder_free(w->encoder[metric][i]);
    free(w->encoder[metric]);
}

/* Has the cells of a metric wait. */
static treb_status wait_for(Writer *w, treb_metric metric, unsigned sides, treb_error *error)
{
    CellsPlace place = {w->directory, w->ledger, w->keep};
    if (metric == TREB_DTM && w->bounds) sides |= CELLS_BOUNDS;
    w->cells[metric] = cells_new(w->shape, metric, sides, &place, error);
    return w->cells[metric] != NULL ? TREB_OK : error->status;
}

static treb_status writer_init(Writer *w, const WriteOptions *options, treb_error *error)
{
    if (strlen(options->directory) >= sizeof w->directory)
        return fail(error, TREB_ERR_ARGUMENT, "the folder's name is too long");
    strcpy(w->directory, options->directory);
    treb_status status = wait_for(w, TREB_WDL, CELLS_BOTH, error);
    if (status != TREB_OK) return status;
    if ((w->histograms = ledger_calloc(w->ledger, sizeof *w->histograms)) == NULL)
        return fail_memory(error);
    for (int m = 0; m < TREB_METRICS; m++)
        if (at_once(w, m) && !encoders_new(w, m, options->level)) return fail_memory(error);
    return TREB_OK;
}

Writer *writer_new(const Shape *shape, const WriteOptions *options, treb_error *error)
{
    Writer *w = calloc(1, sizeof *w);
    if (w == NULL) {
        fail_memory(error);
        return NULL;
    }
    w->shape = shape;
    w->ledger = options->ledger;
    w->metrics = options->metrics;
    w->width = width_of(shape, options);
    w->codec = w->width > 1 ? TABLE_ZSTD : options->codec;
    w->classes = options->classes;
    w->large = options->large;
    w->bounds = w->codec == TABLE_SYMBOLS &&
                material_men(&shape->material) >= (options->bounds ? options->bounds : BOUNDS_MEN);
    w->keep = w->codec == TABLE_ZSTD ? options->keep : options->keep / TREB_METRICS;
    w->threads = omp_get_max_threads();
    if (writer_init(w, options, error) == TREB_OK) return w;
    writer_abort(w);
    return NULL;
}

void writer_abort(Writer *w)
{
    if (w == NULL) return;
    for (int m = 0; m < TREB_METRICS; m++) {
        blocks_close(&w->file[m]);
        encoders_free(w, m);
        cells_free(w->cells[m]);
    }
    ledger_give_back(w->ledger, w->encoder_bytes);
    ledger_free(w->histograms);
    free(w);
}

/* ---- distances ------------------------------------------------------------------------------- */

static treb_status sample_slice(OrderSample *sample, const Slice *slice, treb_metric metric,
                                Ledger *ledger, treb_error *error)
{
    const Shape *shape = slice->shape;
    Plane plane;
    if (!order_sample_init(sample, shape, shape->kings, ledger)) return fail_memory(error);
    treb_status status =
        plane_init(&plane, shape, codes_parts(metric), ledger) ? TREB_OK : fail_memory(error);
    for (uint32_t i = 0; i < sample->planes; i++)
        for (int side = 0; side < 2 && status == TREB_OK; side++) {
            uint32_t kings = (uint32_t)((uint64_t)i * shape->kings / sample->planes);
            status = plane_read(&plane, slice, side, kings, error);
            if (status == TREB_OK)
                codes_choose(&plane, slice, metric, 0,
                             sample->plane[side] + i * codes_cells(shape));
        }
    plane_free(&plane);
    return status;
}

static treb_status distances_open(Writer *w, treb_metric metric, const Slice *slice,
                                  treb_error *error)
{
    Packing packing = {.metric = metric, .per_byte = 1, .base = 256, .width = w->width};
    OrderSample sample;
    OrderChoice choice;
    memset(&sample, 0, sizeof sample);
    treb_status status = sample_slice(&sample, slice, metric, w->ledger, error);
    OrderAim aim = {false, w->shape->symmetric ? 1 : 3};
    if (status == TREB_OK && !order_choose(&sample, &packing, aim, &choice))
        status = fail_memory(error);
    order_sample_free(&sample);
    if (status != TREB_OK) return status;
    bool keep[2] = {choice.side == 0, choice.side == 1};
    FileBlocksPlan plan = {w->shape, w->directory, w->ledger};
    return blocks_open(&w->file[metric], &plan, &packing, choice.order, keep, w->encoder[metric],
                       error);
}

static treb_status writer_begin(Writer *w, const Slice *slice, treb_error *error)
{
    /* Where the two metrics agree, so do their files but for the header. */
    w->is_copy[TREB_DTC] = slice->dtc_is_dtz && has(w, TREB_DTZ) && has(w, TREB_DTC);
    unsigned sides = w->shape->symmetric ? 1u << TREB_WHITE : CELLS_BOTH;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        treb_status status = TREB_OK;
        if (w->codec == TABLE_ZSTD && has(w, m))
            status = distances_open(w, m, slice, error);
        else if (has(w, m) && !w->is_copy[m])
            status = wait_for(w, m, sides, error);
        if (status != TREB_OK) return status;
    }
    if (w->codec == TABLE_ZSTD && w->is_copy[TREB_DTC]) w->file[TREB_DTZ].copy = &w->file[TREB_DTC];
    w->begun = true;
    return TREB_OK;
}

/* Slices of kings and pawns alone, where the bits of a word are slices. */
static treb_status side_lanes(const Writer *w, FileBlocks *file, const uint64_t *number,
                              const Slice *slice, int side, treb_error *error)
{
    const treb_metric metric = file->packing.metric;
    Plane plane;
    Plies *chosen = ledger_alloc(w->ledger, (size_t)SLICE_LANES * w->shape->kings * sizeof *chosen);
    bool enough = plane_init(&plane, w->shape, codes_parts(metric), w->ledger) && chosen;
    treb_status status = enough ? TREB_OK : fail_memory(error);
    for (uint32_t k = 0; k < w->shape->kings && status == TREB_OK; k++) {
        status = plane_read(&plane, slice, side, k, error);
        if (status == TREB_OK) codes_choose(&plane, slice, metric, 0, chosen + SLICE_LANES * k);
    }
    for (int lane = 0; lane < slice->lanes && status == TREB_OK; lane++)
        status =
            planes_write_kings(file, number[lane], side,
                               &(KingsCells){chosen + lane, SLICE_LANES, w->shape->kings}, error);
    plane_free(&plane);
    ledger_free(chosen);
    return status;
}

static treb_status distances_slice(Writer *w, treb_metric metric, const uint64_t *number,
                                   const Slice *slice, treb_error *error)
{
    FileBlocks *file = &w->file[metric];
    int side = file->header.side[1].stored;
    treb_status status = TREB_OK;
    if (w->shape->men == 0) return side_lanes(w, file, number, slice, side, error);
    for (int lane = 0; lane < slice->lanes && status == TREB_OK; lane++)
        status = planes_write(file, number[lane], slice, lane, side, error);
    return status;
}

treb_status writer_add(Writer *w, const uint64_t *number, const Slice *slice, treb_error *error)
{
    treb_status status = TREB_OK;
    assert(slice->shape == w->shape && number[0] < w->shape->index.slices);
#pragma omp critical(writer_begin)
    if (!w->begun) status = writer_begin(w, slice, error);
    for (int m = TREB_DTZ; m < TREB_METRICS && status == TREB_OK; m++)
        if (at_once(w, m)) status = distances_slice(w, m, number, slice, error);
    Cells *cells[TREB_METRICS];
    int count = 0;
    for (int m = 0; m < TREB_METRICS; m++)
        if (w->cells[m] != NULL) cells[count++] = w->cells[m];
    if (status == TREB_OK) status = cells_add(cells, count, number, slice, error);
    if (status == TREB_OK)
        status = tally_slice(&w->tally, w->histograms, number[0], slice, w->ledger, error);
    return status;
}

/* ---- slices that no position uses ------------------------------------------------------------ */

static treb_status write_nothing(FileBlocks *file, uint64_t number, treb_error *error)
{
    uint8_t *zeros = ledger_calloc(file->ledger, file->slice_bytes);
    treb_status status = zeros ? TREB_OK : fail_memory(error);
    for (int side = 0; side < 2 && status == TREB_OK; side++)
        if (file->header.side[side].stored)
            status = blocks_write(file, side, number * file->slice_bytes, zeros, file->slice_bytes,
                                  error);
    ledger_free(zeros);
    return status;
}

static treb_status skip_unused(Writer *w, int first, int end, treb_error *error)
{
    treb_status status = TREB_OK;
    for (uint64_t s = 0; s < w->shape->index.slices; s++) {
        if (cells_has(w->cells[TREB_WDL], s)) continue;
        for (int m = first; m < end && status == TREB_OK; m++)
            if (at_once(w, m)) status = write_nothing(&w->file[m], s, error);
    }
    return status;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static Packing verdict_packing(const Writer *w)
{
    static const unsigned per_byte[WDL_VALUES + 1] = {8, 8, 8, 5, 4, 3};
    Packing p = {.metric = TREB_WDL, .width = 1};
    unsigned seen = cells_seen(w->cells[TREB_WDL]);
    for (int v = 0; v < WDL_VALUES; v++) p.digit[v] = seen >> v & 1 ? p.base++ : UINT8_MAX;
    p.per_byte = per_byte[p.base];
    if (p.base < 2) p.base = 2;
    return p;
}

/* Takes planes from slices all over the table. */
static treb_status sample_verdicts(const Writer *w, OrderSample *sample, treb_error *error)
{
    const Shape *shape = w->shape;
    const Cells *v = w->cells[TREB_WDL];
    uint32_t chunks = cells_chunks(v), planes = cells_planes(shape);
    uint64_t all = shape->index.slices * chunks, taken = 0;
    size_t plane = codes_cells(shape) * sizeof(Plies);
    if (!order_sample_init(sample, shape, (uint32_t)(all < 64 ? all : 64), w->ledger))
        return fail_memory(error);
    Plies *cells = ledger_alloc(w->ledger, planes * plane);
    treb_status status = cells ? TREB_OK : fail_memory(error);
    for (uint32_t i = 0; status == TREB_OK && i < sample->planes; i++) {
        uint64_t at = (2 * (uint64_t)i + 1) * all / (2 * sample->planes);
        if (!cells_has(v, at / chunks)) continue;
        for (int side = 0; side < 2 && status == TREB_OK; side++) {
            status = cells_read(v, at / chunks, side, at % chunks, cells, error);
            if (status == TREB_OK)
                memcpy(sample->plane[side] + taken * codes_cells(shape), cells, plane);
        }
        taken++;
    }
    ledger_free(cells);
    sample->planes = (uint32_t)taken;
    return status;
}

/* A part of the verdicts: a chunk of one side of a slice. */
typedef struct VerdictPart {
    uint64_t number;
    int side;
    uint32_t chunk;
} VerdictPart;

/* Orders, packs and writes one part. */
static treb_status part_write(const Writer *w, VerdictPart part, treb_error *error)
{
    const Shape *shape = w->shape;
    FileBlocks *file = (FileBlocks *)&w->file[TREB_WDL];
    const Packing *p = &file->packing;
    const CodesMap *map = &file->map;
    uint32_t planes = cells_planes(shape), first = part.chunk * planes;
    if (planes > shape->kings - first) planes = shape->kings - first;
    size_t plane_bytes = codes_packed(p, map->plane_cells);
    PlaneRoom room = {NULL, NULL, NULL};
    uint8_t *bytes = ledger_alloc(w->ledger, planes * plane_bytes);
    bool enough = plane_room_init(&room, shape, map->plane_cells, planes, w->ledger) && bytes;
    treb_status status = enough ? cells_read(w->cells[TREB_WDL], part.number, part.side, part.chunk,
                                             room.chosen, error)
                                : fail_memory(error);
    for (uint32_t k = 0; k < planes && status == TREB_OK; k++) {
        codes_order(map, TREB_WDL, room.chosen + k * codes_cells(shape), room.spare, room.ordered);
        codes_pack(p, room.ordered, map->plane_cells, bytes + k * plane_bytes);
    }
    if (status == TREB_OK)
        status =
            blocks_write(file, part.side, part.number * file->slice_bytes + first * plane_bytes,
                         bytes, planes * plane_bytes, error);
    plane_room_free(&room);
    ledger_free(bytes);
    return status;
}

/* The same for a slice of kings and pawns alone. */
static treb_status kings_write(const Writer *w, VerdictPart part, treb_error *error)
{
    FileBlocks *file = (FileBlocks *)&w->file[TREB_WDL];
    Plies *chosen = ledger_alloc(w->ledger, w->shape->kings * sizeof *chosen);
    treb_status status =
        chosen ? cells_read(w->cells[TREB_WDL], part.number, part.side, 0, chosen, error)
               : fail_memory(error);
    if (status == TREB_OK)
        status = planes_write_kings(file, part.number, part.side,
                                    &(KingsCells){chosen, 1, w->shape->kings}, error);
    ledger_free(chosen);
    return status;
}

static treb_status verdicts_write(Writer *w, treb_error *error)
{
    const Cells *v = w->cells[TREB_WDL];
    uint32_t chunks = cells_chunks(v);
    uint64_t parts = 2 * w->shape->index.slices * chunks;
    treb_status status = TREB_OK;
#pragma omp parallel for schedule(dynamic)
    for (uint64_t i = 0; i < parts; i++) {
        treb_error mine;
        VerdictPart part = {i / chunks / 2, i / chunks % 2, (uint32_t)(i % chunks)};
        bool there = cells_has(v, part.number);
        if (!there || !w->file[TREB_WDL].header.side[part.side].stored) continue;
        treb_status s =
            w->shape->men > 0 ? part_write(w, part, &mine) : kings_write(w, part, &mine);
        if (s == TREB_OK) continue;
#pragma omp critical(writer_error)
        {
            status = s;
            *error = mine;
        }
    }
    return status;
}

static treb_status choose_verdict_order(const Writer *w, const Packing *packing,
                                        OrderChoice *choice, treb_error *error)
{
    OrderSample sample;
    memset(choice, 0, sizeof *choice);
    if (w->shape->men == 0) return TREB_OK; /* the kings are the only axis */
    memset(&sample, 0, sizeof sample);
    treb_status status = sample_verdicts(w, &sample, error);
    OrderAim aim = {true, w->shape->symmetric ? 1 : 3};
    if (status == TREB_OK && !order_choose(&sample, packing, aim, choice))
        status = fail_memory(error);
    order_sample_free(&sample);
    return status;
}

static treb_status finish_verdicts(Writer *w, treb_error *error)
{
    Packing packing = verdict_packing(w);
    OrderChoice choice;
    bool keep[2] = {true, !w->shape->symmetric};
    FileBlocksPlan plan = {w->shape, w->directory, w->ledger};
    treb_status status = choose_verdict_order(w, &packing, &choice, error);
    if (status == TREB_OK)
        status = blocks_open(&w->file[TREB_WDL], &plan, &packing, choice.order, keep,
                             w->encoder[TREB_WDL], error);
    if (status == TREB_OK) status = verdicts_write(w, error);
    if (status == TREB_OK) status = skip_unused(w, TREB_WDL, TREB_WDL + 1, error);
    return status;
}

/* ---- codec symbols --------------------------------------------------------------------------- */

static void coded_header(Writer *w, treb_metric metric)
{
    TableHeader *h = &w->file[metric].header;
    int verdicts = bit_count(cells_seen(w->cells[TREB_WDL]));
    h->metric = metric;
    h->codec = TABLE_SYMBOLS;
    h->bounds = metric == TREB_DTM && w->bounds;
    h->pad = h->width = 1;
    h->per_byte = metric != TREB_WDL ? 1 : verdicts <= 2 ? 8 : verdicts <= 4 ? 4 : 2;
    h->base = 1u << 8 / h->per_byte;
    h->block_bits = CODED_BLOCK_BITS;
    index_init_shades(&h->index, &w->shape->material, NULL);
}

/* Writes the file of a metric, and of the one that has the same cells. */
static treb_status coded_file(Writer *w, treb_metric metric, int at_once, treb_error *error)
{
    bool copy = metric == TREB_DTZ && w->is_copy[TREB_DTC];
    FileBlocks *file = &w->file[metric], *other = copy ? &w->file[TREB_DTC] : NULL;
    CodedJob job = {.shape = w->shape,
                    .ledger = w->ledger,
                    .directory = w->directory,
                    .metric = metric,
                    .verdicts = w->cells[TREB_WDL],
                    .cells = w->cells[metric],
                    .classes = w->classes,
                    .large = w->large,
                    .at_once = (unsigned)at_once,
                    .tally = &w->tally,
                    .histograms = w->histograms,
                    .header = &file->header,
                    .copy = copy ? &other->header : NULL};
    TableWriter *second = NULL;
    coded_header(w, metric);
    if (copy) coded_header(w, TREB_DTC);
    treb_status status = coded_write(&job, &file->writer, &second, error);
    if (copy) other->writer = second;
    /* What waited is not needed any more, but for verdicts. */
    if (metric != TREB_WDL) {
        cells_free(w->cells[metric]);
        w->cells[metric] = NULL;
    }
    return status;
}

/* How many of the files are made at once, as parts of the work on each are done by one thread: as many
 * as there is memory for. Sets the threads of each. */
static int files_at_once(const Writer *w, int files, int *threads)
{
    const int all = omp_get_max_threads();
    int most = files < all ? files : all;
    for (; most > 1; most--) {
        *threads = 2 * all / most < all ? 2 * all / most : all;
        uint64_t each = coded_memory(w->shape, w->classes, w->large, *threads);
        if (each <= ledger_room(w->ledger) / (unsigned)most) return most;
    }
    *threads = all;
    return 1;
}

static treb_status finish_coded(Writer *w, treb_error *error)
{
    treb_status status = TREB_OK;
    treb_metric metric[TREB_METRICS];
    int files = 0, threads, levels = omp_get_max_active_levels();
    /* The longest work first. */
    for (int m = TREB_METRICS - 1; m >= 0; m--)
        if (has(w, m) && w->cells[m] != NULL) metric[files++] = (treb_metric)m;
    int at_once = files_at_once(w, files, &threads);
    if (at_once > 1) omp_set_max_active_levels(levels + 1);
#pragma omp parallel for schedule(dynamic, 1) num_threads(at_once) if (at_once > 1)
    for (int f = 0; f < files; f++) {
        treb_error mine;
        treb_status before;
#pragma omp atomic read
        before = status;
        if (before != TREB_OK) continue;
        if (at_once > 1) omp_set_num_threads(threads);
        treb_status own = coded_file(w, metric[f], at_once, &mine);
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

static bool set_histogram(TableSide *side, int verdict, const uint64_t *positions)
{
    size_t bytes = ((size_t)side->longest[verdict] + 1) * sizeof *positions;
    side->histogram[verdict] = malloc(bytes);
    if (side->histogram[verdict]) memcpy(side->histogram[verdict], positions, bytes);
    return side->histogram[verdict] != NULL;
}

/* Puts what was counted into a header, with maps as long as the longest distance needs. */
static bool complete_header(const Writer *w, FileBlocks *file)
{
    TableHeader *h = &file->header;
    for (int side = 0; side < 2; side++) {
        TableSide *s = &h->side[side];
        memcpy(s->count, w->tally.count[side], sizeof s->count);
        if (h->metric == TREB_WDL) continue;
        for (int v = 0; v < WDL_VALUES; v++) {
            const char *fen = w->tally.fen[h->metric][side][v];
            s->longest[v] = w->tally.longest[h->metric][side][v];
            memcpy(s->longest_fen[v], fen, TABLE_FEN_SIZE);
            if (fen[0] == '\0') continue;
            if (!set_histogram(s, v, w->histograms->of[h->metric][side][v])) return false;
            if (!s->stored || h->codec == TABLE_SYMBOLS) continue;
            unsigned codes = (s->longest[v] >> (h->metric == TREB_DTM)) + 1;
            if (!blocks_set_map(file, side, v, codes)) return false;
        }
    }
    return true;
}

/* The verdicts' file comes last: without it no distance is of use. */
static treb_status finish_files(Writer *w, WriteResult *result, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int m = TREB_METRICS - 1; m >= 0 && status == TREB_OK; m--) {
        FileBlocks *file = &w->file[m];
        if (!has(w, m)) continue;
        if (!complete_header(w, file)) return fail_memory(error);
        TableWriter *writer = file->writer;
        file->writer = NULL;
        status = table_writer_finish(writer, &file->header, &result->file_size[m], error);
    }
    return status;
}

treb_status writer_finish(Writer *w, WriteResult *result, treb_error *error)
{
    memset(result, 0, sizeof *result);
    tally_finish(&w->tally, w->histograms, w->shape);
    treb_status status = skip_unused(w, TREB_DTZ, TREB_METRICS, error);
    if (status == TREB_OK)
        status = w->codec == TABLE_SYMBOLS ? finish_coded(w, error) : finish_verdicts(w, error);
    if (status == TREB_OK) status = finish_files(w, result, error);
    result->tally = w->tally;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) result->positions += w->tally.count[side][v];
    writer_abort(w);
    return status;
}

WriterMemory writer_memory(const Shape *shape, const WriteOptions *options, int threads)
{
    enum { PADDING = 2 };
    unsigned width = width_of(shape, options), metrics = options->metrics | 1u << TREB_WDL;
    TableCodec codec = width > 1 ? TABLE_ZSTD : options->codec;
    size_t plane = PADDING * codes_cells(shape), planes = cells_planes(shape);
    int waiting = codec == TABLE_SYMBOLS ? bit_count(metrics) : 1;
    uint64_t always = ledger_cost(sizeof(Histograms)) + (uint64_t)waiting * cells_memory(shape);
    WriterMemory bytes = {always + cells_add_memory(shape, waiting, threads), always};
    if (codec == TABLE_SYMBOLS) {
        bytes.finishing += coded_memory(shape, options->classes, options->large, threads);
        return bytes;
    }
    uint64_t distances = 0, verdicts = 0;
    for (int m = 0; m < TREB_METRICS; m++) {
        if (!(metrics >> m & 1)) continue;
        bytes.adding += (uint64_t)threads * ENCODER_BYTES;
        bytes.finishing += (uint64_t)threads * ENCODER_BYTES;
        uint64_t blocks = blocks_memory(shape, m, width, m == TREB_WDL ? 2 : 1, threads);
        if (m == TREB_WDL)
            verdicts = blocks;
        else
            distances += blocks;
    }
    uint64_t working =
        planes_memory(shape, plane, width, planes, threads) + order_memory(shape, threads);
    if (shape->men == 0)
        working += 2 * ledger_cost((size_t)SLICE_LANES * shape->kings * sizeof(Plies));
    bytes.adding += distances + working;
    bytes.finishing +=
        distances + verdicts + working + (uint64_t)threads * cells_read_memory(shape);
    return bytes;
}
