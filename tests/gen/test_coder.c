/* test_coder.c - the code of our own arrays. Its output is read back by the reader of our files,
 * and by a small decoder that follows only the document of the format. */
#include "gen/compress/coder.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/format/code.h"
#include "tests/support/part.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

static uint64_t random_state;

static uint32_t random_below(uint32_t end)
{
    return (uint32_t)((uint64_t)next_random31(&random_state) * end >> 31);
}

/* ---- A decoder ------------------------------------------------------------------------------- */

static unsigned get16(const uint8_t *at) { return at[0] | (unsigned)at[1] << 8; }

typedef struct Decoder {
    uint8_t *bytes;
    unsigned shortest, longest, symbols;
    const uint8_t *first, *pairs;
    uint64_t base[CODE_WORD_MAX + 1]; /* first word of each length */
    uint64_t end[CODE_WORD_MAX + 1];  /* the number after its last word */
    Code code;                        /* the code as the library reads it */
} Decoder;

static unsigned first_of(const Decoder *d, unsigned length)
{
    return length < d->shortest ? d->symbols : get16(d->first + 2 * (length - d->shortest));
}

static void open_code(Decoder *d, const Coder *coder)
{
    size_t size = coder_code(coder, NULL);
    memset(d, 0, sizeof *d);
    d->bytes = malloc(size);
    ck_assert_ptr_nonnull(d->bytes);
    memset(d->bytes, 0xee, size);
    ck_assert_uint_eq(coder_code(coder, d->bytes), size);
    d->shortest = d->bytes[0];
    d->longest = d->bytes[1];
    d->symbols = get16(d->bytes + 2);
    d->first = d->bytes + 4;
    d->pairs = d->first + 2 * (d->longest - d->shortest + 1);
    ck_assert_uint_eq(d->longest, coder_longest(coder));
    ck_assert_uint_le(d->longest, CODE_WORD_MAX);
    ck_assert_uint_ge(d->shortest, 1);
    ck_assert_uint_le(d->symbols, CODE_SYMBOLS_MAX);
    ck_assert_uint_eq(size, (size_t)(d->pairs - d->bytes) + 4 * d->symbols);
    ck_assert_uint_eq(first_of(d, d->longest), 0);
    uint64_t word = 0;
    for (unsigned l = d->longest; l >= d->shortest; l--) {
        d->base[l] = word;
        word += first_of(d, l - 1) - first_of(d, l);
        d->end[l] = word;
        ck_assert(l == d->shortest || word % 2 == 0);
        word /= l > d->shortest ? 2 : 1;
    }
    /* Every bit pattern is a word, unless there is only one symbol. */
    ck_assert(word == UINT64_C(1) << d->shortest || d->symbols == 1);
    CodeParts parts = {.shortest = d->shortest,
                       .longest = d->longest,
                       .first = d->first,
                       .symbols = d->symbols,
                       .pairs = d->pairs,
                       .wide = true};
    const char *wrong = code_init(&d->code, &parts);
    ck_assert_msg(wrong == NULL, "%s", wrong);
}

static void close_code(Decoder *d)
{
    code_free(&d->code);
    free(d->bytes);
}

/* The functions below run for each bit and cell. They do not use ck_assert, which writes to a file
 * each time and would take minutes. */

/* Stores the values of a symbol. Returns their number. */
static unsigned expand(const Decoder *d, unsigned symbol, uint16_t *out)
{
    const uint8_t *pair = d->pairs + 4 * symbol;
    if (get16(pair + 2) == 0xffff) {
        *out = (uint16_t)get16(pair);
        return 1;
    }
    unsigned left = expand(d, get16(pair), out);
    return left + expand(d, get16(pair + 2), out + left);
}

static unsigned next_bit(const uint8_t *block, unsigned at)
{
    return block[at / 8] >> (7 - at % 8) & 1;
}

