/* cells.c - see cells.h. */
#include "gen/write/cells.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "core/error.h"
#include "core/io.h"

enum { CHUNK_BYTES = 1 << 19, LEVEL = 1 };

/* Where some planes of one side of a slice are. */
typedef struct Chunk {
    union {
        uint8_t *bytes;  /* in memory, */
        uint64_t offset; /* or in the file */
    };
    uint32_t size; /* 0: not there */
    bool kept;     /* in memory */
} Chunk;

struct Cells {
    const Shape *shape;
    treb_metric metric;
    unsigned sides; /* that are kept; CELLS_BOUNDS */
    Ledger *ledger;
    char directory[4096]; /* of the file, for messages */
    int file;
    _Atomic uint64_t end;  /* of what was written */
    uint64_t keep;         /* bytes that may stay in memory, */
    _Atomic uint64_t kept; /* and do */
    size_t plane_cells;    /* of one slice */
    uint32_t chunk_planes, chunks;
    unsigned seen;   /* verdicts */
    Chunk *chunk[2]; /* by side: of slice `number` from number * chunks on */
};

/* A file without a name, or with one that is gone at once where the system has no such files. */
static int open_unnamed(const char *directory)
{
    char path[4200];
#ifdef O_TMPFILE
    int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) return file;
#endif
    snprintf(path, sizeof path, "%.4000s/.cells-XXXXXX", directory);
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0) unlink(path);
    return file;
}

uint32_t cells_planes(const Shape *shape)
{
    size_t planes = CHUNK_BYTES / shape_lane_cells(shape);
    if (planes < 1) return 1;
    return planes < shape->kings ? (uint32_t)planes : shape->kings;
}

size_t cells_chunk_bytes(const Shape *shape)
{
    return cells_planes(shape) * shape_lane_cells(shape) * sizeof(Plies);
}

static void set_chunks(Cells *v, const Shape *shape)
{
    v->shape = shape;
    v->plane_cells = shape_lane_cells(shape);
    v->chunk_planes = cells_planes(shape);
    v->chunks = (shape->kings + v->chunk_planes - 1) / v->chunk_planes;
}

/* Of one side. */
static size_t list_bytes(const Cells *v)
{
    return v->shape->index.slices * v->chunks * sizeof(Chunk);
}

Cells *cells_new(const Shape *shape, treb_metric metric, unsigned sides, const CellsPlace *place,
                 treb_error *error)
{
    Cells *v = calloc(1, sizeof *v);
    if (v == NULL) {
        fail_memory(error);
        return NULL;
    }
    set_chunks(v, shape);
    v->metric = metric;
    v->sides = sides;
    v->ledger = place->ledger;
    v->keep = place->keep;
    v->seen = 1u << TREB_DRAW;
    snprintf(v->directory, sizeof v->directory, "%s", place->directory);
    v->file = open_unnamed(v->directory);
    treb_status status =
        v->file >= 0 ? TREB_OK : fail_errno(error, "create a file in", v->directory);
    for (int side = 0; side < 2 && status == TREB_OK; side++)
        if (sides >> side & 1 && (v->chunk[side] = ledger_calloc(v->ledger, list_bytes(v))) == NULL)
            status = fail_memory(error);
    if (status == TREB_OK) return v;
    cells_free(v);
    return NULL;
}

void cells_free(Cells *v)
{
    if (v == NULL) return;
    for (int side = 0; side < 2; side++) {
        Chunk *chunk = v->chunk[side];
        for (uint64_t i = 0; chunk != NULL && i < v->shape->index.slices * v->chunks; i++)
            if (chunk[i].kept) ledger_free(chunk[i].bytes);
        ledger_free(chunk);
    }
    if (v->file >= 0) close(v->file);
    free(v);
}

uint32_t cells_chunks(const Cells *v) { return v->chunks; }
unsigned cells_seen(const Cells *v) { return v->seen; }

static Chunk *chunk_at(const Cells *v, uint64_t number, int side, uint32_t c)
{
    return &v->chunk[side][number * v->chunks + c];
}

bool cells_has(const Cells *v, uint64_t number)
{
    return chunk_at(v, number, !(v->sides & 1), 0)->size > 0;
}

static uint32_t chunk_end(const Cells *v, uint32_t chunk)
{
    uint32_t end = (chunk + 1) * v->chunk_planes;
    return end < v->shape->kings ? end : v->shape->kings;
}

/* What a cell of verdicts can be fits into half a byte: five verdicts and two kinds of cell that do
 * not matter, the largest numbers there are. The more bytes, the longer zstd takes. */
enum { NIBBLES_SPECIAL = 14 };

