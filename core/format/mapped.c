/* mapped.c - see mapped.h. */
#include "core/format/mapped.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
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
    if (map->copy && map->bytes != NULL)
        system_room_free((void *)(uintptr_t)map->bytes, (size_t)map->size);
    else if (map->bytes != NULL)
        system_unmap(map->bytes, map->size);
    free((void *)map->seen);
    *map = (Mapped){.bytes = NULL};
}

/* ---- Copies of a source's files -------------------------------------------------------------- */

enum { COPY_NONE = 0, COPY_BEGUN, COPY_HERE }; /* of a page, in Mapped.seen */

static bool is_copied(const Mapped *map, uint64_t page)
{
    return atomic_load_explicit(&map->seen[page], memory_order_acquire) == COPY_HERE;
}

bool mapped_open_source(Mapped *map, TableFile *file)
{
    const uint64_t size = table_file_bytes(file);
    *map = (Mapped){.bytes = NULL};
    if (size == 0 || size > SIZE_MAX) return false;
    map->bytes = (const uint8_t *)system_room((size_t)size);
    map->copy = true;
    map->size = size;
    return map->bytes != NULL && mapped_prepare(map, file);
}

/* Copies pages, each by one thread only: another may be reading those that are here. What another thread is copying is here
 * as well when this returns: that takes a moment. */
static void copy_pages(const Mapped *map, uint64_t at, const uint8_t *from, size_t size)
{
    for (size_t done = 0; done < size; done += MAPPED_PAGE) {
        _Atomic(uint32_t) *seen = &map->seen[(at + done) / MAPPED_PAGE];
        uint32_t none = COPY_NONE;
        if (!atomic_compare_exchange_strong(seen, &none, COPY_BEGUN)) {
            while (!is_copied(map, (at + done) / MAPPED_PAGE)) continue;
            continue;
        }
        const size_t part = size - done < MAPPED_PAGE ? size - done : (size_t)MAPPED_PAGE;
        memcpy((uint8_t *)(uintptr_t)map->bytes + at + done, from + done, part);
        atomic_store_explicit(seen, COPY_HERE, memory_order_release);
    }
}

treb_status mapped_bring(const Mapped *map, TableWait wait, MappedBytes bytes, treb_error *error)
{
    uint64_t page = bytes.at / MAPPED_PAGE, end = bytes.at + bytes.size;
    bool cut = false;
    if (end > map->size) end = map->size;
    while (page * MAPPED_PAGE < end && is_copied(map, page)) page++;
    const uint64_t at = page * MAPPED_PAGE;
    if (at >= end) return TREB_OK;
    end = (end + MAPPED_PAGE - 1) / MAPPED_PAGE * MAPPED_PAGE;
    const size_t size = (size_t)((end < map->size ? end : map->size) - at);
    uint8_t *copy = wait == WAIT_NEVER_FETCH ? NULL : (uint8_t *)malloc(size);
    if (copy == NULL && wait != WAIT_NEVER_FETCH) return fail_memory(error);
    treb_status status = table_file_read(map->file, wait, copy, size, at, &cut, error);
    if (cut) status = fail(error, TREB_ERR_DAMAGED, "a file has become shorter");
    if (status == TREB_OK && copy != NULL) copy_pages(map, at, copy, size);
    free(copy);
    return status;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

/* Never 0. */
uint32_t mapped_now(void) { return (uint32_t)system_seconds() + 2; }

bool mapped_has(const Mapped *map, uint64_t at, uint64_t size, uint32_t now, MappedBytes *missing)
{
    uint64_t end = at + size < map->size ? at + size : map->size;
    for (uint64_t page = at / MAPPED_PAGE; page * MAPPED_PAGE < end; page++) {
        _Atomic(uint32_t) *seen = &map->seen[page];
        if (map->copy ? is_copied(map, page)
                      : atomic_load_explicit(seen, memory_order_relaxed) + 1 >= now)
            continue;
        if (map->copy || !table_file_has(map->file, page * MAPPED_PAGE, 1)) {
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
