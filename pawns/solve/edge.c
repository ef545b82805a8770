/* edge.c - see edge.h.
 *
 * A captured man and the man that captured it stand on one square. So the predecessors of a capture
 * by a piece are found by moving the piece back from its cell in the child. Kings and pawns move to
 * few squares: their moves are examined in every row of the structure. */
#include "pawns/solve/edge.h"

#include <string.h>

/* The row of the child that row `row` of the parent leads to. The mover, if it is a piece, and a
 * promoted piece stand on `to`. */
static size_t child_row(const CellsKey *key, const Edge *edge, size_t row, int to)
{
    size_t at = 0;
    for (int j = 0; j < edge->child.key.pieces; j++) {
        int i = edge->place[j];
        int square = i == EDGE_NEW || i == edge->mover ? to : cells_square(key, row, i);
        at = at << 6 | (size_t)square;
    }
    return at;
}

/* Returns a row of the target: the target's own memory if possible, else `room`. The caller needs
 * only the cells `mask`, in all words or, unless `only` is -1, in that word. */
static const uint64_t *target_row(TargetCells target, size_t row, int only, uint64_t mask,
                                  uint64_t room[CELLS_ROW])
{
    size_t first = row * CELLS_ROW;
    if (target.all != NULL && target.structure == NULL) return target.all + first;
    for (int i = 0; i < CELLS_ROW && target.structure != NULL; i++) {
        if (only >= 0 && i != only) continue;
        structure_ask_oracle(target.structure, target.side, first + i, mask);
        room[i] = word_get(&target.all[first + i]);
    }
    if (target.structure != NULL) return room;
    if (target.legal != NULL && only >= 0)
        room[only] = cells_legal_word(target.legal, target.side, row, only);
    else if (target.legal != NULL)
        cells_legal_row(target.legal, target.side, row, room);
    else if (target.guess != NULL)
        guess_row(target.guess, target.side, row, room);
    else
        memset(room, 0xff, CELLS_ROW * sizeof *room);
    return room;
}

/* The squares that must be empty for a pawn move. */
static uint64_t pawn_path(const Edge *edge)
{
    uint64_t path = edge->victim == CONVERSION_NOBODY ? square_bit(edge->to) : 0;
    return edge->between >= 0 ? path | square_bit(edge->between) : path;
}

/* Whether an edge of a pawn can be used in a row. */
static bool row_can(const CellsKey *key, const Edge *edge, size_t row, uint64_t path)
{
    for (int i = 0; i < key->pieces; i++) {
        int square = cells_square(key, row, i);
        if (bit_test(path, square) || (i == edge->victim && square != edge->to)) return false;
    }
    return true;
}

static void pawn_predecessors(const Structure *f, const Edge *edge, TargetCells target,
                              uint64_t *out)
{
    uint64_t path = pawn_path(edge), room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(&f->key); row++) {
        if (!row_can(&f->key, edge, row, path)) continue;
        const uint64_t *words =
            target_row(target, child_row(&f->key, edge, row, edge->to), -1, ~path, room);
        for (int king = 0; king < 64; king++)
            if (!bit_test(path, king)) out[row * CELLS_ROW + king] |= words[king] & ~path;
    }
}

static void king_predecessors(const Structure *f, int side, const Edge *edge, TargetCells target,
                              uint64_t *out)
{
    uint64_t room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(&f->key); row++) {
        int to = edge->victim >= 0 ? cells_square(&f->key, row, edge->victim) : edge->to;
        uint64_t *cells = out + row * CELLS_ROW;
        bool white = side == TREB_WHITE;
        const uint64_t *words =
            target_row(target, child_row(&f->key, edge, row, to), white ? to : -1,
                       white ? UINT64_MAX : square_bit(to), room);
        if (white) {
            for (uint64_t from = king_attacks(to); from != 0;) cells[bit_pop(&from)] |= words[to];
            continue;
        }
        for (int king = 0; king < 64; king++)
            cells[king] |= king_attacks(to) & -(words[king] >> to & 1);
    }
}

