/* solve.h - any position of kings and pawns, with few pieces beside them: what it and its moves are worth.
 *
 * What is decided is proven. What time or memory did not decide is open, with what is not refuted. */
#ifndef TREB_BLOCKED_SOLVE_H
#define TREB_BLOCKED_SOLVE_H

#include "blocked/settle.h"

enum { SOLVE_WHY_SIZE = 160 };

typedef struct Solve {
    treb_position pos;
    Lattice *lattice;     /* owned, as the following */
    Distances *distances; /* of what is proven */
    BlockedValue value;
    BlockedMove move[MOVES_MAX]; /* all legal ones, best first */
    int moves;
} Solve;

/* TREB_OK if there are kings and pawns, and at most one piece on each side; else TREB_ERR_POSITION and `why` says
 * what is too much. */
treb_status solve_check(const treb_position *pos, char why[SOLVE_WHY_SIZE]);

/* Solves the position first, then what all its moves lead to. When the limits' stop says so, or memory is used up,
 * what is known by then is the answer. NULL with the reason on failure; free with solve_free. */
Solve *solve_position(const treb_position *pos, const LatticeLimits *limits, treb_error *error);
void solve_free(Solve *solve);

/* The best play, the winner on the shortest way out of each structure: as blocked_line. */
int solve_line(Solve *solve, BlockedMove *out, int capacity, BlockedEnd *end, treb_position *last);

#endif
