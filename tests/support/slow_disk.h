/* slow_disk.h - a simulated disk for tests and benchmarks. The test decides which bytes are in
 * memory.
 *
 * The linker replaces functions of core/system/nowait.c and of the system by those below (SLOW_DISK
 * in tests/tests.mk). Each program defines _GNU_SOURCE and then includes this file once. At the
 * start the simulation is off, and everything behaves as usual. When it is on, a page of a file is
 * in memory if it was read or delivered since disk_forget. Pages of mapped files are protected. The
 * first access to one raises a signal. Its handler counts a read if the page is not in memory. */
#ifndef TREB_TESTS_SUPPORT_SLOW_DISK_H
#define TREB_TESTS_SUPPORT_SLOW_DISK_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/system/clock.h"

/* A DTZ file may be mapped twice: once for a DTC file with the same distances. */
enum { DISK_PAGE = 4096, DISK_FILES = 1024, DISK_MAPS = 2 };

typedef struct DiskFile {
    ino_t number;
    size_t pages;
    /* For each page, the time in ns from which it is in memory. INT64_MAX: not requested. */
    _Atomic int64_t *there;
    uint8_t *map[DISK_MAPS]; /* NULL: not mapped */
    atomic_bool readable;    /* some pages of the maps may be readable */
} DiskFile;

static struct {
    bool on;
    bool refuses_open;  /* nowait_open fails with EAGAIN */
    int64_t delay;      /* ns until requested bytes are in memory; INT64_MAX: until disk_deliver */
    int64_t read_delay; /* ns that a read takes if the bytes are not in memory */
    atomic_int waits;   /* reads by threads that promised not to wait */
    atomic_int fetches; /* fetches by all threads */
    atomic_int reads;   /* reads that had to wait, by all threads */
    pthread_mutex_t mutex;
    DiskFile file[DISK_FILES];
    _Atomic int count;
    int64_t skew; /* seconds that the coarse clock is ahead */
} disk = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static __thread bool disk_promised; /* this thread promised not to wait */

static inline int64_t disk_now(void) { return (int64_t)clock_nanoseconds(); }

static inline void disk_sleep(int64_t ns)
{
    const struct timespec t = {ns / 1000000000, ns % 1000000000};
    if (ns > 0) nanosleep(&t, NULL);
}

static inline DiskFile *disk_file(int descriptor)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) return NULL;
    pthread_mutex_lock(&disk.mutex);
    int i = 0, count = atomic_load(&disk.count);
    while (i < count && disk.file[i].number != about.st_ino) i++;
    if (i == count) {
        if (count == DISK_FILES) abort();
        DiskFile *file = &disk.file[i];
        *file = (DiskFile){.number = about.st_ino,
                           .pages = ((size_t)about.st_size + DISK_PAGE - 1) / DISK_PAGE};
        file->there = calloc(file->pages, sizeof *file->there);
        for (size_t p = 0; p < file->pages; p++) atomic_store(&file->there[p], INT64_MAX);
        atomic_store(&disk.count, count + 1);
    }
    pthread_mutex_unlock(&disk.mutex);
    return &disk.file[i];
}

/* Makes a page readable. */
static inline void disk_let_touch(DiskFile *file, size_t page)
{
    atomic_store(&file->readable, true);
    for (int m = 0; m < DISK_MAPS; m++)
        if (file->map[m] != NULL)
            mprotect(file->map[m] + page * DISK_PAGE, DISK_PAGE, PROT_READ);
}

/* Makes all pages unreadable. */
static inline void disk_let_touch_none(DiskFile *file)
{
    if (!atomic_exchange(&file->readable, false)) return;
    for (int m = 0; m < DISK_MAPS; m++)
        if (file->map[m] != NULL) mprotect(file->map[m], file->pages * DISK_PAGE, PROT_NONE);
}

/* Makes a page arrive after `delay` ns, unless it is already on its way. */
static inline void disk_bring(DiskFile *file, size_t page, int64_t delay)
{
    int64_t due = delay == INT64_MAX ? INT64_MAX - 1 : disk_now() + delay;
    int64_t before = atomic_load(&file->there[page]);
    if (due < before) atomic_store(&file->there[page], due);
}

static inline bool disk_has(DiskFile *file, uint64_t at, uint64_t size)
{
    int64_t now = disk_now();
    for (uint64_t p = at / DISK_PAGE; p * DISK_PAGE < at + size && p < file->pages; p++)
        if (atomic_load(&file->there[p]) > now) return false;
    return true;
}

static inline void disk_bring_all(DiskFile *file, uint64_t at, uint64_t size, int64_t delay)
{
    for (uint64_t p = at / DISK_PAGE; p * DISK_PAGE < at + size && p < file->pages; p++)
        disk_bring(file, (size_t)p, delay);
}

/* Simulates a read: waits unless all pages are in memory. */
static inline void disk_wait_for(DiskFile *file, uint64_t at, uint64_t size)
{
    if (disk_has(file, at, size)) return;
    if (disk_promised) atomic_fetch_add(&disk.waits, 1);
    atomic_fetch_add(&disk.reads, 1);
    disk_sleep(disk.read_delay);
    disk_bring_all(file, at, size, 0);
}

/* ---- What tests do with it ------------------------------------------------------------------- */

/* Empties the simulated memory for all files known at this time. */
static inline void disk_forget(void)
{
    for (int i = 0; i < atomic_load(&disk.count); i++) {
        for (size_t p = 0; p < disk.file[i].pages; p++)
            atomic_store(&disk.file[i].there[p], INT64_MAX);
        disk_let_touch_none(&disk.file[i]);
    }
}

