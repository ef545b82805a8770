/* checkpoint.c - see checkpoint.h. */
#include "gen/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/spill_file.h"
#include "core/system/system.h"
#include "gen/solve/partition.h"

/* Seconds between two saves, if the options say nothing else. */
static const double saved_seconds = 240;
/* Cells of a slice that is saved while it is solved. Smaller slices are solved within seconds, and writing the logs to
 * a file for each of them would take longer than solving it. */
static const uint64_t saved_slice = 1000000000;
static const uint64_t saved_mark = UINT64_C(0x3744455641535254); /* "TRSAVED" and a version */

/* ---- Saving ---------------------------------------------------------------------------------- */

/* What the run that saves and the run that resumes must have in common. */
static void put_key(const TableJob *job, State *state)
{
    const GenerateOptions *o = job->options;
    const uint64_t key[] = {o->metrics,
                            (uint64_t)o->codec,
                            o->classes,
                            o->large,
                            (uint64_t)o->bounds,
                            (uint64_t)o->subset_men,
                            (uint64_t)o->level,
                            (uint64_t)o->effort,
                            o->wide,
                            job->step->parents,
                            job->step->write,
                            job->checkpoint.mid_slice,
                            sizeof(SolvedSlice)};
    state_put_bytes(state, &job->step->material, sizeof job->step->material);
    state_put_bytes(state, key, sizeof key);
    const Processes *processes = job_processes(job);
    if (processes == NULL) return;
    state_put(state, (uint64_t)processes->index);
    state_put(state, (uint64_t)processes->count);
    state_put(state, PARTITION_VERSION);
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

/* The path of the state before the last one, if several processes solve the table. */
static void previous_path(const TableJob *job, char *path, size_t size)
{
    snprintf(path, size, "%.4200s-before", job->checkpoint.path);
}

/* Writes a state. When it returns, all processes have written theirs. */
static treb_status write_state(TableJob *job, const State *state, treb_error *error)
{
    const Checkpoint *c = &job->checkpoint;
    char previous[4400];
    previous_path(job, previous, sizeof previous);
    if (job_processes(job) != NULL && !system_rename(c->path, previous) && errno != ENOENT)
        return fail_errno(error, "rename", c->path);
    SpillFile spill;
    treb_status status = spill_begin(&spill, c->path, saved_mark, error);
    if (status == TREB_OK) status = spill_finish(&spill, c->path, state, error);
    if (status == TREB_OK) job_all_agree(job, true);
    return status;
}

/* Saves the groups before job->first, and the state of the solver of this group unless it is NULL. */
static treb_status save(TableJob *job, const Solver *solver, treb_error *error)
{
    Checkpoint *c = &job->checkpoint;
    State state = {0};
    put_key(job, &state);
    if (job_processes(job) != NULL) state_put(&state, ++c->generation);
    state_put(&state, job->first);
    state_put(&state, job->sink.self != NULL);
    treb_status status = sink_put(&job->sink, &state, error);
    if (job->profiles != NULL) profiles_put(job->profiles, &state);
    if (status == TREB_OK && job->writer50 != NULL) status = dtm50_writer_put(job->writer50, &state, error);
    if (status == TREB_OK) status = store_table_put(job->table, &state, error);
    if (status == TREB_OK && job->table50 != NULL) status = store_table_put(job->table50, &state, error);
    state_put(&state, solver != NULL);
    if (solver != NULL) solver_put(solver, &state);
    if (status == TREB_OK) status = write_state(job, &state, error);
    state_free(&state);
    c->saved = omp_get_wtime();
    if (status == TREB_OK) c->log_saved = solver != NULL;
    return status;
}

/* Decides together with all other processes whether to save now: as soon as enough time has passed in one of them.
 * Collective. `solved`: all plies of a slice are done. A table of one slice is then saved earlier, because writing its
 * files takes long; a table of many slices is saved only after the slice is stored. */
static bool decide_together(const TableJob *job, bool solved)
{
    double every = job->options->save_seconds > 0 ? job->options->save_seconds : saved_seconds;
    if (solved) every = job->groups.count == 1 ? every / 4 : HUGE_VAL;
    return !job_all_agree(job, omp_get_wtime() - job->checkpoint.saved < every);
}

static bool decide_for_solver(void *context, bool solved)
{
    return decide_together(context, solved);
}

static treb_status save_with_solver(void *context, const Solver *solver, treb_error *error)
{
    return save(context, solver, error);
}

treb_status checkpoint_init(TableJob *job, treb_error *error)
{
    Checkpoint *c = &job->checkpoint;
    const GenerateStep *step = job->step;
    treb_status status = TREB_OK;
    c->persistent = generate_step_saved(step, job->options);
    if (c->persistent)
        status = store_saved_path(job->gen->store, &step->material, c->path, error);
    /* Solvers side by side solve small slices. */
    c->mid_slice = c->persistent && job->solvers == 1 &&
                   (job->options->save_seconds > 0 || step->cells / step->slices > saved_slice);
    c->saver = (SolverSaver){job, decide_for_solver, save_with_solver};
    c->saved = omp_get_wtime();
    return status;
}

const SolverSaver *checkpoint_saver(const TableJob *job)
{
    return job->checkpoint.mid_slice ? &job->checkpoint.saver : NULL;
}

treb_status checkpoint_save(TableJob *job, treb_error *error) { return save(job, NULL, error); }

treb_status checkpoint_save_if_due(TableJob *job, treb_error *error)
{
    if (!job->checkpoint.persistent || !decide_together(job, false)) return TREB_OK;
    return checkpoint_save(job, error);
}

treb_status checkpoint_release_log(TableJob *job, treb_error *error)
{
    return job->checkpoint.log_saved ? checkpoint_save(job, error) : TREB_OK;
}

/* ---- Resuming -------------------------------------------------------------------------------- */

/* Discards what was loaded: it cannot be used. Returns false. */
static bool discard_checkpoint(TableJob *job)
{
    Checkpoint *c = &job->checkpoint;
    sink_abort(&job->sink);
    job_abort_dtm50(job);
    if (job->table) store_end(job->table, false, NULL);
    if (job->table50) store_end(job->table50, false, NULL);
    job->table = job->table50 = NULL;
    job->first = 0;
    c->solving = c->log_saved = false;
    c->generation = 0;
    state_free(&c->state);
    return false;
}

/* Loads a state. False: there is none, or it is of another job. */
static bool load_state(TableJob *job, const char *path)
{
    State *state = &job->checkpoint.state;
    SpillFile spill;
    treb_error error;
    state_free(state);
    if (spill_open(&spill, path, saved_mark, state, &error) != TREB_OK) return false;
    spill_close(&spill);
    if (!get_key(job, state)) return discard_checkpoint(job);
    if (job_processes(job) != NULL) job->checkpoint.generation = state_get(state);
    return !state->failed || discard_checkpoint(job);
}

/* Loads the last state that all processes have. */
static bool load_together(TableJob *job)
{
    const Processes *processes = job_processes(job);
    Checkpoint *c = &job->checkpoint;
    char previous[4400];
    previous_path(job, previous, sizeof previous);
    bool loaded = load_state(job, c->path) || load_state(job, previous);
    if (processes == NULL) return loaded;
    uint64_t least = processes->all_min(processes->context, loaded ? c->generation : 0);
    /* What this process has saved after that is of no use. */
    if (loaded && c->generation != least)
        loaded =
            load_state(job, previous) && c->generation == least && system_rename(previous, c->path);
    return job_all_agree(job, loaded && least > 0) || discard_checkpoint(job);
}

/* Reads how many groups are solved, and opens what makes files of them. `*stored`: what other tables need is complete
 * already. */
static bool resume_files(TableJob *job, bool *stored)
{
    const GenContext *gen = job->gen;
    const GenerateStep *step = job->step;
    State *state = &job->checkpoint.state;
    treb_error error;
    job->first = state_get_most(state, job->groups.count);
    *stored = job->first == job->groups.count && store_has(gen->store, &step->material, step->parents) &&
              (gen->store50 == NULL || store_has(gen->store50, &step->material, step->parents));
    const bool filed = state_get_most(state, 1);
    if (filed && job_open_sink(job, state, &error) != TREB_OK) return false;
    return job_open_dtm50(job, state, &error) == TREB_OK;
}

/* Opens the tables of the stores, and reads whether a solver has begun the next group. */
static bool resume_table(TableJob *job)
{
    Checkpoint *c = &job->checkpoint;
    treb_error error;
    if (job_open_table(job, &c->state, &error) != TREB_OK) return false;
    /* Solvers side by side have no persistent log: they begin the group again. */
    c->solving = state_get_most(&c->state, 1) && job->solvers == 1;
    c->log_saved = c->solving;
    return !c->state.failed;
}

bool checkpoint_resume(TableJob *job)
{
    bool stored;
    if (!job->checkpoint.persistent || !load_together(job)) return false;
    if (!job_all_agree(job, resume_files(job, &stored))) return discard_checkpoint(job);
    /* If what other tables need is complete in all processes, only the files are left to finish. */
    if (job_all_agree(job, stored)) return true;
    return job_all_agree(job, resume_table(job)) || discard_checkpoint(job);
}
