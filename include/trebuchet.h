/* trebuchet.h - the public interface of libtrebuchet, a chess endgame tablebase library.
 *
 * Squares are numbered a1 = 0, b1 = 1, ... h8 = 63. Distances are plies. */
#ifndef TREBUCHET_H
#define TREBUCHET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call came to. Zero is success. */
typedef enum treb_status {
    TREB_OK = 0,
    TREB_ERR_FEN,      /* the text is not a FEN */
    TREB_ERR_POSITION, /* well formed, but no such position can arise */
    TREB_ERR_CASTLING, /* castling rights remain: no table covers them */
    TREB_ERR_MEN,      /* more men than any table has */
    TREB_ERR_NO_TABLE, /* a table file that is needed is not installed */
    TREB_ERR_DAMAGED,  /* a table file is truncated, altered or foreign */
    TREB_ERR_IO,       /* the operating system could not read or write */
    TREB_ERR_MEMORY,   /* out of memory */
    TREB_ERR_ARGUMENT  /* the call itself was wrong */
} treb_status;

enum { TREB_WHITE = 0, TREB_BLACK = 1 };
enum {
    TREB_PAWN = 0,
    TREB_KNIGHT,
    TREB_BISHOP,
    TREB_ROOK,
    TREB_QUEEN,
    TREB_KING,
    TREB_TYPES
};

/* A position. Bit s of a board is square s. */
typedef struct treb_position {
    uint64_t by_color[2];           /* the men of White, of Black */
    uint64_t by_type[TREB_TYPES];   /* pawns, knights, ..., kings of both colours */
    uint8_t turn;                   /* TREB_WHITE or TREB_BLACK */
    uint8_t ep;                     /* square behind a pawn that just made a double step, or 0 */
    uint8_t castling;               /* bits 0 to 3: K, Q, k, q of the FEN */
    uint16_t halfmove;              /* plies since the last capture or pawn move */
    uint16_t fullmove;              /* the number of the move, from 1 */
} treb_position;

#ifdef __cplusplus
}
#endif
#endif
