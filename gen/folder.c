/* folder.c - see folder.h.
 *
 * The locks are on files that are open for writing. This works over NFS too: the client turns them
 * into locks of byte ranges that the server keeps. A run with an exclusive lock may remove the file. A run that then
 * gets the lock of the file without a name begins again with a new file. Creating and removing names also makes NFS
 * clients read the folder again instead of using what they have cached. */
#include "gen/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/stop.h"
#include "core/system/system.h"
#include "core/system/tool.h"

enum { LOCKED, BUSY, NO_LOCKS, FAILED, AGAIN };

static const struct timespec a_moment = {0, 200000000};

/* Whether an open file still has its name. */
static bool has_name(const LockFile *lock) { return tool_lock_named(lock->file, lock->path); }

static int try_once(LockFile *lock, bool alone)
{
    lock->file = tool_lock_open(lock->path);
    if (lock->file < 0) return errno == EINTR ? AGAIN : FAILED;
    if (tool_lock(lock->file, alone)) {
        if (has_name(lock)) return LOCKED;
        system_close(lock->file);
        return AGAIN;
    }
    const int why = errno;
    const int outcome = why == EWOULDBLOCK                                    ? BUSY
                        : why == EINTR                                        ? AGAIN
                        : why == ENOLCK || why == EOPNOTSUPP || why == EINVAL ? NO_LOCKS
                                                                              : FAILED;
    /* A file that no run can lock would never be removed. */
    if (outcome == NO_LOCKS) system_delete(lock->path);
    if (outcome != BUSY) system_close(lock->file);
    errno = why;
    return outcome;
}

static const char several[] = "one of several runs, together with ";

/* Writes into the file which process holds the lock, for runs that find it locked. */
static void write_holder(const LockFile *lock, bool shared)
{
    char host[256] = "", text[360];
    tool_machine(host, sizeof host);
    int length = snprintf(text, sizeof text, "%sprocess %ld on %s\n", shared ? several : "",
                          system_process(), host);
    if (!system_cut(lock->file, 0) || !io_write_at(lock->file, text, (size_t)length, 0))
        return; /* the holder is then called "another process" */
}

/* Reads which process holds the lock. */
static void read_holder(const LockFile *lock, char out[360])
{
    ptrdiff_t length = system_read(lock->file, out, 359, 0);
    out[length > 0 ? length : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (out[0] == '\0') strcpy(out, "another process");
}

static int try_lock(LockFile *lock, bool alone, bool shared)
{
    int outcome = AGAIN;
    for (int i = 0; i < 1000 && outcome == AGAIN; i++) outcome = try_once(lock, alone);
    if (outcome == LOCKED) write_holder(lock, shared);
    return outcome;
}

static void unlock_file(LockFile *lock)
{
    if (lock->file < 0) return;
    /* If no other run has the lock the file can be removed. */
    if (tool_lock(lock->file, true) && has_name(lock)) system_delete(lock->path);
    system_close(lock->file);
    lock->file = -1;
}

/* A SystemEntry. */
static bool remove_table_lock(void *directory, const char *name)
{
    static const char ending[] = ".lock";
    const char *dot = strchr(name + (name[0] == '.'), '.');
    Material material;
    if (name[0] != '.' || dot == NULL || strcmp(dot, ending) != 0 ||
        !material_parse_start(name + 1, (size_t)(dot - name) - 1, &material))
        return true;
    char *path = io_path(directory, name);
    if (path != NULL) system_delete(path);
    free(path);
    return true;
}

/* Removes lock files of tables that killed runs left. No other run is in the folder. */
static void remove_stale_locks(const char *directory)
{
    system_list(directory, remove_table_lock, (void *)(uintptr_t)directory);
}

static int begin(FolderLock *lock, const char *directory, bool alone, bool shared)
{
    lock->directory = directory;
    lock->folder.file = -1;
    snprintf(lock->folder.path, sizeof lock->folder.path, "%.4000s/.trebuchet.lock", directory);
    return try_lock(&lock->folder, alone, shared);
}

/* Turns the outcome of locking the folder into a status and a message. */
static treb_status lock_status(FolderLock *lock, int outcome, treb_error *error)
{
    char who[360];
    if (outcome == LOCKED) return TREB_OK;
    if (outcome == NO_LOCKS)
        return fail(
            error, TREB_ERR_IO,
            "%.400s: files cannot be locked in this folder, so two runs could make one table at once: "
            "make all tables in one run",
            lock->directory);
    if (outcome != BUSY) {
        lock->folder.file = -1;
        return fail_errno(error, "lock", lock->folder.path);
    }
    read_holder(&lock->folder, who);
    system_close(lock->folder.file);
    lock->folder.file = -1;
    return fail(error, TREB_ERR_IO,
                "%.400s: %s is making tables there: wait for it, or name another folder",
                lock->directory, who);
}

treb_status folder_lock(FolderLock *lock, const char *directory, treb_error *error)
{
    int outcome = begin(lock, directory, true, false);
    if (outcome == LOCKED) remove_stale_locks(directory);
    if (outcome != NO_LOCKS) return lock_status(lock, outcome, error);
    lock->folder.file = -1;
    return TREB_OK;
}

/* Whether the run that holds the lock shares the folder, and has locked it only briefly: to remove old files, or to
 * leave. */
static bool is_shared(const LockFile *lock)
{
    char who[360];
    read_holder(lock, who);
    return strncmp(who, "process", 7) != 0;
}

static int begin_shared(FolderLock *lock)
{
    enum { TRIES = 50 };
    int outcome = begin(lock, lock->directory, false, true);
    for (int i = 1; i < TRIES && outcome == BUSY && is_shared(&lock->folder); i++) {
        system_close(lock->folder.file);
        nanosleep(&a_moment, NULL);
        outcome = begin(lock, lock->directory, false, true);
    }
    return outcome;
}

treb_status folder_join(FolderLock *lock, const char *directory, bool *alone, treb_error *error)
{
    int outcome = begin(lock, directory, true, true);
    *alone = outcome == LOCKED;
    if (*alone) remove_stale_locks(directory);
    if (outcome == BUSY) {
        system_close(lock->folder.file);
        outcome = begin_shared(lock);
    }
    return lock_status(lock, outcome, error);
}

treb_status folder_share(FolderLock *lock, treb_error *error)
{
    /* In between another run may get the lock, briefly or for itself alone. */
    if (tool_lock(lock->folder.file, false) && has_name(&lock->folder)) return TREB_OK;
    system_close(lock->folder.file);
    return lock_status(lock, begin_shared(lock), error);
}

void folder_unlock(FolderLock *lock) { unlock_file(&lock->folder); }

treb_status folder_lock_table(const FolderLock *lock, const Material *material, LockFile *table,
                              FolderWait *wait, void *context, treb_error *error)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(material, name);
    snprintf(table->path, sizeof table->path, "%.4000s/.%s.lock", lock->directory, name);
    for (;;) {
        int outcome = try_lock(table, true, false);
        if (outcome == LOCKED) return TREB_OK;
        if (outcome != BUSY) return fail_errno(error, "lock", table->path);
        system_close(table->file);
        if (wait(context)) return STOPPED;
        nanosleep(&a_moment, NULL);
    }
}

void folder_unlock_table(LockFile *table) { unlock_file(table); }
