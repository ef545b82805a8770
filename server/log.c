/* log.c - see log.h. A reader of the log that has stopped reading must not stop the server: what
 * cannot be written at once is dropped and counted. */
#include "server/log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void log_init(Log *log, int fd)
{
    log->fd = fd;
    log->used = 0;
    log->dropped = 0;
    pthread_mutex_init(&log->lock, NULL);
}

size_t log_escape(const char *text, char *out, size_t size)
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

/* ---- Writing, with the lock held ------------------------------------------------------------- */

static bool can_write(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT);
}

/* Writes out what was gathered, in pieces that do not block once poll has let them pass. */
static void write_out(Log *log)
{
    enum { PIECE = 4096 };
    size_t done = 0;
    while (done < log->used && can_write(log->fd)) {
        size_t piece = log->used - done < PIECE ? log->used - done : PIECE;
        ssize_t n = write(log->fd, log->buffer + done, piece);
        if (n < 0 && errno != EINTR && errno != EAGAIN) break;
        if (n > 0) done += (size_t)n;
    }
    log->used -= done;
    memmove(log->buffer, log->buffer + done, log->used);
}

static void add_line(Log *log, const char *line, size_t length)
{
    pthread_mutex_lock(&log->lock);
    if (log->used + length > sizeof log->buffer) write_out(log);
    if (log->used + length <= sizeof log->buffer) {
        memcpy(log->buffer + log->used, line, length);
        log->used += length;
    } else {
        log->dropped++;
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

void log_request(Log *log, const LogRequest *r)
{
    char line[LOG_LINE];
    if (log->fd < 0) return;
    size_t at = put_time(line, sizeof line);
    at += (size_t)snprintf(line + at, sizeof line - at, "\"client\":\"%s\",\"method\":", r->client);
    at += log_escape(r->method, line + at, 128);
    at += (size_t)snprintf(line + at, sizeof line - at, ",\"target\":");
    at += log_escape(r->target, line + at, sizeof line - at - 256);
    at += (size_t)snprintf(
        line + at, sizeof line - at, ",\"status\":%u,\"bytes\":%zu,\"seconds\":%.6f,\"kept\":%s}\n",
        r->status, r->bytes, (double)r->nanoseconds / 1e9, r->kept ? "true" : "false");
    add_line(log, line, at);
}

void log_message(Log *log, const char *level, const char *format, ...)
{
    char line[LOG_LINE], text[1024];
    va_list args;
    if (log->fd < 0) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t at = put_time(line, sizeof line);
    at += (size_t)snprintf(line + at, sizeof line - at, "\"level\":\"%s\",\"message\":", level);
    at += log_escape(text, line + at, sizeof line - at - 8);
    at += (size_t)snprintf(line + at, sizeof line - at, "}\n");
    add_line(log, line, at);
}

void log_flush(Log *log)
{
    if (log->fd < 0) return;
    pthread_mutex_lock(&log->lock);
    if (log->used) write_out(log);
    uint64_t dropped = log->used == 0 ? log->dropped : 0;
    if (log->used == 0) log->dropped = 0;
    pthread_mutex_unlock(&log->lock);
    if (dropped)
        log_message(log, "warning", "%llu lines of this log were lost: nobody read them",
                    (unsigned long long)dropped);
}

void log_close(Log *log)
{
    log_flush(log);
    pthread_mutex_destroy(&log->lock);
}
