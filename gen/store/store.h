/* store.h - the solved slices that seniors will ask for.
 *
 * While a table is being solved its slices are put here. Those that its own pawn pushes may still
 * ask for stay in memory; the rest is compressed into a scratch file, "KRPvKR.codes" in a folder of
 * its own, and read back when a senior asks, within a budget of memory. A scratch file carries its
 * name only when it is complete; a later run uses what it finds. */
#ifndef TREB_GEN_STORE_H
#define TREB_GEN_STORE_H

#include "core/table.h"
#include "gen/solve/solve.h"

typedef struct Store Store;

/* Keeps scratch files in `directory`/.scratch. `mates` tells whether codes hold distances to mate:
 * files of the other kind are not used. `budget` bounds the bytes read back and kept. */
Store *store_new(const char *directory, bool mates, uint64_t budget);

/* Frees the store; with `discard` also removes all scratch files. */
void store_free(Store *store, bool discard);

/* Sides to move are sets: bit TREB_WHITE and bit TREB_BLACK. */

/* Whether those sides of a material are at hand, by now or from an earlier run. */
bool store_has(Store *store, const Material *material, unsigned sides);

/* Begins a table. `seniors`: the sides that will be wanted by other tables. NULL: out of memory or
 * no scratch file, see `error`. */
typedef struct StoreTable StoreTable;
StoreTable *store_begin(Store *store, const Shape *shape, unsigned seniors, treb_error *error);

/* Takes the codes of the slices of `slice`, number[lane] each. Thread-safe. */
treb_status store_put(StoreTable *table, const uint64_t *number, const Slice *slice,
                      treb_error *error);

/* Ends a level: pushes lead one or two levels on, so what is older than that is filed away. */
treb_status store_level(StoreTable *table, treb_error *error);

/* The table is complete, or is given up. Frees it either way. */
treb_status store_end(StoreTable *table, bool complete, treb_error *error);

/* For the solver. What failed is told by store_error. */
SolvedSource store_source(Store *store);
void store_error(Store *store, treb_error *error);

#endif
