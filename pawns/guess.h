/* guess.h - who is likely to win where nothing is known yet. It says where to look first, and nothing else. */
#ifndef TREB_BLOCKED_GUESS_H
#define TREB_BLOCKED_GUESS_H

#include "pawns/cells.h"

/* A family seen by one winner. */
typedef struct Guess {
    const CellsKey *key;
    int winner;
    bool flat;  /* it is `ahead` everywhere */
    bool ahead; /* by men */
    uint64_t queens
        [2][2]
        [8]; /* by colour of a pawn and side to move: where the other king does not stop one that
                                 promotes within so many moves of its side */
    uint64_t promotes
        [2]; /* with pieces, by colour: the pawns that promote next unless something stands before them */
} Guess;

void guess_start(Guess *guess, const CellsKey *key, int winner);

/* Of one row the cells, `side` to move, that the winner is guessed to win, whether they are positions or not. */
void guess_row(const Guess *guess, int side, size_t row, uint64_t out[CELLS_ROW]);

#endif
