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

enum { CHUNK = 1 << 20, GROUP = 8 /* chunks compressed at once */, SCRATCH_LEVEL = 1 };

/* Files of the two widths of a distance do not fit each other; the number is that of the layout. */
static const char scratch_magic[8] = {'T', 'R', 'B', 'C', 'O', 'D', '3', sizeof(Plies) - 1};

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

static size_t set_bytes(const Shape *shape) { return shape->words * sizeof(uint64_t); }
static size_t value_bytes(const Shape *shape) { return shape->cells * sizeof(Plies); }

/* In memory and, before compression, in the file. */
static size_t side_bytes(const Shape *shape, bool cursed)
{
    return value_bytes(shape) + (cursed ? 2 : 1) * set_bytes(shape);
}

static size_t side_chunks(const Shape *shape, bool cursed)
{
    return (side_bytes(shape, cursed) + CHUNK - 1) / CHUNK;
}

uint64_t side_cost(const Shape *shape, bool cursed)
{
    return ledger_cost(side_bytes(shape, cursed));
}

bool side_alloc(const Shape *shape, Ledger *ledger, Side *side, int color, bool cursed)
{
    uint8_t *kept = ledger_alloc(ledger, side_bytes(shape, cursed));
    if (kept == NULL) return false;
    side->kept = kept;
    side->cursed = cursed;
    side->solved.value[color] = (Plies *)(void *)kept;
    kept += value_bytes(shape);
    side->solved.legal[color] = (uint64_t *)(void *)kept;
    if (cursed) side->solved.cursed[color] = (uint64_t *)(void *)(kept + set_bytes(shape));
    return true;
}

uint64_t side_held(const Shape *shape, const Side *side)
{
    uint64_t pushes = set_bytes(shape);
    if (side->kept == NULL) return 0;
    if (side->solved.dtc[0] || side->solved.dtc[1]) pushes += value_bytes(shape);
    return side_cost(shape, side->cursed) + (side->pushes ? ledger_cost(pushes) : 0);
}

void side_unload(Side *side)
{
    ledger_free(side->kept);
    ledger_free(side->pushes);
    side->kept = side->pushes = NULL;
    memset(&side->solved, 0, sizeof side->solved);
}

/* ---- files ----------------------------------------------------------------------------------- */

static size_t chunk_size(size_t bytes, size_t chunk)
{
    return bytes - chunk * CHUNK < CHUNK ? bytes - chunk * CHUNK : CHUNK;
}

