/* tableset.h - the tables being served, and the cache of responses made from them.
 *
 * A set can be replaced by a new one at any time. Requests that use the old set keep it until they
 * end; the last of them frees it. */
#ifndef TREB_SERVER_TABLESET_H
#define TREB_SERVER_TABLESET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "server/response_cache.h"
#include "trebuchet.h"

typedef struct TableSet {
    treb_tables *tables;
    ResponseCache *cache; /* responses made from these tables */
    atomic_uint users;
    pthread_mutex_t bundle_lock;
    bool bundle_made; /* or tried in vain */
    int bundle;       /* the list of headers as a file; -1 without one */
    treb_error bundle_error;
    size_t faults_told; /* how many files with something wrong are in the log; for one thread */
} TableSet;

typedef struct TableHolder {
    pthread_mutex_t lock;
    TableSet *current;
    const char *const *directories;
    size_t count;
    bool lenient;         /* a single folder that does not exist counts as empty */
    uint64_t block_bytes; /* memory for unpacked blocks of tables */
    uint64_t cache_bytes; /* memory for the cache of responses */
} TableHolder;

/* Opens the tables of the folders once more, independent of any set; the caller closes them. Folders
 * that cannot be opened are left out if there are others. Returns NULL and an error on failure. */
treb_tables *tableset_tables(const TableHolder *holder, treb_error *error);

/* Returns the next folder from `number` on that cannot be opened, with errno saying why, and moves
 * *number behind it; NULL if there is none. */
const char *tableset_missing(const TableHolder *holder, size_t *number);

/* Opens the first set. The caller has filled in all members after `current`, and keeps
 * `directories` valid. */
treb_status tableset_open(TableHolder *holder, treb_error *error);

/* Returns whether the set has tables, or is allowed to have none. */
static inline bool tableset_ready(const TableSet *set, bool allow_empty)
{
    return treb_tables_men(set->tables) > 0 || allow_empty;
}

/* Opens a new set from the folders. On failure the old set stays. */
treb_status tableset_reload(TableHolder *holder, treb_error *error);

/* Returns a file, which the caller closes, with the list of the tables in the folders and their headers: the bytes of
 * trebuchet.headers (docs/format.md). The first call makes it, which takes some seconds for all tables of five men. Tables at
 * addresses are not in it. Returns -1 and an error on failure. */
int tableset_bundle(const TableHolder *holder, TableSet *set, treb_error *error);

/* Frees everything. No request may be in progress. */
void tableset_close(TableHolder *holder);

/* Returns the current set; the caller releases it. */
TableSet *tableset_acquire(TableHolder *holder);
void tableset_release(TableSet *set);

#endif
