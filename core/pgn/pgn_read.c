/* pgn_read.c - see pgn_read.h. */
#include "core/pgn/pgn_read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/pgn/move_text.h"
#include "core/pgn/pgn_notes.h"
#include "core/pgn/pgn_reading.h"
#include "core/pgn/pgn_signs.h"
#include "core/pgn/pgn_tags.h"
#include "core/system/error.h"

/* RESULT_WORDS: "1 - 0" */
enum { WORD_SIZE = 64, RESULT_WORDS = 3 };

/* ---- Moves ----------------------------------------------------------------------------------- */

void pgn_play(const treb_position *pos, Move move, treb_position *child)
{
    if (move != PGN_NULL_MOVE) {
        position_play(pos, move, child);
        return;
    }
    *child = *pos;
    child->turn ^= 1;
    child->ep = 0;
    if (child->halfmove < UINT16_MAX) child->halfmove++;
    if (pos->turn == TREB_BLACK && child->fullmove < UINT16_MAX) child->fullmove++;
}

void pgn_write_move(const treb_position *pos, Move move, char uci[UCI_SIZE], char san[SAN_SIZE])
{
    strcpy(uci, "0000");
    strcpy(san, "--");
    if (move == PGN_NULL_MOVE) return;
    move_to_uci(move, uci);
    move_to_san(pos, move, san);
}

static bool is_null_move(const char *word)
{
    static const char *const words[] = {"--", "Z0",   "0000", "@@@@",
                                        "<>", "null", "pass", "\u2013\u2013"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(word, words[i]) == 0) return true;
    return false;
}

/* Says what is wrong with a word that is no move. */
static const char *fault_in_move(const char *word)
{
    bool foreign = isupper((unsigned char)*word) && strchr("KQRBNPOZ", *word) == NULL;
    if (is_null_move(word)) return "a side in check cannot pass";
    if (foreign || (unsigned char)*word >= 0xc0)
        return "no such move: only K, Q, R, B, N and figurines are read as letters of men";
    return "no such move, or more than one";
}

static void bad_move(Reading *r, size_t line, const char *word, const char *why)
{
    char where[WORD_SIZE + 32];
    snprintf(where, sizeof where, ", move %u.%s %s", (unsigned)r->pos.fullmove,
             r->pos.turn == TREB_BLACK ? ".." : "", word);
    reading_fault(r, line, where, why);
}

/* Reads the first `length` characters of a word as a move. */
static bool read_move(const treb_position *pos, const char *word, size_t length, Move *move)
{
    char text[WORD_SIZE];
    memcpy(text, word, length);
    text[length] = '\0';
    *move = PGN_NULL_MOVE;
    if (is_null_move(text)) return !position_in_check(pos);
    return move_text_read(pos, text, move) == TREB_OK;
}

/* Adds a move with the glyphs at its end. In "e8N" there is none. */
static void add_move(Reading *r, size_t line, const char *word)
{
    PgnGame *g = r->game;
    Move move;
    void *moves = g->move;
    size_t length[PGN_NAGS + 1] = {strlen(word)};
    unsigned nag[PGN_NAGS + 1];
    int cuts = 0;
    while (cuts < PGN_NAGS) {
        length[cuts + 1] = pgn_glyph_cut(word, length[cuts], &nag[cuts]);
        if (length[cuts + 1] == length[cuts]) break;
        cuts++;
    }
    while (cuts >= 0 && !read_move(&r->pos, word, length[cuts], &move)) cuts--;
    if (cuts < 0) {
        bad_move(r, line, word, fault_in_move(word));
    } else if (g->moves == PGN_MOVES_MAX) {
        bad_move(r, line, word, "the game has more than 12,000 plies");
    } else if (reading_grow(r, &moves, g->moves, &g->move_room, sizeof *g->move)) {
        g->move = moves;
        g->move[g->moves++] = (PgnMove){.move = move, .line = line};
        pgn_play(&r->pos, move, &r->pos);
        while (cuts-- > 0)
            if (nag[cuts] > 0) pgn_notes_nag(r, nag[cuts]);
    }
}

/* ---- Words among the moves ------------------------------------------------------------------- */

/* Returns whether a promotion in parentheses follows: "e8(Q)". */
static bool is_promotion(TextReader *s, char before)
{
    int c = text_reader_peek(s, 1);
    return (before == '1' || before == '8') && text_reader_peek(s, 0) == '(' &&
           text_reader_peek(s, 2) == ')' && c > 0 && strchr("QRBNqrbn", c) != NULL;
}

