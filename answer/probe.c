/* probe.c - a position, its value and its moves in our own dialect.
 *
 * The moves are probed once, in the order of DTM. A stable sort by verdict and another metric turns
 * that into the library's order by that metric: its tie-breaks are mate, DTM, DTZ, DTC and the
 * squares, of which the first two come to the same (a mate has the least DTM). */
#include <stdlib.h>

#include "answer/parts.h"
#include "core/material.h"

typedef struct Probe {
    AnswerContext *context;
    const treb_position *pos;
    treb_value value;
    treb_metric metric;
    size_t count;
    treb_move moves[TREB_MOVES_MAX];
} Probe;

/* Whether b is the better move by verdict and metric alone. */
static bool is_better(const treb_move *b, const treb_move *a, treb_metric metric)
{
    const treb_value *x = &a->value, *y = &b->value;
    bool x_known = x->status[TREB_WDL] == TREB_OK, y_known = y->status[TREB_WDL] == TREB_OK;
    if (x_known != y_known) return y_known;
    if (x->rule != y->rule) return y->rule > x->rule;
    if (metric == TREB_WDL) return false;
    x_known = x->status[metric] == TREB_OK, y_known = y->status[metric] == TREB_OK;
    if (x_known != y_known) return y_known;
    int longer =
        2 * (y->plies[metric] - x->plies[metric]) + y->rounded[metric] - x->rounded[metric];
    return x->wdl > TREB_DRAW ? longer < 0 : longer > 0;
}

static void sort_moves(treb_move *moves, size_t count, treb_metric metric)
{
    for (size_t i = 1; i < count; i++) {
        treb_move move = moves[i];
        size_t at = i;
        for (; at > 0 && is_better(&move, &moves[at - 1], metric); at--) moves[at] = moves[at - 1];
        moves[at] = move;
    }
}

/* The best moves by each metric that is known of the position. `moves` are in the order of DTM. */
static json_t *best_json(const Probe *p)
{
    json_t *object = json_object();
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        const treb_move *best = p->count > 0 ? &p->moves[0] : NULL;
        for (size_t i = 1; i < p->count; i++)
            if (is_better(&p->moves[i], best, (treb_metric)m)) best = &p->moves[i];
        bool known = best != NULL && p->value.status[m] == TREB_OK;
        put(object, treb_metric_text((treb_metric)m), known ? json_text(best->uci) : json_null());
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
    put(object, "verdict", answer_rule(v, pos));
    put(object, "verdict_clock_zero", known ? json_text(answer_verdict(v->wdl)) : json_null());
    answer_distances(object, v);
    put(object, "capture", json_boolean(move->flags & TREB_MOVE_CAPTURE));
    put(object, "zeroing", json_boolean(move->flags & TREB_MOVE_ZEROING));
    put(object, "conversion", json_boolean(move->flags & TREB_MOVE_CONVERSION));
    put(object, "check", json_boolean(move->flags & TREB_MOVE_CHECK));
    put(object, "checkmate", json_boolean(move->flags & TREB_MOVE_MATE));
    put(object, "stalemate", json_boolean(move->flags & TREB_MOVE_STALEMATE));
    return object;
}

/* ---- What is not known ----------------------------------------------------------------------- */

static treb_status first_failure(const Probe *p, int metric)
{
    treb_status status = p->value.status[metric];
    for (size_t i = 0; i < p->count && status == TREB_OK; i++)
        status = p->moves[i].value.status[metric];
    return status;
}

/* Why a metric is not known of the position or of a move, in words. */
static treb_status explain(const Probe *p, int metric, treb_error *error)
{
    treb_distance distance;
    treb_status status = treb_probe_distance(p->context->tables, p->pos, metric, &distance, error);
    return status == TREB_OK ? answer_moves_status(p->context, p->pos, metric, error) : status;
}

static json_t *unknown_json(const Probe *p)
{
    json_t *array = json_array();
    for (int m = TREB_WDL; m < TREB_METRICS && !answer_stopped(p->context); m++) {
        treb_error error;
        treb_status status = first_failure(p, m);
        if (status == TREB_OK) continue;
        answer_note(p->context, status);
        if (explain(p, m, &error) == TREB_OK) fail(&error, status, "%s", treb_status_text(status));
        json_t *entry = json_object(), *why = answer_error(answer_code(error.status), error.text);
        put(entry, "metric", json_text(treb_metric_text((treb_metric)m)));
        json_object_update(entry, why);
        json_decref(why);
        json_array_append_new(array, entry);
    }
    return array;
}

/* ---- The object ------------------------------------------------------------------------------ */

static const char *state_of(const Probe *p)
{
    if (p->count == 0) return p->value.wdl == TREB_LOSS ? "checkmate" : "stalemate";
    return answer_insufficient(p->pos) ? "insufficient_material" : "ongoing";
}

static void put_position(json_t *object, const Probe *p)
{
    char fen[TREB_FEN_SIZE], name[MATERIAL_NAME_SIZE];
    Material material = material_of_position(p->pos);
    int men = material_men(&material);
    material_canonical(&material);
    material_name(&material, name);
    treb_position_to_fen(p->pos, fen);
    put(object, "fen", json_text(fen));
    put(object, "turn", json_text(answer_color(p->pos->turn)));
    put(object, "men", json_integer(men));
    put(object, "material", men > 2 ? json_text(name) : json_null());
    put(object, "state", json_text(state_of(p)));
}

static json_t *probe_json(Probe *p, bool list)
{
    json_t *object = json_object();
    put_position(object, p);
    put(object, "verdict", answer_rule(&p->value, p->pos));
    put(object, "verdict_clock_zero", json_text(answer_verdict(p->value.wdl)));
    put(object, "halfmove_clock", json_integer(p->pos->halfmove));
    put(object, "metric",
        p->metric == TREB_WDL ? json_null() : json_text(treb_metric_text(p->metric)));
    answer_distances(object, &p->value);
    put(object, "best", best_json(p));
    if (list) {
        json_t *moves = json_array();
        if (p->metric != TREB_DTM) sort_moves(p->moves, p->count, p->metric);
        for (size_t i = 0; i < p->count; i++)
            json_array_append_new(moves, move_json(&p->moves[i], p->pos));
        put(object, "moves", moves);
    }
    put(object, "unknown", unknown_json(p));
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
    treb_status status = answer_stopped(context)
                             ? answer_fail_stopped(error)
                             : treb_probe_root(context->tables, pos, &p->value, error);
    if (status == TREB_OK) {
        p->metric = options->metric != TREB_WDL ? options->metric : answer_known_metric(&p->value);
        answer_moves(context, pos, TREB_DTM, p->moves, &p->count, NULL);
        object = probe_json(p, options->moves);
        if (object == NULL) status = fail_memory(error);
    }
    answer_note(context, status);
    free(p);
    return answer_unless_stopped(context, object, error);
}
