/* fetch.h - a thread that brings what probes lacked that would not wait. Private to probe/.
 *
 * There is none unless the caller has allowed it. Then those who do not wait for a disk do not even
 * ask the system to read, which may take a moment: they leave a note, and the thread opens files,
 * reads blocks into our cache, and touches pages of mapped files. It asks the system for all that
 * is noted before it waits for the first, so that a disk can work on many things at once. */
#ifndef TREB_PROBE_FETCH_H
#define TREB_PROBE_FETCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "trebuchet.h"

struct ProbeFile;
struct ProbePool;

/* What is to be brought. */
typedef enum FetchKind { FETCH_OPEN, FETCH_BLOCK, FETCH_PAGES } FetchKind;
typedef struct FetchJob {
    struct ProbeFile *file;
    FetchKind kind;
    int side;          /* of a block, */
    uint64_t at, size; /* and the first byte of one of its pages; or a run of bytes of a mapped
                          file */
} FetchJob;

bool fetch_same(const FetchJob *a, const FetchJob *b);

enum { FETCH_JOBS = 256 };

typedef struct Fetcher {
    struct ProbePool *pool;
    pthread_mutex_t change; /* of those who start and stop the thread */
    pthread_mutex_t mutex;  /* of all below */
    pthread_cond_t wake;
    pthread_t thread;
    atomic_bool running;
    bool stop;
    unsigned count;
    FetchJob jobs[FETCH_JOBS]; /* the newest last */
} Fetcher;

bool fetcher_init(Fetcher *fetcher, struct ProbePool *pool);
void fetcher_destroy(Fetcher *fetcher); /* stops the thread */

treb_status fetcher_start(Fetcher *fetcher, treb_error *error); /* unless it runs */
void fetcher_stop(Fetcher *fetcher);

/* Leaves a note. False if there is no thread. Of more notes than there is room for the oldest are
 * dropped: what is still wanted is asked for again. */
bool fetcher_post(Fetcher *fetcher, const FetchJob *job);

#endif
