/* pgn_read.c - see pgn_read.h. */
#include "core/pgn/pgn_read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/pgn/move_text.h"
#include "core/system/error.h"

enum { WORD_SIZE = 64, NAME_SIZE = 64 };

/* A game while it is being read. */
typedef struct Reading {
    TextReader *reader;
    PgnGame *game;
    treb_position pos; /* position after the last move */
    size_t fen_line;   /* line of the tag FEN */
    bool ended;        /* the result of the game was read */
    bool full;         /* the text no longer fits into the game */
    bool no_memory;
} Reading;

static bool is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* ---- Faults ---------------------------------------------------------------------------------- */

static bool is_broken(const PgnGame *game) { return game->error.status != TREB_OK; }

/* Records the first fault of a game. `where` is appended to the line number: ", move 34. Rxa1". */
static void fault(Reading *r, size_t line, const char *where, const char *why)
{
    PgnGame *g = r->game;
    if (is_broken(g)) return;
    g->error_line = line;
    fail(&g->error, TREB_ERR_ARGUMENT, "line %zu%s: %s", line, where, why);
}

/* ---- The texts of a game --------------------------------------------------------------------- */

/* Makes room for one more element of `size` bytes in an array. Returns false if memory is out. */
static bool grow(Reading *r, void **array, size_t count, size_t *room, size_t size)
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
    if (grow(r, &text, g->text_size, &g->text_room, 1)) {
        g->text = text;
        g->text[g->text_size++] = c;
    }
}

static void keep(Reading *r, int c)
{
    if (r->game->text_size >= PGN_TEXT_MAX) r->full = true;
    if (!r->full) put(r, c != '\0' ? (char)c : '?');
}

static void keep_text(Reading *r, const char *text)
{
    for (; *text != '\0'; text++) keep(r, *text);
}

/* Begins a text. Returns its offset. */
static size_t open_text(const Reading *r) { return r->game->text_size; }

/* Ends the text that began at `begin`. If part of it did not fit, none of it is kept. */
static void close_text(Reading *r, size_t begin)
{
    if (r->full) {
        r->game->text_size = begin;
        fault(r, r->reader->line, "",
              "the game has more than 1 MiB of tags, comments and variations");
    }
    put(r, '\0');
}

static PgnNotes *last_notes(PgnGame *g)
{
    return g->moves > 0 ? &g->move[g->moves - 1].notes : &g->notes;
}

/* Continues the notes on the last move, or the unread text. No other text can have been kept since
 * these began. */
static size_t open_note(Reading *r)
{
    PgnGame *g = r->game;
    size_t *text = is_broken(g) ? &g->unread : &last_notes(g)->text;
    if (*text == 0) return *text = open_text(r);
    if (g->text_size > *text) g->text_size--;
    size_t begin = g->text_size;
    keep(r, ' ');
    return begin;
}

/* ---- Blanks ---------------------------------------------------------------------------------- */

/* Takes the rest of a line without its end. */
static void skip_line(TextReader *s)
{
    for (int c = text_reader_peek(s, 0); c >= 0 && c != '\n'; c = text_reader_peek(s, 0))
        text_reader_next(s);
}

/* Skips spaces, ends of lines, and lines that begin with a percent sign, which are for other
 * programs. */
static void skip_blanks(TextReader *s)
{
    for (int c = text_reader_peek(s, 0); is_blank(c); c = text_reader_peek(s, 0)) {
        text_reader_next(s);
        if (c == '\n' && text_reader_peek(s, 0) == '%') skip_line(s);
    }
}

/* ---- Tags ------------------------------------------------------------------------------------ */

static bool is_gap(int c) { return c == ' ' || c == '\t'; }

/* Copies the name of the tag that begins here, without taking it; "" if none does. *quoted: its
 * value is in quotes. */
