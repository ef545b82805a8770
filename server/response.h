/* response.h - an answer as it is sent over HTTP, possibly many times and in two forms: plain and
 * compressed. Counted references; safe to use from several threads. */
#ifndef TREB_SERVER_RESPONSE_H
#define TREB_SERVER_RESPONSE_H

#include <microhttpd.h>
#include <stdatomic.h>

#include "server/reply.h"

enum { RESPONSE_GZIP_LEAST = 1400 }; /* bytes: a smaller body fits into one packet uncompressed */

typedef struct Response {
    atomic_uint users;
    unsigned status;
    size_t size;
    _Atomic size_t gzip_size;
    CachePolicy cache_policy;
    bool varies;     /* there is, or may be, a compressed form */
    bool negotiated; /* the format depends on the Accept header */
    char etag[40], gzip_etag[40];
    const char *type;
    const char *body;                    /* the uncompressed body, owned by `plain` */
    struct MHD_Response *plain;          /* uncompressed */
    _Atomic(struct MHD_Response *) gzip; /* compressed, or NULL */
} Response;

/* Makes a response of a reply and takes over its body. Returns NULL if there is no memory. */
Response *response_create(Reply *reply);
Response *response_retain(Response *response);
void response_release(Response *response);

/* Returns the bytes of memory that the response takes, approximately. */
size_t response_bytes(const Response *response);

/* Compresses the body, unless this was done before or does not make it smaller. */
void response_compress(Response *response);

/* Queues the response on a connection. Sends the compressed form if there is one and `gzip` allows
 * it, or "304 Not Modified" if the client already has the body. Sets the status and the number of
 * body bytes that are sent. */
enum MHD_Result response_queue(Response *response, struct MHD_Connection *connection, bool gzip,
                               unsigned *status, size_t *bytes);

#endif
