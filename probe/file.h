/* file.h - table files as probes use them: opened when first needed, read cell by cell through the
 * cache. Private to probe/.
 *
 * Functions that return an int return what was asked for, or minus a treb_status. */
#ifndef TREB_PROBE_FILE_H
#define TREB_PROBE_FILE_H

#include "core/table.h"
#include "probe/cache.h"
#include "syzygy/syzygy.h"

enum { FILE_NO_VERDICT = 0xff };

/* What threads share beside the tables: the open files, the cache and the decoders that are
 * idle. */
typedef struct ProbeDecoder ProbeDecoder;
typedef struct ProbePool {
    TableFiles *files;
    SyzygyMaps maps;
    Cache cache;
    pthread_mutex_t mutex;
    ProbeDecoder *idle; /* under the mutex */
    _Atomic uint64_t misses, pinned;
} ProbePool;

bool pool_init(ProbePool *pool);
void pool_destroy(ProbePool *pool);

/* A file that is open. Only slots and `whole` ever change. */
typedef struct OpenFile {
    const TableHeader *header;
    Index index;
    unsigned per_byte, width, block_bits, page_bits;
    bool stored[2];
    /* By side, place of the cell among those that share a byte, and byte: the verdict in a WDL
     * table (or FILE_NO_VERDICT), the code in others. */
    uint8_t digit[2][8][256];
    CacheSlot *slots[2];               /* by page */
    _Atomic(const uint8_t *) whole[2]; /* the side, if pinned */
    uint64_t pages;                    /* of a side */
    Table *table;
} OpenFile;

/* A file that the directories have. */
typedef struct ProbeFile {
    Material material;
    treb_metric metric;
    treb_format format;
    char *path;
    const ProbePool *pool;
    _Atomic(OpenFile *) open; /* NULL: not yet, or in vain, or another format */
    _Atomic(Syzygy *) syzygy; /* likewise */
    pthread_mutex_t mutex;    /* of opening and pinning */
    treb_error *failure;      /* why opening failed, if trying again is no use; under the mutex */
} ProbeFile;

/* `file` has a material, a metric, a format and a path (on the heap, which it owns); all else is
 * 0. */
bool file_init(ProbeFile *file, const ProbePool *pool);
void file_destroy(ProbeFile *file);

/* Opens a file: 0, or minus a treb_status. */
int file_open(ProbeFile *file, treb_error *error);

/* A file of our own format, or of Syzygy's, opened if need be. */
static inline int file_get(ProbeFile *file, const OpenFile **out, treb_error *error)
{
    *out = atomic_load_explicit(&file->open, memory_order_acquire);
    if (*out != NULL) return 0;
    int opened = file_open(file, error);
    *out = atomic_load_explicit(&file->open, memory_order_acquire);
    return opened;
}

static inline int file_get_syzygy(ProbeFile *file, const Syzygy **out, treb_error *error)
{
    *out = atomic_load_explicit(&file->syzygy, memory_order_acquire);
    if (*out != NULL) return 0;
    int opened = file_open(file, error);
    *out = atomic_load_explicit(&file->syzygy, memory_order_acquire);
    return opened;
}

/* Unpacks both sides for good. */
int file_pin(ProbePool *pool, ProbeFile *file, treb_error *error);

/* Reads bytes `at` and, if `at` is even, `at` + 1 of a side that is not in memory. */
int file_miss(ProbePool *pool, const OpenFile *file, int side, uint64_t at, treb_error *error);

/* What a cell holds: a verdict of a WDL table, else a code. */
int file_cell(ProbePool *pool, const OpenFile *file, int side, uint64_t cell, treb_error *error);

int file_damaged(const OpenFile *file, const char *what, treb_error *error);

#endif
