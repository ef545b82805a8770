/* probe_moves.c - the value of a position and of each of its moves under the 50-move rule, and the
 * best line. */
#include <assert.h>
#include <string.h>

#include "core/chess/san.h"
#include "core/system/error.h"
#include "probe/pawn_file.h"
#include "probe/prefetch.h"
#include "probe/probe.h"

enum { ONE_PLY = 2 }; /* a distance as in probe.h */

/* ---- Values ---------------------------------------------------------------------------------- */

static treb_value value_unknown(treb_status status)
{
    treb_value value = {.wdl = TREB_DRAW, .rule = TREB_DRAW};
    for (int m = 0; m < TREB_METRICS; m++) value.status[m] = status;
    value.dtm50_status = status;
    return value;
}

static treb_status status_of(const treb_value *value, int metric)
{
    return metric == TREB_DTM50 ? value->dtm50_status : value->status[metric];
}

/* Puts a distance, or minus a status, into a value. */
static void put_distance(treb_value *value, int metric, int distance)
{
    bool known = distance >= 0;
    value->plies[metric] = known ? distance_plies(distance) : 0;
    value->rounded[metric] = known && distance_rounded(distance);
    value->status[metric] = known ? TREB_OK : (treb_status)-distance;
}

/* A distance of a value as a number, as in probe.h. */
static int distance_of(const treb_value *value, int metric)
{
    if (metric == TREB_DTM50) return 2 * value->dtm50;
    return 2 * value->plies[metric] + (value->rounded[metric] == TREB_ROUNDED);
}

/* ---- Beyond the tables ----------------------------------------------------------------------- */

/* Any position has its moves listed; those that lead to a position that tables cover have
 * values. */
static bool is_covered(const treb_position *pos)
{
    return probe_check_covered(pos, NULL) == TREB_OK;
}

/* The verdict of any position. If no table covers it, it is known if the game is over or a pawn
 * file has it. */
static int verdict_of(const ProbeReader *reader, const treb_position *pos, treb_error *error)
{
    if (is_covered(pos)) return wdl_value(reader, pos, error);
    if (reader->set->pawn_file_count > 0 && pos->castling == 0)
        return probe_verdict(reader, pos, error);
    if (movegen_any(pos)) return -(int)probe_check_covered(pos, error);
    return position_in_check(pos) ? TREB_LOSS : TREB_DRAW;
}

/* distance_of_move, also for a `child` that no table covers. */
static int distance_by_move(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                            Move m, const treb_position *child, int verdict, treb_error *error)
{
    if (is_covered(child)) return distance_of_move(reader, metric, pos, m, child, verdict, error);
    if (verdict == TREB_DRAW) return 0;
    if (!movegen_any(child)) return ONE_PLY;
    if (metric == TREB_DTZ && move_is_zeroing(pos, m)) return ONE_PLY;
    return metric == TREB_DTC && move_is_conversion(pos, m) ? ONE_PLY : -(int)TREB_ERR_NO_TABLE;
}

/* Notes what the distances of a position that a move leads to are read from. */
static void note_distances(const ProbeReader *reader, const treb_position *child)
{
    for (int m = TREB_DTZ; m < TREB_METRICS && is_covered(child); m++)
        distance_note(reader, (treb_metric)m, child);
}

/* If no table knows the DTZ of a value a pawn file may have a bound. `pos` is the position that is
 * looked up, which is `ahead` plies after the position of the value. */
static void add_bound(const ProbeReader *reader, const treb_position *pos, int ahead,
                      treb_value *value)
{
    if (reader->set->pawn_file_count == 0 || value->wdl == TREB_DRAW) return;
    if (value->status[TREB_DTZ] == TREB_OK || value->status[TREB_DTZ] == TREB_ERR_NOT_READY) return;
    int plies = pawn_file_distance(reader, pos);
    if (plies < 0) return;
    value->plies[TREB_DTZ] = plies + ahead;
    value->rounded[TREB_DTZ] = plies + ahead > 1 ? TREB_AT_MOST : TREB_EXACT;
    value->status[TREB_DTZ] = TREB_OK;
}

/* ---- Mate under the 50-move rule ------------------------------------------------------------ */

/* A distance of a value, `ahead` plies later; -1: not known exactly. */
static int distance_later(const treb_value *value, int metric, int ahead)
{
    const bool known = value->status[metric] == TREB_OK && value->rounded[metric] != TREB_AT_MOST;
    return known ? distance_of(value, metric) - ahead * ONE_PLY : -1;
}

