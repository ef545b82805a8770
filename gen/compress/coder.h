/* coder.h - the code of an array of one of our own files: learned from a sample, then used for all
 * cells, slice after slice. docs/format.md describes the bytes. */
#ifndef TREB_GEN_COMPRESS_CODER_H
#define TREB_GEN_COMPRESS_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/memory_budget.h"
#include "core/system/stop.h"
#include "gen/compress/code_limits.h"
#include "gen/compress/values.h"
#include "trebuchet.h"

enum {
    CODER_SYMBOL_SIZE = 4,                /* bytes that a symbol takes in the file */
    CODER_BLOCK_LEAST = CODE_BLOCK_LEAST, /* bytes of a block */
    CODER_BLOCK_MOST = 4000,
    CODER_BLOCK_CELLS = 65535 /* at most */
};

/* The form of our own files. */
extern const CodeLimits coder_limits;

/* Cells that stand one behind the other. */
typedef struct CoderCells {
    const uint8_t *cells;
    size_t size;
} CoderCells;

/* What a code is learned from. */
typedef struct CoderSample {
    const CoderCells *stretch; /* some of an array */
    size_t count;
    uint64_t size;               /* cells of the array: tells whether a symbol is worth its bytes */
    bool present[ENCODE_VALUES]; /* values that may occur, beside those that are in the sample */
    const uint8_t *up_to;        /* as in CodeLimits */
} CoderSample;

typedef struct CoderOptions {
    MemoryBudget *budget;    /* for large memory; NULL: none to heed. Lasts longer than the coder */
    int threads;             /* at least 1 */
    unsigned symbols;        /* at most, unless there are more values; 0: CODE_SYMBOLS_MAX */
    const atomic_bool *stop; /* when true learning ends soon, without a code; NULL allowed */
} CoderOptions;

/* A code. Constant: any number of threads may use it. */
typedef struct Coder Coder;

/* The same whatever the number of threads. All cells can be coded whose values are present, or that
 * may have one which is. NULL: out of memory, or STOPPED, with *error filled. */
Coder *coder_learn(const CoderSample *sample, const CoderOptions *options, treb_error *error);
void coder_free(Coder *coder); /* NULL is allowed */

/* Writes the code as the file has it, unless `out` is NULL. Returns how many bytes that are. */
size_t coder_code(const Coder *coder, uint8_t *out);

/* The longest code word, in bits. */
unsigned coder_longest(const Coder *coder);

/* Room for a thread. NULL: out of memory. */
typedef struct CoderBuffer CoderBuffer;
CoderBuffer *coder_buffer_make(const Coder *coder);
void coder_buffer_free(CoderBuffer *buffer); /* NULL is allowed; before its coder */

/* Blocks of the same size one behind the other, and how many cells each has. Empty at first, with
 * all 0; then used again from call to call, and freed in the end. */
typedef struct CodedBlocks {
    uint8_t *bytes;
    uint16_t *cells;
    size_t count;
    size_t capacity; /* blocks that there is memory for */
    unsigned block_bytes;
} CodedBlocks;

/* The blocks of some cells; what was in `out` is gone. The same whatever was coded before. */
treb_status coder_encode(const Coder *coder, CoderBuffer *buffer, const uint8_t *cells, size_t size,
                         unsigned block_bytes, CodedBlocks *out, treb_error *error);
void coder_blocks_free(CodedBlocks *blocks);

/* Bytes that are claimed at most by so many coders, with so many rooms, the blocks not included; and
 * by each that is being learned in addition. */
uint64_t coder_memory(int coders, int buffers);
uint64_t coder_learn_memory(void);

#endif
