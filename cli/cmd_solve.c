/* cmd_solve.c - trebuchet solve: any ending of kings and pawns. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "json/answer_blocked.h"
#include "json/line.h"
#include "pawns/keep.h"
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
    "or several; underscores count as spaces. Of a win it tells whether the 50-move\n"
    "rule can spoil it, and the plies to the next capture, promotion or mate.\n"
    "\n"
    "      --time SECONDS     answer after that with what is proven by then (default:\n"
    "                         60; 0: as long as it takes)\n"
    "  -M, --memory SIZE      memory that the command keeps to (default: 1 GiB)\n"
    "  -p, --pieces N         follow positions with up to N pieces, promoted ones and\n"
    "                         those that are there, 0 to 3 (default: 2)\n"
    "  -t, --tables DIR       tables of up to 5 men in DIR help a lot; may be given\n"
    "                         several times\n"
    "      --check            then check every position that the answer rests on by\n"
    "                         the rules alone, which takes longer than the answer\n"
    "      --save FILE        keep what is proven in FILE, now and then and at the\n"
    "                         end unless all is decided; go on from it if it is there\n"
    "      --save-every SECONDS  how often (default: 180)\n"
    "      --pgn              print the best play as a PGN game, to mate if known\n"
    "  -w, --write DIR        write all that is known of the structures below the\n"
    "                         position, for all squares of the kings, into a file in\n"
    "                         DIR, which probe, line, serve and engines read\n"
    "      --squares          then the corresponding squares: mutual zugzwangs of all\n"
    "                         squares of the kings, whatever the pawns can do counted\n"
    "      --svg FILE         draw them; - for standard output, and nothing else\n"
    "      --json             print one JSON object\n"
    "  -q, --quiet            no progress\n"
    "  -h, --help             this text\n"
    "\n"
    "Ctrl-C ends it, too, with what is proven; once more, writing or the check.\n"
    "Exit codes: 0 decided, 1 failed or a fault found, 2 no such position, 4 open,\n"
    "130 writing or the check was stopped.\n";

enum { LINE_MOVES = 512, OPEN = 4, OPEN_SIZE = 128, OPEN_SHOWN = 5, COUNT_SECONDS = 2 };

typedef struct SolveArgs {
    treb_position pos;
    CliDirs dirs;
    LatticeLimits limits;
    uint64_t pieces, seconds, every;
    const char *save, *write; /* NULL: nowhere */
    const char *svg;
    bool quiet, check, pgn, squares;
} SolveArgs;

/* When to stop, and what is told until then. */
typedef struct SolveRun {
    const SolveArgs *args;
    Solve *solve;
    CliProgress progress;
    const atomic_bool *stop;
    double end;   /* of the time; 0: none */
    double save;  /* when to save again */
    double count; /* when to look at the state again */
    SolveState state;
} SolveRun;

static void name_open(const SolveState *state, char out[OPEN_SIZE])
{
    int length = snprintf(out, OPEN_SIZE, "%s", state->moves > 0 ? "; open:" : ""), i = 0;
    for (; i < state->moves && i < OPEN_SHOWN; i++)
        length += snprintf(out + length, (size_t)(OPEN_SIZE - length), " %s", state->open[i]);
    if (i < state->moves)
        snprintf(out + length, (size_t)(OPEN_SIZE - length), " and %d more", state->moves - i);
}

/* Counting takes a moment, so that it is not done each time. */
static void show_state(SolveRun *run)
{
    char count[32], size[16], open[OPEN_SIZE], share[32] = "";
    SolveState *state = &run->state;
    if (cli_seconds() > run->count) {
        solve_state(run->solve, state);
        run->count = cli_seconds() + COUNT_SECONDS;
    }
    cli_format_count(run->solve->lattice->families, count);
    cli_format_size(run->solve->lattice->bytes, size);
    if (state->positions > 0)
        snprintf(share, sizeof share, ", %.0f%% of positions decided",
                 100.0 * (double)state->decided / (double)state->positions);
    name_open(state, open);
    cli_progress_tell(&run->progress, "%s structures%s, %s%s", count, share, size, open);
}

/* What is known by now, for a later run. False, with a message, if it could not be written. */
static bool save(SolveRun *run)
{
    treb_error error;
    run->save = cli_seconds() + (double)run->args->every;
    if (run->args->save == NULL) return true;
    if (keep_write(run->solve->lattice, &run->args->pos, run->args->save, &error) == TREB_OK)
        return true;
    cli_progress_clear(&run->progress);
    cli_error("solve", "%s", error.text);
    return false;
}

