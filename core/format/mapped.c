/* mapped.c - see mapped.h. */
#define _POSIX_C_SOURCE 200809L
#include "core/format/mapped.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

bool mapped_open(Mapped *map, int descriptor, uint64_t size)
{
    *map = (Mapped){.bytes = NULL};
    if (size == 0 || size > SIZE_MAX) {
        errno = EINVAL;
        return false;
    }
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (bytes == MAP_FAILED) return false;
    map->bytes = (const uint8_t *)bytes;
    map->size = size;
    posix_madvise(bytes, (size_t)size, POSIX_MADV_RANDOM);
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
    if (map->bytes != NULL) munmap((void *)(uintptr_t)map->bytes, (size_t)map->size);
    free((void *)map->seen);
    *map = (Mapped){.bytes = NULL};
}

/* Never 0. Takes a few nanoseconds: the coarse clock needs no system call. */
uint32_t mapped_now(void)
{
    struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint32_t)now.tv_sec + 2;
}

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
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = bytes.at / page * page;
    posix_madvise((void *)(uintptr_t)(map->bytes + from), (size_t)(bytes.at + bytes.size - from),
                  POSIX_MADV_WILLNEED);
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
