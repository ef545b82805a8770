/* solve.h - solving one slice: the interface of the solver. */
#ifndef TREB_GEN_SOLVE_SOLVE_H
#define TREB_GEN_SOLVE_SOLVE_H

#include <stdatomic.h>

#include "gen/solve/log.h"
#include "gen/solve/processes.h"
#include "gen/solve/slice_provider.h"
#include "gen/solve/solved_slice.h"

/* A solver can be used for slice after slice of one layout. */
typedef struct Solver Solver;

/* Where a solver keeps its data. */
typedef struct SolverPlace {
    LogPlace logs; /* all memory is claimed from this budget */
    /* Not 0: the sets of positions are in a file, and this is how many bytes of it may be in memory. */
    uint64_t paged;
    /* The processes that solve together, each its own planes; NULL: this process alone. */
    const Processes *processes;
} SolverPlace;

/* `metrics` is a bit mask of 1 << TREB_DTZ and so on; distances to zeroing are always solved.
 * TREB_ERR_MEMORY, TREB_ERR_IO. */
treb_status solver_new(const Layout *layout, unsigned metrics, const SolverPlace *place,
                       Solver **out, treb_error *error);
void solver_free(Solver *solver);

/* Reuses a solver for another layout. Both layouts must have the same number of men, and either both or neither must
 * have pawns. `limit` and `path` replace those of LogPlace. */
void solver_reset(Solver *solver, const Layout *layout, uint64_t limit, const char *path);

/* Frees the memory of the logs. The solved slice is no longer valid. */
void solver_trim_memory(Solver *solver);

/* Progress of a solver, which other threads may read. */
typedef struct SolverProgress {
    _Atomic unsigned metric;
    _Atomic unsigned ply;    /* 0 while a slice is set up */
    _Atomic uint32_t set_up; /* planes that were set up so far, counted for each side to move */
    _Atomic uint32_t planes; /* number of planes to set up, counted likewise */
} SolverProgress;

/* Sets where the solver writes its progress, and a flag that makes it stop early when it becomes true. Either may be
 * NULL. */
void solver_set_progress(Solver *solver, SolverProgress *progress, const atomic_bool *stop);

/* Functions that save the state of a solver, so that a later run can resume. The solver calls them from one thread at a
 * time, between two plies and when a slice is solved (`solved`). */
typedef struct SolverSaver {
    void *context;
    /* Decides whether to save now. All processes that solve together call it, and must get the same answer. */
    bool (*decide)(void *context, bool solved);
    /* Saves: calls solver_put to get the state of the solver. */
    treb_status (*save)(void *context, const Solver *solver, treb_error *error);
} SolverSaver;

/* Sets the saver; NULL: the solver is not saved. With a saver the logs must be in a file with a name. The saver must
 * stay valid until it is replaced. */
void solver_set_saver(Solver *solver, const SolverSaver *saver);

/* Appends to `state` what solver_resume needs to continue from here. */
void solver_put(const Solver *solver, State *state);

/* Solves slices with the given pawns, none of which leads to another. `*out` belongs to the solver, see SolvedSlice. If
 * the solver was stopped, the function returns TREB_OK and the result is meaningless. Returns the errors of the
 * provider, TREB_ERR_MEMORY, TREB_ERR_IO, or TREB_ERR_ARGUMENT if a distance exceeds PLIES_MOST plies. Runs in
 * parallel unless it is called from a parallel region. */
treb_status solver_run(Solver *solver, int lanes, const uint64_t pawns[][2],
                       const SliceProvider *provider, const SolvedSlice **out, treb_error *error);

/* Like solver_run, but continues from the state that another solver has put. TREB_ERR_DAMAGED if the state is
 * invalid. */
treb_status solver_resume(Solver *solver, int lanes, const uint64_t pawns[][2], State *state,
                          const SolvedSlice **out, treb_error *error);

/* Copies what each process knows of its planes of the solved slice to all others, so that every process can read all
 * planes. Collective. Does nothing without processes. TREB_ERR_IO, TREB_ERR_MEMORY. */
treb_status solver_gather(Solver *solver, treb_error *error);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Bytes that a solver with `threads` threads claims at least; what the logs keep in memory is extra. If processes solve
 * together: of the process that claims most. */
uint64_t solver_memory(const Layout *layout, unsigned metrics, int threads,
                       const Processes *processes);

/* Bytes of the sets of positions, which are part of that. */
typedef struct SolverSets {
    uint64_t all;   /* of all sets */
    uint64_t least; /* that must be in memory if the sets are in a file */
} SolverSets;
SolverSets solver_sets(const Layout *layout, int threads, const Processes *processes);

#endif
