/* context.h - what the tables of a run share: options, memory, solved slices, and solvers that are used again. */
#ifndef TREB_GEN_CONTEXT_H
#define TREB_GEN_CONTEXT_H

#include "gen/plan.h"
#include "gen/solve/solve.h"
#include "gen/store/store.h"

/* Solvers of one size, kept from table to table: allocating their memory again would take longer than solving many a
 * table. */
typedef struct SolverPool {
    Solver **solver;
    int count;
    uint64_t bytes, paged; /* bytes: memory of the solvers; paged: see SolverPlace */
} SolverPool;

/* One pool for each number of men, without and with pawns. */
typedef struct SolverPools {
    SolverPool pool[KERNEL_MEN_MAX + 1][2];
} SolverPools;

typedef struct GenContext {
    const GenerateOptions *options;
    MemoryBudget budget;
    Store *store;
    Store *store50; /* the same slices with DTM50 at a fresh clock; NULL: it is not made */
    SolverPools pools;
    uint64_t waiting_bytes; /* bytes of cells that may wait in memory until a table is complete */
} GenContext;

/* Frees the solvers of all pools except one, which may be NULL. */
void pools_clear(SolverPools *pools, const SolverPool *except);

/* The memory that a step may use. */
typedef struct StepMemory {
    uint64_t logs;  /* bytes that logs may keep in memory */
    uint64_t paged; /* see SolverPlace */
} StepMemory;

/* Divides the memory for a step. Frees solvers of other sizes if they are in the way. The store and the logs get what
 * remains. If there is not enough memory for the sets of positions they will be in a file. */
StepMemory context_share_memory(GenContext *gen, const GenerateStep *step, const Layout *layout,
                                int solvers);

/* Brings the pool for a layout to at least `count` solvers. `path`: see LogPlace. TREB_ERR_MEMORY, TREB_ERR_IO. */
treb_status pool_prepare(GenContext *gen, int count, const Layout *layout, StepMemory memory,
                         const char *path, SolverPool **out, treb_error *error);

/* Frees memory that is needed to finish the files of a step: that of solvers, unless there is enough for both. */
void context_free_for_finishing(GenContext *gen, const GenerateStep *step, const SolverPool *pool);

#endif
