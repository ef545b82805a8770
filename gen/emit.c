/* emit.c - see emit.h.
 *
 * A slice goes to a file in three steps: its cells are staged (stage.h) into one run of bytes, the
 * run is cut into the file's blocks, and whole blocks are compressed, all in parallel. Slices come in
 * the order in which they are solved and need not end with a block: a block that slices share waits
 * until all have filled in their part.
 *
 * The order of the axes and, for distances, the side to move that is kept are chosen on a sample of
 * the first slice, by compressing it each way. */
#include "emit.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "stage.h"
#include "tally.h"

enum {
    LEVEL_DEFAULT = 9,
    TRIAL_LEVEL = 3,
    TRIAL_CELLS = 1 << 20,
    ORDERS_MAX = 120,
    RUN_BYTES = 8 << 20 /* staged before blocks are cut */
};

/* Bytes of a block before compression: what a probe of a block not in memory can afford. */
static const unsigned block_bits_of[TABLE_METRICS] = {15, 16, 16, 15};

/* A block that more than one slice fills. */
typedef struct Partial {
    uint8_t *bytes;
    size_t filled;
} Partial;

typedef struct Stream {
    TableMetric metric;
    TableHeader header;
    TableWriter *writer;
    StageMap map;
    Partial *partial[2];
    uint64_t blocks, side_bytes, slice_bytes;
    struct Stream *twin; /* gets the same blocks */
    bool follows;        /* is another's twin */
} Stream;

struct Emitter {
    const Shape *shape;
    EmitOptions options;
    char directory[4096];
    bool begun;
    int threads;
    TableEncoder **encoder;
    Stream stream[TABLE_METRICS];
    Tally tally;
};

static bool has(const Emitter *e, int metric) { return e->options.metrics >> metric & 1; }

/* The number of this thread among those that work side by side, at whichever level they do. */
static int worker(void)
{
    int n = omp_get_ancestor_thread_num(1);
    return n < 0 ? 0 : n;
}

static treb_status out_of_memory(TableError *error)
{
    error->status = TREB_ERR_MEMORY;
    memcpy(error->text, "out of memory", 14);
    return TREB_ERR_MEMORY;
}

Emitter *emitter_new(const Shape *shape, const EmitOptions *options, TableError *error)
{
    Emitter *e = calloc(1, sizeof *e);
    if (e == NULL || strlen(options->directory) >= sizeof e->directory) goto fail;
    e->shape = shape;
    e->options = *options;
    strcpy(e->directory, options->directory);
    e->options.directory = e->directory;
    if (e->options.level == 0) e->options.level = LEVEL_DEFAULT;
    e->threads = omp_get_max_threads();
    e->encoder = calloc(e->threads, sizeof *e->encoder);
    if (e->encoder == NULL) goto fail;
    for (int i = 0; i < e->threads; i++)
        if ((e->encoder[i] = table_encoder_new(e->options.level, NULL, 0)) == NULL) goto fail;
    return e;
fail:
    out_of_memory(error);
    emitter_abort(e);
    return NULL;
}

static void stream_free(Stream *stream)
{
    for (int side = 0; side < 2; side++) {
        if (stream->partial[side] == NULL) continue;
        for (uint64_t b = 0; b < stream->blocks; b++) free(stream->partial[side][b].bytes);
        free(stream->partial[side]);
    }
    stage_map_free(&stream->map);
    table_header_free(&stream->header);
}

void emitter_abort(Emitter *e)
{
    if (e == NULL) return;
    for (int m = 0; m < TABLE_METRICS; m++) {
        if (e->stream[m].writer) table_writer_abort(e->stream[m].writer);
        stream_free(&e->stream[m]);
    }
    for (int i = 0; e->encoder && i < e->threads; i++) table_encoder_free(e->encoder[i]);
    free(e->encoder);
    free(e);
}

/* ---- choosing an order ------------------------------------------------------------------------ */

/* All orders of the axes with the kings outermost; returns their number. */
static int list_orders(int axes, uint8_t out[ORDERS_MAX][INDEX_AXES_MAX])
{
    uint8_t order[INDEX_AXES_MAX];
    int n = 0;
    for (int i = 0; i < axes; i++) order[i] = i;
    for (;;) {
        if (n == ORDERS_MAX) return n;
        memcpy(out[n++], order, sizeof order);
        /* The next permutation of order[1 ..]. */
        int i = axes - 2;
        while (i > 0 && order[i] > order[i + 1]) i--;
        if (i <= 0) return n;
        int j = axes - 1;
        while (order[j] < order[i]) j--;
        uint8_t t = order[i];
        order[i] = order[j];
        order[j] = t;
        for (int a = i + 1, b = axes - 1; a < b; a++, b--) {
            t = order[a];
            order[a] = order[b];
            order[b] = t;
        }
    }
}

