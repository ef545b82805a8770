/* words.h - what a full check knows of each position, packed. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_WORDS_H
#define TREB_CHECK_VERIFY_WORDS_H

#include "check/verify/memory.h"
#include "check/verify/store.h"

enum { VERIFY_ILLEGAL = 7 }; /* in place of a verdict: no legal position */

/* A part of a word: the verdict, or a distance. */
typedef struct VerifyField {
    unsigned shift;
    uint64_t most; /* stands for VERIFY_NONE */
    uint64_t mask; /* its bits in the word */
} VerifyField;

/* The verdict and the distances of all positions, a word for each: a move then costs one access to
 * memory. A word has 1, 2, 4 or 8 bytes, as few as hold what the table says is its longest line.
 *
 * Planes come one after the other: positions with the same pawns and kings. Moves of pieces stay in
 * the plane, and moves of a king lead to at most eight others. So those parts of a scratch file
 * that are in memory are used many times before others take their place. */
typedef struct VerifyWords {
    VerifyField field[TREB_METRICS];
    uint64_t attained; /* a bit, see VerifyAttained; 0: the words have none */
    unsigned bytes;    /* of a word */
    void *side[2];
    uint64_t side_bytes;
    bool on_disk;
    int file; /* if so, and the folder that it is in */
    const char *folder;
    uint64_t page_bytes;
} VerifyWords;

/* Chooses the words, for so many bits of each metric, and one more: always for distances that are completed,
 * else if there is room. */
void verify_words_layout(VerifyWords *words, const unsigned bits[TREB_METRICS], bool completed);

/* Takes memory for them, or makes a scratch file: an unnamed one in the folder, where `most` bytes
 * will be taken at the same time. Of several sides, two. */
treb_status verify_words_in_memory(VerifyWords *words, uint64_t cells, int sides,
                                   treb_error *error);
treb_status verify_words_on_disk(VerifyWords *words, VerifyStore *store, uint64_t cells, int sides,
                                 const char *folder, uint64_t most, treb_error *error);

/* Takes disk for some cells before they are filled in, and gives it back: they are then lost. In memory
 * nothing is to be done. */
treb_status verify_words_take(const VerifyWords *words, uint64_t first, uint64_t end,
                              treb_error *error);
void verify_words_drop(const VerifyWords *words, uint64_t first, uint64_t end);
void verify_words_free(VerifyWords *words);

/* Distances of a symmetric material may be filled in while others are read. */
static inline uint64_t verify_word(const VerifyWords *words, int side, uint64_t cell)
{
    const void *at = words->side[side];
    switch (words->bytes) {
    case 1:
        return __atomic_load_n((const uint8_t *)at + cell, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const uint16_t *)at + cell, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const uint32_t *)at + cell, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const uint64_t *)at + cell, __ATOMIC_RELAXED);
    }
}

static inline void verify_word_put(const VerifyWords *words, int side, uint64_t cell, uint64_t word)
{
    void *at = words->side[side];
    switch (words->bytes) {
    case 1:
        __atomic_store_n((uint8_t *)at + cell, (uint8_t)word, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)at + cell, (uint16_t)word, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)at + cell, (uint32_t)word, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((uint64_t *)at + cell, word, __ATOMIC_RELAXED);
    }
}

static inline unsigned verify_word_verdict(uint64_t word) { return word & 7; }

static inline unsigned verify_word_get(const VerifyWords *words, uint64_t word, int metric)
{
    const VerifyField *field = &words->field[metric];
    uint64_t value = word >> field->shift & field->most;
    return value == field->most ? VERIFY_NONE : (unsigned)value;
}

static inline uint64_t verify_word_set(const VerifyWords *words, uint64_t word, int metric,
                                       unsigned value)
{
    const VerifyField *field = &words->field[metric];
    uint64_t bits = value < field->most ? value : field->most;
    return (word & ~field->mask) | bits << field->shift;
}

/* A word without distances. */
static inline uint64_t verify_word_of(unsigned verdict) { return ~UINT64_C(7) | verdict; }

#endif
