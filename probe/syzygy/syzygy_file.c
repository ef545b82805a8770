/* syzygy_file.c - opening Syzygy's files. docs/syzygy.md has the layout.
 *
 * Opening checks that all parts lie within the file, that no symbol stands for itself, and that the
 * men are those of the material. Reading values relies on that and does not check it again. */
#include "probe/syzygy/syzygy_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/io.h"

enum { BLOCK_BITS_MIN = 2, BLOCK_BITS_MAX = 20, SPARSE_BITS_MAX = 30 };

/* ---- Walking through the header -------------------------------------------------------------- */

/* A file that is not mapped, since only its size is checked: what was last read of it. */
typedef struct FileWindow {
    int file;
    uint64_t at;
    size_t size;
    uint8_t bytes[4096];
} FileWindow;

/* The place in the header up to which it was read. After `wrong` is set nothing more is read. */
typedef struct Walk {
    Syzygy *table;
    uint64_t at;
    const char *wrong;  /* what is wrong with the file; NULL: nothing found */
    FileWindow *window; /* NULL: the file is mapped */
    bool passes;        /* what follows is not read, only its place is needed */
    treb_error *error;  /* filled if `wrong` is `unbrought` */
} Walk;

static const char too_short[] = "it ends too soon", unread[] = "", unbrought[] = "";

enum { WINDOW_PART = 64 }; /* longer parts are not needed for the size of a file */

/* The next `size` bytes of a file that is not mapped; they are valid until the next call. A part
 * that is not needed is not read: the result then points to any bytes. */
static const uint8_t *read_window(Walk *walk, uint64_t size)
{
    FileWindow *window = walk->window;
    if (size > WINDOW_PART) return window->bytes;
    if (walk->at < window->at || walk->at + size > window->at + window->size) {
        uint64_t left = walk->table->map.size - walk->at;
        window->at = walk->at;
        window->size = left < sizeof window->bytes ? (size_t)left : sizeof window->bytes;
        if (!io_read_at(window->file, window->bytes, window->size, window->at)) {
            walk->wrong = errno == 0 ? too_short : unread;
            return NULL;
        }
    }
    return window->bytes + (walk->at - window->at);
}

/* Copies the next bytes of a source's file, and some more, as every request takes long. */
static void bring_part(Walk *walk, uint64_t size)
{
    enum { AHEAD = 16 * 1024 };
    const MappedBytes bytes = {walk->at, size > AHEAD ? size : (uint64_t)AHEAD};
    const Mapped *map = &walk->table->map;
    MappedBytes missing;
    if (mapped_has(map, walk->at, size, 0, &missing)) return;
    if (mapped_bring(map, WAIT_FOR_ALL, bytes, walk->error) != TREB_OK) walk->wrong = unbrought;
}

/* Returns the next `size` bytes and goes on behind them; NULL if something is wrong. */
static const uint8_t *walk_over(Walk *walk, uint64_t size)
{
    const Syzygy *table = walk->table;
    if (walk->wrong == NULL && size > table->map.size - SYZYGY_CHECKSUM_SIZE - walk->at)
        walk->wrong = too_short;
    if (walk->wrong == NULL && table->map.copy && !walk->passes) bring_part(walk, size);
    if (walk->wrong != NULL) return NULL;
    const uint8_t *bytes =
        walk->window == NULL ? table->map.bytes + walk->at : read_window(walk, size);
    walk->at += size;
    return bytes;
}

/* Skips to the next multiple of `unit`. */
static void align(Walk *walk, uint64_t unit)
{
    uint64_t over = walk->at % unit;
    if (over != 0) walk_over(walk, unit - over);
}

/* Notes what is wrong unless `sound`. */
static void refuse(Walk *walk, bool sound, const char *wrong)
{
    if (walk->wrong == NULL && !sound) walk->wrong = wrong;
}

/* ---- The order of the men -------------------------------------------------------------------- */

