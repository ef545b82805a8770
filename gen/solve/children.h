/* children.h - where the conversions of a slice lead. For convert.c and children.c only. */
#ifndef TREB_GEN_SOLVE_CHILDREN_H
#define TREB_GEN_SOLVE_CHILDREN_H

#include "core/chess/conversion.h"
#include "core/format/table.h"
#include "gen/solve/convert.h"
#include "gen/solve/kernel.h"

enum { NO_MAN = CONVERSION_NOBODY, KING_MAN = CONVERSION_KING, PAWN_MAN = CONVERSION_PAWN };

/* A solved slice, and where a parent's men are in it. */
typedef struct Child {
    const Layout *layout;
    const SolvedArrays *solved;
    int side, lane;
    bool swap;   /* colours are exchanged, and the board is turned over, rank 1 to rank 8 */
    bool mirror; /* then files a to h are exchanged */
    /* By the parent's man: how far each square takes a cell from the first one of a plane. NULL if he is captured. */
    const uint32_t *step[KERNEL_MEN_MAX];
    /* Likewise, of the promoted piece; NULL if there is none, or if the child is a subset. */
    const uint32_t *promoted;
    /* The subset of this promotion; NULL: the child has whole slices. */
    const PromotionSubset *subset;
} Child;

typedef struct Conversion {
    int man;      /* the moving man, or KING_MAN or PAWN_MAN */
    int victim;   /* the captured man, PAWN_MAN or NO_MAN; of a quiet move of a king or man NO_MAN */
    int from, to; /* of a pawn; `to` is also the square of a captured pawn */
    int between;  /* the square that a double push passes, or -1 */
    bool push;    /* a push, to a slice of the same table: distances to conversion go on counting */
    bool completes; /* completes bounds of distances to mate: see core/format/table.h */
    Child child;
    int captures; /* number of ways to answer a double push en passant */
    Child en_passant[2];
} Conversion;

struct Converter {
    const Layout *layout;
    const SliceProvider *provider;
    uint64_t pawns[2];
    int mover;
    uint8_t square[8][64]; /* by symmetry and square: index_symmetry_square */
    uint32_t step[KERNEL_MEN_MAX][64]; /* by the number of men after him: steps of a man whose cells are all kept */
    ConverterMoves which;
    int moves, capacity;
    Conversion *move;
    treb_status status; /* the first error */
    treb_error *error;
};

#endif
