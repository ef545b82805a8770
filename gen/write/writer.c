/* emit.c - see emit.h.
 *
 * A slice goes to a file in three steps: its cells are staged (stage.h) into runs of bytes, runs
 * are cut into the file's blocks (stream.h), and whole blocks are compressed, all in parallel.
 * Distances are written as soon as their slice is solved; the order of their axes and the side to
 * move that is kept are chosen on a sample of the first slice. Verdicts wait until all slices are
 * there (defer.h). */
#include "gen/write/writer.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "gen/write/blocks.h"
#include "gen/write/verdicts.h"

enum { LEVEL_DEFAULT = 9, RUN_BYTES = 8 << 20 };

struct Emitter {
    const Shape *shape;
    char directory[4096];
    unsigned metrics, width; /* width: bytes of a distance */
    bool begun;
    int threads;
    TableEncoder **encoder[TREB_METRICS]; /* by thread; NULL for metrics not wanted */
    Stream stream[TREB_METRICS];
    bool follows[TREB_METRICS]; /* is another's twin */
    Deferred *verdicts;
    Tally tally;
    Histograms *histograms;
};

static bool has(const Emitter *e, int metric) { return e->metrics >> metric & 1; }

/* Two bytes where a distance may need them. */
static unsigned emit_width(const Shape *shape, const EmitOptions *options)
{
    enum { NARROW_MEN = 5 };
    return sizeof(Plies) > 1 && (options->wide || material_men(&shape->material) > NARROW_MEN) ? 2
                                                                                               : 1;
}

static bool encoders_new(Emitter *e, treb_metric metric, int level)
{
    /* Without pawns DTC mostly is DTZ, and is then the same bytes whichever is wanted. */
    bool twin = metric == TREB_DTC && !e->shape->pawns;
    e->encoder[metric] = calloc(e->threads, sizeof *e->encoder[metric]);
    for (int i = 0; e->encoder[metric] && i < e->threads; i++) {
        TableEncoder *encoder = table_encoder_new(level ? level : LEVEL_DEFAULT, NULL, 0);
        if (encoder == NULL) return false;
        if (level == 0) table_encoder_tune(encoder, twin ? TREB_DTZ : metric);
        e->encoder[metric][i] = encoder;
    }
    return e->encoder[metric] != NULL;
}

static void encoders_free(Emitter *e, treb_metric metric)
{
    for (int i = 0; e->encoder[metric] && i < e->threads; i++)
        table_encoder_free(e->encoder[metric][i]);
    free(e->encoder[metric]);
}

Emitter *emitter_new(const Shape *shape, const EmitOptions *options, treb_error *error)
{
    Emitter *e = calloc(1, sizeof *e);
    if (e == NULL || strlen(options->directory) >= sizeof e->directory) goto fail;
    e->shape = shape;
    e->metrics = options->metrics;
    e->width = emit_width(shape, options);
    strcpy(e->directory, options->directory);
    e->threads = omp_get_max_threads();
    e->verdicts = deferred_new(shape);
    e->histograms = calloc(1, sizeof *e->histograms);
    if (e->verdicts == NULL || e->histograms == NULL) goto fail;
    for (int m = 0; m < TREB_METRICS; m++)
        if (has(e, m) && !encoders_new(e, m, options->level)) goto fail;
    return e;
fail:
    emit_out_of_memory(error);
    emitter_abort(e);
    return NULL;
}

void emitter_abort(Emitter *e)
{
    if (e == NULL) return;
    for (int m = 0; m < TREB_METRICS; m++) {
        stream_close(&e->stream[m]);
        encoders_free(e, m);
    }
    free(e->histograms);
    deferred_free(e->verdicts);
    free(e);
}

/* ---- distances ------------------------------------------------------------------------------- */

