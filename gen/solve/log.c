/* log.c - see log.h.
 *
 * An entry is its tag (u16), how many bytes follow (seven bits in each, low ones first, and more if the
 * highest is set), and the set, a tree: a node is a byte with a bit for each eighth of its cells that is
 * not empty, followed by these eighths; an eighth of a word is the byte itself. A single cell of 16
 * million so takes 8 bytes, and neighbours share all but the last of these.
 *
 * The entries of a stream lie in chunks of memory, one after another. A stream that is filed writes
 * its chunks to the file, each by itself, as segments. */
#include "gen/solve/log.h"

#include <assert.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "core/error.h"
#include "core/io.h"
#include "gen/solve/kernel.h"

enum {
    CHUNK_LEAST = 256,     /* bytes of a stream's first chunk, */
    CHUNK_MOST = 64 << 10, /* and of a later one, if an entry is no larger */
    FILE_LEAST = 1 << 10,  /* what a stream has at least when it is filed */
    LEVEL = 1,
    SLABS_WORDS = 4096, /* sets of so many words and more are told apart by slabs: see kernel.h */
    TREE_WORDS = 64,    /* smaller ones are no trees */
    HEAD = 8,           /* bytes before the set, at most */
    SLACK = 8           /* that may be looked at behind an entry */
};

typedef struct Chunk {
    struct Chunk *next;
    size_t size, used; /* used: of the last of a stream, see chunk_used */
} Chunk;

typedef struct Segment {
    uint64_t offset;
    uint32_t packed, size; /* as large if it is not compressed */
    uint32_t tag;          /* of the first entry */
} Segment;

typedef struct Stream {
    uint8_t *at;         /* where the next entry goes, in the last chunk, */
    size_t left;         /* and how many bytes are left there */
    Chunk *first, *last; /* those behind `last` are empty */
    size_t held;         /* bytes of the chunks up to it */
    Segment *segment;    /* what was filed: comes before the chunks */
    uint32_t segments, capacity;
    /* The next entry that is due: its tag, and its place in a segment or else in a chunk. */
    unsigned due_tag;
    uint32_t due_segment;
    size_t due_offset;
    const Chunk *due_chunk;
} Stream;

struct LogSpace {
    char directory[4096];
    Ledger *ledger;
    uint64_t keep;
    _Atomic uint64_t held, end; /* bytes in chunks with entries, and in the file */
    int file;                   /* -1: none yet */
};

struct Log {
    LogSpace *space;
    uint32_t streams;
    size_t words;
    int shift; /* of a cell, to the eighth of the set that it is in */
    const Kernel *kernel;
    Stream *stream;
};

static uint8_t *chunk_bytes(const Chunk *chunk) { return (uint8_t *)(uintptr_t)(chunk + 1); }

/* The chunk that is written to need not be touched to say so. */
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
    space->ledger = place->ledger;
    space->keep = place->keep;
    space->file = -1;
    return space;
}

void log_space_free(LogSpace *space)
{
    if (space == NULL) return;
    if (space->file >= 0) close(space->file);
    free(space);
}

uint64_t log_space_filed(const LogSpace *space) { return atomic_load(&space->end); }

static treb_status space_open(LogSpace *space, treb_error *error)
{
    treb_status status = TREB_OK;
#pragma omp critical(log_space)
    {
        if (space->file < 0) space->file = io_unnamed(space->directory);
        if (space->file < 0) status = fail_errno(error, "create a file in", space->directory);
    }
    return status;
}

/* ---- A log ----------------------------------------------------------------------------------- */

Log *log_new(LogSpace *space, uint32_t streams, size_t words)
{
    Log *log = calloc(1, sizeof *log);
    if (log == NULL) return NULL;
    log->space = space;
    log->streams = streams;
    log->words = words;
    log->kernel = kernel_best();
    log->shift = 3 + __builtin_ctzll(words);
    log->stream = ledger_calloc(space->ledger, streams * sizeof *log->stream);
    if (log->stream != NULL) return log;
    free(log);
    return NULL;
}

static void stream_forget(LogSpace *space, Stream *stream)
{
    for (Chunk *chunk = stream->first; chunk != NULL; chunk = chunk->next) chunk->used = 0;
    atomic_fetch_sub(&space->held, stream->held);
    stream->held = 0;
    stream->last = NULL;
    stream->at = NULL;
    stream->left = 0;
    stream->segments = 0;
}

