/* moves.h - summarises the moves of a position from the words of the positions that they lead to.
 * Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_MOVES_H
#define TREB_CHECK_VERIFY_MOVES_H

#include "check/verify/full_state.h"

VerifyValue verify_word_value(const VerifyFullCheck *full, uint64_t word);

/* Returns the word of a position of the table. */
uint64_t verify_word_of_position(const VerifyFullCheck *full, const treb_position *pos);

/* The placement of the men, in terms of the words that the moves lead to. If the table has both
 * sides to move, it is the placement on the board. If it has only one, colors are swapped and the
 * board is turned into the orientation of the index. */
typedef struct VerifyPlaced {
    uint64_t cell;
    uint32_t coordinate[INDEX_AXES_MAX]; /* by axis */
    int color;                           /* color of the men that move, after the swap */
    int symmetry;                        /* symmetry that turns the board into this placement */
} VerifyPlaced;

/* Finds the placement of the worker's position. */
void verify_place(const VerifyWorker *w, const treb_position *pos, VerifyPlaced *placed);

/* Returns the number of the word that a move leads to, which is no capture and no pawn move. */
uint64_t verify_quiet_cell(const VerifyWorker *w, const treb_position *pos,
                           const VerifyPlaced *placed, Move m);

/* Summarises all moves of a position. */
void verify_summarise_moves(const VerifyWorker *w, const treb_position *pos,
                            VerifyMoveSummary *summary);

/* Summarises the moves as far as a check of the DTM in the position's word needs. That DTM must
 * have been completed (verify_complete), and the position must not be a draw. If the summary does
 * not confirm the DTM, its own DTM is meaningless. */
void verify_summarise_completed(const VerifyWorker *w, const treb_position *pos,
                                VerifyMoveSummary *summary);

/* Returns the verdict of a position after a pawn push. `context` is the worker (VerifyPush). */
unsigned verify_pushed_verdict(void *context, const treb_position *child);

#endif
