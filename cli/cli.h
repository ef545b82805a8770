/* cli.h - what the subcommands of `trebuchet` share.
 *
 * Answers go to standard output, everything else to standard error: messages, progress, hints.
 * json.h has what is different with --json, options.h how command lines are read. */
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
    bool by_default;   /* nobody named them on the command line */
    char *environment; /* owned: a copy of TREBUCHET_PATH, cut at its colons */
} CliDirs;

/* ---- Failures: output.c ---------------------------------------------------------------------- */

/* The user sees "trebuchet COMMAND: ..." on standard error, as of all errors, and with --json the
 * message once more in the object that the command ends with. For failures that have no treb_error.
 * The command may be NULL where there is none. */
void cli_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for what is worth saying but is no failure, such as "warning: ...": never in JSON. */
void cli_warn(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The user sees that memory ran out. Returns CLI_FAILED. */
int cli_no_memory(const char *command);

/* Ends a command that was called wrongly: the user is pointed to --help. Returns CLI_USAGE. */
int cli_usage(const char *command);

/* The exit code for a failure of the library. */
int cli_status_code(treb_status status);

/* The user sees the text of a failure; where a table is missing also the folders that were looked
 * in and what can be done about it (cli_hint_tables). `dirs` may be NULL: then nothing of that.
 * Returns the exit code. */
int cli_fail(const char *command, const treb_error *error, const CliDirs *dirs);

/* The user sees the command that makes a table, with its cost, or why it cannot be made here; and
 * that --tables names another folder. NULL: no table in particular. */
void cli_hint_tables(const char *material);

/* The same after the folders that were looked in. */
void cli_hint_missing(const char *material, const CliDirs *dirs);

/* The user sees that the folders have no table at all, and how to make some. Returns
 * CLI_NO_TABLE. */
int cli_no_tables(const char *command, const CliDirs *dirs);

/* Ends every command. Flushes standard output, with --json after the failure if there was one.
 * Returns `code`, or CLI_FAILED after saying that what was printed is lost. */
int cli_finish(const char *command, int code);

/* ---- Files that are asked for: output.c ------------------------------------------------------ */

/* Opens a file to be written, or for "-" standard output. NULL after the user has seen why not. */
FILE *cli_open_output(const char *command, const char *path);

/* Closes it. False after the user has seen that what was written is lost. */
bool cli_close_output(const char *command, const char *path, FILE *file);

/* ---- Words of a command line: options.c ------------------------------------------------------ */

/* Reads a whole number of at least `least` and at most `most`. False if it is none. */
bool cli_parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *out);

/* Reads "900M", "2GiB", "1.5g"; false if it is no size. */
bool cli_parse_size(const char *text, uint64_t *out);

/* Reads "wdl,dtz" or "all" to a mask of 1 << metric; 0 if it makes no sense. */
unsigned cli_parse_metrics(const char *text);

/* Reads the name of one distance, "dtz", "dtc" or "dtm"; TREB_WDL if it is none. */
treb_metric cli_one_metric(const char *text);

/* Reads the words as a position: a FEN, an EPD, a link (core/pgn/position_text.h). CLI_OK, or an exit code after the user has seen what is wrong. */
int cli_read_fen(const char *command, int count, char **words, treb_position *out);

/* Reads a material's name to the form that tables have, colours exchanged if need be. False after
 * the user has seen that it is none. `name` has room for MATERIAL_NAME_SIZE letters. */
bool cli_read_material(const char *command, const char *text, char name[24]);

/* Whether a text that is no material is meant as one: letters alone, a king first and another
 * behind it. */
bool cli_like_material(const char *text);

/* ---- Folders: common.c ----------------------------------------------------------------------- */

/* Adds a folder named on the command line. False if there are too many. */
bool cli_dirs_add(CliDirs *dirs, const char *dir);

/* Without any so far, takes those of TREBUCHET_PATH or, failing that, "tables". */
void cli_dirs_default(CliDirs *dirs);
void cli_dirs_free(CliDirs *dirs);

