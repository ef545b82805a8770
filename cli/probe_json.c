/* probe_json.c - see probe_json.h.
 *
 * Distances are plies and negative where the side to move loses; dtc alone counts moves, as it does
 * there. A move's fields are those of the position after it, so seen by the opponent. */
#include "probe_json.h"

#include <stdbool.h>
#include <stdlib.h>

#include "position.h"

/* From the worst for the one to move to the best: of two moves the one whose child comes first
 * here is better. */
typedef enum Category {
    CATEGORY_LOSS,
    CATEGORY_MAYBE_LOSS,
    CATEGORY_BLESSED_LOSS,
    CATEGORY_DRAW,
    CATEGORY_CURSED_WIN,
    CATEGORY_MAYBE_WIN,
    CATEGORY_UNKNOWN,
    CATEGORY_WIN
} Category;

static const char *const category_names[] = {"loss",       "maybe-loss", "blessed-loss", "draw",
                                             "cursed-win", "maybe-win",  "unknown",      "win"};

/* What is printed of a position. */
typedef struct Fields {
    Category category;
    bool checkmate, stalemate, insufficient;
    bool known[TREB_METRICS];
    int signed_plies[TREB_METRICS];
} Fields;

/* A move, and the position after it. */
typedef struct Entry {
    treb_move move;
    Fields fields;
    size_t number; /* in the library's order, which breaks ties */
} Entry;

/* Neither side can mate by any play: bare kings, one minor piece, bishops of one square colour. */
static bool insufficient_material(const treb_position *pos)
{
    const uint64_t *men = pos->by_type, light = UINT64_C(0x55aa55aa55aa55aa);
    if (men[TREB_PAWN] | men[TREB_ROOK] | men[TREB_QUEEN]) return false;
    if (bit_count(position_occupied(pos)) <= 3) return true;
    if (men[TREB_KNIGHT]) return false;
    return (men[TREB_BISHOP] & light) == 0 || (men[TREB_BISHOP] & ~light) == 0;
}

static Category category_of(const treb_value *value, int clock)
{
    if (value->status[TREB_WDL] != TREB_OK) return CATEGORY_UNKNOWN;
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
    return category == CATEGORY_UNKNOWN ? category
           : category == CATEGORY_WIN   ? CATEGORY_LOSS
           : category == CATEGORY_LOSS  ? CATEGORY_WIN
                                        : (Category)(2 * CATEGORY_DRAW - (int)category);
}

/* The distances of a position as its side to move sees them. */
static void set_distances(Fields *fields, const treb_value *value)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        int plies = m == TREB_DTC ? (value->plies[m] + 1) / 2 : value->plies[m];
        fields->known[m] = value->status[TREB_WDL] == TREB_OK && value->status[m] == TREB_OK;
        fields->signed_plies[m] = value->wdl < TREB_DRAW ? -plies : plies;
    }
    /* Syzygy counts the mated as one ply from zeroing, so that 0 always means a draw. */
    if (fields->checkmate) fields->signed_plies[TREB_DTZ] = -1;
}

/* ---- The moves ----------------------------------------------------------------------------- */

/* A failure other than a missing table counts before one of those. */
static void keep_failure(treb_error *kept, const treb_error *error)
{
    if (kept->status == TREB_OK || kept->status == TREB_ERR_NO_TABLE) *kept = *error;
}

static void fill_entry(Entry *entry, const treb_tables *tables, const treb_position *pos,
                       treb_error *failure)
{
    treb_position child;
    treb_value value;
    treb_error error;
    Fields *f = &entry->fields;
    f->checkmate = entry->move.flags & TREB_MOVE_MATE;
    f->stalemate = entry->move.flags & TREB_MOVE_STALEMATE;
    f->category = category_negated(category_of(&entry->move.value, pos->halfmove));
    if (treb_position_play(pos, entry->move.uci, &child, &error) != TREB_OK) {
        keep_failure(failure, &error);
        return;
    }
    f->insufficient = insufficient_material(&child);
    if (treb_probe_root(tables, &child, &value, &error) != TREB_OK) {
        keep_failure(failure, &error);
        return;
    }
    set_distances(f, &value);
}

/* Larger distances first, which is the quicker win and the longer resistance; unknown ones last. */
static int compare_known(const Fields *a, const Fields *b, int metric)
{
    if (a->known[metric] != b->known[metric]) return a->known[metric] ? -1 : 1;
    return a->known[metric] ? b->signed_plies[metric] - a->signed_plies[metric] : 0;
}

/* A winner likes moves that convert (or zero the clock) first, a loser last. */
static int compare_turning(const Entry *a, const Entry *b, int flag, int metric)
{
    bool losing = a->fields.known[metric] && a->fields.signed_plies[metric] > 0;
    int order = !!(b->move.flags & flag) - !!(a->move.flags & flag);
    return losing ? -order : order;
}

