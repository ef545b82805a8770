/* input.c - see input.h. */
#include "core/pgn/input.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/pgn/move_text.h"
#include "core/pgn/position_text.h"

static const char *skip_blanks(const char *text)
{
    for (size_t length; (length = text_blank(text)) > 0;) text += length;
    return text;
}

bool input_skips(const char *line)
{
    line = skip_blanks(line);
    return *line == '\0' || *line == '#';
}

/* Returns whether the first word of a line is a legal move in the starting position. */
static bool is_first_move(const char *line)
{
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(line, " \t"), line);
    return move_text_is_first(word);
}

/* Returns whether a line belongs to a game: a tag, a move number, a comment or a move. */
static bool is_pgn(const char *line)
{
    line = skip_blanks(line);
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
            line[size++] = (char)c;
            continue;
        }
        line[size] = '\0';
        if (c < 0 || !input_skips(line)) break;
        size = 0;
    }
    line[size] = '\0';
    return !input_skips(line) && is_pgn(line) ? INPUT_PGN : INPUT_LINES;
}
