/* file.c - see file.h. */
#define _DEFAULT_SOURCE
#include "probe/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/error.h"
#include "probe/gather.h"

/* ---- Decoders -------------------------------------------------------------------------------- */

/* What one thread needs to unpack blocks. As many exist as threads ever missed at once. */
struct ProbeDecoder {
    ProbeDecoder *next;
    TableDecoder *decoder;
    uint8_t *block;
    size_t capacity;
};

/* How many files a set keeps open: a quarter of what the process is allowed, so that much is left
 * to the rest of it and to another set. */
static unsigned files_limit(void)
{
    enum { LEAST = 16, MOST = 4096 };
    struct rlimit allowed;
    if (getrlimit(RLIMIT_NOFILE, &allowed) != 0) return LEAST;
    rlim_t quarter = allowed.rlim_cur / 4;
    return quarter < LEAST ? LEAST : quarter > MOST ? MOST : (unsigned)quarter;
}

bool pool_init(ProbePool *pool)
{
    pool->files = table_files_new(files_limit());
    if (pool->files == NULL) return false;
    syzygy_maps_fill(&pool->maps);
    pool->idle = NULL;
    pool->sources = NULL;
    pool->source_count = 0;
    atomic_init(&pool->misses, 0);
    atomic_init(&pool->pinned, 0);
    if (cache_init(&pool->cache, TREB_MEMORY_DEFAULT)) {
        if (pthread_mutex_init(&pool->mutex, NULL) == 0) {
            if (fetcher_init(&pool->fetcher, pool)) return true;
            pthread_mutex_destroy(&pool->mutex);
        }
        cache_destroy(&pool->cache);
    }
    table_files_free(pool->files);
    return false;
}

static void decoder_free(ProbeDecoder *decoder)
{
    table_decoder_free(decoder->decoder);
    free(decoder->block);
    free(decoder);
}

void pool_destroy(ProbePool *pool)
{
    while (pool->idle != NULL) {
        ProbeDecoder *next = pool->idle->next;
        decoder_free(pool->idle);
        pool->idle = next;
    }
    fetcher_destroy(&pool->fetcher);
    pthread_mutex_destroy(&pool->mutex);
    cache_destroy(&pool->cache);
    table_files_free(pool->files);
    for (size_t i = 0; i < pool->source_count; i++)
        pool->sources[i].close(pool->sources[i].context);
    free(pool->sources);
}

static void pool_give(ProbePool *pool, ProbeDecoder *decoder)
{
    pthread_mutex_lock(&pool->mutex);
    decoder->next = pool->idle;
    pool->idle = decoder;
    pthread_mutex_unlock(&pool->mutex);
}

/* A decoder with room for blocks of `size` bytes, for a reader who waits or not; NULL: out of
 * memory. */
static ProbeDecoder *pool_take(ProbePool *pool, size_t size, TableWait wait)
{
    pthread_mutex_lock(&pool->mutex);
    ProbeDecoder *decoder = pool->idle;
    if (decoder != NULL) pool->idle = decoder->next;
    pthread_mutex_unlock(&pool->mutex);
    if (decoder == NULL) {
        decoder = calloc(1, sizeof *decoder);
        if (decoder == NULL) return NULL;
        decoder->decoder = table_decoder_new();
    }
    if (decoder->capacity < size) {
        free(decoder->block);
        decoder->block = malloc(size);
        decoder->capacity = decoder->block != NULL ? size : 0;
    }
    if (decoder->decoder != NULL && decoder->capacity != 0) {
        table_decoder_set_wait(decoder->decoder, wait);
        return decoder;
    }
    decoder_free(decoder);
    return NULL;
}

/* ---- Failures -------------------------------------------------------------------------------- */

static int fail_file(treb_error *error, treb_status status, const char *path, const char *what)
{
    return -(int)fail(error, status, "%.400s: %.100s", path, what);
}

int file_damaged(const OpenFile *file, const char *what, treb_error *error)
{
    return fail_file(error, TREB_ERR_DAMAGED, table_path(file->table), what);
}

