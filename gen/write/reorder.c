/* reorder.c - see reorder.h. */
#include "gen/write/reorder.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "gen/write/codes.h"

static bool init_axis(Reorder *r, const Layout *layout, int place)
{
    int axis = r->index.order[place];
    bool kings = axis == INDEX_KINGS_AXIS;
    const IndexGroup *group = kings ? NULL : &r->index.group[axis - 1];
    uint32_t radix = kings ? r->index.kings : group->radix;
    uint64_t *offset = malloc(radix * sizeof *offset);
    if (offset == NULL) return false;
    for (uint32_t c = 0; c < radix; c++)
        offset[c] = kings ? c * layout_lane_cells(layout)
                          : codes_group_offset(layout, layout->first[axis - 1], group, c);
    r->radix[place] = radix;
    r->offset[place] = offset;
    return true;
}

bool reorder_init(Reorder *r, const Layout *layout, const uint8_t *order)
{
    memset(r, 0, sizeof *r);
    if (!index_init_square_colors(&r->index, &layout->material, order)) return false;
    r->axes = r->index.axes;
    r->cells = r->index.slice_size;
    for (int i = 0; i < r->axes; i++)
        if (!init_axis(r, layout, i)) {
            reorder_free(r);
            return false;
        }
    return true;
}

void reorder_free(Reorder *r)
{
    for (int i = 0; i < INDEX_AXES_MAX; i++) free(r->offset[i]);
    memset(r, 0, sizeof *r);
}

void reorder_copy(const Reorder *r, const uint8_t *from, uint64_t first, size_t count, uint8_t *out)
{
    uint32_t at[INDEX_AXES_MAX];
    int last = r->axes - 1;
    for (int i = last; i >= 0; i--) {
        at[i] = (uint32_t)(first % r->radix[i]);
        first /= r->radix[i];
    }
    const uint64_t *inner = r->offset[last];
    while (count > 0) {
        const uint8_t *row = from;
        for (int i = 0; i < last; i++) row += r->offset[i][at[i]];
        size_t part = r->radix[last] - at[last] < count ? r->radix[last] - at[last] : count;
        for (size_t c = 0; c < part; c++) out[c] = row[inner[at[last] + c]];
        out += part;
        count -= part;
        at[last] = 0;
        for (int i = last - 1; i >= 0 && ++at[i] == r->radix[i]; i--) at[i] = 0;
    }
}

/* ---- Whole axes ------------------------------------------------------------------------------ */

/* In the input, adjacent cells are neighbours along one axis; in the output, along another axis, the
 * innermost one. Cells are copied in tiles of both axes, so that each line of the
 * processor's cache is used for more than one cell. */
enum { TILE = 64, PART = 16 /* cells of a line that are transposed at a time */ };

/* Returns the axis along which the input has the smallest step. */
static int nearest_axis(const ReorderAxis *axis, int axes)
{
    int nearest = axes - 1;
    uint64_t least = UINT64_MAX;
    for (int i = axes - 1; i >= 0; i--) {
        uint64_t step = axis[i].radix > 1 ? axis[i].from[1] - axis[i].from[0] : UINT64_MAX;
        if (step >= least) continue;
        least = step;
        nearest = i;
    }
    return nearest;
}

/* Whether the offsets of an axis are 0 to TILE - 1, in any order: it is the axis of the last man. */
static bool is_one_line(const ReorderAxis *axis)
{
    uint64_t all = 0;
    for (uint32_t c = 0; c < axis->radix && axis->from[c] < TILE; c++)
        all |= UINT64_C(1) << axis->from[c];
    return axis->radix == TILE && all == UINT64_MAX;
}

/* Whether each offset of an axis is one more than the offset before it. */
static bool is_straight(const ReorderAxis *axis)
{
    for (uint32_t c = 0; c < axis->radix; c++)
        if (axis->from[c] != c) return false;
    return true;
}

#ifdef __SSE2__

/* Interleaves the bytes of the first half of the lines with those of the second half. Four such steps
 * exchange lines and columns. */
static inline void interleave(const __m128i in[PART], __m128i out[PART])
{
    for (int i = 0; i < PART / 2; i++) {
        out[2 * i] = _mm_unpacklo_epi8(in[i], in[i + PART / 2]);
        out[2 * i + 1] = _mm_unpackhi_epi8(in[i], in[i + PART / 2]);
    }
}

/* Sets out[c * TILE + r] to byte `c` of line `r`, for PART lines and PART bytes of each. */
static inline void transpose_part(const uint8_t *const line[], uint8_t *out)
{
    __m128i a[PART], b[PART];
    for (int r = 0; r < PART; r++) a[r] = _mm_loadu_si128((const __m128i *)(const void *)line[r]);
    interleave(a, b);
    interleave(b, a);
    interleave(a, b);
    interleave(b, a);
    for (int c = 0; c < PART; c++) _mm_storeu_si128((__m128i *)(void *)(out + c * TILE), a[c]);
}

