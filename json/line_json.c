/* line_json.c - a best line as JSON; see line.h. */
#include <stdlib.h>

#include "json/line.h"
#include "json/line_pgn.h"
#include "json/members.h"
#include "json/put.h"
#include "json/words.h"

static const char *end_name(const PgnLine *line)
{
    static const char *const names[] = {"mate", "stalemate", "draw", "capacity"};
    return line->failed || line->broken ? "unknown" : names[line->end];
}

/* The verdict under the rule of the line. */
static json_t *verdict_json(const PgnLine *line, const treb_value *value, const treb_position *pos)
{
    if (line->rule == TREB_RULE_50) return answer_verdict_json(value, pos);
    if (value->status[TREB_WDL] != TREB_OK) return json_null();
    treb_wdl wdl = value->wdl > TREB_DRAW   ? TREB_WIN
                   : value->wdl < TREB_DRAW ? TREB_LOSS
                                            : TREB_DRAW;
    return json_text(answer_verdict(wdl));
}

static json_t *winner_json(const PgnLine *line)
{
    int winner = line_winner(line);
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
        answer_put_distances(object, &move->value);
        json_array_append_new(array, object);
    }
    return array;
}

json_t *line_json(const PgnLine *line)
{
    char fen[TREB_FEN_SIZE];
    char *pgn = line_pgn(line);
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
