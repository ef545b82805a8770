/* cases.h - counts equal and different answers, and keeps the first differences. Private to
 * check/compare/. */
#ifndef TREB_CHECK_COMPARE_CASES_H
#define TREB_CHECK_COMPARE_CASES_H

#include <stdatomic.h>

#include "check/compare/compare.h"
#include "probe/probe.h"

/* Counts of one thread. */
typedef struct CompareCounts {
    uint64_t positions, en_passant;
    struct {
        uint64_t equal, rounded, different, unknown;
    } of[TREB_DTM50 + 1]; /* by metric */
} CompareCounts;

/* The differences that all threads found. */
typedef struct Cases {
    const treb_tables *tables[2];
    CompareResult *result;
    size_t most; /* maximum number of differences to keep for each metric */
    _Atomic uint64_t limit[TREB_DTM50 + 1]; /* by metric: only differences with smaller keys are kept */
    atomic_bool no_memory;
} Cases;

/* Returns false if out of memory. compare_result_free frees the memory that this function
 * allocates. */
bool cases_init(Cases *cases, unsigned metrics, unsigned most);

/* Counts the answers of both sets for one metric of a position: verdicts and, except for TREB_WDL,
 * distances as in probe.h. A negative answer is minus a status. */
void cases_count(Cases *cases, CompareCounts *counts, treb_metric metric, const treb_position *pos,
                 uint64_t key, const int verdict[2], const int distance[2]);

/* Adds the counts of a thread to the result. Only one thread may call it at a time. */
void cases_add(Cases *cases, const CompareCounts *counts);

#endif
