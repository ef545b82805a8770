/* pgn_notes.c - see pgn_notes.h. */
#include "core/pgn/pgn_notes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/pgn/pgn_tags.h"

static PgnNotes *last_notes(PgnGame *g)
{
    return g->moves > 0 ? &g->move[g->moves - 1].notes : &g->notes;
}

/* Continues the notes on the last move, or the unread text. If tags were kept since these began, the
 * notes move behind them. */
static size_t open_note(Reading *r)
{
    PgnGame *g = r->game;
    size_t *text = reading_broken(r) ? &g->unread : &last_notes(g)->text;
    if (*text == 0) return *text = reading_open(r);
    if (r->note_end != g->text_size) {
        size_t old = *text;
        *text = reading_open(r);
        for (; g->text[old] != '\0'; old++) reading_keep(r, g->text[old]);
    } else if (g->text_size > *text) {
        g->text_size--;
    }
    size_t begin = g->text_size;
    reading_keep(r, ' ');
    return begin;
}

static void close_note(Reading *r, size_t begin)
{
    reading_close(r, begin);
    r->note_end = r->game->text_size;
}

static void copy_note(Reading *r, void (*copy)(Reading *r))
{
    size_t begin = open_note(r);
    copy(r);
    close_note(r, begin);
}

/* Copies a comment in braces, which ends at the first closing brace. */
static void copy_comment(Reading *r)
{
    TextReader *s = r->reader;
    size_t line = s->line;
    reading_keep(r, text_reader_next(s));
    for (int c = text_reader_peek(s, 0); c != '}'; c = text_reader_peek(s, 0)) {
        if (c < 0) {
            reading_keep(r, '}');
            reading_fault(r, line, "", "the comment that begins here has no end");
            return;
        }
        reading_keep(r, reading_is_blank(c) ? ' ' : c);
        while (reading_is_blank(c) && reading_is_blank(text_reader_peek(s, 1))) text_reader_next(s);
        text_reader_next(s);
    }
    reading_keep(r, text_reader_next(s));
}

/* Copies a text up to the end of a line, or up to a character of `ends`, and puts it in braces. */
static void copy_up_to(Reading *r, const char *ends)
{
    TextReader *s = r->reader;
    bool blank = false;
    reading_keep(r, '{');
    for (int c = text_reader_peek(s, 0); c >= 0 && c != '\n' && strchr(ends, c) == NULL;
         c = text_reader_peek(s, 0)) {
        text_reader_next(s);
        if (blank && !reading_is_blank(c)) reading_keep(r, ' ');
        blank = reading_is_blank(c);
        if (!blank) reading_keep(r, c == '{' ? '(' : c == '}' ? ')' : c);
    }
    reading_keep(r, '}');
}

static void copy_line(Reading *r) { copy_up_to(r, ""); }

/* Up to where another part of the game may begin. */
static void copy_part(Reading *r) { copy_up_to(r, "{(;$["); }

static void copy_remark(Reading *r)
{
    text_reader_next(r->reader);
    copy_line(r);
}

static void copy_variation(Reading *r)
{
    TextReader *s = r->reader;
    size_t line = s->line, depth = 0;
    do {
        int c = text_reader_peek(s, 0);
        if (c < 0 || pgn_tags_begin(s)) {
            while (depth-- > 0) reading_keep(r, ')');
            reading_fault(r, line, "", "the variation that begins here has no end");
            return;
        }
        if (c == '{') {
            copy_comment(r);
        } else if (c == ';') {
            copy_remark(r);
        } else if (reading_is_blank(c)) {
            reading_skip_blanks(s);
            reading_keep(r, ' ');
        } else if (c == '}') {
            text_reader_next(s); /* a brace that closes no comment */
        } else if (c == '[') {
            text_reader_next(s); /* on another line it could begin a tag */
            reading_keep_text(r, "{[}");
        } else {
            depth += c == '(';
            depth -= c == ')';
            reading_keep(r, text_reader_next(s));
        }
    } while (depth > 0);
}

/* ---- NAGs ------------------------------------------------------------------------------------ */

void pgn_notes_word(Reading *r, const char *word)
{
    size_t begin = open_note(r);
    reading_keep_text(r, word);
    close_note(r, begin);
}

void pgn_notes_nag(Reading *r, unsigned nag)
{
    char text[16];
    PgnNotes *notes = last_notes(r->game);
    snprintf(text, sizeof text, "$%u", nag);
    if (reading_broken(r) || notes->nags == PGN_NAGS)
        pgn_notes_word(r, text);
    else
        notes->nag[notes->nags++] = (uint16_t)nag;
}

static void read_nag(Reading *r)
{
    unsigned nag = 0;
    text_reader_next(r->reader);
    while (isdigit(text_reader_peek(r->reader, 0)) && nag < UINT16_MAX / 10)
        nag = 10 * nag + (unsigned)(text_reader_next(r->reader) - '0');
    if (nag > 0) pgn_notes_nag(r, nag);
}

/* ---- Any of them ----------------------------------------------------------------------------- */

bool pgn_notes_take(Reading *r)
{
    switch (text_reader_peek(r->reader, 0)) {
    case '{':
        copy_note(r, copy_comment);
        return true;
    case ';':
        copy_note(r, copy_remark);
        return true;
    case '(':
        copy_note(r, copy_variation);
        return true;
    case '$':
        read_nag(r);
        return true;
    case ')':
    case '}':
        text_reader_next(r->reader);
        return true;
    default:
        return false;
    }
}

void pgn_notes_part(Reading *r) { copy_note(r, copy_part); }

void pgn_notes_line(Reading *r) { copy_note(r, copy_line); }

void pgn_notes_comment(Reading *r, const char *text)
{
    size_t begin = open_note(r);
    reading_keep(r, '{');
    reading_keep_text(r, text);
    reading_keep(r, '}');
    close_note(r, begin);
}
