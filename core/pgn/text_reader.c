/* text_reader.c - see text_reader.h. */
#include "core/pgn/text_reader.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* Bytes that are asked for at once. Each becomes at most 3 characters of the buffer. */
enum { PIECE = 16384 };

/* ---- Characters ------------------------------------------------------------------------------ */

static void put(TextReader *r, unsigned c)
{
    bool second = r->returned && c == '\n';
    r->returned = c == '\r';
    if (!second) r->buffer[r->end++] = (char)(c == '\r' ? '\n' : c == '\0' ? '?' : c);
}

static void put_utf_8(TextReader *r, unsigned c)
{
    unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned first[] = {0, 0xc0, 0xe0, 0xf0};
    put(r, first[more] | c >> 6 * more);
    while (more-- > 0) put(r, 0x80 | (c >> 6 * more & 0x3f));
}

/* Puts a unit of UTF-16. Half a character becomes a question mark. */
static void put_unit(TextReader *r, unsigned unit)
{
    unsigned high = r->surrogate;
    bool second = unit >= 0xdc00 && unit < 0xe000;
    r->surrogate = 0;
    if (high != 0 && second) {
        put_utf_8(r, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
        return;
    }
    if (high != 0) put(r, '?');
    if (unit >= 0xd800 && unit < 0xdc00)
        r->surrogate = unit;
    else
        put_utf_8(r, second ? '?' : unit);
}

static void put_piece(TextReader *r, const unsigned char *piece, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (r->form == TEXT_BYTES) {
            put(r, piece[i]);
        } else if (!r->halved) {
            r->half = piece[i];
        } else {
            bool little = r->form == TEXT_UTF_16_LITTLE;
            put_unit(r, little ? (unsigned)(piece[i] << 8 | r->half)
                               : (unsigned)(r->half << 8 | piece[i]));
        }
        r->halved = r->form != TEXT_BYTES && !r->halved;
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Finds out the form by the first bytes: a mark, or an ASCII character of two bytes. */
static void find_form(TextReader *r, const unsigned char *first, size_t size)
{
    unsigned a = size > 1 ? first[0] : 1, b = size > 1 ? first[1] : 1;
    r->form = TEXT_BYTES;
    if ((a == 0xff && b == 0xfe) || (a != 0 && b == 0)) r->form = TEXT_UTF_16_LITTLE;
    if ((a == 0xfe && b == 0xff) || (a == 0 && b != 0)) r->form = TEXT_UTF_16_BIG;
}

void text_reader_begin(TextReader *reader, size_t (*read)(void *from, char *to, size_t room),
                       void *from)
{
    static const char mark[] = "\xef\xbb\xbf";
    unsigned char piece[PIECE];
    size_t size = 0, got = 1;
    reader->read = read;
    reader->from = from;
    reader->line = 1;
    reader->at = reader->end = 0;
    reader->returned = reader->halved = false;
    reader->surrogate = 0;
    /* Waits for a second byte only if the first begins a mark or UTF-16. */
    while (got > 0 && (size == 0 || (size == 1 && strchr("\xff\xfe", piece[0]) != NULL))) {
        got = read(from, (char *)piece + size, sizeof piece - size);
        size += got;
    }
    reader->ended = got == 0;
    find_form(reader, piece, size);
    put_piece(reader, piece, size);
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
        unsigned char piece[PIECE];
        size_t got = reader->read(reader->from, (char *)piece, sizeof piece);
        put_piece(reader, piece, got);
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
            to[size++] = (char)c;
        else
            *cut = true;
    }
    to[size] = '\0';
    return true;
}

/* ---- Blanks ---------------------------------------------------------------------------------- */

size_t text_blank(const char *text)
{
    unsigned char a = (unsigned char)text[0];
    if (a == ' ' || (a >= '\t' && a <= '\r')) return 1;
    if (a < 0x80) return 0;
    if (a == 0xa0) return 1; /* the no-break space of Latin-1 */
    unsigned char b = (unsigned char)text[1], c = b != '\0' ? (unsigned char)text[2] : 0;
    if (a == 0xc2) return b == 0xa0 ? 2 : 0;
    /* U+2000 to U+200F, U+2028 to U+202F, U+205F to U+206F */
    if (a == 0xe2 && b == 0x80) return (c >= 0x80 && c <= 0x8f) || (c >= 0xa8 && c <= 0xaf) ? 3 : 0;
    if (a == 0xe2 && b == 0x81) return c >= 0x9f && c <= 0xaf ? 3 : 0;
    if (a == 0xe3 && b == 0x80) return c == 0x80 ? 3 : 0;
    return a == 0xef && b == 0xbb && c == 0xbf ? 3 : 0;
}

size_t text_reader_blank(TextReader *reader)
{
    char next[4] = "";
    int c = text_reader_peek(reader, 0);
    if (c < 0) return 0;
    next[0] = (char)c;
    for (size_t i = 1; c >= 0x80 && i < 3; i++) {
        int more = text_reader_peek(reader, i);
        next[i] = (char)(more > 0 ? more : 0);
    }
    return text_blank(next);
}
