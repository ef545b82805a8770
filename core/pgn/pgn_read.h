/* pgn_read.h - games from PGN, one after the other, as forgivingly as can be.
 *
 * What a game says beside its moves is kept as it stands: tags, comments, NAGs and variations, which
 * are not looked into. A fault ends the moves of its own game only. */
#ifndef TREB_GAMES_PGN_READ_H
#define TREB_GAMES_PGN_READ_H

#include "core/chess/san.h"
#include "core/pgn/position_text.h"
#include "core/pgn/source.h"

/* Bounds of one game: the longest that is possible has fewer than 12,000 plies. */
enum { PGN_MOVES_MAX = 12000, PGN_TAGS_MAX = 256, PGN_TEXT_MAX = 1 << 20, PGN_NAGS = 8 };

/* Texts are offsets into `text`, see pgn_text; 0 is the empty text. */
typedef struct PgnTag {
    size_t name, value;
} PgnTag;

/* What stands after a move, or before the first. */
typedef struct PgnNotes {
    uint8_t nag[PGN_NAGS];
    uint8_t nags;
    size_t text; /* comments in braces and variations in parentheses, in their order */
} PgnNotes;

typedef struct PgnMove {
    Move move;
    size_t line; /* of the text that was read */
    PgnNotes notes;
} PgnMove;

typedef struct PgnGame {
    size_t line; /* where it begins */
    PgnTag *tag;
    size_t tags, tag_room;
    bool started; /* the start is known: it is not if its FEN is at fault */
    treb_position start;
    PgnNotes notes; /* before the first move */
    PgnMove *move;
    size_t moves, move_room;
    char result[8];   /* "1-0", "0-1", "1/2-1/2" or "*" */
    treb_error error; /* why the moves end early; TREB_OK if they do not */
    size_t error_line;
    size_t unread; /* the text of what comes after the fault */
    char *text;
    size_t text_size, text_room;
} PgnGame;

static inline const char *pgn_text(const PgnGame *game, size_t offset)
{
    return game->text != NULL ? game->text + offset : "";
}

/* The value of a tag, or NULL. */
const char *pgn_tag(const PgnGame *game, const char *name);

/* Reads the next game into `game`, which is {0} or holds an earlier one. *found is false at the end of
 * the text. Faults of the text are told by the game; the status by memory alone. */
treb_status pgn_next(Source *source, PgnGame *game, bool *found, treb_error *error);

/* Makes a game without moves of a position; its id is the tag Event. */
treb_status pgn_of_position(const PositionText *position, PgnGame *game, treb_error *error);

void pgn_free(PgnGame *game);

#endif