/* Returns whether a word of which `size` characters were read ends here. */
static bool ends_word(TextReader *s, const char *word, size_t size)
{
    int c = text_reader_peek(s, 0);
    char before = word[size - 1];
    bool inside = c >= 0x80 && c < 0xc0 && (unsigned char)before >= 0x80; /* of a character */
    if (c < 0 || *word == '*' || size + (inside ? 4 : 8) >= WORD_SIZE) return true;
    if (inside) return false;
    if (c >= 0x80 ? text_reader_blank(s) > 0 : reading_is_blank(c)) return true;
    return strchr("{}();$*[", c) != NULL && !is_promotion(s, before);
}

/* Reads a word. One that is too long is read as several. */
static void read_word(TextReader *s, char word[WORD_SIZE])
{
    size_t size = 0;
    do {
        bool promotion = size > 0 && is_promotion(s, word[size - 1]);
        for (int n = promotion ? 3 : 1; n > 0; n--) word[size++] = (char)text_reader_next(s);
    } while (!ends_word(s, word, size));
    word[size] = '\0';
}

/* Skips the number of a move: "12.", "12...", "..". */
static const char *skip_number(const char *word)
{
    size_t digits = strspn(word, "0123456789");
    const char *rest = word + digits;
    for (;;) {
        if (*rest == '.')
            rest++;
        else if (strncmp(rest, "\u2026", 3) == 0)
            rest += 3;
        else
            break;
    }
    bool numbered = rest > word + digits || *rest == '\0' || isalpha((unsigned char)*rest) ||
                    strncmp(rest, "\u2654", 2) == 0; /* a figurine */
    return numbered && strcmp(word, "0000") != 0 ? rest : word;
}

/* Returns whether a word is meant as a move and not as a sign beside one. */
static bool is_move(const char *word)
{
    if (is_null_move(word) || strncmp(word, "0-0", 3) == 0 || strncmp(word, "0\u20130", 5) == 0)
        return true;
    for (; *word != '\0'; word++)
        if (isalpha((unsigned char)*word)) return true;
    return false;
}

static void end_game(Reading *r, const char *word, const char *result)
{
    if (*result == '\0') pgn_notes_comment(r, word);
    strcpy(r->game->result, *result != '\0' ? result : "*");
    r->ended = true;
}

/* Keeps a word that is not read. A bracket could be read as a tag later. */
static void leave_word(Reading *r, const char *word)
{
    if (*word == '[')
        pgn_notes_comment(r, word);
    else
        pgn_notes_word(r, word);
}

static void take_word(Reading *r, size_t line, const char *word)
{
    const char *result = pgn_result(word), *rest = skip_number(word);
    /* After a number comes a move: "N" in "2. N f3" is no novelty. */
    bool letter = isalpha((unsigned char)*rest) && (r->numbered || rest != word);
    unsigned glyph = letter ? 0 : pgn_glyph(rest);
    r->numbered = *rest == '\0';
    if (r->ended) {
        pgn_notes_comment(r, word);
    } else if (result != NULL) {
        end_game(r, word, result);
    } else if (reading_broken(r)) {
        leave_word(r, word);
    } else if (glyph > 0) {
        pgn_notes_nag(r, glyph);
    } else if (is_move(rest) && !pgn_needless(rest)) {
        add_move(r, line, rest);
        if (reading_broken(r)) leave_word(r, word);
    } else if (*rest != '\0' && !pgn_needless(rest)) {
        pgn_notes_comment(r, rest);
    }
}

/* Returns whether the next word may continue the result that `begun` begins. */
static bool goes_on(TextReader *s, const char *begun)
{
    int c = text_reader_peek(s, 0);
    return c >= 0 && strchr(pgn_result_wants_dash(begun) ? "-:\xe2\x96" : "01.\xc2\xbd", c) != NULL;
}

/* Takes a word, or several words that are one result. */
static void take_words(Reading *r)
{
    char word[RESULT_WORDS][WORD_SIZE], all[RESULT_WORDS * WORD_SIZE] = "";
    size_t line[RESULT_WORDS];
    int count = 0;
    do {
        line[count] = r->reader->line;
        read_word(r->reader, word[count]);
        strcat(all, word[count++]);
        if (count == RESULT_WORDS || !pgn_result_begins(all)) break;
        reading_skip_blanks(r->reader);
    } while (goes_on(r->reader, all));
    if (count > 1 && pgn_result(all) != NULL)
        end_game(r, all, pgn_result(all));
    else
        for (int i = 0; i < count; i++) take_word(r, line[i], word[i]);
}

/* Returns whether the words after a result are a remark, such as "ff", and not another game. */
static bool is_remark(TextReader *s)
{
    char word[WORD_SIZE];
    size_t size = 0;
    for (; size + 1 < WORD_SIZE; size++) {
        int c = text_reader_peek(s, size);
        if (c < 0 || reading_is_blank(c)) break;
        word[size] = (char)c;
    }
    word[size] = '\0';
    return isalpha((unsigned char)*word) && !move_text_is_first(word);
}

