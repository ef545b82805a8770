/* table_bundle.c - see table_bundle.h. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "core/format/table_bundle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/format/table_format.h"
#include "core/format/table_name.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/system.h"
#include "core/system/tool.h"

enum { VERSION = 1, HEAD_SIZE = 24, ENTRY_SIZE = 24 };

static const char magic[8] = {'T', 'R', 'E', 'B', 'H', 'D', 'R', 'S'};

/* Bytes that grow. */
typedef struct Bytes {
    uint8_t *at;
    size_t size, capacity;
} Bytes;

/* Adds room for `size` bytes and returns it; NULL if memory is out. */
static uint8_t *add(Bytes *bytes, size_t size)
{
    if (bytes->capacity - bytes->size < size) {
        size_t capacity = 2 * bytes->capacity + size + 4096;
        uint8_t *grown = realloc(bytes->at, capacity);
        if (grown == NULL) return NULL;
        bytes->at = grown;
        bytes->capacity = capacity;
    }
    bytes->size += size;
    return bytes->at + bytes->size - size;
}

/* Adds what `bytes` are packed to. Writes the packed size. */
static treb_status add_packed(Bytes *out, const uint8_t *bytes, size_t size, size_t *packed,
                              treb_error *error)
{
    uLongf length = compressBound(size);
    uint8_t *to = add(out, length);
    if (to == NULL || compress2(to, &length, bytes, size, Z_BEST_COMPRESSION) != Z_OK)
        return fail_memory(error);
    out->size -= compressBound(size) - length;
    *packed = length;
    return TREB_OK;
}

/* ---- Headers --------------------------------------------------------------------------------- */

/* A file, and its header in memory: see FormatLayout. */
typedef struct Header {
    uint64_t file_size;
    uint8_t *bytes;
    size_t size;
} Header;

static treb_status read_bytes(FILE *file, const char *path, uint64_t at, void *out, size_t size,
                              treb_error *error)
{
    errno = 0;
    if (fseeko(file, (off_t)at, SEEK_SET) == 0 && fread(out, 1, size, file) == size) return TREB_OK;
    return fail_errno(error, "read", path);
}

/* Reads the header of an open file. */
static treb_status read_header(FILE *file, const char *path, Header *out, treb_error *error)
{
    uint8_t fixed[FORMAT_FIXED_SIZE];
    treb_status status = read_bytes(file, path, 0, fixed, sizeof fixed, error);
    if (status != TREB_OK) return status;
    const uint64_t size = format_get64(fixed + FORMAT_AT_FILE_SIZE),
                   meta = format_get64(fixed + FORMAT_AT_META);
    if (memcmp(fixed, format_magic, sizeof format_magic) != 0 || size != out->file_size ||
        meta < sizeof fixed || meta > size)
        return fail(error, TREB_ERR_DAMAGED, "%s: is damaged: make it again", fail_path(path));
    out->size = sizeof fixed + (size_t)(size - meta);
    out->bytes = malloc(out->size);
    if (out->bytes == NULL) return fail_memory(error);
    memcpy(out->bytes, fixed, sizeof fixed);
    if (meta < size)
        status =
            read_bytes(file, path, meta, out->bytes + sizeof fixed, (size_t)(size - meta), error);
    if (status == TREB_OK &&
        format_checksum(out->bytes, out->size) != format_get64(fixed + FORMAT_AT_CHECKSUM))
        return fail(error, TREB_ERR_DAMAGED,
                    "%s: is damaged: its header's checksum differs: make it again",
                    fail_path(path));
    return status;
}

/* Reads the size of a file and, if it is a table of ours, its header. */
static treb_status read_file(const char *path, bool ours, Header *out, treb_error *error)
{
    FILE *file = tool_open(path, "rb");
    *out = (Header){0};
    if (file == NULL) return fail_errno(error, "open", path);
    treb_status status = TREB_OK;
    if (fseeko(file, 0, SEEK_END) != 0)
        status = fail_errno(error, "read", path);
    else
        out->file_size = (uint64_t)ftello(file);
    if (status == TREB_OK && ours) status = read_header(file, path, out, error);
    fclose(file);
    return status;
}

/* ---- Names ----------------------------------------------------------------------------------- */

typedef struct Name {
    char name[TABLE_NAME_SIZE]; /* first member: names are compared as texts */
    const char *directory;
} Name;

typedef struct Names {
    Name *name;
    size_t count, capacity;
    const char *directory; /* the folder that is being read */
    size_t known;          /* names of earlier folders */
    bool no_memory;
} Names;

static bool is_ours(const char *name)
{
    Material material;
    treb_metric metric;
    return table_parse_name(name, &material, &metric);
}

/* Whether a name is that of a Syzygy file, as far as its ending says. Readers look at the rest. */
static bool is_syzygy(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] == 'K' && dot != NULL &&
           (strcmp(dot, ".rtbw") == 0 || strcmp(dot, ".rtbz") == 0);
}

bool table_bundle_lists(const char *name)
{
    return strchr(name, '/') == NULL && strlen(name) < TABLE_NAME_SIZE &&
           (is_ours(name) || is_syzygy(name));
}

static int compare_names(const void *a, const void *b) { return strcmp(a, b); }

/* Whether an earlier folder has a file of this name; those folders' names are sorted. */
static bool is_known(const Names *names, const char *name)
{
    return names->known > 0 &&
           bsearch(name, names->name, names->known, sizeof *names->name, compare_names) != NULL;
}

