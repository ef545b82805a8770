/* parts.h - what the builders of answers share. */
#ifndef TREB_ANSWER_PARTS_H
#define TREB_ANSWER_PARTS_H

#include "json/answer.h"
#include "json/line.h"
#include "core/system/error.h"

/* Sets a member of a new object; the names are ours, so they need no check. */
static inline void put(json_t *object, const char *name, json_t *value)
{
    json_object_set_new_nocheck(object, name, value);
}

static inline json_t *json_text(const char *ascii) { return json_string_nocheck(ascii); }

/* Notes what a failure means for the answer. */
void answer_note(AnswerContext *context, treb_status status);

/* Whether a failure is the position's own, so that there is nothing to tell about it. */
bool answer_refused(treb_status status);

/* The verdict with the clock, or null where the clock matters and DTZ is not known. */
json_t *answer_rule(const treb_value *value, const treb_position *pos);

/* Why no table can cover a position: TREB_ERR_CASTLING or TREB_ERR_MEN; else TREB_OK. */
treb_status answer_covered(const treb_position *pos);

/* Says so; returns the status. */
treb_status answer_fail_covered(treb_status status, treb_error *error);

/* Whether something is not known for want of a table, and not because of a fault. */
static inline bool answer_missing_table(treb_status status)
{
    return status == TREB_ERR_NO_TABLE || status == TREB_ERR_CASTLING || status == TREB_ERR_MEN;
}

/* Adds what needs no tables: fen, turn, men, material (null if none can have so many men), state. */
void answer_position(json_t *object, const treb_position *pos);

/* Adds dtz_plies, dtc_plies and dtm_plies. */
void answer_distances(json_t *object, const treb_value *value);

/* Neither side can mate by any play: bare kings, one minor piece, bishops of one square colour. */
bool answer_insufficient(const treb_position *pos);

/* "white" or "black". */
const char *answer_color(int color);

/* ---- Steps that can be stopped --------------------------------------------------------------- */

/* Says that the work was stopped; returns TREB_ERR_IO. */
treb_status answer_fail_stopped(treb_error *error);

/* An answer that was built; if the work was stopped meanwhile it is dropped: NULL and the error. */
json_t *answer_unless_stopped(const AnswerContext *context, json_t *object, treb_error *error);

/* Whether b is the better move by verdict and metric alone, and the best of some; NULL if there are
 * none. */
bool answer_is_better(const treb_move *b, const treb_move *a, treb_metric metric);
const treb_move *answer_best(const treb_move *moves, size_t count, treb_metric metric);

/* Takes a line to its end, but asks between its steps whether to stop. The moves found by then are
 * in the walk. */
treb_status answer_walk(AnswerContext *context, LineWalk *walk, treb_error *error);

/* ---- Parts of /v1/tables and /v1/stats ------------------------------------------------------- */

/* What the headers of the files of one material say. */
typedef struct AnswerFiles {
    bool installed[TREB_METRICS];
    treb_status status[TREB_METRICS];
    treb_table_info info[TREB_METRICS];
    treb_error error[TREB_METRICS];
} AnswerFiles;

/* {"white":{"win":n,...},"black":{...}}, or null if no file is readable. */
json_t *answer_counts(const AnswerFiles *files);

/* [{"metric":..,"turn":..,"verdict":..,"plies":..,"fen":..}]. */
json_t *answer_longest(const AnswerFiles *files);

#endif
