/* table_files.h - the open files of many tables, of which only so many are open at a time.
 *
 * A table's header stays in memory; its file is needed only while a block is read. Tables that are
 * opened with the same TableFiles share its descriptors: when another file is needed and the limit
 * is reached, the one least recently read is closed. It is opened again when next read, and must
 * then be the same file as before (device, number, size, time of the last change), or reading
 * fails. A file that is being read is never closed; if all are, the next reader waits. */
#ifndef TREB_CORE_TABLE_FILES_H
#define TREB_CORE_TABLE_FILES_H

#include <stdint.h>

#include "trebuchet.h"

typedef struct TableFiles TableFiles;
typedef struct TableFile TableFile; /* one file */

/* At most `most` files, at least 1. NULL: out of memory. */
TableFiles *table_files_new(unsigned most);

/* After all its files. NULL is allowed. */
void table_files_free(TableFiles *files);

/* Opens a regular file and holds it. With `files` NULL it stays open until it is closed. NULL with
 * *error filled on failure: TREB_ERR_NO_TABLE if there is no such file. */
TableFile *table_file_open(TableFiles *files, const char *path, treb_error *error);

/* No thread may hold the file but the caller. NULL is allowed. */
void table_file_close(TableFile *file);

uint64_t table_file_bytes(const TableFile *file);

/* The descriptor, good until table_file_release. Any number of threads may hold a file, but a
 * thread only one at a time. Takes a mutex if the file has a TableFiles. */
treb_status table_file_hold(TableFile *file, int *descriptor, treb_error *error);
void table_file_release(TableFile *file);

#endif
