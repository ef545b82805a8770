/* win_follow.h - follows White's winning strategy through the structures of a win search. */
#ifndef TREB_PAWNS_WIN_WIN_FOLLOW_H
#define TREB_PAWNS_WIN_WIN_FOLLOW_H

#include "pawns/win/win_structure.h"

/* Begins with a cell of a structure without pieces. False without memory. */
bool win_follow_start(WinSearch *search, WinStructure *f, Cell cell, int side);

/* Follows the strategy from the entries of a structure and marks where it enters other structures.
 * Sets f->wrong if an entry is not won. False without memory. */
bool win_follow(WinSearch *search, WinStructure *f);

#endif
