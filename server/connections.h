/* connections.h - the open connections, and the time that their clients have. */
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
    _Atomic int64_t
        deadline; /* milliseconds of the monotonic clock; 0: the client is not waited for */
    _Atomic uint64_t sending;          /* bytes of the response being sent */
    char client_key[CLIENT_NAME_SIZE]; /* client that gets the response; changed under the lock */
    Client peer;                       /* the other end of the connection */
    bool trusted;                      /* the peer is a trusted proxy */
    bool used;                         /* a request has begun to arrive */
};

typedef struct ConnectionLimits {
    unsigned request; /* seconds to send a request */
    unsigned answer;  /* seconds to receive a response */
    unsigned each;    /* connections of one client; a trusted proxy may have any number */
    Proxies proxies;
} ConnectionLimits;

typedef struct Connections {
    pthread_mutex_t lock;
    Connection *first;
    ConnectionLimits limits;
} Connections;

void connections_init(Connections *connections, const ConnectionLimits *limits);
void connections_destroy(Connections *connections);

/* Adds a connection that was opened, and expects a request on it. If the client has too many
 * connections, or there is no memory, shuts the connection down and returns NULL. */
Connection *connections_add(Connections *connections, int fd, const struct sockaddr *address);
void connections_remove(Connections *connections, Connection *connection);

/* Sets the deadline for what happens next: the client sends a request, the server works on it (no
 * deadline), or the client receives the response. */
void connections_expect_request(Connections *connections, Connection *connection);
void connections_work(Connection *connection);
void connections_expect_taking(Connections *connections, Connection *connection);

/* Notes that a response of `bytes` is being sent to a client; 0: it has been sent. */
void connections_send(Connections *connections, Connection *connection, const char *client_key,
                      uint64_t bytes);

/* Sums the bytes being sent to one client, and to all. */
void connections_sending(Connections *connections, const char *client_key, uint64_t *own,
                         uint64_t *all);

/* Shuts down the connections whose deadline has passed; the HTTP library then closes them. Returns
 * their number. */
unsigned connections_expire(Connections *connections);

#endif