static void peek_tag(TextReader *s, char name[NAME_SIZE], bool *quoted)
{
    size_t at = 1, size = 0;
    name[0] = '\0';
    *quoted = false;
    if (text_reader_peek(s, 0) != '[') return;
    while (at < 16 && is_gap(text_reader_peek(s, at))) at++;
    if (!isalpha(text_reader_peek(s, at))) return;
    for (int c; size + 1 < NAME_SIZE && (isalnum(c = text_reader_peek(s, at)) || c == '_'); at++)
        name[size++] = (char)c;
    name[size] = '\0';
    while (at < NAME_SIZE + 32 && is_gap(text_reader_peek(s, at))) at++;
    *quoted = text_reader_peek(s, at) == '"';
}

/* Returns whether the tags of another game begin here, among moves. */
static bool begins_game(TextReader *s)
{
    char name[NAME_SIZE];
    bool quoted;
    if (text_reader_peek(s, 0) != '[') return false;
    peek_tag(s, name, &quoted);
    return name[0] != '\0' && (quoted || strcasecmp(name, "FEN") == 0);
}

const char *pgn_tag(const PgnGame *game, const char *name)
{
    for (size_t i = 0; i < game->tags; i++)
        if (strcasecmp(pgn_text(game, game->tag[i].name), name) == 0)
            return pgn_text(game, game->tag[i].value);
    return NULL;
}

static void add_tag(Reading *r, size_t name, size_t value)
{
    PgnGame *g = r->game;
    void *tags = g->tag;
    if (g->tags == PGN_TAGS_MAX) {
        fault(r, r->reader->line, "", "the game has more than 256 tags");
    } else if (grow(r, &tags, g->tags, &g->tag_room, sizeof *g->tag)) {
        g->tag = tags;
        g->tag[g->tags++] = (PgnTag){name, value};
    }
}

/* Returns whether a quote that was just taken ends the value: some values have unescaped quotes
 * inside. */
static bool closes(TextReader *s)
{
    size_t at = 0;
    while (at < 16 && is_gap(text_reader_peek(s, at))) at++;
    int c = text_reader_peek(s, at);
    return c == ']' || c == '\r' || c == '\n' || c < 0;
}

static void read_quoted(Reading *r)
{
    TextReader *s = r->reader;
    text_reader_next(s);
    for (int c = text_reader_peek(s, 0); c >= 0 && c != '\n'; c = text_reader_peek(s, 0)) {
        text_reader_next(s);
        int next = text_reader_peek(s, 0);
        if (c == '\\' && (next == '"' || next == '\\'))
            keep(r, text_reader_next(s));
        else if (c == '"' && closes(s))
            break;
        else if (c != '\r')
            keep(r, c);
    }
}

static void read_bare(Reading *r)
{
    TextReader *s = r->reader;
    for (int c = text_reader_peek(s, 0); c >= 0 && c != '\n' && c != ']';
         c = text_reader_peek(s, 0)) {
        text_reader_next(s);
        if (c != '\r') keep(r, c);
    }
}

static void read_tag(Reading *r, const char *name, bool quoted)
{
    TextReader *s = r->reader;
    size_t name_at = open_text(r);
    keep_text(r, name);
    close_text(r, name_at);
    size_t value_at = open_text(r);
    if (strcasecmp(name, "FEN") == 0) r->fen_line = s->line;
    text_reader_next(s);
    while (is_gap(text_reader_peek(s, 0))) text_reader_next(s);
    for (size_t i = strlen(name); i > 0; i--) text_reader_next(s);
    while (is_gap(text_reader_peek(s, 0))) text_reader_next(s);
    if (quoted)
        read_quoted(r);
    else
        read_bare(r);
    close_text(r, value_at);
    while (is_gap(text_reader_peek(s, 0))) text_reader_next(s);
    if (text_reader_peek(s, 0) == ']') text_reader_next(s);
    add_tag(r, name_at, value_at);
}

/* Reads all tags up to the moves, or up to a tag that the game already has: there another game
 * begins. */
static void read_tags(Reading *r)
{
    for (;;) {
        char name[NAME_SIZE];
        bool quoted;
        skip_blanks(r->reader);
        peek_tag(r->reader, name, &quoted);
        if (name[0] == '\0' || pgn_tag(r->game, name) != NULL || r->no_memory) return;
        read_tag(r, name, quoted);
    }
}

