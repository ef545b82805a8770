/* scout.h - which families a proof that one side wins rests on, found fast.
 *
 * The lattice proves things of all positions of a family at three levels for both sides, and to take in what a proof
 * needs and little else it must know where to look. The scout plays one game alone, "can the winner win this position?",
 * with families of kings and pawns, and those in which the winner has one queen besides. All of the former that can
 * arise are solved. Of the latter one that was not looked at is guessed; the winner's way from the position is followed
 * against every defence, those that it comes by are solved, and so on until the way comes by none that is guessed.
 * What the scout finds is no proof: it says what to take in, and the lattice proves. */
#ifndef TREB_BLOCKED_SCOUT_H
#define TREB_BLOCKED_SCOUT_H

#include "pawns/cells.h"

typedef struct Scout Scout;

typedef struct ScoutLimits {
    uint64_t memory; /* bytes at most */
    /* Told now and then how many families and bytes there are; true to stop. May be NULL. */
    bool (*stop)(void *context, uint64_t families, uint64_t bytes);
    void *context;
} ScoutLimits;

typedef enum ScoutResult {
    SCOUT_WON,
    SCOUT_NOT_FOUND, /* a win that it knows of: the other may hold, or the scout knows too little */
    SCOUT_UNDECIDED, /* its patience was over: it may be asked again, and goes on from there */
    SCOUT_STOPPED,
    SCOUT_NO_MEMORY
} ScoutResult;

/* A scout for wins of `winner` from positions of a family of kings and pawns and of those without pieces that it leads
 * to. NULL without memory; free with scout_free. */
Scout *scout_new(const CellsKey *key, int winner, const ScoutLimits *limits);
void scout_free(Scout *scout);

/* Changes how many bytes a scout may hold. */
void scout_allow(Scout *scout, uint64_t memory);

/* Bytes that a scout holds; 0 for NULL. */
uint64_t scout_bytes(const Scout *scout);

/* Looks for a win from a cell of such a family, `side` to move, until some `patience` families have been solved. If there
 * is one, `keys` get the families that it rests on, those with the least potential first; the caller frees them. What
 * it finds does not depend on the number of threads. */
ScoutResult scout_win(Scout *scout, const CellsKey *key, Cell cell, int side, uint64_t patience,
                      CellsKey **keys, size_t *count);

#endif
