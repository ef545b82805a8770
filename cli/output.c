/* output.c - see output.h. */
#include "cli/output.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "core/system/io.h"
#include "core/system/tool.h"
#include "json/words.h"

/* The state of standard output. */
static struct {
    bool json;     /* standard output is JSON */
    bool answered; /* the object with the answer has been printed */
    bool failed;   /* the members below describe a failure that is not yet printed as JSON */
    char code[24]; /* "": derived from the exit code */
    char message[640], advice[512];
} output;

/* ---- Failures -------------------------------------------------------------------------------- */

/* Remembers the first failure. Later ones mostly follow from it. */
static void note_failure(const char *code, const char *message)
{
    if (output.failed) return;
    output.failed = true;
    output.advice[0] = '\0';
    snprintf(output.code, sizeof output.code, "%s", code);
    snprintf(output.message, sizeof output.message, "%s", message);
}

static void note_format(const char *format, va_list args)
{
    char message[sizeof output.message];
    vsnprintf(message, sizeof message, format, args);
    note_failure("", message);
}

/* What a message quotes comes from files and from others. Control characters in it, which could change what a
 * terminal shows, are printed as question marks. */
static void print_format(const char *command, const char *format, va_list args)
{
    char *text = NULL;
    const bool made = vasprintf(&text, format, args) >= 0;
    fflush(stdout);
    for (char *c = text; made && *c != '\0'; c++)
        if (iscntrl((unsigned char)*c) && *c != '\n' && *c != '\t') *c = '?';
    fprintf(stderr, "%s%s%s: %s\n", cli_program, command != NULL ? " " : "",
            command != NULL ? command : "", made ? text : "out of memory");
    if (made) free(text);
}

void cli_error(const char *command, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    print_format(command, format, args);
    note_format(format, again);
    va_end(again);
    va_end(args);
}

void cli_warn(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_format(command, format, args);
    va_end(args);
}

/* Reports an error that has a code for the JSON object. */
static void report(const char *command, const char *code, const char *message)
{
    cli_warn(command, "%s", message);
    note_failure(code, message);
}

int cli_no_memory(const char *command)
{
    report(command, answer_code(TREB_ERR_MEMORY), "out of memory");
    return CLI_FAILED;
}

int cli_usage(const char *command)
{
    fprintf(stderr, "Try '%s%s%s --help'.\n", cli_program, command != NULL ? " " : "",
            command != NULL ? command : "");
    return CLI_USAGE;
}

int cli_status_code(treb_status status)
{
    switch (status) {
    case TREB_OK:
        return CLI_OK;
    case TREB_ERR_FEN:
    case TREB_ERR_POSITION:
        return CLI_USAGE;
    case TREB_ERR_CASTLING:
    case TREB_ERR_MEN:
    case TREB_ERR_NO_TABLE:
        return CLI_NO_TABLE;
    default:
        return CLI_FAILED;
    }
}

bool cli_reported(const char *message)
{
    return output.failed && strcmp(output.message, message) == 0;
}

int cli_fail(const char *command, const treb_error *error)
{
    report(command, answer_code(error->status), error->text);
    return cli_status_code(error->status);
}

void cli_note_advice(const char *advice)
{
    if (output.failed && output.advice[0] == '\0')
        snprintf(output.advice, sizeof output.advice, "%s", advice);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void cli_json_mode(void) { output.json = true; }

bool cli_json_wanted(void) { return output.json; }

/* Prints an object as one line and releases it. Returns false if there is no memory. */
static bool print_object(json_t *object)
{
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(object);
    if (text == NULL) return false;
    puts(text);
    free(text);
    fflush(stdout);
    return true;
}

int cli_json_line(const char *command, json_t *object)
{
    return print_object(object) ? CLI_OK : cli_no_memory(command);
}

int cli_json_answer(const char *command, json_t *object)
{
    int code = cli_json_line(command, object);
    if (code == CLI_OK) output.answered = true;
    return code;
}

json_t *cli_json_real(double value, int decimals)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    return json_real(strtod(text, NULL));
}

json_t *cli_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL) return string;
    /* The text is not UTF-8. File names may have any bytes. */
    char *copy = strdup(text);
    for (char *c = copy; c != NULL && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    string = copy != NULL ? json_string(copy) : NULL;
    free(copy);
    return string;
}

/* The error code in JSON for a failure that has no code of its own. */
static const char *exit_word(int code)
{
    switch (code) {
    case CLI_USAGE:
        return answer_code(TREB_ERR_ARGUMENT);
    case CLI_NO_TABLE:
        return answer_code(TREB_ERR_NO_TABLE);
    case CLI_STOPPED:
        return "stopped";
    default:
        return "failed";
    }
}

void cli_json_failure(int code, const char *file)
{
    if (!output.json || !output.failed) return;
    json_t *object = json_object();
    json_t *error = answer_error(output.code[0] ? output.code : exit_word(code), output.message);
    if (file != NULL) json_object_set_new(object, "file", cli_json_text(file));
    if (output.advice[0]) json_object_set_new(error, "advice", cli_json_text(output.advice));
    json_object_set_new(object, "error", error);
    print_object(object);
    output.failed = false;
}

/* ---- The end --------------------------------------------------------------------------------- */

bool cli_check_output(const char *command, const char *path)
{
    if (path == NULL || strcmp(path, "-") == 0 || tool_may(path, TOOL_WRITE)) return true;
    const bool there = errno != ENOENT;
    char *folder = io_folder(path);
    if (folder == NULL) return cli_no_memory(command) == CLI_OK;
    const bool good = !there && tool_may(folder, TOOL_FILL);
    if (!good) cli_error(command, "cannot write %s: %s", path, strerror(errno));
    free(folder);
    return good;
}

FILE *cli_open_output(const char *command, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : tool_open(path, "w");
    if (file == NULL) cli_error(command, "cannot write %s: %s", path, strerror(errno));
    return file;
}

bool cli_close_output(const char *command, const char *path, FILE *file)
{
    bool good = fflush(file) == 0 && !ferror(file);
    if (file == stdout) return good; /* cli_finish reports it */
    good = fclose(file) == 0 && good;
    if (!good) cli_error(command, "cannot write %s: %s", path, strerror(errno));
    return good;
}

int cli_finish(const char *command, int code)
{
    if (code != CLI_OK && !output.answered) cli_json_failure(code, NULL);
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    cli_warn(command, "cannot write the output: %s", strerror(errno));
    return CLI_FAILED;
}
