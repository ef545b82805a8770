/* system_posix.c - system.h for systems with POSIX. What a system has beyond POSIX is used where it is declared; without
 * it there is another way, or the system is not asked. */
#ifndef _WIN32
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include "core/system/system.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
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

#if !defined(MAP_ANONYMOUS) && defined(MAP_ANON)
#define MAP_ANONYMOUS MAP_ANON
#endif

/* ---- Files ----------------------------------------------------------------------------------- */

enum { READ_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK, WRITE_FLAGS = O_RDWR | O_CLOEXEC };

/* The kernel has the function, or the file system. */
static int open_present(const char *path)
{
#if defined(SYS_openat2) && defined(RESOLVE_CACHED) && defined(_GNU_SOURCE)
    struct open_how how = {.flags = READ_FLAGS, .resolve = RESOLVE_CACHED};
    int file = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (file >= 0 || !(errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL || errno == EPERM))
        return file;
#else
    (void)path;
#endif
    errno = EAGAIN;
    return -1;
}

/* Where the system has no files without a name, the file has a name for a moment. */
static int open_unnamed(const char *folder)
{
#ifdef O_TMPFILE
    int unnamed = open(folder, O_TMPFILE | WRITE_FLAGS, 0600);
    if (unnamed >= 0) return unnamed;
#endif
    size_t size = strlen(folder) + 60;
    char *path = (char *)malloc(size);
    int file = -1;
    if (path == NULL) return -1;
    errno = EEXIST;
    for (int i = 0; file < 0 && errno == EEXIST && i < 1000; i++) {
        snprintf(path, size, "%s/.unnamed-%ld-%d", folder, (long)getpid(), i);
        file = open(path, WRITE_FLAGS | O_CREAT | O_EXCL, 0600);
    }
    if (file >= 0) unlink(path);
    int reason = errno;
    free(path);
    errno = reason;
    return file;
}

int system_open(const char *path, SystemOpen how)
{
    switch (how) {
    case SYSTEM_READ:
        return open(path, READ_FLAGS);
    case SYSTEM_READ_PRESENT:
        return open_present(path);
    case SYSTEM_UPDATE:
        return open(path, WRITE_FLAGS);
    case SYSTEM_CREATE:
        return open(path, WRITE_FLAGS | O_CREAT | O_EXCL, 0666);
    default:
        return open_unnamed(path);
    }
}

bool system_close(int file) { return close(file) == 0; }

static void fill_about(const struct stat *from, SystemFile *out)
{
    out->kind = S_ISREG(from->st_mode)   ? SYSTEM_FILE
                : S_ISDIR(from->st_mode) ? SYSTEM_FOLDER
                                         : SYSTEM_OTHER;
    out->size = (uint64_t)from->st_size;
    out->device = (uint64_t)from->st_dev;
    out->number = (uint64_t)from->st_ino;
#ifdef __APPLE__
    out->changed = (int64_t)from->st_mtimespec.tv_sec;
    out->changed_part = (uint32_t)from->st_mtimespec.tv_nsec;
#else
    out->changed = (int64_t)from->st_mtim.tv_sec;
    out->changed_part = (uint32_t)from->st_mtim.tv_nsec;
#endif
}

bool system_about(int file, SystemFile *out)
{
    struct stat about;
    if (fstat(file, &about) != 0) return false;
    fill_about(&about, out);
    return true;
}

bool system_about_path(const char *path, SystemFile *out)
{
    struct stat about;
    if (stat(path, &about) != 0) return false;
    fill_about(&about, out);
    return true;
}

ptrdiff_t system_read(int file, void *bytes, size_t size, uint64_t offset)
{
    ssize_t n;
    do {
        n = pread(file, bytes, size, (off_t)offset);
    } while (n < 0 && errno == EINTR);
    return n;
}

