/* cmd_gen.c - trebuchet gen: make tables; trebuchet export: the same as Syzygy's files. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "cli/estimate.h"
#include "cli/gen_progress.h"
#include "cli/json.h"
#include "cli/options.h"

static const char usage[] =
    "Usage: trebuchet gen [options] MATERIAL... | --men N | --book\n"
    "\n"
    "Makes the tables of the given materials, such as KRPvKR, and of every smaller\n"
    "ending they can turn into. Tables that are already there are kept; a run that\n"
    "was cut short carries on.\n"
    "\n"
    "  -n, --men N          all materials of up to N men\n"
    "  -b, --book           KRPvKR, KQPvKQ, KBNvK, KRvKB and all below them\n"
    "  -m, --metric LIST    wdl,dtz,dtc,dtm or all (default all; wdl is always made)\n"
    "  -t, --tables DIR     where tables go (default: the first of TREBUCHET_PATH, or\n"
    "                       tables)\n"
    "  -j, --threads N      threads (default: one a processor)\n"
    "  -M, --memory SIZE    stay below SIZE, as 2GiB, or refuse (default: 7/8\n"
    "                       of what is free)\n"
    "  -c, --codec CODEC    how cells are packed: symbols (the default: smaller, and\n"
    "                       read one at a time) or zstd (as older readers know it)\n"
    "  -l, --level N        zstd level, 1 to 19, and codec zstd; higher is smaller\n"
    "                       and slower (default: settings of our own, as small as 9\n"
    "                       and half as fast again)\n"
    "  -e, --estimate       say what it would take, and stop\n"
    "      --json           one JSON object a line as tables are made; with\n"
    "                       --estimate one object\n"
    "      --force          begin even if the disk seems to have too little room\n"
    "      --keep-scratch   leave the scratch files, for a later run to use\n"
    "  -q, --quiet          no progress\n"
    "  -h, --help           this text\n";

static const char export_usage[] =
    "Usage: trebuchet export --syzygy DIR [options] MATERIAL... | --men N\n"
    "\n"
    "Makes Syzygy's files, .rtbw and .rtbz, for the engines that read them: of the\n"
    "given materials, such as KRPvKR, and of every smaller ending they can turn into.\n"
    "They are solved on the way, which takes less time than reading our own tables;\n"
    "none need be there. Files that are there are kept; a run that was cut short\n"
    "carries on.\n"
    "\n"
    "  -s, --syzygy DIR     where the files go\n"
    "  -n, --men N          all materials of up to N men\n"
    "  -b, --book           KRPvKR, KQPvKQ, KBNvK, KRvKB and all below them\n"
    "  -x, --exact          DTZ in plies: larger files. Else it is rounded to moves, as\n"
    "                       in Syzygy's own, but where the 50-move rule is near\n"
    "  -j, --threads N      threads (default: one a processor)\n"
    "  -M, --memory SIZE    stay below SIZE, as 2GiB, or refuse (default: 7/8\n"
    "                       of what is free)\n"
    "  -e, --estimate       say what it would take, and stop\n"
    "      --json           one JSON object a line as files are made; with\n"
    "                       --estimate one object\n"
    "      --force          begin even if the disk seems to have too little room\n"
    "      --keep-scratch   leave the scratch files, for a later run to use\n"
    "  -q, --quiet          no progress\n"
    "  -h, --help           this text\n";

typedef struct GenArgs {
    const char *command; /* "gen" or "export" */
    GenerateOptions options;
    Material *material;
    size_t materials;
    bool estimate, quiet, force;
} GenArgs;

static bool add_materials(GenArgs *args, const Material *materials, size_t count)
{
    Material *grown = realloc(args->material, (args->materials + count) * sizeof *grown);
    if (grown == NULL) return cli_no_memory(args->command) == CLI_OK;
    memcpy(grown + args->materials, materials, count * sizeof *grown);
    args->material = grown;
    args->materials += count;
    return true;
}

