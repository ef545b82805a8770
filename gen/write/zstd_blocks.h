/* zstd_blocks.h - writes a table file with codec zstd. The caller may write its bytes in any order. */
#ifndef TREB_GEN_WRITE_ZSTD_BLOCKS_H
#define TREB_GEN_WRITE_ZSTD_BLOCKS_H

#include "gen/write/zstd_order.h"

/* A block that is not yet complete: it is filled by several runs of bytes. */
typedef struct Partial {
    uint8_t *bytes; /* NULL: nothing is filled, or the block is written */
    size_t filled;  /* number of bytes filled */
} Partial;

/* The data common to all files of a table. */
typedef struct ZstdBlocksPlan {
    const Layout *layout;
    const char *directory;
    MemoryBudget *budget;
} ZstdBlocksPlan;

typedef struct ZstdBlocks {
    MemoryBudget *budget;
    Packing packing;
    TableHeader header;
    TableWriter *writer;
    CodesMap map;
    Partial *partial[2];         /* by side to move and block */
    uint64_t blocks, side_bytes; /* number of blocks and of bytes of a side to move */
    uint64_t slice_bytes;        /* number of bytes of a slice */
    TableEncoder **encoder;      /* an encoder for each thread; not owned */
} ZstdBlocks;

/* Opens the file of a metric with the given order of axes and sides to move. After a failure
 * zstd_blocks_close frees what was allocated. */
treb_status zstd_blocks_open(ZstdBlocks *file, const ZstdBlocksPlan *plan, const Packing *packing,
                             const uint8_t *order, const bool keep[2], TableEncoder **encoder,
                             treb_error *error);

/* Returns the maximum number of bytes that the blocks of a file claim while slices are written in any
 * order. */
uint64_t zstd_blocks_memory(const Layout *layout, treb_metric metric, unsigned width, int sides,
                            int threads);

/* Compresses and writes the `size` bytes of a side to move from offset `start` on, in parallel. Several
 * threads may call it for different bytes. Every byte of the file must be written exactly once. Returns
 * TREB_ERR_MEMORY, or the errors of table_writer_add. */
treb_status zstd_blocks_write(ZstdBlocks *file, int side, uint64_t start, const uint8_t *bytes,
                              size_t size, treb_error *error);

/* Sets the header's map from codes to plies for a verdict, with `count` codes. Returns false if out of memory. */
bool zstd_blocks_set_map(ZstdBlocks *file, int side, int verdict, unsigned count);

/* Frees all memory. Removes the file if it is not finished. */
void zstd_blocks_close(ZstdBlocks *file);

#endif
