/* cells.c - see cells.h. */
#include "pawns/cells/cells.h"

#include <string.h>

void cells_sort(CellsKey *key)
{
    for (int i = 1; i < key->pieces; i++) {
        CellsPiece piece = key->piece[i];
        int j = i;
        for (; j > 0 && (key->piece[j - 1].color << 3 | key->piece[j - 1].type) >
                            (piece.color << 3 | piece.type);
             j--)
            key->piece[j] = key->piece[j - 1];
        key->piece[j] = piece;
    }
}

bool cells_from_position(const treb_position *pos, CellsKey *key, Cell *cell)
{
    memset(key, 0, sizeof *key);
    Cell at = 0;
    for (int color = 0; color < 2; color++) {
        key->pawns[color] = position_men_of(pos, color, TREB_PAWN);
        for (int type = TREB_KNIGHT; type <= TREB_QUEEN; type++) {
            for (uint64_t men = position_men_of(pos, color, type); men != 0;) {
                if (key->pieces == CELLS_PIECES_MAX) return false;
                key->piece[key->pieces++] = (CellsPiece){(uint8_t)color, (uint8_t)type};
                at = at << 6 | (Cell)bit_pop(&men);
            }
        }
    }
    at = at << 6 | (Cell)position_king(pos, TREB_WHITE);
    if (cell != NULL) *cell = at << 6 | (Cell)position_king(pos, TREB_BLACK);
    return true;
}

bool cells_to_position(const CellsKey *key, Cell cell, int turn, treb_position *pos)
{
    *pos = (treb_position){.turn = (uint8_t)turn, .fullmove = 1};
    pos->by_color[0] = key->pawns[0];
    pos->by_color[1] = key->pawns[1];
    pos->by_type[TREB_PAWN] = cells_pawns(key);
    uint64_t taken = cells_pawns(key);
    for (int i = -2; i < key->pieces; i++) {
        int color = i == -2 ? TREB_WHITE : i == -1 ? TREB_BLACK : key->piece[i].color;
        int square = i == -2   ? (int)(cell >> 6 & 63)
                     : i == -1 ? (int)(cell & 63)
                               : cells_square(key, cell >> 12, i);
        if (bit_test(taken, square)) return false;
        taken |= square_bit(square);
        position_put(pos, color, i < 0 ? TREB_KING : key->piece[i].type, square);
    }
    return true;
}

