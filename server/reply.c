/* reply.c - see reply.h. */
#include "server/reply.h"

#include <stdlib.h>
#include <string.h>

#include "server/cbor.h"
#include "json/words.h"

static const char media_json[] = "application/json", media_cbor[] = "application/cbor";

void reply_json(Reply *reply, unsigned status, json_t *value)
{
    reply->status = status;
    reply->type = media_json;
    reply->body = value != NULL ? json_dumps(value, JSON_COMPACT) : NULL;
    json_decref(value);
    if (reply->body == NULL) {
        static const char text[] =
            "{\"error\":{\"code\":\"memory\",\"message\":\"out of memory\"}}";
        reply->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
        reply->cache_policy = CACHE_NEVER;
        reply->body = strdup(text);
    }
    reply->size = reply->body != NULL ? strlen(reply->body) : 0;
}

void reply_object(Reply *reply, ReplyFormat format, json_t *value)
{
    if (format == REPLY_JSON || value == NULL) {
        reply_json(reply, MHD_HTTP_OK, value);
        return;
    }
    reply->status = MHD_HTTP_OK;
    reply->type = media_cbor;
    reply->body = cbor_of_json(value, &reply->size);
    json_decref(value);
    if (reply->body == NULL) reply_json(reply, MHD_HTTP_OK, NULL);
}

void reply_error(Reply *reply, unsigned status, const char *code, const char *message)
{
    json_t *object = json_object();
    json_object_set_new(object, "error", answer_error(code, message));
    reply->cache_policy = CACHE_NEVER;
    reply_json(reply, status, object);
}

void reply_missing(Reply *reply, const char *message, json_t *advice)
{
    json_t *object = json_object(), *error = answer_error(answer_code(TREB_ERR_NO_TABLE), message);
    json_object_set_new(error, "advice", advice);
    json_object_set_new(object, "error", error);
    reply->cache_policy = CACHE_NEVER;
    reply_json(reply, MHD_HTTP_NOT_FOUND, object);
}

static unsigned status_of(treb_status status)
{
    switch (status) {
    case TREB_ERR_FEN:
    case TREB_ERR_POSITION:
    case TREB_ERR_ARGUMENT:
        return MHD_HTTP_BAD_REQUEST;
    case TREB_ERR_CASTLING:
    case TREB_ERR_MEN:
    case TREB_ERR_NO_TABLE:
        return MHD_HTTP_NOT_FOUND;
    case TREB_ERR_NETWORK:
        return MHD_HTTP_BAD_GATEWAY;
    case TREB_ERR_TIMEOUT:
        return MHD_HTTP_GATEWAY_TIMEOUT;
    default:
        return MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
}

void reply_failure(Reply *reply, const treb_error *error)
{
    bool memory = error->status == TREB_OK; /* a failure without a reason: JSON had no memory */
    treb_status status = memory ? TREB_ERR_MEMORY : error->status;
    reply->damaged = status == TREB_ERR_DAMAGED;
    reply_error(reply, status_of(status), answer_code(status),
                memory ? "out of memory" : error->text);
}

void reply_text(Reply *reply, const char *type, const char *text)
{
    reply->status = MHD_HTTP_OK;
    reply->type = type;
    reply->cache_policy = CACHE_NEVER;
    reply->body = strdup(text);
    reply->size = reply->body != NULL ? strlen(text) : 0;
}
