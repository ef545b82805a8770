/* table_files.h - the files of many tables, of which only a limited number is open at a time.
 *
 * The header of a table stays in memory; its file is needed only while a block is read. Tables that
 * are opened with the same TableFiles share its descriptors: when another file is needed and the
 * limit is reached, the file that was not read for longest is closed. It is opened again when it is
 * next read; if it is then not the same file as before (device, number, size, time of the last
 * change), reading fails. A file that is being read is never closed; if all are being read, the
 * next reader waits. */
#ifndef TREB_CORE_FORMAT_TABLE_FILES_H
#define TREB_CORE_FORMAT_TABLE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/system.h"
#include "trebuchet.h"

typedef struct TableFiles TableFiles;
typedef struct TableFile TableFile; /* one file */

/* What a read does about bytes that are not in memory. Every function that reads a table file has
 * such a parameter. */
typedef enum TableWait {
    WAIT_FOR_ALL,     /* wait for disks and sources */
    WAIT_NEVER,       /* do not wait: return TREB_ERR_NOT_READY */
    WAIT_NEVER_FETCH, /* do not wait, and ask the system to read the bytes, whether they are in
                         memory or not: return TREB_ERR_NOT_READY */
    WAIT_LOCAL_ONLY   /* wait for a disk of this machine, but return TREB_ERR_NOT_READY if a
                         source must be read */
} TableWait;

/* Creates a set in which at most `most` files (at least 1) are open. NULL if memory is out. */
TableFiles *table_files_new(unsigned most);

/* Frees the set; all its files must be closed. NULL is allowed. */
void table_files_free(TableFiles *files);

/* Opens a regular file and keeps it open for the caller. With `files` NULL it stays open until
 * table_file_close. Returns NULL with *error filled in on failure: TREB_ERR_NO_TABLE if there is no
 * such file. */
TableFile *table_file_open(TableFiles *files, const char *path, treb_error *error);

/* Creates a file that exists (`first` is its state) and will be opened when it is first held.
 * `files` is not NULL. Returns NULL if memory is out. */
TableFile *table_file_later(TableFiles *files, const char *path, const SystemFile *first);

/* Opens a file of a source, which must stay valid. No descriptor belongs to it, and holding it does
 * nothing. `path` is for messages. Returns NULL with *error filled in on failure. */
TableFile *table_file_from_source(const treb_source *source, const char *path, const char *name,
                                  treb_error *error);
bool table_file_has_source(const TableFile *file);

/* Closes a file. No thread but the caller may hold it. NULL is allowed. */
void table_file_close(TableFile *file);

uint64_t table_file_bytes(const TableFile *file);

/* Holds a file: writes its descriptor, which stays open until table_file_release. Any number of
 * threads may hold a file, but a thread only one file at a time. Takes a mutex if the file belongs
 * to a TableFiles; the mutex is free while the system opens a file. Returns TREB_ERR_NOT_READY if
 * the caller does not wait and the file cannot be opened without waiting. */
treb_status table_file_hold(TableFile *file, TableWait wait, int *descriptor, treb_error *error);
void table_file_release(TableFile *file);

/* Reads a run of bytes. If the file ends before them, sets *cut and returns TREB_ERR_DAMAGED
 * without filling in `error`: the caller explains that. */
treb_status table_file_read(TableFile *file, TableWait wait, void *bytes, size_t size,
                            uint64_t offset, bool *cut, treb_error *error);

/* Reads a run of bytes again that were found damaged, from the source itself and not from a copy it
 * keeps. For files of sources only. */
treb_status table_file_read_again(TableFile *file, void *bytes, size_t size, uint64_t offset,
                                  treb_error *error);

/* Returns whether the file is open and a run of its bytes is in the system's memory. For mapped
 * files. Never waits. */
bool table_file_has(TableFile *file, uint64_t offset, uint64_t size);

#endif
