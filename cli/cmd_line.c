/* cmd_line.c - trebuchet line: the best play from a position, as PGN. */
#include <stdlib.h>
#include <string.h>

#include "json/line.h"
#include "cli/blocked_source.h"
#include "cli/json.h"
#include "cli/options.h"

static const char usage[] =
    "Usage: trebuchet line [options] FEN\n"
    "\n"
    "Prints the best play of both sides as a PGN game, to mate or to a draw. The FEN\n"
    "may be one argument or several; underscores count as spaces. Where the tables\n"
    "end, kings among blocked pawns are looked up in tables of their own, which\n"
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

static int run(LineArgs *args, const treb_tables *tables)
{
    treb_error error;
    char note[LINE_NOTE_SIZE];
    PgnLine *line = &args->line;
    AnswerContext context = {
        .tables = tables, .directories = args->dirs.dir, .directory_count = args->dirs.count};
    treb_status status = line_fill(&context, line, args->moves, LINE_MOVES, note, &error);
    if (status != TREB_OK && line->moves == 0)
        return source_missing("line", &error, &args->dirs, &line->pos);
    int code = print_line(line);
    return status != TREB_OK ? cli_fail("line", &error, &args->dirs) : code;
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
