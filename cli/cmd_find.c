/* cmd_find.c - trebuchet find: finds the positions of endings that match filters or a condition. */
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/cmd.h"
#include "cli/find_print.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "core/chess/material.h"
#include "core/system/hash.h"

typedef struct FindArgs {
    FindQuery query;
    CliDirs dirs;
    FindForm form;
    bool count, sort, quiet;
    uint64_t first, sample, seed, men, seconds; /* 0: not given */
    char (*material)[MATERIAL_NAME_SIZE];
    size_t materials;
} FindArgs;

/* A position that is printed at the end of the search. */
typedef struct Kept {
    Found found;
    int plies;
    uint64_t number; /* number in the order of the search */
} Kept;

typedef struct FindRun {
    const FindArgs *args;
    CliProgress progress;
    const char *name;
    Kept *kept;
    size_t count, capacity;
    uint64_t seen;  /* number of positions found so far */
    uint64_t state; /* of the random generator */
    uint64_t found; /* in all materials */
    size_t done;    /* number of materials finished */
    bool failed;
    int code; /* exit code of the failure; CLI_OK: the general one */
} FindRun;

/* ---- Selection ------------------------------------------------------------------------------- */

/* Returns whether the positions can be printed only at the end of the search. */
static bool waits(const FindArgs *args) { return args->sort || args->sample > 0; }

static bool enough(const FindRun *run)
{
    const FindArgs *args = run->args;
    return args->first > 0 && !args->count && !waits(args) && run->seen >= args->first;
}

/* Returns a random number below a bound, by xorshift, which is good enough for a sample. */
static uint64_t random_below(FindRun *run, uint64_t below)
{
    run->state ^= run->state << 13;
    run->state ^= run->state >> 7;
    run->state ^= run->state << 17;
    return run->state % below;
}

