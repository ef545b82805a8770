/* side_encode.h - turns cells, as values, into the blocks of a file. */
#ifndef TREB_GEN_WRITE_SIDE_ENCODE_H
#define TREB_GEN_WRITE_SIDE_ENCODE_H

#include "gen/write/block_spool.h"
#include "gen/write/side_encoder.h"

/* Where the blocks of a side go. */
typedef struct BlockOutput {
    SideEncoder *side;
    TableWriter *writer;
    unsigned class; /* the class of slices that is being written */
    /* keeps the blocks for the first process; NULL: the blocks are written at once */
    BlockSpool *spool;
} BlockOutput;

/* Cells to encode, all of one class. */
typedef struct EncodeInput {
    const CellBatch *batch; /* used if `ordered` is NULL */
    const uint8_t *ordered; /* all cells in the file's order, or NULL */
    uint64_t size;          /* number of cells */
} EncodeInput;

/* Encodes the cells in segments, in parallel, and writes the blocks in order. */
treb_status side_encode(const BlockOutput *out, const EncodeInput *input, treb_error *error);

/* Writes blocks to the file, or adds them to the spool. */
treb_status side_write_blocks(const BlockOutput *out, const CodedBlocks *blocks, treb_error *error);

#endif
