/* handler.c - a request from its first line to the end of its answer.
 *
 * The HTTP library calls handler_begin with the request line; handler_run with the headers, with each
 * piece of the body and once more at its end; and handler_end when the response is sent or the
 * connection is lost. A response from the cache is sent at once. A request that needs probes suspends
 * the connection and goes to a worker; when the worker is done, the library calls handler_run again. */
#include "server/handler.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/headers.h"
#include "server/routes.h"
#include "server/server_state.h"
#include "json/context.h"

enum { BODY_FAR = 8 }; /* a body larger than this times the limit is not even read and dropped */

typedef enum RequestState {
    REQUEST_NEW,    /* the headers have not been checked */
    REQUEST_BODY,   /* the body is arriving */
    REQUEST_WORKED, /* the response is made */
    REQUEST_SENT    /* the response is being sent */
} RequestState;

typedef struct Request {
    WorkItem item; /* first member: a WorkItem is cast to its Request */
    Server *server;
    struct MHD_Connection *mhd;
    Connection *connection;
    Client client; /* the client, possibly behind a proxy */
    RequestState state;
    char method[16];
    const Route *route;
    const char *path_suffix;
    Query *query;
    TableSet *set;
    Response *response;
    char *body;
    size_t body_size, body_room;
    bool overflow; /* the body is too large */
    bool gzip;     /* the client accepts gzip */
    bool cbor;     /* the client prefers CBOR */
    bool kept;     /* the response comes from the cache */
    bool is_owner; /* the client is the owner of this machine, as far as can be told */
    bool arrived;  /* all of the request has arrived, or as much as is needed */
    unsigned status;
    size_t bytes;
    uint64_t started, arrival; /* clock_nanoseconds at its first line, at its end */
    bool target_long;
    bool needs_host; /* HTTP/1.1 */
    char *target;
    char cache_key[]; /* a mark for what else an answer depends on, then the target */
} Request;

/* Notes that the request has arrived. From now on the client is not waited for. */
static void note_arrival(Request *r)
{
    if (r->arrived) return;
    r->arrived = true;
    r->arrival = clock_nanoseconds();
    r->server->arriving--;
    r->server->metrics.busy++;
    connections_work(r->connection);
}

/* ---- Responses ------------------------------------------------------------------------------- */

/* Queues the request's response and releases it. */
static enum MHD_Result send_response(Request *r)
{
    if (r->response == NULL) return MHD_NO;
    note_arrival(r);
    r->state = REQUEST_SENT;
    connections_expect_taking(&r->server->connections, r->connection);
    enum MHD_Result result = response_queue(r->response, r->mhd, r->gzip, &r->status, &r->bytes);
    if (strcmp(r->method, MHD_HTTP_METHOD_HEAD) == 0) r->bytes = 0;
    /* What is in the cache or in a file takes no memory until it is sent. */
    if (!r->kept && r->response->body != NULL)
        connections_send(&r->server->connections, r->connection, r->client.key, r->bytes);
    response_release(r->response);
    r->response = NULL;
    return result;
}

static enum MHD_Result send_reply(Request *r, Reply *reply)
{
    if (reply->damaged) r->server->metrics.damaged++;
    r->response = response_create(reply);
    return send_response(r);
}

static enum MHD_Result send_error(Request *r, unsigned status, const char *code, const char *text)
{
    Reply reply = {0};
    reply_error(&reply, status, code, text);
    return send_reply(r, &reply);
}

/* Returns the key of the request in the cache. The owner of the machine may get other answers, and
 * some answers are in CBOR, so the key has a mark for both. */
static const char *key_of(Request *r)
{
    r->cache_key[0] = (char)('a' + r->is_owner + 2 * r->cbor);
    return r->cache_key;
}

static bool is_method(const Request *r, const char *name) { return strcmp(r->method, name) == 0; }

static const char *header(const Request *r, const char *name)
{
    return MHD_lookup_connection_value(r->mhd, MHD_HEADER_KIND, name);
}