/* Delivers all pages that were fetched. */
static inline void disk_deliver(void)
{
    for (int i = 0; i < atomic_load(&disk.count); i++)
        for (size_t p = 0; p < disk.file[i].pages; p++)
            if (atomic_load(&disk.file[i].there[p]) != INT64_MAX)
                atomic_store(&disk.file[i].there[p], 0);
}

static inline void disk_count_anew(void)
{
    atomic_store(&disk.waits, 0);
    atomic_store(&disk.fetches, 0);
    atomic_store(&disk.reads, 0);
}

/* ---- In the place of the system -------------------------------------------------------------- */

bool __real_nowait_read(int file, void *bytes, size_t size, uint64_t offset);
bool __wrap_nowait_read(int file, void *bytes, size_t size, uint64_t offset);
bool __real_nowait_has(int file, uint64_t offset, uint64_t size);
bool __wrap_nowait_has(int file, uint64_t offset, uint64_t size);
void __real_nowait_fetch(int file, uint64_t offset, uint64_t size);
void __wrap_nowait_fetch(int file, uint64_t offset, uint64_t size);
int __real_nowait_open(const char *path);
int __wrap_nowait_open(const char *path);
ssize_t __real_pread64(int file, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread64(int file, void *bytes, size_t size, off_t offset);
void *__real_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void *at, size_t size);
int __wrap_munmap(void *at, size_t size);
int __real_posix_madvise(void *at, size_t size, int advice);
int __wrap_posix_madvise(void *at, size_t size, int advice);
int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);

bool __wrap_nowait_read(int file, void *bytes, size_t size, uint64_t offset)
{
    DiskFile *known = disk.on ? disk_file(file) : NULL;
    if (known == NULL) return __real_nowait_read(file, bytes, size, offset);
    errno = EAGAIN;
    if (!disk_has(known, offset, size)) return false;
    ssize_t n = __real_pread64(file, bytes, size, (off_t)offset);
    if (n >= 0) errno = 0;
    return n == (ssize_t)size;
}

bool __wrap_nowait_has(int file, uint64_t offset, uint64_t size)
{
    DiskFile *known = disk.on ? disk_file(file) : NULL;
    return known == NULL ? __real_nowait_has(file, offset, size) : disk_has(known, offset, size);
}

void __wrap_nowait_fetch(int file, uint64_t offset, uint64_t size)
{
    DiskFile *known = disk.on ? disk_file(file) : NULL;
    if (known == NULL) {
        __real_nowait_fetch(file, offset, size);
        return;
    }
    atomic_fetch_add(&disk.fetches, 1);
    disk_bring_all(known, offset, size, disk.delay);
}

int __wrap_nowait_open(const char *path)
{
    if (!disk.on) return __real_nowait_open(path);
    errno = EAGAIN;
    return disk.refuses_open ? -1 : open(path, O_RDONLY | O_CLOEXEC);
}

ssize_t __wrap_pread64(int file, void *bytes, size_t size, off_t offset)
{
    DiskFile *known = disk.on ? disk_file(file) : NULL;
    if (known != NULL) disk_wait_for(known, (uint64_t)offset, size);
    return __real_pread64(file, bytes, size, offset);
}

void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    uint8_t *map = __real_mmap64(at, size, protection, flags, file, offset);
    DiskFile *known = disk.on && file >= 0 && map != MAP_FAILED ? disk_file(file) : NULL;
    if (known == NULL) return map;
    int m = 0;
    while (m < DISK_MAPS && known->map[m] != NULL) m++;
    if (m == DISK_MAPS) abort();
    known->map[m] = map;
    atomic_store(&known->readable, true);
    disk_let_touch_none(known);
    return map;
}

int __wrap_munmap(void *at, size_t size)
{
    for (int i = 0; i < atomic_load(&disk.count); i++)
        for (int m = 0; m < DISK_MAPS; m++)
            if (disk.file[i].map[m] == at) disk.file[i].map[m] = NULL;
    return __real_munmap(at, size);
}

/* Returns the mapped file that contains an address, and its place in the file. */
static inline DiskFile *disk_mapped(const uint8_t *at, uint64_t *offset)
{
    for (int i = 0; i < atomic_load(&disk.count); i++)
        for (int m = 0; m < DISK_MAPS; m++) {
            const DiskFile *file = &disk.file[i];
            const uint8_t *map = file->map[m];
            if (map == NULL || at < map || at >= map + file->pages * DISK_PAGE) continue;
            *offset = (uint64_t)(at - map);
            return &disk.file[i];
        }
    return NULL;
}

int __wrap_posix_madvise(void *at, size_t size, int advice)
{
    uint64_t offset = 0;
    DiskFile *known = disk.on ? disk_mapped(at, &offset) : NULL;
    if (known == NULL || advice != POSIX_MADV_WILLNEED)
        return __real_posix_madvise(at, size, advice);
    atomic_fetch_add(&disk.fetches, 1);
    disk_bring_all(known, offset, size, disk.delay);
    return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    int result = __real_clock_gettime(clock, out);
    if (clock == CLOCK_MONOTONIC_COARSE) out->tv_sec += (time_t)disk.skew;
    return result;
}

/* The signal handler: a protected page was touched. */
static inline void disk_touched(int number, siginfo_t *about, void *context)
{
    uint64_t at = 0;
    DiskFile *file = disk_mapped(about->si_addr, &at);
    (void)context;
    if (file == NULL) {
        signal(number, SIG_DFL);
        return;
    }
    disk_wait_for(file, at / DISK_PAGE * DISK_PAGE, 1);
    disk_let_touch(file, (size_t)(at / DISK_PAGE));
}

static inline void disk_start(void)
{
    struct sigaction action = {.sa_sigaction = disk_touched, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    disk.on = true;
}

#endif