/* Returns the symbol that starts at bit *at, and moves *at behind it. */
static unsigned next_symbol(const Decoder *d, const uint8_t *block, unsigned bits, unsigned *at)
{
    uint64_t word = 0;
    for (unsigned l = 1; l <= d->longest; l++) {
        if (*at >= bits) break;
        word = 2 * word + next_bit(block, (*at)++);
        if (l >= d->shortest && word >= d->base[l] && word < d->end[l])
            return first_of(d, l) + (unsigned)(word - d->base[l]);
    }
    ck_abort_msg("a word that is none or goes over the end of its block");
}

/* Decodes a block into `out`. */
static void read_block(const Decoder *d, const uint8_t *block, unsigned bytes, unsigned cells,
                       uint16_t *out)
{
    unsigned at = 0, done = 0, bits = 8 * bytes;
    while (done < cells) done += expand(d, next_symbol(d, block, bits, &at), out + done);
    ck_assert_uint_eq(done, cells);
    for (; at < bits; at++)
        if (next_bit(block, at) != 0) ck_abort_msg("bits behind the last word");
}

static bool fits(uint8_t cell, unsigned value)
{
    if (cell < ENCODE_UP_TO) return value == cell;
    return cell == ENCODE_ANY || value <= (cell & 31u);
}

static void check_blocks(const Decoder *d, const CodedBlocks *blocks, const uint8_t *cells,
                         size_t size)
{
    static uint16_t value[CODER_BLOCK_CELLS + CODE_VALUES_MAX], other[CODER_BLOCK_CELLS];
    size_t at = 0;
    for (size_t b = 0; b < blocks->count; b++) {
        const uint8_t *block = blocks->bytes + b * blocks->block_bytes;
        unsigned count = blocks->cells[b];
        ck_assert_uint_gt(count, 0);
        ck_assert_uint_le(count, size - at);
        read_block(d, block, blocks->block_bytes, count, value);
        CodeBlock bytes = {block, block + blocks->block_bytes};
        ck_assert_int_eq(code_values(&d->code, bytes, count, 0, count, other), (int)count);
        ck_assert_int_eq(memcmp(value, other, count * sizeof *value), 0);
        for (unsigned i = 0; i < count; i++)
            if (!fits(cells[at + i], value[i])) ck_abort_msg("a cell has another value");
        at += count;
    }
    ck_assert_uint_eq(at, size);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static Coder *learn_with(const CoderSample *sample, CoderOptions options)
{
    treb_error error = {0};
    Coder *coder = coder_learn(sample, &options, &error);
    ck_assert_msg(coder != NULL, "%s", error.text);
    return coder;
}

static CodedBlocks encode(const Coder *coder, const uint8_t *cells, size_t size, unsigned bytes)
{
    treb_error error = {0};
    CodedBlocks blocks = {0};
    CoderBuffer *buffer = coder_buffer_make(coder);
    ck_assert_ptr_nonnull(buffer);
    ck_assert_msg(coder_encode(coder, buffer, cells, size, bytes, &blocks, &error) == TREB_OK, "%s",
                  error.text);
    coder_buffer_free(buffer);
    return blocks;
}

/* Encodes with an existing code and reads back. Returns the number of bytes, including the code. */
static size_t round_trip_with(const Coder *coder, const uint8_t *cells, size_t size,
                              unsigned block_bytes)
{
    Decoder decoder;
    CodedBlocks blocks = encode(coder, cells, size, block_bytes);
    size_t bytes = blocks.count * block_bytes + coder_code(coder, NULL);
    open_code(&decoder, coder);
    check_blocks(&decoder, &blocks, cells, size);
    close_code(&decoder);
    coder_blocks_free(&blocks);
    return bytes;
}

/* Encodes with a code learned from all of the cells, and reads back. */
static size_t round_trip(const uint8_t *cells, size_t size, unsigned block_bytes)
{
    CoderCells all = {cells, size};
    CoderSample sample = {.stretch = &all, .count = 1, .size = size};
    Coder *coder = learn_with(&sample, (CoderOptions){.threads = 2});
    size_t bytes = round_trip_with(coder, cells, size, block_bytes);
    coder_free(coder);
    return bytes;
}

/* Returns runs of `values` values. A run has at most `longest` cells. */
static uint8_t *random_runs(size_t size, uint32_t values, uint32_t longest)
{
    uint8_t *cells = malloc(size);
    ck_assert_ptr_nonnull(cells);
    for (size_t at = 0; at < size;) {
        uint8_t value = (uint8_t)random_below(values);
        for (uint32_t n = 1 + random_below(longest); n > 0 && at < size; n--) cells[at++] = value;
    }
    return cells;
}

/* Changes one in `part` cells to a set of several allowed values. */
static void blur(uint8_t *cells, size_t size, uint32_t part)
{
    for (size_t i = 0; i < size; i++)
        if (random_below(part) == 0)
            cells[i] = random_below(2) ? ENCODE_ANY
                                       : (uint8_t)(ENCODE_UP_TO | (cells[i] + random_below(2)));
}

START_TEST(any_size)
{
    static const size_t sizes[] = {1, 2, 3, 64, 257, 8192, 8193, 65536, 262144, 262145, 300001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t longest = 1; longest <= 4096; longest *= 16) {
            random_state = sizes[i] + longest;
            uint8_t *cells = random_runs(sizes[i], 5, longest);
            round_trip(cells, sizes[i], 512);
            free(cells);
        }
}
END_TEST

START_TEST(any_block_size)
{
    static const unsigned sizes[] = {8, 9, 13, 63, 64, 100, 511, 1000, 1365, 3999, 4000};
    enum { SIZE = 100000 };
    random_state = 2;
    uint8_t *cells = random_runs(SIZE, 200, 3);
    CoderCells all = {cells, SIZE};
    CoderSample sample = {.stretch = &all, .count = 1, .size = SIZE};
    Coder *coder = learn_with(&sample, (CoderOptions){.threads = 2});
    size_t before = SIZE;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t bytes = round_trip_with(coder, cells, SIZE, sizes[i]);
        ck_assert_uint_lt(bytes, before + 4000); /* larger blocks lose less space at their ends */
        before = bytes;
    }
    coder_free(coder);
    free(cells);
}
END_TEST

