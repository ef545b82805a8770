/* file_cell.c - see file_cell.h. */
#include "probe/file_cell.h"

#include <assert.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/hash.h"

int file_read_block(const ProbeReader *reader, const OpenTable *file, int side, uint64_t at,
                    treb_error *error)
{
    ProbePool *pool = file->pool;
    size_t size = (size_t)1 << file->block_bits;
    uint64_t block = at >> file->block_bits;
    assert(file->stored[side] && block < table_side_blocks(file->header));
    ProbeDecoder *decoder = pool_take(pool, size, reader->wait);
    if (decoder == NULL)
        return file_fail(error, TREB_ERR_MEMORY, table_path(file->table), "out of memory");
    treb_error why;
    if (error == NULL) error = &why;
    treb_status status =
        table_read_block(file->table, decoder->decoder, side, block, decoder->block, error);
    int value = file_note_result(file->file, -(int)status, error);
    if (status == TREB_OK) {
        const uint8_t *bytes = decoder->block + (at & (size - 1));
        value = bytes[0] | (at % 2 == 0 ? bytes[1] << 8 : 0);
        atomic_fetch_add_explicit(&pool->misses, 1, memory_order_relaxed);
        CacheSlot *slots = file->slots[side] + (block << (file->block_bits - file->page_bits));
        cache_insert(&pool->cache, slots, decoder->block, size, file->page_bits);
    }
    pool_give(pool, decoder);
    return value;
}

/* Notes that a block is to be fetched, or else asks the system to read it. */
static void fetch_block_of(const ProbeReader *reader, const OpenTable *file, int side, uint64_t at)
{
    uint64_t page = at >> file->page_bits << file->page_bits; /* what the cache keeps or drops */
    const FetchJob job = {file->file, FETCH_BLOCK, side, page, 1};
    const ProbeReader system = {.wait = WAIT_NEVER_FETCH};
    if (!reader_note(reader, &job)) file_read_block(&system, file, side, at, NULL);
}

/* Reads the bytes at `at`, like file_read_block, from a block that is not in the cache. */
static int read_missing(const ProbeReader *reader, const OpenTable *file, int side, uint64_t at,
                        treb_error *error)
{
    int value = -(int)TREB_ERR_NOT_READY;
    if (reader->wait != WAIT_NEVER_FETCH) value = file_read_block(reader, file, side, at, error);
    if (value != -(int)TREB_ERR_NOT_READY) return value;
    fetch_block_of(reader, file, side, at);
    return -(int)fail_not_ready(error, file->file->path);
}

static void memo_clear(CellMemo *memo)
{
    memset(memo->of, 0, sizeof memo->of);
    memset(memo->blocks.block, 0, sizeof memo->blocks.block);
    memo->used = true;
}

/* Returns the place of a cell in the memo of the reader; NULL if it has none. */
static MemoCell *memo_place(const ProbeReader *reader, const OpenTable *file, int side,
                            uint64_t cell)
{
    CellMemo *memo = reader->memo;
    if (memo == NULL) return NULL;
    if (!memo->used) memo_clear(memo);
    const uint64_t key = (cell ^ (uintptr_t)file >> 4 ^ (uint64_t)side << 40) * HASH_FACTOR;
    return &memo->of[(key >> 40) % MEMO_CELLS];
}

/* How a reader waits for what a page has. With WAIT_NEVER_FETCH a job fetches the page (note_page): the system is asked
 * only if there is no thread. */
static TableWait wait_for_page(const ProbeReader *reader)
{
    return reader->wait == WAIT_NEVER_FETCH ? WAIT_NEVER : reader->wait;
}

/* Notes that the page of a cell is to be fetched, or else asks the system to read it. */
static void note_page(const ProbeReader *reader, const OpenTable *file, int side, uint64_t cell)
{
    MappedBytes page = table_cell_page(file->table, side, cell);
    const FetchJob job = {file->file, FETCH_PAGES, side, page.at, page.size};
    if (!reader_note(reader, &job)) (void)table_bring(file->table, WAIT_NEVER_FETCH, page, NULL);
}

/* Decodes one cell of a page that the cache does not have, for a file coded by symbols. The page is
 * unpacked into the cache as well once cache_count says that this is worth it. Returns what
 * file_cell returns. */
