/* response.c - see response.h. */
#include "server/response.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#include "server/headers.h"

static const char *cache_control(CachePolicy policy)
{
    switch (policy) {
    case CACHE_FOREVER:
        return "public, max-age=604800";
    case CACHE_NEVER:
        return "no-store";
    default:
        return "no-cache";
    }
}

/* Returns the request headers that the response depends on; NULL if there are none. */
static const char *vary(const Response *response)
{
    if (response->negotiated) return response->varies ? "Accept, Accept-Encoding" : "Accept";
    return response->varies ? "Accept-Encoding" : NULL;
}

/* Adds the headers that every form of a response has, including 304. */
static void add_headers(struct MHD_Response *mhd, const Response *response, const char *etag)
{
    MHD_add_response_header(mhd, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    MHD_add_response_header(mhd, "Access-Control-Expose-Headers",
                            "ETag, Retry-After, Content-Range");
    MHD_add_response_header(mhd, MHD_HTTP_HEADER_CACHE_CONTROL,
                            cache_control(response->cache_policy));
    if (*etag) MHD_add_response_header(mhd, MHD_HTTP_HEADER_ETAG, etag);
    if (vary(response) != NULL) MHD_add_response_header(mhd, MHD_HTTP_HEADER_VARY, vary(response));
}

static void add_content_headers(struct MHD_Response *mhd, const Response *response, bool gzip)
{
    add_headers(mhd, response, gzip ? response->gzip_etag : response->etag);
    if (response->type != NULL)
        MHD_add_response_header(mhd, MHD_HTTP_HEADER_CONTENT_TYPE, response->type);
    MHD_add_response_header(mhd, "X-Content-Type-Options", "nosniff");
    if (gzip) MHD_add_response_header(mhd, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    if (response->cache_policy == CACHE_ASSET) {
        MHD_add_response_header(mhd, "Content-Security-Policy",
                                "default-src 'none'; script-src 'self'; style-src 'self'; "
                                "img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
                                "form-action 'none'; frame-ancestors 'none'");
        MHD_add_response_header(mhd, "Referrer-Policy", "same-origin");
    }
}

static void set_etags(Response *response, const char *body)
{
    unsigned long long hash = XXH3_64bits(body, response->size);
    snprintf(response->etag, sizeof response->etag, "\"%016llx\"", hash);
    snprintf(response->gzip_etag, sizeof response->gzip_etag, "\"%016llx-gzip\"", hash);
}

/* Uses a file of the page. It is static, so it is neither copied nor freed, and it may have a
 * compressed form already. */
static void use_asset(Response *response, const Asset *asset)
{
    size_t length = strlen(asset->etag);
    snprintf(response->etag, sizeof response->etag, "%s", asset->etag);
    if (length > 2)
        snprintf(response->gzip_etag, sizeof response->gzip_etag, "%.*s-gzip\"", (int)length - 1,
                 asset->etag);
    response->type = asset->type;
    response->size = asset->size;
    response->varies = asset->gzip != NULL;
    response->plain = MHD_create_response_from_buffer(asset->size, (void *)(uintptr_t)asset->data,
                                                      MHD_RESPMEM_PERSISTENT);
    if (asset->gzip == NULL) return;
    struct MHD_Response *gzip = MHD_create_response_from_buffer(
        asset->gzip_size, (void *)(uintptr_t)asset->gzip, MHD_RESPMEM_PERSISTENT);
    if (gzip == NULL) return;
    atomic_init(&response->gzip_size, asset->gzip_size);
    add_content_headers(gzip, response, true);
    atomic_init(&response->gzip, gzip);
}

/* Uses a part of a file, which is sent from where it is. */
static void use_file(Response *response, const ReplyFile *file)
{
    snprintf(response->etag, sizeof response->etag, "%s", file->etag);
    snprintf(response->gzip_etag, sizeof response->gzip_etag, "%s", file->etag);
    response->size = (size_t)file->size;
    response->plain = MHD_create_response_from_fd_at_offset64(file->size, file->file, file->at);
    if (response->plain == NULL) close(file->file);
}

static void add_range_headers(struct MHD_Response *mhd, const ReplyFile *file)
{
    char range[80];
    MHD_add_response_header(mhd, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
    if (!file->is_part) return;
    snprintf(range, sizeof range, "bytes %llu-%llu/%llu", (unsigned long long)file->at,
             (unsigned long long)(file->at + file->size - 1), (unsigned long long)file->whole);
    MHD_add_response_header(mhd, MHD_HTTP_HEADER_CONTENT_RANGE, range);
}

/* Adds the headers that only files of tables, errors and the answer to OPTIONS have. */
static void add_special_headers(struct MHD_Response *mhd, const Reply *reply)
{
    if (reply->is_file) add_range_headers(mhd, &reply->file);
    if (reply->allow != NULL) MHD_add_response_header(mhd, MHD_HTTP_HEADER_ALLOW, reply->allow);
    if (reply->status == MHD_HTTP_NO_CONTENT) {
        MHD_add_response_header(mhd, "Access-Control-Allow-Methods", reply->allow);
        /* The star does not stand for Authorization, which clients with a proxy may send. */
        MHD_add_response_header(mhd, "Access-Control-Allow-Headers",
                                "*, Authorization, Content-Type, If-None-Match");
        MHD_add_response_header(mhd, "Access-Control-Max-Age", "86400");
    }
    if (reply->status == MHD_HTTP_SERVICE_UNAVAILABLE ||
        reply->status == MHD_HTTP_TOO_MANY_REQUESTS)
        MHD_add_response_header(mhd, MHD_HTTP_HEADER_RETRY_AFTER, "1");
}

/* Takes over the body of a reply. */
static void use_body(Response *response, Reply *reply)
{
    if (reply->status == MHD_HTTP_OK && reply->cache_policy != CACHE_NEVER && reply->body != NULL)
        set_etags(response, reply->body);
    response->varies = reply->size >= RESPONSE_GZIP_LEAST;
    response->body = reply->body;
    response->plain =
        MHD_create_response_from_buffer(reply->size, reply->body, MHD_RESPMEM_MUST_FREE);
    if (response->plain == NULL) free(reply->body);
    reply->body = NULL;
}

Response *response_create(Reply *reply)
{
    /* Either a file, or a body. A body that is NULL could not be allocated. */
    assert((reply->asset == NULL && !reply->is_file) || reply->body == NULL);
    assert(reply->status >= 200 && reply->status < 600);
    Response *response = calloc(1, sizeof *response);
    if (response == NULL) {
        free(reply->body);
        if (reply->is_file) close(reply->file.file);
        return NULL;
    }
    atomic_init(&response->users, 1);
    response->status = reply->status;
    response->cache_policy = reply->cache_policy;
    response->negotiated = reply->negotiated;
    response->type = reply->type;
    response->size = reply->size;
    if (reply->asset != NULL)
        use_asset(response, reply->asset);
    else if (reply->is_file)
        use_file(response, &reply->file);
    else
        use_body(response, reply);
    if (response->plain == NULL) {
        response_release(response);
        return NULL;
    }
    add_content_headers(response->plain, response, false);
    add_special_headers(response->plain, reply);
    return response;
}

Response *response_retain(Response *response)
{
    atomic_fetch_add_explicit(&response->users, 1, memory_order_relaxed);
    return response;
}

void response_release(Response *response)
{
    if (response == NULL) return;
    assert(atomic_load(&response->users) > 0);
    if (atomic_fetch_sub_explicit(&response->users, 1, memory_order_acq_rel) != 1) return;
    struct MHD_Response *gzip = atomic_load(&response->gzip);
    if (gzip != NULL) MHD_destroy_response(gzip);
    if (response->plain != NULL) MHD_destroy_response(response->plain);
    free(response);
}

size_t response_bytes(const Response *response)
{
    enum { HEADERS = 1536 }; /* bytes that the HTTP library takes for a response and its headers */
    return sizeof *response + HEADERS + response->size + response->size / 4;
}

/* ---- Compression ----------------------------------------------------------------------------- */

/* Returns the body as a gzip file; NULL on failure, or if it is not smaller. */
static char *gzip_body(const Response *response, size_t *size)
{
    z_stream stream = {0};
    enum { GZIP_WINDOW = 15 + 16, MEMORY = 8, LEVEL = 5 };
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    char *out = malloc(response->size);
    stream.next_in = (Bytef *)(uintptr_t)response->body;
    stream.avail_in = (uInt)response->size;
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)response->size;
    bool done = out != NULL && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *size = stream.total_out;
    deflateEnd(&stream);
    if (done) return out;
    free(out);
    return NULL;
}

void response_compress(Response *response)
{
    size_t size = 0;
    if (response->body == NULL || response->size < RESPONSE_GZIP_LEAST ||
        response->size > UINT32_MAX / 2 || response->status != MHD_HTTP_OK ||
        atomic_load(&response->gzip) != NULL)
        return;
    char *body = gzip_body(response, &size);
    if (body == NULL) return;
    struct MHD_Response *gzip = MHD_create_response_from_buffer(size, body, MHD_RESPMEM_MUST_FREE);
    if (gzip == NULL) {
        free(body);
        return;
    }
    add_content_headers(gzip, response, true);
    atomic_store(&response->gzip_size, size);
    struct MHD_Response *none = NULL;
    if (!atomic_compare_exchange_strong(&response->gzip, &none, gzip)) MHD_destroy_response(gzip);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static enum MHD_Result queue_unchanged(const Response *response, struct MHD_Connection *connection,
                                       bool gzip, unsigned *status, size_t *bytes)
{
    struct MHD_Response *mhd = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (mhd == NULL) return MHD_NO;
    add_headers(mhd, response, gzip ? response->gzip_etag : response->etag);
    *status = MHD_HTTP_NOT_MODIFIED;
    *bytes = 0;
    enum MHD_Result result = MHD_queue_response(connection, *status, mhd);
    MHD_destroy_response(mhd);
    return result;
}

static bool is_unchanged(const Response *response, struct MHD_Connection *connection)
{
    if (response->etag[0] == '\0') return false;
    const char *value =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
    return headers_match_etag(value, response->etag, response->gzip_etag);
}

enum MHD_Result response_queue(Response *response, struct MHD_Connection *connection, bool gzip,
                               unsigned *status, size_t *bytes)
{
    struct MHD_Response *packed = NULL;
    if (gzip) {
        response_compress(response);
        packed = atomic_load(&response->gzip);
    }
    if (is_unchanged(response, connection))
        return queue_unchanged(response, connection, packed != NULL, status, bytes);
    *status = response->status;
    *bytes = packed != NULL ? atomic_load(&response->gzip_size) : response->size;
    return MHD_queue_response(connection, response->status,
                              packed != NULL ? packed : response->plain);
}
