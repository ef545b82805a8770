/* scan.h - visits all positions of an ending, or positions that are drawn, in several threads, and
 * collects what they find in the order of the table or of the draws. Private to find/. */
#ifndef TREB_FIND_SCAN_H
#define TREB_FIND_SCAN_H

#include "find/position_info.h"

typedef struct ScanJob {
    const treb_tables *tables;
    const char *material;
    int turn;                /* side to move, or FIND_EITHER */
    uint64_t draws;          /* number of draws instead of positions of the ending, or 0 */
    /* Writes the position of draw `number` (from 0); false if it has none. `material` and `turn`
     * are not used then. */
    bool (*draw)(void *context, uint64_t number, treb_position *pos);
    unsigned threads;        /* 0: the number that OpenMP chooses */
    const atomic_bool *stop; /* set to true to end the scan early; may be NULL */
    FindProgress progress;   /* may be NULL */
    void *progress_context;
    size_t own; /* size of the data `own` that each thread has for itself, zeroed at first */
    /* Initialises the data of a thread. Reports an error in `info`. */
    void (*begin)(void *context, void *own, PositionInfo *info);
    /* Visits the position in `info`. info->number is that of the draw, or the number that the
     * position has in this scan, of at most 61 bits. Returns false to skip the rest of
     * this part. */
    bool (*visit)(void *context, void *own, PositionInfo *info);
    /* Collects what a thread found in a part, and empties it. Called for one part after the other,
     * by one thread at a time. Returns false to end the scan. */
    bool (*collect)(void *context, void *own);
    void (*end)(void *own);
    void *context;
} ScanJob;

/* Returns the first error in the order of the table, or an error of the tables themselves. */
treb_status scan_run(const ScanJob *job, treb_error *error);

#endif
