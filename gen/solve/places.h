/* places.h - numbers the positions of a plane so that exchanging like men makes no other number.
 *
 * A plane has a cell for each order of like men (layout.h), or for half of them. Arrays that hold much of each position
 * are by place instead. */
#ifndef TREB_GEN_SOLVE_PLACES_H
#define TREB_GEN_SOLVE_PLACES_H

#include "core/system/memory_budget.h"
#include "gen/solve/layout.h"

typedef struct Places {
    size_t count;    /* places of a plane */
    uint32_t *of;    /* by cell; PLACES_NONE: no position is kept there. NULL: each cell is a place */
    uint64_t *first; /* one cell of each place; NULL: all cells */
} Places;

#define PLACES_NONE UINT32_MAX

/* False: out of memory. */
bool places_init(Places *places, const Layout *layout, MemoryBudget *budget);
void places_free(Places *places); /* also allowed for Places of zeros */

/* Returns the number of places of a plane of a layout, and the bytes that Places claim. */
size_t places_count(const Layout *layout);
uint64_t places_memory(const Layout *layout);

static inline size_t places_of(const Places *places, size_t cell)
{
    return places->of != NULL ? places->of[cell] : cell;
}

#endif