/* The range of a file that is asked for. A range on a condition (If-Range) is answered by the whole. */
static const char *range_of(const Request *r)
{
    if (!is_method(r, "GET") || header(r, MHD_HTTP_HEADER_IF_RANGE) != NULL) return NULL;
    return header(r, MHD_HTTP_HEADER_RANGE);
}

/* Makes the response of a route, and puts it into the cache if that is allowed. */
static void make_answer(Request *r)
{
    Server *s = r->server;
    assert(r->route != NULL && r->set != NULL && r->response == NULL);
    Reply reply = {.cache_policy = CACHE_NEVER};
    RouteCall call = {.holder = &s->holder,
                      .set = r->set,
                      .metrics = &s->metrics,
                      .query = r->query,
                      .path_suffix = r->path_suffix,
                      .body = r->body,
                      .size = r->body_size,
                      .cancel = &s->cancelled,
                      .deadline = r->arrival + s->limit,
                      .range = range_of(r),
                      .format = r->cbor ? REPLY_CBOR : REPLY_JSON,
                      .allow_empty = s->allow_empty,
                      .remove = is_method(r, "DELETE"),
                      .client_key = r->client.key,
                      .background = s->background,
                      .list_men = s->list_men,
                      .solve_memory = s->solve_memory,
                      .solve_seconds = s->solve_seconds,
                      .advise = r->is_owner ? s->advise : NULL};
    r->route->run(&call, &reply);
    if (reply.damaged) s->metrics.damaged++;
    bool keep =
        r->route->cached && reply.cache_policy != CACHE_NEVER && reply.status == MHD_HTTP_OK;
    r->response = response_create(&reply);
    if (r->response == NULL) return;
    if (r->gzip) response_compress(r->response);
    if (keep) response_cache_put(r->set->cache, key_of(r), r->response, r->route);
}

/* Resumes the connection, which then sends the response. The caller must not use the request any
 * more. */
static void resume(Request *r)
{
    struct MHD_Connection *connection = r->mhd;
    assert(r->state == REQUEST_BODY && r->arrived);
    r->state = REQUEST_WORKED;
    MHD_resume_connection(connection);
}

static void work(WorkItem *item)
{
    Request *r = (Request *)item;
    make_answer(r);
    resume(r);
}

static const char shutting_down[] = "the server is shutting down: ask again when it is back";

static void refuse(WorkItem *item)
{
    Request *r = (Request *)item;
    Reply reply = {0};
    reply_error(&reply, MHD_HTTP_SERVICE_UNAVAILABLE, "busy", shutting_down);
    r->response = response_create(&reply);
    resume(r);
}

/* ---- Checks of a request --------------------------------------------------------------------- */

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

