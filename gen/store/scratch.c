/* scratch.c - see scratch.h. */
#include "gen/store/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum { CHUNK = 1 << 20, SCRATCH_LEVEL = 1 };

/* Files of the two widths of a distance do not fit each other; the number is that of the layout. */
static const char scratch_magic[8] = {'T', 'R', 'B', 'C', 'O', 'D', '3', sizeof(Plies) - 1};

/* ---- entries --------------------------------------------------------------------------------- */

bool side_unload(Side *side, int color)
{
    bool loaded = side->solved.code[color] != NULL;
    free(side->solved.code[color]);
    free(side->solved.legal[color]);
    free(side->solved.cursed[color]);
    free(side->solved.dtc[color]);
    free(side->solved.stalemate[color]);
    memset(&side->solved, 0, sizeof side->solved);
    return loaded;
}

void entry_free(Entry *entry)
{
    if (entry == NULL) return;
    for (uint32_t u = 0; u < entry->units; u++) {
        for (int color = 0; color < 2; color++) {
            side_unload(&entry->unit[u]->side[color], color);
            free(entry->unit[u]->side[color].chunk);
        }
        free(entry->unit[u]->slice);
        free(entry->unit[u]);
    }
    free(entry->unit);
    free(entry->unit_of);
    free(entry->lane_of);
    if (entry->file >= 0) close(entry->file);
    shape_free(&entry->shape);
    free(entry);
}

Entry *entry_new(const Material *material)
{
    Entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return NULL;
    entry->file = -1;
    if (!shape_init(&entry->shape, material)) {
        free(entry);
        return NULL;
    }
    uint64_t slices = entry->shape.index.slices;
    entry->unit_of = malloc(slices * sizeof *entry->unit_of);
    entry->lane_of = calloc(slices, 1);
    if (entry->unit_of == NULL || entry->lane_of == NULL) {
        shape_free(&entry->shape);
        free(entry->unit_of);
        free(entry->lane_of);
        free(entry);
        return NULL;
    }
    for (uint64_t s = 0; s < slices; s++) entry->unit_of[s] = NO_UNIT;
    return entry;
}

