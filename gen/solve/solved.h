/* solved.h - a solved slice, as its parents need it: the slices that a move leads from to it.
 *
 * The value of a cell is the distance to mate. Its parity says who wins: the side to move wins in an
 * odd number of plies and loses in an even one. Where distances to mate are not wanted, a win is 1
 * and a loss 2. PLIES_OPEN is a draw where the position is legal.
 *
 * Where kings and pawns are alone, a plane's word has no man to number its bits. There the bits are
 * up to 64 slices, solved together: the cell of slice `lane` is 64 * kings + lane. Beside one piece
 * the words of a plane are up to 8 slices: their cells begin at 512 * kings + 64 * lane. */
#ifndef TREB_GEN_SOLVED_H
#define TREB_GEN_SOLVED_H

#include "gen/solve/plies.h"
#include "gen/solve/shape.h"

enum { SLICE_LANES = 64 }; /* slices solved together, at most */

/* How many slices of a shape are solved together, and how many cells lie side by side in each. */
static inline int shape_lanes(const Shape *shape)
{
    return !shape->pawns || shape->men > 1 ? 1 : shape->men == 1 ? KERNEL_LANES : SLICE_LANES;
}

static inline size_t shape_lane_cells(const Shape *shape)
{
    return shape->men == 0 ? 1 : shape->men == 1 ? 64 : shape->plane_cells;
}

/* Distances of many cells: a byte each, or two where some need it. */
typedef struct PliesArray {
    uint8_t *narrow;
    Plies *wide; /* one of the two is NULL */
} PliesArray;

static inline Plies narrow_plies(uint8_t byte) { return byte == NARROW_OPEN ? PLIES_OPEN : byte; }

static inline Plies array_plies(const PliesArray *array, uint64_t cell)
{
    return array->narrow != NULL ? narrow_plies(array->narrow[cell]) : array->wide[cell];
}

/* What parents want of a material: sides to move, bits TREB_WHITE and TREB_BLACK, or cuts. A cut is what
 * promotions lead to: of one side to move those cells in which a man of one kind is where pawns
 * promote. Of large slices the rest would be in the way. */
enum { WANT_SIDES = 3, WANT_CUT = 4, WANT_END = WANT_CUT << 8 };

static inline unsigned wanted_cut(int color, int type)
{
    return (unsigned)WANT_CUT << (4 * color + (TREB_QUEEN - type));
}

/* The sides to move: after a promotion it is the other's. */
static inline unsigned wanted_sides(unsigned wanted)
{
    const unsigned white = 15 * WANT_CUT;
    return (wanted & WANT_SIDES) | (wanted & white ? 1u << TREB_BLACK : 0) |
           (wanted & white << 4 ? 1u << TREB_WHITE : 0);
}

/* Whether promotions to a material ask for a cut: `from` men, or CUTS_MEN if that is 0, and two pieces. */
enum { CUTS_MEN = 6 };
bool cut_suits(const Material *material, int from);

typedef struct Cut {
    int man; /* of the shape: stands on one of these squares. Other cells are numbered without it */
    int squares; /* 0: there is no cut */
    uint8_t square[28];
    int8_t place[64]; /* of a square among them, or -1 */
} Cut;

/* False if what is wanted is no cut. The man is the last of its kind, as like men before it are found
 * first. */
bool cut_init(Cut *cut, const Shape *shape, unsigned wanted);

/* Arrays by side to move, of the slice's cells, or of those of a cut: for each pair of kings square by
 * square. NULL where not at hand. */
typedef struct Solved {
    PliesArray value[2];
    uint64_t *legal[2];
    uint64_t *cursed[2]; /* won or lost by the laws of mate, drawn by the 50-move rule */
    /* Only while the table itself is being solved, for its own pushes: */
    PliesArray dtc[2];      /* distance to conversion, where the value is a win or a loss */
    uint64_t *stalemate[2]; /* without a legal move, unless there is one en passant */
    const Cut *cut;         /* NULL: none */
    /* By kings: where a plane is, -1 if it is not here; NULL: all, in order. */
    const int32_t *place;
    bool by_plane; /* too large to be in memory: planes are fetched */
} Solved;

/* Where a plane of such is put, and planes near it that come along: while slices stay as they are, these need not be
 * fetched again. All 0 at first; `bytes` are to be freed. */
typedef struct SolvedRoom {
    uint8_t *bytes;
    size_t size;
    const Solved *of; /* whose planes they are, */
    size_t chunk;     /* which, */
    bool push;        /* and with what pushes ask for */
} SolvedRoom;

/* Whoever has the solved slices. Thread-safe. */
typedef struct SolvedSource {
    void *context;
    /* The shape of a solved material, of which this is wanted if it is a cut; NULL: none such is there. It
     * lasts as long as the source. */
    const Shape *(*shape)(void *context, const Material *material, unsigned wanted);
    /* Brings one side to move of a slice of such a shape, with what only pushes ask for if `push`. It
     * stays until its `release`. */
    treb_status (*find)(void *context, const Shape *shape, uint64_t slice, int side, bool push,
                        const Solved **solved, int *lane, treb_error *error);
    void (*release)(void *context, const Solved *solved);
    /* Brings one plane of what is not in memory, with what only pushes ask for if `push`: the arrays of `out` begin
     * with it. */
    treb_status (*plane)(void *context, const Shape *shape, const Solved *solved, int side,
                         uint32_t plane, bool push, SolvedRoom *room, Solved *out,
                         treb_error *error);
} SolvedSource;

#endif
