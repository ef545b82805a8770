/* background.c - see background.h.
 *
 * A thread of low priority must not hold a lock that other threads need. So each job gets a thread of
 * its own, which takes no lock of this module. The thread that starts the jobs and waits for them has
 * normal priority. */
#include "server/background.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/system/error.h"
#include "server/clients.h"

typedef struct BackgroundJob BackgroundJob;
struct BackgroundJob {
    BackgroundJob *next;
    char name[BACKGROUND_NAME_SIZE];
    char client_key[CLIENT_NAME_SIZE]; /* the client that requested it first */
    bool shared;                       /* another client has requested it too */
    bool forgotten;                    /* cancelled while running: dropped when it has ended */
    BackgroundState state;
    BackgroundWork work;
    BackgroundRun run;
    char *result;
    size_t size;
    treb_error error;
    uint64_t taken; /* value of the counter when its result was last taken */
};

struct Background {
    pthread_mutex_t lock;
    pthread_cond_t wake, ended;
    BackgroundLimits limits;
    BackgroundJob *first; /* in the order of the requests */
    uint64_t kept, count, finished;
    bool closed, over;
    pthread_t thread;
};

/* ---- The list -------------------------------------------------------------------------------- */

static BackgroundJob *find(const Background *b, const char *name)
{
    BackgroundJob *job = b->first;
    while (job != NULL && (job->forgotten || strcmp(job->name, name) != 0)) job = job->next;
    return job;
}

/* Returns the next job to run: the first that is not slow, or else the first. */
static BackgroundJob *next_waiting(const Background *b)
{
    BackgroundJob *found = NULL;
    for (BackgroundJob *job = b->first; job != NULL; job = job->next)
        if (job->state == BACKGROUND_WAITING &&
            (found == NULL || (found->work.slow && !job->work.slow)))
            found = job;
    return found;
}

/* Returns whether a job will be done before `other`, which is waiting. `earlier`: it was requested
 * earlier. */
static bool is_before(const BackgroundJob *job, const BackgroundJob *other, bool earlier)
{
    if (job->state != BACKGROUND_WAITING) return job->state == BACKGROUND_RUNNING;
    return job->work.slow == other->work.slow ? earlier : other->work.slow;
}

static unsigned count_ahead(const Background *b, const BackgroundJob *job)
{
    unsigned ahead = 0;
    bool earlier = true;
    for (const BackgroundJob *t = b->first; t != NULL && job->state == BACKGROUND_WAITING;
         t = t->next) {
        if (t == job)
            earlier = false;
        else
            ahead += is_before(t, job, earlier);
    }
    return ahead;
}

static void end_work(BackgroundJob *job)
{
    if (job->work.end != NULL) job->work.end(job->work.context);
    job->work = (BackgroundWork){0};
}

static void drop(Background *b, BackgroundJob *job)
{
    BackgroundJob **at = &b->first;
    while (*at != job) at = &(*at)->next;
    *at = job->next;
    end_work(job);
    b->kept -= job->size;
    free(job->result);
    free(job);
}

/* Drops results until the others fit into the limit. Failures take no memory for a result; the oldest
 * are dropped when there are many. */
static void make_room(Background *b)
{
    enum { FAILURES = 64 };
    unsigned failures = 0;
    for (BackgroundJob *t = b->first; t != NULL; t = t->next)
        failures += t->state == BACKGROUND_FAILED;
    while (b->kept > b->limits.kept || failures > FAILURES) {
        BackgroundJob *oldest = NULL;
        const BackgroundState state = failures > FAILURES ? BACKGROUND_FAILED : BACKGROUND_DONE;
        for (BackgroundJob *t = b->first; t != NULL; t = t->next)
            if (t->state == state && (oldest == NULL || t->taken < oldest->taken)) oldest = t;
        if (oldest == NULL) return;
        failures -= state == BACKGROUND_FAILED;
        drop(b, oldest);
    }
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Runs a job, in a thread of its own. Its priority gives it a tenth of a processor beside a thread
 * that is always busy. The class SCHED_IDLE would give it a thousandth, and jobs would never end. */
static void *work(void *argument)
{
    BackgroundJob *job = argument;
    omp_get_max_threads(); /* initializes OpenMP at normal priority, as this may hold the loader's lock */
    setpriority(PRIO_PROCESS, 0, 10); /* on Linux: of this thread and of those that it starts */
    json_t *result = job->work.run(job->work.context, &job->run, &job->error);
    job->result = result != NULL ? json_dumps(result, JSON_COMPACT) : NULL;
    if (result != NULL && job->result == NULL) fail_memory(&job->error);
    json_decref(result);
    return NULL;
}

/* Called without the lock. */
static void do_work(BackgroundJob *job)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, job) == 0)
        pthread_join(thread, NULL);
    else
        fail_memory(&job->error);
}

