/* solver.c - creates and frees solvers, and computes how much memory they take: see solve.h. */
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/memory_layout.h"
#include "gen/solve/solver.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Places the sets of the loop. */
static void place_sets(PlyLoop *loop, const Layout *layout, PartitionSize planes,
                       MemoryLayout *arrays)
{
    const size_t plane = layout->plane_words * sizeof(uint64_t), set = planes.own * plane,
                 row_blocks = layout->kings * sizeof(uint64_t);
    for (int side = 0; side < 2; side++) {
        loop->not_won[side] = memory_layout_place(arrays, planes.with[side] * plane);
        loop->open[side] = memory_layout_place(arrays, set);
        for (int parity = 0; parity < 2; parity++) {
            loop->lost_at[parity][side].set = memory_layout_place(arrays, set);
            loop->lost_at[parity][side].row_blocks = memory_layout_place(arrays, row_blocks);
            if (layout->men >= 3)
                loop->lost_at[parity][side].rows = memory_layout_place(arrays, 64 * row_blocks);
            loop->won_row_blocks[parity][side] = memory_layout_place(arrays, row_blocks);
        }
    }
}

/* Whether a metric has a log of its own for what is due. Without pawns every conversion counts one ply to conversion:
 * DTC uses the log of DTZ. */
static bool has_due(const Layout *layout, unsigned metrics, int metric)
{
    return metrics >> metric & 1 && (metric != TREB_DTC || layout->pawns);
}

static bool logs_new(Solver *s)
{
    const uint32_t streams = 2 * s->layout->kings;
    const size_t words = s->layout->plane_words;
    bool ok = (s->space = log_space_new(&s->place.logs)) != NULL &&
              (s->facts = log_new(s->space, streams, words)) != NULL;
    for (int m = TREB_DTZ; m < TREB_METRICS && ok; m++) {
        if (has_due(s->layout, s->metrics, m))
            ok = (s->due[m] = log_new(s->space, 2 * streams, words)) != NULL;
        if (ok && s->metrics >> m & 1)
            ok = (s->decided[m] = log_new(s->space, streams, words)) != NULL;
    }
    return ok;
}

/* Allocates the sets: in memory, or in a file of which a part is in memory. */
static treb_status sets_new(Solver *s, treb_error *error)
{
    MemoryLayout arrays = {NULL, 0};
    MemoryBudget *budget = s->place.logs.budget;
    const PlanePartition *partition = &s->partition;
    const PartitionSize planes = {
        partition->planes,
        {partition->planes + partition->ghosts[0], partition->planes + partition->ghosts[1]}};
    place_sets(&s->loop, s->layout, planes, &arrays);
    if (s->place.paged == 0) {
        s->sets = budget_alloc(budget, arrays.size);
        if (s->sets == NULL) return fail_memory(error);
    } else {
        if (!budget_claim(budget, s->place.paged)) return fail_memory(error);
        treb_status status =
            paged_open(&s->paged, s->place.logs.directory, arrays.size, s->place.paged, error);
        if (status != TREB_OK) {
            budget_release(budget, s->place.paged);
            return status;
        }
    }
    arrays = (MemoryLayout){s->sets != NULL ? s->sets : s->paged.at, 0};
    place_sets(&s->loop, s->layout, planes, &arrays);
    return TREB_OK;
}

treb_status solver_new(const Layout *layout, unsigned metrics, const SolverPlace *place,
                       Solver **out, treb_error *error)
{
    Solver *s = *out = malloc(sizeof *s);
    if (s == NULL) return fail_memory(error);
    memset(s, 0, sizeof *s);
    s->layout = s->slice.layout = layout;
    s->slice.counts = s->counts;
    s->slice.solver = s;
    s->metrics = metrics | 1u << TREB_DTZ;
    s->row_block_count = layout->men >= 3 ? 64 : 1;
    s->row_block_words = layout->plane_words / s->row_block_count;
    s->row_words = solver_row_words(layout);
    s->place = *place;
    s->kernel = kernel_best();
    bool ok = partition_init(&s->partition, layout, place->processes) &&
              (place->processes == NULL || ghosts_init(&s->ghosts, layout));
    treb_status status = ok ? sets_new(s, error) : fail_memory(error);
    if (status == TREB_OK && !logs_new(s)) status = fail_memory(error);
    if (status == TREB_OK) return TREB_OK;
    solver_free(s);
    *out = NULL;
    return status;
}

void solver_reset(Solver *s, const Layout *layout, uint64_t limit, const char *path)
{
    s->layout = s->slice.layout = layout;
    s->row_words = solver_row_words(layout);
    log_space_set_limit(s->space, limit);
    log_space_name(s->space, path);
}

void solver_trim_memory(Solver *s) { log_space_trim(s->space); }

void solver_free(Solver *s)
{
    if (s == NULL) return;
    budget_free(s->sets);
    if (s->paged.at != NULL) budget_release(s->place.logs.budget, s->place.paged);
    paged_close(&s->paged);
    log_space_free(s->space);
    partition_free(&s->partition);
    ghosts_free(&s->ghosts);
    free(s);
}

void solver_set_progress(Solver *s, SolverProgress *progress, const atomic_bool *stop)
{
    s->progress = progress;
    s->stop = stop;
}

void solver_set_saver(Solver *s, const SolverSaver *saver) { s->saver = saver; }

/* ---- How much memory ------------------------------------------------------------------------- */

SolverSets solver_sets(const Layout *layout, int threads, const Processes *processes)
{
    enum {
        PLANES = 32 /* planes that a thread works on at a time, with their neighbours, about */
    };
    PlyLoop loop;
    MemoryLayout sets = {NULL, 0};
    PartitionSize planes;
    /* If this fails for lack of memory: the size of all planes. */
    partition_largest(layout, processes, &planes);
    place_sets(&loop, layout, planes, &sets);
    uint64_t least = (uint64_t)threads * PLANES * layout->plane_words * sizeof(uint64_t);
    uint64_t all = budget_cost(sets.size);
    return (SolverSets){all, least < all ? least : all};
}

uint64_t solver_memory(const Layout *layout, unsigned metrics, int threads,
                       const Processes *processes)
{
    metrics |= 1u << TREB_DTZ;
    int logs = 1;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        logs += (metrics >> m & 1) + 2 * has_due(layout, metrics, m);
    return solver_sets(layout, threads, processes).all + threads * buffers_memory(layout, metrics) +
           log_memory(2 * layout->kings, layout->plane_words, logs, threads);
}
