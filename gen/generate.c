/* generate.c - see generate.h. */
#include "gen/generate.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bitboard.h"
#include "gen/store/store.h"

enum {
    MEBI = 1 << 20,
    BUDGET_DEFAULT = 300, /* MiB of juniors kept in memory */
    POOLS_MOST = 1200     /* MiB of solvers kept */
};

static treb_status out_of_memory(treb_error *error)
{
    error->status = TREB_ERR_MEMORY;
    snprintf(error->text, sizeof error->text, "out of memory");
    return TREB_ERR_MEMORY;
}

/* ---- the plan -------------------------------------------------------------------------------- */

bool generate_complete(const char *directory, const Material *material, unsigned metrics)
{
    for (int m = 0; m < TREB_METRICS; m++) {
        if (!(metrics >> m & 1)) continue;
        char name[TABLE_NAME_SIZE], path[4200];
        treb_error error;
        table_file_name(material, m, name);
        snprintf(path, sizeof path, "%.4000s/%s", directory, name);
        Table *table = table_open(path, &error);
        if (table == NULL) return false;
        const TableHeader *h = table_header(table);
        bool right = h->metric == (treb_metric)m && material_equal(&h->index.material, material);
        table_close(table);
        if (!right) return false;
    }
    return true;
}

/* The memory that solving and writing a material takes. */
static uint64_t step_memory(const Shape *shape, unsigned metrics)
{
    uint64_t one = solver_memory(shape, metrics);
    if (shape->men < 2) one *= omp_get_max_threads();
    /* A slice staged, and its codes for both sides. */
    return one + 3 * sizeof(Plies) * (uint64_t)shape->cells;
}

static bool plan_has(const GeneratePlan *plan, const Material *m)
{
    for (size_t i = 0; i < plan->steps; i++)
        if (material_equal(&plan->step[i].material, m)) return true;
    return false;
}

static treb_status plan_add(const GenerateOptions *o, const Material *m, GeneratePlan *plan,
                            treb_error *error)
{
    if (plan_has(plan, m)) return TREB_OK;
    Material junior[MATERIAL_MAX_JUNIORS];
    int juniors = material_juniors(m, junior, NULL);
    for (int i = 0; i < juniors; i++) {
        treb_status status = plan_add(o, &junior[i], plan, error);
        if (status != TREB_OK) return status;
    }
    Shape shape;
    if (!shape_init(&shape, m)) return out_of_memory(error);
    GenerateStep *grown = realloc(plan->step, (plan->steps + 1) * sizeof *grown);
    if (grown == NULL) {
        shape_free(&shape);
        return out_of_memory(error);
    }
    plan->step = grown;
    plan->step[plan->steps++] = (GenerateStep){
        .material = *m,
        /* Two bare kings need no files, but their seniors look there. */
        .emit = material_men(m) > 2 && !generate_complete(o->directory, m, o->metrics),
        .cells = 2 * shape.index.slices * shape.kings * shape_lane_cells(&shape),
        .memory = step_memory(&shape, o->metrics)};
    shape_free(&shape);
    return TREB_OK;
}

/* From the last to the first: a step is of use if its files are missing or if a senior that is of
 * use needs it. Drops the others. */
static void plan_prune(GeneratePlan *plan)
{
    for (size_t i = plan->steps; i-- > 0;) {
        GenerateStep *step = &plan->step[i];
        if (!step->emit && !step->seniors) continue;
        Material junior[MATERIAL_MAX_JUNIORS];
        uint8_t turns[MATERIAL_MAX_JUNIORS];
        int juniors = material_juniors(&step->material, junior, turns);
        for (size_t j = 0; j < i; j++)
            for (int k = 0; k < juniors; k++)
                if (material_equal(&plan->step[j].material, &junior[k]))
                    plan->step[j].seniors |= turns[k];
    }
    size_t kept = 0;
    for (size_t i = 0; i < plan->steps; i++)
        if (plan->step[i].emit || plan->step[i].seniors) plan->step[kept++] = plan->step[i];
    plan->steps = kept;
}

static int pawns_of(const Material *m)
{
    return m->count[TREB_WHITE][TREB_PAWN] + m->count[TREB_BLACK][TREB_PAWN];
}

/* Fewer men first, then fewer pawns: juniors have fewer of either. Tables of one size come after
 * each other, so that they use the same solvers. Keeps the order of equals. */
