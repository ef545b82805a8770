/* scratch.c - see scratch.h. */
#include "gen/store/scratch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "core/system/error.h"
#include "core/system/io.h"

enum {
    CHUNK = 1 << 20,       /* bytes, about; */
    CHUNK_CUT = 64 << 10,  /* of cuts, of which single planes are read, */
    CHUNK_ONE = 128 << 10, /* as of others that are so large */
    SCRATCH_LEVEL = 1
};

/* "TRBCOD" and the number of the layout. */
static const uint64_t scratch_mark = UINT64_C(0x0008444f43425254);

/* ---- entries --------------------------------------------------------------------------------- */

void entry_free(StoreEntry *entry)
{
    if (entry == NULL) return;
    for (uint32_t b = 0; b < entry->batches; b++) {
        for (int i = 0; i < 2 * PARTS; i++) {
            part_unload(&entry->batch[b]->side[i / PARTS], i % PARTS);
            free(entry->batch[b]->side[i / PARTS].chunk[i % PARTS]);
        }
        free(entry->batch[b]->slice);
        free(entry->batch[b]);
    }
    free(entry->batch);
    free(entry->batch_of);
    free(entry->lane_of);
    free(entry->path);
    if (entry->file >= 0) close(entry->file);
    share_free(&entry->share);
    shape_free(&entry->shape);
    free(entry);
}

bool entry_divide(StoreEntry *entry, const Ranks *ranks)
{
    if (ranks == NULL) return true;
    assert(entry->cut.squares == 0 && entry->batches == 0);
    RankShare *share = &entry->share;
    if (!share_init(share, &entry->shape, ranks)) return false;
    entry->planes = share->planes;
    for (uint32_t i = 0; i < share->halo[0]; i++)
        share->place[0][share->halo_plane[0][i]] = PLACE_NONE;
    return true;
}

StoreEntry entry_layout(const Shape *shape, unsigned wanted)
{
    StoreEntry entry = {.shape = *shape, .wanted = wanted};
    bool cut = cut_init(&entry.cut, shape, wanted);
    entry.planes = shape->kings * (cut ? (uint32_t)entry.cut.squares : 1);
    entry.plane_words = cut ? shape->plane_words / 64 : shape->plane_words;
    entry.plane_cells = 64 * entry.plane_words;
    return entry;
}

StoreEntry *entry_new(const Material *material, unsigned wanted, Ledger *ledger)
{
    StoreEntry *entry = calloc(1, sizeof *entry);
    Shape shape;
    if (entry == NULL || !shape_init(&shape, material)) {
        free(entry);
        return NULL;
    }
    *entry = entry_layout(&shape, wanted);
    entry->file = -1;
    entry->ledger = ledger;
    uint64_t slices = entry->shape.index.slices;
    entry->batch_of = malloc(slices * sizeof *entry->batch_of);
    entry->lane_of = calloc(slices, 1);
    if (entry->batch_of == NULL || entry->lane_of == NULL) {
        entry_free(entry);
        return NULL;
    }
    for (uint64_t s = 0; s < slices; s++) entry->batch_of[s] = NO_BATCH;
    return entry;
}

