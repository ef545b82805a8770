/* index.h - the number of a position within a table, and back.
 *
 * A table of one material and one side to move is a box of `size` cells. Its axes, outermost
 * first in whatever order the table chose, are
 *
 *   the pawns   one coordinate for the set of all pawns ("slice"), always outermost;
 *   the kings   one of 462 pairs without pawns (up to the 8 symmetries of the board),
 *               one of 3612 pairs with pawns;
 *   groups      the remaining men, those that are alike together: a group of 1, 2, 3, ... men has
 *               64, 2016, 41664, ... coordinates, as many as there are sets of so many squares.
 *
 * A cell's number is the sum of coordinate times stride. Cells in which two men share a square
 * exist but mean nothing, so that a coordinate needs no knowledge of the others. docs/format.md
 * defines every axis. */
#ifndef TREB_CORE_INDEX_H
#define TREB_CORE_INDEX_H

#include "core/chess/material.h"

enum {
    INDEX_GROUPS_MAX = 6,
    INDEX_AXES_MAX = INDEX_GROUPS_MAX + 1,
    INDEX_KINGS_AXIS = 0, /* axis 0 is the kings, axis 1 + g is group g */
    INDEX_KINGS_FREE = 3612,
    INDEX_KINGS_SYMMETRIC = 462,
    INDEX_PLACES = 24 /* that the first pawn may have: the files a to d of six ranks */
};

/* Board symmetries are compositions of three bits, applied in this order. */
enum { SYM_FILES = 1, SYM_RANKS = 2, SYM_DIAGONAL = 4 };

typedef struct IndexGroup {
    uint8_t color, type, count;
    bool by_shade; /* sets of squares come in the order of how many of them are light */
    uint32_t radix;
} IndexGroup;

/* What a table's numbering is made of. Plain data, no ownership. */
typedef struct Index {
    Material material;
    bool pawns;      /* the slice axis exists and only left-right symmetry holds */
    uint64_t slices; /* pawn configurations; 1 without pawns */
    uint32_t kings;  /* radix of the kings axis */
    int groups;
    IndexGroup group[INDEX_GROUPS_MAX]; /* by colour, then queen to knight */
    int axes;
    uint8_t order[INDEX_AXES_MAX];   /* axes, outermost first */
    uint64_t stride[INDEX_AXES_MAX]; /* by axis */
    uint64_t slice_size;             /* cells of one slice */
    uint64_t size;                   /* slices * slice_size */
    int lead_color;                  /* the colour whose pawns decide the mirror */
    uint64_t second_radix;           /* choices of the other colour's pawns */
    /* By place of the first leading pawn: how many choices of the leading pawns come before. */
    uint64_t lead_first[INDEX_PLACES];
} Index;

/* A position as coordinates of squares: the form in which tables and solver see it. Black and
 * White are the table's, whatever the colours on the board were. */
typedef struct IndexMen {
    uint8_t king[2];
    uint8_t square[TREB_MEN_MAX]; /* the men of group 0, group 1, ... one after another */
    uint64_t pawns[2];
} IndexMen;

/* Lays out the table of a canonical material. `order` lists the axes outermost first, or is NULL
 * for kings, group 0, group 1, ...; the innermost axis is padded to a multiple of `pad` cells
 * (1 for none). False if a material has more men than an index can hold. */
bool index_init(Index *index, const Material *material, const uint8_t *order, unsigned pad);

/* The same without padding. Bishops are numbered by the shade of their squares: they never change it,
 * so that cells with like values come to lie together. For the same reason slices come in the order
 * of the file of the first leading pawn. */
bool index_init_shades(Index *index, const Material *material, const uint8_t *order);

/* The number of a position (of the table's material, colours already the table's). Positions that
 * a symmetry of the board maps to each other share it. */
uint64_t index_of_position(const Index *index, const treb_position *pos);

/* The number from the men; `men` is brought into canonical orientation on the way. */
uint64_t index_of_men(const Index *index, IndexMen *men);

/* The men of a cell, or false if the cell is padding, has two men on a square, or is a duplicate
 * of another cell by symmetry. */
bool index_to_men(const Index *index, uint64_t cell, IndexMen *men);

/* Writes a position with side to move `turn`; no legality is implied. */
void index_men_to_position(const Index *index, const IndexMen *men, int turn, treb_position *pos);

/* For how many arrangements on the full board a cell stands: 2, 4 or 8. */
unsigned index_weight(const Index *index, const IndexMen *men);

/* The kings axis. Returns its coordinate, or -1 for kings that touch; `*symmetry` gets the
 * symmetry that takes the pair to its representative. */
int index_kings(bool pawns, int white, int black, int *symmetry);
void index_kings_squares(bool pawns, int coordinate, int *white, int *black);

/* The slice axis: pawns (already in canonical orientation) to coordinate and back. */
uint64_t index_slice(const Index *index, const uint64_t pawns[2]);
bool index_slice_pawns(const Index *index, uint64_t slice, uint64_t pawns[2]);

/* The place whose slices come as number `i` where they are numbered by file. */
static inline unsigned index_place_by_file(unsigned i)
{
    enum { FILES = 4, RANKS = INDEX_PLACES / FILES };
    return FILES * (i % RANKS) + i / RANKS;
}

/* The place of a slice's first leading pawn, 4 * (rank - 1) + file. The slices of a place follow each
 * other, in the same order in any index of a material. */
unsigned index_slice_place(const Index *index, uint64_t slice);

/* The slice of `to` that is the slice of `from`, another index of the material; `place` is its
 * place. */
static inline uint64_t index_slice_in(const Index *to, const Index *from, uint64_t slice,
                                      unsigned place)
{
    return slice + (to->lead_first[place] - from->lead_first[place]) * to->second_radix;
}

/* Whether the pawns must be mirrored left-right to stand as the index has them: -1 if either
 * will do (they are their own mirror image), else 0 or 1. */
int index_pawns_mirror(const Index *index, const uint64_t pawns[2]);

/* The coordinate of a group whose men stand on ascending squares, and back. */
uint32_t index_group(const IndexGroup *group, const uint8_t *squares);
void index_group_squares(const IndexGroup *group, uint32_t coordinate, uint8_t *squares);

/* The symmetry that brings a position into canonical orientation, its slice and its coordinate of the
 * kings; false if two orientations are allowed. */
bool index_orient(const Index *index, const treb_position *pos, int *symmetry, uint64_t *slice,
                  int *kings);

/* The coordinate of a group that stands on `board` before the symmetry is applied. */
uint32_t index_group_turned(const IndexGroup *group, uint64_t board, int symmetry);

/* Applies a symmetry to a square and a board. */
static inline int index_symmetry_square(int symmetry, int square)
{
    if (symmetry & SYM_FILES) square ^= 7;
    if (symmetry & SYM_RANKS) square ^= 56;
    if (symmetry & SYM_DIAGONAL) square = (square & 7) << 3 | square >> 3;
    return square;
}
uint64_t index_symmetry_board(int symmetry, uint64_t board);

#endif
