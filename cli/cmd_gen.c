/* cmd_gen.c - trebuchet gen and trebuchet-mpi gen: make tables; trebuchet export: makes Syzygy's files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/estimate.h"
#include "cli/folders.h"
#include "cli/gen_options.h"
#include "cli/gen_progress.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "core/format/table_bundle.h"
#include "core/system/error.h"
#include "core/system/tool.h"

typedef struct GenRun {
    const char *command;
    bool stats;
    GenProgress *progress;
    const GeneratePlan *plan;
    uint64_t positions[WDL_VALUES], bytes;
    double solving, writing, total;
    size_t tables;
    uint32_t longest;
    treb_metric metric;
    char longest_fen[TABLE_FEN_SIZE], longest_name[MATERIAL_NAME_SIZE];
} GenRun;

/* Remembers the longest win of all tables, by DTM if it is made, else by DTZ. */
static void note_longest(GenRun *run, size_t step, const TableStatistics *t)
{
    for (int side = 0; side < 2; side++)
        for (int v = TREB_CURSED_WIN; v <= TREB_WIN; v++) {
            if (t->longest[run->metric][side][v] <= run->longest) continue;
            run->longest = t->longest[run->metric][side][v];
            strcpy(run->longest_fen, t->fen[run->metric][side][v]);
            material_name(&run->plan->step[step].material, run->longest_name);
        }
}

/* Prints how many bytes and messages the processes sent to each other, for --stats. */
static void print_traffic(const GenerateReport *r)
{
    const ProcessTraffic *t = &r->traffic, *w = &r->writing;
    char sent[16], most[16], gathered[16], written[16], sets[16], solving[16], largest[16];
    cli_format_size(t->bytes - t->gathered, sent);
    cli_format_size(t->most, most);
    cli_format_size(t->gathered, gathered);
    cli_format_size(w->bytes, written);
    cli_format_size(r->sets, sets);
    cli_format_size(r->largest[0], solving);
    cli_format_size(r->largest[1], largest);
    printf("          %" PRIu64 " plies, %s sent, at most %s by a process in a ply; %s gathered\n"
           "          %" PRIu64 " messages; %.2f s waiting, summed over processes\n"
           "          to write files: %s in %" PRIu64 " messages, %.2f s waiting\n"
           "          sets of positions: up to %s in a process; memory of the largest process: %s "
           "after solving, %s at the end\n",
           t->plies, sent, most, gathered, t->messages, 1e-6 * (double)t->waiting, written,
           w->messages, 1e-6 * (double)w->waiting, sets, solving, largest);
    fflush(stdout);
}

static void on_step(void *context, size_t step, const GenerateReport *r)
{
    GenRun *run = context;
    if (run->progress) gen_progress_step(run->progress, step, r);
    run->solving += r->seconds[GENERATE_SOLVE];
    run->writing += generate_writing(r);
    run->total += r->total;
    if (!run->plan->step[step].write) return;
    run->tables++;
    for (int m = 0; m <= TREB_DTM50; m++) run->bytes += r->result.file_size[m];
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++)
            run->positions[v] += r->result.statistics.count[side][v];
    note_longest(run, step, &r->result.statistics);
    if (run->stats && r->traffic.plies > 0) print_traffic(r);
}

static void print_summary(const GenRun *run)
{
    static const char *const names[WDL_VALUES] = {"losses", "blessed losses", "draws",
                                                  "cursed wins", "wins"};
    char text[32], size[16];
    cli_format_size(run->bytes, size);
    printf("\n%zu table%s, %s, %.1f s", run->tables, run->tables == 1 ? "" : "s", size, run->total);
    printf(" (solving %.1f, writing %.1f, summed over threads)\n", run->solving, run->writing);
    for (int v = TREB_WIN; v >= 0; v--) {
        if (run->positions[v] == 0) continue;
        cli_format_count(run->positions[v], text);
        printf("%18s %s\n", text, names[v]);
    }
    if (run->longest)
        printf("longest win: %u %s (%s) in %s: %s\n", run->longest,
               cli_plural(run->longest, "ply", "plies"), table_metric_name(run->metric),
               run->longest_name, run->longest_fen);
}

