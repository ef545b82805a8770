/* workers.c - see workers.h.
 *
 * A client is in the list while it has jobs that wait or run. The list is in the order of turns:
 * who was given a thread goes to its end. */
#include "server/workers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct JobQueue {
    Job *first, *last;
    unsigned count;
} JobQueue;

typedef struct Client Client;
struct Client {
    Client *next, *previous;
    JobQueue queue[JOB_KINDS];
    unsigned running[JOB_KINDS];
    char name[WORKERS_OWNER_SIZE];
};

struct Workers {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    Client *first, *last; /* the first one's turn is next */
    unsigned waiting[JOB_KINDS], running[JOB_KINDS];
    unsigned most[JOB_KINDS], each[JOB_KINDS]; /* that may wait, in all and of one client */
    unsigned shared;                           /* jobs that may run whoever's they are */
    unsigned threads;                          /* all, the spare ones included */
    bool closed, stopping;
    pthread_t thread[];
};

/* ---- Clients --------------------------------------------------------------------------------- */

static void client_append(Workers *w, Client *client)
{
    client->next = NULL;
    client->previous = w->last;
    *(w->last != NULL ? &w->last->next : &w->first) = client;
    w->last = client;
}

static void client_remove(Workers *w, Client *client)
{
    *(client->previous != NULL ? &client->previous->next : &w->first) = client->next;
    *(client->next != NULL ? &client->next->previous : &w->last) = client->previous;
}

static Client *client_find(const Workers *w, const char *name)
{
    Client *client = w->first;
    while (client != NULL && strcmp(client->name, name) != 0) client = client->next;
    return client;
}

/* The client of a name, in the list; NULL without memory. */
static Client *client_get(Workers *w, const char *name)
{
    Client *client = client_find(w, name);
    if (client != NULL) return client;
    client = calloc(1, sizeof *client);
    if (client == NULL) return NULL;
    strncpy(client->name, name, sizeof client->name - 1);
    client_append(w, client);
    return client;
}

static void client_drop_idle(Workers *w, Client *client)
{
    for (int kind = 0; kind < JOB_KINDS; kind++)
        if (client->queue[kind].count + client->running[kind] > 0) return;
    client_remove(w, client);
    free(client);
}

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
    assert(job != NULL && queue->count > 0);
    queue->first = job->next;
    if (queue->first == NULL) queue->last = NULL;
    queue->count--;
    return job;
}

/* ---- Whose turn it is ------------------------------------------------------------------------ */

/* Whether a job of this kind may run beside those that do: if the client has none running, or else.
 */
static bool has_room(const Workers *w, JobKind kind, bool none_running)
{
    unsigned all = w->running[JOB_LIGHT] + w->running[JOB_HEAVY], heavy = w->running[JOB_HEAVY];
    bool room = all < w->shared && (kind == JOB_LIGHT || heavy + 1 < w->shared);
    bool spare = all < w->threads && (kind == JOB_LIGHT || heavy < w->threads - WORKERS_SPARE / 2);
    return room || (none_running && spare);
}

/* The first client in turn that has a job of this kind which may run now. */
static Client *next_client(const Workers *w, JobKind kind, bool none_running)
{
    if (w->waiting[kind] == 0 || !has_room(w, kind, none_running)) return NULL;
    for (Client *client = w->first; client != NULL; client = client->next)
        if (client->queue[kind].count > 0 && (!none_running || client->running[kind] == 0))
            return client;
    return NULL;
}

/* The client whose job is next, and of what kind; NULL if no job may run now. */
static Client *next_turn(const Workers *w, JobKind *kind)
{
    for (*kind = JOB_LIGHT; *kind < JOB_KINDS; ++*kind)
        for (int none_running = 1; none_running >= 0; none_running--) {
            Client *client = next_client(w, *kind, none_running);
            if (client != NULL) return client;
        }
    return NULL;
}

static Job *begin(Workers *w, Client *client, JobKind kind)
{
    Job *job = queue_take(&client->queue[kind]);
    client->running[kind]++;
    w->waiting[kind]--;
    w->running[kind]++;
    client_remove(w, client);
    client_append(w, client);
    return job;
}

static void end(Workers *w, Client *client, JobKind kind)
{
    assert(client->running[kind] > 0 && w->running[kind] > 0);
    client->running[kind]--;
    w->running[kind]--;
    client_drop_idle(w, client);
}

