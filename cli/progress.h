/* progress.h - how far long work is, on standard error, alike in all commands.
 *
 * On a terminal it is one line that is drawn over again, some times a second. Elsewhere, as in a
 * log or under a program, it is a line of its own now and then: the first after five seconds, the
 * later ones rarer, at most 30 seconds apart. Work that is done before that says nothing. With
 * --quiet nothing is said at all. Not for use by several threads at once. */
#ifndef TREB_CLI_PROGRESS_H
#define TREB_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CliProgress {
    const char *command;
    bool on, terminal;
    bool drawn;         /* there is a line on the terminal that is not ended */
    double start, next; /* when the work began, when to tell of it again */
    double pause;       /* after that, in seconds */
} CliProgress;

void cli_progress_start(CliProgress *progress, const char *command, bool quiet);

/* Whether it is time to tell: costs next to nothing. */
bool cli_progress_due(const CliProgress *progress);

/* Tells, `text` as for printf. */
void cli_progress_tell(CliProgress *progress, const char *text, ...)
    __attribute__((format(printf, 2, 3)));

/* Tells "WHAT 42%" if it is time, `what` as for printf. */
void cli_progress_share(CliProgress *progress, uint64_t done, uint64_t total, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

/* Clears the line on the terminal: before anything else is printed, and at the end. */
void cli_progress_clear(CliProgress *progress);

#endif
