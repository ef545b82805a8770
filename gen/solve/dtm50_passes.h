/* dtm50_passes.h - how the values of a slice change with the plies left before the draw. Private to dtm50.c. */
#ifndef TREB_GEN_SOLVE_DTM50_PASSES_H
#define TREB_GEN_SOLVE_DTM50_PASSES_H

#include "gen/solve/dtm50.h"
#include "gen/solve/solver.h"

enum {
    VALUE_NONE = PLIES_OPEN,
    VALUE_WAITING = MATES_OPEN /* flag: no value yet, but the distance to mate, or VALUE_NONE */
};

/* A cell and its values, the one before as Dtm50.value has it. */
typedef struct Change {
    uint32_t cell;
    Plies before, now;
} Change;

typedef struct Changes {
    Change *of;
    size_t count, capacity;
} Changes;

/* A slice. */
struct Dtm50 {
    Dtm50Delays delays;
    Solver *s;
    const Layout *layout;
    Profiles *profiles;
    MemoryBudget *budget;
    SolvedSlice slice;
    PlyCounts *counts; /* by metric */
    Places places;
    /* By side to move, for all places of all planes: the value now, and the best conversion. */
    Plies *value[2], *zeroing[2];
    uint32_t *profile[2]; /* by side to move and place; NULL: not needed */
    Changes *changed[2][2]; /* by parity of b and side, by kings */
};

/* Returns the array of a plane. */
static inline Plies *dtm50_plane(const Dtm50 *d, Plies *const of[2], int side, uint32_t kings)
{
    return of[side] + kings * d->places.count;
}

/* Finds the values for all numbers of plies left. At first all values are waiting; `zeroing` is known, and the log of
 * distances to zeroing and to mate are at their beginning. A failure is the solver's. */
void dtm50_passes(Dtm50 *d);

/* Returns the bytes that a thread claims. */
uint64_t dtm50_passes_memory(const Layout *layout);

#endif
