/* routes.c - see routes.h. */
#include "server/routes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "json/answer.h"
#include "server/jobs.h"
#include "server/openapi.h"

/* ---- Parameters ------------------------------------------------------------------------------ */

/* The value of a parameter. False after filling in why it will not do. */
static bool get_once(const RouteCall *call, const char *name, const char **value, Reply *reply)
{
    bool twice;
    char text[64];
    *value = query_get(call->query, name, &twice);
    if (!twice) return true;
    snprintf(text, sizeof text, "the parameter %s is there more than once", name);
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request", text);
    return false;
}

typedef treb_status ReadText(const char *text, treb_position *out, treb_error *error);

static bool read_position(const RouteCall *call, ReadText *read, treb_position *pos, Reply *reply)
{
    const char *text;
    treb_error error;
    if (!get_once(call, "fen", &text, reply)) return false;
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

static bool get_position(const RouteCall *call, treb_position *pos, Reply *reply)
{
    return read_position(call, answer_read_position, pos, reply);
}

/* TREB_WDL if none is given. */
static bool get_metric(const RouteCall *call, treb_metric *metric, Reply *reply)
{
    const char *text;
    *metric = TREB_WDL;
    if (!get_once(call, "metric", &text, reply)) return false;
    if (text == NULL || answer_metric(text, metric)) return true;
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request",
                "the parameter metric must be dtm, dtc or dtz");
    return false;
}

/* The 50-move rule if none is given. */
static bool get_rule(const RouteCall *call, treb_rule *rule, Reply *reply)
{
    const char *text;
    *rule = TREB_RULE_50;
    if (!get_once(call, "rule", &text, reply)) return false;
    if (text == NULL || answer_rule_of(text, rule)) return true;
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request",
                "the parameter rule must be 50 or none");
    return false;
}

/* -1 if none is given. */
static bool get_color(const RouteCall *call, const char *name, int *color, Reply *reply)
{
    const char *text;
    char problem[64];
    *color = -1;
    if (!get_once(call, name, &text, reply)) return false;
    if (text != NULL && strcmp(text, "white") == 0) *color = TREB_WHITE;
    if (text != NULL && strcmp(text, "black") == 0) *color = TREB_BLACK;
    if (text == NULL || *color >= 0) return true;
    snprintf(problem, sizeof problem, "the parameter %s must be white or black", name);
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request", problem);
    return false;
}

/* ---- Replies --------------------------------------------------------------------------------- */

/* How long an answer holds that lacks this. */
static ReplyFor lasts(unsigned lacks)
{
    if (lacks & (ANSWER_DAMAGED | ANSWER_FAILED)) return REPLY_NOW;
    return lacks & ANSWER_PARTIAL ? REPLY_SET : REPLY_FOREVER;
}

static AnswerContext context_of(const RouteCall *call)
{
    return (AnswerContext){.tables = call->set->tables,
                           .directories = call->holder->directories,
                           .directory_count = call->holder->count,
                           .cancel = call->cancel,
                           .deadline = call->deadline};
}

/* How to make the table that a message misses, or null: only the owner of this machine could. */
static json_t *advice_json(const RouteCall *call, const char *message)
{
    char material[24], text[256];
    json_t *advice = NULL;
    if (call->advise != NULL && answer_missing(message, material) &&
        call->advise(material, text, sizeof text))
        advice = json_string(text);
    return advice != NULL ? advice : json_null();
}

static void give_stopped(const RouteCall *call, Reply *reply)
{
    if (call->cancel != NULL && atomic_load(call->cancel))
        reply_error(reply, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                    "the server is shutting down: ask again when it is back");
    else
        reply_error(reply, MHD_HTTP_SERVICE_UNAVAILABLE, "time_up",
                    "there was not enough time for this answer: ask for less at once, or again, as "
                    "what was read so far is in memory now");
}

void route_failure(const RouteCall *call, Reply *reply, const treb_error *error)
{
    if (error->status == TREB_ERR_NO_TABLE)
        reply_missing(reply, error->text, advice_json(call, error->text));
    else
        reply_failure(reply, error);
}

/* Gives an answer in a format, or the failure if there is none. */
static void give_as(ReplyFormat format, const RouteCall *call, Reply *reply,
                    const AnswerContext *context, json_t *object, const treb_error *error,
                    ReplyFor longest)
{
    if (context->lacks & ANSWER_STOPPED) {
        json_decref(object);
        give_stopped(call, reply);
    } else if (object == NULL) {
        route_failure(call, reply, error);
    } else {
        ReplyFor found = lasts(context->lacks);
        reply->lasts = found < longest ? found : longest;
        reply_object(reply, format, object);
    }
    if (context->lacks & ANSWER_DAMAGED) reply->damaged = true;
}

