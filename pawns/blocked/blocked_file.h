/* blocked_file.h - reads and writes blocked-pawn tables (core/format/table_blocked.h). */
#ifndef TREB_PAWNS_BLOCKED_BLOCKED_FILE_H
#define TREB_PAWNS_BLOCKED_BLOCKED_FILE_H

#include "pawns/blocked/blocked.h"
#include "pawns/solve/file_names.h"

/* The name of the file that answers a request. blocked_check() must have accepted the position. */
void blocked_file_name(const BlockedRequest *request, char out[TABLE_LONG_NAME_SIZE]);

/* Reads a file that answers a request; the result has no graph. NULL with the reason on failure,
 * TREB_ERR_NO_TABLE if there is no such file. */
Blocked *blocked_file_read(const char *path, const BlockedRequest *request, treb_error *error);

/* Reads the file from the first of some folders that has it. NULL with TREB_ERR_NO_TABLE if there
 * is none. */
Blocked *blocked_file_find(const char *const *directories, size_t count,
                           const BlockedRequest *request, treb_error *error);

/* Sets `out` to the names of all blocked-pawn tables in some folders, as file_names_add_folders()
 * does. */
bool blocked_file_names(const char *const *directories, size_t count, FileNames *out);

/* Writes a solution to a folder. It must have been solved with `all` and for all squares, and
 * blocked_evaluate_captures() must have been called. The file gets its name when it is complete,
 * and then replaces an older one. */
treb_status blocked_file_write(const Blocked *blocked, const char *directory, treb_error *error);

/* Reads the cells of both sides to move into `out`, as distances; each has room for index.size
 * values. */
treb_status blocked_file_read_cells(const Table *table, uint16_t *const out[2], treb_error *error);

#endif
