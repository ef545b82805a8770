/* kernel.c - see kernel.h. This file is compiled once for every register width: KERNEL_BUILD is the suffix of the
 * build's name.
 *
 * Along a line the work is always the same. A retro-move that leaves a square either starts there or passes it, and
 * it passes it only if the square is empty:
 *
 *     leaving(s) = in(s) | (leaving(s - 1) & empty(s));   out(s) |= leaving(s - 1)
 *
 * For a man whose square numbers rows, a step is a whole row of 64 words. For the man whose square is the word within
 * a row, the 8 words of a rank are one vector: lines along files and diagonals step from vector to vector, lines
 * along ranks are filled within a vector. For the man whose square is the bit within a word the lines are the usual
 * bitboard fills. */
#include "gen/solve/kernel_build.h"

#include <stdbool.h>
#include <string.h>

#include "core/format/index.h"

typedef uint64_t Vec __attribute__((vector_size(64), aligned(64)));
typedef uint64_t VecUnaligned __attribute__((vector_size(64), aligned(8)));

static const Vec zero;

#define FILE_A UINT64_C(0x0101010101010101)
#define FILE_H (FILE_A << 7)
#define RANK_1 UINT64_C(0xff)

/* Moves the lanes of a vector up or down by n; zeros come in. */
#define LANES_UP1(v) __builtin_shufflevector(v, zero, 8, 0, 1, 2, 3, 4, 5, 6)
#define LANES_UP2(v) __builtin_shufflevector(v, zero, 8, 8, 0, 1, 2, 3, 4, 5)
#define LANES_UP4(v) __builtin_shufflevector(v, zero, 8, 8, 8, 8, 0, 1, 2, 3)
#define LANES_DOWN1(v) __builtin_shufflevector(v, zero, 1, 2, 3, 4, 5, 6, 7, 8)
#define LANES_DOWN2(v) __builtin_shufflevector(v, zero, 2, 3, 4, 5, 6, 7, 8, 8)
#define LANES_DOWN4(v) __builtin_shufflevector(v, zero, 4, 5, 6, 7, 8, 8, 8, 8)

static inline Vec splat(uint64_t x) { return (Vec){x, x, x, x, x, x, x, x}; }

/* Returns the bits of the eight squares of rank r, one in each lane. */
static inline Vec rank_bits(int r)
{
    uint64_t b = UINT64_C(1) << 8 * r;
    return (Vec){b, b << 1, b << 2, b << 3, b << 4, b << 5, b << 6, b << 7};
}

/* Returns all ones in the lanes whose bit in the low byte is clear. */
static inline Vec lanes_clear(uint64_t byte)
{
    Vec bits = {1, 2, 4, 8, 16, 32, 64, 128};
    return (Vec)((bits & splat(byte)) == zero);
}

/* Returns all ones for those of eight words of a row whose bit is set in `words`. */
static inline Vec words_of(uint64_t words, int eight)
{
    return ~lanes_clear(words >> 8 * eight & 0xff);
}

static inline bool is_diagonal_mover(int type) { return type == TREB_BISHOP || type == TREB_QUEEN; }
static inline bool is_straight_mover(int type) { return type == TREB_ROOK || type == TREB_QUEEN; }

/* ---- The bit within a word ------------------------------------------------------------------- */

#define FILL(name, SHIFT, MASK)                                                                    \
    static inline Vec name(Vec g, Vec e)                                                           \
    {                                                                                              \
        Vec m = e & (MASK);                                                                        \
        g |= m & SHIFT(g, 1);                                                                      \
        m &= SHIFT(m, 1);                                                                          \
        g |= m & SHIFT(g, 2);                                                                      \
        m &= SHIFT(m, 2);                                                                          \
        g |= m & SHIFT(g, 4);                                                                      \
        return SHIFT(g, 1) & (MASK);                                                               \
    }
