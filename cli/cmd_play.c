/* cmd_play.c - trebuchet play: a strategy against every defence, or in one game. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/json.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "core/position.h"
#include "core/san.h"
#include "find/play.h"

static const char usage[] =
    "Usage: trebuchet play [options] FILE.lua [FEN]\n"
    "\n"
    "Puts a strategy on trial: White plays by it, from every won position of its\n"
    "ending, against every defence. Says whether it always wins, in how many moves at\n"
    "most, and where it stalemates, throws the win away, has no advice or goes round\n"
    "in circles, and to which places most failures are led. With a position it plays\n"
    "one game from there, against the longest defence that tables know, and tells\n"
    "what advice it follows.\n"
    "FILE returns a table in Lua: pieces of advice with goals and limits on moves,\n"
    "and rules that say which to try. docs/play.md has a tutorial, the folder\n"
    "strategies/ examples.\n"
    "\n"
    "Of positions that are the same but for a symmetry of the board one is played.\n"
    "Tables of the ending are needed, WDL and, for the best play beside, DTC. The\n"
    "50-move rule is left aside.\n"
    "\n"
    "  -n, --show N         show up to N positions of each kind (default: 3)\n"
    "      --games N        then play N games, half of them against the longest\n"
    "                       defence and half against random moves, and compare\n"
    "      --seed N         draw these games from here (default: 1)\n"
    "      --time SECONDS   give up after that\n"
    "      --json           print one JSON object\n"
    "  -j, --threads N      use N threads\n"
    "  -t, --tables DIR     look for tables in DIR; may be given several times\n"
    "  -q, --quiet          no progress\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit codes: 0 done, also if the strategy fails, 1 failed, 2 called wrongly, 3 no\n"
    "table for it, 130 stopped by Ctrl-C or --time: then nothing is known.\n";

typedef struct PlayArgs {
    PlayQuery query;
    CliDirs dirs;
    uint64_t shown, threads, seconds;
    bool quiet, game;
    treb_position pos; /* of a game */
} PlayArgs;

typedef struct PlayRun {
    const PlayArgs *args;
    CliProgress progress;
    char material[MATERIAL_NAME_SIZE];
    const Strategy *strategy;
} PlayRun;

static void on_progress(void *context, uint64_t done, uint64_t total)
{
    PlayRun *run = context;
    cli_progress_share(&run->progress, done, total, "%s:", run->material);
}

/* ---- What is printed ------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_totals(const PlayRun *run, const PlayTotals *t, const char *turn)
{
    char won[32], wins[32];
    cli_format_count(t->won, won);
    cli_format_count(t->wins, wins);
    printf("%s, %s to move: ", run->material, turn);
    if (t->wins == t->won)
        printf("wins all %s won positions", won);
    else
        printf("wins %s of %s won positions (%.4g %%)", wins, won, share(t->wins, t->won));
    if (t->wins > 0) printf(", in %d move%s at most", t->longest, t->longest == 1 ? "" : "s");
    putchar('\n');
}

static void print_example(const PlayExample *e)
{
    char fen[TREB_FEN_SIZE], best[32] = "";
    position_to_fen(&e->pos, fen);
    if (e->best >= 0) snprintf(best, sizeof best, " (best %d)", e->best);
    if (e->moves >= 0)
        printf("    %4d moves%-10s  %s\n", e->moves, best, fen);
    else
        printf("    %s%s\n", fen, best);
}

static void print_faults(const PlayReport *r)
{
    char here[32], all[32];
    for (int end = PLAY_NO_ADVICE; end < PLAY_ENDS; end++) {
        if (r->here[end] == 0) continue;
        cli_format_count(r->here[end], here);
        cli_format_count(r->of[TREB_WHITE].fault[end], all);
        printf("\n  %s: in %s positions with White to move", play_end_text((PlayEnd)end), here);
        if (end != PLAY_CIRCLE) printf("; Black can reach one from %s", all);
        putchar('\n');
        for (size_t i = 0; i < r->wrongs[end]; i++) print_example(&r->wrong[end][i]);
    }
}

/* For the strategy's author. */
static void print_places(const PlayRun *run, const PlayReport *r)
{
    char count[32], fen[TREB_FEN_SIZE];
    if (r->place_count == 0) return;
    cli_format_count(r->place_count, count);
    printf("\n  failures are led to %s place%s; those of most\n", count,
           r->place_count == 1 ? "" : "s");
    for (size_t i = 0; i < r->places; i++) {
        const PlayPlace *p = &r->place[i];
        cli_format_count(p->led, count);
        position_to_fen(&p->pos, fen);
        printf("    %15s  %s  %s", count, fen, play_end_text(p->end));
        if (p->advice >= 0) printf(" (%s)", strategy_advice(run->strategy, p->advice));
        putchar('\n');
    }
}

