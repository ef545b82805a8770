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
    uint64_t body;        /* bytes of a request's body */
    int log;              /* file descriptor of the access log, or -1 */
} ServerOptions;

typedef struct Server Server;

typedef struct ServerError {
    char text[640];
} ServerError;

/* Opens the tables, listens and serves, in threads of its own, with all signals blocked. NULL after
 * saying why. */
Server *server_start(const ServerOptions *options, ServerError *error);

/* "http://127.0.0.1:8080/". */
const char *server_url(const Server *server);

/* To be called a few times a second: closes connections whose time is up, writes out the log. */
void server_tick(Server *server);

/* Looks for tables again; requests under way keep the old set. Logged. */
void server_reload(Server *server);

/* Accepts no more, waits up to `seconds` for requests under way, and frees everything. True if all
 * of them were finished. */
bool server_stop(Server *server, unsigned seconds);

#endif
