/* memory_budget.c - see memory_budget.h. */
#include "core/system/memory_budget.h"

#include <assert.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/system.h"

/* ---- Claims ---------------------------------------------------------------------------------- */

void budget_init(MemoryBudget *budget, uint64_t bound)
{
    budget->bound = bound;
    budget->plentiful = false;
    for (int i = 0; i < BUDGET_SPARES; i++) atomic_init(&budget->spare[i], NULL);
    atomic_init(&budget->turn, 0);
    atomic_init(&budget->spared, 0);
    atomic_init(&budget->held, 0);
    atomic_init(&budget->most, 0);
}

uint64_t budget_left(const MemoryBudget *budget)
{
    uint64_t held = atomic_load(&budget->held);
    return held < budget->bound ? budget->bound - held : 0;
}

bool budget_claim(MemoryBudget *budget, uint64_t bytes)
{
    uint64_t held = atomic_load(&budget->held);
    do {
        if (bytes > budget->bound || held > budget->bound - bytes) return false;
    } while (!atomic_compare_exchange_weak(&budget->held, &held, held + bytes));
    uint64_t most = atomic_load(&budget->most);
    while (most < held + bytes && !atomic_compare_exchange_weak(&budget->most, &most, held + bytes))
        ;
    return true;
}

void budget_release(MemoryBudget *budget, uint64_t bytes)
{
    uint64_t held = atomic_fetch_sub(&budget->held, bytes);
    assert(held >= bytes);
    (void)held;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Stored in the 64 bytes in front of the memory that budget_alloc returns. */
typedef struct Header {
    MemoryBudget *budget;
    uint64_t cost;
    void *map; /* start of the mapping; NULL: the memory is from malloc */
    size_t map_size;
} Header;

/* Arrays of at least MAPPED bytes are mapped, since the allocator would keep freed arrays between
 * others; for smaller ones the allocator is better at using the same pages again. Arrays of at
 * least ALIGNED bytes begin at a large page. */
enum {
    HEADER = 64,
    PAGE = 4096,
    MAPPED = 3 << 19,
    SPARES_MOST = 1 << 30, /* bytes of all spare arrays, at most, */
    SPARES_SHARE = 8,      /* and as a fraction of the bound */
    ALIGNED = 4 << 20
};

_Static_assert(sizeof(Header) <= HEADER, "the header has room");

uint64_t budget_cost(size_t size)
{
    if (size < MAPPED) return size + HEADER;
    return (((uint64_t)size + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + PAGE;
}

/* ---- Spare arrays ---------------------------------------------------------------------------- */

static void unmap(Header *header) { system_pages_free(header->map, header->map_size); }

uint64_t budget_spare_most(const MemoryBudget *budget)
{
    const uint64_t share = budget->bound / SPARES_SHARE;
    return share < SPARES_MOST ? share : SPARES_MOST;
}

/* Unmaps the spare array in one of the places. */
static void spare_drop(MemoryBudget *budget, unsigned place)
{
    Header *old = atomic_exchange(&budget->spare[place % BUDGET_SPARES], NULL);
    if (old == NULL) return;
    atomic_fetch_sub(&budget->spared, old->map_size);
    unmap(old);
}

/* Puts an array into a free place. Returns false if there is none. */
static bool spare_put(MemoryBudget *budget, Header *header)
{
    for (int i = 0; i < BUDGET_SPARES; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&budget->spare[i], &none, header)) return true;
    }
    return false;
}

/* Keeps an array for later. Unmaps older spare arrays to make room. Returns false if the array is
 * too large. */
static bool spare_keep(MemoryBudget *budget, Header *header)
{
    const uint64_t most = budget_spare_most(budget);
    if (header->map_size > most) return false;
    atomic_fetch_add(&budget->spared, header->map_size);
    for (int i = 0; i <= BUDGET_SPARES; i++) {
        if (atomic_load(&budget->spared) <= most && spare_put(budget, header)) return true;
        spare_drop(budget, atomic_fetch_add(&budget->turn, 1));
    }
    atomic_fetch_sub(&budget->spared, header->map_size);
    return false;
}

/* Returns a spare array of at least `pages` bytes and at most an eighth more, or NULL. */
static Header *spare_take(MemoryBudget *budget, size_t pages)
{
    for (int i = 0; i < BUDGET_SPARES; i++) {
        Header *header = atomic_exchange(&budget->spare[i], NULL);
        if (header == NULL) continue;
        size_t room = header->map_size - PAGE;
        const bool fits = room >= pages && room - pages <= pages / 8;
        if (!fits && spare_put(budget, header)) continue;
        atomic_fetch_sub(&budget->spared, header->map_size);
        if (fits) return header;
        unmap(header);
    }
    return NULL;
}

void budget_end(MemoryBudget *budget)
{
    for (unsigned i = 0; i < BUDGET_SPARES; i++) spare_drop(budget, i);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* Maps a large array. Programs go through such arrays again and again; large pages save the
 * processor most of the cost of address translation. The header is in the page before the array. */
static Header *map_large(MemoryBudget *budget, size_t size)
{
    size_t pages = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    Header *spare = spare_take(budget, pages);
    if (spare != NULL) return spare;
    uint8_t *map = system_pages(pages + PAGE, size >= ALIGNED, PAGE);
    if (map == NULL) return NULL;
    Header *header = (Header *)(void *)(map + PAGE - HEADER);
    header->map = map;
    header->map_size = pages + PAGE;
    return header;
}

static Header *take_small(size_t size)
{
    size_t rounded = (size + HEADER + 63) & ~(size_t)63;
    Header *header = system_aligned(64, rounded);
    if (header != NULL) header->map = NULL;
    return header;
}

void *budget_alloc(MemoryBudget *budget, size_t size)
{
    uint64_t cost = budget_cost(size);
    if (!budget_claim(budget, cost)) return NULL;
    Header *header = size < MAPPED ? take_small(size) : map_large(budget, size);
    if (header == NULL) {
        budget_release(budget, cost);
        return NULL;
    }
    header->budget = budget;
    header->cost = cost;
    return (uint8_t *)header + HEADER;
}

void *budget_calloc(MemoryBudget *budget, size_t size)
{
    uint8_t *memory = budget_alloc(budget, size);
    /* Newly mapped pages are zero, but spare arrays are not. */
    if (memory != NULL && (size < MAPPED || budget->plentiful)) memset(memory, 0, size);
    return memory;
}

void budget_free(void *memory)
{
    if (memory == NULL) return;
    Header *header = (Header *)(void *)((uint8_t *)memory - HEADER);
    MemoryBudget *budget = header->budget;
    budget_release(budget, header->cost);
    if (header->map == NULL)
        system_aligned_free(header);
    else if (!budget->plentiful || !spare_keep(budget, header))
        unmap(header);
}

void budget_trim(const MemoryBudget *budget)
{
#ifdef __GLIBC__
    if (!budget->plentiful) malloc_trim(0);
#else
    (void)budget;
#endif
}
