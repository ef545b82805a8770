/* handler.c - a request from its first line to the end of its answer.
 *
 * The HTTP library calls handler_begin with the request line, handler_run with the headers, with
 * each piece of the body and once more at its end, and handler_end when the answer is sent or the
 * connection lost. What is kept of earlier answers is sent at once. What takes probes suspends the
 * connection and goes to a worker; when it is done the library calls handler_run again. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json/answer.h"
#include "server/headers.h"
#include "server/internal.h"

enum { BODY_FAR = 8 }; /* times the limit: what is read, and forgotten, of a body too large */

typedef enum RequestState {
    REQUEST_NEW,    /* the headers have not been looked at */
    REQUEST_BODY,   /* its body arrives */
    REQUEST_WORKED, /* a worker has made the answer */
    REQUEST_SENT    /* the answer is on its way */
} RequestState;

typedef struct Request {
    Job job; /* first: a job is a request */
    Server *server;
    struct MHD_Connection *mhd;
    Connection *connection;
    Client client; /* who asks, perhaps by a proxy */
    RequestState state;
    char method[16];
    const Route *route;
    const char *tail;
    Query *query;
    TableSet *set;
    Served *served;
    char *body;
    size_t body_size, body_room;
    bool overflow; /* the body is too large */
    bool gzip;     /* is accepted */
    bool cbor;     /* is preferred */
    bool kept;     /* the answer was kept from earlier */
    bool owner;    /* the client is the owner of this machine, as far as can be told */
    bool arrived;  /* in full, or as far as we want it */
    unsigned status;
    size_t bytes;
    uint64_t started, arrival; /* by answer_clock: of its first line, of its end */
    bool target_long;
    char *target;
    char key[]; /* a mark for what else an answer depends on, then the target */
} Request;

