/* dtm50.h - distances to mate under the 50-move rule, of a slice that is solved. dtm50.c begins with the method.
 *
 * A cell's *value with b plies left* is the plies to mate if both sides play for it and the game is drawn after b plies
 * without a capture or pawn move. docs/metrics.md defines it. How values fall as b grows is a *profile*: a list of
 * steps. Cells with the same distance to mate and the same steps share a number. */
#ifndef TREB_GEN_SOLVE_DTM50_H
#define TREB_GEN_SOLVE_DTM50_H

#include "core/format/table.h"
#include "gen/solve/plane.h"
#include "gen/solve/profiles.h"

typedef struct Dtm50 Dtm50;

/* A cell whose mate the 50-move rule delays with a clock. */
typedef struct Dtm50Delay {
    Plies dtm, dtm50; /* 0: no cell */
    int side;
    uint32_t kings, cell;
    unsigned clock;
} Dtm50Delay;

/* What the 50-move rule delays in the slices that are solved together, by clocks as TableHeader.delayed has them. */
typedef struct Dtm50Delays {
    uint64_t count[DELAYED_CLOCKS]; /* positions of the full board, of either side to move */
    Dtm50Delay longest[DELAYED_CLOCKS][SLICE_LANES]; /* by lane: the first of those that are delayed longest */
} Dtm50Delays;

/* Finds the values of all cells of the slice that the solver has just solved, with distances to zeroing and to mate.
 * `provider` has the values at a fresh clock of all slices that conversions lead to, instead of distances to mate.
 * `profiles` gets the lists of the sides to move in the mask `sides`. Returns the errors of the provider,
 * TREB_ERR_MEMORY, TREB_ERR_IO, or STOPPED. Runs in parallel unless it is called from a parallel region. */
treb_status dtm50_run(Solver *solver, const SliceProvider *provider, Profiles *profiles,
                      unsigned sides, Dtm50 **out, treb_error *error);
void dtm50_free(Dtm50 *dtm50); /* NULL is allowed */

/* The values at a fresh clock as a slice: won and lost are the cells that are so under the rule, and the distances to
 * mate are the values. Valid as long as `dtm50`. */
const SolvedSlice *dtm50_slice(const Dtm50 *dtm50);

const Dtm50Delays *dtm50_delays(const Dtm50 *dtm50);

/* Writes the profiles of the cells of a plane, of a side whose lists were made. Of cells that differ by an exchange of
 * like men, all but one have PROFILE_ANY. */
void dtm50_profiles(const Dtm50 *dtm50, int side, uint32_t kings, uint32_t *out);

/* Bytes that a slice claims at least, with the profiles of so many sides. */
uint64_t dtm50_memory(const Layout *layout, int profiles, int threads);

#endif
