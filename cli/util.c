/* util.c - see cli.h. */
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/table.h"

bool cli_dirs_add(CliDirs *dirs, const char *dir)
{
    if (dirs->count == sizeof dirs->dir / sizeof *dirs->dir) return false;
    dirs->dir[dirs->count++] = dir;
    return true;
}

void cli_dirs_default(CliDirs *dirs)
{
    if (dirs->count) return;
    const char *path = getenv("TREBUCHET_PATH");
    if (path && *path && (dirs->environment = strdup(path)) != NULL) {
        char *rest = dirs->environment;
        for (char *dir; (dir = strsep(&rest, ":")) != NULL;)
            if (*dir) cli_dirs_add(dirs, dir);
    }
    if (dirs->count == 0) cli_dirs_add(dirs, "tables");
}

void cli_dirs_free(CliDirs *dirs) { free(dirs->environment); }

void cli_error(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "trebuchet %s: ", command);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

bool cli_parse_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    double value = strtod(text, &end);
    if (end == text || !(value >= 0)) return false;
    if (*end) {
        char upper = *end & ~0x20;
        const char *unit = strchr(units, upper);
        if (unit != NULL && upper != '\0') {
            value = ldexp(value, 10 * (int)(unit - units + 1));
            end++;
        }
        if (strcasecmp(end, "iB") != 0 && strcasecmp(end, "B") != 0 && *end) return false;
    }
    if (value >= 0x1p63) return false;
    *out = (uint64_t)value;
    return true;
}

void cli_format_size(uint64_t bytes, char out[16])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 999.5 && unit < 6; unit++) value /= 1000;
    snprintf(out, 16, unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

void cli_format_count(uint64_t count, char out[32])
{
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count), at = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

void cli_format_time(double seconds, char out[16])
{
    unsigned s = seconds > 0 ? seconds < 3e6 ? (unsigned)(seconds + 0.5) : 3000000 : 0;
    unsigned hours = s / 3600 % 1000, minutes = s / 60 % 60;
    if (hours == 0)
        snprintf(out, 16, "%u:%02u", minutes, s % 60);
    else
        snprintf(out, 16, "%u:%02u:%02u", hours, minutes, s % 60);
}

unsigned cli_parse_metrics(const char *text)
{
    unsigned mask = 0;
    if (strcmp(text, "all") == 0) return (1u << TREB_METRICS) - 1;
    while (*text) {
        size_t length = strcspn(text, ",");
        int m = 0;
        while (m < TREB_METRICS && !(strlen(table_metric_name(m)) == length &&
                                     strncasecmp(table_metric_name(m), text, length) == 0))
            m++;
        if (m == TREB_METRICS) return 0;
        mask |= 1u << m;
        text += length;
        if (*text == ',') text++;
    }
    return mask;
}

void cli_print_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = *text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Signals --------------------------------------------------------------------------------- */

static atomic_bool stop;

static void on_signal(int signal)
{
    if (atomic_exchange(&stop, true)) _exit(128 + signal);
}

const atomic_bool *cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop;
}
