/* main.c - the trebuchet command. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} Command;

static const Command commands[] = {
    {"gen", cli_gen, "make tables"},
    {"probe", cli_probe, "what a position is worth, and each of its moves"},
    {"line", cli_line, "the best play from a position, as PGN"},
    {"stats", cli_stats, "counts, longest wins and distances of an ending"},
    {"info", cli_info, "what the header of a table file says"},
    {"verify", cli_verify, "check tables against the rules of chess"},
    {"bench", cli_bench, "measure the speed of probes"},
};

static void print_help(FILE *out)
{
    fputs("Usage: trebuchet COMMAND [options]\n\nChess endgame tablebases: make them and ask "
          "them.\n\n",
          out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].what);
    fputs("\n'trebuchet COMMAND --help' tells more. Tables are looked for in the folders given by\n"
          "--tables DIR, else in those of TREBUCHET_PATH (colons between), else in ./tables.\n"
          "Exit codes: 0 done, 1 failed, 2 called wrongly (or a bad FEN), 3 no table for it.\n",
          out);
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
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "trebuchet: there is no command '%s'\nTry 'trebuchet --help'.\n", argv[1]);
    return CLI_USAGE;
}
