/* pool.h - what all threads that probe a set of tables share: open files, the cache, decoders that
 * no thread is using, the fetcher thread. Private to probe/. */
#ifndef TREB_PROBE_POOL_H
#define TREB_PROBE_POOL_H

#include "core/format/table.h"
#include "probe/cache.h"
#include "probe/fetcher.h"
#include "probe/syzygy/syzygy.h"

/* What one thread needs to unpack a block. As many exist as threads ever unpacked blocks at the
 * same time. */
typedef struct ProbeDecoder ProbeDecoder;
struct ProbeDecoder {
    ProbeDecoder *next; /* in the list of idle decoders */
    TableDecoder *decoder;
    uint8_t *block;
    size_t capacity; /* bytes of `block` */
};

typedef struct ProbePool {
    TableFiles *files;
    SyzygyMaps maps;
    Cache cache;
    Fetcher fetcher;
    ThreadMutex mutex;         /* protects `idle`, and what is noted about files */
    struct ProbeFile **faulty; /* those with something wrong, in the order in which it was found;
                                * room for all files of the set */
    _Atomic(size_t) faults;    /* how many there are */
    ProbeDecoder *idle;
    treb_source *sources; /* for example servers; the pool closes them */
    size_t source_count;
    _Atomic(uint64_t) misses; /* how often a cell was not in the cache */
    _Atomic(uint64_t) pinned; /* bytes of tables that are pinned */
} ProbePool;

/* False: out of memory. */
bool pool_init(ProbePool *pool);
void pool_destroy(ProbePool *pool);

/* Takes a decoder whose block has at least `size` bytes, for a reader that waits as `wait` says.
 * NULL: out of memory. pool_give returns it. */
ProbeDecoder *pool_take(ProbePool *pool, size_t size, TableWait wait);
void pool_give(ProbePool *pool, ProbeDecoder *decoder);

#endif
