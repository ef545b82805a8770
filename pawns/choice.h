/* choice.h - one quiet move for each position whose side to move has the choice. */
#ifndef TREB_BLOCKED_CHOICE_H
#define TREB_BLOCKED_CHOICE_H

#include "pawns/cells.h"

/* Sets are of a family's cells: `from` with `side` to move, the others with the opponent. */
typedef struct Choice {
    const CellsKey *key;
    int side;
    const uint64_t *from;
    const uint64_t *to;     /* what a move may lead to */
    const uint64_t *rather; /* of the same rank those are preferred */
    const uint16_t *rank;   /* by cell, the least is preferred; NULL: all are alike */
} Choice;

/* Ors into `out` what one move from each cell of `from` leads to, the best one. Where none leads to a cell with a
 * rank, it is what all moves lead to. */
void choose_moves(const Choice *choice, uint64_t *out);

#endif
