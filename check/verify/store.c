/* store.c - see store.h.
 *
 * A side of a table is unpacked on first use, into the bytes of the file's blocks, if there is
 * enough memory. If not, single cells are read from the mapped file or, with the codec zstd,
 * through a small cache of blocks that each thread has. */
#include <stdlib.h>
#include <string.h>

#include "check/verify/store.h"
#include "core/system/error.h"
#include "core/system/hash.h"
#include "core/system/io.h"

/* ---- opening --------------------------------------------------------------------------------- */

static VerifyEntry *find_entry(const VerifyStore *store, const Material *material)
{
    for (size_t i = 0; i < store->count; i++)
        if (material_equal(&store->entry[i]->material, material)) return store->entry[i];
    return NULL;
}

/* A file to open. */
typedef struct Wanted {
    VerifyStore *store;
    const Material *material;
    int metric;
    bool syzygy;
} Wanted;

static void *open_path(const Wanted *wanted, const char *path, treb_error *error)
{
    if (!wanted->syzygy) return table_open(path, error);
    return syzygy_open(path, wanted->material, (treb_metric)wanted->metric, &wanted->store->maps,
                       error);
}

/* Opens the file in the first directory that has it. If no directory has it, *found is NULL and the
 * result is TREB_OK. */
static treb_status find_file(const Wanted *wanted, void **found, treb_error *error)
{
    char name[TABLE_NAME_SIZE];
    const VerifyOptions *options = wanted->store->options;
    *found = NULL;
    if (!wanted->syzygy)
        table_file_name(wanted->material, (treb_metric)wanted->metric, name);
    else if (!syzygy_file_name(wanted->material, (treb_metric)wanted->metric, name))
        return TREB_OK;
    for (size_t i = 0; i < options->dirs_count; i++) {
        char *path = io_path(options->dirs[i], name);
        if (path == NULL) return fail_memory(error);
        *found = open_path(wanted, path, error);
        free(path);
        if (*found != NULL) return TREB_OK;
        if (error->status != TREB_ERR_NO_TABLE) return error->status;
    }
    return TREB_OK;
}

static treb_status open_table(VerifyStore *store, const Material *material, int metric,
                              VerifyFile *file, treb_error *error)
{
    const Wanted wanted = {store, material, metric, false};
    void *found;
    treb_status status = find_file(&wanted, &found, error);
    file->table = found;
    if (status != TREB_OK || found == NULL) return status;
    file->header = table_header(file->table);
    if (!material_equal(&file->header->index.material, material) ||
        (int)file->header->metric != metric)
        return fail(error, TREB_ERR_DAMAGED,
                    "%.400s: contains a different table than its name says",
                    table_path(file->table));
    const Mapped *map = table_map(file->table);
    return verify_reclaimable_add(&store->memory, map->bytes, map->size) ? TREB_OK
                                                                         : fail_memory(error);
}

static bool same_layout(const Index *a, const Index *b)
{
    for (int g = 0; g < a->groups && g < b->groups; g++)
        if (a->group[g].by_square_color != b->group[g].by_square_color) return false;
    return a->size == b->size && a->axes == b->axes &&
           memcmp(a->lead_first, b->lead_first, sizeof a->lead_first) == 0 &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0;
}

static uint64_t memo_bytes(const VerifyEntry *entry)
{
    return entry->index.size * sizeof(uint16_t);
}

/* Chooses the index that numbers the cells of an entry, and notes which files have the same one.
 * Usually it is the index of the WDL file, so that neighbouring cells are neighbours in the file.
 * In a full check, the table under test is ordered by planes (words.h). So is a table whose memo is
 * large and may have to be reclaimed: checking a plane then needs some planes of the memo, not a
 * few entries of every page. */
static bool choose_index(const VerifyStore *store, VerifyEntry *entry)
{
    const VerifyFile *wdl = &entry->file[TREB_WDL];
    if (!index_init(&entry->index, &entry->material, NULL, 1)) return false;
    bool large = entry == store->entry[0] || memo_bytes(entry) > store->memory.limit / 32;
    if (wdl->table != NULL && !(store->options->full && large))
        entry->index = wdl->header->side[TREB_WHITE].index;
    for (int m = 0; m <= TREB_DTM50; m++)
        for (int s = 0; s < 2 && entry->file[m].table != NULL; s++)
            entry->file[m].same_index[s] =
                same_layout(&entry->file[m].header->side[s].index, &entry->index);
    return true;
}

