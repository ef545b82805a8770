/* job.c - see job.h. */
#include "gen/job.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/system/error.h"
#include "core/system/stop.h"
#include "gen/forecast.h"

/* The work on one table. */
typedef struct TableJob {
    Works *works;
    const GenerateOptions *options;
    const GenerateStep *step;
    Shape shape;
    Batches batches;
    SolverPool *pool;
    int solvers;
    StoreTable *table;
    Writer *writer;     /* NULL: none, or */
    Exporter *exporter; /* of Syzygy's files */
    GenerateReport *report;
    /* Of a table that is saved while it is made: */
    bool lasting;
    bool mid_slice;     /* also in the middle of slices, which take long */
    const char *folder; /* where, and under what name */
    char name[64], path[4300];
    SolverSaver saver;
    double saved;        /* when it last was */
    size_t first;        /* batch that comes next: those before are in what was saved */
    bool solving;        /* and that one was begun: */
    State state;         /* where its solver was comes next */
    uint64_t generation; /* of what was saved last: of ranks that solve together, see job_save */
    bool log_saved;      /* what is saved speaks of the solver's log */
} TableJob;

static bool stopping(const TableJob *job) { return stop_asked(job->options->stop); }

static void set_phase(const TableJob *job, int phase)
{
    if (job->options->progress) atomic_store(&job->options->progress->phase, phase);
}

/* ---- saving ---------------------------------------------------------------------------------- */

static const double saved_seconds = 240;
/* Cells of a slice that is saved while it is solved. Smaller ones are solved within seconds, and what the solver would
 * file of each for a later run costs more than solving it. */
static const uint64_t saved_slice = 1000000000;
static const uint64_t saved_mark = UINT64_C(0x0004444556415354); /* "TSAVED" and a version */

/* The ranks that solve the table together; NULL: there are none. */
static const Ranks *job_ranks(const TableJob *job)
{
    return job->step->divided ? job->options->ranks : NULL;
}

/* Those of which each keeps its own planes; NULL: what is solved is brought to all. */
static const Ranks *job_apart(const TableJob *job)
{
    return ranks_apart(job_ranks(job), &job->shape, job->step->parents);
}

/* Whether that is so for all ranks. */
static bool all_agree(const TableJob *job, bool own)
{
    const Ranks *ranks = job_ranks(job);
    return ranks != NULL ? ranks->least(ranks->context, own) == 1 : own;
}

/* What must be the same for a run to go on where another was. */
static void put_key(const TableJob *job, State *state)
{
    const GenerateOptions *o = job->options;
    const uint64_t key[] = {
        o->metrics,          (uint64_t)o->codec, o->classes,         o->large,
        (uint64_t)o->bounds, (uint64_t)o->cuts,  (uint64_t)o->level, o->wide,
        job->step->parents,  job->step->write,   job->mid_slice,     sizeof(Slice)};
    state_put_bytes(state, &job->step->material, sizeof job->step->material);
    state_put_bytes(state, key, sizeof key);
    const Ranks *ranks = job_ranks(job);
    if (ranks == NULL) return;
    state_put(state, (uint64_t)ranks->rank);
    state_put(state, (uint64_t)ranks->count);
    state_put(state, RANK_DEAL);
}

static bool get_key(const TableJob *job, State *state)
{
    State own = {0};
    put_key(job, &own);
    bool same = !own.failed && state->size - state->at >= own.size &&
                memcmp(state->bytes + state->at, own.bytes, own.size) == 0;
    state->at += own.size;
    state_free(&own);
    return same;
}

/* What was saved before the last time: a rank may have come further than others when all are cut short. */
static void before_path(const TableJob *job, char *path, size_t size)
{
    snprintf(path, size, "%.4200s-before", job->path);
}

/* Writes a state; of ranks all have done so then. */
static treb_status save_state(TableJob *job, const State *state, treb_error *error)
{
    char before[4400];
    const Ranks *ranks = job_ranks(job);
    before_path(job, before, sizeof before);
    if (ranks != NULL && rename(job->path, before) != 0 && errno != ENOENT)
        return fail_errno(error, "rename", job->path);
    treb_status status = state_save(state, job->folder, job->name, saved_mark, error);
    if (status == TREB_OK) all_agree(job, true);
    return status;
}

