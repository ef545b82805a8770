/* works.h - what the tables of a run share: memory, solved slices, and solvers that are used again. */
#ifndef TREB_GEN_WORKS_H
#define TREB_GEN_WORKS_H

#include "gen/plan.h"
#include "gen/solve/solve.h"
#include "gen/store/store.h"

/* Solvers of one size, kept from table to table: getting their memory anew would cost more than
 * many a table takes to solve. */
typedef struct SolverPool {
    Solver **solver;
    int count;
    uint64_t bytes, paged; /* paged: see SolverPlace */
} SolverPool;

/* One pool for each number of men, without and with pawns. */
typedef struct SolverPools {
    SolverPool pool[KERNEL_MEN_MAX + 1][2];
} SolverPools;

typedef struct Works {
    const GenerateOptions *options;
    Ledger ledger;
    Store *store;
    SolverPools pools;
    uint64_t keep; /* bytes of verdicts that may wait in memory */
} Works;

/* Frees the solvers of all pools but `keep`, which may be NULL. */
void pools_clear(SolverPools *pools, const SolverPool *keep);

/* What a step has of the memory. */
typedef struct Share {
    uint64_t keep;  /* that logs may keep */
    uint64_t paged; /* see SolverPlace */
} Share;

/* Sees to it that what a step takes is there: drops solvers of other sizes if they are in its way,
 * and leaves the store and the logs what remains. Where memory does not suffice for the sets of positions
 * they are in a file. */
Share works_share(Works *works, const GenerateStep *step, const Shape *shape, int solvers);

/* Brings the pool for a shape to `count` solvers or more; `path` of their logs' file, if it has a name.
 * TREB_ERR_MEMORY, TREB_ERR_IO. */
treb_status pool_prepare(Works *works, int count, const Shape *shape, Share share, const char *path,
                         SolverPool **out, treb_error *error);

/* What solvers have is in the way of finishing the files of a step, unless there is memory for both. */
void works_make_room(Works *works, const GenerateStep *step, const SolverPool *pool);

#endif
