/* text_reader.c - see text_reader.h. */
#include "core/pgn/text_reader.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

void text_reader_begin(TextReader *reader, size_t (*read)(void *from, char *to, size_t room),
                       void *from)
{
    static const char mark[] = "\xef\xbb\xbf";
    reader->read = read;
    reader->from = from;
    reader->line = 1;
    reader->at = reader->end = 0;
    reader->ended = false;
    for (size_t i = 0; i < 3; i++)
        if (text_reader_peek(reader, i) != (unsigned char)mark[i]) return;
    reader->at += 3;
}

size_t text_in_memory_read(void *from, char *to, size_t room)
{
    TextInMemory *text = from;
    size_t size = text->size < room ? text->size : room;
    if (size == 0) return 0; /* an empty text may be NULL */
    memcpy(to, text->text, size);
    text->text += size;
    text->size -= size;
    return size;
}

void text_reader_fill(TextReader *reader, size_t ahead)
{
    assert(ahead < TEXT_READER_AHEAD);
    if (reader->at > 0) {
        memmove(reader->buffer, reader->buffer + reader->at, reader->end - reader->at);
        reader->end -= reader->at;
        reader->at = 0;
    }
    while (reader->end <= ahead && !reader->ended) {
        size_t got = reader->read(reader->from, reader->buffer + reader->end,
                                  TEXT_READER_ROOM - reader->end);
        reader->end += got;
        reader->ended = got == 0;
    }
}

bool text_reader_begins(TextReader *reader, const char *text)
{
    for (size_t i = 0; text[i] != '\0'; i++) {
        int c = text_reader_peek(reader, i);
        if (c < 0 || tolower(c) != tolower((unsigned char)text[i])) return false;
    }
    return true;
}

bool text_reader_has_line(const TextReader *reader)
{
    if (reader->at == reader->end) return false;
    return reader->ended ||
           memchr(reader->buffer + reader->at, '\n', reader->end - reader->at) != NULL;
}

bool text_reader_line(TextReader *reader, char *to, size_t room, bool *cut)
{
    size_t size = 0;
    *cut = false;
    int c = text_reader_next(reader);
    if (c < 0) return false;
    for (; c >= 0 && c != '\n'; c = text_reader_next(reader)) {
        if (size + 1 < room)
            to[size++] = c != '\0' ? (char)c : '?';
        else
            *cut = true;
    }
    if (size > 0 && to[size - 1] == '\r') size--;
    to[size] = '\0';
    return true;
}
