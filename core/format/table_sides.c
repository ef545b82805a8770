/* table_sides.c - small files: one side to move of another file, where the verdicts of the other side follow from its moves. */
#include "core/chess/position.h"
#include "core/format/table_format.h"
#include "core/system/error.h"

#include <string.h>

/* Whether positions with a verdict may have a distance of exactly 100 plies. */
static bool may_be_on_edge(const TableSide *dtz, int verdict)
{
    if (dtz->count[verdict] == 0) return false;
    if (dtz->histogram[verdict] == NULL) return true;
    return dtz->longest[verdict] >= RULE_PLIES && dtz->histogram[verdict][RULE_PLIES] > 0;
}

bool table_side_follows(const TableHeader *wdl, const TableHeader *dtz, int side)
{
    const uint64_t *count = wdl->side[side].count;
    const TableSide *other = dtz != NULL ? &dtz->side[!side] : NULL;
    return (count[TREB_CURSED_WIN] == 0 || (other != NULL && !may_be_on_edge(other, TREB_LOSS))) &&
           (count[TREB_BLESSED_LOSS] == 0 || (other != NULL && !may_be_on_edge(other, TREB_WIN)));
}

/* Adds the blocks of a page, of `size` bytes each. */
static treb_status add_page(TableWriter *writer, int side, const uint8_t *page, unsigned size,
                            unsigned code, treb_error *error)
{
    const uint8_t *block = page + format_page_words(size, PAGE_LENGTH);
    treb_status status = TREB_OK;
    for (unsigned b = 0; b < format_page_blocks(size, PAGE_LENGTH) && status == TREB_OK; b++, block += size) {
        const unsigned cells = format_get16(page + PAGE_AT_LENGTHS + 2 * b);
        if (cells == 0) break;
        status = table_writer_add_words(writer, side, code, block, cells, error);
    }
    return status;
}

static treb_status add_side(TableWriter *writer, const Table *table, int side, treb_error *error)
{
    const TableCode *of = &table_header(table)->side[side].code;
    treb_status status = TREB_OK;
    for (uint32_t p = 0; p < of->pages && status == TREB_OK; p++) {
        uint8_t page[TABLE_PAGE_SIZE];
        unsigned code;
        status = table_read_page(table, side, p, page, &code, error);
        if (status == TREB_OK) status = add_page(writer, side, page, of->block_bytes, code, error);
    }
    return status;
}

treb_status table_write_sides(const char *directory, const Table *table, unsigned sides,
                              uint64_t *file_size, treb_error *error)
{
    TableHeader header = *table_header(table);
    treb_status status = TREB_OK;
    if (header.codec != TABLE_SYMBOLS)
        return fail(error, TREB_ERR_UNSUPPORTED,
                    "%s: only files of codec symbols can be written again",
                    fail_path(table_path(table)));
    for (int s = 0; s < 2; s++) {
        TableSide *side = &header.side[s];
        if (sides >> s & 1) {
            side->code.bytes = (uint8_t *)(uintptr_t)table_codes(table, s, &side->code.size);
            continue;
        }
        side->stored = false;
        side->code = (TableCode){0};
        memset(side->codes, 0, sizeof side->codes);
    }
    TableWriter *writer = table_writer_open(directory, &header, NULL, 0, error);
    if (writer == NULL) return error->status;
    for (int s = 0; s < 2 && status == TREB_OK; s++)
        if (header.side[s].stored) status = add_side(writer, table, s, error);
    if (status == TREB_OK) return table_writer_finish(writer, &header, file_size, error);
    table_writer_abort(writer);
    return status;
}
