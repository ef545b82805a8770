/* works.c - see works.h. */
#include "gen/works.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/forecast.h"

enum {
    MEBI = 1 << 20,
    CACHE_DEFAULT = 300, /* MiB of solved slices kept in memory beside those in use */
    POOLS_MOST = 1200    /* MiB of solvers kept */
};

static void pool_clear(SolverPool *pool)
{
    for (int i = 0; i < pool->count; i++) solver_free(pool->solver[i]);
    free(pool->solver);
    memset(pool, 0, sizeof *pool);
}

void pools_clear(SolverPools *pools, const SolverPool *keep)
{
    for (int men = 0; men <= KERNEL_MEN_MAX; men++)
        for (int pawns = 0; pawns < 2; pawns++) {
            SolverPool *pool = &pools->pool[men][pawns];
            if (pool != keep) pool_clear(pool);
        }
}

/* Bytes of all pools but one. */
static uint64_t pools_bytes(const SolverPools *pools, const SolverPool *but)
{
    uint64_t bytes = 0;
    for (int men = 0; men <= KERNEL_MEN_MAX; men++)
        for (int pawns = 0; pawns < 2; pawns++)
            if (&pools->pool[men][pawns] != but) bytes += pools->pool[men][pawns].bytes;
    return bytes;
}

treb_status pool_prepare(Works *works, int count, const Shape *shape, Share share, const char *path,
                         SolverPool **out, treb_error *error)
{
    SolverPool *pool = *out = &works->pools.pool[shape->men][shape->pawns];
    unsigned metrics = works->options->metrics;
    const Ranks *ranks = ranks_for(works->options->ranks, shape);
    SolverPlace place = {{generate_scratch_folder(works->options), path, &works->ledger,
                          share.keep / (unsigned)count},
                         share.paged,
                         ranks};
    for (int i = 0; i < pool->count; i++)
        solver_adopt(pool->solver[i], shape, place.logs.keep, path);
    if (pool->count >= count) return TREB_OK;
    Solver **grown = realloc(pool->solver, count * sizeof *grown);
    if (grown == NULL) return fail_memory(error);
    pool->solver = grown;
    pool->paged = share.paged;
    pool->bytes = (uint64_t)count * solver_memory(shape, metrics, 0, ranks);
    if (share.paged > 0) pool->bytes -= solver_sets(shape, 0, ranks).all - share.paged;
    treb_status status = TREB_OK;
    for (; pool->count < count && status == TREB_OK; pool->count += status == TREB_OK)
        status = solver_new(shape, metrics, &place, &pool->solver[pool->count], error);
    return status;
}

Share works_share(Works *works, const GenerateStep *step, const Shape *shape, int solvers)
{
    SolverPool *own = &works->pools.pool[shape->men][shape->pawns];
    const uint64_t cache = (uint64_t)CACHE_DEFAULT * MEBI;
    const int threads = omp_get_max_threads();
    const Ranks *ranks = ranks_for(works->options->ranks, shape);
    uint64_t needs =
        step->solving + step->pushes + step->sets - forecast_overhead(threads) + works->keep;
    uint64_t others = pools_bytes(&works->pools, own), bound = works->ledger.bound;
    Share share = {0, 0};
    const bool forced = works->options->paged > 0 && forecast_files(shape, solvers, ranks);
    const bool filed = forced || (bound < needs && step->pushes > 0);
    if (filed) needs -= step->pushes;
    if (bound < needs) {
        needs -= step->sets;
        share.paged = solver_sets(shape, threads, ranks).least;
    }
    if (works->options->paged > 0 && solvers == 1) share.paged = works->options->paged;
    if (own->paged != share.paged || share.paged > 0) pool_clear(own);
    bool crowded = bound < needs + cache || bound - needs - cache < others;
    uint64_t wanted = (uint64_t)solvers * solver_memory(shape, works->options->metrics, 0, ranks);
    if (crowded || others + wanted > (uint64_t)POOLS_MOST * MEBI) {
        pools_clear(&works->pools, own);
        others = 0;
    }
    uint64_t room = bound > needs + others ? bound - needs - others : 0;
    uint64_t cached = room / 2 < cache ? room / 2 : cache;
    if (share.paged > 0 && works->options->paged == 0) {
        share.paged += (room - cached) / 2;
        room -= (room - cached) / 2;
    }
    treb_error error; /* a budget that is not kept yet is kept later */
    store_file_pushes(works->store, filed);
    store_set_budget(works->store, step->store + (filed ? 0 : step->pushes) + cached, &error);
    share.keep = (room - cached) * 3 / 4;
    return share;
}

void works_make_room(Works *works, const GenerateStep *step, const SolverPool *pool)
{
    for (int i = 0; i < pool->count; i++) solver_rest(pool->solver[i]);
    uint64_t overhead = forecast_overhead(omp_get_max_threads());
    uint64_t needs = step->solving + step->finishing - 2 * overhead + works->keep;
    if (!store_files_pushes(works->store)) needs += step->pushes;
    if (pool->paged == 0) needs += step->sets;
    /* Large sets are soon there again, and not kept for that. */
    bool large = pool->bytes > (uint64_t)POOLS_MOST * MEBI;
    if (large || works->ledger.bound < needs + pools_bytes(&works->pools, pool))
        pools_clear(&works->pools, NULL);
    treb_error error;
    if (works->ledger.bound < needs) store_set_budget(works->store, 0, &error);
}
