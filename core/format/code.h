/* code.h - values coded by symbols: each stands for two others, and so on down to values (recursive
 * pairing; Larsson and Moffat's Re-Pair), and has a word of a canonical Huffman code. Syzygy's files
 * and ours hold their cells so, in blocks of some bytes that can be read one at a time.
 *
 * Nothing in a file is believed: whatever its bytes are, reading stays within a block, and ends.
 * Nothing is allocated or locked while values are read. */
#ifndef TREB_CORE_CODE_H
#define TREB_CORE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CODE_WORD_MAX = 32,       /* bits of a word */
    CODE_SYMBOLS_MAX = 16384, /* what is larger does not stay near the processor */
    CODE_VALUES_MAX = 256,    /* values that a symbol stands for */
    CODE_LEAF = 0xffff,       /* as a right symbol: the left one is a value */
    CODE_BLOCK_LEAST = 8      /* bytes that can be read from the start of a block */
};

/* The parts of a code as they stand in a file. Words of one length follow each other, the longer
 * before the shorter. */
typedef struct CodeParts {
    unsigned shortest, longest; /* word, in bits */
    const uint8_t *first; /* u16 each length from the shortest: the number of its first symbol */
    unsigned symbols;
    const uint8_t *pairs; /* what each stands for */
    bool wide; /* pairs of two u16, leaves CODE_LEAF on the right; else of 12 bits each, 0xfff */
    unsigned bits; /* of any value: 1, 2, 4, 8 or 16; 0: not known */
} CodeParts;

/* Constant once made: any number of threads may use it. */
typedef struct Code {
    const uint8_t *pairs; /* not owned */
    uint8_t *more;        /* by symbol: how many values it stands for, less 1 */
    /* Where values have few bits: by symbol its values, the first lowest, if not more than fit. */
    uint64_t *piece;
    unsigned symbols;
    uint8_t shortest, bits;
    uint8_t fit; /* so many values; 0 without pieces */
    bool wide;
    uint64_t base[CODE_WORD_MAX + 1];
    uint16_t symbol[CODE_WORD_MAX + 1];
    uint8_t first_length[256]; /* by the first 8 bits: no shorter word begins so */
} Code;

/* Checks a code and makes it ready; its parts last longer. NULL if all is well, or a constant text
 * that says what is wrong; want of memory is code_no_memory itself. */
extern const char code_no_memory[];
const char *code_init(Code *code, const CodeParts *parts);
void code_free(Code *code); /* also of zeros */

/* A block of at least CODE_BLOCK_LEAST bytes. What lies behind its words may be read, up to
 * `end`. */
typedef struct CodeBlock {
    const uint8_t *start, *end;
} CodeBlock;

/* The value of a code that has but one. */
int code_only(const Code *code);

/* The value number `place` of a block; -1 if there is none. */
int code_value(const Code *code, CodeBlock block, unsigned place);

/* Values of a block of `values`, from number `place` on, at most `room` of them. How many there
 * were, or -1. */
int code_values(const Code *code, CodeBlock block, unsigned values, unsigned place, size_t room,
                uint16_t *out);

/* Where values of `bits` bits are written one behind the other, the first lowest. */
typedef struct CodePack {
    uint8_t *out;
    uint64_t word; /* not written yet: */
    unsigned used; /* so many bits */
} CodePack;

/* The same as code_values, packed; of a code with `bits`. A fraction of a nanosecond a value. */
int code_pack(const Code *code, CodeBlock block, unsigned values, unsigned place, size_t room,
              CodePack *pack);

/* Writes what is left, to a whole byte. */
void code_pack_end(CodePack *pack);

#endif
