/* layout.h - how the solver lays out the positions of one material in memory.
 *
 * The solver works on *slices*: all positions with the same pawns. A slice consists of *planes*: all positions that
 * have, beside the pawns, the same squares of both kings. `kings` is the number of a plane in its slice: the number of
 * a pair of king squares (core/format/index.h).
 *
 *     slice        plane 0     plane 1     plane 2     ...          one plane for each pair of kings
 *     plane        word 0 word 1 ... word 63 | word 64 ...          cells: where the other men stand
 *
 * The men other than kings and pawns, in this file simply "men", have a number from 0 to k-1. The last man's square is
 * the bit within a word, the square of the man before it is the word within a row of 64 words, and the other men number
 * the rows (kernel.h has the details). So with two rooks, on a and b, the position is bit b of word a.
 *
 * A *cell* is one such place, a bit of a set or an element of an array. Each man has a number of his own, so two men of
 * the same kind are in two cells of a set, once in each order. But if there are three or four men and two of them are
 * of the same kind, these two come first, as a *pair*, and the position is kept in one cell only, see layout_cell.
 *
 * Small slices are solved together, each in one *lane*:
 *   - without men, a plane is one word and its bits are up to 64 slices: slice `lane` has cell 64 * kings + lane;
 *   - with one man, a plane is 8 words, which are up to 8 slices: the cells of slice `lane` begin at
 *     512 * kings + 64 * lane. */
#ifndef TREB_GEN_SOLVE_LAYOUT_H
#define TREB_GEN_SOLVE_LAYOUT_H

#include "core/format/index.h"
#include "gen/solve/kernel.h"

typedef struct LayoutMan {
    uint8_t color, type;
} LayoutMan;

/* A king's move to another plane, and the symmetry that takes the board after the move to that plane. */
typedef struct KingLink {
    uint16_t kings;
    uint8_t symmetry;
} KingLink;

typedef struct Layout {
    Material material;
    Index index; /* numbers slices and pairs of kings; table files use another index */
    bool pawns, symmetric;
    int men;
    LayoutMan man[KERNEL_MEN_MAX];
    uint8_t first[INDEX_GROUPS_MAX]; /* by group of the index: number of its first man */
    bool pair;                       /* men 0 and 1 are a pair, kept in one cell: kernel.h */
    uint32_t kings;                  /* number of planes */
    size_t plane_words, plane_cells; /* cells = 64 * words, even if the bit is not a man's square */
    size_t words, cells;             /* of a slice */
    uint8_t (*king)[2];              /* by kings and colour: squares */
    KingLink (*link)[2][8]; /* by kings and colour: planes that this king's moves lead to */
    uint8_t (*links)[2];    /* number of these */
} Layout;

/* Returns the cell of a plane in which the position of `cell` is kept: another cell if its pair is in the other
 * order. */
static inline size_t layout_cell(const Layout *layout, size_t cell)
{
    if (!layout->pair) return cell;
    const int shift = 6 * (layout->men - 2); /* of man 1 */
    size_t first = cell >> (shift + 6), second = cell >> shift & 63;
    size_t rest = cell & (((size_t)1 << shift) - 1);
    return first < second ? cell : (second << 6 | first) << shift | rest;
}

enum { SLICE_LANES = 64 }; /* the most slices that are solved together */

/* Number of slices of a layout that are solved together. */
static inline int layout_lanes(const Layout *layout)
{
    return !layout->pawns || layout->men > 1 ? 1 : layout->men == 1 ? KERNEL_LANES : SLICE_LANES;
}

/* Number of cells of one of these slices that lie side by side. */
static inline size_t layout_lane_cells(const Layout *layout)
{
    return layout->men == 0 ? 1 : layout->men == 1 ? 64 : layout->plane_cells;
}

/* False: out of memory, or the material has too many men. */
bool layout_init(Layout *layout, const Material *material);
void layout_free(Layout *layout);

#endif
