/* ready.c - whether a value can be read without waiting for a disk: each page that a probe touches
 * is asked after before (core/format/mapped.h). */
#include "core/system/error.h"
#include "probe/syzygy/file.h"

/* What a probe of one position asks. */
typedef struct Asking {
    const Syzygy *table;
    uint32_t now;
    MappedBytes missing;
} Asking;

static bool is_there(void *context, const uint8_t *at, uint64_t size)
{
    Asking *asking = context;
    const Mapped *map = &asking->table->map;
    return mapped_has(map, (uint64_t)(at - map->bytes), size, asking->now, &asking->missing);
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

int syzygy_ready(const Syzygy *table, const treb_position *pos, MappedBytes *missing,
                 treb_error *error)
{
    const SyzygyArray *array = syzygy_array_of(table, pos);
    Asking asking = {.table = table, .now = mapped_now()};
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

const Mapped *syzygy_map(const Syzygy *table) { return &table->map; }
