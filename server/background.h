/* background.h - work that takes longer than an answer may.
 *
 * One job runs at a time, in a thread of low priority. A job has a name: a client that adds it gets
 * the name, asks later how far the job is, and in the end takes the result. The result is kept for
 * other clients: jobs of one name are done once.
 *
 * The number of waiting jobs is bounded, in total and for each client, and so is the memory for
 * results. The results that were taken least recently are dropped first. */
#ifndef TREB_SERVER_BACKGROUND_H
#define TREB_SERVER_BACKGROUND_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "trebuchet.h"

enum { BACKGROUND_NAME_SIZE = 96 };

/* Shared with a running job. */
typedef struct BackgroundRun {
    atomic_bool stop;             /* in: the job must end early */
    _Atomic uint64_t done, total; /* out: progress, in units of the job's own; both 0 at first */
} BackgroundRun;

typedef struct BackgroundWork {
    /* Does the work. Returns the result, or NULL and an error. */
    json_t *(*run)(void *context, BackgroundRun *run, treb_error *error);
    void (*end)(void *context); /* frees `context`; called once, in any case */
    void *context;
    bool slow; /* goes after jobs that are not slow */
} BackgroundWork;

typedef struct BackgroundLimits {
    unsigned queue;      /* waiting jobs */
    unsigned queue_each; /* waiting and running jobs of one client */
    uint64_t kept;       /* bytes of results */
} BackgroundLimits;

typedef struct Background Background;

/* Starts the thread that starts the jobs. Returns NULL on failure. */
Background *background_start(const BackgroundLimits *limits);

typedef enum BackgroundAdded {
    BACKGROUND_ADDED,
    BACKGROUND_THERE,       /* a job of this name exists */
    BACKGROUND_FULL,        /* too many jobs are waiting */
    BACKGROUND_CLIENT_FULL, /* too many jobs of this client are waiting or running */
    BACKGROUND_CLOSED       /* background_close was called, or there is no memory */
} BackgroundAdded;

/* Adds a job. A job of this name that has failed is tried again. Takes over `work`. */
BackgroundAdded background_add(Background *b, const char *name, const char *client_key,
                               const BackgroundWork *work);

typedef enum BackgroundState {
    BACKGROUND_WAITING,
    BACKGROUND_RUNNING,
    BACKGROUND_DONE,
    BACKGROUND_FAILED
} BackgroundState;

typedef struct BackgroundView {
    BackgroundState state;
    unsigned ahead;       /* number of jobs that will be done before this one */
    uint64_t done, total; /* progress of a running job */
    char *result;         /* result of a job that is done, as JSON text; the caller frees it */
    treb_error error;     /* error of a failed job */
} BackgroundView;

/* Finds a job. Returns false if there is none of this name, or its result is no longer kept. */
bool background_look(Background *b, const char *name, BackgroundView *out);

typedef enum BackgroundCancelled {
    BACKGROUND_CANCELLED, /* dropped, or stopped and dropped when it has ended */
    BACKGROUND_UNKNOWN,   /* there is no such job */
    BACKGROUND_STAYS      /* another client has requested it too, or it is done */
} BackgroundCancelled;

/* Cancels a job for a client. */
BackgroundCancelled background_cancel(Background *b, const char *name, const char *client_key);

/* For metrics: the number of waiting and running jobs, and the number of jobs done so far. */
void background_counts(Background *b, unsigned *pending, uint64_t *finished);

/* Accepts no more jobs, and tells the running one to stop. */
void background_close(Background *b);

/* Closes, waits for the running job and frees everything. If the job does not end in time, because
 * a read hangs or other threads take all processors, returns false and frees nothing. */
bool background_stop(Background *b, unsigned milliseconds);

#endif
