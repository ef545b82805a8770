/* error.h - how functions report failures. */
#ifndef TREB_CORE_SYSTEM_ERROR_H
#define TREB_CORE_SYSTEM_ERROR_H

#include <stdio.h>

#include "trebuchet.h"

/* Declares which parameter is a format as printf takes it, and where its values begin. Windows has two printf; we use
 * that of the C standard. */
#ifdef __MINGW_PRINTF_FORMAT
#define PRINTF_LIKE(format_at, values_at)                                                          \
    __attribute__((format(__MINGW_PRINTF_FORMAT, format_at, values_at)))
#else
#define PRINTF_LIKE(format_at, values_at) __attribute__((format(printf, format_at, values_at)))
#endif

/* Fills in `error`, which may be NULL, and returns `status`: `return fail(error, ...)`. The text is
 * cut if it does not fit. The error then names no missing table. */
treb_status fail(treb_error *error, treb_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* Adds to an error that `fail` or `fail_errno` has filled in which table is missing, and sets its
 * status to TREB_ERR_NO_TABLE, which it returns. `error` may be NULL. `material` is the canonical
 * name ("KRPvKR"), `metric` a treb_metric. */
treb_status fail_missing_table(treb_error *error, const char *material, int metric);

/* Copies a failure to another treb_error, which may be NULL. Returns its status. */
treb_status fail_again(treb_error *error, const treb_error *from);

/* Fills in "out of memory". Returns TREB_ERR_MEMORY. */
treb_status fail_memory(treb_error *error);

/* Fills in that a file must be read from a disk first, for calls that do not wait for one. Returns
 * TREB_ERR_NOT_READY. */
treb_status fail_not_ready(treb_error *error, const char *path);

/* Returns the part of a path to show in a message: the last bytes of a long path, which identify
 * the file better than the first. */
const char *fail_path(const char *path);

/* Writes the text for a value of errno to `text`, and returns it. */
enum { FAIL_REASON_SIZE = 128 };
const char *fail_reason(int number, char text[FAIL_REASON_SIZE]);

/* Fills in why a call of the operating system failed on a file; errno has the reason. `verb` says
 * what was tried, such as "read". Returns TREB_ERR_IO. */
treb_status fail_errno(treb_error *error, const char *verb, const char *path);

#endif
