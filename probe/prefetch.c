/* prefetch.c - see prefetch.h. */
#include "probe/prefetch.h"

#include "core/system/error.h"
#include "probe/file_fetch.h"

/* Fetches all that is listed, in parallel. Returns TREB_OK, TREB_ERR_NOT_READY if a source does not wait and has to
 * be asked again, or another failure. A source that does not wait learns of everything at once: the list is
 * gone through to its end. */
static treb_status fetch_all(const FetchList *list)
{
    treb_status all = TREB_OK;
    for (unsigned i = 0; i < list->count; i++) (void)file_fetch(&list->jobs[i], WAIT_NEVER_FETCH);
    for (unsigned i = 0; i < list->count; i++) {
        treb_status status = file_fetch(&list->jobs[i], WAIT_FOR_ALL);
        if (status != TREB_OK && status != TREB_ERR_NOT_READY) return status;
        if (status != TREB_OK) all = status;
    }
    return all;
}

treb_status prefetch_run(const ProbeReader *reader, PrefetchProbe *probe, void *call,
                         treb_error *error)
{
    /* Far more rounds than a probe needs, unless pages of other threads replace ours in the cache
     * at once. */
    enum { ROUNDS = 32 };
    FetchList missing;
    const ProbeReader noting = {.set = reader->set, .wait = WAIT_LOCAL_ONLY, .missing = &missing};
    for (int round = 0; round < ROUNDS; round++) {
        missing.count = 0;
        treb_status status = probe(&noting, call);
        if (missing.count == 0) return status;
        status = fetch_all(&missing);
        if (status == TREB_ERR_NOT_READY) return fail_not_ready(error, missing.jobs[0].file->path);
        if (status != TREB_OK) break;
    }
    /* Waits for one piece after the other. If one cannot be fetched the probe fails and says
     * why. */
    const ProbeReader waiting = {.set = reader->set, .wait = WAIT_FOR_ALL};
    return probe(&waiting, call);
}
