/* generate.c - see generate.h. */
#include "gen/generate.h"

#include <omp.h>
#include <unistd.h>

#include "core/system/error.h"
#include "core/system/stop.h"
#include "gen/folder.h"
#include "gen/forecast.h"
#include "gen/job.h"
#include "gen/store/scratch_folder.h"

static const uint64_t saved_cells = UINT64_C(3000000000); /* of tables that take long */

bool generate_saved(const GenerateStep *step, const GenerateOptions *o)
{
    return !o->syzygy && (o->save_seconds > 0 || step->cells > saved_cells);
}

static bool with_mates(const GenerateOptions *options) { return options->metrics >> TREB_DTM & 1; }

bool generate_solved_before(const GenerateStep *step, const GenerateOptions *options)
{
    return !step->write && store_left(generate_scratch_folder(options), with_mates(options),
                                      &step->material, step->parents);
}

uint64_t generate_scratch(const GenerateOptions *options)
{
    ScratchFolder folder;
    scratch_folder_name(&folder, generate_scratch_folder(options), with_mates(options));
    return scratch_folder_bytes(&folder);
}

void generate_drop_scratch(const char *directory, bool mates)
{
    ScratchFolder folder;
    FolderLock lock;
    treb_error error;
    if (access(directory, F_OK) != 0 || folder_lock(&lock, directory, &error) != TREB_OK) return;
    scratch_folder_name(&folder, directory, mates);
    scratch_folder_clean(&folder, true);
    /* With that goes what a killed rank left of its own lock. */
    folder_unlock(&lock);
    rmdir(directory);
}

/* Whether a rank has nothing to do: its store has what is wanted, that of all ranks if they would solve together; or
 * files alone are wanted, which are the first rank's. */
static bool step_done(const Works *works, const GenerateStep *step)
{
    const Ranks *ranks = works->options->ranks;
    bool done = !step->write && store_has(works->store, &step->material, step->parents);
    if (ranks == NULL) return done;
    if (step->divided) return !step->write && ranks->least(ranks->context, done) == 1;
    return done || (ranks->rank > 0 && !step->parents);
}

/* While another run makes the table. */
static bool keep_waiting(void *context)
{
    const Works *works = context;
    const GenerateOptions *options = works->options;
    if (options->progress) atomic_store(&options->progress->waiting, true);
    return stop_asked(options->stop);
}

/* One of several runs in a folder: by the time that it has the table's lock, another may have made it. */
static treb_status run_shared(Works *works, const FolderLock *folder, GenerateStep *step,
                              GenerateReport *report, bool *done, treb_error *error)
{
    const GenerateOptions *options = works->options;
    LockFile table;
    treb_status status =
        folder_lock_table(folder, &step->material, &table, keep_waiting, works, error);
    if (options->progress) atomic_store(&options->progress->waiting, false);
    if (status != TREB_OK) return status;
    if (step->write)
        step->write = !generate_complete(options->directory, &step->material, options->metrics);
    *done = step_done(works, step);
    if (!*done) status = job_run(works, step, report, error);
    folder_unlock_table(&table);
    return status;
}

static treb_status run_steps(Works *works, const FolderLock *folder, const GeneratePlan *plan,
                             GenerateReporter *report, void *context, bool *stopped,
                             treb_error *error)
{
    const GenerateOptions *options = works->options;
    treb_status status = TREB_OK;
    for (size_t i = 0; i < plan->steps && status == TREB_OK && !*stopped; i++) {
        GenerateReport r;
        GenerateStep *step = &plan->step[i];
        bool done = false;
        if (options->progress) {
            atomic_store(&options->progress->done, 0);
            atomic_store(&options->progress->writing.added, 0);
            atomic_store(&options->progress->writing.all, 0);
            atomic_store(&options->progress->table, (int)i);
        }
        if (step_done(works, step)) continue;
        if (options->shared)
            status = run_shared(works, folder, step, &r, &done, error);
        else
            status = job_run(works, step, &r, error);
        if (status == STOPPED) status = TREB_OK;
        *stopped = stop_asked(options->stop);
        if (status == TREB_OK && !*stopped && !done) report(context, i, &r);
    }
    return status;
}

/* What the machine has free may have become less since the plan was found to fit. Where it is more
 * than twice what the plan takes, time counts for more: freed memory is kept, and verdicts. */
static void share_allowed(Works *works, const GeneratePlan *plan)
{
    uint64_t overhead = forecast_overhead(omp_get_max_threads());
    uint64_t allowed = generate_memory_allowed(works->options);
    uint64_t least = overhead;
    for (size_t i = 0; i < plan->steps; i++)
        if (plan->step[i].memory > least) least = plan->step[i].memory;
    ledger_init(&works->ledger, (allowed > least ? allowed : least) - overhead);
    works->ledger.ample = allowed / 2 > generate_plan_fast(plan);
    works->keep = works->ledger.ample ? allowed / 4 : 0;
}

/* What killed runs left unfinished. Nobody else is in the folder. */
static void tidy(const GenerateOptions *options)
{
    ScratchFolder folder;
    table_remove_stale(options->directory);
    if (options->scratch != NULL) table_remove_stale(options->scratch);
    scratch_folder_name(&folder, generate_scratch_folder(options), with_mates(options));
    scratch_folder_clean(&folder, false);
}

static treb_status enter(FolderLock *folder, const GenerateOptions *options, treb_error *error)
{
    if (!options->shared) {
        treb_status status = folder_lock(folder, options->directory, error);
        if (status == TREB_OK) tidy(options);
        return status;
    }
    bool alone;
    treb_status status = folder_join(folder, options->directory, &alone, error);
    if (status != TREB_OK || !alone) return status;
    tidy(options);
    return folder_share(folder, error);
}

static bool is_wanted(void *context, const Material *material)
{
    return generate_plan_has(context, material);
}

/* Removes scratch files, as far as no missing table of the list wants them. */
static void drop_scratch(const GenerateOptions *options, const GeneratePlan *plan)
{
    ScratchFolder folder;
    GeneratePlan missing = {0};
    treb_error error;
    if (options->keep_scratch) return;
    if (options->shared &&
        generate_list(options, plan->material, plan->materials, &missing, &error) != TREB_OK)
        return; /* the next does it */
    scratch_folder_name(&folder, generate_scratch_folder(options), with_mates(options));
    if (missing.steps > 0)
        scratch_folder_keep(&folder, is_wanted, &missing);
    else
        scratch_folder_clean(&folder, true);
    generate_plan_free(&missing);
}

treb_status generate_run(const GenerateOptions *options, const GeneratePlan *plan,
                         GenerateReporter *report, void *context, bool *stopped, treb_error *error)
{
    Works works = {.options = options};
    FolderLock folder;
    *stopped = false;
    treb_status status = generate_plan_check(plan, options, error);
    if (status == TREB_OK) status = enter(&folder, options, error);
    if (status != TREB_OK) return status;
    /* Threads of a second level would share what belongs to one of the first. */
    int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(1);
    share_allowed(&works, plan);
    works.store = store_new(generate_scratch_folder(options), with_mates(options), &works.ledger);
    status = works.store != NULL ? run_steps(&works, &folder, plan, report, context, stopped, error)
                                 : fail_memory(error);
    pools_clear(&works.pools, NULL);
    store_free(works.store);
    if (status == TREB_OK && !*stopped) drop_scratch(options, plan);
    ledger_end(&works.ledger);
    omp_set_max_active_levels(levels);
    folder_unlock(&folder);
    return status;
}