int cells_potential(const CellsKey *key)
{
    int sum = key->pieces;
    for (int color = 0; color < 2; color++)
        for (uint64_t pawns = key->pawns[color]; pawns != 0;) {
            int rank = square_rank(bit_pop(&pawns));
            sum += 8 + (color == TREB_WHITE ? 7 - rank : rank);
        }
    return sum;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

bool cells_row_any(const uint64_t row[CELLS_ROW])
{
    uint64_t any = 0;
    for (int i = 0; i < CELLS_ROW; i++) any |= row[i];
    return any != 0;
}

static inline void row_or(uint64_t *out, const uint64_t *in)
{
    for (int i = 0; i < CELLS_ROW; i++) out[i] |= in[i];
}

/* Clears the cells in which a king stands on a square: a sliding piece does not get past it. */
static inline void row_pass(uint64_t *row, int square)
{
    uint64_t others = ~square_bit(square);
    for (int i = 0; i < CELLS_ROW; i++) row[i] &= others;
    row[square] = 0;
}

/* Moves of the white king lead from word to word. `aside` holds the union of each word's neighbours
 * on the same rank. */
CELLS_WIDE static void row_move_white(const uint64_t *in, uint64_t *out)
{
    uint64_t aside[CELLS_ROW];
    for (int rank = 0; rank < 64; rank += 8) {
        aside[rank] = in[rank + 1];
        for (int file = 1; file < 7; file++)
            aside[rank + file] = in[rank + file - 1] | in[rank + file + 1];
        aside[rank + 7] = in[rank + 6];
    }
    row_or(out, aside);
    for (int i = 0; i < 56; i++) {
        out[i] |= in[i + 8] | aside[i + 8];
        out[i + 8] |= in[i] | aside[i];
    }
}

/* Moves of the black king lead from bit to bit. */
CELLS_WIDE static void row_move_black(const uint64_t *in, uint64_t *out)
{
    for (int i = 0; i < CELLS_ROW; i++) {
        uint64_t set = in[i];
        uint64_t side = (set & ~file_bits(0)) >> 1 | (set & ~file_bits(7)) << 1;
        uint64_t all = set | side;
        out[i] |= side | all << 8 | all >> 8;
    }
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Steps by file and rank; rooks use the first four, bishops the others. */
static const int8_t step_file[8] = {1, -1, 0, 0, 1, -1, 1, -1};
static const int8_t step_rank[8] = {0, 0, 1, -1, 1, 1, -1, -1};

/* The next square in a direction, or -1. */
static int next_square(int square, int direction)
{
    int file = square_file(square) + step_file[direction];
    int rank = square_rank(square) + step_rank[direction];
    return file < 0 || file > 7 || rank < 0 || rank > 7 ? -1 : square_at(file, rank);
}

static int first_direction(int type) { return type == TREB_BISHOP ? 4 : 0; }
static int end_direction(int type) { return type == TREB_ROOK ? 4 : 8; }

/* The 64 rows that differ in the square of one piece only: `base` + square * `step`. */
typedef struct Column {
    int type;
    size_t base, step;
    uint64_t blocked; /* squares of pawns and of other pieces */
    uint64_t from;    /* squares whose row of `in` is not empty */
    uint64_t to_rows; /* squares whose row of `out` is to be written */
    const uint64_t *in;
    uint64_t *out;
} Column;

static const uint64_t *column_in(const Column *c, int square)
{
    return c->in + (c->base + square * c->step) * CELLS_ROW;
}

static uint64_t *column_out(const Column *c, int square)
{
    return c->out + (c->base + square * c->step) * CELLS_ROW;
}

static void move_knight(const Column *c)
{
    for (uint64_t left = c->from; left != 0;) {
        int square = bit_pop(&left);
        for (uint64_t to = knight_attacks(square) & c->to_rows; to != 0;)
            row_or(column_out(c, bit_pop(&to)), column_in(c, square));
    }
}

/* Follows one line of squares from the edge of the board. `carry` is the set of cells from which a
 * sliding piece reaches the current square: each square's row is added to it, and pawns and pieces
 * end it. */
CELLS_WIDE static void move_line(const Column *c, int start, int direction)
{
    uint64_t carry[CELLS_ROW];
    bool any = false;
    for (int square = start; square >= 0; square = next_square(square, direction)) {
        if (any && bit_test(c->to_rows, square)) row_or(column_out(c, square), carry);
        if (any && bit_test(c->blocked, square)) any = false;
        if (any) row_pass(carry, square);
        if (!bit_test(c->from, square)) continue;
        if (any)
            row_or(carry, column_in(c, square));
        else
            memcpy(carry, column_in(c, square), sizeof carry);
        any = true;
    }
}

CELLS_WIDE static void move_column(const Column *c)
{
    if (c->type == TREB_KNIGHT) {
        move_knight(c);
        return;
    }
    for (int d = first_direction(c->type); d < end_direction(c->type); d++)
        for (int square = 0; square < 64; square++)
            if (next_square(square, d ^ (d < 4 ? 1 : 3)) < 0) move_line(c, square, d);
}

/* The squares of the pieces in a row, except that of piece number `but`. */
static uint64_t row_pieces(const CellsKey *key, size_t row, int but)
{
    uint64_t set = 0;
    for (int i = 0; i < key->pieces; i++)
        if (i != but) set |= square_bit(cells_square(key, row, i));
    return set;
}

/* Those rows of a column that are in a set of rows, as squares. */
static uint64_t column_rows(const Column *c, const uint64_t *rows)
{
    uint64_t set = 0;
    if (rows == NULL) return UINT64_MAX;
    if (c->step == 1) return rows[c->base >> 6];
    for (int s = 0; s < 64; s++) set |= (uint64_t)cells_row_in(rows, c->base + s * c->step) << s;
    return set;
}

static void move_piece(const CellsKey *key, int piece, const uint64_t *in, const uint64_t *in_rows,
                       uint64_t *out, const uint64_t *out_rows)
{
    Column c = {.type = key->piece[piece].type,
                .step = (size_t)1 << 6 * (key->pieces - 1 - piece),
                .in = in,
                .out = out};
    for (size_t row = 0; row < cells_rows(key); row++) {
        if (cells_square(key, row, piece) != 0) continue;
        c.base = row;
        c.to_rows = column_rows(&c, out_rows);
        if (c.to_rows == 0) continue;
        c.from = 0;
        for (uint64_t left = column_rows(&c, in_rows); left != 0;) {
            int square = bit_pop(&left);
            c.from |= (uint64_t)cells_row_any(column_in(&c, square)) << square;
        }
        if (c.from == 0) continue;
        c.blocked = cells_pawns(key) | row_pieces(key, row, piece);
        c.to_rows &= ~c.blocked;
        move_column(&c);
    }
}

void cells_quiet_moves(const CellsKey *key, int side, const uint64_t *in, const uint64_t *in_rows,
                       uint64_t *out, const uint64_t *out_rows)
{
    for (size_t row = 0; row < cells_rows(key); row++) {
        if (!cells_row_in(in_rows, row) || !cells_row_in(out_rows, row)) continue;
        if (side == TREB_WHITE)
            row_move_white(in + row * CELLS_ROW, out + row * CELLS_ROW);
        else
            row_move_black(in + row * CELLS_ROW, out + row * CELLS_ROW);
    }
    for (int piece = 0; piece < key->pieces; piece++)
        if (key->piece[piece].color == side) move_piece(key, piece, in, in_rows, out, out_rows);
}

void cells_reached_rows(const CellsKey *key, int side, const uint64_t *rows, uint64_t *out)
{
    memcpy(out, rows, cells_row_words(key) * sizeof *out);
    for (size_t word = 0; word < cells_row_words(key); word++)
        for (uint64_t left = rows[word]; left != 0;) {
            size_t row = word << 6 | (size_t)bit_pop(&left);
            for (int piece = 0; piece < key->pieces; piece++) {
                int square = cells_square(key, row, piece);
                size_t step = (size_t)1 << 6 * (key->pieces - 1 - piece),
                       base = row - square * step;
                if (key->piece[piece].color != side) continue;
                uint64_t to = piece_attacks(key->piece[piece].type, square, cells_pawns(key));
                while (to != 0) {
                    size_t reached = base + bit_pop(&to) * step;
                    out[reached >> 6] |= square_bit((int)(reached & 63));
                }
            }
        }
}

CELLS_WIDE void cells_piece_predecessors(const CellsKey *key, int piece, size_t from,
                                         const uint64_t in[CELLS_ROW], uint64_t *out)
{
    int type = key->piece[piece].type, to = cells_square(key, from, piece);
    size_t step = (size_t)1 << 6 * (key->pieces - 1 - piece), base = from - to * step;
    uint64_t blocked = cells_pawns(key) | row_pieces(key, from, piece), carry[CELLS_ROW];
    if (!cells_row_any(in)) return;
    if (type == TREB_KNIGHT) {
        for (uint64_t left = knight_attacks(to) & ~blocked; left != 0;)
            row_or(out + (base + bit_pop(&left) * step) * CELLS_ROW, in);
        return;
    }
    for (int d = first_direction(type); d < end_direction(type); d++) {
        memcpy(carry, in, sizeof carry);
        for (int s = next_square(to, d); s >= 0 && !bit_test(blocked, s); s = next_square(s, d)) {
            row_or(out + (base + s * step) * CELLS_ROW, carry);
            row_pass(carry, s);
        }
    }
}

CELLS_WIDE void cells_piece_successors(const CellsKey *key, int piece, size_t to_row,
                                       const uint64_t *in, uint64_t out[CELLS_ROW])
{
    int type = key->piece[piece].type, to = cells_square(key, to_row, piece);
    size_t step = (size_t)1 << 6 * (key->pieces - 1 - piece), base = to_row - to * step;
    uint64_t blocked = cells_pawns(key) | row_pieces(key, to_row, piece), clear[CELLS_ROW];
    if (type == TREB_KNIGHT) {
        for (uint64_t left = knight_attacks(to) & ~blocked; left != 0;)
            row_or(out, in + (base + bit_pop(&left) * step) * CELLS_ROW);
        return;
    }
    for (int d = first_direction(type); d < end_direction(type); d++) {
        memset(clear, 0xff, sizeof clear);
        for (int s = next_square(to, d); s >= 0 && !bit_test(blocked, s); s = next_square(s, d)) {
            const uint64_t *from = in + (base + s * step) * CELLS_ROW;
            for (int i = 0; i < CELLS_ROW; i++) out[i] |= from[i] & clear[i];
            row_pass(clear, s);
        }
    }
}

/* ---- Which cells are positions --------------------------------------------------------------- */

/* The squares that the men of `color`, except its king, attack when the squares `occ` are
 * occupied. */
static uint64_t attacks_of(const CellsKey *key, size_t row, int color, uint64_t occ)
{
    uint64_t set = pawns_attack(color, key->pawns[color]);
    for (int i = 0; i < key->pieces; i++)
        if (key->piece[i].color == color)
            set |= piece_attacks(key->piece[i].type, cells_square(key, row, i), occ);
    return set;
}

/* Where the black king must stand so that no piece of Black attacks the white king on `king`:
 * anywhere, on the line between a sliding piece and the white king, or nowhere. */
static uint64_t black_king_shields(const CellsKey *key, size_t row, int king, uint64_t occ)
{
    uint64_t shields = UINT64_MAX;
    if (bit_test(pawns_attack(TREB_BLACK, key->pawns[1]), king)) return 0;
    for (int i = 0; i < key->pieces; i++) {
        int square = cells_square(key, row, i);
        if (key->piece[i].color == TREB_BLACK &&
            bit_test(piece_attacks(key->piece[i].type, square, occ), king))
            shields &= key->piece[i].type == TREB_KNIGHT ? 0 : squares_between(square, king);
    }
    return shields;
}

/* Whether all pawns and pieces of a row stand on different squares. */
static bool row_clear(const CellsKey *key, size_t row)
{
    uint64_t taken = cells_pawns(key);
    for (int i = 0; i < key->pieces; i++) {
        uint64_t bit = square_bit(cells_square(key, row, i));
        if (taken & bit) return false;
        taken |= bit;
    }
    return true;
}

/* The pawns and pieces of a row, and the squares that they attack if no king is in the way. */
typedef struct RowMen {
    uint64_t men;
    uint64_t attacks[2]; /* by colour */
} RowMen;

static RowMen row_men(const CellsKey *key, size_t row)
{
    uint64_t men = cells_pawns(key) | row_pieces(key, row, -1);
    return (RowMen){men,
                    {attacks_of(key, row, TREB_WHITE, men), attacks_of(key, row, TREB_BLACK, men)}};
}

/* The squares of the black king that are free and not next to the white king. */
static uint64_t word_placed(const RowMen *s, int king)
{
    return bit_test(s->men, king) ? 0 : ~s->men & ~square_bit(king) & ~king_attacks(king);
}

/* The squares that White attacks. The white king's square matters only if one of his own men
 * attacks it, as he may then block a line. */
static uint64_t word_attacked(const CellsKey *key, size_t row, const RowMen *s, int king)
{
    if (!bit_test(s->attacks[TREB_WHITE], king)) return s->attacks[TREB_WHITE];
    return attacks_of(key, row, TREB_WHITE, s->men | square_bit(king));
}

/* The squares of the black king for which the white king is not in check. */
static uint64_t word_safe(const CellsKey *key, size_t row, const RowMen *s, int king)
{
    if (!bit_test(s->attacks[TREB_BLACK], king)) return UINT64_MAX;
    return black_king_shields(key, row, king, s->men | square_bit(king));
}

/* The squares of the black king that are legal with `side` to move: the other side is not in
 * check. */
static uint64_t word_legal(const CellsKey *key, int side, size_t row, const RowMen *s, int king)
{
    return word_placed(s, king) &
           (side == TREB_WHITE ? ~word_attacked(key, row, s, king) : word_safe(key, row, s, king));
}

void cells_legal_row(const CellsKey *key, int side, size_t row, uint64_t out[CELLS_ROW])
{
    memset(out, 0, CELLS_ROW * sizeof *out);
    if (!row_clear(key, row)) return;
    const RowMen s = row_men(key, row);
    for (int king = 0; king < CELLS_ROW; king++) out[king] = word_legal(key, side, row, &s, king);
}

uint64_t cells_legal_word(const CellsKey *key, int side, size_t row, int white_king)
{
    if (!row_clear(key, row)) return 0;
    const RowMen s = row_men(key, row);
    return word_legal(key, side, row, &s, white_king);
}

bool cells_legal_one(const CellsKey *key, int side, size_t row, int white_king, int black_king)
{
    const uint64_t kings = square_bit(white_king) | square_bit(black_king);
    const uint64_t men = cells_pawns(key) | row_pieces(key, row, -1);
    const int attacked = side == TREB_WHITE ? black_king : white_king;
    if (white_king == black_king || (men & kings) != 0 || !row_clear(key, row)) return false;
    if (bit_test(king_attacks(white_king), black_king)) return false;
    return !bit_test(attacks_of(key, row, side, men | kings), attacked);
}

void cells_legal(const CellsKey *key, uint64_t *legal[2], uint64_t *check[2])
{
    for (size_t row = 0; row < cells_rows(key); row++) {
        const bool clear = row_clear(key, row);
        const RowMen s = row_men(key, row);
        for (int king = 0; king < 64; king++) {
            size_t word = row * CELLS_ROW + king;
            uint64_t placed = clear ? word_placed(&s, king) : 0;
            uint64_t attacked = word_attacked(key, row, &s, king),
                     safe = word_safe(key, row, &s, king);
            legal[TREB_WHITE][word] = placed & ~attacked;
            legal[TREB_BLACK][word] = placed & safe;
            if (check == NULL) continue;
            check[TREB_WHITE][word] = placed & ~attacked & ~safe;
            check[TREB_BLACK][word] = placed & safe & attacked;
        }
    }
}
