/* memory.c - see memory.h. */
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "store.h"

enum { ROOTS_MAX = 256 /* loaded before a search */ };

struct Memory {
    Store store;
    unsigned mib;
    bool failed; /* nothing is kept in this game any more; the user was told once */
};

/* ---- Opening --------------------------------------------------------------------------------- */

/* Locks the file as shared for as long as it is open, because a repair needs it alone. */
static bool share(const Store *s, const char *path, char text[MEMORY_TEXT])
{
    int fd;
    struct stat ours, there;
    if (mdb_env_get_fd(s->env, &fd) == 0 && flock(fd, LOCK_SH | LOCK_NB) == 0 &&
        fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino)
        return true;
    snprintf(text, MEMORY_TEXT, "%.400s: is just being repaired", path);
    return false;
}

static void describe(const char *path, const StoreCount *count, unsigned mib,
                     char text[MEMORY_TEXT])
{
    int at = snprintf(text, MEMORY_TEXT, "%.200s: %zu positions, %.1f of %u MiB", path,
                      count->roots, (double)count->bytes / (1 << 20), mib);
    if (count->damaged && at < MEMORY_TEXT)
        snprintf(
            text + at, (size_t)(MEMORY_TEXT - at),
            "; %zu damaged records are not used: `trebuchet-uci memory repair %.200s` drops them",
            count->damaged, path);
}

static Memory *try_to_open(const char *path, unsigned mib, char text[MEMORY_TEXT])
{
    StoreCount count = {0};
    struct stat file;
    if (stat(path, &file) == 0 && file.st_size > 0 &&
        store_look(path, &count, text) > STORE_DAMAGED_RECORDS)
        return NULL;
    Memory *m = calloc(1, sizeof *m);
    if (m == NULL) {
        strcpy(text, "out of memory");
        return NULL;
    }
    m->mib = mib;
    if (store_open(&m->store, path, (size_t)mib << 20, STORE_WRITE, text)) {
        if (share(&m->store, path, text)) {
            describe(path, &count, mib, text);
            return m;
        }
        store_close(&m->store);
    }
    free(m);
    return NULL;
}

/* Tries several times, because another engine may be creating or closing the store. */
Memory *memory_open(const char *path, unsigned mib, char text[MEMORY_TEXT])
{
    enum { TIMES = 5 };
    const struct timespec moment = {0, 20000000};
    Memory *m = try_to_open(path, mib, text);
    for (int i = 1; i < TIMES && m == NULL; i++) {
        nanosleep(&moment, NULL);
        m = try_to_open(path, mib, text);
    }
    return m;
}

void memory_close(Memory *m)
{
    if (m == NULL) return;
    mdb_env_sync(m->store.env, 1);
    store_close(&m->store);
    free(m);
}

void memory_new_game(Memory *m)
{
    mdb_env_sync(m->store.env, 1);
    m->failed = false;
}

/* ---- Recalling --------------------------------------------------------------------------------- */

typedef struct Recall {
    const Store *store;
    MDB_txn *txn;
    Tt *tt;
    int men;
    size_t loaded;
    uint64_t roots[ROOTS_MAX];
    int count;
} Recall;

static void load(Recall *r, uint64_t key, const Record *record)
{
    const TtEntry entry = {.key = store_key(key, r->men),
                           .move = record->move,
                           .score = record->score,
                           .depth = record->depth,
                           .bound = record->bound};
    tt_load(r->tt, &entry);
    r->loaded++;
}

static void add_root(Recall *r, uint64_t key)
{
    for (int i = 0; i < r->count; i++)
        if (r->roots[i] == key) return;
    if (r->count < ROOTS_MAX) r->roots[r->count++] = key;
}

