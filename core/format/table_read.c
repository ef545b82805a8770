/* table_read.c - opens table files and reads their blocks (table.h).
 *
 * Files with codec zstd are read with pread, not mapped: if one is cut short while it is open,
 * reading fails with an error instead of a signal. All allocations are bounded by the size of the
 * file. */
#define _FILE_OFFSET_BITS 64
#include "core/format/table_format.h"
#include "core/format/table_symbols.h"
#include "core/format/table_zstd.h"
#include "core/system/error.h"
#include "core/system/features.h"
#include "core/system/io.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct Table {
    TableFile *file;
    uint64_t file_size;
    char *path;
    char *cells_path; /* of the file that has the cells; NULL: it is the same */
    uint8_t *bytes; /* the header in memory, see FormatLayout */
    size_t size;
    TableHeader header;
    FormatLayout layout;
    ZstdDictionary *dictionary; /* NULL: no dictionary */
    Symbols symbols;            /* with codec symbols */
};

struct TableDecoder {
    TableWait wait;
    ZstdContext *context;
    uint8_t *frame; /* a block as in the file, behind the magic number that the file omits */
    size_t capacity;
};

/* ---- opening --------------------------------------------------------------------------------- */

/* Checks the fixed header as far as needed to read the rest. */
static treb_status check_fixed(const Table *table, const uint8_t *fixed, size_t size,
                               treb_error *error)
{
    const treb_status damaged = TREB_ERR_DAMAGED;
    if (size == 0) return fail(error, damaged, "%s: is empty", fail_path(table->path));
    size_t magic = size < sizeof format_magic ? size : sizeof format_magic;
    if (memcmp(fixed, format_magic, magic) != 0)
        return fail(error, damaged, "%s: is not a Trebuchet table", fail_path(table->path));
    if (size < FORMAT_FIXED_SIZE)
        return fail(error, damaged, "%s: truncated: file has %zu bytes, a header alone has %d",
                    fail_path(table->path), size, FORMAT_FIXED_SIZE);
    unsigned version = format_get16(fixed + FORMAT_AT_VERSION);
    if (version > FORMAT_VERSION)
        return fail(error, damaged,
                    "%s: has format version %u, but this program reads versions up to %d",
                    fail_path(table->path), version, FORMAT_VERSION);
    uint64_t expected = format_get64(fixed + FORMAT_AT_FILE_SIZE);
    uint64_t meta = format_get64(fixed + FORMAT_AT_META);
    if (table->file_size != expected)
        return fail(error, damaged, "%s: %s: header says %" PRIu64 " bytes, file has %" PRIu64,
                    fail_path(table->path), table->file_size < expected ? "truncated" : "too long",
                    expected, table->file_size);
    if (version == 0 || meta < FORMAT_FIXED_SIZE || meta > expected ||
        expected - meta > SIZE_MAX - FORMAT_FIXED_SIZE)
        return fail(error, damaged, "%s: header damaged: bad sizes", fail_path(table->path));
    return TREB_OK;
}

static treb_status read_part(const Table *table, bool again, uint8_t *out, size_t size,
                             uint64_t offset, treb_error *error)
{
    bool cut;
    if (again) return table_file_read_again(table->file, out, size, offset, error);
    treb_status status = table_file_read(table->file, WAIT_FOR_ALL, out, size, offset, &cut, error);
    if (!cut) return status;
    return fail(error, TREB_ERR_DAMAGED, "%s: truncated while it was read", fail_path(table->path));
}

