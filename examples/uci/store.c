/* store.c - see store.h. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Records --------------------------------------------------------------------------------- */

uint64_t store_key(uint64_t tt_key, int men)
{
    return tt_key ^ (uint64_t)men * 0xd6e8feb86659fd93ull;
}

/* FNV-1a. */
static uint64_t hash(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) sum = (sum ^ byte[i]) * 0x100000001b3ull;
    return sum;
}

static uint64_t check_sum(uint64_t key, const void *record, size_t size)
{
    const size_t skip = sizeof(uint64_t);
    uint64_t sum = hash(0xcbf29ce484222325ull, &key, sizeof key);
    return hash(sum, (const char *)record + skip, size - skip);
}

void store_seal(uint64_t key, Record *record, size_t size)
{
    record->check = check_sum(key, record, size);
}

bool store_is_sound(uint64_t key, MDB_val value, size_t size)
{
    uint64_t check;
    if (value.mv_size != size) return false;
    memcpy(&check, value.mv_data, sizeof check);
    return check == check_sum(key, value.mv_data, size);
}

MDB_val store_val(const void *data, size_t size) { return (MDB_val){size, (void *)data}; }

static bool get(MDB_txn *txn, MDB_dbi dbi, uint64_t key, void *out, size_t size)
{
    MDB_val k = store_val(&key, sizeof key), v;
    if (mdb_get(txn, dbi, &k, &v) != 0 || !store_is_sound(key, v, size)) return false;
    memcpy(out, v.mv_data, size);
    return true;
}

bool store_root(const Store *s, MDB_txn *txn, uint64_t key, Root *out)
{
    return get(txn, s->roots, key, out, sizeof *out);
}

bool store_record(const Store *s, MDB_txn *txn, uint64_t key, Record *out)
{
    return get(txn, s->records, key, out, sizeof *out);
}

/* ---- Opening --------------------------------------------------------------------------------- */

int store_begin(const Store *s, unsigned flags, MDB_txn **txn)
{
    int failed = mdb_txn_begin(s->env, NULL, flags, txn);
    if (failed != MDB_MAP_RESIZED) return failed;
    mdb_env_set_mapsize(s->env, 0); /* the size that the other program has set */
    return mdb_txn_begin(s->env, NULL, flags, txn);
}

/* Writes the version of stores. Raise its number when the meaning of records, the evaluation or the
 * search changes. A change of the keys changes the key of the start position, which is part of it. */
static void store_version(char out[64])
{
    Board b;
    treb_error error;
    tables_read_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &b, &error);
    snprintf(out, 64, "trebuchet-uci memory 1, keys %016llx", (unsigned long long)tt_key(&b));
}

/* Whether the file is complete. A program that reads beyond the end of a truncated file is killed. */
static bool is_whole(MDB_env *env)
{
    MDB_envinfo info;
    MDB_stat stat;
    int fd;
    if (mdb_env_info(env, &info) || mdb_env_stat(env, &stat) || mdb_env_get_fd(env, &fd))
        return false;
    return info.me_last_pgno < (uint64_t)lseek(fd, 0, SEEK_END) / stat.ms_psize;
}

static int open_databases(Store *s, MDB_txn *txn, unsigned create)
{
    const unsigned keys = create | MDB_INTEGERKEY;
    int failed = mdb_dbi_open(txn, "roots", keys, &s->roots);
    if (!failed) failed = mdb_dbi_open(txn, "records", keys, &s->records);
    if (!failed)
        failed =
            mdb_dbi_open(txn, "near", keys | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP, &s->near);
    return failed;
}

/* Checks the version, and sets up an empty store. Returns NULL, or what is wrong. */
static const char *open_version(Store *s, MDB_txn *txn, bool write)
{
    char version[64];
    MDB_dbi main;
    MDB_stat stat;
    MDB_val key = store_val("version", 7), value;
    store_version(version);
    int failed = mdb_dbi_open(txn, NULL, 0, &main);
    if (!failed) failed = mdb_get(txn, main, &key, &value);
    if (failed == MDB_NOTFOUND && write && mdb_stat(txn, main, &stat) == 0 &&
        stat.ms_entries == 0) {
        value = store_val(version, strlen(version));
        failed = mdb_put(txn, main, &key, &value, 0);
        if (!failed) failed = open_databases(s, txn, MDB_CREATE);
        return failed ? mdb_strerror(failed) : NULL;
    }
    if (failed == MDB_NOTFOUND) return "is no memory of this engine's: it is left alone";
    if (failed) return mdb_strerror(failed);
    if (value.mv_size != strlen(version) || memcmp(value.mv_data, version, value.mv_size) != 0)
        return "was written by another version of this engine: it is left alone, and another path "
               "makes a new one";
    failed = open_databases(s, txn, 0);
    return failed ? mdb_strerror(failed) : NULL;
}

