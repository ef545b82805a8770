/* syzygy_checksum.c - the checksum at the end of Syzygy's files.
 *
 * It is made with Google's CityHash 1.0.3 (Geoff Pike, Jyrki Alakuijala), of which this file has
 * the parts that are needed. The file, without the 16 bytes of the checksum, is cut into chunks of
 * 16 MiB. CityHashCrc256 makes 32 bytes of each chunk. CityHashCrc128 makes the 16 bytes of the
 * checksum of all these, one after the other. All words are little-endian. */
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/system.h"
#include "probe/syzygy/syzygy_file.h"

enum { CHUNK = 1 << 24, CHUNK_HASH = 32, STRIDE = 240, STEP = 40, SLICES = 8 };

#define K0 UINT64_C(0xc3a5c85c97cb3127)
#define K1 UINT64_C(0xb492b66fbe98f273)
#define K3 UINT64_C(0xc949d7c7509e6557)
#define MIX UINT64_C(0x9ddfea08eb382d69)

static uint64_t get64(const uint8_t *at)
{
    return syzygy_get32(at) | (uint64_t)syzygy_get32(at + 4) << 32;
}

static void put64(uint8_t *at, uint64_t word)
{
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(word >> 8 * i);
}

static uint64_t rotate(uint64_t word, int by) { return word >> by | word << (64 - by); }
static uint64_t shift_mix(uint64_t word) { return word ^ word >> 47; }

static uint64_t mix(uint64_t u, uint64_t v)
{
    uint64_t a = shift_mix((u ^ v) * MIX);
    return shift_mix((v ^ a) * MIX) * MIX;
}

/* ---- CRC-32C --------------------------------------------------------------------------------- */

/* slice[k][b]: the remainder of byte b followed by k zero bytes. */
typedef struct Crc {
    uint32_t slice[SLICES][256];
} Crc;

static void crc_fill(Crc *crc)
{
    const uint32_t polynomial = 0x82f63b78;
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t rest = b;
        for (int i = 0; i < 8; i++) rest = rest >> 1 ^ (rest & 1 ? polynomial : 0);
        crc->slice[0][b] = rest;
    }
    for (int k = 1; k < SLICES; k++)
        for (int b = 0; b < 256; b++) {
            uint32_t before = crc->slice[k - 1][b];
            crc->slice[k][b] = before >> 8 ^ crc->slice[0][before & 255];
        }
}

/* What the instruction CRC32 of x86 does with a word of 64 bits: only 32 bits of `sum` count. */
static uint64_t crc_step(const Crc *crc, uint64_t sum, uint64_t word)
{
    uint32_t rest = 0;
    word ^= (uint32_t)sum;
    for (int k = 0; k < SLICES; k++) rest ^= crc->slice[SLICES - 1 - k][word >> 8 * k & 255];
    return rest;
}

/* ---- A chunk --------------------------------------------------------------------------------- */

typedef struct City {
    const Crc *crc;
    uint64_t a, b, c, d, e, t; /* mixed, named as in CityHash */
    uint64_t f, g, h, i, j;    /* CRC sums of a to e */
} City;

static void step(City *s, const uint8_t *at, uint64_t factor, int odd)
{
    uint64_t a = s->a;
    s->a = rotate(s->b, 41 ^ odd) * factor + get64(at);
    s->b = rotate(s->c, 27 ^ odd) * factor + get64(at + 8);
    s->c = rotate(s->d, 41 ^ odd) * factor + get64(at + 16);
    s->d = rotate(s->e, 33 ^ odd) * factor + get64(at + 24);
    s->e = rotate(s->t, 25 ^ odd) * factor + get64(at + 32);
    s->t = a;
    s->f = crc_step(s->crc, s->f, s->a);
    s->g = crc_step(s->crc, s->g, s->b);
    s->h = crc_step(s->crc, s->h, s->c);
    s->i = crc_step(s->crc, s->i, s->d);
    s->j = crc_step(s->crc, s->j, s->e);
}

