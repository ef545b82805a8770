/* codes.c - see codes.h. */
#include "gen/write/codes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint32_t codes_group_offset(const Shape *shape, int first, const IndexGroup *group,
                            uint32_t coordinate)
{
    uint8_t square[TREB_MEN_MAX];
    uint32_t offset = 0;
    index_group_squares(group, coordinate, square);
    for (int i = 0; i < group->count; i++)
        offset += (uint32_t)square[i] << 6 * (shape->men - 1 - first - i);
    return offset;
}

/* Exchanges the lowest 6 bits with those from `shift` on. */
static uint32_t swap_squares(uint32_t cell, unsigned shift)
{
    uint32_t change = (cell ^ cell >> shift) & 63;
    return shift ? cell ^ change ^ change << shift : cell;
}

bool codes_map_init(CodesMap *map, const Shape *shape, const Index *index)
{
    memset(map, 0, sizeof *map);
    map->axes = index->groups;
    map->plane_cells = index->stride[INDEX_KINGS_AXIS];
    map->row_pitch = map->plane_cells;
    map->cells = codes_cells(shape);
    map->kernel = kernel_best();
    for (unsigned a = map->axes; a-- > 0;) {
        int group = index->order[1 + a] - 1, first = 0;
        for (int g = 0; g < group; g++) first += index->group[g].count;
        if (a + 1 == map->axes && index->group[group].count == 1) {
            map->straight = true;
            map->swap = 6 * (shape->men - 1 - first);
        }
        map->radix[a] = index->group[group].radix;
        map->offset[a] = malloc(map->radix[a] * sizeof *map->offset[a]);
        if (map->offset[a] == NULL) {
            codes_map_free(map);
            return false;
        }
        for (uint32_t c = 0; c < map->radix[a]; c++)
            map->offset[a][c] =
                swap_squares(codes_group_offset(shape, first, &index->group[group], c), map->swap);
        if (a + 1 < map->axes) map->row_pitch /= map->radix[a];
    }
    return true;
}

void codes_map_free(CodesMap *map)
{
    for (unsigned a = 0; a < INDEX_GROUPS_MAX; a++) free(map->offset[a]);
    memset(map, 0, sizeof *map);
}

/* The cells of one word whose distance must be found in the table. */
static uint64_t word_needed(const Slice *s, treb_metric metric, int side, size_t w)
{
    uint64_t decided = s->won[side][w] | s->lost[side][w];
    if (metric == TREB_DTZ) return decided & ~s->zeroing_wins[side][w];
    if (metric == TREB_DTC) return decided & ~s->ends_wins[side][w];
    return decided;
}

enum { PART = 64 /* words chosen at once */ };

static void choose_distances(const Slice *s, treb_metric metric, int side, size_t first, Plies *out)
{
    size_t words = codes_cells(s->shape) / 64;
    const Kernel *kernel = kernel_best();
    const Plies *plies = s->distance[metric][side];
    for (size_t w = first; w < first + words; w += PART) {
        uint64_t needed[PART];
        size_t part = first + words - w < PART ? first + words - w : PART;
        for (size_t i = 0; i < part; i++) needed[i] = word_needed(s, metric, side, w + i);
        kernel->pick(needed, part, metric == TREB_DTM, plies + 64 * w, out + 64 * (w - first));
    }
}

/* One kind of cell after the other, the most particular last. */
static void choose_verdicts(const Slice *s, int side, size_t first, Plies *out)
{
    size_t words = codes_cells(s->shape) / 64;
    const Kernel *kernel = kernel_best();
    const uint64_t *won = s->won[side], *lost = s->lost[side];
    for (size_t i = 0; i < 64 * words; i++) out[i] = TREB_DRAW;
    kernel->mark(won + first, words, TREB_WIN, out);
    kernel->mark(lost + first, words, TREB_LOSS, out);
    for (size_t i = 0; i < words; i++, out += 64) {
        size_t w = first + i;
        uint64_t open = ~s->legal[side][w] | s->capture_wins[side][w];
        uint64_t to_draw = s->capture_draws[side][w] & ~won[w] & ~lost[w];
        if (s->cursed) {
            uint64_t over = slice_cursed(s, side, w);
            uint64_t cursed = won[w] & over, blessed = lost[w] & over;
            kernel->mark(&cursed, 1, TREB_CURSED_WIN, out);
            kernel->mark(&blessed, 1, TREB_BLESSED_LOSS, out);
        }
        if (to_draw) kernel->mark(&to_draw, 1, CELL_UP_TO_DRAW, out);
        kernel->mark(&open, 1, CELL_FREE, out);
    }
}

void codes_choose(const Slice *slice, treb_metric metric, int side, uint32_t kings, int lane,
                  Plies *out)
{
    const Shape *shape = slice->shape;
    size_t first = kings * shape->plane_words + (shape->men == 1 ? lane : 0);
    if (metric == TREB_WDL)
        choose_verdicts(slice, side, first, out);
    else if (metric == TREB_DTC && slice->dtc_is_dtz)
        choose_distances(slice, TREB_DTZ, side, first, out);
    else
        choose_distances(slice, metric, side, first, out);
}

