/* scratch_chunks.h - the parts of stored sides in a scratch file: their chunks are written and read here. The functions
 * that the store calls are in scratch.h. */
#ifndef TREB_GEN_STORE_SCRATCH_CHUNKS_H
#define TREB_GEN_STORE_SCRATCH_CHUNKS_H

#include "gen/store/scratch.h"

/* Returns the number of chunks of a part. */
size_t part_chunks(const StoreEntry *entry);

#endif