static void nibbles_pack(const Plies *chosen, size_t cells, uint8_t *out)
{
    for (size_t i = 0; i + 1 < cells; i += 2)
        out[i / 2] = (uint8_t)((chosen[i] & 15) | (chosen[i + 1] & 15) << 4);
    if (cells % 2) out[cells / 2] = (uint8_t)(chosen[cells - 1] & 15);
}

static Plies nibble_cell(unsigned nibble)
{
    return (Plies)(nibble < NIBBLES_SPECIAL ? nibble : nibble - NIBBLES_SPECIAL + CELL_UP_TO_DRAW);
}

static void nibbles_unpack(const uint8_t *in, size_t cells, Plies *out)
{
    Plies two[256][2];
    for (unsigned b = 0; b < 256; b++)
        for (int i = 0; i < 2; i++) two[b][i] = nibble_cell(b >> 4 * i & 15);
    for (size_t i = 0; i + 1 < cells; i += 2) memcpy(out + i, two[in[i / 2]], sizeof *two);
    if (cells % 2) out[cells - 1] = nibble_cell(in[cells / 2] & 15);
}

static size_t plain_bytes(treb_metric metric, size_t cells)
{
    return metric == TREB_WDL ? (cells + 1) / 2 : cells * sizeof(Plies);
}

/* Room to pack the cells of a chunk: the cells, as half bytes, compressed. */
typedef struct Room {
    Plies *chosen;
    uint8_t *plain, *packed;
    size_t bound;
} Room;

static size_t place_room(Room *room, treb_metric metric, size_t cells, void *memory)
{
    Layout layout = {memory, 0};
    room->bound = ZSTD_compressBound(plain_bytes(metric, cells));
    room->chosen = layout_place(&layout, cells * sizeof *room->chosen);
    room->plain = layout_place(&layout, metric == TREB_WDL ? plain_bytes(metric, cells) : 0);
    room->packed = layout_place(&layout, room->bound);
    return layout.size;
}

static bool room_init(Room *room, const Cells *v, size_t cells)
{
    void *memory = ledger_alloc(v->ledger, place_room(room, v->metric, cells, NULL));
    if (memory != NULL) place_room(room, v->metric, cells, memory);
    return memory != NULL;
}

/* What was placed first is where the memory begins. */
static void room_free(Room *room) { ledger_free(room->chosen); }

/* Keeps what was packed in memory, if there is room. */
static bool chunk_keep(Cells *v, const uint8_t *packed, size_t size, Chunk *out)
{
    uint64_t cost = ledger_cost(size);
    if (atomic_fetch_add(&v->kept, cost) + cost <= v->keep &&
        (out->bytes = ledger_alloc(v->ledger, size)) != NULL) {
        memcpy(out->bytes, packed, size);
        out->kept = true;
        return true;
    }
    atomic_fetch_sub(&v->kept, cost);
    return false;
}

/* Compresses the cells in `room` and keeps them, or appends them to the file. */
static treb_status chunk_write(Cells *v, const Room *room, size_t cells, Chunk *out,
                               treb_error *error)
{
    size_t size = plain_bytes(v->metric, cells);
    const void *plain = room->chosen;
    if (v->metric == TREB_WDL) {
        nibbles_pack(room->chosen, cells, room->plain);
        plain = room->plain;
    }
    size_t packed = ZSTD_compress(room->packed, room->bound, plain, size, LEVEL);
    if (ZSTD_isError(packed)) return fail_memory(error);
    if (!chunk_keep(v, room->packed, packed, out)) {
        out->offset = atomic_fetch_add(&v->end, packed);
        if (!io_write_at(v->file, room->packed, packed, out->offset))
            return fail_errno(error, "write a temporary file in", v->directory);
    }
    out->size = (uint32_t)packed;
    return TREB_OK;
}

static unsigned verdicts_of(const Plies *chosen, size_t cells)
{
    bool seen[PLIES_OPEN + 1] = {false};
    unsigned mask = 0;
    for (size_t i = 0; i < cells; i++) seen[chosen[i]] = true;
    for (int v = 0; v < WDL_VALUES; v++) mask |= (unsigned)seen[v] << v;
    return mask;
}

static void note_verdicts(Cells *v, const Plies *chosen, size_t cells)
{
    if (v->metric != TREB_WDL) return;
    unsigned verdicts = verdicts_of(chosen, cells);
#pragma omp atomic
    v->seen |= verdicts;
}

/* The cells of a plane, mate distances as bounds. */
static void choose(const Cells *v, const Slice *slice, int side, uint32_t kings, int lane,
                   Plies *out)
{
    codes_choose(slice, v->metric, side, kings, lane, out);
    if (v->sides & CELLS_BOUNDS) codes_mark_bounds(slice, side, kings, lane, out);
}

