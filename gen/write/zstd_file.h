/* planes.h - a file of one metric with codec zstd, from cells that have waited until all slices of the
 * table are solved. */
#ifndef TREB_GEN_WRITE_ZSTD_FILE_H
#define TREB_GEN_WRITE_ZSTD_FILE_H

#include "gen/write/zstd_blocks.h"
#include "gen/write/cells.h"

/* What is to be written. */
typedef struct ZstdJob {
    const Layout *layout;
    MemoryBudget *budget;
    const char *directory;
    treb_metric metric;
    const Cells *cells;
    unsigned width;          /* bytes of a distance */
    TableEncoder **encoder;  /* of each thread; not owned */
    WriteProgress *progress;       /* NULL allowed */
    const atomic_bool *stop; /* NULL allowed */
} ZstdJob;

/* Writes the cells to a file that is all 0 at first, and to that of the copy, which may be NULL, too: verdicts of
 * both sides to move unless these are alike, distances of the one that takes less. The files get their
 * headers from table_writer_finish, later; zstd_blocks_close frees them, also after a failure. */
treb_status zstd_file_write(const ZstdJob *job, ZstdBlocks *file, ZstdBlocks *copy,
                         treb_error *error);

/* Bytes that it claims at most with so many threads. */
uint64_t zstd_file_memory(const Layout *layout, treb_metric metric, unsigned width, int threads);

#endif