/* Puts the mate under the 50-move rule into a value that has all else: that of a position, which is
 * `ahead` plies after the position of the value and has `left` plies left. Returns 0, or minus a status. */
static int put_mate50(const ProbeReader *reader, const treb_position *pos, int verdict, int left,
                      int ahead, bool zeroing, treb_value *value, treb_error *error)
{
    const Mate50Known known = {distance_later(value, TREB_DTM, ahead),
                               zeroing ? -1 : distance_later(value, TREB_DTZ, ahead)};
    int mate = 0, result = 0;
    if (is_covered(pos))
        result = mate50_value(reader, pos, verdict, left, &known, &mate, error);
    else if (verdict != TREB_DRAW && movegen_any(pos))
        result = -(int)TREB_ERR_NO_TABLE;
    else if (verdict == TREB_LOSS)
        mate = -MATE50_BEST;
    value->dtm50 = mate != 0 ? mate50_plies(mate) + ahead : 0;
    value->dtm50_status = (treb_status)-result;
    return result;
}

/* put_mate50 for the value of a move. At a clock of 100 the game is drawn before the move. */
static int put_mate50_by_move(const ProbeReader *reader, const treb_position *pos, Move m,
                              const treb_position *child, int verdict, treb_value *value,
                              treb_error *error)
{
    const int left = mate50_left(pos->halfmove);
    const bool zeroing = move_is_zeroing(pos, m);
    if (left == 0) return 0;
    return put_mate50(reader, child, verdict, zeroing ? (int)RULE_PLIES : left - 1, 1, zeroing,
                      value, error);
}

/* ---- A move ---------------------------------------------------------------------------------- */

/* The value of a move for the side that makes it. *failed gets the first failure that may change
 * the order of the moves. */
