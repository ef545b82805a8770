/* cmd_bench.c - trebuchet bench: measures how long probes take, and how long making a table takes. */
#include <dirent.h>
#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/bench_probe.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "core/system/tool.h"
#include "gen/generate.h"

enum { NAMES_MAX = 64 };

typedef struct BenchArgs {
    CliDirs dirs;
    char name[NAMES_MAX][MATERIAL_NAME_SIZE];
    size_t names;
    uint64_t positions, cache, threads;
    double seconds;
    bool gen;
} BenchArgs;

static const char *const figure_names[BENCH_FIGURES] = {"wdl", "dtz", "dtc", "dtm", "moves"};

/* ---- Probes ---------------------------------------------------------------------------------- */

static void format_ns(double ns, char out[16])
{
    if (ns < 9999.5)
        snprintf(out, 16, "%.0f ns", ns);
    else
        snprintf(out, 16, "%.1f us", ns / 1e3);
}

static void print_figures(const BenchArgs *args, const char *name, const BenchFigure *figure)
{
    char single[16], threaded[16], cold[16], cache[16], count[32];
    cli_format_size(args->cache, cache);
    cli_format_count(args->positions, count);
    printf("%s: %s random positions, %s of cache, %u threads\n", name, count, cache,
           (unsigned)args->threads);
    printf("  %-6s%11s%13s%14s%10s%12s%9s\n", "", "1 thread", "all threads", "probes/s", "misses",
           "no cache", "blocks");
    for (int i = 0; i < BENCH_FIGURES; i++) {
        const BenchFigure *f = &figure[i];
        if (f->status != TREB_OK) {
            printf("  %-6s  not measured: %s\n", figure_names[i], treb_status_text(f->status));
            continue;
        }
        format_ns(f->single, single);
        format_ns(f->threaded, threaded);
        format_ns(f->cold, cold);
        cli_format_count((uint64_t)f->rate, count);
        printf("  %-6s%11s%13s%14s%10.4f%12s%9.2f\n", figure_names[i], single, threaded, count,
               f->warm_misses, cold, f->cold_misses);
    }
    putchar('\n');
}

static void print_legend(void)
{
    puts("Times are for one probe in each thread. 'moves' lists all moves with all their\n"
         "values. 'misses' is the number of blocks that a probe unpacks in spite of the\n"
         "cache; if it is not near 0, the cache is too small. 'blocks' is the number of\n"
         "blocks that a probe unpacks without a cache, from files that the system has in\n"
         "memory.");
}

static json_t *figure_json(const BenchFigure *f)
{
    if (f->status != TREB_OK) return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "single_ns", cli_json_real(f->single, 1));
    json_object_set_new(object, "threaded_ns", cli_json_real(f->threaded, 1));
    json_object_set_new(object, "per_second", json_integer((json_int_t)(f->rate + 0.5)));
    json_object_set_new(object, "warm_misses", cli_json_real(f->warm_misses, 5));
    json_object_set_new(object, "uncached_ns", cli_json_real(f->cold, 1));
    json_object_set_new(object, "uncached_blocks", cli_json_real(f->cold_misses, 3));
    return object;
}

static json_t *figures_json(const char *name, const BenchFigure *figure)
{
    json_t *object = json_object(), *figures = json_object();
    json_object_set_new(object, "material", json_string(name));
    for (int i = 0; i < BENCH_FIGURES; i++)
        json_object_set_new(figures, figure_names[i], figure_json(&figure[i]));
    json_object_set_new(object, "figures", figures);
    return object;
}

/* Chooses KRPvKR and KQPvKQ, or the last table of all, which is one of the largest. Returns false if
 * there are no tables. */
static bool choose_names(BenchArgs *args, const treb_tables *tables)
{
    static const char *const book[] = {"KRPvKR", "KQPvKQ"};
    treb_table_info info;
    for (size_t i = 0; i < 2; i++)
        if (treb_tables_find(tables, book[i], TREB_WDL, &info, NULL) == TREB_OK)
            strcpy(args->name[args->names++], book[i]);
    size_t count = treb_tables_count(tables);
    if (args->names == 0 && count > 0) {
        treb_tables_info(tables, count - 1, &info, NULL);
        strcpy(args->name[args->names++], info.material);
    }
    return args->names > 0;
}

