/* transfer.c - see transfer.h. */
#include "probe/remote/transfer.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { REDIRECTS = 5, CODE_RANGE = 206, CODE_OK = 200 };

struct Transfers {
    CURLM *multi;
    pthread_t thread;
    pthread_mutex_t mutex; /* protects `fresh` and `stop` */
    Transfer *fresh;       /* added and not sent yet, the newest first */
    bool stop;
    Transfer *under_way, *paused; /* the thread's own: sent; to be sent again after a pause */
    unsigned timeout;
    bool secure; /* only https: a redirection to http is refused */
    char *ca_file;
    _Atomic uint64_t requests, bytes, failures;
};

treb_status http_fail(treb_error *error, treb_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->metric = -1;
    error->material[0] = '\0';
    return status;
}

uint64_t transfer_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- Receiving ------------------------------------------------------------------------------- */

/* For CURLOPT_WRITEFUNCTION. Returning less than `size` ends the transfer with
 * CURLE_WRITE_ERROR. */
static size_t take_bytes(char *from, size_t one, size_t size, void *context)
{
    Transfer *t = context;
    struct TransferState *s = &t->state;
    (void)one;
    /* The body of an error answer is text for browsers: it is discarded. */
    if (s->code != (t->ranged ? CODE_RANGE : CODE_OK)) return s->code == CODE_OK ? 0 : size;
    if (s->encoded || size > t->most - t->size) {
        s->too_much = !s->encoded;
        return 0;
    }
    if (t->size + size > s->capacity) {
        size_t capacity = t->ranged ? t->most : 2 * (t->size + size);
        uint8_t *bytes = realloc(t->bytes, capacity);
        if (bytes == NULL) return 0;
        t->bytes = bytes;
        s->capacity = capacity;
    }
    memcpy(t->bytes + t->size, from, size);
    t->size += size;
    return size;
}

/* Copies the value of a header line to `out` if the line has that name. */
static bool take_value(const char *line, size_t size, const char *name, char *out, size_t capacity)
{
    size_t length = strlen(name);
    if (size <= length || strncasecmp(line, name, length) != 0 || line[length] != ':') return false;
    line += length + 1;
    size -= length + 1;
    while (size > 0 && (*line == ' ' || *line == '\t')) line++, size--;
    while (size > 0 && strchr("\r\n \t", line[size - 1]) != NULL) size--;
    if (size >= capacity) size = capacity - 1;
    memcpy(out, line, size);
    out[size] = '\0';
    return true;
}

/* Begins an answer at its status line. It may follow the answer that redirected here. */
static void begin_answer(Transfer *t, const char *line, size_t size)
{
    struct TransferState *s = &t->state;
    const char *space = memchr(line, ' ', size);
    s->code = space != NULL ? strtol(space, NULL, 10) : 0;
    s->has_range = s->encoded = s->too_much = false;
    t->size = 0;
    t->etag[0] = t->modified[0] = '\0';
}

/* For CURLOPT_HEADERFUNCTION. */
static size_t take_header(char *line, size_t one, size_t size, void *context)
{
    Transfer *t = context;
    struct TransferState *s = &t->state;
    char value[TRANSFER_TAG_SIZE];
    (void)one;
    if (size > 5 && strncasecmp(line, "HTTP/", 5) == 0) begin_answer(t, line, size);
    (void)take_value(line, size, "ETag", t->etag, sizeof t->etag);
    (void)take_value(line, size, "Last-Modified", t->modified, sizeof t->modified);
    if (take_value(line, size, "Content-Encoding", value, sizeof value))
        s->encoded = strcasecmp(value, "identity") != 0;
    if (take_value(line, size, "Content-Range", value, sizeof value))
        s->has_range = sscanf(value, "bytes %" SCNu64 "-%" SCNu64 "/%" SCNu64, &s->range_first,
                              &s->range_last, &t->total) == 3;
    return size;
}

/* ---- Judging --------------------------------------------------------------------------------- */

