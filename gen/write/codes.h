/* codes.h - the cells of one plane as they go to a file: their codes are chosen, brought into the
 * file's order, and packed. */
#ifndef TREB_GEN_WRITE_CODES_H
#define TREB_GEN_WRITE_CODES_H

#include "core/format/table.h"
#include "gen/solve/plane.h"

/* What a chosen cell can be beyond its codes: what stands there does not matter. */
enum {
    CELL_FREE = PLIES_OPEN,          /* no legal position, or found by looking at some moves */
    CELL_UP_TO_DRAW = KERNEL_CAPPED, /* any verdict up to a draw will do: a capture draws */
    CODES_END = CELL_UP_TO_DRAW - 1, /* so many codes there are */
    /* Added to the code of a mate distance that a capture or a last promotion tells: any longer win
     * or shorter loss will do. From this code on they are not marked, so that marked ones fit into a
     * byte (cells.c). */
    CELL_BOUND = (PLIES_OPEN + 1) / 2,
    BOUND_CODES_END = 125
};

/* The fixed part: how cells of the file's order lie in the solver's. */
typedef struct CodesMap {
    unsigned axes;                      /* beside the kings */
    uint32_t radix[INDEX_GROUPS_MAX];   /* outermost first */
    uint32_t *offset[INDEX_GROUPS_MAX]; /* by coordinate: to the solver's cell, once swapped */
    size_t row_pitch;                   /* cells of the innermost axis with padding */
    size_t plane_cells;                 /* of the file */
    size_t cells;                       /* of the solver */
    /* Where a single man is innermost its squares should lie side by side. Then the lowest 6 bits
     * of a cell change places with the 6 from this one on; 0 if they already do, or cannot. */
    unsigned swap;
    bool straight; /* they do, swapped or not */
    const Kernel *kernel;
} CodesMap;

/* The number, among the cells of a plane, of a group's coordinate: like men one by one. `first`: the
 * group's first man among the solver's. */
uint32_t codes_group_offset(const Layout *layout, int first, const IndexGroup *group,
                            uint32_t coordinate);

/* The kings must be the outermost axis of `index`. False: out of memory. */
bool codes_map_init(CodesMap *map, const Layout *layout, const Index *index);
void codes_map_free(CodesMap *map);

/* Cells chosen at once: a plane of one slice or, of kings and pawns alone, of all lanes. */
static inline size_t codes_cells(const Layout *layout)
{
    return layout->men == 0 ? SLICE_LANES : layout_lane_cells(layout);
}

/* What codes_choose needs of planes for a metric. */
unsigned codes_parts(treb_metric metric);

/* Writes the code or CELL_... of each of these cells of a plane to `out`: those of one slice of the
 * several solved together where each has words of its own, else all. */
void codes_choose(const Plane *plane, const SolvedSlice *slice, treb_metric metric, int lane, Plies *out);

/* Marks chosen mate distances as bounds (CELL_BOUND) where they may be. */
void codes_mark_bounds(const Plane *plane, const SolvedSlice *slice, int lane, Plies *chosen);

/* The code for a chosen cell, given that of the cell before it. */
static inline Plies codes_settle(Plies chosen, Plies before)
{
    if (chosen < CODES_END) return chosen;
    return chosen == CELL_FREE || before <= TREB_DRAW ? before : TREB_DRAW;
}

/* Brings a chosen plane into the file's order and fills what does not matter with the code before
 * it, which compresses best. `spare` is room for another chosen plane. */
void codes_order(const CodesMap *map, treb_metric metric, const Plies *chosen, Plies *spare,
                 Plies *out);

/* How codes are packed. */
typedef struct Packing {
    treb_metric metric;
    unsigned per_byte, base, width;
    uint8_t digit[WDL_VALUES]; /* of a verdict; not for distances */
} Packing;

/* Bytes that so many cells take, a multiple of per_byte. */
static inline size_t codes_packed(const Packing *packing, size_t cells)
{
    return cells / packing->per_byte * packing->width;
}

/* Packs `count` codes, a multiple of per_byte; returns the bytes written. */
size_t codes_pack(const Packing *packing, const Plies *cells, size_t count, uint8_t *out);

/* The plies of a distance code. */
unsigned codes_plies(treb_metric metric, int verdict, unsigned code);

#endif
