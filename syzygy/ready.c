/* ready.c - whether a value can be read without waiting for a disk.
 *
 * A page of a mapped file that is not in the system's memory is read from the disk when it is
 * touched, and the thread waits. So each page is asked after before it is touched. The system is
 * not asked by mincore, which says that all is there if the file belongs to somebody else, but by
 * reading a byte of the page with a descriptor (core/nowait.h). That takes a microsecond or so, as
 * long as the probe itself; so what was there within the last second or two is taken to be there
 * still. */
#define _POSIX_C_SOURCE 200809L
#include "syzygy/file.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"

/* What a probe of one position asks. */
typedef struct Asking {
    const Syzygy *table;
    uint32_t now; /* second */
    SyzygyBytes missing;
} Asking;

/* Never 0. A few nanoseconds: the coarse clock is in memory. */
static uint32_t second_now(void)
{
    struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint32_t)now.tv_sec + 2;
}

static bool is_there(void *context, const uint8_t *at, uint64_t size)
{
    Asking *asking = context;
    const Syzygy *table = asking->table;
    uint64_t from = (uint64_t)(at - table->bytes), end = from + size;
    if (end > table->size) end = table->size;
    for (uint64_t page = from / SYZYGY_PAGE; page * SYZYGY_PAGE < end; page++) {
        _Atomic uint32_t *seen = &table->seen[page];
        if (atomic_load_explicit(seen, memory_order_relaxed) + 1 >= asking->now) continue;
        if (!table_file_has(table->file, page * SYZYGY_PAGE, 1)) {
            asking->missing = (SyzygyBytes){page * SYZYGY_PAGE, end - page * SYZYGY_PAGE};
            return false;
        }
        atomic_store_explicit(seen, asking->now, memory_order_relaxed);
    }
    return true;
}

/* What the values of an array are made of: its symbols, and of DTZ its maps. */
static bool is_code_there(const SyzygyArray *array, Asking *asking)
{
    bool constant = array->flags & SYZYGY_CONSTANT;
    uint64_t pairs = SYZYGY_SYMBOL_SIZE * (uint64_t)array->code.symbols;
    if (!constant && !is_there(asking, array->code.pairs, pairs)) return false;
    if (!(array->flags & SYZYGY_MAPPED)) return true;
    unsigned width = array->flags & SYZYGY_WIDE ? 2 : 1, last = SYZYGY_MAPS - 1;
    const uint8_t *end = array->map[last] + width * (uint64_t)array->map_count[last];
    return is_there(asking, array->map[0], (uint64_t)(end - array->map[0]));
}

int syzygy_ready(const Syzygy *table, const treb_position *pos, SyzygyBytes *missing,
                 treb_error *error)
{
    const SyzygyArray *array = syzygy_array_of(table, pos);
    Asking asking = {.table = table, .now = second_now()};
    uint64_t block, cell = syzygy_index_of(&array->index, table->maps, pos);
    bool constant = array->flags & SYZYGY_CONSTANT;
    if (constant && !(array->flags & SYZYGY_MAPPED)) return 0;
    if (is_code_there(array, &asking)) {
        if (constant) return 0;
        int place = syzygy_find_block(array, cell, &block, is_there, &asking);
        if (place == SYZYGY_NOWHERE)
            return -(int)fail(error, TREB_ERR_DAMAGED, "%s: damaged: a position has no value in it",
                              fail_path(table->path));
        /* Bits are read by eight bytes and by four: the last may be of the next block. */
        if (place >= 0 && is_there(&asking, array->block + (block << array->block_bits),
                                   (UINT64_C(1) << array->block_bits) + 4))
            return 0;
    }
    *missing = asking.missing;
    return -(int)fail_not_ready(error, table->path);
}

void syzygy_fetch(const Syzygy *table, SyzygyBytes bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = bytes.at / page * page;
    posix_madvise((void *)(uintptr_t)(table->bytes + from), (size_t)(bytes.at + bytes.size - from),
                  POSIX_MADV_WILLNEED);
}

void syzygy_touch(const Syzygy *table, SyzygyBytes bytes)
{
    for (uint64_t page = bytes.at / SYZYGY_PAGE; page * SYZYGY_PAGE < bytes.at + bytes.size;
         page++) {
        (void)*(const volatile uint8_t *)(table->bytes + page * SYZYGY_PAGE);
        if (table->seen != NULL)
            atomic_store_explicit(&table->seen[page], second_now(), memory_order_relaxed);
    }
}
