/* words.h - what a full check knows of each position, packed into a word. Private to
 * check/verify/. */
#ifndef TREB_CHECK_VERIFY_WORDS_H
#define TREB_CHECK_VERIFY_WORDS_H

#include "check/verify/memory.h"
#include "check/verify/store.h"

enum { VERIFY_ILLEGAL = 7 }; /* stands in place of a verdict: no legal position */

/* A part of a word: the verdict, or a distance. */
typedef struct VerifyField {
    unsigned shift;
    uint64_t most; /* largest value; it stands for VERIFY_NONE */
    uint64_t mask; /* bits of the field in the word */
} VerifyField;

/* The words of a full check. The word of a position packs its verdict and its distances, so that a
 * move costs one memory access. A word has 1, 2, 4 or 8 bytes: the fewest that can hold the longest
 * line that the table claims.
 *
 * The words are ordered by planes. A plane has all positions with the same pawns and kings. Moves
 * of pieces stay in the plane, and moves of a king lead to at most eight other planes. So the parts
 * of a scratch file that are in memory are used many times before other parts replace them. */
typedef struct VerifyWords {
    VerifyField field[TREB_METRICS];
    uint64_t attained; /* mask of an extra bit, see VerifyAttained; 0: the words do not have it */
    unsigned bytes;    /* bytes of a word */
    void *side[2];
    uint64_t side_bytes;
    bool on_disk;
    int file; /* the scratch file if `on_disk`, and its folder */
    const char *folder;
    uint64_t page_bytes;
} VerifyWords;

/* Chooses the layout of a word from the number of bits of each metric. The extra bit `attained` is
 * always added if distances are completed (`completed`), otherwise only if there is room. */
void verify_words_layout(VerifyWords *words, const unsigned bits[TREB_METRICS], bool completed);

/* Allocate the words in memory or in a scratch file, for one or two sides (`sides`). The scratch
 * file is an unnamed file in `folder`, of which at most `most` bytes are in use at the same
 * time. */
treb_status verify_words_in_memory(VerifyWords *words, uint64_t cells, int sides,
                                   treb_error *error);
treb_status verify_words_on_disk(VerifyWords *words, VerifyStore *store, uint64_t cells, int sides,
                                 const char *folder, uint64_t most, treb_error *error);

/* Reserve disk space for a range of cells before they are filled in, and discard a range, whose
 * words are then lost. Both do nothing if the words are in memory. */
treb_status verify_words_reserve(const VerifyWords *words, uint64_t first, uint64_t end,
                                 treb_error *error);
void verify_words_discard(const VerifyWords *words, uint64_t first, uint64_t end);
void verify_words_free(VerifyWords *words);

/* Words are read and written atomically, because threads may fill in distances of a symmetric
 * material while other threads read them. */
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

/* Returns a word with a verdict and without distances. */
static inline uint64_t verify_word_of(unsigned verdict) { return ~UINT64_C(7) | verdict; }

#endif
