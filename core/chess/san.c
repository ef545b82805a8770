/* san.c - see san.h. */
#include "core/chess/san.h"

#include <assert.h>
#include <string.h>

static const char type_letters[] = "PNBRQK";

/* What a text says about a move; -1 where it says nothing. */
typedef struct Description {
    int type, promo, from_file, from_rank, to;
    bool capture;
} Description;

static char file_letter(int sq) { return (char)('a' + square_file(sq)); }
static char rank_digit(int sq) { return (char)('1' + square_rank(sq)); }
static bool is_file(char c) { return c >= 'a' && c <= 'h'; }
static bool is_rank(char c) { return c >= '1' && c <= '8'; }

/* The type of an upper-case letter other than P, or -1. */
static int type_of_letter(char c)
{
    const char *at = c != '\0' ? strchr(type_letters + 1, c) : NULL;
    return at != NULL ? (int)(at - type_letters) : -1;
}

/* ---- The long form --------------------------------------------------------------------------- */

void move_to_uci(Move m, char out[UCI_SIZE])
{
    static const char letters[8] = {0, 'n', 'b', 'r', 'q', 0, 0, 0};
    out[0] = file_letter(move_from(m));
    out[1] = rank_digit(move_from(m));
    out[2] = file_letter(move_to(m));
    out[3] = rank_digit(move_to(m));
    out[4] = letters[move_promo(m) & 7];
    out[5] = '\0';
}

treb_status move_from_uci(const treb_position *pos, const char *text, Move *out)
{
    assert(position_ok(pos));
    Move moves[MOVES_MAX];
    int count = movegen_all(pos, moves);
    for (int i = 0; i < count; i++) {
        char uci[UCI_SIZE];
        move_to_uci(moves[i], uci);
        if (strcmp(uci, text) == 0) {
            *out = moves[i];
            return TREB_OK;
        }
    }
    return TREB_ERR_ARGUMENT;
}

/* ---- Writing the short form ------------------------------------------------------------------ */

/* Adds the file, the rank or both of the from-square, as far as other men of the type could make
 * the move too. */
static char *write_origin(const treb_position *pos, Move m, int type, char *out)
{
    Move moves[MOVES_MAX];
    int from = move_from(m);
    uint64_t alike = position_men_of(pos, pos->turn, type) & ~square_bit(from);
    if ((piece_attacks(type, move_to(m), position_occupied(pos)) & alike) == 0) return out;
    int count = movegen_legal(pos, moves);
    bool others = false, same_file = false, same_rank = false;
    for (int i = 0; i < count; i++) {
        int other = move_from(moves[i]);
        if (move_to(moves[i]) != move_to(m) || other == from) continue;
        if (!bit_test(pos->by_type[type], other)) continue;
        others = true;
        same_file = same_file || square_file(other) == square_file(from);
        same_rank = same_rank || square_rank(other) == square_rank(from);
    }
    if (others && (!same_file || same_rank)) *out++ = file_letter(from);
    if (same_file) *out++ = rank_digit(from);
    return out;
}

static char *write_check(const treb_position *pos, Move m, char *out)
{
    treb_position child;
    position_play(pos, m, &child);
    if (position_in_check(&child)) *out++ = movegen_any(&child) ? '+' : '#';
    return out;
}

static const char short_castling[] = "O-O", long_castling[] = "O-O-O";

static const char *castling_text(Move m)
{
    return move_to(m) > move_from(m) ? short_castling : long_castling;
}

/* Writes a move without check and mate. */
static char *write_move(const treb_position *pos, Move m, char *out)
{
    int type = position_piece_at(pos, move_from(m), NULL);
    bool capture = move_is_capture(pos, m);
    if (type > TREB_PAWN) {
        *out++ = type_letters[type];
        if (type != TREB_KING) out = write_origin(pos, m, type, out);
    } else if (capture) {
        *out++ = file_letter(move_from(m));
    }
    if (capture) *out++ = 'x';
    *out++ = file_letter(move_to(m));
    *out++ = rank_digit(move_to(m));
    if (move_promo(m) != 0) {
        *out++ = '=';
        *out++ = type_letters[move_promo(m)];
    }
    return out;
}

