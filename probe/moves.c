/* moves.c - the value of a position under the 50-move rule, of each of its moves, and the best
 * line. */
#include <string.h>

#include "core/san.h"
#include "probe/probe.h"

/* ---- Values ---------------------------------------------------------------------------------- */

static treb_value value_unknown(treb_status status)
{
    treb_value value = {.wdl = TREB_DRAW, .rule = TREB_DRAW};
    for (int m = 0; m < TREB_METRICS; m++) value.status[m] = status;
    return value;
}

/* Puts a distance, or why there is none, into a value. Keeps the first failure's text. */
static void put_distance(treb_value *value, int metric, int plies)
{
    value->plies[metric] = plies < 0 ? 0 : plies;
    value->status[metric] = plies < 0 ? (treb_status)-plies : TREB_OK;
}

static treb_value value_of_position(const treb_tables *set, const treb_position *pos,
                                    treb_error *error)
{
    int verdict = wdl_value(set, pos, error);
    if (verdict < 0) return value_unknown((treb_status)-verdict);
    treb_value value = {.wdl = (treb_wdl)verdict, .rule = (treb_wdl)verdict};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        put_distance(&value, m, distance_value(set, (treb_metric)m, pos, verdict, NULL));
    if (value.status[TREB_DTZ] == TREB_OK)
        value.rule = treb_wdl_with_clock(value.wdl, value.plies[TREB_DTZ], pos->halfmove);
    return value;
}

treb_status treb_probe_root(const treb_tables *tables, const treb_position *pos, treb_value *out,
                            treb_error *error)
{
    treb_error why;
    treb_status status = probe_check(pos, error);
    if (status != TREB_OK) return status;
    *out = value_of_position(tables, pos, &why);
    status = out->status[TREB_WDL];
    return status == TREB_OK ? status : probe_fail(-(int)status, &why, error);
}

/* What a move is worth to its maker. *failed gets the first failure that hurts the order. */
static treb_value value_of_move(const treb_tables *set, const treb_position *pos, Move m,
                                const treb_position *child, treb_metric metric, int *failed,
                                treb_error *error)
{
    int other = wdl_value(set, child, *failed == 0 ? error : NULL);
    if (other < 0) {
        if (*failed == 0) *failed = other;
        return value_unknown((treb_status)-other);
    }
    treb_wdl wdl = (treb_wdl)(TREB_WIN - other);
    treb_value value = {.wdl = wdl, .rule = wdl};
    for (int k = TREB_DTZ; k < TREB_METRICS; k++) {
        bool matters = k == (int)metric && *failed == 0;
        int plies =
            distance_of_move(set, (treb_metric)k, pos, m, child, other, matters ? error : NULL);
        if (plies < 0 && matters) *failed = plies;
        put_distance(&value, k, plies);
    }
    if (value.status[TREB_DTZ] == TREB_OK) {
        value.wdl = treb_wdl_with_clock(wdl, value.plies[TREB_DTZ], 0);
        value.rule = treb_wdl_with_clock(wdl, value.plies[TREB_DTZ], pos->halfmove);
    }
    return value;
}

static uint8_t flags_of(const treb_position *pos, Move m, const treb_position *child)
{
    int flags = 0;
    if (move_is_capture(pos, m)) flags |= TREB_MOVE_CAPTURE;
    if (move_is_zeroing(pos, m)) flags |= TREB_MOVE_ZEROING;
    if (move_is_conversion(pos, m)) flags |= TREB_MOVE_CONVERSION;
    bool check = position_in_check(child);
    if (check) flags |= TREB_MOVE_CHECK;
    if (!movegen_any(child)) flags |= check ? TREB_MOVE_MATE : TREB_MOVE_STALEMATE;
    return (uint8_t)flags;
}

