/* source.h - text from anywhere, a character at a time: of any length, in bounded memory. */
#ifndef TREB_GAMES_SOURCE_H
#define TREB_GAMES_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

enum { SOURCE_ROOM = 1 << 16, SOURCE_AHEAD = 1024 };

typedef struct Source {
    /* Writes up to `room` bytes and returns how many; 0 at the end, or if no more can be read. */
    size_t (*read)(void *from, char *to, size_t room);
    void *from;
    size_t line; /* of the next character, from 1 */
    size_t at, end;
    bool ended;
    char buffer[SOURCE_ROOM];
} Source;

/* A mark of UTF-8 at the beginning is skipped. */
void source_begin(Source *source, size_t (*read)(void *from, char *to, size_t room), void *from);

/* A text in memory, for `read`. */
typedef struct SourceText {
    const char *text;
    size_t size;
} SourceText;

size_t source_read_text(void *from, char *to, size_t room);

/* Brings what is `ahead` characters after the next one into the buffer, if the text goes that far. */
void source_fill(Source *source, size_t ahead);

/* The character that is `ahead` (less than SOURCE_AHEAD) after the next one, or -1 where the text
 * has ended. */
static inline int source_peek(Source *source, size_t ahead)
{
    if (source->end - source->at <= ahead && !source->ended) source_fill(source, ahead);
    return source->end - source->at > ahead ? (unsigned char)source->buffer[source->at + ahead]
                                            : -1;
}

/* Takes the next character; -1 at the end. */
static inline int source_next(Source *source)
{
    int c = source_peek(source, 0);
    if (c < 0) return c;
    source->at++;
    source->line += c == '\n';
    return c;
}

/* Whether the text begins so here, capitals or not. */
bool source_begins(Source *source, const char *text);

/* Whether a line ends, or the text, in what is in memory: it can be had without waiting. */
bool source_has_line(const Source *source);

/* Takes a line, without its end, as a string. False at the end of the text. What has no room is left
 * out, and told by *cut; zero bytes become question marks. */
bool source_line(Source *source, char *to, size_t room, bool *cut);

#endif
