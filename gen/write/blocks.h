/* blocks.h - the blocks of one table file, filled by runs of bytes in any order. */
#ifndef TREB_GEN_BLOCKS_H
#define TREB_GEN_BLOCKS_H

#include "gen/write/order.h"

/* A block that several runs of bytes fill. */
typedef struct Partial {
    uint8_t *bytes;
    size_t filled;
} Partial;

/* What the files of a table share. */
typedef struct FileBlocksPlan {
    const Shape *shape;
    const char *directory;
    Ledger *ledger;
} FileBlocksPlan;

typedef struct FileBlocks {
    Ledger *ledger;
    Packing packing;
    TableHeader header;
    TableWriter *writer;
    CodesMap map;
    Partial *partial[2];
    uint64_t blocks, side_bytes, slice_bytes;
    struct FileBlocks *copy; /* gets the same blocks; NULL: none */
    TableEncoder **encoder;  /* of each thread; not owned */
} FileBlocks;

/* Opens the file of a metric with the given order of axes and sides to keep. After a failure
 * blocks_close frees what there is. */
treb_status blocks_open(FileBlocks *file, const FileBlocksPlan *plan, const Packing *packing,
                        const uint8_t *order, const bool keep[2], TableEncoder **encoder,
                        treb_error *error);

/* Bytes that the blocks of a file of this metric claim at most, while slices come in any order. */
uint64_t blocks_memory(const Shape *shape, treb_metric metric, unsigned width, int sides,
                       int threads);

/* Compresses and writes a run of bytes of a side, in parallel; may be called from several threads
 * for different runs. Every byte must come exactly once. */
treb_status blocks_write(FileBlocks *file, int side, uint64_t start, const uint8_t *bytes,
                         size_t size, treb_error *error);

/* Gives the header a map of `count` codes for a verdict. False: out of memory. */
bool blocks_set_map(FileBlocks *file, int side, int verdict, unsigned count);

/* Frees what it holds and gives up the file if it is not finished. */
void blocks_close(FileBlocks *file);

#endif
