/* cmd_info.c - trebuchet info: explains the headers of table files. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/info_json.h"
#include "cli/info_material.h"
#include "cli/info_text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/text.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/system.h"
#include "core/system/tool.h"
#include "pawns/blocked/blocked_file.h"
#include "pawns/solve/pawn_file.h"
#include "probe/syzygy/syzygy.h"
#include "json/answer.h"

/* ---- Files that cannot be opened ------------------------------------------------------------- */

static int fail_unread(const char *path, const treb_error *error)
{
    int code = cli_fail("info", error);
    cli_hint_unread(path);
    return code;
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* Prints one line for the files of a material, which begin at `at`. Returns the index of the first
 * file of the next material. */
static size_t print_material(const treb_tables *tables, size_t at, size_t count, uint64_t *bytes)
{
    treb_table_info info;
    char name[MATERIAL_NAME_SIZE] = "", metric_list[32] = "", size[16];
    uint64_t sum = 0;
    const char *note = "";
    for (; at < count; at++) {
        treb_status status = treb_tables_info(tables, at, &info, NULL);
        if (*name && strcmp(name, info.material) != 0) break;
        strcpy(name, info.material);
        strcat(strcat(metric_list, *metric_list ? " " : ""), treb_metric_text(info.metric));
        if (status != TREB_OK) note = "  some files cannot be read: see below";
        sum += info.file_size;
    }
    cli_format_size(sum, size);
    printf("%-12s%-16s%10s%s\n", name, metric_list, size, note);
    *bytes += sum;
    return at;
}

static void print_folder(const treb_tables *tables, const char *folder)
{
    size_t count = treb_tables_count(tables), materials = 0, blocked = 0, solved = 0;
    uint64_t bytes = 0;
    char size[16];
    FileNames names;
    for (size_t at = 0; at < count; materials++) at = print_material(tables, at, count, &bytes);
    if (blocked_file_names(&folder, 1, &names)) {
        blocked = names.count;
        if (pawn_file_names(&folder, 1, &names)) solved = names.count - blocked;
        for (size_t i = 0; i < names.count; i++) puts(names.name[i]);
        file_names_free(&names);
    }
    cli_format_size(bytes, size);
    printf("\n%s: %zu tables of %zu material%s, %s; %zu blocked-pawn table%s", folder, count,
           materials, materials == 1 ? "" : "s", size, blocked, blocked == 1 ? "" : "s");
    if (solved > 0) printf("; %zu pawn file%s", solved, solved == 1 ? "" : "s");
    putchar('\n');
}

static bool is_empty(const treb_tables *tables, const char *folder)
{
    FileNames names;
    if (treb_tables_count(tables) > 0 || !blocked_file_names(&folder, 1, &names)) return false;
    bool empty = pawn_file_names(&folder, 1, &names) && names.count == 0;
    file_names_free(&names);
    return empty;
}

static int show_empty(const char *folder)
{
    const CliDirs own = {.dir = {folder}, .count = 1};
    return cli_no_tables("info", &own);
}

static int show_folder(const char *folder)
{
    treb_error error;
    treb_tables *tables = treb_tables_open(&folder, 1, &error);
    if (tables == NULL) return fail_unread(folder, &error);
    AnswerContext context = {.tables = tables, .directories = &folder, .directory_count = 1};
    int code = CLI_OK;
    treb_tables_check(tables);
    if (is_empty(tables, folder)) {
        code = show_empty(folder);
    } else if (cli_json_wanted()) {
        json_t *object = answer_tables(&context, &error);
        code = object != NULL ? cli_json_line("info", object) : cli_fail("info", &error);
    } else {
        print_folder(tables, folder);
    }
    return cli_close_tables("info", tables, code);
}

/* ---- Finding files --------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    SystemFile about;
    return system_about_path(path, &about) && about.kind == SYSTEM_FOLDER;
}

/* Returns whether there is a file that can be read, or a link. Does not open it, as it may be a pipe. Writes the first path without permission to read into
 * `unread`. */
static bool try_file(const char *path, char unread[TOOL_PATH])
{
    if (tool_may(path, TOOL_READ)) return true;
    if (errno == EACCES && unread[0] == '\0') snprintf(unread, TOOL_PATH, "%s", path);
    /* Opening it says what is wrong with a link that leads nowhere. */
    return errno != EACCES && tool_may(path, TOOL_NAMED);
}

/* Writes the path of "KRPvKR.dtz.treb" or "KRPvKR.dtz" in the folders. If there is none, returns false;
 * `path` is then that of a file without permission to read, or empty. */
static bool find_file(const CliDirs *dirs, const char *name, char path[TOOL_PATH])
{
    char unread[TOOL_PATH] = "";
    bool plain = io_name(name) == name;
    if (snprintf(path, TOOL_PATH, "%s", name) < TOOL_PATH && try_file(path, unread)) return true;
    for (size_t i = 0; plain && i < 2 * dirs->count; i++) {
        int n = snprintf(path, TOOL_PATH, "%s/%s%s", dirs->dir[i / 2], name, i % 2 ? ".treb" : "");
        if (n < TOOL_PATH && try_file(path, unread)) return true;
    }
    strcpy(path, unread);
    return false;
}

static int show_syzygy(const char *path, const Material *material, treb_metric metric, bool tsv)
{
    treb_error error;
    SyzygyMaps maps;
    int code = CLI_OK;
    syzygy_maps_fill(&maps);
    Syzygy *table = syzygy_open(path, material, metric, &maps, &error);
    if (table == NULL) {
        cli_fail("info", &error);
        return CLI_FAILED;
    }
    if (cli_json_wanted())
        code = cli_json_line("info", info_json_syzygy(table, material, metric));
    else if (!tsv) /* a TSV line consists of counts, which Syzygy's files do not have */
        info_text_syzygy(table, material, metric);
    syzygy_close(table);
    return code;
}

static int show_path(const char *path, bool tsv)
{
    treb_error error;
    Material material;
    treb_metric metric;
    if (syzygy_parse_name(path, &material, &metric))
        return show_syzygy(path, &material, metric, tsv);
    Table *table = table_open(path, &error);
    if (table == NULL) {
        cli_fail("info", &error);
        return CLI_FAILED;
    }
    int code = CLI_OK;
    if (cli_json_wanted())
        code = cli_json_line("info", info_json(table));
    else if (tsv)
        info_text_row(table);
    else
        info_text_table(table);
    table_close(table);
    return code;
}

static int show_rows(const CliDirs *dirs, const Material *material)
{
    size_t count;
    int code = CLI_OK;
    MaterialFile *list = info_material_files(dirs, material, &count);
    if (list == NULL) return cli_no_memory("info");
    for (size_t i = 0; i < count && code == CLI_OK; i++) code = show_path(list[i].path, true);
    free(list);
    return code;
}

/* Shows the files of a material. `name` is not the name of a file. */
static int show_material(const CliDirs *dirs, const char *name, bool tsv)
{
    Material material;
    treb_error error, why;
    if (material_read(name, &material, &why) != TREB_OK) {
        bool is_path = name[strcspn(name, "./")] != '\0';
        fail(&error, TREB_ERR_NO_TABLE,
             "there is no file '%.200s' here or in the folders of tables%s%.200s", name,
             is_path ? "" : "; and ", is_path ? "" : why.text);
        return cli_fail("info", &error);
    }
    if (cli_refuse_addresses("info", dirs)) return CLI_FAILED;
    material_canonical(&material);
    return tsv ? show_rows(dirs, &material) : info_material_show(dirs, &material);
}

static int show_one(const CliDirs *dirs, const char *name, bool tsv)
{
    char path[TOOL_PATH];
    Material material;
    if (is_folder(name) || io_is_address(name)) return show_folder(name);
    if (find_file(dirs, name, path)) return show_path(path, tsv);
    if (path[0] == '\0' || material_read(name, &material, NULL) == TREB_OK)
        return show_material(dirs, name, tsv);
    treb_error error;
    errno = EACCES;
    fail_errno(&error, "open", path);
    return fail_unread(path, &error);
}

/* ---- The command ----------------------------------------------------------------------------- */

typedef struct InfoArgs {
    CliDirs dirs;
    bool tsv;
} InfoArgs;

static const CliOption options[] = {
    {"tsv", 0, NULL, CLI_FLAG(InfoArgs, tsv),
     "one line per table, with tabs between, for lists and other programs"},
    CLI_OPTION_JSON("print one JSON object per line, for each argument"),
    CLI_OPTION_TABLES(InfoArgs, dirs),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand info_command = {
    .name = "info",
    .synopsis = "trebuchet info [options] FILE | MATERIAL | FOLDER...",
    .about = "Explains the headers of table files. FILE is a path, or the name of a table such as "
             "KRPvKR.dtz.treb or KRPvKR.dtz in the folders of tables; it may also be a "
             "blocked-pawn table, a pawn file or a Syzygy file (KRPvKR.rtbw). For a MATERIAL such "
             "as KRPvKR, lists all its files in the folders of tables, Trebuchet's and Syzygy's. "
             "For a FOLDER, lists all tables, one line per material.",
    .options = options,
    .notes = "The checksum of the header is verified; 'trebuchet verify' also reads the blocks.\n"
             "Exit codes: 0 done, 1 damaged or unreadable, 2 wrong command line, 3 no such table."};

/* Returns -1 to go on, else the exit code. */
static int parse(InfoArgs *args, int argc, char **argv)
{
    int code = cli_options(&info_command, args, argc, argv);
    if (code >= 0) return code;
    if (optind == argc)
        cli_error("info",
                  "name a file, a material or a folder, such as KRPvKR.dtz, KRPvKR or tables");
    else if (args->tsv && cli_json_wanted())
        cli_error("info", "--json and --tsv exclude each other");
    else
        return -1;
    return cli_usage("info");
}

static int show_all(const InfoArgs *args, int count, char **names)
{
    int code = CLI_OK;
    if (args->tsv) info_text_row_head();
    for (int i = 0; i < count; i++) {
        if (i > 0 && !args->tsv && !cli_json_wanted()) putchar('\n');
        int one = show_one(&args->dirs, names[i], args->tsv);
        if (one != CLI_OK) cli_json_failure(one, names[i]);
        if (code == CLI_OK) code = one;
    }
    return code;
}

int cli_info(int argc, char **argv)
{
    InfoArgs args = {0};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        cli_dirs_default(&args.dirs);
        code = show_all(&args, argc - optind, argv + optind);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("info", code);
}