static int compare_entries(const void *left, const void *right)
{
    const Entry *a = left, *b = right;
    int order = (int)a->fields.category - (int)b->fields.category;
    if (order == 0) order = b->fields.checkmate - a->fields.checkmate;
    if (order == 0) order = b->fields.stalemate - a->fields.stalemate;
    if (order == 0) order = b->fields.insufficient - a->fields.insufficient;
    if (order == 0) order = compare_known(&a->fields, &b->fields, TREB_DTM);
    if (order == 0) order = compare_turning(a, b, TREB_MOVE_CONVERSION, TREB_DTC);
    if (order == 0) order = compare_known(&a->fields, &b->fields, TREB_DTC);
    if (order == 0) order = compare_turning(a, b, TREB_MOVE_ZEROING, TREB_DTZ);
    if (order == 0) order = compare_known(&a->fields, &b->fields, TREB_DTZ);
    return order ? order : a->number < b->number ? -1 : 1;
}

/* ---- Printing ------------------------------------------------------------------------------ */

static const char *boolean(bool value) { return value ? "true" : "false"; }

static void print_distance(FILE *out, const char *name, const Fields *f, int metric)
{
    if (f->known[metric])
        fprintf(out, "\"%s\":%d,", name, f->signed_plies[metric]);
    else
        fprintf(out, "\"%s\":null,", name);
}

static void print_fields(FILE *out, const Fields *f)
{
    fprintf(out, "\"category\":\"%s\",", category_names[f->category]);
    print_distance(out, "dtz", f, TREB_DTZ);
    print_distance(out, "precise_dtz", f, TREB_DTZ);
    print_distance(out, "dtc", f, TREB_DTC);
    print_distance(out, "dtm", f, TREB_DTM);
    fprintf(out,
            "\"dtw\":null,\"checkmate\":%s,\"stalemate\":%s,\"variant_win\":false,"
            "\"variant_loss\":false,\"insufficient_material\":%s",
            boolean(f->checkmate), boolean(f->stalemate), boolean(f->insufficient));
}

static void print_entry(FILE *out, const Entry *entry)
{
    /* Moves are letters, digits and "=+#x": nothing that JSON would have escaped. */
    fprintf(out, "{\"uci\":\"%s\",\"san\":\"%s\",\"zeroing\":%s,\"conversion\":%s,",
            entry->move.uci, entry->move.san, boolean(entry->move.flags & TREB_MOVE_ZEROING),
            boolean(entry->move.flags & TREB_MOVE_CONVERSION));
    print_fields(out, &entry->fields);
    fputc('}', out);
}

/* The moves as entries, best first, and how many; the caller frees them. */
static Entry *list_entries(const treb_tables *tables, const treb_position *pos, size_t *count,
                           treb_error *failure)
{
    treb_error error;
    treb_move *moves = malloc(TREB_MOVES_MAX * sizeof *moves);
    Entry *entries = calloc(TREB_MOVES_MAX, sizeof *entries);
    if (moves == NULL || entries == NULL) {
        free(moves);
        free(entries);
        *failure = (treb_error){TREB_ERR_MEMORY, "out of memory"};
        return NULL;
    }
    treb_status status =
        treb_probe_moves(tables, pos, TREB_DTM, moves, TREB_MOVES_MAX, count, &error);
    if (status != TREB_OK) keep_failure(failure, &error);
    for (size_t i = 0; i < *count; i++) {
        entries[i].move = moves[i];
        entries[i].number = i;
        fill_entry(&entries[i], tables, pos, failure);
    }
    qsort(entries, *count, sizeof *entries, compare_entries);
    free(moves);
    return entries;
}

treb_status probe_json_print(FILE *out, const treb_tables *tables, const treb_position *pos,
                             treb_error *error)
{
    treb_value value = {0};
    treb_error failure = {0}, why;
    Fields fields = {0};
    size_t count = 0;
    /* Refused positions come first: after them `value` has not been written. */
    treb_status status = treb_probe_root(tables, pos, &value, &why);
    if (status == TREB_ERR_POSITION || status == TREB_ERR_CASTLING || status == TREB_ERR_MEN) {
        *error = why;
        return status;
    }
    if (status != TREB_OK) failure = why;
    Entry *entries = list_entries(tables, pos, &count, &failure);
    if (entries == NULL) {
        *error = failure;
        return failure.status;
    }
    bool check = square_attackers(pos, position_king(pos, pos->turn), pos->turn ^ 1,
                                  position_occupied(pos)) != 0;
    fields.checkmate = count == 0 && check;
    fields.stalemate = count == 0 && !check;
    fields.insufficient = insufficient_material(pos);
    fields.category = category_of(&value, pos->halfmove);
    set_distances(&fields, &value);
    fputc('{', out);
    print_fields(out, &fields);
    fputs(",\"moves\":[", out);
    for (size_t i = 0; i < count; i++) {
        if (i) fputc(',', out);
        print_entry(out, &entries[i]);
    }
    fputs("]}\n", out);
    free(entries);
    *error = failure;
    return failure.status;
}
