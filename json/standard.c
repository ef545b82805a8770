/* standard.c - a position as lila-tablebase tells it.
 *
 * Distances are plies and negative where the side to move loses; dtc alone counts moves, as it does
 * there. A move's fields are those of the position after it, so seen by the opponent: each of these
 * positions is probed by itself, and what no table covers (castling rights, too many men) is not
 * known. So a position of which nothing is known tells of the moves that lead to known ones. */
#include <stdlib.h>
#include <string.h>

#include "json/answer_blocked.h"
#include "json/line.h"
#include "json/parts.h"
#include "json/standard.h"
#include "core/chess/san.h"
#include "core/pgn/position_text.h"

static const char *const category_names[] = {"loss",         "unknown", "syzygy-loss", "maybe-loss",
                                             "blessed-loss", "draw",    "cursed-win",  "maybe-win",
                                             "syzygy-win",   "win"};

/* A move, and the position after it. */
typedef struct StandardMove {
    Move move;
    char uci[UCI_SIZE], san[SAN_SIZE];
    bool zeroing, conversion;
    int captured; /* the type of man taken, or -1 */
    Fields fields;
} StandardMove;

treb_status answer_standard_position(const char *text, treb_position *out, treb_error *error)
{
    return position_text_tag(text, out, error);
}

/* ---- Categories ------------------------------------------------------------------------------ */

static Category category_negated(Category category)
{
    static const Category negated[] = {
        [CATEGORY_LOSS] = CATEGORY_WIN,
        [CATEGORY_UNKNOWN] = CATEGORY_UNKNOWN,
        [CATEGORY_SYZYGY_LOSS] = CATEGORY_SYZYGY_WIN,
        [CATEGORY_MAYBE_LOSS] = CATEGORY_MAYBE_WIN,
        [CATEGORY_BLESSED_LOSS] = CATEGORY_CURSED_WIN,
        [CATEGORY_DRAW] = CATEGORY_DRAW,
        [CATEGORY_CURSED_WIN] = CATEGORY_BLESSED_LOSS,
        [CATEGORY_MAYBE_WIN] = CATEGORY_MAYBE_LOSS,
        [CATEGORY_SYZYGY_WIN] = CATEGORY_SYZYGY_LOSS,
        [CATEGORY_WIN] = CATEGORY_LOSS,
    };
    return negated[category];
}

/* What is won, or lost, as its winner sees it. `late`: a draw could be claimed before the move that
 * led here. */
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

/* `before` is what the clock stood at before the move that led here. */
static Category category_of(const Fields *fields, const treb_value *value, int clock, int before)
{
    bool late = before >= RULE_PLIES;
    if (fields->stalemate || fields->insufficient) return CATEGORY_DRAW;
    if (fields->checkmate) return late ? CATEGORY_BLESSED_LOSS : CATEGORY_LOSS;
    if (value->status[TREB_WDL] != TREB_OK) return CATEGORY_UNKNOWN;
    if (value->wdl == TREB_DRAW) return CATEGORY_DRAW;
    Category category = category_for_winner(value, clock, late);
    return value->wdl > TREB_DRAW ? category : category_negated(category);
}

/* ---- Positions ------------------------------------------------------------------------------- */

static void set_distances(Fields *fields, const treb_value *value)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        int sign = value->wdl > TREB_DRAW ? 1 : value->wdl < TREB_DRAW ? -1 : 0;
        fields->known[m] = value->status[TREB_WDL] == TREB_OK && value->status[m] == TREB_OK;
        fields->plies[m] = sign * value->plies[m];
        /* 0 always means a draw. Syzygy counts the mated as one ply from zeroing, Prophet not. */
        if (fields->checkmate) fields->plies[m] = -1;
        if (fields->checkmate && m != TREB_DTZ) fields->known[m] = false;
    }
    fields->rounded = value->rounded[TREB_DTZ] != TREB_EXACT && !fields->checkmate;
}

/* A failure other than a missing table counts before one of those. */
static void keep_failure(treb_error *kept, const treb_error *error)
{
    if (kept->status == TREB_OK ||
        (kept->status == TREB_ERR_NO_TABLE && error->status != TREB_ERR_NO_TABLE))
        *kept = *error;
}

