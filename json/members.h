/* members.h - members that the objects of several answers share. */
#ifndef TREB_JSON_MEMBERS_H
#define TREB_JSON_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>

#include "trebuchet.h"

/* Adds what needs no tables: fen, turn, men, material (null if no material has so many men), state. */
void answer_put_position(json_t *object, const treb_position *pos);

/* Returns whether a value has a mate under the 50-move rule, and it is known. */
bool answer_has_mate50(const treb_value *value);

/* Adds dtz_plies, dtc_plies, dtm_plies, dtz_rounded and dtm50_plies; at_most_plies if a distance is a
 * bound. */
void answer_put_distances(json_t *object, const treb_value *value);

/* The verdict under the 50-move rule, with the clock counted; null if that leaves a doubt
 * (treb_value_doubt). */
json_t *answer_verdict_json(const treb_value *value, const treb_position *pos);

/* Returns whether neither side can mate by any play: bare kings, one minor piece, bishops of one
 * square colour. */
bool answer_insufficient(const treb_position *pos);

#endif
