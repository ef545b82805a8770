/* kings.h - the kings axis of an index: the number of each pair of king squares, and back.
 *
 * A pair is written as white square * 64 + black square. The tables hold the same numbers in every
 * process. They are computed once, when they are first used, which takes some 20 microseconds. */
#ifndef TREB_CORE_FORMAT_KINGS_H
#define TREB_CORE_FORMAT_KINGS_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/format/index.h"

enum { KINGS_NONE = 0xffff, KINGS_COORDINATE = 0x0fff, KINGS_SYMMETRY_SHIFT = 12 };

typedef struct KingsTables {
    /* With pawns, by pair: the coordinate of each of the 3612 pairs that do not touch, in ascending
     * order; KINGS_NONE for the others. */
    uint16_t free[64 * 64];
    /* Without pawns, by pair: the coordinate of the representative and, from bit 12 up, the
     * symmetry that maps the pair to it; KINGS_NONE where the kings touch. A representative has the
     * white king in the triangle a1-d1-d4 and, when that is on the long diagonal, the black king on
     * or below it. */
    uint16_t symmetric[64 * 64];
    /* The pairs by coordinate. */
    uint16_t free_squares[INDEX_KINGS_FREE];
    uint16_t symmetric_squares[INDEX_KINGS_SYMMETRIC];
} KingsTables;

/* Private to kings_tables. */
extern _Atomic(const KingsTables *) kings_ready; /* NULL until the tables are complete */
const KingsTables *kings_compute(void);

/* Returns the tables. Any thread may call it at any time. */
static inline const KingsTables *kings_tables(void)
{
    const KingsTables *tables = atomic_load_explicit(&kings_ready, memory_order_acquire);
    return tables != NULL ? tables : kings_compute();
}

#endif
