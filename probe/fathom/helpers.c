/* helpers.c - the little functions about bits and attacks that Fathom offers beside its probes. */
#include "core/bitboard.h"
#include "probe/fathom/fathom.h"

/* A caller's square; one that is none becomes one, and reads no other memory. */
static int square_of(unsigned square) { return (int)(square & 63); }

unsigned tb_pop_count(uint64_t set) { return (unsigned)bit_count(set); }

/* 64 of the empty set. */
unsigned tb_lsb(uint64_t set) { return set != 0 ? (unsigned)bit_first(set) : 64; }

uint64_t tb_pop_lsb(uint64_t set) { return set & (set - 1); }

uint64_t tb_king_attacks(unsigned square) { return king_attacks(square_of(square)); }

uint64_t tb_knight_attacks(unsigned square) { return knight_attacks(square_of(square)); }

uint64_t tb_rook_attacks(unsigned square, uint64_t occupied)
{
    return rook_attacks(square_of(square), occupied);
}

uint64_t tb_bishop_attacks(unsigned square, uint64_t occupied)
{
    return bishop_attacks(square_of(square), occupied);
}

uint64_t tb_queen_attacks(unsigned square, uint64_t occupied)
{
    return queen_attacks(square_of(square), occupied);
}

uint64_t tb_pawn_attacks(unsigned square, bool white)
{
    return pawn_attacks(white ? TREB_WHITE : TREB_BLACK, square_of(square));
}
