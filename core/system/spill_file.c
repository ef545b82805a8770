/* spill_file.c - see spill_file.h. */
#include "core/system/spill_file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/system/error.h"
#include "core/system/io.h"

enum {
    CHECKSUM = sizeof(uint64_t),
    LEVEL = 1,             /* of zstd */
    LINE = 64,             /* chunks in memory begin at multiples of it */
    BLOCK_MOST = 64 << 20, /* bytes of a block, at most, unless a chunk is larger */
};

/* Memory for chunks, which come one after another. */
struct SpillBlock {
    SpillBlock *next;
    size_t size;
    _Atomic(size_t) used; /* more than `size` after a chunk did not fit */
};

_Static_assert(sizeof(SpillBlock) <= LINE, "the first chunk of a block begins behind it");

/* ---- Chunks ---------------------------------------------------------------------------------- */

treb_status spill_fail_damaged(const SpillFile *spill, treb_error *error)
{
    return fail(error, TREB_ERR_DAMAGED, "%s is damaged or not complete: delete it to start again",
                fail_path(spill->path));
}

static treb_status fail_read(const SpillFile *spill, treb_error *error)
{
    return errno != 0 ? fail_errno(error, "read", spill->path) : spill_fail_damaged(spill, error);
}

size_t spill_bound(size_t size) { return CHECKSUM + ZSTD_compressBound(size); }

static uint64_t chunk_checksum(const uint8_t *packed, size_t bytes, uint64_t offset)
{
    return XXH3_64bits_withSeed(packed + CHECKSUM, bytes - CHECKSUM, offset);
}

static uint8_t *kept_bytes(const SpillChunk *chunk) { return (uint8_t *)(uintptr_t)chunk->at; }

/* Adds a block with room for a chunk, unless another thread has added one since `newest`. It is as large as all before it
 * together: the system gives large arrays as large pages, and getting small ones takes longer than filling them. False:
 * the limit is reached, or there is no memory. */
static bool add_block(SpillFile *spill, SpillBlock *newest, size_t chunk)
{
    const uint64_t before = atomic_load(&spill->kept),
                   more = before < BLOCK_MOST ? before : BLOCK_MOST;
    const size_t size = more > chunk + LINE ? (size_t)more : chunk + LINE;
    const uint64_t cost = budget_cost(size);
    SpillBlock *block = NULL, *expected = newest;
    if (atomic_fetch_add(&spill->kept, cost) + cost <= spill->keep)
        block = (SpillBlock *)budget_alloc(spill->budget, size);
    if (block != NULL) {
        block->next = newest;
        block->size = size;
        atomic_init(&block->used, LINE);
        if (atomic_compare_exchange_strong(&spill->block, &expected, block)) return true;
    }
    atomic_fetch_sub(&spill->kept, cost);
    budget_free(block);
    return atomic_load(&spill->block) != newest;
}

/* Keeps a chunk in memory as it is: to compress it takes more time than it saves. False: the limit is reached, or there
 * is no memory. */
static bool keep_chunk(SpillFile *spill, const void *plain, size_t size, SpillChunk *chunk)
{
    const size_t room = (size + LINE - 1) & ~(size_t)(LINE - 1);
    if (spill->keep == 0) return false;
    for (;;) {
        SpillBlock *block = atomic_load(&spill->block);
        const size_t at = block != NULL ? atomic_fetch_add(&block->used, room) : 0;
        if (block == NULL || at + room > block->size) {
            if (!add_block(spill, block, room)) return false;
            continue;
        }
        uint8_t *bytes = (uint8_t *)block + at;
        memcpy(bytes, plain, size);
        *chunk = (SpillChunk){
            .kept = true, .at = (uintptr_t)bytes, .packed = (uint32_t)size, .size = (uint32_t)size};
        return true;
    }
}

