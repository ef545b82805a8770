/* fetcher.c - see fetcher.h. */
#define _POSIX_C_SOURCE 200809L
#include "probe/fetcher.h"

#include <signal.h>
#include <string.h>

#include "core/system/error.h"

bool fetcher_init(Fetcher *fetcher)
{
    atomic_init(&fetcher->running, false);
    fetcher->stop = false;
    fetcher->list.count = 0;
    if (pthread_mutex_init(&fetcher->change, NULL) != 0) return false;
    if (pthread_mutex_init(&fetcher->mutex, NULL) == 0) {
        if (pthread_cond_init(&fetcher->wake, NULL) == 0) return true;
        pthread_mutex_destroy(&fetcher->mutex);
    }
    pthread_mutex_destroy(&fetcher->change);
    return false;
}

void fetcher_destroy(Fetcher *fetcher)
{
    fetcher_stop(fetcher);
    pthread_cond_destroy(&fetcher->wake);
    pthread_mutex_destroy(&fetcher->mutex);
    pthread_mutex_destroy(&fetcher->change);
}

/* ---- The thread ------------------------------------------------------------------------------ */

/* Waits for jobs and moves them all to `out`. Returns how many there are; 0 if the thread is to
 * end. */
static unsigned take_jobs(Fetcher *fetcher, FetchJob *out)
{
    pthread_mutex_lock(&fetcher->mutex);
    while (fetcher->list.count == 0 && !fetcher->stop)
        pthread_cond_wait(&fetcher->wake, &fetcher->mutex);
    unsigned count = fetcher->stop ? 0 : fetcher->list.count;
    memcpy(out, fetcher->list.jobs, count * sizeof *out);
    fetcher->list.count = 0;
    pthread_mutex_unlock(&fetcher->mutex);
    return count;
}

static bool is_stopping(Fetcher *fetcher)
{
    pthread_mutex_lock(&fetcher->mutex);
    bool stop = fetcher->stop;
    pthread_mutex_unlock(&fetcher->mutex);
    return stop;
}

static void *fetch_until_stopped(void *context)
{
    Fetcher *fetcher = (Fetcher *)context;
    FetchJob jobs[FETCH_JOBS];
    for (unsigned count; (count = take_jobs(fetcher, jobs)) > 0;) {
        for (unsigned i = 0; i < count; i++) fetcher->fetch(&jobs[i], WAIT_NEVER_FETCH);
        /* The newest jobs first: a probe is most likely to need those again soon. */
        while (count > 0 && !is_stopping(fetcher)) fetcher->fetch(&jobs[--count], WAIT_FOR_ALL);
    }
    return NULL;
}

/* Starts the thread with all signals blocked, as they are meant for the caller's threads. The
 * exceptions are signals that the thread causes itself. Returns 0, or an errno value. */
static int create_thread(Fetcher *fetcher)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&fetcher->thread, NULL, fetch_until_stopped, fetcher);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

treb_status fetcher_start(Fetcher *fetcher, FetchFunction *fetch, treb_error *error)
{
    treb_status status = TREB_OK;
    pthread_mutex_lock(&fetcher->change);
    if (!atomic_load(&fetcher->running)) {
        fetcher->stop = false;
        fetcher->fetch = fetch;
        if (create_thread(fetcher) == 0)
            atomic_store(&fetcher->running, true);
        else
            status = fail(error, TREB_ERR_MEMORY, "the system allows no more threads");
    }
    pthread_mutex_unlock(&fetcher->change);
    return status;
}

void fetcher_stop(Fetcher *fetcher)
{
    pthread_mutex_lock(&fetcher->change);
    if (atomic_load(&fetcher->running)) {
        atomic_store(&fetcher->running, false);
        pthread_mutex_lock(&fetcher->mutex);
        fetcher->stop = true;
        pthread_cond_signal(&fetcher->wake);
        pthread_mutex_unlock(&fetcher->mutex);
        pthread_join(fetcher->thread, NULL);
        pthread_mutex_lock(&fetcher->mutex);
        fetcher->list.count = 0;
        pthread_mutex_unlock(&fetcher->mutex);
    }
    pthread_mutex_unlock(&fetcher->change);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

bool fetcher_post(Fetcher *fetcher, const FetchJob *job)
{
    if (!atomic_load_explicit(&fetcher->running, memory_order_relaxed)) return false;
    pthread_mutex_lock(&fetcher->mutex);
    FetchList *list = &fetcher->list;
    if (!fetch_list_has(list, job)) {
        if (list->count == FETCH_JOBS) {
            list->count--;
            memmove(list->jobs, list->jobs + 1, list->count * sizeof *job);
        }
        list->jobs[list->count++] = *job;
        pthread_cond_signal(&fetcher->wake);
    }
    pthread_mutex_unlock(&fetcher->mutex);
    return true;
}