/* Measures one material, and prints the figures or adds them to `list`. Returns an exit code. */
static int bench_one(const BenchArgs *args, treb_tables *tables, const char *name, json_t *list)
{
    treb_error error;
    BenchFigure figure[BENCH_FIGURES] = {0};
    BenchRequest request = {.tables = tables,
                            .positions = args->positions,
                            .cache = args->cache,
                            .threads = (unsigned)args->threads,
                            .seconds = args->seconds};
    material_parse(name, &request.material);
    if (bench_probe(&request, figure, &error) != TREB_OK)
        return cli_fail_tables("bench", &error, &args->dirs);
    if (cli_json_wanted())
        json_array_append_new(list, figures_json(name, figure));
    else
        print_figures(args, name, figure);
    fflush(stdout);
    return CLI_OK;
}

/* Returns the JSON object of the whole measurement, with `list` under the name `what`. */
static json_t *report_json(const BenchArgs *args, const char *what, json_t *list)
{
    json_t *object = json_object();
    json_object_set_new(object, "threads", json_integer((json_int_t)args->threads));
    if (!args->gen) {
        json_object_set_new(object, "cache", json_integer((json_int_t)args->cache));
        json_object_set_new(object, "positions", json_integer((json_int_t)args->positions));
    }
    json_object_set_new(object, what, list);
    return object;
}

static int bench_tables(BenchArgs *args, treb_tables *tables)
{
    if (args->names == 0 && !choose_names(args, tables)) return cli_no_tables("bench", &args->dirs);
    int code = CLI_OK;
    size_t measured = 0;
    json_t *list = json_array();
    for (size_t i = 0; i < args->names; i++) {
        int one = bench_one(args, tables, args->name[i], list);
        measured += one == CLI_OK;
        if (code == CLI_OK) code = one;
    }
    if (measured > 0 && !cli_json_wanted()) print_legend();
    if (measured == 0 || !cli_json_wanted()) {
        json_decref(list);
        return code;
    }
    int printed = cli_json_answer("bench", report_json(args, "probes", list));
    return code == CLI_OK ? printed : code;
}

/* ---- Making tables --------------------------------------------------------------------------- */

typedef struct BenchGenRun {
    const BenchArgs *args;
    const GeneratePlan *plan;
    json_t *list;   /* the tables that were made */
    double sum[3];  /* seconds: solving, writing, all */
    uint64_t bytes; /* size of all files */
} BenchGenRun;

static json_t *step_json(const char *name, const GenerateReport *r, uint64_t bytes)
{
    json_t *object = json_object();
    json_object_set_new(object, "material", json_string(name));
    json_object_set_new(object, "solve_s", cli_json_real(r->seconds[GENERATE_SOLVE], 3));
    json_object_set_new(object, "write_s", cli_json_real(generate_writing(r), 3));
    json_object_set_new(object, "total_s", cli_json_real(r->total, 3));
    json_object_set_new(object, "bytes", json_integer((json_int_t)bytes));
    return object;
}

static void on_step(void *context, size_t step, const GenerateReport *r)
{
    BenchGenRun *run = context;
    char name[MATERIAL_NAME_SIZE], size[16];
    uint64_t bytes = 0;
    if (!run->plan->step[step].write) return;
    for (int m = 0; m < TREB_METRICS; m++) bytes += r->result.file_size[m];
    material_name(&run->plan->step[step].material, name);
    run->sum[0] += r->seconds[GENERATE_SOLVE];
    run->sum[1] += generate_writing(r);
    run->sum[2] += r->total;
    run->bytes += bytes;
    if (cli_json_wanted()) {
        json_array_append_new(run->list, step_json(name, r, bytes));
    } else {
        cli_format_size(bytes, size);
        printf("  %-10s%10.2f s%10.2f s%10.2f s%12s\n", name, r->seconds[GENERATE_SOLVE],
               generate_writing(r), r->total, size);
    }
    fflush(stdout);
}

static int gen_plan(BenchGenRun *run, const GenerateOptions *options)
{
    treb_error error;
    bool stopped;
    char size[16];
    bool text = !cli_json_wanted();
    if (text) printf("  %-10s%12s%12s%12s%12s\n", "", "solving", "writing", "all", "size");
    treb_status status = generate_run(options, run->plan, on_step, run, &stopped, &error);
    cli_format_size(run->bytes, size);
    if (status != TREB_OK) {
        cli_fail("bench", &error);
        return CLI_FAILED;
    }
    if (text)
        printf("  %-10s%10.2f s%10.2f s%10.2f s%12s\n", "together", run->sum[0], run->sum[1],
               run->sum[2], size);
    else if (!stopped)
        return cli_json_answer("bench", report_json(run->args, "tables", json_incref(run->list)));
    if (stopped) cli_error("bench", "stopped; the temporary folder is removed");
    return stopped ? CLI_STOPPED : CLI_OK;
}

