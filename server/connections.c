/* connections.c - see connections.h.
 *
 * The HTTP library's own time limit is for silence only: a client that sends a byte now and then would
 * never reach it. The limits here are for a whole request and for a whole response. */
#include "server/connections.h"
#include "core/system/clock.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { MILLISECONDS = 1000 }; /* of a second */

static int64_t now(void) { return (int64_t)clock_milliseconds(); }

void connections_init(Connections *connections, const ConnectionLimits *limits)
{
    pthread_mutex_init(&connections->lock, NULL);
    connections->first = NULL;
    connections->limits = *limits;
}

void connections_destroy(Connections *connections) { pthread_mutex_destroy(&connections->lock); }

/* Returns the number of a client's connections. The caller holds the lock. */
static unsigned count_of(const Connections *connections, const char *client_key)
{
    unsigned count = 0;
    for (const Connection *c = connections->first; c != NULL; c = c->next)
        count += strcmp(c->peer.key, client_key) == 0;
    return count;
}

/* Adds a connection to the list. Returns false if its client has too many. */
static bool put_in(Connections *connections, Connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    bool room = connection->trusted ||
                count_of(connections, connection->peer.key) < connections->limits.each;
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
        memcpy(connection->client_key, connection->peer.key, sizeof connection->client_key);
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

void connections_send(Connections *connections, Connection *connection, const char *client_key,
                      uint64_t bytes)
{
    /* Few connections serve several clients, so the lock is rarely needed. */
    if (bytes > 0 && strcmp(connection->client_key, client_key) != 0) {
        pthread_mutex_lock(&connections->lock);
        snprintf(connection->client_key, sizeof connection->client_key, "%s", client_key);
        pthread_mutex_unlock(&connections->lock);
    }
    atomic_store_explicit(&connection->sending, bytes, memory_order_relaxed);
}

void connections_sending(Connections *connections, const char *client_key, uint64_t *own,
                         uint64_t *all)
{
    *own = *all = 0;
    pthread_mutex_lock(&connections->lock);
    for (Connection *c = connections->first; c != NULL; c = c->next) {
        uint64_t bytes = atomic_load_explicit(&c->sending, memory_order_relaxed);
        *all += bytes;
        if (bytes > 0 && strcmp(c->client_key, client_key) == 0) *own += bytes;
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
        connections_work(c); /* do not shut it down again */
        count++;
    }
    pthread_mutex_unlock(&connections->lock);
    return count;
}
