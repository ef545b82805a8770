/* zstd_blocks.h - a table file with codec zstd, whose blocks are filled in any order. */
#ifndef TREB_GEN_WRITE_ZSTD_BLOCKS_H
#define TREB_GEN_WRITE_ZSTD_BLOCKS_H

#include "gen/write/zstd_order.h"

/* A block that several runs of bytes fill. */
typedef struct Partial {
    uint8_t *bytes;
    size_t filled;
} Partial;

/* What the files of a table have in common. */
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
    Partial *partial[2];
    uint64_t blocks, side_bytes, slice_bytes;
    struct ZstdBlocks *copy; /* gets the same blocks; NULL: none */
    TableEncoder **encoder;  /* of each thread; not owned */
} ZstdBlocks;

/* Opens the file of a metric with the given order of axes and sides to move. After a failure
 * zstd_blocks_close frees what was allocated. */
treb_status zstd_blocks_open(ZstdBlocks *file, const ZstdBlocksPlan *plan, const Packing *packing,
                             const uint8_t *order, const bool keep[2], TableEncoder **encoder,
                             treb_error *error);

/* Most bytes that the blocks of a file claim, while slices come in any order. */
uint64_t zstd_blocks_memory(const Layout *layout, treb_metric metric, unsigned width, int sides,
                            int threads);

/* Compresses and writes a run of bytes of a side, in parallel. May be called from several
 * threads for different runs. Every byte must come exactly once. */
treb_status zstd_blocks_write(ZstdBlocks *file, int side, uint64_t start, const uint8_t *bytes,
                              size_t size, treb_error *error);

/* Gives the header a map of `count` codes for a verdict. Returns false if out of memory. */
bool zstd_blocks_set_map(ZstdBlocks *file, int side, int verdict, unsigned count);

/* Frees all memory. Removes the file if it is not finished. */
void zstd_blocks_close(ZstdBlocks *file);

#endif
