/* ledger.c - see ledger.h. */
#include "core/system/ledger.h"

#include <assert.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Claims ---------------------------------------------------------------------------------- */

void ledger_init(Ledger *ledger, uint64_t bound)
{
    ledger->bound = bound;
    ledger->ample = false;
    for (int i = 0; i < LEDGER_SPARES; i++) atomic_init(&ledger->spare[i], NULL);
    atomic_init(&ledger->turn, 0);
    atomic_init(&ledger->held, 0);
    atomic_init(&ledger->most, 0);
}

uint64_t ledger_room(const Ledger *ledger)
{
    uint64_t held = atomic_load(&ledger->held);
    return held < ledger->bound ? ledger->bound - held : 0;
}

bool ledger_claim(Ledger *ledger, uint64_t bytes)
{
    uint64_t held = atomic_load(&ledger->held);
    do {
        if (bytes > ledger->bound || held > ledger->bound - bytes) return false;
    } while (!atomic_compare_exchange_weak(&ledger->held, &held, held + bytes));
    uint64_t most = atomic_load(&ledger->most);
    while (most < held + bytes && !atomic_compare_exchange_weak(&ledger->most, &most, held + bytes))
        ;
    return true;
}

void ledger_give_back(Ledger *ledger, uint64_t bytes)
{
    uint64_t held = atomic_fetch_sub(&ledger->held, bytes);
    assert(held >= bytes);
    (void)held;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* In front of what ledger_alloc returns, within 64 bytes. */
typedef struct Header {
    Ledger *ledger;
    uint64_t cost;
    void *map; /* what to unmap; NULL: from malloc */
    size_t map_size;
} Header;

/* Arrays of MAPPED bytes and more are mapped, as the allocator would keep what is freed between
 * others; below that it is better at using the same pages again. Those of ALIGNED bytes and more lie
 * on large pages. */
enum {
    HEADER = 64,
    PAGE = 4096,
    HUGE_PAGE = 2 << 20,
    MAPPED = 3 << 19,
    SPARE_MOST = 128 << 20, /* of an array, */
    SPARE_SHARE = 64,       /* and of so much of the bound */
    ALIGNED = 2 * HUGE_PAGE
};

_Static_assert(sizeof(Header) <= HEADER, "the header has room");

uint64_t ledger_cost(size_t size)
{
    if (size < MAPPED) return size + HEADER;
    return (((uint64_t)size + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + PAGE;
}

/* ---- Spare arrays ---------------------------------------------------------------------------- */

static void unmap(Header *header) { munmap(header->map, header->map_size); }

/* Bytes of an array that is kept, at most. */
static uint64_t spare_most(const Ledger *ledger)
{
    const uint64_t share = ledger->bound / SPARE_SHARE;
    return share < SPARE_MOST ? share : SPARE_MOST;
}

uint64_t ledger_freed_most(const Ledger *ledger) { return LEDGER_SPARES * spare_most(ledger); }

/* False if it is too large. Where all places are taken an array that was kept before goes. */
static bool spare_keep(Ledger *ledger, Header *header)
{
    if (header->map_size > spare_most(ledger)) return false;
    for (int i = 0; i < LEDGER_SPARES; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&ledger->spare[i], &none, header)) return true;
    }
    unsigned oldest = atomic_fetch_add(&ledger->turn, 1) % LEDGER_SPARES;
    Header *old = atomic_exchange(&ledger->spare[oldest], header);
    if (old != NULL) unmap(old);
    return true;
}

/* One that has room for `pages` bytes and not much more, or NULL. */
static Header *spare_take(Ledger *ledger, size_t pages)
{
    for (int i = 0; i < LEDGER_SPARES; i++) {
        Header *header = atomic_exchange(&ledger->spare[i], NULL);
        if (header == NULL) continue;
        size_t room = header->map_size - PAGE;
        if (room >= pages && room - pages <= pages / 8) return header;
        if (!spare_keep(ledger, header)) unmap(header);
    }
    return NULL;
}

void ledger_end(Ledger *ledger)
{
    for (int i = 0; i < LEDGER_SPARES; i++) {
        Header *header = atomic_exchange(&ledger->spare[i], NULL);
        if (header != NULL) unmap(header);
    }
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* Large arrays are swept again and again: large pages spare the processor most of the cost of
 * finding them. The page before the array has the header. */
static Header *map_large(Ledger *ledger, size_t size)
{
    size_t pages = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    Header *spare = spare_take(ledger, pages);
    if (spare != NULL) return spare;
    size_t unit = size < ALIGNED ? PAGE : HUGE_PAGE, whole = pages + unit + PAGE;
    uint8_t *map = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return NULL;
    uintptr_t first = ((uintptr_t)map + PAGE + unit - 1) & ~(uintptr_t)(unit - 1);
    uint8_t *array = map + (first - (uintptr_t)map), *start = array - PAGE, *end = array + pages;
    if (start > map) munmap(map, (size_t)(start - map));
    if (end < map + whole) munmap(end, (size_t)(map + whole - end));
#ifdef MADV_HUGEPAGE
    if (size >= ALIGNED) madvise(array, pages, MADV_HUGEPAGE);
#endif
    Header *header = (Header *)(void *)(array - HEADER);
    header->map = start;
    header->map_size = pages + PAGE;
    return header;
}

static Header *take_small(size_t size)
{
    size_t rounded = (size + HEADER + 63) & ~(size_t)63;
    Header *header = aligned_alloc(64, rounded);
    if (header != NULL) header->map = NULL;
    return header;
}

void *ledger_alloc(Ledger *ledger, size_t size)
{
    uint64_t cost = ledger_cost(size);
    if (!ledger_claim(ledger, cost)) return NULL;
    Header *header = size < MAPPED ? take_small(size) : map_large(ledger, size);
    if (header == NULL) {
        ledger_give_back(ledger, cost);
        return NULL;
    }
    header->ledger = ledger;
    header->cost = cost;
    return (uint8_t *)header + HEADER;
}

void *ledger_calloc(Ledger *ledger, size_t size)
{
    uint8_t *memory = ledger_alloc(ledger, size);
    /* Mapped pages come cleared, but not spare ones. */
    if (memory != NULL && (size < MAPPED || ledger->ample)) memset(memory, 0, size);
    return memory;
}

void ledger_free(void *memory)
{
    if (memory == NULL) return;
    Header *header = (Header *)(void *)((uint8_t *)memory - HEADER);
    Ledger *ledger = header->ledger;
    ledger_give_back(ledger, header->cost);
    if (header->map == NULL)
        free(header);
    else if (!ledger->ample || !spare_keep(ledger, header))
        unmap(header);
}

void ledger_trim(const Ledger *ledger)
{
#ifdef __GLIBC__
    if (!ledger->ample) malloc_trim(0);
#else
    (void)ledger;
#endif
}
