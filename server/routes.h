/* routes.h - the table of addresses: which function answers which path. */
#ifndef TREB_SERVER_ROUTES_H
#define TREB_SERVER_ROUTES_H

#include "server/route_call.h"

typedef enum RouteWork {
    ROUTE_QUICK, /* done at once, by the thread that serves the connection */
    ROUTE_PROBE, /* some probes, done by a worker */
    ROUTE_HEAVY  /* many probes, done by a worker; never occupies all workers */
} RouteWork;

enum { METHOD_GET = 1, METHOD_POST = 2, METHOD_DELETE = 4 /* in addition to GET */ };

typedef struct Route {
    const char *path; /* a whole path, or with `prefix` its beginning */
    bool prefix;
    bool cached; /* its answers may be kept in the cache */
    int methods;
    RouteWork work;
    const char *label; /* in metrics */
    void (*run)(const RouteCall *call, Reply *reply);
} Route;

/* Returns the route of a path and, for a prefix, the rest of the path. Never returns NULL: an
 * unknown path has a route that answers "not found". */
const Route *route_find(const char *path, const char **path_suffix);

/* The number of a route, from 0, for metrics. */
unsigned route_number(const Route *route);

/* The number of all routes. The last one is that of unknown paths. */
unsigned route_count(void);

const Route *route_at(unsigned number);

#endif