/* Saves all batches before job->first, and where the solver of that one is, unless NULL. */
static treb_status job_save(TableJob *job, const Solver *solver, treb_error *error)
{
    State state = {0};
    put_key(job, &state);
    if (job_ranks(job) != NULL) state_put(&state, ++job->generation);
    state_put(&state, job->first);
    treb_status status = job->writer ? writer_put(job->writer, &state, error) : TREB_OK;
    if (status == TREB_OK) status = store_table_put(job->table, &state, error);
    state_put(&state, solver != NULL);
    if (solver != NULL) solver_put(solver, &state);
    if (status == TREB_OK) status = save_state(job, &state, error);
    state_free(&state);
    job->saved = omp_get_wtime();
    if (status == TREB_OK) job->log_saved = solver != NULL;
    return status;
}

/* When all of a table is solved it takes a while until the next time. */
static bool save_due(void *context, bool solved)
{
    const TableJob *job = context;
    double every = job->options->save_seconds > 0 ? job->options->save_seconds : saved_seconds;
    if (solved) every = job->batches.count == 1 ? every / 4 : HUGE_VAL;
    return !all_agree(job, omp_get_wtime() - job->saved < every);
}

static treb_status save_solver(void *context, const Solver *solver, treb_error *error)
{
    return job_save(context, solver, error);
}

/* ---- slices in order, one by one ------------------------------------------------------------- */

/* Solves a batch from the beginning. */
static treb_status batch_solve_anew(TableJob *job, const Batch *batch, Solver *solver,
                                    const Slice **slice, treb_error *error)
{
    SolvedSource source = store_source(job->works->store);
    /* The log will be written over: nothing that is saved may lead into what it was. */
    treb_status status = job->log_saved ? job_save(job, NULL, error) : TREB_OK;
    if (status != TREB_OK) return status;
    return solver_run(solver, batch->lanes, batch->pawns, &source, slice, error);
}

/* Solves a batch, from where an earlier run was if it had begun. */
static treb_status batch_solve(TableJob *job, const Batch *batch, Solver *solver,
                               const Slice **slice, treb_error *error)
{
    if (!job->solving) return batch_solve_anew(job, batch, solver, slice, error);
    job->solving = false;
    treb_status status =
        solver_resume(solver, batch->lanes, batch->pawns, &job->state, slice, error);
    state_free(&job->state);
    if (status != TREB_ERR_DAMAGED) return status;
    if (job->options->progress) atomic_fetch_sub(&job->options->progress->within, 1);
    return batch_solve_anew(job, batch, solver, slice, error);
}

/* Solves a batch, puts it into the store and, if wanted, into files. */
static treb_status batch_run(TableJob *job, const Batch *batch, Solver *solver, treb_error *error)
{
    const Slice *slice;
    if (stopping(job)) return TREB_OK;
    double start = omp_get_wtime();
    set_phase(job, GENERATE_SOLVE);
    treb_status status = batch_solve(job, batch, solver, &slice, error);
    if (status == TREB_OK && stopping(job)) return TREB_OK;
    const bool stored = job->step->parents || job->shape.pawns;
    if (status == TREB_OK && job_apart(job) == NULL) status = solver_gather(solver, error);
    if (status == TREB_OK && stored) status = store_put(job->table, batch->number, slice, error);
    double solved = omp_get_wtime();
    set_phase(job, GENERATE_COLLECT);
    if (status == TREB_OK && job->writer)
        status = writer_add(job->writer, batch->number, slice, error);
    if (status == TREB_OK && job->exporter)
        status = export_add(job->exporter, batch->number, slice, error);
    double end = omp_get_wtime();
#pragma omp critical(generate_report)
    {
        job->report->seconds[GENERATE_SOLVE] += solved - start;
        job->report->seconds[GENERATE_COLLECT] += end - solved;
    }
    if (job->options->progress) atomic_fetch_add(&job->options->progress->done, batch->lanes);
    return status;
}

