/* answer_standard.c - the object of GET /standard: a position in lila-tablebase's dialect.
 *
 * Distances are negative if the side to move loses. They count plies, but dtc counts moves, as
 * lila-tablebase does. The fields of a move are those of the position after it, seen by the opponent.
 * Categories are those of answer_position_value, as in all other answers. Positions that no table
 * covers (castling rights, too many men) have no distances. */
#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "core/system/error.h"
#include "json/answer.h"
#include "json/blocked_table.h"
#include "json/coverage.h"
#include "json/members.h"
#include "json/position_value.h"
#include "json/put.h"
#include "json/standard_blocked.h"
#include "json/standard_fields.h"

/* A move and the position after it. */
typedef struct StandardMove {
    Move move;
    char uci[TREB_UCI_SIZE], san[TREB_SAN_SIZE];
    bool zeroing, conversion;
    bool blocked; /* valued by a blocked-pawn table */
    bool keeps;   /* has the value of the position: no unknown move is better */
    int captured; /* type of the captured man, or -1 */
    StandardFields fields;
} StandardMove;

/* The position of the request. */
typedef struct StandardRoot {
    const treb_position *pos;
    StandardFields fields;
    treb_move *moves; /* all legal moves */
    size_t count;
} StandardRoot;

/* ---- Categories ------------------------------------------------------------------------------ */

/* Returns the category of a value for the side that it is for: the position's, or the move's, which
 * counts from before the move. */
