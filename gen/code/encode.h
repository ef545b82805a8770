/* encode.h - one array of a Syzygy file: cells in, bytes out.
 *
 * A code is learned from a sample (pairs.h): symbols stand for two others and so on down to values.
 * Then the cells are cut into those symbols that take the fewest bits (parse.h), and packed into
 * blocks with a Huffman code (huffman.h). docs/syzygy.md describes the bytes. */
#ifndef TREB_GEN_ENCODE_H
#define TREB_GEN_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ledger.h"
#include "trebuchet.h"

/* A cell is a value below ENCODE_UP_TO or one of these. */
enum {
    ENCODE_ANY = 255,    /* the value does not matter */
    ENCODE_UP_TO = 0xe0, /* ENCODE_UP_TO | v: any value from 0 to v, which is at most 30, will do */
    ENCODE_VALUES = ENCODE_UP_TO
};

typedef struct EncodeOptions {
    Ledger *ledger;      /* for large memory; NULL: none to heed */
    int threads;         /* at least 1 */
    bool only_zero;      /* DTZ: an array may be "constant" only if its value is 0 */
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

/* Bytes that encoding so many cells claims of a ledger: at most, for arrays that compress at all. */
uint64_t encode_memory(uint64_t size, int threads);

/* About how many bytes an array of `size` cells takes of which these are samples, `runs` stretches of
 * `length` cells one behind the other: to compare orders. 0: out of memory. */
uint64_t encode_estimate(const uint8_t *cells, size_t runs, size_t length, uint64_t size);

/* The same from all cells. What it learns from is claimed of the ledger, as by encode_array. */
uint64_t encode_estimate_all(const uint8_t *cells, uint64_t size, Ledger *ledger);

/* The same with less of a bias for arrays of which every part is new: half of the stretches are cut
 * into symbols that were learned from the other half. Takes some times as long. */
uint64_t encode_measure(const uint8_t *cells, size_t runs, size_t length, uint64_t size);

#endif
