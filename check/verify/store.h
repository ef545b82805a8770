/* store.h - the tables of a check: found, opened, unpacked as needed. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_STORE_H
#define TREB_CHECK_VERIFY_STORE_H

#include "check/verify/memory.h"
#include "check/verify/verify.h"
#include "core/chess/movegen.h"
#include "probe/syzygy/syzygy.h"

/* Our files and Syzygy's go through the same code. Distances are counted in the store's unit: a ply,
 * or half a ply if Syzygy's files are checked. Then an even number is an exact distance, and an odd number one that
 * may be a ply longer, as in syzygy_dtz. These values sort as the distances do, so the minimum or the maximum over the
 * children, plus 2, is the range of the parent's distance. */
enum {
    VERIFY_NONE = 0xffff,  /* no distance known */
    VERIFY_PLIES = 4095,   /* distances are below */
    VERIFY_DISTANCES = 14, /* the metrics but WDL, as bits */
    VERIFY_ENTRIES_MAX = 4096,
    VERIFY_SLOTS = 2048,    /* of a thread's block cache, */
    VERIFY_CACHE = 64 << 20 /* which holds about so many bytes at most */
};

static inline unsigned metric_bit(int metric) { return 1u << metric; }

typedef struct VerifyEntry VerifyEntry;

/* The table that a capture, promotion or both leads to. */
typedef struct VerifyAfter {
    VerifyEntry *entry; /* NULL: bare kings */
    bool swapped;       /* its White is Black here */
} VerifyAfter;

typedef struct VerifyFile {
    Table *table; /* NULL: not installed */
    const TableHeader *header;
    bool like[2];                /* cells of a side have the numbers of the entry's index */
    _Atomic(uint8_t *) bytes[2]; /* a side unpacked, once it is */
    atomic_bool paged[2];        /* too large for that: read piece by piece */
} VerifyFile;

/* One material. Of the one under test only the files of the kind that is checked are open. */
struct VerifyEntry {
    Material material;
    bool symmetric;
    Index index; /* of White to move in the WDL table, or a plain one */
    VerifyFile file[TREB_METRICS];
    Syzygy *syzygy[TREB_DTZ + 1];                 /* NULL: not installed, or not needed */
    _Atomic(_Atomic(uint16_t) *) memo[2];         /* verdict and a distance, as far as known */
    VerifyAfter after[2][TREB_TYPES][TREB_TYPES]; /* mover, victim (king: none), promotion (or 0) */
};

/* A material and all that play can lead to. Shared by threads. */
typedef struct VerifyStore {
    const VerifyOptions *options;
    unsigned ply; /* the unit of distances: 1, or 2 for Syzygy's files */
    SyzygyMaps maps;
    VerifyEntry **entry; /* the first is the one under test */
    size_t count;
    size_t juniors; /* so many after it are what its moves lead to; the rest comes after those */
    VerifyMemory memory;
    uint64_t whole_limit; /* larger sides are not unpacked as a whole */
} VerifyStore;

/* A thread's view of the store. The first error stays; values are then meaningless. */
typedef struct VerifyReader {
    VerifyStore *store;
    TableDecoder *decoder;
    treb_error error;
    struct {
        const VerifyFile *file;
        uint64_t block;
        uint8_t *bytes;
        size_t size;
        int side;
    } slot[VERIFY_SLOTS];
} VerifyReader;

treb_status verify_store_open(VerifyStore *store, const Material *material,
                              const VerifyOptions *options, treb_error *error);
void verify_store_close(VerifyStore *store);

/* The name of a file of the kind that is checked. */
void verify_file_name(const VerifyStore *store, const Material *material, int metric,
                      char out[TABLE_NAME_SIZE]);

/* A table that the one under test needs is not there. */
treb_status verify_fail_missing(const VerifyStore *store, const Material *material, int metric,
                                treb_error *error);

/* NULL: out of memory. */
VerifyReader *verify_reader_new(VerifyStore *store);
void verify_reader_free(VerifyReader *reader);

/* The code of a cell, whichever way its side is kept; 0 once the reader has met an error. */
unsigned verify_code(VerifyReader *reader, VerifyFile *file, int side, uint64_t cell);

/* Reads one block of a side into `out`, of 2^block_bits bytes. */
bool verify_block(VerifyReader *reader, const VerifyFile *file, int side, uint64_t block,
                  uint8_t *out);

/* The memo of a side, or NULL if it would take too much memory. */
_Atomic(uint16_t) *verify_memo(VerifyStore *store, VerifyEntry *entry, int side);

/* There is more memory now: sides that were too large are looked at again when they are next needed. */
void verify_store_retry(VerifyStore *store);

#endif
