/* moves.h - summarises the moves of a position from the words of the positions that they lead to.
 * Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_MOVES_H
#define TREB_CHECK_VERIFY_MOVES_H

#include "check/verify/full_state.h"

VerifyValue verify_word_value(const VerifyFullCheck *full, uint64_t word);

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
