/* position_value.c - see position_value.h. */
#include "json/position_value.h"

#include <assert.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "core/chess/san.h"
#include "core/system/clock.h"
#include "core/system/error.h"
#include "json/blocked_table.h"
#include "json/coverage.h"
#include "json/members.h"

/* Finds the value of a position by the rules of chess alone: mate, stalemate, or too little material.
 * A failure to read a table does not matter then. */
static bool value_by_rules(const treb_position *pos, treb_value *out)
{
    const bool over = !movegen_any(pos), mate = over && position_in_check(pos);
    if (!over && !answer_insufficient(pos)) return false;
    *out = (treb_value){.wdl = mate ? TREB_LOSS : TREB_DRAW};
    out->rule = treb_value_rule(out, pos->halfmove);
    return true;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

/* Finds the value of the position after a move that has no table: from its replies, if one of them
 * wins or all are known; or from a blocked-pawn table. Pawns become blocked only by a move that
 * zeroes the clock. */
static bool value_after(AnswerContext *context, const treb_position *child, const treb_move *move,
                        treb_value *after)
{
    if (treb_probe_root(context->tables, child, after, NULL) == TREB_OK) return true;
    if (value_by_rules(child, after)) return true;
    return (move->flags & TREB_MOVE_ZEROING) != 0 && answer_blocked_value(context, child, after);
}

/* Completes the value of a move to a position that has no table. */
static void look_further(AnswerContext *context, const treb_position *pos, treb_move *move)
{
    treb_position child;
    treb_value after;
    treb_value *value = &move->value;
    if (treb_position_play(pos, move->uci, &child, NULL) != TREB_OK ||
        !value_after(context, &child, move, &after))
        return;
    bool late = after.wdl == TREB_BLESSED_LOSS || after.wdl == TREB_CURSED_WIN;
    value->wdl = value->rule = (treb_wdl)(TREB_WIN - after.wdl);
    for (int m = TREB_WDL; m < TREB_METRICS; m++) {
        bool ends = (m == TREB_DTZ && move->flags & TREB_MOVE_ZEROING) ||
                    (m == TREB_DTC && move->flags & TREB_MOVE_CONVERSION);
        value->status[m] = ends || after.wdl == TREB_DRAW ? TREB_OK : after.status[m];
        value->plies[m] = after.wdl == TREB_DRAW || m == TREB_WDL ? 0
                          : !ends                                 ? after.plies[m] + 1
                          : m == TREB_DTZ && late                 ? RULE_PLIES + 1
                                                                  : 1;
        value->rounded[m] = ends ? 0 : after.rounded[m];
    }
    value->dtm50_status = pos->halfmove < RULE_PLIES ? after.dtm50_status : TREB_OK;
    value->dtm50 = pos->halfmove < RULE_PLIES && answer_has_mate50(&after) ? after.dtm50 + 1 : 0;
    value->rule = treb_value_rule(value, pos->halfmove);
    value->wdl = treb_value_rule(value, 0);
}

/* Inserts a move into a sorted list. */
static void insert(treb_move *moves, size_t count, const treb_move *move, treb_metric metric)
{
    size_t at = count;
    while (at > 0 && treb_compare_moves(move, &moves[at - 1], metric, TREB_RULE_50) < 0) at--;
    memmove(&moves[at + 1], &moves[at], (count - at) * sizeof *moves);
    moves[at] = *move;
}

/* Probes all legal moves, unless the work is stopped: then *count is 0. `out` has room for
 * TREB_MOVES_MAX. With `out` NULL only the status is found, and the first failure ends the probing. */
static treb_status probe_moves(AnswerContext *context, const treb_position *pos, treb_metric metric,
                               treb_move *out, size_t *count, treb_error *error)
{
    Move moves[MOVES_MAX];
    treb_error why;
    treb_status first = treb_position_check(pos, error);
    *count = 0;
    if (first != TREB_OK) return first;
    int all = movegen_all(pos, moves);
    for (int i = 0; i < all && (out != NULL || first == TREB_OK); i++) {
        treb_move move;
        char uci[UCI_SIZE];
        if (answer_stopped(context)) {
            *count = 0;
            return answer_fail_stopped(error);
        }
        move_to_uci(moves[i], uci);
        treb_status status = treb_probe_move(context->tables, pos, uci, metric, &move, &why);
        assert(status != TREB_ERR_ARGUMENT);
        const treb_status *known = move.value.status;
        if (answer_missing_table(known[TREB_WDL])) {
            look_further(context, pos, &move);
            if (known[TREB_WDL] == TREB_OK &&
                answer_distance_status(&move.value, metric) == TREB_OK)
                status = TREB_OK;
        }
        if (status != TREB_OK && first == TREB_OK) first = fail_again(error, &why);
        for (int m = 0; m < TREB_METRICS; m++) answer_note(context, known[m]);
        if (out != NULL) insert(out, *count, &move, metric);
        ++*count;
    }
    return first;
}

treb_status answer_moves_status(AnswerContext *context, const treb_position *pos,
                                treb_metric metric, treb_error *error)
{
    size_t count;
    return probe_moves(context, pos, metric, NULL, &count, error);
}

/* ---- The position itself --------------------------------------------------------------------- */

treb_status answer_distance_status(const treb_value *value, int metric)
{
    return metric == TREB_DTM50 ? value->dtm50_status : value->status[metric];
}

/* Returns a distance as a number to compare: a rounded distance lies between two plies. */
static int length_of(const treb_value *value, int metric)
{
    if (metric == TREB_DTM50) return 2 * value->dtm50;
    return 2 * value->plies[metric] + (value->rounded[metric] == TREB_ROUNDED);
}

bool answer_is_better(const treb_move *b, const treb_move *a, treb_metric metric)
{
    const treb_value *x = &a->value, *y = &b->value;
    bool x_known = x->status[TREB_WDL] == TREB_OK, y_known = y->status[TREB_WDL] == TREB_OK;
    if (x_known != y_known) return y_known;
    if (x->rule != y->rule) return y->rule > x->rule;
    if (metric == TREB_WDL) return false;
    x_known = answer_distance_status(x, metric) == TREB_OK;
    y_known = answer_distance_status(y, metric) == TREB_OK;
    if (x_known != y_known) return y_known;
    int longer = length_of(y, metric) - length_of(x, metric);
    return x->wdl > TREB_DRAW ? longer < 0 : longer > 0;
}

const treb_move *answer_best(const treb_move *moves, size_t count, treb_metric metric)
{
    const treb_move *best = count > 0 ? &moves[0] : NULL;
    for (size_t i = 1; i < count; i++)
        if (answer_is_better(&moves[i], best, metric)) best = &moves[i];
    return best;
}

void answer_sort(treb_move *moves, size_t count, treb_metric metric)
{
    for (size_t i = 1; i < count; i++) {
        treb_move move = moves[i];
        size_t at = i;
        for (; at > 0 && answer_is_better(&move, &moves[at - 1], metric); at--)
            moves[at] = moves[at - 1];
        moves[at] = move;
    }
}

treb_metric answer_known_metric(const treb_value *value)
{
    static const treb_metric order[] = {TREB_DTM, TREB_DTC, TREB_DTZ};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (value->status[order[i]] == TREB_OK) return order[i];
    return TREB_WDL;
}

/* Returns whether a move surely wins under the 50-move rule. */
static bool wins_surely(const treb_value *value, const treb_position *pos)
{
    return treb_value_doubt(value, pos->halfmove) == TREB_DOUBT_NONE &&
           treb_value_rule(value, pos->halfmove) == TREB_WIN;
}

/* Sets a distance of a position whose moves are all known: the winner takes the least, the loser the
 * most. For DTZ only moves that keep the verdict count. */
static void set_distance(const treb_move *moves, size_t count, int metric, treb_value *value)
{
    const treb_value *best = NULL;
    bool win = value->wdl > TREB_DRAW, all = true;
    for (size_t i = 0; i < count; i++) {
        const treb_value *v = &moves[i].value;
        bool keeps = metric == TREB_DTZ ? v->wdl == value->wdl : (v->wdl > TREB_DRAW) == win;
        if (!keeps) continue;
        all = all && v->status[metric] == TREB_OK;
        int longer = best != NULL ? length_of(v, metric) - length_of(best, metric) : 0;
        if (best == NULL || (win ? longer < 0 : longer > 0)) best = v;
    }
    if (value->wdl == TREB_DRAW || best == NULL) return;
    value->status[metric] = all ? TREB_OK : TREB_ERR_NO_TABLE;
    value->plies[metric] = all ? best->plies[metric] : 0;
    value->rounded[metric] = all ? best->rounded[metric] : 0;
}

/* Sets the mate under the 50-move rule of a position whose moves are all known, by those of its moves. A
 * move that keeps the result under the rule counts. */
static void set_mate50(const treb_move *moves, size_t count, const treb_position *pos,
                       treb_value *value)
{
    const treb_value *best = NULL;
    bool all = true;
    value->rule = treb_value_rule(value, pos->halfmove);
    for (size_t i = 0; i < count; i++) {
        const treb_value *v = &moves[i].value;
        if (v->rule != value->rule) continue;
        all = all && v->dtm50_status == TREB_OK;
        if (best == NULL || (v->rule == TREB_WIN ? v->dtm50 < best->dtm50 : v->dtm50 > best->dtm50))
            best = v;
    }
    value->dtm50_status = all ? TREB_OK : TREB_ERR_NO_TABLE;
    value->dtm50 = all && best != NULL ? best->dtm50 : 0;
}

/* Derives the value of a position without a table from its moves. Returns false unless one of them
 * surely wins or all are known. */
static bool derive_value(const treb_move *moves, size_t count, const treb_position *pos,
                         treb_value *value)
{
    bool all = count > 0, won = false;
    treb_wdl wdl = TREB_LOSS;
    for (size_t i = 0; i < count; i++) {
        const treb_value *v = &moves[i].value;
        bool known = v->status[TREB_WDL] == TREB_OK;
        all = all && known;
        won = won || wins_surely(v, pos);
        if (known && v->wdl > wdl) wdl = v->wdl;
    }
    if (!all && !won) return false;
    *value = (treb_value){.wdl = wdl};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        if (all)
            set_distance(moves, count, m, value);
        else
            value->status[m] = TREB_ERR_NO_TABLE;
    }
    value->dtm50_status = TREB_ERR_NO_TABLE;
    if (all) set_mate50(moves, count, pos, value);
    return true;
}

/* Lets the position and its moves settle what the clock leaves open, and sorts the moves again. */
static void settle(const treb_position *pos, treb_value *value, treb_move *moves, size_t count)
{
    treb_settle(value, moves, count, pos->halfmove);
    for (size_t i = 1; i < count; i++) {
        const treb_move move = moves[i];
        insert(moves, i, &move, TREB_DTM);
    }
}

treb_status answer_position_value(AnswerContext *context, const treb_position *pos,
                                  treb_value *value, treb_move *moves, size_t *count,
                                  treb_error *error)
{
    treb_error why;
    *count = 0;
    if (answer_stopped(context)) return answer_fail_stopped(error);
    treb_status status = treb_probe_root(context->tables, pos, value, &why);
    if (status == TREB_OK || answer_missing_table(status))
        probe_moves(context, pos, TREB_DTM, moves, count, NULL);
    if (answer_missing_table(status) && derive_value(moves, *count, pos, value)) status = TREB_OK;
    if (status != TREB_OK && value_by_rules(pos, value)) status = TREB_OK;
    if (status == TREB_OK) settle(pos, value, moves, *count);
    if (status != TREB_OK) fail_again(error, &why);
    answer_note(context, status);
    return status;
}
