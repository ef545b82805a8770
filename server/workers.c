/* workers.c - see workers.h.
 *
 * A client has a queue in the list while it has items that wait or run. The list is in the order of
 * turns: a client that gets a thread goes to the end. */
#include "server/workers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct WorkQueue {
    WorkItem *first, *last;
    unsigned count;
} WorkQueue;

typedef struct ClientQueue ClientQueue;
struct ClientQueue {
    ClientQueue *next, *previous;
    WorkQueue queue[WORK_KINDS];
    unsigned running[WORK_KINDS];
    char client_key[WORKERS_KEY_SIZE];
};

struct Workers {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    ClientQueue *first, *last; /* the first one has the next turn */
    unsigned waiting[WORK_KINDS], running[WORK_KINDS];
    unsigned most[WORK_KINDS],
        each[WORK_KINDS]; /* bounds of waiting items, in total and for a client */
    unsigned shared;      /* items of all clients that may run at a time */
    unsigned threads;     /* all threads, including the spare ones */
    bool closed, stopping;
    pthread_t thread[];
};

/* ---- Clients --------------------------------------------------------------------------------- */

static void client_append(Workers *w, ClientQueue *client)
{
    client->next = NULL;
    client->previous = w->last;
    *(w->last != NULL ? &w->last->next : &w->first) = client;
    w->last = client;
}

static void client_remove(Workers *w, ClientQueue *client)
{
    *(client->previous != NULL ? &client->previous->next : &w->first) = client->next;
    *(client->next != NULL ? &client->next->previous : &w->last) = client->previous;
}

static ClientQueue *client_find(const Workers *w, const char *name)
{
    ClientQueue *client = w->first;
    while (client != NULL && strcmp(client->client_key, name) != 0) client = client->next;
    return client;
}

/* Returns the queue of a client, and adds it if there is none. NULL if there is no memory. */
static ClientQueue *client_get(Workers *w, const char *name)
{
    ClientQueue *client = client_find(w, name);
    if (client != NULL) return client;
    client = calloc(1, sizeof *client);
    if (client == NULL) return NULL;
    strncpy(client->client_key, name, sizeof client->client_key - 1);
    client_append(w, client);
    return client;
}

static void client_drop_idle(Workers *w, ClientQueue *client)
{
    for (int kind = 0; kind < WORK_KINDS; kind++)
        if (client->queue[kind].count + client->running[kind] > 0) return;
    client_remove(w, client);
    free(client);
}

static void queue_put(WorkQueue *queue, WorkItem *item)
{
    item->next = NULL;
    *(queue->last != NULL ? &queue->last->next : &queue->first) = item;
    queue->last = item;
    queue->count++;
}

