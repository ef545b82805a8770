/* server.c - see server.h. */
#include "server/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/system/error.h"
#include "server/handler.h"
#include "server/routes.h"
#include "server/server_state.h"
#include "json/context.h"

/* Returns the number of connections that the system's limit of open files allows, at most `wanted`,
 * and lowers that of one client with it.
 * Tables come first; while they are reloaded each file is open twice. */
static unsigned fit_connections(Server *s, unsigned wanted)
{
    enum { OTHERS = 64, LEAST = 16 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t files = 2 * treb_tables_count(s->holder.current->tables) + OTHERS;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= files + wanted) return wanted;
    unsigned fit = limit.rlim_cur > files + LEAST ? (unsigned)(limit.rlim_cur - files) : LEAST;
    /* One client must not take all that are left. */
    unsigned *each = &s->connections.limits.each, half = fit / 2;
    if (*each > half) *each = half;
    access_log_message(&s->log, "warning",
                       "only %u connections instead of %u, and %u of one client: the system allows "
                       "%llu open files (ulimit -n)",
                       fit, wanted, *each, (unsigned long long)limit.rlim_cur);
    return fit;
}

/* Returns the number of threads that serve connections. libmicrohttpd (0.9.75) takes up to 128 events
 * from epoll at a time. If it gets exactly 128, it waits for more before it handles them, which may
 * take long: 128 requests at a time to one thread would get no answer until something else happens.
 * So a thread gets fewer connections; it has two more events of its own. */
static unsigned pool_size(unsigned threads, unsigned connections)
{
    enum { EACH = 120 };
    unsigned least = (connections + EACH - 1) / EACH;
    return threads > least ? threads : least;
}

static bool start_daemon(Server *s, const ServerOptions *o)
{
    /* Bytes for the first lines of an answer: the HTTP library has one memory for them and for the request's, and closes
     * the connection if a request leaves too few. */
    enum { ANSWER = 768 };
    const unsigned connections = fit_connections(s, o->connections);
    const unsigned threads = pool_size(o->threads, connections);
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem items[] = {
        {MHD_OPTION_LISTEN_SOCKET, s->listening.fd, NULL},
        {MHD_OPTION_THREAD_POOL_SIZE, threads, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, connections, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, o->timeout, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)o->headers + ANSWER, NULL},
        /* Else it closes the connection without a word if the address has a space. */
        {MHD_OPTION_STRICT_FOR_CLIENT, 0, NULL},
        {MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)handler_begin, s},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)handler_end, s},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)handler_connection, s},
        {MHD_OPTION_END, 0, NULL},
    };
    /* The library refuses a pool of one thread. */
    if (threads < 2)
        items[1] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_LIMIT, connections, NULL};
    s->daemon = MHD_start_daemon(flags, 0, NULL, NULL, handler_run, s, MHD_OPTION_ARRAY, items,
                                 MHD_OPTION_END);
    return s->daemon != NULL;
}

static bool start_threads(Server *s, const ServerOptions *o, treb_error *error)
{
    /* Signals go to the caller's thread; a lost connection must not send SIGPIPE. */
    /* A list takes some 50 KB, so there is room for the lists of all installed endings. */
    const BackgroundLimits limits = {.queue = 16, .queue_each = 2, .kept = UINT64_C(16) << 20};
    sigset_t all, before;
    sigfillset(&all);
    signal(SIGPIPE, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    s->workers = workers_start(o->threads, o->queue, o->queue_each);
    if (s->workers != NULL) s->background = background_start(&limits);
    bool started = s->background != NULL && start_daemon(s, o);
    int reason = errno;
    if (s->background != NULL && !started) background_stop(s->background, 1000);
    if (s->workers != NULL && !started) workers_stop(s->workers);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started) fail(error, TREB_ERR_IO, "cannot start threads: %s", strerror(reason));
    return started;
}

/* Gives the metrics the names of the routes, so that they need not know routes.h. */
static void name_routes(Metrics *metrics)
{
    metrics->routes = route_count();
    for (unsigned i = 0; i < metrics->routes; i++) metrics->label[i] = route_at(i)->label;
}

static treb_status start_listening(Listening *out, const ServerOptions *o, treb_error *error)
{
    if (o->passed >= 0) return listen_passed(out, o->passed, error);
    if (o->socket != NULL) return listen_unix(out, o->socket, o->socket_mode, error);
    return listen_tcp(out, o->bind, o->port, error);
}

/* Logs each file with something wrong that was found since the last call, once. */
static void tell_faults(Server *s)
{
    treb_error why;
    TableSet *set = tableset_acquire(&s->holder);
    for (; set->faults_told < treb_tables_faults(set->tables); set->faults_told++) {
        treb_tables_fault(set->tables, set->faults_told, &why);
        access_log_message(&s->log, "error",
                           "%s; put a good copy in its place under another name, rename it, and "
                           "reload (SIGHUP)",
                           why.text);
    }
    tableset_release(set);
}

/* Logs which folders are left out. */
static void tell_missing(Server *s)
{
    size_t number = 0;
    if (s->holder.count < 2) return;
    for (const char *folder; (folder = tableset_missing(&s->holder, &number)) != NULL;)
        access_log_message(&s->log, "warning",
                           "%s: cannot open: %s; the tables of the other folders are used", folder,
                           strerror(errno));
}

