/* kings.h - the kings axis of an index, as tables indexed by white square * 64 + black square. */
#ifndef TREB_CORE_KINGS_H
#define TREB_CORE_KINGS_H

#include <stdint.h>

#include "core/format/index.h"

enum { KINGS_NONE = 0xffff, KINGS_COORDINATE = 0x0fff, KINGS_SYMMETRY_SHIFT = 12 };

/* With pawns: the 3612 pairs that do not touch, in ascending order; KINGS_NONE for the others. */
extern const uint16_t kings_free[64 * 64];

/* Without pawns: the coordinate of the representative and, from bit 12 up, the symmetry that
 * leads there. A representative has the white king in the triangle a1-d1-d4 and, when that is on
 * the long diagonal, the black king on or below it. */
extern const uint16_t kings_symmetric[64 * 64];

/* The pairs by coordinate, as white square * 64 + black square. */
extern const uint16_t kings_free_squares[INDEX_KINGS_FREE];
extern const uint16_t kings_symmetric_squares[INDEX_KINGS_SYMMETRIC];

#endif
