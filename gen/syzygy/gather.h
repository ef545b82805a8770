/* gather.h - from the solver's cells to those of a Syzygy array.
 *
 * The solver has a cell for each slice, pair of kings, and square of each other man; like men stand
 * there in each order. What a cell of the array is worth is found where its men lead: the numbers of
 * slice, kings and squares are added up while men are placed one after the other. */
#ifndef TREB_GEN_GATHER_H
#define TREB_GEN_GATHER_H

#include "gen/solve/solved.h"
#include "probe/syzygy/syzygy.h"

/* What does not depend on the order of men. */
typedef struct GatherMaps {
    const Shape *shape;
    SyzygyMaps syzygy;
    int lead_color;           /* whose pawns lead */
    size_t plane, slice;      /* cells of a plane of one slice, of all its planes */
    uint16_t kings[64][64];   /* the number of the pair's plane; GATHER_NONE: they touch */
    uint8_t symmetry[64][64]; /* that takes the pair to that plane */
    uint8_t turned[8][64];    /* squares, by symmetry */
    uint8_t shift[2][TREB_TYPES][TREB_MEN_MAX]; /* of a square in a cell's number: each like man */
    uint8_t *file;                              /* by slice: of the leading pawn */
    uint32_t *place;    /* by slice: how many slices of that file come before it */
    uint64_t slices[4]; /* by file */
} GatherMaps;

enum { GATHER_NONE = 0xffff };

/* False: out of memory. */
bool gather_maps_init(GatherMaps *maps, const Shape *shape);
void gather_maps_free(GatherMaps *maps);

/* An array, and where its values come from: the cells of all slices of its file, slice after slice
 * in the order of their places, each plane after plane. */
typedef struct Gather {
    const GatherMaps *maps;
    const SyzygyIndex *index;
    int file;
    const uint8_t *from;
    uint8_t nothing; /* the value where kings touch */
} Gather;

/* Writes the values of all cells of the array, in parallel. */
void gather_all(const Gather *gather, uint8_t *out);

/* Writes those of `count` cells from `cell` on; takes ten times as long for each. */
void gather_some(const Gather *gather, uint64_t cell, size_t count, uint8_t *out);

#endif