Server *server_start(const ServerOptions *o, treb_error *error)
{
    Server *s = calloc(1, sizeof *s);
    if (s == NULL) {
        fail_memory(error);
        return NULL;
    }
    s->holder = (TableHolder){.directories = o->directories,
                              .count = o->count,
                              .lenient = o->lenient,
                              .block_bytes = o->cache,
                              .cache_bytes = o->answers};
    s->body = o->body;
    s->limit = UINT64_C(1000000000) * o->limit;
    s->unsent = o->unsent;
    s->list_men = o->list_men;
    s->solve_memory = o->solve_memory;
    s->solve_seconds = o->solve_seconds;
    s->allow_empty = o->allow_empty;
    s->advise = o->advise;
    name_routes(&s->metrics);
    s->metrics.started = time(NULL);
    if (start_listening(&s->listening, o, error) != TREB_OK) {
        free(s);
        return NULL;
    }
    access_log_init(&s->log, o->log, o->console);
    connections_init(&s->connections, &(ConnectionLimits){.request = o->timeout,
                                                          .answer = o->send_timeout,
                                                          .each = o->per_client,
                                                          .proxies = o->proxies});
    bool opened = tableset_open(&s->holder, error) == TREB_OK;
    if (opened && start_threads(s, o, error)) {
        tell_missing(s);
        tell_faults(s);
        return s;
    }
    tableset_close(&s->holder);
    connections_destroy(&s->connections);
    access_log_close(&s->log);
    listen_close(&s->listening);
    free(s);
    return NULL;
}

void server_log(Server *s, const char *level, const char *text)
{
    access_log_message(&s->log, level, "%s", text);
}

const char *server_url(const Server *s) { return s->listening.url; }

bool server_ready(Server *s)
{
    TableSet *set = tableset_acquire(&s->holder);
    bool ready = tableset_ready(set, s->allow_empty);
    tableset_release(set);
    return ready;
}

void server_tick(Server *s)
{
    s->metrics.expired += connections_expire(&s->connections);
    unsigned pending;
    uint64_t finished;
    s->metrics.waiting = workers_waiting(s->workers);
    background_counts(s->background, &pending, &finished);
    s->metrics.background = pending;
    s->metrics.finished = finished;
    tell_faults(s);
    access_log_flush(&s->log);
    s->metrics.log_lost = s->log.lost;
}

void server_reload(Server *s)
{
    treb_error error;
    s->metrics.reloads++;
    if (tableset_reload(&s->holder, &error) == TREB_OK) {
        TableSet *set = tableset_acquire(&s->holder);
        access_log_message(&s->log, tableset_ready(set, s->allow_empty) ? "info" : "warning",
                           "tables reloaded: %zu files", treb_tables_count(set->tables));
        tableset_release(set);
        tell_missing(s);
        tell_faults(s);
        return;
    }
    s->metrics.failed_reloads++;
    access_log_message(&s->log, "error", "cannot reload the tables, the old ones stay in use: %s",
                       error.text);
}

/* ---- The end --------------------------------------------------------------------------------- */

static void sleep_milliseconds(long time)
{
    nanosleep(&(struct timespec){time / 1000, time % 1000 * 1000000}, NULL);
}

/* Waits until no request is in progress, at most `milliseconds`. Waits at most a second for the rest
 * of requests that have arrived in part, and a tenth of a second for the first request on connections
 * that were just opened. Returns whether all was done. */
static bool drain(Server *s, unsigned milliseconds)
{
    enum { STEP = 20, FRESH = 100, PART = 1000, MILLION = 1000000 };
    const uint64_t start = clock_nanoseconds();
    for (unsigned waited = 0, quiet = 0; waited < milliseconds;
         waited = (unsigned)((clock_nanoseconds() - start) / MILLION)) {
        bool busy = s->metrics.busy > 0 || (s->arriving > 0 && waited < PART) ||
                    (s->fresh > 0 && waited < FRESH);
        quiet = busy ? 0 : quiet + 1;
        if (quiet == 2) return true;
        sleep_milliseconds(STEP);
        server_tick(s);
    }
    return false;
}

/* Logs that a thread could not be stopped. What it uses cannot be freed. */
static void stop_hanging(Server *s, const char *level, const char *why)
{
    access_log_message(&s->log, level, "stopped, but %s", why);
    access_log_flush(&s->log);
}

bool server_stop(Server *s, bool *runs)
{
    enum { SOON = 100, GRACE = 2000, LAST = 1500, ALL = 1000 * SERVER_STOP_SECONDS };
    enum { REST = 500, MILLION = 1000000 };
    _Static_assert(SOON + GRACE + LAST + REST + SOON <= ALL, "some time is left for the rest");
    const uint64_t start = clock_nanoseconds();
    *runs = true;
    MHD_quiesce_daemon(s->daemon);
    listen_close(&s->listening);
    /* Requests on open connections are still started if a worker is free. */
    bool finished = drain(s, SOON);
    s->stopping = true;
    workers_close(s->workers);
    background_close(s->background);
    if (!finished) finished = drain(s, GRACE);
    s->cancelled = true;
    if (!finished) finished = drain(s, LAST);
    if (!finished && workers_running(s->workers) > 0) {
        stop_hanging(s, "error", "a table could not be read in time");
        return false;
    }
    workers_stop(s->workers);
    const unsigned taken = (unsigned)((clock_nanoseconds() - start) / MILLION);
    if (!background_stop(s->background, ALL - REST > taken ? ALL - REST - taken : 0)) {
        stop_hanging(s, "warning", "a background job did not end in time");
        return finished; /* no request waited for it */
    }
    MHD_stop_daemon(s->daemon);
    tableset_close(&s->holder);
    access_log_message(&s->log, "info", "%s",
                       finished ? "stopped" : "stopped, with requests unfinished");
    access_log_close(&s->log);
    connections_destroy(&s->connections);
    free(s);
    *runs = false;
    return finished;
}
