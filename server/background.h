/* background.h - work that takes longer than an answer may: one piece at a time, in a thread that gives way to
 * others. Whoever wants it done is given its name, comes back to see how far it is, and in the end takes the result,
 * which is kept for the next who wants the same: what has the same name is done once.
 *
 * What may wait is bounded, in all and of one client, and so is what is kept: the results least recently taken go. */
#ifndef TREB_SERVER_BACKGROUND_H
#define TREB_SERVER_BACKGROUND_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "trebuchet.h"

enum { BACKGROUND_NAME_SIZE = 96 };

/* What a piece of work tells, and is told. */
typedef struct BackgroundRun {
    atomic_bool stop;             /* it is to end early */
    _Atomic uint64_t done, total; /* in parts of its own; 0 of 0 at first */
} BackgroundRun;

/* What is to be done. */
typedef struct BackgroundWork {
    /* Gives the result, or NULL and why not. */
    json_t *(*run)(void *context, BackgroundRun *run, treb_error *error);
    void (*end)(void *context); /* frees it; called once, whatever becomes of the work */
    void *context;
    bool slow; /* it comes after what is not */
} BackgroundWork;

typedef struct BackgroundLimits {
    unsigned queue;      /* pieces that may wait */
    unsigned queue_each; /* of one client */
    uint64_t kept;       /* bytes of results */
} BackgroundLimits;

typedef struct Background Background;

/* Starts the thread that has others do the work. NULL if that cannot be done. */
Background *background_start(const BackgroundLimits *limits);

typedef enum BackgroundAdded {
    BACKGROUND_ADDED,
    BACKGROUND_THERE,      /* somebody wanted it before */
    BACKGROUND_FULL,       /* too much is waiting */
    BACKGROUND_OWNER_FULL, /* of this client */
    BACKGROUND_CLOSED      /* it ends, or there is no memory */
} BackgroundAdded;

/* Wants something done; what had failed is tried again. Takes over the work. */
BackgroundAdded background_add(Background *b, const char *name, const char *owner,
                               const BackgroundWork *work);

typedef enum BackgroundState {
    BACKGROUND_WAITING,
    BACKGROUND_RUNNING,
    BACKGROUND_DONE,
    BACKGROUND_FAILED
} BackgroundState;

typedef struct BackgroundView {
    BackgroundState state;
    unsigned ahead;       /* how many come before it */
    uint64_t done, total; /* of what is running */
    char *result;         /* of what is done: JSON, a copy to be freed */
    treb_error error;     /* of what failed */
} BackgroundView;

/* How something is that was wanted. False: nobody did, or its result is no longer kept. */
bool background_look(Background *b, const char *name, BackgroundView *out);

typedef enum BackgroundCancelled {
    BACKGROUND_CANCELLED, /* forgotten, or will be as soon as it has ended */
    BACKGROUND_UNKNOWN,   /* there is no such thing */
    BACKGROUND_STAYS      /* another client wants it, or it is done */
} BackgroundCancelled;

/* Who wanted something wants it no more. */
BackgroundCancelled background_cancel(Background *b, const char *name, const char *owner);

/* For those who watch: pieces that wait or run, and how many have been done. */
void background_counts(Background *b, unsigned *pending, uint64_t *finished);

/* Takes no more, and has what runs end. */
void background_close(Background *b);

/* Waits for that, for so long, and frees all. False if it does not end, as it hangs in a read or
 * others leave it no time: then nothing is freed. */
bool background_stop(Background *b, unsigned milliseconds);

#endif