static bool sample_slice(OrderSample *sample, const Slice *slice, treb_metric metric)
{
    const Shape *shape = slice->shape;
    if (!order_sample_init(sample, shape, shape->kings)) return false;
#pragma omp parallel for schedule(dynamic)
    for (uint32_t i = 0; i < sample->planes; i++)
        for (int side = 0; side < 2; side++)
            stage_plane(slice, metric, side, (uint64_t)i * shape->kings / sample->planes, 0,
                        sample->plane[side] + i * stage_cells(shape));
    return true;
}

static treb_status distances_open(Emitter *e, treb_metric metric, const Slice *slice,
                                  treb_error *error)
{
    Packing packing = {.metric = metric, .per_byte = 1, .base = 256, .width = e->width};
    OrderSample sample;
    uint8_t order[INDEX_AXES_MAX];
    int side;
    if (!sample_slice(&sample, slice, metric)) return emit_out_of_memory(error);
    bool chosen =
        order_choose(e->shape, &packing, &sample, false, e->shape->symmetric ? 1 : 3, order, &side);
    order_sample_free(&sample);
    if (!chosen) return emit_out_of_memory(error);
    bool keep[2] = {side == 0, side == 1};
    return stream_open(&e->stream[metric], e->shape, &packing, order, keep, e->directory,
                       e->encoder[metric], error);
}

static treb_status emitter_begin(Emitter *e, const Slice *slice, treb_error *error)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        if (!has(e, m)) continue;
        treb_status status = distances_open(e, m, slice, error);
        if (status != TREB_OK) return status;
    }
    /* Where the two metrics agree, so do their files but for the header. */
    if (slice->dtc_is_dtz && has(e, TREB_DTZ) && has(e, TREB_DTC)) {
        e->stream[TREB_DTZ].twin = &e->stream[TREB_DTC];
        e->follows[TREB_DTC] = true;
    }
    e->begun = true;
    return TREB_OK;
}

/* Stages planes `first` to `end` of a side of one lane as they go to the file. */
static bool stage_planes(const Stream *stream, const Slice *slice, int lane, int side,
                         uint32_t first, uint32_t end, uint8_t *out)
{
    const Shape *shape = slice->shape;
    const StageMap *map = &stream->map;
    treb_metric metric = stream->packing.metric;
    size_t bytes = stage_packed(&stream->packing, map->plane_cells);
    bool ok = true;
#pragma omp parallel
    {
        Plies *staged = malloc(stage_cells(shape) * sizeof *staged);
        Plies *spare = malloc(stage_cells(shape) * sizeof *spare);
        Plies *ordered = malloc(map->plane_cells * sizeof *ordered);
        bool enough = staged && spare && ordered;
        if (!enough) {
#pragma omp atomic write
            ok = false;
        }
#pragma omp for schedule(dynamic, 4)
        for (uint32_t k = first; k < end; k++) {
            if (!enough) continue;
            stage_plane(slice, metric, side, k, lane, staged);
            stage_order(map, metric, staged, spare, ordered);
            stage_pack(&stream->packing, ordered, map->plane_cells, out + (k - first) * bytes);
        }
        free(staged);
        free(spare);
        free(ordered);
    }
    return ok;
}

/* One side of the slice in one lane, some planes at a time. */
static treb_status side_slice(Stream *stream, uint64_t number, const Slice *slice, int lane,
                              int side, treb_error *error)
{
    uint32_t kings = slice->shape->kings;
    size_t size = stage_packed(&stream->packing, stream->map.plane_cells);
    uint32_t planes = RUN_BYTES / size ? RUN_BYTES / size : 1;
    if (planes > kings) planes = kings;
    uint8_t *bytes = malloc(planes * size);
    treb_status status = bytes ? TREB_OK : emit_out_of_memory(error);
    for (uint32_t first = 0; first < kings && status == TREB_OK; first += planes) {
        uint32_t end = first + planes < kings ? first + planes : kings;
        status = stage_planes(stream, slice, lane, side, first, end, bytes)
                     ? stream_write(stream, side, number * stream->slice_bytes + first * size,
                                    bytes, (end - first) * size, error)
                     : emit_out_of_memory(error);
    }
    free(bytes);
    return status;
}

