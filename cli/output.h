/* output.h - how a subcommand reports failures and prints JSON.
 *
 * Answers go to standard output; messages, progress and hints go to standard error. With --json,
 * standard output is JSON. A command that fails then ends with an object
 * {"error":{"code":...,"message":...}} on standard output, unless it has printed its answer already;
 * cli_finish prints that object. The message also goes to standard error, as without --json. */
#ifndef TREB_CLI_OUTPUT_H
#define TREB_CLI_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/system/error.h"
#include "trebuchet.h"

/* Exit codes. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_NO_TABLE = 3, CLI_STOPPED = 130 };

/* ---- Failures -------------------------------------------------------------------------------- */

/* Prints "trebuchet COMMAND: ..." on standard error and remembers the message of the first failure
 * for the JSON object. For failures that have no treb_error. `command` is NULL before a subcommand
 * is known. */
void cli_error(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* Prints a message in the form of cli_error that is not a failure, such as "warning: ...". It never
 * becomes part of the JSON. */
void cli_warn(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* Reports that memory ran out. Returns CLI_FAILED. */
int cli_no_memory(const char *command);

/* Refers the user to --help after a wrong command line. Returns CLI_USAGE. */
int cli_usage(const char *command);

/* Returns the exit code for a failure of the library. */
int cli_status_code(treb_status status);

/* Reports a failure of the library. Returns the exit code. See cli_fail_tables in cli/advice.h for
 * failures that may be a missing table. */
int cli_fail(const char *command, const treb_error *error);

/* Returns whether a message is that of the first failure that was reported. */
bool cli_reported(const char *message);

/* Adds advice to the failure reported last, for its JSON object. */
void cli_note_advice(const char *advice);

/* Every subcommand ends with this call. Flushes standard output; with --json it first prints the
 * object of the failure, if there was one. Returns `code`, or CLI_FAILED after reporting that the
 * output could not be written. */
int cli_finish(const char *command, int code);

/* ---- Output files ---------------------------------------------------------------------------- */

/* Before work that takes long: whether a file, or "-", can be written. `path` may be NULL. Creates nothing. Returns
 * false after reporting why not. */
bool cli_check_output(const char *command, const char *path);

/* Opens a file for writing; "-" is standard output. Returns NULL after reporting a failure. */
FILE *cli_open_output(const char *command, const char *path);

/* Closes that file. Returns false after reporting that it could not be written. */
bool cli_close_output(const char *command, const char *path, FILE *file);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Makes standard output JSON from here on. */
void cli_json_mode(void);
bool cli_json_wanted(void);

/* Prints an object as one line and releases it. Returns CLI_OK, or CLI_FAILED after reporting that
 * there was no memory. A NULL object also means that there was no memory. */
int cli_json_line(const char *command, json_t *object);

/* Prints the object that is the command's whole answer, as cli_json_line does. A failure after it is
 * reported by the exit code and on standard error only. */
int cli_json_answer(const char *command, json_t *object);

/* Prints the object of the failure reported last, so that the next failure gets an object of its
 * own. Adds the member "file" unless `file` is NULL. Does nothing if there was no failure. */
void cli_json_failure(int code, const char *file);

/* Returns a number rounded to `decimals` digits after the point. */
json_t *cli_json_real(double value, int decimals);

/* Returns a string from a text that may not be UTF-8. In that case each byte beyond ASCII becomes
 * '?'. */
json_t *cli_json_text(const char *text);

#endif
