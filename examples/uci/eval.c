/* eval.c - a simple evaluation: material, squares of men, and how to mate a lone king. */
#include "eval.h"

const int eval_man[TYPES] = {100, 290, 310, 500, 950, 0};

/* 0 on the two middle files or ranks, 3 on the outer ones. */
static int from_middle(int line) { return line < 4 ? 3 - line : line - 4; }

/* 0 in the middle, 6 in a corner. */
static int from_centre(int sq) { return from_middle(sq & 7) + from_middle(sq >> 3); }

/* Number of king moves between two squares. */
static int distance(int a, int b)
{
    int files = (a & 7) - (b & 7), ranks = (a >> 3) - (b >> 3);
    if (files < 0) files = -files;
    if (ranks < 0) ranks = -ranks;
    return files > ranks ? files : ranks;
}

/* Material and squares: pawns advance, in the middle first; pieces go to the middle. This is enough for
 * reasonable opening moves. */
static int men_of(const Board *b, int color)
{
    int sum = 0;
    for (int type = PAWN; type < KING; type++) {
        for (uint64_t men = b->men[color][type]; men;) {
            int sq = bit_pop(&men), rank = color == WHITE ? sq >> 3 : 7 - (sq >> 3);
            sum += eval_man[type];
            sum += type == PAWN ? rank * (rank + 3 - from_middle(sq & 7)) : -2 * from_centre(sq);
        }
    }
    return sum;
}

/* Rewards a lone enemy king near a corner and the own king near it. */
static int mating(const Board *b, int color)
{
    uint64_t lone = b->men[color ^ 1][KING];
    if (b->all[color ^ 1] != lone || !(b->men[color][QUEEN] | b->men[color][ROOK] |
                                       b->men[color][BISHOP] | b->men[color][KNIGHT]))
        return 0;
    int victim = bit_first(lone), king = bit_first(b->men[color][KING]);
    return 20 * from_centre(victim) + 10 * (7 - distance(victim, king));
}

int eval_position(const Board *b)
{
    int us = b->turn;
    return men_of(b, us) + mating(b, us) - men_of(b, us ^ 1) - mating(b, us ^ 1);
}
