/* routes.c - see routes.h. */
#include "server/routes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "server/jobs.h"
#include "server/openapi.h"
#include "server/table_file.h"
#include "json/answer.h"
#include "json/position_read.h"
#include "json/words.h"

/* ---- lila-tablebase's routes ----------------------------------------------------------------- */

static void run_standard(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error;
    bool dtc;
    AnswerContext context = route_context(call);
    reply->negotiated = true;
    if (!route_get_standard(call, &pos, reply) || !route_get_dtc(call, &pos, &dtc, reply)) return;
    context.no_dtc = !dtc;
    json_t *object = answer_standard(&context, &pos, &error);
    /* If DTZ is unknown because of a fault, and not for a missing table, the whole answer fails. */
    bool failed = object != NULL && json_is_null(json_object_get(object, "dtz")) &&
                  error.status != TREB_OK && error.status != TREB_ERR_NO_TABLE;
    if (failed) {
        json_decref(object);
        object = NULL;
    }
    route_give_as(call->format, call, reply, &context, object, &error, CACHE_FOREVER);
}

static void run_mainline(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {0};
    bool dtc; /* has no effect here, but must be one of the words, as for /standard */
    AnswerContext context = route_context(call);
    reply->negotiated = true;
    if (!route_get_standard(call, &pos, reply) || !route_get_dtc(call, &pos, &dtc, reply)) return;
    route_give_as(call->format, call, reply, &context, answer_mainline(&context, &pos, &error),
                  &error, CACHE_FOREVER);
}

static void run_monitor(const RouteCall *call, Reply *reply)
{
    char *text = metrics_monitor(call->metrics, call->set);
    reply_text(reply, "text/plain; charset=utf-8", text != NULL ? text : "");
    free(text);
}

/* ---- Trebuchet's routes ---------------------------------------------------------------------- */

static void run_probe(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {0};
    AnswerContext context = route_context(call);
    AnswerProbe options = {.moves = true};
    if (!route_get_position(call, &pos, reply) || !route_get_metric(call, &options.metric, reply))
        return;
    json_t *object = answer_probe(&context, &pos, &options, &error);
    if (object != NULL)
        json_object_set_new(object, "advice", route_advice(call, context.missing_material));
    route_give(call, reply, &context, object, &error, CACHE_FOREVER);
}

static void run_line(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {0};
    treb_metric metric;
    treb_rule rule;
    AnswerContext context = route_context(call);
    if (!route_get_position(call, &pos, reply) || !route_get_metric(call, &metric, reply) ||
        !route_get_rule(call, &rule, reply))
        return;
    route_give(call, reply, &context, answer_line(&context, &pos, metric, rule, &error), &error,
               CACHE_FOREVER);
}

/* Only uses tables. Solving on request would let any client keep the server busy. */
static void run_blocked(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {0};
    int attacker;
    AnswerContext context = route_context(call);
    if (!route_get_position(call, &pos, reply) ||
        !route_get_color(call, "attacker", &attacker, reply))
        return;
    json_t *object = answer_blocked(&context, &pos, attacker, &error);
    if (object == NULL && error.status == TREB_ERR_POSITION)
        reply_error(reply, MHD_HTTP_NOT_FOUND, "not_blocked", error.text);
    else
        route_give(call, reply, &context, object, &error, CACHE_TABLE_SET);
}

static void run_shift(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {0};
    AnswerContext context = route_context(call);
    if (!route_get_position(call, &pos, reply)) return;
    route_give(call, reply, &context, answer_shift(&context, &pos, &error), &error, CACHE_FOREVER);
}

static void run_rules(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    treb_error error = {0};
    AnswerContext context = route_context(call);
    if (!route_get_position(call, &pos, reply)) return;
    route_give(call, reply, &context, answer_rules(&context, &pos, &error), &error,
               CACHE_TABLE_SET);
}

/* Lists all strategies or, with a position, those for its ending. */
static void run_strategies(const RouteCall *call, Reply *reply)
{
    treb_position pos;
    const char *fen;
    treb_error error = {0};
    AnswerContext context = route_context(call);
    if (!route_get(call, "fen", &fen, reply)) return;
    if (fen != NULL && !route_get_position(call, &pos, reply)) return;
    route_give(call, reply, &context,
               answer_strategies(&context, fen != NULL ? &pos : NULL, &error), &error,
               CACHE_TABLE_SET);
}

static void run_batch(const RouteCall *call, Reply *reply)
{
    treb_error error = {0};
    AnswerContext context = route_context(call);
    json_t *object = answer_batch(&context, call->body, call->size, &error);
    route_give(call, reply, &context, object, &error, CACHE_NEVER);
}

/* Takes any pasted text; answer_games recognizes its kind. */
static void run_games(const RouteCall *call, Reply *reply)
{
    treb_error error = {0};
    AnswerContext context = route_context(call);
    json_t *object = answer_games(&context, call->body, call->size, &error);
    route_give(call, reply, &context, object, &error, CACHE_NEVER);
}

