/* codes.h - prepares the cells of one plane for a file: chooses their codes, copies them into the file's
 * order and packs them. A code is the number that a table file stores for a cell: a verdict, or a
 * distance as the metric stores it. */
#ifndef TREB_GEN_WRITE_CODES_H
#define TREB_GEN_WRITE_CODES_H

#include "core/format/table.h"
#include "gen/solve/plane.h"

/* Special values of a chosen cell. */
enum {
    /* any value is valid: no legal position, or a reader finds the value by looking at some moves */
    CELL_FREE = PLIES_OPEN,
    /* any verdict up to a draw is valid, because a capture draws */
    CELL_UP_TO_DRAW = KERNEL_CAPPED,
    CODES_END = CELL_UP_TO_DRAW - 1, /* codes are smaller than this */
    /* Added to the code of a mate distance that a reader finds by looking at captures or at the
     * last pawn's promotion: the code of any longer win or shorter loss is valid too. Codes from BOUND_CODES_END
     * on are not marked, so that marked ones fit into a byte (cells_pack.c). */
    CELL_BOUND = (PLIES_OPEN + 1) / 2,
    BOUND_CODES_END = 125
};

/* How the cells of a plane in the file's order lie in the solver's order. Constant for a file. */
typedef struct CodesMap {
    unsigned axes;                    /* number of axes without the kings */
    uint32_t radix[INDEX_GROUPS_MAX]; /* outermost axis first */
    /* by coordinate: offset in the solver's plane, after swapping */
    uint32_t *offset[INDEX_GROUPS_MAX];
    size_t row_pitch;   /* cells of a row of the innermost axis, with padding */
    size_t plane_cells; /* cells of a plane in the file */
    size_t cells;       /* cells of a plane of the solver */
    /* If the innermost axis is a single man, its squares should lie next to each other in
     * memory. So bits `swap` to `swap` + 5 of a cell's number change places with bits 0 to 5. 0:
     * they lie next to each other already, or it is not a single man. */
    unsigned swap;
    /* the squares of the innermost axis lie next to each other, after swapping if `swap` is not
     * 0 */
    bool straight;
    const Kernel *kernel;
} CodesMap;

/* Offset of a group's coordinate in the solver's plane. `first`: the solver's number of the
 * group's first man. */
uint32_t codes_group_offset(const Layout *layout, int first, const IndexGroup *group,
                            uint32_t coordinate);

/* Makes the map for an index whose outermost axis is the kings. Returns false if out of memory. */
bool codes_map_init(CodesMap *map, const Layout *layout, const Index *index);
void codes_map_free(CodesMap *map);

/* Number of cells that codes_choose writes: those of a plane of one slice, or of all lanes if
 * there are only kings and pawns. */
static inline size_t codes_cells(const Layout *layout)
{
    return layout->men == 0 ? SLICE_LANES : layout_lane_cells(layout);
}

/* Returns the parts of a plane (PLANE_...) that codes_choose needs for a metric. */
unsigned codes_parts(treb_metric metric);

/* Writes the code or special value of each cell of a plane to `out`: the cells of slice `lane`
 * if each slice has words of its own, otherwise the cells of all slices. */
void codes_choose(const Plane *plane, const SolvedSlice *slice, treb_metric metric, int lane,
                  Plies *out);

/* Turns chosen cells into bounds (core/format/table.h), and returns the parts of a plane that this needs: marks mate
 * distances that may be bounds (CELL_BOUND); frees verdicts that the last pawn's promotion completes. */
void codes_mark_bounds(const Plane *plane, const SolvedSlice *slice, treb_metric metric, int lane,
                       Plies *chosen);
unsigned codes_bounds_parts(treb_metric metric);

/* Returns the code to store for a chosen cell. A cell that does not matter gets the code of the
 * cell before it. */
static inline Plies codes_settle(Plies chosen, Plies before)
{
    if (chosen < CODES_END) return chosen;
    return chosen == CELL_FREE || before <= TREB_DRAW ? before : TREB_DRAW;
}

/* Copies a chosen plane into the file's order. Cells that do not matter get the code of the cell
 * before them, which compresses best. `spare` is memory for another plane of the solver.
 *
 * This is not reorder.h: it writes cells of two bytes, pads rows, and each cell may depend on
 * the one before it. */
void codes_order(const CodesMap *map, treb_metric metric, const Plies *chosen, Plies *spare,
                 Plies *out);

/* How codes are packed into bytes. */
typedef struct Packing {
    treb_metric metric;
    unsigned per_byte, base;   /* number of cells in a byte, and number of values of each */
    unsigned width;            /* bytes of a code if per_byte is 1, else 1 */
    uint8_t digit[WDL_VALUES]; /* the digit of each verdict; not used for distances */
} Packing;

/* Returns the number of bytes of `cells` packed cells. `cells` must be a multiple of per_byte. */
static inline size_t codes_packed(const Packing *packing, size_t cells)
{
    return cells / packing->per_byte * packing->width;
}

/* Packs `count` codes, a multiple of per_byte. Returns the number of bytes written. */
size_t codes_pack(const Packing *packing, const Plies *cells, size_t count, uint8_t *out);

/* Returns the plies that a distance code stands for. */
unsigned codes_plies(treb_metric metric, int verdict, unsigned code);

#endif
