/* error.h - how a function says what went wrong. */
#ifndef TREB_CORE_ERROR_H
#define TREB_CORE_ERROR_H

#include "trebuchet.h"

/* Fills in `error`, which may be NULL, and returns `status`: `return fail(error, ...)`. */
treb_status fail(treb_error *error, treb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for memory that could not be had. Returns TREB_ERR_MEMORY. */
treb_status fail_memory(treb_error *error);

/* The same for a file that would have to be read from a disk first, of calls that do not wait for
 * one. Returns TREB_ERR_NOT_READY. */
treb_status fail_not_ready(treb_error *error, const char *path);

/* What a message says of a path: of a long one the end, which tells more than the beginning. */
const char *fail_path(const char *path);

/* The same as `fail` for a call of the operating system that failed on a file: errno tells why.
 * `verb` is what was tried: "read". Returns TREB_ERR_IO. */
treb_status fail_errno(treb_error *error, const char *verb, const char *path);

#endif
