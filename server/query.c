/* query.c - see query.h. */
#include "server/query.h"

#include <string.h>
#include <strings.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Decodes `length` bytes to *at, ends them with a zero and moves *at behind it. The result is never
 * longer than the text. */
static bool decode(const char *text, size_t length, bool plus_is_space, char **at)
{
    char *out = *at;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '%') {
            *out++ = plus_is_space && text[i] == '+' ? ' ' : text[i];
            continue;
        }
        int high = i + 1 < length ? hex_digit(text[i + 1]) : -1;
        int low = i + 2 < length ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0 || (high == 0 && low == 0)) return false;
        *out++ = (char)(16 * high + low);
        i += 2;
    }
    *out++ = '\0';
    *at = out;
    return true;
}

/* Skips the host of "http://host/path", the form of a request to a proxy. */
static const char *skip_host(const char *target)
{
    size_t scheme = strncasecmp(target, "http://", 7) == 0    ? 7
                    : strncasecmp(target, "https://", 8) == 0 ? 8
                                                              : 0;
    if (scheme == 0) return target;
    const char *path = target + scheme + strcspn(target + scheme, "/?");
    return *path == '/' ? path : "/";
}

/* Parses one "name=value" of `length` bytes. */
static QueryStatus parse_parameter(Query *out, const char *text, size_t length, char **at)
{
    if (length == 0) return QUERY_OK;
    if (out->count == QUERY_PARAMETERS) return QUERY_PARAMETERS_MANY;
    const char *equals = memchr(text, '=', length);
    size_t name = equals != NULL ? (size_t)(equals - text) : length;
    QueryParameter *p = &out->parameter[out->count];
    p->name = *at;
    if (!decode(text, name, true, at)) return QUERY_ESCAPE;
    if (equals == NULL) {
        p->value = *at - 1; /* the empty string at the name's end */
    } else {
        p->value = *at;
        if (!decode(equals + 1, length - name - 1, true, at)) return QUERY_ESCAPE;
    }
    out->count++;
    return QUERY_OK;
}

QueryStatus query_parse(const char *target, Query *out)
{
    char *at = out->buffer;
    out->count = 0;
    out->path = "";
    if (strlen(target) > QUERY_TARGET_MAX) return QUERY_LONG;
    target = skip_host(target);
    size_t length = strcspn(target, "?");
    out->path = at;
    if (!decode(target, length, false, &at)) {
        out->path = "";
        return QUERY_ESCAPE;
    }
    target += length;
    while (*target) {
        target++; /* the question mark or ampersand */
        length = strcspn(target, "&");
        QueryStatus status = parse_parameter(out, target, length, &at);
        if (status != QUERY_OK) return status;
        target += length;
    }
    return QUERY_OK;
}

const char *query_status_text(QueryStatus status)
{
    switch (status) {
    case QUERY_LONG:
        return "the address is too long: at most 2,048 bytes";
    case QUERY_ESCAPE:
        return "a percent sign in the address must be followed by two hexadecimal digits, not 00";
    case QUERY_PARAMETERS_MANY:
        return "too many parameters: at most 16";
    default:
        return "";
    }
}

const char *query_get(const Query *query, const char *name, bool *twice)
{
    const char *value = NULL;
    *twice = false;
    for (size_t i = 0; i < query->count; i++) {
        if (strcmp(query->parameter[i].name, name) != 0) continue;
        *twice = value != NULL;
        if (value == NULL) value = query->parameter[i].value;
    }
    return value;
}
