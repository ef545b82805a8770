/* position_read.h - reads the position that a request asks about. */
#ifndef TREB_JSON_POSITION_READ_H
#define TREB_JSON_POSITION_READ_H

#include "trebuchet.h"

/* Reads a position in any form that people paste (core/pgn/position_text.h): FEN or EPD, with or
 * without quotes or a PGN tag around it, or a link that contains a FEN. */
treb_status answer_read_position(const char *text, treb_position *out, treb_error *error);

/* Reads a FEN as lila-tablebase does: impossible castling rights and en passant squares are
 * dropped. */
treb_status answer_read_standard(const char *text, treb_position *out, treb_error *error);

#endif
