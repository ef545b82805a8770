/* pgn_notes.h - comments, variations and NAGs of a game. */
#ifndef TREB_CORE_PGN_PGN_NOTES_H
#define TREB_CORE_PGN_PGN_NOTES_H

#include "core/pgn/pgn_reading.h"

/* Takes an annotation. Returns false if none follows. */
bool pgn_notes_take(Reading *r);

/* Keep the rest of the line as a comment; pgn_notes_part up to an annotation or tag. */
void pgn_notes_line(Reading *r);
void pgn_notes_part(Reading *r);

/* Adds a comment. */
void pgn_notes_comment(Reading *r, const char *text);

/* Adds a NAG to the last move. */
void pgn_notes_nag(Reading *r, unsigned nag);

/* Adds a word to what was not read. */
void pgn_notes_word(Reading *r, const char *word);

#endif