START_TEST(wrong_block_sizes)
{
    static const unsigned sizes[] = {0, 7, 4001};
    const uint8_t cells[2] = {0, 1};
    CoderCells all = {cells, 2};
    CoderSample sample = {.stretch = &all, .count = 1, .size = 2};
    Coder *coder = learn_with(&sample, (CoderOptions){.threads = 1});
    CoderBuffer *buffer = coder_buffer_make(coder);
    ck_assert_ptr_nonnull(buffer);
    for (int i = 0; i < 3; i++) {
        treb_error error = {0};
        CodedBlocks blocks = {0};
        ck_assert_int_eq(coder_encode(coder, buffer, cells, 2, sizes[i], &blocks, &error),
                         TREB_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(error.text, "blocks"));
    }
    coder_buffer_free(buffer);
    coder_free(coder);
}
END_TEST

/* Long runs fill blocks with few bits. A block still has no more cells than its count can
 * express. */
START_TEST(long_runs)
{
    enum { SIZE = 3000000 };
    uint8_t *cells = malloc(SIZE);
    ck_assert_ptr_nonnull(cells);
    memset(cells, 7, SIZE);
    cells[SIZE / 2] = 8;
    size_t bytes = round_trip(cells, SIZE, 4000);
    ck_assert_uint_lt(bytes, (SIZE / CODER_BLOCK_CELLS + 3) * 4000);
    memset(cells + SIZE / 3, ENCODE_ANY, SIZE / 3);
    round_trip(cells, SIZE, 1000);
    free(cells);
}
END_TEST

