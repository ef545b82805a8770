/* fill.h - what each pass does with one position: it fills in the position's word, or judges it.
 * Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_FILL_H
#define TREB_CHECK_VERIFY_FILL_H

#include "check/verify/full_state.h"

/* Fill in the verdict or the distances of a position from the table files. */
void verify_do_verdict(VerifyWorker *w, const treb_position *pos);
void verify_do_distances(VerifyWorker *w, const treb_position *pos);
void verify_do_syzygy_distance(VerifyWorker *w, const treb_position *pos);

/* Fill in the distances that no file stores, from the moves of the position. */
void verify_do_fill(VerifyWorker *w, const treb_position *pos);
void verify_do_syzygy_fill(VerifyWorker *w, const treb_position *pos);

/* Judge a position by its moves. verify_do_moves first fills in the distances that no table
 * stores. */
void verify_do_moves(VerifyWorker *w, const treb_position *pos);
void verify_do_syzygy_moves(VerifyWorker *w, const treb_position *pos);

#endif
