/* tt.h - the transposition table: what the search found out about positions. */
#ifndef UCI_TT_H
#define UCI_TT_H

#include <stddef.h>

#include "board.h"

typedef enum Bound { BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT } Bound;

typedef struct TtEntry {
    uint64_t key;
    Move move; /* the best, or 0 */
    int16_t score;
    uint8_t depth, bound, age;
    bool kept; /* it comes from the memory: as good on the principal variation as elsewhere */
} TtEntry;

typedef struct Tt {
    TtEntry *entries; /* NULL: there is none */
    size_t count;
    uint8_t age; /* of the present search */
} Tt;

/* Makes a table of so many MiB, empty, or of as many as can be had, and returns how many these are.
 * 0: there is no table, and everything works, slower. */
size_t tt_resize(Tt *tt, size_t mib);
void tt_clear(Tt *tt);
void tt_free(Tt *tt);

/* What the table, and the memory, know a position by. */
uint64_t tt_key(const Board *b);

/* The entry of this position, its score counted from `ply`; bound is BOUND_NONE if unknown. */
TtEntry tt_find(const Tt *tt, const Board *b, int ply);
void tt_store(Tt *tt, const Board *b, int ply, int depth, int score, Bound bound, Move move);

/* An entry from the memory, for the search that comes next. One that is as deep stays. */
void tt_load(Tt *tt, const TtEntry *entry);

/* Thousandths of the table that the present search has filled. */
int tt_full(const Tt *tt);

#endif
