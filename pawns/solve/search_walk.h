/* search_walk.h - one step of the search: from the wanted cells of a structure to the children that
 * they need. */
#ifndef TREB_PAWNS_SOLVE_SEARCH_WALK_H
#define TREB_PAWNS_SOLVE_SEARCH_WALK_H

#include "pawns/solve/proof_graph.h"

/* How many moves are followed. The side that is guessed to win, or to hold, needs one move: NARROW
 * follows one quiet move of it from each position, BROAD all its quiet moves. THOROUGH, in
 * addition, follows promotions of the other side to less than a queen. */
typedef enum Breadth { NARROW, BROAD, THOROUGH } Breadth;

/* A round of the search. */
typedef struct Search {
    ProofGraph *graph;
    int pieces; /* most pieces of a structure that may be taken in */
    Breadth breadth;
    uint64_t missed; /* needed structures that were not taken in, for any reason */
    uint64_t added;  /* number of structures that were taken in or widened */
    uint64_t bytes;  /* of the structures with pieces among them */
    bool put_off;    /* some structures were left to a later round */
} Search;

/* Follows the wanted cells of a structure: wants the cells of known children that they lead to, and
 * takes in unknown children. Frees the sets of wanted cells. False if it failed. */
bool search_walk(Search *search, Structure *f);

#endif