/* Makes chunk `c` of a side from a slice. */
static void chunk_make(const Slice *slice, int color, size_t c, size_t size, uint8_t *bytes)
{
    const Shape *shape = slice->shape;
    size_t set = set_bytes(shape), values = value_bytes(shape);
    size_t from = c * CHUNK, part, word = 64 * sizeof(Plies);
    for (; size; size -= part, from += part, bytes += part) {
        size_t end = from < values ? values : from < values + set ? values + set : from + size;
        part = end - from < size ? end - from : size;
        if (from < values)
            slice_values(slice, color, from / word, part / word, (Plies *)(void *)bytes);
        else if (from < values + set)
            memcpy(bytes, (const uint8_t *)slice->legal[color] + (from - values), part);
        else
            for (size_t i = 0; i < part / 8; i++)
                ((uint64_t *)(void *)bytes)[i] =
                    slice_cursed(slice, color, (from - values - set) / 8 + i);
    }
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

/* Where some chunks of a side lie, compressed. */
typedef struct ChunkGroup {
    size_t first, end, bound;
    uint8_t *packed, *plain; /* by chunk of the group: `bound` and CHUNK bytes each */
} ChunkGroup;

/* Compresses the chunks of a group in parallel. False: out of memory. */
static bool group_pack(const StoreEntry *entry, Side *side, int color, const Slice *slice,
                       const ChunkGroup *group)
{
    size_t bytes = side_bytes(&entry->shape, side->cursed);
    bool ok = true;
#pragma omp parallel for schedule(dynamic)
    for (size_t c = group->first; c < group->end; c++) {
        size_t size = chunk_size(bytes, c), i = c - group->first;
        uint8_t *plain = side->kept ? (uint8_t *)side->kept + c * CHUNK : group->plain + i * CHUNK;
        if (side->kept == NULL) chunk_make(slice, color, c, size, plain);
        side->chunk[c] =
            (uint32_t)chunk_pack(group->packed + i * group->bound, group->bound, plain, size);
        if (side->chunk[c] == 0) {
#pragma omp atomic write
            ok = false;
        }
    }
    return ok;
}

static treb_status group_write(StoreEntry *entry, const Side *side, const ChunkGroup *group,
                               treb_error *error)
{
    for (size_t c = group->first; c < group->end; c++) {
        const uint8_t *packed = group->packed + (c - group->first) * group->bound;
        if (!io_write_at(entry->file, packed, side->chunk[c], entry->end))
            return fail_errno(error, "write", entry->path);
        entry->end += side->chunk[c];
    }
    return TREB_OK;
}

treb_status side_write(StoreEntry *entry, Side *side, int color, const Slice *slice,
                       treb_error *error)
{
    assert(!side->filed && (side->kept != NULL || slice != NULL));
    if (side->kept == NULL) side->cursed = slice->cursed;
    size_t chunks = side_chunks(&entry->shape, side->cursed);
    ChunkGroup group = {.bound = ZSTD_compressBound(CHUNK)};
    side->chunk = malloc(chunks * sizeof *side->chunk);
    group.packed = ledger_alloc(entry->ledger, GROUP * group.bound);
    if (side->kept == NULL) group.plain = ledger_alloc(entry->ledger, (size_t)GROUP * CHUNK);
    bool ready = side->chunk && group.packed && (side->kept || group.plain);
    treb_status status = ready ? TREB_OK : fail_memory(error);
    side->offset = entry->end;
    for (; group.first < chunks && status == TREB_OK; group.first = group.end) {
        group.end = chunks - group.first < GROUP ? chunks : group.first + GROUP;
        status = group_pack(entry, side, color, slice, &group)
                     ? group_write(entry, side, &group, error)
                     : fail_memory(error);
    }
    ledger_free(group.packed);
    ledger_free(group.plain);
    side->filed = status == TREB_OK;
    return status;
}

uint64_t side_write_cost(void)
{
    return ledger_cost(GROUP * ZSTD_compressBound(CHUNK)) + ledger_cost((size_t)GROUP * CHUNK);
}

/* Reads chunk `c`, which begins at `at`, to its place in memory. */
static treb_status chunk_read(const StoreEntry *entry, const Side *side, size_t c, uint64_t at)
{
    size_t size = chunk_size(side_bytes(&entry->shape, side->cursed), c);
    uint8_t *packed = malloc(side->chunk[c]);
    if (packed == NULL) return TREB_ERR_MEMORY;
    bool good =
        io_read_at(entry->file, packed, side->chunk[c], at) &&
        ZSTD_decompress((uint8_t *)side->kept + c * CHUNK, size, packed, side->chunk[c]) == size;
    free(packed);
    return good ? TREB_OK : TREB_ERR_DAMAGED;
}

treb_status side_read(StoreEntry *entry, Side *side, int color, treb_error *error)
{
    const Shape *shape = &entry->shape;
    size_t chunks = side_chunks(shape, side->cursed);
    uint64_t *at = malloc((chunks + 1) * sizeof *at);
    treb_status status = TREB_ERR_MEMORY;
    if (at != NULL && side_alloc(shape, entry->ledger, side, color, side->cursed)) {
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
            bytes_add(&b, side->cursed);
            for (size_t c = 0; c < side_chunks(&entry->shape, side->cursed); c++)
                bytes_add(&b, side->chunk[c]);
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
    side->cursed = reader_next(r) != 0;
    side->filed = true;
    size_t chunks = side_chunks(shape, side->cursed);
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
