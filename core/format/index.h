/* index.h - the number of a position within a table, and back.
 *
 * A table of one material and one side to move is a box of `size` cells. Its axes, outermost first
 * in any order that the table chose, are
 *
 *    the pawns   one coordinate for the set of all pawns ("slice"), always outermost;
 *    the kings   one of 462 pairs without pawns (up to the 8 symmetries of the board),
 *                one of 3612 pairs with pawns;
 *    groups      the remaining men; equal men form one group: a group of 1, 2, 3, ... men has
 *                64, 2016, 41664, ... coordinates, one for each set of 1, 2, 3, ... squares.
 *
 * The number of a cell is the sum of coordinate times stride. Cells in which two men share a square
 * exist but mean nothing, so that each coordinate is independent of the others. docs/format.md
 * defines every axis. */
#ifndef TREB_CORE_FORMAT_INDEX_H
#define TREB_CORE_FORMAT_INDEX_H

#include "core/chess/material.h"

enum {
    INDEX_GROUPS_MAX = 6,
    INDEX_AXES_MAX = INDEX_GROUPS_MAX + 1,
    INDEX_KINGS_AXIS = 0, /* axis 0 is the kings, axis 1 + g is group g */
    INDEX_KINGS_FREE = 3612,
    INDEX_KINGS_SYMMETRIC = 462,
    INDEX_PLACES = 24 /* places of the first pawn: the files a to d of six ranks */
};

/* Board symmetries are compositions of three bits, applied in this order. */
enum { SYM_FILES = 1, SYM_RANKS = 2, SYM_DIAGONAL = 4 };

typedef struct IndexGroup {
    uint8_t color, type, count;
    bool by_square_color; /* sets are numbered by how many of their squares are light */
    uint32_t radix;
} IndexGroup;

/* How a table numbers positions. Plain data without pointers. */
typedef struct Index {
    Material material;
    bool pawns;      /* there is a slice axis, and the only symmetry is left-right */
    uint64_t slices; /* number of pawn configurations; 1 without pawns */
    uint32_t kings;  /* radix of the kings axis */
    int groups;
    IndexGroup group[INDEX_GROUPS_MAX]; /* by colour, then queen to knight */
    int axes;
    uint8_t order[INDEX_AXES_MAX];   /* axes, outermost first */
    uint64_t stride[INDEX_AXES_MAX]; /* by axis */
    uint64_t slice_size;             /* cells of one slice */
    uint64_t size;                   /* slices * slice_size */
    int lead_color;                  /* the colour whose pawns decide the mirror */
    uint64_t second_radix;           /* number of configurations of the other colour's pawns */
    /* By place of the first leading pawn: number of configurations of leading pawns at lower
     * places. */
    uint64_t lead_first[INDEX_PLACES];
} Index;

/* A position as squares of men, the form in which tables and solver use it. Black and White are
 * those of the table, and may be exchanged on the board. */
typedef struct IndexMen {
    uint8_t king[2];
    uint8_t square[TREB_MEN_MAX]; /* the men of group 0, group 1, ... one after another */
    uint64_t pawns[2];
} IndexMen;

/* Sets up the numbering of a canonical material. `order` lists the axes outermost first; NULL means
 * kings, group 0, group 1, .... The innermost axis is padded to a multiple of `pad` cells (1 for
 * none). Returns false if the material has too many men or the order is not one. */
bool index_init(Index *index, const Material *material, const uint8_t *order, unsigned pad);

/* Sets up a numbering without padding, otherwise like index_init. Bishops are numbered by the
 * colour of their squares, which they never leave, so that cells with similar values are next to
 * each other. For the same reason slices are ordered by the file of the first leading pawn. */
bool index_init_square_colors(Index *index, const Material *material, const uint8_t *order);

/* Returns the number of a position of the table's material, with the colours of the table.
 * Positions that a symmetry of the board maps to each other have the same number. */
uint64_t index_of_position(const Index *index, const treb_position *pos);

/* Returns the number of a position given by its men. Brings `men` into canonical orientation. */
uint64_t index_of_men(const Index *index, IndexMen *men);

