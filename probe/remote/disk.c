/* disk.c - see disk.h. */
#define _FILE_OFFSET_BITS 64
#include "probe/remote/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "probe/remote/transfer.h"

enum { WAYS = 8 /* pages of a set */, HEAD = 4096 /* bytes before the index */ };

/* An entry of the index. The byte order is that of this machine, which alone uses the file. */
typedef struct DiskEntry {
    XXH128_hash_t key; /* 0: empty */
    uint64_t check;    /* checksum of the page and the key */
    uint32_t used;     /* when it was last used: seconds since 1970, modulo 2^32 */
    uint32_t zero;
} DiskEntry;

typedef struct DiskHead {
    char magic[16];
    uint64_t sets;
    uint64_t entry_size;
} DiskHead;

static const char magic[16] = "TREB pages 1\r\n";

struct Disk {
    int file;
    bool writable;
    uint64_t sets;
};

/* Offset of the index entries of a set. */
static uint64_t index_at(uint64_t set) { return HEAD + set * WAYS * sizeof(DiskEntry); }

/* Offset of a page. `slot` counts the pages of all sets. */
static uint64_t page_at(const Disk *disk, uint64_t slot)
{
    uint64_t behind = index_at(disk->sets);
    return (behind + DISK_PAGE - 1) / DISK_PAGE * DISK_PAGE + slot * DISK_PAGE;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* The number of sets that fit into a file of `bytes`, at least 1. */
static uint64_t sets_in(uint64_t bytes)
{
    uint64_t set = WAYS * (DISK_PAGE + sizeof(DiskEntry)), taken = HEAD + DISK_PAGE;
    return bytes > taken + set ? (bytes - taken) / set : 1;
}

/* Whether the open file is a cache with the expected number of sets. */
static bool is_ours(const Disk *disk)
{
    DiskHead head;
    return pread(disk->file, &head, sizeof head, 0) == (ssize_t)sizeof head &&
           memcmp(head.magic, magic, sizeof magic) == 0 && head.sets == disk->sets &&
           head.entry_size == sizeof(DiskEntry);
}

/* Opens an existing cache, read-only if it cannot be written. False if there is none that fits. */
static bool open_existing(Disk *disk, const char *path)
{
    disk->file = open(path, O_RDWR | O_CLOEXEC);
    disk->writable = disk->file >= 0;
    if (disk->file < 0) disk->file = open(path, O_RDONLY | O_CLOEXEC);
    if (disk->file >= 0 && is_ours(disk)) return true;
    if (disk->file >= 0) close(disk->file);
    disk->file = -1;
    return false;
}

/* Makes an empty cache. The file gets its name when it is complete. Sets errno on failure. */
static bool make_new(Disk *disk, const char *path)
{
    char part[4200];
    DiskHead head = {.sets = disk->sets, .entry_size = sizeof(DiskEntry)};
    memcpy(head.magic, magic, sizeof magic);
    snprintf(part, sizeof part, "%s.tmp-XXXXXX", path);
    int file = mkostemp(part, O_CLOEXEC);
    if (file < 0) return false;
    bool good =
        fchmod(file, 0644) == 0 && ftruncate(file, (off_t)page_at(disk, disk->sets * WAYS)) == 0 &&
        pwrite(file, &head, sizeof head, 0) == (ssize_t)sizeof head && rename(part, path) == 0;
    int why = errno;
    if (!good) unlink(part);
    if (!good) close(file);
    errno = why;
    disk->file = good ? file : -1;
    disk->writable = good;
    return good;
}

Disk *disk_open(const char *folder, uint64_t bytes, treb_error *error)
{
    char path[4100];
    Disk *disk = calloc(1, sizeof *disk);
    if (disk == NULL) {
        http_fail(error, TREB_ERR_MEMORY, "out of memory");
        return NULL;
    }
    disk->sets = sets_in(bytes);
    int n = snprintf(path, sizeof path, "%s/trebuchet-pages", folder);
    if (n > 0 && (size_t)n < sizeof path && (open_existing(disk, path) || make_new(disk, path)))
        return disk;
    http_fail(error, TREB_ERR_IO, "%.300s: cannot keep pages of tables in this folder: %s", folder,
              strerror(errno));
    free(disk);
    return NULL;
}

void disk_close(Disk *disk)
{
    if (disk == NULL) return;
    close(disk->file);
    free(disk);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static uint32_t now_in_seconds(void) { return (uint32_t)time(NULL); }

static bool same_key(XXH128_hash_t a, XXH128_hash_t b)
{
    return a.low64 == b.low64 && a.high64 == b.high64;
}

static uint64_t check_of(XXH128_hash_t key, const uint8_t *bytes)
{
    return XXH3_64bits_withSeed(bytes, DISK_PAGE, key.low64 ^ key.high64);
}

static bool read_set(const Disk *disk, uint64_t set, DiskEntry out[WAYS])
{
    ssize_t size = WAYS * sizeof *out;
    return pread(disk->file, out, (size_t)size, (off_t)index_at(set)) == size;
}

static void write_entry(Disk *disk, uint64_t set, int way, const DiskEntry *entry)
{
    uint64_t at = index_at(set) + (uint64_t)way * sizeof *entry;
    /* If this fails the page counts as not there. */
    if (pwrite(disk->file, entry, sizeof *entry, (off_t)at) < 0) return;
}

bool disk_get(Disk *disk, XXH128_hash_t key, uint8_t out[DISK_PAGE])
{
    enum { OFTEN = 60 }; /* seconds after which the time of use is written again */
    DiskEntry entry[WAYS];
    uint64_t set = key.low64 % disk->sets;
    int way = 0;
    if (!read_set(disk, set, entry)) return false;
    while (way < WAYS && !same_key(entry[way].key, key)) way++;
    if (way == WAYS) return false;
    uint64_t at = page_at(disk, set * WAYS + (uint64_t)way);
    if (pread(disk->file, out, DISK_PAGE, (off_t)at) != DISK_PAGE) return false;
    if (check_of(key, out) != entry[way].check) return false;
    uint32_t now = now_in_seconds();
    if (disk->writable && now - entry[way].used > OFTEN) {
        entry[way].used = now;
        write_entry(disk, set, way, &entry[way]);
    }
    return true;
}

void disk_put(Disk *disk, XXH128_hash_t key, const uint8_t bytes[DISK_PAGE])
{
    DiskEntry entry[WAYS];
    uint64_t set = key.low64 % disk->sets;
    int way = 0;
    if (!disk->writable || !read_set(disk, set, entry)) return;
    for (int i = 0; i < WAYS; i++) {
        if (same_key(entry[i].key, key)) {
            way = i;
            break;
        }
        if (entry[i].used < entry[way].used) way = i;
    }
    uint64_t at = page_at(disk, set * WAYS + (uint64_t)way);
    if (pwrite(disk->file, bytes, DISK_PAGE, (off_t)at) != DISK_PAGE) return;
    DiskEntry fresh = {.key = key, .check = check_of(key, bytes), .used = now_in_seconds()};
    write_entry(disk, set, way, &fresh);
}
