/* scratch.c - see scratch.h. */
#include "gen/store/scratch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "core/error.h"
#include "core/io.h"

enum { CHUNK = 1 << 20 /* bytes, about */, SCRATCH_LEVEL = 1 };

/* The number is that of the layout. */
static const char scratch_magic[8] = {'T', 'R', 'B', 'C', 'O', 'D', '4', 0};

/* ---- entries --------------------------------------------------------------------------------- */

void entry_free(StoreEntry *entry)
{
    if (entry == NULL) return;
    for (uint32_t b = 0; b < entry->batches; b++) {
        for (int color = 0; color < 2; color++) {
            side_unload(&entry->batch[b]->side[color]);
            free(entry->batch[b]->side[color].chunk);
        }
        free(entry->batch[b]->slice);
        free(entry->batch[b]);
    }
    free(entry->batch);
    free(entry->batch_of);
    free(entry->lane_of);
    free(entry->path);
    if (entry->file >= 0) close(entry->file);
    shape_free(&entry->shape);
    free(entry);
}

StoreEntry *entry_new(const Material *material, Ledger *ledger)
{
    StoreEntry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return NULL;
    entry->file = -1;
    entry->ledger = ledger;
    if (!shape_init(&entry->shape, material)) {
        free(entry);
        return NULL;
    }
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
    for (int lane = 0; lane < lanes; lane++) {
        entry->batch_of[slice[lane]] = entry->batches;
        entry->lane_of[slice[lane]] = lane;
    }
    entry->batches++;
    return batch;
}

/* ---- one side in memory ---------------------------------------------------------------------- */

/* The arrays of some planes of a side, one behind the other. */
typedef struct SideArrays {
    PliesArray value;
    uint64_t *legal, *cursed; /* NULL: none */
} SideArrays;

static size_t value_size(SideKind kind) { return kind.wide ? sizeof(Plies) : 1; }

/* Of so many planes. */
static size_t arrays_bytes(const Shape *shape, SideKind kind, uint32_t planes)
{
    size_t set = shape->plane_words * sizeof(uint64_t);
    return planes * (shape->plane_cells * value_size(kind) + (kind.cursed ? 2 : 1) * set);
}

static PliesArray place_plies(void *memory, bool wide)
{
    return wide ? (PliesArray){NULL, memory} : (PliesArray){memory, NULL};
}

static SideArrays place_arrays(const Shape *shape, SideKind kind, uint32_t planes, uint8_t *memory)
{
    SideArrays a = {place_plies(memory, kind.wide), NULL, NULL};
    memory += planes * shape->plane_cells * value_size(kind);
    a.legal = (uint64_t *)(void *)memory;
    if (kind.cursed) a.cursed = a.legal + planes * shape->plane_words;
    return a;
}

static void put_plies(const PliesArray *array, size_t first, const Plies *plies)
{
    if (array->wide != NULL)
        memcpy(array->wide + first, plies, 64 * sizeof *plies);
    else /* what is open has all bits of the byte */
        for (int i = 0; i < 64; i++) array->narrow[first + i] = (uint8_t)plies[i];
}

/* Copies a plane to plane number `at` of arrays. */
static void put_plane(const Plane *plane, const Shape *shape, uint32_t at, const SideArrays *a)
{
    const Kernel *kernel = kernel_best();
    const Plies *dtm = plane->distance[TREB_DTM];
    const size_t words = shape->plane_words, first = at * words;
    memcpy(a->legal + first, plane->legal, words * sizeof *a->legal);
    if (a->cursed) memcpy(a->cursed + first, plane->cursed, words * sizeof *a->cursed);
    for (size_t w = 0; w < words; w++) {
        uint64_t decided = plane->won[w] | plane->lost[w];
        Plies plies[64];
        if (dtm) {
            kernel->pick(&decided, 1, 0, dtm + 64 * w, plies);
        } else {
            for (int i = 0; i < 64; i++) plies[i] = PLIES_OPEN;
            kernel->mark(&plane->won[w], 1, 1, plies);
            kernel->mark(&plane->lost[w], 1, 2, plies);
        }
        put_plies(&a->value, 64 * (first + w), plies);
    }
}

/* What put_plane needs of planes. */
static unsigned parts_of(const Slice *slice)
{
    return slice->metrics >> TREB_DTM & 1 ? PLANE_DISTANCE << TREB_DTM : 0;
}

