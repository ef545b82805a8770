/* answer_standard.c - the object of GET /standard: a position in lila-tablebase's dialect.
 *
 * Distances are negative if the side to move loses. They count plies, but dtc counts moves, as
 * lila-tablebase does. The fields of a move are those of the position after it, seen by the opponent.
 * Each of these positions is probed by itself. What no table covers (castling rights, too many men)
 * is unknown, so an unknown position still lists the moves to known ones. */
#include <stdlib.h>

#include "core/chess/san.h"
#include "core/system/error.h"
#include "json/answer.h"
#include "json/blocked_table.h"
#include "json/coverage.h"
#include "json/members.h"
#include "json/put.h"
#include "json/standard_blocked.h"
#include "json/standard_fields.h"

/* A move and the position after it. */
typedef struct StandardMove {
    Move move;
    char uci[UCI_SIZE], san[SAN_SIZE];
    bool zeroing, conversion;
    int captured; /* type of the captured man, or -1 */
    StandardFields fields;
} StandardMove;

/* ---- Categories ------------------------------------------------------------------------------ */

/* Returns the category of a decided position, as its winner sees it. `late`: a draw could already be
 * claimed before the move that led here. */
static Category category_for_winner(const treb_value *value, int clock, bool late)
{
    int plies = value->plies[TREB_DTZ] + clock;
    if (late || value->wdl == TREB_CURSED_WIN || value->wdl == TREB_BLESSED_LOSS)
        return CATEGORY_CURSED_WIN;
    if (clock == 0) return CATEGORY_WIN;
    if (value->status[TREB_DTZ] != TREB_OK) return CATEGORY_MAYBE_WIN;
    if (value->rounded[TREB_DTZ] == TREB_ROUNDED && plies == RULE_PLIES) return CATEGORY_SYZYGY_WIN;
    return plies > RULE_PLIES ? CATEGORY_CURSED_WIN : CATEGORY_WIN;
}

/* Returns the category of a position. `before` is the halfmove clock before the move that led here. */
static Category category_of(const StandardFields *fields, const treb_value *value, int clock,
                            int before)
{
    bool late = before >= RULE_PLIES;
    if (fields->stalemate || fields->insufficient) return CATEGORY_DRAW;
    if (fields->checkmate) return late ? CATEGORY_BLESSED_LOSS : CATEGORY_LOSS;
    if (value->status[TREB_WDL] != TREB_OK) return CATEGORY_UNKNOWN;
    if (value->wdl == TREB_DRAW) return CATEGORY_DRAW;
    Category category = category_for_winner(value, clock, late);
    return value->wdl > TREB_DRAW ? category : standard_negated(category);
}

/* ---- Positions ------------------------------------------------------------------------------- */

static void set_distances(StandardFields *fields, const treb_value *value)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        int sign = value->wdl > TREB_DRAW ? 1 : value->wdl < TREB_DRAW ? -1 : 0;
        fields->known[m] = value->status[TREB_WDL] == TREB_OK && value->status[m] == TREB_OK;
        fields->plies[m] = sign * value->plies[m];
        /* 0 always means a draw. So a mated side has DTZ and DTC -1, as lila-tablebase has; its DTM is unknown. */
        if (fields->checkmate) fields->plies[m] = -1;
        if (fields->checkmate && m == TREB_DTM) fields->known[m] = false;
    }
    fields->rounded = value->rounded[TREB_DTZ] != TREB_EXACT && !fields->checkmate;
}

/* Keeps the first failure; a failure other than a missing table replaces one. */
static void keep_failure(treb_error *kept, const treb_error *error)
{
    if (kept->status == TREB_OK ||
        (kept->status == TREB_ERR_NO_TABLE && error->status != TREB_ERR_NO_TABLE))
        *kept = *error;
}

/* Keeps why a distance is not known. A table that is not installed is not an error. */
static void keep_distance_failures(AnswerContext *context, const treb_position *pos,
                                   const treb_value *value, treb_error *failure)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        treb_error why;
        treb_distance distance;
        answer_note(context, value->status[m]);
        if (value->status[m] == TREB_OK || value->status[m] == TREB_ERR_NO_TABLE) continue;
        if (treb_probe_distance(context->tables, pos, (treb_metric)m, &distance, &why) != TREB_OK)
            keep_failure(failure, &why);
    }
}

