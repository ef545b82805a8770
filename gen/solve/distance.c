/* distance.c - the distances of cells, 64 at a time: see kernel.h. Like kernel.c this file is
 * compiled once for every width of register. */
#include "gen/solve/kernel_build.h"

#if defined(__AVX512BW__) && !defined(TREB_WIDE)
#include <immintrin.h>
#define BYTE_VECTORS 1
#else
#define BYTE_VECTORS 0
#endif

size_t NAME(distance_mark_)(const uint64_t *set, size_t words, Plies value, Plies *plies)
{
    size_t count = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t bits = set[w];
        if (bits == 0) continue;
#if BYTE_VECTORS
        _mm512_mask_storeu_epi8(plies + 64 * w, bits, _mm512_set1_epi8((char)value));
        count += (size_t)__builtin_popcountll(bits);
#else
        for (; bits; bits &= bits - 1, count++) plies[64 * w + __builtin_ctzll(bits)] = value;
#endif
    }
    return count;
}

unsigned NAME(distance_take_)(uint64_t *set, size_t words, Plies value, const Plies *plies,
                              uint64_t *found)
{
    unsigned least = PLIES_OPEN;
    for (size_t w = 0; w < words; w++) {
        uint64_t hit = 0, bits = set[w];
#if BYTE_VECTORS
        if (bits) {
            __m512i b = _mm512_loadu_si512(plies + 64 * w);
            hit = _mm512_mask_cmpeq_epi8_mask(bits, b, _mm512_set1_epi8((char)value));
            uint64_t rest = bits & ~hit;
            if (rest && _mm512_mask_cmplt_epu8_mask(rest, b, _mm512_set1_epi8((char)least)))
                for (uint64_t m = rest; m; m &= m - 1) {
                    unsigned d = plies[64 * w + __builtin_ctzll(m)];
                    if (d < least) least = d;
                }
        }
#else
        for (; bits; bits &= bits - 1) {
            unsigned d = plies[64 * w + __builtin_ctzll(bits)];
            if (d == value)
                hit |= bits & -bits;
            else if (d < least)
                least = d;
        }
#endif
        found[w] = hit;
        set[w] &= ~hit;
    }
    return least;
}

unsigned NAME(distance_most_)(const uint64_t *set, size_t words, const Plies *plies)
{
    unsigned best = 0;
#if BYTE_VECTORS
    __m512i max = _mm512_setzero_si512();
    for (size_t w = 0; w < words; w++)
        if (set[w]) max = _mm512_max_epu8(max, _mm512_maskz_loadu_epi8(set[w], plies + 64 * w));
    uint8_t lane[64];
    _mm512_storeu_si512(lane, max);
    for (int i = 0; i < 64; i++)
        if (lane[i] > best) best = lane[i];
#else
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
            unsigned d = plies[64 * w + __builtin_ctzll(bits)];
            if (d > best) best = d;
        }
#endif
    return best;
}

void NAME(distance_pick_)(const uint64_t *set, size_t words, unsigned shift, const Plies *plies,
                          Plies *out)
{
    for (size_t w = 0; w < words; w++, plies += 64, out += 64) {
        uint64_t bits = set[w];
#if BYTE_VECTORS
        __m512i b = _mm512_srli_epi16(_mm512_loadu_si512(plies), shift);
        b = _mm512_and_si512(b, _mm512_set1_epi8((char)(UINT8_MAX >> shift)));
        _mm512_storeu_si512(out, _mm512_mask_blend_epi8(bits, _mm512_set1_epi8(-1), b));
#else
        for (int i = 0; i < 64; i++)
            out[i] = bits >> i & 1 ? (Plies)(plies[i] >> shift) : PLIES_OPEN;
#endif
    }
}

#if BYTE_VECTORS
/* Cells one, two, four ... further up take what is known, until all do. */
static inline __m512i fill_known(__m512i v, uint64_t known, Plies before)
{
    __m512i none = _mm512_setzero_si512(), up;
#define STEP(n, SHIFTED)                                                                           \
    up = SHIFTED;                                                                                  \
    v = _mm512_mask_mov_epi8(v, ~known & known << (n), up);                                        \
    known |= known << (n)
    STEP(1, _mm512_alignr_epi8(v, _mm512_alignr_epi64(v, none, 6), 15));
    STEP(2, _mm512_alignr_epi8(v, _mm512_alignr_epi64(v, none, 6), 14));
    STEP(4, _mm512_alignr_epi32(v, none, 15));
    STEP(8, _mm512_alignr_epi64(v, none, 7));
    STEP(16, _mm512_alignr_epi64(v, none, 6));
    STEP(32, _mm512_alignr_epi64(v, none, 4));
#undef STEP
    return _mm512_mask_blend_epi8(known, _mm512_set1_epi8((char)before), v);
}

Plies NAME(distance_fill_)(const Plies *in, Plies before, Plies cap, Plies *out)
{
    __m512i v = _mm512_loadu_si512(in);
    uint64_t open = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8((char)PLIES_OPEN));
    uint64_t capped = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8((char)KERNEL_CAPPED));
    v = fill_known(v, ~(open | capped), before);
    if (capped) {
        /* Open cells behind a capped one, up to the next that is known: the carry runs there. */
        uint64_t start = capped << 1 & open, behind = ((open + start) ^ open) & open;
        v = _mm512_mask_min_epu8(v, capped | behind, v, _mm512_set1_epi8((char)cap));
    }
    _mm512_storeu_si512(out, v);
    return out[63];
}
#else
Plies NAME(distance_fill_)(const Plies *in, Plies before, Plies cap, Plies *out)
{
    for (int i = 0; i < 64; i++) {
        Plies code = in[i], least = before < cap ? before : cap;
        before = code == PLIES_OPEN ? before : code == KERNEL_CAPPED ? least : code;
        out[i] = before;
    }
    return before;
}
#endif
