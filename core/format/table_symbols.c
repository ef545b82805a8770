/* table_symbols.c - codec symbols: the codes in a file's header, and the pages of its cells.
 *
 * A page is the unit that is read from a disk. It contains everything needed to find a cell in it:
 * the number of cells of each of its blocks, and a checksum, which is compared when the page is
 * first read. Even so nothing in a page is trusted. */
#include "core/format/table_symbols.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/format/table_profile.h"
#include "core/system/error.h"

/* ---- In the header --------------------------------------------------------------------------- */

uint8_t *format_write_code(const TableSide *side, uint8_t *out)
{
    memset(out, 0, FORMAT_CODE_SIZE);
    for (int i = 0; i < side->index.axes; i++) out[i] = side->index.order[i];
    out[FORMAT_ORDER_SIZE] = (uint8_t)side->code.count;
    format_put32(out + FORMAT_ORDER_SIZE + 1, side->code.block_bytes);
    format_put32(out + FORMAT_ORDER_SIZE + 5, side->code.pages);
    if (side->code.size > 0) memcpy(out + FORMAT_CODE_SIZE, side->code.bytes, side->code.size);
    return out + FORMAT_CODE_SIZE + side->code.size;
}

/* Parses the order of a side's axes; the bytes behind it must be zeros. */
static bool parse_order(const uint8_t *bytes, TableHeader *header, TableSide *side)
{
    for (int i = header->index.axes; i < FORMAT_ORDER_SIZE; i++)
        if (bytes[i] != 0) return false;
    return index_init_square_colors(&side->index, &header->index.material, bytes);
}

/* Returns the number of bits of a cell's value. */
static unsigned cell_bits(const TableHeader *header)
{
    return 8 / header->per_byte * header->width;
}

const char *format_take_code(const uint8_t **at, size_t *left, unsigned bits, CodeParts *out)
{
    const uint8_t *code = *at;
    if (*left < FORMAT_CODE_HEAD) return "a code ends early";
    *out = (CodeParts){code[0], code[1], NULL, format_get16(code + 2), NULL, true, bits};
    if (out->shortest < 1 || out->longest < out->shortest || out->symbols < 1) return "bad code";
    size_t lengths = 2 * ((size_t)out->longest - out->shortest + 1);
    size_t size = FORMAT_CODE_HEAD + lengths + 4 * (size_t)out->symbols;
    if (*left < size) return "a code ends early";
    out->first = code + FORMAT_CODE_HEAD;
    out->pairs = out->first + lengths;
    *at += size;
    *left -= size;
    return NULL;
}

/* Parses the codes of a side, and moves *at and *left behind them. */
static const char *parse_codes(const uint8_t **at, size_t *left, TableHeader *header,
                               TableSide *side, FormatCoded *out)
{
    const uint8_t *bytes = *at;
    TableCode *code = &side->code;
    if (*left < FORMAT_CODE_SIZE) return "a code ends early";
    if (!parse_order(bytes, header, side)) return "bad order of axes";
    code->count = bytes[FORMAT_ORDER_SIZE];
    code->block_bytes = format_get32(bytes + FORMAT_ORDER_SIZE + 1);
    code->pages = format_get32(bytes + FORMAT_ORDER_SIZE + 5);
    if (code->count < 1 || code->count > TABLE_SIDE_CODES) return "bad number of codes";
    if (code->block_bytes < PAGE_BLOCK_MIN || code->block_bytes > PAGE_BLOCK_MAX)
        return "bad block size";
    if (code->pages == 0 && code->count > 1) return "a side without pages has more than one code";
    out->pages = code->pages;
    out->codes = *at += FORMAT_CODE_SIZE;
    out->codes_size = *left -= FORMAT_CODE_SIZE;
    for (unsigned c = 0; c < code->count; c++) {
        CodeParts parts;
        const char *wrong = format_take_code(at, left, cell_bits(header), &parts);
        if (wrong != NULL) return wrong;
        code->symbols += parts.symbols;
    }
    out->codes_size -= *left;
    return NULL;
}

