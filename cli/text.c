/* text.c - see text.h. */
#include "cli/text.h"

#include <stdio.h>

const char *cli_program = "trebuchet";

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

const char *cli_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}
