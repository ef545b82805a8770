/* checksum.c - see checksum.h. XXH3 is a hash function of Yann Collet. This is a plain version of it
 * in C that every compiler and processor can use; libxxhash, with which tests compare it, has faster
 * ones for each kind of processor. */
#include "core/format/checksum.h"

/* Primes that the function multiplies with, of 32 and of 64 bits. */
#define P32_1 UINT64_C(0x9e3779b1)
#define P32_2 UINT64_C(0x85ebca77)
#define P32_3 UINT64_C(0xc2b2ae3d)
#define P64_1 UINT64_C(0x9e3779b185ebca87)
#define P64_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define P64_3 UINT64_C(0x165667b19e3779f9)
#define P64_4 UINT64_C(0x85ebca77c2b2ae63)
#define P64_5 UINT64_C(0x27d4eb2f165667c5)
#define MIX_1 UINT64_C(0x165667919e3779f9)
#define MIX_2 UINT64_C(0x9fb21c651e98df25)

/* Input of more than MIDDLE_MAX bytes is taken in stripes, each against another part of the secret;
 * after STRIPES of them, which are a round, the sums are scrambled. */
enum { SECRET = 192, STRIPE = 64, LANES = STRIPE / 8, STRIPES = (SECRET - STRIPE) / 8 };
enum { MIDDLE_MAX = 240 };

