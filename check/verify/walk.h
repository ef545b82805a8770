/* walk.h - steps through the positions of a table in the order of their cells. Private to
 * check/verify/. */
#ifndef TREB_CHECK_VERIFY_WALK_H
#define TREB_CHECK_VERIFY_WALK_H

#include "check/verify/verify.h"
#include "core/chess/movegen.h"
#include "core/format/index.h"

/* A cell, and the men on the board that it stands for. */
typedef struct VerifyWalk {
    const Index *index;
    IndexCursor at;
    int first[INDEX_AXES_MAX]; /* by axis: index in IndexMen.square of the first man of the axis */
    IndexMen men;
    treb_position
        level[INDEX_AXES_MAX + 1];  /* level[n]: the pawns and the men of the outermost n axes */
    bool clash[INDEX_AXES_MAX + 1]; /* by level: two men share a square, or the cell is padding */
    bool twofold;                   /* the men stand in two equivalent orientations */
    bool mirrored;                  /* the pawns are their own mirror image */
    unsigned place;                 /* place of the first leading pawn: see core/format/index.h */
} VerifyWalk;

void verify_walk_seek(VerifyWalk *walk, const Index *index, uint64_t cell);
void verify_walk_next(VerifyWalk *walk);

/* Whether the cell stands for a placement of men, and is the cell to which the index maps that
 * placement. */
bool verify_walk_valid(const VerifyWalk *walk);

/* Returns the men on the board, without a side to move. */
static inline const treb_position *verify_walk_position(const VerifyWalk *walk)
{
    return &walk->level[walk->index->axes];
}

/* Whether the position is legal: the side that is not to move is not in check. */
static inline bool verify_legal(const treb_position *pos)
{
    return !square_attacked(pos, position_king(pos, pos->turn ^ 1), pos->turn);
}

#endif