START_TEST(one_value_only)
{
    static const uint8_t values[] = {0, 3, ENCODE_VALUES - 1};
    static uint8_t cells[100000];
    for (int i = 0; i < 3; i++) {
        memset(cells, values[i], sizeof cells);
        round_trip(cells, 1, 8);
        round_trip(cells, sizeof cells, 8);
        memset(cells + 10, ENCODE_ANY, sizeof cells - 20);
        round_trip(cells, sizeof cells, 100);
    }
    memset(cells, ENCODE_ANY, sizeof cells);
    round_trip(cells, sizeof cells, 100);
    memset(cells, ENCODE_UP_TO | 4, sizeof cells);
    round_trip(cells, sizeof cells, 100);
}
END_TEST

/* A code of one value has one symbol. The file has nothing else of such an array. */
START_TEST(a_single_value_is_one_symbol)
{
    CoderSample sample = {.size = 1000000};
    sample.present[9] = true;
    Coder *coder = learn_with(&sample, (CoderOptions){.threads = 1});
    Decoder decoder;
    open_code(&decoder, coder);
    ck_assert_uint_eq(decoder.symbols, 1);
    ck_assert_int_eq(code_only(&decoder.code), 9);
    close_code(&decoder);
    coder_free(coder);
}
END_TEST

/* ---- What the sample does not have ----------------------------------------------------------- */

START_TEST(values_that_the_sample_lacks)
{
    enum { SIZE = 200000, VALUES = ENCODE_VALUES };
    random_state = 5;
    uint8_t *cells = random_runs(SIZE, 6, 30), *others = random_runs(SIZE, VALUES, 3);
    CoderCells all = {cells, SIZE};
    CoderSample sample = {.stretch = &all, .count = 1, .size = 100 * SIZE};
    memset(sample.present, true, VALUES);
    Coder *coder = learn_with(&sample, (CoderOptions){.threads = 2});
    round_trip_with(coder, cells, SIZE, 300);
    round_trip_with(coder, others, SIZE, 300);
    blur(others, SIZE, 3);
    round_trip_with(coder, others, SIZE, 300);
    coder_free(coder);
    free(cells);
    free(others);
}
END_TEST

/* An empty sample still gives a code. */
START_TEST(no_sample)
{
    enum { SIZE = 50000 };
    random_state = 6;
    uint8_t *cells = random_runs(SIZE, 40, 20);
    CoderSample sample = {.size = SIZE};
    memset(sample.present, true, 40);
    Coder *coder = learn_with(&sample, (CoderOptions){.threads = 2});
    round_trip_with(coder, cells, SIZE, 300);
    blur(cells, SIZE, 2);
    round_trip_with(coder, cells, SIZE, 300);
    coder_free(coder);
    memset(&sample, 0, sizeof sample);
    coder = learn_with(&sample, (CoderOptions){.threads = 2});
    memset(cells, ENCODE_ANY, SIZE);
    round_trip_with(coder, cells, SIZE, 300);
    coder_free(coder);
    free(cells);
}
END_TEST

/* No code is made after the caller asked to stop. */
START_TEST(stopped)
{
    atomic_bool stop = true;
    treb_error error = {0};
    CoderSample sample = {.size = 1000};
    sample.present[3] = true;
    CoderOptions options = {.threads = 1, .stop = &stop};
    ck_assert_ptr_null(coder_learn(&sample, &options, &error));
    ck_assert_int_eq(error.status, STOPPED);
    stop = false;
    coder_free(learn_with(&sample, options));
}
END_TEST

/* A value that was not announced is an error. So is a cell that allows none of the announced
 * values. */
START_TEST(unexpected_values)
{
    static const uint8_t strange[] = {4, 0, ENCODE_UP_TO | 2, ENCODE_VALUES - 1};
    static const uint8_t good[] = {3, 5, ENCODE_UP_TO | 3, ENCODE_UP_TO | 30, ENCODE_ANY};
    CoderSample sample = {.size = 1000};
    sample.present[3] = sample.present[5] = true;
    Coder *coder = learn_with(&sample, (CoderOptions){.threads = 1});
    CoderBuffer *buffer = coder_buffer_make(coder);
    ck_assert_ptr_nonnull(buffer);
    CodedBlocks blocks = {0};
    uint8_t cells[100];
    for (size_t i = 0; i < sizeof strange; i++) {
        treb_error error = {0};
        memset(cells, 3, sizeof cells);
        cells[50] = strange[i];
        ck_assert_int_eq(coder_encode(coder, buffer, cells, sizeof cells, 64, &blocks, &error),
                         TREB_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(error.text, "value"));
    }
    for (size_t i = 0; i < sizeof good; i++) {
        memset(cells, good[i], sizeof cells);
        round_trip_with(coder, cells, sizeof cells, 64);
    }
    coder_blocks_free(&blocks);
    coder_buffer_free(buffer);
    coder_free(coder);
}
END_TEST

