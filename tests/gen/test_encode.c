/* test_encode.c - encodes arrays of all kinds, and reads them back with the reader of Syzygy's
 * files. */
#include "gen/syzygy/array_encode.h"

#include <check.h>
#include <stdio.h>

#include "gen/compress/huffman.h"
#include "gen/compress/size_estimate.h"
#include "tests/gen/decode.h"
#include "tests/support/part.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

static uint64_t random_state;

static uint32_t random_below(uint32_t end)
{
    return (uint32_t)((uint64_t)next_random31(&random_state) * end >> 31);
}

static Encoded encode_with(const uint8_t *cells, uint64_t size, EncodeOptions options)
{
    Encoded out;
    treb_error error;
    ck_assert_int_eq(encode_array(cells, size, &options, &out, &error), TREB_OK);
    return out;
}

static bool is_constant(const Encoded *out) { return out->code[0] & SYZYGY_CONSTANT; }

static void compare_some(const Encoded *out, const uint8_t *cells, uint64_t size, uint64_t step)
{
    Decoder decoder;
    const char *wrong = decode_open(&decoder, out, size);
    ck_assert_msg(wrong == NULL, "%s", wrong);
    wrong = decode_compare(&decoder, cells, size, step);
    ck_assert_msg(wrong == NULL, "%s", wrong);
    decode_close(&decoder);
}

static void compare(const Encoded *out, const uint8_t *cells, uint64_t size)
{
    compare_some(out, cells, size, (uint64_t)test_part());
}

/* Encodes and reads back. Returns the number of bytes. */
static size_t round_trip(const uint8_t *cells, uint64_t size, EncodeOptions options)
{
    Encoded out = encode_with(cells, size, options);
    compare(&out, cells, size);
    size_t bytes = encoded_bytes(&out);
    encode_free(&out);
    ck_assert_ptr_null(out.code);
    return bytes;
}

static const EncodeOptions verdicts = {.threads = 2},
                           distances = {.threads = 2, .only_zero = true, .block_bits = 10};

/* Returns runs of `values` values. A run has at most `longest` cells. */
static uint8_t *random_runs(uint64_t size, uint32_t values, uint32_t longest)
{
    uint8_t *cells = malloc(size);
    ck_assert_ptr_nonnull(cells);
    for (uint64_t at = 0; at < size;) {
        uint8_t value = (uint8_t)random_below(values);
        for (uint32_t n = 1 + random_below(longest); n > 0 && at < size; n--) cells[at++] = value;
    }
    return cells;
}

START_TEST(any_size)
{
    static const uint64_t sizes[] = {1,   2,    3,     7,     64,    255,   256,
                                     257, 1000, 32768, 65535, 65536, 65537, 300001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t longest = 1; longest <= 4096; longest *= 8) {
            random_state = sizes[i] + longest;
            uint8_t *cells = random_runs(sizes[i], 5, longest);
            round_trip(cells, sizes[i], verdicts);
            round_trip(cells, sizes[i], distances);
            free(cells);
        }
}
END_TEST

START_TEST(all_values)
{
    random_state = 3;
    uint8_t *cells = random_runs(200000, ENCODE_VALUES, 3);
    size_t bytes = round_trip(cells, 200000, distances);
    ck_assert_uint_lt(bytes, 200000);
    free(cells);
}
END_TEST

/* Noise cannot be compressed: each value takes one code word, and the encoder uses as many symbols
 * as are allowed. */
START_TEST(noise)
{
    enum { SIZE = 1000000 };
    random_state = 4;
    uint8_t *cells = random_runs(SIZE, 64, 1);
    size_t bytes = round_trip(cells, SIZE, distances);
    ck_assert_uint_lt(bytes, SIZE * 6 / 8 * 11 / 10);
    free(cells);
}
END_TEST

START_TEST(symbols_have_a_limit)
{
    enum { SIZE = 2000000, WORD = 12, WORDS = 6000 };
    static uint8_t word[WORDS][WORD];
    random_state = 5;
    for (int i = 0; i < WORDS; i++)
        for (int k = 0; k < WORD; k++) word[i][k] = (uint8_t)random_below(200);
    uint8_t *cells = malloc(SIZE);
    ck_assert_ptr_nonnull(cells);
    memset(cells, 0, SIZE);
    for (int at = 0; at + WORD <= SIZE; at += WORD)
        memcpy(cells + at, word[random_below(WORDS)], WORD);
    Encoded out = encode_with(cells, SIZE, distances);
    compare(&out, cells, SIZE);
    unsigned shortest = out.code[9], longest = out.code[8];
    unsigned symbols = syzygy_get16(out.code + 10 + 2 * (longest - shortest + 1));
    ck_assert_uint_gt(symbols, 3000);
    ck_assert_uint_le(symbols, SYZYGY_SYMBOLS_MAX);
    encode_free(&out);
    free(cells);
}
END_TEST

/* ---- Constants ------------------------------------------------------------------------------- */