static void print_advice(const PlayRun *run, const PlayReport *r)
{
    char count[32];
    puts("\n  advice, by how many positions with White to move follow it");
    for (int i = 0; i < strategy_advice_count(run->strategy); i++) {
        cli_format_count(r->followed[i], count);
        printf("    %15s  %5.1f %%  %s\n", count, share(r->followed[i], r->of[TREB_WHITE].won),
               strategy_advice(run->strategy, i));
    }
}

static void print_by_best(const PlayReport *r)
{
    char count[32];
    if (r->longest_best < 0) return;
    puts("\n  moves needed, and what the strategy takes where it wins\n"
         "    needed        positions     mean  longest");
    for (int best = 0; best < PLAY_BEST_MAX; best++) {
        const PlayByBest *b = &r->by_best[best];
        if (b->count == 0) continue;
        cli_format_count(b->count, count);
        printf("    %6d  %15s  %7.2f  %7d\n", best, count, (double)b->sum / (double)b->count,
               b->longest);
    }
}

static void print_games(const PlayReport *r)
{
    char games[32], count[32];
    if (r->games == 0) return;
    uint64_t won = r->game[PLAY_MATE] + r->game[PLAY_JUNIOR];
    cli_format_count(r->games, games);
    cli_format_count(won, count);
    printf("\n  %s games: %s won", games, count);
    if (won > 0)
        printf(", in %.2f moves on average, %d at most", (double)r->game_moves / (double)won,
               r->game_longest);
    for (int end = PLAY_NO_ADVICE; end < PLAY_ENDS; end++)
        if (r->game[end] > 0) {
            cli_format_count(r->game[end], count);
            printf("; %s %s", play_end_text((PlayEnd)end), count);
        }
    printf("; %s\n", r->contradicted ? "NOT as proven" : "none against what is proven");
}

static void print_report(const PlayRun *run, const PlayReport *r)
{
    print_totals(run, &r->of[TREB_WHITE], "White");
    print_totals(run, &r->of[TREB_BLACK], "Black");
    if (r->longest_best >= 0) printf("  at best %d moves are needed\n", r->longest_best);
    print_faults(r);
    print_places(run, r);
    print_advice(run, r);
    print_by_best(r);
    if (r->worsts > 0) puts("\n  longest");
    for (size_t i = 0; i < r->worsts; i++) print_example(&r->worst[i]);
    print_games(r);
}

static json_t *json_totals(const PlayTotals *t)
{
    json_t *object = json_object(), *faults = json_object();
    json_object_set_new(object, "won", json_integer((json_int_t)t->won));
    json_object_set_new(object, "wins", json_integer((json_int_t)t->wins));
    json_object_set_new(object, "longest_moves", json_integer(t->longest));
    for (int end = PLAY_NO_ADVICE; end < PLAY_ENDS; end++)
        json_object_set_new(faults, play_end_text((PlayEnd)end),
                            json_integer((json_int_t)t->fault[end]));
    json_object_set_new(object, "can_end_in", faults);
    return object;
}

