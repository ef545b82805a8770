/* kinds.h - the kinds of positions that are found without a script. Private to find/. */
#ifndef TREB_FIND_KINDS_H
#define TREB_FIND_KINDS_H

#include "find/look.h"

/* The longest win of an ending: by side to move, 0 if there is none. */
typedef struct KindsLongest {
    int plies[2];
} KindsLongest;

/* Whether a position is of all kinds that a query asks for; fills in what `found` says of them. */
bool kinds_hold(const FindQuery *query, const KindsLongest *longest, Look *look, Found *found);

#endif
