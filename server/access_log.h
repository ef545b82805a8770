/* access_log.h - the access log: one JSON object per line. Lines are buffered; access_log_flush writes them, about
 * ten times a second. */
#ifndef TREB_SERVER_ACCESS_LOG_H
#define TREB_SERVER_ACCESS_LOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ACCESS_LOG_BUFFER = 64 << 10, ACCESS_LOG_LINE = 16 << 10 };

typedef struct AccessLog {
    int fd;      /* -1: nothing is logged */
    int console; /* for errors if nothing is logged, and if the log cannot be written; -1: none */
    pthread_mutex_t lock;
    size_t used;
    uint64_t dropped; /* lines lost since the log was last written: its reader has stopped reading,
                       * or writing fails */
    _Atomic uint64_t lost; /* all lines lost */
    int failure;           /* why writing fails, as errno; 0: it does not */
    char buffer[ACCESS_LOG_BUFFER];
} AccessLog;

typedef struct AccessLogEntry {
    const char *client, *method, *target;
    unsigned status; /* 0: no response was sent */
    size_t bytes;
    uint64_t nanoseconds;
    bool kept; /* the response came from the cache */
} AccessLogEntry;

void access_log_init(AccessLog *log, int fd, int console);
void access_log_close(AccessLog *log);
void access_log_request(AccessLog *log, const AccessLogEntry *request);

/* Logs any other event. */
void access_log_message(AccessLog *log, const char *level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void access_log_flush(AccessLog *log);

/* Writes a text as a JSON string with quotes. Bytes that are not printable ASCII are escaped one by
 * one. Cuts the text if there is no room. Returns the length written. */
size_t access_log_escape(const char *text, char *out, size_t size);

#endif