static void take_result(Background *b, BackgroundJob *job)
{
    end_work(job);
    job->size = job->result != NULL ? strlen(job->result) : 0;
    job->state = job->result != NULL ? BACKGROUND_DONE : BACKGROUND_FAILED;
    job->taken = ++b->count;
    b->kept += job->size;
    b->finished += job->state == BACKGROUND_DONE;
    if (job->forgotten) drop(b, job);
    make_room(b);
}

static void *hand_out(void *argument)
{
    Background *b = argument;
    pthread_mutex_lock(&b->lock);
    while (!b->closed) {
        BackgroundJob *job = next_waiting(b);
        if (job == NULL) {
            pthread_cond_wait(&b->wake, &b->lock);
            continue;
        }
        job->state = BACKGROUND_RUNNING;
        pthread_mutex_unlock(&b->lock);
        do_work(job);
        pthread_mutex_lock(&b->lock);
        take_result(b, job);
    }
    b->over = true;
    pthread_cond_signal(&b->ended);
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* ---- The interface --------------------------------------------------------------------------- */

/* The clock of waits that end at a time. macOS has no choice. */
#ifdef __APPLE__
static const clockid_t wait_clock = CLOCK_REALTIME;
static void choose_clock(pthread_condattr_t *attributes) { (void)attributes; }
#else
static const clockid_t wait_clock = CLOCK_MONOTONIC;
static void choose_clock(pthread_condattr_t *attributes)
{
    pthread_condattr_setclock(attributes, wait_clock);
}
#endif

Background *background_start(const BackgroundLimits *limits)
{
    Background *b = calloc(1, sizeof *b);
    pthread_condattr_t attributes;
    if (b == NULL) return NULL;
    b->limits = *limits;
    pthread_condattr_init(&attributes);
    choose_clock(&attributes);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->wake, NULL);
    pthread_cond_init(&b->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&b->thread, NULL, hand_out, b) == 0) return b;
    free(b);
    return NULL;
}

/* Returns whether the limits allow one more job. */
static BackgroundAdded find_place(const Background *b, const char *client_key)
{
    unsigned waiting = 0, own = 0;
    for (const BackgroundJob *t = b->first; t != NULL; t = t->next) {
        if (t->state > BACKGROUND_RUNNING) continue;
        waiting += t->state == BACKGROUND_WAITING;
        own += strcmp(t->client_key, client_key) ==
               0; /* one that runs counts, too: so others come in between */
    }
    if (b->closed) return BACKGROUND_CLOSED;
    if (own >= b->limits.queue_each) return BACKGROUND_CLIENT_FULL;
    return waiting >= b->limits.queue ? BACKGROUND_FULL : BACKGROUND_ADDED;
}

static BackgroundAdded append(Background *b, const char *name, const char *client_key,
                              const BackgroundWork *work)
{
    BackgroundJob **end = &b->first, *job = calloc(1, sizeof *job);
    if (job == NULL) return BACKGROUND_CLOSED;
    strncpy(job->name, name, sizeof job->name - 1);
    strncpy(job->client_key, client_key, sizeof job->client_key - 1);
    job->work = *work;
    while (*end != NULL) end = &(*end)->next;
    *end = job;
    pthread_cond_signal(&b->wake);
    return BACKGROUND_ADDED;
}

