/* cmd_line.c - trebuchet line: prints the best play from a position, as PGN. */
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/blocked_source.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "json/line.h"
#include "json/line_pgn.h"

enum { LINE_MOVES = 4096 };

typedef struct LineArgs {
    PgnLine line;
    CliDirs dirs;
    treb_move *moves; /* room for LINE_MOVES */
} LineArgs;

static int print_line(const PgnLine *line)
{
    if (cli_json_wanted()) return cli_json_answer("line", line_json(line));
    char *text = line_pgn(line);
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
        return blocked_source_fail("line", &error, &args->dirs, &line->pos);
    int code = print_line(line);
    return status != TREB_OK ? cli_fail_tables("line", &error, &args->dirs) : code;
}

static bool set_no_rule(const char *command, const CliOption *option, void *args, const char *value)
{
    (void)command, (void)option, (void)value;
    ((LineArgs *)args)->line.rule = TREB_RULE_NONE;
    return true;
}

static const CliOption options[] = {
    {"metric", 'm', "METRIC", CLI_DISTANCE(LineArgs, line.metric),
     "play by dtm (quickest mate), dtm50 (quickest mate under the 50-move rule), dtc (quickest "
     "capture, promotion or mate) or dtz (quickest capture, pawn move or mate); default: the first "
     "of dtm, dtc and dtz that is known for the position"},
    {"no-rule", 0, NULL, CLI_OWN(set_no_rule),
     "ignore the 50-move rule: cursed wins count as wins, and the shortest mate is played even if "
     "the rule would make it a draw"},
    CLI_OPTION_JSON("print the line as one JSON object, like GET /v1/line of 'trebuchet serve'"),
    CLI_OPTION_TABLES(LineArgs, dirs),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand line_command = {
    .name = "line",
    .synopsis = "trebuchet line [options] FEN",
    .about = "Prints the best play of both sides as a PGN game, to mate or to a draw. The FEN may "
             "be one argument or several; underscores count as spaces. Positions of kings and "
             "blocked pawns that have no table are looked up in blocked-pawn tables, which "
             "'trebuchet blocked --write' makes.",
    .options = options,
    .notes = "Exit codes: 0 answered, 1 failed, 2 wrong command line or impossible position, 3 no "
             "table for the position."};

/* Returns -1 to go on, else the exit code. */
static int parse(LineArgs *args, int argc, char **argv)
{
    int code = cli_options(&line_command, args, argc, argv);
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
        code = cli_close_tables("line", tables, code);
        free(args.moves);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("line", code);
}
