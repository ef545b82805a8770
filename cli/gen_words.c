/* gen_words.c - see gen_words.h. */
#include "cli/gen_words.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

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
    "  -b, --book           KRPvKR, KQPvKQ, KBNvK, KRvKB and all below them: those of\n"
    "                       the 1983 book (docs/reproduction.md)\n"
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
    "      --only MATERIAL  of all these write one table, beside other runs that make\n"
    "                       others in the same folder: what 'trebuchet plan' arranges\n"
    "      --keep-scratch   leave the scratch files, for a later run to use\n"
    "  -q, --quiet          no progress\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit codes: 0 all tables are there, 1 failed, such as for too little memory or\n"
    "disk, 2 called wrongly, 130 interrupted.\n";

static const char plan_usage[] =
    "Usage: trebuchet plan [options] MATERIAL... | --men N | --book\n"
    "\n"
    "Says which tables are missing for the given materials, in an order in which each\n"
    "finds what it needs, and what each takes: so that several processes or machines\n"
    "with a common folder can make them side by side, each by 'trebuchet gen --only'.\n"
    "\n"
    "      --to FORMAT      text (the default), make, slurm or json: a makefile for\n"
    "                       make -jN, or a script that gives all jobs to Slurm\n"
    "  -n, --men N          all materials of up to N men\n"
    "  -b, --book           KRPvKR, KQPvKQ, KBNvK, KRvKB and all below them: those of\n"
    "                       the 1983 book (docs/reproduction.md)\n"
    "  -m, --metric LIST    wdl,dtz,dtc,dtm or all (default all; wdl is always made)\n"
    "  -t, --tables DIR     where tables go (default: the first of TREBUCHET_PATH, or\n"
    "                       tables); all machines must see it under this name\n"
    "  -j, --threads N      threads of a job (default: as many as processors here)\n"
    "  -M, --memory SIZE    what a job may take at most, as 8GiB (default: what makes\n"
    "                       it fast)\n"
    "  -c, --codec CODEC    how cells are packed: symbols (the default) or zstd\n"
    "  -l, --level N        zstd level, 1 to 19, and codec zstd\n"
    "      --json           the same as --to json\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit codes: 0 printed, 1 failed, 2 called wrongly.\n";

static const char export_usage[] =
    "Usage: trebuchet export --syzygy DIR [options] MATERIAL... | --men N | --book\n"
    "\n"
    "Makes Syzygy's files, .rtbw and .rtbz, for the engines that read them: of the\n"
    "given materials, such as KRPvKR, and of every smaller ending they can turn into.\n"
    "They are solved on the way, which takes less time than reading our own tables;\n"
    "none need be there. Files that are there are kept; a run that was cut short\n"
    "carries on.\n"
    "\n"
    "  -s, --syzygy DIR     where the files go\n"
    "  -n, --men N          all materials of up to N men\n"
    "  -b, --book           KRPvKR, KQPvKQ, KBNvK, KRvKB and all below them: those of\n"
    "                       the 1983 book (docs/reproduction.md)\n"
    "  -x, --exact          DTZ in plies: larger files. Else it is rounded to moves,\n"
    "                       as in Syzygy's own, but where the 50-move rule is near\n"
    "  -j, --threads N      threads (default: one a processor)\n"
    "  -M, --memory SIZE    stay below SIZE, as 2GiB, or refuse (default: 7/8\n"
    "                       of what is free)\n"
    "  -e, --estimate       say what it would take, and stop\n"
    "      --json           one JSON object a line as files are made; with\n"
    "                       --estimate one object\n"
    "      --force          begin even if the disk seems to have too little room\n"
    "      --keep-scratch   leave the scratch files, for a later run to use\n"
    "  -q, --quiet          no progress\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit codes: 0 all files are there, 1 failed, such as for too little memory or\n"
    "disk, 2 called wrongly, 130 interrupted.\n";

const GenerateOptions gen_defaults = {.codec = TABLE_SYMBOLS, .metrics = (1u << TREB_METRICS) - 1};

void gen_choose_folder(GenArgs *args, CliDirs *dirs)
{
    *dirs = (CliDirs){0};
    cli_dirs_default(dirs);
    if (args->options.directory == NULL) args->options.directory = dirs->dir[0];
    *dirs = (CliDirs){
        .dir = {args->options.directory}, .count = 1, .environment = dirs->environment};
}

/* For jobs: what names the same tables. */
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

static bool add_men(GenArgs *args, const char *text)
{
    uint64_t men;
    if (!cli_set_number(args->command, "--men", text, 3, TREB_MEN_MAX, &men)) return false;
    if (!note_words(args, "--men", text)) return false;
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
    return metrics != 0 && note_words(args, "--metric", value);
}

static bool set_number(GenArgs *args, int c, const char *value)
{
    uint64_t number = 0;
    bool threads = c == 'j';
    if (!cli_set_number(args->command, threads ? "--threads" : "--level", value, 1,
                        threads ? 1024 : 19, &number))
        return false;
    if (threads) {
        omp_set_num_threads((int)number);
        return true;
    }
    args->options.level = (int)number;
    args->options.codec = TABLE_ZSTD;
    return note_words(args, "--level", value);
}