#define UP8(x, n) ((x) << 8 * (n))
#define DOWN8(x, n) ((x) >> 8 * (n))
#define UP1(x, n) ((x) << (n))
#define DOWN1(x, n) ((x) >> (n))
#define UP9(x, n) ((x) << 9 * (n))
#define DOWN9(x, n) ((x) >> 9 * (n))
#define UP7(x, n) ((x) << 7 * (n))
#define DOWN7(x, n) ((x) >> 7 * (n))
#define NOT_A splat(~FILE_A)
#define NOT_H splat(~FILE_H)
#define ANY splat(UINT64_MAX)

FILL(fill_north, UP8, ANY)
FILL(fill_south, DOWN8, ANY)
FILL(fill_east, UP1, NOT_A)
FILL(fill_west, DOWN1, NOT_H)
FILL(fill_north_east, UP9, NOT_A)
FILL(fill_south_west, DOWN9, NOT_H)
FILL(fill_north_west, UP7, NOT_H)
FILL(fill_south_east, DOWN7, NOT_A)

static inline Vec knight_jumps(Vec v)
{
    Vec one = ((v & splat(~FILE_H)) << 1) | ((v & splat(~FILE_A)) >> 1);
    Vec two =
        ((v & splat(~(FILE_H | FILE_H >> 1))) << 2) | ((v & splat(~(FILE_A | FILE_A << 1))) >> 2);
    return one << 16 | one >> 16 | two << 8 | two >> 8;
}

static inline Vec bit_retro_moves(int type, Vec in, Vec empty)
{
    Vec out = zero;
    if (type == TREB_KNIGHT) return knight_jumps(in);
    if (is_straight_mover(type))
        out |= fill_north(in, empty) | fill_south(in, empty) | fill_east(in, empty) |
               fill_west(in, empty);
    if (is_diagonal_mover(type))
        out |= fill_north_east(in, empty) | fill_south_west(in, empty) |
               fill_north_west(in, empty) | fill_south_east(in, empty);
    return out;
}

/* Does so in the words of a row whose bit is set in `words`. */
static inline void row_bit(int type, const Vec *in, Vec *out, uint64_t occupied, uint64_t words)
{
    for (int r = 0; r < 8; r++)
        if (words >> 8 * r & 0xff)
            out[r] |= bit_retro_moves(type, in[r], ~(splat(occupied) | rank_bits(r))) &
                      words_of(words, r);
}

/* ---- The word within a row ------------------------------------------------------------------- */

static inline void lane_straight(const Vec *in, Vec *out, const Vec *open)
{
    Vec up = in[0], down = in[7];
    for (int r = 1; r < 8; r++) {
        out[r] |= up;
        up = (up & open[r]) | in[r];
        out[7 - r] |= down;
        down = (down & open[7 - r]) | in[7 - r];
    }
    for (int r = 0; r < 8; r++) {
        Vec e = in[r], p = open[r];
        e |= p & LANES_UP1(e);
        p &= LANES_UP1(p);
        e |= p & LANES_UP2(e);
        p &= LANES_UP2(p);
        e |= p & LANES_UP4(e);
        Vec w = in[r];
        p = open[r];
        w |= p & LANES_DOWN1(w);
        p &= LANES_DOWN1(p);
        w |= p & LANES_DOWN2(w);
        p &= LANES_DOWN2(p);
        w |= p & LANES_DOWN4(w);
        out[r] |= LANES_UP1(e) | LANES_DOWN1(w);
    }
}

static inline void lane_diagonal(const Vec *in, Vec *out, const Vec *open)
{
    Vec ne = in[0], nw = in[0], se = in[7], sw = in[7];
    for (int r = 1; r < 8; r++) {
        int s = 7 - r;
        ne = LANES_UP1(ne);
        nw = LANES_DOWN1(nw);
        se = LANES_UP1(se);
        sw = LANES_DOWN1(sw);
        out[r] |= ne | nw;
        out[s] |= se | sw;
        ne = (ne & open[r]) | in[r];
        nw = (nw & open[r]) | in[r];
        se = (se & open[s]) | in[s];
        sw = (sw & open[s]) | in[s];
    }
}

