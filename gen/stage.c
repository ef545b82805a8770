/* stage.c - see stage.h. */
#include "stage.h"

#include <stdlib.h>
#include <string.h>

/* The offset in the solver's cells of a group's coordinate: like men one by one. */
static uint32_t group_offset(const Shape *shape, int first, int count, uint32_t coordinate)
{
    uint8_t square[MATERIAL_MAX_MEN];
    uint32_t offset = 0;
    index_group_squares(coordinate, count, square);
    for (int i = 0; i < count; i++)
        offset += (uint32_t)square[i] << 6 * (shape->men - 1 - first - i);
    return offset;
}

bool stage_map_init(StageMap *map, const Shape *shape, const Index *index)
{
    memset(map, 0, sizeof *map);
    map->axes = index->groups;
    map->plane_cells = index->stride[INDEX_KINGS_AXIS];
    map->row_pitch = map->plane_cells;
    for (unsigned a = 0; a < map->axes; a++) {
        int group = index->order[1 + a] - 1, first = 0;
        for (int g = 0; g < group; g++) first += index->group[g].count;
        map->radix[a] = index->group[group].radix;
        map->offset[a] = malloc(map->radix[a] * sizeof *map->offset[a]);
        if (map->offset[a] == NULL) {
            stage_map_free(map);
            return false;
        }
        for (uint32_t c = 0; c < map->radix[a]; c++)
            map->offset[a][c] = group_offset(shape, first, index->group[group].count, c);
        if (a + 1 < map->axes) map->row_pitch /= map->radix[a];
    }
    return true;
}

void stage_map_free(StageMap *map)
{
    for (unsigned a = 0; a < INDEX_GROUPS_MAX; a++) free(map->offset[a]);
    memset(map, 0, sizeof *map);
}

/* The cells of one word whose distance must be found in the table. */
static uint64_t word_needed(const Slice *s, TableMetric metric, int side, size_t w)
{
    uint64_t decided = s->won[side][w] | s->lost[side][w];
    if (metric == TABLE_DTZ) return decided & ~s->zeroing_wins[side][w];
    if (metric == TABLE_DTC) return decided & ~s->ends_wins[side][w];
    return decided;
}

static void stage_distances(const Slice *s, TableMetric metric, int side, uint32_t kings,
                            Plies *out)
{
    size_t words = s->shape->plane_words, first = kings * words;
    const Plies *plies = s->distance[metric][side] + 64 * first;
    unsigned shift = metric == TABLE_DTM;
    for (size_t w = 0; w < words; w++) {
        uint64_t needed = word_needed(s, metric, side, first + w);
        for (int b = 0; b < 64; b++, out++, plies++)
            *out = needed >> b & 1 ? *plies >> shift : STAGE_FREE;
    }
}

static void stage_verdicts(const Slice *s, int side, uint32_t kings, Plies *out)
{
    size_t words = s->shape->plane_words, first = kings * words;
    const Plies *plies = s->distance[TABLE_DTZ][side] + 64 * first;
    for (size_t w = first; w < first + words; w++, plies += 64) {
        uint64_t won = s->won[side][w], lost = s->lost[side][w], legal = s->legal[side][w];
        uint64_t free = ~legal | s->capture_wins[side][w];
        uint64_t to_draw = s->capture_draws[side][w] & ~won & ~lost;
        if (free == UINT64_MAX) {
            for (int b = 0; b < 64; b++) *out++ = STAGE_FREE;
            continue;
        }
        for (int b = 0; b < 64; b++, out++) {
            bool over = s->cursed && plies[b] > SOLVE_RULE_PLIES;
            unsigned v = won >> b & 1    ? over ? WDL_CURSED : WDL_WIN
                         : lost >> b & 1 ? over ? WDL_BLESSED : WDL_LOSS
                                         : WDL_DRAW;
            *out = free >> b & 1 ? STAGE_FREE : to_draw >> b & 1 ? STAGE_UP_TO_DRAW : v;
        }
    }
}

void stage_plane(const Slice *slice, TableMetric metric, int side, uint32_t kings, Plies *out)
{
    if (metric == TABLE_WDL)
        stage_verdicts(slice, side, kings, out);
    else if (metric == TABLE_DTC && slice->dtc_is_dtz)
        stage_distances(slice, TABLE_DTZ, side, kings, out);
    else
        stage_distances(slice, metric, side, kings, out);
}

/* One run of the innermost axis. The cells depend on each other in a chain, which is kept short for
 * distances: they know but one kind of free cell. */
static inline Plies order_row(const Plies *staged, const uint32_t *offset, uint32_t radix,
                              bool verdicts, Plies before, Plies *out)
{
    for (uint32_t c = 0; c < radix; c++) {
        Plies code = staged[offset[c]];
        before = verdicts ? stage_settle(code, before) : code == STAGE_FREE ? before : code;
        out[c] = before;
    }
    return before;
}

void stage_order(const StageMap *map, TableMetric metric, const Plies *staged, Plies *out)
{
    unsigned last = map->axes ? map->axes - 1 : 0;
    uint32_t radix = map->axes ? map->radix[last] : 1, coordinate[INDEX_GROUPS_MAX] = {0};
    static const uint32_t nothing[1] = {0};
    const uint32_t *inner = map->axes ? map->offset[last] : nothing;
    Plies before = metric == TABLE_WDL ? WDL_DRAW : 0;
    for (;;) {
        const Plies *row = staged;
        for (unsigned a = 0; a < last; a++) row += map->offset[a][coordinate[a]];
        before = metric == TABLE_WDL ? order_row(row, inner, radix, true, before, out)
                                     : order_row(row, inner, radix, false, before, out);
        for (size_t c = radix; c < map->row_pitch; c++) out[c] = before;
        out += map->row_pitch;
        int a = (int)last - 1;
        while (a >= 0 && ++coordinate[a] == map->radix[a]) coordinate[a--] = 0;
        if (a < 0) return;
    }
}

size_t stage_pack(const Packing *packing, const Plies *cells, size_t count, uint8_t *out)
{
    size_t bytes = stage_packed(packing, count);
    unsigned per_byte = packing->per_byte;
    if (packing->width == 2) {
        for (size_t i = 0; i < count; i++) {
            out[2 * i] = (uint8_t)cells[i];
            out[2 * i + 1] = (uint8_t)(cells[i] >> 8);
        }
        return bytes;
    }
    if (per_byte == 1) {
        for (size_t i = 0; i < count; i++) out[i] = (uint8_t)cells[i];
        return bytes;
    }
    for (size_t i = 0; i < bytes; i++, cells += per_byte) {
        unsigned sum = 0;
        for (unsigned d = per_byte; d-- > 0;) sum = sum * packing->base + packing->digit[cells[d]];
        out[i] = (uint8_t)sum;
    }
    return bytes;
}

unsigned stage_plies(TableMetric metric, int verdict, unsigned code)
{
    return metric == TABLE_DTM ? 2 * code + (verdict > WDL_DRAW) : code;
}
