/* defer.c - see defer.h. */
#include "gen/write/verdicts.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { CHUNK_BYTES = 1 << 19, LEVEL = 1 };

typedef struct Chunk {
    uint8_t *bytes;
    uint32_t size;
} Chunk;

struct Deferred {
    const Shape *shape;
    size_t plane_cells; /* of one slice */
    uint32_t chunk_planes, chunks;
    unsigned verdicts;
    Chunk **slice[2]; /* by number: `chunks` each */
};

Deferred *deferred_new(const Shape *shape)
{
    Deferred *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    d->shape = shape;
    d->plane_cells = shape_lane_cells(shape);
    d->chunk_planes = CHUNK_BYTES / d->plane_cells ? CHUNK_BYTES / d->plane_cells : 1;
    if (d->chunk_planes > shape->kings) d->chunk_planes = shape->kings;
    d->chunks = (shape->kings + d->chunk_planes - 1) / d->chunk_planes;
    d->verdicts = 1u << TREB_DRAW;
    for (int side = 0; side < 2; side++) {
        d->slice[side] = calloc(shape->index.slices, sizeof *d->slice[side]);
        if (d->slice[side]) continue;
        deferred_free(d);
        return NULL;
    }
    return d;
}

void deferred_free(Deferred *d)
{
    if (d == NULL) return;
    for (int side = 0; side < 2; side++) {
        for (uint64_t s = 0; d->slice[side] && s < d->shape->index.slices; s++) {
            Chunk *chunk = d->slice[side][s];
            for (uint32_t c = 0; chunk && c < d->chunks; c++) free(chunk[c].bytes);
            free(chunk);
        }
        free(d->slice[side]);
    }
    free(d);
}

uint32_t deferred_chunk_planes(const Deferred *d) { return d->chunk_planes; }
uint32_t deferred_chunks(const Deferred *d) { return d->chunks; }
unsigned deferred_verdicts(const Deferred *d) { return d->verdicts; }
bool deferred_has(const Deferred *d, uint64_t number) { return d->slice[0][number] != NULL; }

static uint32_t chunk_end(const Deferred *d, uint32_t chunk)
{
    uint32_t end = (chunk + 1) * d->chunk_planes;
    return end < d->shape->kings ? end : d->shape->kings;
}

/* What is staged for verdicts fits into half a byte: five verdicts and two kinds of cell that do
 * not matter, the largest numbers there are. The more bytes, the longer zstd takes. */
enum { NIBBLES_SPECIAL = 14 };

static size_t nibble_bytes(size_t cells) { return (cells + 1) / 2; }

static void nibbles_pack(const Plies *staged, size_t cells, uint8_t *out)
{
    for (size_t i = 0; i + 1 < cells; i += 2)
        out[i / 2] = (uint8_t)((staged[i] & 15) | (staged[i + 1] & 15) << 4);
    if (cells % 2) out[cells / 2] = (uint8_t)(staged[cells - 1] & 15);
}

static Plies nibble_cell(unsigned nibble)
{
    return (Plies)(nibble < NIBBLES_SPECIAL ? nibble : nibble - NIBBLES_SPECIAL + STAGE_UP_TO_DRAW);
}

static void nibbles_unpack(const uint8_t *in, size_t cells, Plies *out)
{
    for (size_t i = 0; i + 1 < cells; i += 2) {
        out[i] = nibble_cell(in[i / 2] & 15);
        out[i + 1] = nibble_cell(in[i / 2] >> 4);
    }
    if (cells % 2) out[cells - 1] = nibble_cell(in[cells / 2] & 15);
}

static bool chunk_pack(const Plies *staged, size_t cells, Chunk *out)
{
    size_t size = nibble_bytes(cells), bound = ZSTD_compressBound(size), n = 0;
    uint8_t *plain = malloc(size), *packed = malloc(bound);
    bool ok = plain && packed;
    if (ok) {
        nibbles_pack(staged, cells, plain);
        n = ZSTD_compress(packed, bound, plain, size, LEVEL);
        ok = !ZSTD_isError(n);
    }
    free(plain);
    if (!ok) {
        free(packed);
        return false;
    }
    uint8_t *fitted = realloc(packed, n);
    out->bytes = fitted ? fitted : packed;
    out->size = (uint32_t)n;
    return true;
}

