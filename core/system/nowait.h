/* nowait.h - reading a file without waiting for a disk: what the system has in its memory of it,
 * and nothing else. */
#ifndef TREB_CORE_NOWAIT_H
#define TREB_CORE_NOWAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a file if the system knows its folders and the file itself from memory. -1: see errno;
 * EAGAIN if it would have to ask a disk, or cannot tell. */
int nowait_open(const char *path, int flags);

/* Reads all of a run of bytes if the system has them in memory. False with errno EAGAIN: it has
 * not; with 0: the file ends before them; else why it cannot be read.
 *
 * Linux can be asked to read nothing but its memory (RWF_NOWAIT). New kernels begin by themselves
 * to read what is missing, which takes some 20 us and, if the disk's queue is full, a moment more.
 * File systems that cannot (a network's, FUSE, tmpfs, overlays) say EOPNOTSUPP. There the question
 * is put to mincore, and the bytes are read as usual if it says that they are there. mincore tells
 * the truth only to the owner of a file, and to others that everything is there: for them the
 * answer is EAGAIN. */
bool nowait_read(int file, void *bytes, size_t size, uint64_t offset);

/* Whether the system has all of a run of bytes in memory, as nowait_read would find it. Bytes
 * behind the end of the file count as there. */
bool nowait_has(int file, uint64_t offset, uint64_t size);

/* Asks the system to read a run of bytes into its memory, and does not wait for them. Where it must
 * read first where on the disk they are, or the disk's queue is full, it may take a moment all the
 * same: a thread that must not should leave it to another. */
void nowait_fetch(int file, uint64_t offset, uint64_t size);

#endif