StoreBatch *entry_add(StoreEntry *entry, const uint64_t *slice, int lanes)
{
    if (entry->batches == entry->capacity) {
        uint32_t capacity = entry->capacity ? 2 * entry->capacity : 32;
        StoreBatch **grown = realloc(entry->batch, capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        entry->batch = grown;
        entry->capacity = capacity;
    }
    StoreBatch *batch = calloc(1, sizeof *batch);
    if (batch == NULL) return NULL;
    batch->slice = malloc(lanes * sizeof *batch->slice);
    if (batch->slice == NULL) {
        free(batch);
        return NULL;
    }
    entry->batch[entry->batches] = batch;
    memcpy(batch->slice, slice, lanes * sizeof *slice);
    batch->lanes = lanes;
    for (int i = 0; i < 2; i++) {
        batch->side[i].solved.cut = entry->cut.squares > 0 ? &entry->cut : NULL;
        batch->side[i].solved.place = entry->share.place[0];
    }
    for (int lane = 0; lane < lanes; lane++) {
        entry->batch_of[slice[lane]] = entry->batches;
        entry->lane_of[slice[lane]] = lane;
    }
    entry->batches++;
    return batch;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static size_t value_size(SideKind kind) { return kind.wide ? sizeof(Plies) : 1; }

/* A part has one array of distances or none, and one or two sets. */
static size_t plies_bytes(const StoreEntry *entry, SideKind kind, int part)
{
    return part == PART_PUSHES && !kind.dtc ? 0 : entry->plane_cells * value_size(kind);
}

static int sets_of(SideKind kind, int part) { return part == PART_VALUES && kind.cursed ? 2 : 1; }

static size_t set_bytes(const StoreEntry *entry) { return entry->plane_words * sizeof(uint64_t); }

/* Of so many planes. */
static size_t part_bytes(const StoreEntry *entry, SideKind kind, int part, uint32_t planes)
{
    return planes *
           (plies_bytes(entry, kind, part) + (size_t)sets_of(kind, part) * set_bytes(entry));
}

uint64_t part_cost(const StoreEntry *entry, SideKind kind, int part)
{
    return ledger_cost(part_bytes(entry, kind, part, entry->planes));
}

/* Points a side's arrays of a part into memory for so many planes. */
static void place_part(const StoreEntry *entry, SideKind kind, int part, uint32_t planes,
                       void *memory, int color, Solved *out)
{
    size_t plies = plies_bytes(entry, kind, part);
    uint64_t *sets = (uint64_t *)(void *)((uint8_t *)memory + planes * plies);
    PliesArray array = {plies && !kind.wide ? memory : NULL, plies && kind.wide ? memory : NULL};
    if (part == PART_PUSHES) {
        out->dtc[color] = array;
        out->stalemate[color] = sets;
        return;
    }
    out->value[color] = array;
    out->legal[color] = sets;
    out->cursed[color] = kind.cursed ? sets + planes * entry->plane_words : NULL;
}

SideKind side_kind(const Slice *slice)
{
    SideKind kind = {slice->cursed, false, slice->metrics >> TREB_DTC & 1};
    /* What stands for draws has all bits of a byte: a distance must be less. */
    for (int m = TREB_DTC; m < TREB_METRICS; m++)
        if (slice->metrics >> m & 1)
            kind.wide |= slice->plies[slice_metric(slice, (treb_metric)m)] > NARROW_MOST;
    return kind;
}

uint64_t side_held(const StoreEntry *entry, const Side *side)
{
    uint64_t bytes = 0;
    for (int part = 0; part < PARTS; part++)
        if (side->kept[part]) bytes += part_cost(entry, side->kind, part);
    return bytes;
}

void part_unload(Side *side, int part)
{
    ledger_free(side->kept[part]);
    side->kept[part] = NULL;
    for (int color = 0; color < 2; color++) {
        if (part == PART_PUSHES) {
            side->solved.dtc[color] = (PliesArray){NULL, NULL};
            side->solved.stalemate[color] = NULL;
        } else {
            side->solved.value[color] = (PliesArray){NULL, NULL};
            side->solved.legal[color] = side->solved.cursed[color] = NULL;
        }
    }
}

static bool part_alloc(const StoreEntry *entry, Side *side, int color, int part)
{
    void *memory = ledger_alloc(entry->ledger, part_bytes(entry, side->kind, part, entry->planes));
    if (memory == NULL) return false;
    side->kept[part] = memory;
    place_part(entry, side->kind, part, entry->planes, memory, color, &side->solved);
    return true;
}

/* ---- from solved planes to arrays ------------------------------------------------------------ */

/* What is needed of planes. */
static unsigned parts_of(const Slice *slice, int part)
{
    bool dtm = slice->metrics >> TREB_DTM & 1, dtc = slice->metrics >> TREB_DTC & 1;
    if (part == PART_PUSHES) return PLANE_STALEMATE | (dtc ? PLANE_DISTANCE << TREB_DTC : 0);
    return dtm ? PLANE_DISTANCE << TREB_DTM : 0;
}

/* Where the 64 cells of word `word` of a plane of the entry are in the solver's plane: side by side, or 64
 * apart. `square`: of the cut, by number. */
typedef struct Cells64 {
    size_t first;
    bool apart;
} Cells64;

static Cells64 find_cells(const StoreEntry *entry, int square, size_t word)
{
    const Cut *cut = &entry->cut;
    size_t cell = 64 * word;
    if (cut->squares == 0) return (Cells64){shape_cell(&entry->shape, cell), false};
    int shift = 6 * (entry->shape.men - 1 - cut->man);
    size_t low = cell & (((size_t)1 << shift) - 1), on = (size_t)cut->square[square] << shift;
    if (shift == 0) return (Cells64){64 * cell + on, true};
    return (Cells64){shape_cell(&entry->shape, (cell >> shift) << (shift + 6) | on | low), false};
}

/* The cell that has the i-th of cells that are apart. */
static size_t cell_apart(const Shape *shape, Cells64 from, size_t i)
{
    return shape_cell(shape, from.first + 64 * i);
}

static uint64_t gather_set(const Shape *shape, const uint64_t *set, Cells64 from)
{
    uint64_t bits = 0;
    if (!from.apart) return set[from.first / 64];
    for (size_t i = 0; i < 64; i++)
        bits |= (set[cell_apart(shape, from, i) / 64] >> from.first % 64 & 1) << i;
    return bits;
}

static void gather_plies(const Shape *shape, const Plies *plies, Cells64 from, Plies out[64])
{
    if (!from.apart)
        memcpy(out, plies + from.first, 64 * sizeof *out);
    else
        for (size_t i = 0; i < 64; i++) out[i] = plies[cell_apart(shape, from, i)];
}

static void put_plies(const PliesArray *array, size_t first, const Plies *plies)
{
    if (array->wide != NULL)
        memcpy(array->wide + first, plies, 64 * sizeof *plies);
    else /* what is open has all bits of the byte */
        for (int i = 0; i < 64; i++) array->narrow[first + i] = (uint8_t)plies[i];
}

/* The distances of 64 cells where they are won or lost. */
static void decided_plies(const Shape *shape, const Plane *plane, const Plies *plies, Cells64 from,
                          Plies out[64])
{
    const Kernel *kernel = kernel_best();
    uint64_t won = gather_set(shape, plane->won, from);
    uint64_t lost = gather_set(shape, plane->lost, from);
    uint64_t decided = won | lost;
    if (plies != NULL) {
        gather_plies(shape, plies, from, out);
        kernel->pick(&decided, 1, 0, out, out);
        return;
    }
    for (int i = 0; i < 64; i++) out[i] = PLIES_OPEN;
    kernel->mark(&won, 1, 1, out);
    kernel->mark(&lost, 1, 2, out);
}

/* Copies a plane of the solver, or what a cut has of it, to plane number `at` of arrays. */
static void put_plane(const StoreEntry *entry, const Plane *plane, int square, uint32_t at,
                      int part, const Solved *to, int color)
{
    const Shape *shape = &entry->shape;
    const size_t words = entry->plane_words, first = at * words;
    for (size_t w = 0; w < words; w++) {
        Cells64 from = find_cells(entry, square, w);
        Plies plies[64];
        if (part == PART_VALUES) {
            to->legal[color][first + w] = gather_set(shape, plane->legal, from);
            if (to->cursed[color])
                to->cursed[color][first + w] = gather_set(shape, plane->cursed, from);
            decided_plies(shape, plane, plane->distance[TREB_DTM], from, plies);
            put_plies(&to->value[color], 64 * (first + w), plies);
            continue;
        }
        to->stalemate[color][first + w] = gather_set(shape, plane->stalemate, from);
        if (plane->distance[TREB_DTC] == NULL) continue;
        decided_plies(shape, plane, plane->distance[TREB_DTC], from, plies);
        put_plies(&to->dtc[color], 64 * (first + w), plies);
    }
}

treb_status side_fill(const StoreEntry *entry, Side *side, int color, const Slice *slice,
                      bool pushes, treb_error *error)
{
    const uint32_t *own = entry->share.plane; /* NULL: all */
    const int parts = pushes ? PARTS : 1;
    treb_status status = TREB_OK;
    unsigned needed = 0;
    side->kind = side_kind(slice);
    for (int part = 0; part < parts; part++) {
        needed |= parts_of(slice, part);
        if (!part_alloc(entry, side, color, part)) return fail_memory(error);
    }
#pragma omp parallel
    {
        Plane plane;
        bool ready = plane_init(&plane, slice->shape, needed, entry->ledger);
#pragma omp for schedule(dynamic, 4)
        for (uint32_t i = 0; i < entry->planes; i++) {
            treb_error mine;
            const uint32_t kings = own != NULL ? own[i] : i;
            treb_status done =
                ready ? plane_read(&plane, slice, color, kings, &mine) : fail_memory(&mine);
            for (int part = 0; part < parts && done == TREB_OK; part++)
                put_plane(entry, &plane, 0, i, part, &side->solved, color);
            if (done == TREB_OK) continue;
#pragma omp critical(scratch_error)
            {
                status = done;
                *error = mine;
            }
        }
        plane_free(&plane);
    }
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A chunk has so many planes, the last may have fewer: of a cut, some or all squares of the same kings. */
static uint32_t chunk_planes(const StoreEntry *entry)
{
    size_t bytes = entry->plane_cells + 2 * set_bytes(entry);
    size_t planes = (entry->cut.squares ? CHUNK_CUT : CHUNK) / bytes;
    uint32_t most = entry->cut.squares ? (uint32_t)entry->cut.squares : entry->planes;
    if ((entry->cut.squares && planes < most) || bytes > CHUNK_ONE) return 1;
    return planes < 1 ? 1 : planes < most ? (uint32_t)planes : most;
}

static size_t part_chunks(const StoreEntry *entry)
{
    return (entry->planes + chunk_planes(entry) - 1) / chunk_planes(entry);
}

/* How many planes chunk `c` has. */
static uint32_t planes_in(const StoreEntry *entry, size_t c)
{
    uint32_t planes = chunk_planes(entry), left = entry->planes - (uint32_t)c * planes;
    return left < planes ? left : planes;
}

static void copy_part(void *all, size_t first, size_t bytes, void *some, bool to_all)
{
    uint8_t *part = (uint8_t *)all + first;
    memcpy(to_all ? part : some, to_all ? some : part, bytes);
}

/* Copies the arrays of a chunk from those of the part that is in memory, or to them. */
static void copy_chunk(const StoreEntry *entry, const Side *side, int part, size_t c, uint8_t *some,
                       bool to_all)
{
    const uint32_t planes = planes_in(entry, c), first = (uint32_t)c * chunk_planes(entry);
    const size_t plies = plies_bytes(entry, side->kind, part), set = set_bytes(entry);
    uint8_t *all = side->kept[part];
    if (plies) copy_part(all, first * plies, planes * plies, some, to_all);
    all += entry->planes * plies;
    some += planes * plies;
    for (int s = 0; s < sets_of(side->kind, part); s++) {
        copy_part(all, first * set, planes * set, some, to_all);
        all += entry->planes * set;
        some += planes * set;
    }
}

/* What a thread needs to write chunks. */
typedef struct ChunkRoom {
    uint8_t *plain, *packed;
    size_t bound;
    Plane plane; /* where they come from a slice */
} ChunkRoom;

static size_t place_room(ChunkRoom *room, const StoreEntry *entry, SideKind kind, void *memory)
{
    Layout layout = {memory, 0};
    size_t size = part_bytes(entry, kind, PART_VALUES, chunk_planes(entry));
    room->bound = ZSTD_compressBound(size);
    room->plain = layout_place(&layout, size);
    room->packed = layout_place(&layout, room->bound);
    return layout.size;
}

static bool room_init(ChunkRoom *room, const StoreEntry *entry, SideKind kind, int part,
                      const Slice *slice)
{
    void *memory = ledger_alloc(entry->ledger, place_room(room, entry, kind, NULL));
    memset(&room->plane, 0, sizeof room->plane);
    if (memory == NULL) return false;
    place_room(room, entry, kind, memory);
    if (slice == NULL ||
        plane_init(&room->plane, &entry->shape, parts_of(slice, part), entry->ledger))
        return true;
    ledger_free(memory);
    return false;
}

/* What was placed first is where the memory begins. */
static void room_free(ChunkRoom *room)
{
    plane_free(&room->plane);
    ledger_free(room->plain);
}

/* Compresses with a checksum: what is read back goes into other tables. */
static treb_status chunk_write(StoreEntry *entry, const Side *side, int part, size_t c,
                               const ChunkRoom *room, treb_error *error)
{
    ScratchChunk *chunk = &side->chunk[part][c];
    size_t size = part_bytes(entry, side->kind, part, planes_in(entry, c));
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (context == NULL) return fail_memory(error);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, SCRATCH_LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t packed = ZSTD_compress2(context, room->packed, room->bound, room->plain, size);
    ZSTD_freeCCtx(context);
    if (ZSTD_isError(packed)) return fail_memory(error);
    *chunk = (ScratchChunk){atomic_fetch_add(&entry->end, packed), (uint32_t)packed};
    if (!io_write_at(entry->file, room->packed, packed, chunk->offset))
        return fail_errno(error, "write", entry->path);
    return TREB_OK;
}

/* Some chunks that are made together: one, or of a slice and a cut those of the same kings. */
static size_t unit_chunks(const StoreEntry *entry, const Side *side, int part)
{
    bool cut = side->kept[part] == NULL && entry->cut.squares > 0;
    return cut ? entry->cut.squares / chunk_planes(entry) : 1;
}

static treb_status unit_write(StoreEntry *entry, Side *side, int color, int part,
                              const Slice *slice, size_t unit, ChunkRoom *room, treb_error *error)
{
    const size_t chunks = unit_chunks(entry, side, part);
    const uint32_t squares = entry->cut.squares;
    treb_status status = TREB_OK;
    if (slice != NULL && squares)
        status = plane_read(&room->plane, slice, color, (uint32_t)unit, error);
    for (size_t i = 0; i < chunks && status == TREB_OK; i++) {
        const size_t c = unit * chunks + i;
        const uint32_t planes = planes_in(entry, c), first = (uint32_t)c * chunk_planes(entry);
        Solved to;
        if (side->kept[part] != NULL)
            copy_chunk(entry, side, part, c, room->plain, false);
        else
            place_part(entry, side->kind, part, planes, room->plain, color, &to);
        for (uint32_t p = 0; side->kept[part] == NULL && p < planes && status == TREB_OK; p++) {
            if (!squares) status = plane_read(&room->plane, slice, color, first + p, error);
            if (status == TREB_OK)
                put_plane(entry, &room->plane, squares ? (int)((first + p) % squares) : 0, p, part,
                          &to, color);
        }
        if (status == TREB_OK) status = chunk_write(entry, side, part, c, room, error);
    }
    return status;
}

treb_status part_write(StoreEntry *entry, Side *side, int color, int part, const Slice *slice,
                       treb_error *error)
{
    const size_t chunks = part_chunks(entry);
    treb_status status = TREB_OK;
    assert(side->chunk[part] == NULL && (side->kept[part] != NULL || slice != NULL));
    assert(side->kept[part] != NULL || entry->share.plane == NULL);
    if (side->kept[part] == NULL && part == PART_VALUES) side->kind = side_kind(slice);
    const Slice *from = side->kept[part] != NULL ? NULL : slice;
    side->chunk[part] = malloc(chunks * sizeof *side->chunk[part]);
    if (side->chunk[part] == NULL) return fail_memory(error);
    const size_t units = chunks / unit_chunks(entry, side, part);
#pragma omp parallel
    {
        ChunkRoom room;
        bool ready = room_init(&room, entry, side->kind, part, from);
#pragma omp for schedule(dynamic)
        for (size_t u = 0; u < units; u++) {
            treb_error mine;
            treb_status own = ready ? unit_write(entry, side, color, part, from, u, &room, &mine)
                                    : fail_memory(&mine);
            if (own == TREB_OK) continue;
#pragma omp critical(scratch_error)
            {
                status = own;
                *error = mine;
            }
        }
        if (ready) room_free(&room);
    }
    if (status == TREB_OK) return TREB_OK;
    free(side->chunk[part]);
    side->chunk[part] = NULL;
    return status;
}

uint64_t part_write_cost(const Shape *shape, int threads)
{
    ChunkRoom room;
    const StoreEntry entry = entry_layout(shape, 0);
    unsigned parts = PLANE_STALEMATE | PLANE_DISTANCE << TREB_DTC;
    return (uint64_t)threads *
           (ledger_cost(place_room(&room, &entry, (SideKind){true, true, true}, NULL)) +
            plane_memory(shape, parts));
}

/* Reads chunk `c`; the bytes are to be freed. */
static treb_status chunk_read(const StoreEntry *entry, const Side *side, int part, size_t c,
                              uint8_t *plain)
{
    const ScratchChunk *chunk = &side->chunk[part][c];
    const size_t size = part_bytes(entry, side->kind, part, planes_in(entry, c));
    uint8_t *packed = malloc(chunk->size + 1);
    if (packed == NULL) return TREB_ERR_MEMORY;
    bool good = io_read_at(entry->file, packed, chunk->size, chunk->offset) &&
                ZSTD_decompress(plain, size, packed, chunk->size) == size;
    free(packed);
    return good ? TREB_OK : TREB_ERR_DAMAGED;
}

static treb_status fail_read(const StoreEntry *entry, treb_status status, treb_error *error)
{
    if (status == TREB_ERR_MEMORY) return fail_memory(error);
    return fail(error, status, "%.400s: damaged; remove it and run again", entry->path);
}

treb_status part_read(StoreEntry *entry, Side *side, int color, int part, treb_error *error)
{
    const size_t chunks = part_chunks(entry);
    if (!part_alloc(entry, side, color, part)) return fail_memory(error);
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        uint8_t *plain = malloc(part_bytes(entry, side->kind, part, chunk_planes(entry)) + 1);
#pragma omp for schedule(dynamic)
        for (size_t c = 0; c < chunks; c++) {
            treb_status own = plain ? chunk_read(entry, side, part, c, plain) : TREB_ERR_MEMORY;
            if (own == TREB_OK) {
                copy_chunk(entry, side, part, c, plain, true);
                continue;
            }
#pragma omp atomic write
            status = own;
        }
        free(plain);
    }
    if (status == TREB_OK) return TREB_OK;
    part_unload(side, part);
    return fail_read(entry, status, error);
}

/* Reads chunk `c` of the parts into a room, unless it is there. */
static treb_status room_fill(const StoreEntry *entry, const Side *side, size_t c, int parts,
                             SolvedRoom *room)
{
    const uint32_t planes = chunk_planes(entry);
    size_t size = 0;
    if (room->of == &side->solved && room->chunk == c && room->push == (parts > PART_PUSHES))
        return TREB_OK;
    for (int part = 0; part < parts; part++) size += part_bytes(entry, side->kind, part, planes);
    room->of = NULL;
    if (room->size < size) {
        uint8_t *grown = realloc(room->bytes, size);
        if (grown == NULL) return TREB_ERR_MEMORY;
        room->bytes = grown;
        room->size = size;
    }
    treb_status status = TREB_OK;
    uint8_t *at = room->bytes;
    for (int part = 0; part < parts && status == TREB_OK; part++) {
        status = chunk_read(entry, side, part, c, at);
        at += part_bytes(entry, side->kind, part, planes);
    }
    if (status != TREB_OK) return status;
    room->of = &side->solved;
    room->chunk = c;
    room->push = parts > PART_PUSHES;
    return TREB_OK;
}

/* Points a side's arrays of a part, of which some planes are at `bytes`, to one of these. */
static void place_plane(const StoreEntry *entry, const Side *side, int color, int part,
                        uint32_t plane, uint8_t *bytes, Solved *out)
{
    const uint32_t planes = chunk_planes(entry), at = plane % planes;
    const size_t cells = at * entry->plane_cells, words = at * entry->plane_words;
    place_part(entry, side->kind, part, planes_in(entry, plane / planes), bytes, color, out);
    PliesArray *array = part == PART_PUSHES ? &out->dtc[color] : &out->value[color];
    if (array->wide != NULL) array->wide += cells;
    if (array->narrow != NULL) array->narrow += cells;
    if (part == PART_PUSHES) {
        out->stalemate[color] += words;
        return;
    }
    out->legal[color] += words;
    if (out->cursed[color]) out->cursed[color] += words;
}

treb_status plane_fetch(const StoreEntry *entry, const Side *side, int color, uint32_t plane,
                        bool push, SolvedRoom *room, Solved *out, treb_error *error)
{
    const int parts = push ? PARTS : 1;
    treb_status status = room_fill(entry, side, plane / chunk_planes(entry), parts, room);
    if (status != TREB_OK) return fail_read(entry, status, error);
    uint8_t *at = room->bytes;
    for (int part = 0; part < parts; part++) {
        place_plane(entry, side, color, part, plane, at, out);
        at += part_bytes(entry, side->kind, part, chunk_planes(entry));
    }
    return TREB_OK;
}

/* ---- the list at the end of a file ----------------------------------------------------------- */

static void put_part(const StoreEntry *entry, const Side *side, int part, State *state)
{
    state_put(state, side->chunk[part] != NULL);
    if (side->chunk[part] != NULL)
        state_put_bytes(state, side->chunk[part], part_chunks(entry) * sizeof *side->chunk[part]);
}

static void get_part(const StoreEntry *entry, Side *side, int part, State *state)
{
    if (state_get_most(state, 1) == 0) return;
    size_t bytes = part_chunks(entry) * sizeof *side->chunk[part];
    side->chunk[part] = malloc(bytes);
    if (side->chunk[part] == NULL)
        state->failed = true;
    else
        state_get_bytes(state, side->chunk[part], bytes);
}

void entry_put(const StoreEntry *entry, State *state)
{
    state_put(state, entry->batches);
    state_put(state, entry->wanted);
    state_put(state, atomic_load(&entry->end));
    for (uint32_t b = 0; b < entry->batches; b++) {
        const StoreBatch *batch = entry->batch[b];
        state_put(state, (uint64_t)batch->lanes);
        state_put(state, (uint64_t)batch->level);
        state_put_bytes(state, batch->slice, (size_t)batch->lanes * sizeof *batch->slice);
        for (int color = 0; color < 2; color++) {
            const Side *side = &batch->side[color];
            state_put_bytes(state, &side->kind, sizeof side->kind);
            for (int part = 0; part < PARTS; part++) put_part(entry, side, part, state);
        }
    }
}

static bool get_batch(StoreEntry *entry, State *state)
{
    uint64_t slice[SLICE_LANES], lanes = state_get_most(state, SLICE_LANES),
                                 level = state_get_most(state, INT32_MAX);
    state_get_bytes(state, slice, lanes * sizeof *slice);
    for (uint64_t lane = 0; lane < lanes; lane++)
        if (slice[lane] >= entry->shape.index.slices) return false;
    StoreBatch *batch = lanes > 0 && !state->failed ? entry_add(entry, slice, (int)lanes) : NULL;
    if (batch == NULL) return false;
    batch->level = (int)level;
    for (int color = 0; color < 2; color++) {
        Side *side = &batch->side[color];
        state_get_bytes(state, &side->kind, sizeof side->kind);
        for (int part = 0; part < PARTS; part++) get_part(entry, side, part, state);
    }
    return !state->failed;
}

bool entry_get(StoreEntry *entry, State *state)
{
    uint64_t batches = state_get(state), wanted = state_get_most(state, WANT_END - 1);
    atomic_store(&entry->end, state_get(state));
    if (state->failed || (entry->cut.squares ? wanted != entry->wanted : wanted > WANT_SIDES))
        return false;
    entry->wanted = (unsigned)wanted;
    for (uint64_t b = 0; b < batches; b++)
        if (!get_batch(entry, state)) return false;
    return true;
}

treb_status entry_write_list(StoreEntry *entry, treb_error *error)
{
    State state = {0};
    entry_put(entry, &state);
    treb_status status = state.failed ? fail_memory(error) : TREB_OK;
    if (status == TREB_OK && !state_append(&state, entry->file, entry->end, scratch_mark))
        status = fail_errno(error, "write", entry->path);
    state_free(&state);
    return status;
}

StoreEntry *entry_open(const char *path, const Material *m, unsigned wanted, Ledger *ledger)
{
    State state;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    StoreEntry *entry = entry_new(m, wanted, ledger);
    bool ok =
        entry && (entry->path = strdup(path)) != NULL && state_read_end(&state, file, scratch_mark);
    if (ok) {
        ok = entry_get(entry, &state) && state.at == state.size;
        state_free(&state);
    }
    if (entry)
        entry->file = file;
    else
        close(file);
    if (ok) {
        entry->complete = true;
        return entry;
    }
    entry_free(entry);
    return NULL;
}
