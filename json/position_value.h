/* position_value.h - the value of a position and of its moves, from tables and from what can be
 * derived where tables end.
 *
 * A move to a position without a table is searched one move further, and then looked up in
 * blocked-pawn tables. Values of moves that are found in this way may decide the position itself.
 * The work can be stopped between the probes of two moves. */
#ifndef TREB_JSON_POSITION_VALUE_H
#define TREB_JSON_POSITION_VALUE_H

#include "json/context.h"

/* Finds the value of a position and its legal moves, like treb_probe_root and treb_probe_moves
 * with DTM, and settles what the clock leaves open (treb_settle). All answers about a position come
 * from here, so that they agree; treb_value_doubt says what is certain. `moves` has room for
 * TREB_MOVES_MAX. If the value is not known, the status says why (the
 * status of answer_probe is the same), and `moves` is filled all the same. */
treb_status answer_position_value(AnswerContext *context, const treb_position *pos,
                                  treb_value *value, treb_move *moves, size_t *count,
                                  treb_error *error);

/* Returns the first failure to value a move by a metric, TREB_OK if there is none. Does not probe
 * the moves after the failure. */
treb_status answer_moves_status(AnswerContext *context, const treb_position *pos,
                                treb_metric metric, treb_error *error);

/* Returns TREB_OK if a value has this distance, else why not. */
treb_status answer_distance_status(const treb_value *value, int metric);

/* Returns the first metric of DTM, DTC, DTZ that is known of a position; TREB_WDL if none is. */
treb_metric answer_known_metric(const treb_value *value);

/* Returns whether move `b` is better than `a` by verdict and metric. Does not break ties. */
bool answer_is_better(const treb_move *b, const treb_move *a, treb_metric metric);

/* Returns the first of the best moves, NULL if there are no moves. */
const treb_move *answer_best(const treb_move *moves, size_t count, treb_metric metric);

/* Sorts moves by another metric. Moves that are equally good keep their order. */
void answer_sort(treb_move *moves, size_t count, treb_metric metric);

#endif