void log_clear(Log *log)
{
    for (uint32_t i = 0; i < log->streams; i++) stream_forget(log->space, &log->stream[i]);
}

static void chunks_free(Stream *stream)
{
    for (Chunk *chunk = stream->first, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        ledger_free(chunk);
    }
    stream->first = stream->last = NULL;
    stream->at = NULL;
    stream->left = 0;
}

void log_trim(Log *log)
{
    for (uint32_t i = 0; i < log->streams; i++) {
        stream_forget(log->space, &log->stream[i]);
        chunks_free(&log->stream[i]);
    }
}

void log_space_empty(LogSpace *space)
{
    atomic_store(&space->end, 0);
    /* What is left of the file otherwise is written over. */
    if (space->file >= 0 && ftruncate(space->file, 0) != 0) return;
}

void log_space_keep(LogSpace *space, uint64_t bytes) { space->keep = bytes; }

void log_free(Log *log)
{
    if (log == NULL) return;
    for (uint32_t i = 0; i < log->streams; i++) {
        stream_forget(log->space, &log->stream[i]);
        chunks_free(&log->stream[i]);
        free(log->stream[i].segment);
    }
    ledger_free(log->stream);
    free(log);
}

/* ---- Room ------------------------------------------------------------------------------------ */

/* The largest tree: nodes down to words have eight parts each, and a word has a byte more. */
static size_t entry_most(size_t words) { return HEAD + words * 9 + words / 7 + 16 + SLACK; }

static size_t chunk_most(size_t words)
{
    size_t entry = entry_most(words);
    return entry > CHUNK_MOST ? entry : CHUNK_MOST;
}

void log_room_place(LogRoom *room, size_t words, Layout *layout)
{
    room->bytes = layout_place(layout, entry_most(words));
    room->block = layout_place(layout, chunk_most(words) + SLACK);
    room->packed = layout_place(layout, ZSTD_compressBound(chunk_most(words)));
}

uint64_t log_memory(uint32_t streams, size_t words, int logs, int threads)
{
    /* Chunks of a stream grow until they are filed together; of the smallest planes there is less to say. */
    size_t most = 256 * words + 512;
    if (most > 2 * FILE_LEAST) most = 2 * FILE_LEAST;
    return logs * (ledger_cost(streams * sizeof(Stream)) + (uint64_t)streams * ledger_cost(most)) +
           (uint64_t)threads * ledger_cost(chunk_most(words));
}

/* ---- Heads of entries ------------------------------------------------------------------------ */

static unsigned get_tag(const uint8_t *entry) { return entry[0] | (unsigned)entry[1] << 8; }

/* Writes it before the set, which has `size` bytes; returns where it begins. */
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

/* Reads the entry at `at`; returns the next. */
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

/* ---- Filing ---------------------------------------------------------------------------------- */

/* Writes some bytes of entries, the first of which has this tag, as a segment. */
static treb_status file_segment(LogSpace *space, Stream *stream, const uint8_t *bytes, size_t size,
                                const LogRoom *room, treb_error *error)
{
    size_t packed = ZSTD_compress(room->packed, ZSTD_compressBound(size), bytes, size, LEVEL);
    bool plain = ZSTD_isError(packed) || packed >= size;
    if (plain) packed = size;
    if (stream->segments == stream->capacity) {
        uint32_t capacity = stream->capacity ? 2 * stream->capacity : 8;
        Segment *grown = realloc(stream->segment, capacity * sizeof *grown);
        if (grown == NULL) return fail_memory(error);
        stream->segment = grown;
        stream->capacity = capacity;
    }
    uint64_t offset = atomic_fetch_add(&space->end, packed);
    if (!io_write_at(space->file, plain ? bytes : room->packed, packed, offset))
        return fail_errno(error, "write a temporary file in", space->directory);
    stream->segment[stream->segments++] =
        (Segment){offset, (uint32_t)packed, (uint32_t)size, get_tag(bytes)};
    return TREB_OK;
}

