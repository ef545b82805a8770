/* file_syzygy.h - whether a value of a Syzygy file can be read without waiting. Private to
 * probe/. */
#ifndef TREB_PROBE_FILE_SYZYGY_H
#define TREB_PROBE_FILE_SYZYGY_H

#include "probe/file.h"

/* For a reader that does not wait, and for a file of a source: checks that all pages of the file that
 * the position's value needs are in memory, and has missing ones fetched. A reader that waits for
 * sources waits until they are there. */
int file_syzygy_check_pages(const ProbeReader *reader, ProbeFile *file, const Syzygy *table,
                            const treb_position *pos, treb_error *error);

/* To be called before a position is looked up in a Syzygy file, as a lookup waits for pages of the
 * mapped file that are not in memory. The position is oriented as for syzygy_ready. Returns 0, or
 * minus TREB_ERR_NOT_READY if the reader does not wait, or why a source cannot be read. */
static inline int file_syzygy_ready(const ProbeReader *reader, ProbeFile *file, const Syzygy *table,
                                    const treb_position *pos, treb_error *error)
{
    if (reader_waits_for_disk(reader) && file->source == NULL) return 0;
    return file_syzygy_check_pages(reader, file, table, pos, error);
}

/* Notes that a position has no value in the file, which is damaged. Returns `result`. */
int file_syzygy_failed(ProbeFile *file, int result);

#endif