/* ---- Opening --------------------------------------------------------------------------------- */

bool file_init(ProbeFile *file, ProbePool *pool)
{
    file->pool = pool;
    atomic_init(&file->open, NULL);
    atomic_init(&file->syzygy, NULL);
    return pthread_mutex_init(&file->mutex, NULL) == 0;
}

static void open_free(OpenFile *open)
{
    for (int side = 0; side < 2; side++) {
        free(open->slots[side]);
        free((void *)(uintptr_t)atomic_load(&open->whole[side]));
    }
    table_close(open->table);
    free(open->packed);
    free(open);
}

void file_destroy(ProbeFile *file)
{
    OpenFile *open = atomic_load(&file->open);
    if (open != NULL) open_free(open);
    syzygy_close(atomic_load(&file->syzygy));
    free(file->failure);
    free(file->path);
    pthread_mutex_destroy(&file->mutex);
}

/* What a sound file of another maker may still have wrong; NULL if nothing. Probes rely on it. */
static const char *fault_in_header(const ProbeFile *file, const TableHeader *header)
{
    if ((int)file->metric == TABLE_SOLVED)
        return table_header_names(header, file->path) ? NULL
                                                      : "its name is not that of its content";
    bool white = header->side[TREB_WHITE].stored, black = header->side[TREB_BLACK].stored;
    if (!material_equal(&header->index.material, &file->material) || header->metric != file->metric)
        return "its name is not that of its content";
    if (material_symmetric(&file->material)) return white ? NULL : "White to move is missing";
    if (header->metric == TREB_WDL && !(white && black)) return "a side to move is missing";
    return NULL;
}

static void fill_digits(OpenFile *open, int s)
{
    const TableHeader *header = open->header;
    const TableSide *side = &header->side[s];
    for (unsigned byte = 0; byte < 256; byte++) {
        unsigned rest = byte;
        for (unsigned i = 0; i < header->per_byte; i++) {
            unsigned code = header->per_byte > 1 ? rest % header->base : rest;
            if (header->per_byte > 1) rest /= header->base;
            if (header->metric == TREB_WDL)
                code = code < side->codes[0] ? side->plies[0][code] : FILE_NO_VERDICT;
            open->digit[s][i][byte] = (uint8_t)code;
        }
    }
}

static int open_fill(OpenFile *open, const ProbeFile *file, treb_error *error)
{
    const TableHeader *header = open->header = table_header(open->table);
    open->symbols = header->codec == TABLE_SYMBOLS;
    open->per_byte = header->per_byte;
    open->width = header->width;
    open->block_bits = header->block_bits;
    open->page_bits = header->block_bits < CACHE_PAGE_BITS ? header->block_bits : CACHE_PAGE_BITS;
    open->pages = table_side_blocks(header) << (open->block_bits - open->page_bits);
    const char *fault = fault_in_header(file, header);
    if (fault == NULL && header->metric == TREB_WDL && header->width != 1)
        fault = "its cells are too wide";
    if (fault != NULL) return fail_file(error, TREB_ERR_DAMAGED, file->path, fault);
    for (int side = 0; side < 2; side++) {
        open->stored[side] = header->side[side].stored;
        open->index[side] = header->side[side].index;
        if (!open->stored[side]) continue;
        fill_digits(open, side);
        open->slots[side] = calloc(open->pages, sizeof(CacheSlot));
        if (open->slots[side] == NULL)
            return fail_file(error, TREB_ERR_MEMORY, file->path, "out of memory");
    }
    return 0;
}

static bool get_page(void *context, uint64_t page, uint8_t out[TABLE_PAGE_SIZE])
{
    const OpenFile *open = context;
    return cache_copy(&open->source->pool->cache, &open->packed[page], out);
}

static void put_page(void *context, uint64_t page, const uint8_t bytes[TABLE_PAGE_SIZE])
{
    const OpenFile *open = context;
    ProbePool *pool = open->source->pool;
    atomic_fetch_add_explicit(&pool->misses, 1, memory_order_relaxed);
    cache_insert(&pool->cache, &open->packed[page], bytes, TABLE_PAGE_SIZE, CACHE_PAGE_BITS);
}