static void plan_sort(GeneratePlan *plan)
{
    for (size_t i = 1; i < plan->steps; i++) {
        GenerateStep step = plan->step[i];
        int men = material_men(&step.material), pawns = pawns_of(&step.material);
        size_t j = i;
        for (; j > 0; j--) {
            const Material *before = &plan->step[j - 1].material;
            int order = material_men(before) - men;
            if (order == 0) order = pawns_of(before) - pawns;
            if (order <= 0) break;
            plan->step[j] = plan->step[j - 1];
        }
        plan->step[j] = step;
    }
}

treb_status generate_plan(const GenerateOptions *options, const Material *materials, size_t count,
                          GeneratePlan *plan, treb_error *error)
{
    treb_status status = TREB_OK;
    memset(plan, 0, sizeof *plan);
    for (size_t i = 0; i < count && status == TREB_OK; i++) {
        Material m = materials[i];
        material_canonical(&m);
        status = plan_add(options, &m, plan, error);
    }
    if (status != TREB_OK) {
        generate_plan_free(plan);
        return status;
    }
    plan_sort(plan);
    plan_prune(plan);
    return TREB_OK;
}

void generate_plan_free(GeneratePlan *plan)
{
    free(plan->step);
    memset(plan, 0, sizeof *plan);
}

/* ---- slices in order ------------------------------------------------------------------------- */

/* Slices that are solved together. */
typedef struct Unit {
    int lanes;
    int advance; /* ranks that all pawns have gone */
    uint64_t number[SLICE_LANES];
    uint64_t pawns[SLICE_LANES][2];
} Unit;

/* Solvers of one size, kept from table to table: getting their memory anew would cost more than
 * many a table takes to solve. */
typedef struct SolverPool {
    Solver **solver;
    int count;
    uint64_t bytes;
} SolverPool;

/* One pool for each number of men, without and with pawns. */
typedef struct SolverPools {
    SolverPool pool[KERNEL_MEN_MAX + 1][2];
} SolverPools;

/* The work on one table. */
typedef struct Job {
    const GenerateOptions *options;
    const GenerateStep *step;
    Store *store;
    Shape shape;
    Unit *unit;
    size_t units;
    SolverPool *pool;
    int solvers;
    StoreTable *table;
    Emitter *emitter;
    GenerateReport *report;
} Job;

static int advance_of(const uint64_t pawns[2])
{
    int advance = 0;
    for (uint64_t p = pawns[0]; p;) advance += bit_pop(&p) >> 3;
    for (uint64_t p = pawns[1]; p;) advance += 7 - (bit_pop(&p) >> 3);
    return advance;
}

/* Lists the slices in units, those with the most advanced pawns first. */
static bool job_units(Job *job)
{
    const Index *index = &job->shape.index;
    uint64_t slices = index->slices;
    int lanes = shape_lanes(&job->shape), most = 6 * TREB_MEN_MAX;
    uint8_t *advance = malloc(slices);
    /* Every level may leave one unit that is not full. */
    job->unit = malloc((slices / lanes + most + 2) * sizeof *job->unit);
    if (!advance || !job->unit) {
        free(advance);
        return false;
    }
    for (uint64_t s = 0; s < slices; s++) {
        uint64_t pawns[2];
        bool used = index_slice_pawns(index, s, pawns);
        advance[s] = used ? advance_of(pawns) : UINT8_MAX;
    }
    for (int level = most; level >= 0; level--) {
        Unit *unit = NULL;
        for (uint64_t s = 0; s < slices; s++) {
            if (advance[s] != level) continue;
            if (unit == NULL || unit->lanes == lanes) {
                unit = &job->unit[job->units++];
                unit->lanes = 0;
                unit->advance = level;
            }
            unit->number[unit->lanes] = s;
            index_slice_pawns(index, s, unit->pawns[unit->lanes++]);
        }
    }
    free(advance);
    return true;
}

static void job_free(Job *job)
{
    free(job->unit);
    shape_free(&job->shape);
}

static treb_status unit_fail(Job *job, treb_status status, treb_error *error)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(&job->step->material, name);
    if (status == TREB_ERR_MEMORY) return out_of_memory(error);
    if (status == TREB_ERR_ARGUMENT) {
        error->status = status;
        snprintf(error->text, sizeof error->text,
                 "%s: a distance exceeds %d plies, the most this build can handle%s", name,
                 CODE_MOST, sizeof(Plies) == 1 ? "; one made with 'make WIDE=yes' can" : "");
        return status;
    }
    store_error(job->store, error);
    return error->status;
}

