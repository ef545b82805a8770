/* tally.h - counting a solved slice: verdicts, distances and longest lines. */
#ifndef TREB_GEN_TALLY_H
#define TREB_GEN_TALLY_H

#include "core/format/table.h"
#include "gen/solve/plane.h"
#include "gen/solve/ranks.h"

typedef struct Tally {
    uint64_t count[2][WDL_VALUES]; /* by side to move, like men one by one: see tally_finish */
    uint32_t longest[TREB_METRICS][2][WDL_VALUES];
    uint64_t where[TREB_METRICS][2][WDL_VALUES]; /* the slice of that position */
    char fen[TREB_METRICS][2][WDL_VALUES]
            [TABLE_FEN_SIZE]; /* a longest position: the first of the first slice */
} Tally;

/* Positions by metric, side to move, verdict and plies. */
typedef struct Histograms {
    uint64_t of[TREB_METRICS][2][WDL_VALUES][PLIES_MOST + 1];
} Histograms;

/* What is counted plane by plane, where the 50-move rule spoils wins: NULL where it does not. False: out
 * of memory. */
typedef struct TallyPlanes TallyPlanes;
bool tally_planes_new(const Slice *slice, TallyPlanes **planes);
void tally_planes_free(TallyPlanes *planes);

/* Takes a plane of a side, with the distances that are wanted; from the threads of one team. Each plane
 * must come once. */
void tally_plane(TallyPlanes *planes, const Plane *plane, int side, uint32_t kings);

/* What all ranks have counted of their planes, together; planes may be NULL. */
void tally_planes_sum(TallyPlanes *planes, const Ranks *ranks);

/* Adds the slice of number `number`; with ranks, of which each has some planes, all do so together. The outcome does not depend on the order of slices; slices may
 * come from several threads. TREB_ERR_MEMORY, TREB_ERR_IO. */
treb_status tally_slice(Tally *tally, Histograms *histograms, uint64_t number, const Slice *slice,
                        const TallyPlanes *planes, Ledger *ledger, const Ranks *ranks,
                        treb_error *error);

/* Brings counts to positions of the full board, like men not told apart. */
void tally_finish(Tally *tally, Histograms *histograms, const Shape *shape);

#endif
