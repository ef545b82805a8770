/* position_text.h - positions as people have them: a FEN, an EPD, a link with a FEN in it. */
#ifndef TREB_GAMES_POSITION_TEXT_H
#define TREB_GAMES_POSITION_TEXT_H

#include "core/chess/position.h"

#define POSITION_TEXT_START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

enum { POSITION_TEXT_MAX = 4096, POSITION_ID_SIZE = 128 };

typedef struct PositionText {
    treb_position pos;
    char id[POSITION_ID_SIZE]; /* of an EPD, cut if need be; "" if there is none */
} PositionText;

/* Reads a position from
 * - a FEN of two to six fields, spaces or underscores between them;
 * - an EPD: four fields (two counters may follow) and opcodes, of which hmvc, fmvn and id count;
 * - either of them in quotes, in a tag [FEN "..."], or after the word fen;
 * - a link with a FEN in its path or in its parameter "fen", with percent escapes: of lichess,
 *   syzygy-tables.info and others. There, castling rights and en passant squares that cannot be are
 *   dropped.
 * TREB_ERR_FEN or TREB_ERR_POSITION with the reason if there is none. */
treb_status position_text_read(const char *text, PositionText *out, treb_error *error);

/* Reads what a tag FEN says: as position_text_read, with the leniency of links. */
treb_status position_text_tag(const char *text, treb_position *out, treb_error *error);

/* Whether a text begins like the board of a FEN, or like a link, and so not like a game. */
bool position_text_like(const char *text);

/* The name of a game other than chess that "Atomic" or "kingOfTheHill" is, or NULL. */
const char *position_text_variant(const char *name);

#endif