static bool set_divide(GenArgs *args, const char *value)
{
    uint64_t pieces;
    if (!cli_set_number(args->command, "--divide", value, 0, TREB_MEN_MAX, &pieces)) return false;
    args->ranks->pieces = (int)pieces;
    return true;
}

static bool set_save(GenArgs *args, const char *value)
{
    uint64_t seconds;
    if (!cli_set_number(args->command, "--save", value, 0, 1000000, &seconds)) return false;
    args->options.save_seconds = seconds > 0 ? (double)seconds : 1e-9;
    return true;
}

static bool set_codec(GenArgs *args, const char *value)
{
    bool symbols = strcmp(value, "symbols") == 0;
    args->options.codec = symbols ? TABLE_SYMBOLS : TABLE_ZSTD;
    if (symbols || strcmp(value, "zstd") == 0) return note_words(args, "--codec", value);
    cli_error(args->command, "--codec takes symbols or zstd, not '%s'", value);
    return false;
}

static bool set_only(GenArgs *args, const char *value)
{
    char canonical[MATERIAL_NAME_SIZE];
    if (!cli_read_material(args->command, value, canonical)) return false;
    material_parse(canonical, &args->only);
    args->options.only = &args->only;
    return true;
}

static bool set_to(GenArgs *args, const char *value)
{
    static const char *const names[] = {"text", "make", "slurm", "json"};
    for (int i = PLAN_TEXT; i <= PLAN_JSON; i++)
        if (strcmp(value, names[i]) == 0) {
            args->to = i;
            if (i == PLAN_JSON) cli_json_mode();
            return true;
        }
    cli_error(args->command, "--to takes text, make, slurm or json, not '%s'", value);
    return false;
}

enum { KEEP_SCRATCH = CLI_OPTION_OWN, FORCE, ONLY, TO, SCRATCH, DIVIDE, STATS, SAVE, LARGE };

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
    case ONLY:
        return set_only(args, value);
    case TO:
        return set_to(args, value);
    case SCRATCH:
        args->scratch = value;
        return true;
    case DIVIDE:
        return set_divide(args, value);
    case SAVE:
        return set_save(args, value);
    case STATS:
        return args->stats = true;
    case LARGE:
        return cli_set_number(args->command, "--large", value, 1, UINT64_MAX, &args->options.large);
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
    /* One table of a list is for runs side by side; without a list it is all that is wanted. */
    args->options.shared = args->options.only != NULL && args->materials > 0;
    if (args->materials == 0 && args->options.only != NULL && !add_materials(args, &args->only, 1))
        return CLI_FAILED;
    if (args->materials > 0) return -1;
    cli_error(args->command, "name a material such as KRPvKR, or give --men N or --book");
    return cli_usage(args->command);
}

int gen_parse_export(GenArgs *args, int argc, char **argv)
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

int gen_parse(GenArgs *args, int argc, char **argv)
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
                                            {"only", 1, NULL, ONLY},
                                            {"keep-scratch", 0, NULL, KEEP_SCRATCH},
                                            {"quiet", 0, NULL, 'q'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    /* No folders: --tables names the one to write to. */
    const CliOptions reader = {"gen", usage, "n:bm:t:j:M:c:l:eqh", options, NULL, set_option};
    return parse_with(args, &reader, argc, argv);
}

int gen_parse_plan(GenArgs *args, int argc, char **argv)
{
    static const struct option options[] = {
        {"to", 1, NULL, TO},      {"men", 1, NULL, 'n'},
        {"book", 0, NULL, 'b'},   {"metric", 1, NULL, 'm'},
        {"tables", 1, NULL, 't'}, {"threads", 1, NULL, 'j'},
        {"memory", 1, NULL, 'M'}, {"codec", 1, NULL, 'c'},
        {"level", 1, NULL, 'l'},  {"json", 0, NULL, CLI_OPTION_JSON},
        {"help", 0, NULL, 'h'},   {NULL, 0, NULL, 0}};
    const CliOptions reader = {"plan", plan_usage, "n:bm:t:j:M:c:l:h", options, NULL, set_option};
    int code = parse_with(args, &reader, argc, argv);
    if (cli_json_wanted()) args->to = PLAN_JSON;
    return code;
}

/* The same with what ranks need: `usage` is theirs. */
int gen_parse_ranks(GenArgs *args, const char *ranks_usage, int argc, char **argv)
{
    static const struct option options[] = {{"men", 1, NULL, 'n'},
                                            {"book", 0, NULL, 'b'},
                                            {"metric", 1, NULL, 'm'},
                                            {"tables", 1, NULL, 't'},
                                            {"scratch", 1, NULL, SCRATCH},
                                            {"divide", 1, NULL, DIVIDE},
                                            {"stats", 0, NULL, STATS},
                                            {"save", 1, NULL, SAVE},
                                            {"large", 1, NULL, LARGE},
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
    const CliOptions reader = {"gen", ranks_usage, "n:bm:t:j:M:c:l:eqh", options, NULL, set_option};
    return parse_with(args, &reader, argc, argv);
}