static void give(const RouteCall *call, Reply *reply, const AnswerContext *context, json_t *object,
                 const treb_error *error, ReplyFor longest)
{
    give_as(REPLY_JSON, call, reply, context, object, error, longest);
}

/* ---- lila-tablebase's routes ----------------------------------------------------------------- */

static void run_standard(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error;
    AnswerContext context = context_of(call);
    reply->negotiated = true;
    if (!read_position(call, answer_standard_position, &pos, reply)) return;
    json_t *object = answer_standard(&context, &pos, &error);
    /* Without a verdict or DTZ for a reason that is ours, there is no answer. */
    bool failed = object != NULL && json_is_null(json_object_get(object, "dtz")) &&
                  error.status != TREB_OK && error.status != TREB_ERR_NO_TABLE;
    if (failed) {
        json_decref(object);
        object = NULL;
    }
    give_as(call->format, call, reply, &context, object, &error, REPLY_FOREVER);
}

static void run_mainline(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {TREB_OK, ""};
    AnswerContext context = context_of(call);
    reply->negotiated = true;
    if (!read_position(call, answer_standard_position, &pos, reply)) return;
    give_as(call->format, call, reply, &context, answer_mainline(&context, &pos, &error), &error,
            REPLY_FOREVER);
}

static void run_monitor(const RouteCall *call, Reply *reply)
{
    char *text = metrics_monitor(call->metrics, call->set);
    reply_text(reply, "text/plain; charset=utf-8", text != NULL ? text : "");
    free(text);
}

/* ---- Our own --------------------------------------------------------------------------------- */

/* Says how to get what is missing. */
static void put_advice(const RouteCall *call, json_t *object)
{
    size_t i;
    json_t *entry, *advice = NULL;
    json_array_foreach(json_object_get(object, "unknown"), i, entry)
    {
        const char *code = json_string_value(json_object_get(entry, "code"));
        const char *message = json_string_value(json_object_get(entry, "message"));
        if (advice != NULL || strcmp(code, answer_code(TREB_ERR_NO_TABLE)) != 0) continue;
        advice = advice_json(call, message);
    }
    json_object_set_new(object, "advice", advice != NULL ? advice : json_null());
}

static void run_probe(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {TREB_OK, ""};
    AnswerContext context = context_of(call);
    AnswerProbe options = {.moves = true};
    if (!get_position(call, &pos, reply) || !get_metric(call, &options.metric, reply)) return;
    json_t *object = answer_probe(&context, &pos, &options, &error);
    if (object != NULL) put_advice(call, object);
    give(call, reply, &context, object, &error, REPLY_FOREVER);
}

static void run_line(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {TREB_OK, ""};
    treb_metric metric;
    treb_rule rule;
    AnswerContext context = context_of(call);
    if (!get_position(call, &pos, reply) || !get_metric(call, &metric, reply) ||
        !get_rule(call, &rule, reply))
        return;
    give(call, reply, &context, answer_line(&context, &pos, metric, rule, &error), &error,
         REPLY_FOREVER);
}

/* From tables alone: to solve would keep the server busy for as long as a client likes. */
static void run_blocked(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {TREB_OK, ""};
    int attacker;
    AnswerContext context = context_of(call);
    if (!get_position(call, &pos, reply) || !get_color(call, "attacker", &attacker, reply)) return;
    json_t *object = answer_ranks(&context, &pos, attacker, &error);
    if (object == NULL && error.status == TREB_ERR_POSITION)
        reply_error(reply, MHD_HTTP_NOT_FOUND, "not_blocked", error.text);
    else
        give(call, reply, &context, object, &error, REPLY_SET);
}

static void run_shift(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {TREB_OK, ""};
    AnswerContext context = context_of(call);
    if (!get_position(call, &pos, reply)) return;
    give(call, reply, &context, answer_shift(&context, &pos, &error), &error, REPLY_FOREVER);
}

static void run_rules(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {TREB_OK, ""};
    AnswerContext context = context_of(call);
    if (!get_position(call, &pos, reply)) return;
    give(call, reply, &context, answer_rules(&context, &pos, &error), &error, REPLY_SET);
}

