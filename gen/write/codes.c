/* codes.c - see codes.h. */
#include "gen/write/codes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint32_t codes_group_offset(const Layout *layout, int first, const IndexGroup *group,
                            uint32_t coordinate)
{
    uint8_t square[TREB_MEN_MAX];
    uint32_t offset = 0;
    index_group_squares(group, coordinate, square);
    for (int i = 0; i < group->count; i++)
        offset += (uint32_t)square[i] << 6 * (layout->men - 1 - first - i);
    return offset;
}

/* Exchanges the lowest 6 bits with the 6 bits from `shift` on. */
static uint32_t swap_squares(uint32_t cell, unsigned shift)
{
    uint32_t change = (cell ^ cell >> shift) & 63;
    return shift ? cell ^ change ^ change << shift : cell;
}

bool codes_map_init(CodesMap *map, const Layout *layout, const Index *index)
{
    memset(map, 0, sizeof *map);
    map->axes = index->groups;
    map->plane_cells = index->stride[INDEX_KINGS_AXIS];
    map->row_pitch = map->plane_cells;
    map->cells = codes_cells(layout);
    map->kernel = kernel_best();
    for (unsigned a = map->axes; a-- > 0;) {
        int group = index->order[1 + a] - 1, first = layout->first[group];
        if (a + 1 == map->axes && index->group[group].count == 1) {
            map->straight = true;
            map->swap = 6 * (layout->men - 1 - first);
        }
        map->radix[a] = index->group[group].radix;
        map->offset[a] = malloc(map->radix[a] * sizeof *map->offset[a]);
        if (map->offset[a] == NULL) {
            codes_map_free(map);
            return false;
        }
        for (uint32_t c = 0; c < map->radix[a]; c++)
            map->offset[a][c] =
                swap_squares(codes_group_offset(layout, first, &index->group[group], c), map->swap);
        if (a + 1 < map->axes) map->row_pitch /= map->radix[a];
    }
    return true;
}

void codes_map_free(CodesMap *map)
{
    for (unsigned a = 0; a < INDEX_GROUPS_MAX; a++) free(map->offset[a]);
    memset(map, 0, sizeof *map);
}

/* Returns the cells of a word whose distance must be in the table: a reader does not find it by
 * looking at captures or pawn moves. */
static uint64_t word_needed(const Plane *p, treb_metric metric, size_t w)
{
    uint64_t decided = p->won[w] | p->lost[w];
    if (metric == TREB_DTZ) return decided & ~p->zeroing_wins[w];
    if (metric == TREB_DTC) return decided & ~p->ends_wins[w];
    return decided;
}

enum { PART = 64 /* words chosen at a time */ };

/* Chooses the distances of `words` words from `first` on. `as`: the metric whose distances the solver uses
 * for `metric` (see slice_metric). */
static void choose_distances(const Plane *p, treb_metric metric, treb_metric as, size_t first,
                             size_t words, Plies *out)
{
    const Kernel *kernel = kernel_best();
    const Plies *plies = p->distance[metric];
    for (size_t w = first; w < first + words; w += PART) {
        uint64_t needed[PART];
        size_t part = first + words - w < PART ? first + words - w : PART;
        for (size_t i = 0; i < part; i++) needed[i] = word_needed(p, as, w + i);
        kernel->pick(needed, part, as == TREB_DTM, plies + 64 * w, out + 64 * (w - first));
    }
}

/* Chooses verdicts. Marks one kind of cell after the other. A later kind replaces an earlier one. */
static void choose_verdicts(const Plane *p, size_t first, size_t words, Plies *out)
{
    const Kernel *kernel = kernel_best();
    for (size_t i = 0; i < 64 * words; i++) out[i] = TREB_DRAW;
    kernel->mark(p->won + first, words, TREB_WIN, out);
    kernel->mark(p->lost + first, words, TREB_LOSS, out);
    for (size_t w = first; w < first + words; w++, out += 64) {
        uint64_t won = p->won[w], lost = p->lost[w], over = p->cursed[w];
        uint64_t open = ~p->legal[w] | p->capture_wins[w];
        uint64_t to_draw = p->capture_draws[w] & ~won & ~lost;
        if (over) {
            uint64_t cursed = won & over, blessed = lost & over;
            kernel->mark(&cursed, 1, TREB_CURSED_WIN, out);
            kernel->mark(&blessed, 1, TREB_BLESSED_LOSS, out);
        }
        if (to_draw) kernel->mark(&to_draw, 1, CELL_UP_TO_DRAW, out);
        kernel->mark(&open, 1, CELL_FREE, out);
    }
}

