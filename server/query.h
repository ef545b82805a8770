/* query.h - the target of a request: its path and parameters. This module does not use the HTTP
 * library. */
#ifndef TREB_SERVER_QUERY_H
#define TREB_SERVER_QUERY_H

#include <stdbool.h>
#include <stddef.h>

enum { QUERY_TARGET_MAX = 2048, QUERY_PARAMETERS = 16 };

typedef struct QueryParameter {
    const char *name, *value;
} QueryParameter;

/* A parsed target. The texts are in `buffer`, with percent escapes decoded. */
typedef struct Query {
    const char *path;
    QueryParameter parameter[QUERY_PARAMETERS];
    size_t count;
    char buffer[QUERY_TARGET_MAX + 2];
} Query;

typedef enum QueryStatus {
    QUERY_OK = 0,
    QUERY_LONG,   /* more than QUERY_TARGET_MAX bytes */
    QUERY_ESCAPE, /* a percent sign without two hexadecimal digits, or a zero byte */
    QUERY_PARAMETERS_MANY
} QueryStatus;

/* Parses "/v1/probe?fen=...", or "http://host/v1/probe?...". Plus signs in parameters are spaces. An
 * escaped question mark belongs to the path. */
QueryStatus query_parse(const char *target, Query *out);

/* Returns the message for the client. */
const char *query_status_text(QueryStatus status);

/* Returns the value of a parameter, or NULL if it is not there. Sets *twice if it is there more than
 * once. */
const char *query_get(const Query *query, const char *name, bool *twice);

#endif
