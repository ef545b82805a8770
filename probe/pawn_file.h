/* pawn_file.h - positions that pawn files answer for (core/format/table_pawn.h). Private to probe/.
 *
 * A pawn file holds a solved pawn ending: verdicts and distances of positions with certain pawns,
 * of any number of men. It answers where no table does. */
#ifndef TREB_PROBE_PAWN_FILE_H
#define TREB_PROBE_PAWN_FILE_H

#include "probe/set.h"

enum { PAWN_FILE_UNKNOWN = 0xff }; /* no verdict: no file has the position, or none decides it */

/* The verdict of a position that has moves, with en passant left out: a treb_wdl, or
 * PAWN_FILE_UNKNOWN, or minus a status. Computes a hash for each file; about 100 ns if the cell is
 * in memory. */
int pawn_file_verdict(const ProbeReader *reader, const treb_position *pos, treb_error *error);

/* For a win or loss: an upper bound of the plies to mate, or to the next capture or pawn move that
 * preserves the win. Minus a status if no file knows it. */
int pawn_file_distance(const ProbeReader *reader, const treb_position *pos);

#endif