static treb_status open_ours(VerifyStore *store, VerifyEntry *entry, treb_error *error)
{
    for (int m = 0; m <= TREB_DTM50; m++) {
        if (!table_is_metric(m)) continue;
        VerifyFile *file = &entry->file[m];
        treb_status status = open_table(store, &entry->material, m, file, error);
        if (status != TREB_OK) return status;
    }
    return TREB_OK;
}

/* Opens Syzygy files: for the material under test WDL and DTZ, for other materials only WDL. */
static treb_status open_syzygy(VerifyStore *store, VerifyEntry *entry, treb_error *error)
{
    int last = entry == store->entry[0] ? TREB_DTZ : TREB_WDL;
    if (material_men(&entry->material) > SYZYGY_MEN_MAX) return TREB_OK;
    for (int m = TREB_WDL; m <= last; m++) {
        const Wanted wanted = {store, &entry->material, m, true};
        void *found;
        treb_status status = find_file(&wanted, &found, error);
        entry->syzygy[m] = found;
        if (status != TREB_OK) return status;
    }
    return TREB_OK;
}

/* Opens the files of an entry. For the material under test, these are files of the kind to check.
 * For other materials, the other kind is the substitute if files of that kind are missing. */
static treb_status open_files(VerifyStore *store, VerifyEntry *entry, treb_error *error)
{
    bool syzygy = store->options->syzygy, first = entry == store->entry[0];
    if (syzygy) {
        treb_status status = open_syzygy(store, entry, error);
        if (status != TREB_OK || first || entry->syzygy[TREB_WDL] != NULL) return status;
    }
    treb_status status = open_ours(store, entry, error);
    if (status != TREB_OK || syzygy || first || entry->file[TREB_WDL].table != NULL) return status;
    return open_syzygy(store, entry, error);
}

static treb_status open_entry(VerifyStore *store, const Material *material, treb_error *error)
{
    if (store->count == VERIFY_ENTRIES_MAX) return fail(error, TREB_ERR_MEN, "too many materials");
    VerifyEntry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return fail_memory(error);
    store->entry[store->count++] = entry;
    entry->material = *material;
    entry->symmetric = material_symmetric(material);
    treb_status status = open_files(store, entry, error);
    if (status != TREB_OK) return status;
    return choose_index(store, entry) ? TREB_OK : fail(error, TREB_ERR_MEN, "too many men");
}

/* Opens the material that remains after a capture, a promotion or both, unless only the kings
 * remain. */
static treb_status link_child_table(VerifyStore *store, VerifyEntry *entry, int mover, int victim,
                                    int promo, treb_error *error)
{
    Material m = entry->material;
    if (victim != TREB_KING && m.count[mover ^ 1][victim]-- == 0) return TREB_OK;
    if (promo != 0) {
        if (m.count[mover][TREB_PAWN]-- == 0) return TREB_OK;
        m.count[mover][promo]++;
    }
    VerifyChildTable *after = &entry->child_table[mover][victim][promo];
    after->swapped = material_canonical(&m);
    if (material_men(&m) == 2) return TREB_OK;
    after->entry = find_entry(store, &m);
    if (after->entry != NULL) return TREB_OK;
    treb_status status = open_entry(store, &m, error);
    after->entry = status == TREB_OK ? store->entry[store->count - 1] : NULL;
    return status;
}

static treb_status link_entry(VerifyStore *store, VerifyEntry *entry, treb_error *error)
{
    for (int mover = 0; mover < 2; mover++)
        for (int victim = TREB_PAWN; victim <= TREB_KING; victim++)
            for (int promo = 0; promo < TREB_KING; promo++) {
                if (victim == TREB_KING && promo == 0) continue;
                treb_status status = link_child_table(store, entry, mover, victim, promo, error);
                if (status != TREB_OK) return status;
            }
    return TREB_OK;
}