/* ---- How small ------------------------------------------------------------------------------- */

START_TEST(cells_that_do_not_matter)
{
    enum { SIZE = 400000 };
    for (uint32_t part = 1; part <= 16; part *= 4)
        for (uint32_t longest = 1; longest <= 512; longest *= 8) {
            random_state = part * 1000 + longest;
            uint8_t *cells = random_runs(SIZE, 5, longest);
            size_t all = round_trip(cells, SIZE, 512);
            blur(cells, SIZE, part);
            ck_assert_uint_le(round_trip(cells, SIZE, 512), all + all / 50);
            free(cells);
        }
}
END_TEST

/* Returns cells made of more different words than Syzygy's files have symbols. */
static uint8_t *random_words(size_t size)
{
    enum { WORD = 12, WORDS = 9000 };
    static uint8_t word[WORDS][WORD];
    for (int i = 0; i < WORDS; i++)
        for (int k = 0; k < WORD; k++) word[i][k] = (uint8_t)random_below(200);
    uint8_t *cells = calloc(size, 1);
    ck_assert_ptr_nonnull(cells);
    for (size_t at = 0; at + WORD <= size; at += WORD)
        memcpy(cells + at, word[random_below(WORDS)], WORD);
    return cells;
}

START_TEST(symbols_have_a_limit)
{
    enum { SIZE = 1200000 };
    static const unsigned limits[] = {0, 4095, 300, 1};
    random_state = 7;
    uint8_t *cells = random_words(SIZE);
    CoderCells all = {cells, SIZE};
    CoderSample sample = {.stretch = &all, .count = 1, .size = 100 * SIZE};
    size_t before = 0;
    for (int i = 0; i < 4; i++) {
        Decoder decoder;
        Coder *coder = learn_with(&sample, (CoderOptions){.threads = 2, .symbols = limits[i]});
        open_code(&decoder, coder);
        unsigned most = limits[i] == 0 ? CODE_SYMBOLS_MAX : limits[i];
        ck_assert_uint_le(decoder.symbols, most > 200 ? most : 200);
        ck_assert_uint_ge(decoder.symbols, most > 200 ? most / 2 : 200);
        size_t bytes = round_trip_with(coder, cells, SIZE, 1000) - coder_code(coder, NULL);
        ck_assert_uint_ge(bytes, before);
        before = bytes;
        close_code(&decoder);
        coder_free(coder);
    }
    free(cells);
}
END_TEST

/* A code learned from one in ten cells is about as good as one learned from all. */
START_TEST(a_sample_suffices)
{
    enum { SIZE = 2000000, LENGTH = 4000, PART = 10, COUNT = SIZE / LENGTH / PART };
    random_state = 8;
    uint8_t *cells = random_runs(SIZE, 5, 40);
    CoderCells some[COUNT];
    for (size_t i = 0; i < COUNT; i++) some[i] = (CoderCells){cells + i * PART * LENGTH, LENGTH};
    CoderSample sample = {.stretch = some, .count = COUNT, .size = SIZE};
    memset(sample.present, true, 5);
    Coder *coder = learn_with(&sample, (CoderOptions){.threads = 2});
    size_t bytes = round_trip_with(coder, cells, SIZE, 500), all = round_trip(cells, SIZE, 500);
    ck_assert_uint_le(bytes, all + all / 10);
    coder_free(coder);
    free(cells);
}
END_TEST

