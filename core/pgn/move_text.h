/* move_text.h - moves as people write them. */
#ifndef TREB_CORE_PGN_MOVE_TEXT_H
#define TREB_CORE_PGN_MOVE_TEXT_H

#include "core/chess/san.h"

/* Reads a legal move from standard or long algebraic notation: "exd8=Q+", "exd8Q", "e7-e8=Q",
 * "e7e8q", "Nb1xc3", "R:a1", "exd6e.p.", "O-O", "0-0", "e1g1", also with the figures of men in
 * place of letters. TREB_ERR_ARGUMENT if the text is no legal move or fits several. */
treb_status move_text_read(const treb_position *pos, const char *text, Move *out);

/* Returns whether a word is a legal move at the start of a game. */
bool move_text_is_first(const char *word);

#endif
