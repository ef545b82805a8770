/* retake.c - see retake.h. The family after a retake has the rows of the one before the promotion; only where the
 * promotion takes a piece that row is another, and then retakes by the king alone are looked at. */
#include "pawns/retake.h"

#include <string.h>

/* The row before a promotion that leads to a row after the retake. */
static size_t row_before(const Family *f, const Edge *edge, size_t row)
{
    const CellsKey *after = &edge->answer->key;
    size_t before = 0;
    for (int i = 0, j = 0; i < f->key.men; i++) {
        int square = i == edge->victim ? edge->to : cells_square(after, row, j++);
        before = before << 6 | (size_t)square;
    }
    return before;
}

/* Whether a piece stands where the promoted one is taken. */
static bool on_square(const CellsKey *key, size_t row, int square)
{
    for (int i = 0; i < key->men; i++)
        if (cells_square(key, row, i) == square) return true;
    return false;
}

/* Of one row the positions of the goal, `side` to move; with a king on `square`, white or black, or all if that is -1.
 * Other cells may hold anything. */
static void goal_row(const EdgeChild *after, int side, RetakeGoal goal, const Guess *guess,
                     size_t row, int king, int square, uint64_t out[CELLS_ROW])
{
    Family *f = after->family;
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
        family_fill(f, side, w, mask);
        uint64_t won = word_get(&f->won[goal.level][goal.winner][side][w]);
        out[i] = f->legal[side][w] & (goal.won ? won : ~won);
    }
}

static void king_back(int side, int to, const uint64_t in[CELLS_ROW], uint64_t *out)
{
    if (side == TREB_WHITE) {
        for (uint64_t from = king_attacks(to); from != 0;) out[bit_pop(&from)] |= in[to];
        return;
    }
    for (int king = 0; king < 64; king++) out[king] |= king_attacks(to) & -(in[king] >> to & 1);
}

/* Whether one of the retaker's pieces can take back in a row; which one into `man`. */
static bool takes_by(const Family *f, int side, const Edge *edge, size_t row, int *man)
{
    const CellsKey *key = &edge->answer->key;
    if (edge->victim != CONVERSION_NOBODY) return false;
    for (*man = 0; *man < key->men; ++*man)
        if (f->key.man[*man].color != side && cells_square(key, row, *man) == edge->to) return true;
    return false;
}

void retake_pull(const Family *f, int side, const Edge *edge, RetakeGoal goal, uint64_t *out)
{
    const EdgeChild *after = edge->answer;
    uint64_t goals[CELLS_ROW];
    Guess guess;
    int man;
    if (after->family == NULL && goal.level != GUESS) return;
    if (after->family == NULL) guess_start(&guess, &after->key, goal.winner);
    for (size_t row = 0; row < cells_rows(&after->key); row++) {
        const bool piece = takes_by(f, side, edge, row, &man);
        if (!piece && on_square(&after->key, row, edge->to)) continue;
        goal_row(after, side, goal, &guess, row, !side, piece ? -1 : edge->to, goals);
        if (piece)
            cells_unmove_from(&after->key, man, row, goals, out);
        else
            king_back(!side, edge->to, goals, out + row_before(f, edge, row) * CELLS_ROW);
    }
}

static void king_on(int side, int to, const uint64_t in[CELLS_ROW], uint64_t *out)
{
    if (side == TREB_WHITE) {
        for (uint64_t from = king_attacks(to); from != 0;) out[to] |= in[bit_pop(&from)];
        return;
    }
    for (int king = 0; king < 64; king++)
        if (in[king] & king_attacks(to)) out[king] |= square_bit(to);
}

void retake_push(const Family *f, int side, const Edge *edge, const uint64_t *in, uint64_t *out)
{
    const CellsKey *key = &edge->answer->key;
    int man;
    for (size_t row = 0; row < cells_rows(key); row++) {
        uint64_t *there = out + row * CELLS_ROW;
        if (takes_by(f, side, edge, row, &man))
            cells_move_to(key, man, row, in, there);
        else if (!on_square(key, row, edge->to))
            king_on(!side, edge->to, in + row_before(f, edge, row) * CELLS_ROW, there);
    }
}
