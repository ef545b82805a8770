/* file_open.c - see file_open.h. */
#include "probe/file_open.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"

/* Checks what probes rely on and a file that is not damaged may still have wrong, if another
 * program made it. Returns what is wrong; NULL if nothing is. */
static const char *fault_in_header(const ProbeFile *file, const TableHeader *header)
{
    if ((int)file->metric == TABLE_PAWN)
        return table_header_names(header, file->path)
                   ? NULL
                   : "its content is a different table than its name says";
    bool white = header->side[TREB_WHITE].stored;
    if (!material_equal(&header->index.material, &file->material) || header->metric != file->metric)
        return "its content is a different table than its name says";
    if (material_symmetric(&file->material)) return white ? NULL : "White to move is missing";
    return NULL;
}

/* Fills open->digit[s]: what each byte means for each cell in it. */
static void fill_digits(OpenTable *open, int s)
{
    const TableHeader *header = open->header;
    const TableSide *side = &header->side[s];
    for (unsigned byte = 0; byte < 256; byte++) {
        unsigned rest = byte;
        for (unsigned i = 0; i < header->per_byte; i++) {
            unsigned code = header->per_byte > 1 ? rest % header->base : rest;
            if (header->per_byte > 1) rest /= header->base;
            if (header->metric == TREB_WDL)
                code = code < side->codes[0] ? side->plies[0][code] : (unsigned)FILE_NO_VERDICT;
            open->digit[s][i][byte] = (uint8_t)code;
        }
    }
}

/* Returns the sum of the distances of all positions; 0 if the header has no histograms. */
static uint64_t sum_plies(const TableHeader *header)
{
    uint64_t sum = 0;
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < WDL_VALUES; v++) {
            const uint64_t *entry = header->side[s].histogram[v];
            for (uint32_t p = 0; entry != NULL && p <= header->side[s].longest[v]; p++)
                sum += p * entry[p];
        }
    return sum;
}

/* Fills an open file from its table's header, and allocates its slots. */
static int open_fill(OpenTable *open, const ProbeFile *file, treb_error *error)
{
    const TableHeader *header = open->header = table_header(open->table);
    open->symbols = header->codec == TABLE_SYMBOLS;
    open->per_byte = header->per_byte;
    open->width = header->width;
    open->block_bits = header->block_bits;
    open->page_bits =
        header->block_bits < CACHE_PAGE_BITS ? header->block_bits : (unsigned)CACHE_PAGE_BITS;
    open->pages = table_side_blocks(header) << (open->block_bits - open->page_bits);
    open->plies = sum_plies(header);
    const char *fault = fault_in_header(file, header);
    if (fault == NULL && header->metric == TREB_WDL && header->width != 1)
        fault = "its cells are too wide";
    if (fault != NULL) return file_fail(error, TREB_ERR_DAMAGED, file->path, fault);
    for (int side = 0; side < 2; side++) {
        open->stored[side] = table_has_cells(header, side);
        open->index[side] = header->side[side].index;
        if (!open->stored[side]) continue;
        fill_digits(open, side);
        open->slots[side] = (CacheSlot *)calloc(open->pages, sizeof(CacheSlot));
        if (open->slots[side] == NULL)
            return file_fail(error, TREB_ERR_MEMORY, file->path, "out of memory");
    }
    return 0;
}

static bool get_page(void *context, uint64_t page, uint8_t out[TABLE_PAGE_SIZE])
{
    const OpenTable *open = (const OpenTable *)context;
    return cache_copy(&open->pool->cache, &open->packed[page], out);
}

static void put_page(void *context, uint64_t page, const uint8_t bytes[TABLE_PAGE_SIZE])
{
    const OpenTable *open = (const OpenTable *)context;
    atomic_fetch_add_explicit(&open->pool->misses, 1, memory_order_relaxed);
    cache_insert(&open->pool->cache, &open->packed[page], bytes, TABLE_PAGE_SIZE, CACHE_PAGE_BITS);
}

static const char *name_in_source(const ProbeFile *file)
{
    return file->path + strlen(file->source->name) + 1;
}

/* Opens the table of a file that a source has. The cache keeps its pages packed, as they come:
 * unpacked they would take many times as much memory. */
static int open_of_source(OpenTable *open, ProbeFile *file, treb_error *error)
{
    static_assert((int)TABLE_PAGE_SIZE == (int)CACHE_PAGE_SIZE,
                  "a page of a table fits a page of the cache");
    open->table = table_open_from_source(file->source, file->path, name_in_source(file), error);
    if (open->table == NULL) return -(int)error->status;
    open->packed = (CacheSlot *)calloc(table_pages(open->table) + 1, sizeof *open->packed);
    if (open->packed == NULL) return file_fail(error, TREB_ERR_MEMORY, file->path, "out of memory");
    open->keep = (TablePages){get_page, put_page, open};
    table_keep_pages(open->table, &open->keep);
    return 0;
}

