/* internal.h - the server's own state, and that of a request. */
#ifndef TREB_SERVER_INTERNAL_H
#define TREB_SERVER_INTERNAL_H

#include <microhttpd.h>

#include "server/background.h"
#include "server/connections.h"
#include "server/listen.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/routes.h"
#include "server/server.h"
#include "server/workers.h"

struct Server {
    TableHolder holder;
    Metrics metrics;
    Connections connections;
    Workers *workers;
    Background *background;
    Log log;
    struct MHD_Daemon *daemon;
    Listening listening;
    uint64_t body;   /* bytes of a body, at most */
    uint64_t limit;  /* nanoseconds to make an answer */
    uint64_t unsent; /* bytes of answers that clients have not taken, before no more are made */
    unsigned list_men;
    uint64_t solve_memory;
    unsigned solve_seconds;
    bool allow_empty; /* without tables it is as ready as with some */
    bool (*advise)(const char *material, char *text, size_t size); /* may be NULL */
    atomic_bool stopping;                                          /* no more requests */
    atomic_bool cancelled;                                         /* no more work on answers */
    _Atomic uint64_t arriving; /* requests of which only a part is here */
    _Atomic uint64_t fresh;    /* connections that nothing has come from so far */
};

/* The HTTP library's callbacks; the first argument is the server. */
void *handler_begin(void *server, const char *target, struct MHD_Connection *connection);
enum MHD_Result handler_run(void *server, struct MHD_Connection *connection, const char *url,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **request);
void handler_end(void *server, struct MHD_Connection *connection, void **request,
                 enum MHD_RequestTerminationCode how);
void handler_connection(void *server, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode what);

#endif
