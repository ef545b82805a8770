/* cmd_compare.c - trebuchet compare: compares the answers of two sets of tables. */
#include <stdlib.h>
#include <string.h>

#include "check/compare/compare.h"
#include "cli/arguments.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parse.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "core/format/table.h"

enum { SHOWN = 10 };
#define MEMORY (UINT64_C(4) << 30)

static const char *const set_name[2] = {"A", "B"};

typedef struct CompareArgs {
    const char *path[2];
    char (*name)[MATERIAL_NAME_SIZE]; /* the materials; if there are none, all are compared */
    size_t names;
    unsigned metrics;
    CompareOptions options;
    bool quiet;
} CompareArgs;

typedef struct CompareRun {
    const CompareArgs *args;
    CompareSet set[2];
    char name[MATERIAL_NAME_SIZE]; /* the material that is compared now */
    const atomic_bool *stop;
    CliProgress progress;
    size_t materials;                                  /* number of materials compared */
    size_t equal, rounded, different, failed, missing; /* numbers of tables */
    size_t alone[2];                                   /* tables that only one set has */
    uint64_t positions;
} CompareRun;

/* ---- Output ---------------------------------------------------------------------------------- */

static bool on_progress(void *context, uint64_t done, uint64_t total)
{
    CompareRun *run = context;
    cli_progress_share(&run->progress, done, total, "%s:", run->name);
    return !atomic_load(run->stop);
}

static void print_value(const CompareValue *value, treb_metric metric)
{
    const treb_distance *d = &value->distance;
    if (value->status != TREB_OK) {
        printf("no answer (%s)", value->text ? value->text : treb_status_text(value->status));
        return;
    }
    printf("%s", treb_wdl_text(d->wdl));
    if (metric == TREB_WDL || d->wdl == TREB_DRAW) return;
    printf(" in %d", d->plies);
    if (d->rounded) printf(" or %d", d->plies + 1);
    printf(" %s", d->plies == 1 && !d->rounded ? "ply" : "plies");
}

static void print_cases(const CompareCount *count, treb_metric metric)
{
    for (size_t i = 0; i < count->shown_count; i++) {
        const CompareCase *one = &count->shown[i];
        printf("    %s\n", one->fen);
        for (int s = 0; s < 2; s++) {
            printf("        %s: ", set_name[s]);
            print_value(&one->value[s], metric);
            putchar('\n');
        }
    }
}

static void print_count(const CompareRun *run, treb_metric metric, const CompareCount *count)
{
    char equal[32], rounded[32], different[32], unknown[32];
    cli_format_count(count->equal, equal);
    cli_format_count(count->rounded, rounded);
    cli_format_count(count->different, different);
    cli_format_count(count->unknown, unknown);
    printf("%-9s %s %15s equal %13s rounded %11s different", run->name, treb_metric_text(metric),
           equal, rounded, different);
    if (count->unknown > 0) printf(" %11s without an answer", unknown);
    putchar('\n');
    print_cases(count, metric);
}

static json_t *json_value(const CompareValue *value, treb_metric metric)
{
    json_t *object = json_object();
    const treb_distance *d = &value->distance;
    if (value->status != TREB_OK) {
        const char *text = value->text ? value->text : treb_status_text(value->status);
        json_object_set_new(object, "error", cli_json_text(text));
        return object;
    }
    json_object_set_new(object, "verdict", json_string(treb_wdl_text(d->wdl)));
    if (metric == TREB_WDL) return object;
    json_object_set_new(object, "plies", json_integer(d->plies));
    json_object_set_new(object, "rounded", json_boolean(d->rounded));
    return object;
}

static json_t *json_cases(const CompareCount *count, treb_metric metric)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count->shown_count; i++) {
        const CompareCase *one = &count->shown[i];
        json_t *object = json_object();
        json_object_set_new(object, "fen", json_string(one->fen));
        json_object_set_new(object, "a", json_value(&one->value[0], metric));
        json_object_set_new(object, "b", json_value(&one->value[1], metric));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *table_event(const CompareRun *run, treb_metric metric)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_string("table"));
    json_object_set_new(object, "material", json_string(run->name));
    json_object_set_new(object, "metric", json_string(treb_metric_text(metric)));
    return object;
}

static void set_count(json_t *object, const char *key, uint64_t count)
{
    json_object_set_new(object, key, json_integer((json_int_t)count));
}

