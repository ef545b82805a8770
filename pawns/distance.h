/* distance.h - how soon a win comes: plies to the next capture or promotion that keeps it, or to mate, with the pawn
 * pushes on the way (DTC, docs/metrics.md).
 *
 * Captures and promotions end the count, so that what they lead to need be known by its verdict alone. Pushes go on
 * in a family with the same men, the cell is the same there, and its ranks come first: as the generator does it for
 * pushes. Ranks are found twice, of what is surely won and of what may be: the first are upper bounds, the others
 * lower ones, and where they agree the distance is exact. */
#ifndef TREB_BLOCKED_DISTANCE_H
#define TREB_BLOCKED_DISTANCE_H

#include "pawns/lattice.h"

typedef struct Distance {
    int least, most;
} Distance;

/* Of the families of a lattice, found when they are asked for, and kept. */
typedef struct Distances Distances;

/* `memory` is how much they may take in bytes. `careful` ones, for people, have the winner lose no piece: where it can
 * be taken there is no distance, and so none where that cannot be avoided. NULL without memory. */
Distances *distances_new(Lattice *lattice, uint64_t memory, bool careful);
void distances_free(Distances *distances);

/* From now on structures are ranked for so long only: what is asked later has no distance, unless it is known. 0 is for
 * as long as it takes, as it is at first. */
void distances_hurry(Distances *distances, unsigned milliseconds);

/* The bounds for a position that `winner` is proven to win. False where they cannot be told: an oracle answers for it
 * that knows no distances, it has more than one piece beside the pawns, the memory or the time for them is used up, or
 * there was no memory, in which case distances_failed says so. */
bool distance_of(Distances *distances, const treb_position *pos, int winner, Distance *out);
bool distances_full(const Distances *distances);
bool distances_failed(const Distances *distances);

#endif
