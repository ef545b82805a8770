/* random.h - sequences of numbers that look random. Every run gets identical ones. */
#ifndef TREB_TESTS_SUPPORT_RANDOM_H
#define TREB_TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

/* Returns the next number of a xorshift sequence. The state must not be 0. */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Returns the next number, below 2^31, of a linear congruential sequence. */
static inline uint32_t next_random31(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

#endif
