/* json.h - printing JSON, which standard output is with --json: answers, and what went wrong.
 *
 * A command that fails under --json ends with {"error":{"code":...,"message":...}} on standard
 * output, unless its answer is there already; cli_finish sees to that. The message goes to standard
 * error as well, as it always does. */
#ifndef TREB_CLI_JSON_H
#define TREB_CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* From here on standard output is JSON. */
void cli_json_mode(void);
bool cli_json_wanted(void);

/* Prints an object as one line, and releases it. CLI_OK, or CLI_FAILED after saying that there was
 * no memory, which is also what a NULL object means. */
int cli_json_line(const char *command, json_t *object);

/* The same for the one object that a command has to give: a failure after it is told by the exit
 * code and on standard error alone. */
int cli_json_answer(const char *command, json_t *object);

/* Prints the failure reported last, with the file that it is about unless that is NULL, so that the
 * next one gets an object of its own. Nothing if there is none. */
void cli_json_failure(int code, const char *file);

/* A number with so many decimals. */
json_t *cli_json_real(double value, int decimals);

/* A text that need not be UTF-8: bytes beyond ASCII are then replaced. */
json_t *cli_json_text(const char *text);

#endif
