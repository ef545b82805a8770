/* jobs.h - the routes that start background jobs and report how far they are. */
#ifndef TREB_SERVER_JOBS_H
#define TREB_SERVER_JOBS_H

#include "server/route_call.h"

/* POST /v1/find: requests a list of positions. */
void jobs_find(const RouteCall *call, Reply *reply);

/* POST /v1/solve: requests the solution of a position of kings and pawns. */
void jobs_solve(const RouteCall *call, Reply *reply);

/* GET and DELETE /v1/jobs/...: reports the state of a job; DELETE also cancels it. */
void jobs_look(const RouteCall *call, Reply *reply);

#endif