static void piece_predecessors(const Structure *f, const Edge *edge, TargetCells target,
                               uint64_t *out)
{
    uint64_t room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(&f->key); row++) {
        int at = cells_square(&f->key, row, edge->mover);
        int to = edge->victim >= 0 ? cells_square(&f->key, row, edge->victim) : edge->to;
        if (at != to) continue;
        const uint64_t *words =
            target_row(target, child_row(&f->key, edge, row, to), -1, UINT64_MAX, room);
        cells_piece_predecessors(&f->key, edge->mover, row, words, out);
    }
}

void edge_predecessors(const Structure *structure, int side, const Edge *edge, TargetCells target,
                       uint64_t *out)
{
    if (edge->mover == CONVERSION_PAWN)
        pawn_predecessors(structure, edge, target, out);
    else if (edge->mover == CONVERSION_KING)
        king_predecessors(structure, side, edge, target, out);
    else
        piece_predecessors(structure, edge, target, out);
}

/* ---- Forward --------------------------------------------------------------------------------- */

static void king_successors(int side, int to, const uint64_t in[CELLS_ROW], uint64_t *out)
{
    if (side == TREB_WHITE) {
        for (uint64_t from = king_attacks(to); from != 0;) out[to] |= in[bit_pop(&from)];
        return;
    }
    for (int king = 0; king < 64; king++)
        if (in[king] & king_attacks(to)) out[king] |= square_bit(to);
}

void edge_successors(const Structure *f, int side, const Edge *edge, const uint64_t *in,
                     uint64_t *out)
{
    uint64_t path = edge->mover == CONVERSION_PAWN ? pawn_path(edge) : 0;
    for (size_t row = 0; row < cells_rows(&f->key); row++) {
        const uint64_t *from = in + row * CELLS_ROW;
        bool victim = edge->victim >= 0 && edge->mover != CONVERSION_PAWN;
        int to = victim ? cells_square(&f->key, row, edge->victim) : edge->to;
        uint64_t *there = out + child_row(&f->key, edge, row, to) * CELLS_ROW;
        if (edge->mover >= 0) {
            if (cells_square(&f->key, row, edge->mover) == to)
                cells_piece_successors(&f->key, edge->mover, row, in, there);
            continue;
        }
        if (!cells_row_any(from)) continue;
        if (edge->mover == CONVERSION_KING) {
            king_successors(side, to, from, there);
        } else if (row_can(&f->key, edge, row, path)) {
            for (int king = 0; king < 64; king++)
                if (!bit_test(path, king)) there[king] |= from[king] & ~path;
        }
    }
}

/* ---- En passant ------------------------------------------------------------------------------ */

/* Whether an answer en passant is possible in a row: no piece is on the square that the double push
 * has passed. */
static bool row_can_answer(const Edge *edge, size_t row)
{
    for (int i = 0; i < edge->child.key.pieces; i++)
        if (cells_square(&edge->child.key, row, i) == edge->between) return false;
    return true;
}

void edge_predecessors_en_passant(const Edge *edge, TargetCells target, uint64_t *out)
{
    uint64_t path = square_bit(edge->between), room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(&edge->child.key); row++) {
        if (!row_can_answer(edge, row)) continue;
        const uint64_t *words = target_row(target, row, -1, ~path, room);
        for (int king = 0; king < 64; king++)
            if (king != edge->between) out[row * CELLS_ROW + king] |= words[king] & ~path;
    }
}

void edge_successors_en_passant(const Edge *edge, const uint64_t *in, uint64_t *out)
{
    uint64_t path = square_bit(edge->between);
    for (size_t row = 0; row < cells_rows(&edge->child.key); row++)
        for (int king = 0; king < 64 && row_can_answer(edge, row); king++)
            if (king != edge->between)
                out[row * CELLS_ROW + king] |= in[row * CELLS_ROW + king] & ~path;
}
