/* table_write.c - writes table files (table.h).
 *
 * With codec symbols, words come in order and fill page after page. With codec zstd, blocks go to a
 * temporary file in the order of arrival. If that was the order of the index, the file only lacks
 * its header; otherwise table_writer_finish copies the blocks in order to a second temporary file.
 * Names of temporary files show whether the process that writes them is still running
 * (core/system/io.h). */
#include "core/format/table_format.h"
#include "core/system/error.h"
#include "core/system/io.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { COPY_SIZE = 4 << 20 }; /* at least the largest block */

typedef struct WriterEntry {
    uint64_t offset; /* offset in the temporary file */
    uint32_t size;   /* 0 while the block is missing */
    uint32_t checksum;
} WriterEntry;

/* The page that is being filled, and the first cells of the pages of each side. */
typedef struct WriterPages {
    uint8_t page[TABLE_PAGE_SIZE];
    unsigned blocks, code;    /* number of blocks in the page; number of its code */
    uint64_t cells[2];        /* cells of a side so far; of profiles the first cell of the last block */
    uint64_t page_first;      /* first cell of the page */
    uint8_t *first[2];        /* entries of the page table, as in the file */
    uint64_t room[2], number; /* pages that `first` has room for; pages that are finished */
} WriterPages;

/* A file to which data is appended. */
typedef struct WriterFile {
    int file; /* -1: not open */
    char *path;
    uint64_t size;
} WriterFile;

struct TableWriter {
    TableHeader header; /* header without value maps */
    uint8_t fixed[FORMAT_FIXED_SIZE];
    uint8_t *dictionary;
    uint32_t dictionary_size;
    uint64_t entries, side_blocks, last; /* last: the entry that came before, to find out if
                                            entries come in order */
    WriterEntry *entry;
    bool ordered, failed;
    char *directory, *path;
    WriterFile spool, sorted;
    WriterPages pages;
};

/* ---- files ----------------------------------------------------------------------------------- */

static bool file_append(WriterFile *file, const uint8_t *data, size_t size)
{
    if (!io_write_at(file->file, data, size, file->size)) return false;
    file->size += size;
    return true;
}

/* Creates a file, and leaves room for the fixed header. That stays zero, which no table has, until
 * everything else is in the file. */
static bool file_create(WriterFile *file)
{
    static const uint8_t room[FORMAT_FIXED_SIZE] = {0};
    file->file = io_create(file->path);
    return file->file >= 0 && file_append(file, room, sizeof room);
}

static void file_discard(WriterFile *file)
{
    if (file->file >= 0) {
        system_close(file->file);
        system_delete(file->path);
    }
    free(file->path);
    *file = (WriterFile){.file = -1};
}

/* Returns the process that wrote a temporary file of that name; 0 if it is not the name of a
 * temporary file. */
static long temporary_owner(const char *name)
{
    const char *mark = strstr(name, IO_TEMPORARY);
    bool ours = strstr(name, ".treb") != NULL || strstr(name, ".rtb") != NULL;
    if (name[0] != '.' || mark == NULL || !ours) return 0;
    const char *digits = mark + sizeof IO_TEMPORARY - 1;
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 9 || digits[length] != '\0') return 0;
    return strtol(digits, NULL, 10);
}

typedef struct Removing {
    const char *directory;
    size_t removed;
} Removing;

/* A SystemEntry. */
static bool remove_stale(void *context, const char *name)
{
    Removing *r = context;
    long owner = temporary_owner(name);
    if (owner == 0 || system_runs(owner)) return true;
    char *path = io_path(r->directory, name);
    if (path != NULL && system_delete(path)) r->removed++;
    free(path);
    return true;
}

size_t table_remove_stale(const char *directory)
{
    Removing removing = {directory, 0};
    return system_list(directory, remove_stale, &removing) ? removing.removed : 0;
}

/* ---- the writer ------------------------------------------------------------------------------ */

static treb_status fail_system(TableWriter *writer, treb_error *error)
{
    writer->failed = true;
    return fail_errno(error, "write", writer->path);
}

static void writer_free(TableWriter *writer)
{
    if (writer == NULL) return;
    file_discard(&writer->spool);
    file_discard(&writer->sorted);
    for (int s = 0; s < 2; s++) free(writer->pages.first[s]);
    free(writer->dictionary);
    free(writer->entry);
    free(writer->directory);
    free(writer->path);
    free(writer);
}

void table_writer_abort(TableWriter *writer) { writer_free(writer); }

