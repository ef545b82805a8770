/* kinds.h - recognises the kinds of positions that are found without a script. Private to find/. */
#ifndef TREB_FIND_KINDS_H
#define TREB_FIND_KINDS_H

#include "find/position_info.h"

/* Whether a position is of all kinds that the query asks for. Fills in the members of `found` that
 * belong to these kinds. `longest` is the number of plies of the longest win, 0 if there is
 * none. */
bool kinds_hold(const FindQuery *query, int longest, PositionInfo *info, Found *found);

#endif
