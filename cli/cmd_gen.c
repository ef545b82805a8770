/* cmd_gen.c - trebuchet gen: make tables. */
#include <getopt.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "gen/generate.h"

static const char usage[] =
    "Usage: trebuchet gen [options] MATERIAL... | --men N | --book\n"
    "\n"
    "Makes the tables of the given materials, such as KRPvKR, and of every smaller ending they can\n"
    "turn into. Tables that are already there are kept; a run that was cut short carries on.\n"
    "\n"
    "  -n, --men N          all materials of up to N men\n"
    "  -b, --book           KRPvKR, KQPvKQ, KBNvK, KRvKB and all below them\n"
    "  -m, --metric LIST    wdl,dtz,dtc,dtm or all (default all; wdl is always made)\n"
    "  -t, --tables DIR     where tables go (default: the first of TREBUCHET_PATH, or tables)\n"
    "  -j, --threads N      threads (default: one a processor)\n"
    "  -M, --memory SIZE    stay below SIZE, as 2GiB, or refuse\n"
    "  -l, --level N        zstd level, 1 to 19; higher is smaller and slower (default: settings\n"
    "                       of our own, as small as 9 and half as fast again)\n"
    "  -e, --estimate       say what it would take, and stop\n"
    "      --json-log       one JSON object a line on standard output\n"
    "      --keep-scratch   leave the scratch files, for a later run to use\n"
    "  -q, --quiet          no progress\n"
    "  -h, --help           this text\n";

typedef struct GenArgs {
    GenerateOptions options;
    Material *material;
    size_t materials;
    bool estimate, json, quiet;
} GenArgs;

static bool add_materials(GenArgs *args, const Material *materials, size_t count)
{
    Material *grown = realloc(args->material, (args->materials + count) * sizeof *grown);
    if (grown == NULL) return false;
    memcpy(grown + args->materials, materials, count * sizeof *grown);
    args->material = grown;
    args->materials += count;
    return true;
}

static bool add_named(GenArgs *args, const char *name)
{
    Material m;
    if (!material_parse(name, &m)) {
        cli_error("gen", "'%s' is no material: write it as KRPvKR", name);
        return false;
    }
    return add_materials(args, &m, 1);
}

static bool add_men(GenArgs *args, const char *text)
{
    char *end;
    long men = strtol(text, &end, 10);
    if (*end || men < 2 || men > TREB_MEN_MAX) {
        cli_error("gen", "--men takes a number from 2 to %d", TREB_MEN_MAX);
        return false;
    }
    for (int n = 3; n <= men; n++) {
        size_t count = material_list(n, NULL, 0);
        Material *list = malloc(count * sizeof *list);
        bool ok = list != NULL;
        if (ok) material_list(n, list, count);
        ok = ok && add_materials(args, list, count);
        free(list);
        if (!ok) return false;
    }
    return true;
}

