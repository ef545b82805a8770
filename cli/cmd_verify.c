/* cmd_verify.c - trebuchet verify: check tables against the rules of chess. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/verify/verify.h"
#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "cli/verify_checksums.h"
#include "cli/verify_pawns.h"
#include "core/system/io.h"
#include "core/system/tool.h"
#include "pawns/blocked/blocked_file.h"
#include "pawns/solve/pawn_file.h"

/* The files of one material and kind, which are checked together. */
typedef struct VerifyItem {
    char material[MATERIAL_NAME_SIZE];
    bool syzygy;
    const char *file; /* a file of the material that was named, or NULL */
} VerifyItem;

typedef struct VerifyArgs {
    VerifyOptions options;
    CliDirs dirs;
    char **word; /* materials and files */
    size_t words;
    VerifyList list;
    VerifyItem *item;
    size_t items;
    FileNames pawn_files; /* names of blocked-pawn tables and pawn files */
    bool checksum, quiet;
} VerifyArgs;

typedef struct VerifyRun {
    const VerifyArgs *args;
    const VerifyItem *item; /* being checked */
    const atomic_bool *stop;
    CliProgress progress;
    size_t wrong, unchecked, missing;
    uint64_t positions;
} VerifyRun;

/* ---- Output ---------------------------------------------------------------------------------- */

static bool on_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    VerifyRun *run = context;
    cli_progress_share(&run->progress, done, total, "%s: %s", run->item->material, phase);
    return !atomic_load(run->stop);
}

/* "wdl,dtz", or "rtbw,rtbz". */
static void metric_list(const VerifyRun *run, unsigned metrics, char out[32])
{
    static const char *const endings[] = {"rtbw", "rtbz"};
    *out = '\0';
    for (int m = 0; m <= TREB_DTM50; m++) {
        if (!(metrics >> m & 1)) continue;
        if (*out) strcat(out, ",");
        bool syzygy = run->item->syzygy && !cli_json_wanted();
        strcat(out, syzygy && m <= TREB_DTZ ? endings[m] : table_metric_name((treb_metric)m));
    }
}