/* Writes the men of a cell. Returns false if the cell is padding, has two men on one square, or
 * duplicates another cell by symmetry. */
bool index_to_men(const Index *index, uint64_t cell, IndexMen *men);

/* A cell and its coordinates, for going through cells in ascending order. */
typedef struct IndexCursor {
    uint64_t cell, slice;
    uint32_t coordinate[INDEX_AXES_MAX]; /* by axis */
    uint32_t radix[INDEX_AXES_MAX];      /* by axis, with padding */
} IndexCursor;

void index_cursor_seek(const Index *index, IndexCursor *cursor, uint64_t cell);

/* Moves forward by `cells` cells, at most to the first cell behind the row along the innermost axis. Returns
 * the place in `order` of the outermost axis whose coordinate changed, -1 if the slice did. */
int index_cursor_next(const Index *index, IndexCursor *cursor, uint32_t cells);

/* Writes the position with side to move `turn`. It need not be legal. */
void index_men_to_position(const Index *index, const IndexMen *men, int turn, treb_position *pos);

/* Returns how many placements on the full board a cell stands for: 2, 4 or 8. */
unsigned index_weight(const Index *index, const IndexMen *men);

/* index_kings returns the coordinate of a pair of kings, or -1 if they touch; *symmetry gets the
 * symmetry that maps the pair to its representative. index_kings_squares does the reverse. */
int index_kings(bool pawns, int white, int black, int *symmetry);
void index_kings_squares(bool pawns, int coordinate, int *white, int *black);

/* The slice axis: from pawns, already in canonical orientation, to the coordinate and back.
 * index_slice_pawns returns false if two pawns share a square. */
uint64_t index_slice(const Index *index, const uint64_t pawns[2]);
bool index_slice_pawns(const Index *index, uint64_t slice, uint64_t pawns[2]);

/* Returns the place that comes as number `i` where places are ordered by file. */
static inline unsigned index_place_by_file(unsigned i)
{
    enum { FILES = 4, RANKS = INDEX_PLACES / FILES };
    return FILES * (i % RANKS) + i / RANKS;
}

/* Returns the place of a slice's first leading pawn, 4 * (rank - 1) + file. The slices of one place
 * are next to each other, in the same order in every index of a material. */
unsigned index_slice_place(const Index *index, uint64_t slice);

/* Returns the number in `to` of a slice of `from`, which is another index of the same material.
 * `place` is the slice's place. */
static inline uint64_t index_slice_in(const Index *to, const Index *from, uint64_t slice,
                                      unsigned place)
{
    return slice + (to->lead_first[place] - from->lead_first[place]) * to->second_radix;
}

/* Returns 1 if the pawns must be mirrored left-right for this index, 0 if they must not, -1 if both
 * are allowed because they are their own mirror image. */
int index_pawns_mirror(const Index *index, const uint64_t pawns[2]);

/* The coordinate of a group whose men stand on the given squares, in ascending order; and back. */
uint32_t index_group(const IndexGroup *group, const uint8_t *squares);
void index_group_squares(const IndexGroup *group, uint32_t coordinate, uint8_t *squares);

/* Writes the symmetry that brings a position into canonical orientation, its slice and its
 * coordinate of the kings. Returns false if two orientations are allowed. */
bool index_orient(const Index *index, const treb_position *pos, int *symmetry, uint64_t *slice,
                  int *kings);

/* Returns the coordinate of a group whose men stand on `board` before the symmetry is applied. */
uint32_t index_group_turned(const IndexGroup *group, uint64_t board, int symmetry);

/* Apply a symmetry to a square and to a set of squares. */
static inline int index_symmetry_square(int symmetry, int square)
{
    if (symmetry & SYM_FILES) square ^= 7;
    if (symmetry & SYM_RANKS) square ^= 56;
    if (symmetry & SYM_DIAGONAL) square = (square & 7) << 3 | square >> 3;
    return square;
}
uint64_t index_symmetry_board(int symmetry, uint64_t board);

#endif