/* Returns what is wrong if the fixed header does not contain all that the caller gave, because a
 * field was out of range. */
static const char *check_layout(const TableHeader *header, const uint8_t *fixed)
{
    TableHeader parsed;
    if ((int)header->metric > (int)TREB_DTM50) return "unknown metric";
    const char *wrong = format_parse_fixed(fixed, &parsed);
    if (wrong) return wrong;
    if (parsed.pad != header->pad || parsed.per_byte != header->per_byte ||
        parsed.width != header->width || parsed.block_bits != header->block_bits ||
        parsed.codec != header->codec)
        return "a field is out of range";
    return NULL;
}

static bool writer_names(TableWriter *writer, const char *directory)
{
    char name[TABLE_LONG_NAME_SIZE];
    table_header_name(&writer->header, name);
    writer->directory = strdup(directory);
    writer->path = io_path(directory, name);
    writer->spool.path = io_temporary_path(directory, name, "");
    writer->sorted.path = io_temporary_path(directory, name, ".sorted");
    return writer->directory && writer->path && writer->spool.path && writer->sorted.path;
}

static bool writer_allocate(TableWriter *writer, const char *directory, const void *dictionary,
                            size_t dictionary_size)
{
    if (!writer_names(writer, directory)) return false;
    writer->side_blocks = table_side_blocks(&writer->header);
    writer->entries = format_first_entry(&writer->header, 2);
    writer->entry = calloc(writer->entries + 1, sizeof *writer->entry);
    if (dictionary_size > 0) {
        writer->dictionary = malloc(dictionary_size);
        if (writer->dictionary == NULL) return false;
        memcpy(writer->dictionary, dictionary, dictionary_size);
        writer->dictionary_size = (uint32_t)dictionary_size;
    }
    return writer->entry != NULL;
}

TableWriter *table_writer_open(const char *directory, const TableHeader *header,
                               const void *dictionary, size_t dictionary_size, treb_error *error)
{
    uint8_t fixed[FORMAT_FIXED_SIZE];
    assert(directory != NULL && header != NULL);
    format_write_fixed(header, fixed);
    const char *wrong = check_layout(header, fixed);
    if (dictionary_size > TABLE_DICTIONARY_MAX || (dictionary == NULL && dictionary_size > 0))
        wrong = "bad size of the dictionary";
    if (wrong) {
        fail(error, TREB_ERR_ARGUMENT, "%s: cannot write such a table: %s", fail_path(directory),
             wrong);
        return NULL;
    }
    TableWriter *writer = calloc(1, sizeof *writer);
    if (writer == NULL) goto no_memory;
    writer->spool.file = writer->sorted.file = -1;
    writer->ordered = true;
    writer->header = *header;
    for (int s = 0; s < 2; s++) {
        TableSide *side = &writer->header.side[s];
        memset(side->plies, 0, sizeof side->plies);
        memset(side->histogram, 0, sizeof side->histogram);
        side->code = (TableCode){.block_bytes = side->code.block_bytes};
    }
    memcpy(writer->fixed, fixed, sizeof fixed);
    if (!writer_allocate(writer, directory, dictionary, dictionary_size)) goto no_memory;
    if (file_create(&writer->spool)) return writer;
    fail_system(writer, error);
    writer_free(writer);
    return NULL;

no_memory:
    fail_memory(error);
    writer_free(writer);
    return NULL;
}

