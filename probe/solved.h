/* solved.h - positions that solved pawn endings answer for (core/format/table_solved.h). Private to probe/. */
#ifndef TREB_PROBE_SOLVED_H
#define TREB_PROBE_SOLVED_H

#include "probe/probe.h"

/* The verdict of a position that has moves, en passant included, or minus a status: what ordinary
 * tables would have failed with, `missing`, if no file has the position or decides it. Any number of
 * men; no castling rights. Cost: a hash for each file; some 100 ns where one has it in memory. */
int solved_verdict(const treb_tables *set, const treb_position *pos, int missing,
                   treb_error *error);

/* Of a win or loss: the plies, at most, to the next capture or pawn move by which the winner gets on, or
 * to mate. Minus a status if it is not known. */
int solved_distance(const treb_tables *set, const treb_position *pos);

#endif