/* Brings a stream's chunks to the file, as few segments as there is room for. */
static treb_status stream_file(Log *log, Stream *stream, const LogRoom *room, treb_error *error)
{
    LogSpace *space = log->space;
    treb_status status = space_open(space, error);
    size_t size = 0;
    for (const Chunk *chunk = stream->first; chunk != NULL && status == TREB_OK;
         chunk = chunk->next) {
        const size_t used = chunk_used(stream, chunk);
        if (used == 0) continue;
        if (size > 0 && size + used > chunk_most(log->words)) {
            status = file_segment(space, stream, room->block, size, room, error);
            size = 0;
        }
        memcpy(room->block + size, chunk_bytes(chunk), used);
        size += used;
    }
    if (size > 0 && status == TREB_OK)
        status = file_segment(space, stream, room->block, size, room, error);
    if (status != TREB_OK) return status;
    atomic_fetch_sub(&space->held, stream->held);
    stream->held = 0;
    chunks_free(stream);
    return TREB_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Writes a tree; nothing if it is empty. */
static uint8_t *put_tree(const Kernel *kernel, const uint64_t *set, size_t words, uint8_t *out)
{
    if (words == 64) return kernel->pack(set, out);
    uint8_t *at = out + 1;
    unsigned mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint8_t *end = put_tree(kernel, set + i * (words / 8), words / 8, at);
        mask |= (unsigned)(end != at) << i;
        at = end;
    }
    *out = (uint8_t)mask;
    return mask ? at : out;
}

/* The same where only some slabs count: 64 of them, two levels of the tree. */
static uint8_t *put_slabs(const Kernel *kernel, const uint64_t *set, size_t words, uint64_t slabs,
                          uint8_t *out)
{
    uint8_t *at = out + 1;
    unsigned mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint8_t *node = at++;
        *node = 0;
        for (unsigned slab = 8 * i; slab < 8 * i + 8; slab++) {
            if (!(slabs >> slab & 1)) continue;
            uint8_t *end = put_tree(kernel, set + slab * (words / 64), words / 64, at);
            *node |= (uint8_t)((end != at) << (slab - 8 * i));
            at = end;
        }
        if (*node)
            mask |= 1u << i;
        else
            at = node;
    }
    *out = (uint8_t)mask;
    return mask ? at : out;
}

/* A tree of cells in ascending order, all in the same node, of which `shift` tells the eighths. */
static uint8_t *put_cells(const Kernel *kernel, const uint32_t *cell, size_t count, int shift,
                          uint8_t *out)
{
    enum { PACKED = 9 /* the shift of what the kernel packs */ };
    if (shift == PACKED) {
        uint64_t set[TREE_WORDS] = {0};
        for (size_t i = 0; i < count; i++)
            set[cell[i] >> 6 & (TREE_WORDS - 1)] |= UINT64_C(1) << (cell[i] & 63);
        return kernel->pack(set, out);
    }
    uint8_t *at = out + 1;
    unsigned mask = 0;
    for (size_t i = 0; i < count;) {
        unsigned part = cell[i] >> shift & 7;
        size_t first = i++;
        mask |= 1u << part;
        while (i < count && (cell[i] >> shift & 7) == part) i++;
        at = put_cells(kernel, cell + first, i - first, shift - 3, at);
    }
    *out = (uint8_t)mask;
    return at;
}

/* Makes room for so many bytes in the last chunk, or one behind it. False: out of memory. */
static bool make_room(LogSpace *space, Stream *stream, size_t bytes)
{
    Chunk *last = stream->last, *next = last != NULL ? last->next : stream->first;
    if (last != NULL) last->used = chunk_used(stream, last);
    for (; next != NULL && next->size < bytes; next = next->next) last = next;
    if (next == NULL) {
        size_t size = last == NULL ? CHUNK_LEAST : 2 * last->size;
        if (size > CHUNK_MOST) size = CHUNK_MOST;
        if (size < bytes) size = bytes;
        next = ledger_alloc(space->ledger, sizeof *next + size + SLACK);
        if (next == NULL) return false;
        *next = (Chunk){NULL, size, 0};
        if (last != NULL)
            last->next = next;
        else
            stream->first = next;
    }
    stream->last = next;
    stream->at = chunk_bytes(next);
    stream->left = next->size;
    stream->held += next->size;
    atomic_fetch_add(&space->held, next->size);
    return true;
}