/* Fills in the error for an HTTP status that is not the expected one. */
static treb_status judge_code(Transfer *t)
{
    long code = t->state.code;
    if (t->ranged && (code == 404 || code == 410))
        return http_fail(&t->error, TREB_ERR_NETWORK,
                         "%.300s: is listed in SHA256SUMS, but does not exist (HTTP %ld)", t->url,
                         code);
    if (code == 404 || code == 410)
        return http_fail(&t->error, TREB_ERR_NO_TABLE, "%.300s: does not exist (HTTP %ld)", t->url,
                         code);
    if (code == 401 || code == 403 || code == 407)
        return http_fail(&t->error, TREB_ERR_NETWORK,
                         "%.300s: the server refuses access (HTTP %ld); a name and a password can "
                         "be put into ~/.netrc",
                         t->url, code);
    if (code == 416)
        return http_fail(&t->error, TREB_ERR_DAMAGED,
                         "%.300s: is shorter than it was, or empty (HTTP 416)", t->url);
    if (code == CODE_OK)
        return http_fail(&t->error, TREB_ERR_NETWORK,
                         "%.300s: the server sends whole files, not ranges of them (HTTP 200 to a "
                         "request with Range)",
                         t->url);
    return http_fail(&t->error, TREB_ERR_NETWORK, "%.300s: the server answers HTTP %ld", t->url,
                     code);
}

/* Checks an answer that is complete as far as HTTP is concerned. */
static treb_status judge_answer(Transfer *t)
{
    const struct TransferState *s = &t->state;
    if (s->code != (t->ranged ? CODE_RANGE : CODE_OK)) return judge_code(t);
    if (!t->ranged) return TREB_OK;
    uint64_t last = t->total > 0 && t->total - 1 < t->last ? t->total - 1 : t->last;
    if (!s->has_range || t->total == 0 || s->range_first != t->first || s->range_last != last)
        return http_fail(&t->error, TREB_ERR_NETWORK,
                         "%.300s: the server sends another range than bytes %" PRIu64 "-%" PRIu64,
                         t->url, t->first, t->last);
    if (t->size != last - t->first + 1)
        return http_fail(&t->error, TREB_ERR_NETWORK, "%.300s: the answer was cut off", t->url);
    return TREB_OK;
}

/* Fills in the error for a transfer that libcurl could not finish. */
static treb_status judge_failure(Transfer *t, CURLcode result)
{
    const struct TransferState *s = &t->state;
    if (result == CURLE_WRITE_ERROR && s->encoded)
        return http_fail(&t->error, TREB_ERR_NETWORK,
                         "%.300s: the server sends it compressed, although this was not requested",
                         t->url);
    if (result == CURLE_WRITE_ERROR && s->too_much)
        return http_fail(&t->error, TREB_ERR_NETWORK,
                         "%.300s: the server sends more than it should", t->url);
    if (result == CURLE_WRITE_ERROR && s->code == CODE_OK && t->ranged) return judge_code(t);
    if (result == CURLE_WRITE_ERROR || result == CURLE_OUT_OF_MEMORY)
        return http_fail(&t->error, TREB_ERR_MEMORY, "out of memory");
    const char *why = s->message[0] != '\0' ? s->message : curl_easy_strerror(result);
    treb_status status = result == CURLE_OPERATION_TIMEDOUT ? TREB_ERR_TIMEOUT : TREB_ERR_NETWORK;
    return http_fail(&t->error, status, "%.250s: %.200s", t->url, why);
}

/* Whether a failed request may succeed if it is repeated. */
static bool may_succeed_later(const Transfer *t, CURLcode result)
{
    long code = t->state.code;
    switch (result) {
    case CURLE_OK:
        return code == 429 || code == 500 || code == 502 || code == 503 || code == 504 ||
               (code == CODE_RANGE && t->state.has_range && t->state.range_first == t->first &&
                t->size < t->state.range_last - t->first + 1);
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return true;
    default:
        return false;
    }
}

/* ---- The thread ------------------------------------------------------------------------------ */

static void push(Transfer **list, Transfer *t)
{
    t->state.next = *list;
    *list = t;
}

static void unlink_from(Transfer **list, const Transfer *t)
{
    while (*list != t) list = &(*list)->state.next;
    *list = t->state.next;
}

static void finish(Transfer *t)
{
    if (t->state.easy != NULL) curl_easy_cleanup(t->state.easy);
    t->state.easy = NULL;
    t->done(t);
}

