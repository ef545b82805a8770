/* cmd_line.c - trebuchet line: the best play from a position, as PGN. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer_blocked.h"
#include "answer/parts.h"
#include "answer/pgn.h"
#include "cli/blocked_source.h"
#include "cli/cli.h"

static const char usage[] =
    "Usage: trebuchet line [options] FEN\n"
    "\n"
    "Prints the best play of both sides as a PGN game, to mate or to a draw. The FEN may be one\n"
    "argument or several; underscores count as spaces. Where the tables end, kings among blocked pawns\n"
    "are looked up in rank files, which 'trebuchet blocked --write' makes.\n"
    "\n"
    "  -m, --metric METRIC  play by dtm (quickest mate), dtc (quickest capture, promotion or mate) or\n"
    "                       dtz (quickest capture, pawn move or mate); default: the first that is\n"
    "                       known of the position\n"
    "  -t, --tables DIR     look for tables in DIR; may be given several times\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit codes: 0 answered, 1 failed, 2 no such position, 3 no table for it.\n";

enum { LINE_MOVES = 4096 };

static int print_game(const PgnLine *line)
{
    char *game = pgn_write(line);
    if (game == NULL) {
        cli_error("line", "out of memory");
        return CLI_FAILED;
    }
    fputs(game, stdout);
    fflush(stdout);
    free(game);
    return CLI_OK;
}

/* ---- From a rank file ------------------------------------------------------------------------ */

/* Plays on by the tables where they know the position after the last move. */
static void play_on(PgnLine *line, treb_move *moves, const treb_tables *tables,
                    const treb_position *pos)
{
    size_t count = 0;
    treb_value value;
    treb_metric metric = line->metric;
    if (treb_probe_root(tables, pos, &value, NULL) != TREB_OK) return;
    if (metric == TREB_WDL) metric = answer_known_metric(&value);
    if (metric == TREB_WDL) return;
    treb_best_line(tables, pos, metric, moves + line->moves, LINE_MOVES - line->moves, &count,
                   &line->end, NULL);
    line->moves += count;
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
                 "%s mates in %zu plies: up to captures by rank files, then by tables. The "
                 "50-move rule is left aside",
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
static bool play_files(PgnLine *line, treb_move *moves, Blocked *b, const treb_tables *tables,
                       const CliDirs *dirs, treb_position *pos, BlockedEnd *end)
{
    enum { BLOCKED_MOVES = 1024 };
    BlockedMove *list = malloc(BLOCKED_MOVES * sizeof *list);
    int count = list != NULL ? blocked_line(b, list, BLOCKED_MOVES, end, pos) : -1;
    for (int i = 0; i < count && line->moves < LINE_MOVES; i++)
        take_move(&moves[line->moves++], &list[i]);
    free(list);
    if (count < 0 || *end != BLOCKED_END_CAPTURE) return count >= 0;
    if (answer_blocked_goes_on(tables, *end, pos)) return true;
    treb_error error;
    Blocked *next = answer_find_blocked(dirs->dir, dirs->count, pos, &error);
    bool good = next == NULL || play_files(line, moves, next, tables, dirs, pos, end);
    blocked_free(next);
    return good;
}

static int run_ranks(PgnLine *line, treb_move *moves, const treb_tables *tables,
                     const CliDirs *dirs, Blocked *b)
{
    BlockedEnd end = BLOCKED_END_OPEN;
    treb_position last = line->pos;
    char note[160];
    if (!play_files(line, moves, b, tables, dirs, &last, &end)) {
        cli_error("line", "out of memory");
        return CLI_FAILED;
    }
    BlockedVerdict verdict = blocked_value(b, line->pos.turn, position_king(&line->pos, TREB_WHITE),
                                           position_king(&line->pos, TREB_BLACK))
                                 .verdict;
    line->move = moves;
    line->value.rule = line->value.wdl = verdict_of(verdict, line->pos.turn);
    line->failed = verdict == BLOCKED_OPEN;
    if (end == BLOCKED_END_CAPTURE) play_on(line, moves, tables, &last);
    describe(line, end, verdict, note, sizeof note);
    line->note = note;
    int code = print_game(line);
    line->note = NULL;
    return code;
}

/* ---- From the tables ------------------------------------------------------------------------- */

static int run(PgnLine *line, treb_move *moves, const treb_tables *tables, const CliDirs *dirs)
{
    treb_error error;
    if (treb_probe_root(tables, &line->pos, &line->value, &error) != TREB_OK) {
        int code = CLI_OK;
        Blocked *b = source_instead("line", &error, dirs, &line->pos, &code);
        if (b != NULL) code = run_ranks(line, moves, tables, dirs, b);
        blocked_free(b);
        return code;
    }
    if (line->metric == TREB_WDL) line->metric = answer_known_metric(&line->value);
    if (line->metric == TREB_WDL) line->metric = TREB_DTZ; /* which tells what is missing */
    treb_status status = treb_best_line(tables, &line->pos, line->metric, moves, LINE_MOVES,
                                        &line->moves, &line->end, &error);
    line->move = moves;
    line->failed = status != TREB_OK;
    if (line->failed && line->moves == 0) return cli_fail("line", &error, dirs);
    int code = print_game(line);
    return line->failed ? cli_fail("line", &error, dirs) : code;
}

/* -1: carry on; else the exit code. */
static int parse(PgnLine *line, CliDirs *dirs, int argc, char **argv)
{
    static const struct option options[] = {{"metric", 1, NULL, 'm'},
                                            {"tables", 1, NULL, 't'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, "m:t:h", options, NULL)) != -1;) {
        switch (c) {
        case 'm':
            line->metric = cli_one_metric(optarg);
            if (line->metric != TREB_WDL) break;
            cli_error("line", "--metric takes dtm, dtc or dtz");
            return cli_usage("line");
        case 't':
            if (cli_dirs_add(dirs, optarg)) break;
            cli_error("line", "too many folders");
            return cli_usage("line");
        case 'h':
            fputs(usage, stdout);
            return CLI_OK;
        default:
            return cli_usage("line");
        }
    }
    int code = cli_read_fen("line", argc - optind, argv + optind, &line->pos);
    return code == CLI_OK ? -1 : code;
}

int cli_line(int argc, char **argv)
{
    PgnLine line = {0};
    CliDirs dirs = {0};
    int code = parse(&line, &dirs, argc, argv);
    if (code < 0) {
        treb_move *moves = malloc(LINE_MOVES * sizeof *moves);
        treb_tables *tables = cli_open_tables("line", &dirs);
        if (moves == NULL) cli_error("line", "out of memory");
        code = tables && moves ? run(&line, moves, tables, &dirs) : CLI_FAILED;
        treb_tables_close(tables);
        free(moves);
    }
    cli_dirs_free(&dirs);
    return cli_finish("line", code);
}
