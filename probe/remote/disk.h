/* disk.h - a cache of pages in a folder, which later processes can use as well. Private to
 * probe/remote/.
 *
 * The cache is one file of a fixed size: an index, and room for pages, in sets of eight. The key of
 * a page says in which set it belongs; it replaces the page of that set that was used least
 * recently. Any number of processes may use the file at the same time, without a lock: a page is
 * valid only if the checksum in the index is that of its bytes and its key. So a page that was
 * written in part, by two processes at once, or altered, counts as not there. */
#ifndef TREB_PROBE_REMOTE_DISK_H
#define TREB_PROBE_REMOTE_DISK_H

#include <stdbool.h>
#include <stdint.h>
#include <xxhash.h>

#include "trebuchet.h"

enum { DISK_PAGE = 4096 };

typedef struct Disk Disk;

/* Opens the cache of a folder. Makes a new one if there is none, or one of another size. It has at
 * most `bytes`; unused room takes no space on the disk (the file is sparse). NULL with *error
 * filled on failure. */
Disk *disk_open(const char *folder, uint64_t bytes, treb_error *error);
void disk_close(Disk *disk); /* NULL is allowed */

/* Reads, or stores, a page. Any thread may call these. If the disk fails the page is not found, or
 * not stored. */
bool disk_get(Disk *disk, XXH128_hash_t key, uint8_t out[DISK_PAGE]);
void disk_put(Disk *disk, XXH128_hash_t key, const uint8_t bytes[DISK_PAGE]);

#endif
