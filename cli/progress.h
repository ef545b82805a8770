/* progress.h - the progress of long work, on standard error.
 *
 * On a terminal it is one line that is redrawn several times a second. Elsewhere, for example in a log, it
 * is a new line each time: the first after five seconds, the later ones at growing intervals of at most 30
 * seconds. Work that ends before the first line prints nothing. With --quiet there is no progress. A
 * CliProgress is not for use by several threads at the same time. */
#ifndef TREB_CLI_PROGRESS_H
#define TREB_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/system/error.h"

typedef struct CliProgress {
    const char *command;
    bool on, terminal;
    bool drawn;   /* the terminal shows a line without a line break */
    double start; /* time when the work began */
    double next;  /* time of the next line */
    double pause; /* seconds between two lines */
} CliProgress;

void cli_progress_start(CliProgress *progress, const char *command, bool quiet);

/* Returns whether it is time for the next line. This is cheap. */
bool cli_progress_due(const CliProgress *progress);

/* Prints a line; `text` is a printf format. */
void cli_progress_tell(CliProgress *progress, const char *text, ...) PRINTF_LIKE(2, 3);

/* Prints "WHAT 42%" if it is time; `what` is a printf format. */
void cli_progress_share(CliProgress *progress, uint64_t done, uint64_t total, const char *what, ...)
    PRINTF_LIKE(4, 5);

/* Clears the line on the terminal. To be called before other output, and at the end. */
void cli_progress_clear(CliProgress *progress);

#endif