static void packing(const Emitter *e, TableMetric metric, unsigned *per_byte, unsigned *base)
{
    *per_byte = metric != TABLE_WDL ? 1 : e->options.five_values ? 3 : 5;
    *base = metric != TABLE_WDL ? 256 : e->options.five_values ? 5 : 3;
}

/* The compressed size of a sample of planes laid out by `order`; SIZE_MAX if memory runs out. */
static size_t trial(const Emitter *e, const Slice *slice, TableMetric metric, int side,
                    const uint8_t *order)
{
    const Shape *shape = e->shape;
    unsigned per_byte, base;
    Index index;
    StageMap map;
    packing(e, metric, &per_byte, &base);
    if (!index_init(&index, &shape->material, order, per_byte)) return SIZE_MAX;
    if (!stage_map_init(&map, shape, &index)) return SIZE_MAX;
    uint32_t planes = TRIAL_CELLS / map.plane_cells;
    if (planes < 4) planes = 4;
    if (planes > shape->kings) planes = shape->kings;
    size_t capacity = ((size_t)64 << 10) + map.plane_cells, size = SIZE_MAX;
    uint8_t *staged = malloc(shape->plane_cells), *cells = malloc(map.plane_cells);
    uint8_t *packed = malloc(capacity), *out = malloc(2 * capacity);
    TableEncoder *encoder = table_encoder_new(TRIAL_LEVEL, NULL, 0);
    if (staged && cells && packed && out && encoder) {
        size_t used = 0;
        size = 0;
        for (uint32_t i = 0; i < planes; i++) {
            stage_plane(slice, metric, side, (uint64_t)i * shape->kings / planes, staged);
            stage_order(&map, metric, staged, cells);
            used += stage_pack(cells, map.plane_cells, per_byte, base, packed + used);
            if (used < (32u << 10) && i + 1 < planes) continue;
            size += table_encode_block(encoder, packed, used, out, 2 * capacity);
            used = 0;
        }
    }
    table_encoder_free(encoder);
    free(staged);
    free(cells);
    free(packed);
    free(out);
    stage_map_free(&map);
    return size;
}

/* Chooses the order and the sides to keep. */
static void choose(const Emitter *e, const Slice *slice, TableMetric metric,
                   uint8_t order[INDEX_AXES_MAX], bool keep[2])
{
    uint8_t orders[ORDERS_MAX][INDEX_AXES_MAX];
    int n = list_orders(1 + e->shape->index.groups, orders);
    size_t size[ORDERS_MAX][2];
    bool symmetric = e->shape->symmetric;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 2 * n; i++)
        size[i / 2][i % 2] =
            symmetric && i % 2 ? 0 : trial(e, slice, metric, i % 2, orders[i / 2]);
    int best = 0, side = 0;
    for (int i = 0; i < n; i++) {
        if (metric == TABLE_WDL) {
            if (size[i][0] + size[i][1] < size[best][0] + size[best][1]) best = i;
            continue;
        }
        for (int s = 0; s < (symmetric ? 1 : 2); s++) {
            if (size[i][s] >= size[best][side]) continue;
            best = i;
            side = s;
        }
    }
    memcpy(order, orders[best], INDEX_AXES_MAX);
    keep[0] = metric == TABLE_WDL || side == 0;
    keep[1] = metric == TABLE_WDL ? !symmetric : side == 1;
}

/* ---- opening ---------------------------------------------------------------------------------- */

/* Fills in a map of `count` codes. */
static bool set_map(TableHeader *header, int side, int verdict, unsigned count)
{
    uint16_t *plies = malloc((count ? count : 1) * sizeof *plies);
    if (plies == NULL) return false;
    free(header->side[side].plies[verdict]);
    header->side[side].plies[verdict] = plies;
    header->side[side].codes[verdict] = count;
    for (unsigned c = 0; c < count; c++)
        plies[c] = header->metric == TABLE_WDL && header->base == 3
                       ? 2 * c
                       : stage_plies(header->metric, verdict, c);
    return true;
}