/* All of them, or what those of a position's ending play there. */
static void run_strategies(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    const char *fen;
    treb_error error = {TREB_OK, ""};
    AnswerContext context = context_of(call);
    if (!get_once(call, "fen", &fen, reply)) return;
    if (fen != NULL && !get_position(call, &pos, reply)) return;
    give(call, reply, &context, answer_strategies(&context, fen != NULL ? &pos : NULL, &error),
         &error, REPLY_SET);
}

static void run_batch(const RouteCall *call, Reply *reply)
{
    treb_error error = {TREB_OK, ""};
    AnswerContext context = context_of(call);
    json_t *object = answer_batch(&context, call->body, call->size, &error);
    give(call, reply, &context, object, &error, REPLY_NOW);
}

/* A text as it was pasted; its kind is seen from the text itself. */
static void run_games(const RouteCall *call, Reply *reply)
{
    treb_error error = {TREB_OK, ""};
    AnswerContext context = context_of(call);
    json_t *object = answer_games(&context, call->body, call->size, &error);
    give(call, reply, &context, object, &error, REPLY_NOW);
}

static void run_tables(const RouteCall *call, Reply *reply)
{
    treb_error error = {TREB_OK, ""};
    AnswerContext context = context_of(call);
    json_t *object = answer_tables(&context, &error);
    if (object != NULL)
        json_object_set_new(object, "solve_seconds",
                            call->solve_memory > 0 ? json_integer((json_int_t)call->solve_seconds)
                                                   : json_null());
    give(call, reply, &context, object, &error, REPLY_SET);
}

static void run_stats(const RouteCall *call, Reply *reply)
{
    treb_error error = {TREB_OK, ""};
    AnswerContext context = context_of(call);
    give(call, reply, &context, answer_stats(&context, call->tail, &error), &error, REPLY_SET);
}

/* "win", "cursed_win", ... as a treb_wdl; -1 if none is given. */
static bool get_verdict(const RouteCall *call, int *verdict, Reply *reply)
{
    const char *text;
    *verdict = -1;
    if (!get_once(call, "verdict", &text, reply)) return false;
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

/* Plies of the metric; without them the metric does not count. */
static bool get_plies(const RouteCall *call, AnswerRandom *wish, Reply *reply)
{
    const char *text;
    if (!get_once(call, "plies", &text, reply)) return false;
    if (text == NULL) {
        wish->metric = TREB_WDL;
        return true;
    }
    char *end;
    long plies = strtol(text, &end, 10);
    wish->plies = (int)plies;
    if (*text >= '0' && *text <= '9' && *end == '\0' && plies <= 4096 && wish->metric != TREB_WDL)
        return true;
    reply_error(reply, MHD_HTTP_BAD_REQUEST, "bad_request",
                "the parameter plies must be a number, with metric: dtm, dtc or dtz");
    return false;
}

static void run_random(const RouteCall *call, Reply *reply)
{
    treb_error error = {TREB_OK, ""};
    AnswerContext context = context_of(call);
    AnswerRandom wish = {.material = call->tail};
    if (!get_color(call, "turn", &wish.turn, reply) || !get_verdict(call, &wish.verdict, reply) ||
        !get_metric(call, &wish.metric, reply) || !get_plies(call, &wish, reply))
        return;
    if (getrandom(&wish.seed, sizeof wish.seed, 0) < 0) wish.seed = answer_clock();
    give(call, reply, &context, answer_random(&context, &wish, &error), &error, REPLY_NOW);
}

static void run_openapi(const RouteCall *call, Reply *reply)
{
    (void)call;
    reply->status = MHD_HTTP_OK;
    reply->asset = &openapi_asset;
    reply->lasts = REPLY_ASSET;
}

/* Without tables the server runs, but is not ready: whoever watches it should hear of that. */
static void run_healthz(const RouteCall *call, Reply *reply)
{
    size_t count = treb_tables_count(call->set->tables);
    bool ready = tableset_ready(call->set, call->allow_empty);
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string(ready ? "ok" : "no_tables"));
    json_object_set_new(object, "tables", json_integer((json_int_t)count));
    reply_json(reply, ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, object);
}

static void run_metrics(const RouteCall *call, Reply *reply)
{
    char *text = metrics_prometheus(call->metrics, call->set);
    reply_text(reply, "text/plain; version=0.0.4; charset=utf-8", text != NULL ? text : "");
    free(text);
}

