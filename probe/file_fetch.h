/* file_fetch.h - bringing into memory what a probe found missing. Private to probe/. */
#ifndef TREB_PROBE_FILE_FETCH_H
#define TREB_PROBE_FILE_FETCH_H

#include "probe/file.h"

/* Does a job that a probe noted (a FetchFunction). With WAIT_NEVER_FETCH it only asks the system,
 * or the source, to start reading. With WAIT_FOR_ALL it waits until the job is done; only then does
 * the status mean anything. */
treb_status file_fetch(const FetchJob *job, TableWait wait);

#endif
