/* captures.c - what the captures of a solved structure lead to, for those who come without the
 * lattice: readers of rank files. */
#include <string.h>

#include "pawns/ranks.h"

/* Where captures lead: by the side to move then and the square of its pawn, its king's squares. */
static void find_captures(const Blocked *b, uint64_t reached[2][64])
{
    for (int i = 0; i < 2 * 4096; i++) {
        int side = i >> 12, white = i >> 6 & 63, black = i & 63;
        Move moves[MOVES_MAX];
        treb_position pos;
        if (!bit_test(b->legal[side][white], black) ||
            !cells_to_position(&b->key, (Cell)(64 * white + black), side, &pos))
            continue;
        for (int n = movegen_captures(&pos, moves); n-- > 0;)
            reached[!side][move_to(moves[n])] |= square_bit(position_king(&pos, !side));
    }
}

/* The family that the capture of a pawn of `side` leads to. */
static CellsKey key_without(const Blocked *b, int side, int pawn)
{
    CellsKey key = b->key;
    key.pawns[side] &= ~square_bit(pawn);
    return key;
}

static Cell kings_cell(int side, int king, int other)
{
    return (Cell)(side == TREB_WHITE ? 64 * king + other : 64 * other + king);
}

/* Takes the family in and decides what is wanted of it, if memory allows. */
static bool settle_taken(Blocked *b, int side, int pawn, uint64_t kings)
{
    CellsKey key = key_without(b, side, pawn);
    uint64_t set[2][64] = {{0}};
    uint64_t *wanted[2] = {set[0], set[1]};
    Family *f = lattice_find(b->lattice, &key);
    if (f == NULL) f = lattice_add(b->lattice, &key, true, FAMILY_BOTH);
    if (f == NULL) return !b->lattice->failed;
    while (kings != 0) {
        Cell cell = kings_cell(side, bit_pop(&kings), pawn);
        set[side][cell >> 6] |= square_bit((int)(cell & 63));
    }
    return lattice_resolve(b->lattice, f, wanted) && !family_failed(f);
}

/* A family that was decided without some of its children has not been joined to them, though its
 * ranks may need them: a capture there can win sooner. */
static void link_children(Blocked *b)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < b->family->edges[side]; i++) {
            EdgeChild *child = &b->family->edge[side][i].child;
            if (child->family == NULL && !child->beyond)
                child->family = lattice_find(b->lattice, &child->key);
        }
}

/* Notes what is known of what a capture leads to. */
static bool note_captured(Blocked *b, int side, int pawn, uint64_t kings)
{
    CellsKey key = key_without(b, side, pawn);
    Family *f = lattice_find(b->lattice, &key);
    while (kings != 0) {
        int king = bit_pop(&kings);
        Cell cell = kings_cell(side, king, pawn);
        if (f != NULL) family_fill(f, side, cell >> 6, square_bit((int)(cell & 63)));
        for (int winner = 0; winner < 2; winner++) {
            bool sure = f != NULL && cell_in(f->won[SURE][winner][side], cell);
            bool maybe = f == NULL || cell_in(f->won[MAYBE][winner][side], cell);
            if (sure) b->taken[winner].won[side][pawn] |= square_bit(king);
            if (!sure && maybe) b->taken[winner].open[side][pawn] |= square_bit(king);
        }
    }
    return f == NULL || !family_failed(f);
}

bool blocked_settle_captures(Blocked *b)
{
    uint64_t reached[2][64] = {{0}};
    bool good = true;
    if (b->lattice == NULL) return true;
    b->settled = false;
    memset(b->taken, 0, sizeof b->taken);
    find_captures(b, reached);
    for (int i = 0; i < 128 && good; i++)
        if (reached[i / 64][i % 64] != 0)
            good = settle_taken(b, i / 64, i % 64, reached[i / 64][i % 64]);
    for (int i = 0; i < 128 && good; i++)
        good = note_captured(b, i / 64, i % 64, reached[i / 64][i % 64]);
    link_children(b);
    if (!good || !ranks_take_values(b)) return false;
    b->settled = true;
    return true;
}