/* Answers the request that a browser sends first when the page of another site uses the API. */
static enum MHD_Result send_options(Request *r)
{
    Reply reply = {
        .status = MHD_HTTP_NO_CONTENT, .cache_policy = CACHE_NEVER, .allow = allowed(r->route)};
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

/* Parses the target and finds its route. On failure sends an error, sets *result and returns false. */
static bool find_route(Request *r, enum MHD_Result *result)
{
    r->query = malloc(sizeof *r->query);
    if (r->query == NULL) {
        *result = send_error(r, MHD_HTTP_INTERNAL_SERVER_ERROR, "memory", "out of memory");
        return false;
    }
    QueryStatus status = r->target_long ? QUERY_LONG : query_parse(r->target, r->query);
    r->route = route_find(status == QUERY_LONG ? "" : r->query->path, &r->path_suffix);
    if (status == QUERY_OK) return true;
    const char *text = query_status_text(status);
    *result = status == QUERY_LONG ? send_error(r, MHD_HTTP_URI_TOO_LONG, "too_large", text)
                                   : send_error(r, MHD_HTTP_BAD_REQUEST, "bad_request", text);
    return false;
}

/* Returns whether the announced body is too large and need not be read: because its sender waits for
 * a go-ahead (Expect), or because it is much too large. Other bodies that are too large are read and
 * dropped, as a response before their end may get lost when the connection is closed. */
static bool is_hopeless(Request *r)
{
    const char *text = header(r, MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t length = text != NULL ? strtoull(text, NULL, 10) : 0;
    if (length <= r->server->body) return false;
    r->overflow = true;
    return length > BODY_FAR * r->server->body || header(r, MHD_HTTP_HEADER_EXPECT) != NULL;
}

/* HTTP/1.1 requires a host, but the library does not if it is lenient in other things. */
static bool lacks_host(const Request *r)
{
    return r->needs_host && header(r, MHD_HTTP_HEADER_HOST) == NULL;
}

/* Checks target and headers before the body is read. Returns MHD_YES without a response if the body
 * may follow. */
static enum MHD_Result check_headers(Request *r)
{
    enum MHD_Result result;
    if (lacks_host(r))
        return send_error(r, MHD_HTTP_BAD_REQUEST, "bad_request",
                          "the request has no Host header, which HTTP/1.1 requires");
    if (strchr(r->target, ' ') != NULL)
        return send_error(r, MHD_HTTP_BAD_REQUEST, "bad_request",
                          "the address has a space: write _ or %20 instead");
    if (!find_route(r, &result)) return result;
    r->gzip = headers_accept_gzip(header(r, MHD_HTTP_HEADER_ACCEPT_ENCODING));
    if (is_hopeless(r))
        return send_error(r, MHD_HTTP_CONTENT_TOO_LARGE, "too_large", "the body is too large");
    r->state = REQUEST_BODY;
    return MHD_YES;
}

/* Returns whether a cached response can be sent at once. A large one may have to be compressed first. */
static bool is_ready(const Request *r)
{
    enum { LARGE = 32 << 10 };
    return !r->gzip || r->response->size < LARGE || atomic_load(&r->response->gzip) != NULL;
}

/* Looks for the response in the cache. Only the target and two headers matter for this. */
static bool find_kept(Request *r)
{
    const void *route;
    if ((!is_method(r, "GET") && !is_method(r, "HEAD")) || r->target_long) return false;
    r->set = tableset_acquire(&r->server->holder);
    r->response = response_cache_get(r->set->cache, key_of(r), &route);
    if (r->response == NULL) return false;
    r->gzip = headers_accept_gzip(header(r, MHD_HTTP_HEADER_ACCEPT_ENCODING));
    if (!is_ready(r)) {
        /* A worker makes it again, and then both forms are kept. */
        response_release(r->response);
        r->response = NULL;
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
        /* Go on reading, but not without end. */
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

/* Gives the request to a worker, if the limits for requests and for unsent responses allow it. Heavy
 * answers may be large, and stay in memory until the client has received them. */
static WorkersAdded add_job(Request *r)
{
    enum { EACH = 4 }; /* one client may have this part of the limit */
    const uint64_t most = r->server->unsent;
    bool heavy = r->route->work == ROUTE_HEAVY;
    uint64_t own = 0, all = 0;
    r->item = (WorkItem){.run = work, .refuse = refuse, .client_key = r->client.key};
    if (heavy) connections_sending(&r->server->connections, r->item.client_key, &own, &all);
    if (own > most / EACH) return WORKERS_CLIENT_FULL;
    if (all > most) return WORKERS_FULL;
    return workers_add(r->server->workers, &r->item, heavy ? WORK_HEAVY : WORK_LIGHT);
}

static enum MHD_Result start_work(Request *r)
{
    /* Suspend first, as the worker may be done before workers_add returns. */
    MHD_suspend_connection(r->mhd);
    WorkersAdded added = add_job(r);
    if (added == WORKERS_ADDED) return MHD_YES;
    if (added == WORKERS_CLOSED) {
        refuse(&r->item);
        return MHD_YES;
    }
    Reply reply = {0};
    if (added == WORKERS_FULL)
        reply_error(&reply, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                    "too many requests are waiting: try again in a second");
    else
        reply_error(
            &reply, MHD_HTTP_TOO_MANY_REQUESTS, "too_many",
            "too many of your requests, or of their answers, are waiting: receive these first");
    r->response = response_create(&reply);
    resume(r);
    return MHD_YES;
}

/* Answers a request that has arrived in full. */
static enum MHD_Result answer(Request *r)
{
    if (r->overflow)
        return send_error(r, MHD_HTTP_CONTENT_TOO_LARGE, "too_large", "the body is too large");
    if (is_method(r, "OPTIONS")) return send_options(r);
    if (!method_fits(r)) return send_wrong_method(r);
    if (r->set == NULL) r->set = tableset_acquire(&r->server->holder);
    if (r->route->work == ROUTE_QUICK) {
        make_answer(r);
        return send_response(r);
    }
    return start_work(r);
}

/* ---- The client ------------------------------------------------------------------------------ */

static const char forwarded_for[] = "X-Forwarded-For";

/* Returns whether the request has passed a proxy. */
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

/* Sets the client: the other end of the connection or, if that is a trusted proxy, the client behind
 * it. Only a local client without a proxy, or behind a trusted proxy that names it, counts as the
 * owner of this machine. */
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
    r->is_owner = r->client.local && r->server->advise != NULL;
}

/* ---- The first steps ------------------------------------------------------------------------- */

static enum MHD_Result first_look(Request *r, const char *method)
{
    strncpy(r->method, method, sizeof r->method - 1);
    name_client(r);
    r->cbor = headers_prefer_cbor(header(r, MHD_HTTP_HEADER_ACCEPT));
    if (r->server->stopping)
        return send_error(r, MHD_HTTP_SERVICE_UNAVAILABLE, "busy", shutting_down);
    /* The response is sent on the next call: one before the end of the headers would end the
     * connection. */
    if (lacks_host(r) || !find_kept(r)) return check_headers(r);
    r->state = REQUEST_WORKED;
    return MHD_YES;
}

enum MHD_Result handler_run(void *server, struct MHD_Connection *connection, const char *url,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **request)
{
    Request *r = *request;
    (void)server, (void)connection, (void)url;
    if (r == NULL || r->connection == NULL) return MHD_NO;
    if (r->state == REQUEST_NEW) {
        r->needs_host = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;
        return first_look(r, method);
    }
    if (*size > 0) {
        if (r->state == REQUEST_BODY) return take_body(r, data, size);
        *size = 0; /* the body is not needed */
        return MHD_YES;
    }
    if (r->state == REQUEST_SENT) return MHD_YES;
    note_arrival(r);
    return r->state == REQUEST_WORKED ? send_response(r) : answer(r);
}

/* ---- Begin and end --------------------------------------------------------------------------- */

/* Notes that a connection has been used. When the server stops, it waits a little for the first request
 * on a new connection. */
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
    r->target = r->cache_key + 1;
    memcpy(r->target, target, length);
    r->target_long = is_long;
    r->server = s;
    r->mhd = connection;
    r->connection = info != NULL ? info->socket_context : NULL;
    if (r->connection != NULL) {
        r->client = r->connection->peer;
        note_used(s, r->connection);
    }
    r->started = clock_nanoseconds();
    s->arriving++;
    return r;
}

static void finish(Request *r, bool completed)
{
    Server *s = r->server;
    uint64_t took = clock_nanoseconds() - r->started;
    const Route *none = route_at(route_count() - 1);
    unsigned status = completed ? r->status : 0;
    if (status != 0)
        metrics_count(&s->metrics, route_number(r->route != NULL ? r->route : none), status, took,
                      r->bytes);
    else
        s->metrics.aborted++;
    access_log_request(&s->log, &(AccessLogEntry){r->connection != NULL ? r->client.name : "?",
                                                  r->method, r->target, status,
                                                  completed ? r->bytes : 0, took, r->kept});
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
        connections_send(&s->connections, r->connection, r->client.key, 0);
        connections_expect_request(&s->connections, r->connection);
    }
    if (r->set != NULL) tableset_release(r->set);
    response_release(r->response);
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
