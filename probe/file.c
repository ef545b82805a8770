/* file.c - see file.h. */
#include "probe/file.h"

#include <stdlib.h>

#include "core/system/error.h"

bool file_parse_name(const char *name, FoundFile *out)
{
    if (syzygy_parse_name(name, &out->material, &out->metric)) {
        out->format = TREB_FORMAT_SYZYGY;
        return true;
    }
    return table_parse_name(name, &out->material, &out->metric);
}

bool file_init(ProbeFile *file, FoundFile *found, ProbePool *pool)
{
    if (!mutex_init(&file->mutex)) return false;
    file->material = found->material;
    file->metric = found->metric;
    file->format = found->format;
    file->path = found->path;
    file->source = found->source;
    file->pool = pool;
    atomic_init(&file->open, NULL);
    atomic_init(&file->syzygy, NULL);
    found->path = NULL;
    return true;
}

void file_free_open(OpenTable *open)
{
    for (int side = 0; side < 2; side++) {
        free(open->slots[side]);
        free((void *)(uintptr_t)atomic_load(&open->whole[side]));
    }
    table_close(open->table);
    free(open->packed);
    free(open);
}

void file_destroy(ProbeFile *file)
{
    OpenTable *open = atomic_load(&file->open);
    if (open != NULL) file_free_open(open);
    if (TREB_SYZYGY) syzygy_close(atomic_load(&file->syzygy));
    free(file->failure);
    free(file->fault);
    free(file->path);
    mutex_destroy(&file->mutex);
}

void file_note(ProbeFile *file, const treb_error *error)
{
    ProbePool *pool = file->pool;
    if (error->status != TREB_ERR_DAMAGED && error->status != TREB_ERR_IO &&
        error->status != TREB_ERR_NO_TABLE && error->status != TREB_ERR_UNSUPPORTED)
        return;
    mutex_lock(&pool->mutex);
    if (file->fault == NULL && (file->fault = (treb_error *)malloc(sizeof *file->fault)) != NULL) {
        *file->fault = *error;
        pool->faulty[pool->faults] = file;
        atomic_store_explicit(&pool->faults, pool->faults + 1, memory_order_release);
    }
    mutex_unlock(&pool->mutex);
}

int file_fail(treb_error *error, treb_status status, const char *path, const char *what)
{
    return -(int)fail(error, status, "%.400s: %.100s", path, what);
}

int file_damaged(const OpenTable *file, const char *what, treb_error *error)
{
    treb_error why;
    if (error == NULL) error = &why;
    int result = file_fail(error, TREB_ERR_DAMAGED, table_path(file->table), what);
    return file_note_result(file->file, result, error);
}