/* Sets the starting position of the moves. */
static void set_start(Reading *r)
{
    PgnGame *g = r->game;
    treb_error why;
    const char *fen = pgn_tag(g, "FEN"), *variant = pgn_tag(g, "Variant");
    const char *other = variant != NULL ? position_text_variant(variant) : NULL;
    char text[sizeof why.text];
    if (other != NULL) {
        snprintf(text, sizeof text, "the game is %s, not chess", other);
        fault(r, g->line, "", text);
    }
    bool before = is_broken(g);
    if (position_text_tag(fen != NULL ? fen : POSITION_TEXT_START, &g->start, &why) != TREB_OK) {
        snprintf(text, sizeof text, "%.300s: '%.100s'", why.text, fen);
        fault(r, r->fen_line, ", tag FEN", text);
        if (!before) g->error.status = why.status;
    } else {
        g->started = !is_broken(g);
        r->pos = g->start;
    }
}

/* ---- Comments and variations ----------------------------------------------------------------- */

/* Keeps a run of blanks as one space. */
static void keep_blanks(Reading *r)
{
    skip_blanks(r->reader);
    keep(r, ' ');
}

/* Copies a comment in braces. Unlike variations, comments do not nest. A comment without end ends
 * with its game. */
static void copy_comment(Reading *r)
{
    TextReader *s = r->reader;
    size_t line = s->line;
    keep(r, text_reader_next(s));
    for (int c = text_reader_peek(s, 0); c != '}'; c = text_reader_peek(s, 0)) {
        if (c < 0 || text_reader_begins(s, "[Event \"")) {
            keep(r, '}');
            fault(r, line, "", "the comment that begins here has no end");
            return;
        }
        if (is_blank(c)) {
            while (is_blank(text_reader_peek(s, 0))) text_reader_next(s);
            keep(r, ' ');
        } else {
            keep(r, text_reader_next(s));
        }
    }
    keep(r, text_reader_next(s));
}

/* Copies a comment up to the end of a line, and puts it in braces. */
static void copy_remark(Reading *r)
{
    TextReader *s = r->reader;
    text_reader_next(s);
    keep(r, '{');
    for (int c = text_reader_peek(s, 0); c >= 0 && c != '\n'; c = text_reader_peek(s, 0)) {
        text_reader_next(s);
        keep(r, c == '{' ? '(' : c == '}' ? ')' : is_blank(c) ? ' ' : c);
    }
    keep(r, '}');
}

static void copy_variation(Reading *r)
{
    TextReader *s = r->reader;
    size_t line = s->line, depth = 0;
    do {
        int c = text_reader_peek(s, 0);
        if (c < 0 || begins_game(s)) {
            while (depth-- > 0) keep(r, ')');
            fault(r, line, "", "the variation that begins here has no end");
            return;
        }
        if (c == '{') {
            copy_comment(r);
        } else if (c == ';') {
            copy_remark(r);
        } else if (is_blank(c)) {
            keep_blanks(r);
        } else if (c == '}') {
            text_reader_next(s); /* a brace that closes no comment */
        } else {
            depth += c == '(';
            depth -= c == ')';
            keep(r, text_reader_next(s));
        }
    } while (depth > 0);
}

static void copy_note(Reading *r, void (*copy)(Reading *r))
{
    size_t begin = open_note(r);
    copy(r);
    close_text(r, begin);
}

static void note_text(Reading *r, const char *text)
{
    size_t begin = open_note(r);
    keep_text(r, text);
    close_text(r, begin);
}

static void add_nag(Reading *r, unsigned nag)
{
    char text[16];
    PgnNotes *notes = last_notes(r->game);
    snprintf(text, sizeof text, "$%u", nag);
    if (is_broken(r->game))
        note_text(r, text);
    else if (nag > 0 && nag <= UINT8_MAX && notes->nags < PGN_NAGS)
        notes->nag[notes->nags++] = (uint8_t)nag;
}

static void read_nag(Reading *r)
{
    unsigned nag = 0;
    text_reader_next(r->reader);
    while (isdigit(text_reader_peek(r->reader, 0))) {
        unsigned digit = (unsigned)(text_reader_next(r->reader) - '0');
        if (nag <= UINT8_MAX) nag = 10 * nag + digit;
    }
    add_nag(r, nag);
}

