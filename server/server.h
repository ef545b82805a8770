/* server.h - the tables over HTTP. */
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
    bool lenient;           /* a single folder that is not there holds nothing */
    bool allow_empty;       /* without tables it is as ready as with some */
    const char *bind;       /* name or address to listen on */
    const char *port;       /* number; "0" picks a free one */
    const char *socket;     /* in their place: a Unix socket; or NULL */
    unsigned socket_mode;   /* permissions of that */
    int passed;             /* in place of all these: a socket that listens already; or -1 */
    Proxies proxies;        /* who is believed when it says for whom it asks */
    unsigned threads;       /* for probing; for connections as many, or as these need */
    uint64_t cache;         /* bytes of unpacked blocks */
    uint64_t answers;       /* bytes of answers kept */
    unsigned connections;   /* in all */
    unsigned per_client;    /* of one client */
    unsigned queue;         /* positions that may wait for a thread; of heavier work an eighth */
    unsigned queue_each;    /* of one client; likewise */
    unsigned timeout;       /* seconds for a request to arrive whole */
    unsigned send_timeout;  /* seconds for an answer to be taken */
    unsigned limit;         /* seconds to make an answer, until its turn comes included */
    uint64_t headers;       /* bytes of a request's line and headers */
    uint64_t body;          /* bytes of a request's body */
    uint64_t unsent;        /* bytes of answers not yet taken; of one client's a quarter */
    unsigned list_men;      /* of endings of so many men, at most, lists are made */
    uint64_t solve_memory;  /* bytes for solving positions without a table; 0: none is solved */
    unsigned solve_seconds; /* for each at most */
    int log;                /* file descriptor of the access log, or -1 */
    /* What to tell the owner of this machine about a table that is missing: how to make it and what
     * that takes. Writes it to `text`; false if it could not be made here. Called by several
     * threads at a time. NULL: there is nothing to tell. */
    bool (*advise)(const char *material, char *text, size_t size);
} ServerOptions;

typedef struct Server Server;

/* Opens the tables, listens and serves, in threads of its own, with all signals blocked. NULL after
 * saying why. */
Server *server_start(const ServerOptions *options, treb_error *error);

/* "http://127.0.0.1:8080/", "unix:/run/trebuchet.sock". */
const char *server_url(const Server *server);

/* Whether there are tables, or none are allowed. */
bool server_ready(Server *server);

/* To be called a few times a second: closes connections whose time is up, writes out the log. */
void server_tick(Server *server);

/* Looks for tables again; requests under way keep the old set. Logged. */
void server_reload(Server *server);

enum { SERVER_STOP_SECONDS = 5 };

/* Ends the server, in less than SERVER_STOP_SECONDS whatever is under way. It accepts no more;
 * requests that wait for a worker are soon answered with 503, those being worked on after some
 * seconds more. True if every request that was here got its answer. Everything is freed, unless a
 * worker hangs in a read, or what is done in the background cannot be given up in time: then *runs is
 * true, and the process should end by _exit(), as exit() would take away what that thread uses. */
bool server_stop(Server *server, bool *runs);

#endif