static WorkItem *queue_take(WorkQueue *queue)
{
    WorkItem *item = queue->first;
    assert(item != NULL && queue->count > 0);
    queue->first = item->next;
    if (queue->first == NULL) queue->last = NULL;
    queue->count--;
    return item;
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* Returns whether one more item of this kind may run. `none_running`: its client has no running item
 * of this kind. */
static bool has_room(const Workers *w, WorkKind kind, bool none_running)
{
    unsigned all = w->running[WORK_LIGHT] + w->running[WORK_HEAVY], heavy = w->running[WORK_HEAVY];
    bool room = all < w->shared && (kind == WORK_LIGHT || heavy + 1 < w->shared);
    bool spare = all < w->threads && (kind == WORK_LIGHT || heavy < w->threads - WORKERS_SPARE / 2);
    return room || (none_running && spare);
}

/* Returns the first client in turn with an item of this kind that may run now. */
static ClientQueue *next_client(const Workers *w, WorkKind kind, bool none_running)
{
    if (w->waiting[kind] == 0 || !has_room(w, kind, none_running)) return NULL;
    for (ClientQueue *client = w->first; client != NULL; client = client->next)
        if (client->queue[kind].count > 0 && (!none_running || client->running[kind] == 0))
            return client;
    return NULL;
}

/* Returns the client whose item is next, and the item's kind; NULL if no item may run now. */
static ClientQueue *next_turn(const Workers *w, WorkKind *kind)
{
    for (*kind = WORK_LIGHT; *kind < WORK_KINDS; ++*kind)
        for (int none_running = 1; none_running >= 0; none_running--) {
            ClientQueue *client = next_client(w, *kind, none_running);
            if (client != NULL) return client;
        }
    return NULL;
}

static WorkItem *begin(Workers *w, ClientQueue *client, WorkKind kind)
{
    WorkItem *item = queue_take(&client->queue[kind]);
    client->running[kind]++;
    w->waiting[kind]--;
    w->running[kind]++;
    client_remove(w, client);
    client_append(w, client);
    return item;
}

static void end(Workers *w, ClientQueue *client, WorkKind kind)
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
        WorkKind kind;
        ClientQueue *client = next_turn(w, &kind);
        if (client == NULL) {
            if (w->stopping && w->waiting[WORK_LIGHT] + w->waiting[WORK_HEAVY] == 0) break;
            pthread_cond_wait(&w->wake, &w->lock);
            continue;
        }
        WorkItem *item = begin(w, client, kind);
        /* The end of an item may have made room for two others. */
        if (w->waiting[WORK_LIGHT] + w->waiting[WORK_HEAVY] > 0) pthread_cond_signal(&w->wake);
        pthread_mutex_unlock(&w->lock);
        item->run(item);
        pthread_mutex_lock(&w->lock);
        end(w, client, kind);
    }
    /* The other threads end too, or run what may run now that this one has ended. */
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- The interface --------------------------------------------------------------------------- */

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
    w->most[WORK_LIGHT] = queue;
    w->most[WORK_HEAVY] = heavy_part(queue);
    w->each[WORK_LIGHT] = each;
    w->each[WORK_HEAVY] = heavy_part(each);
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

/* Returns whether one more item of this client may wait. */
static WorkersAdded find_place(const Workers *w, const ClientQueue *client, WorkKind kind)
{
    if (client->queue[kind].count >= w->each[kind]) return WORKERS_CLIENT_FULL;
    return w->waiting[kind] >= w->most[kind] ? WORKERS_FULL : WORKERS_ADDED;
}

WorkersAdded workers_add(Workers *w, WorkItem *item, WorkKind kind)
{
    WorkersAdded added = WORKERS_CLOSED;
    assert(item->client_key != NULL && item->run != NULL && item->refuse != NULL);
    pthread_mutex_lock(&w->lock);
    ClientQueue *client = w->closed ? NULL : client_get(w, item->client_key);
    if (client != NULL) {
        added = find_place(w, client, kind);
        if (added == WORKERS_ADDED) {
            queue_put(&client->queue[kind], item);
            w->waiting[kind]++;
        }
        client_drop_idle(w, client);
    }
    pthread_mutex_unlock(&w->lock);
    if (added == WORKERS_ADDED) pthread_cond_signal(&w->wake);
    return added;
}

static unsigned sum(Workers *w, const unsigned counts[WORK_KINDS])
{
    pthread_mutex_lock(&w->lock);
    unsigned all = counts[WORK_LIGHT] + counts[WORK_HEAVY];
    pthread_mutex_unlock(&w->lock);
    return all;
}

unsigned workers_waiting(Workers *w) { return sum(w, w->waiting); }
unsigned workers_running(Workers *w) { return sum(w, w->running); }

void workers_close(Workers *w)
{
    WorkQueue refused = {0};
    pthread_mutex_lock(&w->lock);
    w->closed = true;
    for (ClientQueue *client = w->first, *next; client != NULL; client = next) {
        next = client->next;
        for (int kind = 0; kind < WORK_KINDS; kind++)
            while (client->queue[kind].count > 0) {
                queue_put(&refused, queue_take(&client->queue[kind]));
                w->waiting[kind]--;
            }
        client_drop_idle(w, client);
    }
    pthread_mutex_unlock(&w->lock);
    while (refused.count > 0) {
        WorkItem *item = queue_take(&refused);
        item->refuse(item);
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
