/* array.h - one array of a Syzygy file: cells in, bytes out. docs/syzygy.md describes the bytes.
 *
 * A code is learned from a sample (gen/compress/learn.h), then all cells are cut into its symbols, and
 * their code words packed into blocks. */
#ifndef TREB_GEN_SYZYGY_ARRAY_ENCODE_H
#define TREB_GEN_SYZYGY_ARRAY_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/memory_budget.h"
#include "gen/compress/code_limits.h"
#include "gen/compress/values.h"
#include "trebuchet.h"

/* What the format allows. */
extern const CodeLimits array_limits;

typedef struct EncodeOptions {
    MemoryBudget *budget; /* for large memory; NULL: none to heed */
    int threads;          /* at least 1 */
    bool only_zero;       /* DTZ: an array may be "constant" only if its value is 0 */
    unsigned block_bits; /* log2 of the most bytes a block: 0 stands for 6 (verdicts; DTZ has 10) */
} EncodeOptions;

/* The parts of an array, in the order of docs/syzygy.md. A constant array has `code` alone. */
typedef struct Encoded {
    uint8_t *code; /* from the byte of flags, 0 or SYZYGY_CONSTANT, to the symbols; not aligned */
    size_t code_size;
    uint8_t *sparse; /* the index */
    size_t sparse_size;
    uint8_t *lengths; /* of the blocks, and what stands in for some more */
    size_t lengths_size;
    uint8_t *blocks;
    uint64_t blocks_size; /* a multiple of the block size */
} Encoded;

/* The same bytes whatever the number of threads. On failure *out is empty. */
treb_status encode_array(const uint8_t *cells, uint64_t size, const EncodeOptions *options,
                         Encoded *out, treb_error *error);
void encode_free(Encoded *encoded);
uint64_t encoded_bytes(const Encoded *encoded);

/* Bytes that encoding so many cells claims of a budget: at most, for arrays that compress at all. */
uint64_t encode_memory(uint64_t size, int threads);

#endif