static unsigned verdicts_of(const Plies *staged, size_t cells)
{
    bool seen[CODE_OPEN + 1] = {false};
    unsigned mask = 0;
    for (size_t i = 0; i < cells; i++) seen[staged[i]] = true;
    for (int v = 0; v < WDL_VALUES; v++) mask |= (unsigned)seen[v] << v;
    return mask;
}

static void note_verdicts(Deferred *d, const Plies *staged, size_t cells)
{
    unsigned verdicts = verdicts_of(staged, cells);
#pragma omp atomic
    d->verdicts |= verdicts;
}

/* Stages one chunk of the slice in one lane. */
static bool chunk_add(Deferred *d, const Slice *slice, int lane, int side, uint32_t c, Chunk *out)
{
    uint32_t first = c * d->chunk_planes, end = chunk_end(d, c);
    size_t cells = (end - first) * d->plane_cells;
    Plies *staged = malloc(cells * sizeof *staged);
    if (staged == NULL) return false;
    for (uint32_t k = first; k < end; k++)
        stage_plane(slice, TREB_WDL, side, k, lane, staged + (k - first) * d->plane_cells);
    note_verdicts(d, staged, cells);
    bool ok = chunk_pack(staged, cells, out);
    free(staged);
    return ok;
}

static bool slice_add(Deferred *d, uint64_t number, const Slice *slice, int lane, int side)
{
    bool ok = true;
    Chunk *chunk = calloc(d->chunks, sizeof *chunk);
    if (chunk == NULL) return false;
    d->slice[side][number] = chunk;
#pragma omp parallel for schedule(dynamic)
    for (uint32_t c = 0; c < d->chunks; c++)
        if (!chunk_add(d, slice, lane, side, c, &chunk[c])) {
#pragma omp atomic write
            ok = false;
        }
    return ok;
}

/* The same for kings and pawns alone, where a plane's cells are slices; there is but one chunk. */
static bool lanes_add(Deferred *d, const uint64_t *number, const Slice *slice, int side)
{
    uint32_t kings = d->shape->kings;
    Plies *staged = malloc((size_t)SLICE_LANES * kings * sizeof *staged);
    Plies *one = malloc(kings * sizeof *one);
    bool ok = staged && one;
    for (uint32_t k = 0; ok && k < kings; k++)
        stage_plane(slice, TREB_WDL, side, k, 0, staged + SLICE_LANES * k);
    for (int lane = 0; ok && lane < slice->lanes; lane++) {
        for (uint32_t k = 0; k < kings; k++) one[k] = staged[SLICE_LANES * k + lane];
        note_verdicts(d, one, kings);
        Chunk *chunk = calloc(1, sizeof *chunk);
        d->slice[side][number[lane]] = chunk;
        ok = chunk && chunk_pack(one, kings, chunk);
    }
    free(staged);
    free(one);
    return ok;
}

bool deferred_add(Deferred *d, const uint64_t *number, const Slice *slice)
{
    bool ok = true, kings = d->shape->men == 0;
    for (int side = 0; side < 2 && ok; side++) {
        if (kings) ok = lanes_add(d, number, slice, side);
        for (int lane = 0; lane < slice->lanes && ok && !kings; lane++)
            ok = slice_add(d, number[lane], slice, lane, side);
    }
    return ok;
}

bool deferred_read(const Deferred *d, uint64_t number, int side, uint32_t chunk, Plies *out)
{
    const Chunk *c = &d->slice[side][number][chunk];
    size_t planes = chunk_end(d, chunk) - chunk * d->chunk_planes;
    size_t cells = planes * d->plane_cells, size = nibble_bytes(cells);
    uint8_t *plain = malloc(size);
    bool ok = plain && ZSTD_decompress(plain, size, c->bytes, c->size) == size;
    if (ok) nibbles_unpack(plain, cells, out);
    free(plain);
    return ok;
}
