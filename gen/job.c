/* job.c - see job.h.
 *
 * The way of a table: its slices are listed in groups, those with the most advanced pawns first, because pushes lead
 * there (slice_group.h). A solver solves a group; the store keeps what the table's own pushes and other tables will
 * read; the sink takes what the files need. When all groups are done the store completes its files, and then the sink.
 *
 * Groups whose pawns are equally advanced form a level. Small ones are solved side by side, each by one thread with a
 * solver of its own; large ones one after the other, each by all threads. */
#include "gen/job.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"
#include "gen/checkpoint.h"
#include "gen/memory_estimate.h"
#include "gen/solve/dtm50.h"
#include "gen/solve/finished.h"

static void set_phase(const TableJob *job, int phase)
{
    if (job->options->progress) atomic_store(&job->options->progress->phase, phase);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Solves a group from the beginning. */
static treb_status solve_anew(TableJob *job, const SliceGroup *group, Solver *solver,
                              const SolvedSlice **slice, treb_error *error)
{
    SliceProvider provider = store_provider(job->gen->store);
    treb_status status = checkpoint_release_log(job, error);
    if (status != TREB_OK) return status;
    return solver_run(solver, group->lanes, group->pawns, &provider, slice, error);
}

/* Solves a group, from where an earlier run was if that had begun it. */
static treb_status solve(TableJob *job, const SliceGroup *group, Solver *solver,
                         const SolvedSlice **slice, treb_error *error)
{
    Checkpoint *c = &job->checkpoint;
    if (!c->solving) return solve_anew(job, group, solver, slice, error);
    c->solving = false;
    treb_status status = solver_resume(solver, group->lanes, group->pawns, &c->state, slice, error);
    state_free(&c->state);
    if (status != TREB_ERR_DAMAGED) return status;
    if (job->options->progress) atomic_fetch_sub(&job->options->progress->within, 1);
    return solve_anew(job, group, solver, slice, error);
}

/* Finds the values under the 50-move rule of a group that was just solved. */
static treb_status run_dtm50(TableJob *job, const SliceGroup *group, Solver *solver,
                             treb_error *error)
{
    const SliceProvider provider = store_provider(job->gen->store50);
    Dtm50 *dtm50;
    const unsigned sides = job->writer50 != NULL ? dtm50_writer_sides(job->writer50) : 0;
    treb_status status = dtm50_run(solver, &provider, job->profiles, sides, &dtm50, error);
    if (status != TREB_OK) return status;
    if (job->step->parents || job->layout.pawns)
        status = store_put(job->table50, group->number, dtm50_slice(dtm50), WANT_SIDES, error);
    if (status == TREB_OK && job->writer50 != NULL)
        status = dtm50_writer_add(job->writer50, group->number, dtm50, error);
    dtm50_free(dtm50);
    return status;
}

/* Solves a group and puts it into the store and the sink. */
static treb_status run_group(TableJob *job, const SliceGroup *group, Solver *solver,
                             treb_error *error)
{
    const SolvedSlice *slice;
    if (job_stopping(job)) return TREB_OK;
    double start = omp_get_wtime();
    set_phase(job, GENERATE_SOLVE);
    treb_status status = solve(job, group, solver, &slice, error);
    if (status == TREB_OK && job_stopping(job)) return TREB_OK;
    const bool stored = job->step->parents || job->layout.pawns;
    if (status == TREB_OK && job_partitioned(job) == NULL) status = solver_gather(solver, error);
    if (status == TREB_OK && stored) status = store_put(job->table, group->number, slice, WANT_SIDES, error);
    if (status == TREB_OK && job->gen->store50 != NULL)
        status = run_dtm50(job, group, solver, error);
    double solved = omp_get_wtime();
    set_phase(job, GENERATE_COLLECT);
    if (status == TREB_OK) status = sink_add(&job->sink, group->number, slice, error);
    double end = omp_get_wtime();
#pragma omp critical(generate_report)
    {
        job->report->seconds[GENERATE_SOLVE] += solved - start;
        job->report->seconds[GENERATE_COLLECT] += end - solved;
    }
    if (job->options->progress) atomic_fetch_add(&job->options->progress->done, group->lanes);
    return status;
}

/* Solves the groups from `first` to `end`, all of one level: side by side, or one after the other. */
static treb_status run_groups(TableJob *job, size_t first, size_t end, treb_error *error)
{
    treb_status status = TREB_OK;
    if (job->solvers == 1 || end - first < 2) {
        for (size_t u = first; u < end && status == TREB_OK; u++)
            status = run_group(job, &job->groups.group[u], job->pool->solver[0], error);
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
        mine = run_group(job, &job->groups.group[u], job->pool->solver[omp_get_thread_num()],
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

/* Solves all groups of one level. If the table is saved, a limited number at a time. */
static treb_status run_level(TableJob *job, size_t first, size_t end, treb_error *error)
{
    enum { SAVED_TOGETHER = 32 };
    treb_status status = TREB_OK;
    while (first < end && status == TREB_OK && !job_stopping(job)) {
        /* The sink makes choices from the first slice that it gets: this must not depend on threads. */
        size_t count = first == 0 ? 1 : end - first;
        if (job->checkpoint.persistent && job->solvers == 1) count = 1;
        if (job->checkpoint.persistent && count > SAVED_TOGETHER) count = SAVED_TOGETHER;
        status = run_groups(job, first, first + count, error);
        job->first = first += count;
        if (status == TREB_OK && !job_stopping(job)) status = checkpoint_save_if_due(job, error);
    }
    return status;
}

/* Solves all groups that are not solved yet, level by level. */
static treb_status run_levels(TableJob *job, treb_error *error)
{
    const SliceGroup *group = job->groups.group;
    treb_status status = TREB_OK;
    for (size_t u = job->first; u < job->groups.count && status == TREB_OK && !job_stopping(job);) {
        size_t end = u;
        while (end < job->groups.count && group[end].advance == group[u].advance) end++;
        /* A push leads one or two levels on. The number of a level is its distance in advance from the first level;
         * some numbers may have no groups. */
        int level = group[0].advance - group[u].advance;
        status = store_level(job->table, level, error);
        if (status == TREB_OK && job->table50 != NULL)
            status = store_level(job->table50, level, error);
        if (status == TREB_OK) status = run_level(job, u, end, error);
        u = end;
    }
    return status;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Completes the store's files of the table, or gives the table up. */
static treb_status close_store(TableJob *job, bool complete, treb_error *error)
{
    treb_status status = job->table ? store_end(job->table, complete, error) : TREB_OK;
    job->table = NULL;
    treb_status status50 = job->table50 ? store_end(job->table50, complete, error) : TREB_OK;
    job->table50 = NULL;
    return status == TREB_OK ? status50 : status;
}

/* Completes the DTM50 file, or leaves none. */
static treb_status close_dtm50(TableJob *job, bool complete, treb_error *error)
{
    treb_status status = TREB_OK;
    if (complete && job->writer50 != NULL) {
        status = dtm50_writer_finish(job->writer50, &job->report->result, error);
        job->writer50 = NULL;
    }
    job_abort_dtm50(job);
    return status;
}

/* Opens the store's table and the sink: as an earlier run has left them, or new. */
static treb_status open_table(TableJob *job, treb_error *error)
{
    GenerateProgress *progress = job->options->progress;
    job->report->resumed = checkpoint_resume(job);
    if (job->report->resumed && progress) {
        atomic_fetch_add(&progress->resumed, 1);
        atomic_fetch_add(&progress->within, job->checkpoint.solving);
    }
    if (job->report->resumed) return TREB_OK;
    /* What an earlier run left of the table is of no use if another process lacks its part. */
    if (job->checkpoint.persistent || job->step->divided)
        store_forget(job->gen->store, &job->step->material);
    if (job->checkpoint.persistent && job->gen->store50 != NULL)
        store_forget(job->gen->store50, &job->step->material);
    treb_status status = job_open_table(job, NULL, error);
    if (status == TREB_OK) status = job_open_sink(job, NULL, error);
    if (status == TREB_OK) status = job_open_dtm50(job, NULL, error);
    if (status == TREB_OK) return TREB_OK;
    treb_error second;
    sink_abort(&job->sink);
    job_abort_dtm50(job);
    close_store(job, false, &second);
    return status;
}

/* Completes the table's files, or removes them. */
static treb_status close_sink(TableJob *job, bool complete, treb_error *error)
{
    if (!complete) {
        sink_abort(&job->sink);
        return TREB_OK;
    }
    double start = omp_get_wtime();
    set_phase(job, GENERATE_FINISH);
    treb_status status = sink_finish(&job->sink, &job->report->result, error);
    job->report->seconds[GENERATE_FINISH] += omp_get_wtime() - start;
    if (job->step->divided && status == TREB_OK)
        report_writing(job->report, &job->layout, job->options->processes);
    return status;
}

/* Removes what was saved of the table, once the files of all processes are complete. */
static void remove_saved(TableJob *job)
{
    if (!job->checkpoint.persistent) return;
    job_all_agree(job, true);
    if (!job_stopping(job)) store_forget_saved(job->gen->store, &job->step->material);
}

/* Makes the table, with the solvers of the pool. */
static treb_status make_table(TableJob *job, treb_error *error)
{
    const Processes *processes = job_processes(job);
    treb_error second; /* of an operation after the first error */
    treb_status status = open_table(job, error);
    if (status != TREB_OK) return status;
    if (processes != NULL) processes_traffic_start(processes);
    status = run_levels(job, error);
    if (processes != NULL && status == TREB_OK)
        report_solving(job->report, &job->layout, processes);
    bool complete = status == TREB_OK && !job_stopping(job);
    if (complete && job->checkpoint.persistent && job->table) {
        status = checkpoint_save(job, error);
        complete = status == TREB_OK;
    }
    treb_status closed = close_store(job, complete, complete ? error : &second);
    if (complete) status = closed;
    complete = complete && status == TREB_OK;
    /* If the table is not complete the log files are left for a later run. */
    if (complete) context_free_for_finishing(job->gen, job->step, job->pool);
    closed = close_sink(job, complete, complete ? error : &second);
    if (complete) status = closed;
    complete = complete && status == TREB_OK && !job_stopping(job);
    closed = close_dtm50(job, complete, complete ? error : &second);
    if (complete) status = closed;
    state_free(&job->checkpoint.state);
    if (complete && status == TREB_OK) remove_saved(job);
    return status;
}

/* Brings the pool to as many solvers as the job needs, with progress and saving set up. */
static treb_status prepare_solvers(TableJob *job, StepMemory memory, treb_error *error)
{
    const GenerateOptions *options = job->options;
    char log[4310];
    snprintf(log, sizeof log, "%s-log", job->checkpoint.path);
    treb_status status = pool_prepare(job->gen, job->solvers, &job->layout, memory,
                                      job->checkpoint.mid_slice ? log : NULL, &job->pool, error);
    for (int i = 0; status == TREB_OK && i < job->pool->count; i++) {
        Solver *solver = job->pool->solver[i];
        SolverProgress *progress = options->progress ? &options->progress->solver : NULL;
        solver_set_progress(solver, i == 0 ? progress : NULL, options->stop);
        solver_set_saver(solver, checkpoint_saver(job));
    }
    return status;
}

static treb_status solve_table(TableJob *job, treb_error *error)
{
    const GenerateOptions *options = job->options;
    job->solvers = memory_estimate_solvers(&job->layout, job->groups.count, omp_get_max_threads(),
                                           options->processes);
    StepMemory memory = context_share_memory(job->gen, job->step, &job->layout, job->solvers);
    treb_status status = checkpoint_init(job, error);
    if (status == TREB_OK) status = prepare_solvers(job, memory, error);
    if (status == TREB_OK && options->progress)
        atomic_store(&options->progress->all, job->layout.index.slices);
    return status == TREB_OK ? make_table(job, error) : status;
}

/* ---- A table that is there ------------------------------------------------------------------- */

/* Puts a side that was read where DTM50 needs it: no mate that the rule allows takes more than 100 plies (plan.c), so
 * values at a fresh clock are distances to mate. */
static treb_status put_dtm50(TableJob *job, const SliceGroup *group, const SolvedSlice *slice,
                             int side, treb_error *error)
{
    SolvedSlice fresh = *slice;
    if (job->table50 == NULL) return TREB_OK;
    fresh.under_rule = true;
    fresh.cursed = false;
    return store_put(job->table50, group->number, &fresh, 1u << side, error);
}

/* Reads one side to move of all slices into the store. `provider` must outlive `files`. */
static treb_status read_side(TableJob *job, FinishedTable *files, const SliceProvider *provider,
                             int side, treb_error *error)
{
    const SolvedSlice *slice;
    treb_status status = TREB_OK;
    for (size_t u = 0; u < job->groups.count && status == TREB_OK && !job_stopping(job); u++) {
        const SliceGroup *group = &job->groups.group[u];
        status = finished_read(files, group, side, provider, &slice, error);
        if (status == TREB_OK)
            status = store_put(job->table, group->number, slice, 1u << side, error);
        if (status == TREB_OK) status = put_dtm50(job, group, slice, side, error);
        if (job->options->progress) atomic_fetch_add(&job->options->progress->done, group->lanes);
    }
    return status;
}

/* Reads the sides that other tables need. A side that the files do not have comes after the other one, to which its
 * moves lead. */
static treb_status read_table(TableJob *job, treb_error *error)
{
    const unsigned sides = wanted_sides(job->step->parents);
    const SliceProvider provider = store_provider(job->gen->store);
    FinishedTable *files;
    treb_error second; /* of an operation after the first error */
    treb_status status =
        finished_open(generate_finished_folder(job->options), &job->layout, job->options->metrics,
                      job->step->promoted, job->options->processes, &job->gen->budget, &files, error);
    if (status != TREB_OK) return status;
    job->table = store_begin(job->gen->store, &job->layout, job->step->parents, job->step->promoted, NULL, false,
                             NULL, error);
    if (job->table == NULL) status = error->status;
    if (status == TREB_OK && job->gen->store50 != NULL) {
        job->table50 = store_begin(job->gen->store50, &job->layout, job->step->parents, job->step->promoted, NULL,
                                   false, NULL, error);
        if (job->table50 == NULL) status = error->status;
    }
    for (int late = 0; late < 2; late++)
        for (int side = 0; side < 2 && status == TREB_OK; side++)
            if (sides >> side & 1 && (job->step->moves[side] == MOVES_ALL) == (late == 1))
                status = read_side(job, files, &provider, side, error);
    finished_close(files);
    const bool complete = status == TREB_OK && !job_stopping(job);
    treb_status closed = close_store(job, complete, complete ? error : &second);
    return complete ? closed : status;
}

static treb_status job_read(TableJob *job, treb_error *error)
{
    const double start = omp_get_wtime();
    context_share_memory(job->gen, job->step, &job->layout, 1);
    set_phase(job, GENERATE_READ);
    if (job->options->progress)
        atomic_store(&job->options->progress->all,
                     job->layout.index.slices * (unsigned)bit_count(wanted_sides(job->step->parents)));
    treb_status status = read_table(job, error);
    job->report->seconds[GENERATE_READ] += omp_get_wtime() - start;
    return status;
}

treb_status job_run(GenContext *gen, const GenerateStep *step, GenerateReport *report,
                    treb_error *error)
{
    TableJob job = {.gen = gen, .options = gen->options, .step = step, .report = report};
    double start = omp_get_wtime();
    memset(report, 0, sizeof *report);
    if (!layout_init(&job.layout, &step->material)) return fail_memory(error);
    bool listed = slice_groups_list(&job.groups, &job.layout);
    treb_status status = listed ? TREB_OK : fail_memory(error);
    if (status == TREB_OK)
        status = step->read ? job_read(&job, error) : solve_table(&job, error);
    slice_groups_free(&job.groups);
    layout_free(&job.layout);
    budget_trim(&gen->budget);
    report->total = omp_get_wtime() - start;
    return status == STOPPED ? TREB_OK : status;
}
