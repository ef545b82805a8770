/* rule50.h - whether the 50-move rule can spoil a proven win.
 *
 * From the position a winning strategy is followed: for the winner the shortest way out of each
 * structure, for the other side all moves. The longest of these ways bounds the number of plies
 * without a capture or a pawn move. */
#ifndef TREB_PAWNS_SOLVE_RULE50_H
#define TREB_PAWNS_SOLVE_RULE50_H

#include "pawns/solve/proof_graph.h"

typedef struct Rule50 {
    int first;           /* plies to the first capture, pawn move or mate */
    int plies;           /* the longest way to a capture, a pawn move or mate; -1 if unknown */
    bool asked;          /* an oracle answered for some positions, whose ways are not counted */
    bool spoiled;        /* the oracle knows wins among them that the rule may spoil */
    uint64_t structures; /* number of structures that were followed */
} Rule50;

/* For a position that `winner` is proven to win. `out->plies` is -1 if the limits' stop ended it or
 * if the position is not won by its own structure. False without memory, or if an oracle failed. */
bool rule50_find(ProofGraph *graph, const treb_position *pos, int winner, Rule50 *out);

#endif
