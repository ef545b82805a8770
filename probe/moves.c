/* moves.c - the value of a position under the 50-move rule, of each of its moves, and the best
 * line. */
#include <assert.h>
#include <string.h>

#include "core/system/error.h"
#include "core/chess/san.h"
#include "probe/gather.h"
#include "probe/probe.h"
#include "probe/solved.h"

/* ---- Values ---------------------------------------------------------------------------------- */

static treb_value value_unknown(treb_status status)
{
    treb_value value = {.wdl = TREB_DRAW, .rule = TREB_DRAW};
    for (int m = 0; m < TREB_METRICS; m++) value.status[m] = status;
    return value;
}

/* Puts a distance, or why there is none, into a value. Keeps the first failure's text. */
static void put_distance(treb_value *value, int metric, int distance)
{
    bool known = distance >= 0;
    value->plies[metric] = known ? distance_plies(distance) : 0;
    value->rounded[metric] = known && distance_rounded(distance);
    value->status[metric] = known ? TREB_OK : (treb_status)-distance;
}

/* The same as probe.h has it. */
static int distance_of(const treb_value *value, int metric)
{
    return 2 * value->plies[metric] + (value->rounded[metric] == TREB_ROUNDED);
}

/* The verdict after `halfmove` plies. If rounding leaves it open, the worse for the winner. */
static treb_wdl with_clock(const treb_value *value, treb_wdl wdl, int halfmove)
{
    int more = value->rounded[TREB_DTZ] == TREB_ROUNDED;
    return treb_wdl_with_clock(wdl, value->plies[TREB_DTZ] + more, halfmove);
}

/* ---- Beyond the tables ----------------------------------------------------------------------- */

/* Moves are listed of any position, and valued where they lead to one that tables cover. */
static bool is_covered(const treb_position *pos)
{
    return probe_check_covered(pos, NULL) == TREB_OK;
}

/* The verdict of any position. What no table covers is known only if the game is over. */
static int verdict_of(const treb_tables *set, const treb_position *pos, treb_error *error)
{
    if (is_covered(pos)) return wdl_value(set, pos, error);
    if (set->solved_count > 0 && pos->castling == 0) return probe_verdict(set, pos, error);
    if (movegen_any(pos)) return -(int)probe_check_covered(pos, error);
    return position_in_check(pos) ? TREB_LOSS : TREB_DRAW;
}

/* The distance that a move means for the one who makes it, as distance_of_move has it. */
static int distance_by_move(const treb_tables *set, treb_metric metric, const treb_position *pos,
                            Move m, const treb_position *child, int verdict, treb_error *error)
{
    enum { ONE_PLY = 2 };
    if (is_covered(child)) return distance_of_move(set, metric, pos, m, child, verdict, error);
    if (verdict == TREB_DRAW) return 0;
    if (!movegen_any(child)) return ONE_PLY;
    if (metric == TREB_DTZ && move_is_zeroing(pos, m)) return ONE_PLY;
    return metric == TREB_DTC && move_is_conversion(pos, m) ? ONE_PLY : -(int)TREB_ERR_NO_TABLE;
}

/* Where no table knows DTZ a solved pawn ending may have a bound: of `pos`, so many plies ahead. */
static void add_bound(const treb_tables *set, const treb_position *pos, int ahead, treb_value *value)
{
    if (set->solved_count == 0 || value->wdl == TREB_DRAW) return;
    if (value->status[TREB_DTZ] == TREB_OK || value->status[TREB_DTZ] == TREB_ERR_NOT_READY) return;
    int plies = solved_distance(set, pos);
    if (plies < 0) return;
    value->plies[TREB_DTZ] = plies + ahead;
    value->rounded[TREB_DTZ] = plies + ahead > 1 ? TREB_AT_MOST : TREB_EXACT;
    value->status[TREB_DTZ] = TREB_OK;
}

/* ---- A move ---------------------------------------------------------------------------------- */

