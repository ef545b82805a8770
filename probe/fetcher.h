/* fetcher.h - a thread that reads what probes found missing, for probes that do not wait. Private
 * to probe/.
 *
 * The thread exists only if the caller allowed it (treb_tables_set_fetch). Without it, a probe that
 * does not wait asks the system to start reading, which itself may take a moment. With it, such a
 * probe only adds a job to the thread's list, and the thread opens files, reads blocks into our
 * cache and touches pages of mapped files. The thread first asks the system for everything on the
 * list and only then waits for the first job, so that a disk can work on many requests at once. */
#ifndef TREB_PROBE_FETCHER_H
#define TREB_PROBE_FETCHER_H

#include <stdatomic.h>

#include "core/format/table_files.h"
#include "core/system/thread.h"
#include "probe/fetch_list.h"
#include "trebuchet.h"

/* Does a job. With WAIT_NEVER_FETCH it only asks the system to start reading; with WAIT_FOR_ALL it
 * waits. */
typedef treb_status FetchFunction(const FetchJob *job, TableWait wait);

typedef struct Fetcher {
    FetchFunction *fetch;
    ThreadMutex change; /* held while the thread is started or stopped */
    ThreadMutex mutex;  /* protects `stop` and `list` */
    ThreadCondition wake;
    Thread thread;
    atomic_bool running;
    bool stop;
    FetchList list;
} Fetcher;

/* False: the system cannot make a mutex. */
bool fetcher_init(Fetcher *fetcher);

/* Stops the thread. */
void fetcher_destroy(Fetcher *fetcher);

/* Starts the thread unless it runs. Returns TREB_ERR_MEMORY if the system allows no more
 * threads. */
treb_status fetcher_start(Fetcher *fetcher, FetchFunction *fetch, treb_error *error);

/* Stops the thread if it runs, and empties the list. */
void fetcher_stop(Fetcher *fetcher);

/* Gives the thread a job, unless it already has an equal one. If the list is full the oldest job is
 * dropped: a probe that still needs it will post it again. Returns false if there is no thread. */
bool fetcher_post(Fetcher *fetcher, const FetchJob *job);

#endif
