/* window.h - some of the cells of a slice that is too large to be in memory as a whole, in the order of a
 * file: those with some of the coordinates on each axis. They come plane by plane. */
#ifndef TREB_GEN_WRITE_WINDOW_H
#define TREB_GEN_WRITE_WINDOW_H

#include "gen/write/reorder.h"

/* Coordinates: `count` from `first` on; of a sample, of which `apart` is more than 1, runs of
 * WINDOW_RUN, one in so many. */
typedef struct WindowPart {
    uint32_t first, count, apart;
} WindowPart;

enum { WINDOW_RUN = 8 };

typedef struct Window {
    int axes, kings; /* kings: the place of their axis */
    uint8_t order[INDEX_AXES_MAX];
    WindowPart part[INDEX_AXES_MAX]; /* by place in the order, outermost first */
    uint64_t
        *from[INDEX_AXES_MAX]; /* what a place among these coordinates adds to a solver's cell, */
    uint64_t stride[INDEX_AXES_MAX]; /* and to one of the window */
    uint64_t cells;
} Window;

/* The cells with `count` coordinates from `first` on of the outermost axis. False: out of memory. */
bool window_init(Window *window, const Reorder *reorder, uint32_t first, uint32_t count);

/* A sample of at most so many cells: from all over all axes, or from the outer ones with whole inner
 * axes, so that cells that follow each other do so in the file. */
bool window_init_sample(Window *window, const Reorder *reorder, uint64_t cells, bool inner_whole);

void window_free(Window *window); /* also of zeros */

/* Whether it has cells of a plane; and copies those to the window from all cells of the plane. */
bool window_has(const Window *window, uint32_t kings);
void window_add(const Window *window, uint32_t kings, const uint8_t *plane, uint8_t *cells);

/* The same in two steps, elsewhere and here: the window_plane_cells cells of such a plane, then to their place. */
uint64_t window_plane_cells(const Window *window);
void window_take(const Window *window, const uint8_t *plane, uint8_t *out);
void window_put(const Window *window, uint32_t kings, const uint8_t *taken, uint8_t *cells);

/* Another order for what is in a window. False: out of memory. */
bool window_reorder(Reorder *reorder, const Window *window, const Layout *layout,
                    const uint8_t *order);

#endif
