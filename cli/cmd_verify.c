/* cmd_verify.c - trebuchet verify: check tables against the rules of chess. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blocked/blocked.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/verify_ranks.h"
#include "verify/verify.h"

static const char usage[] =
    "Usage: trebuchet verify [options] [MATERIAL | RANK-FILE]...\n"
    "\n"
    "Checks that every value of a table follows from the moves of its position as the\n"
    "rules alone give them, and that every block's checksum is right. Without a\n"
    "material all tables of the folders are checked. By default a sample of\n"
    "positions; the checksums are always all compared.\n"
    "\n"
    "Rank files of blocked positions (trebuchet blocked --write) are checked with\n"
    "them, always in full: every cell by the moves of its placement, and captures\n"
    "that leave up to 5 men by the tables.\n"
    "\n"
    "  -f, --full           every position, all counts, and that no line is longer\n"
    "                       than is said\n"
    "  -s, --share X        of the positions in a sample, such as 0.05 or 5%\n"
    "  -M, --memory SIZE    use at most SIZE, as 2GiB, or refuse (default 12GiB)\n"
    "  -j, --threads N      threads (default: one a processor)\n"
    "      --json           one JSON object a line as tables are checked\n"
    "  -q, --quiet          say nothing of tables that are right\n"
    "  -t, --tables DIR     look for tables in DIR; may be given several times\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit codes: 0 all is right, 1 an error was found or something could not be\n"
    "checked, 2 called wrongly, 3 no such table.\n";

typedef struct VerifyArgs {
    VerifyOptions options;
    CliDirs dirs;
    char (*name)[MATERIAL_NAME_SIZE];
    size_t names;
    BlockedNames ranks; /* rank files */
    bool quiet;
} VerifyArgs;

typedef struct VerifyRun {
    const VerifyArgs *args;
    const char *name; /* of the table at hand */
    const atomic_bool *stop;
    bool bar, drawn;
    double last;
    size_t wrong, unchecked, missing;
    uint64_t positions;
} VerifyRun;

/* ---- What is printed ------------------------------------------------------------------------- */

static void clear_bar(VerifyRun *run)
{
    if (run->drawn) fputs("\r\033[K", stderr);
    run->drawn = false;
}

static bool on_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    VerifyRun *run = context;
    if (run->bar && cli_seconds() - run->last > 0.2) {
        run->last = cli_seconds();
        fprintf(stderr, "\r%s: %s %.0f%%\033[K", run->name, phase,
                total ? 100.0 * (double)done / (double)total : 0);
        run->drawn = true;
    }
    return !atomic_load(run->stop);
}

static void metric_list(unsigned metrics, char out[32])
{
    *out = '\0';
    for (int m = 0; m < TREB_METRICS; m++) {
        if (!(metrics >> m & 1)) continue;
        if (*out) strcat(out, ",");
        strcat(out, table_metric_name((treb_metric)m));
    }
}

static void print_json(const VerifyRun *run, treb_status status, const VerifyResult *r,
                       double seconds)
{
    char metrics[32];
    metric_list(r->metrics, metrics);
    json_t *object = verify_event("table", "material", run->name, status);
    json_object_set_new(object, "full", json_boolean(run->args->options.full));
    json_object_set_new(object, "metrics", json_string(metrics));
    json_object_set_new(object, "positions", json_integer((json_int_t)r->positions));
    json_object_set_new(object, "blocks", json_integer((json_int_t)r->blocks));
    json_object_set_new(object, "errors", json_integer((json_int_t)r->errors));
    json_object_set_new(object, "rule_proved", json_boolean(r->rule_proved));
    json_object_set_new(object, "seconds", cli_json_real(seconds, 3));
    json_object_set_new(object, "text", cli_json_text(r->text));
    cli_json_line("verify", object);
}

static void print_line(const VerifyRun *run, treb_status status, const VerifyResult *r,
                       double seconds)
{
    char positions[32], blocks[32], metrics[32];
    cli_format_count(r->positions, positions);
    cli_format_count(r->blocks, blocks);
    metric_list(r->metrics, metrics);
    if (status == TREB_OK) {
        if (run->args->quiet) return;
        printf("%-9s right %13s positions %6s blocks %7.2f s %s%s\n", run->name, positions, blocks,
               seconds, metrics, r->wdl_only ? " (progress of wins not proved)" : "");
    } else if (status == TREB_ERR_DAMAGED) {
        cli_format_count(r->errors, positions);
        printf("%-9s WRONG %s error%s; the first: %s\n", run->name, positions,
               r->errors == 1 ? "" : "s", r->text);
    } else {
        printf("%-9s not checked: %s\n", run->name, r->text);
    }
}

