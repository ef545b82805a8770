/* nowait.c - see nowait.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* preadv2, mincore, syscall */
#endif
#define _FILE_OFFSET_BITS 64
#include "core/system/nowait.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
/* A C library other than GNU's may come without the kernel's headers. */
#if defined(__has_include)
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif

#include "core/system/io.h"

/* Errors of kernels and file systems that do not have the function. */
static bool is_unsupported(int number)
{
    return number == EOPNOTSUPP || number == ENOSYS || number == EINVAL || number == EPERM;
}

int nowait_open(const char *path, int flags)
{
#if defined(SYS_openat2) && defined(RESOLVE_CACHED)
    struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_CACHED};
    int file = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (file < 0 && is_unsupported(errno)) errno = EAGAIN;
    return file;
#else
    (void)path;
    (void)flags;
    errno = EAGAIN;
    return -1;
#endif
}

/* Like pread, but never waits. Returns the number of bytes read, or -1. */
static ssize_t read_present(int file, void *bytes, size_t size, uint64_t offset)
{
#ifdef RWF_NOWAIT
    struct iovec to = {bytes, size};
    ssize_t n;
    do {
        n = preadv2(file, &to, 1, (off_t)offset, RWF_NOWAIT);
    } while (n < 0 && errno == EINTR);
    return n;
#else
    (void)file;
    (void)bytes;
    (void)size;
    (void)offset;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

/* Returns whether mincore reports the pages of a run of bytes as in memory, and is truthful for
 * this file. */
static bool mapped_present(int file, uint64_t offset, uint64_t size)
{
    enum { AT_ONCE = 64 };
    unsigned char present[AT_ONCE];
    struct stat stat;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), window = AT_ONCE * page;
    if (fstat(file, &stat) != 0 || (geteuid() != 0 && geteuid() != stat.st_uid)) return false;
    uint64_t end = offset + size, file_end = (uint64_t)stat.st_size;
    if (end > file_end) end = file_end;
    bool all = true;
    for (uint64_t at = offset / page * page; at < end && all; at += window) {
        size_t bytes = (size_t)(end - at < window ? end - at : window);
        void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, (off_t)at);
        if (map == MAP_FAILED) return false;
        all = mincore(map, bytes, present) == 0;
        for (size_t i = 0; i < (bytes + page - 1) / page; i++) all = all && (present[i] & 1);
        munmap(map, bytes);
    }
    return all;
}

bool nowait_read(int file, void *bytes, size_t size, uint64_t offset)
{
    uint8_t *to = (uint8_t *)bytes;
    while (size > 0) {
        ssize_t n = read_present(file, to, size, offset);
        if (n < 0 && is_unsupported(errno)) {
            if (mapped_present(file, offset, size)) return io_read_at(file, to, size, offset);
            errno = EAGAIN;
        }
        if (n == 0) errno = 0;
        if (n <= 0) return false;
        to += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

bool nowait_has(int file, uint64_t offset, uint64_t size)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = offset + size;
    for (uint64_t at = offset; at < end; at = (at / page + 1) * page) {
        uint8_t byte;
        ssize_t n = read_present(file, &byte, 1, at);
        if (n < 0 && is_unsupported(errno)) return mapped_present(file, at, end - at);
        if (n < 0) return false;
    }
    return true;
}

void nowait_fetch(int file, uint64_t offset, uint64_t size)
{
    (void)posix_fadvise(file, (off_t)offset, (off_t)size, POSIX_FADV_WILLNEED);
}