static treb_value value_of_move(const ProbeReader *reader, const treb_position *pos, Move m,
                                const treb_position *child, treb_metric metric, int *failed,
                                treb_error *error)
{
    int other = verdict_of(reader, child, *failed == 0 ? error : NULL);
    if (other < 0) {
        if (*failed == 0) *failed = other;
        if (probe_noting(reader, other)) note_distances(reader, child);
        return value_unknown((treb_status)-other);
    }
    treb_wdl wdl = (treb_wdl)(TREB_WIN - other);
    treb_value value = {.wdl = wdl, .rule = wdl};
    int dtz = -1;
    for (int k = TREB_DTZ; k < TREB_METRICS; k++) {
        bool matters = k == (int)metric && *failed == 0;
        bool same = k == TREB_DTC && dtz >= 0 && !move_is_zeroing(pos, m) &&
                    distance_dtc_is_dtz(reader, child);
        int distance = same ? dtz
                            : distance_by_move(reader, (treb_metric)k, pos, m, child, other,
                                               matters ? error : NULL);
        if (k == TREB_DTZ) dtz = distance;
        put_distance(&value, k, distance);
        if (k == TREB_DTZ && distance < 0) add_bound(reader, child, 1, &value);
        if (value.status[k] != TREB_OK && matters) *failed = distance;
    }
    bool matters = metric == TREB_DTM50 && *failed == 0;
    int mate = put_mate50_by_move(reader, pos, m, child, other, &value, matters ? error : NULL);
    if (mate < 0 && matters) *failed = mate;
    value.rule = treb_value_rule(&value, pos->halfmove);
    value.wdl = treb_value_rule(&value, 0);
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

static treb_move describe(const ProbeReader *reader, const treb_position *pos, Move m,
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
    move.value = value_of_move(reader, pos, m, &child, metric, failed, error);
    return move;
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* The verdict that moves are sorted by. Without the 50-move rule a cursed win is a win. */
static int result_of(const treb_value *value, treb_rule rule)
{
    if (rule == TREB_RULE_50) return value->rule;
    return value->wdl > TREB_DRAW ? TREB_WIN : value->wdl < TREB_DRAW ? TREB_LOSS : TREB_DRAW;
}

/* Negative if `a` comes before `b` by distance. Unknown distances come last. */
static int compare_distance(const treb_value *a, const treb_value *b, int metric)
{
    bool a_known = status_of(a, metric) == TREB_OK, b_known = status_of(b, metric) == TREB_OK;
    if (a_known != b_known) return a_known ? -1 : 1;
    int difference = distance_of(a, metric) - distance_of(b, metric);
    return a->wdl > TREB_DRAW ? difference : -difference;
}

/* Negative if `a` is the better move. */
static int compare_moves(const treb_move *a, const treb_move *b, treb_metric metric, treb_rule rule)
{
    static const int ties[] = {TREB_DTM, TREB_DTZ, TREB_DTC};
    bool a_known = a->value.status[TREB_WDL] == TREB_OK;
    bool b_known = b->value.status[TREB_WDL] == TREB_OK;
    if (a_known != b_known) return a_known ? -1 : 1;
    int order = result_of(&b->value, rule) - result_of(&a->value, rule);
    if (order != 0) return order;
    if (metric == TREB_DTM50) order = (int)b->value.rule - (int)a->value.rule;
    if (metric != TREB_WDL && order == 0) order = compare_distance(&a->value, &b->value, metric);
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

/* Inserts a move in order. Keeps the best `capacity` moves. */
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

/* If a table is missing and the position's own WDL table is not installed, the error names that
 * table, whichever table was found missing first. */
static void name_own_table(const ProbeReader *reader, const treb_position *pos, int failed,
                           treb_error *why)
{
    if (!is_covered(pos)) return;
    const SetPlace *place = set_find(reader->set, pos);
    bool drawn = place->entry != NULL && place->entry->drawn;
    if (failed == -(int)TREB_ERR_NO_TABLE && !drawn && !set_has(place, TREB_WDL))
        set_fail_missing(pos, TREB_WDL, why);
}

typedef struct ListCall {
    const treb_position *pos;
    MoveList *list;
    treb_error *error;
} ListCall;

static PrefetchProbe call_list;

static treb_status list_moves(const ProbeReader *reader, const treb_position *pos, MoveList *list,
                              treb_error *error)
{
    if (prefetch_needed(reader)) {
        ListCall call = {pos, list, error};
        return prefetch_run(reader, call_list, &call, error);
    }
    Move moves[MOVES_MAX];
    treb_error why;
    CellMemo memo;
    ProbeReader remembers = *reader;
    remembers.memo = &memo;
    memo.used = false;
    int all = movegen_all(pos, moves), failed = 0;
    list->count = 0;
    for (int i = 0; i < all; i++) {
        treb_move move = describe(&remembers, pos, moves[i], list->metric, &failed, &why);
        put_sorted(list, &move);
    }
    if (failed == 0) return TREB_OK;
    name_own_table(reader, pos, failed, &why);
    return probe_fail(failed, &why, error);
}

static treb_status call_list(const ProbeReader *reader, void *context)
{
    const ListCall *call = (const ListCall *)context;
    return list_moves(reader, call->pos, call->list, call->error);
}

/* Checks the arguments of the functions that list moves. */
static treb_status check_list(const treb_position *pos, treb_metric metric, treb_rule rule,
                              treb_error *error)
{
    if (!table_is_metric(metric)) return probe_no_metric(error);
    if (rule != TREB_RULE_50 && rule != TREB_RULE_NONE)
        return fail(error, TREB_ERR_ARGUMENT, "there is no such rule");
    return probe_plain(pos) ? TREB_OK : probe_check_possible(pos, error);
}

static treb_status probe_moves(const ProbeReader *reader, const treb_position *pos,
                               treb_metric metric, treb_rule rule, treb_move *out, size_t capacity,
                               size_t *count, treb_error *error)
{
    MoveList list = {.metric = metric, .rule = rule, .move = out, .capacity = capacity};
    *count = 0;
    treb_status status = check_list(pos, metric, rule, error);
    if (status != TREB_OK) return status;
    status = list_moves(reader, pos, &list, error);
    *count = list.count;
    return status;
}

treb_status treb_probe_moves(const treb_tables *tables, const treb_position *pos,
                             treb_metric metric, treb_rule rule, treb_move *out, size_t capacity,
                             size_t *count, treb_error *error)
{
    return probe_moves(set_reader(tables), pos, metric, rule, out, capacity, count, error);
}

treb_status treb_probe_moves_try(const treb_tables *tables, const treb_position *pos,
                                 treb_metric metric, treb_rule rule, treb_move *out,
                                 size_t capacity, size_t *count, treb_error *error)
{
    const ProbeReader reader = {.set = tables, .wait = WAIT_NEVER};
    return probe_moves(&reader, pos, metric, rule, out, capacity, count, error);
}

typedef struct MoveCall {
    const treb_position *pos;
    const char *move;
    treb_metric metric;
    treb_move *out;
    treb_error *error;
} MoveCall;

static PrefetchProbe call_move;

static treb_status probe_move(const ProbeReader *reader, const treb_position *pos, const char *move,
                              treb_metric metric, treb_move *out, treb_error *error)
{
    Move m;
    treb_error why;
    int failed = 0;
    treb_status status = check_list(pos, metric, TREB_RULE_50, error);
    if (status != TREB_OK) return status;
    if (move_from_uci(pos, move, &m) != TREB_OK)
        return fail(error, TREB_ERR_ARGUMENT, "not a legal move");
    if (prefetch_needed(reader)) {
        MoveCall call = {pos, move, metric, out, error};
        return prefetch_run(reader, call_move, &call, error);
    }
    *out = describe(reader, pos, m, metric, &failed, &why);
    if (failed == 0) return TREB_OK;
    name_own_table(reader, pos, failed, &why);
    return probe_fail(failed, &why, error);
}

static treb_status call_move(const ProbeReader *reader, void *context)
{
    const MoveCall *call = (const MoveCall *)context;
    return probe_move(reader, call->pos, call->move, call->metric, call->out, call->error);
}

treb_status treb_probe_move(const treb_tables *tables, const treb_position *pos, const char *move,
                            treb_metric metric, treb_move *out, treb_error *error)
{
    return probe_move(set_reader(tables), pos, move, metric, out, error);
}

int treb_compare_moves(const treb_move *a, const treb_move *b, treb_metric metric, treb_rule rule)
{
    return compare_moves(a, b, metric, rule);
}

/* Why a line ends at a position that is drawn or has no moves. */
static treb_line_end end_of(const treb_position *pos, size_t moves)
{
    if (moves > 0) return TREB_LINE_DRAW;
    return position_in_check(pos) ? TREB_LINE_MATE : TREB_LINE_STALEMATE;
}

/* Whether no unknown move can be better than the first of the list, as it wins in one ply, or as a
 * pawn file knows the verdict of the position. */
static bool first_is_best(const ProbeReader *reader, const treb_position *pos, const MoveList *list)
{
    if (list->count == 0) return false;
    const treb_value *best = &list->move[0].value;
    if (best->status[TREB_WDL] != TREB_OK) return false;
    const bool known = status_of(best, list->metric) == TREB_OK;
    if (best->wdl == TREB_WIN && known && distance_of(best, list->metric) == ONE_PLY) return true;
    if (reader->set->pawn_file_count == 0) return false;
    if (best->wdl != TREB_DRAW && !known) return false;
    return best->rule == TREB_WIN || verdict_of(reader, pos, NULL) == (int)best->wdl;
}

treb_status treb_best_line(const treb_tables *tables, const treb_position *pos, treb_metric metric,
                           treb_rule rule, treb_move *out, size_t capacity, size_t *count,
                           treb_line_end *end, treb_error *error)
{
    treb_move best;
    MoveList list = {.metric = metric, .rule = rule, .move = &best, .capacity = 1};
    *count = 0;
    const ProbeReader *reader = set_reader(tables);
    treb_status status = check_list(pos, metric, rule, error);
    treb_position at = *pos;
    while (status == TREB_OK) {
        status = list_moves(reader, &at, &list, error);
        bool missing =
            status == TREB_ERR_NO_TABLE || status == TREB_ERR_MEN || status == TREB_ERR_CASTLING;
        if (missing && first_is_best(reader, &at, &list)) status = TREB_OK;
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

/* The distance of a position without a table of its own, by those of its moves that are known.
 * `complete`: all moves are known. Returns a distance, or minus a status. */
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
    /* No distance is less than one ply. */
    bool nearest = win && best >= 0 && distance_plies(best) == 1 && !distance_rounded(best);
    return (complete && best >= 0) || nearest ? best : -(int)why;
}

/* Puts the mate under the 50-move rule into the value of such a position. */
static void put_mate50_ahead(const treb_value *known, int count, bool complete, treb_value *value)
{
    int best = -MATE50_BEST;
    for (int i = 0; i < count; i++) {
        int mate = known[i].rule == TREB_WIN    ? MATE50_BEST - known[i].dtm50
                   : known[i].rule == TREB_LOSS ? known[i].dtm50 - MATE50_BEST
                                                : 0;
        if (known[i].dtm50_status != TREB_OK)
            complete = false;
        else if (mate > best)
            best = mate;
    }
    if (!complete && best != MATE50_BEST - 1) {
        value->dtm50_status = TREB_ERR_NO_TABLE;
        return;
    }
    value->dtm50 = mate50_plies(best);
}

/* Evaluates a position without a table of its own by its moves. Succeeds if one move wins, or if
 * all moves are known. Sets *missing if it might succeed once more is in memory. */
static bool look_ahead(const ProbeReader *reader, const treb_position *pos, bool *missing,
                       treb_value *out)
{
    Move moves[MOVES_MAX];
    treb_value known[MOVES_MAX];
    int all = movegen_all(pos, moves), count = 0, failed = -1; /* no error text is needed */
    treb_wdl best = TREB_LOSS;
    for (int i = 0; i < all; i++) {
        treb_position child;
        position_play(pos, moves[i], &child);
        treb_value *value = &known[count];
        *value = value_of_move(reader, pos, moves[i], &child, TREB_WDL, &failed, NULL);
        if (value->status[TREB_WDL] == TREB_ERR_NOT_READY) *missing = true;
        if (value->status[TREB_WDL] != TREB_OK) continue;
        count++;
        if (value->wdl > best) best = value->wdl;
    }
    if (best != TREB_WIN && count < all) return false;
    *out = (treb_value){.wdl = best, .rule = best};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        put_distance(out, m, distance_ahead(known, count, count == all, m, best));
    put_mate50_ahead(known, count, count == all, out);
    return true;
}

static treb_value value_of_position(const ProbeReader *reader, const treb_position *pos,
                                    treb_error *error)
{
    treb_value value;
    bool covered = is_covered(pos), missing = false;
    int verdict = verdict_of(reader, pos, error);
    if (probe_noting(reader, verdict)) note_distances(reader, pos);
    if (verdict >= 0) {
        value = (treb_value){.wdl = (treb_wdl)verdict, .rule = (treb_wdl)verdict};
        for (int m = TREB_DTZ; m < TREB_METRICS && covered; m++)
            put_distance(&value, m, distance_value(reader, (treb_metric)m, pos, verdict, NULL));
        for (int m = TREB_DTZ; m < TREB_METRICS && !covered; m++)
            if (verdict != TREB_DRAW && movegen_any(pos)) value.status[m] = TREB_ERR_NO_TABLE;
        add_bound(reader, pos, 0, &value);
        (void)put_mate50(reader, pos, verdict, mate50_left(pos->halfmove), 0, false, &value, NULL);
    } else if ((covered && set_has(set_find(reader->set, pos), TREB_WDL)) ||
               !look_ahead(reader, pos, &missing, &value)) {
        if (!missing) return value_unknown((treb_status)-verdict);
        fail(error, TREB_ERR_NOT_READY, "the positions after the moves are not in memory yet");
        return value_unknown(TREB_ERR_NOT_READY);
    }
    value.rule = treb_value_rule(&value, pos->halfmove);
    return value;
}

/* Settles by the moves what the clock leaves open. */
static void settle(const ProbeReader *reader, const treb_position *pos, treb_value *value)
{
    treb_move moves[TREB_MOVES_MAX];
    const treb_doubt doubt = treb_value_doubt(value, pos->halfmove);
    if (doubt != TREB_DOUBT_ROUNDED && doubt != TREB_DOUBT_CLOCK) return;
    MoveList list = {TREB_DTZ, TREB_RULE_50, moves, 0, TREB_MOVES_MAX};
    list_moves(reader, pos, &list, NULL);
    treb_settle(value, moves, list.count, pos->halfmove);
}

typedef struct RootCall {
    const treb_position *pos;
    treb_value *out;
    treb_error *error;
} RootCall;

static PrefetchProbe call_root;

static treb_status probe_root(const ProbeReader *reader, const treb_position *pos, treb_value *out,
                              treb_error *error)
{
    treb_error why;
    treb_status status = probe_plain(pos) ? TREB_OK : probe_check_possible(pos, error);
    if (status != TREB_OK) return status;
    if (prefetch_needed(reader)) {
        RootCall call = {pos, out, error};
        return prefetch_run(reader, call_root, &call, error);
    }
    *out = value_of_position(reader, pos, &why);
    settle(reader, pos, out);
    status = out->status[TREB_WDL];
    return status == TREB_OK ? status : probe_fail(-(int)status, &why, error);
}

static treb_status call_root(const ProbeReader *reader, void *context)
{
    const RootCall *call = (const RootCall *)context;
    return probe_root(reader, call->pos, call->out, call->error);
}

treb_status treb_probe_root(const treb_tables *tables, const treb_position *pos, treb_value *out,
                            treb_error *error)
{
    return probe_root(set_reader(tables), pos, out, error);
}

treb_status treb_probe_root_try(const treb_tables *tables, const treb_position *pos,
                                treb_value *out, treb_error *error)
{
    const ProbeReader reader = {.set = tables, .wait = WAIT_NEVER};
    return probe_root(&reader, pos, out, error);
}
