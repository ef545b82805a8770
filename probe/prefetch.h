/* prefetch.h - probes of tables that a server has: what is missing is fetched all at once. Private
 * to probe/.
 *
 * Every piece that such a probe needs takes a round trip to the server, and a probe may need many.
 * So the probe first runs without waiting for the server, and notes what is missing. All of that is
 * requested at once and waited for; then the probe runs again, until nothing is missing. */
#ifndef TREB_PROBE_PREFETCH_H
#define TREB_PROBE_PREFETCH_H

#include "probe/set.h"

/* Whether a probe with this reader is to run by prefetch_run: its reader waits for disks only and
 * nobody notes yet what is missing. */
static inline bool prefetch_needed(const ProbeReader *reader)
{
    return reader->wait == WAIT_LOCAL_ONLY && reader->missing == NULL;
}

/* A probe that can be run again. `call` has its arguments. */
typedef treb_status PrefetchProbe(const ProbeReader *reader, void *call);

/* Runs a probe until nothing is missing, or something cannot be fetched. Returns the probe's own
 * status, or TREB_ERR_NOT_READY if a source that does not wait was told what is missing: the probe is
 * then to be run again later. */
treb_status prefetch_run(const ProbeReader *reader, PrefetchProbe *probe, void *call,
                         treb_error *error);

#endif
