/* rule50.h - whether the 50-move rule can spoil a proven win.
 *
 * From the position all is followed that the winner needs: one way of playing, the shortest out of each family, and
 * all that the other side may answer. No more plies pass without a capture or a pawn move than the longest of these
 * ways has. */
#ifndef TREB_BLOCKED_RULE50_H
#define TREB_BLOCKED_RULE50_H

#include "pawns/lattice.h"

typedef struct Rule50 {
    int first;    /* plies to the first capture or pawn move, or to mate */
    int plies;    /* the longest way to a capture, a pawn move or mate; -1 if it is not known */
    bool asked;   /* further on an oracle answers, whose ways are not among these */
    bool spoiled; /* and knows of wins that the rule may spoil */
    uint64_t families; /* that were followed */
} Rule50;

/* Of a position that `winner` is proven to win. It is not known if the limits' stop says so, or if the position is not
 * won by itself in its family. False without memory, or if an oracle failed. */
bool rule50_find(Lattice *lattice, const treb_position *pos, int winner, Rule50 *out);

#endif
