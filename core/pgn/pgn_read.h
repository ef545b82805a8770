/* pgn_read.h - reads games from PGN, one after another, and tolerates as many faults as possible.
 *
 * Everything besides the moves is kept as text: tags, comments, NAGs, and variations, which are not
 * parsed. A fault ends the moves of its own game only. The parts: pgn_tags.h, pgn_notes.h,
 * pgn_signs.h (results and glyphs), move_text.h. */
#ifndef TREB_CORE_PGN_PGN_READ_H
#define TREB_CORE_PGN_PGN_READ_H

#include "core/chess/san.h"
#include "core/pgn/position_text.h"
#include "core/pgn/text_reader.h"

/* Limits of one game. The longest possible game has fewer than 12,000 plies. */
enum { PGN_MOVES_MAX = 12000, PGN_TEXT_MAX = 1 << 20, PGN_NAGS = 8 };

/* A move that passes the turn. */
enum { PGN_NULL_MOVE = 0 };

/* Texts are offsets into PgnGame.text, see pgn_text; offset 0 is the empty text. */
typedef struct PgnTag {
    size_t name, value;
} PgnTag;

/* The annotations after a move, or before the first. */
typedef struct PgnNotes {
    uint16_t nag[PGN_NAGS];
    uint8_t nags;
    size_t text; /* comments in braces, variations in parentheses, and NAGs beyond PGN_NAGS, in the
                    order of the file */
} PgnNotes;

typedef struct PgnMove {
    Move move;   /* a legal move, or PGN_NULL_MOVE */
    size_t line; /* line of the text */
    PgnNotes notes;
} PgnMove;

typedef struct PgnGame {
    size_t line; /* line of the text where the game begins */
    PgnTag *tag;
    size_t tags, tag_room;
    bool started; /* the start position is known; false if its FEN is wrong */
    treb_position start;
    PgnNotes notes; /* annotations before the first move */
    PgnMove *move;
    size_t moves, move_room;
    char result[8];   /* "1-0", "0-1", "1/2-1/2" or "*" */
    treb_error error; /* why the moves end early; TREB_OK if they do not */
    size_t error_line;
    size_t unread; /* the text behind the fault */
    bool fens;     /* two tags FEN differ: the first counts */
    char *text;
    size_t text_size, text_room;
} PgnGame;

static inline const char *pgn_text(const PgnGame *game, size_t offset)
{
    return game->text != NULL ? game->text + offset : "";
}

/* Returns the value of a tag, of the first if there are several; or NULL. */
const char *pgn_tag(const PgnGame *game, const char *name);

/* Reads the next game into `game`, which is zero-initialised or holds an earlier game. Sets *found
 * to false at the end of the text. Faults of the text are in game->error; the function itself fails
 * only if memory is out. */
treb_status pgn_next(TextReader *reader, PgnGame *game, bool *found, treb_error *error);

/* Makes a game without moves from a position. Its id becomes the tag Event. */
treb_status pgn_of_position(const PositionText *position, PgnGame *game, treb_error *error);

void pgn_free(PgnGame *game);

/* Makes a move of a game. `child` may be `pos`. */
void pgn_play(const treb_position *pos, Move move, treb_position *child);

/* Writes a move of a game; a null move is "0000" and "--". */
void pgn_write_move(const treb_position *pos, Move move, char uci[UCI_SIZE], char san[SAN_SIZE]);

#endif
