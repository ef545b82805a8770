/* large_table.c - makes a table file of more than 4 GiB that takes little of the disk: large_table FROM TO.
 *
 * FROM is a WDL file of codec symbols in which both sides to move have pages. In TO a million empty pages, which no probe
 * may take for right, stand for White to move; those for Black to move come behind them, and answer as before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/format/checksum.h"
#include "core/format/table_format.h"
#include "core/system/system.h"

enum { EMPTY = (1 << 20) + 1000, VERDICTS = 5 };

static void must(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "large_table: %s\n", what);
    exit(1);
}

/* Returns what is behind the counts, texts and maps of a side of a WDL file. */
static uint8_t *skip_side(uint8_t *at)
{
    const uint8_t *maps = at + 12 * VERDICTS;
    at += 14 * VERDICTS;
    for (int v = 0; v < VERDICTS; v++) at += 1 + *at;
    must(*at++ == 0, "it has histograms");
    for (int v = 0; v < VERDICTS; v++) at += 2 * (size_t)format_get16(maps + 2 * v);
    return at;
}

static uint8_t *skip_codes(uint8_t *at)
{
    unsigned codes = at[FORMAT_ORDER_SIZE];
    for (at += FORMAT_CODE_SIZE; codes > 0; codes--)
        at += FORMAT_CODE_HEAD + 2 * (size_t)(at[1] - at[0] + 1) + 4 * (size_t)format_get16(at + 2);
    return at;
}

static void write_at(int file, const void *bytes, size_t size, uint64_t at)
{
    must(system_write(file, bytes, size, at) == (ptrdiff_t)size, "it cannot be written");
}

int main(int argc, char **argv)
{
    SystemFile about;
    must(argc == 3, "FROM TO");
    int from = system_open(argv[1], SYSTEM_READ), to = system_open(argv[2], SYSTEM_CREATE);
    must(from >= 0 && to >= 0 && system_about(from, &about), "a file cannot be opened");
    size_t size = (size_t)about.size;
    uint8_t *old = (uint8_t *)malloc(size);
    must(old != NULL && system_read(from, old, size, 0) == (ptrdiff_t)size, "it cannot be read");
    must(old[FORMAT_AT_METRIC] == TREB_WDL && old[FORMAT_AT_STORED] == 3, "it has not both sides of a WDL file");

    size_t meta = (size_t)format_get64(old + FORMAT_AT_META), pages_at = FORMAT_ORDER_SIZE + 5;
    uint8_t *codes[2], *firsts;
    codes[0] = skip_side(skip_side(old + meta));
    codes[1] = skip_codes(codes[0]);
    firsts = skip_codes(codes[1]);
    size_t white = format_get32(codes[0] + pages_at), black = format_get32(codes[1] + pages_at);
    must(white > 0 && black > 0 && firsts + FORMAT_FIRST_SIZE * (white + black) == old + size, "its form is another one");

    /* The pages for Black to move. The number of a page is part of its checksum. */
    const uint64_t moved = EMPTY - white, new_meta = meta + moved * TABLE_PAGE_SIZE;
    for (size_t page = 1 + white; page * TABLE_PAGE_SIZE < meta; page++) {
        uint8_t *bytes = old + page * TABLE_PAGE_SIZE;
        size_t length = meta - page * TABLE_PAGE_SIZE;
        if (length > TABLE_PAGE_SIZE) length = TABLE_PAGE_SIZE;
        format_put32(bytes, (uint32_t)checksum(bytes + 4, length - 4, page + moved - 1));
        write_at(to, bytes, length, (page + moved) * TABLE_PAGE_SIZE);
    }

    /* The header, the meta part with the larger page table, and the checksum of both. */
    const size_t head = (size_t)(firsts - (old + meta)), meta_size = head + FORMAT_FIRST_SIZE * (EMPTY + black);
    uint8_t *bytes = (uint8_t *)malloc(FORMAT_FIXED_SIZE + meta_size);
    must(bytes != NULL, "out of memory");
    format_put32(codes[0] + pages_at, EMPTY);
    memcpy(bytes, old, FORMAT_FIXED_SIZE);
    memcpy(bytes + FORMAT_FIXED_SIZE, old + meta, head);
    uint8_t *table = bytes + FORMAT_FIXED_SIZE + head;
    for (uint64_t i = 0; i < EMPTY; i++) format_put48(table + FORMAT_FIRST_SIZE * i, format_page_entry(i, 0));
    memcpy(table + FORMAT_FIRST_SIZE * (size_t)EMPTY, firsts + FORMAT_FIRST_SIZE * white, FORMAT_FIRST_SIZE * black);
    format_put64(bytes + FORMAT_AT_FILE_SIZE, new_meta + meta_size);
    format_put64(bytes + FORMAT_AT_META, new_meta);
    format_put64(bytes + FORMAT_AT_CHECKSUM,
                 checksum(bytes + FORMAT_AT_VERSION, FORMAT_FIXED_SIZE - FORMAT_AT_VERSION + meta_size, 0));
    write_at(to, bytes, FORMAT_FIXED_SIZE, 0);
    write_at(to, bytes + FORMAT_FIXED_SIZE, meta_size, new_meta);
    free(bytes);
    free(old);
    return system_close(to) ? 0 : 1;
}
