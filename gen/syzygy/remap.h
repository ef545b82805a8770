/* remap.h - copies the solver's cells into the order of a Syzygy array.
 *
 * The solver has a cell for each slice, pair of king squares, and square of each other man. Two like
 * men on two squares have a cell for each of the two orders. A Syzygy array numbers positions
 * differently. To find the value of a cell of the array, this module places the men of the position
 * one after the other and adds up what the slice, the kings and the squares contribute to the number of
 * the solver's cell. */
#ifndef TREB_GEN_SYZYGY_REMAP_H
#define TREB_GEN_SYZYGY_REMAP_H

#include "gen/solve/slice_provider.h"
#include "probe/syzygy/syzygy.h"

/* Tables that do not depend on the order of the men in an array. */
typedef struct RemapTables {
    const Layout *layout;
    SyzygyMaps syzygy;
    int lead_color;           /* colour of the leading pawns */
    size_t plane, slice;      /* number of cells in a plane, and in all planes of a slice */
    uint16_t kings[64][64];   /* plane, by white and black king square; or REMAP_KINGS_TOUCH */
    uint8_t symmetry[64][64]; /* the symmetry that maps these king squares to that plane */
    uint8_t turned[8][64];    /* square after a symmetry, by symmetry and square */
    /* Lowest bit of a man's square in a cell's number, by colour, type and number among like men. */
    uint8_t shift[2][TREB_TYPES][TREB_MEN_MAX];
    uint8_t *file;      /* by slice: file of the leading pawn */
    uint32_t *place;    /* by slice: number of earlier slices with that file */
    uint64_t slices[4]; /* number of slices, by file of the leading pawn */
} RemapTables;

enum { REMAP_KINGS_TOUCH = 0xffff /* the kings stand on adjacent squares or on one square */ };

/* Fills the tables. `layout` must outlive them. Returns false if memory runs out. */
bool remap_tables_init(RemapTables *tables, const Layout *layout);
void remap_tables_free(RemapTables *tables);

/* An array, and the solver's cells from which its values come. */
typedef struct Remap {
    const RemapTables *tables;
    const SyzygyIndex *index; /* how the array numbers its cells */
    int file;                 /* of the leading pawn; 0 without pawns */
    /* The solver's cells of all slices of that file, by RemapTables.place. A slice has its planes one after
     * the other. */
    const uint8_t *from;
    uint8_t nothing; /* the value of cells whose kings touch */
} Remap;

/* Writes the values of all cells of the array to `out`, in parallel. */
void remap_all(const Remap *remap, uint8_t *out);

/* Writes the values of `count` cells to `out`, beginning with cell number `cell`. A cell takes about ten
 * times as long as with remap_all. */
void remap_some(const Remap *remap, uint64_t cell, size_t count, uint8_t *out);

#endif
