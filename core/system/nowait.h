/* nowait.h - reading a file without waiting for a disk: only what the system has of it in
 * memory. */
#ifndef TREB_CORE_SYSTEM_NOWAIT_H
#define TREB_CORE_SYSTEM_NOWAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a file if the system has its folders and the file itself in memory. Returns a descriptor,
 * or -1: see errno; EAGAIN means that a disk would have to be read, or that the system cannot
 * tell. */
int nowait_open(const char *path);

/* Reads a run of bytes if the system has all of them in memory. On failure returns false: errno is
 * EAGAIN if they are not in memory, 0 if the file ends before them, otherwise the reason why they
 * cannot be read.
 *
 * Linux can read only what is in memory (RWF_NOWAIT). Newer kernels then start by themselves to
 * read what is missing, which takes some 20 us, or somewhat longer if the disk's queue is full.
 * File systems without this (networks, FUSE, tmpfs, overlays) return EOPNOTSUPP. There this
 * function asks mincore, and reads the bytes as usual if mincore says that they are in memory.
 * mincore is truthful only to the owner of a file, and tells others that everything is in memory:
 * for them the function always fails with EAGAIN, as on systems other than Linux, which cannot tell. There a
 * probe that does not wait finds what another thread has read lately (treb_tables_set_fetch). */
bool nowait_read(int file, void *bytes, size_t size, uint64_t offset);

/* Returns whether the system has all of a run of bytes in memory, as nowait_read would find. Bytes
 * behind the end of the file count as present. */
bool nowait_has(int file, uint64_t offset, uint64_t size);

/* Asks the system to read a run of bytes into its memory, and does not wait for them. This may
 * still take a moment: if the system must first read where the bytes are on the disk, or if the
 * disk's queue is full. A thread that must not wait should let another thread call it. */
void nowait_fetch(int file, uint64_t offset, uint64_t size);

#endif
