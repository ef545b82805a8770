/* input.c - see input.h. */
#include "core/pgn/input.h"

#include <ctype.h>
#include <string.h>

#include "core/pgn/move_text.h"
#include "core/pgn/position_text.h"

bool input_skips(const char *line)
{
    line += strspn(line, " \t\r");
    return *line == '\0' || *line == '#';
}

/* Returns whether the first word of a line is a legal move in the starting position. */
static bool is_first_move(const char *line)
{
    char word[32];
    Move move;
    treb_position start;
    size_t length = strcspn(line, " \t\r");
    if (length >= sizeof word || position_from_fen(POSITION_TEXT_START, &start, NULL) != TREB_OK)
        return false;
    memcpy(word, line, length);
    word[length] = '\0';
    return move_text_read(&start, word, &move) == TREB_OK;
}

/* Returns whether a line belongs to a game: a tag, a move number, a comment or a move. */
static bool is_pgn(const char *line)
{
    line += strspn(line, " \t\r");
    if (*line == '[') return isalpha((unsigned char)line[1 + strspn(line + 1, " ")]);
    if (strchr("{(;%$*", *line) != NULL) return true;
    if (position_text_like(line)) return false;
    size_t digits = strspn(line, "0123456789");
    return (digits > 0 && line[digits] == '.') || is_first_move(line);
}

InputKind input_kind(TextReader *reader)
{
    char line[TEXT_READER_AHEAD];
    size_t size = 0;
    /* Reads no further than needed: a user may be typing the text. */
    for (size_t at = 0; at + 1 < TEXT_READER_AHEAD; at++) {
        int c = text_reader_peek(reader, at);
        if (c >= 0 && c != '\n') {
            line[size++] = c != '\0' ? (char)c : '?';
            continue;
        }
        line[size] = '\0';
        if (c < 0 || !input_skips(line)) break;
        size = 0;
    }
    line[size] = '\0';
    return !input_skips(line) && is_pgn(line) ? INPUT_PGN : INPUT_LINES;
}
