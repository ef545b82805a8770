/* subset.h - which part of a solved slice other tables read.
 *
 * A capture can lead to any cell of one side to move. A promotion leads only to cells in which a man of the promoted
 * kind stands where a pawn promotes. These cells, of one side to move, are a *promotion subset*. Of a large table that
 * only promotions lead to, the store keeps such subsets instead of whole slices. */
#ifndef TREB_GEN_SOLVE_SUBSET_H
#define TREB_GEN_SOLVE_SUBSET_H

#include "gen/solve/layout.h"

/* Bit masks of what other tables read of a material: sides to move, bits TREB_WHITE and TREB_BLACK, and promotion
 * subsets, one bit each from WANT_SUBSET on. */
enum { WANT_SIDES = 3, WANT_SUBSET = 4, WANT_END = WANT_SUBSET << 8, SUBSETS_MEN = 6 };

/* Returns the bit of the subset for promotions to `type` by `color`. */
static inline unsigned wanted_subset(int color, int type)
{
    return (unsigned)WANT_SUBSET << (4 * color + (TREB_QUEEN - type));
}

/* Returns the sides to move of all that is wanted. After a promotion the other side moves. */
static inline unsigned wanted_sides(unsigned wanted)
{
    const unsigned white = 15 * WANT_SUBSET;
    return (wanted & WANT_SIDES) | (wanted & white ? 1u << TREB_BLACK : 0) |
           (wanted & white << 4 ? 1u << TREB_WHITE : 0);
}

/* Whether promotions to a material read subsets: it has two pieces or more and at least `from` men, SUBSETS_MEN if
 * `from` is 0. */
bool subset_suits(const Material *material, int from);

typedef struct PromotionSubset {
    int man; /* the man of the layout that has promoted. Cells of the subset are numbered without it */
    int squares;        /* number of squares on which it may stand; 0: there is no subset */
    uint8_t square[28]; /* these squares */
    int8_t place[64];   /* by square: its number in `square`, or -1 */
} PromotionSubset;

/* Returns false if `wanted` is not a subset. If several men are of the promoted kind, the subset has the last of them:
 * children.c gives the parent's men of that kind the first ones. */
bool subset_init(PromotionSubset *subset, const Layout *layout, unsigned wanted);

#endif
