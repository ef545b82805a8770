/* cmd_solve.c - trebuchet solve: any ending of kings and pawns. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer_blocked.h"
#include "cli/blocked_check.h"
#include "cli/blocked_source.h"
#include "cli/blocked_text.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/solved.h"

static const char usage[] =
    "Usage: trebuchet solve [options] FEN\n"
    "\n"
    "Solves a position of kings and pawns, any number of them, and at most one piece\n"
    "a side, on the spot, without a table of so many men: who wins, what every move\n"
    "is worth, and how. What it says is proven; what time and memory do not allow to\n"
    "decide is said to be open, with what is not refuted. The FEN may be one argument\n"
    "or several; underscores count as spaces. The 50-move rule is left aside.\n"
    "\n"
    "      --time SECONDS     answer after that with what is proven by then (default:\n"
    "                         60; 0: as long as it takes)\n"
    "  -M, --memory SIZE      memory for what lies below the position (default: 1\n"
    "                         GiB)\n"
    "  -p, --pieces N         follow positions with up to N pieces, promoted ones and\n"
    "                         those that are there, 0 to 3 (default: 2)\n"
    "  -t, --tables DIR       tables of up to 5 men in DIR help a lot; may be given\n"
    "                         several times\n"
    "      --check            then check every position that the answer rests on by\n"
    "                         the rules alone, which takes longer than the answer\n"
    "  -w, --write DIR        write all that is known of the structures below the\n"
    "                         position, for all squares of the kings, into a file in\n"
    "                         DIR, which probe, line, serve and engines read\n"
    "      --json             print one JSON object\n"
    "  -q, --quiet            no progress\n"
    "  -h, --help             this text\n"
    "\n"
    "Ctrl-C ends it, too, with what is proven.\n"
    "Exit codes: 0 decided, 1 failed or a fault found, 2 no such position, 4 open,\n"
    "130 the check was stopped.\n";

enum { LINE_MOVES = 512, OPEN = 4 };

typedef struct SolveArgs {
    treb_position pos;
    CliDirs dirs;
    LatticeLimits limits;
    uint64_t pieces, seconds;
    bool quiet, check;
    const char *write; /* NULL: nothing */
} SolveArgs;

/* When to stop, and what is told until then. */
typedef struct SolveRun {
    const SolveArgs *args;
    CliProgress progress;
    const atomic_bool *stop;
    double end; /* of the time; 0: none */
} SolveRun;

static bool tell(void *context, uint64_t families, uint64_t bytes)
{
    SolveRun *run = context;
    char count[32], size[16];
    if (cli_progress_due(&run->progress)) {
        cli_format_count(families, count);
        cli_format_size(bytes, size);
        cli_progress_tell(&run->progress, "%s structures, %s", count, size);
    }
    return atomic_load(run->stop) || (run->end > 0 && cli_seconds() > run->end);
}

/* ---- What is printed ------------------------------------------------------------------------- */

static const char *verdict_text(const BlockedValue *v)
{
    switch (v->verdict) {
    case BLOCKED_WHITE:
        return "White wins";
    case BLOCKED_BLACK:
        return "Black wins";
    case BLOCKED_DRAW:
        return "draw";
    default:
        return v->can[0] ? v->can[1] ? "open" : "open: White wins, or it is a draw"
                         : "open: Black wins, or it is a draw";
    }
}

static void print_verdict(const Solve *s, double seconds)
{
    char count[32], size[16], time[16];
    cli_format_count(s->lattice->families, count);
    cli_format_size(s->lattice->bytes, size);
    cli_format_time(seconds, time);
    const char *text = verdict_text(&s->value);
    printf("%c%s.", text[0] & ~32, text + 1);
    if (s->moves == 0)
        puts(s->value.verdict == BLOCKED_DRAW ? " Stalemate." : " Mate.");
    else
        printf(" (%s structures, %s, %s)\n", count, size, time);
    if (s->value.verdict == BLOCKED_OPEN)
        puts(s->lattice->full ? "More --memory, or --tables of 5 men, may decide it."
                              : "More --time, or --tables of 5 men, may decide it.");
}

static void print_moves(const Solve *s)
{
    const char *group = "";
    if (s->moves > 0) putchar('\n');
    for (int i = 0; i < s->moves; i++) {
        const char *now = verdict_text(&s->move[i].value);
        if (strcmp(now, group) != 0) printf("%s  %-36s", i ? "\n" : "", now);
        printf(" %s", s->move[i].san);
        group = now;
    }
    if (s->moves > 0) putchar('\n');
}

