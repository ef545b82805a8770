/* cmd_find.c - trebuchet find: which positions of an ending are of some kind. */
#include <stdlib.h>
#include <string.h>

#include "cli/find_print.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "core/chess/material.h"

static const char usage[] =
    "Usage: trebuchet find [options] MATERIAL... [CONDITION]\n"
    "\n"
    "Goes through all positions of endings such as KRPvKR and prints those that are\n"
    "of the kinds asked for and meet the condition. Of positions that are the same\n"
    "but for a symmetry of the board one is looked at; en passant is left out. A win\n"
    "is a win even if the 50-move rule would spoil it, unless --with-rule is given.\n"
    "\n"
    "CONDITION is an expression in Lua, such as 'verdict == \"win\" and dtm > 80' or\n"
    "'distance(wk, bk) == 2 and rank(wp) == 4'. It can ask for turn, verdict, passed\n"
    "(the verdict if the other side were to move), cursed, zugzwang, dtz, dtc, dtm,\n"
    "check, mate, stalemate, fen, moves, and the squares of men: wk, wq, wr, wb, wn,\n"
    "wp, bk, ...; its functions are squares, file, rank, distance, light, attacked\n"
    "and room. The manual of Lua 5.4 tells the rest, and docs/find.md has examples.\n"
    "\n"
    "Kinds; of several all must hold\n"
    "  -z, --zugzwang         mutual zugzwang: whoever is to move would rather not;\n"
    "                         shown with White to move, or the side of --turn\n"
    "  -o, --only-move        of several moves one alone keeps the win, or the draw\n"
    "  -u, --underpromotion   nothing but a promotion to less than a queen keeps it\n"
    "      --unique-line      won by one move only at each turn, up to mate, against\n"
    "                         the longest defence (needs DTM)\n"
    "      --stalemate        won, and a move stalemates the opponent\n"
    "      --cursed           the 50-move rule makes a draw of it\n"
    "      --longest          no win of the ending (of the side of --turn) takes\n"
    "                         longer, by --metric\n"
    "      --turn COLOR       this side is to move: white or black\n"
    "\n"
    "Which of them\n"
    "  -n, --first N          the first N; with --sort the N longest\n"
    "      --sample N         N of them by chance, each as likely as any other\n"
    "      --seed S           what chance begins with (default: 1)\n"
    "  -s, --sort             the longest wins and losses first, by --metric\n"
    "  -m, --metric METRIC    dtm, dtc or dtz (default: dtm)\n"
    "      --with-rule        by the 50-move rule: what it spoils is a draw\n"
    "\n"
    "How they are printed\n"
    "      --count            only how many there are, for each material\n"
    "      --epd              EPD with the only move, the distance to mate, a comment\n"
    "      --tsv              one line each with tabs between: FEN, verdict,\n"
    "                         zugzwang, only move, DTZ, DTC and DTM in plies\n"
    "      --json             one JSON object a line\n"
    "      --pgn              a game each, the best line\n"
    "                         (default: a FEN a line)\n"
    "\n"
    "      --time SECONDS     end after that\n"
    "      --men N            all endings of N men whose tables are there\n"
    "  -j, --threads N        use N threads\n"
    "  -t, --tables DIR       look for tables in DIR; may be given several times\n"
    "  -q, --quiet            no progress, no counts at the end\n"
    "  -h, --help             this text\n"
    "\n"
    "Ctrl-C or --time ends it early; what was found is printed. Exit codes: 0 done,\n"
    "also if nothing was found, 1 failed, 2 called wrongly, 3 no table for it, 130\n"
    "stopped.\n";

typedef struct FindArgs {
    FindQuery query;
    CliDirs dirs;
    FindForm form;
    bool count, sort, quiet;
    uint64_t first, sample, seed, men, threads, seconds; /* 0: not given */
    char (*material)[MATERIAL_NAME_SIZE];
    size_t materials;
} FindArgs;