/* Prints the last JSON object, the summary. */
static int print_done(const GenRun *run)
{
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:o}", "event", "done", "tables", (json_int_t)run->tables,
                  "bytes", (json_int_t)run->bytes, "total_s", cli_json_real(run->total, 3));
    return cli_json_line(run->command, object);
}

/* Reports a failure and, in trebuchet-mpi, ends the other processes. Returns CLI_FAILED: a missing table
 * is not a special case here. */
static int gen_failed(const GenArgs *args, const treb_error *error)
{
    if (args->plan_sent) args->processes->end_job(args->processes->context, error->text);
    cli_fail(args->command, error);
    return CLI_FAILED;
}

/* Writes the path of the folder of a process. Returns false if it has none: the first process has one
 * only with --scratch. */
static bool process_folder(const GenArgs *args, int process, char *path, size_t size)
{
    if (args->processes == NULL || (process == 0 && args->scratch == NULL)) return false;
    const char *where = args->scratch != NULL ? args->scratch : args->tables;
    snprintf(path, size, "%.4100s/%srank-%d", where, args->scratch != NULL ? "" : ".", process);
    return true;
}

/* Creates the folder of this process, if it has one, and makes it the folder for scratch files. Returns
 * false after reporting a failure. */
static bool create_own_folder(GenArgs *args)
{
    static char path[4200];
    args->tables = args->options.directory;
    if (!process_folder(args, args->processes != NULL ? args->processes->index : 0, path,
                        sizeof path))
        return true;
    args->options.scratch = path;
    if (args->processes->index > 0) args->options.directory = path;
    return cli_make_folder(args->command, path);
}

/* Removes the folder of this process. The first process also removes those of an earlier run with more
 * processes, if it can see them. */
static void remove_folders(const GenArgs *args)
{
    const GenerateOptions *o = &args->options;
    const int own = args->processes != NULL ? args->processes->index : 0;
    char path[4200];
    if (args->processes == NULL || o->keep_scratch) return;
    for (int i = own; i < PROCESSES_MAX; i++)
        if ((i == own || (own == 0 && i >= args->processes->count)) &&
            process_folder(args, i, path, sizeof path))
            generate_drop_scratch(path, o->metrics >> TREB_DTM & 1);
}

/* Sends the plan to the other processes. NULL: there is nothing to do. */
static void send_plan(GenArgs *args, const GeneratePlan *plan)
{
    const Processes *processes = args->processes;
    uint64_t steps = plan != NULL ? plan->steps : 0;
    processes->broadcast(processes->context, &steps, sizeof steps);
    if (steps > 0) processes->broadcast(processes->context, plan->step, steps * sizeof *plan->step);
    args->plan_sent = true;
}

static int say_nothing_to_do(const GenArgs *args, const GeneratePlan *plan)
{
    char name[MATERIAL_NAME_SIZE];
    if (cli_json_wanted()) return print_done(&(GenRun){.command = args->command, .plan = plan});
    if (args->quiet) return CLI_OK;
    if (args->options.only == NULL) {
        printf("all these tables are in %s already\n", args->options.directory);
        return CLI_OK;
    }
    material_name(args->options.only, name);
    printf("%s is in %s already\n", name, args->options.directory);
    return CLI_OK;
}

/* Returns false after reporting that --only names a table that is neither in the list nor needed for
 * it. */
static bool knows_only(const GenArgs *args, const Estimate *e)
{
    const GenerateOptions *o = &args->options;
    char name[MATERIAL_NAME_SIZE];
    if (o->only == NULL || e->plan.steps > 0 ||
        generate_complete(o->directory, o->only, o->metrics))
        return true;
    material_name(o->only, name);
    cli_error(args->command,
              "--only %s: this is not one of the tables named, and they do not need it", name);
    return false;
}

