/* store.h - the file of the memory, by LMDB: pages of it are copied before they change, so that a
 * run that is killed leaves what there was before or after a change, and many programs may use it.
 *
 * Three databases, all by the keys of positions (store_key):
 *
 *     roots     Root: what a search of this position found out; its FEN, so that it can be listed
 *     records   Record: what a search of another found out about this one
 *     near      keys, sorted: the neighbourhood of a root, its records and the roots after it
 *
 * and in LMDB's main one `version`, the text of store_version. LMDB does not check what it reads:
 * every record has a check sum, and a store is read through once by a process of its own before it
 * is used, as a damaged page can end the one that reads it. */
#ifndef UCI_STORE_H
#define UCI_STORE_H

#include <lmdb.h>

#include "memory.h"

typedef struct Record {
    uint64_t check; /* of the key and of what follows: store_check */
    uint64_t root;  /* the search that found it out, and drops it when it has come further */
    int16_t score;  /* as in the transposition table */
    Move move;      /* the best, or 0 */
    uint8_t depth, bound;
    uint8_t men; /* of the largest tables that it was made with */
    uint8_t unused;
} Record;

enum { STORE_LINE = 16, PATH_SIZE = 4096 };

typedef struct Root {
    Record record; /* BOUND_EXACT, of the root itself */
    Move line[STORE_LINE];
    char fen[TREB_FEN_SIZE];
} Root;

typedef struct Store {
    MDB_env *env;
    MDB_dbi roots, records, near;
    bool torn; /* the file is shorter than it says */
} Store;

/* A search that asks larger tables knows other things: it has records of its own. */
uint64_t store_key(uint64_t tt_key, int men);

/* Sets the check sum of a record or root, or says whether it is right. */
void store_seal(uint64_t key, Record *record, size_t size);
bool store_is_sound(uint64_t key, MDB_val value, size_t size);

/* To look, to write, or to write what gets its name when it is complete. */
typedef enum StoreUse { STORE_READ, STORE_WRITE, STORE_BUILD } StoreUse;

/* Opens without a look at what is inside; `bytes` is how large it may become, 0 as large as it says
 * itself. False: `text` says why. */
bool store_open(Store *s, const char *path, size_t bytes, StoreUse use, char text[MEMORY_TEXT]);
void store_close(Store *s);

/* Begins a transaction, though another program may have made the store larger meanwhile. */
int store_begin(const Store *s, unsigned flags, MDB_txn **txn);

/* The sound Root or Record of a key, copied out. */
bool store_root(const Store *s, MDB_txn *txn, uint64_t key, Root *out);
bool store_record(const Store *s, MDB_txn *txn, uint64_t key, Record *out);

MDB_val store_val(const void *data, size_t size);

typedef struct StoreCount {
    size_t roots, records, links;
    size_t damaged; /* of the roots and records */
    size_t bytes, most;
} StoreCount;

typedef enum StoreState { STORE_GOOD, STORE_DAMAGED_RECORDS, STORE_DAMAGED, STORE_BAD } StoreState;

/* Reads the whole store in a process of its own. STORE_BAD: it cannot be opened, or is none of this
 * version, and `text` says so. */
StoreState store_look(const char *path, StoreCount *count, char text[MEMORY_TEXT]);

/* Copies what is sound into a new file, which takes the place of the old; that one becomes
 * PATH.damaged. No engine may have it open. */
bool store_repair(const char *path, StoreCount *count, char text[MEMORY_TEXT]);

#endif