/* A position that waits to be printed. */
typedef struct Kept {
    Found found;
    int plies;
    uint64_t number; /* as it was found */
} Kept;

typedef struct FindRun {
    const FindArgs *args;
    CliProgress progress;
    const char *name;
    Kept *kept;
    size_t count, capacity;
    uint64_t seen, state; /* of chance */
    uint64_t found;       /* of all materials */
    size_t done;          /* materials */
    bool failed;
    int code; /* then */
} FindRun;

/* ---- Which of them --------------------------------------------------------------------------- */

/* Whether what is found must wait until all is. */
static bool waits(const FindArgs *args) { return args->sort || args->sample > 0; }

static bool enough(const FindRun *run)
{
    const FindArgs *args = run->args;
    return args->first > 0 && !args->count && !waits(args) && run->seen >= args->first;
}

/* A step of xorshift, which suffices to choose by. */
static uint64_t by_chance(FindRun *run, uint64_t below)
{
    run->state ^= run->state << 13;
    run->state ^= run->state >> 7;
    run->state ^= run->state << 17;
    return run->state % below;
}

/* The longest first, then as they were found. */
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

/* Of twice as many as are wanted the longer half stays. */
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
        uint64_t place = by_chance(run, run->seen);
        if (place < args->sample) run->kept[place] = kept;
        return true;
    }
    if (args->sort) {
        treb_distance distance = {.plies = 0};
        treb_error error;
        if (treb_probe_distance(args->query.tables, &found->pos, args->query.metric, &distance,
                                &error) != TREB_OK) {
            run->code = cli_fail("find", &error, &args->dirs);
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

/* Whether a condition is what Lua cannot read or carry out: the message begins with its line. */
static bool is_of_condition(const treb_error *error)
{
    unsigned line;
    return sscanf(error->text, "condition:%u:", &line) == 1;
}

static int refuse_condition(const treb_error *error)
{
    cli_error("find", "%s", error->text);
    fputs("A condition asks for turn, verdict, dtm, wk and others; equal is ==.\n", stderr);
    return cli_usage("find");
}

static int find_one(FindRun *run, const char *name)
{
    const FindArgs *args = run->args;
    FindCounts counts = {0};
    treb_error error;
    const FindListener listener = {on_found, on_progress, run};
    double start = cli_seconds();
    run->name = name;
    treb_status status = find_material(&args->query, name, &listener, &counts, &error);
    const double seconds = args->quiet ? -1 : cli_seconds() - start;
    cli_progress_clear(&run->progress);
    if (status != TREB_OK) {
        if (is_of_condition(&error)) return refuse_condition(&error);
        int code = cli_fail("find", &error, &args->dirs);
        return status == TREB_ERR_ARGUMENT ? CLI_USAGE : code;
    }
    run->found += counts.found;
    run->done++;
    const bool json = args->form == FIND_JSON;
    if (args->quiet && !args->count && !json) return CLI_OK;
    /* Beside positions they are for people. */
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
    FindRun run = {.args = args, .state = args->seed * UINT64_C(0x9e3779b97f4a7c15) | 1};
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

enum {
    UNIQUE_LINE = CLI_OPTION_OWN,
    STALEMATE,
    CURSED,
    LONGEST,
    TURN,
    SAMPLE,
    SEED,
    RULE_50,
    COUNT,
    EPD,
    TSV,
    PGN,
    TIME,
    MEN
};

static bool set_kind(FindArgs *args, int c)
{
    static const struct {
        int option;
        unsigned kind;
    } kinds[] = {{'z', FIND_ZUGZWANG},        {'o', FIND_ONLY_MOVE},
                 {'u', FIND_UNDERPROMOTION},  {UNIQUE_LINE, FIND_UNIQUE_LINE},
                 {STALEMATE, FIND_STALEMATE}, {CURSED, FIND_RULE_50},
                 {LONGEST, FIND_LONGEST}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].option == c) args->query.kinds |= kinds[i].kind;
    return true;
}

static bool set_option(void *find, int c, const char *value)
{
    FindArgs *args = find;
    switch (c) {
    case TURN:
        return cli_set_turn("find", value, &args->query.turn);
    case 'n':
        return cli_set_number("find", "--first", value, 1, INT64_MAX, &args->first);
    case SAMPLE:
        return cli_set_number("find", "--sample", value, 1, 1 << 24, &args->sample);
    case SEED:
        return cli_set_number("find", "--seed", value, 0, INT64_MAX, &args->seed);
    case 's':
        return args->sort = true;
    case 'm':
        return cli_set_metric("find", value, &args->query.metric);
    case RULE_50:
        return args->query.rule50 = true;
    case COUNT:
        return args->count = true;
    case EPD:
        args->form = FIND_EPD;
        return true;
    case TSV:
        args->form = FIND_TSV;
        return true;
    case PGN:
        args->form = FIND_PGN;
        return true;
    case TIME:
        return cli_set_number("find", "--time", value, 1, 1 << 30, &args->seconds);
    case MEN:
        return cli_set_number("find", "--men", value, 3, TREB_MEN_MAX, &args->men);
    case 'j':
        return cli_set_number("find", "--threads", value, 1, 1024, &args->threads);
    case 'q':
        return args->quiet = true;
    default:
        return set_kind(args, c);
    }
}

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

/* All materials of so many men with verdicts. */
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

/* The words are materials, and perhaps a condition behind them. */
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
            cli_error("find", "'%s' is no material such as KRPvKR", word[i]);
            return cli_usage("find");
        }
    }
    if (args->materials == 0 && args->men == 0) {
        complain("a material is wanted, such as KRPvKR, or --men N");
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
    static const struct option options[] = {{"zugzwang", 0, NULL, 'z'},
                                            {"only-move", 0, NULL, 'o'},
                                            {"underpromotion", 0, NULL, 'u'},
                                            {"unique-line", 0, NULL, UNIQUE_LINE},
                                            {"stalemate", 0, NULL, STALEMATE},
                                            {"cursed", 0, NULL, CURSED},
                                            {"longest", 0, NULL, LONGEST},
                                            {"turn", 1, NULL, TURN},
                                            {"first", 1, NULL, 'n'},
                                            {"sample", 1, NULL, SAMPLE},
                                            {"seed", 1, NULL, SEED},
                                            {"sort", 0, NULL, 's'},
                                            {"metric", 1, NULL, 'm'},
                                            {"with-rule", 0, NULL, RULE_50},
                                            {"count", 0, NULL, COUNT},
                                            {"epd", 0, NULL, EPD},
                                            {"tsv", 0, NULL, TSV},
                                            {"json", 0, NULL, CLI_OPTION_JSON},
                                            {"pgn", 0, NULL, PGN},
                                            {"time", 1, NULL, TIME},
                                            {"men", 1, NULL, MEN},
                                            {"threads", 1, NULL, 'j'},
                                            {"tables", 1, NULL, 't'},
                                            {"quiet", 0, NULL, 'q'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const CliOptions reader = {"find", usage, "zoun:sm:j:t:qh", options, &args->dirs, set_option};
    int code = cli_options(&reader, args, argc, argv);
    if (code >= 0) return code;
    if (args->sort && args->sample > 0) {
        complain("--sort and --sample exclude each other");
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
        args.query.threads = (unsigned)args.threads;
        args.query.stop = cli_catch_signals();
        cli_end_after(args.seconds);
        if (cli_json_wanted()) args.form = FIND_JSON;
        code = tables == NULL                    ? CLI_FAILED
               : args.men > 0 && !add_men(&args) ? CLI_NO_TABLE
                                                 : run(&args);
        treb_tables_close(tables);
    }
    free(args.material);
    cli_dirs_free(&args.dirs);
    return cli_finish("find", code);
}