static inline void lane_knight(const Vec *in, Vec *out)
{
    for (int r = 0; r < 8; r++) {
        Vec one = LANES_UP1(in[r]) | LANES_DOWN1(in[r]);
        Vec two = LANES_UP2(in[r]) | LANES_DOWN2(in[r]);
        if (r >= 2) out[r - 2] |= one;
        if (r < 6) out[r + 2] |= one;
        if (r >= 1) out[r - 1] |= two;
        if (r < 7) out[r + 1] |= two;
    }
}

static inline void row_lane(int type, const Vec *in, Vec *out, uint64_t occupied)
{
    if (type == TREB_KNIGHT) {
        lane_knight(in, out);
        return;
    }
    Vec open[8];
    for (int r = 0; r < 8; r++) open[r] = lanes_clear(occupied >> 8 * r & 0xff) & ~rank_bits(r);
    if (is_straight_mover(type)) lane_straight(in, out, open);
    if (is_diagonal_mover(type)) lane_diagonal(in, out, open);
}

/* All ones except one word. The 64 words from 63 - s on mask a row for a man that numbers rows and passes over square
 * s: the man of the word must not be there. */
static const uint64_t row_window[127] = {[0 ... 62] = UINT64_MAX, [64 ... 126] = UINT64_MAX};

/* ---- The rows -------------------------------------------------------------------------------- */

/* The rows in which one man stands on each of his squares, and all other row-numbering men stand still. */
typedef struct ManRows {
    const Vec *in;
    Vec *out;
    const uint32_t *at; /* by square: number of vectors before the row */
    uint64_t occupied;  /* squares of kings, pawns and the other men that number rows */
    /* Masks of the squares whose rows are read and written. */
    uint64_t in_row_blocks, out_row_blocks;
} ManRows;

/* Makes retro-moves along one line of squares: `length` squares, the first is `from`, the next is `step` further. */
static inline void rows_line(const ManRows *rows, int from, int step, int length)
{
    const Vec *in = rows->in;
    Vec *out = rows->out;
    const uint32_t *at = rows->at;
    const uint64_t occupied = rows->occupied, in_row_blocks = rows->in_row_blocks,
                   out_row_blocks = rows->out_row_blocks;
    Vec carry[8];
    bool live = false;
    for (int i = 0, s = from; i < length; i++, s += step) {
        uint64_t bit = UINT64_C(1) << s;
        if (live) {
            if (out_row_blocks & bit)
                for (int r = 0; r < 8; r++) out[at[s] + r] |= carry[r];
            if (occupied & bit) {
                live = false;
            } else {
                const VecUnaligned *window = (const VecUnaligned *)(row_window + 63 - s);
                for (int r = 0; r < 8; r++) carry[r] &= window[r] & splat(~bit);
            }
        }
        if (in_row_blocks & bit) {
            for (int r = 0; r < 8; r++) carry[r] = live ? carry[r] | in[at[s] + r] : in[at[s] + r];
            live = true;
        }
    }
}

/* Makes retro-moves both ways along every line of one direction. A line starts at a square without a predecessor. */
static void rows_direction(const ManRows *rows, int df, int dr)
{
    int step = 8 * dr + df;
    for (int s = 0; s < 64; s++) {
        int f = s & 7, r = s >> 3, pf = f - df, pr = r - dr;
        if (pf >= 0 && pf < 8 && pr >= 0 && pr < 8) continue;
        int length = 1;
        uint64_t line = UINT64_C(1) << s;
        while ((f += df) >= 0 && f < 8 && (r += dr) >= 0 && r < 8)
            line |= UINT64_C(1) << (s + step * length++);
        if (length < 2 || !(line & rows->in_row_blocks) || !(line & rows->out_row_blocks)) continue;
        rows_line(rows, s, step, length);
        rows_line(rows, s + step * (length - 1), -step, length);
    }
}

