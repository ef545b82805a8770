/* position_text.h - positions as people write them: a FEN, an EPD, a link with a FEN in it. */
#ifndef TREB_CORE_PGN_POSITION_TEXT_H
#define TREB_CORE_PGN_POSITION_TEXT_H

#include "core/chess/position.h"

enum { POSITION_TEXT_MAX = 4096, POSITION_ID_SIZE = 128 };

typedef struct PositionText {
    treb_position pos;
    char id[POSITION_ID_SIZE]; /* id of an EPD, cut if it is too long; "" if there is none */
} PositionText;

/* Reads a position from one of these:
 * - a FEN of two to six fields, separated by spaces or underscores; spaces of Unicode count, men may
 *   be marked as promoted (Q~), a slash may follow the board, a field of castling or en passant may
 *   be missing before the counters;
 * - an EPD: four fields (two counters may follow) and opcodes, of which hmvc, fmvn and id are used;
 * - either of them in quotes, in a tag [FEN "..."], or after the word fen; a FEN, or "startpos", with
 *   "moves e2e4 ..." behind it, as engines are told;
 * - a link with a FEN in its path or in its parameter "fen", with percent escapes, as of lichess or
 *   syzygy-tables.info. Impossible castling rights and en passant squares in a link are dropped.
 *
 * Returns TREB_ERR_FEN, TREB_ERR_POSITION or TREB_ERR_CASTLING (Chess960), with the reason, if there
 * is none. */
treb_status position_text_read(const char *text, PositionText *out, treb_error *error);

/* Reads the value of a FEN tag: like position_text_read, with impossible castling rights and en
 * passant squares dropped as in links. */
treb_status position_text_tag(const char *text, treb_position *out, treb_error *error);

/* Reads a position for the addresses of lila-tablebase, which drops castling rights of Chess960, too. */
treb_status position_text_standard(const char *text, treb_position *out, treb_error *error);

/* Returns whether a text begins like the board of a FEN, or like a link, and so not like a game. */
bool position_text_like(const char *text);

/* The name of a game other than chess that "Atomic" or "kingOfTheHill" is, or NULL. */
const char *position_text_variant(const char *name);

/* Returns whether "Chess960" or "Fischerandom" is this name of a game. */
bool position_text_chess960(const char *name);

#endif
