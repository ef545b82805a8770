/* pgn_reading.h - a game while it is being read: its texts, its faults, and the blanks between its
 * parts. For the parts of pgn_read.h. */
#ifndef TREB_CORE_PGN_PGN_READING_H
#define TREB_CORE_PGN_PGN_READING_H

#include "core/pgn/pgn_read.h"

typedef struct Reading {
    TextReader *reader;
    PgnGame *game;
    treb_position pos; /* position after the last move */
    size_t fen_line;   /* line of the tag FEN */
    size_t note_end;   /* size of the texts after the last note */
    bool numbered;     /* the last word was the number of a move */
    bool ended;        /* the result of the game was read */
    bool full;         /* the text no longer fits into the game */
    bool no_memory;
} Reading;

/* ---- Faults ---------------------------------------------------------------------------------- */

static inline bool reading_broken(const Reading *r) { return r->game->error.status != TREB_OK; }

/* Records the first fault of a game. `where` is appended to the line number: ", move 34. Rxa1". */
void reading_fault(Reading *r, size_t line, const char *where, const char *why);

/* ---- The texts of a game --------------------------------------------------------------------- */

/* Makes room for one more element of `size` bytes in an array. Returns false if memory is out. */
bool reading_grow(Reading *r, void **array, size_t count, size_t *room, size_t size);

/* Begins a text. Returns its offset. */
size_t reading_open(const Reading *r);
void reading_keep(Reading *r, int c);
void reading_keep_text(Reading *r, const char *text);

/* Ends the text that began at `begin`. If part of it did not fit, none of it is kept. */
void reading_close(Reading *r, size_t begin);

/* ---- Blanks ---------------------------------------------------------------------------------- */

/* Takes the rest of a line without its end. */
void reading_skip_line(TextReader *s);

/* Skips spaces, ends of lines, and lines that begin with a percent sign, which are for other
 * programs. */
void reading_skip_blanks(TextReader *s);

static inline bool reading_is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool reading_is_gap(int c) { return c == ' ' || c == '\t'; }

void reading_skip_gaps(TextReader *s);

#endif