static int parse(GenArgs *args, int argc, char **argv)
{
    enum { JSON_LOG = 256, KEEP_SCRATCH };
    static const struct option options[] = {{"men", 1, NULL, 'n'},
                                            {"book", 0, NULL, 'b'},
                                            {"metric", 1, NULL, 'm'},
                                            {"tables", 1, NULL, 't'},
                                            {"threads", 1, NULL, 'j'},
                                            {"memory", 1, NULL, 'M'},
                                            {"level", 1, NULL, 'l'},
                                            {"estimate", 0, NULL, 'e'},
                                            {"json-log", 0, NULL, JSON_LOG},
                                            {"keep-scratch", 0, NULL, KEEP_SCRATCH},
                                            {"quiet", 0, NULL, 'q'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    GenerateOptions *o = &args->options;
    bool ok = true;
    optind = 1;
    for (int c; ok && (c = getopt_long(argc, argv, "n:bm:t:j:M:l:eqh", options, NULL)) != -1;) {
        switch (c) {
        case 'n':
            ok = add_men(args, optarg);
            break;
        case 'b':
            ok = add_named(args, "KRPvKR") && add_named(args, "KQPvKQ") &&
                 add_named(args, "KBNvK") && add_named(args, "KRvKB");
            break;
        case 'm':
            o->metrics = cli_parse_metrics(optarg) | 1u << TREB_WDL;
            ok = cli_parse_metrics(optarg) != 0;
            if (!ok) cli_error("gen", "--metric takes a list of wdl, dtz, dtc, dtm, or all");
            break;
        case 't':
            o->directory = optarg;
            break;
        case 'j':
            ok = atoi(optarg) > 0;
            if (ok)
                omp_set_num_threads(atoi(optarg));
            else
                cli_error("gen", "--threads takes a positive number");
            break;
        case 'M':
            ok = cli_parse_size(optarg, &o->memory) && o->memory > 0;
            if (!ok) cli_error("gen", "--memory takes a size such as 900M or 2GiB");
            break;
        case 'l':
            o->level = atoi(optarg);
            ok = o->level >= 1 && o->level <= 19;
            if (!ok) cli_error("gen", "--level takes a number from 1 to 19");
            break;
        case 'e':
            args->estimate = true;
            break;
        case JSON_LOG:
            args->json = true;
            break;
        case KEEP_SCRATCH:
            o->keep_scratch = true;
            break;
        case 'q':
            args->quiet = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return CLI_OK;
        default:
            ok = false;
        }
    }
    for (int i = optind; ok && i < argc; i++) ok = add_named(args, argv[i]);
    if (ok && args->materials == 0) {
        cli_error("gen", "name a material such as KRPvKR, or give --men N or --book");
        ok = false;
    }
    if (ok) return -1;
    fputs("Try 'trebuchet gen --help'.\n", stderr);
    return CLI_USAGE;
}

/* A rough figure before anything is solved: what tables of five men came to, by cell. */
static double disk_guess(const GeneratePlan *plan, unsigned metrics)
{
    static const double bytes[TREB_METRICS] = {0.011, 0.019, 0.026, 0.045};
    double sum = 0;
    for (size_t i = 0; i < plan->steps; i++)
        for (int m = 0; m < TREB_METRICS; m++)
            if (plan->step[i].write && metrics >> m & 1) sum += bytes[m] * plan->step[i].cells;
    return sum;
}

static uint64_t plan_memory(const GeneratePlan *plan, size_t *worst)
{
    uint64_t most = 0;
    *worst = 0;
    for (size_t i = 0; i < plan->steps; i++) {
        if (plan->step[i].memory <= most) continue;
        most = plan->step[i].memory;
        *worst = i;
    }
    return most;
}

static void print_estimate(const GeneratePlan *plan, const GenerateOptions *o)
{
    char text[32], memory[16], disk[16], name[MATERIAL_NAME_SIZE] = "";
    uint64_t cells = 0;
    size_t worst, tables = 0;
    uint64_t most = plan_memory(plan, &worst);
    for (size_t i = 0; i < plan->steps; i++) {
        cells += plan->step[i].cells;
        tables += plan->step[i].write;
    }
    cli_format_count(cells, text);
    cli_format_size(most, memory);
    cli_format_size((uint64_t)disk_guess(plan, o->metrics), disk);
    if (plan->steps) material_name(&plan->step[worst].material, name);
    printf("tables     %zu to write\n", tables);
    printf("positions  %s to solve\n", text);
    printf("memory     %s at least, for %s; up to 0.3 GB more speeds it up\n", memory, name);
    printf("disk       about %s, and as much again for scratch files while it runs\n", disk);
}

typedef struct GenRun {
    Progress *progress;
    const GeneratePlan *plan;
    uint64_t positions[WDL_VALUES], bytes;
    double seconds[GENERATE_PHASES], total;
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
    if (run->progress) progress_step(run->progress, step, r);
    for (int p = 0; p < GENERATE_PHASES; p++) run->seconds[p] += r->seconds[p];
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
    printf(" (solving %.1f, writing %.1f, summed over threads)\n", run->seconds[GENERATE_SOLVE],
           run->seconds[GENERATE_COMPRESS]);
    for (int v = TREB_WIN; v >= 0; v--) {
        if (run->positions[v] == 0) continue;
        cli_format_count(run->positions[v], text);
        printf("%18s %s\n", text, names[v]);
    }
    if (run->longest)
        printf("longest win: %u plies (%s) in %s: %s\n", run->longest,
               table_metric_name(run->metric), run->longest_name, run->longest_fen);
}

/* The same for a machine: the last object of the log. */
static void print_done(const GenRun *run)
{
    printf("{\"event\":\"done\",\"tables\":%zu,\"bytes\":%llu,\"total_s\":%.3f}\n", run->tables,
           (unsigned long long)run->bytes, run->total);
}

static bool enough_memory(const GeneratePlan *plan, const GenerateOptions *o)
{
    size_t worst;
    uint64_t most = plan_memory(plan, &worst);
    if (o->memory == 0 || most <= o->memory) return true;
    char need[16], given[16], name[MATERIAL_NAME_SIZE];
    cli_format_size(most, need);
    cli_format_size(o->memory, given);
    material_name(&plan->step[worst].material, name);
    cli_error("gen", "%s needs %s of memory and --memory allows %s: give more, or fewer metrics",
              name, need, given);
    return false;
}

static int run_plan(GenArgs *args, const GeneratePlan *plan)
{
    GenerateProgress state = {0};
    GenerateOptions *o = &args->options;
    GenRun run = {.plan = plan, .metric = o->metrics >> TREB_DTM & 1 ? TREB_DTM : TREB_DTZ};
    treb_error error;
    bool stopped;
    int style = args->json              ? PROGRESS_JSON
                : args->quiet           ? PROGRESS_QUIET
                : isatty(STDERR_FILENO) ? PROGRESS_BAR
                                        : PROGRESS_LINES;
    o->stop = cli_catch_signals();
    o->progress = &state;
    run.progress = progress_start(style, plan, &state);
    treb_status status = generate_run(o, plan, on_step, &run, &stopped, &error);
    progress_stop(run.progress);
    if (status != TREB_OK) {
        cli_error("gen", "%s", error.text);
        return CLI_FAILED;
    }
    if (stopped) {
        cli_error("gen", "stopped; the same command carries on with the next missing table");
        return CLI_STOPPED;
    }
    if (style == PROGRESS_JSON)
        print_done(&run);
    else if (style != PROGRESS_QUIET)
        print_summary(&run);
    return CLI_OK;
}

static int gen_with(GenArgs *args)
{
    GeneratePlan plan;
    treb_error error;
    if (!args->estimate && !cli_make_folder("gen", args->options.directory)) return CLI_FAILED;
    if (generate_plan(&args->options, args->material, args->materials, &plan, &error) != TREB_OK) {
        cli_error("gen", "%s", error.text);
        return CLI_FAILED;
    }
    int code = CLI_OK;
    if (args->estimate)
        print_estimate(&plan, &args->options);
    else if (plan.steps == 0 && args->json)
        print_done(&(GenRun){.plan = &plan});
    else if (plan.steps == 0)
        printf("all these tables are in %s already\n", args->options.directory);
    else
        code = enough_memory(&plan, &args->options) ? run_plan(args, &plan) : CLI_FAILED;
    generate_plan_free(&plan);
    return code;
}

int cli_gen(int argc, char **argv)
{
    GenArgs args = {.options = {.metrics = (1u << TREB_METRICS) - 1}};
    CliDirs dirs = {0};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        cli_dirs_default(&dirs);
        if (args.options.directory == NULL) args.options.directory = dirs.dir[0];
        code = gen_with(&args);
    }
    cli_dirs_free(&dirs);
    free(args.material);
    return code;
}
