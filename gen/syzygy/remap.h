/* gather.h - from the solver's cells to those of a Syzygy array.
 *
 * The solver has a cell for each slice, pair of kings, and square of each other man; like men stand
 * there in each order. What a cell of the array is worth is found where its men lead: the numbers of
 * slice, kings and squares are added up while men are placed one after the other. */
#ifndef TREB_GEN_SYZYGY_REMAP_H
#define TREB_GEN_SYZYGY_REMAP_H

#include "gen/solve/slice_provider.h"
#include "probe/syzygy/syzygy.h"

/* What does not depend on the order of men. */
typedef struct RemapTables {
    const Layout *layout;
    SyzygyMaps syzygy;
    int lead_color;           /* whose pawns lead */
    size_t plane, slice;      /* cells of a plane of one slice, of all its planes */
    uint16_t kings[64][64];   /* the number of the pair's plane; REMAP_KINGS_TOUCH: they touch */
    uint8_t symmetry[64][64]; /* that takes the pair to that plane */
    uint8_t turned[8][64];    /* squares, by symmetry */
    uint8_t shift[2][TREB_TYPES][TREB_MEN_MAX]; /* of a square in a cell's number: each like man */
    uint8_t *file;                              /* by slice: of the leading pawn */
    uint32_t *place;    /* by slice: how many slices of that file come before it */
    uint64_t slices[4]; /* by file */
} RemapTables;

enum { REMAP_KINGS_TOUCH = 0xffff };

/* False: out of memory. */
bool remap_tables_init(RemapTables *tables, const Layout *layout);
void remap_tables_free(RemapTables *tables);

/* An array, and where its values come from: the cells of all slices of its file, slice after slice
 * in the order of their places, each plane after plane. */
typedef struct Remap {
    const RemapTables *tables;
    const SyzygyIndex *index;
    int file;
    const uint8_t *from;
    uint8_t nothing; /* the value where kings touch */
} Remap;

/* Writes the values of all cells of the array, in parallel. */
void remap_all(const Remap *remap, uint8_t *out);

/* Writes those of `count` cells from `cell` on; takes ten times as long for each. */
void remap_some(const Remap *remap, uint64_t cell, size_t count, uint8_t *out);

#endif
