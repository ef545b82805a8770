/* test_symbols.c - table files with codec symbols: what is written is read back, by blocks and cell
 * by cell; files that the format does not allow are not written. The encoder is that of
 * tests/support/symbols.h, which is independent of the generator's. */
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64
#include "core/system/io.h"
#include "tests/support/part.h"
#include "tests/support/symbols_sample.h"

/* ---- round trips ----------------------------------------------------------------------------- */

static const unsigned block_sizes[] = {8, 31, 64, 184, 4000, PAGE_BLOCK_MAX};
enum { BLOCK_SIZES = sizeof block_sizes / sizeof *block_sizes };

/* In large blocks not every cell is read singly: that takes long. */
static void read_back(const Sample *sample)
{
    bool large = sample->header.side[1].code.block_bytes > 200 ||
                 sample->header.side[0].code.block_bytes > 200;
    must_read_coded(sample, (large ? 17u : 1u) * (unsigned)test_part());
}

static void round_trip(Sample sample)
{
    char path[PATH_SIZE];
    must_write_coded(&sample);
    read_back(&sample);
    path_of_sample(&sample, path);
    ck_assert_int_eq(remove(path), 0);
    free_sample(&sample);
}

START_TEST(block_bytes)
{
    round_trip(make_coded_sample("KQvK", TREB_WDL, 1, 1, 3, block_sizes[_i]));
    round_trip(make_coded_sample("KPvK", TREB_DTM, 1, 2, 3, block_sizes[_i]));
}
END_TEST

/* A side has several codes, each for some runs of cells. */
START_TEST(several_codes)
{
    static const unsigned counts[][2] = {{2, 1}, {1, 3}, {4, 5}, {TABLE_SIDE_CODES, 7}};
    Sample sample = make_coded_sample("KQvK", TREB_WDL, 1, 1, 3, 64);
    for (int s = 0; s < 2; s++) sample.header.side[s].code.count = counts[_i][s];
    round_trip(sample);
    sample = make_coded_sample("KPvK", TREB_DTM, 1, 2, 3, 4000);
    for (int s = 0; s < 2; s++) sample.header.side[s].code.count = counts[_i][s];
    round_trip(sample);
    sample = make_coded_sample("KBBvK", TREB_WDL, 4, 1, 2, 184);
    sample.header.side[1].code.count = counts[_i][0];
    round_trip(sample);
}
END_TEST

