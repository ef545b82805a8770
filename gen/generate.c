/* generate.c - see generate.h. */
#include "gen/generate.h"

#include <omp.h>
#include <unistd.h>

#include "core/system/error.h"
#include "core/system/stop.h"
#include "core/system/tool.h"
#include "gen/folder.h"
#include "gen/job.h"
#include "gen/memory_estimate.h"
#include "gen/solve/finished.h"
#include "gen/store/scratch_folder.h"

static StoredValues stored_values(const GenerateOptions *options)
{
    return options->metrics >> TREB_DTM & 1 ? STORED_MATES : STORED_VERDICTS;
}

static bool makes_dtm50(const GenerateOptions *options)
{
    return options->metrics >> TREB_DTM50 & 1;
}

bool generate_solved_before(const GenerateStep *step, const GenerateOptions *options)
{
    return !step->write && store_left(generate_scratch_folder(options), stored_values(options),
                                      &step->material, step->parents);
}

uint64_t generate_scratch(const GenerateOptions *options)
{
    ScratchFolder folder;
    scratch_folder_name(&folder, generate_scratch_folder(options), stored_values(options));
    return scratch_folder_bytes(&folder);
}

void generate_drop_scratch(const char *directory, bool mates)
{
    ScratchFolder folder;
    FolderLock lock;
    treb_error error;
    if (!tool_may(directory, TOOL_EXISTS) || folder_lock(&lock, directory, &error) != TREB_OK)
        return;
    scratch_folder_name(&folder, directory, mates ? STORED_MATES : STORED_VERDICTS);
    scratch_folder_clean(&folder, true);
    /* What a killed process left of its own lock goes with it. */
    folder_unlock(&lock);
    tool_remove_folder(directory);
}

/* Whether this process has nothing to do in a step. Either no files are requested and its store has what other tables
 * read; if all processes solve or read the step together, the stores of all must have it. Or the step is only for
 * files, which the first process writes. */
static bool step_done(const GenContext *gen, const GenerateStep *step)
{
    const Processes *processes = gen->options->processes;
    bool done = !step->write && store_has(gen->store, &step->material, step->parents) &&
                (gen->store50 == NULL || store_has(gen->store50, &step->material, step->parents));
    if (processes == NULL) return done;
    if (step->divided || step->read)
        return !step->write && processes->all_min(processes->context, done) == 1;
    return done || (processes->index > 0 && !step->parents);
}

/* Called while another run makes the table. Returns whether to stop waiting. */
static bool stop_waiting(void *context)
{
    const GenContext *gen = context;
    const GenerateOptions *options = gen->options;
    if (options->progress) atomic_store(&options->progress->waiting, true);
    return stop_asked(options->stop);
}

/* Makes a table in a folder that several runs share. When this run gets the table's lock, another may have made it. */
static treb_status run_shared(GenContext *gen, const FolderLock *folder, GenerateStep *step,
                              GenerateReport *report, bool *done, treb_error *error)
{
    const GenerateOptions *options = gen->options;
    LockFile table;
    treb_status status =
        folder_lock_table(folder, &step->material, &table, stop_waiting, gen, error);
    if (options->progress) atomic_store(&options->progress->waiting, false);
    if (status != TREB_OK) return status;
    if (step->write)
        step->write = !generate_complete(options->directory, &step->material, options->metrics);
    *done = step_done(gen, step);
    if (!*done) status = job_run(gen, step, report, error);
    folder_unlock_table(&table);
    return status;
}

/* Compares the checksums of all files that will be read, before anything is solved. */
static treb_status check_files(const GenerateOptions *options, const GeneratePlan *plan,
                               treb_error *error)
{
    const unsigned mates = options->metrics & 1u << TREB_DTM;
    treb_status status = TREB_OK;
    if (options->processes != NULL && options->processes->index > 0) return TREB_OK;
    for (size_t i = 0; i < plan->steps && status == TREB_OK && !stop_asked(options->stop); i++)
        if (plan->step[i].read)
            status = finished_check(generate_finished_folder(options), &plan->step[i].material,
                                    mates, error);
    return status;
}

