/* log.c - see log.h.
 *
 * An entry is its tag (16 bits), the size of the packed set (7 bits in a byte, low bits first; the top bit means that
 * another byte follows), and the packed set.
 *
 * The entries of a stream lie in chunks of memory, one after another. When they are written to the file, some chunks
 * together become a segment, which is a chunk of the file. */
#include "gen/solve/log.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/memory_layout.h"
#include "core/system/spill_file.h"
#include "gen/solve/packed.h"

enum {
    CHUNK_LEAST = 256,     /* bytes of a stream's first chunk */
    CHUNK_MOST = 64 << 10, /* the most bytes of a later chunk, unless an entry is larger */
    FILE_LEAST = 1 << 10,  /* the least bytes of a stream that are written to the file */
    HEAD = 8, /* the most bytes of an entry before the set */
};

typedef struct Chunk {
    struct Chunk *next;
    size_t size, used; /* used: not up to date in the last chunk of a stream, see chunk_used */
} Chunk;

typedef struct LogSegment {
    SpillChunk chunk;
    uint32_t tag; /* of the first entry */
} LogSegment;

typedef struct Stream {
    uint8_t *at;         /* where the next entry goes, in the last chunk */
    size_t left;         /* bytes left there */
    Chunk *first, *last; /* the chunks behind `last` are empty */
    size_t held;         /* bytes of the chunks up to `last` */
    LogSegment *segment; /* in the file; they come before the chunks */
    uint32_t segments, capacity;
    /* The next entry that is due: its tag, and its place in a segment or otherwise in a chunk. */
    unsigned due_tag;
    uint32_t due_segment;
    size_t due_offset;
    const Chunk *due_chunk;
} Stream;

struct LogSpace {
    char directory[4096], path[4200]; /* path: empty if the file has no name */
    MemoryBudget *budget;
    uint64_t limit;
    _Atomic uint64_t held; /* bytes of all chunks, also empty ones */
    SpillFile spill;
    Log *first;
};

struct Log {
    LogSpace *space;
    Log *next; /* next log of the space */
    uint32_t streams;
    size_t words;
    const Kernel *kernel;
    Stream *stream;
};

static uint8_t *chunk_bytes(const Chunk *chunk) { return (uint8_t *)(uintptr_t)(chunk + 1); }

/* Returns the used bytes of a chunk. Of the last chunk `used` is not kept up to date, so that appending does not
 * touch it. */
static size_t chunk_used(const Stream *stream, const Chunk *chunk)
{
    return chunk == stream->last ? (size_t)(stream->at - chunk_bytes(chunk)) : chunk->used;
}

/* ---- Space ----------------------------------------------------------------------------------- */

LogSpace *log_space_new(const LogPlace *place)
{
    LogSpace *space = calloc(1, sizeof *space);
    if (space == NULL) return NULL;
    snprintf(space->directory, sizeof space->directory, "%s", place->directory);
    if (place->path) snprintf(space->path, sizeof space->path, "%s", place->path);
    space->budget = place->budget;
    space->limit = place->limit;
    space->spill.file = -1;
    return space;
}

uint64_t log_space_file_bytes(const LogSpace *space) { return atomic_load(&space->spill.end); }

static treb_status space_open(LogSpace *space, treb_error *error)
{
    treb_status status = TREB_OK;
#pragma omp critical(log_space)
    if (space->spill.file < 0)
        status = spill_create(&space->spill, space->path[0] != '\0' ? space->path : NULL,
                              space->directory, 0, error);
    return status;
}

treb_status log_space_sync(LogSpace *space, treb_error *error)
{
    return spill_sync(&space->spill, error);
}

/* ---- Logs ------------------------------------------------------------------------------------ */

Log *log_new(LogSpace *space, uint32_t streams, size_t words)
{
    Log *log = calloc(1, sizeof *log);
    if (log == NULL) return NULL;
    *log = (Log){.space = space,
                 .next = space->first,
                 .streams = streams,
                 .words = words,
                 .kernel = kernel_best(),
                 .stream = budget_calloc(space->budget, streams * sizeof *log->stream)};
    if (log->stream != NULL) return space->first = log;
    free(log);
    return NULL;
}

/* Forgets the chunks: the next entry begins with the first chunk. */
static void stream_reset(Stream *stream)
{
    stream->held = 0;
    stream->last = NULL;
    stream->at = NULL;
    stream->left = 0;
}

