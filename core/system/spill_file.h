/* spill_file.h - files for what has no place in memory, or must outlive a run: solved slices, logs, cells, saved
 * searches, checkpoints.
 *
 * A file is a sequence of chunks. A chunk is 8 bytes of checksum and a run of bytes, compressed with zstd. The checksum
 * also covers the place of the chunk in the file. Some chunks may stay in memory, as they are. The caller knows its chunks. If a
 * later run shall read them, the caller puts them into a list (a State): that of another file, or that of this file. In
 * this case the file begins with a mark of its kind and version, and ends with the list, its size and its checksum (8
 * bytes each).
 *
 * Numbers are in the byte order of the machine. What was cut or changed anywhere is noticed. */
#ifndef TREB_CORE_SYSTEM_SPILL_FILE_H
#define TREB_CORE_SYSTEM_SPILL_FILE_H

#include "core/system/memory_budget.h"
#include "core/system/state.h"
#include "trebuchet.h"

typedef struct SpillBlock SpillBlock;

typedef struct SpillFile {
    int file;              /* descriptor; -1: not open */
    _Atomic(uint64_t) end; /* bytes of the mark and all chunks */
    /* The bytes that chunks may claim in memory, and those that they do claim, with room for more chunks. The caller
     * sets the first two after it has created the file. */
    MemoryBudget *budget;
    uint64_t keep;
    _Atomic(uint64_t) kept;
    _Atomic(SpillBlock *) block; /* the newest block of this memory */
    char path[4400]; /* for messages, if the file has no name */
} SpillFile;

typedef struct SpillChunk {
    uint64_t kept : 1;     /* it is in memory */
    uint64_t at : 63;      /* where: in the file; if it is in memory, the address */
    uint32_t packed, size; /* bytes of the chunk, and of what was written */
} SpillChunk;

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* Returns the most bytes that a chunk of `size` bytes takes in a file: buffers named `packed` must have them. */
size_t spill_bound(size_t size);

/* Add a chunk, and read one to memory for chunk->size bytes; `packed` is not used to read a chunk that is in memory.
 * Several threads may do both at once. TREB_ERR_IO, TREB_ERR_MEMORY; TREB_ERR_DAMAGED from reading. */
treb_status spill_write(SpillFile *spill, const void *plain, size_t size, uint8_t *packed,
                        SpillChunk *chunk, treb_error *error);
treb_status spill_read(const SpillFile *spill, const SpillChunk *chunk, uint8_t *packed,
                       void *plain, treb_error *error);

/* Returns the bytes of a chunk that is in memory; NULL if it is in the file. */
const uint8_t *spill_kept(const SpillChunk *chunk);

/* Fills in that a file is damaged. Returns TREB_ERR_DAMAGED. */
treb_status spill_fail_damaged(const SpillFile *spill, treb_error *error);

/* ---- Files ----------------------------------------------------------------------------------- */

/* Creates an empty file; without a path one that has no name, in `folder`, and ends when it is closed. `mark`: a
 * version in the top byte and a kind; 0: the file shall not have a list. TREB_ERR_IO. */
treb_status spill_create(SpillFile *spill, const char *path, const char *folder, uint64_t mark,
                         treb_error *error);

/* Opens a file that had `end` bytes when its chunks were put into a list, and removes what was appended later. False:
 * there is no such file; errno has the reason. */
bool spill_resume(SpillFile *spill, const char *path, uint64_t end);

/* Waits until all chunks are on the disk. TREB_ERR_IO. */
treb_status spill_sync(const SpillFile *spill, treb_error *error);

/* Removes all chunks of a file without a mark. */
void spill_clear(SpillFile *spill);

/* Close a file, which need not be open, and free the chunks in memory; spill_remove also deletes it. */
void spill_close(SpillFile *spill);
void spill_remove(SpillFile *spill);

/* Writes the list of a file behind its chunks. TREB_ERR_IO, TREB_ERR_MEMORY. */
treb_status spill_put_list(const SpillFile *spill, const State *list, treb_error *error);

/* Opens a file for reading, and gets its list, which the caller frees. TREB_ERR_IO, TREB_ERR_MEMORY; TREB_ERR_DAMAGED:
 * another kind or version, damaged or not complete. */
treb_status spill_open(SpillFile *spill, const char *path, uint64_t mark, State *list,
                       treb_error *error);

/* spill_begin creates a file beside `path`. spill_finish puts its list, closes it, and gives it the name `path` when it
 * is on the disk; on failure it is removed. TREB_ERR_IO, TREB_ERR_MEMORY. */
treb_status spill_begin(SpillFile *spill, const char *path, uint64_t mark, treb_error *error);
treb_status spill_finish(SpillFile *spill, const char *path, const State *list, treb_error *error);

#endif
