/* cmd_play.c - trebuchet play: a strategy against every defence, or in one game. */
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/options.h"
#include "cli/play_print.h"
#include "cli/progress.h"
#include "core/chess/position.h"
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
    "examples/strategies/ examples.\n"
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
    PlayPrint print;
} PlayRun;

static void on_progress(void *context, uint64_t done, uint64_t total)
{
    PlayRun *run = context;
    cli_progress_share(&run->progress, done, total, "%s:", run->material);
}

/* ---- The command ----------------------------------------------------------------------------- */

static int fail_play(const PlayArgs *args, const treb_error *error)
{
    int code = cli_fail("play", error, &args->dirs);
    cli_hint_script(args->query.path, "strategies");
    return error->status == TREB_ERR_ARGUMENT ? CLI_USAGE : code;
}

static int fail_stopped(void)
{
    cli_error("play", "stopped before anything is proven");
    return CLI_STOPPED;
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
        code = play_print_game_json(&run->print, &args->pos, &game);
    else if (code == CLI_OK)
        play_print_game(&run->print, &args->pos, &game);
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
        code = fail_stopped();
    } else if (status != TREB_OK) {
        code = fail_play(args, &error);
    } else if (cli_json_wanted()) {
        code = play_print_json(&run->print, report);
    } else {
        play_print(&run->print, report);
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
    cli_progress_start(&run.progress, "play", args->quiet);
    cli_end_after(args->seconds);
    if (strategy_open(args->query.path, args->query.stop, &strategy, &error) != TREB_OK)
        return atomic_load(args->query.stop) ? fail_stopped() : fail_play(args, &error);
    run.print = (PlayPrint){args->query.path, run.material, strategy};
    material_name(strategy_material(strategy), run.material);
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
