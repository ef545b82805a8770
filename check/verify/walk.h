/* walk.h - positions in the order of their cells. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_WALK_H
#define TREB_CHECK_VERIFY_WALK_H

#include "check/verify/verify.h"
#include "core/chess/movegen.h"
#include "core/format/index.h"

/* A cell, and the men on it. */
typedef struct VerifyWalk {
    const Index *index;
    uint64_t cell;
    uint32_t coordinate[INDEX_AXES_MAX]; /* by axis */
    uint32_t radix[INDEX_AXES_MAX];      /* by axis, with padding */
    int first[INDEX_AXES_MAX];           /* by axis: where its men are in IndexMen.square */
    IndexMen men;
    treb_position level[INDEX_AXES_MAX + 1]; /* the pawns and the men of so many axes */
    bool clash[INDEX_AXES_MAX + 1];          /* men share a square, or the cell is padding */
    bool twofold;                            /* the men stand in two orientations */
    bool mirrored;                           /* the pawns are their own mirror image */
    unsigned place;                          /* of the first leading pawn: see core/format/index.h */
} VerifyWalk;

void verify_walk_seek(VerifyWalk *walk, const Index *index, uint64_t cell);
void verify_walk_next(VerifyWalk *walk);

/* Whether the cell stands for a placement of men, and is the one that does. */
bool verify_walk_valid(const VerifyWalk *walk);

/* The men; no side to move. */
static inline const treb_position *verify_walk_position(const VerifyWalk *walk)
{
    return &walk->level[walk->index->axes];
}

/* The number of the walk's cell in another index of the same material. */
uint64_t verify_walk_cell(const VerifyWalk *walk, const Index *other);

/* Whether the side not to move is not in check. */
static inline bool verify_legal(const treb_position *pos)
{
    return !square_attacked(pos, position_king(pos, pos->turn ^ 1), pos->turn);
}

#endif