Unit *entry_add(Entry *entry, const uint64_t *slice, int lanes)
{
    if (entry->units == entry->capacity) {
        uint32_t capacity = entry->capacity ? 2 * entry->capacity : 32;
        Unit **grown = realloc(entry->unit, capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        entry->unit = grown;
        entry->capacity = capacity;
    }
    Unit *unit = calloc(1, sizeof *unit);
    if (unit == NULL) return NULL;
    unit->slice = malloc(lanes * sizeof *unit->slice);
    if (unit->slice == NULL) {
        free(unit);
        return NULL;
    }
    entry->unit[entry->units] = unit;
    memcpy(unit->slice, slice, lanes * sizeof *slice);
    unit->lanes = lanes;
    for (int lane = 0; lane < lanes; lane++) {
        entry->unit_of[slice[lane]] = entry->units;
        entry->lane_of[slice[lane]] = lane;
    }
    entry->units++;
    return unit;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A side in a file: its codes, the legal cells and, if there are any, the cursed ones. */
static size_t side_bytes(const Shape *shape, bool cursed)
{
    return shape->cells * sizeof(Plies) + (cursed ? 2 : 1) * shape->words * sizeof(uint64_t);
}

static size_t side_chunks(const Shape *shape, bool cursed)
{
    return (side_bytes(shape, cursed) + CHUNK - 1) / CHUNK;
}

/* The part of bytes from `from` on that lies in the array they come to, and how much of `size`. */
static uint8_t *side_part(const Shape *shape, const Solved *s, int color, size_t from, size_t size,
                          size_t *part)
{
    size_t set = shape->words * sizeof(uint64_t), length = shape->cells * sizeof(Plies);
    uint8_t *array = (uint8_t *)s->code[color];
    if (from >= length) {
        from -= length;
        length = set;
        array = (uint8_t *)s->legal[color];
        if (from >= set) {
            from -= set;
            array = (uint8_t *)s->cursed[color];
        }
    }
    *part = length - from < size ? length - from : size;
    return array + from;
}

/* Copies chunk `c` out of the arrays or, with `back`, into them. */
static void chunk_copy(const Shape *shape, const Solved *s, int color, size_t c, size_t size,
                       uint8_t *bytes, bool back)
{
    size_t from = c * CHUNK, part;
    for (; size; size -= part, from += part, bytes += part) {
        uint8_t *at = side_part(shape, s, color, from, size, &part);
        memcpy(back ? at : bytes, back ? bytes : at, part);
    }
}

/* Makes chunk `c` from a slice. */
static void chunk_make(const Slice *slice, int color, size_t c, size_t size, uint8_t *bytes)
{
    const Shape *shape = slice->shape;
    size_t set = shape->words * sizeof(uint64_t), codes = shape->cells * sizeof(Plies);
    size_t from = c * CHUNK, part, word = 64 * sizeof(Plies);
    for (; size; size -= part, from += part, bytes += part) {
        size_t end = from < codes ? codes : from < codes + set ? codes + set : from + size;
        part = end - from < size ? end - from : size;
        if (from < codes)
            slice_codes(slice, color, from / word, part / word, (Plies *)(void *)bytes);
        else if (from < codes + set)
            memcpy(bytes, (const uint8_t *)slice->legal[color] + (from - codes), part);
        else
            for (size_t i = 0; i < part / 8; i++)
                ((uint64_t *)(void *)bytes)[i] =
                    slice_cursed(slice, color, (from - codes - set) / 8 + i);
    }
}

static bool transfer(int file, uint8_t *bytes, size_t size, uint64_t offset, bool write)
{
    while (size) {
        ssize_t n = write ? pwrite(file, bytes, size, (off_t)offset)
                          : pread(file, bytes, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

static bool write_at(int file, const void *bytes, size_t size, uint64_t offset)
{
    return transfer(file, (uint8_t *)(uintptr_t)bytes, size, offset, true);
}

static bool read_at(int file, void *bytes, size_t size, uint64_t offset)
{
    return transfer(file, bytes, size, offset, false);
}

/* Compresses with a checksum: what is read back goes into other tables. Returns 0 on failure. */
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

bool side_write(Entry *entry, Side *side, int color, const Slice *slice)
{
    const Shape *shape = &entry->shape;
    bool loaded = side->solved.code[color] != NULL;
    side->cursed = loaded ? side->solved.cursed[color] != NULL : slice->cursed;
    size_t bytes = side_bytes(shape, side->cursed), chunks = side_chunks(shape, side->cursed);
    size_t bound = ZSTD_compressBound(CHUNK);
    uint8_t *packed = malloc(chunks * bound);
    side->chunk = malloc(chunks * sizeof *side->chunk);
    bool ok = packed && side->chunk;
#pragma omp parallel for schedule(dynamic) if (ok)
    for (size_t c = 0; c < (ok ? chunks : 0); c++) {
        size_t size = c + 1 < chunks ? CHUNK : bytes - c * CHUNK;
        uint8_t *plain = malloc(size);
        size_t n = 0;
        if (plain) {
            if (loaded)
                chunk_copy(shape, &side->solved, color, c, size, plain, false);
            else
                chunk_make(slice, color, c, size, plain);
            n = chunk_pack(packed + c * bound, bound, plain, size);
        }
        side->chunk[c] = n;
        free(plain);
    }
    side->offset = entry->end;
    for (size_t c = 0; c < chunks && ok; c++) {
        ok =
            side->chunk[c] && write_at(entry->file, packed + c * bound, side->chunk[c], entry->end);
        entry->end += side->chunk[c];
    }
    free(packed);
    side->filed = ok;
    return ok;
}

bool side_read(Entry *entry, Side *side, int color)
{
    const Shape *shape = &entry->shape;
    size_t bytes = side_bytes(shape, side->cursed), chunks = side_chunks(shape, side->cursed);
    Solved *s = &side->solved;
    uint64_t *at = malloc((chunks + 1) * sizeof *at);
    s->code[color] = malloc(shape->cells * sizeof(Plies));
    s->cursed[color] = side->cursed ? malloc(shape->words * 8) : NULL;
    s->legal[color] = malloc(shape->words * 8);
    bool ok = at && s->code[color] && s->legal[color] && (!side->cursed || s->cursed[color]);
    if (ok) {
        at[0] = side->offset;
        for (size_t c = 0; c < chunks; c++) at[c + 1] = at[c] + side->chunk[c];
    }
#pragma omp parallel for schedule(dynamic) if (ok)
    for (size_t c = 0; c < (ok ? chunks : 0); c++) {
        size_t size = c + 1 < chunks ? CHUNK : bytes - c * CHUNK;
        uint8_t *packed = malloc(side->chunk[c]), *plain = malloc(size);
        bool good = packed && plain && read_at(entry->file, packed, side->chunk[c], at[c]) &&
                    ZSTD_decompress(plain, size, packed, side->chunk[c]) == size;
        if (good) chunk_copy(shape, s, color, c, size, plain, true);
        free(packed);
        free(plain);
        if (!good) {
#pragma omp atomic write
            ok = false;
        }
    }
    free(at);
    if (!ok) side_unload(side, color);
    return ok;
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

/* Ends a file: the list of units, its size, a checksum, the magic. */
bool entry_write_list(Entry *entry)
{
    Bytes b = {0};
    bytes_add(&b, entry->units);
    bytes_add(&b, entry->sides);
    for (uint32_t u = 0; u < entry->units; u++) {
        const Unit *unit = entry->unit[u];
        bytes_add(&b, unit->lanes);
        for (int lane = 0; lane < unit->lanes; lane++) bytes_add(&b, unit->slice[lane]);
        for (int color = 0; color < 2; color++) {
            const Side *side = &unit->side[color];
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
    bool ok = !b.failed && write_at(entry->file, b.data, b.size, entry->end);
    free(b.data);
    return ok;
}

/* Parses the list; false if it makes no sense. The checksum has been checked. */
static bool entry_parse(Entry *entry, const uint8_t *p, const uint8_t *end)
{
#define NEXT(variable)                                                                             \
    do {                                                                                           \
        if (end - p < 8) return false;                                                             \
        variable = bytes_get(p);                                                                   \
        p += 8;                                                                                    \
    } while (0)
    uint64_t units, sides, lanes, slice[SLICE_LANES], value;
    NEXT(units);
    NEXT(sides);
    if (sides > 3) return false;
    entry->sides = (unsigned)sides;
    for (uint64_t u = 0; u < units; u++) {
        NEXT(lanes);
        if (lanes < 1 || lanes > SLICE_LANES) return false;
        for (uint64_t lane = 0; lane < lanes; lane++) {
            NEXT(slice[lane]);
            if (slice[lane] >= entry->shape.index.slices) return false;
        }
        Unit *unit = entry_add(entry, slice, (int)lanes);
        if (unit == NULL) return false;
        for (int color = 0; color < 2; color++) {
            Side *side = &unit->side[color];
            if (!(sides >> color & 1)) continue;
            NEXT(side->offset);
            NEXT(value);
            side->cursed = value != 0;
            side->filed = true;
            size_t chunks = side_chunks(&entry->shape, side->cursed);
            side->chunk = malloc(chunks * sizeof *side->chunk);
            if (side->chunk == NULL) return false;
            for (size_t c = 0; c < chunks; c++) {
                NEXT(value);
                side->chunk[c] = (uint32_t)value;
            }
        }
    }
#undef NEXT
    return p == end;
}

Entry *entry_open(const char *path, const Material *m)
{
    uint8_t tail[24], *list = NULL;
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    Entry *entry = entry_new(m);
    bool ok = entry && fstat(file, &info) == 0 && info.st_size >= 24 &&
              read_at(file, tail, 24, (uint64_t)info.st_size - 24) &&
              memcmp(tail + 16, scratch_magic, 8) == 0;
    uint64_t size = ok ? bytes_get(tail) : 0;
    ok = ok && size <= (uint64_t)info.st_size - 24 && (list = malloc(size ? size : 1)) != NULL &&
         read_at(file, list, size, (uint64_t)info.st_size - 24 - size) &&
         XXH3_64bits(list, size) == bytes_get(tail + 8) && entry_parse(entry, list, list + size);
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