/* Checks that the first cells of a side's pages ascend, those of cells from 0, and that their codes exist. */
static bool good_first(const FormatCoded *coded, unsigned codes, uint64_t cells, bool from_zero)
{
    uint64_t before = 0;
    for (uint64_t p = 0; p < coded->pages; p++) {
        uint64_t entry = format_get48(coded->first + FORMAT_FIRST_SIZE * p);
        uint64_t first = format_entry_cell(entry);
        if (first >= cells || (p > 0 ? first <= before : from_zero && first != 0)) return false;
        if (format_entry_code(entry) >= codes) return false;
        before = first;
    }
    return true;
}

/* Checks that the pages end with the last block of the file. */
static bool good_end(const TableHeader *header, const FormatLayout *layout)
{
    uint64_t pages = layout->coded[0].pages + layout->coded[1].pages;
    if (pages == 0) return layout->meta == FORMAT_FIXED_SIZE;
    uint64_t last = pages * TABLE_PAGE_SIZE; /* the first page is behind that of the fixed header */
    const int side = layout->coded[1].pages > 0;
    const unsigned size = header->side[side].code.block_bytes, each = format_page_each(header, side);
    if (layout->meta <= last || layout->meta - last > TABLE_PAGE_SIZE) return false;
    uint64_t in_last = layout->meta - last, words = format_page_words(size, each);
    return in_last > words && (in_last - words) % size == 0 &&
           (in_last - words) / size <= format_page_blocks(size, each);
}

const char *format_parse_codes(const uint8_t *bytes, size_t size, TableHeader *header,
                               FormatLayout *layout)
{
    FormatCoded *coded = layout->coded;
    memset(coded, 0, sizeof layout->coded);
    layout->entries = 0;
    for (int s = 0; s < 2; s++) {
        if (!header->side[s].stored) continue;
        const char *wrong = parse_codes(&bytes, &size, header, &header->side[s], &coded[s]);
        if (wrong != NULL) return wrong;
    }
    coded[1].first_page = coded[0].pages;
    uint64_t entries = coded[0].pages + coded[1].pages;
    if (size != entries * FORMAT_FIRST_SIZE) return "bad size of the page table";
    coded[0].first = bytes;
    coded[1].first = bytes + FORMAT_FIRST_SIZE * coded[0].pages;
    for (int s = 0; s < 2; s++)
        if (!good_first(&coded[s], header->side[s].code.count, header->index.size, table_has_cells(header, s)))
            return "bad page table";
    if (header->side[1].stored && !table_has_cells(header, 1) && coded[1].pages == 0) return "bad number of pages";
    return good_end(header, layout) ? NULL : "bad number of pages";
}

/* ---- Opening --------------------------------------------------------------------------------- */

static uint64_t first_of(const SymbolsSide *side, uint64_t page)
{
    return format_entry_cell(format_get48(side->first + FORMAT_FIRST_SIZE * page));
}

/* Returns the code of a page's cells. */
static const Code *code_of(const SymbolsSide *side, uint64_t page)
{
    return &side->code[format_entry_code(format_get48(side->first + FORMAT_FIRST_SIZE * page))];
}

/* Lists the page of every 2^step_bits-th cell, about one entry for each page. */
static bool make_steps(SymbolsSide *side)
{
    while (side->cells >> side->step_bits > side->pages) side->step_bits++;
    uint64_t steps = ((side->cells - 1) >> side->step_bits) + 1, page = 0;
    side->step = (uint32_t *)malloc(steps * sizeof *side->step);
    if (side->step == NULL) return false;
    for (uint64_t i = 0; i < steps; i++) {
        uint64_t cell = i << side->step_bits;
        while (page + 1 < side->pages && first_of(side, page + 1) <= cell) page++;
        side->step[i] = (uint32_t)page;
    }
    return true;
}

/* Makes the codes of a side ready for reading. */
static const char *open_codes(SymbolsSide *side, const FormatCoded *coded)
{
    const uint8_t *at = coded->codes;
    size_t left = coded->codes_size;
    side->code = (Code *)calloc(side->codes, sizeof *side->code);
    if (side->code == NULL) return code_no_memory;
    for (unsigned c = 0; c < side->codes; c++) {
        CodeParts parts;
        const char *wrong = format_take_code(&at, &left, side->bits, &parts);
        if (wrong == NULL) wrong = code_init(&side->code[c], &parts);
        if (wrong != NULL) return wrong;
    }
    return NULL;
}

