/* cmd_play.c - trebuchet play: tests a strategy against every defence, or plays one game by it. */
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/play_print.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "core/chess/position.h"
#include "find/play.h"

typedef struct PlayArgs {
    PlayQuery query;
    CliDirs dirs;
    uint64_t shown, seconds;
    bool quiet, game;
    treb_position pos; /* start of the game */
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
    int code = cli_fail_tables("play", error, &args->dirs);
    cli_hint_script(args->query.path, "strategies");
    return error->status == TREB_ERR_ARGUMENT ? CLI_USAGE : code;
}

static int fail_stopped(void)
{
    cli_error("play", "stopped before there was a result");
    return CLI_STOPPED;
}

static int run_game(const PlayRun *run, Strategy *strategy)
{
    const PlayArgs *args = run->args;
    const Material material = material_of_position(&args->pos);
    PlayGame game = {0};
    treb_error error;
    if (!material_equal(&material, strategy_material(strategy))) {
        cli_error("play", "%s plays White in %s, and the position is another ending",
                  args->query.path, run->material);
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
        cli_error("play", "some games contradict the result: this is an error in Trebuchet");
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

static const CliOption options[] = {
    {"show", 'n', "N", CLI_NUMBER(PlayArgs, shown, 0, PLAY_SHOWN_MAX),
     "show up to N positions of each kind (default: 3)"},
    {"games", 0, "N", CLI_NUMBER(PlayArgs, query.games, 0, 1 << 30),
     "then play N games, half of them against the longest defence and half against random moves, "
     "and compare them with the result"},
    {"seed", 0, "N", CLI_NUMBER(PlayArgs, query.seed, 0, UINT64_MAX),
     "random seed of these games (default: 1)"},
    {"time", 0, "SECONDS", CLI_NUMBER(PlayArgs, seconds, 1, 1 << 30), "give up after that time"},
    CLI_OPTION_JSON("print one JSON object"),
    {"threads", 'j', "N", CLI_UNSIGNED(PlayArgs, query.threads, 1, 1024), "number of threads"},
    CLI_OPTION_TABLES(PlayArgs, dirs),
    CLI_OPTION_QUIET(PlayArgs, quiet),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand play_command = {
    .name = "play",
    .synopsis = "trebuchet play [options] FILE.lua [FEN]",
    .about =
        "Tests a strategy: White plays by it, from every won position of its ending, against every "
        "defence. Prints whether it always wins, and in how many moves at most; otherwise where it "
        "stalemates, throws the win away, has no advice or repeats positions for ever, and which "
        "positions lead to most failures. With a FEN, plays one game from there against the "
        "longest defence by the tables, and prints the advice that the strategy follows.\n"
        "FILE returns a table in Lua: pieces of advice with goals and limits on moves, and rules "
        "that say which advice to try. docs/play.md has a tutorial; examples/strategies/ has "
        "examples.\n\n"
        "Only one of several positions that a symmetry of the board turns into each other is "
        "examined. The WDL tables of the ending are required, and the DTC tables for a comparison "
        "with the best play. The 50-move rule is ignored.",
    .options = options,
    .notes = "Exit codes: 0 done, even if the strategy fails, 1 failed, 2 wrong command line or an "
             "error in the strategy, 3 table not installed, 130 stopped by Ctrl-C or --time, "
             "without a result."};

static int parse(PlayArgs *args, int argc, char **argv)
{
    int code = cli_options(&play_command, args, argc, argv);
    if (code >= 0) return code;
    if (optind == argc) {
        cli_error("play", "name a strategy, which is a file in Lua");
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
        args.query.stop = cli_catch_signals();
        code = tables != NULL ? run(&args) : CLI_FAILED;
        code = cli_close_tables("play", tables, code);
    }
    cli_dirs_free(&args.dirs);
    return cli_finish("play", code);
}