static bool tell(void *context, uint64_t families, uint64_t bytes)
{
    SolveRun *run = context;
    (void)bytes;
    if (families > 0 && cli_progress_due(&run->progress)) show_state(run);
    if (run->args->save != NULL && cli_seconds() > run->save) save(run);
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

static void print_rule(const Solve *s)
{
    const int plies = solve_rule_plies(s);
    if (s->moves == 0 || s->value.verdict == BLOCKED_DRAW || s->value.verdict == BLOCKED_OPEN)
        return;
    switch (solve_rule(s)) {
    case SOLVE_RULE_NO:
        printf("The 50-move rule changes nothing");
        if (plies > 0) printf(": at most %d plies pass between captures and pawn moves", plies);
        puts(s->rule.asked ? plies > 0 ? ",\nand the tables know the rest." : ": the tables know."
                           : ".");
        break;
    case SOLVE_RULE_MAYBE:
        puts("The 50-move rule is left aside, and might spoil it:");
        if (s->rule.spoiled)
            puts("so it does with some wins that the tables know.");
        else
            printf("up to %d plies pass without a capture or pawn move.\n", plies);
        break;
    default:
        puts("The 50-move rule is left aside.");
    }
}

/* The option that ended a search. */
static const char *what_lacks(const Lattice *lattice)
{
    if (lattice->full) return "--memory";
    return lattice->stopped ? "--time" : "--pieces";
}

static void print_verdict(const Solve *s, double seconds)
{
    char count[32], size[16], time[16];
    cli_format_count(s->lattice->families, count);
    cli_format_size(s->lattice->bytes, size);
    cli_format_time(seconds, time);
    const char *text = verdict_text(&s->value);
    printf("%c%s", text[0] & ~32, text + 1);
    if (s->value.plies > 0)
        printf(": %s%d pl%s to the next capture, promotion or mate",
               s->value.at_most ? "at most " : "", s->value.plies,
               s->value.plies == 1 ? "y" : "ies");
    putchar('.');
    if (s->moves == 0)
        puts(s->value.verdict == BLOCKED_DRAW ? " Stalemate." : " Mate.");
    else
        printf(" (%s structure%s, %s, %s)\n", count, s->lattice->families == 1 ? "" : "s", size,
               time);
    print_rule(s);
    if (s->value.verdict == BLOCKED_OPEN)
        printf("More %s, or --tables of 5 men, may decide it.\n", what_lacks(s->lattice));
}

static void name_group(const BlockedValue *v, char out[64])
{
    const char *text = verdict_text(v), *most = v->at_most ? "at most " : "";
    if (v->plies > 0)
        snprintf(out, 64, "%s, %s%d pl%s", text, most, v->plies, v->plies == 1 ? "y" : "ies");
    else
        snprintf(out, 64, "%s", text);
}

/* Moves that are worth the same in a row. */
static void print_moves(const Solve *s)
{
    char group[64] = "", now[64];
    if (s->moves > 0) putchar('\n');
    for (int i = 0; i < s->moves; i++) {
        name_group(&s->move[i].value, now);
        if (strcmp(now, group) != 0) printf("%s  %-36s", i ? "\n" : "", now);
        printf(" %s", s->move[i].san);
        strcpy(group, now);
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

static int print_pgn(AnswerContext *context, Solve *s)
{
    treb_error error;
    char *text = line_pgn_solved(context, s, &error);
    if (text == NULL) return cli_fail("solve", &error, NULL);
    fputs(text, stdout);
    free(text);
    return CLI_OK;
}

static int print_failure(void)
{
    cli_error("solve", "out of memory, or a table could not be read");
    return CLI_FAILED;
}

static int print(AnswerContext *context, Solve *s, double seconds, bool pgn, const Squares *squares)
{
    const bool won = verdict_winner(s->value.verdict) >= 0;
    if (pgn) return print_pgn(context, s);
    if (cli_json_wanted()) {
        treb_error error;
        json_t *object = answer_solve(context, s, &error);
        if (object == NULL) return cli_fail("solve", &error, NULL);
        json_object_set_new(object, "seconds", cli_json_real(seconds, 2));
        if (squares != NULL) answer_put_squares(object, squares);
        return cli_json_answer("solve", object);
    }
    cli_print_board(&s->pos);
    print_verdict(s, seconds);
    print_moves(s);
    return !won || print_best(s) ? CLI_OK : print_failure();
}

/* ---- The command ----------------------------------------------------------------------------- */

/* What an earlier run has saved. */
static treb_status load(SolveRun *run, treb_error *error)
{
    char count[32];
    bool found;
    if (run->args->save == NULL) return TREB_OK;
    treb_status status =
        keep_read(run->solve->lattice, &run->args->pos, run->args->save, &found, error);
    if (status != TREB_OK || !found || run->args->quiet) return status;
    cli_format_count(run->solve->lattice->families, count);
    fprintf(stderr, "solve: goes on from %s with %s structures\n", run->args->save, count);
    return status;
}

/* What --squares and --svg want to know. */
static bool find_squares(SolveRun *run, Placements *placements, Squares *out)
{
    const uint64_t everywhere[2] = {UINT64_MAX, UINT64_MAX};
    const bool good = solve_placements(run->solve, placements);
    cli_progress_clear(&run->progress);
    if (good)
        squares_find(placements,
                     squares_attacker(placements, verdict_winner(run->solve->value.verdict)),
                     everywhere, out);
    return good;
}

/* The answer, and the check of it. Where the answer is for programs to read, or a picture, what follows goes elsewhere. */
static int answer(SolveRun *run, treb_tables *tables, double start)
{
    const SolveArgs *args = run->args;
    Solve *s = run->solve;
    AnswerContext context = {.tables = tables};
    const double seconds = cli_seconds() - start;
    const bool wanted = args->squares || args->svg != NULL;
    const bool picture = args->svg != NULL && strcmp(args->svg, "-") == 0;
    const bool plain = !picture && !args->pgn && !cli_json_wanted();
    FILE *out = plain ? stdout : stderr;
    Placements placements;
    Squares squares;
    int code = CLI_OK;
    if (wanted && !find_squares(run, &placements, &squares)) return print_failure();
    if (args->svg != NULL && !blocked_text_svg("solve", args->svg, &placements, &squares))
        return CLI_FAILED;
    if (!picture) code = print(&context, s, seconds, args->pgn, wanted ? &squares : NULL);
    if (code == CLI_OK && args->squares && plain) {
        putchar('\n');
        squares_print(stdout, &placements, &squares);
    }
    if (code == CLI_OK && args->check) {
        fflush(stdout);
        if (plain) putchar('\n');
        code = solve_check_solution(out, s, args->quiet);
    }
    if (code == CLI_OK && args->write != NULL)
        code = solve_write_file(out, s, args->write, args->quiet);
    return code == CLI_OK && s->value.verdict == BLOCKED_OPEN ? OPEN : code;
}

static int run(SolveArgs *args, treb_tables *tables)
{
    SolveRun run = {.args = args, .stop = cli_catch_signals()};
    treb_error error;
    const double start = cli_seconds();
    cli_progress_start(&run.progress, "solve", args->quiet);
    if (args->seconds > 0) run.end = start + (double)args->seconds;
    answer_use_tables(tables, &args->limits);
    args->limits.men = (int)args->pieces;
    args->limits.stop = tell;
    args->limits.stop_context = &run;
    run.save = start + (double)args->every;
    run.solve = solve_new(&args->pos, &args->limits, &error);
    treb_status status = run.solve != NULL ? load(&run, &error) : error.status;
    if (status == TREB_OK && args->write != NULL && !cli_make_folder("solve", args->write)) {
        solve_free(run.solve);
        return CLI_FAILED;
    }
    if (status == TREB_OK) status = solve_run(run.solve, &error);
    cli_progress_clear(&run.progress);
    int code = CLI_OK;
    bool saved = true;
    if (status == TREB_OK) {
        if (!solve_complete(run.solve)) saved = save(&run);
        code = answer(&run, tables, start);
    } else {
        code = cli_fail("solve", &error, &args->dirs);
        if (status == TREB_ERR_POSITION) code = CLI_USAGE;
    }
    solve_free(run.solve);
    return saved ? code : CLI_FAILED;
}

enum { TIME = CLI_OPTION_OWN, CHECK, PGN, SAVE, EVERY, SQUARES, SVG };

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
    case SAVE:
        args->save = value;
        return true;
    case EVERY:
        return cli_set_number("solve", "--save-every", value, 1, 1 << 30, &args->every);
    case PGN:
        return args->pgn = true;
    case SQUARES:
        return args->squares = true;
    case SVG:
        args->svg = value;
        return true;
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
    static const struct option options[] = {{"time", 1, NULL, TIME},
                                            {"memory", 1, NULL, 'M'},
                                            {"pieces", 1, NULL, 'p'},
                                            {"tables", 1, NULL, 't'},
                                            {"check", 0, NULL, CHECK},
                                            {"pgn", 0, NULL, PGN},
                                            {"save", 1, NULL, SAVE},
                                            {"save-every", 1, NULL, EVERY},
                                            {"squares", 0, NULL, SQUARES},
                                            {"svg", 1, NULL, SVG},
                                            {"write", 1, NULL, 'w'},
                                            {"json", 0, NULL, CLI_OPTION_JSON},
                                            {"quiet", 0, NULL, 'q'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    SolveArgs args = {.pieces = 2, .seconds = 60, .every = 180, .limits.memory = UINT64_C(1) << 30};
    const CliOptions reader = {"solve", usage, "M:p:t:qw:h", options, &args.dirs, set_option};
    int code = cli_options(&reader, &args, argc, argv);
    if (code < 0) {
        code = cli_read_fen("solve", argc - optind, argv + optind, &args.pos);
        if (code == CLI_OK && (args.squares || args.svg != NULL) &&
            position_pieces(&args.pos) != 0) {
            cli_error("solve", "squares correspond among kings and pawns: there is a piece");
            code = CLI_USAGE;
        }
        treb_tables *tables = code == CLI_OK ? cli_open_tables("solve", &args.dirs) : NULL;
        if (code == CLI_OK) code = tables != NULL ? run(&args, tables) : CLI_FAILED;
        treb_tables_close(tables);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("solve", code);
}
