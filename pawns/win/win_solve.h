/* win_solve.h - solves one structure of a win search from those that its edges lead to. */
#ifndef TREB_PAWNS_WIN_WIN_SOLVE_H
#define TREB_PAWNS_WIN_WIN_SOLVE_H

#include "pawns/win/win_structure.h"

/* Solves a structure and frees its exits. Its plies are kept if it has room for them, else written
 * to `plies` unless that is NULL. False without memory. */
bool win_solve(WinSearch *search, WinStructure *f, uint8_t *plies);

#endif