/* Characters of a tag FEN that gives no position. */
#define NO_FEN " ?-"

/* ---- A game ---------------------------------------------------------------------------------- */

/* Reads tags, and comments among them, up to the moves. Returns false if another game begins. */
static bool read_tags(Reading *r)
{
    TextReader *s = r->reader;
    while (!r->no_memory) {
        TagHead head;
        size_t line = s->line;
        reading_skip_blanks(s);
        int c = text_reader_peek(s, 0);
        if (c != '[') {
            if ((c != '{' && c != ';') || !pgn_notes_take(r)) return true;
        } else if (!pgn_tags_peek(s, &head)) {
            pgn_notes_line(r);
        } else {
            if (pgn_tags_begin_another(r->game, head.name, s->line > line + 1)) return false;
            pgn_tags_take(r, &head);
        }
    }
    return true;
}

/* Returns whether tags FEN give different positions. */
static bool fens_differ(const PgnGame *g)
{
    for (size_t i = 0; i < g->tags; i++) {
        treb_position other;
        if (strcasecmp(pgn_text(g, g->tag[i].name), "FEN") != 0) continue;
        const char *fen = pgn_text(g, g->tag[i].value);
        if (strspn(fen, NO_FEN) == strlen(fen)) continue;
        if (position_text_tag(fen, &other, NULL) != TREB_OK) return true;
        if (!position_equal(&other, &g->start)) return true;
    }
    return false;
}

/* Sets the starting position of the moves. */
static void set_start(Reading *r)
{
    PgnGame *g = r->game;
    treb_error why;
    const char *fen = pgn_tag(g, "FEN"), *variant = pgn_tag(g, "Variant");
    const char *other = variant != NULL ? position_text_variant(variant) : NULL;
    char text[sizeof why.text];
    bool none = fen == NULL || strspn(fen, NO_FEN) == strlen(fen);
    bool chess = other == NULL && (!none || variant == NULL || !position_text_chess960(variant));
    if (other != NULL)
        snprintf(text, sizeof text, "the game is %s, not chess", other);
    else
        snprintf(text, sizeof text, "the game is Chess960, and has no tag FEN");
    if (!chess) reading_fault(r, g->line, "", text);
    if (position_text_tag(none ? POSITION_START : fen, &g->start, &why) == TREB_OK) {
        g->started = chess;
        g->fens = chess && !none && fens_differ(g);
        r->pos = g->start;
        return;
    }
    bool before = reading_broken(r);
    snprintf(text, sizeof text, "%.300s: '%.100s'", why.text, fen);
    reading_fault(r, r->fen_line, ", tag FEN", text);
    if (!before) g->error.status = why.status;
}

static void read_moves(Reading *r)
{
    TextReader *s = r->reader;
    while (!r->ended && !r->no_memory) {
        reading_skip_blanks(s);
        if (text_reader_peek(s, 0) < 0 || pgn_tags_begin(s)) return;
        if (!pgn_notes_take(r)) take_words(r);
    }
    reading_skip_gaps(s);
    if (is_remark(s)) pgn_notes_part(r);
    /* Annotations of the end. */
    for (reading_skip_blanks(s); !r->no_memory && pgn_notes_take(r);) reading_skip_blanks(s);
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
    reading_close(r, 0);
}

/* Takes the result from the tags if the moves do not end with one. */
static void complete_result(Reading *r)
{
    const char *tag = pgn_tag(r->game, "Result");
    const char *result = tag != NULL ? pgn_result(tag) : NULL;
    if (strcmp(r->game->result, "*") == 0 && result != NULL && *result != '\0')
        strcpy(r->game->result, result);
}

treb_status pgn_next(TextReader *reader, PgnGame *game, bool *found, treb_error *error)
{
    *found = false;
    if (text_reader_peek(reader, 0) == '%') reading_skip_line(reader);
    for (;;) {
        Reading r = {.reader = reader, .game = game};
        reset(&r);
        reading_skip_blanks(reader);
        if (r.no_memory || text_reader_peek(reader, 0) < 0)
            return r.no_memory ? fail_memory(error) : TREB_OK;
        game->line = reader->line;
        bool moves = read_tags(&r);
        set_start(&r);
        if (moves) read_moves(&r);
        complete_result(&r);
        if (r.no_memory) return fail_memory(error);
        *found = game->tags > 0 || game->moves > 0 || reading_broken(&r);
        if (*found) return TREB_OK;
    }
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
        size_t name = reading_open(&r);
        reading_keep_text(&r, tags[i][0]);
        reading_close(&r, 0);
        size_t value = reading_open(&r);
        reading_keep_text(&r, tags[i][1]);
        reading_close(&r, 0);
        pgn_tags_add(&r, name, value);
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
