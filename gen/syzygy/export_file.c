/* export_file.c - see export_file.h. docs/syzygy.md describes the format. */
#define _POSIX_C_SOURCE 200809L
#include "gen/syzygy/export_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/system.h"
#include "probe/syzygy/format.h"

enum { BUFFER = 1 << 16 };

/* A buffered file that grows at its end. After the first error `failed` is true, errno says why, and
 * nothing more is written. */
typedef struct OutputFile {
    int file; /* file descriptor */
    bool failed;
    uint64_t size; /* bytes put so far, including those in the buffer */
    size_t used;   /* bytes in the buffer */
    uint8_t buffer[BUFFER];
} OutputFile;

static void flush(OutputFile *out)
{
    if (!out->failed && !io_write_at(out->file, out->buffer, out->used, out->size - out->used))
        out->failed = true;
    out->used = 0;
}

static void put(OutputFile *out, const void *bytes, uint64_t size)
{
    const uint8_t *at = bytes;
    while (size > 0 && !out->failed) {
        size_t part = size < BUFFER - out->used ? (size_t)size : BUFFER - out->used;
        memcpy(out->buffer + out->used, at, part);
        out->used += part;
        out->size += part;
        at += part;
        size -= part;
        if (out->used == BUFFER) flush(out);
    }
}

static void put8(OutputFile *out, unsigned byte) { put(out, &(uint8_t){(uint8_t)byte}, 1); }

static void put16(OutputFile *out, unsigned value)
{
    put8(out, value & 255);
    put8(out, value >> 8);
}

static void align(OutputFile *out, unsigned to)
{
    while (!out->failed && out->size % to != 0) put8(out, 0);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

typedef void PutArray(OutputFile *out, const ExportArray *array);

static void for_arrays(OutputFile *out, const ExportFile *file, PutArray *put_array)
{
    for (int f = 0; f < file->files; f++)
        for (int side = 0; side < file->sides; side++) put_array(out, &file->array[f][side]);
}

/* Returns a byte with the nibbles of both sides to move: White to move in the lower half, Black to
 * move in the upper half. A DTZ file has one order, and its upper halves are 0. */
static unsigned halves(const ExportFile *file, unsigned white, unsigned black)
{
    if (file->metric == TREB_DTZ) return white;
    return white | (file->sides == 2 ? black : white) << 4;
}

static void put_orders(OutputFile *out, const ExportFile *file)
{
    int men = material_men(file->material);
    for (int f = 0; f < file->files; f++) {
        const ArrayOrder *white = &file->array[f][0].order, *black = &file->array[f][1].order;
        put8(out, halves(file, white->place, black->place));
        if (white->place2 != SYZYGY_NO_SECOND)
            put8(out, halves(file, white->place2, black->place2));
        for (int i = 0; i < men; i++) put8(out, halves(file, white->man[i], black->man[i]));
    }
    align(out, 2);
}

static void put_code(OutputFile *out, const ExportArray *array)
{
    put8(out, array->encoded.code[0] | array->flags);
    put(out, array->encoded.code + 1, array->encoded.code_size - 1);
    align(out, 2);
}

static void put_map(OutputFile *out, const ExportArray *array)
{
    bool wide = array->flags & SYZYGY_WIDE;
    if (!(array->flags & SYZYGY_MAPPED)) return;
    if (wide) align(out, 2);
    for (int m = 0; m < SYZYGY_MAPS; m++) {
        (wide ? put16 : put8)(out, array->map_count[m]);
        for (int i = 0; i < array->map_count[m]; i++) (wide ? put16 : put8)(out, array->map[m][i]);
    }
}

static void put_sparse(OutputFile *out, const ExportArray *array)
{
    put(out, array->encoded.sparse, array->encoded.sparse_size);
}

static void put_lengths(OutputFile *out, const ExportArray *array)
{
    put(out, array->encoded.lengths, array->encoded.lengths_size);
}

static void put_blocks(OutputFile *out, const ExportArray *array)
{
    if (array->encoded.blocks_size == 0) return;
    align(out, SYZYGY_ALIGNMENT);
    put(out, array->encoded.blocks, array->encoded.blocks_size);
}

static void put_all(OutputFile *out, const ExportFile *file)
{
    bool symmetric = material_symmetric(file->material), pawns = file->files == 4;
    put(out, syzygy_magic[file->metric], 4);
    put8(out, (unsigned)material_men(file->material) << 4 | (symmetric ? 0 : SYZYGY_BOTH_SIDES) |
                  (pawns ? SYZYGY_PAWNS : 0));
    put_orders(out, file);
    for_arrays(out, file, put_code);
    for_arrays(out, file, put_map);
    align(out, 2);
    for_arrays(out, file, put_sparse);
    for_arrays(out, file, put_lengths);
    for_arrays(out, file, put_blocks);
    align(out, SYZYGY_ALIGNMENT);
    flush(out);
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Appends the checksum of the written bytes. Returns false and sets errno if it fails. */
static bool put_checksum(OutputFile *out)
{
    uint8_t sum[SYZYGY_CHECKSUM_SIZE];
    const void *bytes = system_map(out->file, out->size);
    if (bytes == NULL) return false;
    bool good = syzygy_checksum(bytes, out->size, sum);
    system_unmap(bytes, out->size);
    return good && io_write_at(out->file, sum, sizeof sum, out->size);
}

static treb_status write_named(const ExportFile *file, const char *directory, const char *temporary,
                               const char *path, uint64_t *size, treb_error *error)
{
    OutputFile *out = calloc(1, sizeof *out);
    if (out == NULL) return fail_memory(error);
    out->file = io_create(temporary);
    bool good = out->file >= 0;
    if (good) put_all(out, file);
    good = good && !out->failed && put_checksum(out);
    *size = out->size + SYZYGY_CHECKSUM_SIZE;
    treb_status status = TREB_OK;
    if (good) {
        if (!io_publish(out->file, temporary, path, directory))
            status = fail_errno(error, "write", path);
    } else {
        status = fail_errno(error, "write", path);
        if (out->file >= 0) {
            system_close(out->file);
            system_delete(temporary);
        }
    }
    free(out);
    return status;
}

treb_status export_file_write(const ExportFile *file, const char *directory, uint64_t *size,
                              treb_error *error)
{
    char name[SYZYGY_NAME_SIZE];
    syzygy_file_name(file->material, file->metric, name);
    char *path = io_path(directory, name), *temporary = io_temporary_path(directory, name, "");
    treb_status status = path != NULL && temporary != NULL
                             ? write_named(file, directory, temporary, path, size, error)
                             : fail_memory(error);
    free(path);
    free(temporary);
    return status;
}

void export_file_free(ExportFile *file)
{
    for (int f = 0; f < 4; f++)
        for (int side = 0; side < 2; side++) encode_free(&file->array[f][side].encoded);
}
