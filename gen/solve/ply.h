/* ply.h - one ply of one plane. */
#ifndef TREB_GEN_SOLVE_PLY_H
#define TREB_GEN_SOLVE_PLY_H

#include "gen/solve/solver.h"

/* Records that cells of a plane are won or lost in n plies: those of `set` in these blocks of rows. Counts them, writes
 * them to the log and sends them to the processes that need them. */
void ply_decide(Solver *s, uint32_t kings, int side, bool won, unsigned n, const uint64_t *set,
                uint64_t row_blocks, Buffers *t);

/* Finds the cells of a plane that are lost, or won, in task->n plies. Within a ply all losses come before all wins. */
void ply_losses(const PlaneTask *task);
void ply_wins(const PlaneTask *task);

#endif