/* A slice of kings and pawns alone, from cells `stride` apart, one a plane. */
static treb_status write_kings(const Emitter *e, Stream *stream, uint64_t number,
                               const Plies *staged, size_t stride, int side, treb_error *error)
{
    const Packing *p = &stream->packing;
    size_t count = stream->header.index.slice_size;
    Plies *cells = malloc(count * sizeof *cells);
    uint8_t *bytes = malloc(stream->slice_bytes);
    Plies before = p->metric == TREB_WDL ? TREB_DRAW : 0;
    treb_status status = cells && bytes ? TREB_OK : emit_out_of_memory(error);
    for (size_t k = 0; k < count && status == TREB_OK; k++) {
        if (k < e->shape->kings) before = stage_settle(staged[stride * k], before);
        cells[k] = before;
    }
    if (status == TREB_OK) {
        stage_pack(p, cells, count, bytes);
        status = stream_write(stream, side, number * stream->slice_bytes, bytes,
                              stream->slice_bytes, error);
    }
    free(cells);
    free(bytes);
    return status;
}

/* Slices of kings and pawns alone, where the bits of a word are slices. */
static treb_status side_lanes(const Emitter *e, Stream *stream, const uint64_t *number,
                              const Slice *slice, int side, treb_error *error)
{
    Plies *staged = malloc((size_t)SLICE_LANES * e->shape->kings * sizeof *staged);
    treb_status status = staged ? TREB_OK : emit_out_of_memory(error);
    for (uint32_t k = 0; k < e->shape->kings && staged; k++)
        stage_plane(slice, stream->packing.metric, side, k, 0, staged + SLICE_LANES * k);
    for (int lane = 0; lane < slice->lanes && status == TREB_OK; lane++)
        status = write_kings(e, stream, number[lane], staged + lane, SLICE_LANES, side, error);
    free(staged);
    return status;
}

static treb_status distances_slice(Emitter *e, treb_metric metric, const uint64_t *number,
                                   const Slice *slice, treb_error *error)
{
    Stream *stream = &e->stream[metric];
    int side = stream->header.side[1].stored;
    treb_status status = TREB_OK;
    if (e->shape->men == 0) return side_lanes(e, stream, number, slice, side, error);
    for (int lane = 0; lane < slice->lanes && status == TREB_OK; lane++)
        status = side_slice(stream, number[lane], slice, lane, side, error);
    return status;
}

treb_status emitter_slice(Emitter *e, const uint64_t *number, const Slice *slice, treb_error *error)
{
    treb_status status = TREB_OK;
#pragma omp critical(emit_begin)
    if (!e->begun) status = emitter_begin(e, slice, error);
    for (int m = TREB_DTZ; m < TREB_METRICS && status == TREB_OK; m++)
        if (has(e, m) && !e->follows[m]) status = distances_slice(e, m, number, slice, error);
    if (status == TREB_OK && !deferred_add(e->verdicts, number, slice))
        status = emit_out_of_memory(error);
    if (status == TREB_OK && !tally_slice(&e->tally, e->histograms, number[0], slice))
        status = emit_out_of_memory(error);
    return status;
}

/* ---- slices that no position uses ------------------------------------------------------------ */

static treb_status write_nothing(Stream *stream, uint64_t number, treb_error *error)
{
    uint8_t *zeros = calloc(1, stream->slice_bytes);
    treb_status status = zeros ? TREB_OK : emit_out_of_memory(error);
    for (int side = 0; side < 2 && status == TREB_OK; side++)
        if (stream->header.side[side].stored)
            status = stream_write(stream, side, number * stream->slice_bytes, zeros,
                                  stream->slice_bytes, error);
    free(zeros);
    return status;
}