/* More effort gives fewer bytes, from cells some of which allow several values. */
START_TEST(effort_gives_fewer_bytes)
{
    enum { SIZE = 2000000 };
    static const CoderEffort effort[] = {CODER_FAST, CODER_NORMAL, CODER_SMALL};
    random_state = 10;
    uint8_t *cells = random_runs(SIZE, 12, 10);
    blur(cells, SIZE, 5);
    CoderCells all = {cells, SIZE};
    CoderSample sample = {.stretch = &all, .count = 1, .size = SIZE};
    size_t before = SIZE;
    for (int i = 0; i < 3; i++) {
        Coder *coder = learn_with(&sample, (CoderOptions){.threads = 2, .effort = effort[i]});
        size_t bytes = round_trip_with(coder, cells, SIZE, 500);
        ck_assert_uint_lt(bytes, before);
        before = bytes;
        coder_free(coder);
    }
    free(cells);
}
END_TEST

/* A symbol must save more bytes than it takes. In a small array it can save only few. */
START_TEST(small_arrays_have_few_symbols)
{
    enum { SIZE = 20000 };
    random_state = 9;
    uint8_t *cells = random_runs(SIZE, 5, 10);
    CoderCells all = {cells, SIZE};
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        CoderSample sample = {.stretch = &all, .count = 1, .size = i ? 1000 * SIZE : SIZE};
        Coder *coder = learn_with(&sample, (CoderOptions){.threads = 1});
        bytes[i] = coder_code(coder, NULL);
        coder_free(coder);
    }
    ck_assert_uint_lt(2 * bytes[0], bytes[1]);
    free(cells);
}
END_TEST

/* ---- Equal bytes ----------------------------------------------------------------------------- */

static void check_same(const CodedBlocks *a, const CodedBlocks *b)
{
    ck_assert_uint_eq(a->count, b->count);
    ck_assert_int_eq(memcmp(a->bytes, b->bytes, a->count * a->block_bytes), 0);
    ck_assert_int_eq(memcmp(a->cells, b->cells, a->count * sizeof *a->cells), 0);
}

START_TEST(threads_do_not_matter)
{
    const size_t size = 3000000 / (size_t)test_part();
    random_state = 12;
    uint8_t *cells = random_runs(size, 5, 20);
    blur(cells, size, 3);
    CoderCells all = {cells, size};
    CoderSample sample = {.stretch = &all, .count = 1, .size = size};
    Coder *first = learn_with(&sample, (CoderOptions){.threads = 1});
    CodedBlocks blocks = encode(first, cells, size, 700);
    size_t code_size = coder_code(first, NULL);
    uint8_t *code = malloc(code_size), *other_code = malloc(code_size);
    coder_code(first, code);
    for (int threads = 2; threads <= 3; threads++) {
        Coder *other = learn_with(&sample, (CoderOptions){.threads = threads});
        ck_assert_uint_eq(coder_code(other, NULL), code_size);
        coder_code(other, other_code);
        ck_assert_int_eq(memcmp(code, other_code, code_size), 0);
        coder_free(other);
    }
    /* Several threads encode slices, each with its own buffer. */
    enum { SLICES = 24 };
    CodedBlocks one[SLICES], many[SLICES];
    size_t length = size / SLICES;
    memset(many, 0, sizeof many);
    for (size_t i = 0; i < SLICES; i++) one[i] = encode(first, cells + i * length, length, 700);
    int failed = 0;
#pragma omp parallel num_threads(4)
    {
        treb_error error;
        CoderBuffer *buffer = coder_buffer_make(first);
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < SLICES; i++)
            if (buffer == NULL || coder_encode(first, buffer, cells + i * length, length, 700,
                                               &many[i], &error) != TREB_OK) {
#pragma omp atomic
                failed++;
            }
        coder_buffer_free(buffer);
    }
    ck_assert_int_eq(failed, 0);
    for (size_t i = 0; i < SLICES; i++) {
        check_same(&one[i], &many[i]);
        coder_blocks_free(&one[i]);
        coder_blocks_free(&many[i]);
    }
    coder_blocks_free(&blocks);
    coder_free(first);
    free(code);
    free(other_code);
    free(cells);
}
END_TEST

