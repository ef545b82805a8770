/* solved_slice.h - the result of a solver. */
#ifndef TREB_GEN_SOLVE_SOLVED_SLICE_H
#define TREB_GEN_SOLVE_SOLVED_SLICE_H

#include "core/chess/position.h"
#include "core/format/table.h"
#include "gen/solve/layout.h"
#include "gen/solve/places.h"
#include "gen/solve/plies.h"

enum { MATES_OPEN = 0x8000 };

/* Numbers of positions of the full board, by side to move, whether it wins, and plies. Two men of the same kind make
 * one position, not two. */
typedef struct PlyCounts {
    uint64_t of[2][2][PLIES_MOST + 1];
} PlyCounts;

/* A slice that a solver has just solved, or several slices (lanes, see layout.h).
 *
 * This is a handle and a summary. It has no arrays of cells: what is known of the cells is in the logs of the solver
 * (log.h) and is read plane by plane with plane_read (plane.h). Everything it points to belongs to the solver. It is
 * valid until the next call of that solver, including solver_trim_memory and solver_free. */
typedef struct SolvedSlice {
    const Layout *layout;
    int lanes;                      /* number of slices */
    uint64_t pawns[SLICE_LANES][2]; /* by lane and colour */
    unsigned metrics;               /* distances that were solved: 1 << TREB_DTZ and so on */
    bool cursed;                    /* some win takes more than 100 plies to a zeroing move */
    bool dtc_is_dtz; /* distances to conversion are those to zeroing: they were not solved again */
    unsigned plies[TREB_METRICS]; /* by metric: the longest distance */
    const PlyCounts *counts;      /* by metric */
    uint64_t legal[2];            /* by side to move: legal positions, counted as in PlyCounts */
    /* By side to move: cells in which a capture or pawn move wins, see plane.h. */
    uint64_t zeroing_wins[2];
    uint64_t mirrored;           /* bit mask of the lanes whose pawns are their own mirror image */
    const struct Solver *solver; /* for plane_read */
    /* Not NULL: one side to move of a slice that is read from files instead of solved (finished.h) */
    const struct FinishedTable *finished;
    bool under_rule; /* of such a slice: what the 50-move rule saves is drawn */
    /* By side to move. Not NULL: which cells are won or lost, and their distances to mate, are in these arrays by
     * place, not in the logs (dtm50.h). What is neither has MATES_OPEN set */
    const Plies *mates[2];
    const Places *places;
} SolvedSlice;

/* The metric whose distances are those of `metric`. */
static inline treb_metric slice_metric(const SolvedSlice *slice, treb_metric metric)
{
    return metric == TREB_DTC && slice->dtc_is_dtz ? TREB_DTZ : metric;
}

/* Returns the number of positions of the full board that a cell of plane `kings` stands for. The cells of a set whose
 * bit is in slice_mirrored stand for one fewer; `word` is the number of the set's word in the slice. If the layout has
 * a pair, a cell stands for twice as many (layout.h). */
unsigned slice_weight(const SolvedSlice *slice, uint32_t kings);
uint64_t slice_mirrored(const SolvedSlice *slice, size_t word);

#endif
