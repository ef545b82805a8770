/* zstd_file.h - writes the file of one metric with codec zstd, from the cells of all slices (cells.h). */
#ifndef TREB_GEN_WRITE_ZSTD_FILE_H
#define TREB_GEN_WRITE_ZSTD_FILE_H

#include "gen/write/cells.h"
#include "gen/write/zstd_blocks.h"

/* The input of zstd_file_write. */
typedef struct ZstdJob {
    const Layout *layout;
    MemoryBudget *budget;
    const char *directory;
    treb_metric metric;
    const Cells *cells;
    unsigned width;          /* bytes of a distance */
    TableEncoder **encoder;  /* an encoder for each thread; not owned */
    WriteProgress *progress; /* NULL allowed */
    const atomic_bool *stop; /* NULL allowed */
} ZstdJob;

/* Writes the cells to `file`, which must be all 0. Verdicts are written for both sides to move, or for White only if
 * the material is symmetric; distances are written for the side that takes fewer bytes. The caller completes the file
 * with table_writer_finish and frees it with zstd_blocks_close, also after a failure. */
treb_status zstd_file_write(const ZstdJob *job, ZstdBlocks *file, treb_error *error);

/* Returns the maximum number of bytes that zstd_file_write claims, with `threads` threads. */
uint64_t zstd_file_memory(const Layout *layout, treb_metric metric, unsigned width, int threads);

#endif