treb_status verify_store_open(VerifyStore *store, const Material *material,
                              const VerifyOptions *options, treb_error *error)
{
    memset(store, 0, sizeof *store);
    store->options = options;
    store->ply = options->syzygy ? 2 : 1;
    syzygy_maps_fill(&store->maps);
    verify_memory_open(&store->memory, options->memory ? options->memory : UINT64_C(12) << 30);
    store->whole_limit = options->full ? UINT64_MAX : UINT64_C(8) << 20;
    store->entry = calloc(VERIFY_ENTRIES_MAX, sizeof *store->entry);
    if (store->entry == NULL) return fail_memory(error);
    treb_status status = open_entry(store, material, error);
    for (size_t i = 0; status == TREB_OK && i < store->count; i++) {
        status = link_entry(store, store->entry[i], error);
        if (i == 0) store->sub_endings = store->count - 1;
    }
    return status;
}

void verify_store_close(VerifyStore *store)
{
    for (size_t i = 0; i < store->count; i++) {
        VerifyEntry *entry = store->entry[i];
        for (int side = 0; side < 2; side++) {
            verify_reclaimable_free(atomic_load(&entry->memo[side]), memo_bytes(entry));
            for (int m = 0; m <= TREB_DTM50; m++) free(atomic_load(&entry->file[m].bytes[side]));
        }
        for (int m = 0; m <= TREB_DTM50; m++) table_close(entry->file[m].table);
        for (int m = TREB_WDL; m <= TREB_DTZ; m++) syzygy_close(entry->syzygy[m]);
        free(entry);
    }
    free(store->entry);
    verify_memory_close(&store->memory);
}

void verify_file_name(const VerifyStore *store, const Material *material, int metric,
                      char out[TABLE_NAME_SIZE])
{
    if (!store->options->syzygy || !syzygy_file_name(material, (treb_metric)metric, out))
        table_file_name(material, (treb_metric)metric, out);
}

treb_status verify_fail_missing(const VerifyStore *store, const Material *material, int metric,
                                treb_error *error)
{
    char name[TABLE_NAME_SIZE];
    verify_file_name(store, material, metric, name);
    fail(error, TREB_ERR_NO_TABLE, "%s is needed but not installed", name);
    material_name(material, name);
    return fail_missing_table(error, name, metric);
}

/* ---- reading --------------------------------------------------------------------------------- */

VerifyReader *verify_reader_new(VerifyStore *store)
{
    VerifyReader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->store = store;
    reader->decoder = table_decoder_new();
    if (reader->decoder != NULL) return reader;
    free(reader);
    return NULL;
}

void verify_reader_free(VerifyReader *reader)
{
    if (reader == NULL) return;
    for (int i = 0; i < VERIFY_SLOTS; i++) free(reader->slot[i].bytes);
    table_decoder_free(reader->decoder);
    free(reader);
}

bool verify_block(VerifyReader *reader, const VerifyFile *file, int side, uint64_t block,
                  uint8_t *out)
{
    treb_error error = {0};
    if (table_read_block(file->table, reader->decoder, side, block, out, &error) == TREB_OK)
        return true;
    if (reader->error.status == TREB_OK) reader->error = error;
    return false;
}

static bool unpack_side(VerifyReader *reader, const VerifyFile *file, int side, uint8_t *bytes)
{
    uint64_t blocks = table_side_blocks(file->header);
    for (uint64_t b = 0; b < blocks; b++)
        if (!verify_block(reader, file, side, b, bytes + (b << file->header->block_bits)))
            return false;
    return true;
}

/* Allocates memory for a side, unless it needs more than half of what is left: other sides need
 * memory too. */
static uint8_t *claim_side(VerifyStore *store, uint64_t size)
{
    if (size > store->whole_limit || size > (store->memory.limit - store->memory.used) / 2)
        return NULL;
    if (!verify_claim(&store->memory, size)) return NULL;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) verify_release(&store->memory, size);
    return bytes;
}

/* Unpacks a side as a whole. If it is too large, or a block cannot be read, the side is read block
 * by block from then on. So each thread that needs a damaged block gets the error. */
static void load_side(VerifyReader *reader, VerifyFile *file, int side)
{
    if (atomic_load(&file->bytes[side]) != NULL || atomic_load(&file->paged[side])) return;
    VerifyStore *store = reader->store;
    uint64_t size = table_side_blocks(file->header) << file->header->block_bits;
    uint8_t *bytes = claim_side(store, size);
    if (bytes != NULL && unpack_side(reader, file, side, bytes)) {
        atomic_store(&file->bytes[side], bytes);
        return;
    }
    if (bytes != NULL) verify_release(&store->memory, size);
    free(bytes);
    atomic_store(&file->paged[side], true);
}

