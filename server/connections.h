/* connections.h - the connections that are open, and until when the client has time. */
#ifndef TREB_SERVER_CONNECTIONS_H
#define TREB_SERVER_CONNECTIONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/clients.h"

typedef struct Connection Connection;
struct Connection {
    Connection *next, *previous;
    int fd;
    _Atomic int64_t deadline;     /* in milliseconds of the monotonic clock; 0: the turn is ours */
    _Atomic uint64_t sending;     /* bytes of the answer on its way */
    char taker[CLIENT_NAME_SIZE]; /* for whom that is: a client's owner. Changed under the lock */
    Client peer;                  /* who is at the other end */
    bool trusted;                 /* a proxy that is believed when it says for whom it asks */
    bool used;                    /* a request has begun to arrive */
};

/* What clients may have. */
typedef struct ConnectionLimits {
    unsigned request; /* seconds to send a request */
    unsigned answer;  /* seconds to take an answer */
    unsigned each;    /* connections of a client; a trusted proxy may have any number */
    Proxies proxies;
} ConnectionLimits;

typedef struct Connections {
    pthread_mutex_t lock;
    Connection *first;
    ConnectionLimits limits;
} Connections;

void connections_init(Connections *connections, const ConnectionLimits *limits);
void connections_destroy(Connections *connections);

/* Adds one that was opened, with the time of a request. NULL after shutting it down, as the client
 * has as many as it may, or without memory. */
Connection *connections_add(Connections *connections, int fd, const struct sockaddr *address);
void connections_remove(Connections *connections, Connection *connection);

/* Whose turn it is: the client's to send a request, ours, the client's to take the answer. */
void connections_expect_request(Connections *connections, Connection *connection);
void connections_work(Connection *connection);
void connections_expect_taking(Connections *connections, Connection *connection);

/* An answer of so many bytes is on its way to a client, by its owner's name. 0: no more. */
void connections_send(Connections *connections, Connection *connection, const char *owner,
                      uint64_t bytes);

/* Bytes of answers on their way to a client, and to all. */
void connections_sending(Connections *connections, const char *owner, uint64_t *own, uint64_t *all);

/* Shuts those down whose time is up, for the HTTP library to find. Returns how many. */
unsigned connections_expire(Connections *connections);

#endif
