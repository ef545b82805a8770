/* answer_mainline.c - the object of GET /standard/mainline: best play by DTZ, in lila-tablebase's
 * dialect. */
#include <stdlib.h>

#include "core/chess/movegen.h"
#include "core/system/error.h"
#include "json/answer.h"
#include "json/line.h"
#include "json/line_pgn.h"
#include "json/put.h"

/* Adds dtz and precise_dtz of a position. precise_dtz is null if dtz is rounded. */
static treb_status put_dtz(json_t *object, AnswerContext *context, const treb_position *pos,
                           bool mated, treb_error *error)
{
    treb_distance distance;
    treb_status status = treb_probe_dtz(context->tables, pos, &distance, error);
    if (status != TREB_OK) return status;
    int dtz = mated ? -1 : distance.wdl < TREB_DRAW ? -distance.plies : distance.plies;
    put(object, "dtz", json_integer(dtz));
    put(object, "precise_dtz", distance.rounded && !mated ? json_null() : json_integer(dtz));
    return TREB_OK;
}

/* Plays the line on the board until a draw can be claimed, and appends its steps. */
static treb_status append_steps(json_t *steps, AnswerContext *context, treb_position *pos,
                                const treb_move *moves, size_t count, treb_error *error)
{
    treb_status status = TREB_OK;
    for (size_t i = 0; i < count && pos->halfmove < RULE_PLIES && status == TREB_OK; i++) {
        if (answer_stopped(context)) return answer_fail_stopped(error);
        json_t *step = json_object();
        put(step, "uci", json_text(moves[i].uci));
        put(step, "san", json_text(moves[i].san));
        status = treb_position_play(pos, moves[i].uci, pos, error);
        if (status == TREB_OK)
            status = put_dtz(step, context, pos, moves[i].flags & TREB_MOVE_MATE, error);
        json_array_append_new(steps, step);
    }
    return status;
}

json_t *answer_mainline(AnswerContext *context, const treb_position *pos, treb_error *error)
{
    const PgnLine start = {.pos = *pos, .metric = TREB_DTZ, .rule = TREB_RULE_50};
    treb_position last = *pos;
    size_t count = 0;
    treb_move *line = malloc(ANSWER_LINE_MAX * sizeof *line);
    LineWalk walk = line_begin(&start, line, ANSWER_LINE_MAX);
    json_t *object = json_object(), *steps = json_array();
    treb_status status = TREB_ERR_MEMORY;
    if (line == NULL || object == NULL || steps == NULL) {
        fail_memory(error);
        goto cleanup;
    }
    status = answer_stopped(context)
                 ? answer_fail_stopped(error)
                 : treb_probe_dtz(context->tables, pos, &(treb_distance){0}, error);
    if (status != TREB_OK) goto cleanup;
    bool mated = !movegen_any(pos) && position_in_check(pos);
    status = put_dtz(object, context, pos, mated, error);
    if (status == TREB_OK) status = line_walk(context, &walk, error);
    count = walk.line.moves;
    /* A table that is missing only after a draw can be claimed is not an error. */
    if (status == TREB_OK || count > 0) {
        treb_status played = append_steps(steps, context, &last, line, count, error);
        if (played != TREB_OK || last.halfmove >= RULE_PLIES) status = played;
    }
    if (status != TREB_OK) goto cleanup;
    if (json_array_size(steps) > 0) mated = line[json_array_size(steps) - 1].flags & TREB_MOVE_MATE;
    put(object, "mainline", json_incref(steps));
    put(object, "winner", mated ? json_text(last.turn == TREB_WHITE ? "b" : "w") : json_null());
cleanup:
    answer_note(context, status);
    free(line);
    json_decref(steps);
    if (status == TREB_OK) return answer_unless_stopped(context, object, error);
    json_decref(object);
    return NULL;
}
