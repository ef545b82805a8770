/* folder.c - see folder.h.
 *
 * The lock is one on the folder itself, so that no file is left behind. Who holds it is found in
 * the system's list of locks, by the folder's number. */
#include "gen/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/error.h"

/* The process that holds a lock on the open folder, as far as /proc tells: a line there is
 * "1: FLOCK ADVISORY WRITE 4711 fe:01:1234 0 EOF", the numbers of device and file at its end. 0 if
 * it cannot be told. */
static long lock_holder(int file)
{
    char line[256];
    struct stat info;
    long holder = 0;
    FILE *locks = fopen("/proc/locks", "r");
    if (locks == NULL || fstat(file, &info) != 0) {
        if (locks != NULL) fclose(locks);
        return 0;
    }
    while (holder == 0 && fgets(line, sizeof line, locks) != NULL) {
        long process;
        unsigned device[2];
        unsigned long number;
        if (sscanf(line, "%*s FLOCK %*s WRITE %ld %x:%x:%lu", &process, &device[0], &device[1],
                   &number) == 4 &&
            number == info.st_ino && device[0] == major(info.st_dev) &&
            device[1] == minor(info.st_dev))
            holder = process;
    }
    fclose(locks);
    return holder;
}

treb_status folder_lock(FolderLock *lock, const char *directory, treb_error *error)
{
    char who[64] = "another process";
    lock->file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock->file < 0) return fail_errno(error, "open", directory);
    if (flock(lock->file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return TREB_OK;
    long holder = lock_holder(lock->file);
    if (holder > 0) snprintf(who, sizeof who, "process %ld", holder);
    close(lock->file);
    lock->file = -1;
    return fail(error, TREB_ERR_IO,
                "%.400s: %s is making tables there: wait for it, or name another folder", directory,
                who);
}

void folder_unlock(FolderLock *lock)
{
    if (lock->file >= 0) close(lock->file);
    lock->file = -1;
}
