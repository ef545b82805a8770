/* cmd_line.c - trebuchet line: the best play from a position, as PGN. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer_blocked.h"
#include "answer/line.h"
#include "answer/parts.h"
#include "cli/blocked_source.h"
#include "cli/json.h"
#include "cli/options.h"

static const char usage[] =
    "Usage: trebuchet line [options] FEN\n"
    "\n"
    "Prints the best play of both sides as a PGN game, to mate or to a draw. The FEN\n"
    "may be one argument or several; underscores count as spaces. Where the tables\n"
    "end, kings among blocked pawns are looked up in blocked-pawn tables, which\n"
    "'trebuchet blocked --write' makes.\n"
    "\n"
    "  -m, --metric METRIC  play by dtm (quickest mate), dtc (quickest capture,\n"
    "                       promotion or mate) or dtz (quickest capture, pawn move or\n"
    "                       mate); default: the first that is known of the position\n"
    "      --no-rule        leave the 50-move rule aside: cursed wins count as wins,\n"
    "                       and the shortest mate is played even where the rule would\n"
    "                       not let it happen\n"
    "      --json           print the line as one JSON object, as GET /v1/line of\n"
    "                       'trebuchet serve'\n"
    "  -t, --tables DIR     look for tables in DIR; may be given several times\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit codes: 0 answered, 1 failed, 2 no such position, 3 no table for it.\n";

enum { LINE_MOVES = 4096 };

typedef struct LineArgs {
    PgnLine line;
    CliDirs dirs;
    treb_move *moves; /* room for LINE_MOVES */
} LineArgs;

static int print_line(const PgnLine *line)
{
    if (cli_json_wanted()) return cli_json_answer("line", line_json(line));
    char *text = pgn_write(line);
    if (text == NULL) return cli_no_memory("line");
    fputs(text, stdout);
    free(text);
    return CLI_OK;
}

/* ---- From a rank file ------------------------------------------------------------------------ */

/* Plays on by the tables where they know the position after the last move. */
static void play_on(LineArgs *args, const treb_tables *tables, const treb_position *pos)
{
    PgnLine *line = &args->line;
    PgnLine rest = {.pos = *pos, .metric = line->metric, .rule = line->rule};
    if (treb_probe_root(tables, pos, &rest.value, NULL) != TREB_OK) return;
    if (rest.metric == TREB_WDL) rest.metric = answer_known_metric(&rest.value);
    if (rest.metric == TREB_WDL) return;
    LineWalk walk = line_begin(&rest, args->moves + line->moves, LINE_MOVES - line->moves);
    treb_status status = TREB_OK;
    while (status == TREB_OK && line_goes_on(&walk)) status = line_step(&walk, tables, NULL);
    line->metric = rest.metric;
    line->moves += walk.line.moves;
    line->end = walk.line.end;
    line->broken = status != TREB_OK;
}

static void describe(const PgnLine *line, BlockedEnd end, BlockedVerdict verdict, char *out,
                     size_t size)
{
    const char *winner = verdict == BLOCKED_BLACK ? "Black" : "White";
    size_t length = line->moves > 0 ? strlen(line->move[line->moves - 1].san) : 0;
    bool mate = length > 0 && line->move[line->moves - 1].san[length - 1] == '#';
    if (verdict == BLOCKED_OPEN)
        snprintf(out, size, "What best play leads to is not known");
    else if (verdict == BLOCKED_DRAW)
        snprintf(out, size, "A draw with best play");
    else if (mate || end == BLOCKED_END_MATE)
        snprintf(out, size,
                 "%s mates in %zu plies: up to captures by blocked-pawn tables, then by others. "
                 "The 50-move rule is left aside",
                 winner, line->moves);
    else
        snprintf(out, size,
                 "%s wins; what comes after the capture takes tables. The 50-move rule "
                 "is left aside",
                 winner);
}

static void take_move(treb_move *out, const BlockedMove *move)
{
    *out = (treb_move){0};
    for (int m = 0; m < TREB_METRICS; m++) out->value.status[m] = TREB_ERR_NO_TABLE;
    snprintf(out->uci, sizeof out->uci, "%s", move->uci);
    snprintf(out->san, sizeof out->san, "%s", move->san);
}

static treb_wdl verdict_of(BlockedVerdict verdict, int turn)
{
    if (verdict == BLOCKED_DRAW || verdict == BLOCKED_OPEN) return TREB_DRAW;
    return (verdict == BLOCKED_WHITE) == (turn == TREB_WHITE) ? TREB_WIN : TREB_LOSS;
}

/* The moves of one file and, unless the tables know the rest, of the files of what is left after
 * captures; goes to where they end. False without memory. */