static bool add_named(GenArgs *args, const char *name)
{
    Material m;
    char canonical[MATERIAL_NAME_SIZE];
    if (!cli_read_material(args->command, name, canonical)) return false;
    material_parse(canonical, &m);
    return add_materials(args, &m, 1);
}

static bool add_men(GenArgs *args, const char *text)
{
    uint64_t men;
    if (!cli_set_number(args->command, "--men", text, 3, TREB_MEN_MAX, &men)) return false;
    for (int n = 3; n <= (int)men; n++) {
        size_t count = material_list(n, NULL, 0);
        Material *list = malloc(count * sizeof *list);
        if (list == NULL) return cli_no_memory(args->command) == CLI_OK;
        material_list(n, list, count);
        bool ok = add_materials(args, list, count);
        free(list);
        if (!ok) return false;
    }
    return true;
}

static bool set_metrics(GenArgs *args, const char *value)
{
    unsigned metrics = cli_parse_metrics(value);
    args->options.metrics = metrics | 1u << TREB_WDL;
    if (metrics == 0)
        cli_error(args->command, "--metric takes a list of wdl, dtz, dtc, dtm, or all, not '%s'",
                  value);
    return metrics != 0;
}

static bool set_number(GenArgs *args, int c, const char *value)
{
    uint64_t number = 0;
    bool threads = c == 'j';
    if (!cli_set_number(args->command, threads ? "--threads" : "--level", value, 1,
                        threads ? 1024 : 19, &number))
        return false;
    if (threads)
        omp_set_num_threads((int)number);
    else
        args->options.level = (int)number;
    if (!threads) args->options.codec = TABLE_ZSTD;
    return true;
}

static bool set_codec(GenArgs *args, const char *value)
{
    bool symbols = strcmp(value, "symbols") == 0;
    args->options.codec = symbols ? TABLE_SYMBOLS : TABLE_ZSTD;
    if (symbols || strcmp(value, "zstd") == 0) return true;
    cli_error(args->command, "--codec takes symbols or zstd, not '%s'", value);
    return false;
}

enum { KEEP_SCRATCH = CLI_OPTION_OWN, FORCE };

static bool set_option(void *gen, int c, const char *value)
{
    GenArgs *args = gen;
    switch (c) {
    case 'n':
        return add_men(args, value);
    case 'b':
        return add_named(args, "KRPvKR") && add_named(args, "KQPvKQ") && add_named(args, "KBNvK") &&
               add_named(args, "KRvKB");
    case 'm':
        return set_metrics(args, value);
    case 't':
        args->options.directory = value;
        return true;
    case 'j':
    case 'l':
        return set_number(args, c, value);
    case 'c':
        return set_codec(args, value);
    case 'M':
        return cli_set_size(args->command, "--memory", value, 1, &args->options.memory);
    case 'e':
        return args->estimate = true;
    case 's':
        args->options.directory = value;
        return args->options.syzygy = true;
    case 'x':
        return args->options.exact = true;
    case 'q':
        return args->quiet = true;
    case FORCE:
        return args->force = true;
    default:
        return args->options.keep_scratch = true;
    }
}

/* -1: carry on; else the exit code. */
static int parse_with(GenArgs *args, const CliOptions *reader, int argc, char **argv)
{
    int code = cli_options(reader, args, argc, argv);
    if (code >= 0) return code;
    for (int i = optind; i < argc; i++)
        if (!add_named(args, argv[i])) return cli_usage(args->command);
    if (args->materials > 0) return -1;
    cli_error(args->command, "name a material such as KRPvKR, or give --men N or --book");
    return cli_usage(args->command);
}

