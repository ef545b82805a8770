/* transport.h - how ranks (gen/solve/ranks.h) speak with each other: by MPI. The one folder that knows it. */
#ifndef TREB_MPI_TRANSPORT_H
#define TREB_MPI_TRANSPORT_H

#include "gen/solve/ranks.h"

typedef struct Transport Transport;

/* After MPI_Init: all functions of `ranks`. Ends the process if there is no memory. */
Transport *transport_new(Ranks *ranks);
void transport_free(Transport *transport);

#endif