#else

static inline void transpose_part(const uint8_t *const line[], uint8_t *out)
{
    for (int r = 0; r < PART; r++)
        for (int c = 0; c < PART; c++) out[c * TILE + r] = line[r][c];
}

#endif

/* Copies a tile, if the nearest axis is the last man's. */
static void copy_lines(const ReorderAxis *across, const ReorderAxis *along, const uint8_t *from,
                       uint32_t row, uint8_t *out)
{
    static const uint8_t nothing[TILE];
    uint8_t tile[TILE][TILE];
    uint32_t rows = along->radix - row < TILE ? along->radix - row : TILE;
    for (uint32_t first = 0; first < rows; first += PART)
        for (uint32_t column = 0; column < TILE; column += PART) {
            const uint8_t *line[PART];
            for (uint32_t i = 0; i < PART; i++)
                line[i] =
                    first + i < rows ? from + along->from[row + first + i] + column : nothing;
            transpose_part(line, &tile[column][first]);
        }
    for (uint32_t c = 0; c < across->radix; c++)
        memcpy(out + c * across->to + row, tile[across->from[c]], rows);
}

/* Copies one tile. */
static void copy_tile(const ReorderAxis *across, const ReorderAxis *along, const uint8_t *from,
                      uint32_t column, uint32_t row, uint8_t *out)
{
    uint8_t tile[TILE][TILE];
    uint32_t columns = across->radix - column < TILE ? across->radix - column : TILE,
             rows = along->radix - row < TILE ? along->radix - row : TILE;
    for (uint32_t i = 0; i < rows; i++) {
        const uint8_t *line = from + along->from[row + i];
        for (uint32_t c = 0; c < columns; c++) tile[c][i] = line[across->from[column + c]];
    }
    for (uint32_t c = 0; c < columns; c++)
        memcpy(out + (column + c) * across->to + row, tile[c], rows);
}

/* What reorder_axes and reorder_slice know of all axes. */
typedef struct Reordering {
    const ReorderAxis *axis;
    int axes, nearest;
    bool lines, straight; /* see is_one_line, is_straight: of the nearest axis */
    uint64_t places;      /* number of combinations of coordinates on all axes but the nearest and the last */
} Reordering;

static Reordering reordering_of(const ReorderAxis *axis, int axes)
{
    Reordering all = {axis, axes, nearest_axis(axis, axes), false, false, 1};
    all.lines = is_one_line(&axis[all.nearest]);
    all.straight = is_straight(&axis[all.nearest]);
    for (int i = 0; i < axes - 1; i++)
        if (i != all.nearest) all.places *= axis[i].radix;
    return all;
}

/* Finds the offsets in the input and in the output of the n-th of these combinations. */
static void place_of(const Reordering *all, uint64_t n, uint64_t *from, uint64_t *to)
{
    *from = *to = 0;
    for (int i = all->axes - 2; i >= 0; i--) {
        const ReorderAxis *axis = &all->axis[i];
        if (i == all->nearest) continue;
        uint32_t at = (uint32_t)(n % axis->radix);
        n /= axis->radix;
        *from += axis->from[at];
        *to += at * axis->to;
    }
}

/* Copies all cells of the n-th combination. */
static void copy_place(const Reordering *all, uint64_t n, const uint8_t *from, uint8_t *out)
{
    const ReorderAxis *across = &all->axis[all->nearest], *along = &all->axis[all->axes - 1];
    uint64_t source, place;
    place_of(all, n, &source, &place);
    from += source;
    out += place;
    if (across == along && all->straight) {
        memcpy(out, from, along->radix);
    } else if (across == along) {
        for (uint32_t c = 0; c < along->radix; c++) out[c] = from[along->from[c]];
    } else if (all->lines) {
        for (uint32_t row = 0; row < along->radix; row += TILE)
            copy_lines(across, along, from, row, out);
    } else {
        for (uint32_t column = 0; column < across->radix; column += TILE)
            for (uint32_t row = 0; row < along->radix; row += TILE)
                copy_tile(across, along, from, column, row, out);
    }
}

void reorder_axes(const ReorderAxis *axis, int axes, const uint8_t *from, uint8_t *out)
{
    const Reordering all = reordering_of(axis, axes);
    for (uint64_t n = 0; n < all.places; n++) copy_place(&all, n, from, out);
}

void reorder_slice(const Reorder *r, const uint8_t *from, uint8_t *out)
{
    ReorderAxis axis[INDEX_AXES_MAX];
    uint64_t stride = 1;
    for (int i = r->axes - 1; i >= 0; stride *= r->radix[i--])
        axis[i] = (ReorderAxis){r->radix[i], r->offset[i], stride};
    const Reordering all = reordering_of(axis, r->axes);
#pragma omp parallel for schedule(dynamic, 4)
    for (uint64_t n = 0; n < all.places; n++) copy_place(&all, n, from, out);
}