static void load_near(Recall *r, uint64_t root)
{
    MDB_cursor *cursor;
    MDB_val k = store_val(&root, sizeof root), v;
    if (mdb_cursor_open(r->txn, r->store->near, &cursor) != 0) return;
    int failed = mdb_cursor_get(cursor, &k, &v, MDB_SET_KEY);
    for (; !failed; failed = mdb_cursor_get(cursor, &k, &v, MDB_NEXT_DUP)) {
        uint64_t key;
        Root other;
        Record record;
        memcpy(&key, v.mv_data, sizeof key);
        if (store_record(r->store, r->txn, key, &record)) load(r, key, &record);
        if (store_root(r->store, r->txn, key, &other)) {
            load(r, key, &other.record);
            add_root(r, key);
        }
    }
    mdb_cursor_close(cursor);
}

static void known_of(const Root *root, Found *known)
{
    known->depth = root->record.depth;
    known->score = root->record.score;
    while (known->length < STORE_LINE && root->line[known->length] != 0) {
        known->line[known->length] = root->line[known->length];
        known->length++;
    }
}

static uint64_t key_of(const Board *b, const Tables *t)
{
    return store_key(tt_key(b), tables_men(t));
}

void memory_recall(const Memory *m, const Game *g, const Tables *t, Tt *tt, Found *known)
{
    Recall r = {.store = &m->store, .tt = tt, .men = tables_men(t)};
    Root root;
    known->depth = known->length = known->near_count = 0;
    if (tables_know(t, &g->board) || store_begin(&m->store, MDB_RDONLY, &r.txn) != 0) return;
    add_root(&r, key_of(&g->board, t));
    if (store_root(&m->store, r.txn, r.roots[0], &root)) {
        known_of(&root, known);
        /* load_near adds roots at the end, so the nearest ones are loaded first. */
        for (int i = 0; i < r.count && r.loaded < tt->count / 4; i++) load_near(&r, r.roots[i]);
    }
    mdb_txn_abort(r.txn);
}

/* ---- Keeping ----------------------------------------------------------------------------------- */

static int put(MDB_txn *txn, MDB_dbi dbi, uint64_t key, Record *record, size_t size)
{
    MDB_val k = store_val(&key, sizeof key), v = store_val(record, size);
    store_seal(key, record, size);
    return mdb_put(txn, dbi, &k, &v, 0);
}

static int link_roots(const Store *s, MDB_txn *txn, uint64_t root, uint64_t key)
{
    MDB_val k = store_val(&root, sizeof root), v = store_val(&key, sizeof key);
    int failed = mdb_put(txn, s->near, &k, &v, MDB_NODUPDATA);
    return failed == MDB_KEYEXIST ? 0 : failed;
}

/* Deletes the records of a root that was now searched deeper, because those of its earlier iteration
 * are of no use. Keeps the links to the roots after it. */
static int forget_near(const Store *s, MDB_txn *txn, uint64_t root)
{
    uint64_t after[ROOTS_MAX];
    int count = 0;
    MDB_cursor *cursor;
    MDB_val k = store_val(&root, sizeof root), v;
    int failed = mdb_cursor_open(txn, s->near, &cursor);
    if (failed) return failed;
    failed = mdb_cursor_get(cursor, &k, &v, MDB_SET_KEY);
    while (!failed) {
        uint64_t key;
        Root other;
        Record record;
        memcpy(&key, v.mv_data, sizeof key);
        MDB_val old = store_val(&key, sizeof key);
        if (count < ROOTS_MAX && store_root(s, txn, key, &other)) after[count++] = key;
        if (store_record(s, txn, key, &record) && record.root == root)
            failed = mdb_del(txn, s->records, &old, NULL);
        if (!failed) failed = mdb_cursor_get(cursor, &k, &v, MDB_NEXT_DUP);
    }
    mdb_cursor_close(cursor);
    if (failed != MDB_NOTFOUND) return failed;
    k = store_val(&root, sizeof root);
    failed = mdb_del(txn, s->near, &k, NULL);
    if (failed == MDB_NOTFOUND) failed = 0;
    for (int i = 0; i < count && !failed; i++) failed = link_roots(s, txn, root, after[i]);
    return failed;
}

