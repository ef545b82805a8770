/* output.c - how a command says what went wrong, and prints JSON. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json/answer.h"
#include "cli/advice.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "core/format/table.h"

/* What standard output owes to a program that reads it. */
static struct {
    bool json;     /* it reads JSON */
    bool answered; /* an object with the answer is out */
    bool failed;   /* the rest is filled in, and not out yet */
    char code[24]; /* "" if the exit code alone tells */
    char message[640], advice[512];
} output;

/* ---- Failures -------------------------------------------------------------------------------- */

/* Notes the first failure: the ones after it mostly follow from it. */
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

static void print_format(const char *command, const char *format, va_list args)
{
    fflush(stdout);
    fprintf(stderr, "%s%s%s: ", cli_program, command != NULL ? " " : "",
            command != NULL ? command : "");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
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

/* The same as an error, with a code of its own. */
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

/* The material of "KRPvKR.wdl.treb is not installed": the library names the file first. False if
 * the message is about no table in particular. */
static bool missing_material(const char *message, char name[MATERIAL_NAME_SIZE])
{
    Material material;
    size_t length = strcspn(message, ".");
    if (message[length] == '\0' || length >= MATERIAL_NAME_SIZE) return false;
    memcpy(name, message, length);
    name[length] = '\0';
    return material_parse(name, &material);
}

void cli_hint_tables(const char *material)
{
    char advice[sizeof output.advice];
    fflush(stdout);
    cli_advice(material, advice, sizeof advice);
    fprintf(stderr, "%s.\n", advice);
    fputs("--tables DIR looks in another folder.\n", stderr);
    if (output.failed && output.advice[0] == '\0') strcpy(output.advice, advice);
}

void cli_hint_missing(const char *material, const CliDirs *dirs)
{
    fflush(stdout);
    fputs("Looked in:", stderr);
    for (size_t i = 0; i < dirs->count; i++) fprintf(stderr, " %s", dirs->dir[i]);
    fputc('\n', stderr);
    cli_hint_tables(material);
}

int cli_fail(const char *command, const treb_error *error, const CliDirs *dirs)
{
    char name[MATERIAL_NAME_SIZE];
    report(command, answer_code(error->status), error->text);
    if (error->status == TREB_ERR_NO_TABLE && dirs != NULL)
        cli_hint_missing(missing_material(error->text, name) ? name : NULL, dirs);
    return cli_status_code(error->status);
}

int cli_no_tables(const char *command, const CliDirs *dirs)
{
    const treb_error error = {TREB_ERR_NO_TABLE, "there are no tables"};
    return cli_fail(command, &error, dirs);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void cli_json_mode(void) { output.json = true; }

bool cli_json_wanted(void) { return output.json; }

/* Prints an object as a line of its own and releases it. False without memory for it. */
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
    /* Not UTF-8, as names of files need not be. */
    char *copy = strdup(text);
    for (char *c = copy; c != NULL && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    string = copy != NULL ? json_string(copy) : NULL;
    free(copy);
    return string;
}

/* What an exit code says where a failure has no code of its own. */
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

FILE *cli_open_output(const char *command, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (file == NULL) cli_error(command, "cannot write %s: %s", path, strerror(errno));
    return file;
}

bool cli_close_output(const char *command, const char *path, FILE *file)
{
    bool good = fflush(file) == 0 && !ferror(file);
    if (file == stdout) return good; /* cli_finish says so */
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
