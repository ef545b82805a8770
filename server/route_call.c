/* route_call.c - see route_call.h. */
#include "server/route_call.h"

#include <string.h>

#include "json/position_read.h"
#include "json/words.h"

/* ---- Parameters ------------------------------------------------------------------------------ */

bool route_get(const RouteCall *call, const char *name, const char **value, Reply *reply)
{
    bool twice;
    char text[64];
    *value = query_get(call->query, name, &twice);
    if (!twice) return true;
    snprintf(text, sizeof text, "the parameter %s is given more than once", name);
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request", text);
    return false;
}

typedef treb_status ReadText(const char *text, treb_position *out, treb_error *error);

static bool read_position(const RouteCall *call, ReadText *read, treb_position *pos, Reply *reply)
{
    const char *text;
    treb_error error;
    if (!route_get(call, "fen", &text, reply)) return false;
    if (text == NULL) {
        reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request",
                    "the parameter fen is missing: give a position, such as "
                    "?fen=8/8/8/8/8/2k5/1q6/K7_w_-_-_0_1");
        return false;
    }
    if (read(text, pos, &error) == TREB_OK) return true;
    reply_failure(reply, &error);
    return false;
}

bool route_get_position(const RouteCall *call, treb_position *pos, Reply *reply)
{
    return read_position(call, answer_read_position, pos, reply);
}

bool route_get_standard(const RouteCall *call, treb_position *pos, Reply *reply)
{
    return read_position(call, answer_read_standard, pos, reply);
}

bool route_get_metric(const RouteCall *call, treb_metric *metric, Reply *reply)
{
    const char *text;
    *metric = TREB_WDL;
    if (!route_get(call, "metric", &text, reply)) return false;
    if (text == NULL || answer_metric_of(text, metric)) return true;
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request",
                "the parameter metric must be dtm50, dtm, dtc or dtz");
    return false;
}

bool route_get_rule(const RouteCall *call, treb_rule *rule, Reply *reply)
{
    const char *text;
    *rule = TREB_RULE_50;
    if (!route_get(call, "rule", &text, reply)) return false;
    if (text == NULL || answer_rule_of(text, rule)) return true;
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request",
                "the parameter rule must be 50 or none");
    return false;
}

bool route_get_dtc(const RouteCall *call, const treb_position *pos, bool *shown, Reply *reply)
{
    const char *text;
    if (!route_get(call, "dtc", &text, reply)) return false;
    if (answer_dtc_of(text != NULL ? text : "auxiliary", pos, shown)) return true;
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request",
                "the parameter dtc must be never, auxiliary or always");
    return false;
}

bool route_get_color(const RouteCall *call, const char *name, int *color, Reply *reply)
{
    const char *text;
    char problem[64];
    *color = -1;
    if (!route_get(call, name, &text, reply)) return false;
    if (text != NULL && strcmp(text, "white") == 0) *color = TREB_WHITE;
    if (text != NULL && strcmp(text, "black") == 0) *color = TREB_BLACK;
    if (text == NULL || *color >= 0) return true;
    snprintf(problem, sizeof problem, "the parameter %s must be white or black", name);
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request", problem);
    return false;
}

bool route_get_verdict(const RouteCall *call, int *verdict, Reply *reply)
{
    const char *text;
    *verdict = -1;
    if (!route_get(call, "verdict", &text, reply)) return false;
    treb_wdl wdl;
    if (text == NULL) return true;
    if (answer_verdict_of(text, &wdl)) {
        *verdict = (int)wdl;
        return true;
    }
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request",
                "the parameter verdict must be win, cursed_win, draw, blessed_loss or loss");
    return false;
}

/* ---- Replies --------------------------------------------------------------------------------- */

/* Returns the policy for an answer with these flags of its context. */
static CachePolicy policy_of(unsigned flags)
{
    if (flags & (ANSWER_DAMAGED | ANSWER_FAILED)) return CACHE_NEVER;
    return flags & ANSWER_PARTIAL ? CACHE_TABLE_SET : CACHE_FOREVER;
}

AnswerContext route_context(const RouteCall *call)
{
    return (AnswerContext){.tables = call->set->tables,
                           .directories = call->holder->directories,
                           .directory_count = call->holder->count,
                           .cancel = call->cancel,
                           .deadline = call->deadline};
}

json_t *route_advice(const RouteCall *call, const char *material)
{
    char text[256];
    json_t *advice = NULL;
    if (call->advise != NULL && material[0] != '\0' && call->advise(material, text, sizeof text))
        advice = json_string(text);
    return advice != NULL ? advice : json_null();
}

static void give_stopped(const RouteCall *call, Reply *reply)
{
    if (call->cancel != NULL && atomic_load(call->cancel))
        reply_error(reply, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                    "the server is shutting down: ask again when it is back");
    else
        reply_error(
            reply, MHD_HTTP_SERVICE_UNAVAILABLE, "time_up",
            "there was not enough time for this answer: ask for less at once, or ask again, "
            "as the blocks that were read so far are in memory now");
}

void route_failure(const RouteCall *call, Reply *reply, const treb_error *error)
{
    if (error->status == TREB_ERR_NO_TABLE)
        reply_missing(reply, error->text, route_advice(call, error->material));
    else
        reply_failure(reply, error);
}

void route_give_as(ReplyFormat format, const RouteCall *call, Reply *reply,
                   const AnswerContext *context, json_t *object, const treb_error *error,
                   CachePolicy most)
{
    if (context->flags & ANSWER_STOPPED) {
        json_decref(object);
        give_stopped(call, reply);
    } else if (object == NULL) {
        route_failure(call, reply, error);
    } else {
        CachePolicy policy = policy_of(context->flags);
        reply->cache_policy = policy < most ? policy : most;
        reply_object(reply, format, object);
    }
    if (context->flags & ANSWER_DAMAGED) reply->damaged = true;
}

void route_give(const RouteCall *call, Reply *reply, const AnswerContext *context, json_t *object,
                const treb_error *error, CachePolicy most)
{
    route_give_as(REPLY_JSON, call, reply, context, object, error, most);
}
