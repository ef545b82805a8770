/* ranks.h - what the parts of the solver of placements share. */
#ifndef TREB_BLOCKED_RANKS_H
#define TREB_BLOCKED_RANKS_H

#include "pawns/blocked.h"

/* A solution of which nothing is known but which placements are legal. NULL without memory. */
Blocked *ranks_new(const BlockedRequest *request);

/* Takes the values of the position's own family over, solved anew from what is known below it, with
 * ranks. False without memory. */
bool ranks_take_values(Blocked *blocked);

#endif