static int run_plan(GenArgs *args, const GeneratePlan *plan)
{
    GenerateProgress state = {0};
    GenerateOptions *o = &args->options;
    GenRun run = {.command = args->command,
                  .stats = args->stats,
                  .plan = plan,
                  .metric = o->metrics >> TREB_DTM & 1 ? TREB_DTM : TREB_DTZ};
    treb_error error;
    bool stopped;
    int style = cli_json_wanted() ? GEN_PROGRESS_JSON
                : args->quiet     ? GEN_PROGRESS_QUIET
                                  : GEN_PROGRESS_LINES;
    if (args->processes == NULL) o->stop = cli_catch_signals();
    if (args->processes != NULL) send_plan(args, plan);
    o->progress = &state;
    run.progress = gen_progress_start(args->command, style, plan, o, args->quiet);
    treb_status status = generate_run(o, plan, on_step, &run, &stopped, &error);
    gen_progress_stop(run.progress);
    if (status != TREB_OK) return gen_failed(args, &error);
    remove_folders(args);
    if (stopped) {
        cli_error(args->command, "stopped; the same command continues, even within a large table");
        return CLI_STOPPED;
    }
    if (style == GEN_PROGRESS_JSON) return print_done(&run);
    if (run.total > 0 && style != GEN_PROGRESS_QUIET) print_summary(&run);
    return run.total > 0 ? CLI_OK : say_nothing_to_do(args, plan);
}

/* Returns false after reporting that the files do not fit on the disk. cli_make_folder reports a folder
 * that is not writable. */
static bool has_disk_space(const GenArgs *args, const Estimate *e)
{
    char why[512];
    const char *folder = args->options.directory;
    if (args->force || !cli_may_write(folder)) return true;
    if (!estimate_disk_refusal(e, &args->options, why, sizeof why)) return true;
    cli_error(args->command,
              "this %s: name another folder%s, or start anyway with --force; finished tables are "
              "kept, and the same command continues",
              why, args->options.syzygy ? "" : ", or fewer metrics with --metric");
    return false;
}

/* Writes the file for browsers (--web). Returns the exit code. */
static int write_bundle(const GenArgs *args)
{
    size_t count;
    treb_error error;
    treb_status status = table_bundle_write(args->options.directory, &count, &error);
    if (status != TREB_OK) return gen_failed(args, &error);
    if (!args->quiet && !cli_json_wanted())
        printf("%s/%s lists %zu tables\n", args->options.directory, TABLE_BUNDLE_NAME, count);
    return CLI_OK;
}

static int gen_with(GenArgs *args)
{
    Estimate e;
    treb_error error;
    GenerateOptions *o = &args->options;
    if (args->materials == 0) return write_bundle(args); /* --web alone */
    if (estimate_make(o, args->material, args->materials, &e, &error) != TREB_OK)
        return gen_failed(args, &error);
    int code = CLI_OK;
    if (!knows_only(args, &e)) {
        estimate_free(&e);
        return CLI_FAILED;
    }
    if (args->estimate && e.plan.steps > 0) estimate_pace(&e, o);
    treb_status status = args->estimate ? TREB_OK : generate_plan_check(&e.plan, o, &error);
    if (args->estimate && cli_json_wanted())
        code = cli_json_answer(args->command, estimate_json(&e, o));
    else if (args->estimate)
        estimate_print(&e, o);
    else if (e.plan.steps == 0)
        code = say_nothing_to_do(args, &e.plan);
    else if (status != TREB_OK)
        code = gen_failed(args, &error);
    else
        code = has_disk_space(args, &e) && cli_make_folder(args->command, o->directory) &&
                       create_own_folder(args)
                   ? run_plan(args, &e.plan)
                   : CLI_FAILED;
    if (code == CLI_OK && args->web && !args->estimate) code = write_bundle(args);
    estimate_free(&e);
    return code;
}

