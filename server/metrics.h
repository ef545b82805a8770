/* metrics.h - what is counted, and in which form it is told. */
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
    _Atomic uint64_t bytes;   /* of bodies */
    _Atomic uint64_t damaged; /* answers that met a damaged file */
    _Atomic uint64_t aborted; /* requests that the client gave up, or whose time was up */
    _Atomic uint64_t expired; /* connections closed because their time was up */
    _Atomic uint64_t refused; /* connections that were one too many for their client */
    _Atomic uint64_t reloads, failed_reloads;
    _Atomic uint64_t waiting;     /* jobs for workers */
    _Atomic uint64_t background;  /* pieces of work in the background that wait or run, */
    _Atomic uint64_t finished;    /* and have been done */
    _Atomic uint64_t connections; /* now */
    _Atomic uint64_t busy;        /* requests being answered */
    int64_t started;              /* seconds since 1970 */
    unsigned routes;              /* how many there are, and what they are called */
    const char *label[METRICS_ROUTES];
} Metrics;

/* Counts a request that was answered. */
void metrics_count(Metrics *metrics, unsigned route, unsigned status, uint64_t nanoseconds,
                   uint64_t bytes);

/* Everything in Prometheus' text format; NULL without memory. The caller frees it. */
char *metrics_prometheus(Metrics *metrics, TableSet *set);

/* The line of GET /monitor, as lila-tablebase has it. */
char *metrics_monitor(Metrics *metrics, TableSet *set);

#endif
