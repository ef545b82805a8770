/* gather.h - probes of files that are elsewhere. Private to probe/.
 *
 * Each thing that such a probe lacks takes as long as a way to its source and back, and there may be
 * many. So a probe that waits is asked like one that does not: what it lacks is noted, all of that is
 * begun at once and waited for, and the probe is asked again, until it lacks nothing. */
#ifndef TREB_PROBE_GATHER_H
#define TREB_PROBE_GATHER_H

#include "probe/set.h"

enum { GATHER_JOBS = 256 };

typedef struct Gather {
    unsigned count;
    FetchJob jobs[GATHER_JOBS];
} Gather;

/* Of more notes than there is room for the rest is dropped: it is noted the next time. */
void gather_note(Gather *gather, const FetchJob *job);

/* Whether what a view of a set says that lacks something is to be gathered. */
static inline bool gather_wanted(const treb_tables *set)
{
    return set->reader.wait == TABLE_NEAR && set->reader.gather == NULL;
}

/* A probe, with its arguments in `call`, of whatever view of the set. */
typedef treb_status GatherProbe(const treb_tables *set, void *call);

/* Asks until nothing is lacking, or cannot be had: the probe's own status. */
treb_status gather(const treb_tables *set, GatherProbe *probe, void *call);

#endif
