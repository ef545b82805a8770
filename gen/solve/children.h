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
    /* By the parent's man: shift of his square in the child's cells; -1 if he is captured. */
    int8_t shift[KERNEL_MEN_MAX];
    /* Shift of the promoted piece; -1 if there is none, or if the child is a subset. */
    int8_t promoted_shift;
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
    ConverterMoves which;
    int moves, capacity;
    Conversion *move;
    treb_status status; /* the first error */
    treb_error *error;
};

#endif