static int parse_export(GenArgs *args, int argc, char **argv)
{
    static const struct option options[] = {{"syzygy", 1, NULL, 's'},
                                            {"men", 1, NULL, 'n'},
                                            {"book", 0, NULL, 'b'},
                                            {"exact", 0, NULL, 'x'},
                                            {"threads", 1, NULL, 'j'},
                                            {"memory", 1, NULL, 'M'},
                                            {"estimate", 0, NULL, 'e'},
                                            {"json", 0, NULL, CLI_OPTION_JSON},
                                            {"json-log", 0, NULL, CLI_OPTION_JSON},
                                            {"force", 0, NULL, FORCE},
                                            {"keep-scratch", 0, NULL, KEEP_SCRATCH},
                                            {"quiet", 0, NULL, 'q'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const CliOptions reader = {"export", export_usage, "s:n:bxj:M:eqh", options, NULL, set_option};
    int code = parse_with(args, &reader, argc, argv);
    if (code >= 0 || args->options.syzygy) return code;
    cli_error("export", "say where the files go: --syzygy DIR");
    return cli_usage("export");
}

static int parse_gen(GenArgs *args, int argc, char **argv)
{
    static const struct option options[] = {{"men", 1, NULL, 'n'},
                                            {"book", 0, NULL, 'b'},
                                            {"metric", 1, NULL, 'm'},
                                            {"tables", 1, NULL, 't'},
                                            {"threads", 1, NULL, 'j'},
                                            {"memory", 1, NULL, 'M'},
                                            {"codec", 1, NULL, 'c'},
                                            {"level", 1, NULL, 'l'},
                                            {"estimate", 0, NULL, 'e'},
                                            {"json", 0, NULL, CLI_OPTION_JSON},
                                            {"json-log", 0, NULL, CLI_OPTION_JSON},
                                            {"force", 0, NULL, FORCE},
                                            {"keep-scratch", 0, NULL, KEEP_SCRATCH},
                                            {"quiet", 0, NULL, 'q'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    /* No folders: --tables names the one to write to. */
    const CliOptions reader = {"gen", usage, "n:bm:t:j:M:c:l:eqh", options, NULL, set_option};
    return parse_with(args, &reader, argc, argv);
}

typedef struct GenRun {
    const char *command;
    GenProgress *progress;
    const GeneratePlan *plan;
    uint64_t positions[WDL_VALUES], bytes;
    double solving, writing, total;
    size_t tables;
    uint32_t longest;
    treb_metric metric;
    char longest_fen[TABLE_FEN_SIZE], longest_name[MATERIAL_NAME_SIZE];
} GenRun;

/* Keeps the longest win there is, by the best metric at hand. */
static void note_longest(GenRun *run, size_t step, const Tally *t)
{
    for (int side = 0; side < 2; side++)
        for (int v = TREB_CURSED_WIN; v <= TREB_WIN; v++) {
            if (t->longest[run->metric][side][v] <= run->longest) continue;
            run->longest = t->longest[run->metric][side][v];
            strcpy(run->longest_fen, t->fen[run->metric][side][v]);
            material_name(&run->plan->step[step].material, run->longest_name);
        }
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
    for (int m = 0; m < TREB_METRICS; m++) run->bytes += r->result.file_size[m];
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) run->positions[v] += r->result.tally.count[side][v];
    note_longest(run, step, &r->result.tally);
}

static void print_summary(const GenRun *run)
{
    static const char *const names[WDL_VALUES] = {"losses", "blessed losses", "draws",
                                                  "cursed wins", "wins"};
    char text[32], size[16];
    cli_format_size(run->bytes, size);
    printf("\n%zu tables, %s, %.1f s", run->tables, size, run->total);
    printf(" (solving %.1f, writing %.1f, summed over threads)\n", run->solving, run->writing);
    for (int v = TREB_WIN; v >= 0; v--) {
        if (run->positions[v] == 0) continue;
        cli_format_count(run->positions[v], text);
        printf("%18s %s\n", text, names[v]);
    }
    if (run->longest)
        printf("longest win: %u plies (%s) in %s: %s\n", run->longest,
               table_metric_name(run->metric), run->longest_name, run->longest_fen);
}

/* The same for a program: the last object of the log. */
static int print_done(const GenRun *run)
{
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:o}", "event", "done", "tables", (json_int_t)run->tables,
                  "bytes", (json_int_t)run->bytes, "total_s", cli_json_real(run->total, 3));
    return cli_json_line(run->command, object);
}

/* Whatever it is, it has failed: there are no tables to miss. */
static int gen_failed(const GenArgs *args, const treb_error *error)
{
    cli_fail(args->command, error, NULL);
    return CLI_FAILED;
}

static int run_plan(GenArgs *args, const GeneratePlan *plan)
{
    GenerateProgress state = {0};
    GenerateOptions *o = &args->options;
    GenRun run = {.command = args->command,
                  .plan = plan,
                  .metric = o->metrics >> TREB_DTM & 1 ? TREB_DTM : TREB_DTZ};
    treb_error error;
    bool stopped;
    int style = cli_json_wanted() ? GEN_PROGRESS_JSON
                : args->quiet     ? GEN_PROGRESS_QUIET
                                  : GEN_PROGRESS_LINES;
    o->stop = cli_catch_signals();
    o->progress = &state;
    run.progress = gen_progress_start(args->command, style, plan, o, args->quiet);
    treb_status status = generate_run(o, plan, on_step, &run, &stopped, &error);
    gen_progress_stop(run.progress);
    if (status != TREB_OK) return gen_failed(args, &error);
    if (stopped) {
        cli_error(args->command,
                  "stopped; the same command carries on: within a table, if it is a large one");
        return CLI_STOPPED;
    }
    if (style == GEN_PROGRESS_JSON) return print_done(&run);
    if (style != GEN_PROGRESS_QUIET) print_summary(&run);
    return CLI_OK;
}

static int say_nothing_to_do(const GenArgs *args, const GeneratePlan *plan)
{
    if (cli_json_wanted()) return print_done(&(GenRun){.command = args->command, .plan = plan});
    if (!args->quiet) printf("all these tables are in %s already\n", args->options.directory);
    return CLI_OK;
}

/* Whether what is to be written fits; says why not. That a folder may not be written is for
 * cli_make_folder to say. */
static bool has_room(const GenArgs *args, const Estimate *e)
{
    char why[512];
    const char *folder = args->options.directory;
    if (args->force || !cli_may_write(folder)) return true;
    if (!estimate_disk_refusal(e, &args->options, why, sizeof why)) return true;
    cli_error(args->command,
              "this %s: name another folder%s, or begin all the same with --force; what is made "
              "stays, and the same command carries on",
              why, args->options.syzygy ? "" : ", or fewer metrics with --metric");
    return false;
}

static int gen_with(GenArgs *args)
{
    Estimate e;
    treb_error error;
    GenerateOptions *o = &args->options;
    if (estimate_make(o, args->material, args->materials, &e, &error) != TREB_OK)
        return gen_failed(args, &error);
    int code = CLI_OK;
    if (args->estimate && e.plan.steps > 0 && !o->syzygy) estimate_pace(&e, o);
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
        code = has_room(args, &e) && cli_make_folder(args->command, o->directory)
                   ? run_plan(args, &e.plan)
                   : CLI_FAILED;
    estimate_free(&e);
    return code;
}

static int gen_end(GenArgs *args, int code)
{
    free(args->material);
    return cli_finish(args->command, code);
}

int cli_gen(int argc, char **argv)
{
    GenArgs args = {.command = "gen",
                    .options = {.codec = TABLE_SYMBOLS, .metrics = (1u << TREB_METRICS) - 1}};
    CliDirs dirs = {0};
    int code = parse_gen(&args, argc, argv);
    if (code < 0) {
        cli_dirs_default(&dirs);
        if (args.options.directory == NULL) args.options.directory = dirs.dir[0];
        dirs =
            (CliDirs){.dir = {args.options.directory}, .count = 1, .environment = dirs.environment};
        code = cli_refuse_addresses("gen", &dirs) ? CLI_FAILED : gen_with(&args);
    }
    cli_dirs_free(&dirs);
    return gen_end(&args, code);
}

int cli_export(int argc, char **argv)
{
    GenArgs args = {.command = "export", .options = {.metrics = 1u << TREB_WDL | 1u << TREB_DTZ}};
    int code = parse_export(&args, argc, argv);
    return gen_end(&args, code < 0 ? gen_with(&args) : code);
}
