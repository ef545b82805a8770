/* routes.h - which address gives what. */
#ifndef TREB_SERVER_ROUTES_H
#define TREB_SERVER_ROUTES_H

#include "server/background.h"
#include "server/metrics.h"
#include "server/query.h"
#include "server/reply.h"
#include "server/tableset.h"

typedef enum RouteWork {
    ROUTE_QUICK, /* done at once, by the thread that has the connection */
    ROUTE_PROBE, /* some probes: for a worker */
    ROUTE_HEAVY  /* many: for a worker, but never for all of them */
} RouteWork;

enum { METHOD_GET = 1, METHOD_POST = 2, METHOD_DELETE = 4 /* beside GET */ };

/* What a route is given. */
typedef struct RouteCall {
    TableHolder *holder;
    TableSet *set;
    Metrics *metrics;
    const Query *query;
    const char *tail; /* the rest of the path after a prefix */
    const char *body;
    size_t size;
    const atomic_bool *cancel; /* when set there is to be no answer; may be NULL */
    uint64_t deadline;         /* of the answer, by answer_clock; 0: none */
    ReplyFormat format;        /* what the client wants, where a route has more than one */
    bool allow_empty;          /* a server without tables is ready */
    bool remove;               /* the method is DELETE */
    const char *client;        /* who asks, by the name that limits go by */
    Background *background;
    unsigned list_men;      /* of endings of so many men, at most, lists are made */
    uint64_t solve_memory;  /* bytes for solving positions without a table; 0: none is solved */
    unsigned solve_seconds; /* for each at most */
    /* How to make a table, for the owner of this machine; NULL for others. As in ServerOptions. */
    bool (*advise)(const char *material, char *text, size_t size);
} RouteCall;

typedef struct Route {
    const char *path; /* ends in "/" and more: a prefix if `prefix` */
    bool prefix;
    bool kept; /* its answers may be kept */
    int methods;
    RouteWork work;
    const char *label; /* in metrics */
    void (*run)(const RouteCall *call, Reply *reply);
} Route;

/* The route of a path, and for prefixes the rest. Never NULL: unknown paths have a route that says
 * so. */
const Route *route_find(const char *path, const char **tail);

/* Fills a reply with a failure of the library, with advice if a table is missing. */
void route_failure(const RouteCall *call, Reply *reply, const treb_error *error);

/* The number of a route, from 0, for metrics; and all of them. */
unsigned route_number(const Route *route);
unsigned route_count(void);
const Route *route_at(unsigned number);

#endif
