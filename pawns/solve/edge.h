/* edge.h - going along the edges of a structure with sets of cells, backwards and forwards. */
#ifndef TREB_PAWNS_SOLVE_EDGE_H
#define TREB_PAWNS_SOLVE_EDGE_H

#include "pawns/cells/guess.h"
#include "pawns/solve/structure.h"

/* A set of cells of a child, given in one of these ways:
 *
 *     `all`     a set. If it belongs to a structure with an oracle, `structure` is that structure,
 *               and the oracle is asked for the cells that are read; else `structure` is NULL
 *     `legal`   the legal positions of this key, `side` to move
 *     `guess`   the cells guessed to be won, `side` to move, legal or not
 *     none      all cells */
typedef struct TargetCells {
    const uint64_t *all;
    Structure *structure;
    int side;
    const CellsKey *legal;
    const Guess *guess;
} TargetCells;

/* Ors into `out` the cells of the structure from which `side` reaches the target by the edge. */
void edge_predecessors(const Structure *structure, int side, const Edge *edge, TargetCells target,
                       uint64_t *out);

/* Ors into `out` the cells of the child that the edge leads to from `in`, a set of cells of the
 * structure. */
void edge_successors(const Structure *structure, int side, const Edge *edge, const uint64_t *in,
                     uint64_t *out);

/* Ors into `out` the cells of the edge's child, after a double push, from which an answer en
 * passant reaches the target, a set of cells of that answer's structure. */
void edge_predecessors_en_passant(const Edge *edge, TargetCells target, uint64_t *out);

/* Ors into `out` the cells that answers en passant lead to from `in`, a set of cells of the edge's
 * child. */
void edge_successors_en_passant(const Edge *edge, const uint64_t *in, uint64_t *out);

#endif
