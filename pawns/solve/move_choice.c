/* move_choice.c - see move_choice.h. */
#include "pawns/solve/move_choice.h"

#include "pawns/solve/structure.h"

enum { TARGETS_MAX = 8 + CELLS_PIECES_MAX * 28 };

/* Lists the cells of `to` that quiet moves from a cell lead to; returns their number. */
static int find_targets(const MoveChoice *c, Cell cell, Cell target[TARGETS_MAX])
{
    const CellsKey *key = c->key;
    const int king[2] = {(int)(cell >> 6 & 63), (int)(cell & 63)};
    uint64_t occupied = cells_pawns(key) | square_bit(king[0]) | square_bit(king[1]);
    int count = 0, shift = c->side == TREB_WHITE ? 6 : 0;
    for (int i = 0; i < key->pieces; i++) occupied |= square_bit(cells_square(key, cell >> 12, i));
    for (int i = -1; i < key->pieces; i++) {
        if (i >= 0 && key->piece[i].color != c->side) continue;
        const int from = i < 0 ? king[c->side] : cells_square(key, cell >> 12, i);
        uint64_t to =
            i < 0 ? king_attacks(from) : piece_attacks(key->piece[i].type, from, occupied);
        if (i >= 0) shift = 12 + 6 * (key->pieces - 1 - i);
        for (to &= ~occupied; to != 0;) {
            Cell reached = (cell & ~((Cell)63 << shift)) | (Cell)bit_pop(&to) << shift;
            if (cell_in(c->to, reached)) target[count++] = reached;
        }
    }
    return count;
}

static void add_cell(uint64_t *set, Cell cell) { set[cell >> 6] |= square_bit((int)(cell & 63)); }

static void choose_move(const MoveChoice *c, Cell cell, uint64_t *out)
{
    Cell target[TARGETS_MAX];
    int count = find_targets(c, cell, target), best = -1;
    unsigned least = 2 * UINT16_MAX;
    for (int i = 0; i < count; i++) {
        unsigned merit =
            2 * (c->plies != NULL ? c->plies[target[i]] : 0) + !cell_in(c->preferred, target[i]);
        if (merit >= least) continue;
        least = merit;
        best = i;
    }
    if (best >= 0)
        add_cell(out, target[best]);
    else
        for (int i = 0; i < count; i++) add_cell(out, target[i]);
}

void move_choice_find(const MoveChoice *choice, uint64_t *out)
{
    for (size_t w = 0; w < cells_words(choice->key); w++)
        for (uint64_t left = choice->from[w]; left != 0;)
            choose_move(choice, w << 6 | (Cell)bit_pop(&left), out);
}
