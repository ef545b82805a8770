/* read.c - the value of a position in a Syzygy file. Nothing is allocated or locked. */
#include "core/error.h"
#include "syzygy/file.h"

#include <assert.h>

enum { RULE = 100 }; /* plies that the 50-move rule allows */

static uint32_t big32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint64_t big64(const uint8_t *at) { return (uint64_t)big32(at) << 32 | big32(at + 4); }

static int damaged(const Syzygy *table, treb_error *error)
{
    return -(int)fail(error, TREB_ERR_DAMAGED, "%s: damaged: a position has no value in it",
                      fail_path(table->path));
}

/* Finds the block of a cell, and which of its values is the cell's: -1 if that is nowhere. */
static int find_block(const SyzygyArray *array, uint64_t cell, uint64_t *block)
{
    const uint8_t *entry = array->sparse + 6 * (cell >> array->sparse_bits);
    int32_t step = (int32_t)1 << array->sparse_bits;
    int32_t place = (int32_t)(cell & ((uint64_t)step - 1)) - step / 2;
    uint64_t at = syzygy_get32(entry);
    place += (int32_t)syzygy_get16(entry + 4);
    if (at > array->lengths) return -1;
    while (place < 0) {
        if (at == 0) return -1;
        place += (int32_t)syzygy_get16(array->length + 2 * --at) + 1;
    }
    for (; at < array->lengths; at++) {
        int32_t last = (int32_t)syzygy_get16(array->length + 2 * at);
        if (place <= last) break;
        place -= last + 1;
    }
    *block = at;
    return at < array->blocks ? place : -1;
}

/* The symbol that holds the value at *place of a block, which becomes the place within it; -1. */
static int find_symbol(const Syzygy *table, const SyzygyArray *array, uint64_t block, int *place)
{
    const uint8_t *next = array->block + (block << array->block_bits);
    const uint8_t *end = table->bytes + table->size;
    uint64_t code = big64(next); /* the checksum, behind all blocks, is as long as this and more */
    unsigned used = 0;
    int left = *place;
    next += 8;
    for (;;) {
        unsigned l = array->first_length[code >> 56];
        while (code < array->base[l]) l++;
        uint64_t symbol = array->symbol[l] + ((code - array->base[l]) >> (64 - l));
        if (symbol >= array->symbols) return -1;
        int values = array->more[symbol] + 1;
        if (left < values) {
            *place = left;
            return (int)symbol;
        }
        left -= values;
        code <<= l;
        used += l;
        if (used >= 32) {
            if (end - next < 4) return -1;
            used -= 32;
            code |= (uint64_t)big32(next) << used;
            next += 4;
        }
    }
}

int syzygy_cell(const Syzygy *table, const SyzygyArray *array, uint64_t cell)
{
    uint64_t block;
    assert(cell < array->index.size);
    if (array->flags & SYZYGY_CONSTANT) return array->constant;
    int place = find_block(array, cell, &block);
    if (place < 0) return -1;
    int symbol = find_symbol(table, array, block, &place);
    if (symbol < 0) return -1;
    const uint8_t *pair = array->pairs + 3 * symbol;
    while (array->more[symbol] != 0) {
        int left = (int)syzygy_left(pair);
        if (place <= array->more[left]) {
            symbol = left;
        } else {
            place -= array->more[left] + 1;
            symbol = (int)syzygy_right(pair);
        }
        pair = array->pairs + 3 * symbol;
    }
    return (int)syzygy_left(pair);
}

static int lead_file(const Syzygy *table, const treb_position *pos)
{
    if (table->files == 1) return 0;
    uint64_t pawns = pos->by_color[table->lead >> 3] & pos->by_type[TREB_PAWN];
    return syzygy_lead_file(table->maps, pawns);
}

static int read_position(const Syzygy *table, const SyzygyArray *array, const treb_position *pos)
{
    /* Its men are those of the material: the place of none of them can be out of reach. */
    return syzygy_cell(table, array, syzygy_index_of(&array->index, table->maps, pos));
}

int syzygy_verdict(const Syzygy *table, const treb_position *pos, treb_error *error)
{
    assert(table->metric == TREB_WDL && (!table->symmetric || pos->turn == TREB_WHITE));
    const SyzygyArray *array = &table->array[pos->turn][lead_file(table, pos)];
    int value = read_position(table, array, pos);
    return value >= 0 && value <= TREB_WIN ? value : damaged(table, error);
}

bool syzygy_stores(const Syzygy *table, const treb_position *pos)
{
    assert(table->metric == TREB_DTZ);
    int side = table->array[0][lead_file(table, pos)].flags & SYZYGY_BLACK;
    return table->symmetric || side == pos->turn;
}

int syzygy_dtz(const Syzygy *table, const treb_position *pos, int verdict, treb_error *error)
{
    static const uint8_t map_of[] = {
        [TREB_WIN] = 0, [TREB_LOSS] = 1, [TREB_CURSED_WIN] = 2, [TREB_BLESSED_LOSS] = 3};
    assert(syzygy_stores(table, pos) && verdict != TREB_DRAW);
    const SyzygyArray *array = &table->array[0][lead_file(table, pos)];
    int value = read_position(table, array, pos);
    if (value >= 0 && array->flags & SYZYGY_MAPPED) {
        unsigned m = map_of[verdict];
        if (value >= array->map_count[m]) return damaged(table, error);
        const uint8_t *map = array->map[m];
        value = array->flags & SYZYGY_WIDE ? (int)syzygy_get16(map + 2 * value) : map[value];
    }
    if (value < 0) return damaged(table, error);
    bool counts = verdict == TREB_WIN || verdict == TREB_LOSS;
    unsigned flag = verdict == TREB_WIN ? SYZYGY_WIN_PLIES : SYZYGY_LOSS_PLIES;
    bool exact = counts && array->flags & flag;
    int plies = (exact ? value : 2 * value) + (counts ? 1 : RULE + 1);
    /* Files with a value at the very edge of the rule are exact (see docs/syzygy.md). */
    if (counts && plies == RULE - 1) exact = true;
    return 2 * plies + !exact;
}