void verify_store_retry(VerifyStore *store)
{
    for (size_t i = 0; i < store->count; i++)
        for (int m = 0; m <= TREB_DTM50; m++)
            for (int s = 0; s < 2; s++) atomic_store(&store->entry[i]->file[m].paged[s], false);
}

static const uint8_t *cached_block(VerifyReader *reader, const VerifyFile *file, int side,
                                   uint64_t block)
{
    uint64_t hash = (uint64_t)(uintptr_t)file / 16 + block * 2 + (uint64_t)side;
    size_t size = (size_t)1 << file->header->block_bits, slots = VERIFY_CACHE / size;
    if (slots > VERIFY_SLOTS) slots = VERIFY_SLOTS;
    while (slots > 1 && slots * size > reader->store->memory.limit / 32) slots /= 2;
    size_t i = (size_t)(hash * HASH_FACTOR >> 32) % slots;
    if (reader->slot[i].file == file && reader->slot[i].block == block &&
        reader->slot[i].side == side)
        return reader->slot[i].bytes;
    if (reader->slot[i].size < size) {
        uint8_t *bytes = realloc(reader->slot[i].bytes, size);
        if (bytes == NULL) {
            fail_memory(&reader->error);
            return NULL;
        }
        reader->slot[i].bytes = bytes;
        reader->slot[i].size = size;
    }
    reader->slot[i].file = NULL;
    if (!verify_block(reader, file, side, block, reader->slot[i].bytes)) return NULL;
    reader->slot[i].file = file;
    reader->slot[i].block = block;
    reader->slot[i].side = side;
    return reader->slot[i].bytes;
}

static unsigned code_in_whole(const TableHeader *h, const uint8_t *bytes, uint64_t cell)
{
    if (h->width == 2) return bytes[2 * cell] | (unsigned)bytes[2 * cell + 1] << 8;
    if (h->per_byte == 1) return bytes[cell];
    unsigned code = bytes[cell / h->per_byte];
    for (unsigned digit = (unsigned)(cell % h->per_byte); digit > 0; digit--) code /= h->base;
    return code % h->base;
}

static unsigned cell_code(VerifyReader *reader, const VerifyFile *file, int side, uint64_t cell)
{
    treb_error error = {0};
    int code = table_read_cell(file->table, WAIT_FOR_ALL, side, cell, NULL, &error);
    if (code >= 0) return (unsigned)code;
    if (reader->error.status == TREB_OK) reader->error = error;
    return 0;
}

unsigned verify_code(VerifyReader *reader, VerifyFile *file, int side, uint64_t cell)
{
    uint8_t *bytes = atomic_load_explicit(&file->bytes[side], memory_order_acquire);
    if (bytes == NULL && !atomic_load_explicit(&file->paged[side], memory_order_relaxed)) {
#pragma omp critical(verify_load)
        load_side(reader, file, side);
        bytes = atomic_load(&file->bytes[side]);
    }
    if (bytes != NULL) return code_in_whole(file->header, bytes, cell);
    if (file->header->codec == TABLE_SYMBOLS) return cell_code(reader, file, side, cell);
    const uint8_t *block = cached_block(reader, file, side, table_cell_block(file->header, cell));
    return block != NULL ? table_cell_code(file->header, block, cell) : 0;
}

static _Atomic(uint16_t) *new_memo(VerifyStore *store, VerifyEntry *entry, int side)
{
    _Atomic(uint16_t) *memo = atomic_load(&entry->memo[side]);
    if (memo != NULL || memo_bytes(entry) > store->whole_limit) return memo;
    memo = verify_reclaimable_new(&store->memory, memo_bytes(entry)); /* zero means unknown */
    atomic_store(&entry->memo[side], memo);
    return memo;
}

_Atomic(uint16_t) *verify_memo(VerifyStore *store, VerifyEntry *entry, int side)
{
    _Atomic(uint16_t) *memo = atomic_load_explicit(&entry->memo[side], memory_order_acquire);
    if (memo != NULL) return memo;
        /* If there was not enough memory, try again: without a memo the values are computed anew
         * each time, which costs more than this attempt. */
#pragma omp critical(verify_load)
    memo = new_memo(store, entry, side);
    return memo;
}
