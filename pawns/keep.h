/* keep.h - what a lattice knows, in a file from which a later run goes on.
 *
 * The sets of all families are kept as they are, proofs and all that is open, with checksums: nothing is believed that
 * is not whole. docs/pawn-endings.md says what the file is good for; only programs of the same kind of machine read
 * each other's. */
#ifndef TREB_BLOCKED_KEEP_H
#define TREB_BLOCKED_KEEP_H

#include "pawns/lattice.h"

/* Writes it, of the search for `pos`, with its name only when it is complete, in place of an older one. */
treb_status keep_write(Lattice *lattice, const treb_position *pos, const char *path,
                       treb_error *error);

/* Takes in what a file has, into a lattice without families. `found` tells whether there is one, without which there
 * is nothing to do. Fails if it is of another position, damaged, needs tables that are not there, or more memory: the
 * lattice is of no use then. */
treb_status keep_read(Lattice *lattice, const treb_position *pos, const char *path, bool *found,
                      treb_error *error);

#endif
