/* block_spool.h - blocks that one process has encoded and that wait, in a temporary file, until the process that writes
 * the table file takes them. */
#ifndef TREB_GEN_WRITE_BLOCK_SPOOL_H
#define TREB_GEN_WRITE_BLOCK_SPOOL_H

#include "gen/compress/coder.h"
#include "gen/solve/processes.h"

typedef struct BlockSpool {
    int file;           /* -1: none */
    uint64_t end, sent; /* bytes in the file, and how many of them were sent */
    uint8_t *bytes;     /* memory for the blocks of a segment */
    const Processes *processes;
    const char *directory;
} BlockSpool;

/* Makes an empty spool; with `file` it has a temporary file in `directory`. */
treb_status block_spool_init(BlockSpool *spool, const Processes *processes, const char *directory,
                             bool file, treb_error *error);
void block_spool_free(BlockSpool *spool);

/* Appends the blocks of a segment. */
treb_status block_spool_add(BlockSpool *spool, const CodedBlocks *blocks, treb_error *error);

/* ProcessExchange.send with the spool as context: sends blocks to the first process. */
treb_status block_spool_send(void *context, bool *more, treb_error *error);

/* Removes all blocks. */
treb_status block_spool_clear(BlockSpool *spool, treb_error *error);

/* Calls `use` with the blocks of each segment that another process has sent. */
typedef treb_status UseBlocks(void *context, const CodedBlocks *blocks, treb_error *error);
treb_status block_spool_receive(const ReceivedBytes *received, UseBlocks *use, void *context,
                                treb_error *error);

#endif