/* NULL with *error filled on failure. */
static OpenTable *open_new(ProbeFile *file, treb_error *error)
{
    OpenTable *open = (OpenTable *)calloc(1, sizeof *open);
    if (open == NULL) {
        file_fail(error, TREB_ERR_MEMORY, file->path, "out of memory");
        return NULL;
    }
    open->file = file;
    open->pool = file->pool;
    if (file->source != NULL)
        (void)open_of_source(open, file, error);
    else
        open->table = table_open_among(file->pool->files, file->path, error);
    bool there = open->table != NULL && (file->source == NULL || open->packed != NULL);
    if (there && open_fill(open, file, error) == 0) return open;
    file_free_open(open);
    return NULL;
}

/* Refuses a file that needs what this build leaves out. */
static treb_status check_format(const ProbeFile *file, treb_error *error)
{
    if (TREB_SYZYGY || file->format != TREB_FORMAT_SYZYGY) return TREB_OK;
    return fail(error, TREB_ERR_UNSUPPORTED,
                "%.400s: Syzygy's tables are left out of this build of the library", file->path);
}

/* The caller holds the file's mutex. False with *error filled on failure. */
static bool open_format(ProbeFile *file, treb_error *error)
{
    if (file_is_syzygy(file)) {
        Syzygy *syzygy =
            file->source != NULL
                ? syzygy_open_source(file->source, file->path, name_in_source(file),
                                     &file->material, file->metric, &file->pool->maps, error)
                : syzygy_open_among(file->pool->files, file->path, &file->material, file->metric,
                                    &file->pool->maps, error);
        atomic_store_explicit(&file->syzygy, syzygy, memory_order_release);
        return syzygy != NULL;
    }
    OpenTable *open = check_format(file, error) == TREB_OK ? open_new(file, error) : NULL;
    atomic_store_explicit(&file->open, open, memory_order_release);
    return open != NULL;
}

static bool is_open(const ProbeFile *file)
{
    return atomic_load_explicit(&file->open, memory_order_acquire) != NULL ||
           atomic_load_explicit(&file->syzygy, memory_order_acquire) != NULL;
}

treb_status file_check(ProbeFile *file, treb_error *error)
{
    if (file->source != NULL) return TREB_OK;
    errno = 0;
    treb_status status = check_format(file, error);
    if (status == TREB_OK)
        status = file_is_syzygy(file) ? syzygy_check_size(file->path, &file->material, file->metric,
                                                          &file->pool->maps, error)
                                      : table_check_size(file->path, error);
    bool passing = status == TREB_ERR_IO && (errno == EMFILE || errno == ENFILE);
    return passing || status == TREB_ERR_MEMORY ? TREB_OK : status;
}

/* Whether opening a file will fail again in the same way. */
static bool is_lasting(treb_status status)
{
    return status == TREB_ERR_DAMAGED || status == TREB_ERR_UNSUPPORTED;
}

/* Notes why a file could not be opened, unless the reason may pass. */
static void note_failure(ProbeFile *file, const treb_error *error)
{
    treb_error again;
    if (is_lasting(error->status) || file_check(file, &again) != TREB_OK) file_note(file, error);
}

bool file_open_locked(ProbeFile *file, treb_error *error)
{
    if (is_open(file)) return true;
    if (file->failure != NULL) {
        *error = *file->failure;
        return false;
    }
    if (open_format(file, error)) return true;
    note_failure(file, error);
    if (is_lasting(error->status) && file->source == NULL) {
        /* Other failures may pass. If there is no memory for this the next call tries again. */
        file->failure = (treb_error *)malloc(sizeof *file->failure);
        if (file->failure != NULL) *file->failure = *error;
    }
    return false;
}

/* For a reader that does not wait. Returns 0 if the file is open, minus a status if it can never be
 * opened, else minus TREB_ERR_NOT_READY, after it noted that the file is to be opened. */
static int open_later(const ProbeReader *reader, ProbeFile *file, treb_error *error)
{
    const FetchJob job = {.file = file, .kind = FETCH_OPEN};
    bool opened = false;
    treb_status failed = TREB_OK;
    /* A thread that is opening the file holds its mutex. */
    if (mutex_try(&file->mutex)) {
        opened = is_open(file);
        if (!opened && file->failure != NULL) failed = fail_again(error, file->failure);
        mutex_unlock(&file->mutex);
    }
    if (opened) return 0;
    if (failed != TREB_OK) return -(int)failed;
    reader_note(reader, &job);
    return -(int)fail_not_ready(error, file->path);
}

int file_open(const ProbeReader *reader, ProbeFile *file, treb_error *error)
{
    treb_error unused;
    bool waits =
        file->source == NULL ? reader_waits_for_disk(reader) : reader->wait == WAIT_FOR_ALL;
    if (!waits) return open_later(reader, file, error);
    if (error == NULL) error = &unused;
    mutex_lock(&file->mutex);
    bool opened = file_open_locked(file, error);
    mutex_unlock(&file->mutex);
    return opened ? 0 : -(int)error->status;
}
