/* window.h - holds a part of the cells of a slice in the file's order, for a slice that is too large for
 * the memory. A window has the cells with some of the coordinates of each axis. The caller fills it
 * plane by plane. */
#ifndef TREB_GEN_WRITE_WINDOW_H
#define TREB_GEN_WRITE_WINDOW_H

#include "gen/write/reorder.h"

/* The coordinates of an axis that a window has: `count` coordinates from `first` on. In a sample `every`
 * may be more than 1: then the window has only one of `every` runs of WINDOW_RUN coordinates. */
typedef struct WindowPart {
    uint32_t first, count, every;
} WindowPart;

enum { WINDOW_RUN = 8 };

typedef struct Window {
    int axes, kings; /* kings: place of their axis in the order */
    uint8_t order[INDEX_AXES_MAX];
    WindowPart part[INDEX_AXES_MAX]; /* by place in the order, outermost first */
    uint64_t *from[INDEX_AXES_MAX];  /* offset of each of these coordinates in the solver's order */
    uint64_t stride[INDEX_AXES_MAX]; /* step of a coordinate in the window */
    uint64_t cells;                  /* number of cells of the window */
} Window;

/* Makes a window of `count` coordinates of the outermost axis, from `first` on. Returns false if
 * out of memory. */
bool window_init(Window *window, const Reorder *reorder, uint32_t first, uint32_t count);

/* Makes a window for a sample of at most `cells` cells. They are spread over all axes; with
 * `inner_whole` over the outer axes only, so that cells that follow each other also do so in the
 * file. Returns false if out of memory. */
bool window_init_sample(Window *window, const Reorder *reorder, uint64_t cells, bool inner_whole);

void window_free(Window *window); /* a window that is all 0 may be freed too */

/* window_has returns whether the window has cells of a plane. window_add copies these cells to the window.
 * `plane` has all cells of the plane, and `cells` is the window's memory. */
bool window_has(const Window *window, uint32_t kings);
void window_add(const Window *window, uint32_t kings, const uint8_t *plane, uint8_t *cells);

/* The steps of window_add, for a plane that another process has: window_take copies the window's
 * cells of a plane, window_plane_cells of them, to `out`; window_put copies them from `taken` to
 * their place in the window. */
uint64_t window_plane_cells(const Window *window);
void window_take(const Window *window, const uint8_t *plane, uint8_t *out);
void window_put(const Window *window, uint32_t kings, const uint8_t *taken, uint8_t *cells);

/* Makes a Reorder that copies the cells of a window into another order of the axes. Returns false if out of
 * memory. */
bool window_reorder(Reorder *reorder, const Window *window, const Layout *layout,
                    const uint8_t *order);

#endif
