/* prefetch.c - see prefetch.h. */
#include "probe/prefetch.h"

#include "probe/file_fetch.h"

/* Fetches all that is listed, in parallel. False if something cannot be fetched. */
static bool fetch_all(const FetchList *list)
{
    bool all = true;
    for (unsigned i = 0; i < list->count; i++) (void)file_fetch(&list->jobs[i], WAIT_NEVER_FETCH);
    for (unsigned i = 0; i < list->count && all; i++)
        all = file_fetch(&list->jobs[i], WAIT_FOR_ALL) == TREB_OK;
    return all;
}

treb_status prefetch_run(const ProbeReader *reader, PrefetchProbe *probe, void *call)
{
    /* Far more rounds than a probe needs, unless pages of other threads replace ours in the cache
     * at once. */
    enum { ROUNDS = 32 };
    FetchList missing;
    const ProbeReader noting = {reader->set, WAIT_LOCAL_ONLY, &missing};
    for (int round = 0; round < ROUNDS; round++) {
        missing.count = 0;
        treb_status status = probe(&noting, call);
        if (missing.count == 0) return status;
        if (!fetch_all(&missing)) break;
    }
    /* Waits for one piece after the other. If one cannot be fetched the probe fails and says
     * why. */
    const ProbeReader waiting = {reader->set, WAIT_FOR_ALL, NULL};
    return probe(&waiting, call);
}