static treb_status stream_open(Emitter *e, Stream *stream, const Slice *slice, TableError *error)
{
    TableHeader *h = &stream->header;
    uint8_t order[INDEX_AXES_MAX];
    bool keep[2];
    h->metric = stream->metric;
    packing(e, h->metric, &h->per_byte, &h->base);
    choose(e, slice, h->metric, order, keep);
    h->pad = h->per_byte;
    h->width = 1;
    h->block_bits = block_bits_of[h->metric];
    if (!index_init(&h->index, &e->shape->material, order, h->pad)) return out_of_memory(error);
    for (int side = 0; side < 2; side++) {
        h->side[side].stored = keep[side];
        if (keep[side] && h->metric == TABLE_WDL && !set_map(h, side, 0, h->base))
            return out_of_memory(error);
    }
    if (!stage_map_init(&stream->map, e->shape, &h->index)) return out_of_memory(error);
    stream->side_bytes = table_side_bytes(h);
    stream->blocks = table_side_blocks(h);
    stream->slice_bytes = h->index.slice_size / h->per_byte;
    for (int side = 0; side < 2; side++) {
        if (!keep[side]) continue;
        stream->partial[side] = calloc(stream->blocks, sizeof *stream->partial[side]);
        if (stream->partial[side] == NULL) return out_of_memory(error);
    }
    stream->writer = table_writer_open(e->directory, h, NULL, 0, error);
    return stream->writer ? TREB_OK : error->status;
}

/* Where the two metrics agree, so do their files but for the header. */
static void pair_twins(Emitter *e, const Slice *slice)
{
    Stream *dtz = &e->stream[TABLE_DTZ], *dtc = &e->stream[TABLE_DTC];
    if (!slice->dtc_is_dtz || !has(e, TABLE_DTZ) || !has(e, TABLE_DTC)) return;
    dtz->twin = dtc;
    dtc->follows = true;
}

