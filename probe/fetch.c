/* fetch.c - see fetch.h. */
#define _POSIX_C_SOURCE 200809L
#include "probe/fetch.h"

#include <signal.h>
#include <string.h>

#include "core/system/error.h"
#include "probe/file.h"

bool fetcher_init(Fetcher *fetcher, ProbePool *pool)
{
    memset(fetcher, 0, sizeof *fetcher);
    fetcher->pool = pool;
    atomic_init(&fetcher->running, false);
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

/* Takes the notes, when there are some. None: the thread is to end. */
static unsigned take_jobs(Fetcher *fetcher, FetchJob *out)
{
    pthread_mutex_lock(&fetcher->mutex);
    while (fetcher->count == 0 && !fetcher->stop)
        pthread_cond_wait(&fetcher->wake, &fetcher->mutex);
    unsigned count = fetcher->stop ? 0 : fetcher->count;
    memcpy(out, fetcher->jobs, count * sizeof *out);
    fetcher->count = 0;
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

static void *fetch_all(void *context)
{
    Fetcher *fetcher = context;
    FetchJob jobs[FETCH_JOBS];
    for (unsigned count; (count = take_jobs(fetcher, jobs)) > 0;) {
        for (unsigned i = 0; i < count; i++) file_fetch(fetcher->pool, &jobs[i], TABLE_FETCH);
        /* What was noted last is most likely to be asked for again soon. */
        while (count > 0 && !is_stopping(fetcher))
            file_fetch(fetcher->pool, &jobs[--count], TABLE_WAIT);
    }
    return NULL;
}

/* Signals are the caller's: none is to be taken by a thread that is not, but for those that it
 * causes itself. */
static int create_quietly(Fetcher *fetcher)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&fetcher->thread, NULL, fetch_all, fetcher);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

treb_status fetcher_start(Fetcher *fetcher, treb_error *error)
{
    treb_status status = TREB_OK;
    pthread_mutex_lock(&fetcher->change);
    if (!atomic_load(&fetcher->running)) {
        fetcher->stop = false;
        if (create_quietly(fetcher) == 0)
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
        fetcher->count = 0;
        pthread_mutex_unlock(&fetcher->mutex);
    }
    pthread_mutex_unlock(&fetcher->change);
}

/* ---- Notes ----------------------------------------------------------------------------------- */

bool fetch_same(const FetchJob *a, const FetchJob *b)
{
    return a->file == b->file && a->kind == b->kind && a->side == b->side && a->at == b->at &&
           a->size == b->size;
}

bool fetcher_post(Fetcher *fetcher, const FetchJob *job)
{
    if (!atomic_load_explicit(&fetcher->running, memory_order_relaxed)) return false;
    pthread_mutex_lock(&fetcher->mutex);
    unsigned at = 0;
    while (at < fetcher->count && !fetch_same(&fetcher->jobs[at], job)) at++;
    if (at == FETCH_JOBS) {
        fetcher->count--;
        memmove(fetcher->jobs, fetcher->jobs + 1, fetcher->count * sizeof *job);
        at = fetcher->count;
    }
    if (at == fetcher->count) {
        fetcher->jobs[fetcher->count++] = *job;
        pthread_cond_signal(&fetcher->wake);
    }
    pthread_mutex_unlock(&fetcher->mutex);
    return true;
}
