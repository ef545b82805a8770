/* metrics.h - counters of the server, and the texts that report them. */
#ifndef TREB_SERVER_METRICS_H
#define TREB_SERVER_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "server/tableset.h"

enum { METRICS_ROUTES = 24, METRICS_CODES = 12, METRICS_BUCKETS = 14 };

typedef struct Metrics {
    _Atomic uint64_t requests[METRICS_ROUTES][METRICS_CODES];
    _Atomic uint64_t bucket[METRICS_ROUTES][METRICS_BUCKETS]; /* not cumulative; the last is +Inf */
    _Atomic uint64_t nanoseconds[METRICS_ROUTES];
    _Atomic uint64_t bytes;   /* bytes of bodies sent */
    _Atomic uint64_t damaged; /* answers for which a damaged file was met */
    _Atomic uint64_t aborted; /* requests that ended without a response */
    _Atomic uint64_t expired; /* connections closed because their time was up */
    _Atomic uint64_t refused; /* connections closed because their client had too many */
    _Atomic uint64_t reloads, failed_reloads;
    _Atomic uint64_t waiting;          /* work items waiting for a worker */
    _Atomic uint64_t background;       /* background jobs waiting or running */
    _Atomic uint64_t finished;         /* background jobs done */
    _Atomic uint64_t connections;      /* open connections */
    _Atomic uint64_t busy;             /* requests being answered */
    _Atomic uint64_t log_lost;         /* lines of the log that were lost */
    int64_t started;                   /* start of the server, in seconds since 1970 */
    unsigned routes;                   /* number of routes */
    const char *label[METRICS_ROUTES]; /* name of each route */
} Metrics;

/* Counts a request that was answered. */
void metrics_count(Metrics *metrics, unsigned route, unsigned status, uint64_t nanoseconds,
                   uint64_t bytes);

/* Returns all metrics in Prometheus' text format; NULL if there is no memory. The caller frees the
 * text. */
char *metrics_prometheus(Metrics *metrics, TableSet *set);

/* Returns the line of GET /monitor, in the form of lila-tablebase; NULL if there is no memory. The
 * caller frees it. */
char *metrics_monitor(Metrics *metrics, TableSet *set);

#endif