/* What a move is worth to its maker. *failed gets the first failure that hurts the order. */
static treb_value value_of_move(const treb_tables *set, const treb_position *pos, Move m,
                                const treb_position *child, treb_metric metric, int *failed,
                                treb_error *error)
{
    int other = verdict_of(set, child, *failed == 0 ? error : NULL);
    if (other < 0) {
        if (*failed == 0) *failed = other;
        return value_unknown((treb_status)-other);
    }
    treb_wdl wdl = (treb_wdl)(TREB_WIN - other);
    treb_value value = {.wdl = wdl, .rule = wdl};
    for (int k = TREB_DTZ; k < TREB_METRICS; k++) {
        bool matters = k == (int)metric && *failed == 0;
        int distance =
            distance_by_move(set, (treb_metric)k, pos, m, child, other, matters ? error : NULL);
        put_distance(&value, k, distance);
        if (k == TREB_DTZ && distance < 0) add_bound(set, child, 1, &value);
        if (value.status[k] != TREB_OK && matters) *failed = distance;
    }
    if (value.status[TREB_DTZ] == TREB_OK) {
        value.wdl = with_clock(&value, wdl, 0);
        value.rule = with_clock(&value, wdl, pos->halfmove);
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
    position_play(pos, m, &child);
    move.flags = flags_of(pos, m, &child);
    move_to_uci(m, move.uci);
    move_to_san(pos, m, move.san);
    move.value = value_of_move(set, pos, m, &child, metric, failed, error);
    return move;
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* What counts first of a move's verdict. Without the 50-move rule only who wins counts. */
static int result_of(const treb_value *value, treb_rule rule)
{
    if (rule == TREB_RULE_50) return value->rule;
    return value->wdl > TREB_DRAW ? TREB_WIN : value->wdl < TREB_DRAW ? TREB_LOSS : TREB_DRAW;
}

/* Negative if a goes first by its distance: unknown ones last. */
static int compare_distance(const treb_value *a, const treb_value *b, int metric)
{
    bool a_known = a->status[metric] == TREB_OK, b_known = b->status[metric] == TREB_OK;
    if (a_known != b_known) return a_known ? -1 : 1;
    int difference = distance_of(a, metric) - distance_of(b, metric);
    return a->wdl > TREB_DRAW ? difference : -difference;
}

static int compare_moves(const treb_move *a, const treb_move *b, treb_metric metric, treb_rule rule)
{
    static const int ties[] = {TREB_DTM, TREB_DTZ, TREB_DTC};
    bool a_known = a->value.status[TREB_WDL] == TREB_OK;
    bool b_known = b->value.status[TREB_WDL] == TREB_OK;
    if (a_known != b_known) return a_known ? -1 : 1;
    int order = result_of(&b->value, rule) - result_of(&a->value, rule);
    if (order != 0) return order;
    if (metric != TREB_WDL) order = compare_distance(&a->value, &b->value, metric);
    if (order == 0) order = (b->flags & TREB_MOVE_MATE) - (a->flags & TREB_MOVE_MATE);
    for (size_t i = 0; i < sizeof ties / sizeof *ties && order == 0; i++)
        order = compare_distance(&a->value, &b->value, ties[i]);
    if (order == 0) order = a->from - b->from;
    if (order == 0) order = a->to - b->to;
    return order != 0 ? order : b->promotion - a->promotion;
}

/* The best moves so far, in order. */
typedef struct MoveList {
    treb_metric metric;
    treb_rule rule;
    treb_move *move;
    size_t count, capacity;
} MoveList;

/* Sorts by insertion; keeps the best `capacity` of the moves put so far. */
static void put_sorted(MoveList *list, const treb_move *move)
{
    size_t at = list->count;
    while (at > 0 && compare_moves(move, &list->move[at - 1], list->metric, list->rule) < 0) at--;
    if (at == list->capacity) return;
    assert(list->count <= list->capacity);
    size_t kept = list->count < list->capacity ? list->count : list->capacity - 1;
    memmove(&list->move[at + 1], &list->move[at], (kept - at) * sizeof *move);
    list->move[at] = *move;
    list->count = kept + 1;
}

/* ---- Moves and lines ------------------------------------------------------------------------- */

/* If the position's own verdicts are missing, that is what a failure for want of a table says,
 * whichever was met first. */
static void name_own_table(const treb_tables *set, const treb_position *pos, int failed,
                           treb_error *why)
{
    if (!is_covered(pos)) return;
    const SetPlace *place = set_find(set, pos);
    bool drawn = place->entry != NULL && place->entry->drawn;
    if (failed == -(int)TREB_ERR_NO_TABLE && !drawn && !set_has(place, TREB_WDL))
        set_missing(pos, TREB_WDL, why);
}

typedef struct ListCall {
    const treb_position *pos;
    MoveList *list;
    treb_error *error;
} ListCall;

static GatherProbe call_list;

static treb_status list_moves(const treb_tables *set, const treb_position *pos, MoveList *list,
                              treb_error *error)
{
    if (gather_wanted(set)) return gather(set, call_list, &(ListCall){pos, list, error});
    Move moves[MOVES_MAX];
    treb_error why;
    int all = movegen_all(pos, moves), failed = 0;
    list->count = 0;
    for (int i = 0; i < all; i++) {
        treb_move move = describe(set, pos, moves[i], list->metric, &failed, &why);
        put_sorted(list, &move);
    }
    if (failed == 0) return TREB_OK;
    name_own_table(set, pos, failed, &why);
    return probe_fail(failed, &why, error);
}

static treb_status call_list(const treb_tables *set, void *context)
{
    const ListCall *call = context;
    return list_moves(set, call->pos, call->list, call->error);
}

/* What every list of moves begins with. */
static treb_status check_list(const treb_position *pos, treb_metric metric, treb_rule rule,
                              treb_error *error)
{
    if (metric < TREB_WDL || metric >= TREB_METRICS) return probe_no_metric(error);
    if (rule != TREB_RULE_50 && rule != TREB_RULE_NONE)
        return fail(error, TREB_ERR_ARGUMENT, "there is no such rule");
    return probe_plain(pos) ? TREB_OK : probe_check_possible(pos, error);
}

treb_status treb_probe_moves(const treb_tables *tables, const treb_position *pos,
                             treb_metric metric, treb_rule rule, treb_move *out, size_t capacity,
                             size_t *count, treb_error *error)
{
    MoveList list = {.metric = metric, .rule = rule, .move = out, .capacity = capacity};
    *count = 0;
    treb_status status = check_list(pos, metric, rule, error);
    if (status != TREB_OK) return status;
    status = list_moves(tables, pos, &list, error);
    *count = list.count;
    return status;
}

typedef struct MoveCall {
    const treb_position *pos;
    const char *move;
    treb_metric metric;
    treb_move *out;
    treb_error *error;
} MoveCall;

static treb_status call_move(const treb_tables *set, void *context)
{
    const MoveCall *call = context;
    return treb_probe_move(set, call->pos, call->move, call->metric, call->out, call->error);
}

treb_status treb_probe_move(const treb_tables *tables, const treb_position *pos, const char *move,
                            treb_metric metric, treb_move *out, treb_error *error)
{
    Move m;
    treb_error why;
    int failed = 0;
    treb_status status = check_list(pos, metric, TREB_RULE_50, error);
    if (status != TREB_OK) return status;
    if (move_from_uci(pos, move, &m) != TREB_OK)
        return fail(error, TREB_ERR_ARGUMENT, "not a legal move");
    if (gather_wanted(tables))
        return gather(tables, call_move, &(MoveCall){pos, move, metric, out, error});
    *out = describe(tables, pos, m, metric, &failed, &why);
    if (failed == 0) return TREB_OK;
    name_own_table(tables, pos, failed, &why);
    return probe_fail(failed, &why, error);
}

int treb_compare_moves(const treb_move *a, const treb_move *b, treb_metric metric, treb_rule rule)
{
    return compare_moves(a, b, metric, rule);
}

/* Why a position without moves, or drawn, ends a line. */
static treb_line_end end_of(const treb_position *pos, size_t moves)
{
    if (moves > 0) return TREB_LINE_DRAW;
    return position_in_check(pos) ? TREB_LINE_MATE : TREB_LINE_STALEMATE;
}

/* Whether moves that are not known cannot be better than the first, as a solved pawn ending says. */
static bool best_does(const treb_tables *set, const treb_position *pos, const MoveList *list)
{
    if (set->solved_count == 0 || list->count == 0) return false;
    const treb_value *best = &list->move[0].value;
    if (best->status[TREB_WDL] != TREB_OK) return false;
    if (best->wdl != TREB_DRAW && best->status[list->metric] != TREB_OK) return false;
    return best->rule == TREB_WIN || verdict_of(set, pos, NULL) == (int)best->wdl;
}

treb_status treb_best_line(const treb_tables *tables, const treb_position *pos, treb_metric metric,
                           treb_rule rule, treb_move *out, size_t capacity, size_t *count,
                           treb_line_end *end, treb_error *error)
{
    treb_move best;
    MoveList list = {.metric = metric, .rule = rule, .move = &best, .capacity = 1};
    *count = 0;
    treb_status status = check_list(pos, metric, rule, error);
    treb_position at = *pos;
    while (status == TREB_OK) {
        status = list_moves(tables, &at, &list, error);
        if (status == TREB_ERR_NO_TABLE && best_does(tables, &at, &list)) status = TREB_OK;
        if (status != TREB_OK) break;
        if (list.count == 0 || best.value.wdl == TREB_DRAW) {
            *end = end_of(&at, list.count);
            return TREB_OK;
        }
        if (*count == capacity) {
            *end = TREB_LINE_CAPACITY;
            return TREB_OK;
        }
        out[(*count)++] = best;
        position_play(&at, move_make(best.from, best.to, best.promotion), &at);
    }
    return status;
}

/* ---- The position itself --------------------------------------------------------------------- */

/* What a position without a table of its own is worth by the moves that are known: `complete` if
 * all are. A distance, or minus a status. */
static int distance_ahead(const treb_value *known, int count, bool complete, int metric,
                          treb_wdl wdl)
{
    int best = -1;
    bool win = wdl > TREB_DRAW;
    treb_status why = TREB_ERR_NO_TABLE;
    if (wdl == TREB_DRAW) return 0;
    for (int i = 0; i < count; i++) {
        const treb_value *value = &known[i];
        if (win && value->wdl <= TREB_DRAW) continue;
        if (value->status[metric] != TREB_OK) {
            complete = false;
            if (value->status[metric] == TREB_ERR_NOT_READY) why = TREB_ERR_NOT_READY;
        } else if (best < 0 ||
                   (win ? distance_of(value, metric) < best : distance_of(value, metric) > best)) {
            best = distance_of(value, metric);
        }
    }
    /* Nothing is nearer than one ply. */
    bool nearest = win && best >= 0 && distance_plies(best) == 1 && !distance_rounded(best);
    return (complete && best >= 0) || nearest ? best : -(int)why;
}

/* Settles a position without a table of its own by its moves: if one wins, or if all are known.
 * *lacking: it may do so later, when what moves lead to is in memory. */
static bool look_ahead(const treb_tables *set, const treb_position *pos, bool *lacking,
                       treb_value *out)
{
    Move moves[MOVES_MAX];
    treb_value known[MOVES_MAX];
    int all = movegen_all(pos, moves), count = 0, failed = -1; /* no text is wanted */
    treb_wdl best = TREB_LOSS;
    for (int i = 0; i < all; i++) {
        treb_position child;
        position_play(pos, moves[i], &child);
        treb_value *value = &known[count];
        *value = value_of_move(set, pos, moves[i], &child, TREB_WDL, &failed, NULL);
        if (value->status[TREB_WDL] == TREB_ERR_NOT_READY) *lacking = true;
        if (value->status[TREB_WDL] != TREB_OK) continue;
        count++;
        if (value->wdl > best) best = value->wdl;
    }
    if (best != TREB_WIN && count < all) return false;
    *out = (treb_value){.wdl = best, .rule = best};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        put_distance(out, m, distance_ahead(known, count, count == all, m, best));
    return true;
}

static treb_value value_of_position(const treb_tables *set, const treb_position *pos,
                                    treb_error *error)
{
    treb_value value;
    bool covered = is_covered(pos), lacking = false;
    int verdict = verdict_of(set, pos, error);
    if (verdict >= 0) {
        value = (treb_value){.wdl = (treb_wdl)verdict, .rule = (treb_wdl)verdict};
        for (int m = TREB_DTZ; m < TREB_METRICS && covered; m++)
            put_distance(&value, m, distance_value(set, (treb_metric)m, pos, verdict, NULL));
        for (int m = TREB_DTZ; m < TREB_METRICS && !covered; m++)
            if (verdict != TREB_DRAW && movegen_any(pos)) value.status[m] = TREB_ERR_NO_TABLE;
        add_bound(set, pos, 0, &value);
    } else if ((covered && set_has(set_find(set, pos), TREB_WDL)) ||
               !look_ahead(set, pos, &lacking, &value)) {
        if (!lacking) return value_unknown((treb_status)-verdict);
        fail(error, TREB_ERR_NOT_READY, "what moves lead to is not in memory yet");
        return value_unknown(TREB_ERR_NOT_READY);
    }
    if (value.status[TREB_DTZ] == TREB_OK)
        value.rule = with_clock(&value, value.wdl, pos->halfmove);
    return value;
}

typedef struct RootCall {
    const treb_position *pos;
    treb_value *out;
    treb_error *error;
} RootCall;

static treb_status call_root(const treb_tables *set, void *context)
{
    const RootCall *call = context;
    return treb_probe_root(set, call->pos, call->out, call->error);
}

treb_status treb_probe_root(const treb_tables *tables, const treb_position *pos, treb_value *out,
                            treb_error *error)
{
    treb_error why;
    treb_status status = probe_plain(pos) ? TREB_OK : probe_check_possible(pos, error);
    if (status != TREB_OK) return status;
    if (gather_wanted(tables)) return gather(tables, call_root, &(RootCall){pos, out, error});
    *out = value_of_position(tables, pos, &why);
    status = out->status[TREB_WDL];
    return status == TREB_OK ? status : probe_fail(-(int)status, &why, error);
}
