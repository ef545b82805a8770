/* store.h - the file of the memory, an LMDB database. LMDB copies a page before it changes it. So a
 * program that is killed leaves the state before or after a change, and several programs may use the
 * file at the same time.
 *
 * The file has three databases. Their keys are keys of positions (store_key):
 *
 *     roots     Root: the result of a search of this position, and its FEN for listings
 *     records   Record: what the search of another position found out about this one
 *     near      sorted keys: the neighbourhood of a root, which is its records and the roots after it
 *
 * LMDB's main database has `version`, the text of store_version. LMDB does not check what it reads, and
 * a damaged page can end the program that reads it. So every record has a checksum, and a separate
 * process reads the whole store once before it is used. */
#ifndef UCI_STORE_H
#define UCI_STORE_H

#include <lmdb.h>

#include "memory.h"

typedef struct Record {
    uint64_t check; /* checksum of the key and of all that follows */
    uint64_t root;  /* key of the root whose search made it, and deletes it after a deeper search */
    int16_t score;  /* as in the transposition table */
    Move move;      /* the best move, or 0 */
    uint8_t depth, bound;
    uint8_t men; /* of the largest tables that the search used */
    uint8_t unused;
} Record;

enum { STORE_LINE = 16, PATH_SIZE = 4096 };

typedef struct Root {
    Record record; /* the root itself, BOUND_EXACT */
    Move line[STORE_LINE];
    char fen[TREB_FEN_SIZE];
} Root;

typedef struct Store {
    MDB_env *env;
    MDB_dbi roots, records, near;
    bool torn; /* the file is shorter than its header says */
} Store;

/* Returns the key of a position. Searches with tables of another number of men have other keys, because
 * their results differ. */
uint64_t store_key(uint64_t tt_key, int men);

/* Sets the checksum of a record or root, or checks it. */
void store_seal(uint64_t key, Record *record, size_t size);
bool store_is_sound(uint64_t key, MDB_val value, size_t size);

/* For reading, for writing, or for writing a copy that is renamed when it is complete (no syncing). */
typedef enum StoreUse { STORE_READ, STORE_WRITE, STORE_BUILD } StoreUse;

/* Opens a store without reading its contents. `bytes` is its maximum size; 0: the size stored in the
 * file. On failure, returns false and `text` says why. */
bool store_open(Store *s, const char *path, size_t bytes, StoreUse use, char text[MEMORY_TEXT]);
void store_close(Store *s);

/* Begins a transaction, also if another program has enlarged the store meanwhile. Returns an LMDB
 * error, or 0. */
int store_begin(const Store *s, unsigned flags, MDB_txn **txn);

/* Copy out the Root or Record of a key. Return false if there is none, or if it is damaged. */
bool store_root(const Store *s, MDB_txn *txn, uint64_t key, Root *out);
bool store_record(const Store *s, MDB_txn *txn, uint64_t key, Record *out);

MDB_val store_val(const void *data, size_t size);

typedef struct StoreCount {
    size_t roots, records, links;
    size_t damaged; /* roots and records with a wrong checksum */
    size_t bytes, most;
} StoreCount;

typedef enum StoreState { STORE_GOOD, STORE_DAMAGED_RECORDS, STORE_DAMAGED, STORE_BAD } StoreState;

/* Reads the whole store in a separate process. STORE_BAD: the store cannot be opened, or is not of this
 * version; `text` says why. */
StoreState store_look(const char *path, StoreCount *count, char text[MEMORY_TEXT]);

/* Copies the sound records into a new file that replaces the old one. The old file becomes
 * PATH.damaged. Fails if an engine has the store open. */
bool store_repair(const char *path, StoreCount *count, char text[MEMORY_TEXT]);

#endif