/* ---- The work -------------------------------------------------------------------------------- */

static void count_status(VerifyRun *run, treb_status status)
{
    if (status == TREB_ERR_DAMAGED)
        run->wrong++;
    else if (status == TREB_ERR_NO_TABLE)
        run->missing++;
    else if (status != TREB_OK)
        run->unchecked++;
}

static void verify_one(VerifyRun *run)
{
    Material material;
    VerifyResult result = {0};
    double start = cli_seconds();
    material_parse(run->name, &material);
    treb_status status = verify_material(&material, &run->args->options, &result);
    double seconds = cli_seconds() - start;
    clear_bar(run);
    if (atomic_load(run->stop) && status != TREB_OK && status != TREB_ERR_DAMAGED) return;
    run->positions += result.positions;
    count_status(run, status);
    if (cli_json_wanted())
        print_json(run, status, &result, seconds);
    else
        print_line(run, status, &result, seconds);
    fflush(stdout);
}

static void verify_rank_file(VerifyRun *run, treb_tables *tables, const char *name)
{
    double start = cli_seconds();
    FileCheck check;
    treb_status status = verify_ranks(&run->args->dirs, tables, name, &check);
    count_status(run, status);
    run->positions += check.placements;
    if (cli_json_wanted())
        verify_ranks_json(name, status, &check, cli_seconds() - start);
    else
        verify_ranks_print(name, status, &check, cli_seconds() - start, run->args->quiet);
    fflush(stdout);
}

/* The last object: what it came to. */
static void print_done(const VerifyRun *run, size_t right, double seconds)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_string("done"));
    json_object_set_new(object, "materials", json_integer((json_int_t)run->args->names));
    json_object_set_new(object, "rank_files", json_integer((json_int_t)run->args->ranks.count));
    json_object_set_new(object, "right", json_integer((json_int_t)right));
    json_object_set_new(object, "wrong", json_integer((json_int_t)run->wrong));
    json_object_set_new(object, "not_checked",
                        json_integer((json_int_t)(run->unchecked + run->missing)));
    json_object_set_new(object, "positions", json_integer((json_int_t)run->positions));
    json_object_set_new(object, "seconds", cli_json_real(seconds, 3));
    cli_json_line("verify", object);
}

static int summary(const VerifyRun *run, size_t checked, double seconds)
{
    char positions[32], time[16];
    size_t bad = run->wrong + run->unchecked + run->missing, ranks = run->args->ranks.count;
    char files[64] = "";
    if (ranks > 0) snprintf(files, sizeof files, ", %zu rank file%s", ranks, ranks == 1 ? "" : "s");
    cli_format_count(run->positions, positions);
    cli_format_time(seconds, time);
    if (atomic_load(run->stop)) {
        cli_error("verify", "stopped after %zu of %zu", checked,
                  run->args->names + run->args->ranks.count);
        return CLI_STOPPED;
    }
    if (cli_json_wanted())
        print_done(run, checked - bad, seconds);
    else if (!run->args->quiet)
        printf("\n%zu material%s%s: %zu right, %zu wrong, %zu not checked; %s positions, %s\n",
               run->args->names, run->args->names == 1 ? "" : "s", files, checked - bad, run->wrong,
               run->unchecked + run->missing, positions, time);
    return run->wrong + run->unchecked ? CLI_FAILED : run->missing ? CLI_NO_TABLE : CLI_OK;
}