static const char *open_all(Store *s, const char *path, size_t bytes, StoreUse use)
{
    static const unsigned how[] = {MDB_RDONLY, MDB_NOMETASYNC, MDB_NOSYNC};
    unsigned flags = MDB_NOSUBDIR | MDB_NOTLS | how[use];
    bool write = use != STORE_READ;
    MDB_txn *txn;
    int stale, failed = mdb_env_create(&s->env);
    if (failed) return mdb_strerror(failed);
    mdb_env_set_maxdbs(s->env, 3);
    if (bytes > 0) mdb_env_set_mapsize(s->env, bytes);
    failed = mdb_env_open(s->env, path, flags, 0666);
    if (failed == MDB_INVALID) return "is no store of LMDB's, or its beginning is damaged";
    if (failed) return mdb_strerror(failed);
    s->torn = !is_whole(s->env);
    mdb_reader_check(s->env, &stale); /* frees the slots of engines that were killed */
    failed = store_begin(s, write ? 0 : MDB_RDONLY, &txn);
    if (failed) return mdb_strerror(failed);
    const char *why = open_version(s, txn, write);
    if (why == NULL) {
        failed = mdb_txn_commit(txn);
        return failed ? mdb_strerror(failed) : NULL;
    }
    mdb_txn_abort(txn);
    return why;
}

bool store_open(Store *s, const char *path, size_t bytes, StoreUse use, char text[MEMORY_TEXT])
{
    const char *why;
    *s = (Store){0};
    why = open_all(s, path, bytes, use);
    if (why == NULL) return true;
    snprintf(text, MEMORY_TEXT, "%.400s: %s", path, why);
    store_close(s);
    return false;
}

void store_close(Store *s)
{
    if (s->env) mdb_env_close(s->env);
    s->env = NULL;
}

/* ---- A separate process ---------------------------------------------------------------------- */

typedef enum Part { ROOTS, RECORDS, NEAR, PARTS } Part;

/* Input and output of a job, in memory that parent and child share. */
typedef struct Work {
    const char *path, *to;
    Part part;
    bool backwards;
    bool done; /* the child finished */
    StoreState state;
    StoreCount count;
    char text[MEMORY_TEXT];
} Work;

/* Runs `work` in a child process, because LMDB may crash on damaged pages. Returns false if the child
 * did not finish. */
static bool guarded(void (*work)(Work *w), Work *in_out)
{
    Work *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w == MAP_FAILED) return false;
    *w = *in_out;
    w->done = false;
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        close(STDERR_FILENO); /* LMDB prints failed assertions there */
        work(w);
        w->done = true;
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    *in_out = *w;
    munmap(w, sizeof *w);
    return in_out->done;
}

/* ---- Checking ----------------------------------------------------------------------------------- */

typedef struct Walk {
    const Store *store;
    MDB_txn *txn;
    StoreCount *count;
    Part part;
    const Store *to; /* target of a copy */
    MDB_txn *to_txn;
} Walk;

static MDB_dbi dbi_of(const Store *s, Part part)
{
    return part == ROOTS ? s->roots : part == RECORDS ? s->records : s->near;
}

/* Whether the FEN of a root belongs to its key. */
static bool is_of_its_key(uint64_t key, MDB_val value)
{
    Root root;
    Board b;
    treb_error error;
    memcpy(&root, value.mv_data, sizeof root);
    root.fen[sizeof root.fen - 1] = '\0';
    return tables_read_fen(root.fen, &b, &error) && store_key(tt_key(&b), root.record.men) == key;
}

static bool is_sound(Part part, MDB_val k, MDB_val v, uint64_t *key)
{
    if (k.mv_size != sizeof *key) return false;
    memcpy(key, k.mv_data, sizeof *key);
    if (part == NEAR) return v.mv_size == sizeof *key;
    if (part == RECORDS) return store_is_sound(*key, v, sizeof(Record));
    return store_is_sound(*key, v, sizeof(Root)) && is_of_its_key(*key, v);
}