/* Keeps why a distance is not known; if its table is merely not there that is no failure. */
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

/* What the tables say. Positions that no table covers are not known for all time: no failure. */
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

/* All of a position; `before` as for category_of. */
static void fill_fields(Fields *fields, AnswerContext *context, const treb_position *pos,
                        int before, treb_error *failure)
{
    treb_value value = look_up(context, pos, failure);
    bool over = !movegen_any(pos);
    fields->checkmate = over && position_in_check(pos);
    fields->stalemate = over && !fields->checkmate;
    fields->insufficient = answer_insufficient(pos);
    fields->category = category_of(fields, &value, pos->halfmove, before);
    set_distances(fields, &value);
}

/* ---- The moves ------------------------------------------------------------------------------- */

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
        answer_blocked_fields(context, &child, &entry->fields);
}

/* A distance as it is told: DTC in moves. */
static int told(const Fields *f, int metric)
{
    int plies = f->plies[metric];
    if (metric != TREB_DTC) return plies;
    return plies < 0 ? -((1 - plies) / 2) : (plies + 1) / 2;
}

/* Negative distances come first, the shortest first, then what is not known or 0, then positive
 * ones, the longest first: the quicker win and the longer resistance. */
static int compare_distances(const Fields *a, const Fields *b, int metric)
{
    int x = a->known[metric] ? told(a, metric) : 0, y = b->known[metric] ? told(b, metric) : 0;
    int order = (x > 0) - (x < 0) - ((y > 0) - (y < 0));
    return order ? order : y - x;
}

/* What is not known comes first, then the larger. */
static int compare_dtz(const Fields *a, const Fields *b)
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
    const Fields *x = &a->fields, *y = &b->fields;
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

/* The moves as entries, best first, and how many; the caller frees them. NULL without memory. */
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