static const char *open_side(SymbolsSide *side, const TableHeader *header, int s, const FormatCoded *coded)
{
    const TableCode *code = &header->side[s].code;
    const unsigned each = format_page_each(header, s);
    *side = (SymbolsSide){.codes = code->count,
                          .bits = cell_bits(header),
                          .cells = header->index.size,
                          .first_page = coded->first_page,
                          .pages = coded->pages,
                          .first = coded->first,
                          .profiles = !table_has_cells(header, s),
                          .blocks = format_page_blocks(code->block_bytes, each),
                          .block_bytes = code->block_bytes,
                          .words = format_page_words(code->block_bytes, each)};
    const char *wrong = open_codes(side, coded);
    if (wrong == NULL && side->pages == 0 && side->code[0].more[0] != 0)
        wrong = "a side without pages has more than one value";
    if (wrong == NULL && side->pages > 0 && !make_steps(side)) wrong = code_no_memory;
    return wrong;
}

/* Checks that there are zeros between the fixed header and the pages. */
static bool good_gap(const Symbols *symbols, const uint8_t *bytes)
{
    for (size_t at = FORMAT_FIXED_SIZE; at < TABLE_PAGE_SIZE && at < symbols->end; at++)
        if (bytes[at] != 0) return false;
    return true;
}

/* Checks the front of a file that is read and not mapped. */
static treb_status open_unmapped(Symbols *symbols, TableFile *file, bool *gap, treb_error *error)
{
    bool cut;
    uint8_t front[TABLE_PAGE_SIZE];
    uint64_t size = symbols->end < sizeof front ? symbols->end : sizeof front;
    symbols->unmapped = file;
    treb_status status = table_file_read(file, WAIT_FOR_ALL, front, (size_t)size, 0, &cut, error);
    *gap = status == TREB_OK && good_gap(symbols, front);
    if (status != TREB_OK || *gap || !table_file_has_source(file)) return status;
    status = table_file_read_again(file, front, (size_t)size, 0, error);
    *gap = status == TREB_OK && good_gap(symbols, front);
    return status;
}

/* Maps a file of this machine. A program of 32 bits reads pages of a large file instead. */
static treb_status open_map(Symbols *symbols, uint64_t size, TableFile *file, bool *gap,
                            treb_error *error)
{
    int descriptor;
    treb_status status = table_file_hold(file, WAIT_FOR_ALL, &descriptor, error);
    if (status != TREB_OK) return status;
    bool mapped = mapped_open(&symbols->map, descriptor, size), large = !mapped && errno == EFBIG;
    if (!mapped && !large) status = fail_errno(error, "map", symbols->path);
    table_file_release(file);
    if (large) return open_unmapped(symbols, file, gap, error);
    if (!mapped) return status;
    if (!mapped_prepare(&symbols->map, file)) return fail_memory(error);
    *gap = good_gap(symbols, symbols->map.bytes);
    return TREB_OK;
}

treb_status symbols_open(Symbols *symbols, const TableHeader *header, const FormatLayout *layout,
                         TableFile *file, const char *path, treb_error *error)
{
    bool gap = true;
    const char *wrong = NULL;
    symbols->path = path;
    symbols->end = layout->meta;
    for (int s = 0; s < 2 && wrong == NULL; s++)
        if (header->side[s].stored)
            wrong = open_side(&symbols->side[s], header, s, &layout->coded[s]);
    if (wrong == code_no_memory) return fail_memory(error);
    if (wrong == NULL) {
        treb_status status = table_file_has_source(file)
                                 ? open_unmapped(symbols, file, &gap, error)
                                 : open_map(symbols, layout->file_size, file, &gap, error);
        if (status != TREB_OK) return status;
        symbols->good = (_Atomic(uint8_t) *)calloc((size_t)(symbols->end / TABLE_PAGE_SIZE) + 1, 1);
        if (symbols->good == NULL) return fail_memory(error);
        if (!gap) wrong = "bytes between it and the pages are not zero";
    }
    if (wrong == NULL) return TREB_OK;
    return fail(error, TREB_ERR_DAMAGED, "%s: header damaged: %s", fail_path(path), wrong);
}

