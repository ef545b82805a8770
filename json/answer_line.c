/* answer_line.c - the object of GET /v1/line. */
#include <stdlib.h>

#include "core/system/error.h"
#include "json/answer.h"
#include "json/line.h"
#include "json/line_pgn.h"

json_t *answer_line(AnswerContext *context, const treb_position *pos, treb_metric metric,
                    treb_rule rule, treb_error *error)
{
    PgnLine line = {.pos = *pos, .metric = metric, .rule = rule};
    char note[LINE_NOTE_SIZE];
    json_t *object = NULL;
    treb_move *moves = malloc(ANSWER_LINE_MAX * sizeof *moves);
    if (moves == NULL) {
        fail_memory(error);
        return NULL;
    }
    treb_status status = line_fill(context, &line, moves, ANSWER_LINE_MAX, note, error);
    if (status == TREB_OK) object = line_json(&line);
    if (status == TREB_OK && object == NULL) status = fail_memory(error);
    answer_note(context, status);
    free(moves);
    return answer_unless_stopped(context, object, error);
}
