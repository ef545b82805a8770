/* cli.h - what the subcommands of `trebuchet` share. */
#ifndef TREB_CLI_CLI_H
#define TREB_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_NO_TABLE = 3, CLI_STOPPED = 130 };

/* The folders to look for tables in, in order. */
typedef struct CliDirs {
    const char *dir[64];
    size_t count;
    char *environment; /* owned: a copy of TREBUCHET_PATH, cut at its colons */
} CliDirs;

/* Adds a folder named on the command line. False if there are too many. */
bool cli_dirs_add(CliDirs *dirs, const char *dir);

/* Without any so far, takes those of TREBUCHET_PATH or, failing that, "tables". */
void cli_dirs_default(CliDirs *dirs);
void cli_dirs_free(CliDirs *dirs);

/* Prints "trebuchet COMMAND: ..." to stderr. */
void cli_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads "900M", "2GiB", "1.5g"; false if it is no size. */
bool cli_parse_size(const char *text, uint64_t *out);

/* Writes "1.23 GB", "17.5 MB", "42 B". */
void cli_format_size(uint64_t bytes, char out[16]);

/* Writes 1234567 as "1,234,567". */
void cli_format_count(uint64_t count, char out[32]);

/* Writes "0:07", "12:34", "1:02:03". */
void cli_format_time(double seconds, char out[16]);

/* Reads "wdl,dtz" or "all" to a mask of 1 << metric; 0 if it makes no sense. */
unsigned cli_parse_metrics(const char *text);

/* Writes a string as JSON, with quotes. */

void cli_print_json_string(FILE *out, const char *text);

/* The subcommands: argv[0] is the command's own name. They return an exit code. */
int cli_gen(int argc, char **argv);

#endif