/* Sets the protocols that are allowed, also for redirections. */
static void set_protocols(CURL *easy, bool secure)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, secure ? "https" : "http,https");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
#else
    long which = secure ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS;
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, which);
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, which);
#endif
}

static void set_times(const Transfers *all, CURL *easy, long left)
{
    /* A server that stops sending gets a third of the time, so that there is time for another
     * attempt. */
    long share = (long)all->timeout / 3 > 1 ? (long)all->timeout / 3 : 1;
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, left);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, left < 1000 * share ? left : 1000 * share);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, share);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
}

static void set_request(const Transfers *all, Transfer *t, CURL *easy)
{
    char range[64];
    curl_easy_setopt(easy, CURLOPT_URL, t->url);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, t);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "trebuchet/" TREB_VERSION);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, (long)REDIRECTS);
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, t->state.message);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, t);
    if (all->ca_file != NULL) curl_easy_setopt(easy, CURLOPT_CAINFO, all->ca_file);
    if (all->secure) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    set_protocols(easy, all->secure);
    if (!t->ranged) return;
    snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, t->first, t->last);
    curl_easy_setopt(easy, CURLOPT_RANGE, range);
}

static void send_now(Transfers *all, Transfer *t)
{
    uint64_t now = transfer_clock();
    struct TransferState *s = &t->state;
    long left = s->deadline > now ? (long)(s->deadline - now) : 1;
    if (s->easy == NULL) s->easy = curl_easy_init();
    s->message[0] = '\0';
    s->code = 0;
    s->tries++;
    t->size = 0;
    if (s->easy != NULL) {
        set_times(all, s->easy, left);
        set_request(all, t, s->easy);
        if (curl_multi_add_handle(all->multi, s->easy) == CURLM_OK) {
            atomic_fetch_add_explicit(&all->requests, 1, memory_order_relaxed);
            push(&all->under_way, t);
            return;
        }
    }
    http_fail(&t->error, TREB_ERR_MEMORY, "out of memory");
    finish(t);
}

/* Takes the result of an attempt: the request is done, or will be repeated after a pause. */
static void end_one(Transfers *all, Transfer *t, CURLcode result)
{
    static const unsigned pause[TRANSFER_TRIES] = {0, 100, 300, 900}; /* milliseconds */
    struct TransferState *s = &t->state;
    curl_multi_remove_handle(all->multi, s->easy);
    unlink_from(&all->under_way, t);
    atomic_fetch_add_explicit(&all->bytes, t->size, memory_order_relaxed);
    t->error.status = TREB_OK;
    treb_status status = result == CURLE_OK ? judge_answer(t) : judge_failure(t, result);
    if (status != TREB_OK) atomic_fetch_add_explicit(&all->failures, 1, memory_order_relaxed);
    s->again = transfer_clock() + pause[s->tries % TRANSFER_TRIES];
    if (status != TREB_OK && may_succeed_later(t, result) && s->tries < TRANSFER_TRIES &&
        s->again < s->deadline)
        push(&all->paused, t);
    else
        finish(t);
}

/* Sends the requests that were added. True: the thread is to end. */
static bool take_fresh(Transfers *all)
{
    pthread_mutex_lock(&all->mutex);
    Transfer *list = all->fresh, *order = NULL;
    all->fresh = NULL;
    bool stop = all->stop;
    pthread_mutex_unlock(&all->mutex);
    while (list != NULL) { /* the oldest first */
        Transfer *next = list->state.next;
        push(&order, list);
        list = next;
    }
    while (order != NULL) {
        Transfer *t = order;
        order = t->state.next;
        if (t->unneeded != NULL && t->unneeded(t))
            finish(t);
        else
            send_now(all, t);
    }
    return stop;
}

/* Sends the requests whose pause is over. Returns the milliseconds until the next pause ends, at
 * most A_WHILE. */
static int send_paused(Transfers *all)
{
    enum { A_WHILE = 10000 };
    int least = A_WHILE;
    Transfer *list = all->paused;
    uint64_t now = transfer_clock();
    all->paused = NULL;
    while (list != NULL) {
        Transfer *t = list;
        list = t->state.next;
        if (t->state.again <= now) {
            send_now(all, t);
        } else {
            if (t->state.again - now < (uint64_t)least) least = (int)(t->state.again - now);
            push(&all->paused, t);
        }
    }
    return least;
}