/* CityHashCrc256 of at least STRIDE bytes. */
static void hash_long(const Crc *crc, const uint8_t *at, size_t size, uint32_t seed,
                      uint64_t out[4])
{
    City s = {.crc = crc, .a = get64(at + 56) + K0, .b = get64(at + 96) + K0};
    s.c = out[0] = mix(s.b, size);
    s.d = out[1] = get64(at + 120) * K0 + size;
    s.e = get64(at + 184) + seed;
    s.f = seed;
    s.t = s.c + s.d;
    out[2] = out[3] = 0;
    for (; size >= STRIDE; size -= STRIDE)
        for (int i = 0; i < STRIDE / STEP; i++, at += STEP)
            step(&s, at, i % 2 == 0 ? 1 : K0, i % 2 == 0);
    for (; size >= STEP; size -= STEP, at += STEP) step(&s, at, K0, 0);
    if (size > 0) step(&s, at + size - STEP, K0, 0);
    s.j += s.i << 32;
    s.a = mix(s.a, s.j);
    s.h += s.g << 32;
    s.b += s.h;
    s.c = mix(s.c, s.f) + s.i;
    s.d = mix(s.d, s.e + out[0]);
    s.j += s.e;
    s.i += mix(s.h, s.t);
    s.e = mix(s.a, s.d) + s.j;
    s.f = mix(s.b, s.c) + s.a;
    s.g = mix(s.j, s.i) + s.c;
    out[0] = s.e + s.f + s.g + s.h;
    s.a = shift_mix((s.a + s.g) * K0) * K0 + s.b;
    out[1] += s.a + out[0];
    s.a = shift_mix(s.a * K0) * K0 + s.c;
    out[2] = s.a + out[1];
    s.a = shift_mix((s.a + s.e) * K0) * K0;
    out[3] = s.a + out[2];
}

static void hash_chunk(const Crc *crc, const uint8_t *at, size_t size, uint64_t out[4])
{
    uint8_t padded[STRIDE] = {0};
    if (size >= STRIDE) {
        hash_long(crc, at, size, 0, out);
    } else {
        memcpy(padded, at, size);
        hash_long(crc, padded, STRIDE, ~(uint32_t)size, out);
    }
}

/* ---- The hashes of all chunks
 * ----------------------------------------------------------------- */

typedef struct Pair {
    uint64_t first, second;
} Pair;

/* CityHash128 of a short text: 16 bytes, or a multiple of 32 plus 16, fewer than 128. */
static Pair hash_short(const uint8_t *at, size_t size, Pair seed)
{
    uint64_t a = seed.first, b = seed.second, c, d;
    if (size == 16) {
        uint64_t low = get64(at), high = get64(at + 8);
        a = shift_mix(a * K1) * K1;
        c = b * K1 + (mix(low, rotate(high + size, (int)size)) ^ high);
        d = shift_mix(a + low);
    } else {
        c = mix(get64(at + size - 8) + K1, a);
        d = mix(b + size, c + get64(at + size - 16));
        a += d;
        for (size_t i = 0; i < size - 16; i += 16) {
            a = (a ^ shift_mix(get64(at + i) * K1) * K1) * K1;
            b ^= a;
            c = (c ^ shift_mix(get64(at + i + 8) * K1) * K1) * K1;
            d ^= c;
        }
    }
    a = mix(a, c);
    b = mix(d, b);
    return (Pair){a ^ b, mix(b, a)};
}

static Pair weak(const uint8_t *at, uint64_t a, uint64_t b)
{
    uint64_t last = get64(at + 24);
    a += get64(at);
    b = rotate(b + a + last, 21);
    uint64_t c = a;
    a += get64(at + 8);
    a += get64(at + 16);
    b += rotate(a, 44);
    return (Pair){a + last, b + c};
}

