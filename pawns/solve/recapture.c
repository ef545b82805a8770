/* recapture.c - see recapture.h. The structure after a recapture has the rows of the one before the
 * promotion, except where the promotion captures a piece; then only recaptures by the king are
 * considered. */
#include "pawns/solve/recapture.h"

#include <string.h>

#include "pawns/cells/guess.h"

/* The row of `f`, before the promotion, that leads to a row after the recapture. */
static size_t row_before(const Structure *f, const Edge *edge, size_t row)
{
    const CellsKey *after = &edge->answer->key;
    size_t before = 0;
    for (int i = 0, j = 0; i < f->key.pieces; i++) {
        int square = i == edge->victim ? edge->to : cells_square(after, row, j++);
        before = before << 6 | (size_t)square;
    }
    return before;
}

/* Whether a piece stands on a square in a row. */
static bool on_square(const CellsKey *key, size_t row, int square)
{
    for (int i = 0; i < key->pieces; i++)
        if (cells_square(key, row, i) == square) return true;
    return false;
}

/* Sets `out` to the positions of one row that are in the goal, `side` to move: those with the king
 * of colour `king` on `square`, or all if `square` is -1. Other cells may hold anything. */
static void goal_row(const EdgeChild *after, int side, RecaptureGoal goal, const Guess *guess,
                     size_t row, int king, int square, uint64_t out[CELLS_ROW])
{
    Structure *f = after->structure;
    uint64_t legal[CELLS_ROW];
    const int only = king == TREB_WHITE ? square : -1;
    const int first = only < 0 ? 0 : only, last = only < 0 ? CELLS_ROW - 1 : only;
    const uint64_t mask = king == TREB_BLACK && square >= 0 ? square_bit(square) : UINT64_MAX;
    if (f == NULL) {
        if (only >= 0)
            legal[only] = cells_legal_word(&after->key, side, row, only);
        else
            cells_legal_row(&after->key, side, row, legal);
        guess_row(guess, side, row, out);
        for (int i = first; i <= last; i++) out[i] = legal[i] & (goal.won ? out[i] : ~out[i]);
        return;
    }
    for (int i = first; i <= last; i++) {
        const size_t w = row * CELLS_ROW + i;
        structure_ask_oracle(f, side, w, mask);
        uint64_t won = word_get(&f->won[goal.level][goal.winner][side][w]);
        out[i] = f->legal[side][w] & (goal.won ? won : ~won);
    }
}

/* Ors into `out` the cells from which the king of `side` reaches `in` by a move to `to`. */
static void king_predecessors(int side, int to, const uint64_t in[CELLS_ROW], uint64_t *out)
{
    if (side == TREB_WHITE) {
        for (uint64_t from = king_attacks(to); from != 0;) out[bit_pop(&from)] |= in[to];
        return;
    }
    for (int king = 0; king < 64; king++) out[king] |= king_attacks(to) & -(in[king] >> to & 1);
}

/* Whether a piece of the other side than `side` stands on the promotion square in a row after the
 * recapture, so that it has captured; `piece` gets its number. */
static bool piece_recaptured(const Structure *f, int side, const Edge *edge, size_t row, int *piece)
{
    const CellsKey *key = &edge->answer->key;
    if (edge->victim != CONVERSION_NOBODY) return false;
    for (*piece = 0; *piece < key->pieces; ++*piece)
        if (f->key.piece[*piece].color != side && cells_square(key, row, *piece) == edge->to)
            return true;
    return false;
}

void recapture_predecessors(const Structure *f, int side, const Edge *edge, RecaptureGoal goal,
                            uint64_t *out)
{
    const EdgeChild *after = edge->answer;
    uint64_t goals[CELLS_ROW];
    Guess guess;
    int piece;
    if (after->structure == NULL && goal.level != GUESS) return;
    if (after->structure == NULL) guess_start(&guess, &after->key, goal.winner);
    for (size_t row = 0; row < cells_rows(&after->key); row++) {
        const bool by_piece = piece_recaptured(f, side, edge, row, &piece);
        if (!by_piece && on_square(&after->key, row, edge->to)) continue;
        goal_row(after, side, goal, &guess, row, !side, by_piece ? -1 : edge->to, goals);
        if (by_piece)
            cells_piece_predecessors(&after->key, piece, row, goals, out);
        else
            king_predecessors(!side, edge->to, goals, out + row_before(f, edge, row) * CELLS_ROW);
    }
}

/* Ors into `out` the cells that the king of `side` reaches from `in` by a move to `to`. */
static void king_successors(int side, int to, const uint64_t in[CELLS_ROW], uint64_t *out)
{
    if (side == TREB_WHITE) {
        for (uint64_t from = king_attacks(to); from != 0;) out[to] |= in[bit_pop(&from)];
        return;
    }
    for (int king = 0; king < 64; king++)
        if (in[king] & king_attacks(to)) out[king] |= square_bit(to);
}

void recapture_successors(const Structure *f, int side, const Edge *edge, const uint64_t *in,
                          uint64_t *out)
{
    const CellsKey *key = &edge->answer->key;
    int piece;
    for (size_t row = 0; row < cells_rows(key); row++) {
        uint64_t *there = out + row * CELLS_ROW;
        if (piece_recaptured(f, side, edge, row, &piece))
            cells_piece_successors(key, piece, row, in, there);
        else if (!on_square(key, row, edge->to))
            king_successors(!side, edge->to, in + row_before(f, edge, row) * CELLS_ROW, there);
    }
}
