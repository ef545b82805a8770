/* served.c - answers in the form in which they are sent; see reply.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

#include "server/headers.h"
#include "server/reply.h"

static const char *cache_control(ReplyFor lasts)
{
    switch (lasts) {
    case REPLY_FOREVER:
        return "public, max-age=604800";
    case REPLY_NOW:
        return "no-store";
    default:
        return "no-cache";
    }
}

/* What of a request an answer depends on, beside its target; NULL if nothing. */
static const char *vary(const Served *served)
{
    if (served->negotiated) return served->varies ? "Accept, Accept-Encoding" : "Accept";
    return served->varies ? "Accept-Encoding" : NULL;
}

/* The headers that an answer has in each of its forms, 304 included. */
static void add_headers(struct MHD_Response *response, const Served *served, const char *etag)
{
    MHD_add_response_header(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, cache_control(served->lasts));
    if (*etag) MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, etag);
    if (vary(served) != NULL) MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, vary(served));
}

static void add_content_headers(struct MHD_Response *response, const Served *served, bool gzip)
{
    add_headers(response, served, gzip ? served->gzip_etag : served->etag);
    if (served->type != NULL)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, served->type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (gzip) MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    if (served->lasts == REPLY_ASSET) {
        MHD_add_response_header(response, "Content-Security-Policy",
                                "default-src 'none'; script-src 'self'; style-src 'self'; "
                                "img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
                                "form-action 'none'; frame-ancestors 'none'");
        MHD_add_response_header(response, "Referrer-Policy", "same-origin");
    }
}

static void set_etags(Served *served, const char *body)
{
    unsigned long long hash = XXH3_64bits(body, served->size);
    snprintf(served->etag, sizeof served->etag, "\"%016llx\"", hash);
    snprintf(served->gzip_etag, sizeof served->gzip_etag, "\"%016llx-gzip\"", hash);
}

/* A file of the page is static: it is neither copied nor freed, and compressed already. */
static void use_asset(Served *served, const Asset *asset)
{
    size_t length = strlen(asset->etag);
    snprintf(served->etag, sizeof served->etag, "%s", asset->etag);
    if (length > 2)
        snprintf(served->gzip_etag, sizeof served->gzip_etag, "%.*s-gzip\"", (int)length - 1,
                 asset->etag);
    served->type = asset->type;
    served->size = asset->size;
    served->varies = asset->gzip != NULL;
    served->plain = MHD_create_response_from_buffer(asset->size, (void *)(uintptr_t)asset->data,
                                                    MHD_RESPMEM_PERSISTENT);
    if (asset->gzip == NULL) return;
    struct MHD_Response *gzip = MHD_create_response_from_buffer(
        asset->gzip_size, (void *)(uintptr_t)asset->gzip, MHD_RESPMEM_PERSISTENT);
    if (gzip == NULL) return;
    atomic_init(&served->gzip_size, asset->gzip_size);
    add_content_headers(gzip, served, true);
    atomic_init(&served->gzip, gzip);
}

/* What errors and the answer to OPTIONS have on top. */
static void add_special_headers(struct MHD_Response *response, const Reply *reply)
{
    if (reply->allow != NULL)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, reply->allow);
    if (reply->status == MHD_HTTP_NO_CONTENT) {
        MHD_add_response_header(response, "Access-Control-Allow-Methods", reply->allow);
        MHD_add_response_header(response, "Access-Control-Allow-Headers",
                                "Content-Type, If-None-Match");
        MHD_add_response_header(response, "Access-Control-Max-Age", "86400");
    }
    if (reply->status == MHD_HTTP_SERVICE_UNAVAILABLE ||
        reply->status == MHD_HTTP_TOO_MANY_REQUESTS)
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
}

/* Takes over a body that was made for this reply. */
static void use_body(Served *served, Reply *reply)
{
    if (reply->status == MHD_HTTP_OK && reply->lasts != REPLY_NOW && reply->body != NULL)
        set_etags(served, reply->body);
    served->varies = reply->size >= REPLY_GZIP_LEAST;
    served->body = reply->body;
    served->plain =
        MHD_create_response_from_buffer(reply->size, reply->body, MHD_RESPMEM_MUST_FREE);
    if (served->plain == NULL) free(reply->body);
    reply->body = NULL;
}

