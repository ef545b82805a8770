/* main.c - the trebuchet command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/guess.h"
#include "cli/json.h"

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
    bool parallel; /* works with OpenMP's threads */
} Command;

static const Command commands[] = {
    {"gen", cli_gen, "make tables", true},
    {"plan", cli_plan, "tables as jobs for several machines, for make or Slurm", true},
    {"export", cli_export, "make Syzygy's files, for engines that read them", true},
    {"probe", cli_probe, "what a position is worth, and each of its moves", false},
    {"line", cli_line, "the best play from a position, as PGN", false},
    {"find", cli_find, "which positions of an ending are of some kind: zugzwangs and the like",
     true},
    {"rule", cli_rule, "try a rule of thumb on all positions of an ending", true},
    {"play", cli_play, "a strategy that chooses moves by advice: does it always win?", true},
    {"shift", cli_shift, "a position slid over the board: where does its verdict hold?", false},
    {"near", cli_near, "positions nearby with another verdict: what to aim for", false},
    {"solve", cli_solve, "any ending of kings and pawns, solved on the spot", false},
    {"blocked", cli_blocked, "kings among blocked pawns: ranks and corresponding squares", false},
    {"stats", cli_stats, "counts, longest wins and distances of an ending", false},
    {"info", cli_info, "what the header of a table file says", false},
    {"verify", cli_verify, "check tables against the rules of chess", true},
    {"compare", cli_compare, "compare what two sets of tables say", true},
    {"bench", cli_bench, "measure the speed of probes", true},
    {"serve", cli_serve, "answer over HTTP, with a page to look at", false},
    {"engine", cli_engine, "run a chess engine built for Fathom on these tables", false},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

/* Lists end with NULL. */
static const char *const help_words[] = {"help", "--help", "-h", NULL};
static const char *const version_words[] = {"version", "--version", "-V", NULL};

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(word, *words) != 0) words++;
    return *words != NULL;
}

static const char usage[] = "Usage: trebuchet COMMAND [options]\n"
                            "\n"
                            "Chess endgame tablebases: make them and ask them.\n"
                            "\n";

static const char usage_end[] =
    "  help     what there is, or all about a COMMAND\n"
    "  version  which version this is\n"
    "\n"
    "'trebuchet help COMMAND' tells more. 'trebuchet gen --men 4' makes a first set\n"
    "of tables, in less than a minute. Tables are looked for in the folders given by\n"
    "--tables DIR, else in those of TREBUCHET_PATH (colons between), else in\n"
    "./tables; a folder may be one of a web server, https://host/path/. With --json a\n"
    "command answers in JSON. Exit codes: 0 done, 1 failed, 2 called wrongly (or a\n"
    "bad FEN), 3 no table for it, 4 open (of solve), 130 interrupted.\n";

static void print_help(FILE *out)
{
    fputs(usage, out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].what);
    fputs(usage_end, out);
}

/* Threads that spin while they wait take the processor from those they wait for whenever the
 * machine has other work, which was measured to make a run many times slower; on an idle machine
 * sleeping costs nothing that can be seen. OpenMP looks at its environment only when it is loaded:
 * so set it and start again. If that cannot be done the run goes on as it is. */
static void wait_quietly(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT")) return;
    if (setenv("OMP_WAIT_POLICY", "passive", 0) == 0) execv("/proc/self/exe", argv);
}

static const Command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0) return &commands[i];
    return NULL;
}

static int run_command(const Command *command, int argc, char **argv)
{
    if (command->parallel) wait_quietly(argv);
    return command->run(argc - 1, argv + 1);
}

/* There is no such command, of which the other words tell whether JSON is wanted. */
static int refuse(const char *name, int argc, char **argv)
{
    const char *names[COMMANDS + 2] = {"help", "version"};
    for (size_t i = 0; i < COMMANDS; i++) names[i + 2] = commands[i].name;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--json") == 0) cli_json_mode();
    /* A position is what probe takes. */
    const char *meant = strchr(name, '/') ? "probe" : guess_word(name, names, COMMANDS + 2);
    if (meant != NULL)
        cli_error(NULL, "there is no command '%s'; did you mean '%s'?", name, meant);
    else
        cli_error(NULL, "there is no command '%s'", name);
    return cli_finish(NULL, cli_usage(NULL));
}

/* 'trebuchet help probe' is 'trebuchet probe --help'. */
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
