/* file_fetch.c - see file_fetch.h. */
#include "probe/file_fetch.h"

#include "probe/file_cell.h"
#include "probe/file_open.h"

static treb_status fetch_pages(const ProbeFile *file, MappedBytes bytes, TableWait wait)
{
    const Syzygy *table = atomic_load_explicit(&file->syzygy, memory_order_acquire);
    const OpenTable *open = atomic_load_explicit(&file->open, memory_order_acquire);
    if (!TREB_SYZYGY || table == NULL) return table_bring(open->table, wait, bytes, NULL);
    if (file->source != NULL) return mapped_bring(syzygy_map(table), wait, bytes, NULL);
    (wait == WAIT_FOR_ALL ? mapped_touch : mapped_fetch)(syzygy_map(table), bytes);
    return TREB_OK;
}

treb_status file_fetch(const FetchJob *job, TableWait wait)
{
    const ProbeReader reader = {.wait = wait};
    ProbeFile *file = job->file;
    int result = 0;
    if (job->kind == FETCH_OPEN) {
        if (wait == WAIT_FOR_ALL) result = file_open(&reader, file, NULL);
    } else if (job->kind == FETCH_BLOCK) {
        const OpenTable *open = atomic_load_explicit(&file->open, memory_order_acquire);
        if (!file_has_byte(open, job->side, job->at))
            result = file_read_block(&reader, open, job->side, job->at, NULL);
    } else {
        return fetch_pages(file, (MappedBytes){job->at, job->size}, wait);
    }
    return result < 0 ? (treb_status)-result : TREB_OK;
}
