/* needed.h - which families the values of a position and of its moves rest on. */
#ifndef TREB_BLOCKED_NEEDED_H
#define TREB_BLOCKED_NEEDED_H

#include "pawns/lattice.h"

/* Marks them: `met` is then the lattice's round, a new one. Whoever wins or holds follows one move from
 * each position, the other all. False without memory, or if a table could not be read. */
bool needed_mark(Lattice *lattice, const treb_position *root);

#endif
