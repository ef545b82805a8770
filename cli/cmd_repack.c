/* cmd_repack.c - trebuchet repack: small verdict files, which have one side to move.
 *
 * The other side's verdicts follow from its moves: the best verdict that one of them leads to, unless
 * the 50-move rule comes between (table_side_follows). The cells are not coded again: the pages of a
 * side are copied. */
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/cmd.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "core/chess/material.h"
#include "core/format/table.h"
#include "core/system/io.h"
#include "core/system/tool.h"

enum { BOTH = 3 };

typedef struct RepackArgs {
    CliDirs dirs;
    const char *to;
    char (*name)[MATERIAL_NAME_SIZE]; /* the materials that were named; none: all */
    size_t names;
    bool quiet;
} RepackArgs;

typedef struct RepackRun {
    const RepackArgs *args;
    treb_tables *tables;
    const atomic_bool *stop;
    size_t files, there; /* there: were there already */
    uint64_t before, after;
} RepackRun;

/* ---- Which side stays ------------------------------------------------------------------------ */

static bool has_cursed(const TableHeader *wdl)
{
    uint64_t sum = 0;
    for (int s = 0; s < 2; s++)
        sum += wdl->side[s].count[TREB_CURSED_WIN] + wdl->side[s].count[TREB_BLESSED_LOSS];
    return sum > 0;
}

/* Opens the DTZ file of a material. NULL with *error filled on failure. */
static Table *open_dtz(const RepackRun *run, const char *material, treb_error *error)
{
    treb_table_info info;
    if (treb_tables_find(run->tables, material, TREB_DTZ, &info, error) != TREB_OK) return NULL;
    if (info.format == TREB_FORMAT_TREBUCHET) return table_open(info.path, error);
    fail(error, TREB_ERR_NO_TABLE, "%s.dtz.treb is not installed", material);
    return NULL;
}

/* Chooses the sides that stay: the smaller one, if the other's verdicts follow. */
static treb_status choose_sides(const RepackRun *run, const Table *wdl, const char *material,
                                unsigned *sides, treb_error *error)
{
    const TableHeader *header = table_header(wdl);
    Table *dtz = NULL;
    *sides = (unsigned)header->side[TREB_WHITE].stored | (unsigned)header->side[TREB_BLACK].stored << 1;
    if (*sides != BOTH) return TREB_OK;
    if (has_cursed(header)) {
        dtz = open_dtz(run, material, error);
        if (dtz == NULL) return error->status;
    }
    const bool smaller = header->side[TREB_BLACK].code.pages < header->side[TREB_WHITE].code.pages;
    for (int i = 0; i < 2 && *sides == BOTH; i++) {
        const int stays = i ^ smaller;
        if (table_side_follows(header, dtz != NULL ? table_header(dtz) : NULL, !stays))
            *sides = 1u << stays;
    }
    table_close(dtz);
    return TREB_OK;
}

/* ---- One file -------------------------------------------------------------------------------- */

static void print_file(const RepackRun *run, const char *name, unsigned sides, uint64_t before,
                       uint64_t after)
{
    static const char *const side[4] = {"", "white", "black", "both"};
    char counts[2][32];
    if (cli_json_wanted()) {
        json_t *object = json_object();
        json_object_set_new(object, "event", json_string("table"));
        json_object_set_new(object, "material", json_string(name));
        json_object_set_new(object, "sides", json_string(side[sides]));
        json_object_set_new(object, "bytes_before", json_integer((json_int_t)before));
        json_object_set_new(object, "bytes", json_integer((json_int_t)after));
        cli_json_line("repack", object);
        return;
    }
    if (run->args->quiet) return;
    cli_format_count(before, counts[0]);
    cli_format_count(after, counts[1]);
    printf("%-8s %15s -> %15s bytes, %s to move\n", name, counts[0], counts[1], side[sides]);
}

static int repack_file(RepackRun *run, const treb_table_info *info)
{
    treb_error error;
    unsigned sides = 0;
    uint64_t after = 0;
    char name[TABLE_LONG_NAME_SIZE];
    Table *wdl = table_open(info->path, &error);
    if (wdl == NULL) return cli_fail("repack", &error);
    table_header_name(table_header(wdl), name);
    char *path = io_path(run->args->to, name);
    const bool there = path != NULL && tool_may(path, TOOL_EXISTS);
    treb_status status = path != NULL ? TREB_OK : fail_memory(&error);
    if (there) run->there++;
    if (status == TREB_OK && !there) status = choose_sides(run, wdl, info->material, &sides, &error);
    if (status == TREB_OK && !there)
        status = table_write_sides(run->args->to, wdl, sides, &after, &error);
    if (status == TREB_OK && !there) {
        run->files++;
        run->before += table_file_size(wdl);
        run->after += after;
        print_file(run, info->material, sides, table_file_size(wdl), after);
    }
    free(path);
    table_close(wdl);
    return status == TREB_OK ? CLI_OK : cli_fail("repack", &error);
}

/* ---- All files ------------------------------------------------------------------------------- */

