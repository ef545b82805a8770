/* scan.h - all positions of an ending, by several threads, with what they find handed over in the order of
 * the table. Private to find/. */
#ifndef TREB_FIND_SCAN_H
#define TREB_FIND_SCAN_H

#include "find/position_info.h"

typedef struct ScanJob {
    const treb_tables *tables;
    const char *material;
    int turn;                /* who is to move, or FIND_EITHER */
    unsigned threads;        /* 0: as OpenMP likes */
    const atomic_bool *stop; /* when true it ends early; NULL allowed */
    FindProgress progress;   /* NULL allowed */
    void *progress_context;
    size_t own; /* bytes that each thread has for itself, all 0 at first */
    /* Makes them ready; what goes wrong is in the look. */
    void (*begin)(void *context, void *own, PositionInfo *info);
    /* Looks at a position, which the look is turned to. False: no more of this part, for a failure or
     * as all is to end. */
    bool (*visit)(void *context, void *own, PositionInfo *info);
    /* Takes over what a thread found in a part: part after part, by one thread at a time. False: no more. */
    bool (*hand_over)(void *context, void *own);
    void (*end)(void *own);
    void *context;
} ScanJob;

/* The first failure of a look, in the order of the table; or of the tables themselves. */
treb_status scan_run(const ScanJob *job, treb_error *error);

#endif
