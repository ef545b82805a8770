/* cli.h - what the subcommands of `trebuchet` share. */
#ifndef TREB_CLI_CLI_H
#define TREB_CLI_CLI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trebuchet.h"

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
void cli_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

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

/* Reads the name of one distance, "dtz", "dtc" or "dtm"; TREB_WDL if it is none. */
treb_metric cli_one_metric(const char *text);

/* Writes a string as JSON, with quotes. */
void cli_print_json_string(FILE *out, const char *text);

/* Reads a whole number of at most `most`, and at least `least`. */
bool cli_parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *out);

/* Ends a command that was called wrongly: points to --help and returns CLI_USAGE. */
int cli_usage(const char *command);

/* Flushes standard output; `code`, or CLI_FAILED with a message if what was printed is lost. */
int cli_finish(const char *command, int code);

/* Seconds of a clock that never goes back. */
double cli_seconds(void);

/* From here on SIGINT and SIGTERM set what is returned, for long work to end early. The second time
 * they end the process at once. */
const atomic_bool *cli_catch_signals(void);

/* ---- Tables and positions -------------------------------------------------------------------- */

/* Opens the tables of the folders, or of the default ones. NULL after saying why. */
treb_tables *cli_open_tables(const char *command, CliDirs *dirs);

/* Makes a folder for files to be written if it is not there, and removes what dead writers left.
 * False after saying why. */
bool cli_make_folder(const char *command, const char *path);

/* The exit code for a failure of the library. */
int cli_status_code(treb_status status);

/* Reports a failure of the library, with a hint where tables are missing; returns the exit code.
 * `dirs` may be NULL. */
int cli_fail(const char *command, const treb_error *error, const CliDirs *dirs);

/* Reads the words as a FEN. CLI_OK, or an exit code after saying what is wrong. */
int cli_read_fen(const char *command, int count, char **words, treb_position *out);

/* Reads a material's name to the form that tables have, colours exchanged if need be; says what is
 * wrong if it is none. `name` has room for MATERIAL_NAME_SIZE letters. */
bool cli_read_material(const char *command, const char *text, char name[24]);

/* Prints a position as a diagram of letters. */
void cli_print_board(const treb_position *pos);

/* ---- The terminal ---------------------------------------------------------------------------- */

/* Columns of the terminal that standard output is, or of COLUMNS, or 80. */
int cli_columns(void);

/* Whether the locale's characters are UTF-8. */
bool cli_utf8(void);

/* The subcommands: argv[0] is the command's own name. They return an exit code. */
int cli_bench(int argc, char **argv);
int cli_engine(int argc, char **argv);
int cli_blocked(int argc, char **argv);
int cli_gen(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_line(int argc, char **argv);
int cli_probe(int argc, char **argv);
int cli_serve(int argc, char **argv);
int cli_stats(int argc, char **argv);
int cli_verify(int argc, char **argv);

#endif