/* A page begins where the code changes, and nowhere else for that reason. */
START_TEST(page_of_each_code)
{
    enum { CODES = 3, PARTS = CODES * SYMBOLS_STRETCHES };
    Sample sample = make_coded_sample("KQvK", TREB_WDL, 1, 1, 2, 4000);
    treb_error error;
    char path[PATH_SIZE];
    sample.header.side[1].code.count = CODES;
    must_write_coded(&sample);
    path_of_sample(&sample, path);
    Table *table = table_open(path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    const TableCode *code = &table_header(table)->side[1].code;
    ck_assert_uint_gt(code->symbols, 3 * CODES);
    ck_assert_uint_ge(code->pages, PARTS);
    uint64_t cells = sample.header.index.size;
    for (uint64_t part = 1; part < PARTS; part++) {
        uint64_t first = cells * part / PARTS;
        uint64_t before = table_cell_page(table, 1, first - 1).at;
        uint64_t page = table_cell_page(table, 1, first).at;
        ck_assert_uint_eq(page, before + TABLE_PAGE_SIZE);
    }
    table_close(table);
    free_sample(&sample);
}
END_TEST

/* One or both sides; 1, 2, 4 and 8 cells in a byte; with the smallest table of all. */
START_TEST(sides_and_packing)
{
    unsigned per_byte = 1u << _i;
    for (unsigned stored = 1; stored <= 3; stored++) {
        round_trip(make_coded_sample("KRvK", TREB_WDL, per_byte, 1, stored, 64));
        round_trip(make_coded_sample("KvK", TREB_WDL, per_byte, 1, stored, 184));
    }
}
END_TEST

/* Bishops are numbered by colour of squares; there are two groups. */
START_TEST(more_men) { round_trip(make_coded_sample("KBBvK", TREB_WDL, 4, 1, 3, 184)); }
END_TEST

static uint32_t pages_of(const Sample *sample, int side)
{
    char path[PATH_SIZE];
    treb_error error;
    path_of_sample(sample, path);
    Table *table = table_open(path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    uint32_t pages = table_header(table)->side[side].code.pages;
    table_close(table);
    return pages;
}

/* A side with only one value has no pages, and a file of two such sides has none. */
START_TEST(constant_sides)
{
    for (unsigned constant = 1; constant <= 3; constant++)
        for (unsigned per_byte = 1; per_byte <= 8; per_byte *= 8) {
            Sample sample = make_coded_sample("KQvK", TREB_DTZ, per_byte, 1, 3, 64);
            unsigned value = per_byte == 8 ? 0xff : 42,
                     last = (unsigned)sample.header.index.size % 8;
            for (int s = 0; s < 2; s++)
                if (constant >> s & 1) {
                    uint64_t bytes = table_side_bytes(&sample.header);
                    memset(sample.data[s], (int)value, bytes);
                    if (per_byte == 8 && last > 0)
                        sample.data[s][bytes - 1] = (uint8_t)(0xffu >> (8 - last));
                }
            must_write_coded(&sample);
            read_back(&sample);
            for (int s = 0; s < 2; s++)
                ck_assert_int_eq(pages_of(&sample, s) == 0, constant >> s & 1);
            free_sample(&sample);
        }
}
END_TEST

START_TEST(constant_wide_side)
{
    Sample sample = make_coded_sample("KQvK", TREB_DTM, 1, 2, 2, 64);
    for (uint64_t i = 0; i < table_side_bytes(&sample.header); i++)
        sample.data[1][i] = i % 2 ? 0x0a : 0x51;
    round_trip(sample);
}
END_TEST

/* A run so long that blocks have the largest possible number of cells. */
START_TEST(longest_blocks)
{
    Sample sample = make_coded_sample("KBBvK", TREB_DTZ, 1, 1, 1, 4000);
    uint64_t cells = sample.header.index.size;
    ck_assert_uint_gt(cells, 3 * SYMBOLS_BLOCK_CELLS);
    memset(sample.data[0], 3, cells);
    sample.data[0][cells / 2] = 9;
    must_write_coded(&sample);
    read_back(&sample);
    free_sample(&sample);
}
END_TEST

/* Equal content gives equal bytes, with the version that says how to read them. */
START_TEST(bytes_are_the_same)
{
    Sample sample = make_coded_sample("KQvK", TREB_WDL, 2, 1, 3, 64);
    size_t size, again_size;
    char path[PATH_SIZE];
    path_of_sample(&sample, path);
    must_write_coded(&sample);
    uint8_t *bytes = load(path, &size);
    must_write_coded(&sample);
    uint8_t *again = load(path, &again_size);
    ck_assert_uint_eq(size, again_size);
    ck_assert_mem_eq(bytes, again, size);
    ck_assert_uint_eq(format_get16(bytes + FORMAT_AT_VERSION), 4);
    free(bytes);
    free(again);
    free_sample(&sample);
}
END_TEST

/* Where the pages of the file are: at multiples of their size, some for each side. */
START_TEST(pages_are_named)
{
    Sample sample = make_coded_sample("KQvK", TREB_WDL, 1, 1, 3, 64);
    treb_error error;
    char path[PATH_SIZE];
    must_write_coded(&sample);
    path_of_sample(&sample, path);
    Table *table = table_open(path, &error);
    ck_assert_ptr_nonnull(table);
    uint64_t before = 0, cells = sample.header.index.size, end = 0;
    int pages = 0;
    for (int s = 0; s < 2; s++)
        for (uint64_t i = 0; i < cells; i++) {
            MappedBytes page = table_cell_page(table, s, i);
            bool next = page.at == before + TABLE_PAGE_SIZE;
            if (page.at % TABLE_PAGE_SIZE != 0 || (page.at != before && !next))
                ck_abort_msg("side %d, cell %d: %d", s, (int)i, (int)page.at);
            pages += page.at != before;
            before = page.at;
            end = page.at + page.size;
        }
    ck_assert_int_ge(pages, 4);
    const TableHeader *header = table_header(table);
    ck_assert_uint_gt(header->side[0].code.pages, 1);
    ck_assert_uint_gt(header->side[1].code.pages, 1);
    ck_assert_int_eq(pages, (int)(header->side[0].code.pages + header->side[1].code.pages));
    ck_assert_uint_eq(table_map(table)->size, table_file_size(table));
    ck_assert_uint_lt(end, table_file_size(table));
    table_close(table);
    free_sample(&sample);
}
END_TEST

/* ---- sides of another file ------------------------------------------------------------------- */

/* Writes some sides of a file to a folder of their own. Returns the bytes of the new file, and opens
 * it. */
static uint8_t *write_sides(const Sample *sample, unsigned sides, size_t *size, Table **out)
{
    treb_error error = {0};
    uint64_t written;
    char path[PATH_SIZE], other[PATH_SIZE], name[TABLE_LONG_NAME_SIZE];
    path_of_sample(sample, path);
    path_of("sides", other);
    ck_assert_int_eq(mkdir(other, 0700), 0);
    Table *from = table_open(path, &error);
    ck_assert_msg(from != NULL, "%s", error.text);
    ck_assert_int_eq(table_write_sides(other, from, sides, &written, &error), TREB_OK);
    table_close(from);
    table_header_name(&sample->header, name);
    char *there = io_path(other, name);
    uint8_t *bytes = load(there, size);
    ck_assert_uint_eq(*size, written);
    *out = table_open(there, &error);
    ck_assert_msg(*out != NULL, "%s", error.text);
    ck_assert_int_eq(remove(there), 0);
    ck_assert_int_eq(rmdir(other), 0);
    free(there);
    return bytes;
}

/* Both sides give the same bytes. One side has its cells, no other, and the counts of both. */
START_TEST(some_sides)
{
    for (unsigned sides = 1; sides <= 3; sides++) {
        Sample sample = make_coded_sample(_i % 2 ? "KPvK" : "KQvK", TREB_WDL, 1u << _i, 1, 3, 64);
        size_t size, full_size;
        char path[PATH_SIZE];
        Table *table;
        sample.header.side[0].code.count = 3;
        must_write_coded(&sample);
        path_of_sample(&sample, path);
        uint8_t *full = load(path, &full_size), *bytes = write_sides(&sample, sides, &size, &table);
        const TableHeader *header = table_header(table);
        ck_assert_uint_eq(format_get16(bytes + FORMAT_AT_VERSION), sides == 3 ? 4 : 9);
        for (int s = 0; s < 2; s++) {
            ck_assert_int_eq(header->side[s].stored, sides >> s & 1);
            ck_assert_mem_eq(header->side[s].count, sample.header.side[s].count,
                             sizeof header->side[s].count);
            if (sides >> s & 1) compare_cells(&sample, table, s, 1);
        }
        if (sides == 3) {
            ck_assert_uint_eq(size, full_size);
            ck_assert_mem_eq(bytes, full, size);
        } else {
            ck_assert_uint_lt(size, full_size);
        }
        table_close(table);
        free(bytes);
        free(full);
        free_sample(&sample);
    }
}
END_TEST

/* A file of an earlier version cannot have one side. */
START_TEST(one_side_of_an_earlier_version)
{
    uint8_t fixed[FORMAT_FIXED_SIZE];
    TableHeader parsed = {0};
    Sample sample = make_coded_sample("KQvK", TREB_WDL, 1, 1, 2, 64);
    format_write_fixed(&sample.header, fixed);
    ck_assert_ptr_null(format_parse_fixed(fixed, &parsed));
    format_put16(fixed + FORMAT_AT_VERSION, 8);
    ck_assert_str_eq(format_parse_fixed(fixed, &parsed), "a side to move is missing");
    free_sample(&sample);
}
END_TEST

START_TEST(sides_of_codec_zstd)
{
    treb_error error = {0};
    char path[PATH_SIZE];
    Sample sample = make_sample("KQvK", TREB_WDL, 1, 1, 3);
    must_write(&sample, IN_ORDER);
    path_of_sample(&sample, path);
    Table *table = table_open(path, &error);
    ck_assert_ptr_nonnull(table);
    ck_assert_int_eq(table_write_sides(directory, table, 1, NULL, &error), TREB_ERR_UNSUPPORTED);
    ck_assert_msg(strstr(error.text, "codec symbols") != NULL, "%s", error.text);
    table_close(table);
    free_sample(&sample);
}
END_TEST

/* When a side's verdicts follow from the other's: the 50-move rule may come between. */
START_TEST(sides_that_follow)
{
    uint64_t losses[104] = {[0] = 5, [100] = 0, [103] = 1}, wins[101] = {[1] = 5, [100] = 0};
    TableHeader wdl = {0}, dtz = {0};
    TableSide *left_out = &wdl.side[TREB_WHITE], *stays = &dtz.side[TREB_BLACK];
    ck_assert(table_side_follows(&wdl, NULL, TREB_WHITE));
    left_out->count[TREB_CURSED_WIN] = 1;
    ck_assert(!table_side_follows(&wdl, NULL, TREB_WHITE));
    ck_assert(table_side_follows(&wdl, NULL, TREB_BLACK));
    ck_assert(table_side_follows(&wdl, &dtz, TREB_WHITE)); /* Black never loses */
    stays->count[TREB_LOSS] = 6;
    ck_assert(!table_side_follows(&wdl, &dtz, TREB_WHITE)); /* no histogram */
    stays->histogram[TREB_LOSS] = losses;
    stays->longest[TREB_LOSS] = 103;
    ck_assert(table_side_follows(&wdl, &dtz, TREB_WHITE));
    losses[100] = 1;
    ck_assert(!table_side_follows(&wdl, &dtz, TREB_WHITE));
    stays->longest[TREB_LOSS] = 99;
    ck_assert(table_side_follows(&wdl, &dtz, TREB_WHITE));
    left_out->count[TREB_BLESSED_LOSS] = 1;
    stays->count[TREB_WIN] = 6;
    stays->histogram[TREB_WIN] = wins;
    stays->longest[TREB_WIN] = 100;
    ck_assert(table_side_follows(&wdl, &dtz, TREB_WHITE));
    wins[100] = 1;
    ck_assert(!table_side_follows(&wdl, &dtz, TREB_WHITE));
}
END_TEST

/* ---- wrong calls ----------------------------------------------------------------------------- */

static TableWriter *open_writer(const Sample *sample)
{
    treb_error error = {0};
    TableWriter *writer = table_writer_open(directory, &sample->header, NULL, 0, &error);
    ck_assert_msg(writer != NULL, "%s", error.text);
    return writer;
}

static void must_not_add_to(TableWriter *writer, int side, unsigned code, unsigned cells)
{
    const uint8_t block[TABLE_PAGE_SIZE] = {0};
    treb_error error = {0};
    ck_assert_int_eq(table_writer_add_words(writer, side, code, block, cells, &error),
                     TREB_ERR_ARGUMENT);
    ck_assert_msg(strstr(error.text, "there is no such block") != NULL, "%s", error.text);
}

static void must_not_add(TableWriter *writer, int side, unsigned cells)
{
    must_not_add_to(writer, side, 0, cells);
}

START_TEST(wrong_blocks)
{
    const uint8_t block[TABLE_PAGE_SIZE] = {0};
    treb_error error;
    Sample sample = make_coded_sample("KQvK", TREB_WDL, 1, 1, 3, 64);
    TableWriter *writer = open_writer(&sample);
    must_not_add(writer, -1, 1);
    must_not_add(writer, 2, 1);
    must_not_add(writer, 0, 0);
    must_not_add(writer, 0, 65536);
    must_not_add_to(writer, 0, TABLE_SIDE_CODES, 1);
    ck_assert_int_eq(table_writer_add(writer, 0, 0, block, 9, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_add_words(writer, 0, 0, block, 65535, &error), TREB_OK);
    ck_assert_int_eq(table_writer_add_words(writer, 1, 0, block, 1, &error), TREB_OK);
    must_not_add(writer, 0, 1); /* White's cells have ended */
    table_writer_abort(writer);
    free_sample(&sample);
    Sample one = make_coded_sample("KQvK", TREB_DTZ, 1, 1, 2, 64);
    writer = open_writer(&one);
    must_not_add(writer, 0, 1);
    table_writer_abort(writer);
    Sample zstd = make_sample("KQvK", TREB_WDL, 1, 1, 3);
    writer = open_writer(&zstd);
    must_not_add(writer, 0, 1);
    table_writer_abort(writer);
    free_sample(&one);
    free_sample(&zstd);
    ck_assert_int_eq(count_files(), 0);
}
END_TEST

/* Writes a table of one value, with a code of one value, in blocks: `white` and `black` cells. */
static treb_status write_some(uint64_t white, uint64_t black, treb_error *error)
{
    static const uint8_t code[] = {1, 1, 1, 0, 0, 0, 2, 0, 0xff, 0xff}; /* a leaf of 2 */
    const uint8_t block[64] = {0};
    const uint64_t wanted[2] = {white, black};
    Sample sample = make_coded_sample("KQvK", TREB_WDL, 1, 1, 3, 64);
    TableWriter *writer = open_writer(&sample);
    for (int s = 0; s < 2; s++) {
        for (uint64_t left = wanted[s]; left > 0;) {
            unsigned cells = left < 512 ? (unsigned)left : 512;
            ck_assert_int_eq(table_writer_add_words(writer, s, 0, block, cells, error), TREB_OK);
            left -= cells;
        }
        sample.header.side[s].code.bytes = malloc(sizeof code);
        memcpy(sample.header.side[s].code.bytes, code, sizeof code);
        sample.header.side[s].code.size = sizeof code;
        memset(sample.data[s], 2, table_side_bytes(&sample.header));
    }
    treb_status status = table_writer_finish(writer, &sample.header, NULL, error);
    if (status == TREB_OK) must_read_coded(&sample, 7);
    free_sample(&sample);
    return status;
}

START_TEST(number_of_cells)
{
    static const struct {
        int white, black;
        const char *words; /* NULL: success */
    } some[] = {{29568, 29568, NULL},
                {29568, 0, NULL}, /* no pages: the value of its only symbol */
                {0, 29568, NULL},
                {29567, 29568, "white side has 29567 cells of 29568"},
                {29568, 29569, "black side has 29569 cells of 29568"},
                {29568, 1, "black side has 1 cells of 29568"},
                {40000, 29568, "white side has 40000 cells of 29568"}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        treb_error error = {0};
        treb_status status = write_some((uint64_t)some[i].white, (uint64_t)some[i].black, &error);
        ck_assert_int_eq(status, some[i].words ? TREB_ERR_ARGUMENT : TREB_OK);
        if (some[i].words)
            ck_assert_msg(strstr(error.text, some[i].words) != NULL, "%s", error.text);
        ck_assert_int_eq(count_files(), some[i].words == NULL);
        if (some[i].words) continue;
        char path[PATH_SIZE];
        path_of("KQvK.wdl.treb", path);
        ck_assert_int_eq(remove(path), 0);
    }
}
END_TEST

/* Layouts that no reader accepts are refused before a byte is written. */
START_TEST(wrong_layouts)
{
    treb_error error;
    Sample sample = make_coded_sample("KQvK", TREB_WDL, 2, 1, 3, 64);
    TableHeader header = sample.header;
    header.base = 15; /* not a power of 2 */
    ck_assert_ptr_null(table_writer_open(directory, &header, NULL, 0, &error));
    ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
    header = sample.header;
    header.pad = 4;
    ck_assert_ptr_null(table_writer_open(directory, &header, NULL, 0, &error));
    ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
    header = sample.header;
    Material large; /* cells have larger numbers than fit into the page table */
    ck_assert(material_parse("KQRBvKQRB", &large) &&
              index_init_square_colors(&header.index, &large, NULL));
    ck_assert_uint_gt(header.index.size, UINT64_C(1) << 42);
    ck_assert_ptr_null(table_writer_open(directory, &header, NULL, 0, &error));
    ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
    ck_assert_msg(strstr(error.text, "too many cells") != NULL, "%s", error.text);
    header = sample.header;
    header.codec = (TableCodec)2;
    ck_assert_ptr_null(table_writer_open(directory, &header, NULL, 0, &error));
    ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
    ck_assert_int_eq(count_files(), 0);
    free_sample(&sample);
}
END_TEST

/* More codes than a side may have, or none; a page with a code that does not exist; several codes
 * for a side without pages. */
START_TEST(wrong_number_of_codes)
{
    static const struct {
        unsigned count, used;
        bool constant;
        const char *words;
    } some[] = {{0, 0, false, "bad number of codes"},
                {TABLE_SIDE_CODES + 1, 0, false, "bad number of codes"},
                {1, 1, false, "bad page table"},
                {2, 0, true, "more than one code"}};
    static const uint8_t code[] = {1, 1, 1, 0, 0, 0, 2, 0, 0xff, 0xff}; /* a leaf of 2 */
    const uint8_t block[64] = {0};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        treb_error error = {0};
        Sample sample = make_coded_sample("KQvK", TREB_WDL, 1, 1, 2, 64);
        TableCode *to = &sample.header.side[1].code;
        TableWriter *writer = open_writer(&sample);
        for (uint64_t left = some[i].constant ? 0 : sample.header.index.size; left > 0;) {
            unsigned cells = left < 512 ? (unsigned)left : 512;
            ck_assert_int_eq(table_writer_add_words(writer, 1, some[i].used, block, cells, &error),
                             TREB_OK);
            left -= cells;
        }
        to->count = some[i].count;
        to->size = some[i].count * sizeof code;
        to->bytes = malloc(to->size + 1);
        for (unsigned c = 0; c < some[i].count; c++)
            memcpy(to->bytes + c * sizeof code, code, sizeof code);
        ck_assert_int_eq(table_writer_finish(writer, &sample.header, NULL, &error),
                         TREB_ERR_ARGUMENT);
        ck_assert_msg(strstr(error.text, some[i].words) != NULL, "%s", error.text);
        ck_assert_int_eq(count_files(), 0);
        free_sample(&sample);
    }
}
END_TEST

/* The writer refuses a code that the reader would refuse. */
START_TEST(wrong_code)
{
    static const unsigned bad[] = {0, 1, 2}; /* lengths, number of symbols */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        treb_error error = {0};
        Sample sample = make_coded_sample("KQvK", TREB_WDL, 1, 1, 3, 64);
        must_write_coded(&sample);
        TableWriter *writer = open_writer(&sample);
        for (int s = 0; s < 2; s++) {
            SymbolsCells cells;
            ck_assert(symbols_unpack(&sample.header, sample.data[s], &cells));
            SymbolsCode *code = symbols_learn(cells);
            ck_assert_int_eq(symbols_add(writer, s, 0, code, cells, 64, &error), TREB_OK);
            free(code);
            free(cells.cell);
        }
        sample.header.side[0].code.bytes[bad[i]] = i == 0 ? 200 : 0;
        ck_assert_int_eq(table_writer_finish(writer, &sample.header, NULL, &error),
                         TREB_ERR_ARGUMENT);
        ck_assert_msg(strstr(error.text, "cannot write such a table") != NULL, "%s", error.text);
        ck_assert_int_eq(count_files(), 1);
        free_sample(&sample);
    }
}
END_TEST

/* ---- the program ----------------------------------------------------------------------------- */

int main(void)
{
    Suite *suite = suite_create("symbols");
    TCase *tests = add_case(suite, "round trips", make_directory, remove_directory);
    tcase_add_loop_test(tests, block_bytes, 0, BLOCK_SIZES);
    tcase_add_loop_test(tests, several_codes, 0, 4);
    tcase_add_test(tests, page_of_each_code);
    tcase_add_loop_test(tests, sides_and_packing, 0, 4);
    tcase_add_test(tests, more_men);
    tcase_add_test(tests, constant_sides);
    tcase_add_test(tests, constant_wide_side);
    tcase_add_test(tests, longest_blocks);
    tcase_add_test(tests, bytes_are_the_same);
    tcase_add_test(tests, pages_are_named);
    tcase_add_loop_test(tests, some_sides, 0, 3);
    tcase_add_test(tests, one_side_of_an_earlier_version);
    tcase_add_test(tests, sides_of_codec_zstd);
    tcase_add_test(tests, sides_that_follow);
    tests = add_case(suite, "writing", make_directory, remove_directory);
    tcase_add_test(tests, wrong_blocks);
    tcase_add_test(tests, number_of_cells);
    tcase_add_test(tests, wrong_layouts);
    tcase_add_test(tests, wrong_number_of_codes);
    tcase_add_test(tests, wrong_code);
    return run_suite(suite);
}
