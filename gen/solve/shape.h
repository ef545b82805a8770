/* shape.h - how the solver lays out the positions of one material.
 *
 * The solver works on slices: all positions with the same pawns. A slice is an array of planes, one
 * a pair of kings (core/format/index.h), each an array of words (kernel.h). The men other than kings and
 * pawns have a bit, a word or a row number each, like men one each, so that a set holds a position
 * with two like men twice; but of three or four men two that are alike come first, and it is there once.
 * Cells are numbered within a slice. */
#ifndef TREB_GEN_SHAPE_H
#define TREB_GEN_SHAPE_H

#include "core/format/index.h"
#include "gen/solve/kernel.h"

typedef struct ShapeMan {
    uint8_t color, type;
} ShapeMan;

/* A plane from which a king comes, and the symmetry through which it is seen. */
typedef struct ShapeLink {
    uint16_t kings;
    uint8_t symmetry;
} ShapeLink;

typedef struct Shape {
    Material material;
    Index index; /* of slices and kings; cells in files are laid out by another */
    bool pawns, symmetric;
    int men;
    ShapeMan man[KERNEL_MEN_MAX];
    uint8_t first[INDEX_GROUPS_MAX]; /* man of a group of the index */
    bool pair;                       /* men 0 and 1 are alike, and kept once: kernel.h */
    uint32_t kings;
    size_t plane_words, plane_cells; /* cells = 64 * words, also where the bit is no man */
    size_t words, cells;             /* of a slice */
    uint8_t (*king)[2];              /* squares by kings */
    ShapeLink (*link)[2][8];         /* by kings and colour: where that king's moves lead */
    uint8_t (*links)[2];
} Shape;

/* The cell of a plane where a position with men on such squares is kept. */
static inline size_t shape_cell(const Shape *shape, size_t cell)
{
    if (!shape->pair) return cell;
    const int shift = 6 * (shape->men - 2); /* of man 1 */
    size_t first = cell >> (shift + 6), second = cell >> shift & 63;
    size_t rest = cell & (((size_t)1 << shift) - 1);
    return first < second ? cell : (second << 6 | first) << shift | rest;
}

/* False when out of memory or when the material has too many men. */
bool shape_init(Shape *shape, const Material *material);
void shape_free(Shape *shape);

#endif
