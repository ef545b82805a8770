/* solved.h - a solved slice, as its seniors need it.
 *
 * The code of a cell says the distance to mate and, by its parity, who wins: the side to move wins
 * in an odd number of plies and loses in an even one. Where distances to mate are not wanted, a
 * win is 1 and a loss 2.
 *
 * Where kings and pawns are alone, a plane's word has no man to number its bits. There the bits are
 * up to 64 slices, solved together: the cell of slice `lane` is 64 * kings + lane. Beside one piece
 * the words of a plane are up to 8 slices: their cells begin at 512 * kings + 64 * lane. */
#ifndef TREB_GEN_SOLVED_H
#define TREB_GEN_SOLVED_H

#include "gen/solve/plies.h"
#include "gen/solve/shape.h"

enum { SLICE_LANES = 64 }; /* slices solved together, at most */

/* How many slices of a shape are solved together, and how many cells lie side by side in each. */
static inline int shape_lanes(const Shape *shape)
{
    return !shape->pawns || shape->men > 1 ? 1 : shape->men == 1 ? KERNEL_LANES : SLICE_LANES;
}

static inline size_t shape_lane_cells(const Shape *shape)
{
    return shape->men == 0 ? 1 : shape->men == 1 ? 64 : shape->plane_cells;
}

/* Arrays by side to move, of the slice's cells; NULL where not at hand. */
typedef struct Solved {
    Plies *code[2];
    uint64_t *legal[2];
    uint64_t *cursed[2]; /* won or lost by the laws of mate, drawn by the 50-move rule */
    /* Only while the table itself is being solved, for its own pushes: */
    Plies *dtc[2];          /* distance to conversion, where code says won or lost */
    uint64_t *stalemate[2]; /* without a legal move, unless there is one en passant */
} Solved;

/* Whoever knows the solved slices. `find` returns NULL if it cannot bring the one asked for (and
 * keeps the reason); the slice stays valid until its `release`. Thread-safe. */
typedef struct SolvedSource {
    void *context;
    const Solved *(*find)(void *context, const Material *material, uint64_t slice, int side,
                          const Shape **shape, int *lane);
    void (*release)(void *context, const Solved *solved);
} SolvedSource;

#endif
