/* text_reader.h - reads a text of any length character by character, in bounded memory.
 *
 * The text may be in UTF-16; it is read as UTF-8. All line ends are read as \n: \r\n, and a \r alone
 * as old Macintosh programs write it. Zero bytes are read as question marks. */
#ifndef TREB_CORE_PGN_TEXT_READER_H
#define TREB_CORE_PGN_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>

enum { TEXT_READER_ROOM = 1 << 16, TEXT_READER_AHEAD = 1024 };

typedef struct TextReader {
    /* Callback: writes up to `room` bytes and returns how many; 0 at the end, or if no more can be
     * read. */
    size_t (*read)(void *from, char *to, size_t room);
    void *from;
    size_t line; /* number of the line of the next character, from 1 */
    size_t at, end;
    bool ended;
    enum { TEXT_BYTES, TEXT_UTF_16_LITTLE, TEXT_UTF_16_BIG } form;
    bool returned; /* the last character was \r: a \n after it belongs to it */
    bool halved;   /* `half` is the first byte of a unit of UTF-16 */
    unsigned char half;
    unsigned surrogate; /* the first half of a character of two units, or 0 */
    char buffer[TEXT_READER_ROOM];
} TextReader;

/* Starts reading: finds out the form of the text, and skips a byte order mark. */
void text_reader_begin(TextReader *reader, size_t (*read)(void *from, char *to, size_t room),
                       void *from);

/* A text in memory; text_in_memory_read reads from it. */
typedef struct TextInMemory {
    const char *text;
    size_t size;
} TextInMemory;

size_t text_in_memory_read(void *from, char *to, size_t room);

/* Reads on until the character `ahead` characters after the next one is in the buffer, or the text
 * ends. */
void text_reader_fill(TextReader *reader, size_t ahead);

/* Returns the character `ahead` (less than TEXT_READER_AHEAD) characters after the next one, or -1
 * if the text ends before it. */
static inline int text_reader_peek(TextReader *reader, size_t ahead)
{
    if (reader->end - reader->at <= ahead && !reader->ended) text_reader_fill(reader, ahead);
    return reader->end - reader->at > ahead ? (unsigned char)reader->buffer[reader->at + ahead]
                                            : -1;
}

/* Takes the next character; returns -1 at the end. */
static inline int text_reader_next(TextReader *reader)
{
    int c = text_reader_peek(reader, 0);
    if (c < 0) return c;
    reader->at++;
    reader->line += c == '\n';
    return c;
}

/* Returns whether the text continues with `text`, ignoring case. */
bool text_reader_begins(TextReader *reader, const char *text);

/* Returns whether the rest of a line, or of the text, is in the buffer: text_reader_line then does
 * not wait. */
bool text_reader_has_line(const TextReader *reader);

/* Takes a line, without its end, as a string. Returns false at the end of the text. Sets *cut if
 * characters did not fit and were dropped. */
bool text_reader_line(TextReader *reader, char *to, size_t room, bool *cut);

/* Returns the length of the blank that a text begins with, 0 if there is none: a space, a tab, the
 * end of a line, a space of Unicode such as the no-break space, or a character that takes no place,
 * such as a byte order mark where two files were joined. */
size_t text_blank(const char *text);

/* Returns the length of the blank that a reader has next. */
size_t text_reader_blank(TextReader *reader);

#endif
