/* main.c - the trebuchet command: runs its subcommands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/guess.h"
#include "cli/output.h"
#include "core/system/features.h"
#include "core/system/tool.h"

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
    bool parallel; /* works with OpenMP's threads */
} Command;

static const Command commands[] = {
    {"gen", cli_gen, "make tables", true},
    {"plan", cli_plan, "list missing tables as jobs, for make or Slurm", true},
    {"export", cli_export, "make Syzygy's files, for engines that read them", true},
    {"repack", cli_repack, "make small verdict files, of one side to move", false},
    {"probe", cli_probe, "show the value of a position and of each move", false},
    {"line", cli_line, "print the best play from a position, as PGN", false},
    {"find", cli_find, "find positions of an ending: zugzwangs, only moves and others", true},
    {"rule", cli_rule, "test a rule of thumb on all positions of an ending", true},
    {"play", cli_play, "test whether a strategy always wins", true},
    {"shift", cli_shift, "shift a position over the board and compare the verdicts", false},
    {"near", cli_near, "find similar positions with another verdict", false},
    {"solve", cli_solve, "solve an ending of kings and pawns without a table", false},
    {"blocked", cli_blocked, "kings and blocked pawns: distances, corresponding squares", false},
    {"stats", cli_stats, "show counts, longest wins and distances of an ending", false},
    {"info", cli_info, "explain the header of a table file", false},
    {"verify", cli_verify, "check tables against the rules of chess", true},
    {"compare", cli_compare, "compare the answers of two sets of tables", true},
    {"bench", cli_bench, "measure the speed of probes", true},
    {"serve", cli_serve, "answer over HTTP, with a web page", false},
    {"engine", cli_engine, "run a chess engine built for Fathom on these tables", false},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

/* These lists end with NULL. */
static const char *const help_words[] = {"help", "--help", "-h", NULL};
static const char *const version_words[] = {"version", "--version", "-V", NULL};

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(word, *words) != 0) words++;
    return *words != NULL;
}

static const char usage[] = "Usage: trebuchet COMMAND [options]\n"
                            "\n"
                            "Makes and probes chess endgame tablebases.\n"
                            "\n";

static const char usage_end[] =
    "  help     list the commands, or explain one COMMAND\n"
    "  version  print the version\n"
    "\n"
    "'trebuchet help COMMAND' explains a command. 'trebuchet gen --men 4' makes a\n"
    "first set of tables in less than a minute. Tables are searched in the folders of\n"
    "--tables DIR, else in those of TREBUCHET_PATH (DIR" TREB_PLACE_SEPARATOR "DIR...), else in ./tables"
#if TREB_HTTP
    "; a\nfolder may be on a web server, https://host/path/"
#endif
    ".\nWith --json, a command answers in JSON. Exit codes: 0 done, 1 failed, 2 wrong\n"
    "command line or FEN, 3 no table for it, 4 open (of solve), 130 interrupted.\n";

static void print_help(FILE *out)
{
    fputs(usage, out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].what);
    fputs(usage_end, out);
}

static const Command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0) return &commands[i];
    return NULL;
}

static int run_command(const Command *command, int argc, char **argv)
{
    if (command->parallel) tool_wait_quietly(argv);
    return command->run(argc - 1, argv + 1);
}

/* Reports a command that does not exist. The other words tell whether to answer in JSON. */
static int refuse(const char *name, int argc, char **argv)
{
    const char *names[COMMANDS + 2] = {"help", "version"};
    for (size_t i = 0; i < COMMANDS; i++) names[i + 2] = commands[i].name;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--json") == 0) cli_json_mode();
    /* A word with a slash is probably a position, which probe takes. */
    const char *meant = strchr(name, '/') ? "probe" : guess_word(name, names, COMMANDS + 2);
    if (meant != NULL)
        cli_error(NULL, "there is no command '%s'; did you mean '%s'?", name, meant);
    else
        cli_error(NULL, "there is no command '%s'", name);
    return cli_finish(NULL, cli_usage(NULL));
}

/* 'trebuchet help probe' does what 'trebuchet probe --help' does. */
static int help(int argc, char **argv)
{
    static char option[] = "--help";
    const Command *command = argc > 2 ? find_command(argv[2]) : NULL;
    if (command != NULL) return command->run(2, (char *[]){argv[2], option, NULL});
    bool known = argc < 3 || is_one_of(argv[2], help_words) || is_one_of(argv[2], version_words);
    if (!known && argv[2][0] != '-') return refuse(argv[2], argc, argv);
    print_help(stdout);
    return cli_finish(NULL, CLI_OK);
}

int main(int argc, char **argv)
{
    tool_start(&argc, &argv);
    const Command *command = argc > 1 ? find_command(argv[1]) : NULL;
    if (command != NULL) return run_command(command, argc, argv);
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (is_one_of(argv[1], help_words)) return help(argc, argv);
    if (!is_one_of(argv[1], version_words)) return refuse(argv[1], argc, argv);
    puts("trebuchet " TREB_VERSION);
    return cli_finish(NULL, CLI_OK);
}