static treb_status skip_unused(Emitter *e, int first, int end, treb_error *error)
{
    treb_status status = TREB_OK;
    for (uint64_t s = 0; s < e->shape->index.slices; s++) {
        if (deferred_has(e->verdicts, s)) continue;
        for (int m = first; m < end && status == TREB_OK; m++)
            if (has(e, m) && !e->follows[m]) status = write_nothing(&e->stream[m], s, error);
    }
    return status;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static Packing verdict_packing(const Emitter *e)
{
    static const unsigned per_byte[WDL_VALUES + 1] = {8, 8, 8, 5, 4, 3};
    Packing p = {.metric = TREB_WDL, .width = 1};
    unsigned seen = deferred_verdicts(e->verdicts);
    for (int v = 0; v < WDL_VALUES; v++) p.digit[v] = seen >> v & 1 ? p.base++ : UINT8_MAX;
    p.per_byte = per_byte[p.base];
    if (p.base < 2) p.base = 2;
    return p;
}

/* Takes planes from slices all over the table. */
static bool sample_verdicts(const Emitter *e, OrderSample *sample)
{
    const Shape *shape = e->shape;
    const Deferred *d = e->verdicts;
    uint32_t chunks = deferred_chunks(d), planes = deferred_chunk_planes(d);
    uint64_t all = shape->index.slices * chunks, taken = 0;
    Plies *cells = malloc(planes * stage_cells(shape) * sizeof *cells);
    bool ok = order_sample_init(sample, shape, (uint32_t)(all < 64 ? all : 64));
    ok = ok && cells;
    for (uint32_t i = 0; ok && i < sample->planes; i++) {
        uint64_t at = (2 * (uint64_t)i + 1) * all / (2 * sample->planes);
        if (!deferred_has(d, at / chunks)) continue;
        for (int side = 0; side < 2 && ok; side++) {
            ok = deferred_read(d, at / chunks, side, at % chunks, cells);
            memcpy(sample->plane[side] + taken * stage_cells(shape), cells,
                   stage_cells(shape) * sizeof *cells);
        }
        taken++;
    }
    free(cells);
    sample->planes = (uint32_t)taken;
    return ok;
}

/* Orders, packs and writes one chunk. */
static treb_status chunk_write(const Emitter *e, Stream *stream, uint64_t number, int side,
                               uint32_t chunk, treb_error *error)
{
    const Shape *shape = e->shape;
    const Packing *p = &stream->packing;
    const StageMap *map = &stream->map;
    uint32_t planes = deferred_chunk_planes(e->verdicts), first = chunk * planes;
    if (first + planes > shape->kings) planes = shape->kings - first;
    size_t plane_bytes = stage_packed(p, map->plane_cells);
    Plies *staged = malloc(planes * stage_cells(shape) * sizeof *staged);
    Plies *spare = malloc(stage_cells(shape) * sizeof *spare);
    Plies *cells = malloc(map->plane_cells * sizeof *cells);
    uint8_t *bytes = malloc(planes * plane_bytes);
    treb_status status = TREB_ERR_MEMORY;
    if (staged && spare && cells && bytes &&
        deferred_read(e->verdicts, number, side, chunk, staged)) {
        for (uint32_t k = 0; k < planes; k++) {
            stage_order(map, TREB_WDL, staged + k * stage_cells(shape), spare, cells);
            stage_pack(p, cells, map->plane_cells, bytes + k * plane_bytes);
        }
        status = stream_write(stream, side, number * stream->slice_bytes + first * plane_bytes,
                              bytes, planes * plane_bytes, error);
    } else {
        emit_out_of_memory(error);
    }
    free(staged);
    free(spare);
    free(cells);
    free(bytes);
    return status;
}

/* Writes one unit of the work: a chunk of a side of a slice, if there is such a slice. */
static treb_status verdicts_unit(const Emitter *e, Stream *stream, uint64_t unit, treb_error *error)
{
    const Deferred *d = e->verdicts;
    uint32_t chunks = deferred_chunks(d);
    uint64_t number = unit / chunks / 2;
    int side = unit / chunks % 2;
    if (!deferred_has(d, number) || !stream->header.side[side].stored) return TREB_OK;
    if (e->shape->men > 0) return chunk_write(e, stream, number, side, unit % chunks, error);
    Plies *staged = malloc(e->shape->kings * sizeof *staged);
    treb_status status = staged && deferred_read(d, number, side, 0, staged)
                             ? write_kings(e, stream, number, staged, 1, side, error)
                             : emit_out_of_memory(error);
    free(staged);
    return status;
}

static treb_status verdicts_write(Emitter *e, treb_error *error)
{
    Stream *stream = &e->stream[TREB_WDL];
    uint64_t units = 2 * e->shape->index.slices * deferred_chunks(e->verdicts);
    treb_status status = TREB_OK;
#pragma omp parallel for schedule(dynamic)
    for (uint64_t u = 0; u < units; u++) {
        treb_error mine;
        treb_status s = verdicts_unit(e, stream, u, &mine);
        if (s == TREB_OK) continue;
#pragma omp critical(emit_error)
        {
            status = s;
            *error = mine;
        }
    }
    return status;
}

static treb_status verdicts_emit(Emitter *e, treb_error *error)
{
    Packing packing = verdict_packing(e);
    OrderSample sample = {{NULL, NULL}, 0};
    uint8_t order[INDEX_AXES_MAX] = {0};
    bool symmetric = e->shape->symmetric, keep[2] = {true, !symmetric};
    int side;
    bool chosen = e->shape->men == 0 ||
                  (sample_verdicts(e, &sample) && order_choose(e->shape, &packing, &sample, true,
                                                               symmetric ? 1 : 3, order, &side));
    order_sample_free(&sample);
    if (!chosen) return emit_out_of_memory(error);
    treb_status status = stream_open(&e->stream[TREB_WDL], e->shape, &packing, order, keep,
                                     e->directory, e->encoder[TREB_WDL], error);
    if (status == TREB_OK) status = verdicts_write(e, error);
    if (status == TREB_OK) status = skip_unused(e, TREB_WDL, TREB_WDL + 1, error);
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
static bool complete_header(const Emitter *e, Stream *stream)
{
    TableHeader *h = &stream->header;
    for (int side = 0; side < 2; side++) {
        TableSide *s = &h->side[side];
        memcpy(s->count, e->tally.count[side], sizeof s->count);
        if (h->metric == TREB_WDL) continue;
        for (int v = 0; v < WDL_VALUES; v++) {
            const char *fen = e->tally.fen[h->metric][side][v];
            s->longest[v] = e->tally.longest[h->metric][side][v];
            memcpy(s->longest_fen[v], fen, TABLE_FEN_SIZE);
            if (fen[0] == '\0') continue;
            if (!set_histogram(s, v, e->histograms->of[h->metric][side][v])) return false;
            if (!s->stored) continue;
            unsigned codes = (s->longest[v] >> (h->metric == TREB_DTM)) + 1;
            if (!stream_set_map(stream, side, v, codes)) return false;
        }
    }
    return true;
}

/* The verdicts' file comes last: without it no distance is of use. */
static treb_status finish_files(Emitter *e, EmitResult *result, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int m = TREB_METRICS - 1; m >= 0 && status == TREB_OK; m--) {
        Stream *stream = &e->stream[m];
        if (!has(e, m)) continue;
        if (!complete_header(e, stream)) return emit_out_of_memory(error);
        TableWriter *writer = stream->writer;
        stream->writer = NULL;
        status = table_writer_finish(writer, &stream->header, &result->file_size[m], error);
    }
    return status;
}

treb_status emitter_finish(Emitter *e, EmitResult *result, treb_error *error)
{
    memset(result, 0, sizeof *result);
    tally_finish(&e->tally, e->histograms, e->shape);
    treb_status status = skip_unused(e, TREB_DTZ, TREB_METRICS, error);
    if (status == TREB_OK) status = verdicts_emit(e, error);
    if (status == TREB_OK) status = finish_files(e, result, error);
    result->tally = e->tally;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) result->positions += e->tally.count[side][v];
    emitter_abort(e);
    return status;
}