static void chunks_free(LogSpace *space, Stream *stream)
{
    for (Chunk *chunk = stream->first, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        atomic_fetch_sub(&space->held, chunk->size);
        budget_free(chunk);
    }
    stream->first = NULL;
}

static void log_clear(Log *log, bool trim)
{
    for (uint32_t i = 0; i < log->streams; i++) {
        Stream *stream = &log->stream[i];
        stream_reset(stream);
        stream->segments = 0;
        if (trim) chunks_free(log->space, stream);
        for (Chunk *chunk = stream->first; chunk != NULL; chunk = chunk->next) chunk->used = 0;
    }
}

/* Empties all logs. An empty chunk is of use to its own stream only, and other streams may be long the next time: if
 * the logs hold much memory it is freed. */
static void space_clear(LogSpace *space, bool trim)
{
    trim = trim || atomic_load(&space->held) > space->limit / 2;
    for (Log *log = space->first; log != NULL; log = log->next) log_clear(log, trim);
    spill_clear(&space->spill);
}

/* Empties all logs and closes the file, without changing it. */
static void space_close(LogSpace *space, bool trim)
{
    spill_close(&space->spill);
    space_clear(space, trim);
}

void log_space_clear(LogSpace *space) { space_clear(space, false); }

void log_space_trim(LogSpace *space) { space_clear(space, true); }

void log_space_name(LogSpace *space, const char *path)
{
    space_close(space, false);
    snprintf(space->path, sizeof space->path, "%s", path != NULL ? path : "");
}

void log_space_set_limit(LogSpace *space, uint64_t bytes) { space->limit = bytes; }

