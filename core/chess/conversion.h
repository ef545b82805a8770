/* conversion.h - the kinds of moves that no later move can undo: captures, pawn moves, promotions.
 *
 * The caller gives the squares of the pawns, and which other men there are besides kings, but not
 * their squares. A kind is then one man that makes such a move, from and to certain squares as far
 * as pawns or captured pawns determine them: "the rook takes a knight", "the king takes the pawn on
 * e4". */
#ifndef TREB_CORE_CHESS_CONVERSION_H
#define TREB_CORE_CHESS_CONVERSION_H

#include <stdbool.h>
#include <stdint.h>

/* Values of `mover` and `victim` that are not the number of a man. */
enum { CONVERSION_KING = -1, CONVERSION_PAWN = -2, CONVERSION_NOBODY = -3 };

typedef struct ConversionKind {
    int mover;             /* number of a man, CONVERSION_KING or CONVERSION_PAWN */
    int victim;            /* number of a man, CONVERSION_PAWN or CONVERSION_NOBODY */
    int from;              /* square of a pawn that moves, else -1 */
    int to;                /* target of a pawn or square of a captured pawn, else -1 */
    int between;           /* the square that a double push passes, or -1 */
    int promo;             /* type that the pawn promotes to, or 0 */
    uint64_t pawns[2];     /* pawns after the move */
    int answers;           /* number of ways to capture the pawn en passant, */
    uint64_t answer[2][2]; /* and the pawns after each of them */
} ConversionKind;

/* The men: `color` has an entry for each of `men` men that are neither kings nor pawns. */
typedef struct ConversionBoard {
    uint64_t pawns[2];
    const uint8_t *color;
    int men;
} ConversionBoard;

/* Called for each kind. Returns false to end the enumeration. */
typedef bool ConversionVisit(void *context, const ConversionKind *kind);

/* Visits each kind of move of `side` once: captures by the king, captures by each man, then the
 * moves of each pawn; promotions from the queen down. Returns false if a visit ended it. En passant
 * is not a kind of its own. */
bool conversion_each(const ConversionBoard *board, int side, ConversionVisit *visit, void *context);

#endif
