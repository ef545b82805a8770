/* coverage.h - which positions tables can cover, and what a failed probe says about the position. */
#ifndef TREB_JSON_COVERAGE_H
#define TREB_JSON_COVERAGE_H

#include <stdbool.h>

#include "trebuchet.h"

/* Returns TREB_ERR_MEN or TREB_ERR_CASTLING if no table can cover the position, else TREB_OK. */
treb_status answer_covered(const treb_position *pos);

/* Writes the message for a status of answer_covered to `error`; returns the status. */
treb_status answer_fail_covered(treb_status status, treb_error *error);

/* Returns whether a value is unknown because no table has it, and not because of a fault. */
static inline bool answer_missing_table(treb_status status)
{
    return status == TREB_ERR_NO_TABLE || status == TREB_ERR_CASTLING || status == TREB_ERR_MEN;
}

/* Returns whether a probe failed because of the position itself, whatever tables are installed. */
bool answer_refused(treb_status status);

/* Returns whether a position has so many men that nothing can be known of it or of its moves: no
 * table of `men` men is reached by two captures, there are too many pieces for blocked pawns, and
 * no mate or stalemate is near. Much faster than answer_probe. */
bool answer_beyond_tables(const treb_position *pos, int men);

#endif
