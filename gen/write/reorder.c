/* reorder.c - see reorder.h. */
#include "gen/write/reorder.h"

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
enum { TILE = 64 };

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

/* Finds the offsets in the input and in the output of the n-th combination of coordinates on all
 * axes but the nearest and the last. */
static void place_of(const ReorderAxis *axis, int axes, int nearest, uint64_t n, uint64_t *from,
                     uint64_t *to)
{
    *from = *to = 0;
    for (int i = axes - 2; i >= 0; i--) {
        if (i == nearest) continue;
        uint32_t at = (uint32_t)(n % axis[i].radix);
        n /= axis[i].radix;
        *from += axis[i].from[at];
        *to += at * axis[i].to;
    }
}

/* Returns the number of these combinations. */
static uint64_t places(const ReorderAxis *axis, int axes, int nearest)
{
    uint64_t count = 1;
    for (int i = 0; i < axes - 1; i++)
        if (i != nearest) count *= axis[i].radix;
    return count;
}

/* Copies all cells of the n-th combination, see place_of. */
static void copy_place(const ReorderAxis *axis, int axes, int nearest, uint64_t n,
                       const uint8_t *from, uint8_t *out)
{
    const ReorderAxis *across = &axis[nearest], *along = &axis[axes - 1];
    uint64_t source, place;
    place_of(axis, axes, nearest, n, &source, &place);
    if (across == along) {
        for (uint32_t c = 0; c < along->radix; c++) out[place + c] = from[source + along->from[c]];
        return;
    }
    for (uint32_t column = 0; column < across->radix; column += TILE)
        for (uint32_t row = 0; row < along->radix; row += TILE)
            copy_tile(across, along, from + source, column, row, out + place);
}

void reorder_axes(const ReorderAxis *axis, int axes, const uint8_t *from, uint8_t *out)
{
    const int nearest = nearest_axis(axis, axes);
    const uint64_t count = places(axis, axes, nearest);
    for (uint64_t n = 0; n < count; n++) copy_place(axis, axes, nearest, n, from, out);
}

void reorder_slice(const Reorder *r, const uint8_t *from, uint8_t *out)
{
    ReorderAxis axis[INDEX_AXES_MAX];
    uint64_t stride = 1;
    for (int i = r->axes - 1; i >= 0; stride *= r->radix[i--])
        axis[i] = (ReorderAxis){r->radix[i], r->offset[i], stride};
    const int nearest = nearest_axis(axis, r->axes);
    const uint64_t count = places(axis, r->axes, nearest);
#pragma omp parallel for schedule(dynamic, 4)
    for (uint64_t n = 0; n < count; n++) copy_place(axis, r->axes, nearest, n, from, out);
}