/* Appends an entry whose set, of `size` bytes, is in the room behind the place for its head. */
static treb_status append(Log *log, uint32_t stream_number, unsigned tag, size_t size,
                          const LogRoom *room, treb_error *error)
{
    LogSpace *space = log->space;
    Stream *stream = &log->stream[stream_number];
    const uint8_t *set = room->bytes + HEAD, *entry = put_head(room->bytes + HEAD, tag, size);
    size_t bytes = (size_t)(set - entry) + size;
    bool crowded = false;
    if (stream->left < bytes) {
        treb_status status = TREB_OK;
        crowded = atomic_load(&space->held) + bytes > space->keep;
        if (crowded && stream->held >= FILE_LEAST) status = stream_file(log, stream, room, error);
        if (status == TREB_OK && !make_room(space, stream, bytes)) {
            if (stream->held > 0) status = stream_file(log, stream, room, error);
            if (status == TREB_OK && !make_room(space, stream, bytes)) status = fail_memory(error);
        }
        if (status != TREB_OK) return status;
    }
    memcpy(stream->at, entry, bytes);
    stream->at += bytes;
    stream->left -= bytes;
    /* Large entries do not wait for the next. */
    if (crowded && stream->held >= 2 * FILE_LEAST) return stream_file(log, stream, room, error);
    return TREB_OK;
}

/* Sets of less than 64 words are as they are, and nothing if they are empty. */
static uint8_t *put_small(const uint64_t *set, size_t words, uint8_t *out)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) any |= set[w];
    if (any == 0) return out;
    memcpy(out, set, words * sizeof *set);
    return out + words * sizeof *set;
}

treb_status log_add(Log *log, uint32_t stream, unsigned tag, const uint64_t *set, uint64_t slabs,
                    const LogRoom *room, treb_error *error)
{
    uint8_t *tree = room->bytes + HEAD, *end;
    const size_t words = log->words;
    if (words < TREE_WORDS)
        end = put_small(set, words, tree);
    else if (slabs == KERNEL_ALL || words < SLABS_WORDS)
        end = put_tree(log->kernel, set, words, tree);
    else
        end = put_slabs(log->kernel, set, words, slabs, tree);
    if (end == tree) return TREB_OK;
    return append(log, stream, tag, (size_t)(end - tree), room, error);
}

