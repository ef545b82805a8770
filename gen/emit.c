/* emit.c - see emit.h.
 *
 * A slice goes to a file in three steps: its cells are staged (stage.h) into runs of bytes, runs
 * are cut into the file's blocks (stream.h), and whole blocks are compressed, all in parallel.
 * Distances are written as soon as their slice is solved; the order of their axes and the side to
 * move that is kept are chosen on a sample of the first slice. Verdicts wait until all slices are
 * there (defer.h). */
#include "emit.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "defer.h"
#include "stream.h"

enum { LEVEL_DEFAULT = 9, RUN_BYTES = 8 << 20 };

struct Emitter {
    const Shape *shape;
    char directory[4096];
    unsigned metrics;
    bool begun;
    int threads;
    TableEncoder **encoder;
    Stream stream[TABLE_METRICS];
    bool follows[TABLE_METRICS]; /* is another's twin */
    Deferred *verdicts;
    Tally tally;
    Histograms *histograms;
};

static bool has(const Emitter *e, int metric) { return e->metrics >> metric & 1; }

Emitter *emitter_new(const Shape *shape, const EmitOptions *options, TableError *error)
{
    Emitter *e = calloc(1, sizeof *e);
    if (e == NULL || strlen(options->directory) >= sizeof e->directory) goto fail;
    e->shape = shape;
    e->metrics = options->metrics;
    strcpy(e->directory, options->directory);
    e->threads = omp_get_max_threads();
    e->encoder = calloc(e->threads, sizeof *e->encoder);
    e->verdicts = deferred_new(shape);
    e->histograms = calloc(1, sizeof *e->histograms);
    if (e->encoder == NULL || e->verdicts == NULL || e->histograms == NULL) goto fail;
    int level = options->level ? options->level : LEVEL_DEFAULT;
    for (int i = 0; i < e->threads; i++)
        if ((e->encoder[i] = table_encoder_new(level, NULL, 0)) == NULL) goto fail;
    return e;
fail:
    emit_out_of_memory(error);
    emitter_abort(e);
    return NULL;
}

void emitter_abort(Emitter *e)
{
    if (e == NULL) return;
    for (int m = 0; m < TABLE_METRICS; m++) stream_close(&e->stream[m]);
    for (int i = 0; e->encoder && i < e->threads; i++) table_encoder_free(e->encoder[i]);
    free(e->encoder);
    free(e->histograms);
    deferred_free(e->verdicts);
    free(e);
}

/* ---- distances --------------------------------------------------------------------------------
 */

static bool sample_slice(OrderSample *sample, const Slice *slice, TableMetric metric)
{
    const Shape *shape = slice->shape;
    if (!order_sample_init(sample, shape, shape->kings)) return false;
#pragma omp parallel for schedule(dynamic)
    for (uint32_t i = 0; i < sample->planes; i++)
        for (int side = 0; side < 2; side++)
            stage_plane(slice, metric, side, (uint64_t)i * shape->kings / sample->planes,
                        sample->plane[side] + i * shape->plane_cells);
    return true;
}

static treb_status distances_open(Emitter *e, TableMetric metric, const Slice *slice,
                                  TableError *error)
{
    Packing packing = {.metric = metric, .per_byte = 1, .base = 256};
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
                       e->encoder, error);
}

static treb_status emitter_begin(Emitter *e, const Slice *slice, TableError *error)
{
    for (int m = TABLE_DTZ; m < TABLE_METRICS; m++) {
        if (!has(e, m)) continue;
        treb_status status = distances_open(e, m, slice, error);
        if (status != TREB_OK) return status;
    }
    /* Where the two metrics agree, so do their files but for the header. */
    if (slice->dtc_is_dtz && has(e, TABLE_DTZ) && has(e, TABLE_DTC)) {
        e->stream[TABLE_DTZ].twin = &e->stream[TABLE_DTC];
        e->follows[TABLE_DTC] = true;
    }
    e->begun = true;
    return TREB_OK;
}

/* Stages planes `first` to `end` of a side as they go to the file. */
static bool stage_planes(const Stream *stream, const Slice *slice, int side, uint32_t first,
                         uint32_t end, uint8_t *out)
{
    const Shape *shape = slice->shape;
    const StageMap *map = &stream->map;
    TableMetric metric = stream->packing.metric;
    bool ok = true;
#pragma omp parallel
    {
        uint8_t *staged = malloc(shape->plane_cells);
        if (staged == NULL) {
#pragma omp atomic write
            ok = false;
        }
#pragma omp for schedule(dynamic, 4)
        for (uint32_t k = first; k < end; k++) {
            if (staged == NULL) continue;
            stage_plane(slice, metric, side, k, staged);
            stage_order(map, metric, staged, out + (k - first) * map->plane_cells);
        }
        free(staged);
    }
    return ok;
}

