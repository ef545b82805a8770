/* memory_budget.h - a bound on the memory of a run.
 *
 * The generator claims every large piece of memory here before it uses it: solvers, solved slices,
 * buffers of the writer, compressors. The budget knows at any time how many bytes are held, and
 * refuses a claim beyond the bound, as the system refuses memory that it does not have. All
 * functions but budget_init and budget_end are thread-safe. */
#ifndef TREB_CORE_SYSTEM_MEMORY_BUDGET_H
#define TREB_CORE_SYSTEM_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUDGET_SPARES = 16 };

typedef struct MemoryBudget {
    uint64_t bound;               /* bytes that may be held */
    bool plentiful;               /* the bound is far away: the process may keep freed memory */
    _Atomic(uint64_t) held, most; /* bytes held now, and at most so far */
    _Atomic(void *) spare[BUDGET_SPARES]; /* freed arrays, kept if memory is plentiful */
    _Atomic(uint64_t) spared;             /* bytes of these arrays */
    _Atomic(unsigned) turn;               /* the spare array that makes room for the next */
} MemoryBudget;

/* Begins a budget of `bound` bytes. The caller may then set `plentiful`. */
void budget_init(MemoryBudget *budget, uint64_t bound);

/* Gives the spare arrays back to the system. */
void budget_end(MemoryBudget *budget);

/* Returns the largest number of bytes that spare arrays may hold, if memory is plentiful. */
uint64_t budget_spare_most(const MemoryBudget *budget);

/* Returns the bytes that can still be claimed. */
uint64_t budget_left(const MemoryBudget *budget);

/* Claims bytes of memory that is allocated elsewhere. Returns false, and claims nothing, if they go
 * beyond the bound. */
bool budget_claim(MemoryBudget *budget, uint64_t bytes);
void budget_release(MemoryBudget *budget, uint64_t bytes);

/* Allocate memory at an address that is a multiple of 64; budget_calloc clears it. Return NULL if
 * it goes beyond the bound or the system has none. budget_free releases the claim and gives large
 * memory back to the system at once. Only if memory is plentiful some is kept for later use, at
 * most an eighth of the bound and 1 GiB: new pages come cleared, which costs time. */
void *budget_alloc(MemoryBudget *budget, size_t size);
void *budget_calloc(MemoryBudget *budget, size_t size);
void budget_free(void *memory); /* `memory` may be NULL */

/* Gives freed memory back to the system that its allocator keeps between small pieces still in use,
 * unless memory is plentiful. Otherwise that memory would come on top of the next claims. */
void budget_trim(const MemoryBudget *budget);

/* Returns the bytes that budget_alloc claims for `size`. */
uint64_t budget_cost(size_t size);

#endif
