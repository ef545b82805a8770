/* context.c - see context.h. */
#include "gen/context.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/memory_estimate.h"

enum {
    MEBI = 1 << 20,
    CACHE_DEFAULT = 300, /* MiB of solved slices in memory, in addition to those in use */
    POOLS_MOST = 1200    /* MiB of solvers that are kept */
};

static void pool_clear(SolverPool *pool)
{
    for (int i = 0; i < pool->count; i++) solver_free(pool->solver[i]);
    free(pool->solver);
    memset(pool, 0, sizeof *pool);
}

void pools_clear(SolverPools *pools, const SolverPool *except)
{
    for (int men = 0; men <= KERNEL_MEN_MAX; men++)
        for (int pawns = 0; pawns < 2; pawns++) {
            SolverPool *pool = &pools->pool[men][pawns];
            if (pool != except) pool_clear(pool);
        }
}

/* Returns the bytes of all pools except one. */
static uint64_t pools_bytes(const SolverPools *pools, const SolverPool *except)
{
    uint64_t bytes = 0;
    for (int men = 0; men <= KERNEL_MEN_MAX; men++)
        for (int pawns = 0; pawns < 2; pawns++)
            if (&pools->pool[men][pawns] != except) bytes += pools->pool[men][pawns].bytes;
    return bytes;
}

treb_status pool_prepare(GenContext *gen, int count, const Layout *layout, StepMemory memory,
                         const char *path, SolverPool **out, treb_error *error)
{
    SolverPool *pool = *out = &gen->pools.pool[layout->men][layout->pawns];
    unsigned metrics = gen->options->metrics;
    const Processes *processes = processes_solving(gen->options->processes, layout);
    SolverPlace place = {
        {generate_scratch_folder(gen->options), path, &gen->budget, memory.logs / (unsigned)count},
        memory.paged,
        processes};
    for (int i = 0; i < pool->count; i++)
        solver_reset(pool->solver[i], layout, place.logs.limit, path);
    if (pool->count >= count) return TREB_OK;
    Solver **grown = realloc(pool->solver, count * sizeof *grown);
    if (grown == NULL) return fail_memory(error);
    pool->solver = grown;
    pool->paged = memory.paged;
    pool->bytes = (uint64_t)count * solver_memory(layout, metrics, 0, processes);
    if (memory.paged > 0) pool->bytes -= solver_sets(layout, 0, processes).all - memory.paged;
    treb_status status = TREB_OK;
    for (; pool->count < count && status == TREB_OK; pool->count += status == TREB_OK)
        status = solver_new(layout, metrics, &place, &pool->solver[pool->count], error);
    return status;
}

StepMemory context_share_memory(GenContext *gen, const GenerateStep *step, const Layout *layout,
                                int solvers)
{
    SolverPool *own = &gen->pools.pool[layout->men][layout->pawns];
    const uint64_t cache = (uint64_t)CACHE_DEFAULT * MEBI;
    const int threads = omp_get_max_threads();
    const Processes *processes = processes_solving(gen->options->processes, layout);
    /* Bytes with which everything is in memory. */
    uint64_t needs = step->solving + step->pushes + step->sets - memory_estimate_overhead(threads) +
                     gen->waiting_bytes;
    uint64_t others = pools_bytes(&gen->pools, own), bound = gen->budget.bound;
    StepMemory memory = {0, 0};
    /* If there is less, slices for pushes go to a file, and if that is not enough the sets of positions. */
    const bool forced =
        gen->options->paged > 0 && memory_estimate_pushes_in_file(layout, solvers, processes);
    const bool in_file = forced || (bound < needs && step->pushes > 0);
    if (in_file) needs -= step->pushes;
    if (bound < needs) {
        needs -= step->sets;
        memory.paged = solver_sets(layout, threads, processes).least;
    }
    if (gen->options->paged > 0 && solvers == 1) memory.paged = gen->options->paged;
    /* Solvers that were made for another division of their sets cannot be used. */
    if (own->paged != memory.paged || memory.paged > 0) pool_clear(own);
    /* Solvers of other sizes are kept only if there is memory for them in addition. */
    bool crowded = bound < needs + cache || bound - needs - cache < others;
    uint64_t wanted =
        (uint64_t)solvers * solver_memory(layout, gen->options->metrics, 0, processes);
    if (crowded || others + wanted > (uint64_t)POOLS_MOST * MEBI) {
        pools_clear(&gen->pools, own);
        others = 0;
    }
    /* The rest is divided: half of it, but no more than `cache`, for solved slices in memory; of what then remains half
     * for the sets if they are in a file, and three quarters of the remainder for the logs. */
    uint64_t room = bound > needs + others ? bound - needs - others : 0;
    uint64_t cached = room / 2 < cache ? room / 2 : cache;
    if (memory.paged > 0 && gen->options->paged == 0) {
        memory.paged += (room - cached) / 2;
        room -= (room - cached) / 2;
    }
    treb_error error; /* if the limit cannot be kept yet, it is kept later */
    store_set_pushes_in_file(gen->store, in_file);
    store_set_limit(gen->store, step->store + (in_file ? 0 : step->pushes) + cached, &error);
    if (gen->store50 != NULL) {
        store_set_pushes_in_file(gen->store50, in_file);
        store_set_limit(gen->store50, step->store + (in_file ? 0 : step->pushes) + cached, &error);
    }
    memory.logs = (room - cached) * 3 / 4;
    return memory;
}

void context_free_for_finishing(GenContext *gen, const GenerateStep *step, const SolverPool *pool)
{
    for (int i = 0; i < pool->count; i++) solver_trim_memory(pool->solver[i]);
    uint64_t overhead = memory_estimate_overhead(omp_get_max_threads());
    uint64_t needs = step->solving + step->finishing - 2 * overhead + gen->waiting_bytes;
    if (!store_pushes_in_file(gen->store)) needs += step->pushes;
    if (pool->paged == 0) needs += step->sets;
    /* Allocating large sets again takes little time in comparison with solving: they are not kept. */
    bool large = pool->bytes > (uint64_t)POOLS_MOST * MEBI;
    if (large || gen->budget.bound < needs + pools_bytes(&gen->pools, pool))
        pools_clear(&gen->pools, NULL);
    treb_error error;
    if (gen->budget.bound < needs) store_set_limit(gen->store, 0, &error);
}
