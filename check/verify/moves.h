/* moves.h - what the moves of a position come to, by the words of the children. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_MOVES_H
#define TREB_CHECK_VERIFY_MOVES_H

#include "check/verify/full_check.h"

VerifyValue verify_word_value(const VerifyFull *full, uint64_t word);

/* The moves of a position, by the words of what they lead to. */
void verify_tally_moves(const VerifyWorker *w, const treb_position *pos, VerifyTally *tally);

/* The same as far as is needed to see whether the DTM of the position's own word is right, which was completed
 * and is decided. If the moves then do not come to it, the DTM of the tally is nothing to go by. */
void verify_tally_completed(const VerifyWorker *w, const treb_position *pos, VerifyTally *tally);

/* A position's verdict after a pawn's push; `context` is the worker. */
unsigned verify_pushed_verdict(void *context, const treb_position *child);

#endif
