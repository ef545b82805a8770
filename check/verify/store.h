/* store.h - finds, opens and unpacks the tables that a check needs. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_STORE_H
#define TREB_CHECK_VERIFY_STORE_H

#include "check/verify/memory.h"
#include "check/verify/verify.h"
#include "core/chess/movegen.h"
#include "probe/syzygy/syzygy.h"

/* Trebuchet's files and Syzygy's files go through the same code. Distances are counted in the
 * store's unit: a ply, or half a ply if Syzygy files are checked. In half plies an even number is
 * an exact distance, and an odd number is a distance that may be a ply longer, as in syzygy_dtz.
 * These values sort in the order of the distances. So the minimum or maximum over the children,
 * plus 2, is the range of the parent's distance. */
enum {
    VERIFY_NONE = 0xffff,  /* no distance known */
    VERIFY_PLIES = 4095,   /* all distances are smaller */
    VERIFY_DISTANCES = 14, /* bits of all metrics except WDL */
    VERIFY_ENTRIES_MAX = 4096,
    VERIFY_SLOTS = 2048,    /* maximum number of blocks in the cache of a thread */
    VERIFY_CACHE = 64 << 20 /* maximum bytes of that cache, approximately */
};

static inline unsigned metric_bit(int metric) { return 1u << metric; }

typedef struct VerifyEntry VerifyEntry;

/* The table that a capture, a promotion or both leads to. */
typedef struct VerifyChildTable {
    VerifyEntry *entry; /* NULL: only the two kings are left */
    bool swapped;       /* White of this table is Black of that table */
} VerifyChildTable;

typedef struct VerifyFile {
    Table *table; /* NULL: not installed */
    const TableHeader *header;
    bool same_index[2]; /* cells of the side have the same numbers as in the entry's index */
    _Atomic(uint8_t *) bytes[2]; /* unpacked bytes of a side, once it has been unpacked */
    atomic_bool paged[2];        /* the side is too large to unpack: read it block by block */
} VerifyFile;

/* The tables of one material. For the material under test only the files of the kind to check are
 * open. */
struct VerifyEntry {
    Material material;
    bool symmetric;
    /* that of White to move in the WDL table, or a plain one; see choose_index in store.c */
    Index index;
    VerifyFile file[TREB_DTM50 + 1]; /* by metric */
    Syzygy *syzygy[TREB_DTZ + 1]; /* NULL: not installed, or not needed */
    _Atomic(_Atomic(uint16_t) *)
        memo[2]; /* verdict and one distance of each cell, as far as known */
    /* by mover, captured man (TREB_KING: none) and promotion (0: none) */
    VerifyChildTable child_table[2][TREB_TYPES][TREB_TYPES];
};

/* The material under test and all materials that play can lead to. Shared by all threads. */
typedef struct VerifyStore {
    const VerifyOptions *options;
    unsigned ply; /* unit of distances: 1, or 2 if Syzygy files are checked */
    SyzygyMaps maps;
    VerifyEntry **entry; /* the first entry is the material under test */
    size_t count;
    size_t sub_endings; /* the entries 1 to `sub_endings` are those that a single move leads to */
    VerifyMemory memory;
    uint64_t whole_limit; /* sides with more bytes are not unpacked as a whole */
} VerifyStore;

/* What one thread needs to read the store. Keeps the first error; values that are read after it are
 * meaningless. */
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

/* Writes the name of a file of the kind to check. */
void verify_file_name(const VerifyStore *store, const Material *material, int metric,
                      char out[TABLE_NAME_SIZE]);

/* Returns the error that a table is missing which the table under test needs. */
treb_status verify_fail_missing(const VerifyStore *store, const Material *material, int metric,
                                treb_error *error);

/* Returns NULL if out of memory. */
VerifyReader *verify_reader_new(VerifyStore *store);
void verify_reader_free(VerifyReader *reader);

/* Returns the code of a cell; 0 after the reader has met an error. */
unsigned verify_code(VerifyReader *reader, VerifyFile *file, int side, uint64_t cell);

/* Reads one block of a side into `out`, which must have 2^block_bits bytes. */
bool verify_block(VerifyReader *reader, const VerifyFile *file, int side, uint64_t block,
                  uint8_t *out);

/* Returns the memo of a side, or NULL if it would take too much memory. */
_Atomic(uint16_t) *verify_memo(VerifyStore *store, VerifyEntry *entry, int side);

/* Call it when memory has been released: sides that were too large to unpack are tried again when
 * they are next needed. */
void verify_store_retry(VerifyStore *store);

#endif
