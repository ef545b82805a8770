/* walk.h - all positions of a table in the order of its cells. Private to probe/ and
 * check/compare/.
 *
 * A row is a run of cells that differ only in the innermost axis of the index
 * (core/format/index.h): the men of all other axes are put on the board once for the row. */
#ifndef TREB_PROBE_WALK_H
#define TREB_PROBE_WALK_H

#include "core/chess/movegen.h"
#include "core/format/index.h"
#include "probe/file.h"

typedef struct WalkRow {
    const Index *index;
    int inner;                           /* the innermost axis */
    uint64_t cell;                       /* the first cell */
    uint32_t cells;                      /* number of cells, without padding at the end */
    bool mirrored;                       /* the pawns are their own mirror image */
    uint32_t coordinate[INDEX_AXES_MAX]; /* by axis, except the innermost */
    uint8_t axis[2][TREB_TYPES];         /* the axis of the men of a colour and type */
    treb_position rest;                  /* the men of all other axes, White to move */
} WalkRow;

/* The index of a file, in whose order each of its blocks is read once. False if `file` is NULL, not
 * of our own format, or cannot be opened. */
bool walk_order(ProbeFile *file, Index *out);

/* The number of rows. */
uint64_t walk_rows(const Index *index);

/* Prepares a row. False if none of its cells is a position. */
bool walk_row(const Index *index, uint64_t number, WalkRow *row);

/* Sets *pos to the position of cell `place` of a row, with White to move. False if two men share a
 * square, or if the board turned or mirrored has a cell of a smaller number. The position may be
 * illegal: the side not to move may be in check. */
bool walk_cell(const WalkRow *row, uint32_t place, treb_position *pos);

/* The cell of the position after a legal move. `pos` is from walk_cell, with either side to move;
 * the move is of a piece and no capture. */
uint64_t walk_moved(const WalkRow *row, uint32_t place, const treb_position *pos, Move m);

#endif
