/* decode.h - reads back the output of the encoder, with the reader of Syzygy's files. */
#ifndef TREB_TESTS_EXPORT_DECODE_H
#define TREB_TESTS_EXPORT_DECODE_H

#include <stdlib.h>
#include <string.h>

#include "gen/syzygy/array_encode.h"
#include "probe/syzygy/syzygy_file.h"

typedef struct Decoder {
    Syzygy table;
    uint8_t *bytes;
} Decoder;

static inline size_t decode_put(uint8_t *bytes, size_t at, const void *part, uint64_t size,
                                size_t unit)
{
    if (size != 0) memcpy(bytes + at, part, (size_t)size);
    at += (size_t)size;
    return (at + unit - 1) / unit * unit;
}

/* Opens the array as the only one of a file. Returns NULL, or the text of an error. */
static inline const char *decode_open(Decoder *decoder, const Encoded *in, uint64_t cells)
{
    size_t size =
        in->code_size + in->sparse_size + in->lengths_size + (size_t)in->blocks_size + 512;
    memset(decoder, 0, sizeof *decoder);
    uint8_t *bytes = decoder->bytes = calloc(size, 1);
    if (bytes == NULL) return "no memory";
    size_t at = decode_put(bytes, 0, in->code, in->code_size, 2);
    at = decode_put(bytes, at, in->sparse, in->sparse_size, 1);
    at = decode_put(bytes, at, in->lengths, in->lengths_size, 64);
    at = decode_put(bytes, at, in->blocks, in->blocks_size, 64);
    memset(bytes + at, 0xa5, SYZYGY_CHECKSUM_SIZE);
    decoder->table.map.bytes = bytes;
    decoder->table.map.size = at + SYZYGY_CHECKSUM_SIZE;
    /* The metric is WDL, because DTZ would need maps. */
    decoder->table.metric = TREB_WDL;
    decoder->table.sides = decoder->table.files = 1;
    decoder->table.array[0][0].index.size = cells;
    return syzygy_read_arrays(&decoder->table, 0);
}

static inline int decode_cell(const Decoder *decoder, uint64_t cell)
{
    return syzygy_cell(&decoder->table, &decoder->table.array[0][0], cell);
}

static inline bool decode_fits(uint8_t cell, int value)
{
    if (value < 0) return false;
    if (cell < ENCODE_UP_TO) return value == cell;
    return cell == ENCODE_ANY || value <= (cell & 31);
}

/* Compares every `step`-th cell with the cell that was encoded. */
static inline const char *decode_compare(const Decoder *decoder, const uint8_t *cells,
                                         uint64_t size, uint64_t step)
{
    for (uint64_t i = 0; i < size; i += step)
        if (!decode_fits(cells[i], decode_cell(decoder, i))) return "a cell has another value";
    return NULL;
}

static inline void decode_close(Decoder *decoder)
{
    code_free(&decoder->table.array[0][0].code);
    free(decoder->bytes);
}

#endif
