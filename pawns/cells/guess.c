/* guess.c - see guess.h.
 *
 * Without pieces the pawn race decides: a passed pawn runs if the other king is outside its square.
 * A side wins if it promotes so early that the other side does not promote right after it. Where no
 * pawn runs, and with pieces, material decides. */
#include "pawns/cells/guess.h"

#include <string.h>

static const int worth[TREB_TYPES] = {1, 3, 3, 5, 9, 0};

static int men_ahead(const CellsKey *key, int winner)
{
    int ahead = bit_count(key->pawns[winner]) - bit_count(key->pawns[!winner]);
    for (int i = 0; i < key->pieces; i++)
        ahead += (key->piece[i].color == winner ? 1 : -1) * worth[key->piece[i].type];
    return ahead;
}

/* The squares in front of a pawn on its file and on the two files beside it. */
static uint64_t squares_before(int color, int square)
{
    uint64_t files = file_bits(square_file(square)), ranks = 0;
    files |= (files & ~file_bits(0)) >> 1 | (files & ~file_bits(7)) << 1;
    for (int rank = square_rank(square); (rank += color == TREB_WHITE ? 1 : -1) > 0 && rank < 7;)
        ranks |= rank_bits(rank);
    return files & ranks;
}

/* The squares that a king on `square` reaches in at most `steps` moves. */
static uint64_t squares_near(int square, int steps)
{
    uint64_t set = square_bit(square);
    while (steps-- > 0) {
        set |= (set & ~file_bits(0)) >> 1 | (set & ~file_bits(7)) << 1;
        set |= set << 8 | set >> 8;
    }
    return set;
}

/* Finds where the passed pawns of a colour promote. False if it has none. */
static bool find_runs(Guess *g, int color)
{
    bool any = false;
    const uint64_t *pawns = g->key->pawns;
    for (uint64_t left = pawns[color]; left != 0;) {
        int square = bit_pop(&left), rank = square_rank(square);
        uint64_t before = squares_before(color, square);
        if (before & (pawns[!color] | (pawns[color] & file_bits(square_file(square))))) continue;
        int steps = color == TREB_WHITE ? 7 - rank : rank;
        if (steps == 6) steps = 5;
        any = true;
        for (int side = 0; side < 2; side++) {
            int last = square_at(square_file(square), color == TREB_WHITE ? 7 : 0);
            uint64_t out = ~squares_near(last, steps + (side != color));
            for (int n = steps; n < 8; n++) g->queens[color][side][n] |= out;
        }
    }
    return any;
}

void guess_start(Guess *g, const CellsKey *key, int winner)
{
    memset(g, 0, sizeof *g);
    g->key = key;
    g->winner = winner;
    const int ahead = men_ahead(key, winner);
    if (key->pieces > 0) {
        g->ahead = ahead >= 3;
        /* A pawn that promotes with the next move counts as a queen. */
        g->promotes[TREB_WHITE] = ahead < 11 ? key->pawns[TREB_WHITE] & rank_bits(6) : 0;
        g->promotes[TREB_BLACK] = ahead < 11 ? key->pawns[TREB_BLACK] & rank_bits(1) : 0;
        g->flat = !g->ahead || g->promotes[!winner] == 0;
        return;
    }
    g->ahead = ahead >= 3;
    bool runs = find_runs(g, TREB_WHITE);
    g->flat = !find_runs(g, TREB_BLACK) && !runs;
}

/* With the white king on a square: the squares of the black king for which `color` promotes within
 * `moves` of its own moves. */
static uint64_t in_time(const Guess *g, int color, int side, int white_king, int moves)
{
    if (moves < 1) return 0;
    uint64_t queens = g->queens[color][side][moves > 7 ? 7 : moves];
    if (color == TREB_WHITE) return queens;
    return bit_test(queens, white_king) ? UINT64_MAX : 0;
}

/* The cells in which `color` promotes early enough before the other side. */
static uint64_t first(const Guess *g, int color, int side, int white_king)
{
    uint64_t set = 0;
    /* If `color` is to move and promotes on its n-th move, the other side must not promote on its
     * own n-th move; if the other side is to move, not on its n + 1-th either. */
    const int later = side == color ? 0 : 1;
    for (int n = 1; n <= 5; n++)
        set |= in_time(g, color, side, white_king, n) &
               ~in_time(g, !color, side, white_king, n + later);
    return set;
}

/* The squares on which the loser's pawns promote with the next move and no piece of the winner
 * prevents it. */
static uint64_t promotion_squares(const Guess *g, size_t row)
{
    const CellsKey *key = g->key;
    uint64_t pawns = g->promotes[!g->winner], taken = 0, attacked = 0;
    for (int i = 0; i < key->pieces; i++) taken |= square_bit(cells_square(key, row, i));
    for (int i = 0; i < key->pieces; i++)
        if (key->piece[i].color == g->winner)
            attacked |= piece_attacks(key->piece[i].type, cells_square(key, row, i),
                                      taken | cells_pawns(key));
    return (g->winner == TREB_WHITE ? pawns >> 8 : pawns << 8) & ~taken & ~attacked;
}

void guess_row(const Guess *g, int side, size_t row, uint64_t out[CELLS_ROW])
{
    memset(out, g->ahead ? 0xff : 0, CELLS_ROW * sizeof *out);
    if (g->flat) return;
    if (g->key->pieces == 0) {
        for (int king = 0; king < CELLS_ROW; king++) {
            out[king] |= first(g, g->winner, side, king);
            out[king] &= ~first(g, !g->winner, side, king);
        }
        return;
    }
    if (side == g->winner) return;
    uint64_t last = promotion_squares(g, row);
    for (int king = 0; king < CELLS_ROW; king++) {
        /* The winner's king can stop one of these pawns by standing in front of it, but not two. */
        uint64_t free = last & ~square_bit(king);
        if (free != 0) out[king] &= bit_many(free) ? 0 : free;
    }
}