/* Reads the order of men and groups of the arrays for a file of the leading pawn. */
static void read_order(Walk *walk, const Material *material, int file)
{
    Syzygy *table = walk->table;
    bool second = material->count[0][TREB_PAWN] > 0 && material->count[1][TREB_PAWN] > 0;
    int men = material_men(material);
    const uint8_t *bytes = walk_over(walk, (uint64_t)(1 + second + men));
    for (int side = 0; bytes != NULL && side < table->sides; side++) {
        unsigned shift = 4 * (unsigned)side;
        uint8_t man[SYZYGY_MEN_MAX];
        int order = bytes[0] >> shift & 15, order2 = second ? bytes[1] >> shift & 15 : 15;
        for (int i = 0; i < men; i++) man[i] = bytes[1 + second + i] >> shift & 15;
        refuse(walk,
               syzygy_index_init(&table->array[side][file].index, table->maps, material, man, order,
                                 order2, file),
               "its men are not those of its name");
    }
}

/* ---- The code -------------------------------------------------------------------------------- */

/* Reads the flags of an array, the sizes of its parts, and its symbols. */
static void read_code(Walk *walk, SyzygyArray *array)
{
    const uint8_t *head = walk_over(walk, 2);
    if (head == NULL) return;
    array->flags = head[0];
    array->block_bits = head[1];
    if (array->flags & SYZYGY_CONSTANT) {
        array->constant = walk->table->metric == TREB_WDL ? head[1] : 0;
        return;
    }
    const uint8_t *rest = walk_over(walk, 8);
    if (rest == NULL) return;
    CodeParts parts = {.shortest = rest[7], .longest = rest[6]};
    array->sparse_bits = rest[0];
    array->blocks = syzygy_get32(rest + 2);
    array->lengths = (uint64_t)array->blocks + rest[1];
    refuse(walk, array->block_bits >= BLOCK_BITS_MIN && array->block_bits <= BLOCK_BITS_MAX,
           "its blocks have no possible size");
    refuse(walk, array->sparse_bits >= 1 && array->sparse_bits <= SPARSE_BITS_MAX,
           "its index has no possible step");
    refuse(walk, parts.shortest <= parts.longest, "its code words have no possible length");
    if (walk->wrong != NULL) return;
    parts.first = walk_over(walk, 2 * (parts.longest - parts.shortest + 1));
    const uint8_t *count = walk_over(walk, 2);
    if (count == NULL) return;
    parts.symbols = syzygy_get16(count);
    parts.pairs = walk_over(walk, SYZYGY_SYMBOL_SIZE * (uint64_t)parts.symbols);
    align(walk, 2);
    if (walk->wrong == NULL && walk->window == NULL) walk->wrong = code_init(&array->code, &parts);
}

