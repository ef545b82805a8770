/* options.h - reading the words of a command line, alike in all commands. */
#ifndef TREB_CLI_OPTIONS_H
#define TREB_CLI_OPTIONS_H

#include <getopt.h>

#include "cli/cli.h"

/* What a long option without a letter is; those of a command alone start at CLI_OPTION_OWN. */
enum { CLI_OPTION_JSON = 256, CLI_OPTION_OWN };

typedef struct CliOptions {
    const char *command;
    const char *usage;   /* for --help */
    const char *letters; /* as getopt has them, after an optional '+'; with 'h', and 't' if any */
    const struct option *options;
    CliDirs *dirs; /* that --tables adds to; NULL: -t is the command's own */
    /* Takes an option. False after saying what is wrong. Its own options are all that it gets. */
    bool (*set)(void *args, int option, const char *value);
} CliOptions;

/* Reads the options. -1: carry on with the words from argv[optind] on; else the exit code, after
 * printing the help or what is wrong. */
int cli_options(const CliOptions *options, void *args, int argc, char **argv);

/* Says what getopt_long did not like when it returned `c`, ':' or '?': its own messages are to be off
 * (opterr), and its letters begin with a colon. Returns CLI_USAGE. */
int cli_options_complain(const char *command, const struct option *options, int c, char **argv);

/* Values of one kind. False after the user has seen what the option takes. */
bool cli_set_metric(const char *command, const char *value, treb_metric *out);
bool cli_set_turn(const char *command, const char *value, int *out); /* of --turn: a colour */
bool cli_set_number(const char *command, const char *option, const char *value, uint64_t least,
                    uint64_t most, uint64_t *out);
bool cli_set_size(const char *command, const char *option, const char *value, uint64_t least,
                  uint64_t *out);

#endif