static void rows_knight(const ManRows *rows)
{
    static const int8_t jump[8][2] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                      {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
    for (int s = 0; s < 64; s++) {
        if (!(rows->in_row_blocks >> s & 1)) continue;
        for (int j = 0; j < 8; j++) {
            int f = (s & 7) + jump[j][0], r = (s >> 3) + jump[j][1], t = 8 * r + f;
            if (f < 0 || f > 7 || r < 0 || r > 7 || !(rows->out_row_blocks >> t & 1)) continue;
            for (int v = 0; v < 8; v++) rows->out[rows->at[t] + v] |= rows->in[rows->at[s] + v];
        }
    }
}

/* Makes retro-moves of a man who numbers rows. */
static void rows_retro_move(int type, const ManRows *rows)
{
    if (type == TREB_KNIGHT) {
        rows_knight(rows);
        return;
    }
    if (is_straight_mover(type)) {
        rows_direction(rows, 0, 1);
        rows_direction(rows, 1, 0);
    }
    if (is_diagonal_mover(type)) {
        rows_direction(rows, 1, 1);
        rows_direction(rows, -1, 1);
    }
}

/* Returns the squares of the men that number row `row`. Man 0 is the most significant. */
static inline uint64_t row_occupied(size_t row, int outer)
{
    uint64_t occupied = 0;
    for (; outer > 0; outer--, row >>= 6) occupied |= UINT64_C(1) << (row & 63);
    return occupied;
}

/* Whether a row is included, of the rows that two men number. */
static inline bool row_in(bool pair, KernelRows rows, size_t row_block, size_t row)
{
    if (!(rows.row_blocks >> row_block & 1) || (pair && row <= row_block)) return false;
    if (rows.of != NULL) return rows.of[row_block] >> row & 1;
    return !pair || rows.row_blocks >> row & 1;
}

/* Returns the squares of man `man`, one of two that number rows, on which rows are included if the other man is on
 * `other`. */
static uint64_t rows_of(KernelRows rows, int man, int other)
{
    if (man == 1)
        return !(rows.row_blocks >> other & 1) ? 0 : rows.of ? rows.of[other] : KERNEL_ALL;
    uint64_t squares = rows.row_blocks;
    for (int s = 0; s < 64 && rows.of != NULL; s++) squares &= ~((~rows.of[s] >> other & 1) << s);
    return squares;
}

static void retro_move_outer(const KernelPlane *plane, int man, int type, const Vec *in,
                             KernelRows in_rows, Vec *out, KernelRows out_rows)
{
    int outer = plane->men - 2, shift = 6 * (outer - 1 - man);
    size_t rows = (size_t)1 << 6 * outer;
    uint32_t at[64];
    for (uint32_t s = 0; s < 64; s++) at[s] = 8 * s << shift;
    for (size_t base = 0; base < rows; base++) {
        if (base >> shift & 63) continue;
        uint64_t others = 0, in_mask = in_rows.row_blocks, out_mask = out_rows.row_blocks;
        for (int m = 0; m < outer; m++)
            if (m != man) others |= UINT64_C(1) << (base >> 6 * (outer - 1 - m) & 63);
        if (outer == 2) {
            int other = (int)(base >> (man == 0 ? 0 : 6));
            in_mask = rows_of(in_rows, man, other);
            out_mask = in_mask ? rows_of(out_rows, man, other) : 0;
        } else if (man > 0) {
            uint64_t bit = UINT64_C(1) << (base >> 6 * (outer - 1));
            in_mask = in_rows.row_blocks & bit ? KERNEL_ALL : 0;
            out_mask = out_rows.row_blocks & bit ? KERNEL_ALL : 0;
        }
        if (in_mask && out_mask)
            rows_retro_move(type, &(ManRows){in + base * 8, out + base * 8, at,
                                             plane->occupied | others, in_mask, out_mask});
    }
}

/* For a pair with the first man on `low`: returns the squares of the second man whose rows are included. */
static inline uint64_t pair_row(KernelRows rows, size_t low)
{
    uint64_t squares = rows.of != NULL ? rows.of[low] : rows.row_blocks;
    return rows.row_blocks >> low & 1 ? squares & ~((UINT64_C(2) << low) - 1) : 0;
}

/* By the square of either man of a pair: writes the squares of the other man whose rows are included. */
static void pair_rows(KernelRows rows, uint64_t of[64])
{
    memset(of, 0, 64 * sizeof *of);
    for (size_t low = 0; low < 64; low++) {
        uint64_t high = pair_row(rows, low);
        for (of[low] |= high; high; high &= high - 1)
            of[__builtin_ctzll(high)] |= UINT64_C(1) << low;
    }
}

/* Returns the number of the row in which a pair on two squares is kept. */
static inline size_t pair_at(size_t one, size_t other)
{
    return one < other ? 64 * one + other : 64 * other + one;
}

/* Makes retro-moves of both men of a pair that numbers rows. */
static void retro_move_pair(const KernelPlane *plane, int type, const Vec *in, KernelRows in_rows,
                            Vec *out, KernelRows out_rows)
{
    uint64_t in_of[64], out_of[64];
    pair_rows(in_rows, in_of);
    pair_rows(out_rows, out_of);
    for (uint32_t other = 0; other < 64; other++) {
        if (!in_of[other] || !out_of[other]) continue;
        uint32_t at[64];
        for (uint32_t s = 0; s < 64; s++) at[s] = 8 * (uint32_t)pair_at(s, other);
        rows_retro_move(type, &(ManRows){in, out, at, plane->occupied | UINT64_C(1) << other,
                                         in_of[other], out_of[other]});
    }
}

/* ---- A pair of three men --------------------------------------------------------------------- */

/* The words of a pair lie on one side of the diagonal of a plane of 64 by 64 words. Together with their mirror images
 * they are a plane like any other. Both functions work in blocks of 8 by 8 words. */

static inline void transpose(Vec v[8])
{
    for (int i = 0; i < 8; i += 2) {
        Vec a = v[i], b = v[i + 1];
        v[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
        v[i + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += i & 1 ? 3 : 1) {
        Vec a = v[i], b = v[i + 2];
        v[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
        v[i + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; i++) {
        Vec a = v[i], b = v[i + 4];
        v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
        v[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* Writes the words of these rows together with their mirror images. */
static void mirror(const Vec *in, KernelRows rows, Vec *out)
{
    for (int i = 0; i < 8; i++) {
        uint64_t words[8];
        for (int k = 0; k < 8; k++) words[k] = pair_row(rows, 8 * i + k);
        for (int j = i; j < 8; j++) {
            Vec block[8], image[8];
            for (int k = 0; k < 8; k++)
                image[k] = block[k] = in[8 * (8 * i + k) + j] & words_of(words[k], j);
            transpose(image);
            for (int k = 0; k < 8; k++) {
                out[8 * (8 * i + k) + j] = j == i ? block[k] | image[k] : block[k];
                if (j > i) out[8 * (8 * j + k) + i] = image[k];
            }
        }
    }
}

/* Adds words and their mirror images to these rows. */
static void fold(const Vec *in, Vec *out, KernelRows rows)
{
    for (int i = 0; i < 8; i++) {
        uint64_t words[8];
        for (int k = 0; k < 8; k++) words[k] = pair_row(rows, 8 * i + k);
        for (int j = i; j < 8; j++) {
            Vec image[8];
            for (int k = 0; k < 8; k++) image[k] = in[8 * (8 * j + k) + i];
            transpose(image);
            for (int k = 0; k < 8; k++) {
                const int at = 8 * (8 * i + k) + j;
                out[at] |= (image[k] | in[at]) & words_of(words[k], j);
            }
        }
    }
}

static void retro_move_words(const KernelPlane *plane, int type, const Vec *in, KernelRows in_rows,
                             Vec *out, KernelRows out_rows)
{
    Vec from[8 * 64], to[8 * 64];
    uint64_t in_of[64], out_of[64];
    pair_rows(in_rows, in_of);
    pair_rows(out_rows, out_of);
    mirror(in, in_rows, from);
    memset(to, 0, sizeof to);
    for (size_t other = 0; other < 64; other++)
        if (in_of[other] && out_of[other])
            row_lane(type, from + 8 * other, to + 8 * other,
                     plane->occupied | UINT64_C(1) << other);
    fold(to, out, out_rows);
}

/* ---- Retro-moves ----------------------------------------------------------------------------- */

static void retro_move(const KernelPlane *plane, int man, int type, const uint64_t *in,
                       KernelRows in_rows, uint64_t *out, KernelRows out_rows)
{
    int men = plane->men;
    if (in_rows.row_blocks == 0 || out_rows.row_blocks == 0) return;
    const Vec *vin = (const Vec *)in;
    Vec *vout = (Vec *)out;
    if (men == 1) {
        *vout |= bit_retro_moves(type, *vin, ~*(const VecUnaligned *)plane->lane);
        return;
    }
    if (plane->pair && man < 2) {
        if (man == 0 && men == 3) retro_move_words(plane, type, vin, in_rows, vout, out_rows);
        if (man == 0 && men == 4) retro_move_pair(plane, type, vin, in_rows, vout, out_rows);
        return;
    }
    if (man < men - 2) {
        retro_move_outer(plane, man, type, vin, in_rows, vout, out_rows);
        return;
    }
    int outer = men - 2;
    size_t rows = (size_t)1 << 6 * outer;
    uint64_t both = in_rows.row_blocks & out_rows.row_blocks;
    if (outer == 0 && both) both = KERNEL_ALL;
    for (size_t row = 0; row < rows; row++) {
        size_t top = outer ? row >> 6 * (outer - 1) : 0;
        if (!(both >> top & 1)) continue;
        if (outer == 2 && !(row_in(plane->pair, in_rows, top, row & 63) &&
                            row_in(plane->pair, out_rows, top, row & 63)))
            continue;
        uint64_t occupied = plane->occupied | row_occupied(row, outer), words = KERNEL_ALL;
        if (plane->pair && outer == 1) words = pair_row(in_rows, row) & pair_row(out_rows, row);
        if (man == men - 1)
            row_bit(type, vin + row * 8, vout + row * 8, occupied, words);
        else
            row_lane(type, vin + row * 8, vout + row * 8, occupied);
    }
}

/* ---- Symmetries ------------------------------------------------------------------------------ */

#define DELTA_SWAP(x, mask, shift)                                                                 \
    do {                                                                                           \
        Vec t = ((x) ^ ((x) >> (shift))) & splat(mask);                                            \
        (x) ^= t ^ (t << (shift));                                                                 \
    } while (0)

static inline __attribute__((always_inline)) Vec bits_symmetry(int symmetry, Vec x)
{
    if (symmetry & SYM_DIAGONAL) {
        DELTA_SWAP(x, UINT64_C(0x00aa00aa00aa00aa), 7);
        DELTA_SWAP(x, UINT64_C(0x0000cccc0000cccc), 14);
        DELTA_SWAP(x, UINT64_C(0x00000000f0f0f0f0), 28);
    }
    if (symmetry & SYM_RANKS) {
        DELTA_SWAP(x, UINT64_C(0x00ff00ff00ff00ff), 8);
        DELTA_SWAP(x, UINT64_C(0x0000ffff0000ffff), 16);
        x = x << 32 | x >> 32;
    }
    if (symmetry & SYM_FILES) {
        DELTA_SWAP(x, UINT64_C(0x5555555555555555), 1);
        DELTA_SWAP(x, UINT64_C(0x3333333333333333), 2);
        DELTA_SWAP(x, UINT64_C(0x0f0f0f0f0f0f0f0f), 4);
    }
    return x;
}

/* Returns rank r of a row seen through a symmetry. The words of a row are permuted as the bits within them are. Whole
 * ranks move as vectors, except with the diagonal, which turns ranks into files. */
static inline __attribute__((always_inline)) Vec rank_seen(int symmetry, const uint64_t *in, int r)
{
    Vec v = ((const Vec *)in)[r ^ (symmetry & SYM_RANKS ? 7 : 0)];
    if (symmetry & SYM_DIAGONAL)
        for (int f = 0; f < 8; f++) v[f] = in[index_symmetry_square(symmetry, 8 * r + f)];
    else if (symmetry & SYM_FILES)
        v = __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
    return bits_symmetry(symmetry, v);
}

static inline __attribute__((always_inline)) void row_merge(int symmetry, const uint64_t *in,
                                                            Vec *out)
{
    for (int r = 0; r < 8; r++) out[r] |= rank_seen(symmetry, in, r);
}

/* Merges planes with three men of which two are a pair. */
static inline __attribute__((always_inline)) void merge_words(int symmetry, const uint64_t *in,
                                                              KernelRows in_rows, uint64_t *out,
                                                              KernelRows out_rows)
{
    Vec mirrored[8 * 64], *to = (Vec *)out;
    const Vec *from = (const Vec *)in;
    if (symmetry != 0) {
        mirror(from, in_rows, mirrored);
        from = mirrored;
    }
    for (size_t low = 0; low < 64; low++, to += 8) {
        uint64_t words = pair_row(out_rows, low);
        if (symmetry == 0)
            words &= pair_row(in_rows, low); /* without a symmetry both are the same row */
        if (words == 0) continue;
        const size_t image = (size_t)index_symmetry_square(symmetry, (int)low);
        for (int r = (int)low / 8; r < 8; r++)
            to[r] |=
                rank_seen(symmetry, (const uint64_t *)(from + 8 * image), r) & words_of(words, r);
    }
}

/* Merges planes. Called with constants, so that each symmetry gets a loop of its own. */
static inline __attribute__((always_inline)) void merge_rows(int symmetry, int outer, bool pair,
                                                             const uint64_t *in, KernelRows in_rows,
                                                             uint64_t *out, KernelRows out_rows)
{
    size_t rows = (size_t)1 << 6 * outer;
    uint8_t from[64];
    if (pair && outer == 1) {
        merge_words(symmetry, in, in_rows, out, out_rows);
        return;
    }
    for (int s = 0; s < 64; s++) from[s] = (uint8_t)index_symmetry_square(symmetry, s);
    for (size_t row = 0; row < rows; row++) {
        size_t top = outer ? row >> 6 * (outer - 1) : 0, image = 0;
        if (!(out_rows.row_blocks >> top & 1)) {
            row |= ((size_t)1 << 6 * (outer - 1)) - 1; /* the last row of the block */
            continue;
        }
        if (outer == 2 && !row_in(pair, out_rows, top, row & 63)) continue;
        for (int m = 0; m < outer; m++) image |= (size_t)from[row >> 6 * m & 63] << 6 * m;
        if (pair) image = pair_at(image >> 6, image & 63);
        if (outer == 2 && !row_in(pair, in_rows, image >> 6, image & 63)) continue;
        row_merge(symmetry, in + image * KERNEL_ROW, (Vec *)(out + row * KERNEL_ROW));
    }
}

static void merge(const KernelPlane *plane, int symmetry, const uint64_t *in, KernelRows in_rows,
                  uint64_t *out, KernelRows out_rows)
{
    int men = plane->men;
    if (out_rows.row_blocks == 0) return;
    if (men < 2) {
        /* Without men the bit is not a square. */
        if (men == 0)
            out[0] |= in[0];
        else
            *(Vec *)out |= bits_symmetry(symmetry, *(const Vec *)in);
        return;
    }
    switch (symmetry) {
#define MERGE(s)                                                                                   \
    case s:                                                                                        \
        merge_rows(s, men - 2, plane->pair, in, in_rows, out, out_rows);                           \
        break
        MERGE(0);
        MERGE(1);
        MERGE(2);
        MERGE(3);
        MERGE(4);
        MERGE(5);
        MERGE(6);
        MERGE(7);
#undef MERGE
    }
}

extern const Kernel NAME(kernel_);
const Kernel NAME(kernel_) = {.name = TEXT(KERNEL_BUILD),
                              .retro_move = retro_move,
                              .merge = merge,
                              .mark = NAME(distance_mark_),
                              .count = NAME(set_count_),
                              .pack = NAME(set_pack_),
                              .unpack = NAME(set_unpack_),
                              .unpack_mark = NAME(set_unpack_mark_),
                              .pick = NAME(distance_pick_),
                              .fill = NAME(distance_fill_)};
