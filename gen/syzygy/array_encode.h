/* array_encode.h - encodes the cells of one array of a Syzygy file. docs/syzygy.md describes the format.
 *
 * The encoder learns a code from a sample of the cells (gen/compress/learn.h), cuts all cells into the
 * symbols of that code, and packs their code words into blocks. */
#ifndef TREB_GEN_SYZYGY_ARRAY_ENCODE_H
#define TREB_GEN_SYZYGY_ARRAY_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/memory_budget.h"
#include "gen/compress/code_limits.h"
#include "gen/compress/values.h"
#include "trebuchet.h"

/* The limits that the format sets for a code. */
extern const CodeLimits array_limits;

typedef struct EncodeOptions {
    MemoryBudget *budget; /* from which large memory is claimed; NULL: no limit */
    int threads;          /* number of threads, at least 1 */
    bool only_zero;       /* for DTZ: an array may be "constant" only if its value is 0 */
    unsigned block_bits;  /* log2 of the maximum bytes of a block: 6 for WDL, 10 for DTZ; 0: 6 */
} EncodeOptions;

/* The encoded parts of an array, in the order of docs/syzygy.md. A constant array has only `code`. */
typedef struct Encoded {
    uint8_t *code; /* from the flags byte (0 or SYZYGY_CONSTANT) to the symbols; without padding */
    size_t code_size;
    uint8_t *sparse; /* the index */
    size_t sparse_size;
    uint8_t *lengths; /* number of cells of each block, then entries behind the last block */
    size_t lengths_size;
    uint8_t *blocks;
    uint64_t blocks_size; /* in bytes, a multiple of the block size */
} Encoded;

/* Encodes `size` cells. The result does not depend on the number of threads. Free `out` with encode_free.
 * Returns TREB_ERR_MEMORY if memory runs out; then *out is empty. */
treb_status encode_array(const uint8_t *cells, uint64_t size, const EncodeOptions *options,
                         Encoded *out, treb_error *error);
void encode_free(Encoded *encoded);

/* Returns the total number of bytes of the parts. */
uint64_t encoded_bytes(const Encoded *encoded);

/* Returns the maximum number of bytes that encoding `size` cells claims from a budget. The bound holds
 * only for arrays that can be compressed. */
uint64_t encode_memory(uint64_t size, int threads);

#endif
