/* cells.c - see cells.h. */
#include "pawns/cells.h"

#include <string.h>

void cells_sort(CellsKey *key)
{
    for (int i = 1; i < key->men; i++) {
        CellsMan man = key->man[i];
        int j = i;
        for (; j > 0 &&
               (key->man[j - 1].color << 3 | key->man[j - 1].type) > (man.color << 3 | man.type);
             j--)
            key->man[j] = key->man[j - 1];
        key->man[j] = man;
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
                if (key->men == CELLS_MEN_MAX) return false;
                key->man[key->men++] = (CellsMan){(uint8_t)color, (uint8_t)type};
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
    for (int i = -2; i < key->men; i++) {
        int color = i == -2 ? TREB_WHITE : i == -1 ? TREB_BLACK : key->man[i].color;
        int square = i == -2   ? (int)(cell >> 6 & 63)
                     : i == -1 ? (int)(cell & 63)
                               : cells_square(key, cell >> 12, i);
        if (bit_test(taken, square)) return false;
        taken |= square_bit(square);
        position_put(pos, color, i < 0 ? TREB_KING : key->man[i].type, square);
    }
    return true;
}

int cells_potential(const CellsKey *key)
{
    int sum = key->men;
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

/* What goes on past a square: nothing where a king stands on it. */
static inline void row_pass(uint64_t *row, int square)
{
    uint64_t others = ~square_bit(square);
    for (int i = 0; i < CELLS_ROW; i++) row[i] &= others;
    row[square] = 0;
}

/* The white king goes from word to word; `aside` holds each word's neighbours to the left and to
 * the right. */
CELLS_WIDE static void row_unmove_white(const uint64_t *in, uint64_t *out)
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

CELLS_WIDE static void row_unmove_black(const uint64_t *in, uint64_t *out)
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

/* The rows that differ in the square of one man alone: `base` + square * `step`. */
typedef struct Column {
    int type;
    size_t base, step;
    uint64_t blocked; /* pawns and the other men */
    uint64_t from;    /* squares in whose row something is */
    uint64_t want;    /* squares whose rows are to be written */
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

static void unmove_knight(const Column *c)
{
    for (uint64_t left = c->from; left != 0;) {
        int square = bit_pop(&left);
        for (uint64_t to = knight_attacks(square) & c->want; to != 0;)
            row_or(column_out(c, bit_pop(&to)), column_in(c, square));
    }
}

/* Along one line, from its edge: what is carried grows at each square and stops at men. */
CELLS_WIDE static void unmove_line(const Column *c, int start, int direction)
{
    uint64_t carry[CELLS_ROW];
    bool any = false;
    for (int square = start; square >= 0; square = next_square(square, direction)) {
        if (any && bit_test(c->want, square)) row_or(column_out(c, square), carry);
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

CELLS_WIDE static void unmove_column(const Column *c)
{
    if (c->type == TREB_KNIGHT) {
        unmove_knight(c);
        return;
    }
    for (int d = first_direction(c->type); d < end_direction(c->type); d++)
        for (int square = 0; square < 64; square++)
            if (next_square(square, d ^ (d < 4 ? 1 : 3)) < 0) unmove_line(c, square, d);
}

/* The squares of the pieces in a row, without that of `but`. */
static uint64_t row_men(const CellsKey *key, size_t row, int but)
{
    uint64_t set = 0;
    for (int i = 0; i < key->men; i++)
        if (i != but) set |= square_bit(cells_square(key, row, i));
    return set;
}

/* Of a column's rows those in a set, by square. */
static uint64_t column_rows(const Column *c, const uint64_t *rows)
{
    uint64_t set = 0;
    if (rows == NULL) return UINT64_MAX;
    if (c->step == 1) return rows[c->base >> 6];
    for (int s = 0; s < 64; s++) set |= (uint64_t)cells_row_in(rows, c->base + s * c->step) << s;
    return set;
}

static void unmove_man(const CellsKey *key, int man, const uint64_t *in, const uint64_t *in_rows,
                       uint64_t *out, const uint64_t *out_rows)
{
    Column c = {.type = key->man[man].type,
                .step = (size_t)1 << 6 * (key->men - 1 - man),
                .in = in,
                .out = out};
    for (size_t row = 0; row < cells_rows(key); row++) {
        if (cells_square(key, row, man) != 0) continue;
        c.base = row;
        c.want = column_rows(&c, out_rows);
        if (c.want == 0) continue;
        c.from = 0;
        for (uint64_t left = column_rows(&c, in_rows); left != 0;) {
            int square = bit_pop(&left);
            c.from |= (uint64_t)cells_row_any(column_in(&c, square)) << square;
        }
        if (c.from == 0) continue;
        c.blocked = cells_pawns(key) | row_men(key, row, man);
        c.want &= ~c.blocked;
        unmove_column(&c);
    }
}

void cells_unmove(const CellsKey *key, int side, const uint64_t *in, const uint64_t *in_rows,
                  uint64_t *out, const uint64_t *out_rows)
{
    for (size_t row = 0; row < cells_rows(key); row++) {
        if (!cells_row_in(in_rows, row) || !cells_row_in(out_rows, row)) continue;
        if (side == TREB_WHITE)
            row_unmove_white(in + row * CELLS_ROW, out + row * CELLS_ROW);
        else
            row_unmove_black(in + row * CELLS_ROW, out + row * CELLS_ROW);
    }
    for (int man = 0; man < key->men; man++)
        if (key->man[man].color == side) unmove_man(key, man, in, in_rows, out, out_rows);
}

void cells_reach_rows(const CellsKey *key, int side, const uint64_t *rows, uint64_t *out)
{
    memcpy(out, rows, cells_row_words(key) * sizeof *out);
    for (size_t word = 0; word < cells_row_words(key); word++)
        for (uint64_t left = rows[word]; left != 0;) {
            size_t row = word << 6 | (size_t)bit_pop(&left);
            for (int man = 0; man < key->men; man++) {
                int square = cells_square(key, row, man);
                size_t step = (size_t)1 << 6 * (key->men - 1 - man), base = row - square * step;
                if (key->man[man].color != side) continue;
                uint64_t to = piece_attacks(key->man[man].type, square, cells_pawns(key));
                while (to != 0) {
                    size_t reached = base + bit_pop(&to) * step;
                    out[reached >> 6] |= square_bit((int)(reached & 63));
                }
            }
        }
}

CELLS_WIDE void cells_unmove_from(const CellsKey *key, int man, size_t from,
                                  const uint64_t in[CELLS_ROW], uint64_t *out)
{
    int type = key->man[man].type, to = cells_square(key, from, man);
    size_t step = (size_t)1 << 6 * (key->men - 1 - man), base = from - to * step;
    uint64_t blocked = cells_pawns(key) | row_men(key, from, man), carry[CELLS_ROW];
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

CELLS_WIDE void cells_move_to(const CellsKey *key, int man, size_t to_row, const uint64_t *in,
                              uint64_t out[CELLS_ROW])
{
    int type = key->man[man].type, to = cells_square(key, to_row, man);
    size_t step = (size_t)1 << 6 * (key->men - 1 - man), base = to_row - to * step;
    uint64_t blocked = cells_pawns(key) | row_men(key, to_row, man), clear[CELLS_ROW];
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

/* What the men of `color` but its king attack if `occ` stands in the way. */
static uint64_t attacks_of(const CellsKey *key, size_t row, int color, uint64_t occ)
{
    uint64_t set = pawns_attack(color, key->pawns[color]);
    for (int i = 0; i < key->men; i++)
        if (key->man[i].color == color)
            set |= piece_attacks(key->man[i].type, cells_square(key, row, i), occ);
    return set;
}

/* Where the black king may stand so that nothing of Black's attacks the white king on `king`:
 * anywhere, or between a slider and him, or nowhere. */
static uint64_t black_king_shields(const CellsKey *key, size_t row, int king, uint64_t occ)
{
    uint64_t shields = UINT64_MAX;
    if (bit_test(pawns_attack(TREB_BLACK, key->pawns[1]), king)) return 0;
    for (int i = 0; i < key->men; i++) {
        int square = cells_square(key, row, i);
        if (key->man[i].color == TREB_BLACK &&
            bit_test(piece_attacks(key->man[i].type, square, occ), king))
            shields &= key->man[i].type == TREB_KNIGHT ? 0 : squares_between(square, king);
    }
    return shields;
}

/* Whether no man of a row stands on another. */
static bool row_clear(const CellsKey *key, size_t row)
{
    uint64_t taken = cells_pawns(key);
    for (int i = 0; i < key->men; i++) {
        uint64_t bit = square_bit(cells_square(key, row, i));
        if (taken & bit) return false;
        taken |= bit;
    }
    return true;
}

/* Of a row: its men, and what they attack if no king stands in the way. */
typedef struct Standing {
    uint64_t men;
    uint64_t attacks[2]; /* by colour */
} Standing;

static Standing row_standing(const CellsKey *key, size_t row)
{
    uint64_t men = cells_pawns(key) | row_men(key, row, -1);
    return (Standing){
        men, {attacks_of(key, row, TREB_WHITE, men), attacks_of(key, row, TREB_BLACK, men)}};
}

/* Where the black king may stand beside the white one. */
static uint64_t word_placed(const Standing *s, int king)
{
    return bit_test(s->men, king) ? 0 : ~s->men & ~square_bit(king) & ~king_attacks(king);
}

/* What White attacks; his king matters only where a man looks at it. */
static uint64_t word_attacked(const CellsKey *key, size_t row, const Standing *s, int king)
{
    if (!bit_test(s->attacks[TREB_WHITE], king)) return s->attacks[TREB_WHITE];
    return attacks_of(key, row, TREB_WHITE, s->men | square_bit(king));
}

/* Where the black king may stand so that the white one is not in check. */
static uint64_t word_safe(const CellsKey *key, size_t row, const Standing *s, int king)
{
    if (!bit_test(s->attacks[TREB_BLACK], king)) return UINT64_MAX;
    return black_king_shields(key, row, king, s->men | square_bit(king));
}

/* Where he may stand if it is a side's move: the other is not in check. */
static uint64_t word_legal(const CellsKey *key, int side, size_t row, const Standing *s, int king)
{
    return word_placed(s, king) &
           (side == TREB_WHITE ? ~word_attacked(key, row, s, king) : word_safe(key, row, s, king));
}

void cells_legal_row(const CellsKey *key, int side, size_t row, uint64_t out[CELLS_ROW])
{
    memset(out, 0, CELLS_ROW * sizeof *out);
    if (!row_clear(key, row)) return;
    const Standing s = row_standing(key, row);
    for (int king = 0; king < CELLS_ROW; king++) out[king] = word_legal(key, side, row, &s, king);
}

uint64_t cells_legal_word(const CellsKey *key, int side, size_t row, int white_king)
{
    if (!row_clear(key, row)) return 0;
    const Standing s = row_standing(key, row);
    return word_legal(key, side, row, &s, white_king);
}

bool cells_legal_one(const CellsKey *key, int side, size_t row, int white_king, int black_king)
{
    const uint64_t kings = square_bit(white_king) | square_bit(black_king);
    const uint64_t men = cells_pawns(key) | row_men(key, row, -1);
    const int attacked = side == TREB_WHITE ? black_king : white_king;
    if (white_king == black_king || (men & kings) != 0 || !row_clear(key, row)) return false;
    if (bit_test(king_attacks(white_king), black_king)) return false;
    return !bit_test(attacks_of(key, row, side, men | kings), attacked);
}

void cells_legal(const CellsKey *key, uint64_t *legal[2], uint64_t *check[2])
{
    for (size_t row = 0; row < cells_rows(key); row++) {
        const bool clear = row_clear(key, row);
        const Standing s = row_standing(key, row);
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
