/* walk.c - see walk.h.
 *
 * The men are put on the board axis by axis, the outermost axis first, and the board of each level
 * is kept. So a step repeats only the axes that change, which is nearly always the innermost one
 * alone. */
#include <string.h>

#include "check/verify/walk.h"

static bool on_diagonal(int square) { return square_file(square) == square_rank(square); }

static void put_man(treb_position *pos, bool *clash, int color, int type, int square)
{
    *clash |= bit_test(position_occupied(pos), square);
    position_put(pos, color, type, square);
}

static void put_group(VerifyWalk *walk, int axis, treb_position *pos, bool *clash)
{
    const IndexGroup *group = &walk->index->group[axis - 1];
    uint8_t *squares = &walk->men.square[walk->first[axis]];
    if (walk->at.coordinate[axis] >= group->radix) {
        *clash = true;
        return;
    }
    index_group_squares(group, walk->at.coordinate[axis], squares);
    for (int i = 0; i < group->count; i++)
        put_man(pos, clash, group->color, group->type, squares[i]);
}

static void put_kings(VerifyWalk *walk, treb_position *pos, bool *clash)
{
    const Index *index = walk->index;
    uint32_t kings = walk->at.coordinate[INDEX_KINGS_AXIS];
    if (kings >= index->kings) {
        *clash = true;
        return;
    }
    int white, black;
    index_kings_squares(index->pawns, (int)kings, &white, &black);
    walk->men.king[TREB_WHITE] = (uint8_t)white;
    walk->men.king[TREB_BLACK] = (uint8_t)black;
    put_man(pos, clash, TREB_WHITE, TREB_KING, white);
    put_man(pos, clash, TREB_BLACK, TREB_KING, black);
    walk->twofold = index->pawns ? walk->mirrored : on_diagonal(white) && on_diagonal(black);
}

/* Puts the men of the axes from `from` inwards on the board. */
static void put_axes(VerifyWalk *walk, int from)
{
    for (int i = from; i < walk->index->axes; i++) {
        int axis = walk->index->order[i];
        walk->level[i + 1] = walk->level[i];
        walk->clash[i + 1] = walk->clash[i];
        /* Two men share a square already. The others need not be put on the board. */
        if (walk->clash[i]) continue;
        if (axis == INDEX_KINGS_AXIS)
            put_kings(walk, &walk->level[i + 1], &walk->clash[i + 1]);
        else
            put_group(walk, axis, &walk->level[i + 1], &walk->clash[i + 1]);
    }
}

static void put_pawns(VerifyWalk *walk)
{
    const Index *index = walk->index;
    const uint64_t slice = walk->at.slice;
    treb_position *pos = &walk->level[0];
    memset(pos, 0, sizeof *pos);
    pos->fullmove = 1;
    walk->clash[0] = slice >= index->slices || !index_slice_pawns(index, slice, walk->men.pawns);
    walk->place = index_slice_place(index, slice);
    if (!walk->clash[0]) {
        for (int color = 0; color < 2; color++) {
            pos->by_color[color] |= walk->men.pawns[color];
            pos->by_type[TREB_PAWN] |= walk->men.pawns[color];
        }
        walk->mirrored = index->pawns && index_pawns_mirror(index, walk->men.pawns) < 0;
    }
    put_axes(walk, 0);
}

void verify_walk_seek(VerifyWalk *walk, const Index *index, uint64_t cell)
{
    memset(walk, 0, sizeof *walk);
    walk->index = index;
    for (int axis = 1, men = 0; axis < index->axes; men += index->group[axis++ - 1].count)
        walk->first[axis] = men;
    index_cursor_seek(index, &walk->at, cell);
    put_pawns(walk);
}

void verify_walk_next(VerifyWalk *walk)
{
    const int changed = index_cursor_next(walk->index, &walk->at, 1);
    if (changed >= 0)
        put_axes(walk, changed);
    else
        put_pawns(walk);
}

bool verify_walk_valid(const VerifyWalk *walk)
{
    if (walk->clash[walk->index->axes]) return false;
    if (!walk->twofold) return true;
    IndexMen men = walk->men;
    return index_of_men(walk->index, &men) == walk->at.cell;
}
