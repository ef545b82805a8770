/* store.h - the solved slices that parents will ask for.
 *
 * While a table is being solved its slices are put here. Those that its own pawn pushes may still
 * ask for stay in memory if there is room; the rest is compressed into a scratch file, "KRPvKR.dtm.solved" in a
 * folder of its own, and read back when a parent asks. What was read stays in memory within a
 * budget. A scratch file carries its name only when it is complete; a later run uses what it
 * finds. */
#ifndef TREB_GEN_STORE_H
#define TREB_GEN_STORE_H

#include "core/format/table.h"
#include "gen/solve/batch.h"
#include "gen/solve/solve.h"

typedef struct Store Store;

/* Keeps scratch files in `directory`/.scratch. `mates` tells whether values are distances to mate: files of the other kind are not
 * used. NULL: out of memory. */
Store *store_new(const char *directory, bool mates, Ledger *ledger);

/* Its scratch files stay: see scratch_folder.h. */
void store_free(Store *store);

/* The bytes that slices in memory may take: no more are kept than these and what is in use. TREB_ERR_IO,
 * TREB_ERR_MEMORY: what must go cannot be filed. */
treb_status store_set_budget(Store *store, uint64_t bytes, treb_error *error);

/* Whether what pushes ask for is filed as well, and read plane by plane; not of tables of which ranks keep their own
 * planes. */
void store_file_pushes(Store *store, bool file);
bool store_files_pushes(const Store *store);

/* What is wanted are sets of sides to move and cuts: see gen/solve/solved.h. */

/* Whether that is at hand of a material, by now or from an earlier run. */
bool store_has(Store *store, const Material *material, unsigned wanted);

/* Whether store_has would be true of a store that begins in `directory`. Changes nothing there. */
bool store_left(const char *directory, bool mates, const Material *material, unsigned wanted);

/* Begins a table. `parents`: what will be wanted by other tables; `apart`: ranks that keep their own planes alone, or
 * NULL (see ranks_apart); `lasting`: its files outlive a run that is cut short; `state`: NULL, or what an earlier run put, to go on from. NULL: see `error`; TREB_ERR_DAMAGED if that
 * cannot be used. */
typedef struct StoreTable StoreTable;
StoreTable *store_begin(Store *store, const Shape *shape, unsigned parents, const Ranks *apart,
                        bool lasting, State *state, treb_error *error);

/* Where a run saves a table in the works: the folder, made if need be, and a name, to which parts add theirs.
 * TREB_ERR_IO. */
treb_status store_saved_name(const Store *store, const Material *material, const char **directory,
                             char *name, size_t size, treb_error *error);

/* Removes all that was saved of it. */
void store_forget_saved(const Store *store, const Material *material);
/* And what is complete of it is not used either. */
void store_forget(Store *store, const Material *material);

/* What a lasting table has so far, for another run; it is on the disk then. TREB_ERR_IO,
 * TREB_ERR_MEMORY. Nothing may be asked of the store meanwhile. */
treb_status store_table_put(StoreTable *table, State *state, treb_error *error);

/* Takes the slices of `slice`, number[lane] each. Thread-safe. */
treb_status store_put(StoreTable *table, const uint64_t *number, const Slice *slice,
                      treb_error *error);

/* Begins a level, from 0 on: pushes lead to one or two levels before, so what is older than that is filed
 * away. */
treb_status store_level(StoreTable *table, int level, treb_error *error);

/* The table is complete, or is given up. Frees it either way. */
treb_status store_end(StoreTable *table, bool complete, treb_error *error);

/* For the solver. */
SolvedSource store_source(Store *store);

/* ---- How much it will hold -------------------------------------------------------------------- */

/* Bytes of one side to move of a batch as parents ask for it, or as its own pushes do, with these
 * distances; of the largest share, where ranks keep their own planes. */
uint64_t store_side_memory(const Shape *shape, unsigned wanted, bool pushes, unsigned metrics,
                           const Ranks *apart);

/* Bytes that filing a side takes with so many threads. */
uint64_t store_write_memory(const Shape *shape, int threads);

#endif
