/* ledger.c - see ledger.h. */
#include "core/ledger.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Claims ---------------------------------------------------------------------------------- */

void ledger_init(Ledger *ledger, uint64_t bound)
{
    ledger->bound = bound;
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

enum { HEADER = 64, PAGE = 4096, HUGE_PAGE = 2 << 20, MAPPED = 2 * HUGE_PAGE /* from here on */ };

_Static_assert(sizeof(Header) <= HEADER, "the header has room");

uint64_t ledger_cost(size_t size)
{
    if (size < MAPPED) return size + HEADER;
    return (((uint64_t)size + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + PAGE;
}

/* Large arrays are swept again and again: large pages spare the processor most of the cost of
 * finding them. The page before the array has the header. */
static Header *map_large(size_t size)
{
    size_t pages = (size + PAGE - 1) & ~(size_t)(PAGE - 1), whole = pages + HUGE_PAGE + PAGE;
    uint8_t *map = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return NULL;
    uintptr_t first = ((uintptr_t)map + PAGE + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    uint8_t *array = map + (first - (uintptr_t)map), *start = array - PAGE, *end = array + pages;
    if (start > map) munmap(map, (size_t)(start - map));
    if (end < map + whole) munmap(end, (size_t)(map + whole - end));
#ifdef MADV_HUGEPAGE
    madvise(array, pages, MADV_HUGEPAGE);
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
    Header *header = size < MAPPED ? take_small(size) : map_large(size);
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
    void *memory = ledger_alloc(ledger, size);
    /* Mapped pages come cleared. */
    if (memory != NULL && size < MAPPED) memset(memory, 0, size);
    return memory;
}

void ledger_free(void *memory)
{
    if (memory == NULL) return;
    Header *header = (Header *)(void *)((uint8_t *)memory - HEADER);
    ledger_give_back(header->ledger, header->cost);
    if (header->map != NULL)
        munmap(header->map, header->map_size);
    else
        free(header);
}

/* ---- The machine and this process ------------------------------------------------------------ */

/* The number in the first line of a file that begins with `key`; UINT64_MAX if there is none. */
static uint64_t read_number(const char *path, const char *key)
{
    char line[256];
    unsigned long long number;
    uint64_t found = UINT64_MAX;
    FILE *file = fopen(path, "r");
    while (file != NULL && found == UINT64_MAX && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0 &&
            sscanf(line + strlen(key), "%llu", &number) == 1)
            found = number;
    if (file != NULL) fclose(file);
    return found;
}

/* What a control group leaves: its bound less what its processes hold, file pages that can be
 * dropped not counted. */
static uint64_t group_room(const char *limit, const char *usage, const char *stat)
{
    uint64_t bound = read_number(limit, ""), held = read_number(usage, "");
    uint64_t droppable = read_number(stat, "inactive_file ");
    if (bound == UINT64_MAX || held == UINT64_MAX) return UINT64_MAX;
    if (droppable != UINT64_MAX) held = held > droppable ? held - droppable : 0;
    return bound > held ? bound - held : 0;
}

/* The least that the groups from `path` up to the root leave; `path` is cut short. */
static uint64_t groups_room(const char *root, char *path, const char *limit, const char *usage)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        char files[3][600];
        snprintf(files[0], sizeof files[0], "%s%.500s/%s", root, path, limit);
        snprintf(files[1], sizeof files[1], "%s%.500s/%s", root, path, usage);
        snprintf(files[2], sizeof files[2], "%s%.500s/memory.stat", root, path);
        uint64_t room = group_room(files[0], files[1], files[2]);
        if (room < least) least = room;
        char *last = strrchr(path, '/');
        if (last == NULL) return least;
        *last = '\0';
    }
}

/* The least of all control groups of this process, of either version. A line of /proc/self/cgroup
 * is "0::/path" or, of the first version, "4:memory:/path". */
static uint64_t all_groups_room(void)
{
    char line[600];
    uint64_t least = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *first = strstr(line, ":memory:"), *path = strchr(line, '/');
        uint64_t room = UINT64_MAX;
        if (path == NULL) continue;
        if (first != NULL)
            room = groups_room("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes",
                               "memory.usage_in_bytes");
        else if (strncmp(line, "0::", 3) == 0)
            room = groups_room("/sys/fs/cgroup", path, "memory.max", "memory.current");
        if (room < least) least = room;
    }
    if (file != NULL) fclose(file);
    return least;
}

uint64_t memory_available(void)
{
    uint64_t kib = read_number("/proc/meminfo", "MemAvailable:");
    uint64_t machine = kib == UINT64_MAX ? UINT64_MAX : kib << 10, groups = all_groups_room();
    return groups < machine ? groups : machine;
}

uint64_t memory_resident(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%*u %llu", &pages) != 1) pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