/* Probes the tables. A position that no table can cover is unknown, which is not an error. */
static treb_value look_up(AnswerContext *context, const treb_position *pos, treb_error *failure)
{
    treb_error why;
    treb_value value = {0};
    treb_status status = answer_covered(pos);
    if (status == TREB_OK) status = treb_probe_root(context->tables, pos, &value, &why);
    if (answer_refused(status)) {
        value.status[TREB_WDL] = status;
        return value;
    }
    answer_note(context, status);
    if (status == TREB_OK)
        keep_distance_failures(context, pos, &value, failure);
    else
        keep_failure(failure, &why);
    return value;
}

/* Fills the fields of a position; `before` as for category_of. */
static void fill_fields(StandardFields *fields, AnswerContext *context, const treb_position *pos,
                        int before, treb_error *failure)
{
    treb_value value = look_up(context, pos, failure);
    bool over = !movegen_any(pos);
    fields->checkmate = over && position_in_check(pos);
    fields->stalemate = over && !fields->checkmate;
    fields->insufficient = answer_insufficient(pos);
    fields->category = category_of(fields, &value, pos->halfmove, before);
    set_distances(fields, &value);
    if (context->no_dtc) fields->known[TREB_DTC] = false;
}

/* ---- The moves ------------------------------------------------------------------------------- */

/* Fills the entry of a move. */
static void fill_entry(StandardMove *entry, AnswerContext *context, const treb_position *pos,
                       Move move, treb_error *failure)
{
    treb_position child;
    entry->move = move;
    entry->zeroing = move_is_zeroing(pos, move);
    entry->conversion = move_is_capture(pos, move) || move_promo(move) != 0;
    entry->captured =
        move_is_ep(pos, move) ? TREB_PAWN : position_piece_at(pos, move_to(move), NULL);
    move_to_uci(move, entry->uci);
    move_to_san(pos, move, entry->san);
    position_play(pos, move, &child);
    fill_fields(&entry->fields, context, &child, pos->halfmove, failure);
    if (entry->fields.category == CATEGORY_UNKNOWN && entry->zeroing)
        standard_blocked_fields(context, &child, &entry->fields);
    if (context->no_dtc) entry->fields.known[TREB_DTC] = false;
}

/* Compares the distances after two moves: negative distances first, the shortest first; then unknown
 * distances and 0; then positive distances, the longest first. So the quickest win and the longest
 * resistance come first. */
static int compare_distances(const StandardFields *a, const StandardFields *b, int metric)
{
    int x = a->known[metric] ? standard_distance(a, metric) : 0,
        y = b->known[metric] ? standard_distance(b, metric) : 0;
    int order = (x > 0) - (x < 0) - ((y > 0) - (y < 0));
    return order ? order : y - x;
}

/* Unknown distances come first, then larger ones. */
static int compare_dtz(const StandardFields *a, const StandardFields *b)
{
    if (!a->known[TREB_DTZ] || !b->known[TREB_DTZ]) return a->known[TREB_DTZ] - b->known[TREB_DTZ];
    return b->plies[TREB_DTZ] - a->plies[TREB_DTZ];
}

/* Moves that convert (or zero the clock) come first, but for a loser last. */
static int compare_turning(bool a, bool b, Category category)
{
    return category > CATEGORY_DRAW ? a - b : b - a;
}

/* lila-tablebase's order; the squares make it a fixed one. */
static int compare_entries(const void *left, const void *right)
{
    const StandardMove *a = left, *b = right;
    const StandardFields *x = &a->fields, *y = &b->fields;
    int order = (int)x->category - (int)y->category;
    if (order == 0) order = y->checkmate - x->checkmate;
    if (order == 0) order = y->stalemate - x->stalemate;
    if (order == 0) order = y->insufficient - x->insufficient;
    if (order == 0) order = compare_distances(x, y, TREB_DTM);
    if (order == 0) order = compare_turning(a->conversion, b->conversion, x->category);
    if (order == 0) order = compare_distances(x, y, TREB_DTC);
    if (order == 0) order = compare_turning(a->zeroing, b->zeroing, x->category);
    if (order == 0) order = compare_dtz(x, y);
    if (order == 0) order = b->captured - a->captured;
    if (order == 0) order = move_promo(b->move) - move_promo(a->move);
    if (order == 0) order = move_from(a->move) - move_from(b->move);
    return order ? order : move_to(a->move) - move_to(b->move);
}

