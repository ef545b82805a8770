/* standard.c - a probed position as lila-tablebase tells it.
 *
 * Distances are plies and negative where the side to move loses; dtc alone counts moves, as it does
 * there. A move's fields are those of the position after it, so seen by the opponent. A move's
 * distance is one more than that of the position after it, unless the move ends the count: only
 * then that position is probed for it. */
#include <stdlib.h>
#include <string.h>

#include "answer/line.h"
#include "answer/parts.h"
#include "answer/standard.h"
#include "core/movegen.h"

enum { RULE = 100 }; /* plies that the 50-move rule allows */

static const char *const category_names[] = {"loss",         "unknown", "syzygy-loss", "maybe-loss",
                                             "blessed-loss", "draw",    "cursed-win",  "maybe-win",
                                             "syzygy-win",   "win"};

/* A move, and the position after it. */
typedef struct StandardMove {
    treb_move move;
    int captured; /* the type of man taken, or -1 */
    Fields fields;
    size_t number; /* in the library's order, which breaks ties */
} StandardMove;

/* Whether the ply that rounding leaves open decides. */
static bool on_the_edge(const treb_value *value, int clock)
{
    return value->status[TREB_DTZ] == TREB_OK && value->rounded[TREB_DTZ] &&
           value->plies[TREB_DTZ] + clock == RULE;
}

static Category category_of(const treb_value *value, int clock)
{
    if (value->status[TREB_WDL] != TREB_OK) return CATEGORY_UNKNOWN;
    if (on_the_edge(value, clock))
        return value->wdl > TREB_DRAW ? CATEGORY_SYZYGY_WIN : CATEGORY_SYZYGY_LOSS;
    bool certain = value->status[TREB_DTZ] == TREB_OK || clock == 0;
    switch (value->rule) {
    case TREB_LOSS:
        return certain ? CATEGORY_LOSS : CATEGORY_MAYBE_LOSS;
    case TREB_BLESSED_LOSS:
        return CATEGORY_BLESSED_LOSS;
    case TREB_CURSED_WIN:
        return CATEGORY_CURSED_WIN;
    case TREB_WIN:
        return certain ? CATEGORY_WIN : CATEGORY_MAYBE_WIN;
    default:
        return CATEGORY_DRAW;
    }
}

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

/* ---- Positions ------------------------------------------------------------------------------- */

static void set_distance(Fields *fields, int metric, treb_status status, treb_distance distance)
{
    bool lost = distance.wdl<TREB_DRAW, won = distance.wdl> TREB_DRAW;
    fields->known[metric] = status == TREB_OK;
    fields->plies[metric] = lost ? -distance.plies : won ? distance.plies : 0;
    if (metric != TREB_DTZ) return;
    fields->rounded = distance.rounded && !fields->checkmate;
    /* Syzygy counts the mated as one ply from zeroing, so that 0 always means a draw. */
    if (fields->checkmate) fields->plies[metric] = -1;
}

static void set_distances(Fields *fields, const treb_value *value)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        treb_status status = value->status[TREB_WDL];
        if (status == TREB_OK) status = value->status[m];
        set_distance(fields, m, status,
                     (treb_distance){value->wdl, value->plies[m], value->rounded[m]});
    }
}

/* The distance after a move, from the move's own where that goes on counting. */
static void set_child_distance(Fields *fields, AnswerContext *context, const treb_move *move,
                               const treb_position *child, int metric)
{
    const treb_value *value = &move->value;
    bool ends = metric == TREB_DTZ   ? move->flags & TREB_MOVE_ZEROING
                : metric == TREB_DTC ? move->flags & TREB_MOVE_CONVERSION
                                     : false;
    treb_wdl wdl = (treb_wdl)(TREB_WIN - value->wdl);
    if (value->status[TREB_WDL] != TREB_OK) return;
    if (!ends || wdl == TREB_DRAW) {
        set_distance(fields, metric, value->status[metric],
                     (treb_distance){wdl, value->plies[metric] - 1, value->rounded[metric]});
        answer_note(context, value->status[metric]);
        return;
    }
    treb_distance distance = {TREB_DRAW, 0, 0};
    treb_status status = treb_probe_distance(context->tables, child, metric, &distance, NULL);
    set_distance(fields, metric, status, distance);
    answer_note(context, status);
}

/* ---- The moves ------------------------------------------------------------------------------- */

static int captured_type(const treb_position *pos, const treb_move *move)
{
    if (!(move->flags & TREB_MOVE_CAPTURE)) return -1;
    for (int type = TREB_PAWN; type < TREB_TYPES; type++)
        if (pos->by_type[type] >> move->to & 1) return type;
    return TREB_PAWN; /* en passant */
}

static void fill_entry(StandardMove *entry, AnswerContext *context, const treb_position *pos)
{
    treb_position child;
    Fields *f = &entry->fields;
    f->checkmate = entry->move.flags & TREB_MOVE_MATE;
    f->stalemate = entry->move.flags & TREB_MOVE_STALEMATE;
    f->category = category_negated(category_of(&entry->move.value, pos->halfmove));
    entry->captured = captured_type(pos, &entry->move);
    answer_note(context, entry->move.value.status[TREB_WDL]);
    if (treb_position_play(pos, entry->move.uci, &child, NULL) != TREB_OK) return;
    f->insufficient = answer_insufficient(&child);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        set_child_distance(f, context, &entry->move, &child, m);
}

/* Larger distances first, which is the quicker win and the longer resistance; unknown ones last. */
static int compare_known(const Fields *a, const Fields *b, int metric)
{
    if (a->known[metric] != b->known[metric]) return a->known[metric] ? -1 : 1;
    return a->known[metric] ? b->plies[metric] - a->plies[metric] : 0;
}

