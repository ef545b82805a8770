/* export.h - from solved slices to Syzygy's files.
 *
 * The counterpart of gen/write/writer.h: takes the slices of one material and writes its .rtbw and
 * .rtbz. These number positions in another way than the solver does, and have an array for each
 * file of the leading pawn. So cells wait until the table is complete, and are then gathered array
 * by array. */
#ifndef TREB_GEN_SYZYGY_EXPORT_H
#define TREB_GEN_SYZYGY_EXPORT_H

#include <stdatomic.h>

#include "core/system/memory_budget.h"
#include "gen/solve/solve.h"
#include "gen/write/writer.h"

typedef struct ExportOptions {
    const char *directory;
    bool exact;    /* DTZ of wins and losses in plies; else in moves, but where the rule is near */
    uint64_t keep; /* bytes of cells that may wait in memory */
    MemoryBudget *budget;
    const atomic_bool *stop; /* when true nothing more is written; NULL allowed */
} ExportOptions;

typedef struct Exporter Exporter;

/* NULL: see `error`. */
Exporter *export_new(const Layout *layout, const ExportOptions *options, treb_error *error);

/* Takes the slices of `slice`, number[lane] each; in parallel, or from parallel threads. */
treb_status export_add(Exporter *exporter, const uint64_t *number, const SolvedSlice *slice,
                       treb_error *error);

/* Writes the files, that of verdicts last, and frees the exporter. TREB_OK also when stopped. */
treb_status export_finish(Exporter *exporter, WriteResult *result, treb_error *error);

/* Frees the exporter and leaves no file. */
void export_abort(Exporter *exporter);

/* Bytes that exporting a table of this layout claims at most, with so many threads. */
WriterMemory export_memory(const Layout *layout, int threads);

#endif
