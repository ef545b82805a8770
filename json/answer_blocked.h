/* answer_blocked.h - a position with blocked pawns as JSON, with its corresponding squares: for the
 * server and for `trebuchet blocked --json`. */
#ifndef TREB_JSON_ANSWER_BLOCKED_H
#define TREB_JSON_ANSWER_BLOCKED_H

#include "pawns/blocked/blocked.h"
#include "json/context.h"

/* The object with everything about the position; docs/blocked.md lists the members. `squares` may be
 * NULL, and so may the context's tables. */
json_t *answer_blocked_json(AnswerContext *context, Blocked *blocked, const Squares *squares,
                            treb_error *error);

/* Adds the corresponding squares: `attacker`, `groups`, `zugzwangs`, `double_zugzwangs` and
 * `placements_open` (docs/blocked.md). */
void answer_put_squares(json_t *object, const Squares *squares);

/* Adds `verdict` and `plies`; if the position is open, `white_may_win` and `black_may_win`. */
void answer_put_blocked_value(json_t *object, const PawnValue *value);

/* Adds a line: `line`, `line_uci`, `line_end` and `line_fen`. `last` is the position at its end. */
void answer_put_blocked_line(json_t *object, const PawnMove *moves, int count, LineEnd end,
                             const treb_position *last);

/* The name of the table's file, or null. Its folder is left out, as it tells about the host. */
json_t *answer_blocked_file(const Blocked *blocked);

#endif
