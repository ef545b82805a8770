/* server_state.h - the state of a running server; private to server.c and handler.c. */
#ifndef TREB_SERVER_SERVER_STATE_H
#define TREB_SERVER_SERVER_STATE_H

#include <microhttpd.h>

#include "server/access_log.h"
#include "server/background.h"
#include "server/connections.h"
#include "server/listen.h"
#include "server/metrics.h"
#include "server/server.h"
#include "server/tableset.h"
#include "server/workers.h"

struct Server {
    TableHolder holder;
    Metrics metrics;
    Connections connections;
    Workers *workers;
    Background *background;
    AccessLog log;
    struct MHD_Daemon *daemon;
    Listening listening;
    uint64_t body;   /* maximum bytes of a request's body */
    uint64_t limit;  /* nanoseconds to make an answer */
    uint64_t unsent; /* bytes of unsent answers at which no more heavy answers are made */
    unsigned list_men;
    uint64_t solve_memory;
    unsigned solve_seconds;
    bool allow_empty; /* the server is ready even without tables */
    bool (*advise)(const char *material, char *text, size_t size); /* may be NULL */
    atomic_bool stopping;      /* no more requests are accepted */
    atomic_bool cancelled;     /* the work on answers must end */
    _Atomic uint64_t arriving; /* requests of which only a part has arrived */
    _Atomic uint64_t fresh;    /* connections on which no byte has arrived yet */
};

#endif
