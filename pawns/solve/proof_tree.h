/* proof_tree.h - which structures the values of a position and of its moves rest on. */
#ifndef TREB_PAWNS_SOLVE_PROOF_TREE_H
#define TREB_PAWNS_SOLVE_PROOF_TREE_H

#include "pawns/solve/proof_graph.h"

/* Marks these structures: their `last_round` is graph->round afterwards, which is a new round. From
 * each position the side that wins or holds follows one move, the other side all moves. False
 * without memory, or if an oracle failed. */
bool proof_tree_mark(ProofGraph *graph, const treb_position *root);

#endif