static void check_constant(const uint8_t *cells, uint64_t size, uint8_t value)
{
    Encoded out = encode_with(cells, size, verdicts);
    ck_assert(is_constant(&out));
    ck_assert_uint_eq(out.code_size, 2);
    ck_assert_uint_eq(out.code[1], value);
    ck_assert_uint_eq(out.blocks_size + out.sparse_size + out.lengths_size, 0);
    compare_some(&out, cells, size, 13);
    encode_free(&out);
}

START_TEST(constants)
{
    enum { SIZE = 5000000 };
    uint8_t *cells = malloc(SIZE);
    ck_assert_ptr_nonnull(cells);
    memset(cells, 3, SIZE);
    check_constant(cells, SIZE, 3);
    check_constant(cells, 1, 3);
    memset(cells, ENCODE_ANY, SIZE);
    check_constant(cells, SIZE, 0);
    memset(cells, ENCODE_UP_TO | 2, SIZE);
    check_constant(cells, SIZE, 0);
    cells[SIZE / 2] = 2;
    check_constant(cells, SIZE, 2);
    memset(cells, ENCODE_ANY, SIZE / 3);
    check_constant(cells, SIZE, 2);
    /* One cell differs. Its place does not matter. */
    static const size_t places[] = {0, 1, SIZE / 2 + 1, SIZE - 1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        memset(cells, 3, SIZE);
        cells[places[i]] = 4;
        Encoded out = encode_with(cells, SIZE, verdicts);
        ck_assert(!is_constant(&out));
        compare_some(&out, cells, SIZE, 997);
        ck_assert_uint_lt(encoded_bytes(&out), 4000);
        encode_free(&out);
    }
    free(cells);
}
END_TEST

/* A constant array of DTZ is read as 0. */
START_TEST(constants_other_than_zero)
{
    static uint8_t cells[100000];
    memset(cells, 3, sizeof cells);
    Encoded out = encode_with(cells, sizeof cells, distances);
    ck_assert(!is_constant(&out));
    compare(&out, cells, sizeof cells);
    encode_free(&out);
    memset(cells, 0, sizeof cells);
    out = encode_with(cells, sizeof cells, distances);
    ck_assert(is_constant(&out));
    encode_free(&out);
}
END_TEST

/* ---- Cells without a value ------------------------------------------------------------------- */

static void blur(uint8_t *cells, uint64_t size, uint32_t part, bool verdict)
{
    for (uint64_t i = 0; i < size; i++) {
        if (random_below(part) != 0) continue;
        bool up_to = verdict && random_below(2);
        cells[i] = (uint8_t)(up_to ? ENCODE_UP_TO | (cells[i] + random_below(2)) : ENCODE_ANY);
    }
}

START_TEST(cells_that_do_not_matter)
{
    enum { SIZE = 400000 };
    for (uint32_t part = 1; part <= 32; part *= test_part() > 1 ? 8 : 4)
        for (uint32_t longest = 1; longest <= 512; longest *= 8) {
            random_state = part * 1000 + longest;
            uint8_t *cells = random_runs(SIZE, 5, longest);
            size_t all = round_trip(cells, SIZE, verdicts);
            blur(cells, SIZE, part, longest < 512);
            ck_assert_uint_le(round_trip(cells, SIZE, verdicts), all + all / 50);
            free(cells);
        }
}
END_TEST

/* A run continues after cells whose value does not matter, however many they are. */
START_TEST(gaps_in_runs)
{
    enum { SIZE = 1000000 };
    random_state = 9;
    uint8_t *cells = random_runs(SIZE, 3, 700);
    size_t whole = round_trip(cells, SIZE, verdicts);
    for (int i = 1; i + 1 < SIZE; i++)
        if (cells[i - 1] == cells[i + 1] && cells[i] == cells[i - 1] && i % 7 < 4)
            cells[i] = i % 2 ? ENCODE_ANY : (uint8_t)(ENCODE_UP_TO | cells[i]);
    ck_assert_uint_le(round_trip(cells, SIZE, verdicts), whole + whole / 50);
    free(cells);
}
END_TEST

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void check_same(const Encoded *a, const Encoded *b)
{
    ck_assert_uint_eq(a->code_size, b->code_size);
    ck_assert_uint_eq(a->sparse_size, b->sparse_size);
    ck_assert_uint_eq(a->lengths_size, b->lengths_size);
    ck_assert_uint_eq(a->blocks_size, b->blocks_size);
    ck_assert_int_eq(memcmp(a->code, b->code, a->code_size), 0);
    ck_assert_int_eq(memcmp(a->sparse, b->sparse, a->sparse_size), 0);
    ck_assert_int_eq(memcmp(a->lengths, b->lengths, a->lengths_size), 0);
    ck_assert_int_eq(memcmp(a->blocks, b->blocks, (size_t)a->blocks_size), 0);
}

START_TEST(threads_do_not_matter)
{
    const uint64_t size = 9000000 / (uint64_t)test_part();
    random_state = 12;
    uint8_t *cells = random_runs(size, 5, 40);
    blur(cells, size, 3, true);
    Encoded first = encode_with(cells, size, (EncodeOptions){.threads = 1});
    compare_some(&first, cells, size, 17);
    for (int threads = 2; threads <= 5; threads++) {
        Encoded other = encode_with(cells, size, (EncodeOptions){.threads = threads});
        check_same(&first, &other);
        encode_free(&other);
    }
    encode_free(&first);
    free(cells);
}
END_TEST

