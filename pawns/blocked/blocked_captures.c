/* blocked_captures.c - what the captures of a solved structure lead to: for files, whose readers
 * have no graph. */
#include "pawns/blocked/blocked.h"

#include <string.h>

#include "pawns/solve/search.h"

/* Finds the positions after captures: by the side to move then and the square of its captured pawn,
 * the squares of its king. */
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

/* The structure that the capture of a pawn of `side` leads to. */
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

/* Takes the structure after a capture in and decides it for the given squares of the king, if
 * memory allows. */
static bool decide_captured(Blocked *b, int side, int pawn, uint64_t kings)
{
    CellsKey key = key_without(b, side, pawn);
    uint64_t set[2][64] = {{0}};
    uint64_t *wanted[2] = {set[0], set[1]};
    Structure *f = proof_graph_find(b->graph, &key);
    if (f == NULL) f = proof_graph_add(b->graph, &key, true, BOTH_WINNERS);
    if (f == NULL) return !b->graph->failed;
    while (kings != 0) {
        Cell cell = kings_cell(side, bit_pop(&kings), pawn);
        set[side][cell >> 6] |= square_bit((int)(cell & 63));
    }
    return search_decide(b->graph, f, wanted) && !structure_failed(f);
}

/* Links the structure to all its children. If it was decided without some of them it has no link to
 * them, but its distances may depend on them: a capture can win faster. */
static void link_children(Blocked *b)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < b->structure->edges[side]; i++) {
            EdgeChild *child = &b->structure->edge[side][i].child;
            if (child->structure == NULL && !child->beyond)
                child->structure = proof_graph_find(b->graph, &child->key);
        }
}

/* Notes what is known of the positions after a capture. */
static bool note_captured(Blocked *b, int side, int pawn, uint64_t kings)
{
    CellsKey key = key_without(b, side, pawn);
    Structure *f = proof_graph_find(b->graph, &key);
    while (kings != 0) {
        int king = bit_pop(&kings);
        Cell cell = kings_cell(side, king, pawn);
        if (f != NULL) structure_ask_oracle(f, side, cell >> 6, square_bit((int)(cell & 63)));
        for (int winner = 0; winner < 2; winner++) {
            bool sure = f != NULL && cell_in(f->won[SURE][winner][side], cell);
            bool maybe = f == NULL || cell_in(f->won[MAYBE][winner][side], cell);
            if (sure) b->captures[winner].won[side][pawn] |= square_bit(king);
            if (!sure && maybe) b->captures[winner].open[side][pawn] |= square_bit(king);
        }
    }
    return f == NULL || !structure_failed(f);
}

bool blocked_evaluate_captures(Blocked *b)
{
    uint64_t reached[2][64] = {{0}};
    bool good = true;
    if (b->graph == NULL) return true;
    b->captures_known = false;
    memset(b->captures, 0, sizeof b->captures);
    find_captures(b, reached);
    for (int i = 0; i < 128 && good; i++)
        if (reached[i / 64][i % 64] != 0)
            good = decide_captured(b, i / 64, i % 64, reached[i / 64][i % 64]);
    for (int i = 0; i < 128 && good; i++)
        good = note_captured(b, i / 64, i % 64, reached[i / 64][i % 64]);
    link_children(b);
    if (!good || !blocked_take_values(b)) return false;
    b->captures_known = true;
    return true;
}
