/* setup.h - what the solving of a slice starts from. */
#ifndef TREB_GEN_SOLVE_SETUP_H
#define TREB_GEN_SOLVE_SETUP_H

#include "gen/solve/solver.h"

/* Finds legal positions, mates, stalemates and conversions. Afterwards the loop is ready for the first metric. */
treb_status setup_slice(Solver *s, const SliceProvider *provider, treb_error *error);

/* Finds the legal positions only. */
void setup_legal_only(Solver *s);

/* Writes to `legal` the legal positions of any plane with `side` to move, and to `check` the cells in which men of
 * `side` attack the other king. The latter are illegal with `side` to move, and check with the other side to move.
 * The three sets must differ; `scratch` is overwritten. */
void setup_plane_legal(const Solver *s, uint32_t kings, int side, uint64_t *legal, uint64_t *check,
                       uint64_t *scratch);

/* Returns the set of those of 64 bytes that exceed `least`. All bytes must be below 128. */
uint64_t bytes_above(const uint8_t *bytes, unsigned least);

/* Sets all legal positions of a ghost plane to not won. `number` counts the ghost planes of both sides. */
void setup_ghost_legal(Solver *s, uint32_t number, Buffers *t);

#endif
