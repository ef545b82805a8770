/* promoted.h - which men have promoted in all cells of a table that are read.
 *
 * To make KPPvKP, only those cells of KQPvKP are read in which the queen stands where a pawn promotes; and of KQPvKQ,
 * to which these lead, only those in which both queens do. */
#ifndef TREB_GEN_SOLVE_PROMOTED_H
#define TREB_GEN_SOLVE_PROMOTED_H

#include <string.h>

#include "gen/solve/layout.h"

/* By colour and type: at least so many men stand on squares where they promote. All 0: all cells are read. */
typedef struct Promoted {
    uint8_t count[2][TREB_TYPES];
} Promoted;

/* No cell is read. */
static inline Promoted promoted_nothing(void)
{
    Promoted nothing;
    memset(&nothing, 0xff, sizeof nothing);
    return nothing;
}

/* Whether not all cells are read. */
bool promoted_any(const Promoted *promoted);

/* Adds the cells of `more`, and perhaps others. */
void promoted_add(Promoted *promoted, const Promoted *more);

/* Adds to `to` where moves of `color` lead from cells of `from`, a material: to cells of the canonical material `after`
 * with `turn` to move; or by quiet moves, if both materials are the same. */
void promoted_add_moves(Promoted *to, const Promoted *from, const Material *before, int color,
                        const Material *after, int turn);

/* Returns the squares on which a man of a layout stands in some cell that is read, and perhaps others. */
uint64_t promoted_squares(const Promoted *promoted, const Layout *layout, int man);

/* Whether a cell is read, by the squares of some of its men: all men of one kind or more. */
bool promoted_suits(const Promoted *promoted, bool pawns, const LayoutMan *man,
                    const uint8_t *square, int men);

#endif
