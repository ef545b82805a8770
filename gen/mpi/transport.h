/* transport.h - connects processes (gen/solve/processes.h) by MPI. Only this folder uses MPI. */
#ifndef TREB_GEN_MPI_TRANSPORT_H
#define TREB_GEN_MPI_TRANSPORT_H

#include "gen/solve/processes.h"

typedef struct Transport Transport;

/* Sets all members of `processes`. Must be called after MPI_Init. Ends the process if there is no memory. */
Transport *transport_new(Processes *processes);
void transport_free(Transport *transport);

#endif
