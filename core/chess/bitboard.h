/* bitboard.h - sets of squares as 64-bit words, and attacks.
 *
 * Bit s of a set is square s, a1 = 0 to h8 = 63. The attack of a slider along one line is found by
 * "obstruction difference": of the men on the line below the slider take the highest, of those
 * above it the lowest; the slider attacks the squares from the one to the other. One subtraction
 * computes them. The four lines through each square take 2 KiB of constant tables. */
#ifndef TREB_CORE_CHESS_BITBOARD_H
#define TREB_CORE_CHESS_BITBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "trebuchet.h"

/* The lines through a square, each without the square itself. */
typedef struct BitboardLines {
    uint64_t rank, file, diagonal, antidiagonal;
} BitboardLines;

extern const uint64_t bitboard_knight[64];
extern const uint64_t bitboard_king[64];
extern const BitboardLines bitboard_lines[64];

static inline int square_file(int sq) { return sq & 7; }
static inline int square_rank(int sq) { return sq >> 3; }

/* Positive above the diagonal from a1 to h8, 0 on it, negative below. */
static inline int square_above_diagonal(int sq) { return square_rank(sq) - square_file(sq); }
static inline int square_at(int file, int rank) { return rank * 8 + file; }

/* Writes the name of a square: "e4". */
static inline void square_name(int sq, char out[3])
{
    out[0] = (char)('a' + square_file(sq));
    out[1] = (char)('1' + square_rank(sq));
    out[2] = '\0';
}

static inline uint64_t square_bit(int sq) { return UINT64_C(1) << sq; }
static inline uint64_t file_bits(int file) { return UINT64_C(0x0101010101010101) << file; }
static inline uint64_t rank_bits(int rank) { return UINT64_C(0xff) << (8 * rank); }

