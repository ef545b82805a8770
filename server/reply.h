/* reply.h - the content of an answer to a request, before it becomes an HTTP response (response.h). */
#ifndef TREB_SERVER_REPLY_H
#define TREB_SERVER_REPLY_H

#include <jansson.h>
#include <microhttpd.h> /* status codes */
#include <stdbool.h>
#include <stddef.h>

#include "server/asset.h"
#include "trebuchet.h"

/* How long clients and the server's own cache may keep an answer. */
typedef enum CachePolicy {
    CACHE_NEVER,     /* not at all */
    CACHE_TABLE_SET, /* while the set of tables is the same: clients must ask whether it has changed */
    CACHE_FOREVER, /* the answer never changes */
    CACHE_ASSET    /* a file of the page: clients must ask whether it has changed */
} CachePolicy;

/* A part of an open file. */
typedef struct ReplyFile {
    int file;                 /* response_create takes it over */
    uint64_t at, size, whole; /* what is sent, and the size of the file */
    bool is_part;             /* a range was asked for */
    char etag[40];            /* with its quotes */
} ReplyFile;

typedef enum ReplyFormat { REPLY_JSON, REPLY_CBOR } ReplyFormat;

typedef struct Reply {
    unsigned status;
    const char *type; /* Content-Type */
    char *body;       /* from malloc; response_create takes it over; NULL with an asset or a file */
    size_t size;
    const Asset *asset;
    bool is_file; /* the body is that of `file` */
    ReplyFile file;
    const char *allow; /* allowed methods, for status 405 and for OPTIONS */
    CachePolicy cache_policy;
    bool negotiated; /* the format depends on the Accept header */
    bool damaged;    /* a damaged file was met */
} Reply;

/* Each of these fills a reply. */

/* A JSON value, which is taken over. NULL means "out of memory". */
void reply_json(Reply *reply, unsigned status, json_t *value);

/* A JSON value in a format, with status 200. "Out of memory" is always in JSON. */
void reply_object(Reply *reply, ReplyFormat format, json_t *value);

/* {"error":{"code":...,"message":...}} */
void reply_error(Reply *reply, unsigned status, const char *code, const char *message);

/* The error for a missing table. `advice`, a string or null, says how to get the table; it is taken
 * over. */
void reply_missing(Reply *reply, const char *message, json_t *advice);

/* The error for any other failure of the library. */
void reply_failure(Reply *reply, const treb_error *error);

/* Text, which is copied. */
void reply_text(Reply *reply, const char *type, const char *text);

#endif