void move_to_san(const treb_position *pos, Move m, char out[SAN_SIZE])
{
    assert(position_ok(pos));
    if (move_is_castling(pos, m))
        for (const char *text = castling_text(m); *text != '\0';) *out++ = *text++;
    else
        out = write_move(pos, m, out);
    out = write_check(pos, m, out);
    *out = '\0';
}

/* ---- Reading the short form ------------------------------------------------------------------ */

/* Reads the promotion and the to-square from the end of a text of *length characters, and shortens
 * *length. */
static bool read_end(const char *text, size_t *length, Description *d)
{
    size_t n = *length;
    while (n > 0 && strchr("+#!?", text[n - 1]) != NULL) n--;
    if (n > 0 && type_of_letter(text[n - 1]) > 0) {
        d->promo = type_of_letter(text[--n]);
        if (n > 0 && text[n - 1] == '=') n--;
    }
    if (n < 2 || !is_file(text[n - 2]) || !is_rank(text[n - 1])) return false;
    d->to = square_at(text[n - 2] - 'a', text[n - 1] - '1');
    *length = n - 2;
    return true;
}

static bool read_san(const char *text, Description *d)
{
    *d = (Description){.type = TREB_PAWN, .promo = 0, .from_file = -1, .from_rank = -1};
    size_t length = strlen(text), at = 0;
    if (!read_end(text, &length, d)) return false;
    if (at < length && type_of_letter(text[at]) > 0) d->type = type_of_letter(text[at++]);
    if (at < length && is_file(text[at])) d->from_file = text[at++] - 'a';
    if (at < length && is_rank(text[at])) d->from_rank = text[at++] - '1';
    if (at < length && (text[at] == 'x' || text[at] == '-')) d->capture = text[at++] == 'x';
    return at == length;
}

static bool fits(const treb_position *pos, Move m, const Description *d)
{
    int from = move_from(m);
    /* "b5" is not axb5. */
    bool push = d->type == TREB_PAWN && d->from_file < 0 && !d->capture;
    if (push && move_is_capture(pos, m)) return false;
    return move_to(m) == d->to && move_promo(m) == d->promo &&
           bit_test(pos->by_type[d->type], from) &&
           (d->from_file < 0 || d->from_file == square_file(from)) &&
           (d->from_rank < 0 || d->from_rank == square_rank(from)) &&
           (!d->capture || move_is_capture(pos, m));
}

/* Returns whether a text is a castling move; zeros count as the letter O. */
static bool is_castling_text(const char *text, const char *castling)
{
    size_t i = 0;
    for (; castling[i] != '\0'; i++)
        if (text[i] != castling[i] && !(text[i] == '0' && castling[i] == 'O')) return false;
    return strspn(text + i, "+#!?") == strlen(text + i);
}

static treb_status castling_from_san(const treb_position *pos, const char *text, Move *out)
{
    Move moves[2];
    int count = movegen_castling(pos, moves);
    for (int i = 0; i < count; i++) {
        if (!is_castling_text(text, castling_text(moves[i]))) continue;
        *out = moves[i];
        return TREB_OK;
    }
    return TREB_ERR_ARGUMENT;
}

treb_status move_from_san(const treb_position *pos, const char *text, Move *out)
{
    assert(position_ok(pos));
    if (*text == 'O' || *text == '0') return castling_from_san(pos, text, out);
    Description d;
    if (!read_san(text, &d)) return TREB_ERR_ARGUMENT;
    Move moves[MOVES_MAX], found = 0;
    int count = movegen_legal(pos, moves), fitting = 0;
    for (int i = 0; i < count; i++) {
        if (!fits(pos, moves[i], &d)) continue;
        found = moves[i];
        fitting++;
    }
    if (fitting != 1) return TREB_ERR_ARGUMENT;
    *out = found;
    return TREB_OK;
}
