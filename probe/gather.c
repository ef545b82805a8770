/* gather.c - see gather.h. */
#include "probe/gather.h"

void gather_note(Gather *gather, const FetchJob *job)
{
    for (unsigned i = 0; i < gather->count; i++)
        if (fetch_same(&gather->jobs[i], job)) return;
    if (gather->count < GATHER_JOBS) gather->jobs[gather->count++] = *job;
}

/* Brings all that is noted, side by side. False if something cannot be had. */
static bool bring(ProbePool *pool, const Gather *gather)
{
    bool all = true;
    for (unsigned i = 0; i < gather->count; i++)
        (void)file_fetch(pool, &gather->jobs[i], TABLE_FETCH);
    for (unsigned i = 0; i < gather->count && all; i++)
        all = file_fetch(pool, &gather->jobs[i], TABLE_WAIT) == TREB_OK;
    return all;
}

treb_status gather(const treb_tables *set, GatherProbe *probe, void *call)
{
    /* Far more than are ever needed, unless other threads' pages take the place of ours at once. */
    enum { ROUNDS = 32 };
    Gather list;
    treb_tables view = *set;
    view.reader.gather = &list;
    for (int round = 0; round < ROUNDS; round++) {
        list.count = 0;
        treb_status status = probe(&view, call);
        if (list.count == 0) return status;
        if (!bring(set->reader.pool, &list)) break;
    }
    /* In turn, whatever it costs; this tells what cannot be had. */
    return probe(set_view(set, SET_WAITING), call);
}
