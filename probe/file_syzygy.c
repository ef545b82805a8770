/* file_syzygy.c - see file_syzygy.h. */
#include "probe/file_syzygy.h"

#include "core/system/error.h"

int file_syzygy_failed(ProbeFile *file, int result)
{
    treb_error why;
    fail(&why, TREB_ERR_DAMAGED, "%s: damaged: a position has no value in it",
         fail_path(file->path));
    return file_note_result(file, result, &why);
}

int file_syzygy_check_pages(const ProbeReader *reader, ProbeFile *file, const Syzygy *table,
                            const treb_position *pos, treb_error *error)
{
    const Mapped *map = syzygy_map(table);
    MappedBytes missing = {0, 0};
    int ready;
    while ((ready = syzygy_ready(table, pos, &missing, error)) == -(int)TREB_ERR_NOT_READY) {
        if (file->source == NULL || reader->wait == WAIT_NEVER_FETCH) break;
        treb_status brought = mapped_bring(map, reader->wait, missing, error);
        if (brought == TREB_ERR_NOT_READY && reader->wait != WAIT_FOR_ALL) break;
        if (brought != TREB_OK) return -(int)brought;
    }
    if (ready == -(int)TREB_ERR_DAMAGED) return file_syzygy_failed(file, ready);
    if (ready != -(int)TREB_ERR_NOT_READY) return ready;
    const FetchJob job = {file, FETCH_PAGES, 0, missing.at, missing.size};
    if (reader_note(reader, &job)) return ready;
    if (file->source == NULL)
        mapped_fetch(map, missing);
    else
        (void)mapped_bring(map, WAIT_NEVER_FETCH, missing, NULL);
    return ready;
}
