/* fill.h - the work of a pass at one position. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_FILL_H
#define TREB_CHECK_VERIFY_FILL_H

#include "check/verify/full_check.h"

/* Words of what the files say. */
void verify_do_verdict(VerifyWorker *w, const treb_position *pos);
void verify_do_distances(VerifyWorker *w, const treb_position *pos);
void verify_do_syzygy_distance(VerifyWorker *w, const treb_position *pos);

/* Of distances that no file has. */
void verify_do_fill(VerifyWorker *w, const treb_position *pos);
void verify_do_syzygy_fill(VerifyWorker *w, const treb_position *pos);

/* Judges a position; its distances that no table has are filled in first. */
void verify_do_moves(VerifyWorker *w, const treb_position *pos);
void verify_do_syzygy_moves(VerifyWorker *w, const treb_position *pos);

#endif
