/* main.c - the trebuchet command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
    bool parallel; /* works with OpenMP's threads */
} Command;

static const Command commands[] = {
    {"gen", cli_gen, "make tables", true},
    {"export", cli_export, "make Syzygy's files, for engines that read them", true},
    {"probe", cli_probe, "what a position is worth, and each of its moves", false},
    {"line", cli_line, "the best play from a position, as PGN", false},
    {"blocked", cli_blocked, "kings among blocked pawns: ranks and corresponding squares", false},
    {"stats", cli_stats, "counts, longest wins and distances of an ending", false},
    {"info", cli_info, "what the header of a table file says", false},
    {"verify", cli_verify, "check tables against the rules of chess", true},
    {"compare", cli_compare, "compare what two sets of tables say", true},
    {"bench", cli_bench, "measure the speed of probes", true},
    {"serve", cli_serve, "answer over HTTP, with a page to look at", false},
    {"engine", cli_engine, "run a chess engine built for Fathom on these tables", false},
};

static void print_help(FILE *out)
{
    fputs("Usage: trebuchet COMMAND [options]\n\nChess endgame tablebases: make them and ask "
          "them.\n\n",
          out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].what);
    fputs("\n'trebuchet COMMAND --help' tells more. 'trebuchet gen --men 4' makes a first set\n"
          "of tables, in seconds. Tables are looked for in the folders given by --tables\n"
          "DIR, else in those of TREBUCHET_PATH (colons between), else in ./tables. With\n"
          "--json a command answers in JSON. Exit codes: 0 done, 1 failed, 2 called wrongly\n"
          "(or a bad FEN), 3 no table for it.\n",
          out);
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

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        print_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? CLI_USAGE : CLI_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts("trebuchet " TREB_VERSION);
        return CLI_OK;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            if (commands[i].parallel) wait_quietly(argv);
            return commands[i].run(argc - 1, argv + 1);
        }
    fprintf(stderr, "trebuchet: there is no command '%s'\nTry 'trebuchet --help'.\n", argv[1]);
    return CLI_USAGE;
}
