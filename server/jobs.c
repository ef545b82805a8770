/* jobs.c - see jobs.h. */
#include "server/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "json/answer_list.h"
#include "json/answer_solve.h"
#include "json/words.h"

/* ---- A job as JSON --------------------------------------------------------------------------- */

static const char *state_text(BackgroundState state)
{
    static const char *const texts[] = {"waiting", "running", "done", "failed"};
    return texts[state];
}

static json_t *job_json(const char *name, const char *state, const BackgroundView *view)
{
    char address[BACKGROUND_NAME_SIZE + 16];
    const bool failed = view->state == BACKGROUND_FAILED;
    json_t *object = json_object();
    snprintf(address, sizeof address, "/v1/jobs/%s", name);
    json_object_set_new(object, "job", json_string(address));
    json_object_set_new(object, "state", json_string(state));
    json_object_set_new(object, "ahead", json_integer((json_int_t)view->ahead));
    json_object_set_new(object, "done", json_integer((json_int_t)view->done));
    json_object_set_new(object, "total", json_integer((json_int_t)view->total));
    json_object_set_new(object, "error",
                        failed ? answer_error(answer_code(view->error.status), view->error.text)
                               : json_null());
    return object;
}

/* Gives a job with its result. The result is text already and may be long, so it is appended to the
 * text of the other members. */
static void give_done(Reply *reply, json_t *object, const char *result)
{
    char *head = json_dumps(object, JSON_COMPACT), *body = NULL;
    json_decref(object);
    if (head == NULL ||
        asprintf(&body, "%.*s,\"result\":%s}", (int)strlen(head) - 1, head, result) < 0)
        body = NULL;
    free(head);
    if (body == NULL) {
        reply_json(reply, MHD_HTTP_OK, NULL);
        return;
    }
    reply->status = MHD_HTTP_OK;
    reply->type = "application/json";
    reply->body = body;
    reply->size = strlen(body);
    reply->cache_policy = CACHE_TABLE_SET;
}

/* Gives the state of a job, with its result if there is one. Frees the result of the view. */
static void give_job(Reply *reply, const char *name, const char *state, BackgroundView *view)
{
    json_t *object = job_json(name, state, view);
    reply->damaged = view->state == BACKGROUND_FAILED && view->error.status == TREB_ERR_DAMAGED;
    if (view->result != NULL) {
        give_done(reply, object, view->result);
    } else {
        json_object_set_new(object, "result", json_null());
        reply_json(reply, MHD_HTTP_OK, object);
    }
    free(view->result);
}

static void give_unknown(Reply *reply)
{
    reply_error(reply, MHD_HTTP_NOT_FOUND, "not_found",
                "there is no such job: it was never requested, or its result is no longer kept");
}

static void give_refused(Reply *reply, BackgroundAdded added)
{
    if (added == BACKGROUND_CLIENT_FULL)
        reply_error(reply, MHD_HTTP_TOO_MANY_REQUESTS, "too_many",
                    "your earlier jobs are not done yet: ask again when they are");
    else
        reply_error(reply, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                    "too many jobs are waiting: ask again in a minute");
}

