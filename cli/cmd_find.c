/* cmd_find.c - trebuchet find: finds the positions of endings that match filters or a condition. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/cmd.h"
#include "cli/find_run.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "core/system/io.h"
#include "core/system/text_file.h"

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

static bool set_mirror(const char *command, const CliOption *option, void *to, const char *value)
{
    static const char *const words[] = {"none", "random", NULL};
    FindArgs *args = to;
    const int word = cli_choose(command, option->name, value, words);
    args->mirrored = true;
    args->random = word == 1;
    return word >= 0;
}

static bool set_weight(const char *command, const CliOption *option, void *to, const char *value)
{
    static const char *const words[] = {"class", "board", NULL};
    FindArgs *args = to;
    const int word = cli_choose(command, option->name, value, words);
    args->weighted = true;
    args->board = word == 1;
    return word >= 0;
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
     "the first N positions of each ending; with --sort, the N longest of each"},
    {"sample", 0, "N", CLI_NUMBER(FindArgs, sample, 1, 1 << 24),
     "N random positions of all endings together, each once and in random order"},
    {"seed", 0, "S", CLI_NUMBER(FindArgs, seed, 0, INT64_MAX),
     "random seed of the sample (default: 1)"},
    {"weight", 0, "WHAT", CLI_OWN(set_weight),
     "what has the same probability in a sample: class, the positions that are listed without "
     "--sample (default); or board, all positions of the full board, as stats counts them"},
    {"mirror", 0, "HOW", CLI_OWN(set_mirror),
     "the positions of a sample: none, as they are in the table (default); or random, turned, "
     "mirrored and with colours exchanged at random"},
    {"sort", 's', NULL, CLI_FLAG(FindArgs, sort), "the longest wins and losses first, by --metric"},
    {"metric", 'm', "METRIC", CLI_DISTANCE(FindArgs, query.metric),
     "dtm, dtm50, dtc or dtz (default: dtm)"},
    {"with-rule", 0, NULL, CLI_FLAG(FindArgs, query.rule50),
     "verdicts under the 50-move rule: a win that it spoils is a draw; what moves are worth needs DTZ"},
    CLI_HEADING("Output (default: one FEN per line)"),
    {"count", 0, NULL, CLI_FLAG(FindArgs, count), "only the number of positions of each material"},
    {"epd", 0, NULL, FORM(FIND_EPD), "EPD with the only move, the distance to mate, a comment"},
    {"tsv", 0, NULL, FORM(FIND_TSV), "one line each, with names of columns and tabs between"},
    {"csv", 0, NULL, FORM(FIND_CSV), "one line each, with names of columns and commas between"},
    {"columns", 0, "NAMES", CLI_TEXT(FindArgs, column_names),
     "the columns of --tsv (which it implies) or --csv, with commas between (default: "
     "fen, verdict, zugzwang, only_move, dtz, dtc, dtm, material, turn, cursed, best_move; also: "
     "wdl, passed, only_move_san, best_move_san, moves, winning, drawing, losing, dtz_rounded, "
     "weight)"},
    {"signed", 0, NULL, CLI_FLAG(FindArgs, negative),
     "with --tsv or --csv: distances of losses are negative"},
    CLI_OPTION_JSON("one JSON object per line"),
    {"pgn", 0, NULL, FORM(FIND_PGN), "a game for each position, with the best line"},
    CLI_HEADING("Other options"),
    {"condition", 0, "FILE", CLI_TEXT(FindArgs, condition_file),
     "read the condition from FILE; -: from standard input"},
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

/* Reads the file of the condition. The caller frees the text. Returns NULL after reporting why not. */
static char *read_condition(const char *path)
{
    char *text = text_file_read(path, NULL);
    if (text == NULL)
        cli_error("find", "cannot read the condition from %s: %s", path, strerror(errno));
    return text;
}

/* Reads the condition from its file if there is one, and checks it. Returns an exit code. */
static int check_condition(FindArgs *args)
{
    FindQuery *query = &args->query;
    treb_error error;
    if (args->condition_file != NULL) {
        if (query->condition != NULL) {
            complain("give a condition, or --condition FILE, and not both");
            return cli_usage("find");
        }
        query->condition = args->condition_text = read_condition(args->condition_file);
        query->name = strcmp(args->condition_file, "-") == 0 ? "stdin" : io_name(args->condition_file);
        if (query->condition == NULL) return CLI_FAILED;
    }
    if (query->condition == NULL ||
        find_check_condition(query->condition, query->name, &error) == TREB_OK)
        return CLI_OK;
    return find_refuse_condition(&error);
}

/* Reads the words: materials, and perhaps a condition after them. Returns an exit code. */
static int read_words(FindArgs *args, int count, char **word)
{
    for (int i = 0; i < count; i++) {
        Material m;
        char name[MATERIAL_NAME_SIZE];
        if (material_read(word[i], &m, NULL) == TREB_OK || cli_like_material(word[i])) {
            if (!cli_read_material("find", word[i], name)) return cli_usage("find");
            if (!args->quiet) cli_tell_exchange("find", word[i]);
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
    return check_condition(args);
}

/* Returns what is wrong with the options together, or NULL. */
static const char *contradiction(const FindArgs *args)
{
    const bool table = args->form == FIND_TSV || args->form == FIND_CSV;
    if (args->sort && args->sample > 0) return "--sort and --sample cannot be used together";
    if (args->count && args->sample > 0) return "--count and --sample cannot be used together";
    if (args->first > 0 && args->sample > 0)
        return "--first and --sample cannot be used together: --sample N says how many";
    if (args->sample == 0 && (args->mirrored || args->weighted))
        return "--mirror and --weight need --sample";
    if (!table && (args->column_names != NULL || args->negative))
        return "--columns and --signed need --tsv or --csv";
    return NULL;
}

static int parse(FindArgs *args, int argc, char **argv)
{
    int code = cli_options(&find_command, args, argc, argv);
    if (code >= 0) return code;
    if (cli_json_wanted()) args->form = FIND_JSON;
    if (args->column_names != NULL && args->form == FIND_FEN) args->form = FIND_TSV;
    const char *wrong = contradiction(args);
    if (wrong != NULL) {
        complain(wrong);
        return cli_usage("find");
    }
    find_columns_default(&args->columns);
    args->columns.between = args->form == FIND_CSV ? ',' : '\t';
    args->columns.negative = args->negative;
    if (args->column_names != NULL && !find_columns_read(&args->columns, args->column_names))
        return cli_usage("find");
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
        code = tables == NULL                    ? CLI_FAILED
               : args.men > 0 && !add_men(&args) ? CLI_NO_TABLE
                                                 : find_run(&args);
        code = cli_close_tables("find", tables, code);
    }
    free(args.material);
    free(args.condition_text);
    cli_dirs_free(&args.dirs);
    return cli_finish("find", code);
}
