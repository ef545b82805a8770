/* progress.c - see progress.h. */
#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/signals.h"
#include "cli/text.h"

static const double drawn_every = 0.2, first_line = 5, most_pause = 30;

void cli_progress_start(CliProgress *p, const char *command, bool quiet)
{
    *p = (CliProgress){.command = command,
                       .on = !quiet,
                       .terminal = isatty(STDERR_FILENO),
                       .start = clock_seconds()};
    p->pause = p->terminal ? drawn_every : first_line;
    p->next = p->start + p->pause;
}

bool cli_progress_due(const CliProgress *p) { return p->on && clock_seconds() >= p->next; }

static void draw(CliProgress *p, const char *text)
{
    char spent[16];
    double now = clock_seconds();
    cli_format_time(now - p->start, spent);
    if (p->terminal)
        fprintf(stderr, "\r%s\033[K", text);
    else
        fprintf(stderr, "%s %s: %s (%s)\n", cli_program, p->command, text, spent);
    p->drawn = p->terminal;
    if (!p->terminal) p->pause = p->pause < most_pause / 2 ? 2 * p->pause : most_pause;
    p->next = now + p->pause;
}

void cli_progress_tell(CliProgress *p, const char *text, ...)
{
    char line[256];
    va_list args;
    va_start(args, text);
    vsnprintf(line, sizeof line, text, args);
    va_end(args);
    draw(p, line);
}

void cli_progress_share(CliProgress *p, uint64_t done, uint64_t total, const char *what, ...)
{
    char line[256];
    va_list args;
    if (!cli_progress_due(p)) return;
    va_start(args, what);
    int n = vsnprintf(line, sizeof line - 8, what, args);
    va_end(args);
    if (n < 0) return;
    size_t length = (size_t)n < sizeof line - 8 ? (size_t)n : sizeof line - 9;
    snprintf(line + length, sizeof line - length, " %.0f%%",
             total ? 100.0 * (double)done / (double)total : 0);
    draw(p, line);
}

void cli_progress_clear(CliProgress *p)
{
    if (p->drawn) fputs("\r\033[K", stderr);
    p->drawn = false;
}
