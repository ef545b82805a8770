/* syzygy_ready.c - whether a value can be read without waiting for a disk. Before a page is
 * touched, mapped_has (core/format/mapped.h) says whether it is in memory. */
#include "core/system/error.h"
#include "probe/syzygy/syzygy_file.h"

/* The state of the check for one position. */
typedef struct PageCheck {
    const Syzygy *table;
    uint32_t now;
    MappedBytes missing;
} PageCheck;

/* A SyzygyGuard: whether bytes are in memory. */
static bool is_there(void *context, const uint8_t *at, uint64_t size)
{
    PageCheck *check = (PageCheck *)context;
    const Mapped *map = &check->table->map;
    return mapped_has(map, (uint64_t)(at - map->bytes), size, check->now, &check->missing);
}

/* Whether what every value of an array needs is in memory: its symbols, and for DTZ its maps. */
static bool is_code_there(const SyzygyArray *array, PageCheck *check)
{
    bool constant = array->flags & SYZYGY_CONSTANT;
    uint64_t pairs = SYZYGY_SYMBOL_SIZE * (uint64_t)array->code.symbols;
    if (!constant && !is_there(check, array->code.pairs, pairs)) return false;
    if (!(array->flags & SYZYGY_MAPPED)) return true;
    unsigned width = array->flags & SYZYGY_WIDE ? 2 : 1, last = SYZYGY_MAPS - 1;
    const uint8_t *end = array->map[last] + width * (uint64_t)array->map_count[last];
    return is_there(check, array->map[0], (uint64_t)(end - array->map[0]));
}

int syzygy_ready(const Syzygy *table, const treb_position *pos, MappedBytes *missing,
                 treb_error *error)
{
    const SyzygyArray *array = syzygy_array_of(table, pos);
    PageCheck check = {.table = table, .now = mapped_now()};
    uint64_t block, cell = syzygy_index_of(&array->index, table->maps, pos);
    bool constant = array->flags & SYZYGY_CONSTANT;
    if (constant && !(array->flags & SYZYGY_MAPPED)) return 0;
    if (is_code_there(array, &check)) {
        if (constant) return 0;
        int place = syzygy_find_block(array, cell, &block, is_there, &check);
        if (place == SYZYGY_NOWHERE)
            return -(int)fail(error, TREB_ERR_DAMAGED, "%s: damaged: a position has no value in it",
                              fail_path(table->path));
        /* Bits are read eight bytes and four bytes at a time: the last may be in the next block. */
        if (place >= 0 && is_there(&check, array->block + (block << array->block_bits),
                                   (UINT64_C(1) << array->block_bits) + 4))
            return 0;
    }
    *missing = check.missing;
    return -(int)fail_not_ready(error, table->path);
}

const Mapped *syzygy_map(const Syzygy *table) { return &table->map; }
