/* gen_options.c - see gen_options.h. */
#include "cli/gen_options.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parse.h"

const GenerateOptions gen_defaults = {.codec = TABLE_SYMBOLS, .metrics = (1u << TREB_METRICS) - 1};

void gen_choose_folder(const char **folder, CliDirs *dirs)
{
    *dirs = (CliDirs){0};
    cli_dirs_default(dirs);
    if (*folder == NULL) *folder = dirs->dir[0];
    dirs->dir[0] = *folder;
    dirs->count = 1;
    dirs->by_default = false;
}

/* Adds an option or material to the words that name the same tables in the command of a job. */
static bool note_words(GenArgs *args, const char *option, const char *value)
{
    char *all;
    const char *before = args->words != NULL ? args->words : "";
    if (asprintf(&all, "%s%s%s%s%s", before, *before ? " " : "", option, *option ? " " : "",
                 value) < 0)
        return cli_no_memory(args->command) == CLI_OK;
    free(args->words);
    args->words = all;
    return true;
}

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
    return add_materials(args, &m, 1) && note_words(args, "", canonical);
}

static bool add_men(const char *command, const CliOption *option, void *to, const char *text)
{
    GenArgs *args = to;
    uint64_t men;
    if (!cli_set_number(command, option, &men, text)) return false;
    if (!note_words(args, "--men", text)) return false;
    for (int n = 3; n <= (int)men; n++) {
        size_t count = material_list(n, NULL, 0);
        Material *list = malloc(count * sizeof *list);
        if (list == NULL) return cli_no_memory(command) == CLI_OK;
        material_list(n, list, count);
        bool ok = add_materials(args, list, count);
        free(list);
        if (!ok) return false;
    }
    return true;
}

static bool add_book(const char *command, const CliOption *option, void *args, const char *value)
{
    (void)command, (void)option, (void)value;
    return add_named(args, "KRPvKR") && add_named(args, "KQPvKQ") && add_named(args, "KBNvK") &&
           add_named(args, "KRvKB");
}

static bool set_metrics(const char *command, const CliOption *option, void *to, const char *value)
{
    GenArgs *args = to;
    unsigned metrics = cli_parse_metrics(value);
    args->options.metrics = metrics | 1u << TREB_WDL;
    /* Its values are relative to DTM, from DTZ on. */
    if (metrics >> TREB_DTM50 & 1) args->options.metrics |= 1u << TREB_DTZ | 1u << TREB_DTM;
    if (metrics == 0)
        cli_error(command, "--%s takes a list of wdl, dtz, dtc, dtm, dtm50, or all, or all5, not '%s'",
                  option->name, value);
    return metrics != 0 && note_words(args, "--metric", value);
}

static bool set_threads(const char *command, const CliOption *option, void *to, const char *value)
{
    uint64_t number;
    (void)to;
    if (!cli_set_number(command, option, &number, value)) return false;
    omp_set_num_threads((int)number);
    return true;
}

static bool set_level(const char *command, const CliOption *option, void *to, const char *value)
{
    GenArgs *args = to;
    uint64_t number;
    if (!cli_set_number(command, option, &number, value)) return false;
    args->options.level = (int)number;
    args->options.codec = TABLE_ZSTD;
    return note_words(args, "--level", value);
}

static bool set_effort(const char *command, const CliOption *option, void *to, const char *value)
{
    static const char *const names[] = {
        [CODER_NORMAL] = "normal", [CODER_FAST] = "fast", [CODER_SMALL] = "small", NULL};
    GenArgs *args = to;
    const int effort = cli_choose(command, option->name, value, names);
    if (effort < 0) return false;
    args->options.effort = (CoderEffort)effort;
    return note_words(args, "--effort", names[effort]);
}

static bool set_codec(const char *command, const CliOption *option, void *to, const char *value)
{
    static const char *const names[] = {"symbols", "zstd", NULL};
    GenArgs *args = to;
    const int codec = cli_choose(command, option->name, value, names);
    if (codec < 0) return false;
    args->options.codec = codec == 0 ? TABLE_SYMBOLS : TABLE_ZSTD;
    return note_words(args, "--codec", names[codec]);
}

