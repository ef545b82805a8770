/* error.c - see error.h. */
#include "core/system/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/system/stop.h"
#include "core/system/system.h"

treb_status fail(treb_error *error, treb_status status, const char *format, ...)
{
    if (error == NULL) return status;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->metric = -1;
    error->material[0] = '\0';
    return status;
}

treb_status fail_missing_table(treb_error *error, const char *material, int metric)
{
    if (error == NULL) return TREB_ERR_NO_TABLE;
    error->status = TREB_ERR_NO_TABLE;
    error->metric = metric;
    snprintf(error->material, sizeof error->material, "%s", material);
    return TREB_ERR_NO_TABLE;
}

treb_status fail_again(treb_error *error, const treb_error *from)
{
    if (error != NULL) *error = *from;
    return from->status;
}

treb_status fail_memory(treb_error *error) { return fail(error, TREB_ERR_MEMORY, "out of memory"); }

treb_status fail_not_ready(treb_error *error, const char *path)
{
    return fail(error, TREB_ERR_NOT_READY, "%s: is not in memory yet", fail_path(path));
}

const char *fail_path(const char *path)
{
    size_t size = strlen(path), most = sizeof((treb_error *)NULL)->text / 2;
    return size > most ? path + (size - most) : path;
}

const char *fail_reason(int number, char text[FAIL_REASON_SIZE])
{
    system_reason(number, text, FAIL_REASON_SIZE);
    return text;
}

treb_status fail_errno(treb_error *error, const char *verb, const char *path)
{
    char text[FAIL_REASON_SIZE];
    const char *why = errno != 0 ? fail_reason(errno, text) : "the file ends too early";
    return fail(error, TREB_ERR_IO, "%s: cannot %s: %s", fail_path(path), verb, why);
}

treb_status stop_check(const atomic_bool *stop, treb_error *error)
{
    return stop_asked(stop) ? fail(error, STOPPED, "stopped") : TREB_OK;
}
