/* children.h - where the conversions of a slice lead. Private to convert.c and children.c. */
#ifndef TREB_GEN_CHILDREN_H
#define TREB_GEN_CHILDREN_H

#include "core/chess/conversion.h"
#include "core/format/table.h"
#include "gen/solve/convert.h"
#include "gen/solve/kernel.h"

enum { NO_MAN = CONVERSION_NOBODY, KING_MAN = CONVERSION_KING, PAWN_MAN = CONVERSION_PAWN };

/* A solved slice and how a parent's men stand in it. */
typedef struct Child {
    const Shape *shape;
    const Solved *solved;
    int side, lane;
    bool swap;                    /* colours and ranks are exchanged */
    bool mirror;                  /* then files */
    int8_t shift[KERNEL_MEN_MAX]; /* of a parent's man in the child's cells; -1 if it is gone */
    int8_t promoted_shift;        /* of the promoted piece; -1 if there is none, or a cut */
    const Cut *cut;               /* that has the promoted piece; NULL: none */
} Child;

typedef struct Conversion {
    int man;        /* the moving man, or KING_MAN, PAWN_MAN */
    int victim;     /* the captured man, PAWN_MAN or NO_MAN */
    int from, to;   /* of a pawn; `to` is also the square of a captured pawn */
    int between;    /* the square a double push passes, or -1 */
    bool push;      /* leads on within the table: distances to conversion run on */
    bool completes; /* bounds of distances to mate: see core/format/table.h */
    Child child;
    int captures; /* ways to answer a double push en passant */
    Child en_passant[2];
} Conversion;

struct Converter {
    const Shape *shape;
    const SolvedSource *source;
    uint64_t pawns[2];
    int mover;
    int moves, capacity;
    Conversion *move;
    treb_status status; /* what went wrong first */
    treb_error *error;
};

#endif
