/* file.h - table files as probes use them: opened when first needed, read cell by cell through the
 * cache. Private to probe/.
 *
 * Functions that return an int return what was asked for, or minus a treb_status. */
#ifndef TREB_PROBE_FILE_H
#define TREB_PROBE_FILE_H

#include "core/format/table.h"
#include "probe/cache.h"
#include "probe/fetch.h"
#include "probe/syzygy/syzygy.h"

enum { FILE_NO_VERDICT = 0xff };

/* What threads share beside the tables: the open files, the cache and the decoders that are
 * idle. */
typedef struct ProbeDecoder ProbeDecoder;
typedef struct ProbePool {
    TableFiles *files;
    SyzygyMaps maps;
    Cache cache;
    Fetcher fetcher;
    pthread_mutex_t mutex;
    ProbeDecoder *idle;   /* under the mutex */
    treb_source *sources; /* of the files that are elsewhere; the pool closes them */
    size_t source_count;
    _Atomic uint64_t misses, pinned;
} ProbePool;

bool pool_init(ProbePool *pool);
void pool_destroy(ProbePool *pool);

/* Who reads: from which pool, and whether it waits for a disk. The whole way of a probe takes
 * one. */
typedef struct ProbeReader {
    ProbePool *pool;
    TableWait wait;
    struct Gather *gather; /* notes what is to be brought; NULL: the thread that fetches does */
} ProbeReader;

/* A file that is open. Only slots and `whole` ever change. */
typedef struct OpenFile {
    const TableHeader *header;
    Index index[2]; /* by side */
    bool symbols;   /* its codec */
    unsigned per_byte, width, block_bits, page_bits;
    bool stored[2];
    /* By side, place of the cell among those that share a byte, and byte: the verdict in a WDL
     * table (or FILE_NO_VERDICT), the code in others. */
    uint8_t digit[2][8][256];
    CacheSlot *slots[2];               /* by page */
    _Atomic(const uint8_t *) whole[2]; /* the side, if pinned */
    uint64_t pages;                    /* of a side */
    CacheSlot *packed; /* of a file that is elsewhere, by page of the file: as it is there */
    TablePages keep;   /* which finds them */
    Table *table;
    struct ProbeFile *source;
} OpenFile;

/* A file that the directories have. */
typedef struct ProbeFile {
    Material material;
    treb_metric metric;
    treb_format format;
    char *path;
    const treb_source *source; /* that has it; NULL: a directory */
    ProbePool *pool;
    _Atomic(OpenFile *) open; /* NULL: not yet, or in vain, or another format */
    _Atomic(Syzygy *) syzygy; /* likewise */
    pthread_mutex_t mutex;    /* of opening and pinning */
    treb_error *failure;      /* why opening failed, if trying again is no use; under the mutex */
} ProbeFile;

/* `file` has a material, a metric, a format and a path (on the heap, which it owns); all else is
 * 0. */
bool file_init(ProbeFile *file, ProbePool *pool);
void file_destroy(ProbeFile *file);

/* Opens a file: 0, or minus a treb_status. Who does not wait opens nothing, as that reads the
 * file's header: it is TREB_ERR_NOT_READY, and the thread that fetches, if there is one, opens
 * it. */
int file_open(const ProbeReader *reader, ProbeFile *file, treb_error *error);

/* A file of our own format, or of Syzygy's, opened if need be. */
static inline int file_get(const ProbeReader *reader, ProbeFile *file, const OpenFile **out,
                           treb_error *error)
{
    *out = atomic_load_explicit(&file->open, memory_order_acquire);
    if (*out != NULL) return 0;
    int opened = file_open(reader, file, error);
    if (opened == 0) *out = atomic_load_explicit(&file->open, memory_order_acquire);
    return opened;
}

static inline int file_get_syzygy(const ProbeReader *reader, ProbeFile *file, const Syzygy **out,
                                  treb_error *error)
{
    *out = atomic_load_explicit(&file->syzygy, memory_order_acquire);
    if (*out != NULL) return 0;
    int opened = file_open(reader, file, error);
    if (opened == 0) *out = atomic_load_explicit(&file->syzygy, memory_order_acquire);
    return opened;
}

/* One who waits for whatever it lacks. */
static inline ProbeReader file_reader(const ProbeFile *file)
{
    return (ProbeReader){file->pool, TABLE_WAIT, NULL};
}

/* Unpacks both sides for good. */
int file_pin(ProbePool *pool, ProbeFile *file, treb_error *error);

/* What a cell holds: a verdict of a WDL table, else a code. */
int file_cell(const ProbeReader *reader, const OpenFile *file, int side, uint64_t cell,
              treb_error *error);

/* Before a position is looked up in a file of Syzygy's, which waits where pages are not in memory:
 * 0 if it may be, or minus TREB_ERR_NOT_READY. Positions as syzygy_ready has them. */
int file_syzygy_unready(const ProbeReader *reader, ProbeFile *file, const Syzygy *table,
                        const treb_position *pos, treb_error *error);
static inline int file_syzygy_ready(const ProbeReader *reader, ProbeFile *file, const Syzygy *table,
                                    const treb_position *pos, treb_error *error)
{
    if (reader->wait == TABLE_WAIT || reader->wait == TABLE_NEAR) return 0;
    return file_syzygy_unready(reader, file, table, pos, error);
}

/* Does what was noted for fetching; with TABLE_FETCH only asks the system, or a source, to begin. For
 * those who fetch. The status is of interest with TABLE_WAIT alone. */
treb_status file_fetch(ProbePool *pool, const FetchJob *job, TableWait wait);

/* Reads all of a file once, so that the system has it in memory, a part at a time; after each
 * `told` is called, unless NULL, and ends it by true. */
typedef bool FileTold(void *context, uint64_t bytes);
treb_status file_read_through(const ProbeFile *file, FileTold *told, void *context,
                              treb_error *error);

/* Its bytes; 0 if the system, or the source, does not say. */
uint64_t file_size(const ProbeFile *file);

int file_damaged(const OpenFile *file, const char *what, treb_error *error);

#endif