/* Blocks and a buffer are used again for fewer cells, for more cells and for another block size. */
START_TEST(blocks_are_used_again)
{
    static const struct {
        size_t from, size;
        unsigned bytes;
    } calls[] = {{0, 1000, 300}, {5000, 90000, 300},   {100, 1, 300},     {7, 70000, 8},
                 {0, 0, 8},      {60000, 40000, 4000}, {5000, 90000, 300}};
    enum { SIZE = 100000 };
    random_state = 14;
    uint8_t *cells = random_runs(SIZE, 30, 3);
    CoderCells all = {cells, SIZE};
    CoderSample sample = {.stretch = &all, .count = 1, .size = SIZE};
    Coder *coder = learn_with(&sample, (CoderOptions){.threads = 2});
    CoderBuffer *buffer = coder_buffer_make(coder);
    ck_assert_ptr_nonnull(buffer);
    CodedBlocks again = {0};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        treb_error error;
        const uint8_t *from = cells + calls[i].from;
        CodedBlocks new = encode(coder, from, calls[i].size, calls[i].bytes);
        ck_assert_int_eq(
            coder_encode(coder, buffer, from, calls[i].size, calls[i].bytes, &again, &error),
            TREB_OK);
        ck_assert_uint_eq(again.block_bytes, calls[i].bytes);
        ck_assert((again.count == 0) == (calls[i].size == 0));
        if (again.count > 0) check_same(&new, &again);
        coder_blocks_free(&new);
    }
    coder_blocks_free(&again);
    coder_buffer_free(buffer);
    coder_free(coder);
    free(cells);
}
END_TEST

START_TEST(memory_is_bounded)
{
    enum { SIZE = 1000000 };
    random_state = 15;
    uint8_t *cells = random_runs(SIZE, 5, 10);
    CoderCells all = {cells, SIZE};
    CoderSample sample = {.stretch = &all, .count = 1, .size = SIZE};
    MemoryBudget budget;
    int refused = 0;
    for (uint64_t bound = 1 << 20;; bound += bound / 2) {
        treb_error error = {0};
        CoderOptions options = {.budget = &budget, .threads = 2};
        ck_assert_uint_lt(bound, 2 * (coder_memory(1, 1) + coder_learn_memory()));
        budget_init(&budget, bound);
        Coder *coder = coder_learn(&sample, &options, &error);
        if (coder == NULL) ck_assert_int_eq(error.status, TREB_ERR_MEMORY);
        if (coder == NULL) refused++;
        bool done = coder != NULL;
        coder_free(coder);
        ck_assert_uint_eq(budget.held, 0);
        if (done) ck_assert_uint_le(budget.most, coder_memory(1, 2) + coder_learn_memory());
        budget_end(&budget);
        if (done) break;
    }
    ck_assert_int_gt(refused, 3);
    free(cells);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("coder");
    TCase *group = tcase_create("arrays");
    tcase_set_timeout(group, 300);
    tcase_add_test(group, any_size);
    tcase_add_test(group, any_block_size);
    tcase_add_test(group, wrong_block_sizes);
    tcase_add_test(group, long_runs);
    tcase_add_test(group, one_value_only);
    tcase_add_test(group, a_single_value_is_one_symbol);
    tcase_add_test(group, values_that_the_sample_lacks);
    tcase_add_test(group, no_sample);
    tcase_add_test(group, stopped);
    tcase_add_test(group, unexpected_values);
    tcase_add_test(group, cells_that_do_not_matter);
    tcase_add_test(group, symbols_have_a_limit);
    tcase_add_test(group, a_sample_suffices);
    tcase_add_test(group, effort_gives_fewer_bytes);
    tcase_add_test(group, small_arrays_have_few_symbols);
    tcase_add_test(group, threads_do_not_matter);
    tcase_add_test(group, blocks_are_used_again);
    tcase_add_test(group, memory_is_bounded);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