static inline bool bit_test(uint64_t set, int sq) { return set >> sq & 1; }
static inline int bit_count(uint64_t set)
{
#if defined __x86_64__ && !defined __POPCNT__
    /* The builtin calls a function where the processor may lack the instruction. */
    set -= set >> 1 & UINT64_C(0x5555555555555555);
    set = (set & UINT64_C(0x3333333333333333)) + (set >> 2 & UINT64_C(0x3333333333333333));
    return (int)(((set + (set >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) *
                     UINT64_C(0x0101010101010101) >>
                 56);
#else
    return __builtin_popcountll(set);
#endif
}
static inline bool bit_many(uint64_t set) { return (set & (set - 1)) != 0; }

/* Returns the word in which byte i has all bits set if bit i of `byte` is set, and none
 * otherwise. */
static inline uint64_t byte_mask(unsigned byte)
{
    uint64_t bits = byte * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    bits += UINT64_C(0x7f7f7f7f7f7f7f7f);
    return (bits >> 7 & UINT64_C(0x0101010101010101)) * 255;
}

/* Returns the lowest square of a set that is not empty. */
static inline int bit_first(uint64_t set) { return __builtin_ctzll(set); }
static inline int bit_last(uint64_t set) { return 63 - __builtin_clzll(set); }

/* Removes the lowest square from a set that is not empty, and returns it. */
static inline int bit_pop(uint64_t *set)
{
    int sq = bit_first(*set);
    *set &= *set - 1;
    return sq;
}

/* Exchanges rank 1 with rank 8, rank 2 with rank 7 and so on. */
static inline uint64_t flip_ranks(uint64_t set) { return __builtin_bswap64(set); }

/* Exchanges the a-file with the h-file, the b-file with the g-file and so on. */
static inline uint64_t flip_files(uint64_t set)
{
    const uint64_t one = UINT64_C(0x5555555555555555);
    const uint64_t two = UINT64_C(0x3333333333333333);
    const uint64_t four = UINT64_C(0x0f0f0f0f0f0f0f0f);
    set = (set >> 1 & one) | (set & one) << 1;
    set = (set >> 2 & two) | (set & two) << 2;
    return (set >> 4 & four) | (set & four) << 4;
}

/* Exchanges files and ranks: reflects the board in the line from a1 to h8. */
static inline uint64_t flip_diagonal(uint64_t set)
{
    uint64_t t = (set ^ set << 28) & UINT64_C(0x0f0f0f0f00000000);
    set ^= t ^ t >> 28;
    t = (set ^ set << 14) & UINT64_C(0x3333000033330000);
    set ^= t ^ t >> 14;
    t = (set ^ set << 7) & UINT64_C(0x5500550055005500);
    return set ^ t ^ t >> 7;
}

/* Returns the squares that the pawns of a set attack. */
static inline uint64_t pawns_attack(int color, uint64_t pawns)
{
    uint64_t to_left = pawns & ~file_bits(0), to_right = pawns & ~file_bits(7);
    if (color == TREB_WHITE) return to_left << 7 | to_right << 9;
    return to_left >> 9 | to_right >> 7;
}

static inline uint64_t pawn_attacks(int color, int sq)
{
    return pawns_attack(color, square_bit(sq));
}

static inline uint64_t knight_attacks(int sq) { return bitboard_knight[sq]; }
static inline uint64_t king_attacks(int sq) { return bitboard_king[sq]; }

/* Returns the squares of a line that a slider on `sq` attacks, up to and including the nearest men
 * of `occ`. `line` does not contain `sq`. */
static inline uint64_t line_attacks(uint64_t line, int sq, uint64_t occ)
{
    uint64_t below = square_bit(sq) - 1, men = occ & line;
    uint64_t upper = men & ~below;
    /* If there is no man below, bit 0 takes its place: no square of the line is lower. */
    uint64_t highest_below = UINT64_C(1) << (63 ^ __builtin_clzll((men & below) | 1));
    return (upper ^ (upper - highest_below)) & line;
}

static inline uint64_t bishop_attacks(int sq, uint64_t occ)
{
    const BitboardLines *lines = &bitboard_lines[sq];
    return line_attacks(lines->diagonal, sq, occ) | line_attacks(lines->antidiagonal, sq, occ);
}

static inline uint64_t rook_attacks(int sq, uint64_t occ)
{
    const BitboardLines *lines = &bitboard_lines[sq];
    return line_attacks(lines->rank, sq, occ) | line_attacks(lines->file, sq, occ);
}

static inline uint64_t queen_attacks(int sq, uint64_t occ)
{
    return bishop_attacks(sq, occ) | rook_attacks(sq, occ);
}

/* Attacks of any type but the pawn, whose attacks depend on its colour. */
static inline uint64_t piece_attacks(int type, int sq, uint64_t occ)
{
    switch (type) {
    case TREB_KNIGHT:
        return knight_attacks(sq);
    case TREB_BISHOP:
        return bishop_attacks(sq, occ);
    case TREB_ROOK:
        return rook_attacks(sq, occ);
    case TREB_QUEEN:
        return queen_attacks(sq, occ);
    case TREB_KING:
        return king_attacks(sq);
    default:
        return 0;
    }
}

/* Returns the whole line through both squares, without `a`; the empty set if they share no line. */
static inline uint64_t line_through(int a, int b)
{
    const BitboardLines *lines = &bitboard_lines[a];
    if (bit_test(lines->rank, b)) return lines->rank;
    if (bit_test(lines->file, b)) return lines->file;
    if (bit_test(lines->diagonal, b)) return lines->diagonal;
    if (bit_test(lines->antidiagonal, b)) return lines->antidiagonal;
    return 0;
}

/* Returns the squares strictly between two squares of a common line; otherwise the empty set. */
static inline uint64_t squares_between(int a, int b)
{
    /* The numbers of squares ascend along every line. */
    int low = a < b ? a : b, high = a < b ? b : a;
    uint64_t above_low = ~(square_bit(low) - 1) & ~square_bit(low);
    return line_through(a, b) & above_low & (square_bit(high) - 1);
}

#endif