/* Some batches of one level. Where slices are small they run side by side, else each in parallel. */
static treb_status batches_run(TableJob *job, size_t first, size_t end, treb_error *error)
{
    treb_status status = TREB_OK;
    if (job->solvers == 1 || end - first < 2) {
        for (size_t u = first; u < end && status == TREB_OK; u++)
            status = batch_run(job, &job->batches.batch[u], job->pool->solver[0], error);
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
        mine = batch_run(job, &job->batches.batch[u], job->pool->solver[omp_get_thread_num()],
                         &my_error);
        if (mine == TREB_OK) continue;
#pragma omp critical(generate_report)
        {
            status = mine;
            *error = my_error;
        }
    }
    return status;
}

/* All batches of one level, some at a time if they are saved between. */
static treb_status level_run(TableJob *job, size_t first, size_t end, treb_error *error)
{
    enum { SAVED_TOGETHER = 32 };
    treb_status status = TREB_OK;
    while (first < end && status == TREB_OK && !stopping(job)) {
        /* The writer chooses by the first slice it sees: that must not depend on threads. */
        size_t some = first == 0 ? 1 : end - first;
        if (job->lasting && job->solvers == 1) some = 1;
        if (job->lasting && some > SAVED_TOGETHER) some = SAVED_TOGETHER;
        status = batches_run(job, first, first + some, error);
        job->first = first += some;
        if (status == TREB_OK && job->lasting && !stopping(job) && save_due(job, false))
            status = job_save(job, NULL, error);
    }
    return status;
}

static treb_status job_levels(TableJob *job, treb_error *error)
{
    treb_status status = TREB_OK;
    for (size_t u = job->first; u < job->batches.count && status == TREB_OK && !stopping(job);) {
        size_t end = u;
        while (end < job->batches.count &&
               job->batches.batch[end].advance == job->batches.batch[u].advance)
            end++;
        /* Pushes lead one or two levels on: levels are counted by advance, gaps included. */
        int level = job->batches.batch[0].advance - job->batches.batch[u].advance;
        status = store_level(job->table, level, error);
        if (status == TREB_OK) status = level_run(job, u, end, error);
        u = end;
    }
    return status;
}

/* Whoever writes the table's files, if they are wanted; from where an earlier run was unless `state` is NULL. */
static treb_status writer_begin(TableJob *job, State *state, treb_error *error)
{
    const GenerateOptions *o = job->options;
    job->writer = NULL;
    job->exporter = NULL;
    const Ranks *ranks = ranks_writing(job_ranks(job), &job->shape);
    const bool elsewhere = o->ranks != NULL && o->ranks->rank > 0 && ranks == NULL;
    if (!job->step->write || elsewhere) return TREB_OK;
    if (o->syzygy) {
        ExportOptions options = {o->directory, o->exact, job->works->keep, &job->works->ledger,
                                 o->stop};
        job->exporter = export_new(&job->shape, &options, error);
        return job->exporter ? TREB_OK : error->status;
    }
    WriteOptions options = {.directory = o->directory,
                            .scratch = generate_scratch_folder(o),
                            .ranks = ranks,
                            .metrics = o->metrics | 1u << TREB_WDL,
                            .level = o->level,
                            .codec = o->codec,
                            .classes = o->classes,
                            .large = o->large,
                            .bounds = o->bounds,
                            .wide = o->wide,
                            .stop = o->stop,
                            .keep = job->works->keep,
                            .path = job->lasting ? job->path : NULL,
                            .watch = o->progress ? &o->progress->writing : NULL,
                            .ledger = &job->works->ledger};
    job->writer = writer_new(&job->shape, &options, state, error);
    return job->writer ? TREB_OK : error->status;
}

static treb_status writer_end(TableJob *job, bool complete, treb_error *error)
{
    if (!complete) {
        writer_abort(job->writer);
        export_abort(job->exporter);
        return TREB_OK;
    }
    double start = omp_get_wtime();
    treb_status status = TREB_OK;
    set_phase(job, GENERATE_FINISH);
    if (job->writer) status = writer_finish(job->writer, &job->report->result, error);
    if (job->exporter) status = export_finish(job->exporter, &job->report->result, error);
    job->report->seconds[GENERATE_FINISH] += omp_get_wtime() - start;
    return status;
}