/* ---- The page -------------------------------------------------------------------------------- */

static const Asset *find_asset(const char *path)
{
    for (const Asset *asset = server_assets; asset->path != NULL; asset++)
        if (strcmp(asset->path, path) == 0) return asset;
    return NULL;
}

static void run_page(const RouteCall *call, Reply *reply)
{
    reply->status = MHD_HTTP_OK;
    reply->lasts = REPLY_ASSET;
    reply->asset = find_asset(call->query->path);
}

static void run_nothing(const RouteCall *call, Reply *reply)
{
    (void)call;
    reply_error(reply, MHD_HTTP_NOT_FOUND, "not_found",
                "there is nothing at this address; /v1/openapi.json tells what there is");
}

/* ---- The table ------------------------------------------------------------------------------- */

static const Route routes[] = {
    {"/standard", false, true, METHOD_GET, ROUTE_PROBE, "/standard", run_standard},
    {"/standard/mainline", false, true, METHOD_GET, ROUTE_HEAVY, "/standard/mainline",
     run_mainline},
    {"/monitor", false, false, METHOD_GET, ROUTE_QUICK, "/monitor", run_monitor},
    {"/v1/probe", false, true, METHOD_GET, ROUTE_PROBE, "/v1/probe", run_probe},
    {"/v1/line", false, true, METHOD_GET, ROUTE_HEAVY, "/v1/line", run_line},
    {"/v1/blocked", false, true, METHOD_GET, ROUTE_PROBE, "/v1/blocked", run_blocked},
    {"/v1/shift", false, true, METHOD_GET, ROUTE_HEAVY, "/v1/shift", run_shift},
    {"/v1/rules", false, true, METHOD_GET, ROUTE_PROBE, "/v1/rules", run_rules},
    {"/v1/strategies", false, true, METHOD_GET, ROUTE_HEAVY, "/v1/strategies", run_strategies},
    {"/v1/find", false, false, METHOD_POST, ROUTE_PROBE, "/v1/find", jobs_find},
    {"/v1/solve", false, false, METHOD_POST, ROUTE_PROBE, "/v1/solve", jobs_solve},
    {"/v1/jobs/", true, true, METHOD_GET | METHOD_DELETE, ROUTE_PROBE, "/v1/jobs/{job}", jobs_look},
    {"/v1/batch", false, false, METHOD_POST, ROUTE_HEAVY, "/v1/batch", run_batch},
    {"/v1/games", false, false, METHOD_POST, ROUTE_HEAVY, "/v1/games", run_games},
    {"/v1/tables", false, true, METHOD_GET, ROUTE_HEAVY, "/v1/tables", run_tables},
    {"/v1/stats/", true, true, METHOD_GET, ROUTE_HEAVY, "/v1/stats/{material}", run_stats},
    {"/v1/random/", true, false, METHOD_GET, ROUTE_HEAVY, "/v1/random/{material}", run_random},
    {"/v1/openapi.json", false, false, METHOD_GET, ROUTE_QUICK, "/v1/openapi.json", run_openapi},
    {"/healthz", false, false, METHOD_GET, ROUTE_QUICK, "/healthz", run_healthz},
    {"/metrics", false, false, METHOD_GET, ROUTE_QUICK, "/metrics", run_metrics},
};

enum { ROUTES = sizeof routes / sizeof *routes };

static const Route page_route = {"/", true, false, METHOD_GET, ROUTE_QUICK, "page", run_page};
static const Route no_route = {"", true, false, METHOD_GET, ROUTE_QUICK, "none", run_nothing};

_Static_assert(ROUTES + 2 <= METRICS_ROUTES, "room for all routes in the metrics");

const Route *route_find(const char *path, const char **tail)
{
    *tail = "";
    for (size_t i = 0; i < ROUTES; i++) {
        const Route *route = &routes[i];
        size_t length = strlen(route->path);
        if (strncmp(path, route->path, length) != 0) continue;
        if (!route->prefix && path[length] != '\0') continue;
        *tail = path + length;
        return route;
    }
    return find_asset(path) != NULL ? &page_route : &no_route;
}

const Route *route_at(unsigned number)
{
    return number < ROUTES ? &routes[number] : number == ROUTES ? &page_route : &no_route;
}

unsigned route_count(void) { return ROUTES + 2; }

unsigned route_number(const Route *route)
{
    if (route == &page_route) return ROUTES;
    return route == &no_route ? ROUTES + 1 : (unsigned)(route - routes);
}
