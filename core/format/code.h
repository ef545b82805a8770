/* code.h - values coded by symbols. Each symbol stands for two other symbols and so on down to
 * values (recursive pairing; Larsson and Moffat's Re-Pair), and has a word of a canonical Huffman
 * code. Syzygy's files and ours store their cells so, in blocks of some bytes that can be read one
 * at a time.
 *
 * Nothing in a file is trusted: whatever its bytes are, reading stays within a block and ends.
 * Reading values allocates and locks nothing. */
#ifndef TREB_CORE_FORMAT_CODE_H
#define TREB_CORE_FORMAT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CODE_WORD_MAX = 32,       /* longest word in bits */
    CODE_SYMBOLS_MAX = 16384, /* limit of symbols: the tables of more do not stay in the
                                 processor's caches */
    CODE_VALUES_MAX = 256,    /* limit of values that one symbol stands for */
    CODE_LEAF = 0xffff,       /* as right symbol of a pair: the left one is a value */
    CODE_BLOCK_LEAST = 8      /* smallest block in bytes */
};

/* The parts of a code as they are in a file. Words of one length are consecutive numbers, and
 * longer words are smaller than shorter ones. */
typedef struct CodeParts {
    unsigned shortest, longest; /* length of the shortest and the longest word in bits */
    const uint8_t *first; /* by length from the shortest on, u16: number of its first symbol */
    unsigned symbols;
    const uint8_t *pairs; /* by symbol: its pair */
    bool wide;     /* a pair is two u16, and CODE_LEAF on the right marks a value; else two numbers
                  of 12 bits, and 0xfff */
    unsigned bits; /* bits of a value: 1, 2, 4, 8 or 16; 0: not known */
} CodeParts;

/* A code that is ready for reading. Constant: any number of threads may use it. */
typedef struct Code {
    const uint8_t *pairs; /* not owned */
    uint8_t *more;        /* by symbol: number of its values, less 1 */
    /* If values have few bits: by symbol its values, the first in the lowest bits, if they fit. */
    uint64_t *piece;
    unsigned symbols;
    uint8_t shortest, bits;
    uint8_t loaded; /* number of words that surely are in the bits read at once */
    uint8_t fit;    /* number of values that fit into one `piece`; 0 without pieces */
    bool wide;
    uint64_t base[CODE_WORD_MAX + 1];
    uint16_t symbol[CODE_WORD_MAX + 1];
    uint8_t first_length[256]; /* by the first 8 bits: a lower bound of the length of a word that
                                  begins with them */
} Code;

/* Checks a code and makes it ready for reading. `parts` must stay valid as long as the code.
 * Returns NULL on success, or a constant text that says what is wrong; code_no_memory itself if
 * memory is out. */
extern const char code_no_memory[];
const char *code_init(Code *code, const CodeParts *parts);
void code_free(Code *code); /* zero-initialised codes are allowed */

/* A block of at least CODE_BLOCK_LEAST bytes. Reading may go beyond its words, up to `end`. */
typedef struct CodeBlock {
    const uint8_t *start, *end;
} CodeBlock;

/* Returns the value of a code with only one value. */
int code_only(const Code *code);

/* Where words begin in blocks that were read, so that reading one of them again need not begin at its
 * start. A block that finds its place taken replaces the other. */
enum {
    CODE_MARKED = 256,   /* number of blocks */
    CODE_MARKS = 15,     /* number of marks in each, */
    CODE_MARK_BITS = 96, /* and bits from one to the next, at least */
};
typedef struct CodeMark {
    uint16_t bits, values; /* before the word */
} CodeMark;
typedef struct CodeMarks {
    unsigned count;
    CodeMark mark[CODE_MARKS]; /* in ascending order */
} CodeMarks;
typedef struct CodeMemo {
    const uint8_t *block[CODE_MARKED]; /* NULL at first */
    CodeMarks of[CODE_MARKED];         /* by place of the block; no need to clear them */
} CodeMemo;

/* Returns value number `place` of a block, or -1 if there is none. `memo` may be NULL; otherwise the
 * block has at most 65536 values, and stays where it is. */
int code_value(const Code *code, CodeBlock block, unsigned place, CodeMemo *memo);

/* Writes values of a block that has `values` of them, from number `place` on, at most `room`.
 * Returns how many, or -1 if the block is damaged. */
int code_values(const Code *code, CodeBlock block, unsigned values, unsigned place, size_t room,
                uint16_t *out);

/* Bits of a block, from number `at` on, that are words of several codes, of symbols with one value. */
typedef struct CodeWords {
    CodeBlock block;
    size_t at;
} CodeWords;

/* Reads a word. Returns its value, or -1 if there is none. */
int code_next(const Code *code, CodeWords *words);

/* A place where values are written without gaps, the first in the lowest bits. */
typedef struct CodePack {
    uint8_t *out;
    uint64_t word; /* bits not written yet, */
    unsigned used; /* and their number */
} CodePack;

/* Writes values like code_values, packed to the code's number of bits, which must be known. Takes a
 * fraction of a nanosecond for each value. */
int code_pack(const Code *code, CodeBlock block, unsigned values, unsigned place, size_t room,
              CodePack *pack);

/* Writes the remaining bits as whole bytes. */
void code_pack_end(CodePack *pack);

#endif