static void print_json(const VerifyRun *run, treb_status status, const VerifyResult *r,
                       double seconds)
{
    char metrics[32];
    metric_list(run, r->metrics, metrics);
    json_t *object = verify_event("table", "material", run->item->material, status);
    json_object_set_new(object, "format", json_string(run->item->syzygy ? "syzygy" : "trebuchet"));
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
    const char *name = run->item->material;
    cli_format_count(r->positions, positions);
    cli_format_count(r->blocks, blocks);
    metric_list(run, r->metrics, metrics);
    if (status == TREB_OK) {
        if (run->args->quiet) return;
        printf("%-9s right %13s positions %6s %-6s %7.2f s %s%s\n", name, positions,
               run->item->syzygy ? "" : blocks, run->item->syzygy ? "" : "blocks", seconds, metrics,
               r->wdl_only ? " (progress of wins not proved)" : "");
    } else if (status == TREB_ERR_DAMAGED) {
        cli_format_count(r->errors, positions);
        printf("%-9s WRONG %s error%s; the first: %s\n", name, positions, r->errors == 1 ? "" : "s",
               r->text);
    } else {
        printf("%-9s not checked: %s\n", name, r->text);
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

/* Checks the tables of a material. `folder`, that of a file that was named, comes before the others. */
static treb_status verify_in(const VerifyItem *item, const char *folder, VerifyOptions options,
                             VerifyResult *result)
{
    const char *dirs[1 + sizeof((CliDirs *)0)->dir / sizeof(const char *)];
    Material material;
    size_t count = 0;
    if (folder != NULL) dirs[count++] = folder;
    for (size_t i = 0; i < options.dirs_count; i++) dirs[count++] = options.dirs[i];
    options.dirs = dirs;
    options.dirs_count = count;
    options.syzygy = item->syzygy;
    material_parse(item->material, &material);
    return verify_material(&material, &options, result);
}

static treb_status verify_item(const VerifyRun *run, VerifyResult *result)
{
    const VerifyItem *item = run->item;
    if (item->file == NULL) return verify_in(item, NULL, run->args->options, result);
    if (!tool_may(item->file, TOOL_EXISTS) && errno == ENOENT) {
        snprintf(result->text, sizeof result->text, "%.400s does not exist", item->file);
        return TREB_ERR_NO_TABLE;
    }
    char *folder = io_folder(item->file);
    if (folder == NULL) {
        snprintf(result->text, sizeof result->text, "out of memory");
        return TREB_ERR_MEMORY;
    }
    treb_status status = verify_in(item, folder, run->args->options, result);
    free(folder);
    return status;
}

static void verify_one(VerifyRun *run)
{
    VerifyResult result = {0};
    double start = clock_seconds();
    treb_status status = verify_item(run, &result);
    double seconds = clock_seconds() - start;
    cli_progress_clear(&run->progress);
    if (atomic_load(run->stop) && status != TREB_OK && status != TREB_ERR_DAMAGED) return;
    run->positions += result.positions;
    count_status(run, status);
    if (cli_json_wanted())
        print_json(run, status, &result, seconds);
    else
        print_line(run, status, &result, seconds);
    fflush(stdout);
}

static void verify_pawn_file(VerifyRun *run, treb_tables *tables, const char *name)
{
    double start = clock_seconds();
    enum { SAMPLE = 1000000 };
    FileCheck check = {.stop = run->stop,
                       .most = run->args->options.full ? 0 : SAMPLE,
                       .threads = run->args->options.threads};
    treb_status status = verify_pawns(&run->args->dirs, tables, name, &check);
    count_status(run, status);
    run->positions += check.placements;
    if (cli_json_wanted())
        verify_pawns_json(name, status, &check, clock_seconds() - start);
    else
        verify_pawns_print(name, status, &check, clock_seconds() - start, run->args->quiet);
    fflush(stdout);
}

/* Prints the last JSON object, the summary. */
static void print_done(const VerifyRun *run, size_t right, double seconds)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_string("done"));
    json_object_set_new(object, "materials", json_integer((json_int_t)run->args->items));
    json_object_set_new(object, "rank_files",
                        json_integer((json_int_t)run->args->pawn_files.count));
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
    size_t bad = run->wrong + run->unchecked + run->missing,
           pawn_files = run->args->pawn_files.count;
    char files[64] = "";
    if (pawn_files > 0)
        snprintf(files, sizeof files, ", %zu %s", pawn_files,
                 cli_plural(pawn_files, "pawn file", "pawn files"));
    cli_format_count(run->positions, positions);
    cli_format_time(seconds, time);
    if (atomic_load(run->stop)) {
        cli_error("verify", "stopped after %zu of %zu", checked,
                  run->args->items + run->args->pawn_files.count);
        return CLI_STOPPED;
    }
    if (cli_json_wanted())
        print_done(run, checked - bad, seconds);
    else if (!run->args->quiet)
        printf("\n%zu material%s%s: %zu right, %zu wrong, %zu not checked; %s positions, %s\n",
               run->args->items, run->args->items == 1 ? "" : "s", files, checked - bad, run->wrong,
               run->unchecked + run->missing, positions, time);
    return run->wrong + run->unchecked ? CLI_FAILED : run->missing ? CLI_NO_TABLE : CLI_OK;
}