static bool stopping(const Job *job)
{
    return job->options->stop && atomic_load(job->options->stop);
}

static void set_phase(const Job *job, int phase)
{
    if (job->options->progress) atomic_store(&job->options->progress->phase, phase);
}

/* Solves a unit, puts it into the store and, if wanted, into files. */
static treb_status unit_run(Job *job, const Unit *unit, Solver *solver, treb_error *error)
{
    const Slice *slice;
    if (stopping(job)) return TREB_OK;
    SolvedSource source = store_source(job->store);
    double start = omp_get_wtime();
    set_phase(job, GENERATE_SOLVE);
    treb_status status = solver_run(solver, unit->lanes, unit->pawns, &source, &slice);
    if (status != TREB_OK) return unit_fail(job, status, error);
    if (job->step->seniors || job->shape.pawns)
        status = store_put(job->table, unit->number, slice, error);
    double solved = omp_get_wtime();
    set_phase(job, GENERATE_COMPRESS);
    if (status == TREB_OK && job->emitter)
        status = emitter_slice(job->emitter, unit->number, slice, error);
    double end = omp_get_wtime();
#pragma omp critical(generate_report)
    {
        job->report->seconds[GENERATE_SOLVE] += solved - start;
        job->report->seconds[GENERATE_COMPRESS] += end - solved;
    }
    if (job->options->progress) {
        atomic_fetch_add(&job->options->progress->done, unit->lanes);
        atomic_fetch_add(&job->options->progress->cells, 2 * job->shape.cells);
    }
    return status;
}

/* All units of one level. Where slices are small they run side by side, else each in parallel. */
static treb_status level_run(Job *job, size_t first, size_t end, treb_error *error)
{
    treb_status status = TREB_OK;
    /* The emitter chooses by the first slice it sees: that must not depend on threads. */
    if (first == 0 && end > 1) {
        status = level_run(job, 0, 1, error);
        if (status != TREB_OK) return status;
        first = 1;
    }
    if (job->solvers == 1 || end - first < 2) {
        for (size_t u = first; u < end && status == TREB_OK; u++)
            status = unit_run(job, &job->unit[u], job->pool->solver[0], error);
        return status;
    }
#pragma omp parallel for schedule(dynamic) num_threads(job->solvers)
    for (size_t u = first; u < end; u++) {
        treb_status mine;
        bool skip;
#pragma omp critical(generate_report)
        skip = status != TREB_OK;
        if (skip) continue;
        treb_error my_error;
        mine = unit_run(job, &job->unit[u], job->pool->solver[omp_get_thread_num()], &my_error);
        if (mine == TREB_OK) continue;
#pragma omp critical(generate_report)
        {
            status = mine;
            *error = my_error;
        }
    }
    return status;
}

static treb_status job_levels(Job *job, treb_error *error)
{
    treb_status status = TREB_OK;
    for (size_t u = 0; u < job->units && status == TREB_OK && !stopping(job);) {
        size_t end = u;
        while (end < job->units && job->unit[end].advance == job->unit[u].advance) end++;
        status = level_run(job, u, end, error);
        /* Pushes lead one or two levels on: levels are counted by advance, gaps included. */
        int gap = end < job->units ? job->unit[u].advance - job->unit[end].advance : 1;
        for (int i = 0; i < gap && status == TREB_OK; i++) status = store_level(job->table, error);
        u = end;
    }
    return status;
}

static treb_status job_try(Job *job, treb_error *error)
{
    const GenerateOptions *o = job->options;
    EmitOptions emit = {o->directory, o->metrics | 1u << TREB_WDL, o->level, o->wide};
    if (o->progress) atomic_store(&o->progress->done, 0);
    job->table = store_begin(job->store, &job->shape, job->step->seniors, error);
    if (job->table == NULL) return error->status;
    job->emitter = NULL;
    if (job->step->emit) {
        job->emitter = emitter_new(&job->shape, &emit, error);
        if (job->emitter == NULL) {
            treb_error ignored;
            store_end(job->table, false, &ignored);
            return error->status;
        }
    }
    treb_status status = job_levels(job, error);
    bool complete = status == TREB_OK && !stopping(job);
    treb_error second;
    treb_status stored = store_end(job->table, complete, &second);
    if (complete && stored != TREB_OK) {
        complete = false;
        status = stored;
        *error = second;
    }
    if (!complete) {
        emitter_abort(job->emitter);
        return status;
    }
    if (job->emitter == NULL) return TREB_OK;
    double start = omp_get_wtime();
    status = emitter_finish(job->emitter, &job->report->result, error);
    job->report->seconds[GENERATE_COMPRESS] += omp_get_wtime() - start;
    return status;
}