treb_status table_writer_add(TableWriter *writer, int side, uint64_t block, const uint8_t *data,
                             size_t size, uint32_t checksum, treb_error *error)
{
    bool zstd = writer->header.codec == TABLE_ZSTD;
    if (side < 0 || side > 1 || !zstd || !writer->header.side[side].stored ||
        block >= writer->side_blocks)
        return fail(error, TREB_ERR_ARGUMENT, "%s: there is no such block",
                    fail_path(writer->path));
    uint64_t number = format_first_entry(&writer->header, side) + block;
    WriterEntry *entry = &writer->entry[number];
    if (entry->size || size == 0 || size > format_block_size(&writer->header, block))
        return fail(error, TREB_ERR_ARGUMENT, "%s: %s side, block %" PRIu64 " %s",
                    fail_path(writer->path), format_side_name(side), block,
                    entry->size ? "came twice" : "has a bad size");
    assert(data != NULL);
    uint64_t offset = writer->spool.size;
    bool first = offset == FORMAT_FIXED_SIZE;
    if (!file_append(&writer->spool, data, size)) return fail_system(writer, error);
    if (number != (first ? 0 : writer->last + 1)) writer->ordered = false;
    writer->last = number;
    *entry = (WriterEntry){offset, (uint32_t)size, checksum};
    return TREB_OK;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Writes the page that is being filled, if there is one. The next begins at a multiple of the page
 * size. */
static treb_status end_page(TableWriter *writer, int side, bool last, treb_error *error)
{
    WriterPages *p = &writer->pages;
    unsigned block = writer->header.side[side].code.block_bytes;
    if (p->blocks == 0) return TREB_OK;
    size_t words = format_page_words(block, format_page_each(&writer->header, side));
    size_t size = last ? words + (size_t)p->blocks * block : TABLE_PAGE_SIZE;
    format_put32(p->page, format_page_checksum(p->page, size, p->number));
    if (!file_append(&writer->spool, p->page, size)) return fail_system(writer, error);
    memset(p->page, 0, sizeof p->page);
    p->blocks = 0;
    p->number++;
    return TREB_OK;
}

static bool reserve_first(WriterPages *p, int side, uint64_t page)
{
    if (page < p->room[side]) return true;
    uint64_t room = 2 * p->room[side] + 64;
    uint8_t *first = realloc(p->first[side], room * FORMAT_FIRST_SIZE);
    if (first == NULL) return false;
    p->first[side] = first;
    p->room[side] = room;
    return true;
}

/* Begins a page of a side with the next cell; `number` is the code of its cells. */
static treb_status begin_page(TableWriter *writer, int side, unsigned number, treb_error *error)
{
    static const uint8_t zeros[TABLE_PAGE_SIZE - FORMAT_FIXED_SIZE] = {0};
    WriterPages *p = &writer->pages;
    TableCode *code = &writer->header.side[side].code;
    if (p->number == 0 && !file_append(&writer->spool, zeros, sizeof zeros))
        return fail_system(writer, error);
    if (code->pages == UINT32_MAX)
        return fail(error, TREB_ERR_ARGUMENT, "%s: too many pages", fail_path(writer->path));
    if (!reserve_first(p, side, code->pages)) return fail_memory(error);
    format_put48(p->first[side] + FORMAT_FIRST_SIZE * (size_t)code->pages++,
                 format_page_entry(p->cells[side], number));
    p->code = number;
    p->page_first = p->cells[side];
    if (!table_has_cells(&writer->header, side))
        memset(p->page + PAGE_AT_LENGTHS, 0xff, format_page_words(code->block_bytes, PAGE_FIRST) - PAGE_AT_LENGTHS);
    return TREB_OK;
}

/* Adds a block to a page. A page begins where the code changes or, if `end` says so, with this block. */
static treb_status add_block(TableWriter *writer, int side, unsigned code, bool end, const uint8_t *block,
                             treb_error *error)
{
    WriterPages *p = &writer->pages;
    treb_status status = TREB_OK;
    const unsigned size = writer->header.side[side].code.block_bytes;
    const unsigned each = format_page_each(&writer->header, side);
    /* Ends the last page of side 0. */
    if (side == 1 && writer->header.side[1].code.pages == 0) status = end_page(writer, 0, false, error);
    if (status == TREB_OK && (p->blocks == format_page_blocks(size, each) || p->code != code || end))
        status = end_page(writer, side, false, error);
    if (status == TREB_OK && p->blocks == 0) status = begin_page(writer, side, code, error);
    if (status != TREB_OK) return status;
    memcpy(p->page + format_page_words(size, each) + (size_t)p->blocks * size, block, size);
    p->blocks++;
    return TREB_OK;
}

static treb_status no_such_block(const TableWriter *writer, treb_error *error)
{
    return fail(error, TREB_ERR_ARGUMENT, "%s: there is no such block", fail_path(writer->path));
}

treb_status table_writer_add_words(TableWriter *writer, int side, unsigned code,
                                   const uint8_t *block, unsigned cells, treb_error *error)
{
    WriterPages *p = &writer->pages;
    if (side < 0 || side > 1 || writer->header.codec != TABLE_SYMBOLS ||
        !table_has_cells(&writer->header, side) || (side == 0 && writer->header.side[1].code.pages > 0) ||
        code >= TABLE_SIDE_CODES || cells < 1 || cells > UINT16_MAX)
        return no_such_block(writer, error);
    treb_status status = add_block(writer, side, code, false, block, error);
    if (status != TREB_OK) return status;
    format_put16(p->page + PAGE_AT_LENGTHS + PAGE_LENGTH * (p->blocks - 1), (uint16_t)cells);
    p->cells[side] += cells;
    return TREB_OK;
}

treb_status table_writer_add_profiles(TableWriter *writer, const uint8_t *block, uint64_t first, treb_error *error)
{
    WriterPages *p = &writer->pages;
    const bool begun = writer->header.side[1].code.pages > 0;
    if (writer->header.metric != TREB_DTM50 || !writer->header.side[1].stored || (begun && first <= p->cells[1]))
        return no_such_block(writer, error);
    p->cells[1] = first;
    treb_status status =
        add_block(writer, 1, 0, begun && first - p->page_first >= PAGE_FIRST_NONE, block, error);
    if (status != TREB_OK) return status;
    format_put32(p->page + PAGE_AT_LENGTHS + PAGE_FIRST * (p->blocks - 1), (uint32_t)(first - p->page_first));
    return TREB_OK;
}

/* Writes the last page, and checks that all cells came. */
static treb_status end_pages(TableWriter *writer, treb_error *error)
{
    WriterPages *p = &writer->pages;
    for (int s = 0; s < 2; s++) {
        const TableSide *side = &writer->header.side[s];
        if (side->code.pages > 0 && table_has_cells(&writer->header, s) && p->cells[s] != writer->header.index.size)
            return fail(error, TREB_ERR_ARGUMENT, "%s: %s side has %" PRIu64 " cells of %" PRIu64,
                        fail_path(writer->path), format_side_name(s), p->cells[s],
                        writer->header.index.size);
    }
    return end_page(writer, writer->header.side[1].code.pages > 0, true, error);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Copies the blocks in order, in large buffers, to a second file, which then becomes the file to
 * finish. */
static treb_status sort_blocks(TableWriter *writer, treb_error *error)
{
    uint8_t *buffer = malloc(COPY_SIZE);
    if (buffer == NULL) return fail_memory(error);
    bool good = file_create(&writer->sorted);
    size_t used = 0;
    for (uint64_t i = 0; good && i < writer->entries; i++) {
        WriterEntry *entry = &writer->entry[i];
        if (used + entry->size > COPY_SIZE) {
            good = file_append(&writer->sorted, buffer, used);
            used = 0;
        }
        good = good && io_read_at(writer->spool.file, buffer + used, entry->size, entry->offset);
        entry->offset = writer->sorted.size + used;
        used += entry->size;
    }
    good = good && file_append(&writer->sorted, buffer, used);
    treb_status status = good ? TREB_OK : fail_system(writer, error);
    free(buffer);
    if (!good) return status;
    file_discard(&writer->spool);
    writer->spool = writer->sorted;
    writer->sorted = (WriterFile){.file = -1};
    return TREB_OK;
}

/* Returns the header in memory, with its checksum; NULL if memory is out. */
static uint8_t *build_header(const TableWriter *writer, const TableHeader *header, size_t *size)
{
    size_t sides = format_sides_size(header);
    uint64_t pages[2] = {header->side[0].code.pages, header->side[1].code.pages};
    *size = FORMAT_FIXED_SIZE + sides + writer->dictionary_size +
            (size_t)writer->entries * FORMAT_ENTRY_SIZE +
            (size_t)(pages[0] + pages[1]) * FORMAT_FIRST_SIZE;
    uint8_t *bytes = malloc(*size), *at = bytes;
    if (bytes == NULL) return NULL;
    uint64_t meta = writer->spool.size;
    memcpy(at, writer->fixed, FORMAT_FIXED_SIZE);
    format_put32(at + FORMAT_AT_DICTIONARY_SIZE, writer->dictionary_size);
    format_put64(at + FORMAT_AT_META, meta);
    format_put64(at + FORMAT_AT_FILE_SIZE, meta + *size - FORMAT_FIXED_SIZE);
    at += FORMAT_FIXED_SIZE;
    format_write_sides(header, at);
    at += sides;
    if (writer->dictionary_size) memcpy(at, writer->dictionary, writer->dictionary_size);
    at += writer->dictionary_size;
    for (uint64_t i = 0; i < writer->entries; i++, at += FORMAT_ENTRY_SIZE) {
        format_put48(at, writer->entry[i].offset - FORMAT_FIXED_SIZE);
        format_put32(at + 6, writer->entry[i].checksum);
    }
    for (int s = 0; s < 2; s++) {
        size_t first = (size_t)pages[s] * FORMAT_FIRST_SIZE;
        if (first > 0) memcpy(at, writer->pages.first[s], first);
        at += first;
    }
    format_seal(bytes, *size);
    return bytes;
}

/* Checks that the reader would accept what the caller wants to write. */
static treb_status check_final(const TableWriter *writer, const TableHeader *header,
                               treb_error *error)
{
    const treb_status argument = TREB_ERR_ARGUMENT;
    uint8_t fixed[FORMAT_FIXED_SIZE];
    if (writer->failed)
        return fail(error, TREB_ERR_IO, "%s: an earlier write failed", fail_path(writer->path));
    format_write_fixed(header, fixed);
    if (check_layout(header, fixed) || memcmp(fixed, writer->fixed, sizeof fixed) != 0)
        return fail(error, argument, "%s: the layout changed during writing",
                    fail_path(writer->path));
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < WDL_VALUES; v++)
            if (header->side[s].codes[v] && header->side[s].plies[v] == NULL)
                return fail(error, argument, "%s: a value map is missing", fail_path(writer->path));
    for (uint64_t i = 0; i < writer->entries; i++) {
        if (writer->entry[i].size) continue;
        int side = !header->side[0].stored || i >= writer->side_blocks;
        return fail(error, argument, "%s: %s side, block %" PRIu64 " was never written",
                    fail_path(writer->path), format_side_name(side), i % writer->side_blocks);
    }
    return TREB_OK;
}

/* Adds the header, flushes the file to the disk and gives it its name. */
static treb_status publish(TableWriter *writer, const uint8_t *bytes, size_t size,
                           treb_error *error)
{
    WriterFile *file = &writer->spool;
    if (!file_append(file, bytes + FORMAT_FIXED_SIZE, size - FORMAT_FIXED_SIZE))
        return fail_system(writer, error);
    WriterFile front = {file->file, file->path, 0};
    if (!file_append(&front, bytes, FORMAT_FIXED_SIZE)) return fail_system(writer, error);
    int descriptor = file->file;
    file->file = -1;
    return io_publish(descriptor, file->path, writer->path, writer->directory)
               ? TREB_OK
               : fail_system(writer, error);
}

/* Returns the caller's header with the fields that the writer knows itself. Pointers in it are
 * still the caller's. */
static TableHeader final_header(const TableWriter *writer, const TableHeader *header)
{
    TableHeader final = *header;
    for (int s = 0; s < 2; s++) final.side[s].code.pages = writer->header.side[s].code.pages;
    return final;
}

treb_status table_write_as_dtz(const char *directory, const TableHeader *dtz, uint64_t *file_size,
                               treb_error *error)
{
    TableHeader header = *dtz;
    header.metric = TREB_DTC;
    header.as_dtz = true;
    TableWriter *writer = table_writer_open(directory, &header, NULL, 0, error);
    if (writer == NULL) return error->status;
    format_put64(writer->fixed + FORMAT_AT_META, FORMAT_FIXED_SIZE);
    format_put64(writer->fixed + FORMAT_AT_FILE_SIZE, FORMAT_FIXED_SIZE);
    format_seal(writer->fixed, FORMAT_FIXED_SIZE);
    treb_status status = publish(writer, writer->fixed, FORMAT_FIXED_SIZE, error);
    *file_size = FORMAT_FIXED_SIZE;
    writer_free(writer);
    return status;
}

treb_status table_writer_finish(TableWriter *writer, const TableHeader *header, uint64_t *file_size,
                                treb_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    TableHeader parsed = {0};
    FormatLayout layout;
    assert(writer != NULL && header != NULL);
    treb_status status = check_final(writer, header, error);
    if (status == TREB_OK && header->codec == TABLE_SYMBOLS) status = end_pages(writer, error);
    if (status == TREB_OK && !writer->ordered) status = sort_blocks(writer, error);
    if (status != TREB_OK) goto cleanup;
    TableHeader final = final_header(writer, header);
    bytes = build_header(writer, &final, &size);
    const char *wrong = bytes ? format_parse(bytes, size, &parsed, &layout) : format_no_memory;
    if (wrong) {
        status = wrong == format_no_memory ? TREB_ERR_MEMORY : TREB_ERR_ARGUMENT;
        fail(error, status, "%s: cannot write such a table: %s", fail_path(writer->path), wrong);
        goto cleanup;
    }
    status = publish(writer, bytes, size, error);
    if (status == TREB_OK && file_size) *file_size = layout.file_size;

cleanup:
    table_header_free(&parsed);
    free(bytes);
    writer_free(writer);
    return status;
}