BackgroundAdded background_add(Background *b, const char *name, const char *client_key,
                               const BackgroundWork *work)
{
    pthread_mutex_lock(&b->lock);
    BackgroundJob *job = find(b, name);
    if (job != NULL && job->state == BACKGROUND_FAILED) {
        drop(b, job);
        job = NULL;
    }
    BackgroundAdded added = job != NULL ? BACKGROUND_THERE : find_place(b, client_key);
    if (job != NULL && strcmp(job->client_key, client_key) != 0) job->shared = true;
    if (added == BACKGROUND_ADDED) added = append(b, name, client_key, work);
    pthread_mutex_unlock(&b->lock);
    if (added != BACKGROUND_ADDED && work->end != NULL) work->end(work->context);
    return added;
}

bool background_look(Background *b, const char *name, BackgroundView *out)
{
    *out = (BackgroundView){0};
    pthread_mutex_lock(&b->lock);
    BackgroundJob *job = find(b, name);
    if (job != NULL) {
        out->state = job->state;
        out->done = atomic_load(&job->run.done);
        out->total = atomic_load(&job->run.total);
        out->error = job->state == BACKGROUND_FAILED ? job->error : out->error;
        out->ahead = count_ahead(b, job);
        if (job->state == BACKGROUND_DONE) {
            job->taken = ++b->count;
            out->result = strdup(job->result);
        }
    }
    pthread_mutex_unlock(&b->lock);
    return job != NULL;
}

BackgroundCancelled background_cancel(Background *b, const char *name, const char *client_key)
{
    BackgroundCancelled cancelled = BACKGROUND_CANCELLED;
    pthread_mutex_lock(&b->lock);
    BackgroundJob *job = find(b, name);
    if (job == NULL)
        cancelled = BACKGROUND_UNKNOWN;
    else if (job->shared || job->state == BACKGROUND_DONE ||
             strcmp(job->client_key, client_key) != 0)
        cancelled = BACKGROUND_STAYS;
    else if (job->state == BACKGROUND_RUNNING) {
        job->forgotten = true;
        atomic_store(&job->run.stop, true);
    } else
        drop(b, job);
    pthread_mutex_unlock(&b->lock);
    return cancelled;
}

void background_counts(Background *b, unsigned *pending, uint64_t *finished)
{
    *pending = 0;
    pthread_mutex_lock(&b->lock);
    for (const BackgroundJob *t = b->first; t != NULL; t = t->next)
        *pending += t->state <= BACKGROUND_RUNNING;
    *finished = b->finished;
    pthread_mutex_unlock(&b->lock);
}

void background_close(Background *b)
{
    pthread_mutex_lock(&b->lock);
    b->closed = true;
    for (BackgroundJob *t = b->first; t != NULL; t = t->next) atomic_store(&t->run.stop, true);
    pthread_cond_signal(&b->wake);
    pthread_mutex_unlock(&b->lock);
}

bool background_stop(Background *b, unsigned milliseconds)
{
    enum { THOUSAND = 1000, MILLION = 1000000, BILLION = 1000000000 };
    struct timespec until;
    bool in_time = true;
    background_close(b);
    clock_gettime(wait_clock, &until);
    until.tv_sec += milliseconds / THOUSAND;
    until.tv_nsec += (long)(milliseconds % THOUSAND) * MILLION;
    if (until.tv_nsec >= BILLION) until.tv_sec++, until.tv_nsec -= BILLION;
    pthread_mutex_lock(&b->lock);
    while (!b->over && in_time) in_time = pthread_cond_timedwait(&b->ended, &b->lock, &until) == 0;
    bool over = b->over;
    pthread_mutex_unlock(&b->lock);
    if (!over) {
        pthread_detach(b->thread); /* it will not be joined */
        return false;
    }
    pthread_join(b->thread, NULL);
    while (b->first != NULL) drop(b, b->first);
    pthread_cond_destroy(&b->wake);
    pthread_cond_destroy(&b->ended);
    pthread_mutex_destroy(&b->lock);
    free(b);
    return true;
}
