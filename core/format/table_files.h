/* table_files.h - the open files of many tables, of which only so many are open at a time.
 *
 * A table's header stays in memory; its file is needed only while a block is read. Tables that are
 * opened with the same TableFiles share its descriptors: when another file is needed and the limit
 * is reached, the one least recently read is closed. It is opened again when next read, and must
 * then be the same file as before (device, number, size, time of the last change), or reading
 * fails. A file that is being read is never closed; if all are, the next reader waits. */
#ifndef TREB_CORE_TABLE_FILES_H
#define TREB_CORE_TABLE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "trebuchet.h"

typedef struct TableFiles TableFiles;
typedef struct TableFile TableFile; /* one file */

/* What to do about bytes that must be read from a disk. All that reads table files is told. */
typedef enum TableWait {
    TABLE_WAIT,  /* wait for them */
    TABLE_TRY,   /* do without, and say TREB_ERR_NOT_READY */
    TABLE_FETCH, /* the same, whether they are in memory or not, and ask the system to read them */
    TABLE_NEAR   /* wait for a disk here; do without what a source elsewhere must bring, and say
                  TREB_ERR_NOT_READY */
} TableWait;

/* At most `most` files, at least 1. NULL: out of memory. */
TableFiles *table_files_new(unsigned most);

/* After all its files. NULL is allowed. */
void table_files_free(TableFiles *files);

/* Opens a regular file and holds it. With `files` NULL it stays open until it is closed. NULL with
 * *error filled on failure: TREB_ERR_NO_TABLE if there is no such file. */
TableFile *table_file_open(TableFiles *files, const char *path, treb_error *error);

/* A file that was seen to be there (`first`), and will be opened when it is first held. `files` is
 * not NULL. NULL: out of memory. */
TableFile *table_file_later(TableFiles *files, const char *path, const struct stat *first);

/* A file that a source has, which lasts longer; no descriptor belongs to it, and holding it is
 * nothing. `path` is for messages. NULL with *error filled on failure. */
TableFile *table_file_elsewhere(const treb_source *source, const char *path, const char *name,
                                treb_error *error);
bool table_file_is_elsewhere(const TableFile *file);

/* No thread may hold the file but the caller. NULL is allowed. */
void table_file_close(TableFile *file);

uint64_t table_file_bytes(const TableFile *file);

/* The descriptor, good until table_file_release. Any number of threads may hold a file, but a
 * thread only one at a time. Takes a mutex if the file has a TableFiles; it is never locked while
 * the system opens a file. Where a file that was closed cannot be opened without waiting it is
 * TREB_ERR_NOT_READY for those who do not wait. */
treb_status table_file_hold(TableFile *file, TableWait wait, int *descriptor, treb_error *error);
void table_file_release(TableFile *file);

/* Reads a run of bytes. *cut: the file ends before them, which the caller explains; the status is
 * then TREB_ERR_DAMAGED, and `error` is not filled. */
treb_status table_file_read(TableFile *file, TableWait wait, void *bytes, size_t size,
                            uint64_t offset, bool *cut, treb_error *error);

/* Reads a run of bytes that were damaged once more, from where they really are. For files that are
 * elsewhere. */
treb_status table_file_read_again(TableFile *file, void *bytes, size_t size, uint64_t offset,
                                  treb_error *error);

/* Whether a run of bytes is in the system's memory, and the file open. For files that
 * are mapped. Never waits. */
bool table_file_has(TableFile *file, uint64_t offset, uint64_t size);

#endif