static treb_status emitter_begin(Emitter *e, const Slice *slice, TableError *error)
{
    for (int m = 0; m < TABLE_METRICS; m++) {
        if (!has(e, m)) continue;
        e->stream[m].metric = m;
        treb_status status = stream_open(e, &e->stream[m], slice, error);
        if (status != TREB_OK) return status;
    }
    pair_twins(e, slice);
    e->begun = true;
    return TREB_OK;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static treb_status block_write(Emitter *e, Stream *stream, int side, uint64_t block,
                               const uint8_t *bytes, size_t size, TableError *error)
{
    size_t capacity = table_block_bound(&stream->header);
    uint8_t *out = malloc(capacity);
    if (out == NULL) return out_of_memory(error);
    size_t packed = table_encode_block(e->encoder[worker()], bytes, size, out, capacity);
    treb_status status = packed ? TREB_OK : out_of_memory(error);
    if (status == TREB_OK) {
        uint32_t checksum = table_block_checksum(bytes, size);
#pragma omp critical(emit_write)
        for (Stream *s = stream; s && status == TREB_OK; s = s->twin)
            status = table_writer_add(s->writer, side, block, out, packed, checksum, error);
    }
    free(out);
    return status;
}

/* The bytes of block `block`: fewer in the last. */
static size_t block_size(const Stream *stream, uint64_t block)
{
    uint64_t size = UINT64_C(1) << stream->header.block_bits, start = block * size;
    return start + size <= stream->side_bytes ? size : stream->side_bytes - start;
}

/* Adds `size` bytes at `at` within a block; writes the block when it is complete. */
static treb_status block_fill(Emitter *e, Stream *stream, int side, uint64_t block, size_t at,
                              const uint8_t *bytes, size_t size, TableError *error)
{
    Partial *partial = &stream->partial[side][block];
    size_t whole = block_size(stream, block);
    if (size == whole) return block_write(e, stream, side, block, bytes, size, error);
    bool complete = false, failed = false;
#pragma omp critical(emit_partial)
    {
        if (partial->bytes == NULL) partial->bytes = calloc(1, whole);
        failed = partial->bytes == NULL;
        if (!failed) {
            if (bytes) memcpy(partial->bytes + at, bytes, size);
            partial->filled += size;
            complete = partial->filled == whole;
        }
    }
    if (failed) return out_of_memory(error);
    if (!complete) return TREB_OK;
    treb_status status = block_write(e, stream, side, block, partial->bytes, whole, error);
    free(partial->bytes);
    partial->bytes = NULL;
    return status;
}

/* Writes a run of bytes of a side. */
static treb_status run_write(Emitter *e, Stream *stream, int side, uint64_t start,
                             const uint8_t *bytes, size_t size, TableError *error)
{
    unsigned bits = stream->header.block_bits;
    uint64_t first = start >> bits, last = (start + size - 1) >> bits;
    treb_status status = TREB_OK;
#pragma omp parallel for schedule(dynamic, 4)
    for (uint64_t b = first; b <= last; b++) {
        uint64_t from = b << bits, to = from + block_size(stream, b);
        if (from < start) from = start;
        if (to > start + size) to = start + size;
        TableError mine;
        treb_status s = block_fill(e, stream, side, b, from - (b << bits), bytes + (from - start),
                                   to - from, &mine);
        if (s != TREB_OK) {
#pragma omp critical(emit_error)
            {
                status = s;
                *error = mine;
            }
        }
    }
    return status;
}

/* ---- slices ----------------------------------------------------------------------------------- */

/* Stages and packs planes `first` to `end` of a side. */
static bool stage_planes(const Stream *stream, const Slice *slice, int side, uint32_t first,
                         uint32_t end, uint8_t *out)
{
    const Shape *shape = slice->shape;
    const TableHeader *h = &stream->header;
    const StageMap *map = &stream->map;
    size_t plane_bytes = map->plane_cells / h->per_byte;
    bool ok = true;
#pragma omp parallel
    {
        uint8_t *staged = malloc(shape->plane_cells), *cells = malloc(map->plane_cells);
        bool mine = staged && cells;
        if (!mine) {
#pragma omp atomic write
            ok = false;
        }
#pragma omp for schedule(dynamic, 4)
        for (uint32_t k = first; k < end; k++) {
            if (!mine) continue;
            stage_plane(slice, h->metric, side, k, staged);
            stage_order(map, h->metric, staged, cells);
            stage_pack(cells, map->plane_cells, h->per_byte, h->base,
                       out + (k - first) * plane_bytes);
        }
        free(staged);
        free(cells);
    }
    return ok;
}

/* One side of a slice, some planes at a time. */
static treb_status side_slice(Emitter *e, Stream *stream, uint64_t number, const Slice *slice,
                              int side, TableError *error)
{
    uint32_t kings = slice->shape->kings;
    size_t plane_bytes = stream->map.plane_cells / stream->header.per_byte;
    uint32_t planes = RUN_BYTES / plane_bytes ? RUN_BYTES / plane_bytes : 1;
    if (planes > kings) planes = kings;
    uint8_t *bytes = malloc(planes * plane_bytes);
    treb_status status = bytes ? TREB_OK : out_of_memory(error);
    for (uint32_t first = 0; first < kings && status == TREB_OK; first += planes) {
        uint32_t end = first + planes < kings ? first + planes : kings;
        status = stage_planes(stream, slice, side, first, end, bytes)
                     ? run_write(e, stream, side,
                                 number * stream->slice_bytes + first * plane_bytes, bytes,
                                 (end - first) * plane_bytes, error)
                     : out_of_memory(error);
    }
    free(bytes);
    return status;
}

/* One lane of slices of kings and pawns alone, where the bits of a word are slices. */
static treb_status side_lane(Emitter *e, Stream *stream, uint64_t number, const uint8_t *staged,
                             int side, TableError *error)
{
    const TableHeader *h = &stream->header;
    size_t count = h->index.slice_size;
    uint8_t *cells = malloc(count), *bytes = malloc(stream->slice_bytes);
    uint8_t before = h->metric == TABLE_WDL ? WDL_DRAW : 0;
    treb_status status = cells && bytes ? TREB_OK : out_of_memory(error);
    for (size_t k = 0; k < count && status == TREB_OK; k++) {
        if (k < e->shape->kings) before = stage_settle(staged[SLICE_LANES * k], before);
        cells[k] = before;
    }
    if (status == TREB_OK) {
        stage_pack(cells, count, h->per_byte, h->base, bytes);
        status = run_write(e, stream, side, number * stream->slice_bytes, bytes,
                           stream->slice_bytes, error);
    }
    free(cells);
    free(bytes);
    return status;
}

static treb_status side_lanes(Emitter *e, Stream *stream, const uint64_t *number,
                              const Slice *slice, int side, TableError *error)
{
    uint8_t *staged = malloc((size_t)SLICE_LANES * e->shape->kings);
    treb_status status = staged ? TREB_OK : out_of_memory(error);
    for (uint32_t k = 0; k < e->shape->kings && staged; k++)
        stage_plane(slice, stream->metric, side, k, staged + SLICE_LANES * k);
    for (int lane = 0; lane < slice->lanes && status == TREB_OK; lane++)
        status = side_lane(e, stream, number[lane], staged + lane, side, error);
    free(staged);
    return status;
}

static treb_status stream_slices(Emitter *e, Stream *stream, const uint64_t *number,
                                 const Slice *slice, TableError *error)
{
    treb_status status = TREB_OK;
    bool lanes = e->shape->men == 0 && e->shape->pawns;
    for (int side = 0; side < 2 && status == TREB_OK; side++) {
        if (!stream->header.side[side].stored) continue;
        status = lanes ? side_lanes(e, stream, number, slice, side, error)
                       : side_slice(e, stream, number[0], slice, side, error);
    }
    return status;
}

treb_status emitter_slice(Emitter *e, const uint64_t *number, const Slice *slice, bool *retry,
                          TableError *error)
{
    treb_status status = TREB_OK;
    *retry = slice->cursed && !e->options.five_values;
    if (*retry) return TREB_OK;
#pragma omp critical(emit_begin)
    if (!e->begun) status = emitter_begin(e, slice, error);
    for (int m = 0; m < TABLE_METRICS && status == TREB_OK; m++)
        if (has(e, m) && !e->stream[m].follows)
            status = stream_slices(e, &e->stream[m], number, slice, error);
#pragma omp critical(emit_tally)
    if (status == TREB_OK) tally_slice(&e->tally, number[0], slice);
    return status;
}

treb_status emitter_skip(Emitter *e, uint64_t number, TableError *error)
{
    treb_status status = TREB_OK;
    for (int m = 0; m < TABLE_METRICS && status == TREB_OK; m++) {
        Stream *stream = &e->stream[m];
        if (!has(e, m) || stream->follows) continue;
        uint8_t *zeros = calloc(1, stream->slice_bytes);
        if (zeros == NULL) return out_of_memory(error);
        for (int side = 0; side < 2 && status == TREB_OK; side++)
            if (stream->header.side[side].stored)
                status = run_write(e, stream, side, number * stream->slice_bytes, zeros,
                                   stream->slice_bytes, error);
        free(zeros);
    }
    return status;
}

/* ---- the end ---------------------------------------------------------------------------------- */

/* Puts what was counted into a header, with maps as long as the longest distance needs. */
static bool complete_header(const Emitter *e, TableHeader *h)
{
    for (int side = 0; side < 2; side++) {
        TableSide *s = &h->side[side];
        memcpy(s->count, e->tally.count[side], sizeof s->count);
        if (h->metric == TABLE_WDL) continue;
        for (int v = 0; v < WDL_VALUES; v++) {
            const char *fen = e->tally.fen[h->metric][side][v];
            s->longest[v] = e->tally.longest[h->metric][side][v];
            memcpy(s->longest_fen[v], fen, TABLE_FEN_SIZE);
            if (!s->stored || fen[0] == '\0') continue;
            unsigned codes = (s->longest[v] >> (h->metric == TABLE_DTM)) + 1;
            if (!set_map(h, side, v, codes)) return false;
        }
    }
    return true;
}

treb_status emitter_finish(Emitter *e, EmitResult *result, TableError *error)
{
    treb_status status = TREB_OK;
    memset(result, 0, sizeof *result);
    tally_finish(&e->tally, e->shape);
    for (int m = TABLE_METRICS - 1; m >= 0 && status == TREB_OK; m--) {
        Stream *stream = &e->stream[m];
        if (!has(e, m)) continue;
        if (!complete_header(e, &stream->header)) {
            status = out_of_memory(error);
            break;
        }
        TableWriter *writer = stream->writer;
        stream->writer = NULL;
        status = table_writer_finish(writer, &stream->header, &result->file_size[m], error);
    }
    result->tally = e->tally;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) result->positions += e->tally.count[side][v];
    emitter_abort(e);
    return status;
}