static int run_all(const VerifyArgs *args)
{
    VerifyRun run = {.args = args,
                     .stop = cli_catch_signals(),
                     .bar = isatty(STDERR_FILENO) && !cli_json_wanted() && !args->quiet};
    VerifyOptions *options = (VerifyOptions *)&args->options;
    double start = cli_seconds();
    run.last = start;
    options->dirs = args->dirs.dir;
    options->dirs_count = args->dirs.count;
    options->progress = on_progress;
    options->context = &run;
    size_t i = 0;
    for (; i < args->names && !atomic_load(run.stop); i++) {
        run.name = args->name[i];
        verify_one(&run);
    }
    treb_tables *tables = NULL;
    if (args->ranks.count > 0 && !atomic_load(run.stop))
        tables = treb_tables_open(args->dirs.dir, args->dirs.count, NULL);
    for (size_t k = 0; k < args->ranks.count && !atomic_load(run.stop); k++, i++)
        verify_rank_file(&run, tables, args->ranks.name[k]);
    treb_tables_close(tables);
    return summary(&run, i, cli_seconds() - start);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool add_name(VerifyArgs *args, const char *name)
{
    for (size_t i = 0; i < args->names; i++)
        if (strcmp(args->name[i], name) == 0) return true;
    void *grown = realloc(args->name, (args->names + 1) * sizeof *args->name);
    if (grown == NULL) return cli_no_memory("verify") == CLI_OK;
    args->name = grown;
    strcpy(args->name[args->names++], name);
    return true;
}

/* Sees that the folders can be read; without materials takes all of which there is any file. */
static int prepare(VerifyArgs *args)
{
    treb_tables *tables = cli_open_tables("verify", &args->dirs);
    bool ok = tables != NULL, all = args->names == 0 && args->ranks.count == 0;
    for (size_t i = 0; ok && all && i < treb_tables_count(tables); i++) {
        treb_table_info info;
        treb_tables_info(tables, i, &info, NULL);
        ok = add_name(args, info.material);
    }
    treb_tables_close(tables);
    if (ok && all && !blocked_names(args->dirs.dir, args->dirs.count, &args->ranks))
        ok = cli_no_memory("verify") == CLI_OK;
    if (!ok) return CLI_FAILED;
    if (args->names > 0 || args->ranks.count > 0) return CLI_OK;
    treb_error error = {TREB_ERR_NO_TABLE, "there are no tables"};
    return cli_fail("verify", &error, &args->dirs);
}

static bool parse_share(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (end != text && *end == '%' && end[1] == '\0')
        *out /= 100;
    else if (end == text || *end)
        return false;
    return *out > 0 && *out <= 1;
}

static bool set_option(void *verify, int c, const char *value)
{
    VerifyArgs *args = verify;
    VerifyOptions *o = &args->options;
    uint64_t threads;
    switch (c) {
    case 'f':
        return o->full = true;
    case 's':
        if (parse_share(value, &o->share)) return true;
        cli_error("verify", "--share takes a number above 0 and up to 1, or a percentage");
        return false;
    case 'M':
        return cli_set_size("verify", "--memory", value, 0, &o->memory);
    case 'j':
        if (!cli_set_number("verify", "--threads", value, 1, 1024, &threads)) return false;
        o->threads = (unsigned)threads;
        return true;
    default:
        return args->quiet = true;
    }
}

/* -1: carry on; else the exit code. */
static int parse(VerifyArgs *args, int argc, char **argv)
{
    static const struct option options[] = {{"full", 0, NULL, 'f'},
                                            {"share", 1, NULL, 's'},
                                            {"memory", 1, NULL, 'M'},
                                            {"threads", 1, NULL, 'j'},
                                            {"quiet", 0, NULL, 'q'},
                                            {"json", 0, NULL, CLI_OPTION_JSON},
                                            {"json-log", 0, NULL, CLI_OPTION_JSON},
                                            {"tables", 1, NULL, 't'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const CliOptions reader = {"verify", usage, "fs:M:j:qt:h", options, &args->dirs, set_option};
    char name[MATERIAL_NAME_SIZE];
    int code = cli_options(&reader, args, argc, argv);
    if (code >= 0) return code;
    for (int i = optind; i < argc; i++) {
        bool ranks = table_ranks_is_name(argv[i]);
        if (ranks ? !blocked_names_add(&args->ranks, argv[i])
                  : !cli_read_material("verify", argv[i], name) || !add_name(args, name))
            return cli_usage("verify");
    }
    return -1;
}

int cli_verify(int argc, char **argv)
{
    VerifyArgs args = {0};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        code = prepare(&args);
        if (code == CLI_OK) code = run_all(&args);
    }
    free(args.name);
    blocked_names_free(&args.ranks);
    cli_dirs_free(&args.dirs);
    return cli_finish("verify", code);
}
