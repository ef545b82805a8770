/* pgn_signs.h - the signs beside the moves of a game: results, and glyphs such as "?!" or "+-". */
#ifndef TREB_CORE_PGN_PGN_SIGNS_H
#define TREB_CORE_PGN_PGN_SIGNS_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a result as people write it: "1-0", "0:1", "0.5-0.5", with any dash. Returns "1-0", "0-1",
 * "1/2-1/2" or "*"; "" for a score that PGN has no word for, such as "1/2-0"; NULL if the text is
 * no result. "0-0" is none, as it is castling. */
const char *pgn_result(const char *text);

/* Returns whether a text can be the begin of a result that is written in several words, such as
 * "1 - 0" and "1/2 -1/2"; and whether a dash comes next. */
bool pgn_result_begins(const char *text);
bool pgn_result_wants_dash(const char *text);

/* Returns the NAG of a glyph, from 1; 0 if a text is none. */
unsigned pgn_glyph(const char *text);

/* Returns the length of a move without the glyph, or the sign of check, at its end; `length` if
 * there is none. *nag is the glyph's, or 0. */
size_t pgn_glyph_cut(const char *text, size_t length, unsigned *nag);

/* Returns whether a word beside a move says nothing that the move does not say: "e.p.", "ch". */
bool pgn_needless(const char *word);

#endif
