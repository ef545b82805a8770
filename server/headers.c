/* headers.c - see headers.h. */
#include "server/headers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The weight of "name;q=0.5" is 0: refused. */
static bool is_refused(const char *rest, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if ((rest[i] == 'q' || rest[i] == 'Q') && rest[i + 1] == '=')
            return strtod(rest + i + 2, NULL) == 0;
    return false;
}

bool headers_accept_gzip(const char *value)
{
    bool all = false;
    while (value != NULL && *value) {
        value += strspn(value, " \t,");
        size_t item = strcspn(value, ","), name = strcspn(value, " \t;,");
        bool refused = is_refused(value + name, item - name);
        if ((name == 4 && strncasecmp(value, "gzip", 4) == 0) ||
            (name == 6 && strncasecmp(value, "x-gzip", 6) == 0))
            return !refused;
        if (name == 1 && *value == '*') all = !refused;
        value += item;
    }
    return all;
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
