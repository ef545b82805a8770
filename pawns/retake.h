/* retake.h - taking a promoted piece at once.
 *
 * A promotion that leads to an unknown family is not all unknown: where the other side can take the new piece at once
 * it has at least what that leads to, a family with a pawn less and no piece more. So most promotions on a guarded
 * square need no family with another piece. */
#ifndef TREB_BLOCKED_RETAKE_H
#define TREB_BLOCKED_RETAKE_H

#include "pawns/family.h"

/* The sets that retakes lead to: positions of the family they lead to, whoever has promoted to move, that `winner` wins
 * at a level, or does not win. An unknown family wins nothing surely, and is guessed. */
typedef struct RetakeGoal {
    int winner, level;
    bool won;
} RetakeGoal;

/* Ors into `out` cells of `f` from which `side` promotes by the edge so that a retake leads to the goal. The edge
 * itself must be possible there, which is not looked at. */
void retake_pull(const Family *f, int side, const Edge *edge, RetakeGoal goal, uint64_t *out);

/* The other way: ors into `out` the cells that retakes lead to from `in`, cells of `f`. */
void retake_push(const Family *f, int side, const Edge *edge, const uint64_t *in, uint64_t *out);

#endif