/* What stands for draws has all bits of a byte: a distance must be less. */
SideKind side_kind(const Slice *slice)
{
    SideKind kind = {slice->cursed, false};
    for (int m = TREB_DTC; m < TREB_METRICS; m++)
        if (slice->metrics >> m & 1)
            kind.wide |= slice->plies[slice_metric(slice, (treb_metric)m)] > NARROW_MOST;
    return kind;
}

uint64_t side_cost(const Shape *shape, SideKind kind)
{
    return ledger_cost(arrays_bytes(shape, kind, shape->kings));
}

static size_t pushes_bytes(const Shape *shape, SideKind kind, bool dtc)
{
    return shape->words * sizeof(uint64_t) + (dtc ? shape->cells * value_size(kind) : 0);
}

uint64_t pushes_cost(const Shape *shape, SideKind kind, bool dtc)
{
    return ledger_cost(pushes_bytes(shape, kind, dtc));
}

/* Gives a side room in memory, not filled in. False: out of memory. */
static bool side_alloc(const Shape *shape, Ledger *ledger, Side *side, int color)
{
    side->kept = ledger_alloc(ledger, arrays_bytes(shape, side->kind, shape->kings));
    if (side->kept == NULL) return false;
    SideArrays a = place_arrays(shape, side->kind, shape->kings, side->kept);
    side->solved.value[color] = a.value;
    side->solved.legal[color] = a.legal;
    side->solved.cursed[color] = a.cursed;
    return true;
}

/* The same for what only pushes ask for. */
static bool pushes_alloc(const Slice *slice, Ledger *ledger, Side *side, int color)
{
    const Shape *shape = slice->shape;
    bool dtc = slice->metrics >> TREB_DTC & 1;
    uint64_t *pushes = ledger_alloc(ledger, pushes_bytes(shape, side->kind, dtc));
    if (pushes == NULL) return false;
    side->pushes = pushes;
    side->solved.stalemate[color] = pushes;
    if (dtc) side->solved.dtc[color] = place_plies(pushes + shape->words, side->kind.wide);
    return true;
}

static void put_pushes(const Plane *plane, const Shape *shape, uint32_t kings, const Side *side,
                       int color)
{
    const Kernel *kernel = kernel_best();
    const Plies *dtc = plane->distance[TREB_DTC];
    const size_t words = shape->plane_words, first = kings * words;
    memcpy(side->solved.stalemate[color] + first, plane->stalemate, words * sizeof(uint64_t));
    for (size_t w = 0; dtc != NULL && w < words; w++) {
        uint64_t decided = plane->won[w] | plane->lost[w];
        Plies plies[64];
        kernel->pick(&decided, 1, 0, dtc + 64 * w, plies);
        put_plies(&side->solved.dtc[color], 64 * (first + w), plies);
    }
}

treb_status side_fill(const Slice *slice, Ledger *ledger, Side *side, int color, bool pushes,
                      treb_error *error)
{
    const Shape *shape = slice->shape;
    unsigned parts = parts_of(slice);
    treb_status status = TREB_OK;
    side->kind = side_kind(slice);
    if (pushes) parts |= PLANE_STALEMATE;
    if (pushes && slice->metrics >> TREB_DTC & 1) parts |= PLANE_DISTANCE << TREB_DTC;
    if (!side_alloc(shape, ledger, side, color) ||
        (pushes && !pushes_alloc(slice, ledger, side, color)))
        return fail_memory(error);
    SideArrays arrays = place_arrays(shape, side->kind, shape->kings, side->kept);
#pragma omp parallel
    {
        Plane plane;
        bool ready = plane_init(&plane, shape, parts, ledger);
#pragma omp for schedule(dynamic, 4)
        for (uint32_t k = 0; k < shape->kings; k++) {
            treb_error mine;
            treb_status own =
                ready ? plane_read(&plane, slice, color, k, &mine) : fail_memory(&mine);
            if (own == TREB_OK) {
                put_plane(&plane, shape, k, &arrays);
                if (pushes) put_pushes(&plane, shape, k, side, color);
                continue;
            }
#pragma omp critical(scratch_error)
            {
                status = own;
                *error = mine;
            }
        }
        plane_free(&plane);
    }
    return status;
}

uint64_t side_held(const Shape *shape, const Side *side)
{
    if (side->kept == NULL) return 0;
    bool dtc = false;
    for (int i = 0; i < 2; i++) dtc |= side->solved.dtc[i].narrow || side->solved.dtc[i].wide;
    return side_cost(shape, side->kind) + (side->pushes ? pushes_cost(shape, side->kind, dtc) : 0);
}