/* Reads the maps of a DTZ array: what its values mean, by verdict, the most frequent first. */
static void read_map(Walk *walk, SyzygyArray *array)
{
    if (!(array->flags & SYZYGY_MAPPED)) return;
    unsigned width = array->flags & SYZYGY_WIDE ? 2 : 1;
    align(walk, width);
    for (int m = 0; m < SYZYGY_MAPS; m++) {
        const uint8_t *count = walk_over(walk, width);
        if (count == NULL) return;
        array->map_count[m] = width == 2 ? (uint16_t)syzygy_get16(count) : *count;
        array->map[m] = walk_over(walk, (uint64_t)width * array->map_count[m]);
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Calls a function that reads a part for each array, until something is wrong. */
static void for_arrays(Walk *walk, void (*read)(Walk *walk, SyzygyArray *array))
{
    Syzygy *table = walk->table;
    for (int file = 0; file < table->files; file++)
        for (int side = 0; side < table->sides && walk->wrong == NULL; side++)
            read(walk, &table->array[side][file]);
}

static void read_sparse(Walk *walk, SyzygyArray *array)
{
    if (array->flags & SYZYGY_CONSTANT) return;
    uint64_t step = UINT64_C(1) << array->sparse_bits;
    array->sparse = walk_over(walk, SYZYGY_SPARSE_SIZE * ((array->index.size + step - 1) / step));
}

static void read_block_lengths(Walk *walk, SyzygyArray *array)
{
    if (!(array->flags & SYZYGY_CONSTANT)) array->length = walk_over(walk, 2 * array->lengths);
}

static void read_blocks(Walk *walk, SyzygyArray *array)
{
    if (array->flags & SYZYGY_CONSTANT) return;
    align(walk, SYZYGY_ALIGNMENT);
    array->block = walk_over(walk, (uint64_t)array->blocks << array->block_bits);
}

static void read_arrays(Walk *walk)
{
    for_arrays(walk, read_code);
    if (walk->table->metric == TREB_DTZ) for_arrays(walk, read_map);
    align(walk, 2);
    walk->passes = true;
    for_arrays(walk, read_sparse);
    for_arrays(walk, read_block_lengths);
    for_arrays(walk, read_blocks);
}

const char *syzygy_read_arrays(Syzygy *table, uint64_t at)
{
    Walk walk = {.table = table, .at = at};
    read_arrays(&walk);
    return walk.wrong;
}

/* Reads everything except the blocks; with a window only what the size of the file follows from.
 * Returns what is wrong, or NULL. */
static const char *parse(Syzygy *table, const Material *material, FileWindow *window,
                         treb_error *error)
{
    Walk walk = {.table = table, .window = window, .error = error};
    const uint8_t *head = walk_over(&walk, SYZYGY_AT_MEN);
    if (head == NULL) return walk.wrong;
    if (memcmp(head, syzygy_magic[table->metric], sizeof *syzygy_magic) != 0)
        return "it is not a Syzygy table of its name";
    if (material_men(material) > SYZYGY_MEN_MAX) return "a Syzygy table cannot have so many men";
    bool pawns = material_has_pawns(material), symmetric = material_symmetric(material);
    bool both = head[SYZYGY_AT_LAYOUT] & SYZYGY_BOTH_SIDES;
    if (((head[SYZYGY_AT_LAYOUT] & SYZYGY_PAWNS) != 0) != pawns)
        return "its men are not those of its name";
    if (table->metric == TREB_WDL && both == symmetric) return "a side to move is missing";
    table->symmetric = symmetric;
    table->sides = table->metric == TREB_WDL && both ? 2 : 1;
    table->files = pawns ? 4 : 1;
    for (int file = 0; file < table->files; file++) read_order(&walk, material, file);
    align(&walk, 2);
    if (walk.wrong == NULL) read_arrays(&walk);
    if (walk.wrong != NULL || !pawns) return walk.wrong;
    /* A probe finds the leading pawn before it chooses the array, so all arrays must agree on its
     * colour. */
    table->lead = table->array[0][0].index.man[0];
    for (int file = 0; file < table->files; file++)
        for (int side = 0; side < table->sides; side++)
            if (table->array[side][file].index.man[0] != table->lead)
                return "its arrays have different leading pawns";
    return NULL;
}

/* Prepares what syzygy_ready needs. False: out of memory. */
static bool prepare_ready(Syzygy *table, TableFiles *files, const SystemFile *about)
{
    table->file = table_file_later(files, table->path, about);
    return table->file != NULL && mapped_prepare(&table->map, table->file);
}

/* Adds to `error` which table is missing. Returns TREB_ERR_NO_TABLE. */
static treb_status fail_missing_file(const char *path, treb_error *error)
{
    Material material;
    treb_metric metric;
    char name[MATERIAL_NAME_SIZE] = "";
    const bool table = syzygy_parse_name(path, &material, &metric);
    if (table) material_name(&material, name);
    return fail_missing_table(error, name, table ? (int)metric : -1);
}

/* Checks what the size of a file alone says. */
static treb_status check_whole(const Syzygy *table, uint64_t size, treb_error *error)
{
    if (size >= SYZYGY_ALIGNMENT + SYZYGY_CHECKSUM_SIZE &&
        size % SYZYGY_ALIGNMENT == SYZYGY_CHECKSUM_SIZE)
        return TREB_OK;
    if (size == 0)
        return fail(error, TREB_ERR_DAMAGED, "%s: is empty", fail_path(table->path));
    return fail(error, TREB_ERR_DAMAGED, "%s: is not complete: no Syzygy table has %lld bytes",
                fail_path(table->path), (long long)size);
}

/* Opens the file, and checks what its size alone says. Writes *file, which the caller closes; -1 on
 * failure. */
static treb_status open_whole(Syzygy *table, SystemFile *about, int *file, treb_error *error)
{
    const char *path = table->path;
    *file = io_open_regular(path, about, error);
    if (*file < 0) {
        bool none = errno == ENOENT || errno == ENOTDIR;
        return none ? fail_missing_file(path, error) : error->status;
    }
    table->map.size = about->size;
    return check_whole(table, about->size, error);
}

static treb_status map_file(Syzygy *table, TableFiles *files, treb_error *error)
{
    int file;
    SystemFile about;
    treb_status status = open_whole(table, &about, &file, error);
    if (status == TREB_OK) {
        if (!mapped_open(&table->map, file, about.size))
            status =
                errno != EFBIG
                    ? fail_errno(error, "map", table->path)
                    : fail(
                          error, TREB_ERR_MEMORY,
                          "%s: a program of 32 bits has no room for so large a file: use one of 64",
                          fail_path(table->path));
        else if (files != NULL && !prepare_ready(table, files, &about))
            status = fail_memory(error);
    }
    if (file >= 0) system_close(file);
    return status;
}

/* Explains what parse() found. */
static treb_status fail_wrong(const Syzygy *table, const char *wrong, treb_error *error)
{
    if (wrong == NULL) return TREB_OK;
    if (wrong == unbrought) return error->status;
    if (wrong == code_no_memory) return fail_memory(error);
    if (wrong == unread) return fail_errno(error, "read", table->path);
    return fail(error, TREB_ERR_DAMAGED, "%s: damaged: %s", fail_path(table->path), wrong);
}

static treb_status open_checked(Syzygy *table, TableFiles *files, const Material *material,
                                treb_error *error)
{
    treb_status status = map_file(table, files, error);
    if (status != TREB_OK) return status;
    return fail_wrong(table, parse(table, material, NULL, error), error);
}

/* An empty table with a path. NULL: out of memory. */
static Syzygy *new_table(const char *path, treb_metric metric, const SyzygyMaps *maps)
{
    Syzygy *table = (Syzygy *)calloc(1, sizeof *table);
    if (table == NULL || (table->path = strdup(path)) == NULL) {
        free(table);
        return NULL;
    }
    table->metric = metric;
    table->maps = maps;
    return table;
}

treb_status syzygy_check_size(const char *path, const Material *material, treb_metric metric,
                              const SyzygyMaps *maps, treb_error *error)
{
    SystemFile about;
    FileWindow window = {.file = -1};
    Syzygy *table = new_table(path, metric, maps);
    if (table == NULL) return fail_memory(error);
    treb_status status = open_whole(table, &about, &window.file, error);
    if (status == TREB_OK) status = fail_wrong(table, parse(table, material, &window, error), error);
    if (window.file >= 0) system_close(window.file);
    syzygy_close(table);
    return status;
}

Syzygy *syzygy_open(const char *path, const Material *material, treb_metric metric,
                    const SyzygyMaps *maps, treb_error *error)
{
    return syzygy_open_among(NULL, path, material, metric, maps, error);
}

Syzygy *syzygy_open_among(TableFiles *files, const char *path, const Material *material,
                          treb_metric metric, const SyzygyMaps *maps, treb_error *error)
{
    treb_error unused;
    if (error == NULL) error = &unused;
    Syzygy *table = new_table(path, metric, maps);
    if (table == NULL) {
        fail_memory(error);
        return NULL;
    }
    if (open_checked(table, files, material, error) == TREB_OK) return table;
    syzygy_close(table);
    return NULL;
}

/* Opens the file of a source, and takes addresses for it. */
static treb_status copy_file(Syzygy *table, const treb_source *source, const char *name,
                             treb_error *error)
{
    table->file = table_file_from_source(source, table->path, name, error);
    if (table->file == NULL) return error->status;
    treb_status status = check_whole(table, table_file_bytes(table->file), error);
    if (status != TREB_OK) return status;
    return mapped_open_source(&table->map, table->file) ? TREB_OK : fail_memory(error);
}

Syzygy *syzygy_open_source(const treb_source *source, const char *path, const char *name,
                           const Material *material, treb_metric metric, const SyzygyMaps *maps,
                           treb_error *error)
{
    Syzygy *table = new_table(path, metric, maps);
    if (table == NULL) {
        fail_memory(error);
        return NULL;
    }
    if (copy_file(table, source, name, error) == TREB_OK &&
        fail_wrong(table, parse(table, material, NULL, error), error) == TREB_OK)
        return table;
    syzygy_close(table);
    return NULL;
}

void syzygy_close(Syzygy *table)
{
    if (table == NULL) return;
    for (int side = 0; side < 2; side++)
        for (int file = 0; file < 4; file++) code_free(&table->array[side][file].code);
    mapped_close(&table->map);
    table_file_close(table->file);
    free(table->path);
    free(table);
}

const char *syzygy_path(const Syzygy *table) { return table->path; }
uint64_t syzygy_file_size(const Syzygy *table) { return table->map.size; }

bool syzygy_has_side(const Syzygy *table, int side)
{
    if (table->symmetric) return side == TREB_WHITE;
    for (int file = 0; file < table->files && table->metric == TREB_DTZ; file++)
        if ((table->array[0][file].flags & SYZYGY_BLACK) == side) return true;
    return table->metric == TREB_WDL;
}

SyzygySummary syzygy_summary(const Syzygy *table)
{
    SyzygySummary out = {.exact_wins = true, .exact_losses = true};
    for (int file = 0; file < table->files; file++)
        for (int side = 0; side < table->sides; side++) {
            const SyzygyArray *array = &table->array[side][file];
            out.arrays++;
            out.constant += (array->flags & SYZYGY_CONSTANT) != 0;
            out.cells += array->index.size;
            out.exact_wins &= (array->flags & SYZYGY_WIN_PLIES) != 0;
            out.exact_losses &= (array->flags & SYZYGY_LOSS_PLIES) != 0;
        }
    return out;
}

bool syzygy_file_name(const Material *material, treb_metric metric, char out[SYZYGY_NAME_SIZE])
{
    char name[MATERIAL_NAME_SIZE];
    if (metric != TREB_WDL && metric != TREB_DTZ) return false;
    material_name(material, name);
    snprintf(out, SYZYGY_NAME_SIZE, "%s.%s", name, metric == TREB_WDL ? "rtbw" : "rtbz");
    return true;
}

bool syzygy_parse_name(const char *path, Material *material, treb_metric *metric)
{
    const char *name = io_name(path);
    char expected[SYZYGY_NAME_SIZE];
    if (!material_of_file(name, material) || material_men(material) > SYZYGY_MEN_MAX) return false;
    for (int m = TREB_WDL; m <= TREB_DTZ; m++) {
        *metric = (treb_metric)m;
        syzygy_file_name(material, *metric, expected);
        if (strcmp(name, expected) == 0) return true;
    }
    return false;
}