static int gen_end(GenArgs *args, int code)
{
    free(args->material);
    free(args->words);
    return cli_finish(args->command, code);
}

static void on_nothing(void *context, size_t step, const GenerateReport *r)
{
    (void)context, (void)step, (void)r;
}

/* In all processes but the first: carries out the plan of the first. */
static int gen_follow(GenArgs *args)
{
    const Processes *processes = args->processes;
    GeneratePlan plan = {0};
    uint64_t steps;
    treb_error error;
    bool stopped;
    processes->broadcast(processes->context, &steps, sizeof steps);
    if (steps == 0) return CLI_OK;
    args->plan_sent = true;
    plan.steps = steps;
    plan.step = malloc(steps * sizeof *plan.step);
    if (plan.step == NULL) processes->end_job(processes->context, "out of memory");
    processes->broadcast(processes->context, plan.step, steps * sizeof *plan.step);
    if (!create_own_folder(args))
        processes->end_job(processes->context, "it has no folder for scratch files");
    treb_status status = generate_run(&args->options, &plan, on_nothing, NULL, &stopped, &error);
    if (status != TREB_OK) gen_failed(args, &error);
    remove_folders(args);
    generate_plan_free(&plan);
    return CLI_OK;
}

static int gen_run(GenArgs *args)
{
    CliDirs dirs;
    gen_choose_folder(&args->options.directory, &dirs);
    int code = CLI_FAILED;
    if (args->processes != NULL && args->processes->index > 0)
        code = gen_follow(args);
    else if (!cli_refuse_addresses("gen", &dirs))
        code = gen_with(args);
    cli_dirs_free(&dirs);
    return code;
}

int cli_gen(int argc, char **argv)
{
    GenArgs args = {.command = "gen", .options = gen_defaults};
    int code = gen_parse(&args, argc, argv);
    return gen_end(&args, code < 0 ? gen_run(&args) : code);
}

int cli_gen_mpi(int argc, char **argv, Processes *processes)
{
    GenArgs args = {.command = "gen", .options = gen_defaults, .processes = processes};
    int code = -1;
    processes->pieces = 2;
    args.options.processes = processes;
    /* Only the first process reports errors on the command line. */
    if (processes->index == 0) code = gen_parse_mpi(&args, argc, argv);
    processes->broadcast(processes->context, &code, sizeof code);
    if (code >= 0) return gen_end(&args, code);
    if (processes->index > 0 && gen_parse_mpi(&args, argc, argv) >= 0)
        processes->end_job(processes->context,
                           "its arguments differ from those of the first process");
    code = gen_run(&args);
    if (processes->index == 0 && !args.plan_sent) send_plan(&args, NULL);
    return gen_end(&args, code);
}

/* Finds the folder of our own tables; without --tables there may be none. Returns false after reporting
 * that the named one cannot be used. */
static bool export_choose_folder(GenArgs *args, CliDirs *dirs)
{
    const char **folder = &args->options.finished;
    const bool named = *folder != NULL;
    treb_error error;
    gen_choose_folder(folder, dirs);
    if (named && cli_refuse_addresses("export", dirs)) return false;
    if (tool_may(*folder, TOOL_EXISTS)) return true;
    if (!named) {
        *folder = NULL;
        return true;
    }
    fail_errno(&error, "open", *folder);
    cli_fail("export", &error);
    return false;
}

int cli_export(int argc, char **argv)
{
    GenArgs args = {.command = "export", .options = {.metrics = 1u << TREB_WDL | 1u << TREB_DTZ}};
    CliDirs dirs = {0};
    int code = gen_parse_export(&args, argc, argv);
    if (code < 0) code = export_choose_folder(&args, &dirs) ? gen_with(&args) : CLI_FAILED;
    cli_dirs_free(&dirs);
    return gen_end(&args, code);
}
