/* distance.c - the distances of cells, 64 at a time: see kernel.h. Like kernel.c this file is
 * compiled once for every width of register. */
#include "gen/solve/kernel_build.h"

#ifdef __AVX512BW__
#include <immintrin.h>
#define MASKED_VECTORS 1
#else
#define MASKED_VECTORS 0
#endif

void NAME(distance_mark_)(const uint64_t *set, size_t words, Plies value, Plies *plies)
{
    for (size_t w = 0; w < words; w++, plies += 64) {
        uint64_t bits = set[w];
        if (bits == 0) continue;
#if MASKED_VECTORS
        __m512i all = _mm512_set1_epi16((short)value);
        _mm512_mask_storeu_epi16(plies, (__mmask32)bits, all);
        _mm512_mask_storeu_epi16(plies + 32, (__mmask32)(bits >> 32), all);
#else
        for (; bits; bits &= bits - 1) plies[__builtin_ctzll(bits)] = value;
#endif
    }
}

void NAME(distance_pick_)(const uint64_t *set, size_t words, unsigned shift, const Plies *plies,
                          Plies *out)
{
    for (size_t w = 0; w < words; w++, plies += 64, out += 64) {
        uint64_t bits = set[w];
#if MASKED_VECTORS
        __m512i open = _mm512_set1_epi16(PLIES_OPEN);
        for (int half = 0; half < 64; half += 32) {
            __m512i v = _mm512_srli_epi16(_mm512_loadu_si512(plies + half), shift);
            v = _mm512_mask_blend_epi16((__mmask32)(bits >> half), open, v);
            _mm512_storeu_si512(out + half, v);
        }
#else
        for (int i = 0; i < 64; i++)
            out[i] = bits >> i & 1 ? (Plies)(plies[i] >> shift) : PLIES_OPEN;
#endif
    }
}

Plies NAME(distance_fill_)(const Plies *in, Plies before, Plies cap, Plies *out)
{
    for (int i = 0; i < 64; i++) {
        Plies code = in[i], least = before < cap ? before : cap;
        before = code == PLIES_OPEN ? before : code == KERNEL_CAPPED ? least : code;
        out[i] = before;
    }
    return before;
}