/* Adds one chunk of the slice in one lane. */
static treb_status chunk_add(Cells *v, const Room *room, const Slice *slice, int lane, int side,
                             uint32_t c, Chunk *out, treb_error *error)
{
    uint32_t first = c * v->chunk_planes, end = chunk_end(v, c);
    size_t cells = (end - first) * v->plane_cells;
    for (uint32_t k = first; k < end; k++)
        choose(v, slice, side, k, lane, room->chosen + (k - first) * v->plane_cells);
    note_verdicts(v, room->chosen, cells);
    return chunk_write(v, room, cells, out, error);
}

static treb_status side_add(Cells *v, uint64_t number, const Slice *slice, int lane, int side,
                            treb_error *error)
{
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        Room room;
        bool enough = room_init(&room, v, v->chunk_planes * v->plane_cells);
#pragma omp for schedule(dynamic)
        for (uint32_t c = 0; c < v->chunks; c++) {
            treb_error mine;
            Chunk *out = chunk_at(v, number, side, c);
            treb_status s =
                enough ? chunk_add(v, &room, slice, lane, side, c, out, &mine) : fail_memory(&mine);
            if (s == TREB_OK) continue;
#pragma omp critical(cells_error)
            {
                status = s;
                *error = mine;
            }
        }
        if (enough) room_free(&room);
    }
    return status;
}

/* The same for kings and pawns alone, where a plane's cells are slices; there is but one chunk. */
static treb_status lanes_add(Cells *v, const uint64_t *number, const Slice *slice, int side,
                             treb_error *error)
{
    uint32_t kings = v->shape->kings;
    size_t all = (size_t)SLICE_LANES * kings;
    Room room;
    Plies *chosen = ledger_alloc(v->ledger, all * sizeof *chosen);
    bool enough = room_init(&room, v, kings) && chosen;
    treb_status status = enough ? TREB_OK : fail_memory(error);
    for (uint32_t k = 0; enough && k < kings; k++)
        choose(v, slice, side, k, 0, chosen + SLICE_LANES * k);
    for (int lane = 0; status == TREB_OK && lane < slice->lanes; lane++) {
        for (uint32_t k = 0; k < kings; k++) room.chosen[k] = chosen[SLICE_LANES * k + lane];
        note_verdicts(v, room.chosen, kings);
        status = chunk_write(v, &room, kings, chunk_at(v, number[lane], side, 0), error);
    }
    ledger_free(chosen);
    room_free(&room);
    return status;
}

treb_status cells_add(Cells *v, const uint64_t *number, const Slice *slice, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int side = 0; side < 2 && status == TREB_OK; side++) {
        if (!(v->sides >> side & 1)) continue;
        if (v->shape->men == 0) {
            status = lanes_add(v, number, slice, side, error);
            continue;
        }
        for (int lane = 0; lane < slice->lanes && status == TREB_OK; lane++)
            status = side_add(v, number[lane], slice, lane, side, error);
    }
    return status;
}

treb_status cells_read(const Cells *v, uint64_t number, int side, uint32_t chunk, Plies *out,
                       treb_error *error)
{
    Room room;
    const Chunk *c = chunk_at(v, number, side, chunk);
    size_t cells = (chunk_end(v, chunk) - chunk * v->chunk_planes) * v->plane_cells;
    size_t size = plain_bytes(v->metric, cells);
    treb_status status = TREB_OK;
    if (!room_init(&room, v, cells)) return fail_memory(error);
    if (!c->kept && !io_read_at(v->file, room.packed, c->size, c->offset))
        status = fail_errno(error, "read a temporary file in", v->directory);
    else if (ZSTD_decompress(v->metric == TREB_WDL ? room.plain : (void *)out, size,
                             c->kept ? c->bytes : room.packed, c->size) != size)
        status =
            fail(error, TREB_ERR_IO, "%.400s: a temporary file came back altered", v->directory);
    else if (v->metric == TREB_WDL)
        nibbles_unpack(room.plain, cells, out);
    room_free(&room);
    return status;
}

uint64_t cells_memory(const Shape *shape, treb_metric metric, int threads)
{
    Cells v;
    Room room;
    memset(&v, 0, sizeof v);
    set_chunks(&v, shape);
    uint64_t bytes = 2 * ledger_cost(list_bytes(&v));
    bytes += threads * ledger_cost(place_room(&room, metric, v.chunk_planes * v.plane_cells, NULL));
    if (shape->men == 0)
        bytes += threads * ledger_cost((size_t)SLICE_LANES * shape->kings * sizeof(Plies));
    return bytes;
}
