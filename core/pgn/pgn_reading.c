/* pgn_reading.c - see pgn_reading.h. */
#include "core/pgn/pgn_reading.h"

#include <stdlib.h>

#include "core/system/error.h"

void reading_fault(Reading *r, size_t line, const char *where, const char *why)
{
    PgnGame *g = r->game;
    if (reading_broken(r)) return;
    g->error_line = line;
    fail(&g->error, TREB_ERR_ARGUMENT, "line %zu%s: %s", line, where, why);
}

/* ---- The texts of a game --------------------------------------------------------------------- */

bool reading_grow(Reading *r, void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room) return true;
    size_t more = *room > 0 ? 2 * *room : 16;
    void *moved = realloc(*array, more * size);
    if (moved == NULL) {
        r->no_memory = true;
        return false;
    }
    *array = moved;
    *room = more;
    return true;
}

static void put(Reading *r, char c)
{
    PgnGame *g = r->game;
    void *text = g->text;
    if (reading_grow(r, &text, g->text_size, &g->text_room, 1)) {
        g->text = text;
        g->text[g->text_size++] = c;
    }
}

size_t reading_open(const Reading *r) { return r->game->text_size; }

void reading_keep(Reading *r, int c)
{
    if (r->game->text_size >= PGN_TEXT_MAX) r->full = true;
    if (!r->full) put(r, (char)c);
}

void reading_keep_text(Reading *r, const char *text)
{
    for (; *text != '\0'; text++) reading_keep(r, *text);
}

void reading_close(Reading *r, size_t begin)
{
    if (r->full) {
        r->game->text_size = begin;
        reading_fault(r, r->reader->line, "",
                      "the game has more than 1 MiB of tags, comments and variations");
    }
    put(r, '\0');
}

/* ---- Blanks ---------------------------------------------------------------------------------- */

void reading_skip_line(TextReader *s)
{
    for (int c = text_reader_peek(s, 0); c >= 0 && c != '\n'; c = text_reader_peek(s, 0))
        text_reader_next(s);
}

void reading_skip_blanks(TextReader *s)
{
    bool begun = false; /* a line has, perhaps with a byte order mark */
    for (size_t length; (length = text_reader_blank(s)) > 0;) {
        int c = text_reader_peek(s, 0);
        begun = c == '\n' || (begun && c == 0xef);
        while (length-- > 0) text_reader_next(s);
        if (begun && text_reader_peek(s, 0) == '%') reading_skip_line(s);
    }
}

void reading_skip_gaps(TextReader *s)
{
    while (reading_is_gap(text_reader_peek(s, 0))) text_reader_next(s);
}
