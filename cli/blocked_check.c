/* blocked_check.c - see blocked_check.h. */
#include "cli/blocked_check.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "pawns/check/audit.h"

enum { ERRORS_SHOWN = 20 };

typedef struct Check {
    FILE *out;
    const atomic_bool *stop;
    CliProgress progress;
    uint64_t errors; /* found so far */
} Check;

static bool show_progress(void *context, uint64_t done, uint64_t all)
{
    Check *check = context;
    char count[32], total[32], left[16];
    double spent = clock_seconds() - check->progress.start;
    bool stop = atomic_load(check->stop);
    if (stop || !cli_progress_due(&check->progress)) return stop;
    cli_format_count(done, count);
    cli_format_count(all, total);
    cli_format_time(spent / (double)done * (double)(all - done), left);
    cli_progress_tell(&check->progress, "checking: %s of %s positions, %s left", count, total,
                      left);
    return false;
}

static void show_error(void *context, const char *text)
{
    Check *check = context;
    if (check->errors++ >= ERRORS_SHOWN) return;
    cli_progress_clear(&check->progress);
    fprintf(check->out, "%s\n", text);
}

static void show_report(const Check *check, const AuditReport *report)
{
    char families[32], positions[32], answered[32], faults[32], spent[16];
    cli_format_count(report->structures, families);
    cli_format_count(report->positions, positions);
    cli_format_count(report->answered, answered);
    cli_format_count(report->faults, faults);
    cli_format_time(clock_seconds() - check->progress.start, spent);
    fprintf(check->out,
            "%s%s pawn structures, %s positions by the rules alone, %s of them with the tables: ",
            report->stopped ? "Checked before it was stopped: " : "Checked: ", families, positions,
            answered);
    if (report->faults == 0)
        fprintf(check->out, "no error (%s)\n", spent);
    else
        fprintf(check->out, "%s %s, the first of which are listed (%s)\n", faults,
                cli_plural(report->faults, "error", "errors"), spent);
}

/* Checks `b` or `s`; the other one is NULL. */
static int check_either(const char *command, FILE *out, Blocked *b, Solve *s, bool quiet)
{
    Check check = {.out = out, .stop = cli_catch_signals()};
    AuditOptions options = {.stop = show_progress, .fault = show_error, .context = &check};
    AuditReport report;
    cli_progress_start(&check.progress, command, quiet);
    bool good = b != NULL ? blocked_audit(b, &options, &report) : solve_audit(s, &options, &report);
    cli_progress_clear(&check.progress);
    if (!good) {
        cli_error(command, "cannot check: out of memory, or a table could not be read");
        return CLI_FAILED;
    }
    show_report(&check, &report);
    return report.faults ? CLI_FAILED : report.stopped ? CLI_STOPPED : CLI_OK;
}

int blocked_check_solution(FILE *out, Blocked *b, bool quiet)
{
    return check_either("blocked", out, b, NULL, quiet);
}

int solve_check_solution(FILE *out, Solve *s, bool quiet)
{
    return check_either("solve", out, NULL, s, quiet);
}
