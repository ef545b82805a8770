/* file_warm.c - see file_warm.h. */
#include "probe/file_warm.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/io.h"

uint64_t file_size(const ProbeFile *file)
{
    SystemFile about;
    const OpenTable *open = atomic_load(&file->open);
    const Syzygy *syzygy = atomic_load_explicit(&file->syzygy, memory_order_acquire);
    if (TREB_SYZYGY && syzygy != NULL) return syzygy_file_size(syzygy);
    if (file->source != NULL) return open != NULL ? table_file_size(open->table) : 0;
    return system_about_path(file->path, &about) ? about.size : 0;
}

/* Reads to the end of the file as it is now: the file may have grown. */
static treb_status read_to_end(const ProbeFile *file, int descriptor, uint8_t *part, size_t size,
                               FileProgress *progress, void *context, treb_error *error)
{
    for (uint64_t at = 0;;) {
        ptrdiff_t n = system_read(descriptor, part, size, at);
        if (n < 0) return fail_errno(error, "read", file->path);
        if (n == 0) return TREB_OK;
        at += (uint64_t)n;
        if (progress != NULL && progress(context, (uint64_t)n)) return TREB_OK;
    }
}

/* Reads a file of a source, which may keep what it brings. */
static treb_status read_of_source(const ProbeFile *file, uint8_t *part, size_t size,
                                  FileProgress *progress, void *context, treb_error *error)
{
    bool cut;
    const char *name = file->path + strlen(file->source->name) + 1;
    TableFile *remote = table_file_from_source(file->source, file->path, name, error);
    if (remote == NULL) return error->status;
    treb_status status = TREB_OK;
    uint64_t end = table_file_bytes(remote);
    for (uint64_t at = 0; at < end && status == TREB_OK; at += size) {
        if (size > end - at) size = (size_t)(end - at);
        status = table_file_read(remote, WAIT_FOR_ALL, part, size, at, &cut, error);
        if (status == TREB_OK && progress != NULL && progress(context, size)) break;
    }
    table_file_close(remote);
    return status;
}

treb_status file_warm(const ProbeFile *file, FileProgress *progress, void *context,
                      treb_error *error)
{
    enum { PART = 1 << 20 };
    if (file->source != NULL) {
        uint8_t *room = (uint8_t *)malloc(PART);
        treb_status read = room != NULL ? read_of_source(file, room, PART, progress, context, error)
                                        : fail_memory(error);
        free(room);
        return read;
    }
    SystemFile about;
    treb_error why = {.status = TREB_OK};
    int descriptor = io_open_regular(file->path, &about, &why);
    if (descriptor < 0) return fail_again(error, &why);
    uint8_t *part = (uint8_t *)malloc(PART);
    treb_status status = TREB_OK;
    if (part == NULL) {
        status = fail_memory(error);
    } else {
        system_read_in_order(descriptor);
        status = read_to_end(file, descriptor, part, PART, progress, context, error);
    }
    free(part);
    system_close(descriptor);
    return status;
}
