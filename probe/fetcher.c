/* fetcher.c - see fetcher.h. */
#include "probe/fetcher.h"

#include <string.h>

#include "core/system/error.h"

bool fetcher_init(Fetcher *fetcher)
{
    atomic_init(&fetcher->running, false);
    fetcher->stop = false;
    fetcher->list.count = 0;
    if (!mutex_init(&fetcher->change)) return false;
    if (mutex_init(&fetcher->mutex)) {
        if (condition_init(&fetcher->wake)) return true;
        mutex_destroy(&fetcher->mutex);
    }
    mutex_destroy(&fetcher->change);
    return false;
}

void fetcher_destroy(Fetcher *fetcher)
{
    fetcher_stop(fetcher);
    condition_destroy(&fetcher->wake);
    mutex_destroy(&fetcher->mutex);
    mutex_destroy(&fetcher->change);
}

/* ---- The thread ------------------------------------------------------------------------------ */

/* Waits for jobs and moves them all to `out`. Returns how many there are; 0 if the thread is to
 * end. */
static unsigned take_jobs(Fetcher *fetcher, FetchJob *out)
{
    mutex_lock(&fetcher->mutex);
    while (fetcher->list.count == 0 && !fetcher->stop)
        condition_wait(&fetcher->wake, &fetcher->mutex);
    unsigned count = fetcher->stop ? 0 : fetcher->list.count;
    memcpy(out, fetcher->list.jobs, count * sizeof *out);
    fetcher->list.count = 0;
    mutex_unlock(&fetcher->mutex);
    return count;
}

static bool is_stopping(Fetcher *fetcher)
{
    mutex_lock(&fetcher->mutex);
    bool stop = fetcher->stop;
    mutex_unlock(&fetcher->mutex);
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

treb_status fetcher_start(Fetcher *fetcher, FetchFunction *fetch, treb_error *error)
{
    treb_status status = TREB_OK;
    mutex_lock(&fetcher->change);
    if (!atomic_load(&fetcher->running)) {
        fetcher->stop = false;
        fetcher->fetch = fetch;
        if (thread_start(&fetcher->thread, fetch_until_stopped, fetcher))
            atomic_store(&fetcher->running, true);
        else
            status = fail(error, TREB_ERR_MEMORY, "the system allows no more threads");
    }
    mutex_unlock(&fetcher->change);
    return status;
}

void fetcher_stop(Fetcher *fetcher)
{
    mutex_lock(&fetcher->change);
    if (atomic_load(&fetcher->running)) {
        atomic_store(&fetcher->running, false);
        mutex_lock(&fetcher->mutex);
        fetcher->stop = true;
        condition_signal(&fetcher->wake);
        mutex_unlock(&fetcher->mutex);
        thread_join(fetcher->thread);
        mutex_lock(&fetcher->mutex);
        fetcher->list.count = 0;
        mutex_unlock(&fetcher->mutex);
    }
    mutex_unlock(&fetcher->change);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

bool fetcher_post(Fetcher *fetcher, const FetchJob *job)
{
    if (!atomic_load_explicit(&fetcher->running, memory_order_relaxed)) return false;
    mutex_lock(&fetcher->mutex);
    FetchList *list = &fetcher->list;
    if (!fetch_list_has(list, job)) {
        if (list->count == FETCH_JOBS) {
            list->count--;
            memmove(list->jobs, list->jobs + 1, list->count * sizeof *job);
        }
        list->jobs[list->count++] = *job;
        condition_signal(&fetcher->wake);
    }
    mutex_unlock(&fetcher->mutex);
    return true;
}