/* Moves that convert (or zero the clock) come first, but for a loser last. */
static int compare_turning(const StandardMove *a, const StandardMove *b, int flag)
{
    int order = !!(b->move.flags & flag) - !!(a->move.flags & flag);
    return a->fields.category > CATEGORY_DRAW ? -order : order;
}

static int compare_entries(const void *left, const void *right)
{
    const StandardMove *a = left, *b = right;
    int order = (int)a->fields.category - (int)b->fields.category;
    if (order == 0) order = b->fields.checkmate - a->fields.checkmate;
    if (order == 0) order = b->fields.stalemate - a->fields.stalemate;
    if (order == 0) order = b->fields.insufficient - a->fields.insufficient;
    if (order == 0) order = compare_known(&a->fields, &b->fields, TREB_DTM);
    if (order == 0) order = compare_turning(a, b, TREB_MOVE_CONVERSION);
    if (order == 0) order = compare_known(&a->fields, &b->fields, TREB_DTC);
    if (order == 0) order = compare_turning(a, b, TREB_MOVE_ZEROING);
    if (order == 0) order = compare_known(&a->fields, &b->fields, TREB_DTZ);
    if (order == 0) order = b->captured - a->captured;
    if (order == 0) order = b->move.promotion - a->move.promotion;
    return order ? order : a->number < b->number ? -1 : 1;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_distance(json_t *object, const char *name, const Fields *f, int metric)
{
    int plies = f->plies[metric];
    if (metric == TREB_DTC) plies = plies < 0 ? -((1 - plies) / 2) : (plies + 1) / 2;
    put(object, name, f->known[metric] ? json_integer(plies) : json_null());
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
    put(object, "uci", json_text(entry->move.uci));
    put(object, "san", json_text(entry->move.san));
    put(object, "zeroing", json_boolean(entry->move.flags & TREB_MOVE_ZEROING));
    put(object, "conversion", json_boolean(entry->move.flags & TREB_MOVE_CONVERSION));
    standard_put_fields(object, &entry->fields);
    return object;
}

/* A failure other than a missing table counts before one of those. */
static void keep_failure(treb_error *kept, const treb_error *error)
{
    if (kept->status == TREB_OK ||
        (kept->status == TREB_ERR_NO_TABLE && error->status != TREB_ERR_NO_TABLE))
        *kept = *error;
}

/* The moves as entries, best first, and how many; the caller frees them. */
static StandardMove *list_entries(AnswerContext *context, const treb_position *pos, size_t *count,
                                  treb_error *failure)
{
    treb_error error;
    treb_move moves[TREB_MOVES_MAX];
    treb_status status = answer_moves(context, pos, TREB_DTM, moves, count, &error);
    if (status != TREB_OK) keep_failure(failure, &error);
    StandardMove *entries = calloc(*count + 1, sizeof *entries);
    if (entries == NULL) {
        fail_memory(failure);
        return NULL;
    }
    for (size_t i = 0; i < *count && !answer_stopped(context); i++) {
        entries[i].move = moves[i];
        entries[i].number = i;
        fill_entry(&entries[i], context, pos);
    }
    qsort(entries, *count, sizeof *entries, compare_entries);
    return entries;
}

static void fill_root(Fields *fields, AnswerContext *context, const treb_position *pos,
                      const treb_value *value, const StandardMove *entries, size_t count)
{
    /* The rules alone settle a game that is over. */
    fields->checkmate = count == 0 && value->wdl == TREB_LOSS;
    fields->stalemate = count == 0 && value->wdl != TREB_LOSS;
    fields->insufficient = answer_insufficient(pos);
    fields->category = category_of(value, pos->halfmove);
    if (fields->category == CATEGORY_UNKNOWN && count > 0)
        fields->category = category_negated(entries[0].fields.category);
    set_distances(fields, value);
    for (int m = 0; m < TREB_METRICS; m++) answer_note(context, value->status[m]);
}

/* A DTZ that is not known is no failure if its table is merely not there. */
static void find_dtz_failure(const AnswerContext *context, const treb_position *pos,
                             const treb_value *value, treb_error *failure)
{
    treb_error why;
    treb_distance distance;
    treb_status status = value->status[TREB_DTZ];
    if (status == TREB_OK || status == TREB_ERR_NO_TABLE) return;
    if (treb_probe_dtz(context->tables, pos, &distance, &why) != TREB_OK) *failure = why;
}

json_t *answer_standard(AnswerContext *context, const treb_position *pos, treb_error *failure)
{
    treb_value value = {0};
    Fields fields = {0};
    size_t count = 0;
    failure->status = TREB_OK;
    if (answer_stopped(context)) return answer_unless_stopped(context, NULL, failure);
    treb_status status = treb_probe_root(context->tables, pos, &value, failure);
    if (answer_refused(status)) return NULL;
    if (status == TREB_OK) find_dtz_failure(context, pos, &value, failure);
    StandardMove *entries = list_entries(context, pos, &count, failure);
    if (entries == NULL) return NULL;
    fill_root(&fields, context, pos, &value, entries, count);
    json_t *object = json_object(), *moves = json_array();
    standard_put_fields(object, &fields);
    for (size_t i = 0; i < count; i++) json_array_append_new(moves, entry_json(&entries[i]));
    put(object, "moves", moves);
    free(entries);
    if (object == NULL) fail_memory(failure);
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
    for (size_t i = 0; i < count && pos->halfmove < 100 && status == TREB_OK; i++) {
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
        if (played != TREB_OK || last.halfmove >= 100) status = played;
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