static bool is_wanted(const RepackArgs *args, const char *name)
{
    for (size_t i = 0; i < args->names; i++)
        if (strcmp(args->name[i], name) == 0) return true;
    return args->names == 0;
}

static void print_done(const RepackRun *run)
{
    char before[16], after[16];
    if (cli_json_wanted()) {
        json_t *object = json_object();
        json_object_set_new(object, "event", json_string("done"));
        json_object_set_new(object, "tables", json_integer((json_int_t)run->files));
        json_object_set_new(object, "there", json_integer((json_int_t)run->there));
        json_object_set_new(object, "bytes_before", json_integer((json_int_t)run->before));
        json_object_set_new(object, "bytes", json_integer((json_int_t)run->after));
        cli_json_line("repack", object);
        return;
    }
    if (run->args->quiet) return;
    cli_format_size(run->before, before);
    cli_format_size(run->after, after);
    printf("%zu %s, %s -> %s", run->files, cli_plural(run->files, "file", "files"), before, after);
    if (run->there > 0)
        printf("; %zu %s there already", run->there, cli_plural(run->there, "was", "were"));
    putchar('\n');
}

/* Reports the materials that were named and have no file. */
static int check_names(const RepackRun *run)
{
    for (size_t i = 0; i < run->args->names; i++) {
        treb_error error;
        treb_table_info info;
        treb_status status =
            treb_tables_find(run->tables, run->args->name[i], TREB_WDL, &info, &error);
        if (status == TREB_OK && info.format == TREB_FORMAT_TREBUCHET) continue;
        if (status == TREB_OK)
            status = fail(&error, TREB_ERR_NO_TABLE, "%s.wdl.treb is not installed",
                          run->args->name[i]);
        return cli_fail("repack", &error);
    }
    return CLI_OK;
}

static int repack_all(RepackRun *run)
{
    int code = check_names(run);
    for (size_t i = 0; i < treb_tables_count(run->tables) && code == CLI_OK; i++) {
        treb_table_info info;
        treb_error error;
        treb_status status = treb_tables_info(run->tables, i, &info, &error);
        if (info.metric != TREB_WDL || info.format != TREB_FORMAT_TREBUCHET ||
            !is_wanted(run->args, info.material))
            continue;
        if (atomic_load(run->stop)) {
            cli_error("repack", "stopped");
            return CLI_STOPPED;
        }
        code = status == TREB_OK ? repack_file(run, &info) : cli_fail("repack", &error);
    }
    if (code == CLI_OK && run->files + run->there == 0) {
        cli_error("repack", "there is no WDL table");
        code = CLI_NO_TABLE;
    }
    if (code == CLI_OK) print_done(run);
    return code;
}

/* ---- The command ----------------------------------------------------------------------------- */

static const CliOption options[] = {
    CLI_OPTION_TABLES(RepackArgs, dirs),
    {"to", 'o', "DIR", CLI_TEXT(RepackArgs, to), "write the small files to DIR"},
    CLI_OPTION_JSON("print one JSON object per line, for each file"),
    {"quiet", 'q', NULL, CLI_FLAG(RepackArgs, quiet), "print nothing"},
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand repack_command = {
    .name = "repack",
    .synopsis = "trebuchet repack [options] --to DIR [MATERIAL]...",
    .about = "Makes small WDL files from WDL files that are there: of each the side to move is kept "
             "that takes less room. A probe with the other side to move looks at the positions "
             "after all moves. The answers are the same. Where verdicts would not follow from "
             "moves, because of the 50-move rule, both sides are kept; of endings with cursed wins "
             "the DTZ file says so, and must be there. Files that are in DIR already are left "
             "alone.",
    .options = options,
    .notes = "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 no such table, 130 interrupted."};

static bool add_name(RepackArgs *args, const char *text)
{
    void *grown = realloc(args->name, (args->names + 1) * sizeof *args->name);
    if (grown == NULL) return cli_no_memory("repack") == CLI_OK;
    args->name = grown;
    return cli_read_material("repack", text, args->name[args->names++]);
}

/* Returns -1 to go on, else the exit code. */
static int parse(RepackArgs *args, int argc, char **argv)
{
    int code = cli_options(&repack_command, args, argc, argv);
    if (code >= 0) return code;
    if (args->to == NULL) {
        cli_error("repack", "name the folder of the small files: --to DIR");
        return cli_usage("repack");
    }
    for (int i = optind; i < argc; i++)
        if (!add_name(args, argv[i])) return cli_usage("repack");
    cli_dirs_default(&args->dirs);
    if (cli_refuse_addresses("repack", &args->dirs)) return cli_usage("repack");
    return cli_make_folder("repack", args->to) ? -1 : CLI_FAILED;
}

int cli_repack(int argc, char **argv)
{
    RepackArgs args = {.to = NULL};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        RepackRun run = {.args = &args, .stop = cli_catch_signals()};
        run.tables = cli_open_tables("repack", &args.dirs);
        code = run.tables != NULL ? repack_all(&run) : CLI_FAILED;
        code = cli_close_tables("repack", run.tables, code);
    }
    cli_dirs_free(&args.dirs);
    free(args.name);
    return cli_finish("repack", code);
}
