/* connections.h - the connections that are open, and until when the client has time. */
#ifndef TREB_SERVER_CONNECTIONS_H
#define TREB_SERVER_CONNECTIONS_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct Connection Connection;
struct Connection {
    Connection *next, *previous;
    int fd;
    _Atomic int64_t deadline;      /* in milliseconds of the monotonic clock; 0: the turn is ours */
    _Atomic uint64_t sending;      /* bytes of the answer on its way */
    char client[INET6_ADDRSTRLEN]; /* its address */
    char
        owner[INET6_ADDRSTRLEN]; /* the same, but of IPv6 the network: one client has a whole one */
    bool local;                  /* it is on this machine */
};

typedef struct Connections {
    pthread_mutex_t lock;
    Connection *first;
    int64_t request, answer; /* milliseconds to send a request, to take an answer */
} Connections;

void connections_init(Connections *connections, unsigned timeout);
void connections_destroy(Connections *connections);

/* Adds one that was opened, with the time of a request; NULL without memory. */
Connection *connections_add(Connections *connections, int fd, const struct sockaddr *address);
void connections_remove(Connections *connections, Connection *connection);

/* Whose turn it is: the client's to send a request, ours, the client's to take the answer. */
void connections_expect_request(Connections *connections, Connection *connection);
void connections_work(Connection *connection);
void connections_expect_taking(Connections *connections, Connection *connection);

/* Fills in who it is: client, owner, local. `address` may be NULL. */
void connections_name(Connection *connection, const struct sockaddr *address);

/* Bytes of answers on their way to a client, and to all. */
void connections_sending(Connections *connections, const char *owner, uint64_t *own, uint64_t *all);

/* Shuts those down whose time is up, for the HTTP library to find. Returns how many. */
unsigned connections_expire(Connections *connections);

#endif
