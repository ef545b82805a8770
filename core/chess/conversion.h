/* conversion.h - the kinds of moves that no later move takes back: captures, pawn moves, promotions.
 *
 * Where the pawns stand is given, and which men there are beside them and the kings, but not where
 * these stand. A kind is then one man that makes such a move, from and to certain squares as far as
 * pawns or their victims fix them: "the rook takes a knight", "the king takes the pawn on e4". */
#ifndef TREB_CORE_CONVERSION_H
#define TREB_CORE_CONVERSION_H

#include <stdbool.h>
#include <stdint.h>

/* Who moves or is taken, other than the number of a man. */
enum { CONVERSION_KING = -1, CONVERSION_PAWN = -2, CONVERSION_NOBODY = -3 };

typedef struct ConversionKind {
    int mover;             /* a man's number, CONVERSION_KING or CONVERSION_PAWN */
    int victim;            /* a man's number, CONVERSION_PAWN or CONVERSION_NOBODY */
    int from;              /* of a pawn, else -1 */
    int to;                /* of a pawn or a captured pawn, else -1 */
    int between;           /* the square that a double push passes, or -1 */
    int promo;             /* the type that a pawn becomes, or 0 */
    uint64_t pawns[2];     /* afterwards */
    int answers;           /* ways to answer a double push en passant, */
    uint64_t answer[2][2]; /* and the pawns after each */
} ConversionKind;

/* What there is to move: `color` has an entry for each of `men` men, neither kings nor pawns. */
typedef struct ConversionBoard {
    uint64_t pawns[2];
    const uint8_t *color;
    int men;
} ConversionBoard;

/* False ends the enumeration. */
typedef bool ConversionVisit(void *context, const ConversionKind *kind);

/* Visits each kind that `side` has, once: captures by the king, by each man, then each pawn's moves;
 * promotions from the queen down. False if a visit said so. En passant is no kind of its own. */
bool conversion_each(const ConversionBoard *board, int side, ConversionVisit *visit, void *context);

#endif
