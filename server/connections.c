/* connections.c - see connections.h.
 *
 * The HTTP library's own time limit is one of silence: a client that sends a byte now and then
 * would never meet it. This one is for a whole request, and for a whole answer. */
#include "server/connections.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { MILLISECONDS = 1000 }; /* of a second */

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return INT64_C(1) * MILLISECONDS * t.tv_sec + t.tv_nsec / 1000000;
}

void connections_init(Connections *connections, const ConnectionLimits *limits)
{
    pthread_mutex_init(&connections->lock, NULL);
    connections->first = NULL;
    connections->limits = *limits;
}

void connections_destroy(Connections *connections) { pthread_mutex_destroy(&connections->lock); }

/* How many connections a client has. With the lock held. */
static unsigned count_of(const Connections *connections, const char *owner)
{
    unsigned count = 0;
    for (const Connection *c = connections->first; c != NULL; c = c->next)
        count += strcmp(c->peer.owner, owner) == 0;
    return count;
}

/* Adds it to the list if its client may have one more. */
static bool put_in(Connections *connections, Connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    bool room = connection->trusted ||
                count_of(connections, connection->peer.owner) < connections->limits.each;
    if (room) {
        connection->next = connections->first;
        if (connection->next != NULL) connection->next->previous = connection;
        connections->first = connection;
    }
    pthread_mutex_unlock(&connections->lock);
    return room;
}

Connection *connections_add(Connections *connections, int fd, const struct sockaddr *address)
{
    Connection *connection = calloc(1, sizeof *connection);
    if (connection != NULL) {
        connection->fd = fd;
        client_from_socket(&connection->peer, address);
        memcpy(connection->taker, connection->peer.owner, sizeof connection->taker);
        connection->trusted =
            proxies_trust(&connections->limits.proxies, &connection->peer.address);
        connections_expect_request(connections, connection);
        if (put_in(connections, connection)) return connection;
    }
    free(connection);
    shutdown(fd, SHUT_RDWR);
    return NULL;
}

void connections_remove(Connections *connections, Connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    assert((connection->previous == NULL) == (connections->first == connection));
    *(connection->previous ? &connection->previous->next : &connections->first) = connection->next;
    if (connection->next != NULL) connection->next->previous = connection->previous;
    pthread_mutex_unlock(&connections->lock);
    free(connection);
}

void connections_expect_request(Connections *connections, Connection *connection)
{
    int64_t time = INT64_C(1) * MILLISECONDS * connections->limits.request;
    atomic_store_explicit(&connection->deadline, now() + time, memory_order_relaxed);
}

void connections_work(Connection *connection)
{
    atomic_store_explicit(&connection->deadline, 0, memory_order_relaxed);
}

void connections_expect_taking(Connections *connections, Connection *connection)
{
    int64_t time = INT64_C(1) * MILLISECONDS * connections->limits.answer;
    atomic_store_explicit(&connection->deadline, now() + time, memory_order_relaxed);
}

void connections_send(Connections *connections, Connection *connection, const char *owner,
                      uint64_t bytes)
{
    /* Few connections serve several clients, so the lock is seldom needed. */
    if (bytes > 0 && strcmp(connection->taker, owner) != 0) {
        pthread_mutex_lock(&connections->lock);
        snprintf(connection->taker, sizeof connection->taker, "%s", owner);
        pthread_mutex_unlock(&connections->lock);
    }
    atomic_store_explicit(&connection->sending, bytes, memory_order_relaxed);
}

void connections_sending(Connections *connections, const char *owner, uint64_t *own, uint64_t *all)
{
    *own = *all = 0;
    pthread_mutex_lock(&connections->lock);
    for (Connection *c = connections->first; c != NULL; c = c->next) {
        uint64_t bytes = atomic_load_explicit(&c->sending, memory_order_relaxed);
        *all += bytes;
        if (bytes > 0 && strcmp(c->taker, owner) == 0) *own += bytes;
    }
    pthread_mutex_unlock(&connections->lock);
}

unsigned connections_expire(Connections *connections)
{
    int64_t time = now();
    unsigned count = 0;
    pthread_mutex_lock(&connections->lock);
    for (Connection *c = connections->first; c != NULL; c = c->next) {
        int64_t deadline = atomic_load_explicit(&c->deadline, memory_order_relaxed);
        if (deadline == 0 || time < deadline) continue;
        shutdown(c->fd, SHUT_RDWR);
        connections_work(c); /* once is enough */
        count++;
    }
    pthread_mutex_unlock(&connections->lock);
    return count;
}
