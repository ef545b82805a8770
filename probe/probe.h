/* probe.h - the values of positions and moves. Private to probe/.
 *
 * Positions are checked by the callers in public functions: those here rely on position_check, on
 * at most TREB_MEN_MAX men and on no castling rights. Functions that return an int return what was
 * asked for, or minus a treb_status with *error (which may be NULL) filled. */
#ifndef TREB_PROBE_PROBE_H
#define TREB_PROBE_PROBE_H

#include "movegen.h"
#include "set.h"

/* The verdict at a clock of 0, en passant included. */
int wdl_value(const treb_tables *set, const treb_position *pos, TableError *error);

/* The distance of a position whose verdict is known. */
int distance_value(const treb_tables *set, TableMetric metric, const treb_position *pos,
                   int verdict, TableError *error);

/* The distance that a legal move means for the one who makes it, given the position after it and
 * the verdict there. */
int distance_of_move(const treb_tables *set, TableMetric metric, const treb_position *pos, Move m,
                     const treb_position *child, int child_verdict, TableError *error);

/* A capture or promotion, which leads to another material. */
static inline bool move_is_conversion(const treb_position *pos, Move m) {
    return move_promo(m) != 0 || move_is_capture(pos, m);
}

/* Whether a position can be probed at all; TREB_OK or why not. */
treb_status probe_check(const treb_position *pos, treb_error *error);

/* Says that there is no such metric. */
treb_status probe_no_metric(treb_error *error);

/* Passes a failure on to the caller. `result` is minus a status. */
treb_status probe_fail(int result, const TableError *from, treb_error *error);

#endif
