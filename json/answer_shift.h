/* answer_shift.h - a position shifted over the board, as JSON. */
#ifndef TREB_JSON_ANSWER_SHIFT_H
#define TREB_JSON_ANSWER_SHIFT_H

#include <jansson.h>

#include "find/shift.h"

/* The object of `trebuchet shift --json` and GET /v1/shift: all places, grouped by the edges of the
 * board that they touch. */
json_t *answer_shift_json(const Shift *shift);

#endif
