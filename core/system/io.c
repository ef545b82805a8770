/* io.c - see io.h. */
#define _FILE_OFFSET_BITS 64
#include "core/system/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/error.h"

bool io_read_at(int file, void *bytes, size_t size, uint64_t offset)
{
    uint8_t *to = (uint8_t *)bytes;
    while (size > 0) {
        ssize_t n = pread(file, to, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = 0;
        if (n <= 0) return false;
        to += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

bool io_write_at(int file, const void *bytes, size_t size, uint64_t offset)
{
    const uint8_t *from = (const uint8_t *)bytes;
    while (size > 0) {
        ssize_t n = pwrite(file, from, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        from += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

bool io_cut(int file, uint64_t size)
{
    struct stat info;
    return fstat(file, &info) == 0 && (uint64_t)info.st_size >= size &&
           ftruncate(file, (off_t)size) == 0;
}

static const char not_regular[] = "is not a regular file";

bool io_is_folder(const char *path)
{
    DIR *list = opendir(path);
    if (list != NULL) closedir(list);
    return list != NULL;
}

treb_status io_fail_open(const char *path, treb_error *error)
{
    int reason = errno;
    /* What open() says of a socket, and of a device that is not there. */
    if (reason == ENXIO || reason == ENODEV)
        fail(error, TREB_ERR_IO, "%s: %s", fail_path(path), not_regular);
    else
        fail_errno(error, "open", path);
    errno = reason;
    return TREB_ERR_IO;
}

treb_status io_check_regular(const char *path, const struct stat *about, treb_error *error)
{
    if (S_ISREG(about->st_mode)) return TREB_OK;
    return fail(error, TREB_ERR_IO, "%s: %s", fail_path(path),
                S_ISDIR(about->st_mode) ? "is a directory, not a file" : not_regular);
}

int io_open_regular(const char *path, struct stat *about, treb_error *error)
{
    /* O_NONBLOCK: opening a pipe must not wait for a program that writes into it. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        io_fail_open(path, error);
        return -1;
    }
    int reason = 0;
    if (fstat(file, about) != 0) {
        reason = errno;
        fail_errno(error, "read", path);
    } else if (io_check_regular(path, about, error) == TREB_OK) {
        return file;
    }
    close(file);
    errno = reason;
    return -1;
}

char *io_path(const char *directory, const char *name)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = (char *)malloc(size);
    if (path != NULL) snprintf(path, size, "%s/%s", directory, name);
    return path;
}

const char *io_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

char *io_folder(const char *path)
{
    size_t length = (size_t)(io_name(path) - path);
    return length == 0 ? strdup(".") : strndup(path, length > 1 ? length - 1 : 1);
}

char *io_temporary_path(const char *directory, const char *name, const char *infix)
{
    size_t size = strlen(directory) + strlen(name) + strlen(infix) + 40;
    char *path = (char *)malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/.%s%s%s%ld", directory, name, infix, IO_TEMPORARY, (long)getpid());
    return path;
}

int io_create(const char *path)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    int file = open(path, flags, 0666);
    if (file >= 0 || errno != EEXIST) return file;
    /* A file of this name was left by a dead process with the same number. */
    unlink(path);
    return open(path, flags, 0666);
}

int io_unnamed(const char *directory)
{
#ifdef O_TMPFILE
    int unnamed = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0) return unnamed;
#endif
    /* Where the system has no files without a name, the file has a name for a moment. */
    char *path = io_path(directory, ".unnamed-XXXXXX");
    int file = path != NULL ? mkostemp(path, O_CLOEXEC) : -1;
    if (file >= 0) unlink(path);
    free(path);
    return file;
}

/* A rename survives a crash only once the directory is on the disk. Some file systems cannot flush
 * a directory; that is not an error. */
static bool sync_directory(const char *directory)
{
    int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return false;
    bool good = fsync(file) == 0 || errno == EINVAL;
    int number = errno;
    close(file);
    errno = number;
    return good;
}

bool io_publish(int file, const char *temporary, const char *path, const char *directory)
{
    bool good = fsync(file) == 0;
    int number = errno;
    if (close(file) != 0 && good) {
        good = false;
        number = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        number = errno;
    }
    if (good) return sync_directory(directory);
    unlink(temporary);
    errno = number;
    return false;
}