static int keep_root(const Store *s, MDB_txn *txn, uint64_t key, const Game *g, const Tables *t,
                     const Found *found)
{
    Root old, root;
    bool before = store_root(s, txn, key, &old);
    if (before && old.record.depth >= found->depth) return 0;
    memset(&root, 0, sizeof root);
    root.record = (Record){.root = key,
                           .score = (int16_t)found->score,
                           .move = found->line[0],
                           .depth = (uint8_t)found->depth,
                           .bound = BOUND_EXACT,
                           .men = (uint8_t)tables_men(t)};
    for (int i = 0; i < found->length && i < STORE_LINE; i++) root.line[i] = found->line[i];
    tables_write_fen(&g->board, root.fen);
    int failed = put(txn, s->roots, key, &root.record, sizeof root);
    return failed || !before ? failed : forget_near(s, txn, key);
}

/* Whether a record should replace another. At equal depth, an exact score replaces a bound, and a
 * narrower bound replaces a wider one. Otherwise a search that continues an earlier one would find
 * the same bound each time, where it needs the score, and would never make progress. */
static bool says_more(const Record *new, const Record *old)
{
    if (new->depth != old->depth) return new->depth > old->depth;
    if (old->bound == BOUND_EXACT || new->bound == BOUND_EXACT) return old->bound != BOUND_EXACT;
    if (new->bound != old->bound) return true;
    return new->bound == BOUND_LOWER ? new->score > old->score : new->score < old->score;
}

static int keep_near(const Store *s, MDB_txn *txn, uint64_t root, const TtEntry *e, int men)
{
    uint64_t key = store_key(e->key, men);
    Record old, record = {.root = root,
                          .score = e->score,
                          .move = e->move,
                          .depth = e->depth,
                          .bound = e->bound,
                          .men = (uint8_t)men};
    int failed = 0;
    if (!store_record(s, txn, key, &old) || says_more(&record, &old))
        failed = put(txn, s->records, key, &record, sizeof record);
    return failed ? failed : link_roots(s, txn, root, key);
}

/* Adds this root to the neighbourhoods of the roots one and two plies before. */
static int keep_path(const Store *s, MDB_txn *txn, uint64_t key, const Game *g, const Tables *t)
{
    int failed = 0;
    for (int i = 0; i < 2 && i < g->played && !failed; i++) {
        Root before;
        uint64_t root = key_of(&g->before[i], t);
        if (store_root(s, txn, root, &before)) failed = link_roots(s, txn, root, key);
    }
    return failed;
}

static int keep(const Store *s, const Game *g, const Tables *t, const Found *found)
{
    MDB_txn *txn;
    uint64_t key = key_of(&g->board, t);
    int failed = store_begin(s, 0, &txn);
    if (failed) return failed;
    failed = keep_root(s, txn, key, g, t, found);
    for (int i = 0; i < found->near_count && !failed; i++)
        failed = keep_near(s, txn, key, &found->near[i], tables_men(t));
    if (!failed) failed = keep_path(s, txn, key, g, t);
    if (!failed) return mdb_txn_commit(txn);
    mdb_txn_abort(txn);
    return failed;
}

bool memory_keep(Memory *m, const Game *g, const Tables *t, const Found *found,
                 char text[MEMORY_TEXT])
{
    if (m->failed || found->depth == 0 || found->length == 0 || tables_know(t, &g->board))
        return true;
    int failed = keep(&m->store, g, t, found);
    if (!failed) return true;
    m->failed = true;
    if (failed == MDB_MAP_FULL)
        snprintf(text, MEMORY_TEXT,
                 "full: what is kept stays and is used, nothing new is kept; MemorySize is %u MiB",
                 m->mib);
    else
        snprintf(text, MEMORY_TEXT, "nothing is kept of this game: %s", mdb_strerror(failed));
    return false;
}
