/* file_warm.h - reading a whole table file once, so that the system has it in memory. Private to
 * probe/. */
#ifndef TREB_PROBE_FILE_WARM_H
#define TREB_PROBE_FILE_WARM_H

#include "probe/file.h"

/* Called after each part with its bytes. Returns true to stop reading. */
typedef bool FileProgress(void *context, uint64_t bytes);

/* Reads all of a file, a part at a time, and discards the bytes. `progress` may be NULL. */
treb_status file_warm(const ProbeFile *file, FileProgress *progress, void *context,
                      treb_error *error);

/* Bytes of the file; 0 if the system, or the source, does not say. A file of a source must be
 * open. */
uint64_t file_size(const ProbeFile *file);

#endif