/* The client's turn is over. */
static void note_arrival(Request *r)
{
    if (r->arrived) return;
    r->arrived = true;
    r->arrival = answer_clock();
    r->server->arriving--;
    r->server->metrics.busy++;
    connections_work(r->connection);
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Queues the request's answer and lets go of it. */
static enum MHD_Result send_served(Request *r)
{
    if (r->served == NULL) return MHD_NO;
    note_arrival(r);
    r->state = REQUEST_SENT;
    connections_expect_taking(&r->server->connections, r->connection);
    enum MHD_Result result = served_queue(r->served, r->mhd, r->gzip, &r->status, &r->bytes);
    if (strcmp(r->method, MHD_HTTP_METHOD_HEAD) == 0) r->bytes = 0;
    if (!r->kept)
        connections_send(&r->server->connections, r->connection, r->client.owner, r->bytes);
    served_release(r->served);
    r->served = NULL;
    return result;
}

static enum MHD_Result send_reply(Request *r, Reply *reply)
{
    if (reply->damaged) r->server->metrics.damaged++;
    r->served = served_create(reply);
    return send_served(r);
}

static enum MHD_Result send_error(Request *r, unsigned status, const char *code, const char *text)
{
    Reply reply = {0};
    reply_error(&reply, status, code, text);
    return send_reply(r, &reply);
}

/* What answers are kept under: the owner may be told more, and some are told in CBOR. */
static const char *key_of(Request *r)
{
    r->key[0] = (char)('a' + r->owner + 2 * r->cbor);
    return r->key;
}

static bool is_method(const Request *r, const char *name) { return strcmp(r->method, name) == 0; }

/* Makes the answer of a route, and keeps it where that is allowed. */
static void make_answer(Request *r)
{
    Server *s = r->server;
    assert(r->route != NULL && r->set != NULL && r->served == NULL);
    Reply reply = {.lasts = REPLY_NOW};
    RouteCall call = {.holder = &s->holder,
                      .set = r->set,
                      .metrics = &s->metrics,
                      .query = r->query,
                      .tail = r->tail,
                      .body = r->body,
                      .size = r->body_size,
                      .cancel = &s->cancelled,
                      .deadline = r->arrival + s->limit,
                      .format = r->cbor ? REPLY_CBOR : REPLY_JSON,
                      .allow_empty = s->allow_empty,
                      .remove = is_method(r, "DELETE"),
                      .client = r->client.owner,
                      .background = s->background,
                      .list_men = s->list_men,
                      .solve_memory = s->solve_memory,
                      .solve_seconds = s->solve_seconds,
                      .advise = r->owner ? s->advise : NULL};
    r->route->run(&call, &reply);
    if (reply.damaged) s->metrics.damaged++;
    bool keep = r->route->kept && reply.lasts != REPLY_NOW && reply.status == MHD_HTTP_OK;
    r->served = served_create(&reply);
    if (r->served == NULL) return;
    if (r->gzip) served_compress(r->served);
    if (keep) answers_put(r->set->answers, key_of(r), r->served, r->route);
}

/* Lets the connection go on, which sends the answer. The request is then no longer ours. */
static void resume(Request *r)
{
    struct MHD_Connection *connection = r->mhd;
    assert(r->state == REQUEST_BODY && r->arrived);
    r->state = REQUEST_WORKED;
    MHD_resume_connection(connection);
}

static void work(Job *job)
{
    Request *r = (Request *)job;
    make_answer(r);
    resume(r);
}

static const char shutting_down[] = "the server is shutting down: ask again when it is back";

static void refuse(Job *job)
{
    Request *r = (Request *)job;
    Reply reply = {0};
    reply_error(&reply, MHD_HTTP_SERVICE_UNAVAILABLE, "busy", shutting_down);
    r->served = served_create(&reply);
    resume(r);
}

/* ---- What a request may be ------------------------------------------------------------------- */

/* The methods of a route, for "Allow". */
static const char *allowed(const Route *route)
{
    if (route->methods & METHOD_POST) return "POST, OPTIONS";
    return route->methods & METHOD_DELETE ? "GET, HEAD, DELETE, OPTIONS" : "GET, HEAD, OPTIONS";
}

static bool method_fits(const Request *r)
{
    if (r->route->methods & METHOD_POST) return is_method(r, "POST");
    return is_method(r, "GET") || is_method(r, "HEAD") ||
           (is_method(r, "DELETE") && r->route->methods & METHOD_DELETE);
}

/* What a client asks before it asks from another site's page. */
static enum MHD_Result send_options(Request *r)
{
    Reply reply = {.status = MHD_HTTP_NO_CONTENT, .lasts = REPLY_NOW, .allow = allowed(r->route)};
    return send_reply(r, &reply);
}

static enum MHD_Result send_wrong_method(Request *r)
{
    Reply reply = {.allow = allowed(r->route)};
    reply_error(&reply, MHD_HTTP_METHOD_NOT_ALLOWED, "method",
                r->route->methods & METHOD_POST ? "this address takes POST"
                                                : "this address takes GET");
    return send_reply(r, &reply);
}

static const char *header(const Request *r, const char *name)
{
    return MHD_lookup_connection_value(r->mhd, MHD_HEADER_KIND, name);
}

/* Takes the target apart and finds its route. False after sending why that fails: *result. */
static bool find_route(Request *r, enum MHD_Result *result)
{
    r->query = malloc(sizeof *r->query);
    if (r->query == NULL) {
        *result = send_error(r, MHD_HTTP_INTERNAL_SERVER_ERROR, "memory", "out of memory");
        return false;
    }
    QueryStatus status = r->target_long ? QUERY_LONG : query_parse(r->target, r->query);
    r->route = route_find(status == QUERY_LONG ? "" : r->query->path, &r->tail);
    if (status == QUERY_OK) return true;
    const char *text = query_status_text(status);
    *result = status == QUERY_LONG ? send_error(r, MHD_HTTP_URI_TOO_LONG, "too_large", text)
                                   : send_error(r, MHD_HTTP_BAD_REQUEST, "bad_request", text);
    return false;
}

/* Whether a body is announced that is too large and need not be read: its sender waits for a word,
 * or there is too much of it. Others are read and forgotten, as an answer before their end may get
 * lost when the connection is closed under the sender. */
static bool is_hopeless(Request *r)
{
    const char *text = header(r, MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t length = text != NULL ? strtoull(text, NULL, 10) : 0;
    if (length <= r->server->body) return false;
    r->overflow = true;
    return length > BODY_FAR * r->server->body || header(r, MHD_HTTP_HEADER_EXPECT) != NULL;
}

/* Looks at method, target and headers before the body is read. MHD_YES without an answer means that
 * the body may come. */
static enum MHD_Result check_headers(Request *r)
{
    enum MHD_Result result;
    if (!find_route(r, &result)) return result;
    r->gzip = headers_accept_gzip(header(r, MHD_HTTP_HEADER_ACCEPT_ENCODING));
    if (is_hopeless(r))
        return send_error(r, MHD_HTTP_CONTENT_TOO_LARGE, "too_large", "the body is too large");
    r->state = REQUEST_BODY;
    return MHD_YES;
}

/* Whether it takes no long time to send an answer: a large one may have to be compressed first. */
static bool is_ready(const Request *r)
{
    enum { LARGE = 32 << 10 };
    return !r->gzip || r->served->size < LARGE || atomic_load(&r->served->gzip) != NULL;
}

/* An answer that was kept needs no look at the request, only its target. */
static bool find_kept(Request *r)
{
    const void *route;
    if ((!is_method(r, "GET") && !is_method(r, "HEAD")) || r->target_long) return false;
    r->set = tableset_acquire(&r->server->holder);
    r->served = answers_get(r->set->answers, key_of(r), &route);
    if (r->served == NULL) return false;
    r->gzip = headers_accept_gzip(header(r, MHD_HTTP_HEADER_ACCEPT_ENCODING));
    if (!is_ready(r)) {
        /* Made anew by a worker, and then kept in both forms. */
        served_release(r->served);
        r->served = NULL;
        return false;
    }
    r->route = route;
    r->kept = true;
    return true;
}

/* ---- The steps ------------------------------------------------------------------------------- */

static enum MHD_Result take_body(Request *r, const char *data, size_t *size)
{
    size_t need = r->body_size + *size;
    if (r->overflow || need > r->server->body) {
        /* Read on, but not without end. */
        r->overflow = true;
        r->body_size = need;
        *size = 0;
        return need > BODY_FAR * r->server->body ? MHD_NO : MHD_YES;
    }
    if (need > r->body_room) {
        size_t room = need > 2 * r->body_room ? need : 2 * r->body_room;
        char *body = realloc(r->body, room);
        if (body == NULL) return MHD_NO;
        r->body = body;
        r->body_room = room;
    }
    memcpy(r->body + r->body_size, data, *size);
    r->body_size = need;
    *size = 0;
    return MHD_YES;
}

/* Gives the request to a worker, if there is a place for it, and for its answer. Heavy answers may
 * be large, and are in memory until the client has taken them. */
static WorkersAdded add_job(Request *r)
{
    enum { EACH = 4 }; /* part of it for one client */
    const uint64_t most = r->server->unsent;
    bool heavy = r->route->work == ROUTE_HEAVY;
    uint64_t own = 0, all = 0;
    r->job = (Job){.run = work, .refuse = refuse, .owner = r->client.owner};
    if (heavy) connections_sending(&r->server->connections, r->job.owner, &own, &all);
    if (own > most / EACH) return WORKERS_OWNER_FULL;
    if (all > most) return WORKERS_FULL;
    return workers_add(r->server->workers, &r->job, heavy ? JOB_HEAVY : JOB_LIGHT);
}

static enum MHD_Result hand_over(Request *r)
{
    /* First, as the worker may be done before it is added. */
    MHD_suspend_connection(r->mhd);
    WorkersAdded added = add_job(r);
    if (added == WORKERS_ADDED) return MHD_YES;
    if (added == WORKERS_CLOSED) {
        refuse(&r->job);
        return MHD_YES;
    }
    Reply reply = {0};
    if (added == WORKERS_FULL)
        reply_error(&reply, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                    "too much to do: try again in a second");
    else
        reply_error(&reply, MHD_HTTP_TOO_MANY_REQUESTS, "too_many",
                    "too many of your requests are waiting, or their answers: take these first");
    r->served = served_create(&reply);
    resume(r);
    return MHD_YES;
}

/* The request is here in full. */
static enum MHD_Result answer(Request *r)
{
    if (r->overflow)
        return send_error(r, MHD_HTTP_CONTENT_TOO_LARGE, "too_large", "the body is too large");
    if (is_method(r, "OPTIONS")) return send_options(r);
    if (!method_fits(r)) return send_wrong_method(r);
    if (r->set == NULL) r->set = tableset_acquire(&r->server->holder);
    if (r->route->work == ROUTE_QUICK) {
        make_answer(r);
        return send_served(r);
    }
    return hand_over(r);
}

/* ---- Who asks -------------------------------------------------------------------------------- */

static const char forwarded_for[] = "X-Forwarded-For";

/* Whether a proxy has had this request. */
static bool is_proxied(const Request *r)
{
    static const char *const proxied[] = {forwarded_for, MHD_HTTP_HEADER_FORWARDED,
                                          MHD_HTTP_HEADER_VIA, "X-Real-IP"};
    for (size_t i = 0; i < sizeof proxied / sizeof *proxied; i++)
        if (header(r, proxied[i]) != NULL) return true;
    return false;
}

typedef struct ProxyHeaders {
    HeaderLines forwarded_for, forwarded;
} ProxyHeaders;

static enum MHD_Result collect(void *context, enum MHD_ValueKind kind, const char *name,
                               const char *value)
{
    ProxyHeaders *found = context;
    (void)kind;
    if (value == NULL) value = "";
    if (strcasecmp(name, forwarded_for) == 0) header_lines_add(&found->forwarded_for, value);
    if (strcasecmp(name, MHD_HTTP_HEADER_FORWARDED) == 0)
        header_lines_add(&found->forwarded, value);
    return MHD_YES;
}

/* Whoever is at the other end of the connection; or, if that is a proxy that we trust, the client
 * for whom it asks. The owner of this machine is there itself: behind a proxy that does not say, or
 * that is not trusted, anyone may be. */
static void name_client(Request *r)
{
    bool said = false;
    r->client = r->connection->peer;
    if (r->connection->trusted) {
        ProxyHeaders found = {0};
        MHD_get_connection_values(r->mhd, MHD_HEADER_KIND, collect, &found);
        said = client_behind(&r->server->connections.limits.proxies, &r->connection->peer,
                             &found.forwarded_for, &found.forwarded, &r->client);
    }
    if (r->client.local && !said && is_proxied(r)) r->client.local = false;
    r->owner = r->client.local && r->server->advise != NULL;
}

/* ---- The first steps ------------------------------------------------------------------------- */

static enum MHD_Result first_look(Request *r, const char *method)
{
    strncpy(r->method, method, sizeof r->method - 1);
    name_client(r);
    r->cbor = headers_prefer_cbor(header(r, MHD_HTTP_HEADER_ACCEPT));
    if (r->server->stopping)
        return send_error(r, MHD_HTTP_SERVICE_UNAVAILABLE, "busy", shutting_down);
    /* Sent on the next call: an answer before the end of the headers would end the connection. */
    if (!find_kept(r)) return check_headers(r);
    r->state = REQUEST_WORKED;
    return MHD_YES;
}

enum MHD_Result handler_run(void *server, struct MHD_Connection *connection, const char *url,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **request)
{
    Request *r = *request;
    (void)server, (void)connection, (void)url, (void)version;
    if (r == NULL || r->connection == NULL) return MHD_NO;
    if (r->state == REQUEST_NEW) return first_look(r, method);
    if (*size > 0) {
        if (r->state == REQUEST_BODY) return take_body(r, data, size);
        *size = 0; /* nobody asked for it */
        return MHD_YES;
    }
    if (r->state == REQUEST_SENT) return MHD_YES;
    note_arrival(r);
    return r->state == REQUEST_WORKED ? send_served(r) : answer(r);
}

/* ---- Begin and end --------------------------------------------------------------------------- */

/* A connection that was just opened is waited for, as its request must be on its way. */
static void note_used(Server *s, Connection *connection)
{
    if (connection->used) return;
    connection->used = true;
    s->fresh--;
}

void *handler_begin(void *server, const char *target, struct MHD_Connection *connection)
{
    Server *s = server;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    size_t length = strlen(target);
    bool is_long = length > QUERY_TARGET_MAX;
    if (is_long) length = QUERY_TARGET_MAX;
    Request *r = calloc(1, sizeof *r + length + 2);
    if (r == NULL) return NULL;
    r->target = r->key + 1;
    memcpy(r->target, target, length);
    r->target_long = is_long;
    r->server = s;
    r->mhd = connection;
    r->connection = info != NULL ? info->socket_context : NULL;
    if (r->connection != NULL) {
        r->client = r->connection->peer;
        note_used(s, r->connection);
    }
    r->started = answer_clock();
    s->arriving++;
    return r;
}

static void finish(Request *r, bool completed)
{
    Server *s = r->server;
    uint64_t took = answer_clock() - r->started;
    const Route *none = route_at(route_count() - 1);
    unsigned status = completed ? r->status : 0;
    if (status != 0)
        metrics_count(&s->metrics, route_number(r->route != NULL ? r->route : none), status, took,
                      r->bytes);
    else
        s->metrics.aborted++;
    log_request(&s->log, &(LogRequest){r->connection != NULL ? r->client.name : "?", r->method,
                                       r->target, status, completed ? r->bytes : 0, took, r->kept});
}

void handler_end(void *server, struct MHD_Connection *connection, void **request,
                 enum MHD_RequestTerminationCode how)
{
    Server *s = server;
    Request *r = *request;
    (void)connection;
    if (r == NULL) return;
    *(r->arrived ? &s->metrics.busy : &s->arriving) -= 1;
    finish(r, how == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    if (r->connection != NULL) {
        connections_send(&s->connections, r->connection, r->client.owner, 0);
        connections_expect_request(&s->connections, r->connection);
    }
    if (r->set != NULL) tableset_release(r->set);
    served_release(r->served);
    free(r->query);
    free(r->body);
    free(r);
    *request = NULL;
}

void handler_connection(void *server, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode what)
{
    Server *s = server;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*context == NULL) return;
        note_used(s, *context);
        connections_remove(&s->connections, *context);
        s->metrics.connections--;
        *context = NULL;
        return;
    }
    const union MHD_ConnectionInfo *fd =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const union MHD_ConnectionInfo *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    *context = connections_add(&s->connections, fd->connect_fd,
                               address != NULL ? address->client_addr : NULL);
    *(*context != NULL ? &s->metrics.connections : &s->metrics.refused) += 1;
    s->fresh += *context != NULL;
}