void side_unload(Side *side)
{
    ledger_free(side->kept);
    ledger_free(side->pushes);
    side->kept = side->pushes = NULL;
    memset(&side->solved, 0, sizeof side->solved);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* In the file planes are kept in chunks of so many; the last has fewer. */
static uint32_t chunk_planes(const Shape *shape)
{
    size_t planes = CHUNK / (shape->plane_cells + 2 * shape->plane_words * sizeof(uint64_t));
    return planes < 1 ? 1 : planes < shape->kings ? (uint32_t)planes : shape->kings;
}

static size_t side_chunks(const Shape *shape)
{
    return (shape->kings + chunk_planes(shape) - 1) / chunk_planes(shape);
}

static uint32_t chunk_end(const Shape *shape, size_t chunk)
{
    uint64_t end = (chunk + 1) * chunk_planes(shape);
    return end < shape->kings ? (uint32_t)end : shape->kings;
}

static void copy_part(void *all, size_t first, size_t bytes, void *some, bool to_all)
{
    uint8_t *part = (uint8_t *)all + first;
    memcpy(to_all ? part : some, to_all ? some : part, bytes);
}

/* Copies the arrays of some planes from those of all, or to them. */
static void copy_arrays(const Shape *shape, SideKind kind, const SideArrays *all, uint32_t first,
                        uint32_t planes, const SideArrays *some, bool to_all)
{
    const size_t cells = shape->plane_cells * value_size(kind),
                 set = shape->plane_words * sizeof(uint64_t);
    if (kind.wide)
        copy_part(all->value.wide, first * cells, planes * cells, some->value.wide, to_all);
    else
        copy_part(all->value.narrow, first * cells, planes * cells, some->value.narrow, to_all);
    copy_part(all->legal, first * set, planes * set, some->legal, to_all);
    if (kind.cursed) copy_part(all->cursed, first * set, planes * set, some->cursed, to_all);
}

/* Compresses with a checksum: what is read back goes into other tables. Returns 0 without memory. */
static size_t chunk_pack(uint8_t *out, size_t bound, const uint8_t *plain, size_t size)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (context == NULL) return 0;
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, SCRATCH_LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t n = ZSTD_compress2(context, out, bound, plain, size);
    ZSTD_freeCCtx(context);
    return ZSTD_isError(n) ? 0 : n;
}

/* What a thread needs to write chunks. */
typedef struct ChunkRoom {
    uint8_t *plain, *packed;
    size_t bound;
    Plane plane; /* where they come from a slice */
} ChunkRoom;

static size_t place_room(ChunkRoom *room, const Shape *shape, SideKind kind, void *memory)
{
    Layout layout = {memory, 0};
    size_t size = arrays_bytes(shape, kind, chunk_planes(shape));
    room->bound = ZSTD_compressBound(size);
    room->plain = layout_place(&layout, size);
    room->packed = layout_place(&layout, room->bound);
    return layout.size;
}

static bool room_init(ChunkRoom *room, const Shape *shape, SideKind kind, const Slice *slice,
                      Ledger *ledger)
{
    void *memory = ledger_alloc(ledger, place_room(room, shape, kind, NULL));
    memset(&room->plane, 0, sizeof room->plane);
    if (memory == NULL) return false;
    place_room(room, shape, kind, memory);
    if (slice == NULL || plane_init(&room->plane, shape, parts_of(slice), ledger)) return true;
    ledger_free(memory);
    return false;
}

/* What was placed first is where the memory begins. */
static void room_free(ChunkRoom *room)
{
    plane_free(&room->plane);
    ledger_free(room->plain);
}

/* Makes chunk `c` of a side, from memory or else from a slice, and compresses it. */
static treb_status chunk_make(const Shape *shape, Side *side, int color, const Slice *slice,
                              size_t c, ChunkRoom *room, treb_error *error)
{
    const uint32_t first = (uint32_t)(c * chunk_planes(shape)),
                   planes = chunk_end(shape, c) - first;
    SideArrays some = place_arrays(shape, side->kind, planes, room->plain);
    treb_status status = TREB_OK;
    if (side->kept != NULL) {
        SideArrays all = place_arrays(shape, side->kind, shape->kings, side->kept);
        copy_arrays(shape, side->kind, &all, first, planes, &some, false);
    }
    for (uint32_t k = 0; side->kept == NULL && k < planes && status == TREB_OK; k++) {
        status = plane_read(&room->plane, slice, color, first + k, error);
        if (status == TREB_OK) put_plane(&room->plane, shape, k, &some);
    }
    if (status != TREB_OK) return status;
    side->chunk[c] = (uint32_t)chunk_pack(room->packed, room->bound, room->plain,
                                          arrays_bytes(shape, side->kind, planes));
    return side->chunk[c] > 0 ? TREB_OK : fail_memory(error);
}

