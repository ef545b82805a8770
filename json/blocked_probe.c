/* blocked_probe.c - see blocked_probe.h. */
#include "json/blocked_probe.h"

#include <stdlib.h>

#include "core/chess/movegen.h"
#include "core/system/error.h"
#include "json/answer_blocked.h"
#include "json/blocked_table.h"
#include "json/members.h"
#include "json/put.h"
#include "json/words.h"

/* Adds verdict and distances of the position or of a move. An upper bound has a member of its own. */
static void put_probe_value(json_t *object, const ProbeSource *from, const PawnValue *value)
{
    bool known = from->distances && value->plies >= 0 && value->verdict != VERDICT_DRAW;
    bool upper = from->upper_bounds || value->at_most;
    treb_wdl wdl = answer_blocked_wdl(value->verdict, from->pos->turn);
    json_t *verdict = value->verdict != VERDICT_OPEN ? json_text(answer_verdict(wdl)) : json_null();
    put(object, "verdict", verdict);
    put(object, "verdict_clock_zero", json_incref(verdict));
    put(object, "dtz_plies", json_null());
    put(object, "dtc_plies", known && !upper ? json_integer(value->plies) : json_null());
    put(object, "dtm_plies", json_null());
    put(object, "dtz_rounded", json_false());
    put(object, "dtm50_plies", json_null());
    put(object, "at_most_plies", known && upper ? json_integer(value->plies) : json_null());
}

static json_t *probe_move(const ProbeSource *from, const PawnMove *move)
{
    treb_position child;
    json_t *object = json_object();
    position_make(from->pos, move->move, &child);
    bool over = !movegen_any(&child), check = position_in_check(&child);
    int men = bit_count(position_occupied(&child));
    put(object, "uci", json_text(move->uci));
    put(object, "san", json_text(move->san));
    put_probe_value(object, from, &move->value);
    put(object, "capture", json_boolean(men < bit_count(position_occupied(from->pos))));
    put(object, "zeroing", json_boolean(child.halfmove == 0));
    put(object, "conversion", json_boolean(evaluate_converts(from->pos, move->move)));
    put(object, "check", json_boolean(check));
    put(object, "checkmate", json_boolean(over && check));
    put(object, "stalemate", json_boolean(over && !check));
    return object;
}

static json_t *probe_unknown(const ProbeSource *from)
{
    json_t *array = json_array();
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        if (m == TREB_DTC && from->distances) continue;
        json_t *entry = answer_error(answer_code(TREB_ERR_NO_TABLE), from->why);
        put(entry, "metric", json_text(treb_metric_text((treb_metric)m)));
        json_array_append_new(array, entry);
    }
    return array;
}

static json_t *probe_best(const ProbeSource *from, const PawnMove *moves, int count)
{
    json_t *object = json_object();
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        bool known =
            m == TREB_DTC && from->distances && count > 0 && moves[0].value.verdict != VERDICT_OPEN;
        put(object, treb_metric_text((treb_metric)m),
            known ? json_text(moves[0].uci) : json_null());
    }
    put(object, treb_metric_text(TREB_DTM50), json_null());
    return object;
}

json_t *answer_probe_object(const ProbeSource *from, const PawnValue *value, const PawnMove *moves,
                            int count, bool list)
{
    json_t *object = json_object(), *array = json_array();
    answer_put_position(object, from->pos);
    put_probe_value(object, from, value);
    put(object, "halfmove_clock", json_integer(from->pos->halfmove));
    put(object, "metric", json_text(treb_metric_text(TREB_DTC)));
    put(object, "best", probe_best(from, moves, count));
    for (int i = 0; i < count && list; i++)
        json_array_append_new(array, probe_move(from, &moves[i]));
    if (list) put(object, "moves", json_incref(array));
    put(object, "unknown", probe_unknown(from));
    json_decref(array);
    return object;
}

json_t *answer_blocked_probe_json(Blocked *b, bool list, treb_error *error)
{
    const ProbeSource from = {&b->request.pos, b->upper_bounds, true,
                              "a blocked-pawn table does not know this distance"};
    PawnMove *moves = malloc(MOVES_MAX * sizeof *moves);
    PawnValue value = answer_blocked_root(b);
    int count = moves != NULL ? blocked_moves(b, moves) : -1;
    json_t *object = count >= 0 ? answer_probe_object(&from, &value, moves, count, list) : NULL;
    free(moves);
    if (object == NULL) {
        fail_memory(error);
        return NULL;
    }
    json_t *source = json_object();
    put(source, "file", answer_blocked_file(b));
    put(source, "upper_bounds", json_boolean(b->upper_bounds));
    put(object, "blocked", source);
    return object;
}