static treb_status read_header(Table *table, bool again, treb_error *error)
{
    uint8_t fixed[FORMAT_FIXED_SIZE];
    size_t size = table->file_size < sizeof fixed ? (size_t)table->file_size : sizeof fixed;
    treb_status status = read_part(table, again, fixed, size, 0, error);
    if (status == TREB_OK) status = check_fixed(table, fixed, size, error);
    if (status != TREB_OK) return status;
    uint64_t meta = format_get64(fixed + FORMAT_AT_META);
    size_t meta_size = (size_t)(table->file_size - meta);
    table->size = FORMAT_FIXED_SIZE + meta_size;
    table->bytes = (uint8_t *)malloc(table->size);
    if (table->bytes == NULL) return fail_memory(error);
    memcpy(table->bytes, fixed, sizeof fixed);
    status = read_part(table, again, table->bytes + FORMAT_FIXED_SIZE, meta_size, meta, error);
    if (status != TREB_OK) return status;
    if (format_checksum(table->bytes, table->size) !=
        format_get64(table->bytes + FORMAT_AT_CHECKSUM))
        return fail(error, TREB_ERR_DAMAGED, "%s: header damaged: its checksum differs",
                    fail_path(table->path));
    const char *wrong = format_parse(table->bytes, table->size, &table->header, &table->layout);
    if (wrong == NULL) return TREB_OK;
    if (wrong == format_no_memory) return fail_memory(error);
    return fail(error, TREB_ERR_DAMAGED, "%s: header damaged: %s", fail_path(table->path), wrong);
}

static treb_status load_dictionary(Table *table, treb_error *error)
{
    const uint8_t *bytes = table->bytes + table->layout.dictionary_at;
    size_t size = table->layout.dictionary_size;
    if (size == 0) return TREB_OK;
    return table_zstd_dictionary(bytes, size, table->path, &table->dictionary, error);
}

/* Refuses a table whose codec is left out of this build. */
static treb_status check_codec(const TableHeader *header, const char *path, treb_error *error)
{
    if (TREB_ZSTD || header->codec != TABLE_ZSTD) return TREB_OK;
    return fail(error, TREB_ERR_UNSUPPORTED,
                "%s: is packed by zstd, which is left out of this build of the library: "
                "build it with TREB_ZSTD",
                fail_path(path));
}

/* Frees what was read of the header. */
static void forget_header(Table *table)
{
    table_header_free(&table->header);
    free(table->bytes);
    table->header = (TableHeader){0};
    table->bytes = NULL;
}

/* If the header of a source's file is damaged, reads it again: it may have been damaged on its way,
 * or in a copy that the source keeps. */
static treb_status read_header_of(Table *table, treb_error *error)
{
    treb_status status = read_header(table, false, error);
    if (status != TREB_ERR_DAMAGED || !table_file_has_source(table->file)) return status;
    forget_header(table);
    return read_header(table, true, error);
}

static treb_status open_table(Table *table, treb_error *error)
{
    table->file_size = table_file_bytes(table->file);
    treb_status status = read_header_of(table, error);
    table_file_release(table->file);
    if (status == TREB_OK) status = check_codec(&table->header, table->path, error);
    if (status != TREB_OK) return status;
    if (table->header.as_dtz) return TREB_OK;
    if (table->header.codec == TABLE_ZSTD) return load_dictionary(table, error);
    return symbols_open(&table->symbols, &table->header, &table->layout, table->file, table->path,
                        error);
}

/* Opens a table of a file that is held, and takes the file over. `file` is NULL if it could not be
 * opened. */
static Table *open_file(TableFile *file, const char *path, treb_error *error)
{
    Table *table = file != NULL ? (Table *)calloc(1, sizeof *table) : NULL;
    if (file == NULL) return NULL;
    if (table == NULL) {
        table_file_close(file);
        fail_memory(error);
        return NULL;
    }
    table->file = file;
    table->path = strdup(path);
    if (table->path == NULL)
        fail_memory(error);
    else if (open_table(table, error) == TREB_OK)
        return table;
    table_close(table);
    return NULL;
}

/* Returns the path of the DTZ file beside the file of a table; NULL if memory is out. The caller
 * frees it. */
static char *path_beside(const Table *table, const char *path)
{
    size_t folder = (size_t)(io_name(path) - path);
    char *out = (char *)malloc(folder + TABLE_NAME_SIZE);
    if (out == NULL) return NULL;
    memcpy(out, path, folder);
    table_file_name(&table->header.index.material, TREB_DTZ, out + folder);
    return out;
}

/* Says why the DTZ file beside a DTC file cannot be used. `error` has the reason. */
static void fail_beside(const Table *table, treb_error *error)
{
    const treb_error why = *error;
    fail(error, why.status, "%s: has the distances of the DTZ file beside it; %s",
         fail_path(table->path), why.text);
    if (why.status == TREB_ERR_NO_TABLE) fail_missing_table(error, why.material, why.metric);
}

