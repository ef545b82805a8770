/* kinds.h - the kinds of positions that are found without a script. Private to find/. */
#ifndef TREB_FIND_KINDS_H
#define TREB_FIND_KINDS_H

#include "find/position_info.h"

/* Whether a position is of all kinds that a query asks for; fills in what `found` says of them. `longest`: the
 * plies of the longest win, 0 if there is none. */
bool kinds_hold(const FindQuery *query, int longest, PositionInfo *info, Found *found);

#endif
