/* lattice.h - the families that captures, pawn moves and promotions lead to, as far as needed.
 *
 * The number of families below a position grows without bounds, but few of them matter: mostly one
 * side is far ahead. So a family starts out unknown, which bounds its parents from both sides, and
 * is taken in only when an undecided position that matters leads there: first those of kings and
 * pawns, then those with one piece, two, three. What is decided is proven; what still is not when
 * the memory is used up stays open. */
#ifndef TREB_BLOCKED_LATTICE_H
#define TREB_BLOCKED_LATTICE_H

#include "pawns/outcome.h"
#include "pawns/scout.h"

enum { LATTICE_BUCKETS = 1 << 14, LATTICE_POTENTIALS = 512, LATTICE_MATERIALS = 1 << 10 };

typedef struct LatticeLimits {
    uint64_t memory; /* bytes, what solving takes meanwhile included */
    int men;         /* pieces of a family at most, up to CELLS_MEN_MAX */
    /* All placements of the kings are asked about: most families are needed then, and what serves to do without them
     * only takes time. */
    bool all;
    bool unscouted; /* no scouts: what the search finds by itself */
    /* Whether the oracle answers for a family, which its men alone decide; NULL for never. */
    bool (*covers)(void *context, const CellsKey *key);
    FamilyOracle oracle;
    /* Told now and then how many families and bytes there are; true to stop. May be NULL. */
    bool (*stop)(void *context, uint64_t families, uint64_t bytes);
    void *stop_context;
} LatticeLimits;

typedef struct Lattice {
    LatticeLimits limits;
    Family *bucket[LATTICE_BUCKETS];
    Family **by_potential[LATTICE_POTENTIALS]; /* all families; lists with their lengths */
    int count[LATTICE_POTENTIALS], capacity[LATTICE_POTENTIALS];
    uint32_t covered[LATTICE_MATERIALS]; /* what `covers` said of some materials */
    uint64_t families, bytes;
    uint64_t wanted;    /* bytes of what is wanted (wanted.h), */
    uint64_t work;      /* and of what solving the largest family takes meanwhile */
    unsigned round;     /* of the search */
    Scout *scout[2];    /* by winner; NULL as long as there is none */
    bool unscouted;     /* by the limits, or for want of memory */
    int favourite;      /* the winner that a scout found last */
    bool full;          /* something was left out for want of memory */
    bool failed;        /* out of memory, or an oracle failed: nothing more can be learned */
    bool family_failed; /* some family has, of which lattice_sound takes note */
    bool stopped;
} Lattice;

/* NULL without memory. */
Lattice *lattice_new(const LatticeLimits *limits);
void lattice_free(Lattice *lattice);

/* Asks whether to stop, and notes it. */
bool lattice_stopped(Lattice *lattice);

/* The family if it is known, else NULL. */
Family *lattice_find(const Lattice *lattice, const CellsKey *key);

/* Whether all that was asked and allocated so far was had; if not, values of families may be wrong,
 * and `failed` is set. */
bool lattice_sound(Lattice *lattice);

/* Bytes that count against the limit: of the scouts, too, and of what solving takes meanwhile. */
uint64_t lattice_held(const Lattice *lattice);

/* Whether the limit leaves room for so many bytes more, if need be without scouts; if not the lattice is full. */
bool lattice_room(Lattice *lattice, uint64_t bytes);

/* Takes a family in; the oracle answers for it if it can and `ask` allows it. Else all of it is looked for, or only the
 * sure wins of a winner (family.h). NULL if memory is short, which `full` or `failed` then says. */
Family *lattice_add(Lattice *lattice, const CellsKey *key, bool ask, int only);

/* Has all be looked for in a family in which it was only that; it is to be solved then. False if there is no memory for
 * it, which `full` or `failed` then says. */
bool lattice_widen(Lattice *lattice, Family *family);

/* Solves whatever has new children, the least first: of families that were solved before those that the search met in
 * its last round, or all; the others are stale then. False if it failed or was stopped. */
bool lattice_update(Lattice *lattice, bool all);

/* Solves a family that is stale. False if it failed. */
bool lattice_refresh(Lattice *lattice, Family *family);

/* Joins a family to what it leads to, as far as that is known and solved. True if some of that has changed. */
bool lattice_join(const Lattice *lattice, Family *family);

/* Takes in what is needed until the wanted cells of a family are decided, or nothing helps any
 * more; `wanted` by side to move, or NULL for all. False if it failed. */
bool lattice_resolve(Lattice *lattice, Family *family, uint64_t *const wanted[2]);

#endif