/* Turns an open DTZ table into the DTC table that has its distances. */
static treb_status take_cells(Table *table, Table *dtz, treb_error *error)
{
    if (dtz->header.metric != TREB_DTZ ||
        !material_equal(&dtz->header.index.material, &table->header.index.material))
        return fail(error, TREB_ERR_DAMAGED,
                    "%s: its content is a different table than its name says",
                    fail_path(dtz->path));
    dtz->header.metric = TREB_DTC;
    dtz->header.as_dtz = true;
    dtz->file_size = table->file_size;
    dtz->cells_path = dtz->path; /* Symbols uses it */
    dtz->path = table->path;
    table->path = NULL;
    return TREB_OK;
}

/* Opens a file of a source, or a file if `source` is NULL. */
static Table *open_one(TableFiles *files, const treb_source *source, const char *path,
                       const char *name, treb_error *error)
{
    TableFile *file = source != NULL ? table_file_from_source(source, path, name, error)
                                     : table_file_open(files, path, error);
    return open_file(file, path, error);
}

/* If a DTC file has the distances of the DTZ file beside it, the table that is returned has that
 * file's cells. */
static Table *open_any(TableFiles *files, const treb_source *source, const char *path,
                       const char *name, treb_error *error)
{
    treb_error why;
    if (error == NULL) error = &why;
    Table *table = open_one(files, source, path, name, error), *dtz = NULL;
    if (table == NULL || !table->header.as_dtz) return table;
    char *beside = path_beside(table, path), *name_beside = path_beside(table, name);
    if (beside == NULL || name_beside == NULL)
        fail_memory(error);
    else
        dtz = open_one(files, source, beside, name_beside, error);
    if (dtz != NULL && take_cells(table, dtz, error) != TREB_OK) {
        table_close(dtz);
        dtz = NULL;
    }
    if (dtz == NULL) fail_beside(table, error);
    table_close(table);
    free(beside);
    free(name_beside);
    return dtz;
}

Table *table_open_among(TableFiles *files, const char *path, treb_error *error)
{
    return open_any(files, NULL, path, path, error);
}

Table *table_open_from_source(const treb_source *source, const char *path, const char *name,
                              treb_error *error)
{
    return open_any(NULL, source, path, name, error);
}

treb_status table_check_size(const char *path, treb_error *error)
{
    SystemFile about;
    uint8_t fixed[FORMAT_FIXED_SIZE];
    int file = io_open_regular(path, &about, error);
    if (file < 0) return error->status;
    Table table = {.file_size = about.size, .path = (char *)(uintptr_t)path};
    size_t size = table.file_size < sizeof fixed ? (size_t)table.file_size : sizeof fixed;
    treb_status status = io_read_at(file, fixed, size, 0) ? check_fixed(&table, fixed, size, error)
                                                          : fail_errno(error, "read", path);
    system_close(file);
    if (status != TREB_OK) return status;
    const char *wrong = format_parse_fixed(fixed, &table.header);
    if (wrong != NULL)
        return fail(error, TREB_ERR_DAMAGED, "%s: header damaged: %s", fail_path(path), wrong);
    status = check_codec(&table.header, path, error);
    if (status != TREB_OK) return status;
    /* What the name of a pawn file says is in the part of the header that is not read. */
    Material material;
    treb_metric metric;
    if (table_parse_name(io_name(path), &material, &metric) &&
        (metric != table.header.metric || !material_equal(&material, &table.header.index.material)))
        return fail(error, TREB_ERR_DAMAGED,
                    "%s: its content is a different table than its name says", fail_path(path));
    return TREB_OK;
}

uint64_t table_pages(const Table *table)
{
    const Symbols *symbols = &table->symbols;
    return table->header.codec == TABLE_SYMBOLS ? symbols->side[0].pages + symbols->side[1].pages
                                                : 0;
}

void table_keep_pages(Table *table, const TablePages *pages) { table->symbols.pages = pages; }

Table *table_open(const char *path, treb_error *error)
{
    return table_open_among(NULL, path, error);
}