static treb_status run_steps(GenContext *gen, const FolderLock *folder, const GeneratePlan *plan,
                             GenerateReporter *report, void *context, bool *stopped,
                             treb_error *error)
{
    const GenerateOptions *options = gen->options;
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
        if (step_done(gen, step)) continue;
        if (options->shared)
            status = run_shared(gen, folder, step, &r, &done, error);
        else
            status = job_run(gen, step, &r, error);
        if (status == STOPPED) status = TREB_OK;
        *stopped = stop_asked(options->stop);
        if (status == TREB_OK && !*stopped && !done) report(context, i, &r);
    }
    return status;
}

/* Sets the memory of the run. The machine may have less free memory now than when the plan was checked. If it has
 * more than twice what the plan takes, memory is used to save time: freed memory is kept, and cells wait in memory. */
static void set_memory(GenContext *gen, const GeneratePlan *plan)
{
    uint64_t overhead = memory_estimate_overhead(omp_get_max_threads());
    uint64_t allowed = generate_memory_allowed(gen->options);
    uint64_t least = overhead;
    for (size_t i = 0; i < plan->steps; i++)
        if (plan->step[i].memory > least) least = plan->step[i].memory;
    budget_init(&gen->budget, (allowed > least ? allowed : least) - overhead);
    gen->budget.plentiful = allowed / 2 > generate_plan_fast(plan);
    gen->waiting_bytes = gen->budget.plentiful ? allowed / 4 : 0;
}

/* Removes what killed runs left unfinished. No other run may be in the folder. */
static void remove_leftovers(const GenerateOptions *options)
{
    ScratchFolder folder;
    table_remove_stale(options->directory);
    if (options->scratch != NULL) table_remove_stale(options->scratch);
    scratch_folder_name(&folder, generate_scratch_folder(options), stored_values(options));
    scratch_folder_clean(&folder, false);
}

static treb_status lock_folder(FolderLock *folder, const GenerateOptions *options,
                               treb_error *error)
{
    if (!options->shared) {
        treb_status status = folder_lock(folder, options->directory, error);
        if (status == TREB_OK) remove_leftovers(options);
        return status;
    }
    bool alone;
    treb_status status = folder_join(folder, options->directory, &alone, error);
    if (status != TREB_OK || !alone) return status;
    remove_leftovers(options);
    return folder_share(folder, error);
}

static bool is_wanted(void *context, const Material *material)
{
    return generate_plan_has(context, material);
}

/* Removes the scratch files that no missing table of the list will read. */
static void drop_scratch(const GenerateOptions *options, const GeneratePlan *plan)
{
    ScratchFolder folder;
    GeneratePlan missing = {0};
    treb_error error;
    if (options->keep_scratch) return;
    if (options->shared &&
        generate_list(options, plan->material, plan->materials, &missing, &error) != TREB_OK)
        return; /* another run will do it */
    scratch_folder_name(&folder, generate_scratch_folder(options), stored_values(options));
    if (missing.steps > 0)
        scratch_folder_keep(&folder, is_wanted, &missing);
    else
        scratch_folder_clean(&folder, true);
    generate_plan_free(&missing);
}

treb_status generate_run(const GenerateOptions *options, const GeneratePlan *plan,
                         GenerateReporter *report, void *context, bool *stopped, treb_error *error)
{
    GenContext gen = {.options = options};
    FolderLock folder;
    *stopped = false;
    treb_status status = generate_plan_check(plan, options, error);
    if (status == TREB_OK) status = lock_folder(&folder, options, error);
    if (status != TREB_OK) return status;
    /* Threads of a second level would share data that belong to one thread of the first. */
    int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(1);
    set_memory(&gen, plan);
    gen.store = store_new(generate_scratch_folder(options), stored_values(options), &gen.budget);
    if (makes_dtm50(options))
        gen.store50 = store_new(generate_scratch_folder(options), STORED_MATES50, &gen.budget);
    const bool stores = gen.store != NULL && (gen.store50 != NULL || !makes_dtm50(options));
    status = stores ? check_files(options, plan, error) : fail_memory(error);
    if (status == TREB_OK)
        status = run_steps(&gen, &folder, plan, report, context, stopped, error);
    pools_clear(&gen.pools, NULL);
    store_free(gen.store);
    store_free(gen.store50);
    if (status == TREB_OK && !*stopped) drop_scratch(options, plan);
    budget_end(&gen.budget);
    omp_set_max_active_levels(levels);
    folder_unlock(&folder);
    return status;
}
