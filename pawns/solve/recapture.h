/* recapture.h - capturing a promoted piece at once.
 *
 * A promotion to an unknown structure is not completely unknown: where the other side can capture
 * the new piece at once, it gets at least the value after that capture, in a structure with one
 * pawn less and no additional piece. So most promotions on a guarded square need no structure with
 * another piece. */
#ifndef TREB_PAWNS_SOLVE_RECAPTURE_H
#define TREB_PAWNS_SOLVE_RECAPTURE_H

#include "pawns/solve/structure.h"

/* Which positions after a recapture are looked for, with the side that promoted to move: those that
 * `winner` wins at a level, or those that it does not win. In an unknown structure no win is sure,
 * and GUESS is by guess. */
typedef struct RecaptureGoal {
    int winner, level;
    bool won;
} RecaptureGoal;

/* Ors into `out` cells of `f` from which `side` promotes by the edge and a recapture then reaches
 * the goal. Does not check that the promotion is possible there. */
void recapture_predecessors(const Structure *f, int side, const Edge *edge, RecaptureGoal goal,
                            uint64_t *out);

/* Ors into `out` the cells that recaptures lead to from `in`, a set of cells of `f`. */
void recapture_successors(const Structure *f, int side, const Edge *edge, const uint64_t *in,
                          uint64_t *out);

#endif