/* Opens the tables of the folders, or of the default ones. NULL after the user has seen why. */
treb_tables *cli_open_tables(const char *command, CliDirs *dirs);

/* What to do about folders of tables that cannot be opened: the user sees what names others, as
 * CLI_NAMES_FOLDERS, and what makes tables; or, of one that may not be read, who changes that. */
#define CLI_NAMES_FOLDERS "--tables DIR names folders with tables"
void cli_hint_folders(const char *named, const char *const *dir, size_t count);

/* Of a file or folder that may not be read the user sees who can change that. False if it is not
 * so. */
bool cli_hint_unread(const char *path);

/* Makes a folder for files to be written if it is not there. False after the user has seen why it
 * cannot be made or nothing may be written into it. */
bool cli_make_folder(const char *command, const char *path);

/* Whether files may be made in a folder or, if it is not there, a folder of this name. If not errno
 * tells why. */
bool cli_may_write(const char *path);

/* Whether a folder is one of a web server, and whether that was refused, as some of them are. */
bool cli_is_address(const char *folder);
bool cli_refuse_addresses(const char *command, const CliDirs *dirs);

/* ---- What comes with Trebuchet: common.c ----------------------------------------------------- */

/* The folder that this program is in. False, with errno, if that cannot be found out. */
bool cli_program_folder(char out[4096]);

/* Of a script that is not there, the user sees where those that come with Trebuchet are: in the
 * folder of such a name, "rules". */
void cli_hint_script(const char *path, const char *folder);

/* ---- What people read: util.c, common.c ------------------------------------------------------ */

/* "trebuchet", or the name of another program that has its commands. */
extern const char *cli_program;

/* Writes "1.2 GB", "17.5 MB", "42 B". */
void cli_format_size(uint64_t bytes, char out[16]);

/* Writes 1234567 as "1,234,567". */
void cli_format_count(uint64_t count, char out[32]);

/* Writes "0:07", "12:34", "1:02:03". */
void cli_format_time(double seconds, char out[16]);

/* Prints a position as a diagram of letters. */
void cli_print_board(const treb_position *pos);

/* Columns of the terminal that standard output is, or of COLUMNS, or 80. */
int cli_columns(void);

/* Whether the locale's characters are UTF-8. */
bool cli_utf8(void);

/* ---- Time and signals: util.c ---------------------------------------------------------------- */

/* Seconds of a clock that never goes back. */
double cli_seconds(void);

/* From here on SIGINT and SIGTERM set what is returned, for long work to end early. The second time
 * they end the process at once. Called again, what was interrupted has ended, and the next signal is for what follows. */
const atomic_bool *cli_catch_signals(void);

/* The end of so many seconds is a signal like others, so that a script that never returns ends, too; 0: there is none.
 * Whether it has come. */
void cli_end_after(uint64_t seconds);
bool cli_time_is_up(void);

/* Whether SIGUSR1 came since the last call, from cli_catch_signals on: somebody asks how far it is. */
bool cli_asked(void);

/* ---- Temporary folders: util.c --------------------------------------------------------------- */

/* A new folder in TMPDIR, or /tmp: its path, which is also written when it cannot be made. */
bool cli_temporary_folder(char *path, size_t size);
void cli_remove_folder(const char *path); /* with all that is in it */

/* ---- The subcommands: argv[0] is the command's own name. They return an exit code. ----------- */

int cli_bench(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_engine(int argc, char **argv);
int cli_blocked(int argc, char **argv);
int cli_gen(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_find(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_line(int argc, char **argv);
int cli_near(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_play(int argc, char **argv);
int cli_probe(int argc, char **argv);
int cli_rule(int argc, char **argv);
int cli_serve(int argc, char **argv);
int cli_shift(int argc, char **argv);
int cli_solve(int argc, char **argv);
int cli_stats(int argc, char **argv);
int cli_verify(int argc, char **argv);

#endif
