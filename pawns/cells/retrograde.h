/* retrograde.h - retrograde analysis within one structure: where can one side force a win?
 *
 * One side, the winner, wants to reach a goal, the other side, the loser, wants to prevent it. Only
 * quiet moves are played here: moves of kings and pieces that take nothing. The caller says what
 * captures, pawn moves and promotions lead to.
 *
 *     lost at ply n   losable, and no quiet move leads to a position that is not yet won
 *     won at ply n    a quiet move leads to a position that is lost at ply n - 1
 * */
#ifndef TREB_PAWNS_CELLS_RETROGRADE_H
#define TREB_PAWNS_CELLS_RETROGRADE_H

#include "pawns/cells/cells.h"

/* Sets are of the structure's cells: `won...` with the winner to move, `lost...` with the loser to
 * move. */
typedef struct Retrograde {
    const CellsKey *key;
    int winner;
    const uint64_t *legal[2];  /* by side to move */
    const uint64_t *won_at_0;  /* the goal is reached; NULL: nowhere */
    const uint64_t *won_at_1;  /* a move that is not quiet wins; NULL: nowhere */
    const uint64_t *lost_at_0; /* the goal is reached; NULL: nowhere */
    const uint64_t *losable;   /* the loser has no way out except by quiet moves */
    uint64_t *won, *lost;      /* the result; cells that are set at the start count as reached */
    uint16_t *plies
        [2]; /* out, by side to move: plies to the goal by cell, or NULL; entries of other cells stay */
    uint8_t
        *lost_plies; /* out: these plies as bytes, loser to move, at most RETROGRADE_FAR; or NULL */
    uint64_t *work;  /* retrograde_work_words() words to work in, or NULL: they are allocated */
} Retrograde;

enum { RETROGRADE_FAR = 255 };

/* Number of words that the analysis of a structure works in. */
size_t retrograde_work_words(const CellsKey *key);

/* False without memory. */
bool retrograde_solve(const Retrograde *problem);

#endif
