/* bench_probe.h - what probes of one material cost. */
#ifndef TREB_CLI_BENCH_PROBE_H
#define TREB_CLI_BENCH_PROBE_H

#include "core/chess/material.h"

typedef struct BenchRequest {
    treb_tables *tables;
    Material material;
    uint64_t positions; /* random ones to ask about, again and again */
    uint64_t cache;     /* bytes for unpacked blocks */
    unsigned threads;   /* of the second run */
    double seconds;     /* about how long to measure each figure */
} BenchRequest;

/* One way of probing: a metric, or all moves with all their values. */
typedef struct BenchFigure {
    treb_status status; /* not TREB_OK: not measured, for want of a table, say */
    double single;      /* ns a probe, one thread, blocks in memory */
    double threaded;    /* ns a probe and thread, all threads */
    double rate;        /* probes a second, all threads */
    double warm_misses; /* blocks unpacked a probe all the same: 0 if the cache is large enough */
    double cold;        /* ns a probe without a cache */
    double cold_misses; /* blocks unpacked a probe then */
} BenchFigure;

enum { BENCH_MOVES = TREB_METRICS, BENCH_FIGURES };

/* By metric, then BENCH_MOVES. TREB_OK, or why nothing could be measured. */
treb_status bench_probe(const BenchRequest *request, BenchFigure figure[BENCH_FIGURES],
                        treb_error *error);

#endif
