/* pull.c - from the cells of a child back to those from which an edge leads there, and forward.
 *
 * A captured man and the one that took it share a square: a capture by a piece is un-made by
 * letting the piece go back from the child's cell. Kings and pawns move by few squares, so their
 * moves are looked at in every row of the family. */
#include <string.h>

#include "pawns/family.h"

/* The child's row that row `row` of the parent leads to, with the mover, if it is a piece, and a
 * promoted piece on `to`. */
static size_t child_row(const CellsKey *key, const Edge *edge, size_t row, int to)
{
    size_t at = 0;
    for (int j = 0; j < edge->child.key.men; j++) {
        int i = edge->place[j];
        int square = i == EDGE_NEW || i == edge->mover ? to : cells_square(key, row, i);
        at = at << 6 | (size_t)square;
    }
    return at;
}

/* A row of which only the cells `mask` matter, in all words or, unless -1, in one. It is read where it is, if it can
 * be, else into `room`; where an oracle is asked other threads may note other cells of its words meanwhile. */
static const uint64_t *source_row(CellSource source, size_t row, int only, uint64_t mask,
                                  uint64_t room[CELLS_ROW])
{
    size_t first = row * CELLS_ROW;
    if (source.all != NULL && source.family == NULL) return source.all + first;
    for (int i = 0; i < CELLS_ROW && source.family != NULL; i++) {
        if (only >= 0 && i != only) continue;
        family_fill(source.family, source.side, first + i, mask);
        room[i] = word_get(&source.all[first + i]);
    }
    if (source.family != NULL) return room;
    if (source.legal != NULL && only >= 0)
        room[only] = cells_legal_word(source.legal, source.side, row, only);
    else if (source.legal != NULL)
        cells_legal_row(source.legal, source.side, row, room);
    else if (source.guess != NULL)
        guess_row(source.guess, source.side, row, room);
    else
        memset(room, 0xff, CELLS_ROW * sizeof *room);
    return room;
}

/* The squares that must be empty for a pawn's move. */
static uint64_t pawn_path(const Edge *edge)
{
    uint64_t path = edge->victim == CONVERSION_NOBODY ? square_bit(edge->to) : 0;
    return edge->between >= 0 ? path | square_bit(edge->between) : path;
}

/* Whether a pawn's edge can be used in a row. */
static bool row_can(const CellsKey *key, const Edge *edge, size_t row, uint64_t path)
{
    for (int i = 0; i < key->men; i++) {
        int square = cells_square(key, row, i);
        if (bit_test(path, square) || (i == edge->victim && square != edge->to)) return false;
    }
    return true;
}

static void pull_pawn(const Family *f, const Edge *edge, CellSource source, uint64_t *out)
{
    uint64_t path = pawn_path(edge), room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(&f->key); row++) {
        if (!row_can(&f->key, edge, row, path)) continue;
        const uint64_t *words =
            source_row(source, child_row(&f->key, edge, row, edge->to), -1, ~path, room);
        for (int king = 0; king < 64; king++)
            if (!bit_test(path, king)) out[row * CELLS_ROW + king] |= words[king] & ~path;
    }
}

static void pull_king(const Family *f, int side, const Edge *edge, CellSource source, uint64_t *out)
{
    uint64_t room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(&f->key); row++) {
        int to = edge->victim >= 0 ? cells_square(&f->key, row, edge->victim) : edge->to;
        uint64_t *cells = out + row * CELLS_ROW;
        bool white = side == TREB_WHITE;
        const uint64_t *words =
            source_row(source, child_row(&f->key, edge, row, to), white ? to : -1,
                       white ? UINT64_MAX : square_bit(to), room);
        if (white) {
            for (uint64_t from = king_attacks(to); from != 0;) cells[bit_pop(&from)] |= words[to];
            continue;
        }
        for (int king = 0; king < 64; king++)
            cells[king] |= king_attacks(to) & -(words[king] >> to & 1);
    }
}

static void pull_piece(const Family *f, const Edge *edge, CellSource source, uint64_t *out)
{
    uint64_t room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(&f->key); row++) {
        int at = cells_square(&f->key, row, edge->mover);
        int to = edge->victim >= 0 ? cells_square(&f->key, row, edge->victim) : edge->to;
        if (at != to) continue;
        const uint64_t *words =
            source_row(source, child_row(&f->key, edge, row, to), -1, UINT64_MAX, room);
        cells_unmove_from(&f->key, edge->mover, row, words, out);
    }
}

void edge_pull(const Family *family, int side, const Edge *edge, CellSource source, uint64_t *out)
{
    if (edge->mover == CONVERSION_PAWN)
        pull_pawn(family, edge, source, out);
    else if (edge->mover == CONVERSION_KING)
        pull_king(family, side, edge, source, out);
    else
        pull_piece(family, edge, source, out);
}

/* ---- Forward --------------------------------------------------------------------------------- */

static void push_king(int side, int to, const uint64_t in[CELLS_ROW], uint64_t *out)
{
    if (side == TREB_WHITE) {
        for (uint64_t from = king_attacks(to); from != 0;) out[to] |= in[bit_pop(&from)];
        return;
    }
    for (int king = 0; king < 64; king++)
        if (in[king] & king_attacks(to)) out[king] |= square_bit(to);
}

void edge_push(const Family *f, int side, const Edge *edge, const uint64_t *in, uint64_t *out)
{
    uint64_t path = edge->mover == CONVERSION_PAWN ? pawn_path(edge) : 0;
    for (size_t row = 0; row < cells_rows(&f->key); row++) {
        const uint64_t *from = in + row * CELLS_ROW;
        bool victim = edge->victim >= 0 && edge->mover != CONVERSION_PAWN;
        int to = victim ? cells_square(&f->key, row, edge->victim) : edge->to;
        uint64_t *there = out + child_row(&f->key, edge, row, to) * CELLS_ROW;
        if (edge->mover >= 0) {
            if (cells_square(&f->key, row, edge->mover) == to)
                cells_move_to(&f->key, edge->mover, row, in, there);
            continue;
        }
        if (!cells_row_any(from)) continue;
        if (edge->mover == CONVERSION_KING) {
            push_king(side, to, from, there);
        } else if (row_can(&f->key, edge, row, path)) {
            for (int king = 0; king < 64; king++)
                if (!bit_test(path, king)) there[king] |= from[king] & ~path;
        }
    }
}

/* ---- En passant ------------------------------------------------------------------------------ */

/* The pieces stand as they did, and nobody is on the square passed. */
static bool row_can_answer(const Edge *edge, size_t row)
{
    for (int i = 0; i < edge->child.key.men; i++)
        if (cells_square(&edge->child.key, row, i) == edge->between) return false;
    return true;
}

void edge_pull_en_passant(const Edge *edge, CellSource source, uint64_t *out)
{
    uint64_t path = square_bit(edge->between), room[CELLS_ROW];
    for (size_t row = 0; row < cells_rows(&edge->child.key); row++) {
        if (!row_can_answer(edge, row)) continue;
        const uint64_t *words = source_row(source, row, -1, ~path, room);
        for (int king = 0; king < 64; king++)
            if (king != edge->between) out[row * CELLS_ROW + king] |= words[king] & ~path;
    }
}

void edge_push_en_passant(const Edge *edge, const uint64_t *in, uint64_t *out)
{
    uint64_t path = square_bit(edge->between);
    for (size_t row = 0; row < cells_rows(&edge->child.key); row++)
        for (int king = 0; king < 64 && row_can_answer(edge, row); king++)
            if (king != edge->between)
                out[row * CELLS_ROW + king] |= in[row * CELLS_ROW + king] & ~path;
}
