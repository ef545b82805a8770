/* stage.h - the cells of one plane as they go to a file: chosen, reordered, packed. */
#ifndef TREB_GEN_STAGE_H
#define TREB_GEN_STAGE_H

#include "core/table.h"
#include "gen/solve/solve.h"

/* What a staged cell can be beyond its codes: what stands there does not matter. */
enum {
    STAGE_FREE = CODE_OPEN,            /* no legal position, or found by looking at some moves */
    STAGE_UP_TO_DRAW = KERNEL_CAPPED,  /* any verdict up to a draw will do: a capture draws */
    STAGE_CODES = STAGE_UP_TO_DRAW - 1 /* so many codes there are */
};

/* The fixed part: how cells of the file's order lie in the solver's. */
typedef struct StageMap {
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
} StageMap;

/* The kings must be the outermost axis of `index`. False: out of memory. */
bool stage_map_init(StageMap *map, const Shape *shape, const Index *index);
void stage_map_free(StageMap *map);

/* Cells staged at once: a plane of one slice or, of kings and pawns alone, of all lanes. */
static inline size_t stage_cells(const Shape *shape)
{
    return shape->men == 0 ? SLICE_LANES : shape_lane_cells(shape);
}

/* Writes the code or STAGE_... of each of these cells of plane `kings` to `out`. */
void stage_plane(const Slice *slice, treb_metric metric, int side, uint32_t kings, int lane,
                 Plies *out);

/* The code for a staged cell, given that of the cell before it. */
static inline Plies stage_settle(Plies staged, Plies before)
{
    if (staged < STAGE_CODES) return staged;
    return staged == STAGE_FREE || before <= TREB_DRAW ? before : TREB_DRAW;
}

/* Brings a staged plane into the file's order and fills what does not matter with the code before
 * it, which compresses best. `spare` is room for another staged plane. */
void stage_order(const StageMap *map, treb_metric metric, const Plies *staged, Plies *spare,
                 Plies *out);

/* How codes are packed. */
typedef struct Packing {
    treb_metric metric;
    unsigned per_byte, base, width;
    uint8_t digit[WDL_VALUES]; /* of a verdict; not for distances */
} Packing;

/* Bytes that so many cells take, a multiple of per_byte. */
static inline size_t stage_packed(const Packing *packing, size_t cells)
{
    return cells / packing->per_byte * packing->width;
}

/* Packs `count` codes, a multiple of per_byte; returns the bytes written. */
size_t stage_pack(const Packing *packing, const Plies *cells, size_t count, uint8_t *out);

/* The plies of a distance code. */
unsigned stage_plies(treb_metric metric, int verdict, unsigned code);

#endif
