/* file_open.h - opening a table file when a probe first needs it. Private to probe/. */
#ifndef TREB_PROBE_FILE_OPEN_H
#define TREB_PROBE_FILE_OPEN_H

#include "probe/file.h"

/* Opens a file unless it is open. Returns 0, or minus a treb_status. A reader that does not wait
 * opens nothing, as opening reads the file's header: it gets TREB_ERR_NOT_READY, and notes that the
 * file is to be opened. */
int file_open(const ProbeReader *reader, ProbeFile *file, treb_error *error);

/* Opens a file, waiting for it, unless it is open. The caller holds the file's mutex. `error` is
 * not NULL. Returns false with *error filled on failure. */
bool file_open_locked(ProbeFile *file, treb_error *error);

/* Checks that a file of a directory can be opened, and is as long as its header says. Opens nothing
 * for good. Returns TREB_OK for a file of a source, and if the process has no memory or descriptors
 * left for the check. `error` is not NULL. */
treb_status file_check(ProbeFile *file, treb_error *error);

/* Opens a file of our own format unless it is open, and sets *out. Returns 0, or minus a
 * treb_status. */
static inline int file_get(const ProbeReader *reader, ProbeFile *file, const OpenTable **out,
                           treb_error *error)
{
    *out = atomic_load_explicit(&file->open, memory_order_acquire);
    if (*out != NULL) return 0;
    int opened = file_open(reader, file, error);
    if (opened == 0) *out = atomic_load_explicit(&file->open, memory_order_acquire);
    return opened;
}

/* Opens a file of Syzygy's unless it is open, and sets *out. Returns 0, or minus a treb_status. */
static inline int file_get_syzygy(const ProbeReader *reader, ProbeFile *file, const Syzygy **out,
                                  treb_error *error)
{
    *out = atomic_load_explicit(&file->syzygy, memory_order_acquire);
    if (*out != NULL) return 0;
    int opened = file_open(reader, file, error);
    if (opened == 0) *out = atomic_load_explicit(&file->syzygy, memory_order_acquire);
    return opened;
}

#endif