/* Calls `visit` for all pairs, forwards or backwards. */
static int walk(Walk *w, bool backwards, int (*visit)(Walk *w, MDB_val k, MDB_val v))
{
    MDB_cursor *cursor;
    MDB_val k, v;
    int failed = mdb_cursor_open(w->txn, dbi_of(w->store, w->part), &cursor);
    if (failed) return failed;
    failed = mdb_cursor_get(cursor, &k, &v, backwards ? MDB_LAST : MDB_FIRST);
    while (!failed) {
        failed = visit(w, k, v);
        if (!failed) failed = mdb_cursor_get(cursor, &k, &v, backwards ? MDB_PREV : MDB_NEXT);
    }
    mdb_cursor_close(cursor);
    return failed == MDB_NOTFOUND ? 0 : failed;
}

static int count_one(Walk *w, MDB_val k, MDB_val v)
{
    uint64_t key;
    size_t *counts[PARTS] = {&w->count->roots, &w->count->records, &w->count->links};
    ++*counts[w->part];
    w->count->damaged += !is_sound(w->part, k, v, &key);
    return 0;
}

/* Whether all free pages in the list exist. Otherwise the next writer would destroy the store. */
static bool is_free_list_sound(MDB_txn *txn, size_t last)
{
    enum { FREE_PAGES = 0 };
    MDB_cursor *cursor;
    MDB_val k, v;
    bool sound = mdb_cursor_open(txn, FREE_PAGES, &cursor) == 0;
    if (!sound) return false;
    while (sound && mdb_cursor_get(cursor, &k, &v, MDB_NEXT) == 0) {
        const size_t *page = v.mv_data;
        sound = v.mv_size >= sizeof *page && v.mv_size / sizeof *page >= page[0] + 1;
        for (size_t i = 1; sound && i <= page[0]; i++) sound = page[i] > 1 && page[i] <= last;
    }
    mdb_cursor_close(cursor);
    return sound;
}

/* Whether the walk has found all entries that the store should have. */
static bool is_complete(const Store *s, MDB_txn *txn, const StoreCount *count)
{
    const size_t seen[PARTS] = {count->roots, count->records, count->links};
    for (Part part = ROOTS; part < PARTS; part++) {
        MDB_stat stat;
        if (mdb_stat(txn, dbi_of(s, part), &stat) != 0 || stat.ms_entries != seen[part])
            return false;
    }
    return true;
}

static void look(Work *w)
{
    Store s;
    MDB_txn *txn;
    MDB_envinfo info;
    MDB_stat stat;
    bool open = store_open(&s, w->path, 0, STORE_READ, w->text);
    w->state = open || s.torn ? STORE_DAMAGED : STORE_BAD;
    if (!open || s.torn || mdb_env_info(s.env, &info) || mdb_env_stat(s.env, &stat) ||
        store_begin(&s, MDB_RDONLY, &txn))
        return;
    w->count.bytes = (info.me_last_pgno + 1) * stat.ms_psize;
    w->count.most = info.me_mapsize;
    Walk all = {.store = &s, .txn = txn, .count = &w->count};
    for (all.part = ROOTS; all.part < PARTS; all.part++)
        if (walk(&all, false, count_one) != 0) return;
    if (!is_complete(&s, txn, &w->count) || !is_free_list_sound(txn, info.me_last_pgno)) return;
    w->state = w->count.damaged ? STORE_DAMAGED_RECORDS : STORE_GOOD;
    mdb_txn_abort(txn);
    store_close(&s);
}

StoreState store_look(const char *path, StoreCount *count, char text[MEMORY_TEXT])
{
    Work w = {.path = path};
    if (!guarded(look, &w)) w.state = STORE_DAMAGED;
    *count = w.count;
    memcpy(text, w.text, MEMORY_TEXT);
    if (w.state == STORE_DAMAGED)
        snprintf(text, MEMORY_TEXT,
                 "%.200s: is damaged: `trebuchet-uci memory repair %.200s` saves what can be read",
                 path, path);
    return w.state;
}

/* ---- Repairing --------------------------------------------------------------------------------- */

enum { COPIED_AT_ONCE = 16 };

static bool is_there(const Walk *w, uint64_t key, bool root)
{
    Root r;
    Record record;
    if (store_root(w->to, w->to_txn, key, &r)) return true;
    return !root && store_record(w->to, w->to_txn, key, &record);
}

static int copy_one(Walk *w, MDB_val k, MDB_val v)
{
    uint64_t key, other;
    if (!is_sound(w->part, k, v, &key)) return 0;
    if (w->part == NEAR) {
        memcpy(&other, v.mv_data, sizeof other);
        if (!is_there(w, key, true) || !is_there(w, other, false)) return 0;
    }
    unsigned once = w->part == NEAR ? MDB_NODUPDATA : MDB_NOOVERWRITE;
    int failed = mdb_put(w->to_txn, dbi_of(w->to, w->part), &k, &v, once);
    if (failed == MDB_KEYEXIST) return 0;
    if (failed || ++w->count->records % COPIED_AT_ONCE) return failed;
    /* Commits from time to time, because the child may crash. */
    failed = mdb_txn_commit(w->to_txn);
    w->to_txn = NULL;
    return failed ? failed : store_begin(w->to, 0, &w->to_txn);
}

