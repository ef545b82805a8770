/* log.h - the access log: one JSON object a line. Lines are gathered and written by the tenth of a
 * second or so: log_flush. */
#ifndef TREB_SERVER_LOG_H
#define TREB_SERVER_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOG_BUFFER = 64 << 10, LOG_LINE = 16 << 10 };

typedef struct Log {
    int fd; /* -1: nothing is logged */
    pthread_mutex_t lock;
    size_t used;
    uint64_t dropped; /* lines lost because nobody reads what is written */
    char buffer[LOG_BUFFER];
} Log;

typedef struct LogRequest {
    const char *client, *method, *target;
    unsigned status; /* 0: there was no answer */
    size_t bytes;
    uint64_t nanoseconds;
    bool kept; /* the answer was kept from earlier */
} LogRequest;

void log_init(Log *log, int fd);
void log_close(Log *log);
void log_request(Log *log, const LogRequest *request);

/* Something else worth telling. */
void log_message(Log *log, const char *level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void log_flush(Log *log);

/* Writes a text as a JSON string, with quotes: whatever is not plain ASCII is escaped, byte by
 * byte. Cuts it off where the room ends. Returns its length. */
size_t log_escape(const char *text, char *out, size_t size);

#endif
