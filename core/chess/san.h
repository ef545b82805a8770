/* san.h - moves as text: "e7e8q" and "exd8=Q+". Castling is "e1g1" and "O-O". */
#ifndef TREB_CORE_CHESS_SAN_H
#define TREB_CORE_CHESS_SAN_H

#include "core/chess/movegen.h"

enum { UCI_SIZE = 6, SAN_SIZE = 8 };

/* Writes from-square, to-square and, in lower case, the promotion. */
void move_to_uci(Move m, char out[UCI_SIZE]);

/* Reads a legal move of the position. Returns TREB_ERR_ARGUMENT if the text is no legal move. */
treb_status move_from_uci(const treb_position *pos, const char *text, Move *out);

/* Writes standard algebraic notation of a legal move, with + or # where it applies. */
void move_to_san(const treb_position *pos, Move m, char out[SAN_SIZE]);

/* Reads standard algebraic notation. Accepts more disambiguation than needed and a missing x or =;
 * ignores trailing + # ! ?. In castling zeros count as the letter O. Returns TREB_ERR_ARGUMENT if
 * the text is no legal move or fits several. */
treb_status move_from_san(const treb_position *pos, const char *text, Move *out);

#endif
