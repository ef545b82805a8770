/* walk.c - see walk.h. */
#include "probe/walk.h"

#include <string.h>

#include "probe/file_open.h"

/* Puts men on the board. False if one of their squares is taken. */
static bool put(treb_position *pos, int color, int type, uint64_t men)
{
    bool clash = ((pos->by_color[TREB_WHITE] | pos->by_color[TREB_BLACK]) & men) != 0;
    pos->by_color[color] |= men;
    pos->by_type[type] |= men;
    return !clash;
}

/* Puts the men of an axis on the board. False if one of their squares is taken. */
static bool put_axis(const Index *index, int axis, uint32_t coordinate, treb_position *pos)
{
    if (axis == INDEX_KINGS_AXIS) {
        int white, black;
        index_kings_squares(index->pawns, (int)coordinate, &white, &black);
        return put(pos, TREB_WHITE, TREB_KING, square_bit(white)) &&
               put(pos, TREB_BLACK, TREB_KING, square_bit(black));
    }
    const IndexGroup *group = &index->group[axis - 1];
    uint8_t square[TREB_MEN_MAX];
    uint64_t men = 0;
    index_group_squares(group, coordinate, square);
    for (int i = 0; i < group->count; i++) men |= square_bit(square[i]);
    return put(pos, group->color, group->type, men);
}

static bool put_pawns(const Index *index, uint64_t slice, WalkRow *row)
{
    uint64_t pawns[2];
    if (!index_slice_pawns(index, slice, pawns)) return false;
    row->mirrored = index->pawns && index_pawns_mirror(index, pawns) < 0;
    return put(&row->rest, TREB_WHITE, TREB_PAWN, pawns[TREB_WHITE]) &&
           put(&row->rest, TREB_BLACK, TREB_PAWN, pawns[TREB_BLACK]);
}

bool walk_order(ProbeFile *file, Index *out)
{
    const OpenTable *open;
    if (file == NULL || file->format != TREB_FORMAT_TREBUCHET) return false;
    const ProbeReader reader = reader_waiting();
    if (file_get(&reader, file, &open, NULL) < 0) return false;
    *out = open->index[open->stored[TREB_BLACK] && !open->stored[TREB_WHITE]];
    return true;
}

static uint32_t radix(const Index *index, int axis)
{
    return axis == INDEX_KINGS_AXIS ? index->kings : index->group[axis - 1].radix;
}

/* The number of cells from one row to the next. */
static uint64_t row_size(const Index *index)
{
    return index->axes > 1 ? index->stride[index->order[index->axes - 2]] : index->slice_size;
}

uint64_t walk_rows(const Index *index) { return index->size / row_size(index); }

bool walk_row(const Index *index, uint64_t number, WalkRow *row)
{
    memset(row, 0, sizeof *row);
    row->index = index;
    row->inner = index->order[index->axes - 1];
    row->cell = number * row_size(index);
    row->cells = radix(index, row->inner);
    row->rest.fullmove = 1;
    for (int g = 0; g < index->groups; g++)
        row->axis[index->group[g].color][index->group[g].type] = (uint8_t)(1 + g);
    uint64_t rest = row->cell % index->slice_size;
    if (!put_pawns(index, row->cell / index->slice_size, row)) return false;
    for (int i = 0; i < index->axes - 1; i++) {
        int axis = index->order[i];
        uint32_t coordinate = (uint32_t)(rest / index->stride[axis]);
        rest %= index->stride[axis];
        row->coordinate[axis] = coordinate;
        if (coordinate >= radix(index, axis)) return false;
        if (!put_axis(index, axis, coordinate, &row->rest)) return false;
    }
    return true;
}

/* Whether a symmetry of the board keeps the kings (and pawns) in place, so that the position may
 * have two cells. */
static bool twofold(const WalkRow *row, uint64_t kings)
{
    const uint64_t diagonal = UINT64_C(0x8040201008040201);
    return row->index->pawns ? row->mirrored : (kings & ~diagonal) == 0;
}

bool walk_cell(const WalkRow *row, uint32_t place, treb_position *pos)
{
    *pos = row->rest;
    if (!put_axis(row->index, row->inner, place, pos)) return false;
    return !twofold(row, pos->by_type[TREB_KING]) ||
           index_of_position(row->index, pos) == row->cell + place;
}

/* The coordinate of the men of `axis` after move `m` of one of them. False if the board has to be
 * turned or mirrored after the move. */
static bool moved_coordinate(const WalkRow *row, const treb_position *pos, int axis, Move m,
                             uint32_t *out)
{
    const Index *index = row->index;
    uint64_t change = square_bit(move_from(m)) | square_bit(move_to(m));
    if (axis == INDEX_KINGS_AXIS) {
        uint64_t kings = pos->by_type[TREB_KING] ^ change;
        uint64_t own = position_men_of(pos, pos->turn, TREB_KING) ^ change;
        int white = bit_first(pos->turn == TREB_WHITE ? own : kings ^ own);
        int black = bit_first(pos->turn == TREB_WHITE ? kings ^ own : own), symmetry;
        *out = (uint32_t)index_kings(index->pawns, white, black, &symmetry);
        return symmetry == 0 && !twofold(row, kings);
    }
    const IndexGroup *group = &index->group[axis - 1];
    uint8_t square[TREB_MEN_MAX];
    uint64_t men = position_men_of(pos, group->color, group->type) ^ change;
    for (int i = 0; men != 0; i++) square[i] = (uint8_t)bit_pop(&men);
    *out = index_group(group, square);
    return true;
}

uint64_t walk_moved(const WalkRow *row, uint32_t place, const treb_position *pos, Move m)
{
    const Index *index = row->index;
    int type = position_piece_at(pos, move_from(m), NULL);
    int axis = type == TREB_KING ? (int)INDEX_KINGS_AXIS : row->axis[pos->turn][type];
    uint32_t before = axis == row->inner ? place : row->coordinate[axis], after;
    if (!twofold(row, pos->by_type[TREB_KING]) && moved_coordinate(row, pos, axis, m, &after)) {
        int64_t steps = (int64_t)after - (int64_t)before;
        return row->cell + place + (uint64_t)(steps * (int64_t)index->stride[axis]);
    }
    treb_position child;
    position_make(pos, m, &child);
    return index_of_position(index, &child);
}