void log_space_free(LogSpace *space)
{
    if (space == NULL) return;
    space_close(space, true);
    for (Log *log = space->first, *next; log != NULL; log = next) {
        next = log->next;
        for (uint32_t i = 0; i < log->streams; i++) free(log->stream[i].segment);
        budget_free(log->stream);
        free(log);
    }
    free(space);
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static size_t entry_most(size_t words) { return HEAD + packed_most(words); }

static size_t chunk_most(size_t words)
{
    size_t entry = entry_most(words);
    return entry > CHUNK_MOST ? entry : CHUNK_MOST;
}

void log_buffer_place(LogBuffer *buffer, size_t words, MemoryLayout *arrays)
{
    buffer->entry = memory_layout_place(arrays, entry_most(words));
    buffer->plain = memory_layout_place(arrays, chunk_most(words) + PACKED_SLACK);
    buffer->packed = memory_layout_place(arrays, spill_bound(chunk_most(words)));
}

uint64_t log_memory(uint32_t streams, size_t words, int logs, int threads)
{
    /* The chunks of a stream grow until they are written to the file together. The smallest planes have fewer
     * entries. */
    size_t most = 256 * words + 512;
    if (most > 2 * FILE_LEAST) most = 2 * FILE_LEAST;
    return logs * (budget_cost(streams * sizeof(Stream)) + (uint64_t)streams * budget_cost(most)) +
           (uint64_t)threads * budget_cost(chunk_most(words));
}

/* ---- Heads of entries ------------------------------------------------------------------------ */

static unsigned get_tag(const uint8_t *entry) { return entry[0] | (unsigned)entry[1] << 8; }

/* Writes the head of an entry before its set, which has `size` bytes. Returns where the head begins. */
static uint8_t *put_head(uint8_t *set, unsigned tag, size_t size)
{
    uint8_t head[HEAD], *at = head;
    *at++ = (uint8_t)tag;
    *at++ = (uint8_t)(tag >> 8);
    for (; size > 127; size >>= 7) *at++ = (uint8_t)(size | 128);
    *at++ = (uint8_t)size;
    uint8_t *start = set - (at - head);
    memcpy(start, head, (size_t)(at - head));
    return start;
}

/* Reads the entry at `at`. Returns the next one. */
static const uint8_t *get_entry(const uint8_t *at, LogEntry *entry)
{
    unsigned tag = get_tag(at);
    size_t size = 0;
    int shift = 0;
    for (at += 2; *at & 128; shift += 7) size |= (size_t)(*at++ & 127) << shift;
    size |= (size_t)*at++ << shift;
    *entry = (LogEntry){tag, at};
    return at + size;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Writes whole entries to the file as a segment. */
static treb_status write_segment(LogSpace *space, Stream *stream, const uint8_t *bytes, size_t size,
                                 const LogBuffer *buffer, treb_error *error)
{
    if (stream->segments == stream->capacity) {
        uint32_t capacity = stream->capacity ? 2 * stream->capacity : 8;
        LogSegment *grown = realloc(stream->segment, capacity * sizeof *grown);
        if (grown == NULL) return fail_memory(error);
        stream->segment = grown;
        stream->capacity = capacity;
    }
    LogSegment *segment = &stream->segment[stream->segments];
    segment->tag = get_tag(bytes);
    treb_status status =
        spill_write(&space->spill, bytes, size, buffer->packed, &segment->chunk, error);
    if (status == TREB_OK) stream->segments++;
    return status;
}

/* Writes the chunks of a stream to the file, in as few segments as the buffer allows. */
static treb_status stream_flush(Log *log, Stream *stream, const LogBuffer *buffer,
                                treb_error *error)
{
    LogSpace *space = log->space;
    treb_status status = space_open(space, error);
    size_t size = 0;
    for (const Chunk *chunk = stream->first; chunk != NULL && status == TREB_OK;
         chunk = chunk->next) {
        const size_t used = chunk_used(stream, chunk);
        if (used == 0) continue;
        if (size > 0 && size + used > chunk_most(log->words)) {
            status = write_segment(space, stream, buffer->plain, size, buffer, error);
            size = 0;
        }
        memcpy(buffer->plain + size, chunk_bytes(chunk), used);
        size += used;
    }
    if (size > 0 && status == TREB_OK)
        status = write_segment(space, stream, buffer->plain, size, buffer, error);
    if (status != TREB_OK) return status;
    stream_reset(stream);
    chunks_free(space, stream);
    return TREB_OK;
}

treb_status log_write_pending(Log *log, uint32_t stream, const LogBuffer *buffer, treb_error *error)
{
    return stream_flush(log, &log->stream[stream], buffer, error);
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static void stream_put(const Stream *stream, State *state)
{
    assert(stream->held == 0);
    state_put(state, stream->segments);
    state_put_bytes(state, stream->segment, stream->segments * sizeof *stream->segment);
}

static bool stream_get(Stream *stream, State *state)
{
    uint64_t most = (state->size - state->at) / sizeof *stream->segment;
    uint64_t count = state_get_most(state, most < UINT32_MAX ? most : UINT32_MAX);
    if (count == 0) return !state->failed;
    LogSegment *segment = realloc(stream->segment, count * sizeof *segment);
    if (segment == NULL) return false;
    stream->segment = segment;
    stream->segments = stream->capacity = (uint32_t)count;
    state_get_bytes(state, segment, count * sizeof *segment);
    return !state->failed;
}

void log_space_put(const LogSpace *space, State *state)
{
    state_put(state, log_space_file_bytes(space));
    for (const Log *log = space->first; log != NULL; log = log->next) {
        state_put(state, log->streams);
        state_put(state, log->words);
        for (uint32_t i = 0; i < log->streams; i++) stream_put(&log->stream[i], state);
    }
}

bool log_space_get(LogSpace *space, State *state)
{
    space_close(space, false);
    const uint64_t end = state_get(state);
    if (end > 0 && !spill_resume(&space->spill, space->path, end)) return false;
    for (Log *log = space->first; log != NULL; log = log->next) {
        if (state_get(state) != log->streams || state_get(state) != log->words) return false;
        for (uint32_t i = 0; i < log->streams; i++)
            if (!stream_get(&log->stream[i], state)) return false;
    }
    return !state->failed;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Whether the stream has an empty chunk with room for `bytes` bytes. */
static bool has_empty(const Stream *stream, size_t bytes)
{
    const Chunk *next = stream->last != NULL ? stream->last->next : stream->first;
    return next != NULL && next->size >= bytes;
}

/* Makes room for `bytes` bytes in the next chunk, or in a new one. False: out of memory. */
static bool make_room(LogSpace *space, Stream *stream, size_t bytes)
{
    Chunk *last = stream->last, *next = last != NULL ? last->next : stream->first;
    if (last != NULL) last->used = chunk_used(stream, last);
    for (; next != NULL && next->size < bytes; next = next->next) last = next;
    if (next == NULL) {
        size_t size = last == NULL ? CHUNK_LEAST : 2 * last->size;
        if (size > CHUNK_MOST) size = CHUNK_MOST;
        if (size < bytes) size = bytes;
        next = budget_alloc(space->budget, sizeof *next + size + PACKED_SLACK);
        if (next == NULL) return false;
        *next = (Chunk){NULL, size, 0};
        atomic_fetch_add(&space->held, size);
        if (last != NULL)
            last->next = next;
        else
            stream->first = next;
    }
    stream->last = next;
    stream->at = chunk_bytes(next);
    stream->left = next->size;
    stream->held += next->size;
    return true;
}

treb_status log_append_bytes(Log *log, uint32_t stream_number, const uint8_t *entries, size_t bytes,
                             const LogBuffer *buffer, treb_error *error)
{
    LogSpace *space = log->space;
    Stream *stream = &log->stream[stream_number];
    bool crowded = false;
    if (stream->left < bytes) {
        treb_status status = TREB_OK;
        crowded = !has_empty(stream, bytes) && atomic_load(&space->held) + bytes > space->limit;
        if (crowded && stream->held >= FILE_LEAST)
            status = stream_flush(log, stream, buffer, error);
        if (status == TREB_OK && !make_room(space, stream, bytes)) {
            if (stream->held > 0) status = stream_flush(log, stream, buffer, error);
            if (status == TREB_OK && !make_room(space, stream, bytes)) status = fail_memory(error);
        }
        if (status != TREB_OK) return status;
    }
    memcpy(stream->at, entries, bytes);
    stream->at += bytes;
    stream->left -= bytes;
    /* If memory is short, large entries are written at once. */
    if (crowded && stream->held >= 2 * FILE_LEAST) return stream_flush(log, stream, buffer, error);
    return TREB_OK;
}

const uint8_t *log_packed(const LogBuffer *buffer) { return buffer->entry + HEAD; }

treb_status log_add_packed(Log *log, uint32_t stream, unsigned tag, size_t size,
                           const LogBuffer *buffer, treb_error *error)
{
    const uint8_t *set = buffer->entry + HEAD, *entry = put_head(buffer->entry + HEAD, tag, size);
    return log_append_bytes(log, stream, entry, (size_t)(set - entry) + size, buffer, error);
}

size_t log_pack(const Log *log, const uint64_t *set, uint64_t row_blocks, const LogBuffer *buffer)
{
    uint8_t *packed = buffer->entry + HEAD;
    return (size_t)(packed_put(log->kernel, set, log->words, row_blocks, packed) - packed);
}

treb_status log_add(Log *log, uint32_t stream, unsigned tag, const uint64_t *set,
                    uint64_t row_blocks, const LogBuffer *buffer, treb_error *error)
{
    size_t size = log_pack(log, set, row_blocks, buffer);
    return size > 0 ? log_add_packed(log, stream, tag, size, buffer, error) : TREB_OK;
}

treb_status log_add_cells(Log *log, uint32_t stream, unsigned tag, const uint32_t *cell,
                          size_t count, const LogBuffer *buffer, treb_error *error)
{
    uint8_t *packed = buffer->entry + HEAD,
            *end = packed_put_cells(log->kernel, cell, count, log->words, packed);
    if (end == packed) return TREB_OK;
    return log_add_packed(log, stream, tag, (size_t)(end - packed), buffer, error);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static treb_status segment_read(const LogSpace *space, const LogSegment *segment,
                                const LogBuffer *buffer, treb_error *error)
{
    return spill_read(&space->spill, &segment->chunk, buffer->packed, buffer->plain, error);
}

/* Returns the next chunk with entries; NULL: there is none. */
static const Chunk *chunk_behind(const Stream *stream, const Chunk *chunk)
{
    do {
        if (chunk == stream->last) return NULL;
        chunk = chunk == NULL ? stream->first : chunk->next;
    } while (chunk_used(stream, chunk) == 0);
    return chunk;
}

void log_read(LogReader *reader, const Log *log, uint32_t stream, const LogBuffer *buffer)
{
    *reader = (LogReader){.log = log, .stream = stream, .log_buffer = buffer};
}

/* Moves on to the next segment or chunk if there are no more entries in the current one. */
static treb_status reader_fill(LogReader *reader, treb_error *error)
{
    const Stream *stream = &reader->log->stream[reader->stream];
    if (reader->at != reader->end) return TREB_OK;
    if (reader->segment < stream->segments) {
        const LogSegment *segment = &stream->segment[reader->segment++];
        treb_status status = segment_read(reader->log->space, segment, reader->log_buffer, error);
        if (status != TREB_OK) return status;
        reader->at = reader->log_buffer->plain;
        reader->end = reader->at + segment->chunk.size;
        return TREB_OK;
    }
    const Chunk *chunk = chunk_behind(stream, reader->chunk);
    if (chunk == NULL) return TREB_OK;
    reader->chunk = chunk;
    reader->at = chunk_bytes(chunk);
    reader->end = reader->at + chunk_used(stream, chunk);
    return TREB_OK;
}

treb_status log_next(LogReader *reader, LogEntry *entry, treb_error *error)
{
    entry->bytes = NULL;
    treb_status status = reader_fill(reader, error);
    if (status == TREB_OK && reader->at != reader->end) reader->at = get_entry(reader->at, entry);
    return status;
}

treb_status log_next_bytes(LogReader *reader, const uint8_t **bytes, size_t *size,
                           treb_error *error)
{
    treb_status status = reader_fill(reader, error);
    *size = (size_t)(reader->end - reader->at);
    *bytes = *size > 0 ? reader->at : NULL;
    reader->at = reader->end;
    return status;
}

treb_status log_or_tag(const Log *log, uint32_t stream, unsigned tag, const LogBuffer *buffer,
                       uint64_t *set, treb_error *error)
{
    LogReader reader;
    LogEntry entry;
    treb_status status;
    log_read(&reader, log, stream, buffer);
    while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL)
        if (entry.tag == tag) log_entry_or(log, &entry, set);
    return status;
}

bool log_may_have(const Log *log, uint32_t stream_number, unsigned tag)
{
    const Stream *stream = &log->stream[stream_number];
    if (stream->segments > 0 && tag >= stream->segment[0].tag) return true;
    for (const Chunk *chunk = NULL; (chunk = chunk_behind(stream, chunk)) != NULL;) {
        LogEntry entry;
        const uint8_t *at = chunk_bytes(chunk), *end = at + chunk_used(stream, chunk);
        while (at < end) {
            at = get_entry(at, &entry);
            if (entry.tag == tag) return true;
        }
    }
    return false;
}

/* ---- Due entries ----------------------------------------------------------------------------- */

static void due_chunk(Stream *stream, const Chunk *chunk)
{
    stream->due_chunk = chunk;
    stream->due_offset = 0;
    stream->due_tag = chunk != NULL ? get_tag(chunk_bytes(chunk)) : LOG_TAGS;
}

static void due_segment(Stream *stream, uint32_t segment)
{
    stream->due_segment = segment;
    stream->due_offset = 0;
    if (segment < stream->segments)
        stream->due_tag = stream->segment[segment].tag;
    else
        due_chunk(stream, chunk_behind(stream, NULL));
}

void log_rewind(Log *log, uint32_t stream) { due_segment(&log->stream[stream], 0); }

unsigned log_due(const Log *log, uint32_t stream) { return log->stream[stream].due_tag; }

treb_status log_take(Log *log, uint32_t stream_number, const LogBuffer *buffer, LogEntry *entry,
                     treb_error *error)
{
    Stream *stream = &log->stream[stream_number];
    bool in_file = stream->due_segment < stream->segments;
    const LogSegment *segment = in_file ? &stream->segment[stream->due_segment] : NULL;
    const Chunk *chunk = stream->due_chunk;
    assert(stream->due_tag < LOG_TAGS);
    treb_status status = in_file ? segment_read(log->space, segment, buffer, error) : TREB_OK;
    if (status != TREB_OK) return status;
    const uint8_t *bytes = in_file ? buffer->plain : chunk_bytes(chunk);
    const uint8_t *next = get_entry(bytes + stream->due_offset, entry);
    stream->due_offset = (size_t)(next - bytes);
    if (stream->due_offset < (in_file ? segment->chunk.size : chunk_used(stream, chunk)))
        stream->due_tag = get_tag(next);
    else if (in_file)
        due_segment(stream, stream->due_segment + 1);
    else
        due_chunk(stream, chunk_behind(stream, chunk));
    return TREB_OK;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

void log_entry_or(const Log *log, const LogEntry *entry, uint64_t *set)
{
    packed_or(log->kernel, entry->bytes, log->words, set);
}

uint64_t log_entry_get(const Log *log, const LogEntry *entry, uint64_t *set)
{
    return packed_get(log->kernel, entry->bytes, log->words, set);
}

void log_entry_mark(const Log *log, const LogEntry *entry, Plies value, Plies *plies)
{
    packed_mark(log->kernel, entry->bytes, log->words, value, plies);
}
