/* move_choice.h - chooses one quiet move for each position of a set. */
#ifndef TREB_PAWNS_SOLVE_MOVE_CHOICE_H
#define TREB_PAWNS_SOLVE_MOVE_CHOICE_H

#include "pawns/cells/cells.h"

/* Sets are of a structure's cells: `from` with `side` to move, the others with the other side to
 * move. */
typedef struct MoveChoice {
    const CellsKey *key;
    int side;
    const uint64_t *from;
    const uint64_t *to;        /* cells that a move may lead to */
    const uint64_t *preferred; /* among cells with the same plies these are preferred */
    const uint16_t *plies; /* by cell: the least is chosen, UINT16_MAX never; NULL: all are equal */
} MoveChoice;

/* Ors into `out` the cell that the best move leads to, for each cell of `from`. If no move of a
 * cell leads to a cell with plies, all its moves are taken. */
void move_choice_find(const MoveChoice *choice, uint64_t *out);

#endif
