/* cmd_solve.c - trebuchet solve: any ending of kings and pawns. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/blocked_check.h"
#include "cli/blocked_source.h"
#include "cli/blocked_text.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pawn_file.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "pawns/solve/saved_search.h"
#include "json/answer_blocked.h"
#include "json/answer_solve.h"
#include "json/line.h"

enum { LINE_MOVES = 512, OPEN = 4, OPEN_SIZE = 128, OPEN_SHOWN = 5, COUNT_SECONDS = 2 };

typedef struct SolveArgs {
    treb_position pos;
    CliDirs dirs;
    ProofGraphLimits limits;
    uint64_t pieces, seconds, every;
    const char *save;  /* the file of --save, or NULL */
    const char *write; /* the folder of --write, or NULL */
    const char *svg;
    bool quiet, check, pgn, squares;
} SolveArgs;

/* A search: when to stop it, and its progress. */
typedef struct SolveRun {
    const SolveArgs *args;
    Solve *solve;
    CliProgress progress;
    const atomic_bool *stop;
    double end;   /* time at which to stop; 0: no limit */
    double save;  /* time of the next save */
    double count; /* time at which to update `state` */
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

/* Shows the progress. The state is updated every few seconds only, because counting takes time. */
static void show_state(SolveRun *run)
{
    char count[32], size[16], open[OPEN_SIZE], share[32] = "";
    SolveState *state = &run->state;
    if (clock_seconds() > run->count) {
        solve_state(run->solve, state);
        run->count = clock_seconds() + COUNT_SECONDS;
    }
    cli_format_count(run->solve->graph->structures, count);
    cli_format_size(run->solve->graph->bytes, size);
    if (state->positions > 0)
        snprintf(share, sizeof share, ", %.0f%% of positions decided",
                 100.0 * (double)state->decided / (double)state->positions);
    name_open(state, open);
    cli_progress_tell(&run->progress, "%s pawn structures%s, %s%s", count, share, size, open);
}

/* Saves what is known so far for a later run, if --save was given. Returns false after reporting that
 * the file could not be written. */
static bool save(SolveRun *run)
{
    treb_error error;
    run->save = clock_seconds() + (double)run->args->every;
    if (run->args->save == NULL) return true;
    if (saved_search_write(run->solve->graph, &run->args->pos, run->args->save, &error) == TREB_OK)
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
    if (run->args->save != NULL && clock_seconds() > run->save) save(run);
    return atomic_load(run->stop) || (run->end > 0 && clock_seconds() > run->end);
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *verdict_text(const PawnValue *v)
{
    switch (v->verdict) {
    case VERDICT_WHITE:
        return "White wins";
    case VERDICT_BLACK:
        return "Black wins";
    case VERDICT_DRAW:
        return "draw";
    default:
        return v->can[0] ? v->can[1] ? "open" : "open: White wins, or it is a draw"
                         : "open: Black wins, or it is a draw";
    }
}

static void print_rule(const Solve *s)
{
    const int plies = solve_rule_plies(s);
    if (s->moves == 0 || s->value.verdict == VERDICT_DRAW || s->value.verdict == VERDICT_OPEN)
        return;
    switch (solve_rule(s)) {
    case SOLVE_RULE_NO:
        printf("The 50-move rule changes nothing");
        if (plies > 0)
            printf(": at most %d %s between captures and pawn moves", plies,
                   cli_plural((uint64_t)plies, "ply passes", "plies pass"));
        puts(s->rule.asked ? plies > 0 ? ",\nand the tables have the rest." : ", by the tables."
                           : ".");
        break;
    case SOLVE_RULE_MAYBE:
        puts("The 50-move rule is ignored, and it might spoil the win:");
        if (s->rule.spoiled)
            puts("it spoils some of the wins that the tables have.");
        else
            printf("up to %d %s without a capture or pawn move.\n", plies,
                   cli_plural((uint64_t)plies, "ply passes", "plies pass"));
        break;
    default:
        puts("The 50-move rule is ignored.");
    }
}

/* Returns the option whose limit ended the search. */
static const char *more_of_what(const ProofGraph *graph)
{
    if (graph->full) return "--memory";
    return graph->stopped ? "--time" : "--pieces";
}

static void print_verdict(const Solve *s, double seconds)
{
    char count[32], size[16], time[16];
    cli_format_count(s->graph->structures, count);
    cli_format_size(s->graph->bytes, size);
    cli_format_time(seconds, time);
    const char *text = verdict_text(&s->value);
    printf("%c%s", text[0] & ~32, text + 1);
    if (s->value.plies > 0)
        printf(": %s%d %s to the next capture, promotion or mate",
               s->value.at_most ? "at most " : "", s->value.plies,
               cli_plural((uint64_t)s->value.plies, "ply", "plies"));
    putchar('.');
    if (s->moves == 0)
        puts(s->value.verdict == VERDICT_DRAW ? " Stalemate." : " Mate.");
    else
        printf(" (%s pawn structure%s, %s, %s)\n", count, s->graph->structures == 1 ? "" : "s",
               size, time);
    print_rule(s);
    if (s->value.verdict == VERDICT_OPEN)
        printf("More %s, or --tables of 5 men, may decide it.\n", more_of_what(s->graph));
}

static void name_group(const PawnValue *v, char out[64])
{
    const char *text = verdict_text(v), *most = v->at_most ? "at most " : "";
    if (v->plies > 0)
        snprintf(out, 64, "%s, %s%d %s", text, most, v->plies,
                 cli_plural((uint64_t)v->plies, "ply", "plies"));
    else
        snprintf(out, 64, "%s", text);
}

/* Prints the moves, those with the same value on one line. */
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
    PawnMove *line = malloc(LINE_MOVES * sizeof *line);
    treb_position last;
    LineEnd end;
    int count = line != NULL ? solve_line(s, line, LINE_MOVES, &end, &last) : -1;
    if (count > 0) blocked_text_line(&s->pos, line, count, end, &last);
    free(line);
    return count >= 0;
}

static int print_pgn(AnswerContext *context, Solve *s)
{
    treb_error error;
    char *text = line_solved_pgn(context, s, &error);
    if (text == NULL) return cli_fail("solve", &error);
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
        json_t *object = answer_solve_json(context, s, &error);
        if (object == NULL) return cli_fail("solve", &error);
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

/* Loads what an earlier run has saved. */
static treb_status load(SolveRun *run, treb_error *error)
{
    char count[32];
    bool found;
    if (run->args->save == NULL) return TREB_OK;
    treb_status status =
        saved_search_read(run->solve->graph, &run->args->pos, run->args->save, &found, error);
    if (status != TREB_OK || !found || run->args->quiet) return status;
    cli_format_count(run->solve->graph->structures, count);
    fprintf(stderr, "solve: continues from %s with %s pawn structures\n", run->args->save, count);
    return status;
}

/* Finds the corresponding squares for --squares and --svg. Returns false if memory ran out or a table
 * could not be read. */
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

/* Prints the answer, then checks it and writes the pawn file as requested. If the answer is a picture or
 * for other programs, the text that follows it goes to standard error. */
static int answer(SolveRun *run, treb_tables *tables, double start)
{
    const SolveArgs *args = run->args;
    Solve *s = run->solve;
    AnswerContext context = {.tables = tables};
    const double seconds = clock_seconds() - start;
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
        code = cli_pawn_file_write(out, s, args->write, args->quiet);
    return code == CLI_OK && s->value.verdict == VERDICT_OPEN ? OPEN : code;
}

/* Whether all that the search may write can be written: better now than after hours. */
static bool check_outputs(const SolveArgs *args)
{
    return (args->write == NULL || cli_make_folder("solve", args->write)) &&
           cli_check_output("solve", args->save) && cli_check_output("solve", args->svg);
}

static int run(SolveArgs *args, treb_tables *tables)
{
    SolveRun run = {.args = args, .stop = cli_catch_signals()};
    treb_error error;
    const double start = clock_seconds();
    cli_progress_start(&run.progress, "solve", args->quiet);
    if (args->seconds > 0) run.end = start + (double)args->seconds;
    answer_use_tables(tables, &args->limits);
    args->limits.pieces = (int)args->pieces;
    args->limits.stop = tell;
    args->limits.stop_context = &run;
    run.save = start + (double)args->every;
    run.solve = solve_new(&args->pos, &args->limits, &error);
    treb_status status = run.solve != NULL ? load(&run, &error) : error.status;
    if (status == TREB_OK && !check_outputs(args)) {
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
        code = cli_fail_tables("solve", &error, &args->dirs);
        if (status == TREB_ERR_POSITION) code = CLI_USAGE;
    }
    solve_free(run.solve);
    return saved ? code : CLI_FAILED;
}

static const CliOption options[] = {
    {"time", 0, "SECONDS", CLI_NUMBER(SolveArgs, seconds, 0, 1 << 30),
     "stop after that time and print what is proved by then (default: 60; 0: no limit)"},
    {"memory", 'M', "SIZE", CLI_SIZE(SolveArgs, limits.memory, 1, 0),
     "the most memory that the command uses (default: 1GiB)"},
    {"pieces", 'p', "N", CLI_NUMBER(SolveArgs, pieces, 0, CELLS_PIECES_MAX),
     "examine positions with up to N pieces, 0 to 3; pieces of the position and promoted ones "
     "count (default: 2)"},
    {"tables", 't', "DIR", CLI_DIRS(SolveArgs, dirs),
     "use the tables in DIR; tables of up to 5 men help a lot; may be given several times"},
    {"check", 0, NULL, CLI_FLAG(SolveArgs, check),
     "then check every position that the answer rests on by the rules alone, which takes longer "
     "than the answer"},
    {"save", 0, "FILE", CLI_TEXT(SolveArgs, save),
     "save what is proved to FILE, from time to time and at the end unless everything is decided; "
     "if FILE exists, continue from it"},
    {"save-every", 0, "SECONDS", CLI_NUMBER(SolveArgs, every, 1, 1 << 30),
     "time between two saves (default: 180)"},
    {"pgn", 0, NULL, CLI_FLAG(SolveArgs, pgn),
     "print the best play as a PGN game, to mate if it is known"},
    {"write", 'w', "DIR", CLI_TEXT(SolveArgs, write),
     "write a pawn file into DIR: all that is known about the pawn structures that can arise, for "
     "all squares of the kings; probe, line, serve and engines read it"},
    {"squares", 0, NULL, CLI_FLAG(SolveArgs, squares),
     "then print the corresponding squares: the mutual zugzwangs for all squares of the kings, "
     "with all moves of the pawns"},
    {"svg", 0, "FILE", CLI_TEXT(SolveArgs, svg),
     "write the corresponding squares as a picture; - is standard output, and then nothing else is "
     "printed"},
    CLI_OPTION_JSON("print one JSON object"),
    CLI_OPTION_QUIET(SolveArgs, quiet),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand solve_command = {
    .name = "solve",
    .synopsis = "trebuchet solve [options] FEN",
    .about =
        "Solves a position of kings and any number of pawns, with at most one piece on each side, "
        "without a table of that many men. Prints who wins, the value of every move, and how the "
        "winner plays. All results are proved; what cannot be decided within the limits of time "
        "and memory is reported as open, with the results that are still possible. For a win, "
        "prints whether the 50-move rule can spoil it, and the number of plies to the next "
        "capture, promotion or mate. The FEN may be one argument or several; underscores count as "
        "spaces.",
    .options = options,
    .notes = "Ctrl-C also stops the search and prints what is proved; a second Ctrl-C stops the "
             "writing or the check.\n"
             "Exit codes: 0 decided, 1 failed or an error was found, 2 wrong command line or "
             "impossible position, 4 open, 130 the writing or the check was stopped."};

int cli_solve(int argc, char **argv)
{
    SolveArgs args = {.pieces = 2, .seconds = 60, .every = 180, .limits.memory = UINT64_C(1) << 30};
    int code = cli_options(&solve_command, &args, argc, argv);
    if (code < 0) {
        code = cli_read_fen("solve", argc - optind, argv + optind, &args.pos);
        if (code == CLI_OK && (args.squares || args.svg != NULL) &&
            position_pieces(&args.pos) != 0) {
            cli_error("solve", "--squares and --svg need a position of kings and pawns only");
            code = CLI_USAGE;
        }
        treb_tables *tables = code == CLI_OK ? cli_open_tables("solve", &args.dirs) : NULL;
        if (code == CLI_OK) code = tables != NULL ? run(&args, tables) : CLI_FAILED;
        code = cli_close_tables("solve", tables, code);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("solve", code);
}
