/* background.c - see background.h.
 *
 * Who gives way to others must not hold a lock that they want: so the work is done by a thread of its own, made for
 * it, which has no lock; the one thread that hands out work, at no lower priority than others, waits for it. */
#include "server/background.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/system/error.h"
#include "server/clients.h"

typedef struct Task Task;
struct Task {
    Task *next;
    char name[BACKGROUND_NAME_SIZE];
    char owner[CLIENT_NAME_SIZE]; /* who wanted it first */
    bool shared;                  /* others did, too */
    bool forgotten;               /* nobody does any more: it goes when it has ended */
    BackgroundState state;
    BackgroundWork work;
    BackgroundRun run;
    char *result;
    size_t size;
    treb_error error;
    uint64_t taken; /* when its result was last taken, by a count */
};

struct Background {
    pthread_mutex_t lock;
    pthread_cond_t wake, ended;
    BackgroundLimits limits;
    Task *first; /* in the order in which they were wanted */
    uint64_t kept, count, finished;
    bool closed, over;
    pthread_t thread;
};

/* ---- The list -------------------------------------------------------------------------------- */

static Task *find(const Background *b, const char *name)
{
    Task *task = b->first;
    while (task != NULL && (task->forgotten || strcmp(task->name, name) != 0)) task = task->next;
    return task;
}

/* What takes long comes after what does not. */
static Task *next_waiting(const Background *b)
{
    Task *found = NULL;
    for (Task *task = b->first; task != NULL; task = task->next)
        if (task->state == BACKGROUND_WAITING &&
            (found == NULL || (found->work.slow && !task->work.slow)))
            found = task;
    return found;
}

/* Whether one comes before another that waits. */
static bool is_before(const Task *task, const Task *other, bool earlier)
{
    if (task->state != BACKGROUND_WAITING) return task->state == BACKGROUND_RUNNING;
    return task->work.slow == other->work.slow ? earlier : other->work.slow;
}

static unsigned count_ahead(const Background *b, const Task *task)
{
    unsigned ahead = 0;
    bool earlier = true;
    for (const Task *t = b->first; t != NULL && task->state == BACKGROUND_WAITING; t = t->next) {
        if (t == task)
            earlier = false;
        else
            ahead += is_before(t, task, earlier);
    }
    return ahead;
}

static void end_work(Task *task)
{
    if (task->work.end != NULL) task->work.end(task->work.context);
    task->work = (BackgroundWork){0};
}

static void drop(Background *b, Task *task)
{
    Task **at = &b->first;
    while (*at != task) at = &(*at)->next;
    *at = task->next;
    end_work(task);
    b->kept -= task->size;
    free(task->result);
    free(task);
}

/* Lets go of results until those that are left are not too much. A failure is a result of nothing: of these the first
 * go when there are many. */
static void make_room(Background *b)
{
    enum { FAILURES = 64 };
    unsigned failures = 0;
    for (Task *t = b->first; t != NULL; t = t->next) failures += t->state == BACKGROUND_FAILED;
    while (b->kept > b->limits.kept || failures > FAILURES) {
        Task *oldest = NULL;
        const BackgroundState state = failures > FAILURES ? BACKGROUND_FAILED : BACKGROUND_DONE;
        for (Task *t = b->first; t != NULL; t = t->next)
            if (t->state == state && (oldest == NULL || t->taken < oldest->taken)) oldest = t;
        if (oldest == NULL) return;
        failures -= state == BACKGROUND_FAILED;
        drop(b, oldest);
    }
}

/* ---- Doing it -------------------------------------------------------------------------------- */

/* It gives way to answers: beside a thread that is always busy it gets a tenth of a processor. The class for those who
 * run when nobody else wants to (SCHED_IDLE) gives it a thousandth then, and what was asked for never ends. */
static void *work(void *argument)
{
    Task *task = argument;
    omp_get_max_threads(); /* OpenMP begins now, as it may hold the loader's lock meanwhile */
    setpriority(PRIO_PROCESS, 0, 10); /* on Linux this thread's, and theirs that it starts */
    json_t *result = task->work.run(task->work.context, &task->run, &task->error);
    task->result = result != NULL ? json_dumps(result, JSON_COMPACT) : NULL;
    if (result != NULL && task->result == NULL) fail_memory(&task->error);
    json_decref(result);
    return NULL;
}

/* Without the lock. */
static void do_work(Task *task)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, task) == 0)
        pthread_join(thread, NULL);
    else
        fail_memory(&task->error);
}

static void take_result(Background *b, Task *task)
{
    end_work(task);
    task->size = task->result != NULL ? strlen(task->result) : 0;
    task->state = task->result != NULL ? BACKGROUND_DONE : BACKGROUND_FAILED;
    task->taken = ++b->count;
    b->kept += task->size;
    b->finished += task->state == BACKGROUND_DONE;
    if (task->forgotten) drop(b, task);
    make_room(b);
}

