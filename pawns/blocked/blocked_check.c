/* blocked_check.c - whether a position has kings and blocked pawns only. */
#include "pawns/blocked/blocked.h"

static const char *const colors[2] = {"white", "black"};
static const char *const names[TREB_TYPES] = {"pawn", "knight", "bishop", "rook", "queen", "king"};

/* Whether a pawn can never move: the man in front of it is a pawn of the other side, or one of its
 * own side that cannot move either. */
static bool pawn_blocked(const treb_position *pos, int color, int square)
{
    uint64_t own = position_men_of(pos, color, TREB_PAWN);
    uint64_t enemy = position_men_of(pos, !color, TREB_PAWN);
    int step = color == TREB_WHITE ? 8 : -8;
    do square += step;
    while (square >= 0 && square < 64 && bit_test(own, square));
    return square >= 0 && square < 64 && bit_test(enemy, square);
}

static treb_status fault(char why[BLOCKED_WHY_SIZE], int color, int square, const char *rest,
                         int other)
{
    char at[3], there[3] = "";
    square_name(square, at);
    if (other >= 0) square_name(other, there);
    snprintf(why, BLOCKED_WHY_SIZE, "the %s pawn on %s %s%s", colors[color], at, rest, there);
    return TREB_ERR_POSITION;
}

treb_status blocked_check(const treb_position *pos, char why[BLOCKED_WHY_SIZE])
{
    const char *text;
    treb_status status = position_check(pos, &text);
    why[0] = '\0';
    if (status != TREB_OK) {
        snprintf(why, BLOCKED_WHY_SIZE, "%s", text);
        return status;
    }
    uint64_t other = position_pieces(pos);
    if (other != 0) {
        char at[3];
        int color = 0, type = position_piece_at(pos, bit_first(other), &color);
        square_name(bit_first(other), at);
        snprintf(why, BLOCKED_WHY_SIZE, "there is a %s %s on %s: only kings and pawns are allowed",
                 colors[color], names[type], at);
        return TREB_ERR_POSITION;
    }
    if (position_ep_legal(pos)) {
        uint64_t takers =
            pawn_attacks(!pos->turn, pos->ep) & position_men_of(pos, pos->turn, TREB_PAWN);
        return fault(why, pos->turn, bit_first(takers),
                     "is not blocked: it can take en passant on ", pos->ep);
    }
    for (int color = 0; color < 2; color++)
        for (uint64_t pawns = position_men_of(pos, color, TREB_PAWN); pawns != 0;) {
            int square = bit_pop(&pawns);
            uint64_t takes = pawn_attacks(color, square) & position_men_of(pos, !color, TREB_PAWN);
            if (takes != 0)
                return fault(why, color, square, "is not blocked: it can take on ",
                             bit_first(takes));
            if (pawn_blocked(pos, color, square)) continue;
            return fault(why, color, square,
                         "is not blocked: no pawn of the other side holds it up", -1);
        }
    return TREB_OK;
}
