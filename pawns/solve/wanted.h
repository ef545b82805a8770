/* wanted.h - wanted cells: cells of a structure of which the search wants to know whether they are
 * won. */
#ifndef TREB_PAWNS_SOLVE_WANTED_H
#define TREB_PAWNS_SOLVE_WANTED_H

#include "pawns/solve/proof_graph.h"

/* Gives a structure empty sets of wanted cells, unless it has some. False without memory. */
bool wanted_start(ProofGraph *graph, Structure *structure);

/* Adds those of `cells`, NULL for all, that are open and guessed to be won, or, without `won`,
 * guessed not to be won. If the limit of memory leaves no room for the sets, nothing is added and
 * the graph is full. False without memory. */
bool wanted_add(ProofGraph *graph, Structure *f, int winner, int side, const uint64_t *cells,
                bool won);

/* The cells of a word that are open and guessed to be won, or, without `won`, guessed not to be
 * won. */
uint64_t wanted_word(const Structure *f, int winner, int side, size_t w, bool won);

/* Frees the sets of wanted cells. */
void wanted_end(ProofGraph *graph, Structure *f);

#endif
