/* window.c - see window.h. */
#include "gen/write/window.h"

#include <stdlib.h>
#include <string.h>

/* Returns the coordinate number `place` of a part. */
static uint32_t part_coordinate(const WindowPart *part, uint32_t place)
{
    uint32_t skipped = place / WINDOW_RUN * WINDOW_RUN * (part->every - 1);
    return part->first + place + skipped;
}

/* Returns the part that has one of `every` runs of an axis with `radix` coordinates. */
static WindowPart spread_part(uint32_t radix, uint32_t every)
{
    uint32_t round = WINDOW_RUN * every, left = radix % round;
    uint32_t count = radix / round * WINDOW_RUN + (left < WINDOW_RUN ? left : WINDOW_RUN);
    return (WindowPart){0, count, every};
}

/* Completes a window whose parts are set. Returns false if out of memory. */
static bool window_fill(Window *w, const Reorder *r)
{
    w->axes = r->axes;
    w->cells = 1;
    memcpy(w->order, r->index.order, sizeof w->order);
    for (int i = w->axes - 1; i >= 0; i--) {
        const WindowPart *part = &w->part[i];
        if (r->index.order[i] == INDEX_KINGS_AXIS) w->kings = i;
        w->stride[i] = w->cells;
        w->cells *= part->count;
        w->from[i] = malloc((part->count + 1) * sizeof *w->from[i]);
        if (w->from[i] == NULL) return false;
        for (uint32_t p = 0; p < part->count; p++)
            w->from[i][p] = r->offset[i][part_coordinate(part, p)];
    }
    return true;
}

bool window_init(Window *w, const Reorder *r, uint32_t first, uint32_t count)
{
    memset(w, 0, sizeof *w);
    for (int i = 0; i < r->axes; i++) w->part[i] = (WindowPart){0, r->radix[i], 1};
    w->part[0] = (WindowPart){first, count, 1};
    if (window_fill(w, r)) return true;
    window_free(w);
    return false;
}

/* Returns the number of cells of the parts of the first `axes` axes. */
static uint64_t parts_cells(const Window *w, int axes)
{
    uint64_t cells = 1;
    for (int i = 0; i < axes; i++) cells *= w->part[i].count;
    return cells;
}

/* Halves the part of an axis. Returns false if it has only one run. */
static bool halve(Window *w, const Reorder *r, int axis)
{
    uint32_t every = 2 * w->part[axis].every;
    if (w->part[axis].count <= WINDOW_RUN) return false;
    w->part[axis] = spread_part(r->radix[axis], every);
    return true;
}

bool window_init_sample(Window *w, const Reorder *r, uint64_t cells, bool inner_whole)
{
    memset(w, 0, sizeof *w);
    for (int i = 0; i < r->axes; i++) w->part[i] = (WindowPart){0, r->radix[i], 1};
    for (int axis = 0, left = r->axes; parts_cells(w, r->axes) > cells && left > 0;) {
        left = halve(w, r, axis) ? r->axes : left - 1;
        /* Halves one axis after the other; with `inner_whole` each axis as far as possible
         * before the next. */
        if (!inner_whole || left < r->axes) axis = (axis + 1) % r->axes;
    }
    if (window_fill(w, r)) return true;
    window_free(w);
    return false;
}

void window_free(Window *w)
{
    for (int i = 0; i < INDEX_AXES_MAX; i++) free(w->from[i]);
    memset(w, 0, sizeof *w);
}

/* Returns the place of a pair of kings among those of the window, or -1 if it is not there. */
static int64_t kings_place(const Window *w, uint32_t kings)
{
    const WindowPart *part = &w->part[w->kings];
    if (kings < part->first) return -1;
    uint32_t at = kings - part->first, round = WINDOW_RUN * part->every;
    if (part->every > 1 && at % round >= WINDOW_RUN) return -1;
    uint32_t place = part->every > 1 ? at / round * WINDOW_RUN + at % round : at;
    return place < part->count ? (int64_t)place : -1;
}

bool window_has(const Window *w, uint32_t kings) { return kings_place(w, kings) >= 0; }

void window_add(const Window *w, uint32_t kings, const uint8_t *plane, uint8_t *cells)
{
    ReorderAxis axis[INDEX_AXES_MAX];
    int axes = 0;
    int64_t place = kings_place(w, kings);
    if (place < 0) return;
    for (int i = 0; i < w->axes; i++)
        if (i != w->kings) axis[axes++] = (ReorderAxis){w->part[i].count, w->from[i], w->stride[i]};
    reorder_axes(axis, axes, plane, cells + (uint64_t)place * w->stride[w->kings]);
}

uint64_t window_plane_cells(const Window *w) { return w->cells / w->part[w->kings].count; }

void window_take(const Window *w, const uint8_t *plane, uint8_t *out)
{
    ReorderAxis axis[INDEX_AXES_MAX];
    int axes = 0;
    for (int i = 0; i < w->axes; i++) {
        uint64_t stride = i < w->kings ? w->stride[i] / w->part[w->kings].count : w->stride[i];
        if (i != w->kings) axis[axes++] = (ReorderAxis){w->part[i].count, w->from[i], stride};
    }
    reorder_axes(axis, axes, plane, out);
}

void window_put(const Window *w, uint32_t kings, const uint8_t *taken, uint8_t *cells)
{
    const uint64_t inner = w->stride[w->kings], step = inner * w->part[w->kings].count;
    uint8_t *to = cells + (uint64_t)kings_place(w, kings) * inner;
    for (uint64_t at = 0; at < w->cells; at += step, taken += inner) memcpy(to + at, taken, inner);
}

bool window_reorder(Reorder *r, const Window *w, const Layout *layout, const uint8_t *order)
{
    if (!reorder_init(r, layout, order)) return false;
    r->cells = w->cells;
    for (int i = 0; i < r->axes; i++) {
        int there = 0;
        while (w->order[there] != r->index.order[i]) there++;
        r->radix[i] = w->part[there].count;
        for (uint32_t c = 0; c < r->radix[i]; c++) r->offset[i][c] = c * w->stride[there];
    }
    return true;
}
