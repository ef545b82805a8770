/* answer_probe.c - the object of GET /v1/probe: a position, its value and its moves.
 *
 * The moves are probed once, in the order of DTM. A stable sort by verdict and another metric then
 * gives the library's order by that metric. The library breaks ties by mate, DTM, DTZ, DTC and the
 * squares; the first two agree, as a mate has the least DTM. */
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "json/answer.h"
#include "json/blocked_probe.h"
#include "json/blocked_table.h"
#include "json/coverage.h"
#include "json/members.h"
#include "json/position_value.h"
#include "json/put.h"
#include "json/words.h"

typedef struct Probe {
    AnswerContext *context;
    const treb_position *pos;
    treb_value value;
    treb_metric metric;
    size_t count;
    treb_move moves[TREB_MOVES_MAX];
} Probe;

/* The best move by each metric that is known of the position. The moves are in the order of DTM. */
static json_t *best_json(const Probe *p)
{
    json_t *object = json_object();
    static const treb_metric metrics[] = {TREB_DTZ, TREB_DTC, TREB_DTM, TREB_DTM50};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const treb_metric m = metrics[i];
        const treb_move *best = answer_best(p->moves, p->count, m);
        /* If the move that keeps the verdict leads to a missing table, no other move is the best. */
        bool known = best != NULL && answer_distance_status(&p->value, m) == TREB_OK &&
                     best->value.status[TREB_WDL] == TREB_OK && best->value.rule >= p->value.rule;
        put(object, treb_metric_text(m), known ? json_text(best->uci) : json_null());
    }
    return object;
}

static json_t *move_json(const treb_move *move, const treb_position *pos)
{
    json_t *object = json_object();
    const treb_value *v = &move->value;
    bool known = v->status[TREB_WDL] == TREB_OK;
    put(object, "uci", json_text(move->uci));
    put(object, "san", json_text(move->san));
    put(object, "verdict", answer_verdict_json(v, pos));
    put(object, "verdict_clock_zero", known ? json_text(answer_verdict(v->wdl)) : json_null());
    answer_put_distances(object, v);
    put(object, "capture", json_boolean(move->flags & TREB_MOVE_CAPTURE));
    put(object, "zeroing", json_boolean(move->flags & TREB_MOVE_ZEROING));
    put(object, "conversion", json_boolean(move->flags & TREB_MOVE_CONVERSION));
    put(object, "check", json_boolean(move->flags & TREB_MOVE_CHECK));
    put(object, "checkmate", json_boolean(move->flags & TREB_MOVE_MATE));
    put(object, "stalemate", json_boolean(move->flags & TREB_MOVE_STALEMATE));
    return object;
}

/* ---- Unknown values -------------------------------------------------------------------------- */

static treb_status first_failure(const Probe *p, int metric)
{
    treb_status status = answer_distance_status(&p->value, metric);
    for (size_t i = 0; i < p->count && status == TREB_OK; i++)
        status = answer_distance_status(&p->moves[i].value, metric);
    return status;
}

/* Finds the message that says why a metric is not known of the position or of a move. */
static treb_status explain(const Probe *p, int metric, treb_error *error)
{
    treb_distance distance;
    treb_status status = treb_probe_distance(p->context->tables, p->pos, metric, &distance, error);
    return status == TREB_OK ? answer_moves_status(p->context, p->pos, metric, error) : status;
}

/* Why values are not known. Mate under the 50-move rule has tables of its own, which few have: it counts
 * if it was asked for. */
static json_t *unknown_json(const Probe *p)
{
    json_t *array = json_array();
    for (int m = TREB_WDL; m <= TREB_DTM50 && !answer_stopped(p->context); m++) {
        if (m >= TREB_METRICS && m != (int)p->metric) continue;
        treb_error error;
        treb_status status = first_failure(p, m);
        if (status == TREB_OK) continue;
        answer_note(p->context, status);
        if (explain(p, m, &error) == TREB_OK) fail(&error, status, "%s", treb_status_text(status));
        if (p->context->missing_material[0] == '\0')
            memcpy(p->context->missing_material, error.material, sizeof error.material);
        json_t *entry = json_object(), *why = answer_error(answer_code(error.status), error.text);
        put(entry, "metric", json_text(treb_metric_text((treb_metric)m)));
        json_object_update(entry, why);
        json_decref(why);
        json_array_append_new(array, entry);
    }
    return array;
}

/* ---- The object ------------------------------------------------------------------------------ */

static json_t *probe_json(Probe *p, bool list)
{
    json_t *object = json_object();
    bool known = p->value.status[TREB_WDL] == TREB_OK;
    answer_put_position(object, p->pos);
    put(object, "verdict", answer_verdict_json(&p->value, p->pos));
    put(object, "verdict_clock_zero",
        known ? json_text(answer_verdict(p->value.wdl)) : json_null());
    put(object, "halfmove_clock", json_integer(p->pos->halfmove));
    put(object, "metric",
        p->metric == TREB_WDL ? json_null() : json_text(treb_metric_text(p->metric)));
    answer_put_distances(object, &p->value);
    put(object, "best", best_json(p));
    if (list) {
        json_t *moves = json_array();
        if (p->metric != TREB_DTM) answer_sort(p->moves, p->count, p->metric);
        for (size_t i = 0; i < p->count; i++)
            json_array_append_new(moves, move_json(&p->moves[i], p->pos));
        put(object, "moves", moves);
    }
    put(object, "unknown", unknown_json(p));
    put(object, "blocked", json_null());
    return object;
}

json_t *answer_probe(AnswerContext *context, const treb_position *pos, const AnswerProbe *options,
                     treb_error *error)
{
    Probe *p = malloc(sizeof *p);
    json_t *object = NULL;
    if (p == NULL) {
        fail_memory(error);
        return NULL;
    }
    p->context = context;
    p->pos = pos;
    Blocked *blocked = NULL;
    treb_status status = answer_position_value(context, pos, &p->value, p->moves, &p->count, error);
    if (answer_missing_table(status)) status = answer_find_blocked(context, pos, &blocked, error);
    answer_note(context, status);
    if (blocked != NULL) {
        object = answer_blocked_probe_json(blocked, options->moves, error);
    } else if (status == TREB_OK) {
        p->metric = options->metric != TREB_WDL ? options->metric : answer_known_metric(&p->value);
        object = probe_json(p, options->moves);
        if (object == NULL) fail_memory(error);
    }
    blocked_free(blocked);
    free(p);
    return answer_unless_stopped(context, object, error);
}