static void print_json(const CompareRun *run, treb_metric metric, const CompareResult *r)
{
    const CompareCount *count = &r->count[metric];
    json_t *object = table_event(run, metric);
    json_object_set_new(object, "compared", json_true());
    set_count(object, "positions", r->positions);
    set_count(object, "en_passant", r->en_passant);
    set_count(object, "equal", count->equal);
    set_count(object, "rounded", count->rounded);
    set_count(object, "different", count->different);
    set_count(object, "unknown", count->unknown);
    json_object_set_new(object, "shown", json_cases(count, metric));
    cli_json_line("compare", object);
}

/* Reports a table that cannot be read. */
static void print_failure(CompareRun *run, treb_metric metric, const treb_error *error)
{
    run->failed++;
    if (cli_json_wanted()) {
        json_t *object = table_event(run, metric);
        json_object_set_new(object, "compared", json_false());
        json_object_set_new(object, "text", cli_json_text(error->text));
        cli_json_line("compare", object);
    } else {
        printf("%-9s %s not compared: %s\n", run->name, treb_metric_text(metric), error->text);
    }
}

/* ---- The work -------------------------------------------------------------------------------- */

static void print_table(CompareRun *run, treb_metric metric, const CompareResult *result)
{
    const CompareCount *count = &result->count[metric];
    bool agree = count->different + count->unknown == 0;
    if (!agree)
        run->different++;
    else if (count->rounded > 0)
        run->rounded++;
    else
        run->equal++;
    if (cli_json_wanted())
        print_json(run, metric, result);
    else if (!agree || !run->args->quiet)
        print_count(run, metric, count);
}

/* Returns the metrics that can be read, after reporting the others. Distances need the verdicts. */
static unsigned readable(CompareRun *run, const Material *material, unsigned metrics)
{
    treb_error error;
    unsigned left = 0;
    for (int m = 0; m <= TREB_DTM50; m++) {
        bool ok = true;
        if (!(metrics >> m & 1)) continue;
        for (int s = 0; s < 2 && ok; s++)
            ok = compare_check(&run->set[s], material, TREB_WDL, &error) == TREB_OK &&
                 compare_check(&run->set[s], material, (treb_metric)m, &error) == TREB_OK;
        if (ok)
            left |= 1u << m;
        else
            print_failure(run, (treb_metric)m, &error);
    }
    return left;
}

/* Compares one material. Returns CLI_OK, or an exit code that ends the run. */
static int compare_one(CompareRun *run, const Material *material, unsigned metrics)
{
    CompareResult result;
    treb_error error;
    material_name(material, run->name);
    metrics = readable(run, material, metrics);
    run->materials++;
    if (metrics == 0) return CLI_OK;
    treb_status status = compare_material(&run->set[0], &run->set[1], material, metrics,
                                          &run->args->options, &result, &error);
    cli_progress_clear(&run->progress);
    if (status == TREB_OK && !atomic_load(run->stop)) {
        run->positions += result.positions;
        for (int m = 0; m <= TREB_DTM50; m++)
            if (metrics >> m & 1) print_table(run, (treb_metric)m, &result);
        fflush(stdout);
    }
    compare_result_free(&result);
    return status == TREB_OK ? CLI_OK : cli_fail("compare", &error);
}

/* Reports why a material cannot be compared. */
static void say_missing(CompareRun *run, const Material *material)
{
    char name[MATERIAL_NAME_SIZE], list[2][32];
    material_name(material, name);
    run->missing++;
    for (int s = 0; s < 2; s++) {
        unsigned metrics = compare_metrics(&run->set[s], material) & run->args->metrics;
        strcpy(list[s], metrics == 0 ? " nothing" : "");
        for (int m = 0; m <= TREB_DTM50; m++)
            if (metrics >> m & 1) strcat(strcat(list[s], " "), treb_metric_text((treb_metric)m));
    }
    cli_error("compare", "%s: A has%s, B has%s that can be compared", name, list[0], list[1]);
}

/* Returns the metrics of a material that both sets have, and counts those that only one set has. */
static unsigned common_metrics(CompareRun *run, const Material *material)
{
    unsigned of[2], wanted = run->args->metrics;
    for (int s = 0; s < 2; s++) of[s] = compare_metrics(&run->set[s], material) & wanted;
    /* If a single file is named, the other files of its folder do not count. */
    for (int s = 0; s < 2 && !run->set[0].file && !run->set[1].file; s++)
        run->alone[s] += (size_t)__builtin_popcount(of[s] & ~of[!s]);
    return of[0] & of[1];
}

