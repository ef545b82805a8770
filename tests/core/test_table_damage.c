/* test_table_damage.c - every damage of a table file is noticed and named. */
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64
#include "tests/support/table_sample.h"

/* A table of 29 + 29 blocks and its bytes, for tests that damage it. */
static Sample victim;
static char victim_path[PATH_SIZE];
static uint8_t *victim_bytes;
static size_t victim_size;

static void make_victim(void)
{
    make_directory();
    victim = make_sample("KQvK", TREB_WDL, 1, 1, 3);
    strcpy(victim.header.side[0].longest_fen[4], "8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    must_write(&victim, IN_ORDER);
    path_of_sample(&victim, victim_path);
    victim_bytes = load(victim_path, &victim_size);
}

static void free_victim(void)
{
    free_sample(&victim);
    free(victim_bytes);
    remove_directory();
}

static void must_refuse(const char *path, treb_status status, const char *words)
{
    treb_error error = {0};
    Table *table = table_open(path, &error);
    ck_assert_msg(table == NULL, "%s was opened; expected: %s", path, words);
    ck_assert_msg(error.status == status, "status %d: %s", error.status, error.text);
    ck_assert_msg(strstr(error.text, words) != NULL, "'%s' lacks '%s'", error.text, words);
    ck_assert_msg(strstr(error.text, path) != NULL, "'%s' does not name the file", error.text);
}

static void must_refuse_bytes(const void *bytes, size_t size, const char *words)
{
    save(victim_path, bytes, size);
    must_refuse(victim_path, TREB_ERR_DAMAGED, words);
}

START_TEST(empty_file) { must_refuse_bytes("", 0, "is empty"); }
END_TEST

START_TEST(text_file)
{
    const char *text = "This is not a table at all, but a text that is long enough to be one. "
                       "It goes on for a while.\n";
    must_refuse_bytes(text, strlen(text), "is not a Trebuchet table");
    must_refuse_bytes("x", 1, "is not a Trebuchet table");
}
END_TEST

START_TEST(foreign_magic)
{
    memcpy(victim_bytes, "\x89PNG\r\n\x1a\n", 8);
    must_refuse_bytes(victim_bytes, victim_size, "is not a Trebuchet table");
}
END_TEST

START_TEST(newer_version)
{
    format_put16(victim_bytes + FORMAT_AT_VERSION, FORMAT_VERSION + 1);
    char words[80];
    snprintf(words, sizeof words, "has format version %d, but this program reads versions up to %d", FORMAT_VERSION + 1, FORMAT_VERSION);
    must_refuse_bytes(victim_bytes, victim_size, words);
}
END_TEST

START_TEST(truncated)
{
    for (size_t size = 1; size < victim_size; size += 97)
        must_refuse_bytes(victim_bytes, size, "truncated");
    must_refuse_bytes(victim_bytes, victim_size - 1, "truncated");
    char words[80];
    snprintf(words, sizeof words, "truncated: header says %zu bytes, file has 1000", victim_size);
    must_refuse_bytes(victim_bytes, 1000, words);
}
END_TEST

START_TEST(too_long)
{
    victim_bytes[victim_size] = 0; /* load left room for a zero */
    must_refuse_bytes(victim_bytes, victim_size + 1, "too long");
}
END_TEST

START_TEST(header_byte_altered)
{
    size_t meta = format_get64(victim_bytes + FORMAT_AT_META);
    for (size_t i = 0; i < victim_size; i++) {
        if (i == FORMAT_FIXED_SIZE) i = meta;
        for (int flip = 1; flip < 256; flip += 254) {
            victim_bytes[i] ^= (uint8_t)flip;
            must_refuse_bytes(victim_bytes, victim_size, "");
            victim_bytes[i] ^= (uint8_t)flip;
        }
    }
}
END_TEST

START_TEST(header_checksum)
{
    victim_bytes[FORMAT_AT_METRIC] ^= 1;
    must_refuse_bytes(victim_bytes, victim_size, "header damaged: its checksum differs");
}
END_TEST

/* A wrong field with a right checksum, as from a fuzzer or a faulty writer. */
static const struct {
    int at, bytes;
    uint64_t value;
    const char *words;
} wrong_field[] = {
    {FORMAT_AT_VERSION, 2, 0, "bad sizes"},
    {FORMAT_AT_METRIC, 1, TABLE_BLOCKED, "metric does not fit"},
    {FORMAT_AT_METRIC, 1, TREB_DTM50 + 1, "unknown metric"},
    {FORMAT_AT_METRIC, 1, TREB_DTM50, "a DTM50 table of an older version"},
    {FORMAT_AT_INDEX_SCHEME, 1, 0, "unknown index scheme"},
    {FORMAT_AT_INDEX_SCHEME, 1, FORMAT_SCHEME_BLOCKED, "metric does not fit"},
    {FORMAT_AT_INDEX_SCHEME, 1, FORMAT_SCHEME_SQUARE_COLORS, "codec does not fit"},
    {FORMAT_AT_INDEX_SCHEME, 1, FORMAT_SCHEME_PAWN + 1, "unknown index scheme"},
    {FORMAT_AT_FLAGS, 4, 0x80000000, "reserved bits"},
    {FORMAT_AT_FLAGS, 4, FORMAT_FLAG_BOUNDS << 1, "reserved bits"},
    {FORMAT_AT_FLAGS, 4, FORMAT_FLAG_BOUNDS, "only verdicts and mate distances are bounds"},
    {FORMAT_AT_CODEC, 2, TABLE_SYMBOLS, "unknown codec"}, /* in this version */
    {FORMAT_AT_CODEC, 2, 0x8000, "unknown codec"},
    {FORMAT_AT_MATERIAL + 3, 1, 0, "bad material name"},
    {FORMAT_AT_MATERIAL + 1, 1, 'K', "bad material name"},
    {FORMAT_AT_MATERIAL + 2, 2, 0x5176, "bad material name"},
    {FORMAT_AT_MATERIAL + 10, 1, 'Q', "bad material name"},
    {FORMAT_AT_MATERIAL + 23, 1, 'Q', "bad material name"},
    {FORMAT_AT_MATERIAL + 1, 1, 'P', "bad number of axes"},
    {FORMAT_AT_AXES, 1, 1, "bad number of axes"},
    {FORMAT_AT_ORDER, 2, 0x0101, "bad order"},
    {FORMAT_AT_ORDER, 2, 0x0200, "bad order"},
    {FORMAT_AT_ORDER + 2, 1, 1, "bad order"},
    {FORMAT_AT_PAD, 2, 0, "bad padding"},
    {FORMAT_AT_PAD, 2, 0xffff, "bad number of cells"},
    {FORMAT_AT_PER_BYTE, 1, 0, "bad number of cells in a byte"},
    {FORMAT_AT_PER_BYTE, 1, 9, "bad number of cells in a byte"},
    {FORMAT_AT_PER_BYTE, 1, 5, "bad base"},
    {FORMAT_AT_WIDTH, 1, 0, "bad width"},
    {FORMAT_AT_WIDTH, 1, 3, "bad width"},
    {FORMAT_AT_WIDTH, 1, 2, "bad size of the block table"},
    {FORMAT_AT_BLOCK_BITS, 1, 9, "bad block size"},
    {FORMAT_AT_BLOCK_BITS, 1, 21, "bad block size"},
    {FORMAT_AT_STORED, 1, 0, "bad set of sides"},
    {FORMAT_AT_STORED, 1, 4, "bad set of sides"},
    {FORMAT_AT_STORED, 1, 1, "a side to move is missing"},
    {FORMAT_AT_BASE, 4, 256, "bad base"},
    {FORMAT_AT_DICTIONARY_SIZE, 4, 0xffffffff, "bad size of the dictionary"},
    {FORMAT_AT_DICTIONARY_SIZE, 4, 1 << 20, "bad size of the dictionary"},
    {FORMAT_AT_DICTIONARY_SIZE, 4, 10, "bad size of the block table"},
    {FORMAT_AT_CELLS, 8, UINT64_MAX, "bad number of cells"},
    {FORMAT_AT_FILE_SIZE, 8, UINT64_MAX, "truncated: header says 18446744073709551615 bytes"},
    {FORMAT_AT_META, 8, 95, "bad sizes"},
    {FORMAT_AT_META, 8, UINT64_MAX, "bad sizes"},
};

START_TEST(field_wrong)
{
    uint8_t *field = victim_bytes + wrong_field[_i].at;
    format_put(field, wrong_field[_i].bytes, wrong_field[_i].value);
    reseal(victim_bytes, victim_size);
    must_refuse_bytes(victim_bytes, victim_size, wrong_field[_i].words);
}
END_TEST

/* Wrong fields in the part behind the blocks. Offsets count from its beginning. */
enum { AT_CODES = 60, AT_FEN = 70 + 4, FEN_LENGTH = 30, AT_PRESENT = 70 + 5 + FEN_LENGTH };
enum { AT_MAP = AT_PRESENT + 1, AT_ENTRIES = AT_MAP + 10 + 76 + 10 };

static const struct {
    int at, bytes;
    uint64_t value;
    const char *words;
} wrong_meta[] = {
    {AT_CODES, 2, 0, "bad number of codes"},
    {AT_CODES, 2, 0xffff, "bad number of codes"},
    {AT_CODES + 2, 2, 1, "bad number of codes"},
    {AT_CODES, 2, 6, "bad"},
    {AT_FEN, 1, 96, "bad FEN"},
    {AT_FEN, 1, 255, "bad FEN"},
    {AT_FEN + 1, 1, '<', "bad FEN"},
    {AT_FEN + 1, 1, 0, "bad FEN"},
    {AT_PRESENT, 1, 1, "bad set of histograms"},
    {AT_PRESENT, 1, 0x20, "bad set of histograms"},
    {AT_MAP, 2, WDL_VALUES, "bad value map"},
    {AT_ENTRIES, 6, 1, "bad block table"},
    {AT_ENTRIES + 10, 6, 0, "bad block table"},
    {AT_ENTRIES + 20, 6, UINT64_C(0xffffffffffff), "bad block table"},
    {AT_ENTRIES + 57 * 10, 6, UINT64_C(0xffffffffffff), "bad block table"},
    {AT_ENTRIES + 57 * 10, 6, 3000, "bad block table"},
};

START_TEST(meta_wrong)
{
    uint8_t *meta = victim_bytes + format_get64(victim_bytes + FORMAT_AT_META);
    ck_assert_uint_eq(meta[AT_FEN], FEN_LENGTH);
    ck_assert_ptr_eq(meta + AT_ENTRIES + 58 * FORMAT_ENTRY_SIZE, victim_bytes + victim_size);
    format_put(meta + wrong_meta[_i].at, wrong_meta[_i].bytes, wrong_meta[_i].value);
    reseal(victim_bytes, victim_size);
    must_refuse_bytes(victim_bytes, victim_size, wrong_meta[_i].words);
}
END_TEST

/* Wrong fields in a table of distances. White's losses have a histogram of 21 entries, whose sum is
 * 1. The texts before it are empty except for the first. */
enum { AT_LONGEST = 40, AT_SET = 70 + 5 + FEN_LENGTH, AT_HISTOGRAM = AT_SET + 1 };

static const struct {
    int at, bytes;
    uint64_t value;
    const char *words;
} wrong_histogram[] = {
    {AT_SET, 1, 1 << TREB_DRAW, "bad set of histograms"},
    {AT_SET, 1, 0x20, "bad set of histograms"},
    {AT_HISTOGRAM, 8, 1, "bad histogram"},                 /* the sum is too large */
    {AT_HISTOGRAM + 20 * 8, 8, 0, "bad histogram"},        /* the sum is too small, and the last
                                                              entry is 0 */
    {AT_HISTOGRAM, 8, UINT64_MAX, "bad histogram"},        /* the sum overflows */
    {AT_LONGEST, 4, TABLE_PLIES_MAX + 1, "bad histogram"}, /* too long */
    {AT_LONGEST, 4, UINT32_MAX, "bad histogram"},
    {AT_LONGEST, 4, 19, "bad histogram"}, /* the last entry is cut off */
    {AT_LONGEST, 4, TABLE_PLIES_MAX, "bad histogram"},
};

START_TEST(histogram_wrong)
{
    Sample sample = make_sample("KQvK", TREB_DTZ, 1, 1, 3);
    char path[PATH_SIZE];
    size_t size;
    strcpy(sample.header.side[0].longest_fen[TREB_LOSS], "8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    sample.header.side[0].longest_fen[TREB_WIN][0] = '\0';
    ck_assert_int_eq(remove(victim_path), 0);
    must_write(&sample, IN_ORDER);
    path_of_sample(&sample, path);
    uint8_t *bytes = load(path, &size), *meta = bytes + format_get64(bytes + FORMAT_AT_META);
    ck_assert_uint_eq(meta[AT_SET], 1 << TREB_LOSS | 1 << TREB_CURSED_WIN);
    format_put(meta + wrong_histogram[_i].at, wrong_histogram[_i].bytes, wrong_histogram[_i].value);
    reseal(bytes, size);
    must_refuse_bytes(bytes, size, wrong_histogram[_i].words);
    free(bytes);
    free_sample(&sample);
}
END_TEST

/* Wrong fields in a blocked-pawn table. Offsets from ABOUT on are in the part behind the blocks. */
enum { ABOUT = FORMAT_FIXED_SIZE };

static const struct {
    int at, bytes;
    uint64_t value;
    const char *words;
} wrong_blocked[] = {
    {FORMAT_AT_VERSION, 2, 2, "later version"},
    {FORMAT_AT_METRIC, 1, TREB_DTC, "metric does not fit"},
    {FORMAT_AT_INDEX_SCHEME, 1, FORMAT_SCHEME_PLAIN, "metric does not fit"},
    {FORMAT_AT_MATERIAL, 1, 'Q', "bad material name"},
    {FORMAT_AT_MATERIAL + 1, 1, 'Q', "bad material name"},
    {FORMAT_AT_MATERIAL + 1, 8, UINT64_C(0x5050505050505050), "bad material name"},
    {FORMAT_AT_MATERIAL + 3, 1, 'P', "bad material name"},
    {FORMAT_AT_MATERIAL + 7, 1, 0, "bad number of cells"}, /* a pawn fewer */
    {FORMAT_AT_MATERIAL + 23, 1, 'P', "bad material name"},
    {FORMAT_AT_AXES, 1, 1, "bad number of axes"},
    {FORMAT_AT_ORDER + 6, 1, 1, "bad order"},
    {FORMAT_AT_PAD, 2, 2, "bad padding"},
    {FORMAT_AT_PER_BYTE, 1, 2, "bad number of cells in a byte"},
    {FORMAT_AT_STORED, 1, 1, "bad set of sides"},
    {FORMAT_AT_CELLS, 8, 8192, "bad number of cells"},
    {FORMAT_AT_META, 8, FORMAT_FIXED_SIZE, "bad"},
    {ABOUT, 8, 0, "bad pawns"},
    {ABOUT, 8, 0x10000 | 0x80, "bad pawns"},                     /* on the first rank */
    {ABOUT, 8, 0x10000 | UINT64_C(0x40000000000), "bad pawns"},  /* two on a square */
    {ABOUT, 8, 0x800000 | 0x20000000, "not in the orientation"}, /* g4 h3 */
    {ABOUT + 16, 8, 1, "bad goal"},                              /* squares, but exact */
    {ABOUT + 24, 1, GOAL_REACH, "bad goal"},                     /* no squares */
    {ABOUT + 24, 1, GOAL_TAKE, "bad goal"},                      /* with open placements */
    {ABOUT + 24, 1, GOALS, "bad goal"},
    {ABOUT + 25, 1, 1, "bad goal"}, /* safe */
    {ABOUT + 25, 1, 4, "reserved bits"},
    {ABOUT + 26, 6, 1, "reserved bits"},
    {ABOUT + 31, 1, 0x80, "reserved bits"},
    {ABOUT + 32, 8, 4097, "open placements"},
    {ABOUT + 40, 8, UINT64_MAX, "open placements"},
    {ABOUT + 48 + AT_CODES, 2, 0, "bad number of codes"},
    {ABOUT + 48 + AT_CODES, 2, 257, "bad number of codes"},
    {ABOUT + 48 + AT_CODES + 2, 2, 1, "bad number of codes"},
};

/* Writes a blocked-pawn table in place of the victim. Returns its bytes. */
static uint8_t *load_blocked(Sample *sample, char path[PATH_SIZE], size_t *size)
{
    *sample = make_blocked_sample(GOAL_EXACT, 1);
    ck_assert_int_eq(remove(victim_path), 0);
    must_write(sample, IN_ORDER);
    path_of_sample(sample, path);
    return load(path, size);
}

START_TEST(blocked_wrong)
{
    Sample sample;
    char path[PATH_SIZE];
    size_t size;
    uint8_t *bytes = load_blocked(&sample, path, &size);
    uint64_t meta = format_get64(bytes + FORMAT_AT_META);
    int at = wrong_blocked[_i].at;
    uint8_t *field = at < ABOUT ? bytes + at : bytes + meta + (at - ABOUT);
    format_put(field, wrong_blocked[_i].bytes, wrong_blocked[_i].value);
    reseal(bytes, size);
    save(path, bytes, size);
    must_refuse(path, TREB_ERR_DAMAGED, wrong_blocked[_i].words);
    free(bytes);
    free_sample(&sample);
}
END_TEST

/* Changes any byte of the header, and cuts the file anywhere; the checksum is not corrected. */
START_TEST(blocked_altered)
{
    Sample sample;
    char path[PATH_SIZE];
    size_t size;
    uint8_t *bytes = load_blocked(&sample, path, &size);
    size_t meta = format_get64(bytes + FORMAT_AT_META);
    for (size_t i = 0; i < size; i++) {
        if (i == FORMAT_FIXED_SIZE) i = meta;
        bytes[i] ^= 0x41;
        save(path, bytes, size);
        must_refuse(path, TREB_ERR_DAMAGED, "");
        bytes[i] ^= 0x41;
    }
    for (size_t cut = 1; cut < size; cut += 53) {
        save(path, bytes, cut);
        must_refuse(path, TREB_ERR_DAMAGED, "truncated");
    }
    free(bytes);
    free_sample(&sample);
}
END_TEST

/* Reads all blocks; exactly the one named must fail. */
static void must_fail_at(int bad_side, uint64_t bad_block)
{
    treb_error error;
    Table *table = table_open(victim_path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    TableDecoder *decoder = table_decoder_new();
    uint8_t out[1024];
    for (int s = 0; s < 2; s++) {
        for (uint64_t b = 0; b < table_side_blocks(table_header(table)); b++) {
            treb_status status = table_read_block(table, decoder, s, b, out, &error);
            bool bad = s == bad_side && b == bad_block;
            ck_assert_int_eq(status, bad ? TREB_ERR_DAMAGED : TREB_OK);
            if (!bad) continue;
            char words[PATH_SIZE + 80];
            snprintf(words, sizeof words, "%s: %s side, block %d damaged", victim_path,
                     s ? "black" : "white", (int)b);
            ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
        }
    }
    table_decoder_free(decoder);
    table_close(table);
}

START_TEST(block_byte_altered)
{
    uint64_t meta = format_get64(victim_bytes + FORMAT_AT_META), blocks = 29;
    const uint8_t *entry = victim_bytes + meta + AT_ENTRIES;
    for (uint64_t i = 0; i < 2 * blocks; i++, entry += FORMAT_ENTRY_SIZE) {
        uint64_t begin = format_get48(entry), end = meta - FORMAT_FIXED_SIZE;
        if (i + 1 < 2 * blocks) end = format_get48(entry + FORMAT_ENTRY_SIZE);
        uint8_t *middle = victim_bytes + FORMAT_FIXED_SIZE + begin + (end - begin) / 2;
        *middle ^= 0x55;
        save(victim_path, victim_bytes, victim_size);
        *middle ^= 0x55;
        must_fail_at((int)(i / blocks), i % blocks);
    }
}
END_TEST

START_TEST(cut_off_while_open)
{
    treb_error error;
    Table *table = table_open(victim_path, &error);
    TableDecoder *decoder = table_decoder_new();
    uint8_t out[1024];
    ck_assert_ptr_nonnull(table);
    ck_assert_int_eq(truncate(victim_path, 400), 0);
    treb_status status = table_read_block(table, decoder, 1, 3, out, &error);
    ck_assert_int_eq(status, TREB_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(error.text, "cut off while in use"));
    table_decoder_free(decoder);
    table_close(table);
}
END_TEST

START_TEST(unusable_dictionary)
{
    /* The dictionary begins like one of zstd's, but is none. */
    Sample sample = make_sample("KvK", TREB_WDL, 1, 1, 1);
    treb_error error;
    const uint8_t dictionary[40] = {0x37, 0xa4, 0x30, 0xec, 1, 0, 0, 0, 0xff, 0xff};
    TableWriter *writer =
        table_writer_open(directory, &sample.header, dictionary, sizeof dictionary, &error);
    uint8_t packed = 7;
    ck_assert_int_eq(table_writer_add(writer, 0, 0, &packed, 1, 0, &error), TREB_OK);
    ck_assert_int_eq(table_writer_finish(writer, &sample.header, NULL, &error), TREB_OK);
    char path[PATH_SIZE];
    path_of_sample(&sample, path);
    must_refuse(path, TREB_ERR_DAMAGED, "dictionary cannot be used");
    free_sample(&sample);
}
END_TEST

START_TEST(missing_file)
{
    unlink(victim_path);
    must_refuse(victim_path, TREB_ERR_NO_TABLE, "No such file");
}
END_TEST

START_TEST(directory_for_file)
{
    must_refuse(directory, TREB_ERR_IO, "is a directory");
    must_refuse("/dev/null", TREB_ERR_IO, "is not a regular file");
    char path[PATH_SIZE];
    path_of("pipe", path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    must_refuse(path, TREB_ERR_IO, "is not a regular file");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("damaged tables");
    TCase *tests = add_case(suite, "damaged files", make_victim, free_victim);
    tcase_add_test(tests, empty_file);
    tcase_add_test(tests, text_file);
    tcase_add_test(tests, foreign_magic);
    tcase_add_test(tests, newer_version);
    tcase_add_test(tests, truncated);
    tcase_add_test(tests, too_long);
    tcase_add_test(tests, header_byte_altered);
    tcase_add_test(tests, header_checksum);
    tcase_add_loop_test(tests, field_wrong, 0, sizeof wrong_field / sizeof *wrong_field);
    tcase_add_loop_test(tests, meta_wrong, 0, sizeof wrong_meta / sizeof *wrong_meta);
    tcase_add_loop_test(tests, histogram_wrong, 0,
                        sizeof wrong_histogram / sizeof *wrong_histogram);
    tcase_add_loop_test(tests, blocked_wrong, 0, sizeof wrong_blocked / sizeof *wrong_blocked);
    tcase_add_test(tests, blocked_altered);
    tcase_add_test(tests, block_byte_altered);
    tcase_add_test(tests, cut_off_while_open);
    tcase_add_test(tests, unusable_dictionary);
    tcase_add_test(tests, missing_file);
    tcase_add_test(tests, directory_for_file);
    return run_suite(suite);
}
