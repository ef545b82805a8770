/* syzygy_read.c - the value of a position in a Syzygy file. Nothing is allocated or locked. */
#include "core/system/error.h"
#include "probe/syzygy/syzygy_file.h"

#include <assert.h>

static int damaged(const Syzygy *table, treb_error *error)
{
    return -(int)fail(error, TREB_ERR_DAMAGED, "%s: damaged: a position has no value in it",
                      fail_path(table->path));
}

/* Reading may go a few bytes beyond the last block: the checksum after it is long enough. */
static CodeBlock block_of(const Syzygy *table, const SyzygyArray *array, uint64_t block)
{
    return (CodeBlock){array->block + (block << array->block_bits),
                       table->map.bytes + table->map.size};
}

int syzygy_cell(const Syzygy *table, const SyzygyArray *array, uint64_t cell)
{
    uint64_t block;
    assert(cell < array->index.size);
    if (array->flags & SYZYGY_CONSTANT) return array->constant;
    int place = syzygy_find_block(array, cell, &block, NULL, NULL);
    return place < 0 ? -1
                     : code_value(&array->code, block_of(table, array, block), (unsigned)place, NULL);
}

static int lead_file(const Syzygy *table, const treb_position *pos)
{
    if (table->files == 1) return 0;
    uint64_t pawns = pos->by_color[table->lead >> 3] & pos->by_type[TREB_PAWN];
    return syzygy_lead_file(table->maps, pawns);
}

const SyzygyArray *syzygy_array_of(const Syzygy *table, const treb_position *pos)
{
    return &table->array[table->metric == TREB_WDL ? pos->turn : 0][lead_file(table, pos)];
}

static int read_position(const Syzygy *table, const SyzygyArray *array, const treb_position *pos)
{
    /* The men are those of the material, so that the cell is less than the size of the array. */
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

/* The distance that a stored DTZ value means, as in syzygy_dtz. -1 if the value is beyond the
 * map. */
static int dtz_of(const SyzygyArray *array, int value, int verdict)
{
    /* By verdict: loss, blessed loss, draw (which has none), cursed win, win. */
    static const uint8_t map_of[] = {1, 3, 0, 2, 0};
    if (array->flags & SYZYGY_MAPPED) {
        unsigned m = map_of[verdict];
        if (value >= array->map_count[m]) return -1;
        const uint8_t *map = array->map[m];
        value = array->flags & SYZYGY_WIDE ? (int)syzygy_get16(map + 2 * value) : map[value];
    }
    bool counts = verdict == TREB_WIN || verdict == TREB_LOSS;
    unsigned flag = verdict == TREB_WIN ? SYZYGY_WIN_PLIES : SYZYGY_LOSS_PLIES;
    bool exact = counts && array->flags & flag;
    int plies = (exact ? value : 2 * value) + (counts ? 1 : RULE_PLIES + 1);
    /* Files with a value at the limit of the 50-move rule are exact (see docs/syzygy.md). */
    if (counts && plies == RULE_PLIES - 1) exact = true;
    return 2 * plies + !exact;
}

int syzygy_dtz(const Syzygy *table, const treb_position *pos, int verdict, treb_error *error)
{
    assert(syzygy_stores(table, pos) && verdict != TREB_DRAW);
    const SyzygyArray *array = &table->array[0][lead_file(table, pos)];
    int value = read_position(table, array, pos);
    int dtz = value >= 0 ? dtz_of(array, value, verdict) : -1;
    return dtz >= 0 ? dtz : damaged(table, error);
}

/* ---- Whole arrays ---------------------------------------------------------------------------- */

int syzygy_files(const Syzygy *table) { return table->files; }

/* For DTZ there is one array for each file of the leading pawn, and `side` is ignored. */
static const SyzygyArray *array_of(const Syzygy *table, int side, int file)
{
    assert(file < table->files && (side == 0 || table->metric == TREB_DTZ || table->sides == 2));
    return &table->array[table->metric == TREB_WDL ? side : 0][file];
}

const SyzygyIndex *syzygy_index(const Syzygy *table, int side, int file)
{
    return &array_of(table, side, file)->index;
}

int syzygy_dtz_side(const Syzygy *table, int file)
{
    assert(table->metric == TREB_DTZ);
    return table->array[0][file].flags & SYZYGY_BLACK;
}

uint64_t syzygy_place(const Syzygy *table, const treb_position *pos, int *file)
{
    assert(!table->symmetric || pos->turn == TREB_WHITE);
    *file = lead_file(table, pos);
    const SyzygyIndex *index = &array_of(table, table->sides == 1 ? 0 : pos->turn, *file)->index;
    return syzygy_index_of(index, table->maps, pos);
}

/* The position mirrored at the diagonal a1-h8. */
static treb_position transposed(const treb_position *pos)
{
    treb_position out = *pos;
    for (int color = 0; color < 2; color++)
        out.by_color[color] = flip_diagonal(pos->by_color[color]);
    for (int type = 0; type < TREB_TYPES; type++)
        out.by_type[type] = flip_diagonal(pos->by_type[type]);
    return out;
}

bool syzygy_twin(const Syzygy *table, const treb_position *pos, uint64_t *cell)
{
    const uint64_t diagonal = UINT64_C(0x8040201008040201), other = UINT64_C(0x0102040810204080);
    int side = table->sides == 1 ? 0 : pos->turn;
    const SyzygyIndex *index = &array_of(table, side, lead_file(table, pos))->index;
    uint64_t men = 0;
    for (int i = 0; i < index->group[0].count; i++)
        men |= pos->by_color[index->man[i] >> 3] & pos->by_type[index->man[i] & 7];
    treb_position image;
    /* The leading men decide how the board is mirrored, unless they are their own mirror image. */
    if (index->lead == SYZYGY_LEAD_PAWNS) {
        if (flip_files(men) != men) return false;
        position_flip_files(pos, &image);
    } else {
        if ((men & ~diagonal) != 0 && (men & ~other) != 0) return false;
        image = transposed(pos);
    }
    *cell = syzygy_index_of(index, table->maps, &image);
    return *cell != syzygy_index_of(index, table->maps, pos);
}

int syzygy_dtz_of(const Syzygy *table, int file, int value, int verdict)
{
    assert(table->metric == TREB_DTZ && verdict != TREB_DRAW);
    return dtz_of(&table->array[0][file], value, verdict);
}

treb_status syzygy_unpack(const Syzygy *table, int side, int file, uint64_t cell, uint64_t count,
                          uint16_t *out, treb_error *error)
{
    const SyzygyArray *array = array_of(table, side, file);
    uint64_t block = 0;
    assert(cell <= array->index.size && count <= array->index.size - cell);
    if (count == 0) return TREB_OK;
    if (array->flags & SYZYGY_CONSTANT) {
        for (uint64_t i = 0; i < count; i++) out[i] = array->constant;
        return TREB_OK;
    }
    int place = syzygy_find_block(array, cell, &block, NULL, NULL);
    if (place < 0) return (treb_status)-damaged(table, error);
    for (; count > 0; block++, place = 0) {
        if (block >= array->blocks) return (treb_status)-damaged(table, error);
        unsigned values = syzygy_get16(array->length + 2 * block) + 1;
        int got = code_values(&array->code, block_of(table, array, block), values, (unsigned)place,
                              count, out);
        if (got < 0) return (treb_status)-damaged(table, error);
        out += got;
        count -= (uint64_t)got;
    }
    return TREB_OK;
}