/* What rounding leaves open of the best moves is settled by what the position itself is worth. */
static void settle_rounded(Category root, StandardMove *entries, size_t count)
{
    bool won = root == CATEGORY_WIN || root == CATEGORY_CURSED_WIN;
    bool lost = root == CATEGORY_LOSS || root == CATEGORY_BLESSED_LOSS;
    if (!won && !lost) return;
    Category open = won ? CATEGORY_SYZYGY_LOSS : CATEGORY_SYZYGY_WIN;
    for (size_t i = 0; i < count && entries[i].fields.category == open; i++)
        entries[i].fields.category = category_negated(root);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_distance(json_t *object, const char *name, const Fields *f, int metric)
{
    put(object, name, f->known[metric] ? json_integer(told(f, metric)) : json_null());
}

void standard_put_fields(json_t *object, const Fields *f)
{
    put(object, "category", json_text(category_names[f->category]));
    put_distance(object, "dtz", f, TREB_DTZ);
    if (f->rounded)
        put(object, "precise_dtz", json_null());
    else
        put_distance(object, "precise_dtz", f, TREB_DTZ);
    put_distance(object, "dtc", f, TREB_DTC);
    put_distance(object, "dtm", f, TREB_DTM);
    put(object, "dtw", json_null());
    put(object, "checkmate", json_boolean(f->checkmate));
    put(object, "stalemate", json_boolean(f->stalemate));
    put(object, "variant_win", json_false());
    put(object, "variant_loss", json_false());
    put(object, "insufficient_material", json_boolean(f->insufficient));
}

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

/* From tables, of which some may be missing. */
static json_t *standard_by_tables(AnswerContext *context, const treb_position *pos, Fields fields,
                                  treb_error *failure)
{
    size_t count = 0;
    StandardMove *entries = list_entries(context, pos, &count, failure);
    if (entries == NULL) return NULL;
    settle_rounded(fields.category, entries, count);
    if (count > 0) fields.category = category_negated(entries[0].fields.category);
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
    Fields fields = {0};
    json_t *object = NULL;
    Blocked *blocked = NULL;
    treb_status status = treb_position_check(pos, failure);
    if (status != TREB_OK) return NULL;
    failure->status = TREB_OK;
    if (answer_stopped(context)) return answer_unless_stopped(context, NULL, failure);
    fill_fields(&fields, context, pos, pos->halfmove > 0 ? pos->halfmove - 1 : 0, failure);
    if (fields.category == CATEGORY_UNKNOWN)
        status = answer_instead(context, pos, &blocked, failure);
    if (blocked != NULL) {
        failure->status = TREB_OK;
        object = answer_blocked_standard(blocked, failure);
    } else if (status == TREB_OK) {
        object = standard_by_tables(context, pos, fields, failure);
    }
    blocked_free(blocked);
    answer_note(context, failure->status);
    return answer_unless_stopped(context, object, failure);
}

/* ---- The main line --------------------------------------------------------------------------- */

/* Adds dtz and precise_dtz of a position; the latter is null if the former is rounded. */
static treb_status put_dtz(json_t *object, AnswerContext *context, const treb_position *pos,
                           bool mated, treb_error *error)
{
    treb_distance distance;
    treb_status status = treb_probe_dtz(context->tables, pos, &distance, error);
    if (status != TREB_OK) return status;
    int dtz = mated ? -1 : distance.wdl < TREB_DRAW ? -distance.plies : distance.plies;
    put(object, "dtz", json_integer(dtz));
    put(object, "precise_dtz", distance.rounded && !mated ? json_null() : json_integer(dtz));
    return TREB_OK;
}

/* Plays the line out on the board, until a draw can be claimed, and appends its steps. */
static treb_status append_steps(json_t *steps, AnswerContext *context, treb_position *pos,
                                const treb_move *moves, size_t count, treb_error *error)
{
    treb_status status = TREB_OK;
    for (size_t i = 0; i < count && pos->halfmove < RULE_PLIES && status == TREB_OK; i++) {
        if (answer_stopped(context)) return answer_fail_stopped(error);
        json_t *step = json_object();
        put(step, "uci", json_text(moves[i].uci));
        put(step, "san", json_text(moves[i].san));
        status = treb_position_play(pos, moves[i].uci, pos, error);
        if (status == TREB_OK)
            status = put_dtz(step, context, pos, moves[i].flags & TREB_MOVE_MATE, error);
        json_array_append_new(steps, step);
    }
    return status;
}

json_t *answer_mainline(AnswerContext *context, const treb_position *pos, treb_error *error)
{
    const PgnLine start = {.pos = *pos, .metric = TREB_DTZ, .rule = TREB_RULE_50};
    treb_position last = *pos;
    size_t count = 0;
    treb_move *line = malloc(ANSWER_LINE_MAX * sizeof *line);
    LineWalk walk = line_begin(&start, line, ANSWER_LINE_MAX);
    json_t *object = json_object(), *steps = json_array();
    treb_status status = TREB_ERR_MEMORY;
    if (line == NULL || object == NULL || steps == NULL) {
        fail_memory(error);
        goto cleanup;
    }
    status = answer_stopped(context)
                 ? answer_fail_stopped(error)
                 : treb_probe_dtz(context->tables, pos, &(treb_distance){0}, error);
    if (status != TREB_OK) goto cleanup;
    bool mated = !movegen_any(pos) && position_in_check(pos);
    status = put_dtz(object, context, pos, mated, error);
    if (status == TREB_OK) status = answer_walk(context, &walk, error);
    count = walk.line.moves;
    /* The line may break off for a missing table behind the point where a draw is claimed. */
    if (status == TREB_OK || count > 0) {
        treb_status played = append_steps(steps, context, &last, line, count, error);
        if (played != TREB_OK || last.halfmove >= RULE_PLIES) status = played;
    }
    if (status != TREB_OK) goto cleanup;
    if (json_array_size(steps) > 0) mated = line[json_array_size(steps) - 1].flags & TREB_MOVE_MATE;
    put(object, "mainline", json_incref(steps));
    put(object, "winner", mated ? json_text(last.turn == TREB_WHITE ? "b" : "w") : json_null());
cleanup:
    answer_note(context, status);
    free(line);
    json_decref(steps);
    if (status == TREB_OK) return answer_unless_stopped(context, object, error);
    json_decref(object);
    return NULL;
}
