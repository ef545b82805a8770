/* transfer.h - requests to a web server. One thread sends them, over connections that all requests
 * share. Private to probe/remote/.
 *
 * A request that fails for a reason that may be temporary (no connection, cut off, HTTP 429 and
 * some 5xx) is repeated a few times, within the time limit of the request. */
#ifndef TREB_PROBE_REMOTE_TRANSFER_H
#define TREB_PROBE_REMOTE_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include "trebuchet-http.h"

enum { TRANSFER_TAG_SIZE = 256, TRANSFER_TRIES = 4, TRANSFER_CONNECTIONS = 8 };

typedef struct Transfer Transfer;
struct Transfer {
    /* The caller fills this in; everything else is 0. */
    char *url;
    bool ranged;          /* true: requests the bytes `first` to `last`; false: the whole file */
    uint64_t first, last; /* the answer may be shorter: it ends where the file ends */
    size_t most;          /* an answer of more bytes is an error */
    /* Called by the thread before it sends the request. Returns true if the request is no longer
     * needed, which is then done without bytes. NULL: it always is. */
    bool (*unneeded)(Transfer *transfer);
    void (*done)(Transfer *transfer); /* called by the thread at the end; frees the transfer */
    void *context;
    /* The result. */
    treb_error error; /* its status is TREB_OK, or why the request failed. TREB_ERR_NO_TABLE: a
                         whole file was requested that does not exist (404) */
    uint8_t *bytes;
    size_t size;
    uint64_t total; /* for a range: the size of the file */
    char etag[TRANSFER_TAG_SIZE], modified[TRANSFER_TAG_SIZE]; /* "" if the server does not say */
    /* Used only by the thread. */
    struct TransferState {
        Transfer *next;
        void *easy;
        uint64_t deadline, again; /* when to give up, when to send again: by transfer_clock */
        unsigned tries;
        long code; /* HTTP status */
        bool has_range, encoded, too_much;
        uint64_t range_first, range_last;
        size_t capacity;
        char message[256]; /* of CURL_ERROR_SIZE bytes */
    } state;
};

typedef struct Transfers Transfers;

/* Starts the thread. `timeout`: seconds that a request may take, with all repetitions. `ca_file`
 * may be NULL. `secure`: only https is allowed. NULL with *error filled on failure. */
Transfers *transfers_new(unsigned timeout, const char *ca_file, bool secure, treb_error *error);

/* Ends the thread. Requests that are not done fail. NULL is allowed. */
void transfers_free(Transfers *transfers);

/* Has the thread send a request as soon as it can. The transfer belongs to the thread until its
 * `done` is called. */
void transfers_add(Transfers *transfers, Transfer *transfer);

void transfers_counts(Transfers *transfers, treb_http_counts *out);

/* Milliseconds of a monotonic clock. */
uint64_t transfer_clock(void);

/* Fills in an error, which names no table, and returns the status. */
treb_status http_fail(treb_error *error, treb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