static bool play_files(LineArgs *args, Blocked *b, const treb_tables *tables, treb_position *pos,
                       BlockedEnd *end)
{
    enum { BLOCKED_MOVES = 1024 };
    PgnLine *line = &args->line;
    BlockedMove *list = malloc(BLOCKED_MOVES * sizeof *list);
    int count = list != NULL ? blocked_line(b, list, BLOCKED_MOVES, end, pos) : -1;
    for (int i = 0; i < count && line->moves < LINE_MOVES; i++)
        take_move(&args->moves[line->moves++], &list[i]);
    free(list);
    if (count < 0 || *end != BLOCKED_END_CAPTURE) return count >= 0;
    if (answer_blocked_goes_on(tables, *end, pos)) return true;
    treb_error error;
    Blocked *next = answer_find_blocked(args->dirs.dir, args->dirs.count, pos, &error);
    bool good = next == NULL || play_files(args, next, tables, pos, end);
    blocked_free(next);
    return good;
}

static int run_ranks(LineArgs *args, const treb_tables *tables, Blocked *b)
{
    PgnLine *line = &args->line;
    BlockedEnd end = BLOCKED_END_OPEN;
    treb_position last = line->pos;
    char note[160];
    line->rule = TREB_RULE_NONE; /* as rank files have it */
    if (!play_files(args, b, tables, &last, &end)) return cli_no_memory("line");
    BlockedVerdict verdict = blocked_value(b, line->pos.turn, position_king(&line->pos, TREB_WHITE),
                                           position_king(&line->pos, TREB_BLACK))
                                 .verdict;
    line->value.rule = line->value.wdl = verdict_of(verdict, line->pos.turn);
    line->failed = verdict == BLOCKED_OPEN;
    if (line->failed) line->value.status[TREB_WDL] = TREB_ERR_NO_TABLE;
    line->end = end == BLOCKED_END_MATE ? TREB_LINE_MATE : TREB_LINE_DRAW;
    line->broken = end != BLOCKED_END_MATE && end != BLOCKED_END_DRAW;
    if (end == BLOCKED_END_CAPTURE) play_on(args, tables, &last);
    describe(line, end, verdict, note, sizeof note);
    line->note = note;
    int code = print_line(line);
    line->note = NULL;
    return code;
}

/* ---- From the tables ------------------------------------------------------------------------- */

static int run(LineArgs *args, const treb_tables *tables)
{
    treb_error error;
    PgnLine *line = &args->line;
    line->move = args->moves;
    treb_status status = treb_probe_root(tables, &line->pos, &line->value, &error);
    if (status != TREB_OK) {
        int code = CLI_OK;
        Blocked *b = source_instead("line", &error, &args->dirs, &line->pos, &code);
        line->value = (treb_value){0};
        if (b != NULL) code = run_ranks(args, tables, b);
        blocked_free(b);
        return code;
    }
    if (line->metric == TREB_WDL) line->metric = answer_known_metric(&line->value);
    if (line->metric == TREB_WDL) line->metric = TREB_DTZ; /* which tells what is missing */
    LineWalk walk = line_begin(line, args->moves, LINE_MOVES);
    while (status == TREB_OK && line_goes_on(&walk)) status = line_step(&walk, tables, &error);
    *line = walk.line;
    line->failed = status != TREB_OK;
    if (line->failed && line->moves == 0) return cli_fail("line", &error, &args->dirs);
    int code = print_line(line);
    return line->failed ? cli_fail("line", &error, &args->dirs) : code;
}

static bool set_option(void *args, int c, const char *value)
{
    PgnLine *line = &((LineArgs *)args)->line;
    if (c == 'm') return cli_set_metric("line", value, &line->metric);
    line->rule = TREB_RULE_NONE;
    return true;
}

/* -1: carry on; else the exit code. */
static int parse(LineArgs *args, int argc, char **argv)
{
    static const struct option options[] = {{"metric", 1, NULL, 'm'},
                                            {"no-rule", 0, NULL, CLI_OPTION_OWN},
                                            {"json", 0, NULL, CLI_OPTION_JSON},
                                            {"tables", 1, NULL, 't'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const CliOptions reader = {"line", usage, "m:t:h", options, &args->dirs, set_option};
    int code = cli_options(&reader, args, argc, argv);
    if (code >= 0) return code;
    code = cli_read_fen("line", argc - optind, argv + optind, &args->line.pos);
    return code == CLI_OK ? -1 : code;
}

int cli_line(int argc, char **argv)
{
    LineArgs args = {0};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        args.moves = malloc(LINE_MOVES * sizeof *args.moves);
        treb_tables *tables = cli_open_tables("line", &args.dirs);
        code = tables != NULL ? CLI_OK : CLI_FAILED;
        if (code == CLI_OK) code = args.moves != NULL ? run(&args, tables) : cli_no_memory("line");
        treb_tables_close(tables);
        free(args.moves);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("line", code);
}