void table_close(Table *table)
{
    if (table == NULL) return;
    symbols_close(&table->symbols);
    table_file_close(table->file);
    table_zstd_forget(table->dictionary);
    table_header_free(&table->header);
    free(table->bytes);
    free(table->path);
    free(table->cells_path);
    free(table);
}

const TableHeader *table_header(const Table *table) { return &table->header; }

const char *table_path(const Table *table) { return table->path; }

uint64_t table_file_size(const Table *table) { return table->file_size; }

/* ---- blocks ---------------------------------------------------------------------------------- */

TableDecoder *table_decoder_new(void)
{
    TableDecoder *decoder = (TableDecoder *)calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    if (table_zstd_begin(&decoder->context)) return decoder;
    free(decoder);
    return NULL;
}

void table_decoder_set_wait(TableDecoder *decoder, TableWait wait) { decoder->wait = wait; }

void table_decoder_free(TableDecoder *decoder)
{
    if (decoder == NULL) return;
    table_zstd_end(decoder->context);
    free(decoder->frame);
    free(decoder);
}

static const char *cells_path(const Table *table)
{
    return table->cells_path != NULL ? table->cells_path : table->path;
}

static bool decoder_reserve(TableDecoder *decoder, size_t capacity)
{
    if (decoder->capacity >= capacity) return true;
    uint8_t *frame = (uint8_t *)realloc(decoder->frame, capacity);
    if (frame == NULL) return false;
    memcpy(frame, format_zstd_magic, FORMAT_ZSTD_MAGIC_SIZE);
    decoder->frame = frame;
    decoder->capacity = capacity;
    return true;
}

/* Unpacks the `stored` bytes behind the magic number. Returns whether they give exactly `size`
 * bytes. */
static bool unpack(const Table *table, TableDecoder *decoder, size_t stored, uint8_t *out,
                   size_t size)
{
    const uint8_t *bytes = decoder->frame + FORMAT_ZSTD_MAGIC_SIZE;
    if (stored == 1) {
        memset(out, bytes[0], size);
        return true;
    }
    if (stored == size) {
        memcpy(out, bytes, size);
        return true;
    }
    size_t frame = stored + FORMAT_ZSTD_MAGIC_SIZE;
    return table_zstd_unpack(decoder->context, table->dictionary, decoder->frame, frame, out, size);
}

/* Unpacks and compares the checksum. Returns what is wrong, or NULL. */
static const char *unpack_checked(const Table *table, TableDecoder *decoder, size_t stored,
                                  uint32_t checksum, uint8_t *out, size_t size)
{
    if (!unpack(table, decoder, stored, out, size)) return "it cannot be unpacked";
    return table_block_checksum(out, size) != checksum ? "its checksum differs" : NULL;
}

