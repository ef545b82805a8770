/* headers.c - see headers.h. */
#include "server/headers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns the weight of "name;q=0.5", given the text after the name. */
static double weight_of(const char *rest, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if ((rest[i] == 'q' || rest[i] == 'Q') && rest[i + 1] == '=')
            return strtod(rest + i + 2, NULL);
    return 1;
}

bool headers_accept_gzip(const char *value)
{
    bool all = false;
    while (value != NULL && *value) {
        value += strspn(value, " \t,");
        size_t item = strcspn(value, ","), name = strcspn(value, " \t;,");
        bool refused = weight_of(value + name, item - name) == 0;
        if ((name == 4 && strncasecmp(value, "gzip", 4) == 0) ||
            (name == 6 && strncasecmp(value, "x-gzip", 6) == 0))
            return !refused;
        if (name == 1 && *value == '*') all = !refused;
        value += item;
    }
    return all;
}

static bool is_name(const char *text, size_t length, const char *name)
{
    return length == strlen(name) && strncasecmp(text, name, length) == 0;
}

bool headers_prefer_cbor(const char *value)
{
    double best = 0;
    bool cbor = false;
    while (value != NULL && *value) {
        value += strspn(value, " \t,");
        size_t item = strcspn(value, ","), name = strcspn(value, " \t;,");
        bool is_cbor = is_name(value, name, "application/cbor");
        bool is_json = is_name(value, name, "application/json") ||
                       is_name(value, name, "application/*") || is_name(value, name, "*/*");
        double weight = weight_of(value + name, item - name);
        if ((is_cbor || is_json) && weight > best) {
            best = weight;
            cbor = is_cbor;
        }
        value += item;
    }
    return cbor;
}

/* Reads a number. Returns what follows it; NULL if there is none. */
static const char *number_at(const char *text, uint64_t *out)
{
    char *end;
    if (*text < '0' || *text > '9') return NULL;
    *out = strtoull(text, &end, 10);
    return end;
}

RangeAsked headers_range(const char *value, uint64_t whole, uint64_t *at, uint64_t *size)
{
    uint64_t first = 0, last = UINT64_MAX;
    if (value == NULL || strncasecmp(value, "bytes=", 6) != 0) return RANGE_NONE;
    const char *text = value + 6, *dash = number_at(text, &first);
    bool ending = *text == '-'; /* "-5": the last five bytes */
    if (ending) dash = text;
    if (dash == NULL || *dash != '-') return RANGE_NONE;
    const char *end = number_at(dash + 1, &last);
    if (end == NULL) end = dash + 1;
    if (*end != '\0' || (ending && last == UINT64_MAX) || first > last) return RANGE_NONE;
    if (ending) {
        first = last < whole ? whole - last : 0;
        if (last == 0) return RANGE_BEYOND;
        last = UINT64_MAX;
    }
    if (first >= whole) return RANGE_BEYOND;
    *at = first;
    *size = (last < whole ? last + 1 : whole) - first;
    return RANGE_PART;
}

bool headers_match_etag(const char *value, const char *etag, const char *gzip_etag)
{
    while (value != NULL && *value) {
        value += strspn(value, " \t,");
        if (*value == '*') return true;
        if (strncmp(value, "W/", 2) == 0) value += 2;
        const char *end = *value == '"' ? strchr(value + 1, '"') : NULL;
        size_t length = end != NULL ? (size_t)(end + 1 - value) : strcspn(value, ",");
        if (length == strlen(etag) && strncmp(value, etag, length) == 0) return true;
        if (length == strlen(gzip_etag) && strncmp(value, gzip_etag, length) == 0) return true;
        value += length;
    }
    return false;
}
