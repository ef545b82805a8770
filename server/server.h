/* server.h - the tables over HTTP. */
#ifndef TREB_SERVER_SERVER_H
#define TREB_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trebuchet.h"

typedef struct ServerOptions {
    const char *const *directories; /* folders of tables; must outlive the server */
    size_t count;
    bool lenient;         /* a single folder that is not there holds nothing */
    const char *bind;     /* name or address to listen on */
    const char *port;     /* number; "0" picks a free one */
    unsigned threads;     /* for probing; for connections as many, or as these need */
    uint64_t cache;       /* bytes of unpacked blocks */
    uint64_t answers;     /* bytes of answers kept */
    unsigned connections; /* in all */
    unsigned per_client;  /* from one address */
    unsigned timeout;     /* seconds for a request to arrive whole */
    unsigned limit;       /* seconds to make an answer, until its turn comes included */
    uint64_t body;        /* bytes of a request's body */
    int log;              /* file descriptor of the access log, or -1 */
    /* What to tell the owner of this machine about a table that is missing: how to make it and what
     * that takes. Writes it to `text`; false if it could not be made here. Called by several
     * threads at a time. NULL: there is nothing to tell. */
    bool (*advise)(const char *material, char *text, size_t size);
} ServerOptions;

typedef struct Server Server;

/* Opens the tables, listens and serves, in threads of its own, with all signals blocked. NULL after
 * saying why. */
Server *server_start(const ServerOptions *options, treb_error *error);

/* "http://127.0.0.1:8080/". */
const char *server_url(const Server *server);

/* To be called a few times a second: closes connections whose time is up, writes out the log. */
void server_tick(Server *server);

/* Looks for tables again; requests under way keep the old set. Logged. */
void server_reload(Server *server);

enum { SERVER_STOP_SECONDS = 5 };

/* Ends the server, in less than SERVER_STOP_SECONDS whatever is under way. It accepts no more;
 * requests that wait for a worker are soon answered with 503, those being worked on after some
 * seconds more. True if every request that was here got its answer. Everything is freed, unless a
 * worker hangs in a read: then the process should end. */
bool server_stop(Server *server);

#endif
