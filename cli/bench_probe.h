/* bench_probe.h - measures how long probes of one material take. */
#ifndef TREB_CLI_BENCH_PROBE_H
#define TREB_CLI_BENCH_PROBE_H

#include "core/chess/material.h"

typedef struct BenchRequest {
    treb_tables *tables;
    Material material;
    uint64_t positions; /* number of random positions, which are probed again and again */
    uint64_t cache;     /* bytes for unpacked blocks */
    unsigned threads;   /* of the second measurement */
    double seconds;     /* approximate time of each measurement */
} BenchRequest;

/* One way of probing: a metric, or all moves with all their values. */
typedef struct BenchFigure {
    treb_status status; /* not TREB_OK: not measured, for example because a table is missing */
    double single;      /* ns per probe: one thread, blocks in memory */
    double threaded;    /* ns per probe of each thread: all threads, blocks in memory */
    double rate;        /* probes per second of all threads */
    double warm_misses; /* blocks that a probe still unpacks: 0 if the cache is large enough */
    double cold;        /* ns per probe without a cache */
    double cold_misses; /* blocks that a probe unpacks without a cache */
} BenchFigure;

enum { BENCH_MOVES = TREB_METRICS, BENCH_FIGURES };

/* Fills the figures: one for each metric, then BENCH_MOVES. Returns TREB_OK, or why nothing could be
 * measured. */
treb_status bench_probe(const BenchRequest *request, BenchFigure figure[BENCH_FIGURES],
                        treb_error *error);

#endif