/* Random bytes, which the input is mixed with. */
static const uint8_t secret_bytes[SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

/* ---- Parts ----------------------------------------------------------------------------------- */

static inline uint32_t load32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Compilers turn this into one load. */
static inline uint64_t load64(const uint8_t *at)
{
    return load32(at) | (uint64_t)load32(at + 4) << 32;
}

/* The secret's number at an offset. */
static inline uint64_t secret(int at) { return load64(secret_bytes + at); }

static inline uint64_t turn_left(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static uint64_t swap_bytes(uint64_t x)
{
    x = (x & UINT64_C(0x00ff00ff00ff00ff)) << 8 | (x >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    x = (x & UINT64_C(0x0000ffff0000ffff)) << 16 | (x >> 16 & UINT64_C(0x0000ffff0000ffff));
    return turn_left(x, 32);
}

/* The upper and the lower half of a product of 128 bits, exclusively or'ed. */
static uint64_t fold_product(uint64_t a, uint64_t b)
{
    const uint64_t low = 0xffffffff;
    uint64_t ll = (a & low) * (b & low), hl = (a >> 32) * (b & low);
    uint64_t lh = (a & low) * (b >> 32), hh = (a >> 32) * (b >> 32);
    uint64_t middle = (ll >> 32) + (hl & low) + lh;
    return (hh + (hl >> 32) + (middle >> 32)) ^ (middle << 32 | (ll & low));
}

static uint64_t finish_sum(uint64_t h)
{
    h = (h ^ h >> 37) * MIX_1;
    return h ^ h >> 32;
}

/* The end for at most three bytes, which is that of the older function XXH64. */
static uint64_t finish_few(uint64_t h)
{
    h = (h ^ h >> 33) * P64_2;
    h = (h ^ h >> 29) * P64_3;
    return h ^ h >> 32;
}

/* Sixteen bytes against sixteen of the secret. */
static uint64_t mix16(const uint8_t *bytes, int at, uint64_t seed)
{
    return fold_product(load64(bytes) ^ (secret(at) + seed),
                        load64(bytes + 8) ^ (secret(at + 8) - seed));
}

/* ---- By size --------------------------------------------------------------------------------- */

static uint64_t of_few(const uint8_t *bytes, size_t size, uint64_t seed)
{
    if (size == 0) return finish_few(seed ^ secret(56) ^ secret(64));
    uint64_t all = (uint64_t)bytes[0] << 16 | (uint64_t)bytes[size / 2] << 24 | bytes[size - 1] |
                   (uint64_t)size << 8;
    return finish_few(all ^ ((load32(secret_bytes) ^ load32(secret_bytes + 4)) + seed));
}

static uint64_t of_4_to_8(const uint8_t *bytes, size_t size, uint64_t seed)
{
    seed ^= swap_bytes(seed & 0xffffffff);
    uint64_t h = load32(bytes + size - 4) + ((uint64_t)load32(bytes) << 32);
    h ^= (secret(8) ^ secret(16)) - seed;
    h = (h ^ turn_left(h, 49) ^ turn_left(h, 24)) * MIX_2;
    h = (h ^ ((h >> 35) + size)) * MIX_2;
    return h ^ h >> 28;
}

static uint64_t of_9_to_16(const uint8_t *bytes, size_t size, uint64_t seed)
{
    uint64_t first = load64(bytes) ^ ((secret(24) ^ secret(32)) + seed);
    uint64_t last = load64(bytes + size - 8) ^ ((secret(40) ^ secret(48)) - seed);
    return finish_sum(size + swap_bytes(first) + last + fold_product(first, last));
}

/* Up to 128 bytes: sixteen from the front and sixteen from the end, and so on inwards. */
static uint64_t of_17_to_128(const uint8_t *bytes, size_t size, uint64_t seed)
{
    uint64_t h = size * P64_1;
    for (int i = (int)(size - 1) / 32; i >= 0; i--)
        h += mix16(bytes + 16 * i, 32 * i, seed) +
             mix16(bytes + size - 16 * (size_t)(i + 1), 32 * i + 16, seed);
    return finish_sum(h);
}

static uint64_t of_129_to_240(const uint8_t *bytes, size_t size, uint64_t seed)
{
    uint64_t h = size * P64_1;
    for (int i = 0; i < 8; i++) h += mix16(bytes + 16 * i, 16 * i, seed);
    h = finish_sum(h);
    for (int i = 8; i < (int)(size / 16); i++) h += mix16(bytes + 16 * i, 16 * (i - 8) + 3, seed);
    return finish_sum(h + mix16(bytes + size - 16, 119, seed));
}

/* Adds a stripe to the sums, against the part of the secret that begins at `key`. */
static inline void add_stripe(uint64_t sum[LANES], const uint8_t *bytes, const uint8_t *key)
{
    for (int i = 0; i < LANES; i++) {
        uint64_t value = load64(bytes + 8 * i), mixed = value ^ load64(key + 8 * i);
        sum[i ^ 1] += value;
        sum[i] += (mixed & 0xffffffff) * (mixed >> 32);
    }
}

/* The secret of a seed. */
static void make_keys(uint64_t seed, uint8_t keys[SECRET])
{
    for (int at = 0; at < SECRET; at += 8) {
        uint64_t key = at % 16 == 0 ? secret(at) + seed : secret(at) - seed;
        for (int i = 0; i < 8; i++) keys[at + i] = (uint8_t)(key >> 8 * i);
    }
}

static uint64_t of_many(const uint8_t *bytes, size_t size, uint64_t seed)
{
    uint64_t sum[LANES] = {P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1};
    uint8_t keys[SECRET];
    make_keys(seed, keys);
    /* All whole stripes that something follows, and then the last 64 bytes. */
    size_t stripes = (size - 1) / STRIPE;
    for (size_t s = 0; s < stripes; s++) {
        add_stripe(sum, bytes + s * STRIPE, keys + s % STRIPES * 8);
        if (s % STRIPES != STRIPES - 1) continue;
        for (int i = 0; i < LANES; i++)
            sum[i] = (sum[i] ^ sum[i] >> 47 ^ load64(keys + SECRET - STRIPE + 8 * i)) * P32_1;
    }
    add_stripe(sum, bytes + size - STRIPE, keys + SECRET - STRIPE - 7);
    uint64_t h = size * P64_1;
    for (int i = 0; i < LANES; i += 2)
        h += fold_product(sum[i] ^ load64(keys + 11 + 8 * i),
                          sum[i + 1] ^ load64(keys + 19 + 8 * i));
    return finish_sum(h);
}

uint64_t checksum(const uint8_t *bytes, size_t size, uint64_t seed)
{
    if (size <= 3) return of_few(bytes, size, seed);
    if (size <= 8) return of_4_to_8(bytes, size, seed);
    if (size <= 16) return of_9_to_16(bytes, size, seed);
    if (size <= 128) return of_17_to_128(bytes, size, seed);
    if (size <= MIDDLE_MAX) return of_129_to_240(bytes, size, seed);
    return of_many(bytes, size, seed);
}
