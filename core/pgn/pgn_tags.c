/* pgn_tags.c - see pgn_tags.h.
 *
 * Programs write tags that PGN does not know: "[White ACPL "252"]", "[Black: "program"]", a name
 * twice. All of them are kept as they are. Whether another game begins is seen by its place: after
 * an empty line comes a tag that the game already has, or the tag Event. */
#include "core/pgn/pgn_tags.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* How far the end of a value is looked for, and among how many tags one that is repeated. */
enum { AHEAD = 600, COMPARED = 64 };

const char *pgn_tag(const PgnGame *game, const char *name)
{
    for (size_t i = 0; i < game->tags; i++)
        if (strcasecmp(pgn_text(game, game->tag[i].name), name) == 0)
            return pgn_text(game, game->tag[i].value);
    return NULL;
}

/* Returns the length of the word that a name begins with. */
static size_t word_length(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_') length++;
    return length;
}

bool pgn_tags_peek(TextReader *s, TagHead *head)
{
    size_t end = 0;
    if (text_reader_peek(s, 0) != '[') return false;
    head->at = 1;
    while (head->at < AHEAD && reading_is_gap(text_reader_peek(s, head->at))) head->at++;
    int c = text_reader_peek(s, head->at);
    while (end < TAG_NAME_MAX && c >= 0 && strchr("\"[]\n", c) == NULL) {
        head->name[end++] = (char)c;
        c = text_reader_peek(s, head->at + end);
    }
    head->name[end] = '\0';
    head->quoted = c == '"';
    if (!head->quoted) end = word_length(head->name);
    while (end > 0 && reading_is_gap(head->name[end - 1])) end--;
    head->name[end] = '\0';
    return end > 0 && end < TAG_NAME_MAX && *head->name != '%' &&
           (head->quoted || isalpha((unsigned char)*head->name));
}

bool pgn_tags_begin(TextReader *s)
{
    TagHead head;
    if (!pgn_tags_peek(s, &head) || !isalpha((unsigned char)*head.name)) return false;
    return head.quoted || strcasecmp(head.name, "FEN") == 0;
}

void pgn_tags_add(Reading *r, size_t name, size_t value)
{
    PgnGame *g = r->game;
    void *tags = g->tag;
    if (!reading_grow(r, &tags, g->tags, &g->tag_room, sizeof *g->tag)) return;
    g->tag = tags;
    g->tag[g->tags++] = (PgnTag){name, value};
}

/* ---- Values ---------------------------------------------------------------------------------- */

static size_t skip_gaps(TextReader *s, size_t at)
{
    while (at < AHEAD && reading_is_gap(text_reader_peek(s, at))) at++;
    return at;
}

static bool is_line_end(TextReader *s, size_t at)
{
    int c = text_reader_peek(s, skip_gaps(s, at));
    return c == '\n' || c < 0;
}

/* Returns whether a quote that was just taken ends the value: some values have unescaped quotes
 * inside. */
static bool closes(TextReader *s)
{
    return text_reader_peek(s, skip_gaps(s, 0)) == ']' || is_line_end(s, 0);
}

/* Returns whether a quote comes next, and ends the value and the line. */
static bool closes_line(TextReader *s)
{
    size_t bracket = skip_gaps(s, 1);
    return text_reader_peek(s, 0) == '"' && text_reader_peek(s, bracket) == ']' &&
           is_line_end(s, bracket + 1);
}

/* Returns whether a value goes on in the next line, as mail programs break lines: that line ends
 * with a quote and a bracket. */
static bool goes_on(TextReader *s)
{
    int c = '\0', before = '\0', last = '\0';
    if (text_reader_peek(s, 1) == '[') return false;
    for (size_t at = 1; at < AHEAD && (c = text_reader_peek(s, at)) >= 0 && c != '\n'; at++) {
        if (reading_is_gap(c)) continue;
        before = last;
        last = c;
    }
    return (c < 0 || c == '\n') && before == '"' && last == ']';
}

static void read_quoted(Reading *r)
{
    TextReader *s = r->reader;
    text_reader_next(s);
    for (int c = text_reader_peek(s, 0); c >= 0; c = text_reader_peek(s, 0)) {
        if (c == '\n' && !goes_on(s)) return;
        text_reader_next(s);
        int next = text_reader_peek(s, 0);
        /* A backslash before the last quote belongs to the value: "C:\games\". */
        bool escapes = c == '\\' && (next == '\\' || (next == '"' && !closes_line(s)));
        if (escapes)
            reading_keep(r, text_reader_next(s));
        else if (c == '"' && closes(s))
            return;
        else
            reading_keep(r, c == '\n' ? ' ' : c);
    }
}

static void read_bare(Reading *r)
{
    TextReader *s = r->reader;
    for (int c = text_reader_peek(s, 0); c >= 0 && c != '\n' && c != ']';
         c = text_reader_peek(s, 0))
        reading_keep(r, text_reader_next(s));
}

void pgn_tags_take(Reading *r, const TagHead *head)
{
    TextReader *s = r->reader;
    size_t name = reading_open(r);
    reading_keep_text(r, head->name);
    reading_close(r, name);
    size_t value = reading_open(r);
    if (r->fen_line == 0 && strcasecmp(head->name, "FEN") == 0) r->fen_line = s->line;
    for (size_t i = head->at + strlen(head->name); i > 0; i--) text_reader_next(s);
    reading_skip_gaps(s);
    if (head->quoted)
        read_quoted(r);
    else
        read_bare(r);
    reading_close(r, value);
    reading_skip_gaps(s);
    if (text_reader_peek(s, 0) == ']') text_reader_next(s);
    pgn_tags_add(r, name, value);
}

/* ---- Another game ---------------------------------------------------------------------------- */

bool pgn_tags_begin_another(const PgnGame *g, const char *name, bool apart)
{
    bool event = strcasecmp(name, "Event") == 0, fen = strcasecmp(name, "FEN") == 0;
    if (!apart)
        return (event || fen) && g->tags == 1 && strcasecmp(pgn_text(g, g->tag[0].name), name) == 0;
    for (size_t i = 0; i < g->tags && i < COMPARED; i++)
        if (event || strcasecmp(pgn_text(g, g->tag[i].name), name) == 0) return true;
    return false;
}
