/* tt.h - the transposition table: results of the search by position. */
#ifndef UCI_TT_H
#define UCI_TT_H

#include <stddef.h>

#include "board.h"

typedef enum Bound { BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT } Bound;

typedef struct TtEntry {
    uint64_t key;
    Move move; /* the best move, or 0 */
    int16_t score;
    uint8_t depth, bound, age;
    bool kept; /* from the memory: may also end a node of the principal variation */
} TtEntry;

typedef struct Tt {
    TtEntry *entries; /* NULL if there is no table */
    size_t count;
    uint8_t age; /* of the present search */
} Tt;

/* Makes an empty table of `mib` MiB, or of as many MiB as can be allocated, and returns this number.
 * If it is 0, there is no table; the engine works without one, but more slowly. */
size_t tt_resize(Tt *tt, size_t mib);
void tt_clear(Tt *tt);
void tt_free(Tt *tt);

/* Returns the key of a position in the table and in the memory. */
uint64_t tt_key(const Board *b);

/* Returns the entry of a position, with the score as seen from a node at `ply`. If there is no entry, its
 * bound is BOUND_NONE. */
TtEntry tt_find(const Tt *tt, const Board *b, int ply);
void tt_store(Tt *tt, const Board *b, int ply, int depth, int score, Bound bound, Move move);

/* Stores an entry from the memory for the next search. An entry of at least equal depth stays. */
void tt_load(Tt *tt, const TtEntry *entry);

/* Returns how much of the table the present search has filled, in thousandths. */
int tt_full(const Tt *tt);

#endif
