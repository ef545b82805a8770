/* access_log.c - see access_log.h. A reader of the log that has stopped reading must not block the server, so lines
 * that neither can be written at once nor fit into the buffer are dropped and counted. */
#include "server/access_log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/system/error.h"

void access_log_init(AccessLog *log, int fd, int console)
{
    log->fd = fd;
    log->console = console;
    log->used = 0;
    log->dropped = 0;
    log->failure = 0;
    atomic_init(&log->lost, 0);
    pthread_mutex_init(&log->lock, NULL);
}

size_t access_log_escape(const char *text, char *out, size_t size)
{
    static const char hex[] = "0123456789abcdef";
    size_t at = 0;
    out[at++] = '"';
    for (; *text && at + 8 < size; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
            out[at++] = (char)c;
            continue;
        }
        memcpy(out + at, "\\u00", 4);
        out[at + 4] = hex[c >> 4];
        out[at + 5] = hex[c & 15];
        at += 6;
    }
    out[at++] = '"';
    out[at] = '\0';
    return at;
}

/* ---- Writing; the caller holds the lock ------------------------------------------------------ */

static bool can_write(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT);
}

/* Tells once that the log cannot be written, until it can be written again. */
static void tell_failure(AccessLog *log, int reason)
{
    char text[FAIL_REASON_SIZE];
    bool known = log->failure == reason;
    log->failure = reason;
    if (!known && log->console >= 0)
        dprintf(log->console,
                "trebuchet serve: cannot write the log: %s; lines are lost until that is mended\n",
                fail_reason(reason, text));
}

/* Writes the buffer, in pieces small enough not to block once poll has reported POLLOUT. */
static void write_out(AccessLog *log)
{
    enum { PIECE = 4096 };
    size_t done = 0;
    while (done < log->used && can_write(log->fd)) {
        size_t piece = log->used - done < PIECE ? log->used - done : PIECE;
        ssize_t n = write(log->fd, log->buffer + done, piece);
        if (n < 0 && errno != EINTR && errno != EAGAIN) {
            tell_failure(log, errno);
            break;
        }
        if (n > 0) done += (size_t)n;
    }
    if (done == log->used) log->failure = 0;
    log->used -= done;
    memmove(log->buffer, log->buffer + done, log->used);
}

static void add_line(AccessLog *log, const char *line, size_t length)
{
    pthread_mutex_lock(&log->lock);
    if (log->used + length > sizeof log->buffer) write_out(log);
    if (log->used + length <= sizeof log->buffer) {
        memcpy(log->buffer + log->used, line, length);
        log->used += length;
    } else {
        log->dropped++;
        atomic_fetch_add_explicit(&log->lost, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&log->lock);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static size_t put_time(char *out, size_t size)
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t n = strftime(out, size, "{\"time\":\"%Y-%m-%dT%H:%M:%S", &parts);
    return n + (size_t)snprintf(out + n, size - n, ".%03ldZ\",", now.tv_nsec / 1000000);
}

void access_log_request(AccessLog *log, const AccessLogEntry *r)
{
    char line[ACCESS_LOG_LINE];
    if (log->fd < 0) return;
    size_t at = put_time(line, sizeof line);
    at += (size_t)snprintf(line + at, sizeof line - at, "\"client\":\"%s\",\"method\":", r->client);
    at += access_log_escape(r->method, line + at, 128);
    at += (size_t)snprintf(line + at, sizeof line - at, ",\"target\":");
    at += access_log_escape(r->target, line + at, sizeof line - at - 256);
    at += (size_t)snprintf(
        line + at, sizeof line - at, ",\"status\":%u,\"bytes\":%zu,\"seconds\":%.6f,\"kept\":%s}\n",
        r->status, r->bytes, (double)r->nanoseconds / 1e9, r->kept ? "true" : "false");
    add_line(log, line, at);
}

void access_log_message(AccessLog *log, const char *level, const char *format, ...)
{
    char line[ACCESS_LOG_LINE], text[1024];
    va_list args;
    const bool error = strcmp(level, "error") == 0;
    if (log->fd < 0 && (!error || log->console < 0)) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (log->fd < 0) {
        dprintf(log->console, "trebuchet serve: %s\n", text);
        return;
    }
    size_t at = put_time(line, sizeof line);
    at += (size_t)snprintf(line + at, sizeof line - at, "\"level\":\"%s\",\"message\":", level);
    at += access_log_escape(text, line + at, sizeof line - at - 8);
    at += (size_t)snprintf(line + at, sizeof line - at, "}\n");
    add_line(log, line, at);
}

void access_log_flush(AccessLog *log)
{
    if (log->fd < 0) return;
    pthread_mutex_lock(&log->lock);
    if (log->used) write_out(log);
    uint64_t dropped = log->used == 0 ? log->dropped : 0;
    if (log->used == 0) log->dropped = 0;
    pthread_mutex_unlock(&log->lock);
    if (dropped)
        access_log_message(log, "warning",
                           "%llu lines of this log were lost, as it could not be written",
                           (unsigned long long)dropped);
}

void access_log_close(AccessLog *log)
{
    access_log_flush(log);
    pthread_mutex_destroy(&log->lock);
}
