/* export.h - writes the Syzygy files of a table from its solved slices.
 *
 * The counterpart of gen/write/writer.h: the exporter takes the slices of one material and writes its
 * .rtbw and .rtbz file. Syzygy files number positions differently from the solver, and have an array
 * for each file (a-d) of the leading pawn. Therefore the exporter stores the cells until the table is
 * complete, and then copies them into the order of each array (see remap.h). */
#ifndef TREB_GEN_SYZYGY_EXPORT_H
#define TREB_GEN_SYZYGY_EXPORT_H

#include <stdatomic.h>

#include "core/system/memory_budget.h"
#include "gen/solve/solve.h"
#include "gen/write/writer.h"

typedef struct ExportOptions {
    const char *directory;
    /* Store the DTZ of wins and losses in plies; else in moves, unless the 50-move rule needs plies. */
    bool exact;
    uint64_t keep; /* maximum bytes of cells to keep in memory; the others go to a file */
    MemoryBudget *budget;
    const atomic_bool *stop; /* when it becomes true, the exporter stops writing; NULL allowed */
} ExportOptions;

typedef struct Exporter Exporter;

/* Creates an exporter. `layout` must outlive it. Returns NULL and sets `error` if it fails. */
Exporter *export_new(const Layout *layout, const ExportOptions *options, treb_error *error);

/* Adds the slices in `slice`; number[lane] is the number of the slice in that lane. Runs in parallel
 * unless it is called from a parallel region. Several threads may call it at once. */
treb_status export_add(Exporter *exporter, const uint64_t *number, const SolvedSlice *slice,
                       treb_error *error);

/* Writes the DTZ file, then the WDL file, and frees the exporter. Returns TREB_OK also if it was
 * stopped; then files may be missing. */
treb_status export_finish(Exporter *exporter, WriteResult *result, treb_error *error);

/* Frees the exporter without writing a table file. NULL allowed. */
void export_abort(Exporter *exporter);

/* Returns the maximum number of bytes that exporting a table of this layout with `threads` threads
 * claims. */
WriterMemory export_memory(const Layout *layout, int threads);

#endif
