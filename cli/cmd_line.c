/* cmd_line.c - trebuchet line: the best play from a position, as PGN. */
#include <getopt.h>
#include <stdlib.h>

#include "cli.h"
#include "parts.h"
#include "pgn.h"

static const char usage[] =
    "Usage: trebuchet line [options] FEN\n"
    "\n"
    "Prints the best play of both sides as a PGN game, to mate or to a draw. The FEN may be one\n"
    "argument or several; underscores count as spaces.\n"
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

static int run(PgnLine *line, treb_move *moves, const treb_tables *tables, const CliDirs *dirs)
{
    treb_error error;
    if (treb_probe_root(tables, &line->pos, &line->value, &error) != TREB_OK)
        return cli_fail("line", &error, dirs);
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