void symbols_close(Symbols *symbols)
{
    for (int s = 0; s < 2; s++) {
        SymbolsSide *side = &symbols->side[s];
        for (unsigned c = 0; side->code != NULL && c < side->codes; c++) code_free(&side->code[c]);
        free(side->code);
        free(side->step);
    }
    mapped_close(&symbols->map);
    free((void *)symbols->good);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static treb_status damaged_page(const Symbols *symbols, int side, uint64_t page, const char *what,
                                treb_error *error)
{
    const char *name = symbols->side[side].profiles ? "profiles" : format_side_name(side);
    return fail(error, TREB_ERR_DAMAGED, "%s: %s%s, page %" PRIu64 " damaged: %s", fail_path(symbols->path), name,
                symbols->side[side].profiles ? "" : " side", page, what);
}

/* Returns the place of a page in the file and its size: the last page may be shorter. */
static MappedBytes page_place(const Symbols *symbols, uint64_t number)
{
    uint64_t at = (number + 1) * TABLE_PAGE_SIZE, left = symbols->end - at;
    return (MappedBytes){at, left < TABLE_PAGE_SIZE ? left : (uint64_t)TABLE_PAGE_SIZE};
}

/* Checks that the blocks of a page have as many cells as there are between its first cell and that
 * of the next page. */
static bool good_cells(const SymbolsSide *side, uint64_t page, const uint8_t *bytes)
{
    uint64_t end = page + 1 < side->pages ? first_of(side, page + 1) : side->cells;
    uint64_t cells = end - first_of(side, page);
    for (unsigned b = 0; b < side->blocks; b++) {
        unsigned own = format_get16(bytes + PAGE_AT_LENGTHS + 2 * b);
        if (own > cells) return false;
        cells -= own;
    }
    return cells == 0;
}

/* Returns the first cell of a block of profiles, less that of its page. */
static uint32_t first_in_page(const uint8_t *page, unsigned block)
{
    return format_get32(page + PAGE_AT_LENGTHS + PAGE_FIRST * block);
}

/* Checks that the first cells of the blocks of profiles in a page ascend from that of the page, and stay below that of the
 * next page. */
static bool good_profiles(const SymbolsSide *side, uint64_t page, const uint8_t *bytes)
{
    const uint64_t end = page + 1 < side->pages ? first_of(side, page + 1) : side->cells;
    const uint64_t cells = end - first_of(side, page);
    uint32_t before = first_in_page(bytes, 0);
    if (before != 0) return false;
    for (unsigned b = 1; b < side->blocks; b++) {
        const uint32_t first = first_in_page(bytes, b);
        if (first == PAGE_FIRST_NONE ? false : first <= before || first >= cells) return false;
        before = first;
    }
    return true;
}

/* Returns what is wrong with the bytes of a page; NULL: nothing. */
static const char *fault_in_page(const Symbols *symbols, int side, uint64_t page,
                                 const uint8_t *bytes, size_t size)
{
    uint64_t number = symbols->side[side].first_page + page;
    if (format_page_checksum(bytes, size, number) != format_get32(bytes))
        return "its checksum differs";
    if (symbols->side[side].profiles)
        return good_profiles(&symbols->side[side], page, bytes) ? NULL : "its blocks are in no order";
    if (!good_cells(&symbols->side[side], page, bytes))
        return "its blocks have too many cells or too few";
    return NULL;
}

/* Checks a page that was not checked yet. */
__attribute__((noinline)) static treb_status check_page(const Symbols *symbols, int side,
                                                        uint64_t page, treb_error *error)
{
    uint64_t number = symbols->side[side].first_page + page;
    MappedBytes place = page_place(symbols, number);
    const char *wrong =
        fault_in_page(symbols, side, page, symbols->map.bytes + place.at, (size_t)place.size);
    if (wrong != NULL) return damaged_page(symbols, side, page, wrong, error);
    atomic_store_explicit(&symbols->good[number], 1, memory_order_relaxed);
    return TREB_OK;
}

/* For callers that do not wait: returns TREB_ERR_NOT_READY if the page is not in memory. */
__attribute__((noinline)) static treb_status ask_page(const Symbols *symbols, TableWait wait,
                                                      uint64_t number, treb_error *error)
{
    MappedBytes missing, place = page_place(symbols, number);
    if (wait == WAIT_LOCAL_ONLY || symbols->unmapped != NULL) return TREB_OK;
    if (mapped_has(&symbols->map, place.at, place.size, mapped_now(), &missing)) return TREB_OK;
    if (wait == WAIT_NEVER_FETCH) mapped_fetch(&symbols->map, missing);
    return fail_not_ready(error, symbols->path);
}

/* Reads and checks a page of a file that is not mapped. If it is damaged and the file a source's, reads it once more: it
 * may have been damaged on its way, or in a copy that the source keeps. */
static treb_status read_page(const Symbols *symbols, TableWait wait, int side, uint64_t page,
                             uint8_t *out, treb_error *error)
{
    bool cut;
    MappedBytes place = page_place(symbols, symbols->side[side].first_page + page);
    size_t size = (size_t)place.size;
    memset(out, 0, TABLE_PAGE_SIZE);
    treb_status status = table_file_read(symbols->unmapped, wait, out, size, place.at, &cut, error);
    if (status != TREB_OK) return status;
    const char *wrong = fault_in_page(symbols, side, page, out, size);
    const bool source = table_file_has_source(symbols->unmapped);
    if (wrong != NULL && source && wait == WAIT_LOCAL_ONLY)
        return fail_not_ready(error, symbols->path);
    if (wrong != NULL && source && wait == WAIT_FOR_ALL) {
        status = table_file_read_again(symbols->unmapped, out, size, place.at, error);
        if (status != TREB_OK) return status;
        wrong = fault_in_page(symbols, side, page, out, size);
    }
    return wrong == NULL ? TREB_OK : damaged_page(symbols, side, page, wrong, error);
}

/* Writes a page of a file that is not mapped to `room`: from the cache, where all pages are checked, or from the
 * file. */
__attribute__((noinline)) static treb_status bring_page(const Symbols *symbols, TableWait wait,
                                                        int side, uint64_t page, uint8_t *room,
                                                        treb_error *error)
{
    uint64_t number = symbols->side[side].first_page + page;
    const TablePages *pages = symbols->pages;
    if (pages != NULL && pages->get(pages->context, number, room)) return TREB_OK;
    treb_status status = read_page(symbols, wait, side, page, room, error);
    if (status == TREB_OK && pages != NULL) pages->put(pages->context, number, room);
    return status;
}

/* A page in memory, and the end of what may be read of it. */
typedef struct OpenPage {
    const uint8_t *bytes, *end;
} OpenPage;

/* Opens a checked page of a side. `room` is for a page that is not mapped. */
__attribute__((always_inline)) static inline treb_status
open_page(const Symbols *symbols, TableWait wait, int side, uint64_t page,
          uint8_t room[TABLE_PAGE_SIZE], OpenPage *out, treb_error *error)
{
    treb_status status = TREB_OK;
    uint64_t number = symbols->side[side].first_page + page;
    if (wait != WAIT_FOR_ALL) status = ask_page(symbols, wait, number, error);
    if (status == TREB_OK && !atomic_load_explicit(&symbols->good[number], memory_order_relaxed)) {
        if (symbols->unmapped != NULL) {
            *out = (OpenPage){room, room + page_place(symbols, number).size};
            return bring_page(symbols, wait, side, page, room, error);
        }
        status = check_page(symbols, side, page, error);
    }
    out->bytes = symbols->map.bytes + (number + 1) * TABLE_PAGE_SIZE;
    out->end = symbols->map.bytes + symbols->end;
    return status;
}

treb_status symbols_read_page(const Symbols *symbols, int side, uint64_t page,
                              uint8_t out[TABLE_PAGE_SIZE], unsigned *code, treb_error *error)
{
    OpenPage open;
    uint8_t room[TABLE_PAGE_SIZE];
    const SymbolsSide *s = &symbols->side[side];
    treb_status status = open_page(symbols, WAIT_FOR_ALL, side, page, room, &open, error);
    if (status != TREB_OK) return status;
    size_t size = (size_t)page_place(symbols, s->first_page + page).size;
    memset(out, 0, TABLE_PAGE_SIZE);
    memcpy(out, open.bytes, size);
    *code = format_entry_code(format_get48(s->first + FORMAT_FIRST_SIZE * page));
    return TREB_OK;
}

treb_status symbols_check(const Symbols *symbols, TableWait wait, int side, uint64_t page,
                          treb_error *error)
{
    OpenPage unused;
    uint8_t room[TABLE_PAGE_SIZE];
    return open_page(symbols, wait, side, page, room, &unused, error);
}

/* Returns the page of a cell. */
static uint64_t find_page(const SymbolsSide *side, uint64_t cell)
{
    uint64_t page = side->step[cell >> side->step_bits];
    while (page + 1 < side->pages && first_of(side, page + 1) <= cell) page++;
    return page;
}

MappedBytes symbols_page(const Symbols *symbols, int s, uint64_t cell)
{
    const SymbolsSide *side = &symbols->side[s];
    if (side->pages == 0) return (MappedBytes){0, 0};
    return page_place(symbols, side->first_page + find_page(side, cell));
}

treb_status symbols_bring(const Symbols *symbols, TableWait wait, MappedBytes page,
                          treb_error *error)
{
    bool cut;
    uint8_t room[TABLE_PAGE_SIZE];
    uint64_t number = page.at / TABLE_PAGE_SIZE - 1;
    int side = number >= symbols->side[1].first_page && symbols->side[1].pages > 0;
    if (page.size == 0) return TREB_OK;
    if (symbols->unmapped == NULL) {
        (wait == WAIT_FOR_ALL ? mapped_touch : mapped_fetch)(&symbols->map, page);
        return TREB_OK;
    }
    if (wait == WAIT_NEVER_FETCH)
        return table_file_read(symbols->unmapped, wait, NULL, (size_t)page.size, page.at, &cut,
                               error);
    return bring_page(symbols, wait, side, number - symbols->side[side].first_page, room, error);
}

/* Returns the number of cells of eight blocks. */
static unsigned eight_lengths(const uint8_t *at)
{
    const uint64_t even = UINT64_C(0x0000ffff0000ffff), a = format_get64(at),
                   b = format_get64(at + 8);
    const uint64_t sums = (a & even) + (a >> 16 & even) + (b & even) + (b >> 16 & even);
    return (unsigned)(uint32_t)(sums + (sums >> 32));
}

/* Returns the block of a page that contains its cell number *place, which becomes the number within
 * the block. Returns side->blocks if no block contains it. */
static unsigned find_block(const SymbolsSide *side, const uint8_t *page, uint64_t *place)
{
    const uint8_t *lengths = page + PAGE_AT_LENGTHS;
    uint64_t left = *place;
    unsigned block = 0;
    for (; block + 8 <= side->blocks; block += 8) { /* a page may have 400 blocks */
        unsigned cells = eight_lengths(lengths + 2 * block);
        if (left < cells) break;
        left -= cells;
    }
    for (; block < side->blocks; block++) {
        unsigned cells = format_get16(lengths + 2 * block);
        if (left < cells) break;
        left -= cells;
    }
    *place = left;
    return block;
}

/* Finds a block of a page. Returns false if it is missing: the last page of the file may have fewer
 * blocks. */
static bool has_block(const SymbolsSide *side, const OpenPage *page, unsigned block, CodeBlock *out)
{
    if (block >= side->blocks) return false;
    out->start = page->bytes + side->words + (size_t)block * side->block_bytes;
    out->end = out->start + side->block_bytes;
    return out->end <= page->end;
}

/* Has the processor fetch the bytes where a page probably has cell number `place` of its `cells`, so that
 * they come together with the lengths of its blocks. In three of four cases the cell's block is nearer than
 * AROUND bytes. */
static void fetch_near(const SymbolsSide *side, const uint8_t *page, uint64_t place, uint64_t cells)
{
    enum { AROUND = 256, LINE = 64 };
    const uint64_t size = side->blocks * (uint64_t)side->block_bytes;
    const uint64_t at = side->words + place * size / cells, end = at + AROUND;
    for (uint64_t i = at > AROUND ? at - AROUND : 0; i < end && i < TABLE_PAGE_SIZE; i += LINE)
        __builtin_prefetch(page + i);
}

int symbols_cell(const Symbols *symbols, TableWait wait, int s, uint64_t cell, CodeMemo *memo,
                 treb_error *error)
{
    const SymbolsSide *side = &symbols->side[s];
    uint8_t room[TABLE_PAGE_SIZE];
    OpenPage open;
    CodeBlock block;
    assert(cell < side->cells);
    if (side->pages == 0) return code_only(&side->code[0]);
    uint64_t page = find_page(side, cell), place = cell - first_of(side, page);
    treb_status status = open_page(symbols, wait, s, page, room, &open, error);
    if (status != TREB_OK) return -(int)status;
    uint64_t end = page + 1 < side->pages ? first_of(side, page + 1) : side->cells;
    fetch_near(side, open.bytes, place, end - cell + place);
    unsigned number = find_block(side, open.bytes, &place);
    int code = -1;
    if (symbols->unmapped != NULL) memo = NULL;
    if (has_block(side, &open, number, &block))
        code = code_value(code_of(side, page), block, (unsigned)place, memo);
    return code >= 0 ? code : -(int)damaged_page(symbols, s, page, "a cell is not in it", error);
}

/* Reads the profile of cell number `place` of a page. */
static int profile_in_page(const SymbolsSide *side, const OpenPage *page, uint64_t place,
                           const TableProfileClass *of, unsigned short_by)
{
    unsigned number = 0;
    ProfileBlock block = {.code = side->code, .codes = side->codes};
    while (number + 1 < side->blocks && first_in_page(page->bytes, number + 1) <= place) number++;
    if (!has_block(side, page, number, &block.words.block)) return -1;
    if (!table_profile_go(&block, first_in_page(page->bytes, number), place)) return -1;
    return table_profile_next(&block, of, short_by);
}

int symbols_own_profile(const Symbols *symbols, TableWait wait, uint64_t cell, const TableProfileClass *of,
                        unsigned short_by, treb_error *error)
{
    const SymbolsSide *side = &symbols->side[1];
    uint8_t room[TABLE_PAGE_SIZE];
    OpenPage open;
    assert(cell < side->cells && side->profiles);
    const uint64_t page = find_page(side, cell), first = first_of(side, page);
    const treb_status status = open_page(symbols, wait, 1, page, room, &open, error);
    if (status != TREB_OK) return -(int)status;
    const int extra = cell >= first ? profile_in_page(side, &open, cell - first, of, short_by) : -1;
    return extra >= 0 ? extra : -(int)damaged_page(symbols, 1, page, "a profile is not in it", error);
}

/* Packs cells of one page, up to its end or at most `count`. Returns how many, or minus a
 * status. */
static int64_t pack_page(const Symbols *symbols, TableWait wait, int s, uint64_t cell,
                         uint64_t count, CodePack *pack, treb_error *error)
{
    const SymbolsSide *side = &symbols->side[s];
    uint8_t room[TABLE_PAGE_SIZE];
    OpenPage open;
    CodeBlock block;
    uint64_t page = find_page(side, cell), place = cell - first_of(side, page);
    const Code *code = code_of(side, page);
    uint64_t end = page + 1 < side->pages ? first_of(side, page + 1) : side->cells;
    treb_status status = open_page(symbols, wait, s, page, room, &open, error);
    if (status != TREB_OK) return -(int64_t)status;
    uint64_t wanted = count < end - cell ? count : end - cell, left = wanted;
    for (unsigned number = find_block(side, open.bytes, &place); left > 0; number++, place = 0) {
        int got = -1;
        if (has_block(side, &open, number, &block)) {
            unsigned cells = format_get16(open.bytes + PAGE_AT_LENGTHS + 2 * number);
            got = code_pack(code, block, cells, (unsigned)place, left, pack);
        }
        if (got <= 0) return -(int64_t)damaged_page(symbols, s, page, "a cell is not in it", error);
        left -= (uint64_t)got;
    }
    return (int64_t)wanted;
}

treb_status symbols_pack(const Symbols *symbols, TableWait wait, int s, uint64_t cell,
                         uint64_t count, uint8_t *out, treb_error *error)
{
    const SymbolsSide *side = &symbols->side[s];
    unsigned bits = side->bits;
    CodePack pack = {out, 0, 0};
    assert(cell <= side->cells && count <= side->cells - cell);
    if (side->pages == 0) {
        unsigned value = (unsigned)code_only(&side->code[0]), byte = 0;
        for (unsigned b = 0; b < 8; b += bits) byte |= value << b;
        for (uint64_t i = 0; i < (count * bits + 7) / 8; i++)
            out[i] = (uint8_t)(bits == 16 && i % 2 ? value >> 8 : byte);
        return TREB_OK;
    }
    while (count > 0) {
        int64_t got = pack_page(symbols, wait, s, cell, count, &pack, error);
        if (got < 0) return (treb_status)-got;
        cell += (uint64_t)got;
        count -= (uint64_t)got;
    }
    code_pack_end(&pack);
    return TREB_OK;
}
