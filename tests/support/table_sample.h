/* table_sample.h - small tables for the tests of table files: writes them and reads them back. A
 * test program defines _DEFAULT_SOURCE and then includes this file once. */
#ifndef TREB_TESTS_SUPPORT_TABLE_SAMPLE_H
#define TREB_TESTS_SUPPORT_TABLE_SAMPLE_H

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/format/table_blocked.h"
#include "core/format/table_format.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { PATH_SIZE = 256, LEVEL = 3 };

/* ---- a table in memory and a directory ------------------------------------------------------- */

/* The content of a table file before compression. */
typedef struct Sample {
    TableHeader header;
    uint8_t *data[2];
    void *dictionary;
    size_t dictionary_size;
} Sample;

static char directory[PATH_SIZE];

static inline void make_directory(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/treb-test-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
}

/* Counts the files in the folder, including those whose names begin with a dot. */
static inline int count_files(void)
{
    int n = 0;
    DIR *list = opendir(directory);
    ck_assert_ptr_nonnull(list);
    for (struct dirent *e; (e = readdir(list)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(list);
    return n;
}

static inline void remove_directory(void)
{
    DIR *list = opendir(directory);
    ck_assert_ptr_nonnull(list);
    for (struct dirent *e; (e = readdir(list)) != NULL;) unlinkat(dirfd(list), e->d_name, 0);
    closedir(list);
    ck_assert_int_eq(rmdir(directory), 0);
}

static inline void path_of(const char *name, char out[PATH_SIZE])
{
    snprintf(out, PATH_SIZE, "%.190s/%.60s", directory, name);
}

static inline void path_of_sample(const Sample *sample, char out[PATH_SIZE])
{
    char name[TABLE_LONG_NAME_SIZE];
    table_header_name(&sample->header, name);
    path_of(name, out);
}

/* Makes data: runs of bytes in most blocks, noise in every eighth, one repeated byte value in every
 * fourth. */
static inline uint8_t *make_data(const TableHeader *header, uint64_t seed)
{
    uint64_t size = table_side_bytes(header), state = seed;
    uint8_t *data = malloc(size);
    ck_assert_ptr_nonnull(data);
    for (uint64_t i = 0, run = 0; i < size; i++, run--) {
        uint64_t block = i >> header->block_bits;
        if (block % 4 == 1)
            data[i] = 7;
        else if (block % 8 == 2)
            data[i] = (uint8_t)next_random31(&state);
        else if (run == 0 || i == 0) {
            run = 1 + next_random31(&state) % 40;
            data[i] = (uint8_t)(next_random31(&state) % 5);
        } else
            data[i] = data[i - 1];
        if (run == 0) run = 1;
    }
    return data;
}

static inline void set_map(TableSide *side, int verdict, int codes, int step)
{
    side->codes[verdict] = (uint16_t)codes;
    side->plies[verdict] = malloc((size_t)codes * sizeof(uint16_t));
    ck_assert_ptr_nonnull(side->plies[verdict]);
    for (int c = 0; c < codes; c++) side->plies[verdict][c] = (uint16_t)(c * step);
}

/* Sets a histogram. If a verdict has several positions, one has distance 0 and the others all have
 * the longest. */
static inline void set_histogram(TableSide *side, int verdict, uint32_t longest)
{
    side->longest[verdict] = longest;
    side->histogram[verdict] = calloc(longest + 1, sizeof(uint64_t));
    ck_assert_ptr_nonnull(side->histogram[verdict]);
    uint64_t first = side->count[verdict] > 1;
    side->histogram[verdict][longest] = side->count[verdict] - first;
    side->histogram[verdict][0] += first;
}

static inline void set_sides(TableHeader *header)
{
    for (int s = 0; s < 2; s++) {
        TableSide *side = &header->side[s];
        for (int v = 0; v < WDL_VALUES; v++) side->count[v] = UINT64_C(1) << (10 * v + s);
        if (header->metric != TREB_WDL) {
            set_histogram(side, TREB_LOSS, 20);
            set_histogram(side, TREB_CURSED_WIN, TABLE_PLIES_MAX);
        }
        if (!side->stored) continue;
        if (header->metric == TREB_WDL) {
            set_map(side, 0, WDL_VALUES, 1);
            continue;
        }
        set_map(side, TREB_LOSS, header->width == 2 ? 300 : 30, 2);
        set_map(side, TREB_WIN, header->width == 2 ? TABLE_CODES_MAX : 200, 3);
        side->longest[TREB_WIN] = 70000;
        strcpy(side->longest_fen[TREB_WIN], "8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    }
}

static inline Sample make_sample(const char *material, treb_metric metric, unsigned per_byte,
                                 unsigned width, unsigned stored)
{
    Sample sample = {0};
    TableHeader *header = &sample.header;
    Material m;
    ck_assert(material_parse(material, &m));
    header->pad = metric == TREB_DTM ? 4 : 1;
    header->bounds = metric == TREB_DTM && stored == 3;
    uint8_t order[INDEX_AXES_MAX] = {1, 0};
    ck_assert(index_init(&header->index, &m, metric == TREB_DTC ? order : NULL, header->pad));
    header->metric = metric;
    header->per_byte = per_byte;
    header->base = per_byte == 5 ? 3 : per_byte == 3 ? 5 : 0;
    header->width = width;
    header->block_bits = 10;
    for (int s = 0; s < 2; s++) {
        header->side[s].stored = stored >> s & 1;
        if (header->side[s].stored) sample.data[s] = make_data(header, 77u + (unsigned)s);
    }
    set_sides(header);
    if (per_byte == 5)
        for (int s = 0; s < 2; s++)
            if (header->side[s].stored) header->side[s].codes[0] = 3;
    return sample;
}

/* Makes a blocked-pawn table of the book's pawns with a goal. The values of its cells are
 * arbitrary. */
static inline Sample make_blocked_sample(TableGoal goal, unsigned width)
{
    Sample sample = {0};
    TableBlocked ranks = {.pawns = {UINT64_C(0x4010000), UINT64_C(0x40401000000)},
                          .goal = (int)goal};
    if (goal == GOAL_REACH) ranks.squares = UINT64_C(0x8100);
    ranks.safe = goal == GOAL_TAKE;
    ranks.upper_bounds = goal == GOAL_EXACT;
    if (goal == GOAL_EXACT) ranks.open[0] = 7, ranks.open[1] = 4096;
    ck_assert(table_blocked_header(&ranks, &sample.header));
    sample.header.width = width;
    sample.header.block_bits = 10;
    for (int s = 0; s < 2; s++) {
        TableSide *side = &sample.header.side[s];
        set_map(side, 0, width == 2 ? 300 : 200, 7);
        side->plies[0][1] = DISTANCE_NONE;
        side->count[TREB_WIN] = 100 + (uint64_t)s;
        side->longest[TREB_WIN] = 20;
        strcpy(side->longest_fen[TREB_WIN], "8/8/2p5/k1p5/p1P4K/P7/8/8 w - - 0 1");
        sample.data[s] = make_data(&sample.header, 99u + (unsigned)s);
    }
    return sample;
}

static inline void free_sample(Sample *sample)
{
    table_header_free(&sample->header);
    free(sample->data[0]);
    free(sample->data[1]);
    free(sample->dictionary);
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef enum Arrival { IN_ORDER, BACKWARDS, ALTERNATING, ARRIVALS } Arrival;

/* Replaces ck_assert where the size of files is limited, as in the test disk_full: Check writes
 * each assertion to a file, and that would fail. */
static inline void require(bool condition)
{
    if (!condition) abort();
}

static inline treb_status add_block(TableWriter *writer, TableEncoder *encoder,
                                    const Sample *sample, int side, uint64_t block,
                                    treb_error *error)
{
    const TableHeader *header = &sample->header;
    uint8_t *packed = malloc(table_block_bound(header));
    const uint8_t *bytes = sample->data[side] + (block << header->block_bits);
    size_t size = format_block_size(header, block);
    size_t got = table_encode_block(encoder, bytes, size, packed, table_block_bound(header));
    require(packed != NULL && got > 0);
    uint32_t checksum = table_block_checksum(bytes, size);
    treb_status status = table_writer_add(writer, side, block, packed, got, checksum, error);
    free(packed);
    return status;
}

/* Returns the side and the number of the block that arrives as number `i`. */
static inline int arrival_block(const TableHeader *header, Arrival arrival, uint64_t i,
                                uint64_t *block)
{
    uint64_t n = table_side_blocks(header);
    int first = header->side[0].stored ? 0 : 1;
    bool both = header->side[0].stored && header->side[1].stored;
    if (arrival == ALTERNATING && both) {
        *block = i / 2;
        return (int)(i % 2);
    }
    if (arrival == BACKWARDS) i = n * (both ? 2 : 1) - 1 - i;
    *block = i % n;
    return i < n ? first : 1;
}

static inline treb_status write_sample(const Sample *sample, Arrival arrival, treb_error *error)
{
    const void *dictionary = sample->dictionary;
    size_t dictionary_size = sample->dictionary_size;
    TableEncoder *encoder = table_encoder_new(LEVEL, dictionary, dictionary_size);
    require(encoder != NULL);
    TableWriter *writer =
        table_writer_open(directory, &sample->header, dictionary, dictionary_size, error);
    uint64_t blocks = format_first_entry(&sample->header, 2), size = 0;
    treb_status status = writer ? TREB_OK : error->status;
    for (uint64_t i = 0; status == TREB_OK && i < blocks; i++) {
        uint64_t block;
        int side = arrival_block(&sample->header, arrival, i, &block);
        status = add_block(writer, encoder, sample, side, block, error);
    }
    table_encoder_free(encoder);
    if (status != TREB_OK) {
        table_writer_abort(writer);
        return status;
    }
    status = table_writer_finish(writer, &sample->header, &size, error);
    struct stat info;
    char path[PATH_SIZE];
    path_of_sample(sample, path);
    if (status == TREB_OK) require(stat(path, &info) == 0 && size == (uint64_t)info.st_size);
    return status;
}

static inline void must_write(const Sample *sample, Arrival arrival)
{
    treb_error error = {0};
    ck_assert_msg(write_sample(sample, arrival, &error) == TREB_OK, "%s", error.text);
    ck_assert_int_eq(count_files(), 1);
}

/* ---- files as bytes -------------------------------------------------------------------------- */

static inline uint8_t *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void save(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* Damages one block of a file, in the middle of its content. */
static inline void damage_middle(const char *path)
{
    size_t size;
    uint8_t *bytes = load(path, &size);
    bytes[FORMAT_FIXED_SIZE + (format_get64(bytes + FORMAT_AT_META) - FORMAT_FIXED_SIZE) / 2] ^= 4;
    save(path, bytes, size);
    free(bytes);
}

/* Corrects the checksum of the header of a file in memory. */
static inline void reseal(uint8_t *bytes, size_t size)
{
    uint64_t meta = format_get64(bytes + FORMAT_AT_META);
    if (meta < FORMAT_FIXED_SIZE || meta > size) return;
    size_t header_size = FORMAT_FIXED_SIZE + (size - meta);
    uint8_t *header = malloc(header_size);
    memcpy(header, bytes, FORMAT_FIXED_SIZE);
    memcpy(header + FORMAT_FIXED_SIZE, bytes + meta, size - meta);
    format_seal(header, header_size);
    memcpy(bytes, header, FORMAT_FIXED_SIZE);
    free(header);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static inline void compare_side(const TableSide *a, const TableSide *b)
{
    ck_assert_mem_eq(a->count, b->count, sizeof a->count);
    ck_assert_mem_eq(a->longest, b->longest, sizeof a->longest);
    ck_assert_mem_eq(a->codes, b->codes, sizeof a->codes);
    ck_assert_int_eq(a->stored, b->stored);
    for (int v = 0; v < WDL_VALUES; v++) {
        ck_assert_str_eq(a->longest_fen[v], b->longest_fen[v]);
        if (a->codes[v]) ck_assert_mem_eq(a->plies[v], b->plies[v], 2u * a->codes[v]);
        ck_assert_int_eq(a->histogram[v] == NULL, b->histogram[v] == NULL);
        if (a->histogram[v])
            ck_assert_mem_eq(a->histogram[v], b->histogram[v], 8 * ((size_t)a->longest[v] + 1));
    }
}

static inline void compare_header(const TableHeader *a, const TableHeader *b)
{
    ck_assert(material_equal(&a->index.material, &b->index.material));
    ck_assert_uint_eq(a->index.size, b->index.size);
    ck_assert_mem_eq(a->index.order, b->index.order, sizeof a->index.order);
    ck_assert_mem_eq(a->index.stride, b->index.stride, sizeof a->index.stride);
    ck_assert_int_eq(a->metric, b->metric);
    ck_assert_uint_eq(a->pad, b->pad);
    ck_assert_int_eq(a->bounds, b->bounds);
    ck_assert_uint_eq(a->per_byte, b->per_byte);
    ck_assert_uint_eq(a->width, b->width);
    ck_assert_uint_eq(a->block_bits, b->block_bits);
    ck_assert_mem_eq(a->blocked.pawns, b->blocked.pawns, sizeof a->blocked.pawns);
    ck_assert_mem_eq(a->blocked.open, b->blocked.open, sizeof a->blocked.open);
    ck_assert_uint_eq(a->blocked.squares, b->blocked.squares);
    ck_assert_int_eq(a->blocked.goal, b->blocked.goal);
    ck_assert_int_eq(a->blocked.safe, b->blocked.safe);
    ck_assert_int_eq(a->blocked.upper_bounds, b->blocked.upper_bounds);
    for (int s = 0; s < 2; s++) compare_side(&a->side[s], &b->side[s]);
}

static inline void compare_blocks(const Sample *sample, const Table *table, int side)
{
    const TableHeader *header = table_header(table);
    size_t full = (size_t)1 << header->block_bits;
    uint8_t *out = malloc(full);
    TableDecoder *decoder = table_decoder_new();
    treb_error error;
    /* The loop reads backwards, so that no block depends on the one before it. */
    for (uint64_t b = table_side_blocks(header); b-- > 0;) {
        size_t size = format_block_size(header, b);
        memset(out, 0xee, full);
        treb_status status = table_read_block(table, decoder, side, b, out, &error);
        ck_assert_msg(status == TREB_OK, "%s", error.text);
        ck_assert_mem_eq(out, sample->data[side] + (b << header->block_bits), size);
        for (size_t i = size; i < full; i++) ck_assert_uint_eq(out[i], 0);
    }
    ck_assert_int_eq(table_read_block(table, decoder, side, table_side_blocks(header), out, &error),
                     TREB_ERR_ARGUMENT);
    table_decoder_free(decoder);
    free(out);
}

static inline void must_read(const Sample *sample)
{
    char path[PATH_SIZE];
    path_of_sample(sample, path);
    treb_error error;
    Table *table = table_open(path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    ck_assert_str_eq(table_path(table), path);
    compare_header(&sample->header, table_header(table));
    for (int s = 0; s < 2; s++)
        if (sample->data[s]) compare_blocks(sample, table, s);
    table_close(table);
}

/* ---- running --------------------------------------------------------------------------------- */

static inline TCase *add_case(Suite *suite, const char *name, SFun setup, SFun teardown)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(suite, tests);
    return tests;
}

#endif
