/* ledger.h - the memory of a run: how much is held, within a bound.
 *
 * Everything of size that the generator holds is claimed here first: solvers, solved slices,
 * buffers of the writer, compressors. So it is known at any time how much that is, and what would
 * go beyond the bound is refused like memory that the system does not have. */
#ifndef TREB_CORE_LEDGER_H
#define TREB_CORE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEDGER_SPARES = 8 };

typedef struct Ledger {
    uint64_t bound; /* bytes that may be held */
    bool ample;     /* the bound is far away: what is freed may stay with the process */
    _Atomic uint64_t held, most;
    _Atomic(void *) spare[LEDGER_SPARES]; /* arrays that were freed, where memory is ample */
    _Atomic unsigned turn;                /* which of them goes when there are too many */
} Ledger;

void ledger_init(Ledger *ledger, uint64_t bound);

/* Gives spare arrays back to the system. */
void ledger_end(Ledger *ledger);

/* Bytes that arrays which were freed may hold at most, where memory is ample. */
uint64_t ledger_freed_most(const Ledger *ledger);

/* Bytes that may still be claimed. */
uint64_t ledger_room(const Ledger *ledger);

/* Notes bytes that come from elsewhere. False: beyond the bound, nothing is noted. */
bool ledger_claim(Ledger *ledger, uint64_t bytes);
void ledger_give_back(Ledger *ledger, uint64_t bytes);

/* Memory, not cleared, at an address that is a multiple of 64. NULL: beyond the bound, or the system
 * has none. Freeing it gives it back to the ledger and, where it is large, to the system at once;
 * where memory is ample some stays to be used again, at most an eighth of the bound and 1 GiB:
 * pages come cleared, which costs time. */
void *ledger_alloc(Ledger *ledger, size_t size);
void *ledger_calloc(Ledger *ledger, size_t size); /* cleared */
void ledger_free(void *memory);                   /* NULL is allowed */

/* The system's allocator keeps what was freed between small things that are still there: gives it back to the
 * system, unless memory is ample. It would come on top of what is claimed next. */
void ledger_trim(const Ledger *ledger);

/* Bytes that ledger_alloc claims for `size`. */
uint64_t ledger_cost(size_t size);

/* Places arrays one behind the other in memory that comes later: the first pass, with base NULL,
 * finds how much that is. Each array begins at a multiple of 64 bytes. Between two there is a gap, so
 * that the same cell of arrays whose size is a power of two does not fall into the same place of
 * the processor's caches: that would nearly double the time of listing captures. */
enum { LAYOUT_GAP = 5 * 64 };

typedef struct Layout {
    uint8_t *base;
    size_t size;
} Layout;

static inline void *layout_place(Layout *layout, size_t bytes)
{
    void *at = layout->base != NULL ? layout->base + layout->size : NULL;
    layout->size += ((bytes + 63) & ~(size_t)63) + LAYOUT_GAP;
    return at;
}

#endif