treb_status side_write(StoreEntry *entry, Side *side, int color, const Slice *slice,
                       treb_error *error)
{
    const Shape *shape = &entry->shape;
    const size_t chunks = side_chunks(shape);
    treb_status status = TREB_OK;
    assert(!side->filed && (side->kept != NULL || slice != NULL));
    if (side->kept == NULL) side->kind = side_kind(slice);
    side->chunk = malloc(chunks * sizeof *side->chunk);
    if (side->chunk == NULL) return fail_memory(error);
    side->offset = entry->end;
#pragma omp parallel
    {
        ChunkRoom room;
        bool ready = room_init(&room, shape, side->kind, side->kept ? NULL : slice, entry->ledger);
#pragma omp for schedule(dynamic) ordered
        for (size_t c = 0; c < chunks; c++) {
            treb_error mine;
            treb_status own =
                ready ? chunk_make(shape, side, color, slice, c, &room, &mine) : fail_memory(&mine);
#pragma omp ordered
            {
                if (own == TREB_OK && status == TREB_OK &&
                    !io_write_at(entry->file, room.packed, side->chunk[c], entry->end))
                    own = fail_errno(&mine, "write", entry->path);
                if (own == TREB_OK)
                    entry->end += side->chunk[c];
                else if (status == TREB_OK) {
                    status = own;
                    *error = mine;
                }
            }
        }
        if (ready) room_free(&room);
    }
    side->filed = status == TREB_OK;
    return status;
}

uint64_t side_write_cost(const Shape *shape, int threads)
{
    ChunkRoom room;
    return (uint64_t)threads *
           (ledger_cost(place_room(&room, shape, (SideKind){true, true}, NULL)) +
            plane_memory(shape, PLANE_DISTANCE << TREB_DTM));
}

/* Reads chunk `c`, which begins at `at`, to its place in memory. */
static treb_status chunk_read(const StoreEntry *entry, const Side *side, size_t c, uint64_t at)
{
    const Shape *shape = &entry->shape;
    const uint32_t first = (uint32_t)(c * chunk_planes(shape)),
                   planes = chunk_end(shape, c) - first;
    const size_t size = arrays_bytes(shape, side->kind, planes);
    uint8_t *plain = malloc(size + side->chunk[c]);
    if (plain == NULL) return TREB_ERR_MEMORY;
    uint8_t *packed = plain + size;
    bool good = io_read_at(entry->file, packed, side->chunk[c], at) &&
                ZSTD_decompress(plain, size, packed, side->chunk[c]) == size;
    if (good) {
        SideArrays all = place_arrays(shape, side->kind, shape->kings, side->kept),
                   some = place_arrays(shape, side->kind, planes, plain);
        copy_arrays(shape, side->kind, &all, first, planes, &some, true);
    }
    free(plain);
    return good ? TREB_OK : TREB_ERR_DAMAGED;
}

treb_status side_read(StoreEntry *entry, Side *side, int color, treb_error *error)
{
    const Shape *shape = &entry->shape;
    size_t chunks = side_chunks(shape);
    uint64_t *at = malloc((chunks + 1) * sizeof *at);
    treb_status status = TREB_ERR_MEMORY;
    if (at != NULL && side_alloc(shape, entry->ledger, side, color)) {
        status = TREB_OK;
        at[0] = side->offset;
        for (size_t c = 0; c < chunks; c++) at[c + 1] = at[c] + side->chunk[c];
#pragma omp parallel for schedule(dynamic)
        for (size_t c = 0; c < chunks; c++) {
            treb_status mine = chunk_read(entry, side, c, at[c]);
            if (mine != TREB_OK) {
#pragma omp atomic write
                status = mine;
            }
        }
    }
    free(at);
    if (status == TREB_OK) return status;
    side_unload(side);
    if (status == TREB_ERR_MEMORY) return fail_memory(error);
    return fail(error, status, "%.400s: damaged; remove it and run again", entry->path);
}

/* ---- the list at the end of a file ----------------------------------------------------------- */

/* A growing run of bytes. */
typedef struct Bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
} Bytes;

static void bytes_add(Bytes *b, uint64_t value)
{
    if (b->size + 8 > b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 4096;
        uint8_t *grown = realloc(b->data, capacity);
        if (grown == NULL) {
            b->failed = true;
            return;
        }
        b->data = grown;
        b->capacity = capacity;
    }
    for (int i = 0; i < 8; i++) b->data[b->size++] = value >> 8 * i;
}

