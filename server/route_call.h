/* route_call.h - the arguments of a route, and what routes share: reading parameters, and filling
 * replies from answers. */
#ifndef TREB_SERVER_ROUTE_CALL_H
#define TREB_SERVER_ROUTE_CALL_H

#include "server/background.h"
#include "server/metrics.h"
#include "server/query.h"
#include "server/reply.h"
#include "server/tableset.h"
#include "json/context.h"

typedef struct RouteCall {
    TableHolder *holder;
    TableSet *set;
    Metrics *metrics;
    const Query *query;
    const char *path_suffix; /* the part of the path after the route's prefix */
    const char *body;
    size_t size;
    const atomic_bool *cancel; /* becomes true when the work must end; may be NULL */
    uint64_t deadline;         /* time of clock_nanoseconds at which the work must end; 0: none */
    const char *range;         /* the bytes of a file that the client wants, "bytes=0-99"; may be NULL */
    ReplyFormat format;        /* the client's choice, for routes with more than one format */
    bool allow_empty;          /* a server without tables is ready */
    bool remove;               /* the method is DELETE */
    const char *client_key;    /* identifies the client for limits */
    Background *background;
    unsigned list_men;      /* lists are made of endings of up to this many men */
    uint64_t solve_memory;  /* bytes for solving one position; 0: no position is solved */
    unsigned solve_seconds; /* most seconds for solving one position */
    /* Says how to make a table, for the owner of this machine; NULL for other clients. See
     * ServerOptions. */
    bool (*advise)(const char *material, char *text, size_t size);
} RouteCall;

/* ---- Parameters ------------------------------------------------------------------------------ */

/* Each of these reads a parameter. Returns false after filling the reply with an error. */

/* Any parameter, which may be there once; *value is NULL if it is not there. */
bool route_get(const RouteCall *call, const char *name, const char **value, Reply *reply);

/* `fen`, which is required. */
bool route_get_position(const RouteCall *call, treb_position *pos, Reply *reply);

/* `fen`, which is required, read as lila-tablebase does. */
bool route_get_standard(const RouteCall *call, treb_position *pos, Reply *reply);

/* `metric`; TREB_WDL by default. */
bool route_get_metric(const RouteCall *call, treb_metric *metric, Reply *reply);

/* `rule`; the 50-move rule by default. */
bool route_get_rule(const RouteCall *call, treb_rule *rule, Reply *reply);

/* `dtc`, as lila-tablebase has it: whether DTC is shown for the position. "auxiliary" by default. */
bool route_get_dtc(const RouteCall *call, const treb_position *pos, bool *shown, Reply *reply);

/* A parameter that is "white" or "black"; -1 by default. */
bool route_get_color(const RouteCall *call, const char *name, int *color, Reply *reply);

/* `verdict` as a treb_wdl; -1 by default. */
bool route_get_verdict(const RouteCall *call, int *verdict, Reply *reply);

/* ---- Replies --------------------------------------------------------------------------------- */

/* The context for answers to this call. */
AnswerContext route_context(const RouteCall *call);

/* How to make the table of a missing material, as a JSON string; null if `material` is "", or if the
 * client is not the owner of this machine, who alone could do it. */
json_t *route_advice(const RouteCall *call, const char *material);

/* Fills the reply with an answer, which is taken over, or with the failure if it is NULL. The policy
 * for caching is `most`, or a stricter one if something was missing or failed. */
void route_give(const RouteCall *call, Reply *reply, const AnswerContext *context, json_t *object,
                const treb_error *error, CachePolicy most);

/* As route_give, in a format. */
void route_give_as(ReplyFormat format, const RouteCall *call, Reply *reply,
                   const AnswerContext *context, json_t *object, const treb_error *error,
                   CachePolicy most);

/* Fills the reply with a failure of the library, with advice if a table is missing. */
void route_failure(const RouteCall *call, Reply *reply, const treb_error *error);

#endif
