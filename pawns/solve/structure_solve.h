/* structure_solve.h - solves a structure from what is known of those that its edges lead to. */
#ifndef TREB_PAWNS_SOLVE_STRUCTURE_SOLVE_H
#define TREB_PAWNS_SOLVE_STRUCTURE_SOLVE_H

#include "pawns/cells/retrograde.h"
#include "pawns/solve/edge.h"

/* Plies to mate or to the next move that leaves the structure, by winner, side to move and cell.
 * Entries of positions that are not won keep their value. Any of the arrays may be NULL. */
typedef struct StructurePlies {
    uint16_t *plies[2][2];
    /* Out: the structure is decided, and no win could be faster by a move whose value is open. */
    bool exact;
} StructurePlies;

/* Sets `out` to the cells in which `side` can move along an edge. */
void edge_sources(const Structure *structure, int side, const Edge *edge, uint64_t *out);

/* Sets `out` to those of these cells from which the edge is guessed to lead to a win of `winner`,
 * or, without `won`, not to a win. `room` is a set to work in. */
void edge_guessed_sources(const Structure *structure, int side, const Edge *edge, int winner,
                          bool won, uint64_t *room, uint64_t *out);

/* Solves a structure at all levels from what is known of its children. `plies` may be NULL. False
 * without memory: the structure has then failed. */
bool structure_solve(Structure *structure, StructurePlies *plies);

#endif
