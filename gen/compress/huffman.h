/* huffman.h - makes a Huffman code: the code words of symbols. Private to gen/compress and
 * gen/syzygy, and to own_profiles.c. */
#ifndef TREB_GEN_COMPRESS_HUFFMAN_H
#define TREB_GEN_COMPRESS_HUFFMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/compress/code_limits.h"

/* The code words. The file lists the symbols in the order of their numbers here: those with longer
 * words come first, those without a word come last. */
typedef struct Huffman {
    unsigned count;                    /* number of symbols */
    unsigned shortest;                 /* length of the shortest word in bits; at least 1 */
    unsigned longest;                  /* length of the longest word in bits */
    uint16_t number[CODE_SYMBOLS_MAX]; /* by symbol: its number in the file */
    uint16_t symbol[CODE_SYMBOLS_MAX]; /* by number in the file: the symbol */
    uint8_t length[CODE_SYMBOLS_MAX];  /* by symbol: length of its word in bits; 0: no word */
    uint32_t word[CODE_SYMBOLS_MAX];   /* by symbol: its word */
    uint16_t first[CODE_WORD_MAX + 1]; /* by length: number of the first symbol with such a word */
} Huffman;

/* Makes the code for `count` symbols. `used`: number of uses of each symbol; at least one symbol must
 * be used, and a symbol without uses gets no word. Returns false if memory runs out. */
bool huffman_make(Huffman *out, const uint64_t *used, unsigned count);

/* Writes two bytes, the low one first. Returns their end. */
static inline uint8_t *huffman_put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

/* Writes what one of our own files has of a code before its `symbols` symbols. Returns the end. */
static inline uint8_t *huffman_put_head(const Huffman *huffman, unsigned symbols, uint8_t *out)
{
    *out++ = (uint8_t)huffman->shortest;
    *out++ = (uint8_t)huffman->longest;
    out = huffman_put16(out, symbols);
    for (unsigned l = huffman->shortest; l <= huffman->longest; l++) out = huffman_put16(out, huffman->first[l]);
    return out;
}

/* Returns the bytes of that. */
static inline size_t huffman_head_size(const Huffman *huffman)
{
    return 4 + 2 * ((size_t)huffman->longest - huffman->shortest + 1);
}

/* Writes a code word of `length` bits at bit `at` of a block, the highest bit first. The block must be
 * 0 from that bit on. */
static inline void huffman_put_word(uint8_t *block, uint32_t at, uint32_t word, unsigned length)
{
    uint64_t bits = (uint64_t)word << (64 - length) >> (at & 7);
    for (uint8_t *byte = block + at / 8; bits != 0; bits <<= 8) *byte++ |= (uint8_t)(bits >> 56);
}

#endif
