/* hash.h - constants and functions that spread the bits of a number: for hash tables, and for
 * sequences of numbers that look random but do not differ from run to run. */
#ifndef TREB_CORE_SYSTEM_HASH_H
#define TREB_CORE_SYSTEM_HASH_H

#include <stdint.h>

/* Odd factors whose products have well-mixed upper bits. The first is 2^64 divided by the golden
 * ratio. */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define HASH_FACTOR_2 UINT64_C(0xbf58476d1ce4e5b9)
#define HASH_FACTOR_3 UINT64_C(0x94d049bb133111eb)

/* Maps numbers one-to-one so that each bit of the result depends on all bits of `x`. */
static inline uint64_t hash_mix(uint64_t x)
{
    x = (x ^ x >> 30) * HASH_FACTOR_2;
    x = (x ^ x >> 27) * HASH_FACTOR_3;
    return x ^ x >> 31;
}

/* The generator splitmix64 of Sebastiano Vigna: returns the next number of the sequence that began
 * with any *state, and changes *state. */
static inline uint64_t splitmix64(uint64_t *state) { return hash_mix(*state += HASH_FACTOR); }

#endif