void codes_mark_bounds(const Slice *slice, int side, uint32_t kings, int lane, Plies *chosen)
{
    const Shape *shape = slice->shape;
    size_t words = codes_cells(shape) / 64;
    const uint64_t *best =
        slice->ends_best[side] + kings * shape->plane_words + (shape->men == 1 ? lane : 0);
    for (size_t w = 0; w < words; w++, chosen += 64)
        for (unsigned i = 0; best[w] != 0 && i < 64; i++) {
            unsigned code = chosen[i], marked = code | CELL_BOUND;
            bool mark = best[w] >> i & 1 && code < CELL_BOUND && marked < CODES_END;
            chosen[i] = (Plies)(mark ? marked : code);
        }
}

/* One run of the innermost axis where like men share it. */
static Plies order_row(const Plies *chosen, const uint32_t *offset, uint32_t radix, Plies before,
                       Plies *out)
{
    for (uint32_t c = 0; c < radix; c++) out[c] = before = codes_settle(chosen[offset[c]], before);
    return before;
}

/* One run of the innermost axis where it is one man's. */
static inline Plies fill_row(const CodesMap *map, treb_metric metric, const Plies *chosen,
                             Plies before, Plies *out)
{
    /* Distances know but one kind of cell that does not matter. */
    return map->kernel->fill(chosen, before, metric == TREB_WDL ? TREB_DRAW : CELL_FREE, out);
}

#ifdef TREB_WIDE
static void transpose_part(const Plies *in, Plies *out, size_t stride)
{
    for (int r = 0; r < 16; r++)
        for (int c = 0; c < 16; c++) out[c * stride + r] = in[r * stride + c];
}
#else
typedef uint8_t Row __attribute__((vector_size(16)));

/* 16 rows of 16: interleaving the upper half with the lower four times transposes. */
static void transpose_part(const Plies *in, Plies *out, size_t stride)
{
    Row row[2][16];
    for (int i = 0; i < 16; i++) memcpy(&row[0][i], in + i * stride, 16);
    for (int round = 0; round < 4; round++) {
        const Row *from = row[round & 1];
        Row *to = row[~round & 1];
        for (int i = 0; i < 8; i++) {
            to[2 * i] = __builtin_shufflevector(from[i], from[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4,
                                                20, 5, 21, 6, 22, 7, 23);
            to[2 * i + 1] = __builtin_shufflevector(from[i], from[i + 8], 8, 24, 9, 25, 10, 26, 11,
                                                    27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
    }
    for (int i = 0; i < 16; i++) memcpy(out + i * stride, &row[0][i], 16);
}
#endif

static void transpose_block(const Plies *in, Plies *out, size_t stride)
{
    enum { PART = 16 };
    for (int row = 0; row < 64; row += PART)
        for (int column = 0; column < 64; column += PART)
            transpose_part(in + row * stride + column, out + column * stride + row, stride);
}

/* Writes each cell to where its swapped number says. */
static void swap_plane(const CodesMap *map, const Plies *in, Plies *out)
{
    size_t stride = (size_t)1 << map->swap;
    for (size_t base = 0; base < map->cells; base += 64)
        if ((base >> map->swap & 63) == 0) transpose_block(in + base, out + base, stride);
}

void codes_order(const CodesMap *map, treb_metric metric, const Plies *chosen, Plies *spare,
                 Plies *out)
{
    unsigned last = map->axes ? map->axes - 1 : 0;
    uint32_t radix = map->axes ? map->radix[last] : 1, coordinate[INDEX_GROUPS_MAX] = {0};
    static const uint32_t nothing[1] = {0};
    const uint32_t *inner = map->axes ? map->offset[last] : nothing;
    Plies before = metric == TREB_WDL ? TREB_DRAW : 0;
    if (map->swap) {
        swap_plane(map, chosen, spare);
        chosen = spare;
    }
    for (;;) {
        const Plies *row = chosen;
        for (unsigned a = 0; a < last; a++) row += map->offset[a][coordinate[a]];
        before = map->straight ? fill_row(map, metric, row, before, out)
                               : order_row(row, inner, radix, before, out);
        for (size_t c = radix; c < map->row_pitch; c++) out[c] = before;
        out += map->row_pitch;
        int a = (int)last - 1;
        while (a >= 0 && ++coordinate[a] == map->radix[a]) coordinate[a--] = 0;
        if (a < 0) return;
    }
}

size_t codes_pack(const Packing *packing, const Plies *cells, size_t count, uint8_t *out)
{
    assert(count % packing->per_byte == 0);
    size_t bytes = codes_packed(packing, count);
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

unsigned codes_plies(treb_metric metric, int verdict, unsigned code)
{
    return metric == TREB_DTM ? 2 * code + (verdict > TREB_DRAW) : code;
}
