/* finished.h - slices of a table whose files are there: they are read instead of solved.
 *
 * The cells of a file are not the whole truth. A verdict is completed by captures, and a distance to mate by captures
 * and the last pawn's promotion, as a probe does; so the values of smaller tables are read as well. If a file does not
 * have the side to move, all of its moves are looked at: they lead to positions with the other side to move, which must
 * have been read before. All this is done for whole planes at a time, with the loops that find the conversions of a
 * slice that is solved (convert.c). */
#ifndef TREB_GEN_SOLVE_FINISHED_H
#define TREB_GEN_SOLVE_FINISHED_H

#include "gen/solve/finished_files.h"
#include "gen/solve/plane.h"
#include "gen/solve/promoted.h"
#include "gen/solve/slice_group.h"

typedef struct FinishedTable FinishedTable;

/* Opens the files of a table. Memory for the cells of a group of slices is claimed from `budget`. `promoted`: by
 * side to move, the cells that are read; others then seem illegal, or have any value. With `processes` all of them must do this, and the same with finished_read: the first one reads
 * the files, in a folder that the others need not see, and sends what is in them. */
treb_status finished_open(const char *directory, const Layout *layout, unsigned metrics,
                          const Promoted promoted[2], const Processes *processes, MemoryBudget *budget,
                          FinishedTable **out, treb_error *error);
void finished_close(FinishedTable *table); /* NULL is allowed */

/* Reads one side to move of the slices of a group. `provider` has what its moves lead to, and must outlive the table.
 * `*out` is valid until the next call. Returns the errors of the provider and of table_read_block, or
 * TREB_ERR_MEMORY. */
treb_status finished_read(FinishedTable *table, const SliceGroup *group, int side,
                          const SliceProvider *provider, const SolvedSlice **out,
                          treb_error *error);

/* Does what plane_read does for such a slice: reads legal, won, lost, cursed and distances to mate. */
treb_status finished_plane(const FinishedTable *table, Plane *plane, int side, uint32_t kings,
                           treb_error *error);

/* Bytes that a table claims, beside its planes. */
uint64_t finished_memory(const Layout *layout, unsigned metrics);

#endif