static int compare_named(CompareRun *run)
{
    int code = CLI_OK;
    for (size_t i = 0; i < run->args->names && code == CLI_OK && !atomic_load(run->stop); i++) {
        Material material;
        material_parse(run->args->name[i], &material);
        unsigned metrics = common_metrics(run, &material);
        if (metrics != 0)
            code = compare_one(run, &material, metrics);
        else
            say_missing(run, &material);
    }
    return code;
}

static int compare_all(CompareRun *run)
{
    size_t count[2];
    Material *list[2] = {compare_materials(&run->set[0], &count[0]),
                         compare_materials(&run->set[1], &count[1])};
    int code = list[0] != NULL && list[1] != NULL ? CLI_OK : cli_no_memory("compare");
    for (size_t i = 0; code == CLI_OK && i < count[0] && !atomic_load(run->stop); i++) {
        unsigned metrics = common_metrics(run, &list[0][i]);
        if (metrics != 0) code = compare_one(run, &list[0][i], metrics);
    }
    /* Count the materials that only B has. */
    for (size_t i = 0; code == CLI_OK && i < count[1]; i++)
        if (compare_metrics(&run->set[0], &list[1][i]) == 0) common_metrics(run, &list[1][i]);
    free(list[0]);
    free(list[1]);
    return code;
}

static void print_done(const CompareRun *run, double seconds)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_string("done"));
    set_count(object, "materials", run->materials);
    set_count(object, "equal", run->equal);
    set_count(object, "rounded", run->rounded);
    set_count(object, "different", run->different);
    set_count(object, "not_compared", run->failed);
    set_count(object, "only_a", run->alone[0]);
    set_count(object, "only_b", run->alone[1]);
    set_count(object, "positions", run->positions);
    json_object_set_new(object, "seconds", cli_json_real(seconds, 3));
    cli_json_line("compare", object);
}

static void print_summary(const CompareRun *run, double seconds)
{
    const size_t tables = run->equal + run->rounded + run->different + run->failed;
    char positions[32], time[16];
    cli_format_count(run->positions, positions);
    cli_format_time(seconds, time);
    printf(
        "\n%zu material%s, %zu table%s: %zu equal, %zu equal except for rounding, %zu different, "
        "%zu not compared; %s positions, %s\n",
        run->materials, run->materials == 1 ? "" : "s", tables, tables == 1 ? "" : "s", run->equal,
        run->rounded, run->different, run->failed, positions, time);
    for (int s = 0; s < 2; s++)
        if (run->alone[s] > 0)
            printf("%zu table%s only in %s\n", run->alone[s], run->alone[s] == 1 ? " is" : "s are",
                   set_name[s]);
}

static void say_nothing_common(const CompareRun *run)
{
    for (int s = 0; s < 2; s++)
        if (treb_tables_count(run->set[s].tables) == 0) {
            cli_error("compare", "there is nothing to compare: %s has no tables",
                      run->args->path[s]);
            return;
        }
    cli_error("compare", "there is nothing to compare: A and B have no table in common");
}