static int run_all(const VerifyArgs *args)
{
    VerifyRun run = {.args = args, .stop = cli_catch_signals()};
    VerifyOptions *options = (VerifyOptions *)&args->options;
    double start = clock_seconds();
    cli_progress_start(&run.progress, "verify", args->quiet);
    options->dirs = args->dirs.dir;
    options->dirs_count = args->dirs.count;
    options->progress = on_progress;
    options->context = &run;
    options->scratch = tool_variable("TMPDIR");
    size_t checked = 0; /* not what was stopped */
    for (size_t i = 0; i < args->items && !atomic_load(run.stop); i++) {
        run.item = &args->item[i];
        verify_one(&run);
        checked += !atomic_load(run.stop);
    }
    treb_tables *tables = NULL;
    if (args->pawn_files.count > 0 && !atomic_load(run.stop))
        tables = treb_tables_open(args->dirs.dir, args->dirs.count, NULL);
    for (size_t k = 0; k < args->pawn_files.count && !atomic_load(run.stop); k++) {
        verify_pawn_file(&run, tables, args->pawn_files.name[k]);
        checked += !atomic_load(run.stop);
    }
    treb_tables_close(tables);
    return summary(&run, checked, clock_seconds() - start);
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Returns whether a file is checked together with an item: it has the same material, the same kind
 * and, if both were named, the same folder. */
static bool together(const VerifyItem *item, const VerifyListed *file)
{
    if (item->syzygy != file->syzygy || strcmp(item->material, file->material) != 0) return false;
    if (!file->named || item->file == NULL) return !file->named && item->file == NULL;
    size_t folder = (size_t)(io_name(item->file) - item->file);
    return folder == (size_t)(io_name(file->path) - file->path) &&
           strncmp(item->file, file->path, folder) == 0;
}

static bool list_items(VerifyArgs *args)
{
    args->item = calloc(args->list.count + 1, sizeof *args->item);
    if (args->item == NULL) return false;
    for (size_t i = 0; i < args->list.count; i++) {
        const VerifyListed *file = &args->list.file[i];
        size_t k = 0;
        while (k < args->items && !together(&args->item[k], file)) k++;
        if (k < args->items) continue;
        VerifyItem *item = &args->item[args->items++];
        *item = (VerifyItem){.syzygy = file->syzygy, .file = file->named ? file->path : NULL};
        strcpy(item->material, file->material);
    }
    return true;
}

/* Lists the files that the words name, or, without any words, all files of the folders. */
static bool list_files(VerifyArgs *args, const treb_tables *tables)
{
    bool all = args->words == 0 && args->pawn_files.count == 0;
    if (all && (!verify_list_add(&args->list, tables, &args->dirs, NULL) ||
                !blocked_file_names(args->dirs.dir, args->dirs.count, &args->pawn_files) ||
                !pawn_file_names(args->dirs.dir, args->dirs.count, &args->pawn_files)))
        return false;
    for (size_t i = 0; i < args->words; i++)
        if (!verify_list_add(&args->list, tables, &args->dirs, args->word[i])) return false;
    if (!args->checksum) return list_items(args);
    return verify_list_pawns(&args->list, &args->dirs, &args->pawn_files);
}

/* Opens the folders, to see that they can be read, and lists the files to check. */
static int prepare(VerifyArgs *args)
{
    treb_tables *tables = cli_open_tables("verify", &args->dirs);
    if (tables == NULL) return CLI_FAILED;
    if (cli_refuse_addresses("verify", &args->dirs)) {
        treb_tables_close(tables);
        return CLI_FAILED;
    }
    bool listed = list_files(args, tables);
    treb_tables_close(tables);
    if (!listed) return cli_no_memory("verify");
    if (args->list.count > 0 || args->pawn_files.count > 0) return CLI_OK;
    return cli_no_tables("verify", &args->dirs);
}

/* If a material has no table, prints the folders that were searched and the command that makes it. */
static void hint_missing(const VerifyArgs *args)
{
    for (size_t i = 0; i < args->list.count; i++)
        if (args->list.file[i].path == NULL) {
            cli_hint_missing(args->list.file[i].material, &args->dirs);
            return;
        }
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

static bool set_share(const char *command, const CliOption *option, void *to, const char *value)
{
    if (parse_share(value, &((VerifyArgs *)to)->options.share)) return true;
    cli_error(command, "--%s takes a number above 0 and up to 1, or a percentage", option->name);
    return false;
}

static const CliOption options[] = {
    {"full", 'f', NULL, CLI_FLAG(VerifyArgs, options.full),
     "check every position, all counts, and that no line is longer than the header says"},
    {"checksum", 'c', NULL, CLI_FLAG(VerifyArgs, checksum), "verify the checksums only"},
    {"share", 's', "X", CLI_OWN(set_share), "share of the positions in a sample: 0.05 or 5%"},
    {"memory", 'M', "SIZE", CLI_SIZE(VerifyArgs, options.memory, 0, 0),
     "use at most SIZE, such as 2GiB, or refuse (default: 12GiB); data of --full that does not fit "
     "goes to a scratch file in TMPDIR, or else in the folder of the table; what DTM50 needs must "
     "fit"},
    {"threads", 'j', "N", CLI_UNSIGNED(VerifyArgs, options.threads, 1, 1024),
     "number of threads (default: one per processor)"},
    CLI_OPTION_JSON("print one JSON object per line, for each table"),
    CLI_OPTION_JSON_LOG,
    {"quiet", 'q', NULL, CLI_FLAG(VerifyArgs, quiet), "print nothing about tables that are right"},
    CLI_OPTION_TABLES(VerifyArgs, dirs),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand verify_command = {
    .name = "verify",
    .synopsis = "trebuchet verify [options] [MATERIAL | FILE]...",
    .about =
        "Checks that every value of a table follows, by the rules of chess alone, from the values "
        "after the moves of its position, and that every checksum is right. Without an argument, "
        "checks all tables of the folders. By default it checks a sample of positions, but always "
        "all checksums.\n\n"
        "Syzygy's files (KRPvKR.rtbw, KRPvKR.rtbz) are checked in the same way. If a material has "
        "tables of both kinds, both are checked. A FILE stands for all tables of its material and "
        "kind in its folder; with --checksum, only for itself.\n\n"
        "Blocked-pawn tables (made by 'trebuchet blocked --write') are always checked in full: "
        "every placement by its moves, and captures that leave up to 5 men by the tables. Pawn "
        "files (made by 'trebuchet solve --write') are checked in the same way, every position "
        "with --full, else about a million.",
    .options = options,
    .notes = "Exit codes: 0 all is right, 1 an error was found or something could not be checked, "
             "2 wrong command line, 3 table not installed."};

/* Returns -1 to go on, else the exit code. */
static int parse(VerifyArgs *args, int argc, char **argv)
{
    char name[MATERIAL_NAME_SIZE];
    int code = cli_options(&verify_command, args, argc, argv);
    if (code >= 0) return code;
    if (args->checksum && (args->options.full || args->options.share > 0)) {
        cli_error("verify",
                  "--checksum checks no positions, so --full and --share cannot be used with it");
        return cli_usage("verify");
    }
    args->word = calloc((size_t)argc, sizeof *args->word);
    if (args->word == NULL) return cli_no_memory("verify");
    for (int i = optind; i < argc; i++) {
        if (table_blocked_is_name(argv[i]) || table_pawn_is_name(argv[i], NULL)) {
            if (!file_names_add(&args->pawn_files, argv[i])) return cli_no_memory("verify");
            continue;
        }
        if (!verify_list_is_file(argv[i]) && !cli_read_material("verify", argv[i], name))
            return cli_usage("verify");
        args->word[args->words++] = argv[i];
    }
    return -1;
}

int cli_verify(int argc, char **argv)
{
    VerifyArgs args = {0};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        code = prepare(&args);
        if (code == CLI_OK && args.checksum)
            code = verify_checksums_run(&args.list, &args.options, args.quiet);
        else if (code == CLI_OK)
            code = run_all(&args);
        if (code == CLI_NO_TABLE) hint_missing(&args);
    }
    free(args.word);
    free(args.item);
    verify_list_free(&args.list);
    file_names_free(&args.pawn_files);
    cli_dirs_free(&args.dirs);
    return cli_finish("verify", code);
}
