/* writer.h - writes table files from solved slices. */
#ifndef TREB_GEN_WRITE_WRITER_H
#define TREB_GEN_WRITE_WRITER_H

#include <stdatomic.h>

#include "core/format/table.h"
#include "gen/compress/coder.h"
#include "gen/solve/solve.h"
#include "gen/write/statistics.h"
#include "gen/write/write_progress.h"

typedef struct WriteOptions {
    const atomic_bool *stop; /* when true nothing more is done, and no file appears; NULL allowed */
    const char *directory, *scratch; /* for table files, and for temporary files */
    unsigned metrics;                /* the files to write: 1 << TREB_WDL and so on */
    int level;                       /* of zstd; 0 for the default */
    CoderEffort effort;              /* with codec symbols */
    TableCodec codec;                /* if distances need two bytes it is zstd instead */
    /* Number of classes of slices that have a code of their own, where a table has pawns: a
     * divisor of 24, at most 12. 0: several classes if they save enough. */
    unsigned classes;
    /* Cells of the sample, at most 128 Mi, which is also meant by 0. A slice with more cells is
     * never in memory as a whole. */
    uint64_t large;
    /* cells in files with codec symbols are bounds (TableHeader.bounds) from this number of men on;
     * 0: BOUNDS_MEN */
    int bounds;
    bool wide;               /* codec zstd with two bytes a distance, even where one suffices */
    uint64_t keep;           /* bytes of cells that may wait in memory */
    const char *path;        /* see CellsPlace */
    WriteProgress *progress; /* NULL allowed */
    /* The processes that have solved the table together. Each has a writer and makes the same
     * calls; the first one writes the files. NULL: this process alone. */
    const Processes *processes;
    MemoryBudget *budget;
} WriteOptions;

/* To complete a bound, a probe reads the tables that captures lead to, and those that these
 * need. Tables of few men are small anyway; with exact distances in them this ends soon. */
enum { BOUNDS_MEN = 5 };

/* What was written. */
typedef struct WriteResult {
    TableStatistics statistics;
    uint64_t file_size[TREB_DTM50 + 1]; /* by metric; of DTM50 set by dtm50_writer.h */
    uint64_t positions; /* legal positions of the full board, both sides to move */
} WriteResult;

/* Writes the files of one material. Slices are added in any order. */
typedef struct Writer Writer;

/* `state`: what the writer of an earlier run saved, or NULL. Returns NULL with `error` set on
 * failure: TREB_ERR_DAMAGED if the state cannot be used. */
Writer *writer_new(const Layout *layout, const WriteOptions *options, State *state,
                   treb_error *error);

/* Saves what was added so far. Returns TREB_ERR_IO on failure. */
treb_status writer_put(const Writer *writer, State *state, treb_error *error);

/* Adds the slices that were solved together; number[lane] is the number of each. Works in
 * parallel, or may be called from parallel threads. The first call must not run in parallel with
 * others, so that nothing depends on threads. */
treb_status writer_add(Writer *writer, const uint64_t *number, const SolvedSlice *slice,
                       treb_error *error);

/* Completes the files and frees the writer. The files appear together at the very end. Returns
 * TREB_OK also when stopped. */
treb_status writer_finish(Writer *writer, WriteResult *result, treb_error *error);

/* Most bytes that a writer claims: while slices are added, and during writer_finish. */
typedef struct WriterMemory {
    uint64_t adding, finishing;
} WriterMemory;

WriterMemory writer_memory(const Layout *layout, const WriteOptions *options, int threads);

/* Frees the writer and leaves no file. */
void writer_abort(Writer *writer);

#endif