static void run_tables(const RouteCall *call, Reply *reply)
{
    treb_error error = {0};
    AnswerContext context = route_context(call);
    json_t *object = answer_tables(&context, &error);
    if (object != NULL)
        json_object_set_new(object, "solve_seconds",
                            call->solve_memory > 0 ? json_integer((json_int_t)call->solve_seconds)
                                                   : json_null());
    route_give(call, reply, &context, object, &error, CACHE_TABLE_SET);
}

static void run_stats(const RouteCall *call, Reply *reply)
{
    treb_error error = {0};
    AnswerContext context = route_context(call);
    route_give(call, reply, &context, answer_stats(&context, call->path_suffix, &error), &error,
               CACHE_TABLE_SET);
}

/* Reads the number of plies. Without it the metric is ignored. */
static bool get_plies(const RouteCall *call, AnswerRandom *wish, Reply *reply)
{
    const char *text;
    if (!route_get(call, "plies", &text, reply)) return false;
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
                "the parameter plies must be a number, with metric: dtm50, dtm, dtc or dtz");
    return false;
}

static void run_random(const RouteCall *call, Reply *reply)
{
    treb_error error = {0};
    AnswerContext context = route_context(call);
    AnswerRandom wish = {.material = call->path_suffix};
    if (!route_get_color(call, "turn", &wish.turn, reply) ||
        !route_get_verdict(call, &wish.verdict, reply) ||
        !route_get_metric(call, &wish.metric, reply) || !get_plies(call, &wish, reply))
        return;
    if (getentropy(&wish.seed, sizeof wish.seed) != 0) wish.seed = clock_nanoseconds();
    route_give(call, reply, &context, answer_random(&context, &wish, &error), &error, CACHE_NEVER);
}

static void run_openapi(const RouteCall *call, Reply *reply)
{
    (void)call;
    reply->status = MHD_HTTP_OK;
    reply->asset = &openapi_asset;
    reply->cache_policy = CACHE_ASSET;
}

/* A server without tables runs, but is not ready, so that monitoring notices. */
static void run_healthz(const RouteCall *call, Reply *reply)
{
    size_t count = treb_tables_count(call->set->tables);
    bool ready = tableset_ready(call->set, call->allow_empty);
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string(ready ? "ok" : "no_tables"));
    json_object_set_new(object, "tables", json_integer((json_int_t)count));
    json_object_set_new(object, "faulty",
                        json_integer((json_int_t)treb_tables_faults(call->set->tables)));
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
    reply->cache_policy = CACHE_ASSET;
    reply->asset = find_asset(call->query->path);
}

/* Whether a path is that of a variant, or below it: lila-tablebase has "/atomic/mainline". */
static bool is_below(const char *path, const char *variant)
{
    size_t length = strlen(variant);
    return strncmp(path, variant, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

static void run_nothing(const RouteCall *call, Reply *reply)
{
    const char *path = call->query->path;
    if (is_below(path, "/atomic") || is_below(path, "/antichess"))
        reply_error(reply, MHD_HTTP_NOT_FOUND, "not_found",
                    "standard chess only: there are no tables of atomic chess and antichess here; "
                    "/standard answers for standard chess");
    else
        reply_error(reply, MHD_HTTP_NOT_FOUND, "not_found",
                    "there is nothing at this address; /v1/openapi.json lists all addresses");
}

/* ---- The table of routes --------------------------------------------------------------------- */

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
    {"/tables/", true, false, METHOD_GET, ROUTE_PROBE, "/tables/{file}", table_file_run},
    {"/v1/openapi.json", false, false, METHOD_GET, ROUTE_QUICK, "/v1/openapi.json", run_openapi},
    {"/healthz", false, false, METHOD_GET, ROUTE_QUICK, "/healthz", run_healthz},
    {"/metrics", false, false, METHOD_GET, ROUTE_QUICK, "/metrics", run_metrics},
};

enum { ROUTES = sizeof routes / sizeof *routes };

static const Route page_route = {"/", true, false, METHOD_GET, ROUTE_QUICK, "page", run_page};
static const Route no_route = {"", true, false, METHOD_GET, ROUTE_QUICK, "none", run_nothing};

_Static_assert(ROUTES + 2 <= METRICS_ROUTES, "room for all routes in the metrics");

const Route *route_find(const char *path, const char **path_suffix)
{
    *path_suffix = "";
    for (size_t i = 0; i < ROUTES; i++) {
        const Route *route = &routes[i];
        size_t length = strlen(route->path);
        if (strncmp(path, route->path, length) != 0) continue;
        /* A slash at the end makes no difference. */
        if (!route->prefix && path[length] != '\0' && strcmp(path + length, "/") != 0) continue;
        *path_suffix = path + length;
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