/* A SystemEntry. */
static bool add_name(void *context, const char *name)
{
    Names *out = context;
    if (!table_bundle_lists(name) || is_known(out, name)) return true;
    if (out->count == out->capacity) {
        size_t capacity = 2 * out->capacity + 256;
        void *grown = realloc(out->name, capacity * sizeof *out->name);
        out->no_memory = grown == NULL;
        if (grown == NULL) return false;
        out->name = grown;
        out->capacity = capacity;
    }
    Name *added = &out->name[out->count++];
    strcpy(added->name, name);
    added->directory = out->directory;
    return true;
}

/* Adds the names of a folder, which earlier folders do not have, and sorts all. */
static treb_status list_names(const char *directory, Names *out, treb_error *error)
{
    out->directory = directory;
    out->known = out->count;
    if (!system_list(directory, add_name, out)) return fail_errno(error, "open", directory);
    if (out->no_memory) return fail_memory(error);
    if (out->count > 0) qsort(out->name, out->count, sizeof *out->name, compare_names);
    return TREB_OK;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Adds a table to the list and its header to `headers`. The offset is from the beginning of `headers`. */
static treb_status add_table(const Name *table, Bytes *list, Bytes *headers, treb_error *error)
{
    Header header = {0};
    const char *name = table->name;
    size_t packed = 0, length = strlen(name), at = headers->size;
    char *path = io_path(table->directory, name);
    if (path == NULL) return fail_memory(error);
    treb_status status = read_file(path, is_ours(name), &header, error);
    if (status == TREB_OK && header.size > 0)
        status = add_packed(headers, header.bytes, header.size, &packed, error);
    uint8_t *entry = status == TREB_OK ? add(list, 1 + length + ENTRY_SIZE) : NULL;
    if (status == TREB_OK && entry == NULL) status = fail_memory(error);
    if (status == TREB_OK) {
        *entry++ = (uint8_t)length;
        memcpy(entry, name, length);
        entry += length;
        format_put64(entry, header.file_size);
        format_put64(entry + 8, at);
        format_put32(entry + 16, (uint32_t)packed);
        format_put32(entry + 20, (uint32_t)header.size);
    }
    free(header.bytes);
    free(path);
    return status;
}

/* A bundle in memory: three parts that follow each other. */
typedef struct Bundle {
    uint8_t head[HEAD_SIZE];
    Bytes list, headers;
    size_t tables;
} Bundle;

static void bundle_free(Bundle *bundle)
{
    free(bundle->list.at);
    free(bundle->headers.at);
}

static treb_status bundle_fill(Bundle *out, const Names *names, treb_error *error)
{
    Bytes list = {0};
    size_t packed = 0;
    treb_status status = TREB_OK;
    for (size_t i = 0; i < names->count && status == TREB_OK; i++)
        status = add_table(&names->name[i], &list, &out->headers, error);
    if (status == TREB_OK && list.size > 0)
        status = add_packed(&out->list, list.at, list.size, &packed, error);
    memcpy(out->head, magic, sizeof magic);
    format_put32(out->head + 8, VERSION);
    format_put32(out->head + 12, (uint32_t)names->count);
    format_put32(out->head + 16, (uint32_t)packed);
    format_put32(out->head + 20, (uint32_t)list.size);
    out->tables = names->count;
    free(list.at);
    return status;
}

static treb_status bundle_make(Bundle *out, const char *const *directories, size_t count,
                               treb_error *error)
{
    Names names = {0};
    treb_status status = TREB_OK;
    *out = (Bundle){0};
    for (size_t i = 0; i < count && status == TREB_OK; i++)
        status = list_names(directories[i], &names, error);
    if (status == TREB_OK) status = bundle_fill(out, &names, error);
    free(names.name);
    return status;
}

/* Writes the file under a temporary name, and gives it its own when it is complete. */
static treb_status write_file(const Bundle *b, const char *directory, const char *temporary,
                              const char *path, treb_error *error)
{
    int file = io_create(temporary);
    if (file < 0) return fail_errno(error, "create", temporary);
    /* io_publish deletes the file if it cannot be completed. */
    if (io_write_at(file, b->head, HEAD_SIZE, 0) &&
        io_write_at(file, b->list.at, b->list.size, HEAD_SIZE) &&
        (b->headers.size == 0 ||
         io_write_at(file, b->headers.at, b->headers.size, HEAD_SIZE + b->list.size)) &&
        io_publish(file, temporary, path, directory))
        return TREB_OK;
    fail_errno(error, "write", path);
    (void)remove(temporary);
    return error->status;
}

treb_status table_bundle_print(const char *const *directories, size_t directory_count, FILE *out,
                               treb_error *error)
{
    Bundle b;
    treb_status status = bundle_make(&b, directories, directory_count, error);
    if (status == TREB_OK &&
        (fwrite(b.head, 1, HEAD_SIZE, out) != HEAD_SIZE ||
         fwrite(b.list.at, 1, b.list.size, out) != b.list.size ||
         fwrite(b.headers.at, 1, b.headers.size, out) != b.headers.size || fflush(out) != 0))
        status = fail_errno(error, "write", TABLE_BUNDLE_NAME);
    bundle_free(&b);
    return status;
}

treb_status table_bundle_write(const char *directory, size_t *count, treb_error *error)
{
    Bundle b;
    char *path = io_path(directory, TABLE_BUNDLE_NAME);
    char *temporary = io_temporary_path(directory, TABLE_BUNDLE_NAME, "");
    treb_status status = bundle_make(&b, &directory, 1, error);
    if (status == TREB_OK && (path == NULL || temporary == NULL)) status = fail_memory(error);
    if (status == TREB_OK) status = write_file(&b, directory, temporary, path, error);
    *count = b.tables;
    bundle_free(&b);
    free(path);
    free(temporary);
    return status;
}
