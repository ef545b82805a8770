/* distance.h - distances of wins: plies to the next capture or promotion that keeps the win, or to
 * mate, pawn pushes on the way counted (DTC, docs/metrics.md).
 *
 * Captures and promotions end the count, so only the verdict of what they lead to matters. A push
 * leads to a structure with the same men and the same cell, and its distances are found first, as
 * the table generator does it. Distances are found twice: of the positions that are surely won,
 * which gives upper bounds, and of those that may be won, which gives lower bounds. Where both
 * agree the distance is exact. */
#ifndef TREB_PAWNS_SOLVE_DISTANCE_H
#define TREB_PAWNS_SOLVE_DISTANCE_H

#include "pawns/solve/proof_graph.h"

/* Lower and upper bound in plies. */
typedef struct Distance {
    int least, most;
} Distance;

/* The distances of a graph's structures. They are computed when asked for, and kept. */
typedef struct Distances Distances;

/* `memory` is the most bytes that they may take. With `careful`, for lines that people read, the
 * winner never lets a piece be captured: there is no distance where it cannot avoid that. NULL
 * without memory. */
Distances *distances_new(ProofGraph *graph, uint64_t memory, bool careful);
void distances_free(Distances *distances);

/* Limits the time from now on: when it is over, no distances of further structures are computed. 0:
 * no limit, as at the start. */
void distances_set_time_limit(Distances *distances, unsigned milliseconds);

/* The distance of a position that `winner` is proven to win. False if there is none: an oracle
 * answers for the position and does not know distances, there is more than one piece beside the
 * pawns, the limit of memory or time is reached, or there was no memory (then distances_failed() is
 * true). */
bool distance_of(Distances *distances, const treb_position *pos, int winner, Distance *out);
bool distances_full(const Distances *distances);
bool distances_failed(const Distances *distances);

#endif
