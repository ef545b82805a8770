/* mapped.c - see mapped.h. */
#include "core/format/mapped.h"

#include <stdlib.h>

#include "core/system/system.h"

bool mapped_open(Mapped *map, int descriptor, uint64_t size)
{
    *map = (Mapped){.bytes = (const uint8_t *)system_map(descriptor, size)};
    if (map->bytes == NULL) return false;
    map->size = size;
    system_advise(map->bytes, size, SYSTEM_RANDOM);
    return true;
}

bool mapped_prepare(Mapped *map, TableFile *file)
{
    map->file = file;
    map->seen =
        (_Atomic(uint32_t) *)calloc((size_t)(map->size / MAPPED_PAGE) + 1, sizeof *map->seen);
    return map->seen != NULL;
}

void mapped_close(Mapped *map)
{
    if (map->bytes != NULL) system_unmap(map->bytes, map->size);
    free((void *)map->seen);
    *map = (Mapped){.bytes = NULL};
}

/* Never 0. */
uint32_t mapped_now(void) { return (uint32_t)system_seconds() + 2; }

bool mapped_has(const Mapped *map, uint64_t at, uint64_t size, uint32_t now, MappedBytes *missing)
{
    uint64_t end = at + size < map->size ? at + size : map->size;
    for (uint64_t page = at / MAPPED_PAGE; page * MAPPED_PAGE < end; page++) {
        _Atomic(uint32_t) *seen = &map->seen[page];
        if (atomic_load_explicit(seen, memory_order_relaxed) + 1 >= now) continue;
        if (!table_file_has(map->file, page * MAPPED_PAGE, 1)) {
            *missing = (MappedBytes){page * MAPPED_PAGE, end - page * MAPPED_PAGE};
            return false;
        }
        atomic_store_explicit(seen, now, memory_order_relaxed);
    }
    return true;
}

void mapped_fetch(const Mapped *map, MappedBytes bytes)
{
    uint64_t page = system_page(), from = bytes.at / page * page;
    system_advise(map->bytes + from, bytes.at + bytes.size - from, SYSTEM_SOON);
}

void mapped_touch(const Mapped *map, MappedBytes bytes)
{
    for (uint64_t page = bytes.at / MAPPED_PAGE; page * MAPPED_PAGE < bytes.at + bytes.size;
         page++) {
        (void)*(const volatile uint8_t *)(map->bytes + page * MAPPED_PAGE);
        if (map->seen != NULL)
            atomic_store_explicit(&map->seen[page], mapped_now(), memory_order_relaxed);
    }
}
