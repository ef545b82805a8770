/* kernel_distance.c - distances of cells, 64 at a time, and packed sets: see kernel.h. Like kernel.c this file is
 * compiled once for every register width. */
#include <string.h>

#include "core/chess/bitboard.h"
#include "gen/solve/kernel_build.h"

#if defined(__AVX512BW__) || defined(__AVX2__) || defined(__BMI2__)
#include <immintrin.h>
#endif
#ifdef __AVX512BW__
#define MASKED_VECTORS 1
#else
#define MASKED_VECTORS 0
#endif

/* ---- Sets ------------------------------------------------------------------------------------ */

uint64_t NAME(set_count_)(const uint64_t *set, size_t words)
{
    uint64_t count = 0;
    for (size_t w = 0; w < words; w++) count += (uint64_t)__builtin_popcountll(set[w]);
    return count;
}

/* Returns a bit for each byte of a word that is not 0. */
static inline unsigned bytes_used(uint64_t word)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t used = (((word & low) + low) | word) & ~low;
    return (unsigned)((used >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

#if defined(__BMI2__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define GATHERED_BYTES 1
#else
#define GATHERED_BYTES 0
#endif

static inline uint8_t *pack_word(uint64_t word, uint8_t *out)
{
    unsigned mask = bytes_used(word);
    *out++ = (uint8_t)mask;
#if GATHERED_BYTES
    uint64_t bytes = _pext_u64(word, byte_mask(mask));
    memcpy(out, &bytes, sizeof bytes);
    return out + __builtin_popcount(mask);
#else
    for (; mask; mask &= mask - 1) *out++ = (uint8_t)(word >> 8 * __builtin_ctz(mask));
    return out;
#endif
}

static inline const uint8_t *unpack_word(const uint8_t *at, uint64_t *word)
{
    unsigned mask = *at++;
#if GATHERED_BYTES
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    *word = _pdep_u64(bytes, byte_mask(mask));
    return at + __builtin_popcount(mask);
#else
    uint64_t bits = 0;
    for (; mask; mask &= mask - 1) bits |= (uint64_t)*at++ << 8 * __builtin_ctz(mask);
    *word = bits;
    return at;
#endif
}

/* Returns a bit for each of eight words that is not 0. */
static inline unsigned words_used(const uint64_t *set)
{
#if MASKED_VECTORS
    __m512i v = _mm512_loadu_si512(set);
    return _mm512_test_epi64_mask(v, v);
#else
    unsigned mask = 0;
    for (int i = 0; i < 8; i++) mask |= (unsigned)(set[i] != 0) << i;
    return mask;
#endif
}

uint8_t *NAME(set_pack_)(const uint64_t *set, uint8_t *out)
{
    uint8_t *at = out + 1;
    unsigned eighths = 0;
    for (int i = 0; i < 8; i++) {
        unsigned words = words_used(set + 8 * i);
        if (words == 0) continue;
        eighths |= 1u << i;
        for (*at++ = (uint8_t)words; words; words &= words - 1)
            at = pack_word(set[8 * i + __builtin_ctz(words)], at);
    }
    if (eighths == 0) return out;
    *out = (uint8_t)eighths;
    return at;
}

const uint8_t *NAME(set_unpack_)(const uint8_t *at, uint64_t *set)
{
    for (unsigned eighths = *at++; eighths; eighths &= eighths - 1) {
        uint64_t *eighth = set + 8 * __builtin_ctz(eighths);
        for (unsigned words = *at++; words; words &= words - 1) {
            uint64_t word;
            at = unpack_word(at, &word);
            eighth[__builtin_ctz(words)] |= word;
        }
    }
    return at;
}

static inline void mark_word(uint64_t bits, Plies value, Plies *plies)
{
#if MASKED_VECTORS
    __m512i all = _mm512_set1_epi16((short)value);
    _mm512_mask_storeu_epi16(plies, (__mmask32)bits, all);
    _mm512_mask_storeu_epi16(plies + 32, (__mmask32)(bits >> 32), all);
#else
    for (; bits; bits &= bits - 1) plies[__builtin_ctzll(bits)] = value;
#endif
}

const uint8_t *NAME(set_unpack_mark_)(const uint8_t *at, Plies value, Plies *plies)
{
    for (unsigned eighths = *at++; eighths; eighths &= eighths - 1) {
        Plies *eighth = plies + 512 * __builtin_ctz(eighths);
        for (unsigned words = *at++; words; words &= words - 1) {
            uint64_t word;
            at = unpack_word(at, &word);
            mark_word(word, value, eighth + 64 * __builtin_ctz(words));
        }
    }
    return at;
}

/* ---- Distances ------------------------------------------------------------------------------- */

void NAME(distance_mark_)(const uint64_t *set, size_t words, Plies value, Plies *plies)
{
    for (size_t w = 0; w < words; w++)
        if (set[w]) mark_word(set[w], value, plies + 64 * w);
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
#elif defined(__AVX2__)
        const __m256i open = _mm256_set1_epi16(PLIES_OPEN),
                      bit = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                              8192, 16384, -32768);
        for (int part = 0; part < 64; part += 16) {
            __m256i there = _mm256_and_si256(_mm256_set1_epi16((short)(bits >> part)), bit),
                    v = _mm256_loadu_si256((const __m256i *)(const void *)(plies + part));
            v = _mm256_srl_epi16(v, _mm_cvtsi32_si128((int)shift));
            v = _mm256_blendv_epi8(open, v, _mm256_cmpeq_epi16(there, bit));
            _mm256_storeu_si256((__m256i *)(void *)(out + part), v);
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