static Pair hash_128(const uint8_t *at, size_t size, Pair seed)
{
    if (size < 128) return hash_short(at, size, seed);
    uint64_t x = seed.first, y = seed.second, z = size * K1;
    Pair v, w;
    v.first = rotate(y ^ K1, 49) * K1 + get64(at);
    v.second = rotate(v.first, 42) * K1 + get64(at + 8);
    w.first = rotate(y + z, 35) * K1 + x;
    w.second = rotate(x + get64(at + 88), 53) * K1;
    for (; size >= 128; size -= 128)
        for (int half = 0; half < 2; half++, at += 64) {
            x = rotate(x + y + v.first + get64(at + 8), 37) * K1;
            y = rotate(y + v.second + get64(at + 48), 42) * K1;
            x ^= w.second;
            y += v.first + get64(at + 40);
            z = rotate(z + w.first, 33) * K1;
            v = weak(at, v.second * K1, x + w.first);
            w = weak(at + 32, z + w.second, y + get64(at + 16));
            uint64_t swap = z;
            z = x;
            x = swap;
        }
    x += rotate(v.first + z, 49) * K0;
    z += rotate(w.first, 37) * K0;
    for (size_t done = 0; done < size;) {
        done += 32;
        const uint8_t *tail = at + size - done;
        y = rotate(x + y, 42) * K0 + v.second;
        w.first += get64(tail + 16);
        x = x * K0 + w.first;
        z += w.second + get64(tail);
        w.second += v.first;
        v = weak(tail, v.first + z, v.second);
    }
    x = mix(x, v.first);
    y = mix(y + z, w.first);
    return (Pair){mix(x + v.second, w.second) + y, mix(x + w.second, y + v.second)};
}

bool syzygy_checksum(const uint8_t *bytes, uint64_t size, uint8_t out[SYZYGY_CHECKSUM_SIZE])
{
    enum { FEW = 900 }; /* up to this many bytes CityHashCrc128 is CityHash128 */
    size_t chunks = (size_t)((size + CHUNK - 1) / CHUNK), hashes = chunks * CHUNK_HASH;
    uint8_t *hash = (uint8_t *)calloc(chunks, CHUNK_HASH);
    Crc *crc = (Crc *)malloc(sizeof *crc);
    if (hash != NULL && crc != NULL) {
        crc_fill(crc);
        for (size_t i = 0; i < chunks; i++) {
            uint64_t part[4], left = size - (uint64_t)i * CHUNK;
            hash_chunk(crc, bytes + (uint64_t)i * CHUNK,
                       left < CHUNK ? (size_t)left : (size_t)CHUNK, part);
            for (int k = 0; k < 4; k++) put64(hash + CHUNK_HASH * i + 8 * k, part[k]);
        }
        Pair sum;
        if (hashes <= FEW) {
            Pair seed = {get64(hash) ^ K3, get64(hash + 8)};
            sum = hash_128(hash + 16, hashes - 16, seed);
        } else {
            uint64_t part[4];
            hash_chunk(crc, hash, hashes, part);
            sum = (Pair){part[2], part[3]};
        }
        put64(out, sum.first);
        put64(out + 8, sum.second);
    }
    bool done = hash != NULL && crc != NULL;
    free(hash);
    free(crc);
    return done;
}

treb_status syzygy_check(const Syzygy *table, treb_error *error)
{
    uint8_t sum[SYZYGY_CHECKSUM_SIZE];
    uint64_t size = table->map.size - SYZYGY_CHECKSUM_SIZE;
    const MappedBytes all = {0, table->map.size};
    treb_status brought =
        table->map.copy ? mapped_bring(&table->map, WAIT_FOR_ALL, all, error) : TREB_OK;
    if (brought != TREB_OK) return brought;
    /* The file is read in order: tell the system to read ahead. */
    system_advise(table->map.bytes, table->map.size, SYSTEM_IN_ORDER);
    bool summed = syzygy_checksum(table->map.bytes, size, sum);
    system_advise(table->map.bytes, table->map.size, SYSTEM_RANDOM);
    if (!summed) return fail_memory(error);
    if (memcmp(sum, table->map.bytes + size, sizeof sum) == 0) return TREB_OK;
    return fail(error, TREB_ERR_DAMAGED, "%s: damaged: its checksum differs",
                fail_path(table->path));
}
