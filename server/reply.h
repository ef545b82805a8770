/* reply.h - an answer to a request: first its content (Reply), which knows nothing of the HTTP
 * library, then in the form in which it is sent, perhaps many times (Served). */
#ifndef TREB_SERVER_REPLY_H
#define TREB_SERVER_REPLY_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "server/asset.h"
#include "trebuchet.h"

enum { REPLY_GZIP_LEAST = 1400 }; /* bytes: what fits into a packet need not be compressed */

/* How long an answer holds. */
typedef enum ReplyFor {
    REPLY_NOW,     /* must be asked for again */
    REPLY_SET,     /* as long as the tables are the same ones: ask whether it has changed */
    REPLY_FOREVER, /* it never changes */
    REPLY_ASSET    /* a file of the page: ask whether it has changed */
} ReplyFor;

/* How an object is written. */
typedef enum ReplyFormat { REPLY_JSON, REPLY_CBOR } ReplyFormat;

typedef struct Reply {
    unsigned status;
    const char *type; /* Content-Type */
    char *body;       /* from malloc, goes over to Served; NULL with an asset */
    size_t size;
    const Asset *asset;
    const char *allow; /* methods, with 405 and OPTIONS */
    ReplyFor lasts;
    bool negotiated; /* the format depends on Accept */
    bool damaged;    /* a damaged file was met */
} Reply;

/* Fills a reply with a JSON value, which it takes over; NULL is "out of memory". */
void reply_json(Reply *reply, unsigned status, json_t *value);

/* The same in a format; errors are always JSON. */
void reply_object(Reply *reply, ReplyFormat format, json_t *value);

/* Fills it with {"error":{"code":...,"message":...}}. */
void reply_error(Reply *reply, unsigned status, const char *code, const char *message);

/* The same for a table that is missing, with advice on how to get it: a string or null, which it
 * takes over. */
void reply_missing(Reply *reply, const char *message, json_t *advice);

/* The same for a failure of the library. */
void reply_failure(Reply *reply, const treb_error *error);

/* Fills it with text, which is copied. */
void reply_text(Reply *reply, const char *type, const char *text);

/* ---- Served ---------------------------------------------------------------------------------- */

typedef struct Served {
    atomic_uint users;
    unsigned status;
    size_t size;
    _Atomic size_t gzip_size;
    ReplyFor lasts;
    bool varies;     /* there is, or may be, a compressed form */
    bool negotiated; /* the format depends on Accept */
    char etag[40], gzip_etag[40];
    const char *type;
    const char *body;           /* inside of `plain` */
    struct MHD_Response *plain; /* uncompressed */
    _Atomic(struct MHD_Response *) gzip;
} Served;

/* Makes what can be sent of a reply, whose body it takes over. NULL without memory. */
Served *served_create(Reply *reply);
Served *served_retain(Served *served);
void served_release(Served *served);

/* Bytes of memory it takes, about. */
size_t served_bytes(const Served *served);

/* Compresses it if that pays and has not been done. */
void served_compress(Served *served);

/* Queues it on a connection, compressed if that is there and accepted, or as "304 Not Modified" if
 * the client has it. Tells the status and the bytes of the body as sent. */
enum MHD_Result served_queue(Served *served, struct MHD_Connection *connection, bool gzip,
                             unsigned *status, size_t *bytes);

#endif