static int finish(const CompareRun *run, double seconds)
{
    if (atomic_load(run->stop)) {
        cli_error("compare", "stopped");
        return CLI_STOPPED;
    }
    if (run->materials == 0 && run->missing == 0) say_nothing_common(run);
    if (run->materials == 0) return CLI_NO_TABLE;
    if (cli_json_wanted())
        print_done(run, seconds);
    else if (!run->args->quiet)
        print_summary(run, seconds);
    if (run->different + run->failed > 0) return CLI_FAILED;
    return run->missing > 0 ? CLI_NO_TABLE : CLI_OK;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Checks that a single file can be compared, and prints which other files are read with it. Returns an
 * exit code. */
static int check_file(const CompareRun *run, int s)
{
    char name[MATERIAL_NAME_SIZE];
    const CompareSet *set = &run->set[s], *other = &run->set[!s];
    if (!set->file) return CLI_OK;
    material_name(&set->material, name);
    if (other->file &&
        (set->metric != other->metric || !material_equal(&set->material, &other->material))) {
        cli_error("compare", "%s and %s are not of the same material and metric",
                  run->args->path[0], run->args->path[1]);
        return CLI_USAGE;
    }
    if (compare_metrics(set, &set->material) == 0) {
        cli_error("compare", "%s: its folder has no WDL table of %s, which is needed to compare it",
                  run->args->path[s], name);
        return CLI_NO_TABLE;
    }
    if (!cli_json_wanted() && !run->args->quiet)
        printf("%s: the other tables in its folder answer for positions after captures\n",
               run->args->path[s]);
    return CLI_OK;
}

static int run_all(CompareArgs *args)
{
    CompareRun run = {.args = args, .stop = cli_catch_signals()};
    int code = CLI_OK;
    double start = clock_seconds();
    treb_error error;
    cli_progress_start(&run.progress, "compare", args->quiet);
    args->options.progress = on_progress;
    args->options.context = &run;
    for (int s = 0; s < 2 && code == CLI_OK; s++)
        if (compare_open(&run.set[s], args->path[s], &error) != TREB_OK) {
            code = cli_fail("compare", &error);
            if (error.status == TREB_ERR_ARGUMENT)
                code = cli_usage("compare");
            else
                cli_hint_folders("A and B are folders with tables", &args->path[s], 1);
        }
    for (int s = 0; s < 2 && code == CLI_OK; s++) code = check_file(&run, s);
    if (code == CLI_OK) code = args->names > 0 ? compare_named(&run) : compare_all(&run);
    if (code == CLI_OK) code = finish(&run, clock_seconds() - start);
    for (int s = 0; s < 2; s++) compare_close(&run.set[s]);
    return code;
}

static bool add_name(CompareArgs *args, const char *text)
{
    char name[MATERIAL_NAME_SIZE];
    if (!cli_read_material("compare", text, name)) return false;
    for (size_t i = 0; i < args->names; i++)
        if (strcmp(args->name[i], name) == 0) return true;
    void *grown = realloc(args->name, (args->names + 1) * sizeof *args->name);
    if (grown == NULL) return cli_no_memory("compare") == CLI_OK;
    args->name = grown;
    strcpy(args->name[args->names++], name);
    return true;
}

static bool set_metrics(const char *command, const CliOption *option, void *to, const char *value)
{
    CompareArgs *args = to;
    args->metrics = cli_parse_metrics(value);
    if (args->metrics == 0)
        cli_error(command, "--%s takes a list of wdl, dtz, dtc and dtm, not '%s'", option->name,
                  value);
    return args->metrics != 0;
}

static const CliOption options[] = {
    {"metric", 'm', "LIST", CLI_OWN(set_metrics), "compare only these metrics, such as wdl,dtz"},
    {"show", 'n', "N", CLI_UNSIGNED(CompareArgs, options.shown, 0, COMPARE_SHOWN_MAX),
     "show up to N positions of each table that differ (default: 10)"},
    {"memory", 'M', "SIZE", CLI_SIZE(CompareArgs, options.memory, 0, 0),
     "use about SIZE of memory, such as 2GiB; a small SIZE makes it slower (default: 4GiB)"},
    {"threads", 'j', "N", CLI_UNSIGNED(CompareArgs, options.threads, 1, 1024),
     "number of threads (default: one per processor)"},
    CLI_OPTION_JSON("print one JSON object per line, for each table"),
    {"quiet", 'q', NULL, CLI_FLAG(CompareArgs, quiet), "print nothing about tables that agree"},
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand compare_command = {
    .name = "compare",
    .synopsis = "trebuchet compare [options] A B [MATERIAL]...",
    .about = "Compares the answers of two sets of tables for every position of a material, "
             "including en passant, by all metrics that both sets have. A and B are folders of "
             "Trebuchet's or Syzygy's tables, or single files; the other files in the folder of a "
             "single file answer for the positions after captures. Without a MATERIAL, compares "
             "all materials that both sets have.\n\n"
             "A Syzygy file may round a distance. Two distances that may be equal because of that "
             "count as rounded.",
    .options = options,
    .notes = "Exit codes: 0 all tables agree, 1 a table differs or could not be compared, 2 wrong "
             "command line, 3 there is nothing to compare."};

/* Returns -1 to go on, else the exit code. */
static int parse(CompareArgs *args, int argc, char **argv)
{
    int code = cli_options(&compare_command, args, argc, argv);
    if (code >= 0) return code;
    if (argc - optind < 2) {
        cli_error("compare", "name two folders of tables, or two files");
        return cli_usage("compare");
    }
    for (int s = 0; s < 2; s++) args->path[s] = argv[optind + s];
    for (int i = optind + 2; i < argc; i++)
        if (!add_name(args, argv[i])) return cli_usage("compare");
    return -1;
}

int cli_compare(int argc, char **argv)
{
    CompareArgs args = {.metrics = ((1u << TREB_METRICS) - 1) | 1u << TREB_DTM50,
                        .options = {.shown = SHOWN, .memory = MEMORY}};
    int code = parse(&args, argc, argv);
    if (code < 0) code = run_all(&args);
    free(args.name);
    return cli_finish("compare", code);
}