/* Compares by length, the longest first, then in the order of the search. */
static int compare_kept(const void *a, const void *b)
{
    const Kept *x = a, *y = b;
    if (x->plies != y->plies) return x->plies > y->plies ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_numbers(const void *a, const void *b)
{
    const Kept *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool no_room(FindRun *run)
{
    run->failed = true;
    return cli_no_memory("find") == CLI_OK;
}

static bool append(FindRun *run, const Kept *kept)
{
    if (run->count == run->capacity) {
        size_t capacity = run->capacity ? 2 * run->capacity : 256;
        Kept *grown = realloc(run->kept, capacity * sizeof *grown);
        if (grown == NULL) return no_room(run);
        run->kept = grown;
        run->capacity = capacity;
    }
    run->kept[run->count++] = *kept;
    return true;
}

/* With --first N: when 2 N positions are kept, drops all but the N longest. */
static void drop_short(FindRun *run)
{
    const uint64_t most = run->args->first;
    if (most == 0 || run->count / 2 < most || run->count < 256) return;
    qsort(run->kept, run->count, sizeof *run->kept, compare_kept);
    run->count = most;
}

static bool keep(FindRun *run, const Found *found)
{
    const FindArgs *args = run->args;
    Kept kept = {.found = *found, .number = run->seen};
    if (args->sample > 0 && run->seen > args->sample) {
        uint64_t place = random_below(run, run->seen);
        if (place < args->sample) run->kept[place] = kept;
        return true;
    }
    if (args->sort) {
        treb_distance distance = {.plies = 0};
        treb_error error;
        if (treb_probe_distance(args->query.tables, &found->pos, args->query.metric, &distance,
                                &error) != TREB_OK) {
            run->code = cli_fail_tables("find", &error, &args->dirs);
            run->failed = true;
            return false;
        }
        kept.plies = distance.plies;
        drop_short(run);
    }
    return append(run, &kept);
}

static bool on_found(void *context, const Found *found)
{
    FindRun *run = context;
    const FindArgs *args = run->args;
    run->seen++;
    if (args->count) return true;
    if (waits(args)) return keep(run, found);
    cli_progress_clear(&run->progress);
    if (!find_print(args->form, args->query.tables, found)) run->failed = true;
    return !run->failed && !enough(run);
}

static void on_progress(void *context, uint64_t done, uint64_t total)
{
    FindRun *run = context;
    cli_progress_share(&run->progress, done, total, "%s:", run->name);
}

static void print_kept(FindRun *run)
{
    const FindArgs *args = run->args;
    qsort(run->kept, run->count, sizeof *run->kept, args->sort ? compare_kept : compare_numbers);
    if (args->first > 0 && run->count > args->first) run->count = args->first;
    for (size_t i = 0; i < run->count && !run->failed; i++)
        if (!find_print(args->form, args->query.tables, &run->kept[i].found)) run->failed = true;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Returns whether an error is one of the condition in Lua: then the message begins with its line. */
static bool is_of_condition(const treb_error *error)
{
    unsigned line;
    return sscanf(error->text, "condition:%u:", &line) == 1;
}

static int refuse_condition(const treb_error *error)
{
    cli_error("find", "%s", error->text);
    fputs("A condition can use turn, verdict, dtm, wk and others; the test for equality is ==.\n",
          stderr);
    return cli_usage("find");
}

static int find_one(FindRun *run, const char *name)
{
    const FindArgs *args = run->args;
    FindCounts counts = {0};
    treb_error error;
    const FindListener listener = {on_found, on_progress, run};
    double start = clock_seconds();
    run->name = name;
    treb_status status = find_material(&args->query, name, &listener, &counts, &error);
    const double seconds = args->quiet ? -1 : clock_seconds() - start;
    cli_progress_clear(&run->progress);
    if (status != TREB_OK) {
        if (is_of_condition(&error)) return refuse_condition(&error);
        int code = cli_fail_tables("find", &error, &args->dirs);
        return status == TREB_ERR_ARGUMENT ? CLI_USAGE : code;
    }
    run->found += counts.found;
    run->done++;
    const bool json = args->form == FIND_JSON;
    if (args->quiet && !args->count && !json) return CLI_OK;
    /* Next to positions, the counts are for people, on standard error. */
    return find_print_counts(args->count ? stdout : stderr,
                             args->count || json ? args->form : FIND_FEN, name, &args->query,
                             &counts, seconds);
}

static int print_done_json(const FindRun *run, bool stopped)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_string("done"));
    json_object_set_new(object, "materials", json_integer((json_int_t)run->done));
    json_object_set_new(object, "found", json_integer((json_int_t)run->found));
    json_object_set_new(object, "stopped", json_boolean(stopped));
    return cli_json_line("find", object);
}

static int run(const FindArgs *args)
{
    FindRun run = {.args = args, .state = args->seed * HASH_FACTOR | 1};
    int code = CLI_OK;
    bool stopped = false;
    cli_progress_start(&run.progress, "find", args->quiet);
    find_print_head(args->form, args->count);
    for (size_t i = 0; i < args->materials && code == CLI_OK && !run.failed && !enough(&run); i++) {
        code = find_one(&run, args->material[i]);
        if ((stopped = atomic_load(args->query.stop))) break;
    }
    if (waits(args) && !run.failed) print_kept(&run);
    free(run.kept);
    if (run.failed) return run.code != CLI_OK ? run.code : CLI_FAILED;
    if (code == CLI_OK && cli_json_wanted()) code = print_done_json(&run, stopped);
    return code == CLI_OK && stopped ? CLI_STOPPED : code;
}

static bool complain(const char *text)
{
    cli_error("find", "%s", text);
    return false;
}

static bool set_form(const char *command, const CliOption *option, void *to, const char *value)
{
    (void)command, (void)value;
    ((FindArgs *)to)->form = (FindForm)option->least;
    return true;
}

#define KIND(kind) CLI_BITS(FindArgs, query.kinds, kind)
#define FORM(form) set_form, 0, form, 0

static const CliOption options[] = {
    CLI_HEADING("Filters (all must match)"),
    {"zugzwang", 'z', NULL, KIND(FIND_ZUGZWANG),
     "mutual zugzwang: either side would rather not be to move; shown with White to move, or with "
     "the side of --turn"},
    {"only-move", 'o', NULL, KIND(FIND_ONLY_MOVE),
     "there are several moves, and only one keeps the win or the draw"},
    {"underpromotion", 'u', NULL, KIND(FIND_UNDERPROMOTION),
     "only a promotion to a piece other than a queen keeps the win or the draw"},
    {"unique-line", 0, NULL, KIND(FIND_UNIQUE_LINE),
     "only one move wins at each turn, up to mate, against the longest defence (needs DTM)"},
    {"stalemate", 0, NULL, KIND(FIND_STALEMATE), "won, and one of the moves is stalemate"},
    {"cursed", 0, NULL, KIND(FIND_RULE_50), "the 50-move rule turns the win into a draw"},
    {"longest", 0, NULL, KIND(FIND_LONGEST),
     "no win of the ending (with --turn: of that side) is longer, by --metric"},
    {"turn", 0, "COLOR", CLI_TURN(FindArgs, query.turn), "this side is to move: white or black"},
    CLI_HEADING("Selection"),
    {"first", 'n', "N", CLI_NUMBER(FindArgs, first, 1, INT64_MAX),
     "the first N positions; with --sort, the N longest"},
    {"sample", 0, "N", CLI_NUMBER(FindArgs, sample, 1, 1 << 24),
     "N random positions, all with the same probability"},
    {"seed", 0, "S", CLI_NUMBER(FindArgs, seed, 0, INT64_MAX), "random seed (default: 1)"},
    {"sort", 's', NULL, CLI_FLAG(FindArgs, sort), "the longest wins and losses first, by --metric"},
    {"metric", 'm', "METRIC", CLI_DISTANCE(FindArgs, query.metric),
     "dtm, dtc or dtz (default: dtm)"},
    {"with-rule", 0, NULL, CLI_FLAG(FindArgs, query.rule50),
     "verdicts under the 50-move rule: a win that it spoils is a draw"},
    CLI_HEADING("Output (default: one FEN per line)"),
    {"count", 0, NULL, CLI_FLAG(FindArgs, count), "only the number of positions of each material"},
    {"epd", 0, NULL, FORM(FIND_EPD), "EPD with the only move, the distance to mate, a comment"},
    {"tsv", 0, NULL, FORM(FIND_TSV),
     "one line each, with tabs between: FEN, verdict, zugzwang, only move, DTZ, DTC and DTM in "
     "plies"},
    CLI_OPTION_JSON("one JSON object per line"),
    {"pgn", 0, NULL, FORM(FIND_PGN), "a game for each position, with the best line"},
    CLI_HEADING("Other options"),
    {"time", 0, "SECONDS", CLI_NUMBER(FindArgs, seconds, 1, 1 << 30), "stop after that time"},
    {"men", 0, "N", CLI_NUMBER(FindArgs, men, 3, TREB_MEN_MAX),
     "all endings of N men whose tables are installed"},
    {"threads", 'j', "N", CLI_UNSIGNED(FindArgs, query.threads, 1, 1024), "number of threads"},
    CLI_OPTION_TABLES(FindArgs, dirs),
    {"quiet", 'q', NULL, CLI_FLAG(FindArgs, quiet), "no progress, and no counts at the end"},
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand find_command = {
    .name = "find",
    .synopsis = "trebuchet find [options] MATERIAL... [CONDITION]",
    .about =
        "Searches all positions of endings such as KRPvKR and prints those that match the filters "
        "and the condition. Only one of several positions that a symmetry of the board turns into "
        "each other is examined; en passant is left out. A win counts as a win even if the 50-move "
        "rule would spoil it, unless --with-rule is given.\n\n"
        "CONDITION is an expression in Lua, such as 'verdict == \"win\" and dtm > 80' or "
        "'distance(wk, bk) == 2 and rank(wp) == 4'. It can use turn, verdict, passed (the verdict "
        "with the other side to move), cursed, zugzwang, dtz, dtc, dtm, check, mate, stalemate, "
        "fen, moves, and the squares of the men: wk, wq, wr, wb, wn, wp, bk, ...; its functions "
        "are squares, file, rank, distance, light, attacked and room. The language is described "
        "in the manual of Lua 5.4; docs/find.md has examples.",
    .options = options,
    .notes = "Ctrl-C and --time end the search early; the positions found so far are printed. Exit "
             "codes: 0 done, even if nothing was found, 1 failed, 2 wrong command line, 3 table "
             "not installed, 130 stopped."};

static bool add_material(FindArgs *args, const char *name)
{
    size_t count = args->materials;
    for (size_t i = 0; i < count; i++)
        if (strcmp(args->material[i], name) == 0) return true;
    void *grown = realloc(args->material, (count + 1) * sizeof *args->material);
    if (grown == NULL) return cli_no_memory("find") == CLI_OK;
    args->material = grown;
    snprintf(args->material[args->materials++], sizeof *args->material, "%s", name);
    return true;
}

/* Adds all materials of --men N that have a WDL table. Returns false after reporting that there are none. */
static bool add_men(FindArgs *args)
{
    for (size_t i = 0; i < treb_tables_count(args->query.tables); i++) {
        treb_table_info info;
        Material m;
        if (treb_tables_info(args->query.tables, i, &info, NULL) != TREB_OK) continue;
        if (info.metric != TREB_WDL || !material_parse(info.material, &m)) continue;
        if (material_men(&m) == (int)args->men && !add_material(args, info.material)) return false;
    }
    if (args->materials > 0) return true;
    cli_error("find", "there are no tables of %d men", (int)args->men);
    return false;
}

/* Reads the words: materials, and perhaps a condition after them. Returns an exit code. */
static int read_words(FindArgs *args, int count, char **word)
{
    for (int i = 0; i < count; i++) {
        Material m;
        char name[MATERIAL_NAME_SIZE];
        if (material_read(word[i], &m, NULL) == TREB_OK || cli_like_material(word[i])) {
            if (!cli_read_material("find", word[i], name)) return cli_usage("find");
            if (!add_material(args, name)) return CLI_FAILED;
        } else if (i + 1 == count && (i > 0 || args->men > 0)) {
            args->query.condition = word[i];
        } else {
            cli_error("find", "'%s' is not an ending such as KRPvKR", word[i]);
            return cli_usage("find");
        }
    }
    if (args->materials == 0 && args->men == 0) {
        complain("name a material, such as KRPvKR, or give --men N");
        return cli_usage("find");
    }
    treb_error error;
    if (args->query.condition == NULL ||
        find_check_condition(args->query.condition, &error) == TREB_OK)
        return CLI_OK;
    return refuse_condition(&error);
}

static int parse(FindArgs *args, int argc, char **argv)
{
    int code = cli_options(&find_command, args, argc, argv);
    if (code >= 0) return code;
    if (args->sort && args->sample > 0) {
        complain("--sort and --sample cannot be used together");
        return cli_usage("find");
    }
    code = read_words(args, argc - optind, argv + optind);
    return code == CLI_OK ? -1 : code;
}

int cli_find(int argc, char **argv)
{
    FindArgs args = {.query = {.turn = FIND_EITHER, .metric = TREB_DTM}, .seed = 1};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        treb_tables *tables = cli_open_tables("find", &args.dirs);
        args.query.tables = tables;
        args.query.stop = cli_catch_signals();
        cli_end_after(args.seconds);
        if (cli_json_wanted()) args.form = FIND_JSON;
        code = tables == NULL                    ? CLI_FAILED
               : args.men > 0 && !add_men(&args) ? CLI_NO_TABLE
                                                 : run(&args);
        code = cli_close_tables("find", tables, code);
    }
    free(args.material);
    cli_dirs_free(&args.dirs);
    return cli_finish("find", code);
}
