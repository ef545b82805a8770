/* stream.h - the blocks of one table file, filled by runs of bytes in any order. */
#ifndef TREB_GEN_STREAM_H
#define TREB_GEN_STREAM_H

#include "gen/write/order.h"

/* A block that several runs fill. */
typedef struct Partial {
    uint8_t *bytes;
    size_t filled;
} Partial;

typedef struct Stream {
    Packing packing;
    TableHeader header;
    TableWriter *writer;
    StageMap map;
    Partial *partial[2];
    uint64_t blocks, side_bytes, slice_bytes;
    struct Stream *twin;    /* gets the same blocks */
    TableEncoder **encoder; /* of each thread; not owned */
} Stream;

/* Opens the file of a material's metric with the given order and sides to keep. */
treb_status stream_open(Stream *stream, const Shape *shape, const Packing *packing,
                        const uint8_t *order, const bool keep[2], const char *directory,
                        TableEncoder **encoder, treb_error *error);

/* Compresses and writes a run of bytes of a side, in parallel; may be called from several threads
 * for different runs. Every byte must come exactly once. */
treb_status stream_write(Stream *stream, int side, uint64_t start, const uint8_t *bytes,
                         size_t size, treb_error *error);

/* Gives the header a map of `count` codes for a verdict. False: out of memory. */
bool stream_set_map(Stream *stream, int side, int verdict, unsigned count);

/* Frees what it holds and gives up the file if it is not finished. */
void stream_close(Stream *stream);

treb_status emit_out_of_memory(treb_error *error);

#endif