static bool set_only(const char *command, const CliOption *option, void *to, const char *value)
{
    GenArgs *args = to;
    char canonical[MATERIAL_NAME_SIZE];
    (void)option;
    if (!cli_read_material(command, value, canonical)) return false;
    material_parse(canonical, &args->only);
    args->options.only = &args->only;
    return true;
}

static bool set_syzygy(const char *command, const CliOption *option, void *to, const char *value)
{
    GenArgs *args = to;
    (void)command, (void)option;
    args->options.directory = value;
    return args->options.syzygy = true;
}

static bool set_to(const char *command, const CliOption *option, void *to, const char *value)
{
    static const char *const names[] = {"text", "make", "slurm", "json", NULL};
    GenArgs *args = to;
    const int form = cli_choose(command, option->name, value, names);
    if (form < 0) return false;
    args->to = form;
    if (form == PLAN_JSON) cli_json_mode();
    return true;
}

static bool set_divide(const char *command, const CliOption *option, void *to, const char *value)
{
    uint64_t pieces;
    if (!cli_set_number(command, option, &pieces, value)) return false;
    ((GenArgs *)to)->processes->pieces = (int)pieces;
    return true;
}

static bool set_save(const char *command, const CliOption *option, void *to, const char *value)
{
    uint64_t seconds;
    if (!cli_set_number(command, option, &seconds, value)) return false;
    ((GenArgs *)to)->options.save_seconds = seconds > 0 ? (double)seconds : 1e-9;
    return true;
}

/* ---- The options ----------------------------------------------------------------------------- */

/* Rows that several of the commands share. */
/* clang-format off */
#define MATERIALS \
    {"men", 'n', "N", add_men, 0, 3, TREB_MEN_MAX, "all materials of up to N men"}, \
        {"book", 'b', NULL, CLI_OWN(add_book), \
         "the endings of the 1983 book (docs/reproduction.md): KRPvKR, KQPvKQ, KBNvK, KRvKB and " \
         "all smaller endings they can turn into"}
#define METRIC \
    {"metric", 'm', "LIST", CLI_OWN(set_metrics), \
     "wdl,dtz,dtc,dtm,dtm50, or all (the first four, the default), or all5; wdl is always made; " \
     "dtm50 needs dtz and dtm, which are made with it"}
#define TABLES(help) {"tables", 't', "DIR", CLI_TEXT(GenArgs, options.directory), help}
#define THREADS(help) {"threads", 'j', "N", set_threads, 0, 1, 1024, help}
#define MEMORY(help) {"memory", 'M', "SIZE", CLI_SIZE(GenArgs, options.memory, 1, 0), help}
#define CODEC(help) {"codec", 'c', "CODEC", CLI_OWN(set_codec), help}
#define EFFORT \
    {"effort", 0, "EFFORT", CLI_OWN(set_effort), \
     "time to spend on small files, with codec symbols: fast (files some 7 % larger), normal (the " \
     "default) or small (some 2 % smaller)"}
#define LEVEL(help) {"level", 'l', "N", set_level, 0, 1, 19, help}
#define ESTIMATE \
    {"estimate", 'e', NULL, CLI_FLAG(GenArgs, estimate), \
     "print the memory, disk space and time that it would take, and stop"}
#define JSON \
    CLI_OPTION_JSON("print one JSON object per line, for each table; with --estimate, one object"), \
        CLI_OPTION_JSON_LOG
#define SCRATCH \
    {"force", 0, NULL, CLI_FLAG(GenArgs, force), \
     "start even if the disk seems to have too little space"}, \
        {"keep-scratch", 0, NULL, CLI_FLAG(GenArgs, options.keep_scratch), \
         "keep the scratch files, so that a later run can use them"}
#define CODEC_HELP \
    "how cells are compressed: symbols (the default: smaller, and single cells can be read) or " \
    "zstd (for older readers)"
#define MEMORY_HELP \
    "stay below SIZE, such as 2GiB, or refuse (default: 7/8 of the free memory)"
/* clang-format on */

