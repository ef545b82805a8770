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