/* ---- Words among the moves ------------------------------------------------------------------- */

/* Returns whether a promotion in parentheses follows: "e8(Q)". */
static bool is_promotion(TextReader *s, char before)
{
    int c = text_reader_peek(s, 1);
    return (before == '1' || before == '8') && text_reader_peek(s, 0) == '(' &&
           text_reader_peek(s, 2) == ')' && c > 0 && strchr("QRBNqrbn", c) != NULL;
}

static void read_word(TextReader *s, char word[WORD_SIZE])
{
    size_t size = 0;
    int c;
    do {
        bool promotion = size > 0 && is_promotion(s, word[size - 1]);
        for (int n = promotion ? 3 : 1; n > 0; n--) {
            c = text_reader_next(s);
            if (size + 1 < WORD_SIZE) word[size++] = c != '\0' ? (char)c : '?';
        }
        c = text_reader_peek(s, 0);
    } while (c >= 0 && !is_blank(c) &&
             (strchr("{}();$*", c) == NULL || is_promotion(s, word[size - 1])));
    word[size] = '\0';
}

/* Returns the result that a word is, or NULL. */
static const char *result_of(const char *word)
{
    static const char *const results[][2] = {{"1-0", "1-0"},
                                             {"0-1", "0-1"},
                                             {"1/2-1/2", "1/2-1/2"},
                                             {"1/2", "1/2-1/2"},
                                             {"1\u20130", "1-0"},
                                             {"0\u20131", "0-1"},
                                             {"\u00bd", "1/2-1/2"},
                                             {"\u00bd-\u00bd", "1/2-1/2"},
                                             {"*", "*"},
                                             {"\u00bd\u2013\u00bd", "1/2-1/2"}};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strcmp(word, results[i][0]) == 0) return results[i][1];
    return NULL;
}

/* Returns the NAG of a sign such as "?!" or "+-", or 0. */
static unsigned nag_of(const char *signs, size_t length)
{
    static const struct {
        const char *signs;
        unsigned nag;
    } nags[] = {{"!", 1},    {"?", 2},    {"!!", 3},   {"??", 4},  {"!?", 5},
                {"?!", 6},   {"=", 10},   {"+=", 14},  {"=+", 15}, {"+/=", 14},
                {"=/+", 15}, {"+/-", 16}, {"-/+", 17}, {"+-", 18}, {"-+", 19}};
    for (size_t i = 0; i < sizeof nags / sizeof *nags; i++)
        if (strlen(nags[i].signs) == length && strncmp(signs, nags[i].signs, length) == 0)
            return nags[i].nag;
    return 0;
}

/* Skips the number of a move: "12.", "12...", "..". */
static const char *skip_number(const char *word)
{
    size_t digits = strspn(word, "0123456789");
    bool dots = word[digits] == '.' || strncmp(word + digits, "\u2026", 3) == 0;
    if (!dots && word[digits] != '\0') return word;
    word += digits;
    for (;;) {
        if (*word == '.')
            word++;
        else if (strncmp(word, "\u2026", 3) == 0)
            word += 3;
        else
            return word;
    }
}

/* Returns whether a word is meant as a move and not as a sign beside one. */
static bool is_move(const char *word)
{
    static const char *const others[] = {"e.p.", "e.p", "ep", "ch", "ch.", "mate", "dbl"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(word, others[i]) == 0) return false;
    if (strcmp(word, "--") == 0) return true; /* a null move */
    for (; *word != '\0'; word++)
        if (isalnum((unsigned char)*word)) return true;
    return false;
}

static void bad_move(Reading *r, size_t line, const char *word, const char *why)
{
    char where[WORD_SIZE + 32];
    snprintf(where, sizeof where, ", move %u.%s %s", (unsigned)r->pos.fullmove,
             r->pos.turn == TREB_BLACK ? ".." : "", word);
    fault(r, line, where, why);
}

