/* store.c - see store.h.
 *
 * A unit is what is put at once: one slice or, of kings and pawns alone, up to 64 of them. A scratch
 * file holds the units' codes in chunks that are compressed by themselves, so that they can be read in
 * parallel, and at its end the list of units and chunks with a checksum. */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    CHUNK = 1 << 20,
    SCRATCH_LEVEL = 1,
    KEEP_LEVELS = 2, /* a double push leads two levels on */
    NO_UNIT = 0xffffffff
};

static const char scratch_magic[8] = "TRBCODE";

/* One side of one unit. */
typedef struct Side {
    uint64_t offset;  /* of the first chunk in the file */
    uint32_t *chunk;  /* compressed sizes */
    bool cursed;      /* the set of cursed cells follows the codes */
    bool filed;       /* is in the file */
    Solved solved;    /* in memory, if not NULL */
    int references;
    uint64_t used;    /* when it was last asked for */
} Side;

typedef struct Unit {
    uint64_t *slice; /* by lane */
    int lanes;
    int level;       /* while solving */
    Side side[2];
} Unit;

typedef struct Entry {
    Shape shape;
    uint32_t *unit_of; /* by slice */
    uint8_t *lane_of;
    Unit **unit; /* each by itself: they must not move while in use */
    uint32_t units, capacity;
    int file;          /* descriptor, -1 if there is none */
    uint64_t end;      /* of what was written */
    bool complete;
} Entry;

struct StoreTable {
    Store *store;
    Entry *entry;
    bool seniors;
    bool wanted[2]; /* sides that pushes ask for */
    int level;
    char temporary[4200];
};

struct Store {
    char directory[4096];
    bool mates;
    uint64_t budget, loaded, clock;
    Entry **entry;
    size_t entries;
    TableError error;
};

/* ---- errors and names ------------------------------------------------------------------------- */

static treb_status fail(TableError *error, treb_status status, const char *what, const char *name)
{
    error->status = status;
    if (status == TREB_ERR_IO)
        snprintf(error->text, sizeof error->text, "cannot %s %.300s: %s", what, name,
                 strerror(errno));
    else
        snprintf(error->text, sizeof error->text, "%s %.300s", what, name);
    return status;
}

static void entry_path(const Store *store, const Material *m, char *out, size_t size)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(m, name);
    snprintf(out, size, "%s/%s.%s.codes", store->directory, name, store->mates ? "dtm" : "wdl");
}

/* ---- entries ---------------------------------------------------------------------------------- */

static void unload(Store *store, const Shape *shape, Side *side, int color)
{
    if (side->solved.code[color] == NULL) return;
    store->loaded -= shape->cells;
    free(side->solved.code[color]);
    free(side->solved.cursed[color]);
    free(side->solved.dtc[color]);
    memset(&side->solved, 0, sizeof side->solved);
}