/* One side of a slice, some planes at a time. */
static treb_status side_slice(Stream *stream, uint64_t number, const Slice *slice, int side,
                              TableError *error)
{
    uint32_t kings = slice->shape->kings;
    size_t cells = stream->map.plane_cells;
    uint32_t planes = RUN_BYTES / cells ? RUN_BYTES / cells : 1;
    if (planes > kings) planes = kings;
    uint8_t *bytes = malloc(planes * cells);
    treb_status status = bytes ? TREB_OK : emit_out_of_memory(error);
    for (uint32_t first = 0; first < kings && status == TREB_OK; first += planes) {
        uint32_t end = first + planes < kings ? first + planes : kings;
        status = stage_planes(stream, slice, side, first, end, bytes)
                     ? stream_write(stream, side, number * stream->slice_bytes + first * cells,
                                    bytes, (end - first) * cells, error)
                     : emit_out_of_memory(error);
    }
    free(bytes);
    return status;
}

/* A slice of kings and pawns alone, from cells `stride` apart, one a plane. */
static treb_status write_kings(const Emitter *e, Stream *stream, uint64_t number,
                               const uint8_t *staged, size_t stride, int side, TableError *error)
{
    const Packing *p = &stream->packing;
    size_t count = stream->header.index.slice_size;
    uint8_t *cells = malloc(count), *bytes = malloc(stream->slice_bytes);
    uint8_t before = p->metric == TABLE_WDL ? WDL_DRAW : 0;
    treb_status status = cells && bytes ? TREB_OK : emit_out_of_memory(error);
    for (size_t k = 0; k < count && status == TREB_OK; k++) {
        if (k < e->shape->kings) before = stage_settle(staged[stride * k], before);
        cells[k] = before;
    }
    if (status == TREB_OK) {
        stage_pack(cells, count, p->per_byte, p->base, p->digit, bytes);
        status = stream_write(stream, side, number * stream->slice_bytes, bytes,
                              stream->slice_bytes, error);
    }
    free(cells);
    free(bytes);
    return status;
}

/* Slices of kings and pawns alone, where the bits of a word are slices. */
static treb_status side_lanes(const Emitter *e, Stream *stream, const uint64_t *number,
                              const Slice *slice, int side, TableError *error)
{
    uint8_t *staged = malloc((size_t)SLICE_LANES * e->shape->kings);
    treb_status status = staged ? TREB_OK : emit_out_of_memory(error);
    for (uint32_t k = 0; k < e->shape->kings && staged; k++)
        stage_plane(slice, stream->packing.metric, side, k, staged + SLICE_LANES * k);
    for (int lane = 0; lane < slice->lanes && status == TREB_OK; lane++)
        status = write_kings(e, stream, number[lane], staged + lane, SLICE_LANES, side, error);
    free(staged);
    return status;
}

static treb_status distances_slice(Emitter *e, TableMetric metric, const uint64_t *number,
                                   const Slice *slice, TableError *error)
{
    Stream *stream = &e->stream[metric];
    int side = stream->header.side[1].stored;
    return e->shape->men == 0 ? side_lanes(e, stream, number, slice, side, error)
                              : side_slice(stream, number[0], slice, side, error);
}

treb_status emitter_slice(Emitter *e, const uint64_t *number, const Slice *slice, TableError *error)
{
    treb_status status = TREB_OK;
#pragma omp critical(emit_begin)
    if (!e->begun) status = emitter_begin(e, slice, error);
    for (int m = TABLE_DTZ; m < TABLE_METRICS && status == TREB_OK; m++)
        if (has(e, m) && !e->follows[m]) status = distances_slice(e, m, number, slice, error);
    if (status == TREB_OK && !deferred_add(e->verdicts, number, slice))
        status = emit_out_of_memory(error);
    if (status == TREB_OK && !tally_slice(&e->tally, e->histograms, number[0], slice))
        status = emit_out_of_memory(error);
    return status;
}

/* ---- slices that no position uses -------------------------------------------------------------
 */

static treb_status write_nothing(Stream *stream, uint64_t number, TableError *error)
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

static treb_status skip_unused(Emitter *e, int first, int end, TableError *error)
{
    treb_status status = TREB_OK;
    for (uint64_t s = 0; s < e->shape->index.slices; s++) {
        if (deferred_has(e->verdicts, s)) continue;
        for (int m = first; m < end && status == TREB_OK; m++)
            if (has(e, m) && !e->follows[m]) status = write_nothing(&e->stream[m], s, error);
    }
    return status;
}

/* ---- verdicts ---------------------------------------------------------------------------------
 */

static Packing verdict_packing(const Emitter *e)
{
    static const unsigned per_byte[WDL_VALUES + 1] = {8, 8, 8, 5, 4, 3};
    Packing p = {.metric = TABLE_WDL};
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
    uint8_t *bytes = malloc(planes * shape->plane_cells);
    bool ok = order_sample_init(sample, shape, (uint32_t)(all < 64 ? all : 64));
    ok = ok && bytes;
    for (uint32_t i = 0; ok && i < sample->planes; i++) {
        uint64_t at = (2 * (uint64_t)i + 1) * all / (2 * sample->planes);
        if (!deferred_has(d, at / chunks)) continue;
        for (int side = 0; side < 2 && ok; side++) {
            ok = deferred_read(d, at / chunks, side, at % chunks, bytes);
            memcpy(sample->plane[side] + taken * shape->plane_cells, bytes, shape->plane_cells);
        }
        taken++;
    }
    free(bytes);
    sample->planes = (uint32_t)taken;
    return ok;
}