static void free_blocks(SpillFile *spill)
{
    for (SpillBlock *block = atomic_exchange(&spill->block, NULL), *next; block != NULL;
         block = next) {
        next = block->next;
        budget_free(block);
    }
    atomic_store(&spill->kept, 0);
}

const uint8_t *spill_kept(const SpillChunk *chunk)
{
    return chunk->kept ? kept_bytes(chunk) : NULL;
}

treb_status spill_write(SpillFile *spill, const void *plain, size_t size, uint8_t *packed,
                        SpillChunk *chunk, treb_error *error)
{
    if (keep_chunk(spill, plain, size, chunk)) return TREB_OK;
    size_t bytes = ZSTD_compress(packed + CHECKSUM, ZSTD_compressBound(size), plain, size, LEVEL);
    if (ZSTD_isError(bytes)) return fail_memory(error);
    bytes += CHECKSUM;
    *chunk = (SpillChunk){.packed = (uint32_t)bytes, .size = (uint32_t)size};
    chunk->at = atomic_fetch_add(&spill->end, bytes);
    const uint64_t checksum = chunk_checksum(packed, bytes, chunk->at);
    memcpy(packed, &checksum, CHECKSUM);
    if (io_write_at(spill->file, packed, bytes, chunk->at)) return TREB_OK;
    return fail_errno(error, "write", spill->path);
}