ptrdiff_t system_write(int file, const void *bytes, size_t size, uint64_t offset)
{
    ssize_t n;
    do {
        n = pwrite(file, bytes, size, (off_t)offset);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* Linux can read only what is in memory (RWF_NOWAIT). */
ptrdiff_t system_read_present(int file, void *bytes, size_t size, uint64_t offset)
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

/* mincore is truthful only to the owner of a file, and tells others that everything is in memory. */
bool system_present(int file, uint64_t offset, uint64_t size)
{
#if defined(__linux__) && defined(_GNU_SOURCE)
    enum { AT_ONCE = 64 };
    unsigned char present[AT_ONCE];
    struct stat stat;
    uint64_t page = system_page(), window = AT_ONCE * page;
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
#else
    (void)file;
    (void)offset;
    (void)size;
    return false;
#endif
}

void system_fetch(int file, uint64_t offset, uint64_t size)
{
#ifdef POSIX_FADV_WILLNEED
    (void)posix_fadvise(file, (off_t)offset, (off_t)size, POSIX_FADV_WILLNEED);
#else
    (void)file;
    (void)offset;
    (void)size;
#endif
}

void system_read_in_order(int file)
{
#ifdef POSIX_FADV_SEQUENTIAL
    (void)posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
#else
    (void)file;
#endif
}

bool system_cut(int file, uint64_t size) { return ftruncate(file, (off_t)size) == 0; }

bool system_reserve(int file, uint64_t size)
{
#ifdef __APPLE__
    struct stat about;
    if (fstat(file, &about) != 0) return false;
    return (uint64_t)about.st_size >= size || ftruncate(file, (off_t)size) == 0;
#else
    errno = posix_fallocate(file, 0, (off_t)size);
    return errno == 0;
#endif
}

bool system_flush(int file) { return fsync(file) == 0; }

/* Some file systems cannot flush a directory; that is not an error. */
bool system_flush_folder(const char *path)
{
    int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return false;
    bool good = fsync(file) == 0 || errno == EINVAL;
    int number = errno;
    close(file);
    errno = number;
    return good;
}

bool system_rename(const char *from, const char *to) { return rename(from, to) == 0; }
bool system_delete(const char *path) { return unlink(path) == 0; }

bool system_list(const char *folder, SystemEntry *entry, void *context)
{
    DIR *list = opendir(folder);
    if (list == NULL) return false;
    for (struct dirent *e; (e = readdir(list)) != NULL;)
        if (!entry(context, e->d_name)) break;
    closedir(list);
    return true;
}

unsigned system_files_most(void)
{
    enum { MOST = 1 << 20 };
    struct rlimit allowed;
    if (getrlimit(RLIMIT_NOFILE, &allowed) != 0) return 0;
    return allowed.rlim_cur < MOST ? (unsigned)allowed.rlim_cur : (unsigned)MOST;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

const void *system_map(int file, uint64_t size)
{
    if (size > SIZE_MAX / 4) {
        errno = EFBIG;
        return NULL;
    }
    void *at = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, file, 0);
    return at != MAP_FAILED ? at : NULL;
}

void system_unmap(const void *at, uint64_t size) { munmap((void *)(uintptr_t)at, (size_t)size); }

void system_advise(const void *at, uint64_t size, SystemAdvice advice)
{
    static const int advices[] = {POSIX_MADV_RANDOM, POSIX_MADV_SEQUENTIAL, POSIX_MADV_WILLNEED};
    posix_madvise((void *)(uintptr_t)at, (size_t)size, advices[advice]);
}

size_t system_page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

#ifdef MAP_ANONYMOUS
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
void *system_pages(size_t size, bool large, size_t before)
{
    enum { LARGE_PAGE = 2 << 20 };
    const size_t whole = large ? size + LARGE_PAGE : size;
    uint8_t *map = (uint8_t *)mmap(NULL, whole, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if ((void *)map == MAP_FAILED) return NULL;
    if (!large) return map;
    const uintptr_t first =
        ((uintptr_t)map + before + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
    uint8_t *at = map + (first - before - (uintptr_t)map), *end = at + size;
    if (at > map) munmap(map, (size_t)(at - map));
    if (end < map + whole) munmap(end, (size_t)(map + whole - end));
#ifdef MADV_HUGEPAGE
    (void)madvise(at + before, size - before, MADV_HUGEPAGE);
#endif
    return at;
}

void system_pages_free(void *at, size_t size) { munmap(at, size); }

void system_pages_drop(void *at, size_t size)
{
#ifdef MADV_DONTNEED
    (void)madvise(at, size, MADV_DONTNEED);
#else
    (void)at;
    (void)size;
#endif
}
#else
void *system_pages(size_t size, bool large, size_t before)
{
    void *at = NULL;
    (void)large;
    (void)before;
    if (posix_memalign(&at, system_page(), size) != 0) return NULL;
    return memset(at, 0, size);
}

void system_pages_free(void *at, size_t size)
{
    (void)size;
    free(at);
}

void system_pages_drop(void *at, size_t size)
{
    (void)at;
    (void)size;
}
#endif

void *system_room(size_t size) { return system_pages(size, false, 0); }
void system_room_free(void *at, size_t size) { system_pages_free(at, size); }

void *system_aligned(size_t unit, size_t size) { return aligned_alloc(unit, size); }
void system_aligned_free(void *at) { free(at); }

/* ---- Other ----------------------------------------------------------------------------------- */

/* The coarse clock needs no system call. */
uint64_t system_seconds(void)
{
    struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint64_t)now.tv_sec;
}

long system_process(void) { return (long)getpid(); }
bool system_runs(long process) { return kill((pid_t)process, 0) == 0 || errno != ESRCH; }

/* There are two functions strerror_r. GNU's returns the reason, and may or may not write it to
 * `text`. POSIX's, which musl, macOS and others have, writes it there and returns a number. */
void system_reason(int number, char *text, size_t size)
{
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    const char *reason = strerror_r(number, text, size);
    if (reason != text) snprintf(text, size, "%s", reason);
#else
    if (strerror_r(number, text, size) != 0) snprintf(text, size, "unknown error");
#endif
}

SystemFunction *system_load(const char *library, const char *function)
{
    SystemFunction *found = NULL;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL) *(void **)&found = dlsym(handle, function);
    return found;
}
#endif
