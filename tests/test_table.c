/* test_table.c - table files: what is written is read back; every fault is noticed and named. */
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64
#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "table_format.h"

enum { PATH_SIZE = 256, LEVEL = 3 };

/* ---- a table in memory and a directory ------------------------------------------------------ */

/* One of everything that a table file holds, before compression. */
typedef struct Sample {
    TableHeader header;
    uint8_t *data[2];
    const char *dictionary;
} Sample;

static char directory[PATH_SIZE];

static void make_directory(void) {
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/treb-test-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
}

/* The files in the directory, those with a dot in front too. */
static int count_files(void) {
    int n = 0;
    DIR *list = opendir(directory);
    ck_assert_ptr_nonnull(list);
    for (struct dirent *e; (e = readdir(list)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(list);
    return n;
}

static void remove_directory(void) {
    DIR *list = opendir(directory);
    ck_assert_ptr_nonnull(list);
    for (struct dirent *e; (e = readdir(list)) != NULL;) unlinkat(dirfd(list), e->d_name, 0);
    closedir(list);
    ck_assert_int_eq(rmdir(directory), 0);
}

static void path_of(const char *name, char out[PATH_SIZE]) {
    snprintf(out, PATH_SIZE, "%.190s/%.60s", directory, name);
}

static void path_of_sample(const Sample *sample, char out[PATH_SIZE]) {
    char name[TABLE_NAME_SIZE];
    table_file_name(&sample->header.index.material, sample->header.metric, name);
    path_of(name, out);
}

static uint32_t random_next(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*state >> 33);
}

/* Runs of bytes in most blocks, noise in every eighth, one byte alone in every fourth. */
static uint8_t *make_data(const TableHeader *header, uint64_t seed) {
    uint64_t size = table_side_bytes(header), state = seed;
    uint8_t *data = malloc(size);
    ck_assert_ptr_nonnull(data);
    for (uint64_t i = 0, run = 0; i < size; i++, run--) {
        uint64_t block = i >> header->block_bits;
        if (block % 4 == 1)
            data[i] = 7;
        else if (block % 8 == 2)
            data[i] = (uint8_t)random_next(&state);
        else if (run == 0 || i == 0) {
            run = 1 + random_next(&state) % 40;
            data[i] = (uint8_t)(random_next(&state) % 5);
        } else
            data[i] = data[i - 1];
        if (run == 0) run = 1;
    }
    return data;
}

static void set_map(TableSide *side, int verdict, int codes, int step) {
    side->codes[verdict] = (uint16_t)codes;
    side->plies[verdict] = malloc((size_t)codes * sizeof(uint16_t));
    ck_assert_ptr_nonnull(side->plies[verdict]);
    for (int c = 0; c < codes; c++) side->plies[verdict][c] = (uint16_t)(c * step);
}

static void set_sides(TableHeader *header) {
    for (int s = 0; s < 2; s++) {
        TableSide *side = &header->side[s];
        for (int v = 0; v < WDL_VALUES; v++) side->count[v] = UINT64_C(1) << (10 * v + s);
        if (!side->stored) continue;
        if (header->metric == TABLE_WDL) {
            set_map(side, 0, WDL_VALUES, 1);
            continue;
        }
        set_map(side, WDL_LOSS, header->width == 2 ? 300 : 30, 2);
        set_map(side, WDL_WIN, header->width == 2 ? TABLE_CODES_MAX : 200, 3);
        side->longest[WDL_WIN] = 70000;
        strcpy(side->longest_fen[WDL_WIN], "8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    }
}

static Sample make_sample(const char *material, TableMetric metric, unsigned per_byte,
                          unsigned width, unsigned stored) {
    Sample sample = {0};
    TableHeader *header = &sample.header;
    Material m;
    ck_assert(material_parse(material, &m));
    header->pad = metric == TABLE_DTM ? 4 : 1;
    uint8_t order[INDEX_AXES_MAX] = {1, 0};
    ck_assert(index_init(&header->index, &m, metric == TABLE_DTC ? order : NULL, header->pad));
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

static void free_sample(Sample *sample) {
    table_header_free(&sample->header);
    free(sample->data[0]);
    free(sample->data[1]);
}

/* ---- writing -------------------------------------------------------------------------------- */

typedef enum Arrival { IN_ORDER, BACKWARDS, ALTERNATING, ARRIVALS } Arrival;

/* Check notes each assertion in a file, which fails where files are limited, as in disk_full. */
static void require(bool condition) {
    if (!condition) abort();
}

static treb_status add_block(TableWriter *writer, TableEncoder *encoder, const Sample *sample,
                             int side, uint64_t block, TableError *error) {
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

/* Block number `i` of an arrival: which side, which block. */
static int arrival_block(const TableHeader *header, Arrival arrival, uint64_t i, uint64_t *block) {
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

static treb_status write_sample(const Sample *sample, Arrival arrival, TableError *error) {
    const char *dictionary = sample->dictionary;
    size_t dictionary_size = dictionary ? strlen(dictionary) : 0;
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

static void must_write(const Sample *sample, Arrival arrival) {
    TableError error = {0};
    ck_assert_msg(write_sample(sample, arrival, &error) == TREB_OK, "%s", error.text);
    ck_assert_int_eq(count_files(), 1);
}

/* ---- files as bytes ------------------------------------------------------------------------- */

static uint8_t *load(const char *path, size_t *size) {
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

static void save(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* Makes the checksum of the header of a file in memory right again. */
static void reseal(uint8_t *bytes, size_t size) {
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

/* ---- comparing ------------------------------------------------------------------------------ */

static void compare_side(const TableSide *a, const TableSide *b) {
    ck_assert_mem_eq(a->count, b->count, sizeof a->count);
    ck_assert_mem_eq(a->longest, b->longest, sizeof a->longest);
    ck_assert_mem_eq(a->codes, b->codes, sizeof a->codes);
    ck_assert_int_eq(a->stored, b->stored);
    for (int v = 0; v < WDL_VALUES; v++) {
        ck_assert_str_eq(a->longest_fen[v], b->longest_fen[v]);
        if (a->codes[v]) ck_assert_mem_eq(a->plies[v], b->plies[v], 2u * a->codes[v]);
    }
}

static void compare_header(const TableHeader *a, const TableHeader *b) {
    ck_assert(material_equal(&a->index.material, &b->index.material));
    ck_assert_uint_eq(a->index.size, b->index.size);
    ck_assert_mem_eq(a->index.order, b->index.order, sizeof a->index.order);
    ck_assert_mem_eq(a->index.stride, b->index.stride, sizeof a->index.stride);
    ck_assert_int_eq(a->metric, b->metric);
    ck_assert_uint_eq(a->pad, b->pad);
    ck_assert_uint_eq(a->per_byte, b->per_byte);
    ck_assert_uint_eq(a->width, b->width);
    ck_assert_uint_eq(a->block_bits, b->block_bits);
    for (int s = 0; s < 2; s++) compare_side(&a->side[s], &b->side[s]);
}

static void compare_blocks(const Sample *sample, const Table *table, int side) {
    const TableHeader *header = table_header(table);
    size_t full = (size_t)1 << header->block_bits;
    uint8_t *out = malloc(full);
    TableDecoder *decoder = table_decoder_new();
    TableError error;
    /* Backwards, so that nothing depends on the block before. */
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

static void must_read(const Sample *sample) {
    char path[PATH_SIZE];
    path_of_sample(sample, path);
    TableError error;
    Table *table = table_open(path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    ck_assert_str_eq(table_path(table), path);
    compare_header(&sample->header, table_header(table));
    for (int s = 0; s < 2; s++)
        if (sample->data[s]) compare_blocks(sample, table, s);
    table_close(table);
}

static void round_trip(Sample sample) {
    size_t size[ARRIVALS];
    uint8_t *bytes[ARRIVALS];
    char path[PATH_SIZE];
    path_of_sample(&sample, path);
    for (int arrival = 0; arrival < ARRIVALS; arrival++) {
        must_write(&sample, (Arrival)arrival);
        must_read(&sample);
        bytes[arrival] = load(path, &size[arrival]);
        ck_assert_uint_eq(size[arrival], size[0]);
        ck_assert_mem_eq(bytes[arrival], bytes[0], size[0]);
    }
    for (int arrival = 0; arrival < ARRIVALS; arrival++) free(bytes[arrival]);
    free_sample(&sample);
}

/* ---- round trips ---------------------------------------------------------------------------- */

START_TEST(both_sides) {
    Sample sample = make_sample("KQvK", TABLE_WDL, 1, 1, 3);
    ck_assert_uint_eq(format_block_size(&sample.header, 28), 896);
    round_trip(sample);
}
END_TEST

START_TEST(white_side_only) {
    round_trip(make_sample("KQvK", TABLE_DTZ, 1, 1, 1));
}
END_TEST

START_TEST(black_side_only) {
    round_trip(make_sample("KQvK", TABLE_DTC, 1, 1, 2));
}
END_TEST

START_TEST(five_cells_in_a_byte) {
    round_trip(make_sample("KQvK", TABLE_WDL, 5, 1, 3));
}
END_TEST

START_TEST(two_bytes_a_cell) {
    round_trip(make_sample("KRvK", TABLE_DTM, 1, 2, 3));
}
END_TEST

START_TEST(smallest_table) {
    round_trip(make_sample("KvK", TABLE_WDL, 5, 1, 1));
}
END_TEST

START_TEST(pawns) {
    round_trip(make_sample("KPvK", TABLE_WDL, 3, 1, 3));
}
END_TEST

START_TEST(raw_dictionary) {
    Sample sample = make_sample("KQvK", TABLE_WDL, 1, 1, 3);
    sample.dictionary = "any typical bytes will do for a dictionary, if there are enough of them";
    round_trip(sample);
}
END_TEST

START_TEST(cells_are_found) {
    Sample sample = make_sample("KvK", TABLE_WDL, 5, 1, 1);
    TableHeader *header = &sample.header;
    const uint8_t block[1024] = {[0] = 2 + 3 * 1 + 27 * 2, [92] = 9};
    const unsigned expected[] = {2, 1, 0, 2, 0, 0};
    for (unsigned i = 0; i < 6; i++)
        ck_assert_uint_eq(table_cell_code(header, block, i), expected[i]);
    ck_assert_uint_eq(table_side_bytes(header), 93);
    ck_assert_uint_eq(table_side_blocks(header), 1);
    ck_assert_uint_eq(table_cell_code(header, block, 461), 0);
    header->per_byte = 1;
    header->base = 65536;
    header->width = 2;
    const uint8_t wide[1024] = {[6] = 0x34, [7] = 0x12};
    ck_assert_uint_eq(table_cell_code(header, wide, 3), 0x1234);
    ck_assert_uint_eq(table_cell_code(header, wide, 515), 0x1234);
    ck_assert_uint_eq(table_cell_block(header, 511), 0);
    ck_assert_uint_eq(table_cell_block(header, 512), 1);
    free_sample(&sample);
}
END_TEST

START_TEST(small_overhead) {
    Sample sample = make_sample("KvK", TABLE_WDL, 5, 1, 1);
    must_write(&sample, IN_ORDER);
    char path[PATH_SIZE];
    size_t size;
    path_of_sample(&sample, path);
    free(load(path, &size));
    /* The header, two sides, a map of three codes, one entry of the block table. */
    ck_assert_uint_le(size - 93, 96 + 2 * 75 + 6 + 10);
    free_sample(&sample);
}
END_TEST

/* ---- faults in files ------------------------------------------------------------------------ */

/* A table of 29 + 29 blocks and its bytes, to damage. */
static Sample victim;
static char victim_path[PATH_SIZE];
static uint8_t *victim_bytes;
static size_t victim_size;

static void make_victim(void) {
    make_directory();
    victim = make_sample("KQvK", TABLE_WDL, 1, 1, 3);
    strcpy(victim.header.side[0].longest_fen[4], "8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    must_write(&victim, IN_ORDER);
    path_of_sample(&victim, victim_path);
    victim_bytes = load(victim_path, &victim_size);
}

static void free_victim(void) {
    free_sample(&victim);
    free(victim_bytes);
    remove_directory();
}

static void must_refuse(const char *path, treb_status status, const char *words) {
    TableError error = {0};
    Table *table = table_open(path, &error);
    ck_assert_msg(table == NULL, "%s was opened; expected: %s", path, words);
    ck_assert_msg(error.status == status, "status %d: %s", error.status, error.text);
    ck_assert_msg(strstr(error.text, words) != NULL, "'%s' lacks '%s'", error.text, words);
    ck_assert_msg(strstr(error.text, path) != NULL, "'%s' does not name the file", error.text);
}

static void must_refuse_bytes(const void *bytes, size_t size, const char *words) {
    save(victim_path, bytes, size);
    must_refuse(victim_path, TREB_ERR_DAMAGED, words);
}

START_TEST(empty_file) {
    must_refuse_bytes("", 0, "is empty");
}
END_TEST

START_TEST(text_file) {
    const char *text = "This is not a table at all, but a text that is long enough to be one. "
                       "It goes on for a while.\n";
    must_refuse_bytes(text, strlen(text), "is not a Trebuchet table");
    must_refuse_bytes("x", 1, "is not a Trebuchet table");
}
END_TEST

START_TEST(foreign_magic) {
    memcpy(victim_bytes, "\x89PNG\r\n\x1a\n", 8);
    must_refuse_bytes(victim_bytes, victim_size, "is not a Trebuchet table");
}
END_TEST

START_TEST(newer_version) {
    format_put16(victim_bytes + FORMAT_AT_VERSION, FORMAT_VERSION + 1);
    must_refuse_bytes(victim_bytes, victim_size, "has format version 2, newer than 1");
}
END_TEST

START_TEST(truncated) {
    for (size_t size = 1; size < victim_size; size += 97)
        must_refuse_bytes(victim_bytes, size, "truncated");
    must_refuse_bytes(victim_bytes, victim_size - 1, "truncated");
    char words[80];
    snprintf(words, sizeof words, "truncated: header says %zu bytes, file has 1000", victim_size);
    must_refuse_bytes(victim_bytes, 1000, words);
}
END_TEST

START_TEST(too_long) {
    victim_bytes[victim_size] = 0; /* load made room */
    must_refuse_bytes(victim_bytes, victim_size + 1, "too long");
}
END_TEST

START_TEST(header_byte_altered) {
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

START_TEST(header_checksum) {
    victim_bytes[FORMAT_AT_METRIC] ^= 1;
    must_refuse_bytes(victim_bytes, victim_size, "header damaged: its checksum differs");
}
END_TEST

/* A field that is wrong though the checksum is right: what a fuzzer or a bad writer makes. */
static const struct {
    int at, bytes;
    uint64_t value;
    const char *words;
} wrong_field[] = {
    {FORMAT_AT_VERSION, 2, 0, "bad sizes"},
    {FORMAT_AT_METRIC, 1, TABLE_METRICS, "unknown metric"},
    {FORMAT_AT_INDEX_SCHEME, 1, 2, "unknown index scheme"},
    {FORMAT_AT_FLAGS, 4, 0x80000000, "reserved bits"},
    {FORMAT_AT_RESERVED, 2, 1, "reserved bits"},
    {FORMAT_AT_MATERIAL, 4, 0x764b514b, "bad material name"}, /* KQv, KQvK: below */
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
    {FORMAT_AT_STORED, 1, 1, "bad number of codes"},
    {FORMAT_AT_BASE, 4, 256, "bad base"},
    {FORMAT_AT_DICTIONARY_SIZE, 4, 0xffffffff, "bad size of the dictionary"},
    {FORMAT_AT_DICTIONARY_SIZE, 4, 1 << 20, "bad size of the dictionary"},
    {FORMAT_AT_DICTIONARY_SIZE, 4, 10, "bad size of the block table"},
    {FORMAT_AT_CELLS, 8, UINT64_MAX, "bad number of cells"},
    {FORMAT_AT_FILE_SIZE, 8, UINT64_MAX, "truncated: header says 18446744073709551615 bytes"},
    {FORMAT_AT_META, 8, 95, "bad sizes"},
    {FORMAT_AT_META, 8, UINT64_MAX, "bad sizes"},
};

START_TEST(field_wrong) {
    size_t at = (size_t)wrong_field[_i].at;
    if (_i == 5)
        format_put(victim_bytes + at + 3, 1, 0); /* "KQv" */
    else
        format_put(victim_bytes + at, wrong_field[_i].bytes, wrong_field[_i].value);
    reseal(victim_bytes, victim_size);
    must_refuse_bytes(victim_bytes, victim_size, wrong_field[_i].words);
}
END_TEST

/* The same in the part behind the blocks. Offsets are from its beginning. */
enum { AT_CODES = 60, AT_FEN = 70 + 4, FEN_LENGTH = 30, AT_MAP = 70 + 5 + FEN_LENGTH };
enum { AT_ENTRIES = AT_MAP + 10 + 75 + 10 };

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
    {AT_MAP, 2, WDL_VALUES, "bad value map"},
    {AT_ENTRIES, 6, 1, "bad block table"},
    {AT_ENTRIES + 10, 6, 0, "bad block table"},
    {AT_ENTRIES + 20, 6, UINT64_C(0xffffffffffff), "bad block table"},
    {AT_ENTRIES + 57 * 10, 6, UINT64_C(0xffffffffffff), "bad block table"},
    {AT_ENTRIES + 57 * 10, 6, 3000, "bad block table"},
};

START_TEST(meta_wrong) {
    uint8_t *meta = victim_bytes + format_get64(victim_bytes + FORMAT_AT_META);
    ck_assert_uint_eq(meta[AT_FEN], FEN_LENGTH);
    ck_assert_ptr_eq(meta + AT_ENTRIES + 58 * FORMAT_ENTRY_SIZE, victim_bytes + victim_size);
    format_put(meta + wrong_meta[_i].at, wrong_meta[_i].bytes, wrong_meta[_i].value);
    reseal(victim_bytes, victim_size);
    must_refuse_bytes(victim_bytes, victim_size, wrong_meta[_i].words);
}
END_TEST

/* Reads all blocks; exactly the one named must fail. */
static void must_fail_at(int bad_side, uint64_t bad_block) {
    TableError error;
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

START_TEST(block_byte_altered) {
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

START_TEST(cut_off_while_open) {
    TableError error;
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

START_TEST(unusable_dictionary) {
    /* It starts like one of zstd's own, and is none. */
    Sample sample = make_sample("KvK", TABLE_WDL, 1, 1, 1);
    TableError error;
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

START_TEST(missing_file) {
    unlink(victim_path);
    must_refuse(victim_path, TREB_ERR_NO_TABLE, "No such file");
}
END_TEST

START_TEST(directory_for_file) {
    must_refuse(directory, TREB_ERR_IO, "is a directory");
    must_refuse("/dev/null", TREB_ERR_IO, "is not a regular file");
    char path[PATH_SIZE];
    path_of("pipe", path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    must_refuse(path, TREB_ERR_IO, "is not a regular file");
}
END_TEST

/* ---- faults in writing ---------------------------------------------------------------------- */

START_TEST(unwritable_directory) {
    Sample sample = make_sample("KvK", TABLE_WDL, 1, 1, 1);
    const char *places[] = {"/proc/self", "/dev/null", "/nonexistent/place"};
    for (int i = 0; i < 3; i++) {
        TableError error = {0};
        ck_assert_ptr_null(table_writer_open(places[i], &sample.header, NULL, 0, &error));
        ck_assert_int_eq(error.status, TREB_ERR_IO);
        ck_assert_ptr_nonnull(strstr(error.text, places[i]));
        ck_assert_ptr_nonnull(strstr(error.text, "cannot write"));
    }
    free_sample(&sample);
}
END_TEST

/* A limit on the size of files stands for a disk that is full. Each limit fails at another place:
 * the room for the header, the blocks, their sorted copy, the header. */
START_TEST(disk_full) {
    Sample sample = make_sample("KQvK", TABLE_WDL, 1, 1, 3);
    must_write(&sample, IN_ORDER);
    char path[PATH_SIZE];
    size_t size, again_size;
    path_of_sample(&sample, path);
    uint8_t *before = load(path, &size);
    signal(SIGXFSZ, SIG_IGN);
    for (int arrival = IN_ORDER; arrival <= BACKWARDS; arrival++) {
        for (rlim_t limit = 50; limit < size; limit += limit < 100 ? 50 : size / 5) {
            struct rlimit old, tight;
            getrlimit(RLIMIT_FSIZE, &old);
            tight = old;
            tight.rlim_cur = limit;
            setrlimit(RLIMIT_FSIZE, &tight);
            TableError error = {0};
            treb_status status = write_sample(&sample, (Arrival)arrival, &error);
            setrlimit(RLIMIT_FSIZE, &old);
            ck_assert_int_eq(status, TREB_ERR_IO);
            ck_assert_msg(strstr(error.text, "cannot write") && strstr(error.text, path), "%s",
                          error.text);
            ck_assert_int_eq(count_files(), 1);
        }
    }
    /* The table that was there before is whole. */
    uint8_t *again = load(path, &again_size);
    ck_assert_uint_eq(size, again_size);
    ck_assert_mem_eq(before, again, size);
    free(before);
    free(again);
    free_sample(&sample);
}
END_TEST

START_TEST(failed_write_is_remembered) {
    Sample sample = make_sample("KvK", TABLE_WDL, 1, 1, 1);
    TableError error = {0};
    TableWriter *writer = table_writer_open(directory, &sample.header, NULL, 0, &error);
    struct rlimit old, tight;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 100;
    setrlimit(RLIMIT_FSIZE, &tight);
    treb_status status = table_writer_add(writer, 0, 0, sample.data[0], 462, 0, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    ck_assert_int_eq(status, TREB_ERR_IO);
    ck_assert_int_eq(table_writer_finish(writer, &sample.header, NULL, &error), TREB_ERR_IO);
    ck_assert_int_eq(count_files(), 0);
    free_sample(&sample);
}
END_TEST

START_TEST(abort_leaves_nothing) {
    Sample sample = make_sample("KvK", TABLE_WDL, 1, 1, 1);
    TableError error;
    TableWriter *writer = table_writer_open(directory, &sample.header, NULL, 0, &error);
    ck_assert_ptr_nonnull(writer);
    ck_assert_int_eq(count_files(), 1);
    table_writer_abort(writer);
    ck_assert_int_eq(count_files(), 0);
    table_writer_abort(NULL);
    free_sample(&sample);
}
END_TEST

START_TEST(wrong_calls) {
    Sample sample = make_sample("KQvK", TABLE_WDL, 1, 1, 1);
    TableHeader *header = &sample.header;
    const uint8_t *data = sample.data[0];
    TableError error;
    TableWriter *writer = table_writer_open(directory, header, NULL, 0, &error);
    ck_assert_int_eq(table_writer_add(writer, 1, 0, data, 9, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_add(writer, 0, 29, data, 9, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_add(writer, 0, 0, data, 0, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_add(writer, 0, 28, data, 897, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_add(writer, 0, 0, data, 9, 0, &error), TREB_OK);
    ck_assert_int_eq(table_writer_add(writer, 0, 0, data, 9, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_finish(writer, header, NULL, &error), TREB_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "white side, block 1 was never written"));
    TableHeader bad = *header;
    bad.block_bits = 266;
    ck_assert_ptr_null(table_writer_open(directory, &bad, NULL, 0, &error));
    ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
    ck_assert_int_eq(count_files(), 0);
    free_sample(&sample);
}
END_TEST

START_TEST(header_changes_late) {
    Sample sample = make_sample("KvK", TABLE_WDL, 1, 1, 1);
    TableError error;
    for (int bad = 0; bad < 2; bad++) {
        TableWriter *writer = table_writer_open(directory, &sample.header, NULL, 0, &error);
        treb_status status = table_writer_add(writer, 0, 0, sample.data[0], 462,
                                              table_block_checksum(sample.data[0], 462), &error);
        ck_assert_int_eq(status, TREB_OK);
        sample.header.side[0].count[WDL_DRAW] = 3612;
        sample.header.side[0].codes[0] = bad ? 0 : 3;
        status = table_writer_finish(writer, &sample.header, NULL, &error);
        ck_assert_int_eq(status, bad ? TREB_ERR_ARGUMENT : TREB_OK);
        if (!bad) must_read(&sample);
    }
    free_sample(&sample);
}
END_TEST

START_TEST(stale_files_are_removed) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    const char *names[] = {".KvK.wdl.treb.tmp-%ld", ".KvK.wdl.treb.sorted.tmp-%ld",
                           "KvK.wdl.treb.tmp-%ld", ".notes.tmp-%ld", ".KvK.wdl.treb.tmp-%ldx"};
    for (int i = 0; i < 5; i++) {
        char name[80], path[PATH_SIZE];
        snprintf(name, sizeof name, names[i], (long)child);
        path_of(name, path);
        save(path, "x", 1);
    }
    char path[PATH_SIZE];
    path_of("KvK.wdl.treb", path);
    save(path, "x", 1);
    Sample sample = make_sample("KvK", TABLE_WDL, 1, 1, 1);
    TableError error;
    TableWriter *writer = table_writer_open(directory, &sample.header, NULL, 0, &error);
    ck_assert_int_eq(count_files(), 7);
    ck_assert_uint_eq(table_remove_stale(directory), 2);
    ck_assert_int_eq(count_files(), 5);
    ck_assert_uint_eq(table_remove_stale("/nonexistent"), 0);
    table_writer_abort(writer);
    free_sample(&sample);
}
END_TEST

/* ---- the program ---------------------------------------------------------------------------- */

static TCase *add_case(Suite *suite, const char *name, SFun setup, SFun teardown) {
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(suite, tests);
    return tests;
}

static void add_damage_tests(Suite *suite) {
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
    tcase_add_test(tests, block_byte_altered);
    tcase_add_test(tests, cut_off_while_open);
    tcase_add_test(tests, unusable_dictionary);
    tcase_add_test(tests, missing_file);
    tcase_add_test(tests, directory_for_file);
}

int main(void) {
    Suite *suite = suite_create("table");
    TCase *tests = add_case(suite, "round trips", make_directory, remove_directory);
    tcase_add_test(tests, both_sides);
    tcase_add_test(tests, white_side_only);
    tcase_add_test(tests, black_side_only);
    tcase_add_test(tests, five_cells_in_a_byte);
    tcase_add_test(tests, two_bytes_a_cell);
    tcase_add_test(tests, smallest_table);
    tcase_add_test(tests, pawns);
    tcase_add_test(tests, raw_dictionary);
    tcase_add_test(tests, cells_are_found);
    tcase_add_test(tests, small_overhead);
    add_damage_tests(suite);
    tests = add_case(suite, "writing", make_directory, remove_directory);
    tcase_add_test(tests, unwritable_directory);
    tcase_add_test(tests, disk_full);
    tcase_add_test(tests, failed_write_is_remembered);
    tcase_add_test(tests, abort_leaves_nothing);
    tcase_add_test(tests, wrong_calls);
    tcase_add_test(tests, header_changes_late);
    tcase_add_test(tests, stale_files_are_removed);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