static const CliOption gen_options[] = {
    MATERIALS,
    METRIC,
    TABLES("folder of the tables (default: the first of TREBUCHET_PATH, or tables)"),
    THREADS("number of threads (default: one per processor)"),
    MEMORY(MEMORY_HELP),
    CODEC(CODEC_HELP),
    EFFORT,
    LEVEL("zstd level, 1 to 19, and codec zstd; higher is smaller and slower (default: built-in "
          "settings: as small as level 9 and 50 % faster)"),
    ESTIMATE,
    JSON,
    {"only", 0, "MATERIAL", CLI_OWN(set_only),
     "make only this table of the list, while other runs make other tables of it in the same "
     "folder; 'trebuchet plan' prints such commands"},
    SCRATCH,
    {"web", 0, NULL, CLI_FLAG(GenArgs, web),
     "when all tables are made, also write trebuchet.headers: with this list of the folder's tables and of their "
     "headers browsers need fewer requests; without a material, only write it"},
    CLI_OPTION_QUIET(GenArgs, quiet),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand gen_command = {
    .name = "gen",
    .synopsis = "trebuchet gen [options] MATERIAL... | --men N | --book",
    .about = "Makes the tables of the given materials, such as KRPvKR, and of every smaller ending "
             "they can turn into. Tables that exist are kept; a run that was interrupted "
             "continues.",
    .options = gen_options,
    .notes = "Exit codes: 0 all tables are made, 1 failed, for example for lack of memory or disk "
             "space, 2 wrong command line, 130 interrupted."};

static const CliOption plan_options[] = {
    {"to", 0, "FORMAT", CLI_OWN(set_to),
     "text (the default), make, slurm or json: a makefile for make -jN, or a script that submits "
     "all jobs to Slurm"},
    MATERIALS,
    METRIC,
    TABLES("folder of the tables (default: the first of TREBUCHET_PATH, or tables); all machines "
           "must see it under this name"),
    THREADS("threads of a job (default: one per processor of this machine)"),
    MEMORY("the most memory of a job, such as 8GiB (default: as much as makes it fast)"),
    CODEC("how cells are compressed: symbols (the default) or zstd"),
    EFFORT,
    LEVEL("zstd level, 1 to 19, and codec zstd"),
    CLI_OPTION_JSON("like --to json"),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand plan_command = {
    .name = "plan",
    .synopsis = "trebuchet plan [options] MATERIAL... | --men N | --book",
    .about = "Lists the missing tables of the given materials in an order in which each table "
             "comes after those that it needs, with the memory, disk space and time of each. "
             "Several processes or machines with a common folder can then make them in parallel, "
             "each with 'trebuchet gen --only'.",
    .options = plan_options,
    .notes = "Exit codes: 0 printed, 1 failed, 2 wrong command line."};

static const CliOption export_options[] = {
    {"syzygy", 's', "DIR", CLI_OWN(set_syzygy), "folder of the files"},
    {"tables", 't', "DIR", CLI_TEXT(GenArgs, options.finished),
     "folder of Trebuchet's tables: what is needed of smaller endings whose Syzygy files are there "
     "is read from their WDL files, and not solved again (default: the first of TREBUCHET_PATH, or "
     "tables)"},
    MATERIALS,
    {"exact", 'x', NULL, CLI_FLAG(GenArgs, options.exact),
     "exact DTZ in plies, in larger files; by default it is rounded to moves, as in Syzygy's own "
     "files, except near the limit of the 50-move rule"},
    THREADS("number of threads (default: one per processor)"),
    MEMORY(MEMORY_HELP),
    ESTIMATE,
    JSON,
    SCRATCH,
    CLI_OPTION_QUIET(GenArgs, quiet),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand export_command = {
    .name = "export",
    .synopsis = "trebuchet export --syzygy DIR [options] MATERIAL... | --men N | --book",
    .about =
        "Makes Syzygy's files, .rtbw and .rtbz, for the engines that read them: of the given "
        "materials, such as KRPvKR, and of every smaller ending they can turn into. The "
        "positions are solved for this: Trebuchet's tables are not needed, but save time. Files "
        "that exist are kept; a run that was interrupted continues.",
    .options = export_options,
    .notes = "Exit codes: 0 all files are made, 1 failed, for example for lack of memory or disk "
             "space, 2 wrong command line, 130 interrupted."};

static const CliOption mpi_options[] = {
    MATERIALS,
    METRIC,
    TABLES("folder of the tables, on the machine of the first process (default: the first of "
           "TREBUCHET_PATH, or tables)"),
    {"scratch", 0, "DIR", CLI_TEXT(GenArgs, scratch),
     "where process R creates a folder rank-R for data that does not fit into memory, best on a "
     "disk of its own (default: folders .rank-R in the folder of the tables)"},
    {"divide", 0, "N", set_divide, 0, 0, TREB_MEN_MAX,
     "divide tables with N or more men that are neither kings nor pawns (default: 2); each process "
     "solves the others by itself"},
    {"save", 0, "N", set_save, 0, 0, 1000000,
     "save every table each N seconds while it is made; 0: as often as possible (default: large "
     "tables, every four minutes); the same number of processes can continue from there"},
    {"large", 0, "N", CLI_NUMBER(GenArgs, options.large, 1, UINT64_MAX),
     "treat slices of more than N cells as too large for memory, like those of six men; for tests"},
    {"stats", 0, NULL, CLI_FLAG(GenArgs, stats),
     "print after each table: bytes and messages sent, and time spent waiting"},
    THREADS("threads of a process (default: one per processor)"),
    MEMORY("each process stays below SIZE, such as 2GiB, or refuses (default: 7/8 of the free "
           "memory, divided among the processes of a machine)"),
    CODEC("how cells are compressed: symbols (the default) or zstd"),
    EFFORT,
    LEVEL("zstd level, 1 to 19, and codec zstd"),
    ESTIMATE,
    JSON,
    SCRATCH,
    CLI_OPTION_QUIET(GenArgs, quiet),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand mpi_command = {
    .name = "gen",
    .synopsis = "mpirun -n N trebuchet-mpi gen [options] MATERIAL... | --men N | --book",
    .about = "Makes the same tables as 'trebuchet gen', byte for byte, with N processes. Each "
             "process has a part of the positions in its memory; the first one writes the files. "
             "Tables that exist are kept. After a run that was interrupted, the same command with "
             "any number of processes makes the rest.",
    .options = mpi_options,
    .notes = "Exit codes: 0 all tables are made, otherwise another one, which mpirun passes on."};

void gen_print_mpi_help(FILE *out) { cli_print_help(out, &mpi_command); }

/* Returns -1 to go on, else the exit code. */
static int parse(GenArgs *args, const CliCommand *command, int argc, char **argv)
{
    int code = cli_options(command, args, argc, argv);
    if (code >= 0) return code;
    for (int i = optind; i < argc; i++)
        if (!add_named(args, argv[i])) return cli_usage(args->command);
    /* --only with a list means that other runs make the other tables. Without a list, that one table
     * is the whole task. */
    args->options.shared = args->options.only != NULL && args->materials > 0;
    if (args->materials == 0 && args->options.only != NULL && !add_materials(args, &args->only, 1))
        return CLI_FAILED;
    if (args->materials > 0 || (args->web && !args->estimate)) return -1;
    cli_error(args->command, "name a material such as KRPvKR, or give --men N or --book");
    return cli_usage(args->command);
}

int gen_parse(GenArgs *args, int argc, char **argv)
{
    return parse(args, &gen_command, argc, argv);
}

int gen_parse_plan(GenArgs *args, int argc, char **argv)
{
    int code = parse(args, &plan_command, argc, argv);
    if (cli_json_wanted()) args->to = PLAN_JSON;
    return code;
}

int gen_parse_export(GenArgs *args, int argc, char **argv)
{
    int code = parse(args, &export_command, argc, argv);
    if (code >= 0 || args->options.syzygy) return code;
    cli_error("export", "name the folder of the files: --syzygy DIR");
    return cli_usage("export");
}

int gen_parse_mpi(GenArgs *args, int argc, char **argv)
{
    return parse(args, &mpi_command, argc, argv);
}