unsigned codes_parts(treb_metric metric)
{
    static const unsigned parts[TREB_METRICS] = {
        PLANE_CAPTURES, PLANE_ZEROING | PLANE_DISTANCE << TREB_DTZ,
        PLANE_ENDS | PLANE_ZEROING | PLANE_DISTANCE << TREB_DTC, PLANE_DISTANCE << TREB_DTM};
    return parts[metric];
}

void codes_choose(const Plane *plane, const SolvedSlice *slice, treb_metric metric, int lane,
                  Plies *out)
{
    size_t words = codes_cells(slice->layout) / 64, first = slice->layout->men == 1 ? lane : 0;
    if (metric == TREB_WDL)
        choose_verdicts(plane, first, words, out);
    else
        choose_distances(plane, metric, slice_metric(slice, metric), first, words, out);
}

static void mark_distances(const uint64_t *best, size_t words, Plies *chosen)
{
    for (size_t w = 0; w < words; w++, chosen += 64)
        for (uint64_t bits = best[w]; bits; bits &= bits - 1) {
            Plies *cell = &chosen[bit_first(bits)];
            if (*cell < BOUND_CODES_END) *cell |= CELL_BOUND;
        }
}

static void free_verdicts(const Plane *p, size_t first, size_t words, Plies *out)
{
    const Kernel *kernel = kernel_best();
    for (size_t w = first; w < first + words; w++, out += 64) {
        const uint64_t to_draw = p->promotion_draws[w] & ~p->won[w] & ~p->lost[w];
        if (to_draw) kernel->mark(&to_draw, 1, CELL_UP_TO_DRAW, out);
        if (p->promotion_wins[w]) kernel->mark(&p->promotion_wins[w], 1, CELL_FREE, out);
    }
}

unsigned codes_bounds_parts(treb_metric metric)
{
    return metric == TREB_WDL ? PLANE_PROMOTION : metric == TREB_DTM ? PLANE_BOUNDS : 0;
}

void codes_mark_bounds(const Plane *plane, const SolvedSlice *slice, treb_metric metric, int lane,
                       Plies *chosen)
{
    const size_t words = codes_cells(slice->layout) / 64,
                 first = slice->layout->men == 1 ? (size_t)lane : 0;
    if (metric == TREB_WDL)
        free_verdicts(plane, first, words, chosen);
    else
        mark_distances(plane->ends_best + first, words, chosen);
}

/* Copies a row of the innermost axis, if several like men share that axis. */
static Plies order_row(const Plies *chosen, const uint32_t *offset, uint32_t radix, Plies before,
                       Plies *out)
{
    for (uint32_t c = 0; c < radix; c++) out[c] = before = codes_settle(chosen[offset[c]], before);
    return before;
}

/* Copies a row of the innermost axis, if that axis is a single man. */
static inline Plies fill_row(const CodesMap *map, treb_metric metric, const Plies *chosen,
                             Plies before, Plies *out)
{
    /* Distances have only one kind of cell that does not matter. */
    return map->kernel->fill(chosen, before, metric == TREB_WDL ? TREB_DRAW : CELL_FREE, out);
}

static void transpose_part(const Plies *in, Plies *out, size_t stride)
{
    for (int r = 0; r < 16; r++)
        for (int c = 0; c < 16; c++) out[c * stride + r] = in[r * stride + c];
}

static void transpose_block(const Plies *in, Plies *out, size_t stride)
{
    enum { PART = 16 };
    for (int row = 0; row < 64; row += PART)
        for (int column = 0; column < 64; column += PART)
            transpose_part(in + row * stride + column, out + column * stride + row, stride);
}

/* Copies each cell to its swapped number. */
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