/* Returns the entries of all moves, the best first, and their number. The caller frees them. Returns
 * NULL if there is no memory. */
static StandardMove *list_entries(AnswerContext *context, const treb_position *pos, size_t *count,
                                  treb_error *failure)
{
    Move moves[MOVES_MAX];
    *count = (size_t)movegen_all(pos, moves);
    StandardMove *entries = calloc(*count + 1, sizeof *entries);
    if (entries == NULL) {
        fail_memory(failure);
        return NULL;
    }
    for (size_t i = 0; i < *count && !answer_stopped(context); i++)
        fill_entry(&entries[i], context, pos, moves[i], failure);
    qsort(entries, *count, sizeof *entries, compare_entries);
    return entries;
}

/* Where rounding leaves the result of the best moves open, the value of the position itself decides. */
static void settle_rounded(Category root, StandardMove *entries, size_t count)
{
    bool won = root == CATEGORY_WIN || root == CATEGORY_CURSED_WIN;
    bool lost = root == CATEGORY_LOSS || root == CATEGORY_BLESSED_LOSS;
    if (!won && !lost) return;
    Category open = won ? CATEGORY_SYZYGY_LOSS : CATEGORY_SYZYGY_WIN;
    for (size_t i = 0; i < count && entries[i].fields.category == open; i++)
        entries[i].fields.category = standard_negated(root);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *entry_json(const StandardMove *entry)
{
    json_t *object = json_object();
    put(object, "uci", json_text(entry->uci));
    put(object, "san", json_text(entry->san));
    put(object, "zeroing", json_boolean(entry->zeroing));
    put(object, "conversion", json_boolean(entry->conversion));
    standard_put_fields(object, &entry->fields);
    return object;
}

static void leave_out_dtc(json_t *object)
{
    size_t i;
    json_t *move;
    put(object, "dtc", json_null());
    json_array_foreach (json_object_get(object, "moves"), i, move) put(move, "dtc", json_null());
}

/* Builds the object from tables, some of which may be missing. */
static json_t *standard_by_tables(AnswerContext *context, const treb_position *pos,
                                  StandardFields fields, treb_error *failure)
{
    size_t count = 0;
    StandardMove *entries = list_entries(context, pos, &count, failure);
    if (entries == NULL) return NULL;
    settle_rounded(fields.category, entries, count);
    if (count > 0) fields.category = standard_negated(entries[0].fields.category);
    json_t *object = json_object(), *moves = json_array();
    standard_put_fields(object, &fields);
    for (size_t i = 0; i < count; i++) json_array_append_new(moves, entry_json(&entries[i]));
    put(object, "moves", moves);
    free(entries);
    if (object == NULL) fail_memory(failure);
    return object;
}

json_t *answer_standard(AnswerContext *context, const treb_position *pos, treb_error *failure)
{
    StandardFields fields = {0};
    json_t *object = NULL;
    Blocked *blocked = NULL;
    treb_status status = treb_position_check(pos, failure);
    if (status != TREB_OK) return NULL;
    failure->status = TREB_OK;
    if (answer_stopped(context)) return answer_unless_stopped(context, NULL, failure);
    fill_fields(&fields, context, pos, pos->halfmove > 0 ? pos->halfmove - 1 : 0, failure);
    if (fields.category == CATEGORY_UNKNOWN)
        status = answer_find_blocked(context, pos, &blocked, failure);
    if (blocked != NULL) {
        failure->status = TREB_OK;
        object = standard_blocked_json(blocked, failure);
        if (object != NULL && context->no_dtc) leave_out_dtc(object);
    } else if (status == TREB_OK) {
        object = standard_by_tables(context, pos, fields, failure);
    }
    blocked_free(blocked);
    answer_note(context, failure->status);
    return answer_unless_stopped(context, object, failure);
}
