/* standard_blocked.h - blocked-pawn tables in lila-tablebase's dialect.
 *
 * These tables ignore the 50-move rule, so a win is a "maybe-win". */
#ifndef TREB_JSON_STANDARD_BLOCKED_H
#define TREB_JSON_STANDARD_BLOCKED_H

#include "pawns/blocked/blocked.h"
#include "json/context.h"
#include "json/standard_fields.h"

/* Sets the fields of a position from its blocked-pawn table. Returns false if there is none. */
bool standard_blocked_fields(AnswerContext *context, const treb_position *pos,
                             StandardFields *fields);

/* The object of GET /standard from a blocked-pawn table. */
json_t *standard_blocked_json(Blocked *blocked, treb_error *error);

#endif