/* Empties all pools but `keep`, which may be NULL. */
static void pools_clear(SolverPools *pools, const SolverPool *keep)
{
    for (int men = 0; men <= KERNEL_MEN_MAX; men++)
        for (int pawns = 0; pawns < 2; pawns++) {
            SolverPool *pool = &pools->pool[men][pawns];
            if (pool == keep) continue;
            for (int i = 0; i < pool->count; i++) solver_free(pool->solver[i]);
            free(pool->solver);
            memset(pool, 0, sizeof *pool);
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

/* Brings the pool for a shape to `count` solvers or more. NULL: out of memory. */
static SolverPool *pool_prepare(SolverPools *pools, int count, const Shape *shape, unsigned metrics)
{
    SolverPool *pool = &pools->pool[shape->men][shape->pawns];
    uint64_t bytes = (uint64_t)count * solver_memory(shape, metrics);
    if (pools_bytes(pools, pool) + bytes > (uint64_t)POOLS_MOST * MEBI) pools_clear(pools, pool);
    for (int i = 0; i < pool->count; i++) solver_adopt(pool->solver[i], shape);
    if (pool->count >= count) return pool;
    Solver **grown = realloc(pool->solver, count * sizeof *grown);
    if (grown == NULL) return NULL;
    pool->solver = grown;
    for (; pool->count < count; pool->count++)
        if ((pool->solver[pool->count] = solver_new(shape, metrics)) == NULL) return NULL;
    pool->bytes = bytes;
    return pool;
}

static treb_status job_run(const GenerateOptions *options, const GenerateStep *step, Store *store,
                           SolverPools *pools, GenerateReport *report, treb_error *error)
{
    Job job = {.options = options, .step = step, .store = store, .report = report};
    double start = omp_get_wtime();
    memset(report, 0, sizeof *report);
    if (!shape_init(&job.shape, &step->material)) return out_of_memory(error);
    bool ok = job_units(&job);
    job.solvers = job.shape.men < 2 && job.units > 1 ? omp_get_max_threads() : 1;
    if (ok) job.pool = pool_prepare(pools, job.solvers, &job.shape, options->metrics);
    ok = job.pool != NULL;
    if (ok && options->progress) {
        atomic_store(&options->progress->all, job.shape.index.slices);
        solver_watch(job.pool->solver[0], &options->progress->ply);
    }
    treb_status status = ok ? job_try(&job, error) : out_of_memory(error);
    job_free(&job);
    report->total = omp_get_wtime() - start;
    return status;
}

treb_status generate_run(const GenerateOptions *options, const GeneratePlan *plan,
                         GenerateReporter *report, void *context, bool *stopped, treb_error *error)
{
    uint64_t budget = (uint64_t)BUDGET_DEFAULT * MEBI;
    bool mates = options->metrics >> TREB_DTM & 1;
    *stopped = false;
    for (size_t i = 0; i < plan->steps && options->memory; i++) {
        uint64_t need = plan->step[i].memory;
        if (need >= options->memory)
            budget = 0;
        else if (options->memory - need < budget)
            budget = options->memory - need;
    }
    Store *store = store_new(options->directory, mates, budget);
    if (store == NULL) return out_of_memory(error);
    SolverPools pools = {0};
    treb_status status = TREB_OK;
    for (size_t i = 0; i < plan->steps && status == TREB_OK && !*stopped; i++) {
        GenerateReport r;
        const GenerateStep *step = &plan->step[i];
        if (options->progress) atomic_store(&options->progress->table, (int)i);
        if (!step->emit && store_has(store, &step->material, step->seniors)) continue;
        status = job_run(options, step, store, &pools, &r, error);
        *stopped = options->stop && atomic_load(options->stop);
        if (status == TREB_OK && !*stopped) report(context, i, &r);
    }
    pools_clear(&pools, NULL);
    store_free(store, status == TREB_OK && !*stopped && !options->keep_scratch);
    return status;
}
