/* defer.h - staged verdicts kept until a table is complete.
 *
 * How many verdicts share a byte depends on which of them occur, and the best order of the axes on
 * all slices. So verdicts wait, lightly compressed, until the last slice is solved. */
#ifndef TREB_GEN_DEFER_H
#define TREB_GEN_DEFER_H

#include "gen/write/codes.h"

typedef struct Deferred Deferred;

/* NULL: out of memory. */
Deferred *deferred_new(const Shape *shape);
void deferred_free(Deferred *deferred);

/* Stages the slices of `slice`, number[lane] each, in parallel; may be called from several threads.
 * False: out of memory. */
bool deferred_add(Deferred *deferred, const uint64_t *number, const Slice *slice);

/* Planes are kept in chunks of so many; the last has fewer. */
uint32_t deferred_chunk_planes(const Deferred *deferred);
uint32_t deferred_chunks(const Deferred *deferred);

/* Whether a slice was added. */
bool deferred_has(const Deferred *deferred, uint64_t number);

/* Unpacks a chunk; false if memory runs out. Thread-safe. */
bool deferred_read(const Deferred *deferred, uint64_t number, int side, uint32_t chunk, Plies *out);

/* The verdicts seen, as a mask of 1 << WDL_...; a draw is always among them. */
unsigned deferred_verdicts(const Deferred *deferred);

#endif