treb_status log_add_cells(Log *log, uint32_t stream, unsigned tag, const uint32_t *cell,
                          size_t count, const LogRoom *room, treb_error *error)
{
    if (count == 0) return TREB_OK;
    uint8_t *tree = room->bytes + HEAD, *end;
    if (log->words >= TREE_WORDS) {
        end = put_cells(log->kernel, cell, count, log->shift, tree);
    } else {
        uint64_t set[TREE_WORDS] = {0};
        for (size_t i = 0; i < count; i++) set[cell[i] / 64] |= UINT64_C(1) << cell[i] % 64;
        end = put_small(set, log->words, tree);
    }
    return append(log, stream, tag, (size_t)(end - tree), room, error);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static treb_status segment_read(const LogSpace *space, const Segment *segment, const LogRoom *room,
                                treb_error *error)
{
    bool plain = segment->packed == segment->size;
    uint8_t *to = plain ? room->block : room->packed;
    if (!io_read_at(space->file, to, segment->packed, segment->offset))
        return fail_errno(error, "read a temporary file in", space->directory);
    if (!plain &&
        ZSTD_decompress(room->block, segment->size, room->packed, segment->packed) != segment->size)
        return fail(error, TREB_ERR_IO, "%.400s: a temporary file came back altered",
                    space->directory);
    return TREB_OK;
}

/* The next chunk with entries. */
static const Chunk *chunk_behind(const Stream *stream, const Chunk *chunk)
{
    do {
        if (chunk == stream->last) return NULL;
        chunk = chunk == NULL ? stream->first : chunk->next;
    } while (chunk_used(stream, chunk) == 0);
    return chunk;
}

void log_read(LogReader *reader, const Log *log, uint32_t stream, const LogRoom *room)
{
    *reader = (LogReader){.log = log, .stream = stream, .room = room};
}

treb_status log_next(LogReader *reader, LogEntry *entry, treb_error *error)
{
    const Stream *stream = &reader->log->stream[reader->stream];
    entry->bytes = NULL;
    if (reader->at == reader->end) {
        if (reader->segment < stream->segments) {
            const Segment *segment = &stream->segment[reader->segment++];
            treb_status status = segment_read(reader->log->space, segment, reader->room, error);
            if (status != TREB_OK) return status;
            reader->at = reader->room->block;
            reader->end = reader->at + segment->size;
        } else {
            const Chunk *chunk = chunk_behind(stream, reader->chunk);
            if (chunk == NULL) return TREB_OK;
            reader->chunk = chunk;
            reader->at = chunk_bytes(chunk);
            reader->end = reader->at + chunk_used(stream, chunk);
        }
    }
    reader->at = get_entry(reader->at, entry);
    return TREB_OK;
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

treb_status log_take(Log *log, uint32_t stream_number, const LogRoom *room, LogEntry *entry,
                     treb_error *error)
{
    Stream *stream = &log->stream[stream_number];
    bool filed = stream->due_segment < stream->segments;
    const Segment *segment = filed ? &stream->segment[stream->due_segment] : NULL;
    const Chunk *chunk = stream->due_chunk;
    assert(stream->due_tag < LOG_TAGS);
    treb_status status = filed ? segment_read(log->space, segment, room, error) : TREB_OK;
    if (status != TREB_OK) return status;
    const uint8_t *bytes = filed ? room->block : chunk_bytes(chunk);
    const uint8_t *next = get_entry(bytes + stream->due_offset, entry);
    stream->due_offset = (size_t)(next - bytes);
    if (stream->due_offset < (filed ? segment->size : chunk_used(stream, chunk)))
        stream->due_tag = get_tag(next);
    else if (filed)
        due_segment(stream, stream->due_segment + 1);
    else
        due_chunk(stream, chunk_behind(stream, chunk));
    return TREB_OK;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

/* What is done with an entry: its cells are added to a set, or get a distance. */
typedef struct Use {
    const Kernel *kernel;
    uint64_t *set;
    Plies value, *plies;
} Use;

static const uint8_t *use_tree(const Use *use, const uint8_t *at, size_t first, size_t words)
{
    if (words == 64)
        return use->plies != NULL
                   ? use->kernel->unpack_mark(at, use->value, use->plies + 64 * first)
                   : use->kernel->unpack(at, use->set + first);
    words /= 8;
    for (unsigned mask = *at++; mask; mask &= mask - 1)
        at = use_tree(use, at, first + __builtin_ctz(mask) * words, words);
    return at;
}

static void use_entry(const Log *log, const LogEntry *entry, const Use *use)
{
    if (log->words >= TREE_WORDS) {
        use_tree(use, entry->bytes, 0, log->words);
        return;
    }
    uint64_t set[TREE_WORDS];
    memcpy(set, entry->bytes, log->words * sizeof *set);
    if (use->plies != NULL)
        use->kernel->mark(set, log->words, use->value, use->plies);
    else
        for (size_t w = 0; w < log->words; w++) use->set[w] |= set[w];
}

void log_entry_or(const Log *log, const LogEntry *entry, uint64_t *set)
{
    use_entry(log, entry, &(Use){log->kernel, set, 0, NULL});
}

void log_entry_mark(const Log *log, const LogEntry *entry, Plies value, Plies *plies)
{
    use_entry(log, entry, &(Use){log->kernel, NULL, value, plies});
}

uint64_t log_entry_put(const Log *log, const LogEntry *entry, uint64_t *set)
{
    const size_t words = log->words / 64;
    const uint8_t *at = entry->bytes;
    uint64_t slabs = 0;
    if (log->words < SLABS_WORDS) {
        memset(set, 0, log->words * sizeof *set);
        log_entry_or(log, entry, set);
        return KERNEL_ALL;
    }
    for (unsigned mask = *at++; mask; mask &= mask - 1)
        for (unsigned node = *at++, i = 8 * __builtin_ctz(mask); node; node &= node - 1) {
            size_t slab = i + __builtin_ctz(node);
            slabs |= UINT64_C(1) << slab;
            memset(set + slab * words, 0, words * sizeof *set);
            at = use_tree(&(Use){log->kernel, set, 0, NULL}, at, slab * words, words);
        }
    return slabs;
}