static void copy(Work *w)
{
    Store from, to;
    Walk all = {.store = &from, .to = &to, .count = &w->count, .part = w->part};
    MDB_envinfo info;
    int failed;
    w->state = STORE_BAD;
    if (!store_open(&from, w->path, 0, STORE_READ, w->text)) return;
    mdb_env_info(from.env, &info);
    if (!store_open(&to, w->to, info.me_mapsize, STORE_BUILD, w->text)) return;
    failed = store_begin(&from, MDB_RDONLY, &all.txn);
    if (!failed) failed = store_begin(&to, 0, &all.to_txn);
    if (!failed) failed = walk(&all, w->backwards, copy_one);
    /* A damaged page ends the walk in this direction. What was copied before it is kept. */
    bool damaged = failed == MDB_CORRUPTED || failed == MDB_PAGE_NOTFOUND;
    if ((!failed || damaged) && all.to_txn) {
        int unwritten = mdb_txn_commit(all.to_txn);
        if (unwritten) failed = unwritten;
        damaged = damaged && !unwritten;
    }
    w->state = !failed ? STORE_GOOD : damaged ? STORE_DAMAGED : STORE_BAD;
    if (w->state == STORE_BAD)
        snprintf(w->text, sizeof w->text, "%.400s: %s", w->to, mdb_strerror(failed));
    mdb_txn_abort(all.txn);
    store_close(&from);
    store_close(&to);
}

static bool fail(char text[MEMORY_TEXT], const char *path, const char *why)
{
    snprintf(text, MEMORY_TEXT, "%.400s: %s", path, why);
    return false;
}

/* Copies from both ends up to a damaged page. */
static bool copy_all(const char *path, const char *to, char text[MEMORY_TEXT])
{
    for (Part part = ROOTS; part < PARTS; part++) {
        for (int backwards = 0; backwards < 2; backwards++) {
            Work w = {.path = path, .to = to, .part = part, .backwards = backwards};
            bool done = guarded(copy, &w);
            if (done && w.state == STORE_GOOD) break;
            if (done && w.state == STORE_BAD) {
                memcpy(text, w.text, MEMORY_TEXT);
                return false;
            }
        }
    }
    return true;
}

static void discard(const char *path)
{
    char lock[PATH_SIZE + 8];
    unlink(path);
    snprintf(lock, sizeof lock, "%s-lock", path);
    unlink(lock);
}

/* Links the old file to its new name first, and then renames the new file. */
static bool put_in_place(const char *path, const char *repaired, const char *damaged,
                         char text[MEMORY_TEXT])
{
    int fd = open(repaired, O_RDWR | O_CLOEXEC);
    bool written = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    if (!written) return fail(text, repaired, strerror(errno));
    if (link(path, damaged) != 0)
        return fail(text, damaged,
                    errno == EEXIST ? "is there already: move it away" : strerror(errno));
    if (rename(repaired, path) == 0) return true;
    fail(text, path, strerror(errno));
    unlink(damaged);
    return false;
}

static bool has_any(const char *path, const char *repaired, StoreCount *count,
                    char text[MEMORY_TEXT])
{
    return (access(repaired, F_OK) == 0 && store_look(repaired, count, text) == STORE_GOOD &&
            count->roots > 0) ||
           fail(text, path, "nothing in it can be read: move it away, and a new one is begun");
}

bool store_repair(const char *path, StoreCount *count, char text[MEMORY_TEXT])
{
    char repaired[PATH_SIZE], damaged[PATH_SIZE];
    int size = snprintf(repaired, sizeof repaired, "%s.repaired", path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(damaged, sizeof damaged, "%s.damaged", path);
    if (fd < 0 || size >= PATH_SIZE)
        return fail(text, path, strerror(fd < 0 ? errno : ENAMETOOLONG));
    bool done = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (!done) fail(text, path, "an engine has it open: quit that first");
    if (done) {
        discard(repaired); /* of a repair that was interrupted */
        done = copy_all(path, repaired, text) && has_any(path, repaired, count, text) &&
               put_in_place(path, repaired, damaged, text);
        discard(repaired);
    }
    close(fd);
    return done;
}