treb_status spill_read(const SpillFile *spill, const SpillChunk *chunk, uint8_t *packed,
                       void *plain, treb_error *error)
{
    const size_t bytes = chunk->packed;
    uint64_t checksum;
    if (chunk->kept) {
        memcpy(plain, kept_bytes(chunk), chunk->size);
        return TREB_OK;
    }
    if (bytes < CHECKSUM) return spill_fail_damaged(spill, error);
    if (!io_read_at(spill->file, packed, bytes, chunk->at)) return fail_read(spill, error);
    memcpy(&checksum, packed, CHECKSUM);
    if (checksum != chunk_checksum(packed, bytes, chunk->at))
        return spill_fail_damaged(spill, error);
    size_t size = ZSTD_decompress(plain, chunk->size, packed + CHECKSUM, bytes - CHECKSUM);
    if (size == chunk->size) return TREB_OK;
    return ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation
               ? fail_memory(error)
               : spill_fail_damaged(spill, error);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Takes over a descriptor, which may be -1. Returns whether it is one. */
static bool take_file(SpillFile *spill, int file, uint64_t end)
{
    spill->file = file;
    spill->keep = 0;
    atomic_store(&spill->kept, 0);
    atomic_store(&spill->block, NULL);
    atomic_store(&spill->end, end);
    return file >= 0;
}

treb_status spill_create(SpillFile *spill, const char *path, const char *folder, uint64_t mark,
                         treb_error *error)
{
    const size_t head = mark != 0 ? sizeof mark : 0;
    if (path != NULL)
        snprintf(spill->path, sizeof spill->path, "%s", path);
    else
        snprintf(spill->path, sizeof spill->path, "%s/(file without a name)", folder);
    if (take_file(spill, path != NULL ? io_create(path) : io_unnamed(folder), head) &&
        io_write_at(spill->file, &mark, head, 0))
        return TREB_OK;
    treb_status status = fail_errno(error, "write", spill->path);
    spill_remove(spill);
    return status;
}

bool spill_resume(SpillFile *spill, const char *path, uint64_t end)
{
    snprintf(spill->path, sizeof spill->path, "%s", path);
    return take_file(spill, system_open(path, SYSTEM_UPDATE), end) && io_cut(spill->file, end);
}

treb_status spill_sync(const SpillFile *spill, treb_error *error)
{
    if (spill->file < 0 || system_flush(spill->file)) return TREB_OK;
    return fail_errno(error, "write", spill->path);
}

void spill_clear(SpillFile *spill)
{
    atomic_store(&spill->end, 0);
    free_blocks(spill);
    /* If this fails, the file is overwritten. */
    if (spill->file >= 0 && !system_cut(spill->file, 0)) return;
}

void spill_close(SpillFile *spill)
{
    if (spill->file >= 0) system_close(spill->file);
    spill->file = -1;
    free_blocks(spill);
}

void spill_remove(SpillFile *spill)
{
    if (spill->file >= 0) system_delete(spill->path);
    spill_close(spill);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

treb_status spill_put_list(const SpillFile *spill, const State *list, treb_error *error)
{
    const uint64_t end = atomic_load(&spill->end),
                   tail[] = {list->size, XXH3_64bits(list->bytes, list->size)};
    if (list->failed) return fail_memory(error);
    if (io_write_at(spill->file, list->bytes, list->size, end) &&
        io_write_at(spill->file, tail, sizeof tail, end + list->size))
        return TREB_OK;
    return fail_errno(error, "write", spill->path);
}

/* Whether two marks differ only in the version, or also in the byte order. */
static bool same_kind(uint64_t a, uint64_t b)
{
    return (a ^ b) << 8 == 0 || (__builtin_bswap64(a) ^ b) << 8 == 0;
}

static treb_status get_list(SpillFile *spill, uint64_t size, uint64_t mark, State *list,
                            treb_error *error)
{
    uint64_t found, tail[2];
    if (!io_read_at(spill->file, &found, sizeof found, 0)) return fail_read(spill, error);
    if (found != mark)
        return fail(error, TREB_ERR_DAMAGED,
                    same_kind(found, mark)
                        ? "%s was made by another version of trebuchet, or on another machine"
                        : "%s is not a file of saved work",
                    fail_path(spill->path));
    const uint64_t least = sizeof mark + sizeof tail;
    if (size < least) return spill_fail_damaged(spill, error);
    if (!io_read_at(spill->file, tail, sizeof tail, size - sizeof tail))
        return fail_read(spill, error);
    if (tail[0] > size - least) return spill_fail_damaged(spill, error);
    atomic_store(&spill->end, size - sizeof tail - tail[0]);
    list->bytes = malloc(tail[0] + 1);
    list->size = list->capacity = tail[0];
    if (list->bytes == NULL) return fail_memory(error);
    if (!io_read_at(spill->file, list->bytes, tail[0], spill->end)) return fail_read(spill, error);
    return XXH3_64bits(list->bytes, tail[0]) == tail[1] ? TREB_OK
                                                        : spill_fail_damaged(spill, error);
}

treb_status spill_open(SpillFile *spill, const char *path, uint64_t mark, State *list,
                       treb_error *error)
{
    SystemFile about;
    *list = (State){0};
    snprintf(spill->path, sizeof spill->path, "%s", path);
    if (!take_file(spill, io_open_regular(path, &about, error), 0)) return TREB_ERR_IO;
    treb_status status = get_list(spill, about.size, mark, list, error);
    if (status == TREB_OK) return TREB_OK;
    state_free(list);
    spill_close(spill);
    return status;
}

treb_status spill_begin(SpillFile *spill, const char *path, uint64_t mark, treb_error *error)
{
    char *folder = io_folder(path),
         *temporary = folder != NULL ? io_temporary_path(folder, io_name(path), "") : NULL;
    treb_status status =
        temporary != NULL ? spill_create(spill, temporary, NULL, mark, error) : fail_memory(error);
    free(folder);
    free(temporary);
    return status;
}

treb_status spill_finish(SpillFile *spill, const char *path, const State *list, treb_error *error)
{
    char *folder = io_folder(path);
    treb_status status = folder != NULL ? spill_put_list(spill, list, error) : fail_memory(error);
    if (status != TREB_OK)
        spill_remove(spill);
    else if (!io_publish(spill->file, spill->path, path, folder))
        status = fail_errno(error, "write", path);
    spill->file = -1;
    free(folder);
    return status;
}