static void entry_free(Store *store, Entry *entry)
{
    if (entry == NULL) return;
    for (uint32_t u = 0; u < entry->units; u++) {
        for (int color = 0; color < 2; color++) {
            unload(store, &entry->shape, &entry->unit[u]->side[color], color);
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

static Entry *entry_new(const Material *material)
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

static Unit *entry_add(Entry *entry, const uint64_t *slice, int lanes)
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

static Entry *store_find_entry(const Store *store, const Material *m)
{
    for (size_t i = 0; i < store->entries; i++)
        if (material_equal(&store->entry[i]->shape.material, m)) return store->entry[i];
    return NULL;
}

static bool store_add_entry(Store *store, Entry *entry)
{
    Entry **grown = realloc(store->entry, (store->entries + 1) * sizeof *grown);
    if (grown == NULL) return false;
    store->entry = grown;
    store->entry[store->entries++] = entry;
    return true;
}

/* ---- files ------------------------------------------------------------------------------------ */

static size_t side_bytes(const Shape *shape, bool cursed)
{
    return shape->cells + (cursed ? shape->words * 8 : 0);
}

static size_t side_chunks(const Shape *shape, bool cursed)
{
    return (side_bytes(shape, cursed) + CHUNK - 1) / CHUNK;
}

/* The bytes of chunk `c` of codes followed by the cursed set. */
static void chunk_gather(const Shape *shape, const Solved *s, int color, size_t c, size_t size,
                         uint8_t *out)
{
    size_t from = c * CHUNK, codes = 0;
    if (from < shape->cells) {
        codes = shape->cells - from < size ? shape->cells - from : size;
        memcpy(out, s->code[color] + from, codes);
    }
    if (codes < size)
        memcpy(out + codes, (uint8_t *)s->cursed[color] + (from + codes - shape->cells),
               size - codes);
}

static void chunk_scatter(const Shape *shape, Solved *s, int color, size_t c, size_t size,
                          const uint8_t *in)
{
    size_t from = c * CHUNK, codes = 0;
    if (from < shape->cells) {
        codes = shape->cells - from < size ? shape->cells - from : size;
        memcpy(s->code[color] + from, in, codes);
    }
    if (codes < size)
        memcpy((uint8_t *)s->cursed[color] + (from + codes - shape->cells), in + codes,
               size - codes);
}

static bool write_at(int file, const void *bytes, size_t size, uint64_t offset)
{
    const uint8_t *p = bytes;
    while (size) {
        ssize_t n = pwrite(file, p, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        offset += n;
        size -= n;
    }
    return true;
}

static bool read_at(int file, void *bytes, size_t size, uint64_t offset)
{
    uint8_t *p = bytes;
    while (size) {
        ssize_t n = pread(file, p, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        offset += n;
        size -= n;
    }
    return true;
}

/* Compresses one side and appends it to the file. */
static bool side_write(Entry *entry, Side *side, int color)
{
    const Shape *shape = &entry->shape;
    side->cursed = side->solved.cursed[color] != NULL;
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
            chunk_gather(shape, &side->solved, color, c, size, plain);
            n = ZSTD_compress(packed + c * bound, bound, plain, size, SCRATCH_LEVEL);
            if (ZSTD_isError(n)) n = 0;
        }
        side->chunk[c] = n;
        free(plain);
    }
    side->offset = entry->end;
    for (size_t c = 0; c < chunks && ok; c++) {
        ok = side->chunk[c] && write_at(entry->file, packed + c * bound, side->chunk[c], entry->end);
        entry->end += side->chunk[c];
    }
    free(packed);
    side->filed = ok;
    return ok;
}

/* Reads one side back. */
static bool side_read(Store *store, Entry *entry, Side *side, int color)
{
    const Shape *shape = &entry->shape;
    size_t bytes = side_bytes(shape, side->cursed), chunks = side_chunks(shape, side->cursed);
    Solved *s = &side->solved;
    uint64_t *at = malloc((chunks + 1) * sizeof *at);
    s->code[color] = malloc(shape->cells);
    s->cursed[color] = side->cursed ? malloc(shape->words * 8) : NULL;
    bool ok = at && s->code[color] && (!side->cursed || s->cursed[color]);
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
        if (good) chunk_scatter(shape, s, color, c, size, plain);
        free(packed);
        free(plain);
        if (!good) {
#pragma omp atomic write
            ok = false;
        }
    }
    free(at);
    if (s->code[color]) store->loaded += shape->cells;
    if (!ok) unload(store, shape, side, color);
    return ok;
}

/* ---- the list at the end of a file ------------------------------------------------------------ */

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
static bool entry_write_list(Entry *entry)
{
    Bytes b = {0};
    bytes_add(&b, entry->units);
    for (uint32_t u = 0; u < entry->units; u++) {
        const Unit *unit = entry->unit[u];
        bytes_add(&b, unit->lanes);
        for (int lane = 0; lane < unit->lanes; lane++) bytes_add(&b, unit->slice[lane]);
        for (int color = 0; color < 2; color++) {
            const Side *side = &unit->side[color];
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
    uint64_t units, lanes, slice[SLICE_LANES], value;
    NEXT(units);
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

/* Opens a complete scratch file of an earlier run. NULL if there is none that can be used. */
static Entry *entry_open(Store *store, const Material *m)
{
    char path[4200];
    uint8_t tail[24], *list = NULL;
    struct stat info;
    entry_path(store, m, path, sizeof path);
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
    if (entry) entry->file = file;
    else close(file);
    if (ok) {
        entry->complete = true;
        return entry;
    }
    entry_free(store, entry);
    return NULL;
}

/* ---- the store -------------------------------------------------------------------------------- */

Store *store_new(const char *directory, bool mates, uint64_t budget)
{
    Store *store = calloc(1, sizeof *store);
    if (store == NULL) return NULL;
    snprintf(store->directory, sizeof store->directory, "%.4000s/.scratch", directory);
    store->mates = mates;
    store->budget = budget;
    return store;
}

/* Removes the folder of scratch files and what is in it. */
static void remove_scratch(const char *directory)
{
    DIR *dir = opendir(directory);
    if (dir == NULL) return;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[8192];
        const char *dot = strstr(e->d_name, ".codes");
        if (dot == NULL) continue;
        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        unlink(path);
    }
    closedir(dir);
    rmdir(directory);
}

void store_free(Store *store, bool discard)
{
    if (store == NULL) return;
    for (size_t i = 0; i < store->entries; i++) entry_free(store, store->entry[i]);
    free(store->entry);
    if (discard) remove_scratch(store->directory);
    free(store);
}

bool store_has(Store *store, const Material *material)
{
    Entry *entry = store_find_entry(store, material);
    if (entry) return entry->complete;
    entry = entry_open(store, material);
    if (entry == NULL) return false;
    if (store_add_entry(store, entry)) return true;
    entry_free(store, entry);
    return false;
}

/* Makes room: unloads what was not asked for longest. */
static void store_trim(Store *store)
{
    while (store->loaded > store->budget) {
        Side *oldest = NULL;
        const Shape *shape = NULL;
        int which = 0;
        for (size_t i = 0; i < store->entries; i++) {
            Entry *entry = store->entry[i];
            for (uint32_t u = 0; u < entry->units; u++)
                for (int color = 0; color < 2; color++) {
                    Side *side = &entry->unit[u]->side[color];
                    if (!side->filed || side->references || !side->solved.code[color]) continue;
                    if (oldest && oldest->used <= side->used) continue;
                    oldest = side;
                    shape = &entry->shape;
                    which = color;
                }
        }
        if (oldest == NULL) return;
        unload(store, shape, oldest, which);
    }
}

static const Solved *find_locked(Store *store, const Material *m, uint64_t slice, int color,
                                 const Shape **shape, int *lane)
{
    char name[MATERIAL_NAME_SIZE];
    Entry *entry = store_find_entry(store, m);
    if (entry == NULL || entry->unit_of[slice] == NO_UNIT) {
        material_name(m, name);
        fail(&store->error, TREB_ERR_NO_TABLE, "a smaller ending has not been solved:", name);
        return NULL;
    }
    Side *side = &entry->unit[entry->unit_of[slice]]->side[color];
    side->references++;
    side->used = ++store->clock;
    if (side->solved.code[color] == NULL) {
        if (!side->filed || !side_read(store, entry, side, color)) {
            material_name(m, name);
            side->references--;
            fail(&store->error, TREB_ERR_DAMAGED, "cannot read back the scratch file of", name);
            return NULL;
        }
        store_trim(store);
    }
    *shape = &entry->shape;
    *lane = entry->lane_of[slice];
    return &side->solved;
}

static const Solved *source_find(void *context, const Material *m, uint64_t slice, int side,
                                 const Shape **shape, int *lane)
{
    const Solved *solved;
#pragma omp critical(store)
    solved = find_locked(context, m, slice, side, shape, lane);
    return solved;
}

static void source_release(void *context, const Solved *solved)
{
    (void)context;
    Side *side = (Side *)(void *)((char *)(uintptr_t)solved - offsetof(Side, solved));
#pragma omp critical(store)
    side->references--;
}

SolvedSource store_source(Store *store)
{
    return (SolvedSource){store, source_find, source_release};
}

void store_error(Store *store, TableError *error)
{
    *error = store->error;
}

/* ---- tables in the works ---------------------------------------------------------------------- */

StoreTable *store_begin(Store *store, const Shape *shape, bool seniors, TableError *error)
{
    StoreTable *table = calloc(1, sizeof *table);
    Entry *entry = entry_new(&shape->material);
    if (table == NULL || entry == NULL || !store_add_entry(store, entry)) {
        free(table);
        entry_free(store, entry);
        fail(error, TREB_ERR_MEMORY, "out of memory", "");
        return NULL;
    }
    table->store = store;
    table->entry = entry;
    table->seniors = seniors;
    for (int color = 0; color < 2; color++)
        table->wanted[color] = shape->material.count[!color][TREB_PAWN] > 0;
    if (!seniors) return table;
    char path[4200];
    entry_path(store, &shape->material, path, sizeof path);
    snprintf(table->temporary, sizeof table->temporary, "%.4000s.tmp-%ld", path, (long)getpid());
    mkdir(store->directory, 0777);
    entry->file = open(table->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (entry->file >= 0) return table;
    fail(error, TREB_ERR_IO, "write", table->temporary);
    TableError ignored;
    store_end(table, false, &ignored);
    return NULL;
}

/* Copies the codes of one side. */
static bool side_fill(const StoreTable *table, Side *side, int color, const Slice *slice)
{
    const Shape *shape = slice->shape;
    Solved *s = &side->solved;
    s->code[color] = malloc(shape->cells);
    if (slice->cursed) s->cursed[color] = malloc(shape->words * sizeof(uint64_t));
    if (s->code[color] == NULL || (slice->cursed && s->cursed[color] == NULL)) return false;
    slice_codes(slice, color, s->code[color], s->cursed[color]);
    const uint8_t *dtc = slice->distance[TABLE_DTC][color];
    if (!table->wanted[color] || dtc == NULL) return true;
    s->dtc[color] = malloc(shape->cells);
    if (s->dtc[color]) memcpy(s->dtc[color], dtc, shape->cells);
    return s->dtc[color] != NULL;
}

treb_status store_put(StoreTable *table, const uint64_t *number, const Slice *slice,
                      TableError *error)
{
    Side filled[2];
    memset(filled, 0, sizeof filled);
    bool ok = true;
    for (int color = 0; color < 2; color++)
        if (table->wanted[color] || table->seniors)
            ok = ok && side_fill(table, &filled[color], color, slice);
#pragma omp critical(store)
    {
        Unit *unit = entry_add(table->entry, number, slice->lanes);
        ok = ok && unit != NULL;
        if (unit) {
            unit->level = table->level;
            memcpy(unit->side, filled, sizeof filled);
            for (int color = 0; color < 2; color++)
                if (filled[color].solved.code[color])
                    table->store->loaded += slice->shape->cells;
        }
    }
    return ok ? TREB_OK : fail(error, TREB_ERR_MEMORY, "out of memory", "");
}

/* Files and frees the units of levels below `level`. */
static treb_status spill(StoreTable *table, int level, TableError *error)
{
    Entry *entry = table->entry;
    for (uint32_t u = 0; u < entry->units; u++) {
        Unit *unit = entry->unit[u];
        if (unit->level >= level) continue;
        for (int color = 0; color < 2; color++) {
            Side *side = &unit->side[color];
            if (side->solved.code[color] == NULL) continue;
            if (table->seniors && !side->filed && !side_write(entry, side, color))
                return fail(error, TREB_ERR_IO, "write", table->temporary);
            free(side->solved.dtc[color]);
            side->solved.dtc[color] = NULL;
            if (!table->seniors || table->store->loaded > table->store->budget)
                unload(table->store, &entry->shape, side, color);
        }
    }
    return TREB_OK;
}

treb_status store_level(StoreTable *table, TableError *error)
{
    table->level++;
    return spill(table, table->level - KEEP_LEVELS, error);
}

static void drop_entry(Store *store, Entry *entry)
{
    for (size_t i = 0; i < store->entries; i++)
        if (store->entry[i] == entry) store->entry[i] = store->entry[--store->entries];
    entry_free(store, entry);
}

treb_status store_end(StoreTable *table, bool complete, TableError *error)
{
    Store *store = table->store;
    Entry *entry = table->entry;
    treb_status status = TREB_OK;
    bool keep = complete && table->seniors;
    if (keep) {
        char path[4200];
        entry_path(store, &entry->shape.material, path, sizeof path);
        status = spill(table, table->level + 1, error);
        if (status == TREB_OK &&
            (!entry_write_list(entry) || rename(table->temporary, path) != 0))
            status = fail(error, TREB_ERR_IO, "write", path);
        entry->complete = status == TREB_OK;
    }
    if (!entry->complete) {
        if (table->temporary[0]) unlink(table->temporary);
        drop_entry(store, entry);
    }
    free(table);
    store_trim(store);
    return status;
}
