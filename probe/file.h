/* file.h - a table file as probes use it. Private to probe/.
 *
 *   file_open   opens a file when it is first needed
 *   file_cell   reads a cell through the cache
 *   file_syzygy reads Syzygy's files, which are mapped
 *   file_fetch  brings into memory what a probe found missing
 *   file_pin    unpacks a whole file for good
 *   file_warm   reads a whole file once, so that the system has it in memory
 *
 * Functions that return an int return a result, or minus a treb_status. */
#ifndef TREB_PROBE_FILE_H
#define TREB_PROBE_FILE_H

#include "core/format/table.h"
#include "core/system/features.h"
#include "probe/pool.h"
#include "probe/reader.h"

/* What a cell of a WDL table holds if its code has no meaning. */
enum { FILE_NO_VERDICT = 0xff };

/* A file of our own format that is open. Only the slots and `whole` change. */
typedef struct OpenTable {
    const TableHeader *header;
    Index index[2]; /* by side to move, like all arrays of two below */
    bool symbols;   /* the codec: symbols, else zstd */
    unsigned per_byte, width, block_bits, page_bits;
    bool stored[2];
    /* By side, place of the cell among the cells that share a byte, and byte: the verdict in a WDL
     * table (or FILE_NO_VERDICT), the code in others. */
    uint8_t digit[2][8][256];
    CacheSlot *slots[2];               /* one for each page of the side */
    _Atomic(const uint8_t *) whole[2]; /* the unpacked side if it is pinned, else NULL */
    ProbePool *pool;                   /* that of `file` */
    uint64_t plies;                    /* sum of the distances of all positions */
    uint64_t pages;                    /* number of pages of a side */
    /* For a file that a source has: its pages as they are in the file, not unpacked. */
    CacheSlot *packed;
    TablePages keep; /* finds and stores them, for the table */
    Table *table;
    struct ProbeFile *file;
} OpenTable;

/* A table file that was found, and is not used yet. */
typedef struct FoundFile {
    Material material;
    treb_metric metric;
    treb_format format;
    char *path;                /* on the heap */
    const treb_source *source; /* the source that has the file; NULL: it is in a directory */
} FoundFile;

/* A table file of a set. */
typedef struct ProbeFile {
    Material material; /* like the next four, as it was found; the file owns the path */
    treb_metric metric;
    treb_format format;
    char *path;
    const treb_source *source;
    ProbePool *pool;
    _Atomic(OpenTable *) open; /* NULL: not open yet, opening failed, or another format */
    _Atomic(Syzygy *) syzygy; /* likewise */
    ThreadMutex mutex;    /* held while the file is opened or pinned */
    treb_error *failure;      /* why opening failed, if that will not change; NULL: it did not.
                               * Protected by the mutex */
    treb_error *fault;        /* what was first found wrong with the file; NULL: nothing.
                               * Protected by the mutex of the pool */
} ProbeFile;

/* Fills material, metric and format from the name of a file, "KRPvKR.dtz.treb" or "KRPvKR.rtbz".
 * The name must be spelt as the generator spells it. False if it is not the name of a table. */
bool file_parse_name(const char *name, FoundFile *out);

/* Fills in a file that is all 0, and takes over the path of what was found. False if the system
 * cannot make a mutex: the path is then still that of `found`. */
bool file_init(ProbeFile *file, FoundFile *found, ProbePool *pool);
void file_destroy(ProbeFile *file);

/* Frees an open file, also one that was filled only in part. */
void file_free_open(OpenTable *open);

/* Notes that a file is damaged, missing, or cannot be read, if `error` says so; other failures, and
 * all but the first of a file, are left out. treb_tables_fault lists what was noted. file_note_result does
 * so for a function that failed with minus a status, and returns that. */
void file_note(ProbeFile *file, const treb_error *error);
static inline int file_note_result(ProbeFile *file, int result, const treb_error *error)
{
    if (result < 0) file_note(file, error);
    return result;
}

/* Whether a file is Syzygy's, and this build reads them. */
static inline bool file_is_syzygy(const ProbeFile *file)
{
    return TREB_SYZYGY && file->format == TREB_FORMAT_SYZYGY;
}

/* "PATH: WHAT"; return minus the status. */
int file_fail(treb_error *error, treb_status status, const char *path, const char *what);
int file_damaged(const OpenTable *file, const char *what, treb_error *error);

#endif
