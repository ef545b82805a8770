/* guess.h - a guess who wins positions of a structure of which nothing is known yet. It tells the
 * searches where to look first. No result depends on it. */
#ifndef TREB_PAWNS_CELLS_GUESS_H
#define TREB_PAWNS_CELLS_GUESS_H

#include "pawns/cells/cells.h"

/* A structure seen by one winner. */
typedef struct Guess {
    const CellsKey *key;
    int winner;
    bool flat;  /* the guess is `ahead` in all cells */
    bool ahead; /* the winner is ahead in material */
    /* Without pieces, by colour of the pawns, side to move and number of moves: the squares of the
     * other king from which it cannot stop a pawn that promotes within this number of its side's
     * moves. */
    uint64_t queens[2][2][8];
    /* With pieces, by colour: pawns that promote next if their path is free. */
    uint64_t promotes[2];
} Guess;

void guess_start(Guess *guess, const CellsKey *key, int winner);

/* Sets `out` to the cells of one row, `side` to move, in which the winner is guessed to win. They
 * may include cells that are not legal positions. */
void guess_row(const Guess *guess, int side, size_t row, uint64_t out[CELLS_ROW]);

#endif