static uint64_t bytes_get(const uint8_t *p)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)p[i] << 8 * i;
    return value;
}

/* Ends a file: the list of batches, its size, a checksum, the magic. */
treb_status entry_write_list(StoreEntry *entry, treb_error *error)
{
    Bytes b = {0};
    bytes_add(&b, entry->batches);
    bytes_add(&b, entry->sides);
    for (uint32_t u = 0; u < entry->batches; u++) {
        const StoreBatch *batch = entry->batch[u];
        bytes_add(&b, batch->lanes);
        for (int lane = 0; lane < batch->lanes; lane++) bytes_add(&b, batch->slice[lane]);
        for (int color = 0; color < 2; color++) {
            const Side *side = &batch->side[color];
            if (!(entry->sides >> color & 1)) continue;
            bytes_add(&b, side->offset);
            bytes_add(&b, side->kind.cursed + 2u * side->kind.wide);
            for (size_t c = 0; c < side_chunks(&entry->shape); c++) bytes_add(&b, side->chunk[c]);
        }
    }
    uint64_t size = b.size, sum = b.failed ? 0 : XXH3_64bits(b.data, b.size);
    bytes_add(&b, size);
    bytes_add(&b, sum);
    bytes_add(&b, bytes_get((const uint8_t *)scratch_magic));
    treb_status status = b.failed ? fail_memory(error) : TREB_OK;
    if (status == TREB_OK && !io_write_at(entry->file, b.data, b.size, entry->end))
        status = fail_errno(error, "write", entry->path);
    free(b.data);
    return status;
}

/* What is left of a list that is read. */
typedef struct ListReader {
    const uint8_t *at, *end;
    bool failed; /* it ended too early */
} ListReader;

static uint64_t reader_next(ListReader *r)
{
    if (r->end - r->at < 8) {
        r->failed = true;
        return 0;
    }
    uint64_t value = bytes_get(r->at);
    r->at += 8;
    return value;
}

static bool parse_side(const Shape *shape, Side *side, ListReader *r)
{
    side->offset = reader_next(r);
    uint64_t kind = reader_next(r);
    side->kind = (SideKind){kind & 1, kind >> 1 & 1};
    side->filed = true;
    size_t chunks = side_chunks(shape);
    side->chunk = malloc(chunks * sizeof *side->chunk);
    for (size_t c = 0; c < chunks && side->chunk; c++) side->chunk[c] = (uint32_t)reader_next(r);
    return side->chunk && !r->failed;
}

static bool parse_batch(StoreEntry *entry, ListReader *r)
{
    uint64_t slice[SLICE_LANES], lanes = reader_next(r);
    if (lanes < 1 || lanes > SLICE_LANES) return false;
    for (uint64_t lane = 0; lane < lanes; lane++) {
        slice[lane] = reader_next(r);
        if (slice[lane] >= entry->shape.index.slices) return false;
    }
    StoreBatch *batch = entry_add(entry, slice, (int)lanes);
    bool ok = batch != NULL;
    for (int color = 0; color < 2 && ok; color++)
        if (entry->sides >> color & 1) ok = parse_side(&entry->shape, &batch->side[color], r);
    return ok;
}

/* Parses the list; false if it makes no sense. The checksum has been checked. */
static bool entry_parse(StoreEntry *entry, const uint8_t *list, size_t size)
{
    ListReader r = {list, list + size, false};
    uint64_t batches = reader_next(&r), sides = reader_next(&r);
    if (sides > 3) return false;
    entry->sides = (unsigned)sides;
    for (uint64_t b = 0; b < batches; b++)
        if (!parse_batch(entry, &r)) return false;
    return !r.failed && r.at == r.end;
}

StoreEntry *entry_open(const char *path, const Material *m, Ledger *ledger)
{
    uint8_t tail[24], *list = NULL;
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    StoreEntry *entry = entry_new(m, ledger);
    bool ok = entry && (entry->path = strdup(path)) != NULL && fstat(file, &info) == 0 &&
              info.st_size >= 24 && io_read_at(file, tail, 24, (uint64_t)info.st_size - 24) &&
              memcmp(tail + 16, scratch_magic, 8) == 0;
    uint64_t size = ok ? bytes_get(tail) : 0;
    ok = ok && size <= (uint64_t)info.st_size - 24 && (list = malloc(size ? size : 1)) != NULL &&
         io_read_at(file, list, size, (uint64_t)info.st_size - 24 - size) &&
         XXH3_64bits(list, size) == bytes_get(tail + 8) && entry_parse(entry, list, size);
    free(list);
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