/* Adds a job, unless one of the same name exists, and gives its state. */
static void request_job(const RouteCall *call, Reply *reply, const char *name,
                        const BackgroundWork *work)
{
    BackgroundView view;
    BackgroundAdded added = background_add(call->background, name, call->client_key, work);
    if (added > BACKGROUND_THERE)
        give_refused(reply, added);
    else if (background_look(call->background, name, &view))
        give_job(reply, name, state_text(view.state), &view);
    else
        give_unknown(reply);
    reply->cache_policy = CACHE_NEVER;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

typedef struct ListWork {
    AnswerList list;
    const TableHolder *holder;
    BackgroundRun *run;
} ListWork;

static void note_progress(void *context, uint64_t done, uint64_t total)
{
    const ListWork *w = context;
    atomic_store_explicit(&w->run->total, total, memory_order_relaxed);
    atomic_store_explicit(&w->run->done, done, memory_order_relaxed);
}

/* Opens the tables for itself alone, so that it does not compete with answers for locks and does not
 * evict the blocks that they need. */
static json_t *make_list(void *context, BackgroundRun *run, treb_error *error)
{
    enum { MEMORY = 16 << 20 };
    ListWork *w = context;
    AnswerContext answer = {.cancel = &run->stop};
    treb_tables *tables = tableset_tables(w->holder, error);
    if (tables == NULL) return NULL;
    treb_tables_set_memory(tables, MEMORY);
    answer.tables = tables;
    w->run = run;
    json_t *object = answer_list(&answer, &w->list, note_progress, w, error);
    treb_tables_close(tables);
    return object;
}

static bool is_allowed(const RouteCall *call, const AnswerList *list, Reply *reply)
{
    char text[96];
    if (list->men <= (int)call->list_men) return true;
    if (call->list_men == 0)
        snprintf(text, sizeof text, "this server makes no lists");
    else
        snprintf(text, sizeof text, "this server makes lists of endings of up to %u men",
                 call->list_men);
    reply_error(reply, MHD_HTTP_NOT_FOUND, "too_many_men", text);
    return false;
}

void jobs_find(const RouteCall *call, Reply *reply)
{
    treb_error error = {0};
    char name[BACKGROUND_NAME_SIZE];
    AnswerContext answer = {.tables = call->set->tables};
    ListWork *w = calloc(1, sizeof *w);
    if (w == NULL)
        fail_memory(&error);
    else
        answer_list_read(&answer, call->body, call->size, &w->list, &error);
    if (error.status != TREB_OK || !is_allowed(call, &w->list, reply)) {
        if (error.status != TREB_OK) route_failure(call, reply, &error);
        free(w);
        return;
    }
    snprintf(name, sizeof name, "%s-%s", answer_list_kind(&w->list), w->list.material);
    w->holder = call->holder;
    const BackgroundWork work = {make_list, free, w, w->list.longest};
    request_job(call, reply, name, &work);
}

/* ---- Positions ------------------------------------------------------------------------------- */

typedef struct SolveWork {
    AnswerSolve ask;
    const TableHolder *holder;
} SolveWork;

static json_t *solve(void *context, BackgroundRun *run, treb_error *error)
{
    const SolveWork *w = context;
    treb_tables *tables = tableset_tables(w->holder, error);
    if (tables == NULL) return NULL;
    json_t *object = answer_solve_run(tables, &w->ask, &run->stop, &run->done, error);
    treb_tables_close(tables);
    return object;
}

void jobs_solve(const RouteCall *call, Reply *reply)
{
    treb_error error = {0};
    char name[BACKGROUND_NAME_SIZE];
    _Static_assert((int)ANSWER_SOLVE_NAME <= (int)BACKGROUND_NAME_SIZE, "room for the name");
    if (call->solve_memory == 0) {
        reply_error(reply, MHD_HTTP_NOT_FOUND, "off",
                    "this server does not solve positions: its owner can allow it with "
                    "trebuchet serve --solve 1GiB");
        return;
    }
    SolveWork *w = calloc(1, sizeof *w);
    if (w == NULL) {
        fail_memory(&error);
    } else {
        w->ask = (AnswerSolve){.memory = call->solve_memory, .seconds = call->solve_seconds};
        answer_solve_read(call->body, call->size, &w->ask, &error);
    }
    if (error.status != TREB_OK) {
        route_failure(call, reply, &error);
        free(w);
        return;
    }
    w->holder = call->holder;
    answer_solve_name(&w->ask, name);
    const BackgroundWork work = {solve, free, w, true};
    request_job(call, reply, name, &work);
}

/* ---- Any job --------------------------------------------------------------------------------- */

void jobs_look(const RouteCall *call, Reply *reply)
{
    BackgroundView view;
    if (strlen(call->path_suffix) >= BACKGROUND_NAME_SIZE ||
        !background_look(call->background, call->path_suffix, &view)) {
        give_unknown(reply);
        return;
    }
    bool gone = call->remove && background_cancel(call->background, call->path_suffix,
                                                  call->client_key) != BACKGROUND_STAYS;
    give_job(reply, call->path_suffix, gone ? "cancelled" : state_text(view.state), &view);
    if (call->remove) reply->cache_policy = CACHE_NEVER;
}
