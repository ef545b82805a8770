/* coder.h - compresses an array of one of our own files. A code is learned from a sample of the cells,
 * then all cells are encoded with it, part by part. docs/format.md describes the bytes. */
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
    CODER_BLOCK_LEAST = CODE_BLOCK_LEAST, /* minimum bytes of a block */
    CODER_BLOCK_MOST = 4000,              /* maximum bytes of a block */
    CODER_BLOCK_CELLS = 65535             /* maximum cells of a block */
};

/* The limits of a code in our own files. */
extern const CodeLimits coder_limits;

/* `size` consecutive cells. */
typedef struct CoderCells {
    const uint8_t *cells;
    size_t size;
} CoderCells;

/* What a code is learned from. */
typedef struct CoderSample {
    const CoderCells *stretch;   /* parts of the array */
    size_t count;                /* number of these parts */
    uint64_t size;               /* cells of the whole array: shows whether a symbol saves bytes */
    bool present[ENCODE_VALUES]; /* other values that the code must be able to express */
    const uint8_t *up_to;        /* see CodeLimits.up_to */
} CoderSample;

/* How much time to spend on small files. FAST takes two thirds of NORMAL's time for files that are some
 * 7 % larger; SMALL takes a half more for files that are 2 % smaller. */
typedef enum CoderEffort { CODER_NORMAL, CODER_FAST, CODER_SMALL } CoderEffort;

typedef struct CoderOptions {
    CoderEffort effort;
    MemoryBudget *budget;    /* limit of large memory; NULL: none. Must outlive the coder */
    int threads;             /* at least 1 */
    unsigned symbols;        /* maximum number, though each value gets one; 0: CODE_SYMBOLS_MAX */
    const atomic_bool *stop; /* when it becomes true, learning ends soon without a code; or NULL */
} CoderOptions;

/* A code. It does not change after coder_learn: any number of threads may use it at a time. */
typedef struct Coder Coder;

/* Learns a code; the caller frees it with coder_free. The code can express each cell whose value is
 * present in the sample (or in sample->present), and each cell that allows such a value. The code does
 * not depend on the number of threads. Returns NULL and fills *error if memory runs out
 * (TREB_ERR_MEMORY) or the caller asked to stop (STOPPED, see core/system/stop.h). */
Coder *coder_learn(const CoderSample *sample, const CoderOptions *options, treb_error *error);
void coder_free(Coder *coder); /* NULL is allowed */

/* Writes the code in the format of the file, unless `out` is NULL. Returns its number of bytes. */
size_t coder_code(const Coder *coder, uint8_t *out);

/* Returns the length of the longest code word in bits. */
unsigned coder_longest(const Coder *coder);

/* The working memory of one thread. coder_buffer_make returns NULL if memory runs out. */
typedef struct CoderBuffer CoderBuffer;
CoderBuffer *coder_buffer_make(const Coder *coder);
void coder_buffer_free(CoderBuffer *buffer); /* NULL is allowed; call it before coder_free */

/* Encoded blocks. Initialize it with zeros; any number of calls of coder_encode may then use it; free
 * it with coder_blocks_free. */
typedef struct CodedBlocks {
    uint8_t *bytes;       /* the blocks, one after another */
    uint16_t *cells;      /* by block: number of its cells */
    size_t count;         /* number of blocks */
    size_t capacity;      /* number of blocks that fit in the allocated memory */
    unsigned block_bytes; /* bytes of each block */
} CodedBlocks;

/* Encodes `size` cells into blocks of `block_bytes` bytes, which replace the blocks in `out`. The result
 * does not depend on earlier calls. Returns TREB_ERR_ARGUMENT if block_bytes is out of range or the
 * code cannot express a cell, TREB_ERR_MEMORY if memory runs out. */
treb_status coder_encode(const Coder *coder, CoderBuffer *buffer, const uint8_t *cells, size_t size,
                         unsigned block_bytes, CodedBlocks *out, treb_error *error);
void coder_blocks_free(CodedBlocks *blocks);

/* coder_memory returns the most bytes that `coders` coders and `buffers` buffers claim from the budget,
 * without the blocks. coder_learn_memory returns what each coder_learn claims in addition while it
 * runs. */
uint64_t coder_memory(int coders, int buffers);
uint64_t coder_learn_memory(void);

#endif
