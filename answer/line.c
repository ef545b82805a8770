/* line.c - the best play of both sides. */
#include <stdlib.h>
#include <string.h>

#include "answer/line.h"
#include "answer/parts.h"

/* ---- Walking --------------------------------------------------------------------------------- */

LineWalk line_begin(const PgnLine *line, treb_move *room, size_t capacity)
{
    LineWalk walk = {.line = *line, .room = room, .capacity = capacity, .last = line->pos};
    walk.line.move = room;
    walk.line.moves = 0;
    walk.line.end = TREB_LINE_CAPACITY;
    return walk;
}

bool line_goes_on(const LineWalk *walk)
{
    return walk->line.end == TREB_LINE_CAPACITY && walk->line.moves < walk->capacity;
}

treb_status line_step(LineWalk *walk, const treb_tables *tables, treb_error *error)
{
    PgnLine *line = &walk->line;
    size_t left = walk->capacity - line->moves, count = 0;
    treb_move *at = walk->room + line->moves;
    treb_status status =
        treb_best_line(tables, &walk->last, line->metric, line->rule, at,
                       left < LINE_STEP ? left : LINE_STEP, &count, &line->end, error);
    line->moves += count;
    for (size_t i = 0; i < count; i++)
        treb_position_play(&walk->last, at[i].uci, &walk->last, NULL);
    return status;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static const char *end_name(const PgnLine *line)
{
    static const char *const names[] = {"mate", "stalemate", "draw", "capacity"};
    return line->failed || line->broken ? "unknown" : names[line->end];
}

/* A verdict by the rule of the line. */
static json_t *verdict_json(const PgnLine *line, const treb_value *value, const treb_position *pos)
{
    if (line->rule == TREB_RULE_50) return answer_rule(value, pos);
    if (value->status[TREB_WDL] != TREB_OK) return json_null();
    treb_wdl wdl = value->wdl > TREB_DRAW   ? TREB_WIN
                   : value->wdl < TREB_DRAW ? TREB_LOSS
                                            : TREB_DRAW;
    return json_text(answer_verdict(wdl));
}

static json_t *winner_json(const PgnLine *line)
{
    int winner = pgn_winner(line);
    return winner >= 0 ? json_text(answer_color(winner)) : json_null();
}

static json_t *moves_json(const PgnLine *line)
{
    json_t *array = json_array();
    treb_position pos = line->pos;
    for (size_t i = 0; i < line->moves; i++) {
        char fen[TREB_FEN_SIZE];
        const treb_move *move = &line->move[i];
        json_t *object = json_object(), *verdict = verdict_json(line, &move->value, &pos);
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

json_t *line_json(const PgnLine *line)
{
    char fen[TREB_FEN_SIZE];
    char *pgn = pgn_write(line);
    if (pgn == NULL) return NULL;
    json_t *object = json_object();
    treb_position_to_fen(&line->pos, fen);
    put(object, "fen", json_text(fen));
    put(object, "metric",
        line->metric == TREB_WDL ? json_null() : json_text(treb_metric_text(line->metric)));
    put(object, "rule", json_text(answer_rule_name(line->rule)));
    put(object, "verdict", verdict_json(line, &line->value, &line->pos));
    put(object, "winner", winner_json(line));
    put(object, "end", json_text(end_name(line)));
    put(object, "plies", json_integer((json_int_t)line->moves));
    put(object, "moves", moves_json(line));
    put(object, "pgn", json_text(pgn));
    free(pgn);
    return object;
}

/* ---- The answer ------------------------------------------------------------------------------ */

json_t *answer_line(AnswerContext *context, const treb_position *pos, treb_metric metric,
                    treb_rule rule, treb_error *error)
{
    PgnLine line = {.pos = *pos, .metric = metric, .rule = rule};
    json_t *object = NULL;
    treb_move *moves = malloc(ANSWER_LINE_MAX * sizeof *moves);
    if (moves == NULL) {
        fail_memory(error);
        return NULL;
    }
    treb_status status = answer_stopped(context)
                             ? answer_fail_stopped(error)
                             : treb_probe_root(context->tables, pos, &line.value, error);
    if (status != TREB_OK) goto cleanup;
    if (metric == TREB_WDL) line.metric = answer_known_metric(&line.value);
    if (line.metric == TREB_WDL) line.metric = TREB_DTZ; /* which tells what is missing */
    LineWalk walk = line_begin(&line, moves, ANSWER_LINE_MAX);
    status = answer_walk(context, &walk, error);
    if (status != TREB_OK) goto cleanup;
    object = line_json(&walk.line);
    if (object == NULL) status = fail_memory(error);
cleanup:
    answer_note(context, status);
    free(moves);
    return object;
}
