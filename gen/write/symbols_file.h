/* symbols_file.h - writes the file of one metric with codec symbols, from cells that have waited until all slices of
 * the table were solved. */
#ifndef TREB_GEN_WRITE_SYMBOLS_FILE_H
#define TREB_GEN_WRITE_SYMBOLS_FILE_H

#include "gen/write/symbols_job.h"

enum { SYMBOLS_BLOCK_BITS = 12 /* log2 of the bytes that a reader unpacks at once */ };

/* Writes the cells to a file. Verdicts are written for both sides to move, or for one if both are the same; distances
 * for the side that takes fewer bytes. The caller completes the file with table_writer_finish. On failure the writer is
 * NULL; with several processes it is NULL in all but the first. */
treb_status symbols_file_write(const SymbolsJob *job, TableWriter **writer, treb_error *error);

/* Bytes that symbols_file_write claims at most, with `threads` threads. The other arguments are as in SymbolsJob. */
uint64_t symbols_file_memory(const Layout *layout, unsigned classes, uint64_t large,
                             const Processes *processes, int threads);

#endif