static treb_move describe(const treb_tables *set, const treb_position *pos, Move m,
                          treb_metric metric, int *failed, treb_error *error)
{
    treb_position child;
    treb_move move = {.from = (uint8_t)move_from(m),
                      .to = (uint8_t)move_to(m),
                      .promotion = (uint8_t)move_promo(m)};
    position_make(pos, m, &child);
    move.flags = flags_of(pos, m, &child);
    move_to_uci(m, move.uci);
    move_to_san(pos, m, move.san);
    move.value = value_of_move(set, pos, m, &child, metric, failed, error);
    return move;
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* Negative if a goes first by its distance: unknown ones last. */
static int compare_distance(const treb_value *a, const treb_value *b, int metric)
{
    bool a_known = a->status[metric] == TREB_OK, b_known = b->status[metric] == TREB_OK;
    if (a_known != b_known) return a_known ? -1 : 1;
    int difference = a->plies[metric] - b->plies[metric];
    return a->wdl > TREB_DRAW ? difference : -difference;
}

static int compare_moves(const treb_move *a, const treb_move *b, treb_metric metric)
{
    static const int ties[] = {TREB_DTM, TREB_DTZ, TREB_DTC};
    bool a_known = a->value.status[TREB_WDL] == TREB_OK;
    bool b_known = b->value.status[TREB_WDL] == TREB_OK;
    if (a_known != b_known) return a_known ? -1 : 1;
    if (a->value.rule != b->value.rule) return (int)b->value.rule - (int)a->value.rule;
    int order = metric == TREB_WDL ? 0 : compare_distance(&a->value, &b->value, metric);
    if (order == 0) order = (b->flags & TREB_MOVE_MATE) - (a->flags & TREB_MOVE_MATE);
    for (size_t i = 0; i < sizeof ties / sizeof *ties && order == 0; i++)
        order = compare_distance(&a->value, &b->value, ties[i]);
    if (order == 0) order = a->from - b->from;
    if (order == 0) order = a->to - b->to;
    return order != 0 ? order : b->promotion - a->promotion;
}

/* Sorts by insertion; keeps the best `capacity` of the moves put so far. */
static size_t put_sorted(treb_move *out, size_t count, size_t capacity, const treb_move *move,
                         treb_metric metric)
{
    size_t at = count;
    while (at > 0 && compare_moves(move, &out[at - 1], metric) < 0) at--;
    if (at == capacity) return count;
    size_t kept = count < capacity ? count : capacity - 1;
    memmove(&out[at + 1], &out[at], (kept - at) * sizeof *out);
    out[at] = *move;
    return kept + 1;
}

/* ---- Moves and lines ------------------------------------------------------------------------- */

static treb_status list_moves(const treb_tables *set, const treb_position *pos, treb_metric metric,
                              treb_move *out, size_t capacity, size_t *count, treb_error *error)
{
    Move moves[MOVES_MAX];
    treb_error why;
    int all = movegen_legal(pos, moves), failed = 0;
    *count = 0;
    for (int i = 0; i < all; i++) {
        treb_move move = describe(set, pos, moves[i], metric, &failed, &why);
        *count = put_sorted(out, *count, capacity, &move, metric);
    }
    return failed == 0 ? TREB_OK : probe_fail(failed, &why, error);
}

treb_status treb_probe_moves(const treb_tables *tables, const treb_position *pos,
                             treb_metric metric, treb_move *out, size_t capacity, size_t *count,
                             treb_error *error)
{
    *count = 0;
    if (metric < TREB_WDL || metric >= TREB_METRICS) return probe_no_metric(error);
    treb_status status = probe_check(pos, error);
    if (status != TREB_OK) return status;
    return list_moves(tables, pos, metric, out, capacity, count, error);
}

/* Why a position without moves, or drawn, ends a line. */
static treb_line_end end_of(const treb_position *pos, size_t moves)
{
    if (moves > 0) return TREB_LINE_DRAW;
    return position_in_check(pos) ? TREB_LINE_MATE : TREB_LINE_STALEMATE;
}

treb_status treb_best_line(const treb_tables *tables, const treb_position *pos, treb_metric metric,
                           treb_move *out, size_t capacity, size_t *count, treb_line_end *end,
                           treb_error *error)
{
    *count = 0;
    if (metric < TREB_WDL || metric >= TREB_METRICS) return probe_no_metric(error);
    treb_status status = probe_check(pos, error);
    treb_position at = *pos;
    while (status == TREB_OK) {
        treb_move best;
        size_t moves;
        status = list_moves(tables, &at, metric, &best, 1, &moves, error);
        if (status != TREB_OK) break;
        if (moves == 0 || best.value.wdl == TREB_DRAW) {
            *end = end_of(&at, moves);
            return TREB_OK;
        }
        if (*count == capacity) {
            *end = TREB_LINE_CAPACITY;
            return TREB_OK;
        }
        out[(*count)++] = best;
        position_make(&at, move_make(best.from, best.to, best.promotion), &at);
    }
    return status;
}