/* What the store has of the table; from where an earlier run was unless `state` is NULL. False: see `error`. */
static bool table_begin(TableJob *job, State *state, treb_error *error)
{
    job->table = store_begin(job->works->store, &job->shape, job->step->parents, job_apart(job),
                             job->lasting, state, error);
    return job->table != NULL;
}

/* What was saved cannot be used. Returns false. */
static bool job_forget(TableJob *job)
{
    if (job->writer) writer_abort(job->writer);
    if (job->table) store_end(job->table, false, NULL);
    job->writer = NULL;
    job->table = NULL;
    job->first = 0;
    job->solving = job->log_saved = false;
    job->generation = 0;
    state_free(&job->state);
    return false;
}

/* Loads what was saved, if it is of use. */
static bool load_state(TableJob *job, const char *path)
{
    state_free(&job->state);
    if (!state_load(&job->state, path, saved_mark)) return false;
    if (!get_key(job, &job->state)) return job_forget(job);
    if (job_ranks(job) != NULL) job->generation = state_get(&job->state);
    return !job->state.failed || job_forget(job);
}

/* The last that all ranks have saved. */
static bool load_together(TableJob *job)
{
    const Ranks *ranks = job_ranks(job);
    char before[4400];
    before_path(job, before, sizeof before);
    bool loaded = load_state(job, job->path) || load_state(job, before);
    if (ranks == NULL) return loaded;
    uint64_t least = ranks->least(ranks->context, loaded ? job->generation : 0);
    /* What this one has saved after that is of no use. */
    if (loaded && job->generation != least)
        loaded =
            load_state(job, before) && job->generation == least && rename(before, job->path) == 0;
    return all_agree(job, loaded && least > 0) || job_forget(job);
}

/* Takes over what was saved, as far as it is a rank's own. */
static bool job_adopt(TableJob *job, bool *stored)
{
    treb_error error;
    job->first = state_get_most(&job->state, job->batches.count);
    *stored = job->first == job->batches.count &&
              store_has(job->works->store, &job->step->material, job->step->parents);
    return writer_begin(job, &job->state, &error) == TREB_OK;
}

static bool adopt_store(TableJob *job)
{
    treb_error error;
    if (!table_begin(job, &job->state, &error)) return false;
    /* Solvers side by side have no log that lasts, and begin the batch anew. */
    job->solving = state_get_most(&job->state, 1) && job->solvers == 1;
    job->log_saved = job->solving;
    return !job->state.failed;
}

/* Goes on where an earlier run was. False: there is nothing that can be used. */
static bool job_load(TableJob *job)
{
    bool stored;
    if (!load_together(job)) return false;
    if (!all_agree(job, job_adopt(job, &stored))) return job_forget(job);
    /* What other tables want may be complete already; then the files are left to be finished. */
    if (all_agree(job, stored)) return true;
    return all_agree(job, adopt_store(job)) || job_forget(job);
}

static treb_status job_start(TableJob *job, treb_error *error)
{
    job->report->resumed = job->lasting && job_load(job);
    if (job->report->resumed && job->options->progress) {
        atomic_fetch_add(&job->options->progress->resumed, 1);
        atomic_fetch_add(&job->options->progress->within, job->solving);
    }
    if (job->report->resumed) return TREB_OK;
    /* Another rank may have been without it. */
    if (job->lasting || job->step->divided) store_forget(job->works->store, &job->step->material);
    if (!table_begin(job, NULL, error)) return error->status;
    treb_status status = writer_begin(job, NULL, error);
    if (status != TREB_OK) store_end(job->table, false, NULL);
    return status;
}

/* What the largest of all ranks has taken so far. */
static uint64_t largest_process(const Ranks *ranks)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return ranks_most(ranks, 1024 * (uint64_t)used.ru_maxrss);
}