static void *work(void *argument)
{
    Workers *w = argument;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        JobKind kind;
        Client *client = next_turn(w, &kind);
        if (client == NULL) {
            if (w->stopping && w->waiting[JOB_LIGHT] + w->waiting[JOB_HEAVY] == 0) break;
            pthread_cond_wait(&w->wake, &w->lock);
            continue;
        }
        Job *job = begin(w, client, kind);
        /* The end of a job may have made room for two. */
        if (w->waiting[JOB_LIGHT] + w->waiting[JOB_HEAVY] > 0) pthread_cond_signal(&w->wake);
        pthread_mutex_unlock(&w->lock);
        job->run(job);
        pthread_mutex_lock(&w->lock);
        end(w, client, kind);
    }
    /* The others end too, or take what this end has made room for. */
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- From outside ---------------------------------------------------------------------------- */

static void free_all(Workers *w)
{
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
    free(w);
}

static unsigned heavy_part(unsigned light)
{
    return light > WORKERS_HEAVY_PART ? light / WORKERS_HEAVY_PART : 1;
}

Workers *workers_start(unsigned threads, unsigned queue, unsigned each)
{
    if (threads < 2) threads = 2;
    unsigned all = threads + WORKERS_SPARE;
    Workers *w = calloc(1, sizeof *w + all * sizeof *w->thread);
    if (w == NULL) return NULL;
    w->shared = threads;
    w->most[JOB_LIGHT] = queue;
    w->most[JOB_HEAVY] = heavy_part(queue);
    w->each[JOB_LIGHT] = each;
    w->each[JOB_HEAVY] = heavy_part(each);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    pthread_mutex_lock(&w->lock);
    while (w->threads < all && pthread_create(&w->thread[w->threads], NULL, work, w) == 0)
        w->threads++;
    bool enough = w->threads == all;
    pthread_mutex_unlock(&w->lock);
    if (enough) return w;
    workers_stop(w);
    return NULL;
}

/* Whether a job of this client has a place. */
static WorkersAdded find_place(const Workers *w, const Client *client, JobKind kind)
{
    if (client->queue[kind].count >= w->each[kind]) return WORKERS_OWNER_FULL;
    return w->waiting[kind] >= w->most[kind] ? WORKERS_FULL : WORKERS_ADDED;
}

WorkersAdded workers_add(Workers *w, Job *job, JobKind kind)
{
    WorkersAdded added = WORKERS_CLOSED;
    assert(job->owner != NULL && job->run != NULL && job->refuse != NULL);
    pthread_mutex_lock(&w->lock);
    Client *client = w->closed ? NULL : client_get(w, job->owner);
    if (client != NULL) {
        added = find_place(w, client, kind);
        if (added == WORKERS_ADDED) {
            queue_put(&client->queue[kind], job);
            w->waiting[kind]++;
        }
        client_drop_idle(w, client);
    }
    pthread_mutex_unlock(&w->lock);
    if (added == WORKERS_ADDED) pthread_cond_signal(&w->wake);
    return added;
}

static unsigned sum(Workers *w, const unsigned counts[JOB_KINDS])
{
    pthread_mutex_lock(&w->lock);
    unsigned all = counts[JOB_LIGHT] + counts[JOB_HEAVY];
    pthread_mutex_unlock(&w->lock);
    return all;
}

unsigned workers_waiting(Workers *w) { return sum(w, w->waiting); }
unsigned workers_running(Workers *w) { return sum(w, w->running); }

void workers_close(Workers *w)
{
    JobQueue refused = {0};
    pthread_mutex_lock(&w->lock);
    w->closed = true;
    for (Client *client = w->first, *next; client != NULL; client = next) {
        next = client->next;
        for (int kind = 0; kind < JOB_KINDS; kind++)
            while (client->queue[kind].count > 0) {
                queue_put(&refused, queue_take(&client->queue[kind]));
                w->waiting[kind]--;
            }
        client_drop_idle(w, client);
    }
    pthread_mutex_unlock(&w->lock);
    while (refused.count > 0) {
        Job *job = queue_take(&refused);
        job->refuse(job);
    }
}

void workers_stop(Workers *w)
{
    pthread_mutex_lock(&w->lock);
    w->closed = w->stopping = true;
    pthread_mutex_unlock(&w->lock);
    pthread_cond_broadcast(&w->wake);
    for (unsigned i = 0; i < w->threads; i++) pthread_join(w->thread[i], NULL);
    assert(w->first == NULL);
    free_all(w);
}
