/* huffman.h - code words for symbols. Private to code/ and export/. */
#ifndef TREB_GEN_COMPRESS_HUFFMAN_H
#define TREB_GEN_COMPRESS_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/compress/code_limits.h"

/* The code of symbols that are numbered as they stand in the file: longer words first. Symbols
 * without a word come last. */
typedef struct Huffman {
    unsigned count;    /* of symbols */
    unsigned shortest; /* word, in bits; at least 1 */
    unsigned longest;
    uint16_t number[CODE_SYMBOLS_MAX]; /* in the file, by symbol */
    uint16_t symbol[CODE_SYMBOLS_MAX]; /* the other way round */
    uint8_t length[CODE_SYMBOLS_MAX];  /* in bits, by symbol; 0: no word */
    uint32_t word[CODE_SYMBOLS_MAX];   /* by symbol */
    uint16_t first[CODE_WORD_MAX + 1]; /* by length: the number of its first symbol */
} Huffman;

/* By how often each symbol occurs. False: out of memory. */
bool huffman_make(Huffman *out, const uint64_t *used, unsigned count);

/* Writes a code word, the highest bit first, into a block that is 0 from bit `at` on. */
static inline void huffman_put_word(uint8_t *block, uint32_t at, uint32_t word, unsigned length)
{
    uint64_t bits = (uint64_t)word << (64 - length) >> (at & 7);
    for (uint8_t *byte = block + at / 8; bits != 0; bits <<= 8) *byte++ |= (uint8_t)(bits >> 56);
}

#endif
