/* test_symbols_damage.c - every damage of a file with codec symbols is noticed; a file of a foreign
 * writer with correct checksums is read within bounds, whatever it contains. */
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>

#include "core/format/table_profile.h"
#include "tests/support/part.h"
#include "tests/support/symbols_sample.h"

enum {
    TRIALS = 10000,
    FOREIGN = 3000,
    CODES = 2,
    AT_ORDER = 0,
    AT_CODES = 7,
    AT_BLOCK = 8,
    AT_PAGES = 12,
    AT_WORDS = 16
};

/* A table with several pages and codes for each side, and its bytes, for tests that damage it. */
static Sample victim;
static char victim_path[PATH_SIZE];
static uint8_t *victim_bytes;
static size_t victim_size, code_at[2], first_at, meta_at;
static int pages;

static void make_victim(void)
{
    make_directory();
    victim = make_coded_sample("KQvK", TREB_WDL, 1, 1, 3, 64);
    for (int s = 0; s < 2; s++) victim.header.side[s].code.count = CODES;
    strcpy(victim.header.side[0].longest_fen[4], "8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    must_write_coded(&victim);
    path_of_sample(&victim, victim_path);
    victim_bytes = load(victim_path, &victim_size);
    meta_at = (size_t)format_get64(victim_bytes + FORMAT_AT_META);
    pages = (int)((meta_at - 1) / TABLE_PAGE_SIZE);
    first_at = victim_size - FORMAT_FIRST_SIZE * (size_t)pages;
    code_at[1] = first_at - FORMAT_CODE_SIZE - victim.header.side[1].code.size;
    code_at[0] = code_at[1] - FORMAT_CODE_SIZE - victim.header.side[0].code.size;
    ck_assert_uint_eq(format_get32(victim_bytes + code_at[0] + AT_BLOCK), 64);
    ck_assert_uint_eq(format_get32(victim_bytes + code_at[1] + AT_BLOCK), 64);
    for (int s = 0; s < 2; s++) ck_assert_uint_eq(victim_bytes[code_at[s] + AT_CODES], CODES);
    ck_assert_int_ge(pages, 4);
}

static void free_victim(void)
{
    free_sample(&victim);
    free(victim_bytes);
    remove_directory();
}

/* ---- reading all ----------------------------------------------------------------------------- */

/* Opens the file and reads all blocks of all sides and some cells. Returns the first failure, or
 * TREB_OK; `cells_bad` gets the number of bad cells. */
static treb_status read_all(const char *path, int *cells_bad, treb_error *error)
{
    uint8_t out[1024];
    treb_status first = TREB_OK;
    Table *table = table_open(path, error);
    if (table == NULL) return error->status;
    const TableHeader *header = table_header(table);
    TableDecoder *decoder = table_decoder_new();
    if (header->block_bits != 10) abort();
    for (int s = 0; s < 2; s++) {
        if (!header->side[s].stored) continue;
        for (uint64_t b = 0; b < table_side_blocks(header); b++) {
            treb_error own = {0};
            treb_status status = table_read_block(table, decoder, s, b, out, &own);
            if (status != TREB_OK && own.text[0] == '\0') abort();
            if (status == TREB_OK || first != TREB_OK) continue;
            first = status;
            *error = own;
        }
        for (uint64_t i = 0; i < header->index.size; i += 97) {
            int code = table_read_cell(table, WAIT_FOR_ALL, s, i, NULL, NULL);
            if (code != -(int)TREB_ERR_DAMAGED && code < 0) abort();
            *cells_bad += code < 0;
        }
    }
    table_decoder_free(decoder);
    table_close(table);
    return first;
}

/* Returns how many pages `verify --checksum` would report as damaged; -1 if the file cannot be
 * opened. */
static int bad_parts(const char *path)
{
    uint8_t room[1024];
    treb_error error = {0};
    Table *table = table_open(path, &error);
    if (table == NULL) return -1;
    int bad = 0, parts = 0;
    TableDecoder *decoder = table_decoder_new();
    for (int s = 0; s < 2; s++) {
        for (uint64_t p = 0; p < table_side_parts(table, s); p++, parts++)
            bad += table_check_part(table, decoder, s, p, room, &error) == TREB_ERR_DAMAGED;
    }
    ck_assert_int_eq(parts, pages);
    table_decoder_free(decoder);
    table_close(table);
    return bad;
}

/* Writes other bytes to the file. It is overwritten, since creating a new one each time would wait for some disks. */
static void write_victim(const uint8_t *bytes, size_t size)
{
    int file = open(victim_path, O_WRONLY);
    if (file < 0 || pwrite(file, bytes, size, 0) != (ssize_t)size || ftruncate(file, (off_t)size) != 0) abort();
    close(file);
}

/* Writes other bytes to the file, and reads all blocks and some cells. */
static treb_status read_bytes(const uint8_t *bytes, treb_error *error)
{
    int bad = 0;
    write_victim(bytes, victim_size);
    return read_all(victim_path, &bad, error);
}

static void must_refuse(const uint8_t *bytes, size_t size, const char *words)
{
    treb_error error = {0};
    write_victim(bytes, size);
    Table *table = table_open(victim_path, &error);
    ck_assert_msg(table == NULL, "opened; expected: %s", words);
    ck_assert_int_eq(error.status, TREB_ERR_DAMAGED);
    ck_assert_msg(strstr(error.text, words) != NULL, "'%s' lacks '%s'", error.text, words);
    ck_assert_msg(strstr(error.text, victim_path) != NULL, "'%s' names no file", error.text);
}

/* ---- bits, and more than bits ---------------------------------------------------------------- */

/* Flips one bit anywhere: header, gap, pages with their unused parts, meta part. */
START_TEST(any_bit)
{
    uint64_t state = 20261122;
    int file = open(victim_path, O_RDWR), whole[2] = {0, 0};
    ck_assert_int_ge(file, 0);
    for (int i = 0; i < TRIALS / test_part(); i++) {
        uint64_t bit = next_random31(&state) % (8 * victim_size);
        uint8_t *byte = &victim_bytes[bit / 8], flipped = (uint8_t)(*byte ^ 1u << bit % 8);
        treb_error error = {0};
        int bad = 0;
        if (pwrite(file, &flipped, 1, (off_t)(bit / 8)) != 1) abort();
        treb_status status = read_all(victim_path, &bad, &error);
        int parts = bad_parts(victim_path);
        if (pwrite(file, byte, 1, (off_t)(bit / 8)) != 1) abort();
        bool in_page = bit / 8 >= TABLE_PAGE_SIZE && bit / 8 < meta_at;
        ck_assert_int_eq(parts, in_page ? 1 : -1);
        if (status != TREB_ERR_DAMAGED || strstr(error.text, victim_path) == NULL)
            ck_abort_msg("bit %d of byte %d of %d: status %d, %s", (int)(bit % 8), (int)(bit / 8),
                         (int)victim_size, status, error.text);
        whole[in_page]++;
    }
    close(file);
    ck_assert_int_gt(whole[0], 0); /* both kinds were hit */
    ck_assert_int_gt(whole[1], 0);
    ck_assert_int_eq(bad_parts(victim_path), 0); /* and at the end nothing is damaged */
    must_read_coded(&victim, 7);
}
END_TEST

/* Each byte of the header, the gap, and of the meta part. */
START_TEST(any_byte_of_the_header)
{
    treb_error error;
    for (size_t i = 0; i < victim_size; i += (size_t)test_part()) {
        if (i == TABLE_PAGE_SIZE) i = meta_at;
        victim_bytes[i] ^= 0x41;
        ck_assert_int_eq(read_bytes(victim_bytes, &error), TREB_ERR_DAMAGED);
        victim_bytes[i] ^= 0x41;
    }
}
END_TEST

/* Only cells of the page fail; the message names the page. */
START_TEST(one_page)
{
    for (int p = 0; p < pages; p++) {
        size_t at = (size_t)(p + 1) * TABLE_PAGE_SIZE + 300;
        treb_error error = {0};
        char words[80];
        int bad = 0, white = (int)format_get32(victim_bytes + code_at[0] + AT_PAGES);
        victim_bytes[at] ^= 1;
        ck_assert_int_eq(read_bytes(victim_bytes, &error), TREB_ERR_DAMAGED);
        read_all(victim_path, &bad, &error);
        ck_assert_int_eq(bad_parts(victim_path), 1);
        victim_bytes[at] ^= 1;
        snprintf(words, sizeof words, "%s side, page %d damaged: its checksum differs",
                 p < white ? "white" : "black", p < white ? p : p - white);
        ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
        ck_assert_int_gt(bad, 0);
        ck_assert_int_lt(bad, 29568 / 97); /* not all of one side */
    }
}
END_TEST

START_TEST(truncated)
{
    for (size_t size = 1; size < victim_size; size += 41 * (size_t)test_part())
        must_refuse(victim_bytes, size, "truncated");
    must_refuse(victim_bytes, victim_size - 1, "truncated");
    must_refuse(victim_bytes, meta_at, "truncated");
}
END_TEST

START_TEST(too_long)
{
    uint8_t *longer = calloc(1, victim_size + TABLE_PAGE_SIZE);
    memcpy(longer, victim_bytes, victim_size);
    must_refuse(longer, victim_size + 1, "too long");
    must_refuse(longer, victim_size + TABLE_PAGE_SIZE, "too long");
    free(longer);
}
END_TEST

/* The checksum of a page depends on its place. */
START_TEST(pages_swapped)
{
    uint8_t page[TABLE_PAGE_SIZE];
    for (int a = 0; a + 2 < pages; a++) { /* the last may be shorter */
        uint8_t *one = victim_bytes + (size_t)(a + 1) * TABLE_PAGE_SIZE, *other = one;
        other += TABLE_PAGE_SIZE;
        treb_error error;
        for (int twice = 0; twice < 2; twice++) {
            memcpy(page, one, sizeof page);
            memcpy(one, other, sizeof page);
            memcpy(other, page, sizeof page);
            treb_status status = read_bytes(victim_bytes, &error);
            ck_assert_int_eq(status, twice ? TREB_OK : TREB_ERR_DAMAGED);
        }
    }
}
END_TEST

/* ---- sealed by a foreign writer -------------------------------------------------------------- */

static size_t page_size(int page)
{
    size_t at = (size_t)(page + 1) * TABLE_PAGE_SIZE;
    return meta_at - at < TABLE_PAGE_SIZE ? meta_at - at : TABLE_PAGE_SIZE;
}

static void seal_page(uint8_t *bytes, int page)
{
    uint8_t *at = bytes + (size_t)(page + 1) * TABLE_PAGE_SIZE;
    format_put32(at, format_page_checksum(at, page_size(page), (uint64_t)page));
}

/* A block has fewer cells than it should, or more. */
START_TEST(cells_missing)
{
    treb_error error = {0};
    for (int p = 0; p < pages; p++) {
        uint8_t *length = victim_bytes + (size_t)(p + 1) * TABLE_PAGE_SIZE + PAGE_AT_LENGTHS;
        for (unsigned less = 1; less < 500; less *= 7) {
            unsigned before = format_get16(length);
            const unsigned now[] = {before > less ? before - less : 0, before + less};
            for (int i = 0; i < 2; i++) {
                format_put16(length, (uint16_t)now[i]);
                seal_page(victim_bytes, p);
                ck_assert_int_eq(read_bytes(victim_bytes, &error), TREB_ERR_DAMAGED);
                ck_assert_msg(strstr(error.text, "too many cells or too few") != NULL, "%s",
                              error.text);
            }
            format_put16(length, (uint16_t)before);
        }
        seal_page(victim_bytes, p);
    }
    ck_assert_int_eq(read_bytes(victim_bytes, &error), TREB_OK);
}
END_TEST

/* Any bytes in a page give an answer or an error, within bounds. */
START_TEST(anything_in_pages)
{
    uint64_t state = 3;
    int failed = 0, done = FOREIGN / test_part();
    uint8_t *bytes = malloc(victim_size);
    for (int i = 0; i < done; i++) {
        memcpy(bytes, victim_bytes, victim_size);
        int p = (int)(next_random31(&state) % (unsigned)pages);
        uint8_t *page = bytes + (size_t)(p + 1) * TABLE_PAGE_SIZE;
        size_t from = next_random31(&state) % page_size(p), lengths = format_page_words(64, PAGE_LENGTH);
        unsigned changes = 1 + next_random31(&state) % 40;
        if (i % 2) from %= lengths; /* the numbers of cells */
        for (unsigned k = 0; k < changes && from + k < page_size(p); k++)
            page[from + k] = (uint8_t)(i % 3 ? next_random31(&state) : i % 5 ? 0xff : 0);
        seal_page(bytes, p);
        treb_error error = {0};
        treb_status status = read_bytes(bytes, &error);
        if (status != TREB_OK && status != TREB_ERR_DAMAGED) ck_abort_msg("status %d", status);
        failed += status != TREB_OK;
    }
    ck_assert_int_gt(failed, 0);
    free(bytes);
}
END_TEST

/* Any bytes in the codes and the page table give an answer or an error, within bounds. */
START_TEST(anything_in_codes)
{
    uint64_t state = 4;
    int opened = 0, done = FOREIGN / test_part();
    uint8_t *bytes = malloc(victim_size);
    for (int i = 0; i < done; i++) {
        memcpy(bytes, victim_bytes, victim_size);
        size_t from = code_at[0] + next_random31(&state) % (victim_size - code_at[0]);
        unsigned changes = 1 + next_random31(&state) % 4;
        for (unsigned k = 0; k < changes && from + k < victim_size; k++)
            bytes[from + k] = (uint8_t)(i % 3 ? next_random31(&state) % 8 : next_random31(&state));
        reseal(bytes, victim_size);
        treb_error error = {0};
        treb_status status = read_bytes(bytes, &error);
        if (status != TREB_OK && status != TREB_ERR_DAMAGED) ck_abort_msg("status %d", status);
        opened += status == TREB_OK || strstr(error.text, "header damaged") == NULL;
    }
    ck_assert_int_gt(opened, done / 20);
    ck_assert_int_lt(opened, done);
    free(bytes);
}
END_TEST

typedef enum Part { FIXED, CODE, FIRST } Part; /* the header, Black's code, pages' cells */

static const struct {
    Part part;
    int at, bytes;
    uint64_t value;
    const char *words;
} wrong_field[] = {
    {FIXED, FORMAT_AT_VERSION, 2, 3, "unknown codec"},
    {FIXED, FORMAT_AT_CODEC, 2, TABLE_ZSTD, "codec does not fit"},
    {FIXED, FORMAT_AT_CODEC, 2, 2, "unknown codec"},
    {FIXED, FORMAT_AT_INDEX_SCHEME, 1, FORMAT_SCHEME_PLAIN, "codec does not fit"},
    {FIXED, FORMAT_AT_METRIC, 1, TABLE_BLOCKED, "metric does not fit"},
    {FIXED, FORMAT_AT_PAD, 2, 2, "bad padding"},
    {FIXED, FORMAT_AT_ORDER, 1, 1, "bad order of axes"},
    {FIXED, FORMAT_AT_PER_BYTE, 1, 3, "bad base"},
    {FIXED, FORMAT_AT_DICTIONARY_SIZE, 4, 1, "bad size of the dictionary"},
    {FIXED, FORMAT_AT_CELLS, 8, 29567, "bad number of cells"},
    {FIXED, FORMAT_FIXED_SIZE, 1, 1, "bytes between it and the pages are not zero"},
    {FIXED, TABLE_PAGE_SIZE - 1, 1, 1, "bytes between it and the pages are not zero"},
    {CODE, AT_ORDER, 2, 0x0101, "bad order of axes"},
    {CODE, AT_ORDER, 2, 0x0200, "bad order of axes"},
    {CODE, AT_ORDER + 2, 1, 1, "bad order of axes"},
    {CODE, AT_ORDER + FORMAT_ORDER_SIZE - 1, 1, 1, "bad order of axes"},
    {CODE, AT_CODES, 1, 0, "bad number of codes"},
    {CODE, AT_CODES, 1, 1, "bad size of the page table"},
    {CODE, AT_CODES, 1, TABLE_SIDE_CODES, ""},
    {CODE, AT_CODES, 1, TABLE_SIDE_CODES + 1, "bad number of codes"},
    {CODE, AT_CODES, 1, 255, "bad number of codes"},
    {CODE, AT_BLOCK, 4, 7, "bad block size"},
    {CODE, AT_BLOCK, 4, PAGE_BLOCK_MAX + 1, "bad block size"},
    {CODE, AT_BLOCK, 4, 0xffffffff, "bad block size"},
    {CODE, AT_BLOCK, 4, 68, "bad number of pages"},
    {CODE, AT_PAGES, 4, 0, "more than one code"},
    {CODE, AT_PAGES, 4, 0xffffffff, "bad size of the page table"},
    {CODE, AT_WORDS, 1, 0, "bad code"},
    {CODE, AT_WORDS, 1, 99, "bad code"},
    {CODE, AT_WORDS + 1, 1, 255, ""},
    {CODE, AT_WORDS + 2, 2, 0, "bad code"},
    {CODE, AT_WORDS + 2, 2, 0xffff, "a code ends early"},
    {FIRST, 0, 6, 1, "bad page table"},
    {FIRST, 0, 6, (uint64_t)CODES << 42, "bad page table"},
    {FIRST, 0, 6, UINT64_C(63) << 42, "bad page table"},
    {FIRST, 6, 6, 0, "bad page table"},
    {FIRST, 6, 6, 29568, "bad page table"},
    {FIRST, 6, 6, UINT64_C(0xffffffffffff), "bad page table"},
};

START_TEST(field_wrong)
{
    const size_t at[] = {0, code_at[1], first_at};
    format_put(victim_bytes + at[wrong_field[_i].part] + wrong_field[_i].at, wrong_field[_i].bytes,
               wrong_field[_i].value);
    reseal(victim_bytes, victim_size);
    must_refuse(victim_bytes, victim_size, wrong_field[_i].words);
}
END_TEST

/* A symbol that contains itself, and values that do not fit into a byte. */
START_TEST(symbols_wrong)
{
    size_t pair = first_at - 4; /* the last symbol of Black's last code */
    const uint8_t *code = victim_bytes + code_at[1] + AT_WORDS;
    for (int c = 1; c < CODES; c++)
        code += FORMAT_CODE_HEAD + 2 * (code[1] - code[0] + 1) + 4 * format_get16(code + 2);
    unsigned number = format_get16(code + 2) - 1u;
    uint32_t before = format_get32(victim_bytes + pair);
    format_put16(victim_bytes + pair, (uint16_t)number);
    format_put16(victim_bytes + pair + 2, 0);
    reseal(victim_bytes, victim_size);
    must_refuse(victim_bytes, victim_size, "contradict each other");
    format_put16(victim_bytes + pair, (uint16_t)(number + 1));
    reseal(victim_bytes, victim_size);
    must_refuse(victim_bytes, victim_size, "contradict each other");
    format_put16(victim_bytes + pair, 256);
    format_put16(victim_bytes + pair + 2, CODE_LEAF);
    reseal(victim_bytes, victim_size);
    must_refuse(victim_bytes, victim_size, "too large");
    format_put32(victim_bytes + pair, before);
    reseal(victim_bytes, victim_size);
    treb_error error = {0};
    ck_assert_int_eq(read_bytes(victim_bytes, &error), TREB_OK);
}
END_TEST

/* Counts the wrong cells; all of them must be in that page. */
static int wrong_cells(int page)
{
    treb_error error = {0};
    int wrong = 0;
    Table *table = table_open(victim_path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    for (int s = 0; s < 2; s++)
        for (uint64_t i = 0; i < victim.header.index.size; i++) {
            int code = table_read_cell(table, WAIT_FOR_ALL, s, i, NULL, NULL);
            if (code == (int)sample_cell(&victim, s, i)) continue;
            if (code < 0 && code != -(int)TREB_ERR_DAMAGED) ck_abort_msg("status %d", code);
            if (table_cell_page(table, s, i).at != (uint64_t)(page + 1) * TABLE_PAGE_SIZE)
                ck_abort_msg("cell %d of side %d", (int)i, s);
            wrong++;
        }
    table_close(table);
    return wrong;
}

/* A page that names another of the side's codes: wrong values or errors, and only in that page. */
START_TEST(another_code)
{
    int wrong = 0;
    for (int p = 0; p < pages; p++) {
        treb_error error = {0};
        uint8_t *entry = victim_bytes + first_at + FORMAT_FIRST_SIZE * (size_t)p;
        uint64_t before = format_get48(entry);
        ck_assert_uint_lt(before >> 42, CODES);
        format_put48(entry, before ^ UINT64_C(1) << 42);
        reseal(victim_bytes, victim_size);
        treb_status status = read_bytes(victim_bytes, &error);
        ck_assert(status == TREB_OK || status == TREB_ERR_DAMAGED);
        wrong += wrong_cells(p) > 0;
        format_put48(entry, before);
    }
    ck_assert_int_gt(wrong, pages / 2);
    reseal(victim_bytes, victim_size);
    treb_error error = {0};
    ck_assert_int_eq(read_bytes(victim_bytes, &error), TREB_OK);
    ck_assert_int_eq(wrong_cells(-1), 0);
}
END_TEST

/* A side without pages must have one value for all cells, not several symbols. */
START_TEST(no_pages_but_symbols)
{
    static const uint8_t code[] = {1, 1, 2, 0, 0, 0, 1, 0, 1, 0, 2, 0, 0xff, 0xff};
    treb_error error = {0};
    Sample sample = make_coded_sample("KvK", TREB_WDL, 1, 1, 1, 64);
    TableCode *to = &sample.header.side[0].code;
    TableWriter *writer = table_writer_open(directory, &sample.header, NULL, 0, &error);
    ck_assert_ptr_nonnull(writer);
    to->bytes = malloc(sizeof code);
    memcpy(to->bytes, code, sizeof code);
    to->size = sizeof code;
    treb_status status = table_writer_finish(writer, &sample.header, NULL, &error);
    if (status == TREB_OK) {
        char path[PATH_SIZE];
        path_of_sample(&sample, path);
        ck_assert_ptr_null(table_open(path, &error));
        ck_assert_int_eq(error.status, TREB_ERR_DAMAGED);
        ck_assert_msg(strstr(error.text, "more than one value") != NULL, "%s", error.text);
    }
    free_sample(&sample);
}
END_TEST

/* ---- profiles -------------------------------------------------------------------------------- */

/* Where the parts of `profiled` are, from the meta part on. */
enum {
    AT_CLASS_COUNT = 4,
    AT_BYTES = 8,
    AT_TURN = 12,
    AT_STEPS = 13,
    STEP_BYTES = 3,
    AT_CLASSES = AT_STEPS + 2 * STEP_BYTES,
    CLASS_BYTES = 10
};

/* Cells with profiles of their own: in a class of losses or other wins, and in one in which a zeroing move comes first. */
static const SymbolsProfile own_profile[] = {{100, 2, {5, 0}},
                                             {900, 6, {0, 3, 2, 2, 3, 0}},
                                             {901, 3, {0, 1, 7}},
                                             {25000, 4, {5, 2, 4, 0}},
                                             {0}};

/* A DTM50 table with three profiles, two classes, and those profiles. */
static void make_profiled(void)
{
    static const TableProfile step[] = {{0, 0, 0}, {0, TABLE_PROFILE_START, 4}, {1, 3, 2}};
    static const TableProfileClass classes[] = {{0, 1, 7, 3}, {1, 3, 9, 1}};
    static const uint32_t list[] = {1, 2, 0, 3};
    make_directory();
    victim = make_coded_sample("KQvK", TREB_DTM50, 1, 1, 3, 64);
    for (int s = 0; s < 2; s++) memset(victim.header.side[s].codes, 0, sizeof victim.header.side[s].codes);
    free(victim.data[1]);
    ck_assert_ptr_nonnull(victim.data[1] = malloc(sizeof own_profile));
    memcpy(victim.data[1], own_profile, sizeof own_profile);
    TableProfiles *p = &victim.header.profiles;
    *p = (TableProfiles){.count = 3, .class_count = 2, .listed = 4, .most = 3};
    ck_assert_ptr_nonnull(p->step = malloc(sizeof step));
    ck_assert_ptr_nonnull(p->classes = malloc(sizeof classes));
    ck_assert_ptr_nonnull(p->list = malloc(sizeof list));
    memcpy(p->step, step, sizeof step);
    memcpy(p->classes, classes, sizeof classes);
    memcpy(p->list, list, sizeof list);
    must_write_coded(&victim);
    path_of_sample(&victim, victim_path);
    victim_bytes = load(victim_path, &victim_size);
    meta_at = (size_t)format_get64(victim_bytes + FORMAT_AT_META);
}

static const struct {
    int at, bytes;
    uint32_t value;
    const char *words;
} wrong_profile[] = {
    {0, 4, 0, "bad number of profiles"},
    {0, 4, 0xffffffff, "profiles end early"},
    {AT_CLASS_COUNT, 4, 1, "bad class of profiles"},
    {AT_CLASS_COUNT, 4, 3, "bad class of profiles"},
    {AT_CLASS_COUNT, 4, 0xffffffff, "profiles end early"},
    {AT_BYTES, 4, 2 * STEP_BYTES + CLASS_BYTES - 1, "bad class of profiles"},
    {AT_BYTES, 4, 0xffffffff, "profiles end early"},
    {AT_TURN, 1, 2, "bad number of profiles"},
    {AT_STEPS, 1, 3, "bad profile"},
    {AT_STEPS + STEP_BYTES, 1, 2, "bad profile"},
    {AT_STEPS + STEP_BYTES + 1, 1, 0, "bad profile"},
    {AT_STEPS + STEP_BYTES + 2, 1, 4, "bad profile"},
    {AT_CLASSES, 1, 9, "bad class of profiles"},
    {AT_CLASSES + 2, 1, 0, "bad class of profiles"},
    {AT_CLASSES + 3, 1, 4, "bad class of profiles"},
    {AT_CLASSES + 3, 1, 0x80, "bad class of profiles"},
    {AT_CLASSES + 4, 1, 6, "bad class of profiles"},
    {AT_CLASSES + CLASS_BYTES - 1, 1, 0, "bad class of profiles"}, /* no cell has one of its own */
    {AT_CLASSES + CLASS_BYTES - 1, 1, 4, "bad class of profiles"},
};

START_TEST(profile_wrong)
{
    format_put(victim_bytes + meta_at + wrong_profile[_i].at, wrong_profile[_i].bytes,
               wrong_profile[_i].value);
    reseal(victim_bytes, victim_size);
    must_refuse(victim_bytes, victim_size, wrong_profile[_i].words);
}
END_TEST

/* The right file is read, and one of the version before it is not. */
START_TEST(version_of_profiles)
{
    treb_error error;
    Table *table = table_open(victim_path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    const TableProfiles *p = &table_header(table)->profiles;
    const TableHeader *h = table_header(table);
    const TableProfileClass *of = table_profile_class(h, 9, 1);
    ck_assert(of == &p->classes[1] && table_profile_class(h, 7, 3) == &p->classes[0]);
    ck_assert(table_profile_class(h, 7, 1) == NULL && table_profile_class(h, 9, 2) == NULL);
    ck_assert_int_eq(table_profile_at(p, of, 0), 2);
    ck_assert_int_eq(table_profile_at(p, of, 1), 0);
    ck_assert_int_eq(table_profile_at(p, of, 2), 3);
    ck_assert_int_eq(table_profile_at(p, of, 3), -1);
    /* The last class is of wins with a zeroing move. */
    ck_assert_int_eq(table_profile_extra(table_header(table), of, 0, 1), TABLE_PROFILE_ZEROING);
    ck_assert_int_eq(table_profile_extra(table_header(table), of, 2, 3), 2);
    ck_assert_int_eq(table_profile_extra(table_header(table), of, 2, 4), 4);
    ck_assert_int_eq(table_profile_extra(table_header(table), &p->classes[0], 0, 1), 0);
    table_close(table);
    format_put16(victim_bytes + FORMAT_AT_VERSION, FORMAT_VERSION_PROFILES - 1);
    reseal(victim_bytes, victim_size);
    must_refuse(victim_bytes, victim_size, "must be made again");
}
END_TEST

/* What a cell's own profile adds, by how much DTM exceeds the plies left. */
static const struct {
    uint64_t cell;
    int of; /* class */
    unsigned short_by;
    int extra;
} own_extra[] = {
    {100, 0, 1, 8},   {100, 0, 4, 8},   {25000, 0, 4, 8}, {25000, 0, 1, 8},
    {900, 1, 1, 2},   {900, 1, 3, 2},   {900, 1, 4, 4},   {900, 1, 6, 4},
    {900, 1, 7, TABLE_PROFILE_ZEROING}, {901, 1, 1, 0},   {901, 1, 2, TABLE_PROFILE_ZEROING},
};

START_TEST(own_profiles)
{
    treb_error error;
    Table *table = table_open(victim_path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    const TableHeader *h = table_header(table);
    for (size_t i = 0; i < sizeof own_extra / sizeof *own_extra; i++) {
        const TableProfileClass *of = &h->profiles.classes[own_extra[i].of];
        const int extra =
            table_read_own_profile(table, WAIT_FOR_ALL, own_extra[i].cell, of, own_extra[i].short_by, &error);
        ck_assert_msg(extra == own_extra[i].extra, "%d: %d", (int)i, extra);
    }
    /* Cells before them, or far behind one, have none. */
    static const uint64_t none[] = {0, 99, 24999};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        ck_assert_int_eq(table_read_own_profile(table, WAIT_FOR_ALL, none[i], h->profiles.classes, 1, &error),
                         -(int)TREB_ERR_DAMAGED);
        ck_assert_ptr_nonnull(strstr(error.text, "a profile is not in it"));
    }
    table_close(table);
}
END_TEST

/* Any bytes in a page of profiles, or in their codes, give an answer or an error, within bounds. */
START_TEST(anything_in_profiles)
{
    uint64_t state = 7;
    int failed = 0, good = 0;
    pages = (int)((meta_at - 1) / TABLE_PAGE_SIZE);
    uint8_t *bytes = malloc(victim_size);
    const size_t last = (size_t)pages * TABLE_PAGE_SIZE;
    const size_t codes = victim_size - FORMAT_FIRST_SIZE * (size_t)pages - victim.header.side[1].code.size;
    for (int i = 0; i < FOREIGN / test_part(); i++) {
        memcpy(bytes, victim_bytes, victim_size);
        const bool in_page = i % 2;
        const size_t from = in_page ? last : codes;
        const size_t size = in_page ? meta_at - last : victim.header.side[1].code.size;
        for (unsigned k = next_random31(&state) % 8 + 1; k > 0; k--)
            bytes[from + next_random31(&state) % size] = (uint8_t)next_random31(&state);
        seal_page(bytes, pages - 1);
        reseal(bytes, victim_size);
        treb_error error = {0};
        write_victim(bytes, victim_size);
        Table *table = table_open(victim_path, &error);
        failed += table == NULL;
        for (size_t k = 0; table != NULL && k < sizeof own_extra / sizeof *own_extra; k++) {
            const TableProfileClass *of = &table_header(table)->profiles.classes[own_extra[k].of];
            const int extra = table_read_own_profile(table, WAIT_FOR_ALL, own_extra[k].cell, of, 1, &error);
            if (extra < 0 && extra != -(int)TREB_ERR_DAMAGED) ck_abort_msg("status %d", -extra);
            failed += extra < 0;
            good += extra >= 0;
        }
        table_close(table);
    }
    ck_assert_int_gt(failed, 0);
    ck_assert_int_gt(good, 0);
    free(bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("damaged symbols");
    TCase *tests = add_case(suite, "damaged files", make_victim, free_victim);
    tcase_add_test(tests, any_bit);
    tcase_add_test(tests, any_byte_of_the_header);
    tcase_add_test(tests, one_page);
    tcase_add_test(tests, truncated);
    tcase_add_test(tests, too_long);
    tcase_add_test(tests, pages_swapped);
    tcase_add_test(tests, cells_missing);
    tcase_add_test(tests, anything_in_pages);
    tcase_add_test(tests, anything_in_codes);
    tcase_add_loop_test(tests, field_wrong, 0, sizeof wrong_field / sizeof *wrong_field);
    tcase_add_test(tests, symbols_wrong);
    tcase_add_test(tests, another_code);
    tcase_add_test(tests, no_pages_but_symbols);
    TCase *profiles = add_case(suite, "damaged profiles", make_profiled, free_victim);
    tcase_add_loop_test(profiles, profile_wrong, 0, sizeof wrong_profile / sizeof *wrong_profile);
    tcase_add_test(profiles, version_of_profiles);
    tcase_add_test(profiles, own_profiles);
    tcase_add_test(profiles, anything_in_profiles);
    return run_suite(suite);
}
