/* kings.c - see kings.h. */
#include "core/format/kings.h"

#include "core/chess/bitboard.h"
#include "core/system/thread.h"

_Atomic(const KingsTables *) kings_ready;

static KingsTables computed;

static bool kings_touch(int white, int black)
{
    return white == black || bit_test(king_attacks(white), black);
}

/* The symmetry that maps a pair of kings to its representative. */
static int symmetry_of(int white, int black)
{
    int symmetry =
        (square_file(white) > 3 ? SYM_FILES : 0) | (square_rank(white) > 3 ? SYM_RANKS : 0);
    int side = square_above_diagonal(index_symmetry_square(symmetry, white));
    if (side == 0) side = square_above_diagonal(index_symmetry_square(symmetry, black));
    return side > 0 ? symmetry | SYM_DIAGONAL : symmetry;
}

static void compute(void)
{
    unsigned free = 0, symmetric = 0;
    for (int pair = 0; pair < 64 * 64; pair++) {
        int white = pair / 64, black = pair % 64;
        computed.free[pair] = computed.symmetric[pair] = KINGS_NONE;
        if (kings_touch(white, black)) continue;
        computed.free_squares[free] = (uint16_t)pair;
        computed.free[pair] = (uint16_t)free++;
        if (symmetry_of(white, black) != 0) continue;
        computed.symmetric_squares[symmetric] = (uint16_t)pair;
        computed.symmetric[pair] = (uint16_t)symmetric++;
    }
    /* The other pairs have the coordinate of their representative. */
    for (int pair = 0; pair < 64 * 64; pair++) {
        int white = pair / 64, black = pair % 64, symmetry = symmetry_of(white, black);
        if (symmetry == 0 || kings_touch(white, black)) continue;
        int image =
            64 * index_symmetry_square(symmetry, white) + index_symmetry_square(symmetry, black);
        computed.symmetric[pair] =
            (uint16_t)(computed.symmetric[image] | symmetry << KINGS_SYMMETRY_SHIFT);
    }
    atomic_store_explicit(&kings_ready, &computed, memory_order_release);
}

const KingsTables *kings_compute(void)
{
    static ThreadOnce once = THREAD_ONCE_INIT;
    thread_once(&once, compute);
    return &computed;
}
