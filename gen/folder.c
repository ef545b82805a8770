/* folder.c - see folder.h.
 *
 * flock, on files that are open for writing: so it works over NFS as well, where the client makes locks of byte ranges
 * of it that the server keeps. Whoever has a lock for itself may remove the file; whoever then gets the lock of a file
 * that has lost its name begins again with a new one. That a name comes or goes also makes NFS clients look at the
 * folder anew, rather than at what they remember of it. */
#include "gen/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/system/error.h"
#include "core/system/stop.h"

enum { LOCKED, BUSY, WITHOUT, FAILED, AGAIN };

static const struct timespec a_moment = {0, 200000000};

/* Whether an open file still has its name. */
static bool has_name(const LockFile *lock)
{
    struct stat open, named;
    return fstat(lock->file, &open) == 0 && open.st_nlink > 0 && stat(lock->path, &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

static int try_once(LockFile *lock, int kind)
{
    lock->file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock->file < 0) return errno == ESTALE ? AGAIN : FAILED;
    if (flock(lock->file, kind | LOCK_NB) == 0) {
        if (has_name(lock)) return LOCKED;
        close(lock->file);
        return AGAIN;
    }
    const int why = errno;
    const int outcome = why == EWOULDBLOCK                                    ? BUSY
                        : why == ESTALE || why == EINTR                       ? AGAIN
                        : why == ENOLCK || why == EOPNOTSUPP || why == EINVAL ? WITHOUT
                                                                              : FAILED;
    /* A file that nobody can lock would stay for ever. */
    if (outcome == WITHOUT) unlink(lock->path);
    if (outcome != BUSY) close(lock->file);
    errno = why;
    return outcome;
}

static const char several[] = "one of several, of which the last to begin was ";

/* Says who has it, for those who find it locked. */
static void sign(const LockFile *lock, bool shared)
{
    char host[256] = "", text[360];
    gethostname(host, sizeof host - 1);
    int length = snprintf(text, sizeof text, "%sprocess %ld on %s\n", shared ? several : "",
                          (long)getpid(), host);
    if (ftruncate(lock->file, 0) != 0 || pwrite(lock->file, text, (size_t)length, 0) != length)
        return; /* then it is "another process" */
}

/* What a holder wrote. */
static void read_holder(const LockFile *lock, char out[360])
{
    ssize_t length = pread(lock->file, out, 359, 0);
    out[length > 0 ? length : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (out[0] == '\0') strcpy(out, "another process");
}

static int try_lock(LockFile *lock, int kind, bool shared)
{
    int outcome = AGAIN;
    for (int i = 0; i < 1000 && outcome == AGAIN; i++) outcome = try_once(lock, kind);
    if (outcome == LOCKED) sign(lock, shared);
    return outcome;
}

static void let_go(LockFile *lock)
{
    if (lock->file < 0) return;
    /* Nobody else has it: then its file can go, too. */
    if (flock(lock->file, LOCK_EX | LOCK_NB) == 0 && has_name(lock)) unlink(lock->path);
    close(lock->file);
    lock->file = -1;
}

/* Lock files of tables that killed runs left: nobody else is in the folder. */
static void remove_left(const char *directory)
{
    static const char ending[] = ".lock";
    DIR *list = opendir(directory);
    if (list == NULL) return;
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        const char *name = entry->d_name, *dot = strchr(name + (name[0] == '.'), '.');
        Material material;
        if (name[0] != '.' || dot == NULL || strcmp(dot, ending) != 0) continue;
        if (material_parse_start(name + 1, (size_t)(dot - name) - 1, &material))
            unlinkat(dirfd(list), name, 0);
    }
    closedir(list);
}

static int begin(FolderLock *lock, const char *directory, int kind, bool shared)
{
    lock->directory = directory;
    lock->folder.file = -1;
    snprintf(lock->folder.path, sizeof lock->folder.path, "%.4000s/.trebuchet.lock", directory);
    return try_lock(&lock->folder, kind, shared);
}

/* Whatever came out, in words. */
static treb_status tell(FolderLock *lock, int outcome, treb_error *error)
{
    char who[360];
    if (outcome == LOCKED) return TREB_OK;
    if (outcome == WITHOUT)
        return fail(
            error, TREB_ERR_IO,
            "%.400s: no file can be locked there, so that several runs could make the same table: make "
            "them in one run",
            lock->directory);
    if (outcome != BUSY) {
        lock->folder.file = -1;
        return fail_errno(error, "lock", lock->folder.path);
    }
    read_holder(&lock->folder, who);
    close(lock->folder.file);
    lock->folder.file = -1;
    return fail(error, TREB_ERR_IO,
                "%.400s: %s is making tables there: wait for it, or name another folder",
                lock->directory, who);
}

treb_status folder_lock(FolderLock *lock, const char *directory, treb_error *error)
{
    int outcome = begin(lock, directory, LOCK_EX, false);
    if (outcome == LOCKED) remove_left(directory);
    if (outcome != WITHOUT) return tell(lock, outcome, error);
    lock->folder.file = -1;
    return TREB_OK;
}

/* Whether whoever has it shares it, and has it for a moment alone: to tidy up, or to leave. */
static bool is_shared(const LockFile *lock)
{
    char who[360];
    read_holder(lock, who);
    return strncmp(who, "process", 7) != 0;
}

static int begin_shared(FolderLock *lock)
{
    enum { TRIES = 50 };
    int outcome = begin(lock, lock->directory, LOCK_SH, true);
    for (int i = 1; i < TRIES && outcome == BUSY && is_shared(&lock->folder); i++) {
        close(lock->folder.file);
        nanosleep(&a_moment, NULL);
        outcome = begin(lock, lock->directory, LOCK_SH, true);
    }
    return outcome;
}

treb_status folder_join(FolderLock *lock, const char *directory, bool *alone, treb_error *error)
{
    int outcome = begin(lock, directory, LOCK_EX, true);
    *alone = outcome == LOCKED;
    if (*alone) remove_left(directory);
    if (outcome == BUSY) {
        close(lock->folder.file);
        outcome = begin_shared(lock);
    }
    return tell(lock, outcome, error);
}

treb_status folder_share(FolderLock *lock, treb_error *error)
{
    /* Another may get it in between, for a moment or for itself. */
    if (flock(lock->folder.file, LOCK_SH | LOCK_NB) == 0 && has_name(&lock->folder)) return TREB_OK;
    close(lock->folder.file);
    return tell(lock, begin_shared(lock), error);
}

void folder_unlock(FolderLock *lock) { let_go(&lock->folder); }

treb_status folder_lock_table(const FolderLock *lock, const Material *material, LockFile *table,
                              FolderWait *wait, void *context, treb_error *error)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(material, name);
    snprintf(table->path, sizeof table->path, "%.4000s/.%s.lock", lock->directory, name);
    for (;;) {
        int outcome = try_lock(table, LOCK_EX, false);
        if (outcome == LOCKED) return TREB_OK;
        if (outcome != BUSY) return fail_errno(error, "lock", table->path);
        close(table->file);
        if (wait(context)) return STOPPED;
        nanosleep(&a_moment, NULL);
    }
}

void folder_unlock_table(LockFile *table) { let_go(table); }
