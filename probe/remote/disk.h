/* disk.h - pages of files in a folder, where they outlast the process.
 *
 * One file of a fixed size: an index, and room for pages, in sets of eight. A page has its place in
 * the set that its key says, and of those in the set the one longest unused makes room for it. Any
 * number of processes may use the file at the same time, without a lock: a page counts only if the
 * checksum in the index is that of its bytes and its key. So what was torn, cut off, mixed up by two
 * who wrote at once, or altered is as if it was not there. */
#ifndef TREB_HTTP_DISK_H
#define TREB_HTTP_DISK_H

#include <stdbool.h>
#include <stdint.h>
#include <xxhash.h>

#include "trebuchet.h"

enum { DISK_PAGE = 4096 };

typedef struct Disk Disk;

/* What is kept in a folder, made if there is none, or one of another size. It is at most `bytes` large;
 * what it holds not takes no room on the disk. NULL with *error filled on failure. */
Disk *disk_open(const char *folder, uint64_t bytes, treb_error *error);
void disk_close(Disk *disk); /* NULL is allowed */

/* By any thread. Where the disk fails nothing is there, or nothing is put. */
bool disk_get(Disk *disk, XXH128_hash_t key, uint8_t out[DISK_PAGE]);
void disk_put(Disk *disk, XXH128_hash_t key, const uint8_t bytes[DISK_PAGE]);

#endif
