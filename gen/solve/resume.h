/* resume.h - saving a solver between two plies, and resuming from what was saved. */
#ifndef TREB_GEN_SOLVE_RESUME_H
#define TREB_GEN_SOLVE_RESUME_H

#include "gen/solve/solver.h"

/* Writes what the logs have in memory of one plane and side (`stream`) to their file. The logs of what is due are
 * written before the first ply. */
void resume_flush(Solver *s, uint32_t stream, Buffers *t);

/* Saves that ply n comes next. All streams must be in the file. */
void resume_save(Solver *s, unsigned n);

/* Saves a solved slice, if the saver decides so. */
void resume_save_solved(Solver *s);

/* Reads what solver_put has put. False: it is invalid. */
bool resume_get(Solver *s, State *state);

/* Restores the sets of a plane to what they were after ply task->n. The legal positions must be set up. */
void resume_plane(const PlaneTask *task);

#endif