/* What the ranks sent to solve this table. */
static void report_solving(TableJob *job)
{
    const Ranks *ranks = job->options->ranks;
    job->report->traffic = ranks_traffic(ranks);
    job->report->largest[0] = largest_process(ranks);
    job->report->sets = solver_sets(&job->shape, 0, ranks).all;
    ranks_traffic_start(ranks);
}

/* And to write its files, if they did so together. */
static void report_writing(TableJob *job)
{
    const Ranks *ranks = job->options->ranks;
    if (ranks_writing(ranks, &job->shape) != NULL) job->report->writing = ranks_traffic(ranks);
    job->report->largest[1] = largest_process(ranks);
}

static treb_status job_try(TableJob *job, treb_error *error)
{
    treb_status status = job_start(job, error);
    if (status != TREB_OK) return status;
    if (job->step->divided) ranks_traffic_start(job->options->ranks);
    status = job_levels(job, error);
    if (job->step->divided && status == TREB_OK) report_solving(job);
    bool complete = status == TREB_OK && !stopping(job);
    treb_error second;
    if (complete && job->lasting && job->table) {
        status = job_save(job, NULL, error);
        complete = status == TREB_OK;
    }
    treb_status stored = job->table ? store_end(job->table, complete, &second) : TREB_OK;
    job->table = NULL;
    if (complete && stored != TREB_OK) {
        complete = false;
        status = stored;
        *error = second;
    }
    /* Otherwise what the logs have filed is left for a later run. */
    if (complete) works_make_room(job->works, job->step, job->pool);
    treb_status ended = writer_end(job, complete, complete ? error : &second);
    if (job->step->divided && complete && ended == TREB_OK) report_writing(job);
    state_free(&job->state);
    /* Until the first has written its files all may be needed again. */
    if (complete && ended == TREB_OK && job->lasting) all_agree(job, true);
    if (complete && ended == TREB_OK && job->lasting && !stopping(job))
        store_forget_saved(job->works->store, &job->step->material);
    return status != TREB_OK ? status : ended;
}

treb_status job_run(Works *works, const GenerateStep *step, GenerateReport *report,
                    treb_error *error)
{
    const GenerateOptions *options = works->options;
    TableJob job = {.works = works, .options = options, .step = step, .report = report};
    double start = omp_get_wtime();
    memset(report, 0, sizeof *report);
    if (!shape_init(&job.shape, &step->material)) return fail_memory(error);
    bool ok = batches_list(&job.batches, &job.shape);
    job.solvers =
        forecast_solvers(&job.shape, job.batches.count, omp_get_max_threads(), options->ranks);
    Share share = works_share(works, step, &job.shape, job.solvers);
    job.lasting = generate_saved(step, options);
    treb_status status = TREB_OK;
    if (job.lasting)
        status = store_saved_name(works->store, &step->material, &job.folder, job.name,
                                  sizeof job.name, error);
    snprintf(job.path, sizeof job.path, "%.4200s/%s", job.lasting ? job.folder : "", job.name);
    /* Solvers side by side are done soon, too. */
    job.mid_slice = job.lasting && job.solvers == 1 &&
                    (options->save_seconds > 0 || step->cells / step->slices > saved_slice);
    char log[4310];
    snprintf(log, sizeof log, "%s-log", job.path);
    if (!ok) status = fail_memory(error);
    if (status == TREB_OK)
        status = pool_prepare(works, job.solvers, &job.shape, share, job.mid_slice ? log : NULL,
                              &job.pool, error);
    ok = status == TREB_OK;
    job.saver = (SolverSaver){&job, save_due, save_solver};
    job.saved = omp_get_wtime();
    if (ok && options->progress) atomic_store(&options->progress->all, job.shape.index.slices);
    for (int i = 0; ok && i < job.pool->count; i++) {
        solver_watch(job.pool->solver[i],
                     options->progress && i == 0 ? &options->progress->solver : NULL,
                     options->stop);
        solver_save_by(job.pool->solver[i], job.mid_slice ? &job.saver : NULL);
    }
    if (ok) status = job_try(&job, error);
    batches_free(&job.batches);
    shape_free(&job.shape);
    ledger_trim(&works->ledger);
    report->total = omp_get_wtime() - start;
    return status == STOPPED ? TREB_OK : status;
}