START_TEST(blocks_are_bounded)
{
    enum { SIZE = 500000 };
    random_state = 13;
    uint8_t *cells = random_runs(SIZE, 30, 3);
    for (unsigned bits = 4; bits <= 10; bits += test_part() > 1 ? 3 : 1) {
        EncodeOptions options = {.threads = 2, .block_bits = bits};
        Encoded out = encode_with(cells, SIZE, options);
        ck_assert_uint_le(out.code[1], bits);
        ck_assert_uint_eq(out.blocks_size % (UINT64_C(1) << out.code[1]), 0);
        compare(&out, cells, SIZE);
        encode_free(&out);
    }
    free(cells);
}
END_TEST

START_TEST(memory_is_bounded)
{
    enum { SIZE = 3000000 };
    random_state = 14;
    uint8_t *cells = random_runs(SIZE, 5, 10);
    MemoryBudget budget;
    for (uint64_t bound = 1 << 16;; bound *= 2) {
        treb_error error;
        Encoded out;
        ck_assert_uint_lt(bound, UINT64_C(1) << 30);
        budget_init(&budget, bound);
        EncodeOptions options = {.threads = 2, .budget = &budget};
        treb_status status = encode_array(cells, SIZE, &options, &out, &error);
        if (status == TREB_OK) ck_assert_uint_gt(budget.most, 1 << 20);
        if (status == TREB_OK) compare_some(&out, cells, SIZE, 7);
        if (status != TREB_OK) ck_assert_int_eq(error.status, TREB_ERR_MEMORY);
        if (status != TREB_OK) ck_assert_ptr_null(out.blocks);
        encode_free(&out);
        ck_assert_uint_eq(budget.held, 0);
        budget_end(&budget);
        if (status == TREB_OK) break;
    }
    free(cells);
}
END_TEST

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The counts are Fibonacci numbers. Without a limit, the longest word would have as many bits as
 * there are symbols. */
START_TEST(words_have_a_limit)
{
    enum { SYMBOLS = 80 };
    uint64_t used[SYMBOLS] = {1, 1};
    static Huffman huffman;
    for (int s = 2; s < SYMBOLS; s++) used[s] = used[s - 1] + used[s - 2];
    ck_assert(huffman_make(&huffman, used, SYMBOLS));
    ck_assert_uint_le(huffman.longest, CODE_WORD_MAX);
    uint64_t sum = 0;
    for (int s = 0; s < SYMBOLS; s++) sum += UINT64_C(1) << (40 - huffman.length[s]);
    ck_assert_uint_eq(sum, UINT64_C(1) << 40);
    ck_assert_uint_le(huffman.length[SYMBOLS - 1], huffman.length[0]);
}
END_TEST

START_TEST(a_single_symbol_has_a_word)
{
    static Huffman huffman;
    const uint64_t used[3] = {0, 7, 0};
    ck_assert(huffman_make(&huffman, used, 3));
    ck_assert_uint_eq(huffman.length[1], 1);
    ck_assert_uint_eq(huffman.number[1], 0);
    ck_assert_uint_eq(huffman.shortest, 1);
}
END_TEST

/* ---- An estimate ----------------------------------------------------------------------------- */

START_TEST(estimates_follow_sizes)
{
    enum { RUNS = 64, LENGTH = 1024, SIZE = RUNS * LENGTH };
    uint64_t before = 0;
    for (uint32_t longest = 1000; longest >= 2; longest /= 4) {
        random_state = longest;
        uint8_t *cells = random_runs(SIZE, 5, longest);
        Samples samples = {cells, RUNS, LENGTH};
        uint64_t estimate = size_estimate(&samples, SIZE, &array_limits);
        uint64_t measure = size_estimate_by_halves(&samples, 100 * SIZE, &array_limits);
        ck_assert_uint_gt(estimate, before);
        /* 100 times as many cells take about 100 times as many bytes. The symbols do not grow. */
        ck_assert_uint_gt(measure, 50 * estimate);
        ck_assert_uint_lt(measure, 300 * estimate);
        before = estimate;
        free(cells);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("encode");
    TCase *group = tcase_create("arrays");
    tcase_set_timeout(group, 300);
    tcase_add_test(group, any_size);
    tcase_add_test(group, all_values);
    tcase_add_test(group, noise);
    tcase_add_test(group, symbols_have_a_limit);
    tcase_add_test(group, constants);
    tcase_add_test(group, constants_other_than_zero);
    tcase_add_test(group, cells_that_do_not_matter);
    tcase_add_test(group, gaps_in_runs);
    tcase_add_test(group, threads_do_not_matter);
    tcase_add_test(group, blocks_are_bounded);
    tcase_add_test(group, memory_is_bounded);
    tcase_add_test(group, words_have_a_limit);
    tcase_add_test(group, a_single_symbol_has_a_word);
    tcase_add_test(group, estimates_follow_sizes);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
