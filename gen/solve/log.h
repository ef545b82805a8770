/* log.h - sets of cells that are written once and read again: what was decided at each ply, what is due at each ply,
 * and facts about some moves.
 *
 * A log has streams, one for each plane and side to move. A stream is a sequence of entries, and an entry is a tag
 * and the set of cells it is about. Entries stay in memory while there is memory for them. Otherwise they are written
 * to a file, stream by stream and compressed. A file without a name disappears when it is closed or when the process
 * ends. */
#ifndef TREB_GEN_SOLVE_LOG_H
#define TREB_GEN_SOLVE_LOG_H

#include <stdbool.h>

#include "core/system/memory_budget.h"
#include "core/system/memory_layout.h"
#include "core/system/state.h"
#include "gen/solve/plies.h"
#include "trebuchet.h"

/* Where the logs of a solver keep their data. */
typedef struct LogPlace {
    const char *directory; /* folder for a file without a name */
    const char *path;      /* name of a file that later runs can read; NULL: the file has no name */
    MemoryBudget *budget;
    uint64_t limit; /* bytes that all logs together may take in memory, about: see log_memory */
} LogPlace;

typedef struct LogSpace LogSpace;

/* Creates the memory and file that all logs of a solver share. NULL: out of memory. */
LogSpace *log_space_new(const LogPlace *place);
void log_space_free(LogSpace *space); /* and all its logs */

/* Waits until the file is on the disk. */
treb_status log_space_sync(LogSpace *space, treb_error *error);

/* Empties all logs, and the file. log_space_clear keeps their memory for the next entries, unless it is much;
 * log_space_trim frees it. */
void log_space_clear(LogSpace *space);
void log_space_trim(LogSpace *space);

/* Empties all logs; they will use a file of that name, or without a name if NULL. The old file is left as it is. */
void log_space_name(LogSpace *space, const char *path);

/* Appends to `state` what is in the file; every stream must be in the file completely. A later run reads it into a
 * space with the same logs and the same file. False: it is invalid, or out of memory. */
void log_space_put(const LogSpace *space, State *state);
bool log_space_get(LogSpace *space, State *state);

/* Sets how many bytes the logs may keep in memory. */
void log_space_set_limit(LogSpace *space, uint64_t bytes);

/* Returns the number of bytes in the file. */
uint64_t log_space_file_bytes(const LogSpace *space);

typedef struct Log Log;

/* Creates a log of sets of `words` words each, a power of 8. The space owns it. NULL: out of memory. */
Log *log_new(LogSpace *space, uint32_t streams, size_t words);

/* Memory that a thread needs to write to logs, or to read from them. */
typedef struct LogBuffer {
    uint8_t *entry;  /* an entry that is being written */
    uint8_t *plain;  /* a segment of the file, not compressed */
    uint8_t *packed; /* a segment of the file, compressed */
} LogBuffer;

void log_buffer_place(LogBuffer *buffer, size_t words, MemoryLayout *arrays);

/* Writes the entries that a stream has in memory to the file. */
treb_status log_write_pending(Log *log, uint32_t stream, const LogBuffer *buffer, treb_error *error);

enum { LOG_TAGS = 1 << 14 /* tags are less than this */ };

/* Appends an entry, unless the set is empty. `row_blocks`: see kernel.h; other rows of the set are not read. Several
 * threads may write to different streams. TREB_ERR_IO, TREB_ERR_MEMORY. */
treb_status log_add(Log *log, uint32_t stream, unsigned tag, const uint64_t *set,
                    uint64_t row_blocks, const LogBuffer *buffer, treb_error *error);

/* Appends an entry in two steps, so that the caller can send the packed set elsewhere: log_pack packs the set into
 * the buffer and returns its size, log_packed returns the packed set, log_add_packed appends the entry. */
size_t log_pack(const Log *log, const uint64_t *set, uint64_t row_blocks, const LogBuffer *buffer);
const uint8_t *log_packed(const LogBuffer *buffer);
treb_status log_add_packed(Log *log, uint32_t stream, unsigned tag, size_t size,
                           const LogBuffer *buffer, treb_error *error);

/* Appends an entry with a list of cells in ascending order. */
treb_status log_add_cells(Log *log, uint32_t stream, unsigned tag, const uint32_t *cell,
                          size_t count, const LogBuffer *buffer, treb_error *error);

typedef struct LogEntry {
    unsigned tag;
    const uint8_t *bytes;
} LogEntry;

/* Reads a stream from its first entry. Nothing may be added to the stream while it is read. */
typedef struct LogReader {
    const Log *log;
    uint32_t stream, segment;
    const void *chunk;
    const uint8_t *at, *end;
    const LogBuffer *log_buffer;
} LogReader;

void log_read(LogReader *reader, const Log *log, uint32_t stream, const LogBuffer *buffer);

/* Reads the next entry. It is valid until the next call. Its bytes are NULL after the last entry. TREB_ERR_IO. */
treb_status log_next(LogReader *reader, LogEntry *entry, treb_error *error);

/* log_next_bytes returns some entries of a stream as bytes; `*bytes` is NULL after the last. log_append_bytes appends
 * these bytes to the stream of another log. TREB_ERR_IO, TREB_ERR_MEMORY. */
treb_status log_next_bytes(LogReader *reader, const uint8_t **bytes, size_t *size,
                           treb_error *error);
treb_status log_append_bytes(Log *log, uint32_t stream, const uint8_t *bytes, size_t size,
                             const LogBuffer *buffer, treb_error *error);

/* Adds all entries with a tag to a set. TREB_ERR_IO. */
treb_status log_or_tag(const Log *log, uint32_t stream, unsigned tag, const LogBuffer *buffer,
                       uint64_t *set, treb_error *error);

/* Whether a stream with ascending tags may have an entry with this tag. If part of it is in the file the answer can
 * be true although there is none. */
bool log_may_have(const Log *log, uint32_t stream, unsigned tag);

/* Adds an entry to a set. */
void log_entry_or(const Log *log, const LogEntry *entry, uint64_t *set);

/* Writes an entry to a set and returns the blocks of rows that were written. The other blocks are not cleared. */
uint64_t log_entry_get(const Log *log, const LogEntry *entry, uint64_t *set);

/* Sets the distance of each cell of an entry. */
void log_entry_mark(const Log *log, const LogEntry *entry, Plies value, Plies *plies);

/* Streams with ascending tags can also be read entry by entry as they become due. log_rewind goes back to the first
 * entry. */
void log_rewind(Log *log, uint32_t stream);

/* Returns the tag of the next entry of a stream; LOG_TAGS if there is none. */
unsigned log_due(const Log *log, uint32_t stream);

/* Reads this entry, which must exist, and moves on to the next. It is valid as with log_next. */
treb_status log_take(Log *log, uint32_t stream, const LogBuffer *buffer, LogEntry *entry,
                     treb_error *error);

/* Returns the bytes that `logs` logs, each with `streams` streams, can claim in memory beyond what LogPlace.limit
 * allows. */
uint64_t log_memory(uint32_t streams, size_t words, int logs, int threads);

#endif