/* Orders, packs and writes one chunk. */
static treb_status chunk_write(const Emitter *e, Stream *stream, uint64_t number, int side,
                               uint32_t chunk, TableError *error)
{
    const Shape *shape = e->shape;
    const Packing *p = &stream->packing;
    const StageMap *map = &stream->map;
    uint32_t planes = deferred_chunk_planes(e->verdicts), first = chunk * planes;
    if (first + planes > shape->kings) planes = shape->kings - first;
    size_t plane_bytes = map->plane_cells / p->per_byte;
    uint8_t *staged = malloc(planes * shape->plane_cells), *cells = malloc(map->plane_cells);
    uint8_t *bytes = malloc(planes * plane_bytes);
    treb_status status = TREB_ERR_MEMORY;
    if (staged && cells && bytes && deferred_read(e->verdicts, number, side, chunk, staged)) {
        for (uint32_t k = 0; k < planes; k++) {
            stage_order(map, TABLE_WDL, staged + k * shape->plane_cells, cells);
            stage_pack(cells, map->plane_cells, p->per_byte, p->base, p->digit,
                       bytes + k * plane_bytes);
        }
        status = stream_write(stream, side, number * stream->slice_bytes + first * plane_bytes,
                              bytes, planes * plane_bytes, error);
    } else {
        emit_out_of_memory(error);
    }
    free(staged);
    free(cells);
    free(bytes);
    return status;
}

/* Writes one unit of the work: a chunk of a side of a slice, if there is such a slice. */
static treb_status verdicts_unit(const Emitter *e, Stream *stream, uint64_t unit, TableError *error)
{
    const Deferred *d = e->verdicts;
    uint32_t chunks = deferred_chunks(d);
    uint64_t number = unit / chunks / 2;
    int side = unit / chunks % 2;
    if (!deferred_has(d, number) || !stream->header.side[side].stored) return TREB_OK;
    if (e->shape->men > 0) return chunk_write(e, stream, number, side, unit % chunks, error);
    uint8_t *staged = malloc(e->shape->kings);
    treb_status status = staged && deferred_read(d, number, side, 0, staged)
                             ? write_kings(e, stream, number, staged, 1, side, error)
                             : emit_out_of_memory(error);
    free(staged);
    return status;
}

static treb_status verdicts_write(Emitter *e, TableError *error)
{
    Stream *stream = &e->stream[TABLE_WDL];
    uint64_t units = 2 * e->shape->index.slices * deferred_chunks(e->verdicts);
    treb_status status = TREB_OK;
#pragma omp parallel for schedule(dynamic)
    for (uint64_t u = 0; u < units; u++) {
        TableError mine;
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

static treb_status verdicts_emit(Emitter *e, TableError *error)
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
    treb_status status = stream_open(&e->stream[TABLE_WDL], e->shape, &packing, order, keep,
                                     e->directory, e->encoder, error);
    if (status == TREB_OK) status = verdicts_write(e, error);
    if (status == TREB_OK) status = skip_unused(e, TABLE_WDL, TABLE_WDL + 1, error);
    return status;
}

/* ---- the end ----------------------------------------------------------------------------------
 */

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
        if (h->metric == TABLE_WDL) continue;
        for (int v = 0; v < WDL_VALUES; v++) {
            const char *fen = e->tally.fen[h->metric][side][v];
            s->longest[v] = e->tally.longest[h->metric][side][v];
            memcpy(s->longest_fen[v], fen, TABLE_FEN_SIZE);
            if (fen[0] == '\0') continue;
            if (!set_histogram(s, v, e->histograms->of[h->metric][side][v])) return false;
            if (!s->stored) continue;
            unsigned codes = (s->longest[v] >> (h->metric == TABLE_DTM)) + 1;
            if (!stream_set_map(stream, side, v, codes)) return false;
        }
    }
    return true;
}

/* The verdicts' file comes last: without it no distance is of use. */
static treb_status finish_files(Emitter *e, EmitResult *result, TableError *error)
{
    treb_status status = TREB_OK;
    for (int m = TABLE_METRICS - 1; m >= 0 && status == TREB_OK; m--) {
        Stream *stream = &e->stream[m];
        if (!has(e, m)) continue;
        if (!complete_header(e, stream)) return emit_out_of_memory(error);
        TableWriter *writer = stream->writer;
        stream->writer = NULL;
        status = table_writer_finish(writer, &stream->header, &result->file_size[m], error);
    }
    return status;
}

treb_status emitter_finish(Emitter *e, EmitResult *result, TableError *error)
{
    memset(result, 0, sizeof *result);
    tally_finish(&e->tally, e->histograms, e->shape);
    treb_status status = skip_unused(e, TABLE_DTZ, TABLE_METRICS, error);
    if (status == TREB_OK) status = verdicts_emit(e, error);
    if (status == TREB_OK) status = finish_files(e, result, error);
    result->tally = e->tally;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) result->positions += e->tally.count[side][v];
    emitter_abort(e);
    return status;
}
