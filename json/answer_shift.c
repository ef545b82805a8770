/* answer_shift.c - see answer_shift.h. */
#include "find/shift.h"

#include <stdlib.h>

#include "core/system/error.h"
#include "json/answer.h"
#include "json/coverage.h"
#include "json/put.h"
#include "json/words.h"

static json_t *moves_json(const treb_position *pos, int turn, const Move *moves, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        char name[SAN_SIZE];
        shift_move_name(pos, turn, moves[i], name);
        json_array_append_new(list, json_text(name));
    }
    return list;
}

static json_t *group_json(const Shift *shift, int edge)
{
    const ShiftGroup *group = &shift->group[edge];
    json_t *object = json_object();
    put(object, "group", json_text(shift_edge_text((ShiftEdge)edge)));
    put(object, "places", json_integer(group->places));
    for (int turn = 0; turn < 2; turn++) {
        json_t *side = json_object();
        for (int r = 0; r <= SHIFT_IMPOSSIBLE; r++)
            put(side, shift_result_text(r), json_integer(group->count[turn][r]));
        put(side, "one_verdict", json_boolean(group->one_verdict[turn]));
        put(side, "moves",
            moves_json(&shift->pos, turn, group->common[turn], group->commons[turn]));
        put(object, answer_color(turn), side);
    }
    return object;
}

static json_t *place_json(const ShiftPlace *place)
{
    char fen[TREB_FEN_SIZE];
    json_t *object = json_object();
    shift_place_fen(place, fen);
    put(object, "fen", json_text(fen));
    put(object, "group", json_text(shift_edge_text(place->edge)));
    for (int turn = 0; turn < 2; turn++) {
        json_t *side = json_object();
        put(side, "verdict", json_text(shift_result_text(place->result[turn])));
        put(side, "moves", moves_json(&place->pos, turn, place->keep[turn], place->kept[turn]));
        put(object, answer_color(turn), side);
    }
    return object;
}

json_t *answer_shift_json(const Shift *shift)
{
    char fen[TREB_FEN_SIZE];
    json_t *object = json_object(), *groups = json_array(), *places = json_array();
    treb_position_to_fen(&shift->pos, fen);
    put(object, "fen", json_text(fen));
    for (int edge = 0; edge < SHIFT_EDGES; edge++)
        if (shift->group[edge].places > 0) json_array_append_new(groups, group_json(shift, edge));
    for (int i = 0; i < shift->places; i++)
        json_array_append_new(places, place_json(&shift->place[i]));
    put(object, "groups", groups);
    put(object, "places", places);
    return object;
}

static bool stopped(void *context) { return answer_stopped(context); }

json_t *answer_shift(AnswerContext *context, const treb_position *pos, treb_error *error)
{
    json_t *object = NULL;
    treb_status status = answer_covered(pos);
    Shift *shift = malloc(sizeof *shift);
    if (shift == NULL)
        fail_memory(error);
    else if (status != TREB_OK)
        answer_fail_covered(status, error);
    else if ((status = shift_find(context->tables, pos, stopped, context, shift, error)) == TREB_OK)
        object = answer_shift_json(shift);
    answer_note(context, status);
    free(shift);
    return answer_unless_stopped(context, object, error);
}
