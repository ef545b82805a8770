/* source.c - see source.h. */
#include "core/pgn/source.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

void source_begin(Source *source, size_t (*read)(void *from, char *to, size_t room), void *from)
{
    static const char mark[] = "\xef\xbb\xbf";
    source->read = read;
    source->from = from;
    source->line = 1;
    source->at = source->end = 0;
    source->ended = false;
    for (size_t i = 0; i < 3; i++)
        if (source_peek(source, i) != (unsigned char)mark[i]) return;
    source->at += 3;
}

size_t source_read_text(void *from, char *to, size_t room)
{
    SourceText *text = from;
    size_t size = text->size < room ? text->size : room;
    if (size == 0) return 0; /* an empty text may be NULL */
    memcpy(to, text->text, size);
    text->text += size;
    text->size -= size;
    return size;
}

void source_fill(Source *source, size_t ahead)
{
    assert(ahead < SOURCE_AHEAD);
    if (source->at > 0) {
        memmove(source->buffer, source->buffer + source->at, source->end - source->at);
        source->end -= source->at;
        source->at = 0;
    }
    while (source->end <= ahead && !source->ended) {
        size_t got =
            source->read(source->from, source->buffer + source->end, SOURCE_ROOM - source->end);
        source->end += got;
        source->ended = got == 0;
    }
}

bool source_begins(Source *source, const char *text)
{
    for (size_t i = 0; text[i] != '\0'; i++) {
        int c = source_peek(source, i);
        if (c < 0 || tolower(c) != tolower((unsigned char)text[i])) return false;
    }
    return true;
}

bool source_has_line(const Source *source)
{
    if (source->at == source->end) return false;
    return source->ended ||
           memchr(source->buffer + source->at, '\n', source->end - source->at) != NULL;
}

bool source_line(Source *source, char *to, size_t room, bool *cut)
{
    size_t size = 0;
    *cut = false;
    int c = source_next(source);
    if (c < 0) return false;
    for (; c >= 0 && c != '\n'; c = source_next(source)) {
        if (size + 1 < room)
            to[size++] = c != '\0' ? (char)c : '?';
        else
            *cut = true;
    }
    if (size > 0 && to[size - 1] == '\r') size--;
    to[size] = '\0';
    return true;
}
