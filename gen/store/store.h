/* store.h - keeps solved slices for the slices and tables that are solved later.
 *
 * While a table is being solved its slices are put here. Slices that the table's own pawn pushes will read stay in
 * memory if possible. The others are compressed into a scratch file, "KRPvKR.dtm.solved" in a folder of its own, and
 * read back when another table needs them. What was read stays in memory within a limit. A scratch file gets its name
 * when it is complete. A later run uses the files that it finds. */
#ifndef TREB_GEN_STORE_STORE_H
#define TREB_GEN_STORE_STORE_H

#include "core/format/table.h"
#include "gen/solve/promoted.h"
#include "gen/solve/slice_group.h"
#include "gen/solve/solve.h"
#include "gen/store/scratch_folder.h"

typedef struct Store Store;

/* Creates a store with scratch files in `directory`/.scratch. NULL: out of memory. */
Store *store_new(const char *directory, StoredValues values, MemoryBudget *budget);

/* Frees the store. Its scratch files stay: see scratch_folder.h. */
void store_free(Store *store);

/* Sets how many bytes the slices in memory may take, beside those in use. TREB_ERR_IO, TREB_ERR_MEMORY: slices that
 * must leave memory cannot be written to a file. */
treb_status store_set_limit(Store *store, uint64_t bytes, treb_error *error);

/* Sets whether slices for pushes are written to the file too, and read plane by plane. Not possible for tables of
 * which each process keeps only its own planes. */
void store_set_pushes_in_file(Store *store, bool file);
bool store_pushes_in_file(const Store *store);

/* `wanted` is a mask of sides to move and subsets: see gen/solve/subset.h. */

/* Whether the store has this of a material, from this run or an earlier one. */
bool store_has(Store *store, const Material *material, unsigned wanted);

/* Whether store_has would be true for a new store in `directory`. Changes nothing there. */
bool store_left(const char *directory, StoredValues values, const Material *material, unsigned wanted);

/* Begins a table. `parents`: what other tables will read of it. `read`: NULL if it is being solved, so that its own pushes
 * will read it too; if it is read from its files, by side to move the cells that are read, and what of it must leave
 * memory goes to a file without a name.
 * `partitioned`: the processes if each keeps only its
 * own planes, or NULL (see processes_partitioned). `persistent`: its files are kept if the run is stopped. `state`:
 * NULL, or what an earlier run has put, to resume from it. Returns NULL on failure, see `error`; TREB_ERR_DAMAGED if
 * the state cannot be used. */
typedef struct StoreTable StoreTable;
StoreTable *store_begin(Store *store, const Layout *layout, unsigned parents, const Promoted *read,
                        const Processes *partitioned, bool persistent, State *state,
                        treb_error *error);

/* Writes where a run saves a table while it is made: the path of the file that says how far the table is. Creates the
 * folder if necessary. The paths of other saved files begin with this path. TREB_ERR_IO. */
treb_status store_saved_path(const Store *store, const Material *material, char path[SCRATCH_PATH],
                             treb_error *error);

/* Removes all that was saved of a table. */
void store_forget_saved(const Store *store, const Material *material);
/* Removes all that was saved of a table, and drops what the store has of it. */
void store_forget(Store *store, const Material *material);

/* Appends to `state` what a persistent table has so far, and waits until that is on the disk. No other function of
 * the store may run at the same time. TREB_ERR_IO, TREB_ERR_MEMORY. */
treb_status store_table_put(StoreTable *table, State *state, treb_error *error);

/* Puts slices into the store; number[lane] is the number of each. `sides`: those to move that are put, a mask. They may
 * be put one after the other. Thread-safe. */
treb_status store_put(StoreTable *table, const uint64_t *number, const SolvedSlice *slice,
                      unsigned sides, treb_error *error);

/* Begins a level, from 0 on. A push leads at most two levels back, so older levels leave memory. */
treb_status store_level(StoreTable *table, int level, treb_error *error);

/* Ends the table: it is complete, or given up. Frees it in either case. */
treb_status store_end(StoreTable *table, bool complete, treb_error *error);

/* Returns the store as a provider of solved slices. */
SliceProvider store_provider(Store *store);

/* ---- How much it will hold -------------------------------------------------------------------- */

/* Returns the bytes of one side to move of a group: what other tables read or, with `pushes`, what the table's own
 * pushes read. `read`: see store_begin. `metrics`: the distances that are solved. If each process keeps only its own planes: of the process
 * that has most. */
uint64_t store_side_memory(const Layout *layout, unsigned wanted, bool pushes, const Promoted *read, unsigned metrics,
                           const Processes *partitioned);

/* Returns the bytes that writing a side to the file takes with `threads` threads. */
uint64_t store_write_memory(const Layout *layout, int threads);

#endif