/* Reads, checks and unpacks a block with codec zstd. */
static treb_status read_zstd(const Table *table, TableDecoder *decoder, int side, uint64_t block,
                             uint8_t *out, treb_error *error)
{
    const TableHeader *header = &table->header;
    uint64_t entry = format_first_entry(header, side) + block;
    const uint8_t *at = table->bytes + table->layout.entries_at + entry * FORMAT_ENTRY_SIZE;
    uint64_t begin = FORMAT_FIXED_SIZE + format_get48(at), end = table->layout.meta;
    if (entry + 1 < table->layout.entries)
        end = FORMAT_FIXED_SIZE + format_get48(at + FORMAT_ENTRY_SIZE);
    size_t stored = (size_t)(end - begin), size = format_block_size(header, block);
    if (!decoder_reserve(decoder, FORMAT_ZSTD_MAGIC_SIZE + stored)) return fail_memory(error);
    bool cut;
    treb_status status =
        table_file_read(table->file, decoder->wait, decoder->frame + FORMAT_ZSTD_MAGIC_SIZE, stored,
                        begin, &cut, error);
    if (status != TREB_OK && !cut) return status;
    const char *wrong = "the file was cut off while in use";
    if (!cut) wrong = unpack_checked(table, decoder, stored, format_get32(at + 6), out, size);
    if (wrong && !cut && table_file_has_source(table->file)) {
        /* The block may have been damaged on its way, or in a copy that the source keeps: reads it
         * again. */
        if (decoder->wait == WAIT_LOCAL_ONLY) return fail_not_ready(error, cells_path(table));
        if (decoder->wait == WAIT_FOR_ALL) {
            status = table_file_read_again(table->file, decoder->frame + FORMAT_ZSTD_MAGIC_SIZE,
                                           stored, begin, error);
            if (status != TREB_OK) return status;
            wrong = unpack_checked(table, decoder, stored, format_get32(at + 6), out, size);
        }
    }
    if (wrong)
        return fail(error, TREB_ERR_DAMAGED, "%s: %s side, block %" PRIu64 " damaged: %s",
                    fail_path(cells_path(table)), format_side_name(side), block, wrong);
    return TREB_OK;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static treb_status read_symbols(const Table *table, TableDecoder *decoder, int side, uint64_t block,
                                uint8_t *out, treb_error *error)
{
    const TableHeader *header = &table->header;
    uint64_t cell = (block << header->block_bits) / header->width * header->per_byte;
    uint64_t count = format_block_size(header, block) / header->width * header->per_byte;
    if (count > header->index.size - cell) count = header->index.size - cell;
    return symbols_pack(&table->symbols, decoder->wait, side, cell, count, out, error);
}

/* ---- both ------------------------------------------------------------------------------------ */

int table_read_cell(const Table *table, TableWait wait, int side, uint64_t cell, CodeMemo *memo,
                    treb_error *error)
{
    assert(table->header.codec == TABLE_SYMBOLS && table_has_cells(&table->header, side));
    return symbols_cell(&table->symbols, wait, side, cell, memo, error);
}

int table_read_own_profile(const Table *table, TableWait wait, uint64_t cell, const TableProfileClass *of,
                           unsigned short_by, treb_error *error)
{
    assert(table->header.metric == TREB_DTM50 && table->header.side[1].stored);
    return symbols_own_profile(&table->symbols, wait, cell, of, short_by, error);
}

const Mapped *table_map(const Table *table) { return &table->symbols.map; }

MappedBytes table_cell_page(const Table *table, int side, uint64_t cell)
{
    return symbols_page(&table->symbols, side, cell);
}

treb_status table_bring(const Table *table, TableWait wait, MappedBytes page, treb_error *error)
{
    return symbols_bring(&table->symbols, wait, page, error);
}

treb_status table_read_block(const Table *table, TableDecoder *decoder, int side, uint64_t block,
                             uint8_t *out, treb_error *error)
{
    const TableHeader *header = &table->header;
    if (side < 0 || side > 1 || !table_has_cells(header, side) || block >= table_side_blocks(header))
        return fail(error, TREB_ERR_ARGUMENT, "%s: there is no such block", fail_path(table->path));
    treb_status status = header->codec == TABLE_SYMBOLS
                             ? read_symbols(table, decoder, side, block, out, error)
                             : read_zstd(table, decoder, side, block, out, error);
    if (status != TREB_OK) return status;
    size_t size = format_block_size(header, block);
    memset(out + size, 0, ((size_t)1 << header->block_bits) - size);
    return TREB_OK;
}

const uint8_t *table_codes(const Table *table, int side, size_t *size)
{
    *size = table->layout.coded[side].codes_size;
    return table->layout.coded[side].codes;
}

treb_status table_read_page(const Table *table, int side, uint64_t page,
                            uint8_t out[TABLE_PAGE_SIZE], unsigned *code, treb_error *error)
{
    assert(table->header.codec == TABLE_SYMBOLS && page < table->header.side[side].code.pages);
    return symbols_read_page(&table->symbols, side, page, out, code, error);
}

uint64_t table_side_parts(const Table *table, int side)
{
    const TableHeader *header = &table->header;
    return header->codec == TABLE_SYMBOLS ? table->symbols.side[side].pages
                                          : table_side_blocks(header);
}

treb_status table_check_part(const Table *table, TableDecoder *decoder, int side, uint64_t part,
                             uint8_t *room, treb_error *error)
{
    assert(table->header.side[side].stored && part < table_side_parts(table, side));
    if (table->header.codec == TABLE_SYMBOLS)
        return symbols_check(&table->symbols, decoder->wait, side, part, error);
    return table_read_block(table, decoder, side, part, room, error);
}
