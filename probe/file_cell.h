/* file_cell.h - reading one cell of an open file of our own format. Private to probe/.
 *
 * The fast path takes no lock and allocates nothing: it computes the byte of the cell and reads it
 * from the pinned side or from the cache (probe/cache.h). If the cache does not have it, a file of
 * codec zstd has the whole block read and unpacked into the cache. A file coded by symbols has the
 * one cell decoded from its page of the mapped file; the page is unpacked into the cache only when
 * it has been needed often enough. */
#ifndef TREB_PROBE_FILE_CELL_H
#define TREB_PROBE_FILE_CELL_H

#include "probe/file.h"

/* Reads a cell of a side that is stored. Returns the verdict (or FILE_NO_VERDICT) for a WDL table
 * and the code for others, or minus a treb_status: TREB_ERR_NOT_READY if the reader does not wait
 * for what is missing. */
int file_cell(const ProbeReader *reader, const OpenTable *file, int side, uint64_t cell,
              treb_error *error);

/* Reads the profile that a cell of a DTM50 table has of its own (table_read_own_profile). */
int file_own_profile(const ProbeReader *reader, const OpenTable *file, uint64_t cell, const TableProfileClass *of,
                     unsigned short_by, treb_error *error);

/* Reads the block of a byte into the cache. `at` is the byte's offset in the unpacked side. Returns
 * the byte and, if `at` is even, the next byte as bits 8 to 15; or minus a treb_status. */
int file_read_block(const ProbeReader *reader, const OpenTable *file, int side, uint64_t at,
                    treb_error *error);

/* Whether the cache, or a pinned side, has the byte at an offset of the unpacked side. */
bool file_has_byte(const OpenTable *file, int side, uint64_t at);

#endif