/* Opens the table of a file that is elsewhere. Its pages are kept as they come: what they hold takes
 * many times as much room unpacked. */
static int open_elsewhere(OpenFile *open, ProbeFile *file, treb_error *error)
{
    _Static_assert((int)TABLE_PAGE_SIZE == (int)CACHE_PAGE_SIZE, "a page of codes is one of ours");
    const char *name = file->path + strlen(file->source->name) + 1;
    open->table = table_open_elsewhere(file->source, file->path, name, error);
    if (open->table == NULL) return -(int)error->status;
    open->packed = calloc(table_pages(open->table) + 1, sizeof *open->packed);
    if (open->packed == NULL) return fail_file(error, TREB_ERR_MEMORY, file->path, "out of memory");
    open->keep = (TablePages){get_page, put_page, open};
    table_keep_pages(open->table, &open->keep);
    return 0;
}

static OpenFile *open_new(ProbeFile *file, treb_error *error)
{
    OpenFile *open = calloc(1, sizeof *open);
    if (open == NULL) {
        fail_file(error, TREB_ERR_MEMORY, file->path, "out of memory");
        return NULL;
    }
    open->source = file;
    if (file->source != NULL)
        (void)open_elsewhere(open, file, error);
    else
        open->table = table_open_among(file->pool->files, file->path, error);
    bool there = open->table != NULL && (file->source == NULL || open->packed != NULL);
    if (there && open_fill(open, file, error) == 0) return open;
    open_free(open);
    return NULL;
}

/* Under the file's mutex. False with *error filled on failure. */
static bool open_format(ProbeFile *file, treb_error *error)
{
    if (file->format == TREB_FORMAT_SYZYGY) {
        Syzygy *syzygy = syzygy_open_among(file->pool->files, file->path, &file->material,
                                           file->metric, &file->pool->maps, error);
        atomic_store_explicit(&file->syzygy, syzygy, memory_order_release);
        return syzygy != NULL;
    }
    OpenFile *open = open_new(file, error);
    atomic_store_explicit(&file->open, open, memory_order_release);
    return open != NULL;
}

static bool is_open(const ProbeFile *file)
{
    return atomic_load_explicit(&file->open, memory_order_acquire) != NULL ||
           atomic_load_explicit(&file->syzygy, memory_order_acquire) != NULL;
}

/* The same, unless it is open. */
static bool open_once(ProbeFile *file, treb_error *error)
{
    if (is_open(file)) return true;
    if (file->failure != NULL) {
        *error = *file->failure;
        return false;
    }
    if (open_format(file, error)) return true;
    if (error->status == TREB_ERR_DAMAGED && file->source == NULL) {
        /* Other failures may pass. Without memory for the note the next call tries again. */
        file->failure = malloc(sizeof *file->failure);
        if (file->failure != NULL) *file->failure = *error;
    }
    return false;
}

/* Leaves a note of what a reader lacks who does not wait for it. False if nobody takes it. */
static bool post(const ProbeReader *reader, const FetchJob *job)
{
    if (reader->gather == NULL) return fetcher_post(&reader->pool->fetcher, job);
    gather_note(reader->gather, job);
    return true;
}

/* A file that is not open, for one who does not wait: why it cannot be, or that somebody opens
 * it. */
static int open_later(const ProbeReader *reader, ProbeFile *file, treb_error *error)
{
    const FetchJob job = {.file = file, .kind = FETCH_OPEN};
    bool failed = false, opened = false;
    /* Whoever is opening it holds the mutex meanwhile. */
    if (pthread_mutex_trylock(&file->mutex) == 0) {
        opened = is_open(file);
        failed = !opened && file->failure != NULL;
        if (failed && error != NULL) *error = *file->failure;
        pthread_mutex_unlock(&file->mutex);
    }
    if (opened) return 0;
    if (failed) return -(int)TREB_ERR_DAMAGED;
    post(reader, &job);
    return -(int)fail_not_ready(error, file->path);
}

