/* server.h - a server that gives answers from tables over HTTP. */
#ifndef TREB_SERVER_SERVER_H
#define TREB_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/clients.h"
#include "trebuchet.h"

typedef struct ServerOptions {
    const char *const *directories; /* folders of tables; must outlive the server */
    size_t count;
    bool lenient;          /* a single folder that does not exist counts as empty */
    bool allow_empty;      /* the server is ready even without tables */
    const char *bind;      /* name or address to listen on */
    const char *port;      /* number; "0" picks a free one */
    const char *socket;    /* path of a Unix socket to listen on instead, or NULL */
    unsigned socket_mode;  /* permissions of the Unix socket */
    int passed;            /* an open listening socket to use instead of all these, or -1 */
    Proxies proxies;       /* proxies whose headers about the client are believed */
    unsigned threads;      /* threads for probing; at least as many serve connections */
    uint64_t cache;        /* bytes of unpacked blocks */
    uint64_t answers;      /* bytes of responses kept in the cache */
    unsigned connections;  /* most connections in total */
    unsigned per_client;   /* most connections of one client */
    unsigned queue;        /* positions that may wait for a thread; an eighth for heavier work */
    unsigned queue_each;   /* likewise, of one client */
    unsigned timeout;      /* seconds for a whole request to arrive */
    unsigned send_timeout; /* seconds for a client to receive a response */
    unsigned limit;        /* seconds to make an answer, including the time in the queue */
    uint64_t headers;      /* most bytes of a request's line and headers */
    uint64_t body;         /* most bytes of a request's body */
    uint64_t
        unsent; /* most bytes of responses that clients have not received; a quarter for one client */
    unsigned list_men; /* lists are made of endings of up to this many men */
    uint64_t
        solve_memory; /* bytes for solving one position without a table; 0: no position is solved */
    unsigned solve_seconds; /* most seconds for solving one position */
    int log;                /* file descriptor of the access log, or -1 */
    int console;            /* descriptor for errors that no log can have, or -1 */
    /* Writes to `text` how the owner of this machine can make a missing table, and what it takes.
     * Returns false if it cannot be made here. Called by several threads at a time. May be NULL. */
    bool (*advise)(const char *material, char *text, size_t size);
} ServerOptions;

typedef struct Server Server;

/* Opens the tables and starts to serve, in threads of its own with all signals blocked. Returns NULL
 * and an error on failure. */
Server *server_start(const ServerOptions *options, treb_error *error);

/* "http://127.0.0.1:8080/", "unix:/run/trebuchet.sock". */
const char *server_url(const Server *server);

/* Writes a line to the log, if there is one: `level` is "info", "warning" or "error". */
void server_log(Server *server, const char *level, const char *text);

/* Returns whether there are tables, or the server may run without any. */
bool server_ready(Server *server);

/* Closes connections whose time is up and writes the log. Must be called a few times a second. */
void server_tick(Server *server);

/* Opens the tables again. Requests in progress keep the old set. The result is logged. */
void server_reload(Server *server);

enum { SERVER_STOP_SECONDS = 5 };

/* Stops the server within SERVER_STOP_SECONDS, and accepts no more requests. Requests that wait for a
 * worker are soon answered with 503; after some seconds so are those being worked on. Returns whether
 * every request that had arrived got its answer. Frees everything, unless a worker hangs in a read or
 * a background job does not end in time. Then *runs is true, and the process should end with _exit(),
 * as exit() would free memory that the thread still uses. */
bool server_stop(Server *server, bool *runs);

#endif
