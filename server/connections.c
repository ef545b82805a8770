/* connections.c - see connections.h.
 *
 * The HTTP library's own time limit is one of silence: a client that sends a byte now and then
 * would never meet it. This one is for a whole request, and for a whole answer. */
#include "server/connections.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return INT64_C(1000) * t.tv_sec + t.tv_nsec / 1000000;
}

void connections_init(Connections *connections, unsigned timeout)
{
    enum { PATIENCE = 4 }; /* an answer may be large, and a line slow */
    pthread_mutex_init(&connections->lock, NULL);
    connections->first = NULL;
    connections->request = INT64_C(1000) * timeout;
    connections->answer = PATIENCE * connections->request;
}

void connections_destroy(Connections *connections) { pthread_mutex_destroy(&connections->lock); }

static void name_ipv4(Connection *connection, const struct in_addr *address)
{
    enum { LOOPBACK = 127 }; /* the first byte */
    inet_ntop(AF_INET, address, connection->client, sizeof connection->client);
    memcpy(connection->owner, connection->client, sizeof connection->owner);
    connection->local = ntohl(address->s_addr) >> 24 == LOOPBACK;
}

static void name_ipv6(Connection *connection, const struct in6_addr *address)
{
    enum { NETWORK = 8 }; /* bytes of an address that tell one customer from another */
    struct in6_addr network = {0};
    memcpy(&network, address, NETWORK);
    inet_ntop(AF_INET6, address, connection->client, sizeof connection->client);
    connection->local = IN6_IS_ADDR_LOOPBACK(address);
    inet_ntop(AF_INET6, connection->local ? address : &network, connection->owner,
              sizeof connection->owner);
}

void connections_name(Connection *connection, const struct sockaddr *address)
{
    snprintf(connection->client, sizeof connection->client, "?");
    snprintf(connection->owner, sizeof connection->owner, "?");
    connection->local = false;
    if (address == NULL) return;
    if (address->sa_family == AF_INET) {
        name_ipv4(connection, &((const struct sockaddr_in *)address)->sin_addr);
    } else if (address->sa_family == AF_INET6) {
        const struct in6_addr *from = &((const struct sockaddr_in6 *)address)->sin6_addr;
        struct in_addr within;
        memcpy(&within, &from->s6_addr[12], sizeof within);
        if (IN6_IS_ADDR_V4MAPPED(from))
            name_ipv4(connection, &within);
        else
            name_ipv6(connection, from);
    }
}

Connection *connections_add(Connections *connections, int fd, const struct sockaddr *address)
{
    Connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) return NULL;
    connection->fd = fd;
    connections_name(connection, address);
    connections_expect_request(connections, connection);
    pthread_mutex_lock(&connections->lock);
    connection->next = connections->first;
    if (connection->next != NULL) connection->next->previous = connection;
    connections->first = connection;
    pthread_mutex_unlock(&connections->lock);
    return connection;
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
    atomic_store_explicit(&connection->deadline, now() + connections->request,
                          memory_order_relaxed);
}

void connections_work(Connection *connection)
{
    atomic_store_explicit(&connection->deadline, 0, memory_order_relaxed);
}

void connections_expect_taking(Connections *connections, Connection *connection)
{
    atomic_store_explicit(&connection->deadline, now() + connections->answer, memory_order_relaxed);
}

void connections_sending(Connections *connections, const char *owner, uint64_t *own, uint64_t *all)
{
    *own = *all = 0;
    pthread_mutex_lock(&connections->lock);
    for (Connection *c = connections->first; c != NULL; c = c->next) {
        uint64_t bytes = atomic_load_explicit(&c->sending, memory_order_relaxed);
        *all += bytes;
        if (bytes > 0 && strcmp(c->owner, owner) == 0) *own += bytes;
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
