/* log.h - sets of cells, written once and read again: what was decided at each ply, what falls due at
 * each, what a look at some moves tells.
 *
 * A log has streams, one for each plane and side to move, and a stream has entries, one behind the
 * other: a tag, and the set of cells that it is about. They stay in memory while there is room. What is too
 * much goes to a file, stream by stream and compressed; one without a name is gone when it is closed or
 * the run is killed. */
#ifndef TREB_GEN_LOG_H
#define TREB_GEN_LOG_H

#include <stdbool.h>

#include "core/system/ledger.h"
#include "core/system/state.h"
#include "gen/solve/plies.h"
#include "trebuchet.h"

/* Where the logs of a solver are. */
typedef struct LogPlace {
    const char *directory; /* has room for the file */
    const char *path;      /* of a file that outlives the run; NULL: one without a name */
    Ledger *ledger;
    uint64_t keep; /* bytes that all of them may claim in memory, about: see log_memory */
} LogPlace;

typedef struct LogSpace LogSpace;

/* NULL: out of memory. */
LogSpace *log_space_new(const LogPlace *place);
void log_space_free(LogSpace *space); /* with its logs */

/* Brings the file to the disk. */
treb_status log_space_sync(LogSpace *space, treb_error *error);

/* Has all logs forget what they have. What that took in memory is kept for what comes next, unless it was much, or freed
 * as well; what it took on the disk is given back. */
void log_space_clear(LogSpace *space);
void log_space_trim(LogSpace *space);

/* The same, and what is filed next goes to a file of that name, or to one without: NULL. */
void log_space_name(LogSpace *space, const char *path);

/* Where in the file all is, when every stream was filed: to be remembered, and to go on from in a later run
 * with the same logs and file. False: it makes no sense, or out of memory. */
void log_space_put(const LogSpace *space, State *state);
bool log_space_get(LogSpace *space, State *state);

/* Changes what may be kept in memory. */
void log_space_keep(LogSpace *space, uint64_t bytes);

/* Bytes in the file. */
uint64_t log_space_filed(const LogSpace *space);

typedef struct Log Log;

/* A log of sets of `words` words each, a power of 8; it is the space's. NULL: out of memory. */
Log *log_new(LogSpace *space, uint32_t streams, size_t words);

/* What a thread needs to write to logs of sets of so many words, or to read from them. */
typedef struct LogRoom {
    uint8_t *bytes;  /* an entry that is being made */
    uint8_t *block;  /* a block as it was before it was compressed */
    uint8_t *packed; /* and after */
} LogRoom;

void log_room_place(LogRoom *room, size_t words, Layout *layout);

/* Files what a stream has in memory. */
treb_status log_file(Log *log, uint32_t stream, const LogRoom *room, treb_error *error);

enum { LOG_TAGS = 1 << 14 /* a tag is less */ };

/* Appends an entry, unless the set is empty. `slabs`: as in kernel.h; other rows of the set are not
 * looked at. Streams can be written by different threads. TREB_ERR_IO, TREB_ERR_MEMORY. */
treb_status log_add(Log *log, uint32_t stream, unsigned tag, const uint64_t *set, uint64_t slabs,
                    const LogRoom *room, treb_error *error);

/* The same in two steps: the set packed in the room, of so many bytes, for others to see; then the entry. */
size_t log_pack(const Log *log, const uint64_t *set, uint64_t slabs, const LogRoom *room);
const uint8_t *log_packed(const LogRoom *room);
treb_status log_add_packed(Log *log, uint32_t stream, unsigned tag, size_t size,
                           const LogRoom *room, treb_error *error);

/* The same with a list of cells in ascending order. */
treb_status log_add_cells(Log *log, uint32_t stream, unsigned tag, const uint32_t *cell,
                          size_t count, const LogRoom *room, treb_error *error);

typedef struct LogEntry {
    unsigned tag;
    const uint8_t *bytes;
} LogEntry;

/* Goes through a stream. Nothing may be added meanwhile. */
typedef struct LogReader {
    const Log *log;
    uint32_t stream, segment;
    const void *chunk;
    const uint8_t *at, *end;
    const LogRoom *room;
} LogReader;

void log_read(LogReader *reader, const Log *log, uint32_t stream, const LogRoom *room);

/* The next entry, which lasts until the next call; its bytes are NULL behind the last.
 * TREB_ERR_IO. */
treb_status log_next(LogReader *reader, LogEntry *entry, treb_error *error);

/* The entries of a stream as they lie there, some at a time: NULL behind the last. They lie behind those of
 * another log's stream once they were appended there. TREB_ERR_IO, TREB_ERR_MEMORY. */
treb_status log_next_bytes(LogReader *reader, const uint8_t **bytes, size_t *size,
                           treb_error *error);
treb_status log_append_bytes(Log *log, uint32_t stream, const uint8_t *bytes, size_t size,
                             const LogRoom *room, treb_error *error);

/* Ors all entries with a tag into a set. TREB_ERR_IO. */
treb_status log_or_tag(const Log *log, uint32_t stream, unsigned tag, const LogRoom *room,
                       uint64_t *set, treb_error *error);

/* Whether a stream whose tags ascend may have an entry with this one: not for certain where it is in the
 * file. */
bool log_may_have(const Log *log, uint32_t stream, unsigned tag);

/* Ors an entry into a set. */
void log_entry_or(const Log *log, const LogEntry *entry, uint64_t *set);

/* Writes an entry to a set, in the rows where there is something: returns these slabs. */
uint64_t log_entry_get(const Log *log, const LogEntry *entry, uint64_t *set);

/* Gives each cell of an entry a distance. */
void log_entry_mark(const Log *log, const LogEntry *entry, Plies value, Plies *plies);

/* Streams whose tags ascend can be read entry by entry as these fall due. From the first again: */
void log_rewind(Log *log, uint32_t stream);

/* The tag of the next entry of a stream; LOG_TAGS if there is none. */
unsigned log_due(const Log *log, uint32_t stream);

/* That entry, as by log_next, and goes on. There must be one. */
treb_status log_take(Log *log, uint32_t stream, const LogRoom *room, LogEntry *entry,
                     treb_error *error);

/* Bytes that so many streams of `logs` logs may claim in memory beyond what is to be kept. */
uint64_t log_memory(uint32_t streams, size_t words, int logs, int threads);

#endif