static Category category_of(const treb_value *value, int clock)
{
    static const Category sure[] = {CATEGORY_LOSS, CATEGORY_BLESSED_LOSS, CATEGORY_DRAW,
                                    CATEGORY_CURSED_WIN, CATEGORY_WIN};
    const bool win = value->wdl > TREB_DRAW;
    switch (treb_value_doubt(value, clock)) {
    case TREB_DOUBT_NONE:
        return sure[treb_value_rule(value, clock)];
    case TREB_DOUBT_ROUNDED:
        return win ? CATEGORY_SYZYGY_WIN : CATEGORY_SYZYGY_LOSS;
    case TREB_DOUBT_CLOCK:
        return win ? CATEGORY_MAYBE_WIN : CATEGORY_MAYBE_LOSS;
    default:
        return CATEGORY_UNKNOWN;
    }
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

/* Keeps why a value is not known, or a distance. A position that no table can cover does not count. */
static void keep_failures(AnswerContext *context, const treb_position *pos, const treb_value *value,
                          const treb_error *why, treb_error *failure)
{
    const treb_status status = value->status[TREB_WDL];
    if (answer_refused(status)) return;
    answer_note(context, status);
    if (status == TREB_OK)
        keep_distance_failures(context, pos, value, failure);
    else
        keep_failure(failure, why);
}

/* Probes the tables. */
static treb_value look_up(AnswerContext *context, const treb_position *pos, treb_error *failure)
{
    treb_error why;
    treb_value value = {.status[TREB_WDL] = answer_covered(pos)};
    if (value.status[TREB_WDL] != TREB_OK) return value;
    treb_probe_root(context->tables, pos, &value, &why);
    keep_failures(context, pos, &value, &why, failure);
    return value;
}

/* Fills the fields of a position except its category. */
static void fill_fields(StandardFields *fields, const treb_position *pos, const treb_value *value)
{
    bool over = !movegen_any(pos);
    fields->checkmate = over && position_in_check(pos);
    fields->stalemate = over && !fields->checkmate;
    fields->insufficient = answer_insufficient(pos);
    set_distances(fields, value);
}

/* ---- The moves ------------------------------------------------------------------------------- */

/* Returns the value of the position after a move. After a quiet move it follows from that of the
 * move, one ply less. */
static treb_value value_after(AnswerContext *context, const treb_move *move,
                              const treb_position *child, treb_error *failure)
{
    treb_value value = move->value;
    const bool quiet = !(move->flags & TREB_MOVE_ZEROING);
    if (!quiet || value.status[TREB_WDL] != TREB_OK || answer_covered(child) != TREB_OK)
        return look_up(context, child, failure);
    value.wdl = (treb_wdl)(TREB_WIN - value.wdl);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (value.status[m] == TREB_OK && value.wdl != TREB_DRAW) value.plies[m]--;
    keep_failures(context, child, &value, NULL, failure);
    return value;
}

/* Fills the entry of a move. */
static void fill_entry(StandardMove *entry, AnswerContext *context, const treb_position *pos,
                       const treb_move *move, treb_error *failure)
{
    treb_position child;
    const Move m = move_make(move->from, move->to, move->promotion);
    entry->move = m;
    entry->zeroing = move->flags & TREB_MOVE_ZEROING;
    entry->conversion = move->flags & TREB_MOVE_CONVERSION;
    entry->captured = move_is_ep(pos, m) ? TREB_PAWN : position_piece_at(pos, move_to(m), NULL);
    memcpy(entry->uci, move->uci, sizeof entry->uci);
    memcpy(entry->san, move->san, sizeof entry->san);
    position_play(pos, m, &child);
    const treb_value after = value_after(context, move, &child, failure);
    fill_fields(&entry->fields, &child, &after);
    entry->fields.category = standard_negated(category_of(&move->value, pos->halfmove));
    /* Blocked-pawn tables ignore the 50-move rule. */
    if (after.status[TREB_WDL] != TREB_OK && entry->zeroing && !entry->fields.insufficient)
        entry->blocked = standard_blocked_fields(context, &child, &entry->fields);
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
    int order = b->keeps - a->keeps;
    if (order == 0) order = (int)x->category - (int)y->category;
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

/* What rests on blocked-pawn tables is not certain, as they ignore the 50-move rule. */
static Category category_ignoring_rule(Category category)
{
    if (category == CATEGORY_WIN) return CATEGORY_MAYBE_WIN;
    return category == CATEGORY_LOSS ? CATEGORY_MAYBE_LOSS : category;
}

/* Returns whether the value of the position rests on blocked-pawn tables. */
static bool rests_on_blocked(AnswerContext *context, const StandardRoot *root,
                             const StandardMove *entries)
{
    treb_value value;
    bool blocked = false;
    for (size_t i = 0; i < root->count; i++) blocked = blocked || entries[i].blocked;
    return blocked && treb_probe_root(context->tables, root->pos, &value, NULL) != TREB_OK;
}

/* Returns the entries of all moves, the best first. The caller frees them. Returns NULL if there is no
 * memory. */
static StandardMove *list_entries(AnswerContext *context, StandardRoot *root, treb_error *failure)
{
    StandardMove *entries = calloc(root->count + 1, sizeof *entries);
    if (entries == NULL) {
        fail_memory(failure);
        return NULL;
    }
    for (size_t i = 0; i < root->count && !answer_stopped(context); i++)
        fill_entry(&entries[i], context, root->pos, &root->moves[i], failure);
    Category *category = &root->fields.category;
    const bool blocked = rests_on_blocked(context, root, entries);
    if (blocked) *category = category_ignoring_rule(*category);
    const bool sure = blocked || *category == CATEGORY_LOSS || *category == CATEGORY_BLESSED_LOSS ||
                      *category == CATEGORY_DRAW || *category == CATEGORY_CURSED_WIN ||
                      *category == CATEGORY_WIN;
    for (size_t i = 0; i < root->count; i++)
        entries[i].keeps = sure && *category != CATEGORY_UNKNOWN &&
                           entries[i].fields.category == standard_negated(*category);
    qsort(entries, root->count, sizeof *entries, compare_entries);
    return entries;
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
static json_t *standard_by_tables(AnswerContext *context, StandardRoot *root, treb_error *failure)
{
    StandardMove *entries = list_entries(context, root, failure);
    if (entries == NULL) return NULL;
    json_t *object = json_object(), *moves = json_array();
    standard_put_fields(object, &root->fields);
    for (size_t i = 0; i < root->count; i++) json_array_append_new(moves, entry_json(&entries[i]));
    put(object, "moves", moves);
    free(entries);
    if (object == NULL) fail_memory(failure);
    return object;
}

/* Values the position and its moves. Returns false if there is no memory. */
static bool fill_root(StandardRoot *root, AnswerContext *context, treb_error *failure)
{
    treb_error why;
    treb_value value;
    root->moves = malloc(TREB_MOVES_MAX * sizeof *root->moves);
    if (root->moves == NULL) {
        fail_memory(failure);
        return false;
    }
    treb_status status =
        answer_position_value(context, root->pos, &value, root->moves, &root->count, &why);
    if (status != TREB_OK) value = (treb_value){.status[TREB_WDL] = status, .dtm50_status = status};
    root->fields.category = category_of(&value, root->pos->halfmove);
    /* No table has distances of such a position. */
    if (answer_covered(root->pos) != TREB_OK) value.status[TREB_WDL] = answer_covered(root->pos);
    fill_fields(&root->fields, root->pos, &value);
    if (context->no_dtc) root->fields.known[TREB_DTC] = false;
    keep_failures(context, root->pos, &value, &why, failure);
    return true;
}

json_t *answer_standard(AnswerContext *context, const treb_position *pos, treb_error *failure)
{
    StandardRoot root = {.pos = pos};
    json_t *object = NULL;
    Blocked *blocked = NULL;
    treb_status status = treb_position_check(pos, failure);
    if (status != TREB_OK) return NULL;
    failure->status = TREB_OK;
    if (answer_stopped(context)) return answer_unless_stopped(context, NULL, failure);
    if (!fill_root(&root, context, failure)) return NULL;
    if (root.fields.category == CATEGORY_UNKNOWN)
        status = answer_find_blocked(context, pos, &blocked, failure);
    if (blocked != NULL) {
        failure->status = TREB_OK;
        object = standard_blocked_json(blocked, failure);
        if (object != NULL && context->no_dtc) leave_out_dtc(object);
    } else if (status == TREB_OK) {
        object = standard_by_tables(context, &root, failure);
    }
    blocked_free(blocked);
    free(root.moves);
    answer_note(context, failure->status);
    return answer_unless_stopped(context, object, failure);
}
