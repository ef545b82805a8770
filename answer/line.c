/* line.c - the best play of both sides. */
#include <stdlib.h>
#include <string.h>

#include "answer/parts.h"
#include "answer/pgn.h"

static const char *end_name(treb_line_end end)
{
    static const char *const names[] = {"mate", "stalemate", "draw", "capacity"};
    return names[end];
}

/* The one whom the verdict lets win, under the 50-move rule. */
static json_t *winner_json(const PgnLine *line)
{
    int turn = line->pos.turn;
    if (line->value.rule == TREB_WIN) return json_text(answer_color(turn));
    if (line->value.rule == TREB_LOSS) return json_text(answer_color(turn ^ 1));
    return json_null();
}

static json_t *moves_json(const PgnLine *line)
{
    json_t *array = json_array();
    treb_position pos = line->pos;
    for (size_t i = 0; i < line->moves; i++) {
        char fen[TREB_FEN_SIZE];
        const treb_move *move = &line->move[i];
        json_t *object = json_object(), *verdict = answer_rule(&move->value, &pos);
        if (treb_position_play(&pos, move->uci, &pos, NULL) != TREB_OK) {
            json_decref(object);
            json_decref(verdict);
            break;
        }
        treb_position_to_fen(&pos, fen);
        put(object, "uci", json_text(move->uci));
        put(object, "san", json_text(move->san));
        put(object, "fen", json_text(fen));
        put(object, "verdict", verdict);
        answer_distances(object, &move->value);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *line_json(const PgnLine *line)
{
    char fen[TREB_FEN_SIZE];
    char *pgn = pgn_write(line);
    if (pgn == NULL) return NULL;
    json_t *object = json_object();
    treb_position_to_fen(&line->pos, fen);
    put(object, "fen", json_text(fen));
    put(object, "metric", json_text(treb_metric_text(line->metric)));
    put(object, "verdict", answer_rule(&line->value, &line->pos));
    put(object, "winner", winner_json(line));
    put(object, "end", json_text(end_name(line->end)));
    put(object, "plies", json_integer((json_int_t)line->moves));
    put(object, "moves", moves_json(line));
    put(object, "pgn", json_text(pgn));
    free(pgn);
    return object;
}

json_t *answer_line(AnswerContext *context, const treb_position *pos, treb_metric metric,
                    treb_error *error)
{
    PgnLine line = {.pos = *pos, .metric = metric};
    json_t *object = NULL;
    treb_move *moves = malloc(ANSWER_LINE_MAX * sizeof *moves);
    if (moves == NULL) {
        answer_fail(error, TREB_ERR_MEMORY, "out of memory");
        return NULL;
    }
    treb_status status = treb_probe_root(context->tables, pos, &line.value, error);
    if (status != TREB_OK) goto cleanup;
    if (metric == TREB_WDL) line.metric = answer_known_metric(&line.value);
    if (line.metric == TREB_WDL) line.metric = TREB_DTZ; /* which tells what is missing */
    line.move = moves;
    status = treb_best_line(context->tables, pos, line.metric, moves, ANSWER_LINE_MAX, &line.moves,
                            &line.end, error);
    if (status != TREB_OK) goto cleanup;
    object = line_json(&line);
    if (object == NULL) status = answer_fail(error, TREB_ERR_MEMORY, "out of memory");
cleanup:
    answer_note(context, status);
    free(moves);
    return object;
}
