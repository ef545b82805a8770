/* generate.c - see generate.h. */
#include "gen/generate.h"

#include <omp.h>
#include <unistd.h>

#include "core/error.h"
#include "core/stop.h"
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
    scratch_folder_name(&folder, directory, mates);
    scratch_folder_clean(&folder, true);
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

static treb_status run_steps(Works *works, const GeneratePlan *plan, GenerateReporter *report,
                             void *context, bool *stopped, treb_error *error)
{
    const GenerateOptions *options = works->options;
    treb_status status = TREB_OK;
    for (size_t i = 0; i < plan->steps && status == TREB_OK && !*stopped; i++) {
        GenerateReport r;
        const GenerateStep *step = &plan->step[i];
        if (options->progress) {
            atomic_store(&options->progress->done, 0);
            atomic_store(&options->progress->writing.added, 0);
            atomic_store(&options->progress->writing.all, 0);
            atomic_store(&options->progress->table, (int)i);
        }
        if (step_done(works, step)) continue;
        status = job_run(works, step, &r, error);
        *stopped = stop_asked(options->stop);
        if (status == TREB_OK && !*stopped) report(context, i, &r);
    }
    return status;
}

/* What the machine has free may have become less since the plan was found to fit. Where it is more
 * than twice what the plan takes, time counts for more: freed memory is kept, and verdicts. */
static void share_allowed(Works *works, const GeneratePlan *plan)
{
    uint64_t overhead = forecast_overhead(omp_get_max_threads());
    uint64_t allowed = generate_memory_allowed(works->options);
    uint64_t least = overhead, best = overhead;
    for (size_t i = 0; i < plan->steps; i++) {
        const GenerateStep *step = &plan->step[i];
        if (step->memory > least) least = step->memory;
        if (step->memory + step->sets > best) best = step->memory + step->sets;
    }
    ledger_init(&works->ledger, (allowed > least ? allowed : least) - overhead);
    works->ledger.ample = allowed / 2 > best;
    works->keep = works->ledger.ample ? allowed / 4 : 0;
}

treb_status generate_run(const GenerateOptions *options, const GeneratePlan *plan,
                         GenerateReporter *report, void *context, bool *stopped, treb_error *error)
{
    Works works = {.options = options};
    FolderLock lock;
    *stopped = false;
    treb_status status = generate_plan_check(plan, options, error);
    if (status == TREB_OK) status = folder_lock(&lock, options->directory, error);
    if (status != TREB_OK) return status;
    /* What killed runs left unfinished. */
    table_remove_stale(options->directory);
    if (options->scratch != NULL) table_remove_stale(options->scratch);
    /* Threads of a second level would share what belongs to one of the first. */
    int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(1);
    share_allowed(&works, plan);
    works.store = store_new(generate_scratch_folder(options), with_mates(options), &works.ledger);
    status = works.store != NULL ? run_steps(&works, plan, report, context, stopped, error)
                                 : fail_memory(error);
    pools_clear(&works.pools, NULL);
    store_free(works.store, status == TREB_OK && !*stopped && !options->keep_scratch);
    ledger_end(&works.ledger);
    omp_set_max_active_levels(levels);
    folder_unlock(&lock);
    return status;
}
