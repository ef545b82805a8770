/* cmd_line.c - trebuchet line: the best play from a position, as PGN. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

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

enum { LINE_MOVES = 4096, WRAP = 80 };

static const char *const colors[2] = {"White", "Black"};

typedef struct Line {
    treb_position pos;
    treb_value value; /* of the start */
    treb_metric metric;
    treb_move *move;
    size_t moves;
    treb_line_end end;
    bool failed; /* the line breaks off */
} Line;

/* ---- Text wrapped at WRAP columns ---------------------------------------------------------- */

static void put_word(size_t *column, const char *word)
{
    size_t length = strlen(word);
    if (*column && *column + 1 + length > WRAP) {
        putchar('\n');
        *column = 0;
    }
    if (*column) (*column)++, putchar(' ');
    fputs(word, stdout);
    *column += length;
}

static void put_words(size_t *column, const char *text)
{
    char word[64];
    while (*text) {
        size_t length = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        put_word(column, word);
        text += length;
        text += strspn(text, " ");
    }
}

/* ---- How it ends --------------------------------------------------------------------------- */

static const char *result_of(const Line *line)
{
    if (line->failed) return "*";
    switch (line->value.rule) {
    case TREB_WIN:
        return line->pos.turn == TREB_WHITE ? "1-0" : "0-1";
    case TREB_LOSS:
        return line->pos.turn == TREB_WHITE ? "0-1" : "1-0";
    default:
        return "1/2-1/2";
    }
}

/* The side that mates, or would. */
static int winner_of(const Line *line)
{
    return line->value.wdl > TREB_DRAW ? line->pos.turn : line->pos.turn ^ 1;
}

static void describe_end(const Line *line, char *out, size_t size)
{
    const char *winner = colors[winner_of(line)];
    unsigned plies = (unsigned)line->moves;
    bool ruled = line->value.rule == TREB_CURSED_WIN || line->value.rule == TREB_BLESSED_LOSS;
    if (line->failed)
        snprintf(out, size, "The line breaks off here for want of a table");
    else if (line->end == TREB_LINE_CAPACITY)
        snprintf(out, size, "The line is longer than %u plies", plies);
    else if (line->end == TREB_LINE_STALEMATE)
        snprintf(out, size, "Stalemate: a draw");
    else if (line->end == TREB_LINE_DRAW)
        snprintf(out, size, "A draw with best play");
    else if (plies == 0)
        snprintf(out, size, "Checkmate: %s has won", winner);
    else
        snprintf(out, size, "%s mates in %u move%s (%u pl%s), best play by %s%s", winner,
                 (plies + 1) / 2, plies > 2 ? "s" : "", plies, plies == 1 ? "y" : "ies",
                 line->metric == TREB_DTM   ? "DTM"
                 : line->metric == TREB_DTC ? "DTC"
                                            : "DTZ",
                 ruled ? "; but the 50-move rule makes it a draw" : "");
}

/* ---- PGN ----------------------------------------------------------------------------------- */

static void print_tags(const Line *line)
{
    char fen[TREB_FEN_SIZE];
    treb_position_to_fen(&line->pos, fen);
    printf("[Event \"Best play by Trebuchet\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n"
           "[Round \"-\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"%s\"]\n"
           "[SetUp \"1\"]\n[FEN \"%s\"]\n\n",
           result_of(line), fen);
}

static void print_game(const Line *line)
{
    char word[64], text[160], comment[176];
    size_t column = 0;
    unsigned number = line->pos.fullmove ? line->pos.fullmove : 1;
    bool black = line->pos.turn == TREB_BLACK;
    print_tags(line);
    for (size_t i = 0; i < line->moves; i++) {
        if (!black || i == 0) {
            snprintf(word, sizeof word, black ? "%u..." : "%u.", number);
            put_word(&column, word);
        }
        put_word(&column, line->move[i].san);
        number += black;
        black = !black;
    }
    describe_end(line, text, sizeof text);
    snprintf(comment, sizeof comment, "{%s.}", text);
    put_words(&column, comment);
    put_word(&column, result_of(line));
    putchar('\n');
}

/* ---- The command --------------------------------------------------------------------------- */

static treb_metric choose_metric(const treb_value *value)
{
    static const int order[] = {TREB_DTM, TREB_DTC, TREB_DTZ};
    for (int i = 0; i < 3; i++)
        if (value->status[order[i]] == TREB_OK) return (treb_metric)order[i];
    return TREB_DTZ;
}

static int run(Line *line, const treb_tables *tables, const CliDirs *dirs)
{
    treb_error error;
    if (treb_probe_root(tables, &line->pos, &line->value, &error) != TREB_OK)
        return cli_fail("line", &error, dirs);
    if (line->metric == TREB_WDL) line->metric = choose_metric(&line->value);
    line->move = malloc(LINE_MOVES * sizeof *line->move);
    if (line->move == NULL) {
        cli_error("line", "out of memory");
        return CLI_FAILED;
    }
    treb_status status = treb_best_line(tables, &line->pos, line->metric, line->move, LINE_MOVES,
                                        &line->moves, &line->end, &error);
    line->failed = status != TREB_OK;
    if (line->failed && line->moves == 0) return cli_fail("line", &error, dirs);
    print_game(line);
    fflush(stdout);
    return line->failed ? cli_fail("line", &error, dirs) : CLI_OK;
}

/* -1: carry on; else the exit code. */
static int parse(Line *line, CliDirs *dirs, int argc, char **argv)
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
    Line line = {0};
    CliDirs dirs = {0};
    int code = parse(&line, &dirs, argc, argv);
    if (code < 0) {
        treb_tables *tables = cli_open_tables("line", &dirs);
        code = tables != NULL ? run(&line, tables, &dirs) : CLI_FAILED;
        treb_tables_close(tables);
    }
    free(line.move);
    cli_dirs_free(&dirs);
    return cli_finish("line", code);
}
