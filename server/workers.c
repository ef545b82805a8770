/* workers.c - see workers.h. */
#include "server/workers.h"

#include <stdlib.h>
#include <string.h>

static void queue_put(JobQueue *queue, Job *job)
{
    job->next = NULL;
    *(queue->last != NULL ? &queue->last->next : &queue->first) = job;
    queue->last = job;
    queue->count++;
}

static Job *queue_take(JobQueue *queue)
{
    Job *job = queue->first;
    if (job == NULL) return NULL;
    queue->first = job->next;
    if (queue->first == NULL) queue->last = NULL;
    queue->count--;
    return job;
}

/* The next job, and whether it is a heavy one; NULL if there is none for this thread to take. */
static Job *next_job(Workers *w, bool *heavy)
{
    Job *job = queue_take(&w->light);
    *heavy = false;
    if (job != NULL || w->heavy_running + 1 >= w->threads) return job;
    job = queue_take(&w->heavy);
    *heavy = job != NULL;
    return job;
}

static void *work(void *argument)
{
    Workers *w = argument;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        bool heavy;
        Job *job = next_job(w, &heavy);
        if (job == NULL) {
            if (w->stopping && w->light.count + w->heavy.count == 0) break;
            pthread_cond_wait(&w->wake, &w->lock);
            continue;
        }
        w->heavy_running += heavy;
        pthread_mutex_unlock(&w->lock);
        job->run(job);
        pthread_mutex_lock(&w->lock);
        w->heavy_running -= heavy;
        /* Another heavy one may have waited for this. */
        if (heavy) pthread_cond_broadcast(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

bool workers_start(Workers *w, unsigned threads)
{
    *w = (Workers){.threads = 0};
    if (threads < 2) threads = 2;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    w->thread = calloc(threads, sizeof *w->thread);
    if (w->thread == NULL) return false;
    pthread_mutex_lock(&w->lock);
    while (w->threads < threads && pthread_create(&w->thread[w->threads], NULL, work, w) == 0)
        w->threads++;
    bool enough = w->threads >= 2;
    pthread_mutex_unlock(&w->lock);
    if (!enough) workers_stop(w);
    return enough;
}

/* Whether a heavy job has a place. */
static WorkersAdded find_place(const JobQueue *queue, const char *owner)
{
    unsigned owned = 0;
    if (queue->count >= WORKERS_HEAVY_MAX) return WORKERS_FULL;
    for (const Job *job = queue->first; job != NULL; job = job->next)
        owned += strcmp(job->owner, owner) == 0;
    return owned >= WORKERS_HEAVY_EACH ? WORKERS_OWNER_FULL : WORKERS_ADDED;
}

WorkersAdded workers_add(Workers *w, Job *job, bool heavy)
{
    pthread_mutex_lock(&w->lock);
    WorkersAdded added = heavy ? find_place(&w->heavy, job->owner) : WORKERS_ADDED;
    if (added == WORKERS_ADDED) queue_put(heavy ? &w->heavy : &w->light, job);
    pthread_mutex_unlock(&w->lock);
    if (added == WORKERS_ADDED) pthread_cond_signal(&w->wake);
    return added;
}

unsigned workers_waiting(Workers *w)
{
    pthread_mutex_lock(&w->lock);
    unsigned count = w->light.count + w->heavy.count;
    pthread_mutex_unlock(&w->lock);
    return count;
}

void workers_stop(Workers *w)
{
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_mutex_unlock(&w->lock);
    pthread_cond_broadcast(&w->wake);
    for (unsigned i = 0; i < w->threads; i++) pthread_join(w->thread[i], NULL);
    free(w->thread);
    w->thread = NULL;
    w->threads = 0;
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
}
