/* writer.h - from solved slices to table files. */
#ifndef TREB_GEN_WRITE_WRITER_H
#define TREB_GEN_WRITE_WRITER_H

#include <stdatomic.h>

#include "core/format/table.h"
#include "gen/solve/solve.h"
#include "gen/write/statistics.h"
#include "gen/write/write_progress.h"

typedef struct WriteOptions {
    const atomic_bool *stop; /* when true nothing more is done, and no file appears; NULL allowed */
    const char *directory, *scratch; /* for files, and for what waits */
    unsigned metrics;                /* 1 << TREB_WDL and so on: the files to write */
    int level;                       /* of zstd; 0 for the default */
    TableCodec codec;                /* where distances need two bytes it is zstd */
    /* Classes of slices that have a code of their own, a divisor of 24 up to 12, where a table has
     * pawns; 0: several where they save enough. */
    unsigned classes;
    /* Cells of the slices that are looked at first, 128 Mi at most and with 0; a slice with more is never in memory
     * as a whole. */
    uint64_t large;
    int bounds;        /* men from which on mate distances by symbols are bounds; 0: BOUNDS_MEN */
    bool wide;         /* codec zstd with two bytes a distance even where one suffices */
    uint64_t keep;     /* bytes of verdicts that may wait in memory */
    const char *path;  /* see CellsPlace */
    WriteProgress *progress; /* NULL allowed */
    /* That have solved the table together, and now write its files: each has a writer and is called alike. The
     * files are the first's; NULL: this process alone. */
    const Processes *processes;
    MemoryBudget *budget;
} WriteOptions;

/* A probe of a bound asks the tables that captures lead to, and those that these ask. Tables of few
 * men are small anyway: that they are exact ends it soon. */
enum { BOUNDS_MEN = 5 };

/* What was written. */
typedef struct WriteResult {
    TableStatistics statistics;
    uint64_t file_size[TREB_METRICS];
    uint64_t positions; /* legal, full board, both sides to move */
} WriteResult;

/* Writes the files of one material, slice by slice in any order. */
typedef struct Writer Writer;

/* `state`: NULL, or what the writer of an earlier run put, to go on from. NULL: see `error`; TREB_ERR_DAMAGED if
 * that cannot be used. */
Writer *writer_new(const Layout *layout, const WriteOptions *options, State *state,
                   treb_error *error);

/* Puts what was added so far. TREB_ERR_IO. */
treb_status writer_put(const Writer *writer, State *state, treb_error *error);

/* Takes the slices of `slice`, number[lane] each; in parallel, or from parallel threads. The first
 * call must not be one of several at once: what is chosen by its sample should not depend on
 * threads. */
treb_status writer_add(Writer *writer, const uint64_t *number, const SolvedSlice *slice,
                       treb_error *error);

/* Completes the files and frees the writer; the files appear together at the very end. TREB_OK also when
 * stopped. */
treb_status writer_finish(Writer *writer, WriteResult *result, treb_error *error);

/* Bytes that writing a table of this layout claims at most, with so many threads: while slices are added,
 * and then while it is finished. */
typedef struct WriterMemory {
    uint64_t adding, finishing;
} WriterMemory;

WriterMemory writer_memory(const Layout *layout, const WriteOptions *options, int threads);

/* Frees the writer and leaves no file. */
void writer_abort(Writer *writer);

#endif
