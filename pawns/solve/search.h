/* search.h - the search: takes in the structures that are needed to decide positions. */
#ifndef TREB_PAWNS_SOLVE_SEARCH_H
#define TREB_PAWNS_SOLVE_SEARCH_H

#include "pawns/solve/proof_graph.h"

/* Takes in structures until the given cells of a structure are decided, by side to move, NULL for
 * all cells; or until nothing more helps within the limits. False if it failed or was stopped. */
bool search_decide(ProofGraph *graph, Structure *structure, uint64_t *const cells[2]);

#endif