static void *hand_out(void *argument)
{
    Background *b = argument;
    pthread_mutex_lock(&b->lock);
    while (!b->closed) {
        Task *task = next_waiting(b);
        if (task == NULL) {
            pthread_cond_wait(&b->wake, &b->lock);
            continue;
        }
        task->state = BACKGROUND_RUNNING;
        pthread_mutex_unlock(&b->lock);
        do_work(task);
        pthread_mutex_lock(&b->lock);
        take_result(b, task);
    }
    b->over = true;
    pthread_cond_signal(&b->ended);
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* ---- From outside ---------------------------------------------------------------------------- */

Background *background_start(const BackgroundLimits *limits)
{
    Background *b = calloc(1, sizeof *b);
    pthread_condattr_t monotonic;
    if (b == NULL) return NULL;
    b->limits = *limits;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->wake, NULL);
    pthread_cond_init(&b->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&b->thread, NULL, hand_out, b) == 0) return b;
    free(b);
    return NULL;
}

/* Whether there is a place for one more. */
static BackgroundAdded find_place(const Background *b, const char *owner)
{
    unsigned waiting = 0, own = 0;
    for (const Task *t = b->first; t != NULL; t = t->next) {
        if (t->state > BACKGROUND_RUNNING) continue;
        waiting += t->state == BACKGROUND_WAITING;
        own +=
            strcmp(t->owner, owner) == 0; /* one that runs counts, too: so others come in between */
    }
    if (b->closed) return BACKGROUND_CLOSED;
    if (own >= b->limits.queue_each) return BACKGROUND_OWNER_FULL;
    return waiting >= b->limits.queue ? BACKGROUND_FULL : BACKGROUND_ADDED;
}

static BackgroundAdded append(Background *b, const char *name, const char *owner,
                              const BackgroundWork *work)
{
    Task **end = &b->first, *task = calloc(1, sizeof *task);
    if (task == NULL) return BACKGROUND_CLOSED;
    strncpy(task->name, name, sizeof task->name - 1);
    strncpy(task->owner, owner, sizeof task->owner - 1);
    task->work = *work;
    while (*end != NULL) end = &(*end)->next;
    *end = task;
    pthread_cond_signal(&b->wake);
    return BACKGROUND_ADDED;
}

BackgroundAdded background_add(Background *b, const char *name, const char *owner,
                               const BackgroundWork *work)
{
    pthread_mutex_lock(&b->lock);
    Task *task = find(b, name);
    if (task != NULL && task->state == BACKGROUND_FAILED) {
        drop(b, task);
        task = NULL;
    }
    BackgroundAdded added = task != NULL ? BACKGROUND_THERE : find_place(b, owner);
    if (task != NULL && strcmp(task->owner, owner) != 0) task->shared = true;
    if (added == BACKGROUND_ADDED) added = append(b, name, owner, work);
    pthread_mutex_unlock(&b->lock);
    if (added != BACKGROUND_ADDED && work->end != NULL) work->end(work->context);
    return added;
}

bool background_look(Background *b, const char *name, BackgroundView *out)
{
    *out = (BackgroundView){0};
    pthread_mutex_lock(&b->lock);
    Task *task = find(b, name);
    if (task != NULL) {
        out->state = task->state;
        out->done = atomic_load(&task->run.done);
        out->total = atomic_load(&task->run.total);
        out->error = task->state == BACKGROUND_FAILED ? task->error : out->error;
        out->ahead = count_ahead(b, task);
        if (task->state == BACKGROUND_DONE) {
            task->taken = ++b->count;
            out->result = strdup(task->result);
        }
    }
    pthread_mutex_unlock(&b->lock);
    return task != NULL;
}

BackgroundCancelled background_cancel(Background *b, const char *name, const char *owner)
{
    BackgroundCancelled cancelled = BACKGROUND_CANCELLED;
    pthread_mutex_lock(&b->lock);
    Task *task = find(b, name);
    if (task == NULL)
        cancelled = BACKGROUND_UNKNOWN;
    else if (task->shared || task->state == BACKGROUND_DONE || strcmp(task->owner, owner) != 0)
        cancelled = BACKGROUND_STAYS;
    else if (task->state == BACKGROUND_RUNNING) {
        task->forgotten = true;
        atomic_store(&task->run.stop, true);
    } else
        drop(b, task);
    pthread_mutex_unlock(&b->lock);
    return cancelled;
}

void background_counts(Background *b, unsigned *pending, uint64_t *finished)
{
    *pending = 0;
    pthread_mutex_lock(&b->lock);
    for (const Task *t = b->first; t != NULL; t = t->next)
        *pending += t->state <= BACKGROUND_RUNNING;
    *finished = b->finished;
    pthread_mutex_unlock(&b->lock);
}

void background_close(Background *b)
{
    pthread_mutex_lock(&b->lock);
    b->closed = true;
    for (Task *t = b->first; t != NULL; t = t->next) atomic_store(&t->run.stop, true);
    pthread_cond_signal(&b->wake);
    pthread_mutex_unlock(&b->lock);
}

bool background_stop(Background *b, unsigned milliseconds)
{
    enum { THOUSAND = 1000, MILLION = 1000000, BILLION = 1000000000 };
    struct timespec until;
    bool in_time = true;
    background_close(b);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / THOUSAND;
    until.tv_nsec += (long)(milliseconds % THOUSAND) * MILLION;
    if (until.tv_nsec >= BILLION) until.tv_sec++, until.tv_nsec -= BILLION;
    pthread_mutex_lock(&b->lock);
    while (!b->over && in_time) in_time = pthread_cond_timedwait(&b->ended, &b->lock, &until) == 0;
    bool over = b->over;
    pthread_mutex_unlock(&b->lock);
    if (!over) {
        pthread_detach(b->thread); /* nobody will wait for it */
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