static int gen_into(const BenchArgs *args, const char *folder)
{
    GenerateOptions options = {.codec = TABLE_SYMBOLS,
                               .directory = folder,
                               .metrics = (1u << TREB_METRICS) - 1,
                               .stop = cli_catch_signals()};
    Material material[NAMES_MAX];
    GeneratePlan plan;
    treb_error error;
    for (size_t i = 0; i < args->names; i++) material_parse(args->name[i], &material[i]);
    if (generate_plan(&options, material, args->names, &plan, &error) != TREB_OK) {
        cli_fail("bench", &error);
        return CLI_FAILED;
    }
    BenchGenRun run = {.args = args, .plan = &plan, .list = json_array()};
    int code = gen_plan(&run, &options);
    json_decref(run.list);
    generate_plan_free(&plan);
    return code;
}

static int bench_gen(const BenchArgs *args)
{
    char folder[4096];
    if (args->names == 0) {
        cli_error("bench", "--gen needs a material, such as KRPvKR");
        return cli_usage("bench");
    }
    if (!tool_temporary_folder(folder, sizeof folder)) {
        cli_error("bench", "cannot create the folder %s: %s; TMPDIR can name another place", folder,
                  strerror(errno));
        return CLI_FAILED;
    }
    omp_set_num_threads((int)args->threads);
    int code = gen_into(args, folder);
    cli_remove_folder(folder);
    return code;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool set_duration(const char *command, const CliOption *option, void *to, const char *value)
{
    BenchArgs *args = to;
    char *end;
    args->seconds = strtod(value, &end);
    if (*end == '\0' && args->seconds > 0 && args->seconds <= 3600) return true;
    cli_error(command, "--%s takes seconds, such as 0.5, not '%s'", option->name, value);
    return false;
}

static const CliOption options[] = {
    {"positions", 'p', "N", CLI_NUMBER(BenchArgs, positions, 1, 100000000),
     "number of random positions of each material (default: 10000)"},
    {"cache", 'c', "SIZE", CLI_SIZE(BenchArgs, cache, 0, 0),
     "memory for unpacked blocks (default: 256MiB)"},
    {"threads", 'j', "N", CLI_NUMBER(BenchArgs, threads, 1, 256),
     "threads of the second measurement (default: one per processor)"},
    {"duration", 'd', "S", CLI_OWN(set_duration), "seconds to measure each figure (default: 0.5)"},
    {"gen", 'g', NULL, CLI_FLAG(BenchArgs, gen),
     "instead make the materials, and all tables that they need, in a temporary folder, and print "
     "how long that takes; TMPDIR names the place for the folder"},
    CLI_OPTION_JSON("print one JSON object"),
    CLI_OPTION_TABLES(BenchArgs, dirs),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand bench_command = {
    .name = "bench",
    .synopsis = "trebuchet bench [options] [MATERIAL...]",
    .about = "Measures how long probes take on random legal positions, always the same ones: "
             "with the blocks in memory, by one thread and by several; and without a cache, "
             "so that every probe unpacks blocks. Without a MATERIAL, measures KRPvKR and KQPvKQ "
             "if they are installed, else the largest table.",
    .options = options,
    .notes = "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 table not installed."};

/* Returns -1 to go on, else the exit code. */
static int parse(BenchArgs *args, int argc, char **argv)
{
    int code = cli_options(&bench_command, args, argc, argv);
    if (code >= 0) return code;
    for (int i = optind; i < argc; i++) {
        if (args->names == NAMES_MAX) {
            cli_error("bench", "too many materials");
            return cli_usage("bench");
        }
        if (!cli_read_material("bench", argv[i], args->name[args->names]))
            return cli_usage("bench");
        args->names++;
    }
    return -1;
}

int cli_bench(int argc, char **argv)
{
    BenchArgs args = {.positions = 10000,
                      .cache = UINT64_C(256) << 20,
                      .threads = tool_processors(),
                      .seconds = 0.5};
    int code = parse(&args, argc, argv);
    if (code < 0 && args.gen) {
        code = bench_gen(&args);
    } else if (code < 0) {
        treb_tables *tables = cli_open_tables("bench", &args.dirs);
        code = tables != NULL ? bench_tables(&args, tables) : CLI_FAILED;
        code = cli_close_tables("bench", tables, code);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("bench", code);
}
