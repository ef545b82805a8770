/* saved_search.h - saves what a proof graph knows to a file, from which a later run goes on.
 *
 * The file has the sets of all structures, with checksums: a file that is not complete and
 * undamaged is refused. docs/pawn-endings.md describes its use. Only programs with the same byte
 * order and format version can read it. */
#ifndef TREB_PAWNS_SOLVE_SAVED_SEARCH_H
#define TREB_PAWNS_SOLVE_SAVED_SEARCH_H

#include "pawns/solve/proof_graph.h"

/* Writes the file of the search for `pos`. It gets its name only when it is complete, and then
 * replaces an older one. */
treb_status saved_search_write(ProofGraph *graph, const treb_position *pos, const char *path,
                               treb_error *error);

/* Reads a file into a graph without structures. `found` tells whether there is a file; if not,
 * nothing is done. Fails if the file is for another position, is damaged, or needs tables that are
 * missing or more memory: the graph cannot be used then. */
treb_status saved_search_read(ProofGraph *graph, const treb_position *pos, const char *path,
                              bool *found, treb_error *error);

#endif
