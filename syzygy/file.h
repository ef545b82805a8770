/* file.h - a Syzygy file in memory. Private to syzygy/ and export/, which writes them. */
#ifndef TREB_SYZYGY_FILE_H
#define TREB_SYZYGY_FILE_H

#include "syzygy/format.h"
#include "syzygy/syzygy.h"

/* Values in a row: a side to move, a file of the leading pawn. */
typedef struct SyzygyArray {
    SyzygyIndex index;
    uint8_t flags, constant;
    uint8_t block_bits, sparse_bits; /* log2 of bytes a block, of cells a step of `sparse` */
    uint8_t shortest;                /* code word, in bits */
    uint16_t symbols;
    uint32_t blocks;
    uint64_t lengths;      /* blocks and what stands in for some more */
    const uint8_t *sparse; /* for the middle cell of each step: its block, its place there */
    const uint8_t *length; /* by block: values in it, less 1 */
    const uint8_t *block;
    const uint8_t *pairs; /* by symbol: what it stands for */
    uint8_t *more;        /* by symbol: how many values that are, less 1 */
    uint64_t base[SYZYGY_LENGTH_MAX + 1];
    uint16_t symbol[SYZYGY_LENGTH_MAX + 1];
    uint8_t first_length[256]; /* by the first 8 bits: no shorter word begins so */
    const uint8_t *map[SYZYGY_MAPS];
    uint16_t map_count[SYZYGY_MAPS];
} SyzygyArray;

struct Syzygy {
    const uint8_t *bytes;
    uint64_t size;
    const SyzygyMaps *maps;
    char *path;
    treb_metric metric;
    bool symmetric;
    int sides, files;
    int lead; /* the leading pawns, colour * 8 + type */
    SyzygyArray array[2][4];
};

/* Reads from `at` on what is known of arrays whose sizes are known: codes, maps, indexes. What is
 * wrong with them, or NULL. */
const char *syzygy_read_arrays(Syzygy *table, uint64_t at);

/* The value of a cell: 0 to 4095, or -1 if there is none. */
int syzygy_cell(const Syzygy *table, const SyzygyArray *array, uint64_t cell);

static inline unsigned syzygy_left(const uint8_t *pair) { return pair[0] | (pair[1] & 15u) << 8; }

static inline unsigned syzygy_right(const uint8_t *pair)
{
    return pair[1] >> 4 | (unsigned)pair[2] << 4;
}

#endif
