/* wanted.h - cells of a family of which it matters whether they are won, while the search looks for what is missing. */
#ifndef TREB_BLOCKED_WANTED_H
#define TREB_BLOCKED_WANTED_H

#include "pawns/lattice.h"

/* Sets for what is wanted of a family, empty unless it has some. False without memory. */
bool wanted_start(Lattice *lattice, Family *family);

/* Of a word, the open cells that are guessed to be won, or those that are not. */
uint64_t word_guessed(const Family *f, int winner, int side, size_t w, bool won);

/* Wants those of `cells` that are open and guessed as said; NULL stands for all. Where the limit of memory leaves no room
 * for that nothing is wanted, and the lattice is full. False without memory. */
bool want(Lattice *lattice, Family *f, int winner, int side, const uint64_t *cells, bool won);

/* Nothing is wanted any more. */
void wanted_end(Lattice *lattice, Family *f);

#endif