static int read_single(const ProbeReader *reader, const OpenTable *file, int side, uint64_t cell,
                       uint64_t at, treb_error *error)
{
    treb_error why;
    ProbePool *pool = file->pool;
    TableWait wait = reader->wait;
    MemoCell *memo = memo_place(reader, file, side, cell);
    if (memo != NULL && memo->file == file && memo->cell == 2 * cell + (unsigned)side)
        return (int)memo->code;
    if (error == NULL) error = &why;
    int code = table_read_cell(file->table, wait_for_page(reader), side, cell,
                               memo != NULL ? &reader->memo->blocks : NULL, error);
    if (code == -(int)TREB_ERR_NOT_READY) {
        note_page(reader, file, side, cell);
        return code;
    }
    if (code < 0) return file_note_result(file->file, code, error);
    atomic_fetch_add_explicit(&pool->misses, 1, memory_order_relaxed);
    /* Unpacking a page may wait for a disk, but of a file of a source it uses only what the cache
     * has. */
    if (reader_waits_for_disk(reader) &&
        cache_count(&pool->cache, &file->slots[side][at >> file->page_bits])) {
        const ProbeReader local = {.wait = file->packed != NULL ? WAIT_LOCAL_ONLY : wait};
        (void)file_read_block(&local, file, side, at, NULL);
    }
    const TableSide *s = &file->header->side[side];
    if (file->header->metric == TREB_WDL)
        code = code < s->codes[0] ? s->plies[0][code] : (int)FILE_NO_VERDICT;
    if (memo != NULL) *memo = (MemoCell){file, 2 * cell + (unsigned)side, (unsigned)code};
    return code;
}

bool file_has_byte(const OpenTable *file, int side, uint64_t at)
{
    unsigned bytes;
    if (atomic_load_explicit(&file->whole[side], memory_order_acquire) != NULL) return true;
    return cache_read(&file->pool->cache, &file->slots[side][at >> file->page_bits],
                      (unsigned)(at & ((1u << file->page_bits) - 1)), &bytes);
}

/* Returns the offset of a cell's byte in its side. *part gets the cell's number among the cells in
 * that byte. The switch is for speed: a compiler turns a division by a constant into a
 * multiplication, which takes a fraction of the time of a division by a variable. */
static uint64_t locate(const OpenTable *file, uint64_t cell, unsigned *part)
{
    uint64_t at;
    switch (file->per_byte) {
    case 1:
        *part = 0;
        return cell * file->width;
    case 2:
        at = cell / 2;
        break;
    case 3:
        at = cell / 3;
        break;
    case 4:
        at = cell / 4;
        break;
    case 5:
        at = cell / 5;
        break;
    default:
        at = cell / file->per_byte;
        break;
    }
    *part = (unsigned)(cell - at * file->per_byte);
    return at;
}

int file_cell(const ProbeReader *reader, const OpenTable *file, int side, uint64_t cell,
              treb_error *error)
{
    unsigned part, bytes;
    assert(file->stored[side]);
    if (cell >= file->index[side].size) return file_damaged(file, "has no such cell", error);
    uint64_t at = locate(file, cell, &part);
    const uint8_t *whole = atomic_load_explicit(&file->whole[side], memory_order_acquire);
    if (whole != NULL) {
        bytes = whole[at] | (unsigned)whole[at + 1] << 8;
    } else if (!cache_read(&file->pool->cache, &file->slots[side][at >> file->page_bits],
                           (unsigned)(at & ((1u << file->page_bits) - 1)), &bytes)) {
        if (file->symbols) return read_single(reader, file, side, cell, at, error);
        int read = read_missing(reader, file, side, at, error);
        if (read < 0) return read;
        bytes = (unsigned)read;
    }
    if (file->width == 2) return (int)bytes;
    return file->digit[side][part][bytes & 0xff];
}

int file_own_profile(const ProbeReader *reader, const OpenTable *file, uint64_t cell, const TableProfileClass *of,
                     unsigned short_by, treb_error *error)
{
    treb_error why;
    if (error == NULL) error = &why;
    if (!file->header->side[1].stored || cell >= file->index[1].size)
        return file_damaged(file, "has no such profile", error);
    const int extra =
        table_read_own_profile(file->table, wait_for_page(reader), cell, of, short_by, error);
    if (extra == -(int)TREB_ERR_NOT_READY) {
        note_page(reader, file, 1, cell);
        return extra;
    }
    return extra < 0 ? file_note_result(file->file, extra, error) : extra;
}