static void end_all(Transfers *all)
{
    for (Transfer *t; (t = all->under_way) != NULL;) {
        curl_multi_remove_handle(all->multi, t->state.easy);
        all->under_way = t->state.next;
        push(&all->paused, t);
    }
    for (Transfer *t; (t = all->paused) != NULL;) {
        all->paused = t->state.next;
        http_fail(&t->error, TREB_ERR_NETWORK, "%.300s: the tables are being closed", t->url);
        finish(t);
    }
}

static void *transfer_all(void *context)
{
    Transfers *all = context;
    while (!take_fresh(all)) {
        int running, left, rest = send_paused(all);
        curl_multi_perform(all->multi, &running);
        for (CURLMsg *m; (m = curl_multi_info_read(all->multi, &left)) != NULL;) {
            Transfer *t;
            CURLcode result = m->data.result;
            if (m->msg != CURLMSG_DONE) continue;
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
            end_one(all, t, result);
            rest = 0;
        }
        if (rest > 0) curl_multi_poll(all->multi, NULL, 0, rest, NULL);
    }
    end_all(all);
    return NULL;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void init_curl(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

/* Starts the thread with all signals blocked, as they are meant for the caller's threads. The
 * exceptions are signals that the thread causes itself. */
static bool create_thread(Transfers *all)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    sigset_t quiet, before;
    sigfillset(&quiet);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&quiet, own[i]);
    pthread_sigmask(SIG_SETMASK, &quiet, &before);
    bool created = pthread_create(&all->thread, NULL, transfer_all, all) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}

Transfers *transfers_new(unsigned timeout, const char *ca_file, bool secure, treb_error *error)
{
    pthread_once(&once, init_curl);
    Transfers *all = calloc(1, sizeof *all);
    if (all != NULL) all->multi = curl_multi_init();
    if (all != NULL && all->multi != NULL && ca_file != NULL) all->ca_file = strdup(ca_file);
    if (all == NULL || all->multi == NULL || (ca_file != NULL && all->ca_file == NULL) ||
        pthread_mutex_init(&all->mutex, NULL) != 0) {
        if (all != NULL) curl_multi_cleanup(all->multi);
        if (all != NULL) free(all->ca_file);
        free(all);
        http_fail(error, TREB_ERR_MEMORY, "out of memory");
        return NULL;
    }
    all->timeout = timeout;
    all->secure = secure;
    curl_multi_setopt(all->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)TRANSFER_CONNECTIONS);
    curl_multi_setopt(all->multi, CURLMOPT_MAXCONNECTS, (long)TRANSFER_CONNECTIONS);
    if (create_thread(all)) return all;
    http_fail(error, TREB_ERR_MEMORY, "the system allows no more threads");
    pthread_mutex_destroy(&all->mutex);
    curl_multi_cleanup(all->multi);
    free(all->ca_file);
    free(all);
    return NULL;
}

void transfers_free(Transfers *all)
{
    if (all == NULL) return;
    pthread_mutex_lock(&all->mutex);
    all->stop = true;
    pthread_mutex_unlock(&all->mutex);
    curl_multi_wakeup(all->multi);
    pthread_join(all->thread, NULL);
    pthread_mutex_destroy(&all->mutex);
    curl_multi_cleanup(all->multi);
    free(all->ca_file);
    free(all);
}

void transfers_add(Transfers *all, Transfer *t)
{
    t->state.deadline = transfer_clock() + 1000 * (uint64_t)all->timeout;
    pthread_mutex_lock(&all->mutex);
    push(&all->fresh, t);
    pthread_mutex_unlock(&all->mutex);
    curl_multi_wakeup(all->multi);
}

void transfers_counts(Transfers *all, treb_http_counts *out)
{
    out->requests = atomic_load_explicit(&all->requests, memory_order_relaxed);
    out->bytes = atomic_load_explicit(&all->bytes, memory_order_relaxed);
    out->failures = atomic_load_explicit(&all->failures, memory_order_relaxed);
}