static json_t *json_examples(const PlayExample *example, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        char fen[TREB_FEN_SIZE];
        json_t *object = json_object();
        position_to_fen(&example[i].pos, fen);
        json_object_set_new(object, "fen", json_string(fen));
        json_object_set_new(object, "moves",
                            example[i].moves < 0 ? json_null() : json_integer(example[i].moves));
        json_object_set_new(object, "best_moves",
                            example[i].best < 0 ? json_null() : json_integer(example[i].best));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_faults(const PlayReport *r)
{
    json_t *object = json_object();
    for (int end = PLAY_NO_ADVICE; end < PLAY_ENDS; end++) {
        json_t *fault = json_object();
        json_object_set_new(fault, "positions", json_integer((json_int_t)r->here[end]));
        json_object_set_new(fault, "examples", json_examples(r->wrong[end], r->wrongs[end]));
        json_object_set_new(object, play_end_text((PlayEnd)end), fault);
    }
    return object;
}

static json_t *json_places(const PlayRun *run, const PlayReport *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->places; i++) {
        const PlayPlace *p = &r->place[i];
        char fen[TREB_FEN_SIZE];
        json_t *object = json_object();
        position_to_fen(&p->pos, fen);
        json_object_set_new(object, "fen", json_string(fen));
        json_object_set_new(object, "end", json_string(play_end_text(p->end)));
        json_object_set_new(object, "positions", json_integer((json_int_t)p->led));
        json_object_set_new(object, "advice",
                            p->advice < 0 ? json_null()
                                          : json_string(strategy_advice(run->strategy, p->advice)));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_by_best(const PlayReport *r)
{
    json_t *list = json_array();
    for (int best = 0; best < PLAY_BEST_MAX; best++) {
        const PlayByBest *b = &r->by_best[best];
        if (b->count == 0) continue;
        json_t *object = json_object();
        json_object_set_new(object, "best_moves", json_integer(best));
        json_object_set_new(object, "positions", json_integer((json_int_t)b->count));
        json_object_set_new(object, "mean_moves",
                            cli_json_real((double)b->sum / (double)b->count, 3));
        json_object_set_new(object, "longest_moves", json_integer(b->longest));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_games(const PlayReport *r)
{
    json_t *object = json_object();
    json_object_set_new(object, "played", json_integer((json_int_t)r->games));
    json_object_set_new(object, "longest_moves", json_integer(r->game_longest));
    json_object_set_new(object, "against_proof", json_integer((json_int_t)r->contradicted));
    for (int end = 0; end < PLAY_ENDS; end++)
        json_object_set_new(object, play_end_text((PlayEnd)end),
                            json_integer((json_int_t)r->game[end]));
    return object;
}

static int print_json(const PlayRun *run, const PlayReport *r)
{
    json_t *object = json_object(), *advice = json_object();
    json_object_set_new(object, "strategy", cli_json_text(run->args->query.path));
    json_object_set_new(object, "material", json_string(run->material));
    json_object_set_new(object, "white_to_move", json_totals(&r->of[TREB_WHITE]));
    json_object_set_new(object, "black_to_move", json_totals(&r->of[TREB_BLACK]));
    json_object_set_new(object, "best_longest_moves",
                        r->longest_best < 0 ? json_null() : json_integer(r->longest_best));
    json_object_set_new(object, "fails", json_faults(r));
    json_object_set_new(object, "places", json_integer((json_int_t)r->place_count));
    json_object_set_new(object, "led_to", json_places(run, r));
    for (int i = 0; i < strategy_advice_count(run->strategy); i++)
        json_object_set_new(advice, strategy_advice(run->strategy, i),
                            json_integer((json_int_t)r->followed[i]));
    json_object_set_new(object, "followed", advice);
    json_object_set_new(object, "by_best", json_by_best(r));
    json_object_set_new(object, "longest", json_examples(r->worst, r->worsts));
    if (r->games > 0) json_object_set_new(object, "games", json_games(r));
    return cli_json_answer("play", object);
}

/* ---- A game ---------------------------------------------------------------------------------- */

static void print_game(const PlayRun *run, const PlayGame *game)
{
    treb_position pos = run->args->pos;
    char san[SAN_SIZE];
    int number = 1;
    for (size_t i = 0; i < game->moves; i++) {
        const PlayMove *m = &game->move[i];
        move_to_san(&pos, m->move, san);
        if (pos.turn == TREB_WHITE) {
            const bool last = i + 1 == game->moves;
            char reply[SAN_SIZE] = "";
            treb_position next;
            position_make(&pos, m->move, &next);
            if (!last) move_to_san(&next, game->move[i + 1].move, reply);
            printf("%4d. %-7s %-7s  %s\n", number++, san, reply,
                   strategy_advice(run->strategy, m->advice));
        } else if (i == 0) {
            printf("%4d. %-7s %s\n", number++, "...", san);
        }
        position_make(&pos, m->move, &pos);
    }
    const size_t moves = (game->moves + 1) / 2;
    printf("%s after %zu move%s\n", play_end_text(game->end), moves, moves == 1 ? "" : "s");
}

static int print_game_json(const PlayRun *run, const PlayGame *game)
{
    treb_position pos = run->args->pos;
    json_t *object = json_object(), *list = json_array();
    char fen[TREB_FEN_SIZE], san[SAN_SIZE], uci[UCI_SIZE];
    position_to_fen(&pos, fen);
    for (size_t i = 0; i < game->moves; i++) {
        json_t *move = json_object();
        move_to_san(&pos, game->move[i].move, san);
        move_to_uci(game->move[i].move, uci);
        json_object_set_new(move, "san", json_string(san));
        json_object_set_new(move, "uci", json_string(uci));
        if (pos.turn == TREB_WHITE)
            json_object_set_new(move, "advice",
                                json_string(strategy_advice(run->strategy, game->move[i].advice)));
        json_array_append_new(list, move);
        position_make(&pos, game->move[i].move, &pos);
    }
    json_object_set_new(object, "strategy", cli_json_text(run->args->query.path));
    json_object_set_new(object, "fen", json_string(fen));
    json_object_set_new(object, "moves", list);
    json_object_set_new(object, "end", json_string(play_end_text(game->end)));
    return cli_json_answer("play", object);
}

/* ---- The command ----------------------------------------------------------------------------- */

/* The end of the time is a signal like others, so that a function that never returns ends, too. */
static void end_of_time(int number)
{
    (void)number;
    raise(SIGTERM);
}

static int fail_play(const PlayArgs *args, const treb_error *error)
{
    int code = cli_fail("play", error, &args->dirs);
    return error->status == TREB_ERR_ARGUMENT ? CLI_USAGE : code;
}

static int run_game(const PlayRun *run, Strategy *strategy)
{
    const PlayArgs *args = run->args;
    const Material material = material_of_position(&args->pos);
    PlayGame game = {0};
    treb_error error;
    if (!material_equal(&material, strategy_material(strategy))) {
        cli_error("play", "%s is for White in %s, and the position is another", args->query.path,
                  run->material);
        return CLI_USAGE;
    }
    int code = play_game(&args->query, strategy, &args->pos, NULL, &game, &error) != TREB_OK
                   ? fail_play(args, &error)
                   : CLI_OK;
    if (code == CLI_OK && cli_json_wanted())
        code = print_game_json(run, &game);
    else if (code == CLI_OK)
        print_game(run, &game);
    play_game_free(&game);
    return code;
}

static int run_trial(PlayRun *run)
{
    const PlayArgs *args = run->args;
    PlayQuery query = args->query;
    treb_error error;
    int code = CLI_OK;
    PlayReport *report = malloc(sizeof *report);
    if (report == NULL) return cli_no_memory("play");
    query.progress = on_progress;
    query.context = run;
    treb_status status = play_try(&query, report, &error);
    cli_progress_clear(&run->progress);
    if (atomic_load(query.stop)) {
        cli_error("play", "stopped before anything is proven");
        code = CLI_STOPPED;
    } else if (status != TREB_OK) {
        code = fail_play(args, &error);
    } else if (cli_json_wanted()) {
        code = print_json(run, report);
    } else {
        print_report(run, report);
    }
    if (code == CLI_OK && report->contradicted > 0) {
        cli_error("play",
                  "games came out otherwise than was proven: this is an error in trebuchet");
        code = CLI_FAILED;
    }
    free(report);
    return code;
}

static int run(const PlayArgs *args)
{
    PlayRun run = {.args = args};
    Strategy *strategy;
    treb_error error;
    if (strategy_open(args->query.path, &strategy, &error) != TREB_OK)
        return fail_play(args, &error);
    run.strategy = strategy;
    material_name(strategy_material(strategy), run.material);
    cli_progress_start(&run.progress, "play", args->quiet);
    signal(SIGALRM, end_of_time);
    if (args->seconds > 0) alarm((unsigned)args->seconds);
    int code = args->game ? run_game(&run, strategy) : run_trial(&run);
    strategy_free(strategy);
    return code;
}

enum { GAMES = CLI_OPTION_OWN, SEED, TIME };

static bool set_option(void *play, int c, const char *value)
{
    PlayArgs *args = play;
    switch (c) {
    case 'n':
        return cli_set_number("play", "--show", value, 0, PLAY_SHOWN_MAX, &args->shown);
    case GAMES:
        return cli_set_number("play", "--games", value, 0, 1 << 30, &args->query.games);
    case SEED:
        return cli_set_number("play", "--seed", value, 0, UINT64_MAX, &args->query.seed);
    case TIME:
        return cli_set_number("play", "--time", value, 1, 1 << 30, &args->seconds);
    case 'j':
        return cli_set_number("play", "--threads", value, 1, 1024, &args->threads);
    case 'q':
        return args->quiet = true;
    default:
        return false;
    }
}

static int parse(PlayArgs *args, int argc, char **argv)
{
    static const struct option options[] = {{"show", 1, NULL, 'n'},
                                            {"games", 1, NULL, GAMES},
                                            {"seed", 1, NULL, SEED},
                                            {"time", 1, NULL, TIME},
                                            {"json", 0, NULL, CLI_OPTION_JSON},
                                            {"threads", 1, NULL, 'j'},
                                            {"tables", 1, NULL, 't'},
                                            {"quiet", 0, NULL, 'q'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const CliOptions reader = {"play", usage, "n:j:t:qh", options, &args->dirs, set_option};
    int code = cli_options(&reader, args, argc, argv);
    if (code >= 0) return code;
    if (optind == argc) {
        cli_error("play", "a strategy is wanted, a file in Lua");
        return cli_usage("play");
    }
    args->query.path = argv[optind++];
    args->game = optind < argc;
    if (!args->game) return -1;
    code = cli_read_fen("play", argc - optind, argv + optind, &args->pos);
    return code == CLI_OK ? -1 : code;
}

int cli_play(int argc, char **argv)
{
    PlayArgs args = {.query = {.seed = 1}, .shown = 3};
    int code = parse(&args, argc, argv);
    if (code < 0) {
        treb_tables *tables = cli_open_tables("play", &args.dirs);
        args.query.tables = tables;
        args.query.shown = (size_t)args.shown;
        args.query.threads = (unsigned)args.threads;
        args.query.stop = cli_catch_signals();
        code = tables != NULL ? run(&args) : CLI_FAILED;
        treb_tables_close(tables);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("play", code);
}
