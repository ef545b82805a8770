/* solve.h - solving one slice. */
#ifndef TREB_GEN_SOLVE_H
#define TREB_GEN_SOLVE_H

#include <stdatomic.h>

#include "core/system/ledger.h"
#include "core/chess/position.h"
#include "core/format/table.h"
#include "gen/solve/log.h"
#include "gen/solve/ranks.h"
#include "gen/solve/solved.h"

/* Positions of the full board, like men one by one: by side to move, whether won, and plies. */
typedef struct PlyCounts {
    uint64_t of[2][2][PLIES_MOST + 1];
} PlyCounts;

/* A solved slice, or several together (see solved.h). What is known of its cells is in logs, and
 * looked at plane by plane: see plane.h. */
typedef struct Slice {
    const Shape *shape;
    int lanes;
    uint64_t pawns[SLICE_LANES][2];
    unsigned metrics;             /* distances that were solved: 1 << TREB_DTZ and so on */
    bool cursed;                  /* some win takes more than 100 plies to a zeroing move */
    bool dtc_is_dtz;              /* the two metrics agree everywhere */
    unsigned plies[TREB_METRICS]; /* the longest distance */
    const PlyCounts *counts;      /* by metric */
    uint64_t legal[2];            /* legal positions, counted likewise */
    uint64_t zeroing_wins[2];     /* cells where a capture or pawn move wins: see plane.h */
    uint64_t mirrored;            /* lanes whose pawns are their own mirror image */
    const struct Solver *solver;
} Slice;

/* The metric whose distances are those of this one. */
static inline treb_metric slice_metric(const Slice *slice, treb_metric metric)
{
    return metric == TREB_DTC && slice->dtc_is_dtz ? TREB_DTZ : metric;
}

/* On how many arrangements of the board a cell of plane `kings` stands, and the cells of a word
 * that stand on one fewer; of a pair it is two cells (shape.h). */
unsigned slice_weight(const Slice *slice, uint32_t kings);
uint64_t slice_mirrored(const Slice *slice, size_t word);

/* The work space of a solver, reusable from slice to slice of one shape. */
typedef struct Solver Solver;

/* Where it is. */
typedef struct SolverPlace {
    LogPlace logs; /* all memory comes from this ledger */
    uint64_t
        paged; /* if not 0 the sets of positions are in a file, and so many bytes of them in memory */
    const Ranks *ranks; /* that solve together, each its planes; NULL: this one alone */
} SolverPlace;

/* `metrics` is a bit mask of 1 << TREB_DTZ and so on; distances to zeroing are always solved.
 * TREB_ERR_MEMORY, TREB_ERR_IO. */
treb_status solver_new(const Shape *shape, unsigned metrics, const SolverPlace *place, Solver **out,
                       treb_error *error);
void solver_free(Solver *solver);

/* Turns a solver to another shape, with as many men and, like the first, with or without pawns; its logs
 * may keep so many bytes in memory, and are otherwise in a file of that name, or without one: NULL. */
void solver_adopt(Solver *solver, const Shape *shape, uint64_t keep, const char *path);

/* Frees what the logs hold: there is no slice any more. */
void solver_rest(Solver *solver);

/* For other threads: what a solver is at. */
typedef struct SolverWatch {
    _Atomic unsigned metric;
    _Atomic unsigned ply;    /* 0 while a slice is set up, */
    _Atomic uint32_t set_up; /* so many planes of it so far, of each side, */
    _Atomic uint32_t planes; /* of so many */
} SolverWatch;

/* Where the solver tells that, and what makes it end early when true. NULL allowed. */
void solver_watch(Solver *solver, SolverWatch *watch, const atomic_bool *stop);

/* Whoever remembers what a solver has done, for a later run. Between two plies, and when all is `solved`, it is
 * asked whether it is time; then it has the solver put what it needs (solver_put) and keeps that. Both are called by
 * one thread at a time. */
typedef struct SolverSaver {
    void *context;
    bool (*due)(void *context, bool solved);
    treb_status (*save)(void *context, const Solver *solver, treb_error *error);
} SolverSaver;

/* NULL: nobody does. The logs must be in a file with a name. It lasts until another takes its place. */
void solver_save_by(Solver *solver, const SolverSaver *saver);

/* Puts where a solver is, for solver_resume. */
void solver_put(const Solver *solver, State *state);

/* As solver_run, from where another solver was. TREB_ERR_DAMAGED if that makes no sense. */
treb_status solver_resume(Solver *solver, int lanes, const uint64_t pawns[][2], State *state,
                          const Slice **out, treb_error *error);

/* Bytes that a solver claims at least, with the work space of so many threads; what logs keep comes
 * on top. Of ranks that which claims most. */
uint64_t solver_memory(const Shape *shape, unsigned metrics, int threads, const Ranks *ranks);

/* Bytes of its sets of positions among these; and how many of them must be in memory in any case. */
typedef struct SolverSets {
    uint64_t all, least;
} SolverSets;
SolverSets solver_sets(const Shape *shape, int threads, const Ranks *ranks);

/* After that, with ranks: brings what is known of all planes to each of them, so that all can be looked at there. By
 * all ranks together. */
treb_status solver_gather(Solver *solver, treb_error *error);

/* Solves the slices with the given pawns, none of which leads to another. The result belongs to the
 * solver and lasts until its next call; it means nothing when the solver was stopped. The source's own errors,
 * TREB_ERR_MEMORY, TREB_ERR_IO, or TREB_ERR_ARGUMENT if a distance exceeds PLIES_MOST plies. Runs in
 * parallel unless called from a parallel region. */
treb_status solver_run(Solver *solver, int lanes, const uint64_t pawns[][2],
                       const SolvedSource *source, const Slice **out, treb_error *error);

#endif
