/* table_job.h - the work on one table, for job.c and checkpoint.c. */
#ifndef TREB_GEN_TABLE_JOB_H
#define TREB_GEN_TABLE_JOB_H

#include "core/system/error.h"
#include "core/system/stop.h"
#include "gen/context.h"
#include "gen/report.h"
#include "gen/sink.h"
#include "gen/write/dtm50_writer.h"
#include "gen/solve/slice_group.h"

/* Where and how a table is saved while it is made: see checkpoint.h. */
typedef struct Checkpoint {
    bool persistent; /* the table is saved; if not, nothing below is used */
    bool mid_slice;  /* it is saved in the middle of slices too, because they take long */
    /* Of the file that says how far the table is; it begins the paths of the other saved files. */
    char path[SCRATCH_PATH];
    SolverSaver saver;
    double saved;        /* wall time of the last save */
    uint64_t generation; /* number of the last save, if several processes solve the table */
    bool log_saved;      /* what was saved refers to the log of the solver */
    bool solving;        /* when resumed: the group that comes next was begun, */
    State state;         /* and this is the state of its solver */
} Checkpoint;

typedef struct TableJob {
    GenContext *gen;
    const GenerateOptions *options;
    const GenerateStep *step;
    GenerateReport *report;
    Layout layout;
    SliceGroups groups; /* all slices, in the order in which they are solved */
    size_t first;       /* the group that comes next: all before it are solved */
    SolverPool *pool;
    int solvers;       /* number of solvers of the pool that work side by side */
    StoreTable *table; /* NULL: what other tables need of it is complete */
    StoreTable *table50; /* likewise, of GenContext.store50 */
    Profiles *profiles;  /* of DTM50 */
    Dtm50Writer *writer50;
    Sink sink;
    Checkpoint checkpoint;
} TableJob;

static inline bool job_stopping(const TableJob *job) { return stop_asked(job->options->stop); }

/* The processes that solve the table together; NULL: this process alone. */
static inline const Processes *job_processes(const TableJob *job)
{
    return job->step->divided ? job->options->processes : NULL;
}

/* The processes if each keeps only its own planes of solved slices; NULL: all are brought to every process. */
static inline const Processes *job_partitioned(const TableJob *job)
{
    return processes_partitioned(job_processes(job), &job->layout, job->step->parents);
}

/* Whether `own` is true in all processes. Collective. */
static inline bool job_all_agree(const TableJob *job, bool own)
{
    const Processes *processes = job_processes(job);
    return processes != NULL ? processes->all_min(processes->context, own) == 1 : own;
}

/* Opens the sink and the tables of the stores; with `state` as an earlier run has put them. */
static inline treb_status job_open_sink(TableJob *job, State *state, treb_error *error)
{
    const char *path = job->checkpoint.persistent ? job->checkpoint.path : NULL;
    return sink_open(&job->sink, job->gen, job->step, &job->layout, job_processes(job), path, state,
                     error);
}

static inline treb_status job_open_table(TableJob *job, State *state, treb_error *error)
{
    job->table = store_begin(job->gen->store, &job->layout, job->step->parents, NULL,
                             job_partitioned(job), job->checkpoint.persistent, state, error);
    if (job->table == NULL) return error->status;
    if (job->gen->store50 == NULL) return TREB_OK;
    job->table50 = store_begin(job->gen->store50, &job->layout, job->step->parents, NULL, NULL,
                               job->checkpoint.persistent, state, error);
    return job->table50 != NULL ? TREB_OK : error->status;
}

/* Opens the writer of the DTM50 file, if there will be one, and its lists. */
static inline treb_status job_open_dtm50(TableJob *job, State *state, treb_error *error)
{
    if (job->gen->store50 == NULL) return TREB_OK;
    WriteOptions options = sink_write_options(job->gen);
    options.path = job->checkpoint.persistent ? job->checkpoint.path : NULL;
    job->profiles = profiles_new(&job->gen->budget, state);
    if (job->profiles == NULL) return fail_memory(error);
    if (!job->step->write) return TREB_OK;
    job->writer50 = dtm50_writer_new(&job->layout, &options, job->profiles, state, error);
    return job->writer50 != NULL ? TREB_OK : error->status;
}

/* Frees them, and leaves no file. */
static inline void job_abort_dtm50(TableJob *job)
{
    dtm50_writer_abort(job->writer50);
    job->writer50 = NULL;
    profiles_free(job->profiles);
    job->profiles = NULL;
}

#endif
