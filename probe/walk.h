/* walk.h - all positions of a table in the order of its cells. Private to probe/ and check/compare/.
 *
 * A row is the cells that differ in the innermost axis alone: the men of all other axes are put on
 * the board once. */
#ifndef TREB_PROBE_WALK_H
#define TREB_PROBE_WALK_H

#include "core/format/index.h"
#include "core/chess/movegen.h"
#include "probe/file.h"

typedef struct WalkRow {
    const Index *index;
    int inner;                           /* the innermost axis */
    uint64_t cell;                       /* the first */
    uint32_t cells;                      /* in the row, those that only fill it up left out */
    bool mirrored;                       /* the pawns are their own mirror image */
    uint32_t coordinate[INDEX_AXES_MAX]; /* by axis, but for the innermost */
    uint8_t axis[2][TREB_TYPES];         /* of such men */
    treb_position rest;                  /* the men of all other axes, White to move */
} WalkRow;

/* The order of a file, so that its blocks are read once: of our own, that can be opened; else false. NULL allowed. */
bool walk_order(ProbeFile *file, Index *out);

/* How many rows there are. */
uint64_t walk_rows(const Index *index);

/* Looks at a row; false if no cell of it is a position. */
bool walk_row(const Index *index, uint64_t number, WalkRow *row);

/* The men of cell `place` of a row, with White to move; false if they clash, or have a smaller
 * number another way round. Whether anybody is in check is not asked. */
bool walk_cell(const WalkRow *row, uint32_t place, treb_position *pos);

/* The cell after a legal move of a piece, no capture, from such a position; either side may be to
 * move. */
uint64_t walk_moved(const WalkRow *row, uint32_t place, const treb_position *pos, Move m);

#endif
