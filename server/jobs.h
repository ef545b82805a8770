/* jobs.h - routes that have something done in the background, and tell how far it is. */
#ifndef TREB_SERVER_JOBS_H
#define TREB_SERVER_JOBS_H

#include "server/routes.h"

/* POST /v1/find: wants a list of positions. */
void jobs_find(const RouteCall *call, Reply *reply);

/* POST /v1/solve: wants a position of kings and pawns solved. */
void jobs_solve(const RouteCall *call, Reply *reply);

/* GET and DELETE /v1/jobs/...: how something is that was wanted; it is wanted no more. */
void jobs_look(const RouteCall *call, Reply *reply);

#endif