static void add_move(Reading *r, size_t line, const char *word)
{
    PgnGame *g = r->game;
    Move move;
    void *moves = g->move;
    if (move_text_read(&r->pos, word, &move) != TREB_OK) {
        bad_move(r, line, word, "no such move, or more than one");
    } else if (g->moves == PGN_MOVES_MAX) {
        bad_move(r, line, word, "the game has more than 12,000 plies");
    } else if (grow(r, &moves, g->moves, &g->move_room, sizeof *g->move)) {
        g->move = moves;
        g->move[g->moves++] = (PgnMove){.move = move, .line = line};
        position_play(&r->pos, move, &r->pos);
    }
}

static void take_word(Reading *r, size_t line, const char *word)
{
    const char *result = result_of(word);
    if (result != NULL) {
        strcpy(r->game->result, result);
        r->ended = true;
        return;
    }
    const char *rest = skip_number(word);
    if (!is_broken(r->game) && is_move(rest)) add_move(r, line, rest);
    if (is_broken(r->game)) {
        note_text(r, word);
        return;
    }
    const char *signs = is_move(rest) ? rest + strcspn(rest, "!?") : rest;
    unsigned nag = nag_of(signs, is_move(rest) ? strspn(signs, "!?") : strlen(signs));
    if (nag > 0) add_nag(r, nag);
}

/* ---- A game ---------------------------------------------------------------------------------- */

/* Takes an annotation or number. Returns false if a word follows, or nothing. */
static bool take_note(Reading *r)
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

static void read_moves(Reading *r)
{
    TextReader *s = r->reader;
    while (!r->ended && !r->no_memory) {
        skip_blanks(s);
        if (text_reader_peek(s, 0) < 0 || begins_game(s)) return;
        if (take_note(r)) continue;
        char word[WORD_SIZE];
        size_t line = s->line;
        read_word(s, word);
        take_word(r, line, word);
    }
    /* Annotations of the end. */
    for (skip_blanks(s); !r->no_memory && take_note(r);) skip_blanks(s);
}

static void reset(Reading *r)
{
    PgnGame *g = r->game;
    *g = (PgnGame){.tag = g->tag,
                   .tag_room = g->tag_room,
                   .move = g->move,
                   .move_room = g->move_room,
                   .text = g->text,
                   .text_room = g->text_room,
                   .result = "*"};
    put(r, '\0');
}

/* Takes the result from the tags if the moves do not end with one. */
static void complete_result(Reading *r)
{
    const char *tag = pgn_tag(r->game, "Result");
    const char *result = tag != NULL && !r->ended ? result_of(tag) : NULL;
    if (result != NULL) strcpy(r->game->result, result);
}

treb_status pgn_next(TextReader *reader, PgnGame *game, bool *found, treb_error *error)
{
    *found = false;
    if (text_reader_peek(reader, 0) == '%') skip_line(reader);
    for (skip_blanks(reader); !*found && text_reader_peek(reader, 0) >= 0; skip_blanks(reader)) {
        Reading r = {.reader = reader, .game = game};
        reset(&r);
        game->line = reader->line;
        read_tags(&r);
        set_start(&r);
        read_moves(&r);
        complete_result(&r);
        if (r.no_memory) return fail_memory(error);
        *found = game->tags > 0 || game->moves > 0 || is_broken(game);
        if (*found) break;
    }
    return TREB_OK;
}

treb_status pgn_of_position(const PositionText *position, PgnGame *game, treb_error *error)
{
    char fen[TREB_FEN_SIZE];
    const char *tags[][2] = {
        {"Event", position->id[0] != '\0' ? position->id : "?"}, {"SetUp", "1"}, {"FEN", fen}};
    Reading r = {.game = game};
    position_to_fen(&position->pos, fen);
    reset(&r);
    game->started = true;
    game->start = position->pos;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        size_t name = open_text(&r);
        keep_text(&r, tags[i][0]);
        put(&r, '\0');
        size_t value = open_text(&r);
        keep_text(&r, tags[i][1]);
        put(&r, '\0');
        add_tag(&r, name, value);
    }
    return r.no_memory ? fail_memory(error) : TREB_OK;
}

void pgn_free(PgnGame *game)
{
    free(game->tag);
    free(game->move);
    free(game->text);
    *game = (PgnGame){0};
}