Served *served_create(Reply *reply)
{
    /* A file of the page or a body; a body that is NULL is one without memory. */
    assert(reply->asset == NULL || reply->body == NULL);
    assert(reply->status >= 200 && reply->status < 600);
    Served *served = calloc(1, sizeof *served);
    if (served == NULL) {
        free(reply->body);
        return NULL;
    }
    atomic_init(&served->users, 1);
    served->status = reply->status;
    served->lasts = reply->lasts;
    served->negotiated = reply->negotiated;
    served->type = reply->type;
    served->size = reply->size;
    if (reply->asset != NULL)
        use_asset(served, reply->asset);
    else
        use_body(served, reply);
    if (served->plain == NULL) {
        served_release(served);
        return NULL;
    }
    add_content_headers(served->plain, served, false);
    add_special_headers(served->plain, reply);
    return served;
}

Served *served_retain(Served *served)
{
    atomic_fetch_add_explicit(&served->users, 1, memory_order_relaxed);
    return served;
}

void served_release(Served *served)
{
    if (served == NULL) return;
    assert(atomic_load(&served->users) > 0);
    if (atomic_fetch_sub_explicit(&served->users, 1, memory_order_acq_rel) != 1) return;
    struct MHD_Response *gzip = atomic_load(&served->gzip);
    if (gzip != NULL) MHD_destroy_response(gzip);
    if (served->plain != NULL) MHD_destroy_response(served->plain);
    free(served);
}

size_t served_bytes(const Served *served)
{
    enum { HEADERS = 1536 }; /* a response with its headers, as the library keeps it */
    return sizeof *served + HEADERS + served->size + served->size / 4;
}

/* ---- Compression ----------------------------------------------------------------------------- */

/* The body as a gzip file; NULL if that fails or gains nothing. */
static char *gzip_body(const Served *served, size_t *size)
{
    z_stream stream = {0};
    enum { GZIP_WINDOW = 15 + 16, MEMORY = 8, LEVEL = 5 };
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    char *out = malloc(served->size);
    stream.next_in = (Bytef *)(uintptr_t)served->body;
    stream.avail_in = (uInt)served->size;
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)served->size;
    bool done = out != NULL && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *size = stream.total_out;
    deflateEnd(&stream);
    if (done) return out;
    free(out);
    return NULL;
}

void served_compress(Served *served)
{
    size_t size = 0;
    if (served->body == NULL || served->size < REPLY_GZIP_LEAST || served->size > UINT32_MAX / 2 ||
        served->status != MHD_HTTP_OK || atomic_load(&served->gzip) != NULL)
        return;
    char *body = gzip_body(served, &size);
    if (body == NULL) return;
    struct MHD_Response *gzip = MHD_create_response_from_buffer(size, body, MHD_RESPMEM_MUST_FREE);
    if (gzip == NULL) {
        free(body);
        return;
    }
    add_content_headers(gzip, served, true);
    atomic_store(&served->gzip_size, size);
    struct MHD_Response *none = NULL;
    if (!atomic_compare_exchange_strong(&served->gzip, &none, gzip)) MHD_destroy_response(gzip);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static enum MHD_Result queue_unchanged(const Served *served, struct MHD_Connection *connection,
                                       bool gzip, unsigned *status, size_t *bytes)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) return MHD_NO;
    add_headers(response, served, gzip ? served->gzip_etag : served->etag);
    *status = MHD_HTTP_NOT_MODIFIED;
    *bytes = 0;
    enum MHD_Result result = MHD_queue_response(connection, *status, response);
    MHD_destroy_response(response);
    return result;
}

static bool is_unchanged(const Served *served, struct MHD_Connection *connection)
{
    if (served->etag[0] == '\0') return false;
    const char *value =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
    return headers_match_etag(value, served->etag, served->gzip_etag);
}

enum MHD_Result served_queue(Served *served, struct MHD_Connection *connection, bool gzip,
                             unsigned *status, size_t *bytes)
{
    struct MHD_Response *packed = NULL;
    if (gzip) {
        served_compress(served);
        packed = atomic_load(&served->gzip);
    }
    if (is_unchanged(served, connection))
        return queue_unchanged(served, connection, packed != NULL, status, bytes);
    *status = served->status;
    *bytes = packed != NULL ? atomic_load(&served->gzip_size) : served->size;
    return MHD_queue_response(connection, served->status, packed != NULL ? packed : served->plain);
}