static bool print_best(Solve *s)
{
    BlockedMove *line = malloc(LINE_MOVES * sizeof *line);
    treb_position last;
    BlockedEnd end;
    int count = line != NULL ? solve_line(s, line, LINE_MOVES, &end, &last) : -1;
    if (count > 0) blocked_text_line(&s->pos, line, count, end, &last);
    free(line);
    return count >= 0;
}

static int print(Solve *s, double seconds)
{
    const bool won = s->value.verdict == BLOCKED_WHITE || s->value.verdict == BLOCKED_BLACK;
    if (cli_json_wanted()) {
        treb_error error;
        json_t *object = answer_solve(s, won, &error);
        if (object == NULL) return cli_fail("solve", &error, NULL);
        json_object_set_new(object, "seconds", cli_json_real(seconds, 2));
        return cli_json_answer("solve", object);
    }
    cli_print_board(&s->pos);
    print_verdict(s, seconds);
    print_moves(s);
    if (!won || print_best(s)) return CLI_OK;
    cli_error("solve", "out of memory, or a table could not be read");
    return CLI_FAILED;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int run(SolveArgs *args, treb_tables *tables)
{
    SolveRun run = {.args = args, .stop = cli_catch_signals()};
    treb_error error;
    const double start = cli_seconds();
    cli_progress_start(&run.progress, "solve", args->quiet);
    if (args->seconds > 0) run.end = start + (double)args->seconds;
    source_use_tables(tables, &args->limits);
    args->limits.men = (int)args->pieces;
    args->limits.stop = tell;
    args->limits.stop_context = &run;
    Solve *s = solve_position(&args->pos, &args->limits, &error);
    cli_progress_clear(&run.progress);
    if (s == NULL) {
        int code = cli_fail("solve", &error, &args->dirs);
        return error.status == TREB_ERR_POSITION ? CLI_USAGE : code;
    }
    int code = print(s, cli_seconds() - start);
    if (code == CLI_OK && args->check) {
        fflush(stdout);
        if (!cli_json_wanted()) putchar('\n');
        code = solve_check_solution(cli_json_wanted() ? stderr : stdout, s, args->quiet);
    }
    if (code == CLI_OK && args->write != NULL)
        code = solve_write_file(cli_json_wanted() ? stderr : stdout, s, args->write, args->quiet);
    if (code == CLI_OK && s->value.verdict == BLOCKED_OPEN) code = OPEN;
    solve_free(s);
    return code;
}

enum { TIME = CLI_OPTION_OWN, CHECK };

static bool set_option(void *solve, int c, const char *value)
{
    SolveArgs *args = solve;
    switch (c) {
    case TIME:
        return cli_set_number("solve", "--time", value, 0, 1 << 30, &args->seconds);
    case 'M':
        return cli_set_size("solve", "--memory", value, 1, &args->limits.memory);
    case 'p':
        return cli_set_number("solve", "--pieces", value, 0, CELLS_MEN_MAX, &args->pieces);
    case CHECK:
        return args->check = true;
    case 'q':
        return args->quiet = true;
    case 'w':
        return (args->write = value) != NULL;
    default:
        return false;
    }
}

int cli_solve(int argc, char **argv)
{
    static const struct option options[] = {
        {"time", 1, NULL, TIME},  {"memory", 1, NULL, 'M'},  {"pieces", 1, NULL, 'p'},
        {"tables", 1, NULL, 't'}, {"check", 0, NULL, CHECK}, {"json", 0, NULL, CLI_OPTION_JSON},
        {"quiet", 0, NULL, 'q'},  {"help", 0, NULL, 'h'},    {"write", 1, NULL, 'w'},
        {NULL, 0, NULL, 0}};
    SolveArgs args = {.pieces = 2, .seconds = 60, .limits.memory = UINT64_C(1) << 30};
    const CliOptions reader = {"solve", usage, "M:p:t:qw:h", options, &args.dirs, set_option};
    int code = cli_options(&reader, &args, argc, argv);
    if (code < 0) {
        code = cli_read_fen("solve", argc - optind, argv + optind, &args.pos);
        treb_tables *tables = code == CLI_OK ? cli_open_tables("solve", &args.dirs) : NULL;
        if (code == CLI_OK) code = tables != NULL ? run(&args, tables) : CLI_FAILED;
        treb_tables_close(tables);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("solve", code);
}
