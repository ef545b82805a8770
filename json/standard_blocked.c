/* standard_blocked.c - see standard_blocked.h. */
#include "json/standard_blocked.h"

#include <stdlib.h>

#include "core/chess/movegen.h"
#include "core/system/error.h"
#include "json/blocked_table.h"
#include "json/members.h"
#include "json/put.h"
#include "json/standard_fields.h"

/* Returns the fields of a position with `side` to move. `plies` is its distance, -1 if unknown. */
static StandardFields fields_of(const Blocked *b, const PawnValue *value, int plies, int side)
{
    StandardFields fields = {.category = CATEGORY_DRAW};
    if (value->verdict == VERDICT_OPEN) fields.category = CATEGORY_UNKNOWN;
    if (value->verdict == VERDICT_DRAW || value->verdict == VERDICT_OPEN) {
        fields.known[TREB_DTC] = value->verdict == VERDICT_DRAW;
        return fields;
    }
    bool won = answer_blocked_wdl(value->verdict, side) == TREB_WIN;
    fields.category = won ? CATEGORY_MAYBE_WIN : CATEGORY_MAYBE_LOSS;
    fields.known[TREB_DTC] = plies >= 0 && !b->upper_bounds;
    fields.plies[TREB_DTC] = won ? plies : -plies;
    return fields;
}

/* Marks checkmate and stalemate. */
static void note_end(StandardFields *fields, const treb_position *pos)
{
    if (movegen_any(pos)) return;
    fields->checkmate = position_in_check(pos);
    fields->stalemate = !fields->checkmate;
    if (!fields->checkmate) return;
    fields->category = CATEGORY_LOSS;
    fields->plies[TREB_DTC] = -1; /* as after a move from a table */
}

bool standard_blocked_fields(AnswerContext *context, const treb_position *pos,
                             StandardFields *fields)
{
    Blocked *b = answer_blocked_after_move(context, pos);
    if (b == NULL) return false;
    PawnValue value = answer_blocked_root(b);
    *fields = fields_of(b, &value, value.plies, pos->turn);
    blocked_free(b);
    return true;
}

static json_t *standard_move(const Blocked *b, const PawnMove *move)
{
    treb_position child;
    json_t *object = json_object();
    position_make(&b->request.pos, move->move, &child);
    /* A capture begins another count, which is not known here. */
    StandardFields fields =
        fields_of(b, &move->value, move->leaves ? -1 : move->value.plies - 1, child.turn);
    fields.insufficient = answer_insufficient(&child);
    note_end(&fields, &child);
    put(object, "uci", json_text(move->uci));
    put(object, "san", json_text(move->san));
    put(object, "zeroing", json_boolean(move->leaves));
    put(object, "conversion", json_boolean(move->leaves));
    standard_put_fields(object, &fields);
    return object;
}

json_t *standard_blocked_json(Blocked *b, treb_error *error)
{
    PawnMove *moves = malloc(MOVES_MAX * sizeof *moves);
    PawnValue value = answer_blocked_root(b);
    int count = moves != NULL ? blocked_moves(b, moves) : -1;
    json_t *object = json_object(), *array = json_array();
    StandardFields fields = fields_of(b, &value, value.plies, b->request.pos.turn);
    fields.insufficient = answer_insufficient(&b->request.pos);
    note_end(&fields, &b->request.pos);
    standard_put_fields(object, &fields);
    for (int i = 0; i < count; i++) json_array_append_new(array, standard_move(b, &moves[i]));
    put(object, "moves", array);
    free(moves);
    if (count >= 0 && object != NULL) return object;
    json_decref(object);
    fail_memory(error);
    return NULL;
}
