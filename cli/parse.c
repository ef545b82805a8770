/* parse.c - see parse.h. */
#include "cli/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/format/table.h"

bool cli_parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*end || errno || value < least || value > most) return false;
    *out = value;
    return true;
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

unsigned cli_parse_metrics(const char *text)
{
    unsigned mask = 0;
    if (strcmp(text, "all") == 0) return (1u << TREB_METRICS) - 1;
    if (strcmp(text, "all5") == 0) return ((1u << TREB_METRICS) - 1) | 1u << TREB_DTM50;
    while (*text) {
        size_t length = strcspn(text, ",");
        int m = 0;
        while (m <= TREB_DTM50 &&
               !(table_is_metric(m) && strlen(table_metric_name(m)) == length &&
                 strncasecmp(table_metric_name(m), text, length) == 0))
            m++;
        if (m > TREB_DTM50) return 0;
        mask |= 1u << m;
        text += length;
        if (*text == ',') text++;
    }
    return mask;
}
