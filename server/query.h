/* query.h - the target of a request: its path and parameters. No HTTP library in here. */
#ifndef TREB_SERVER_QUERY_H
#define TREB_SERVER_QUERY_H

#include <stdbool.h>
#include <stddef.h>

enum { QUERY_TARGET_MAX = 2048, QUERY_PARAMETERS = 16 };

typedef struct QueryParameter {
    const char *name, *value;
} QueryParameter;

/* A target taken apart. The texts are in `buffer`, with percent escapes decoded. */
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

/* Takes "/v1/probe?fen=..." apart; "http://host/v1/probe?..." is the same. Plus signs in parameters
 * are spaces. The path is decoded after it was cut off, so that an escaped question mark stays in
 * it. */
QueryStatus query_parse(const char *target, Query *out);

/* What to tell the client. */
const char *query_status_text(QueryStatus status);

/* The value of a parameter, or NULL if it is not there. *twice says whether it is there again. */
const char *query_get(const Query *query, const char *name, bool *twice);

#endif