int file_open(const ProbeReader *reader, ProbeFile *file, treb_error *error)
{
    treb_error unused;
    bool waits = reader->wait == TABLE_WAIT || (reader->wait == TABLE_NEAR && file->source == NULL);
    if (!waits) return open_later(reader, file, error);
    if (error == NULL) error = &unused;
    pthread_mutex_lock(&file->mutex);
    bool opened = open_once(file, error);
    pthread_mutex_unlock(&file->mutex);
    return opened ? 0 : -(int)error->status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads the block of a byte and puts it into the cache: that byte and, if `at` is even, the next as
 * bits 8 to 15, or minus a status. */
static int read_block_of(const ProbeReader *reader, const OpenFile *file, int side, uint64_t at,
                         treb_error *error)
{
    ProbePool *pool = reader->pool;
    size_t size = (size_t)1 << file->block_bits;
    uint64_t block = at >> file->block_bits;
    assert(file->stored[side] && block < table_side_blocks(file->header));
    ProbeDecoder *decoder = pool_take(pool, size, reader->wait);
    if (decoder == NULL)
        return fail_file(error, TREB_ERR_MEMORY, table_path(file->table), "out of memory");
    treb_status status =
        table_read_block(file->table, decoder->decoder, side, block, decoder->block, error);
    int value = -(int)status;
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

/* Has a block fetched: by the thread for that, or else by the system. */
static void fetch_block_of(const ProbeReader *reader, const OpenFile *file, int side, uint64_t at)
{
    uint64_t page = at >> file->page_bits << file->page_bits; /* what the cache keeps or drops */
    const FetchJob job = {file->source, FETCH_BLOCK, side, page, 1};
    const ProbeReader system = {reader->pool, TABLE_FETCH, NULL};
    if (!post(reader, &job)) read_block_of(&system, file, side, at, NULL);
}

/* The bytes at `at`, of a side that is not in memory. */
static int read_missing(const ProbeReader *reader, const OpenFile *file, int side, uint64_t at,
                        treb_error *error)
{
    int value = -(int)TREB_ERR_NOT_READY;
    if (reader->wait != TABLE_FETCH) value = read_block_of(reader, file, side, at, error);
    if (value != -(int)TREB_ERR_NOT_READY) return value;
    fetch_block_of(reader, file, side, at);
    return -(int)fail_not_ready(error, file->source->path);
}

/* A cell of a page that the cache does not have, by itself; the page is unpacked as well once that is
 * worth it. */
static int read_single(const ProbeReader *reader, const OpenFile *file, int side, uint64_t cell,
                       uint64_t at, treb_error *error)
{
    ProbePool *pool = reader->pool;
    TableWait wait = reader->wait;
    /* The thread that fetches does it, if there is one. */
    int code =
        table_read_cell(file->table, wait == TABLE_FETCH ? TABLE_TRY : wait, side, cell, error);
    if (code == -(int)TREB_ERR_NOT_READY) {
        MappedBytes page = table_cell_page(file->table, side, cell);
        const FetchJob job = {file->source, FETCH_PAGES, side, page.at, page.size};
        if (!post(reader, &job)) (void)table_bring(file->table, TABLE_FETCH, page, NULL);
        return code;
    }
    if (code < 0) return code;
    atomic_fetch_add_explicit(&pool->misses, 1, memory_order_relaxed);
    /* What is near may have to be waited for; of a file that is elsewhere it is not asked for. */
    if ((wait == TABLE_WAIT || wait == TABLE_NEAR) &&
        cache_count(&pool->cache, &file->slots[side][at >> file->page_bits])) {
        const ProbeReader near = {pool, file->packed != NULL ? TABLE_NEAR : wait, NULL};
        (void)read_block_of(&near, file, side, at, NULL);
    }
    if (file->header->metric != TREB_WDL) return code;
    const TableSide *s = &file->header->side[side];
    return code < s->codes[0] ? s->plies[0][code] : FILE_NO_VERDICT;
}

int file_syzygy_unready(const ProbeReader *reader, ProbeFile *file, const Syzygy *table,
                        const treb_position *pos, treb_error *error)
{
    MappedBytes missing;
    int ready = syzygy_ready(table, pos, &missing, error);
    if (ready != -(int)TREB_ERR_NOT_READY) return ready;
    const FetchJob job = {file, FETCH_PAGES, 0, missing.at, missing.size};
    if (!post(reader, &job)) mapped_fetch(syzygy_map(table), missing);
    return ready;
}

/* Whether the cache, or a pinned side, has a byte. */
static bool has_byte(const ProbePool *pool, const OpenFile *file, int side, uint64_t at)
{
    unsigned bytes;
    if (atomic_load_explicit(&file->whole[side], memory_order_acquire) != NULL) return true;
    return cache_read(&pool->cache, &file->slots[side][at >> file->page_bits],
                      (unsigned)(at & ((1u << file->page_bits) - 1)), &bytes);
}

treb_status file_fetch(ProbePool *pool, const FetchJob *job, TableWait wait)
{
    const ProbeReader reader = {pool, wait, NULL};
    ProbeFile *file = job->file;
    int result = 0;
    if (job->kind == FETCH_OPEN) {
        if (wait == TABLE_WAIT) result = file_open(&reader, file, NULL);
    } else if (job->kind == FETCH_BLOCK) {
        const OpenFile *open = atomic_load_explicit(&file->open, memory_order_acquire);
        if (!has_byte(pool, open, job->side, job->at))
            result = read_block_of(&reader, open, job->side, job->at, NULL);
    } else {
        const Syzygy *table = atomic_load_explicit(&file->syzygy, memory_order_acquire);
        const OpenFile *open = atomic_load_explicit(&file->open, memory_order_acquire);
        const MappedBytes bytes = {job->at, job->size};
        if (table == NULL) return table_bring(open->table, wait, bytes, NULL);
        (wait == TABLE_WAIT ? mapped_touch : mapped_fetch)(syzygy_map(table), bytes);
    }
    return result < 0 ? (treb_status)-result : TREB_OK;
}

/* Where a cell's byte is, and which part of it is the cell's. A division by a constant costs a
 * multiplication; one by a variable, many times that. */
static uint64_t locate(const OpenFile *file, uint64_t cell, unsigned *part)
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

int file_cell(const ProbeReader *reader, const OpenFile *file, int side, uint64_t cell,
              treb_error *error)
{
    unsigned part, bytes;
    assert(file->stored[side]);
    if (cell >= file->index[side].size) return file_damaged(file, "has no such cell", error);
    uint64_t at = locate(file, cell, &part);
    const uint8_t *whole = atomic_load_explicit(&file->whole[side], memory_order_acquire);
    if (whole != NULL) {
        bytes = whole[at] | (unsigned)whole[at + 1] << 8;
    } else if (!cache_read(&reader->pool->cache, &file->slots[side][at >> file->page_bits],
                           (unsigned)(at & ((1u << file->page_bits) - 1)), &bytes)) {
        if (file->symbols) return read_single(reader, file, side, cell, at, error);
        int read = read_missing(reader, file, side, at, error);
        if (read < 0) return read;
        bytes = (unsigned)read;
    }
    if (file->width == 2) return (int)bytes;
    return file->digit[side][part][bytes & 0xff];
}

/* ---- Pinning --------------------------------------------------------------------------------- */

/* All bytes of a side, rounded up to blocks, and one byte more so that two can be read anywhere. */
static uint8_t *read_side(ProbePool *pool, const OpenFile *open, int side, treb_error *error)
{
    uint64_t blocks = table_side_blocks(open->header), bytes = blocks << open->block_bits;
    uint8_t *out = bytes < SIZE_MAX ? malloc((size_t)bytes + 1) : NULL;
    ProbeDecoder *decoder = out != NULL ? pool_take(pool, 1, TABLE_WAIT) : NULL;
    if (decoder == NULL) {
        fail_file(error, TREB_ERR_MEMORY, table_path(open->table), "out of memory");
        free(out);
        return NULL;
    }
    treb_status status = TREB_OK;
    for (uint64_t b = 0; b < blocks && status == TREB_OK; b++)
        status = table_read_block(open->table, decoder->decoder, side, b,
                                  out + (b << open->block_bits), error);
    out[bytes] = 0;
    pool_give(pool, decoder);
    if (status == TREB_OK) return out;
    free(out);
    return NULL;
}

/* Under the file's mutex. */
static int pin_side(ProbePool *pool, OpenFile *open, int side, treb_error *error)
{
    if (!open->stored[side] || atomic_load(&open->whole[side]) != NULL) return 0;
    uint8_t *bytes = read_side(pool, open, side, error);
    if (bytes == NULL) return -(int)error->status;
    atomic_fetch_add(&pool->pinned, table_side_blocks(open->header) << open->block_bits);
    atomic_store_explicit(&open->whole[side], bytes, memory_order_release);
    return 0;
}

int file_pin(ProbePool *pool, ProbeFile *file, treb_error *error)
{
    treb_error unused;
    if (error == NULL) error = &unused;
    pthread_mutex_lock(&file->mutex);
    int result = open_once(file, error) ? 0 : -(int)error->status;
    OpenFile *open = atomic_load(&file->open);
    Syzygy *syzygy = atomic_load(&file->syzygy);
    for (int side = 0; side < 2 && result == 0 && open != NULL; side++)
        result = pin_side(pool, open, side, error);
    if (result == 0 && syzygy != NULL) result = -(int)syzygy_check(syzygy, error);
    pthread_mutex_unlock(&file->mutex);
    return result;
}

/* ---- Reading through ------------------------------------------------------------------------- */

uint64_t file_size(const ProbeFile *file)
{
    struct stat about;
    const OpenFile *open = atomic_load(&file->open);
    if (file->source != NULL) return open != NULL ? table_file_size(open->table) : 0;
    return stat(file->path, &about) == 0 ? (uint64_t)about.st_size : 0;
}

/* Until the end of the file, wherever that is now. */
static treb_status read_to_end(const ProbeFile *file, int descriptor, uint8_t *part, size_t size,
                               FileTold *told, void *context, treb_error *error)
{
    for (uint64_t at = 0;;) {
        ssize_t n = pread(descriptor, part, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(error, "read", file->path);
        if (n == 0) return TREB_OK;
        at += (uint64_t)n;
        if (told != NULL && told(context, (uint64_t)n)) return TREB_OK;
    }
}

/* A file that is elsewhere, for a source that keeps what it brings. */
static treb_status read_elsewhere(const ProbeFile *file, uint8_t *part, size_t size, FileTold *told,
                                  void *context, treb_error *error)
{
    bool cut;
    const char *name = file->path + strlen(file->source->name) + 1;
    TableFile *far = table_file_elsewhere(file->source, file->path, name, error);
    if (far == NULL) return error->status;
    treb_status status = TREB_OK;
    uint64_t end = table_file_bytes(far);
    for (uint64_t at = 0; at < end && status == TREB_OK; at += size) {
        if (size > end - at) size = (size_t)(end - at);
        status = table_file_read(far, TABLE_WAIT, part, size, at, &cut, error);
        if (status == TREB_OK && told != NULL && told(context, size)) break;
    }
    table_file_close(far);
    return status;
}

treb_status file_read_through(const ProbeFile *file, FileTold *told, void *context,
                              treb_error *error)
{
    enum { PART = 1 << 20 };
    if (file->source != NULL) {
        uint8_t *room = malloc(PART);
        treb_status read = room != NULL ? read_elsewhere(file, room, PART, told, context, error)
                                        : fail_memory(error);
        free(room);
        return read;
    }
    int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return fail_errno(error, "open", file->path);
    uint8_t *part = malloc(PART);
    treb_status status = TREB_OK;
    if (part == NULL) {
        status = fail_memory(error);
    } else {
        (void)posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
        status = read_to_end(file, descriptor, part, PART, told, context, error);
    }
    free(part);
    close(descriptor);
    return status;
}
