/* transfer.h - what is asked of a web server, by one thread over connections that all share.
 *
 * A request that fails in a way that may pass (no connection, cut off, 429 and 5xx) is repeated a few
 * times, within the time that it may take in all. */
#ifndef TREB_HTTP_TRANSFER_H
#define TREB_HTTP_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include "trebuchet-http.h"

enum { TRANSFER_TAG_SIZE = 256, TRANSFER_TRIES = 4, TRANSFER_CONNECTIONS = 8 };

typedef struct Transfer Transfer;
struct Transfer {
    /* What the asker fills in; all else is 0. */
    char *url;
    bool ranged;          /* bytes `first` to `last` are wanted, else all that there is */
    uint64_t first, last; /* fewer may come: to the end of the file */
    size_t most;          /* bytes that may come */
    /* By the thread, before it is sent: true if there is no need any more. NULL: there is. */
    bool (*unneeded)(Transfer *transfer);
    void (*done)(Transfer *transfer); /* by the thread; frees it */
    void *context;
    /* What came of it. */
    treb_error error; /* the status is TREB_OK, or why not. TREB_ERR_NO_TABLE: all of what
                         is not there was wanted (404) */
    uint8_t *bytes;
    size_t size;
    uint64_t total; /* of a range: the bytes of the file */
    char etag[TRANSFER_TAG_SIZE], modified[TRANSFER_TAG_SIZE]; /* "" if the server does not say */
    /* Of the thread. */
    struct TransferState {
        Transfer *next;
        void *easy;
        uint64_t deadline, again; /* milliseconds */
        unsigned tries;
        long code;
        bool has_range, encoded, too_much;
        uint64_t range_first, range_last;
        size_t capacity;
        char message[256]; /* CURL_ERROR_SIZE */
    } state;
};

typedef struct Transfers Transfers;

/* `timeout` in seconds, for each in all. NULL with *error filled on failure. */
Transfers *transfers_new(unsigned timeout, const char *ca_file, bool secure, treb_error *error);

/* Ends the thread; what is under way is done as a failure. NULL is allowed. */
void transfers_free(Transfers *transfers);

/* Sends it as soon as the thread comes to it. The transfer is the thread's until it is done. */
void transfers_add(Transfers *transfers, Transfer *transfer);

void transfers_counts(Transfers *transfers, treb_http_counts *out);

/* Milliseconds of a clock that only goes forward. */
uint64_t transfer_clock(void);

/* Fills in an error. */
treb_status http_fail(treb_error *error, treb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
