/* fuzz_table.c - libFuzzer target: no bytes may upset the reader of table files.
 *
 * The first byte of an input says what is put right before the rest is read as a file, because
 * otherwise the checksum stops every mutation at the door: bit 0 the magic, version and file size,
 * bit 1 the checksum of the header. With TREB_FUZZ_SEEDS=directory it writes small tables there,
 * as inputs to begin with.
 *
 * clang -std=c11 -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -Icore core/bitboard.c
 *       core/index.c core/kings.c core/material.c core/table_*.c tests/fuzz_table.c
 *       -lzstd -lxxhash */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "table_format.h"

enum { FIX_FRONT = 1, FIX_CHECKSUM = 2, BLOCKS_READ = 64 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void fix_checksum(uint8_t *file, size_t size)
{
    uint64_t meta = format_get64(file + FORMAT_AT_META);
    if (meta < FORMAT_FIXED_SIZE || meta > size) return;
    size_t header_size = FORMAT_FIXED_SIZE + (size - meta);
    uint8_t *header = malloc(header_size);
    require(header != NULL);
    memcpy(header, file, FORMAT_FIXED_SIZE);
    memcpy(header + FORMAT_FIXED_SIZE, file + meta, size - meta);
    format_seal(header, header_size);
    memcpy(file, header, FORMAT_FIXED_SIZE);
    free(header);
}

static void fix(uint8_t *file, size_t size, unsigned what)
{
    if (size < FORMAT_FIXED_SIZE) return;
    if (what & FIX_FRONT) {
        memcpy(file + FORMAT_AT_MAGIC, format_magic, sizeof format_magic);
        format_put16(file + FORMAT_AT_VERSION, FORMAT_VERSION);
        format_put64(file + FORMAT_AT_FILE_SIZE, size);
    }
    if (what & FIX_CHECKSUM) fix_checksum(file, size);
}

/* A table that opens must have a header that makes sense and blocks that can be asked for. */
static void read_table(const Table *table, TableDecoder *decoder)
{
    const TableHeader *header = table_header(table);
    size_t full = (size_t)1 << header->block_bits;
    uint8_t *out = malloc(full);
    require(out != NULL);
    uint64_t blocks = table_side_blocks(header), cells = header->index.size;
    require(table_cell_block(header, cells - 1) == blocks - 1);
    for (int side = 0; side < 2; side++) {
        for (uint64_t i = 0; i < blocks && i < BLOCKS_READ; i++) {
            TableError error = {0};
            uint64_t block = i % 2 ? blocks - 1 - i / 2 : i / 2;
            treb_status status = table_read_block(table, decoder, side, block, out, &error);
            require(status == TREB_OK || error.text[0] != '\0');
            require((status == TREB_ERR_ARGUMENT) == !header->side[side].stored);
            if (status != TREB_OK) continue;
            uint64_t cell = (block << header->block_bits) / header->width * header->per_byte;
            require(table_cell_code(header, out, cell) < header->base);
            require(table_cell_code(header, out, cells - 1) < header->base);
        }
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    uint8_t *file = malloc(size);
    require(file != NULL);
    memcpy(file, data + 1, size - 1);
    fix(file, size - 1, data[0]);
    int memory = memfd_create("table", MFD_CLOEXEC);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    require(memory >= 0 && write(memory, file, size - 1) == (ssize_t)(size - 1));
    TableError error = {0};
    Table *table = table_open(path, &error);
    TableDecoder *decoder = table_decoder_new();
    if (table)
        read_table(table, decoder);
    else
        require(error.status == TREB_ERR_DAMAGED && error.text[0] != '\0');
    table_decoder_free(decoder);
    table_close(table);
    close(memory);
    free(file);
    return 0;
}

/* ---- seeds ----------------------------------------------------------------------------------- */

/* A file of the seeds' directory with the byte of options in front. */
static void to_seed(const char *path)
{
    uint8_t bytes[1 << 16] = {FIX_FRONT | FIX_CHECKSUM};
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    size_t size = 1 + fread(bytes + 1, 1, sizeof bytes - 1, file);
    fclose(file);
    file = fopen(path, "wb");
    require(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void write_seed(const char *directory, const char *name, TableMetric metric,
                       const char *dictionary)
{
    TableHeader header = {.pad = 1, .metric = metric, .per_byte = 1, .width = 1, .block_bits = 10};
    Material material;
    require(material_parse(name, &material) && index_init(&header.index, &material, NULL, 1));
    if (metric == TABLE_WDL) {
        header.per_byte = 5;
        header.base = 3;
    }
    uint16_t verdicts[2] = {WDL_DRAW, WDL_WIN};
    header.side[0] = (TableSide){.stored = true, .codes = {2}, .plies = {verdicts}};
    header.side[1].stored = metric != TABLE_WDL;
    strcpy(header.side[0].longest_fen[WDL_WIN], "8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    size_t length = dictionary ? strlen(dictionary) : 0, capacity = table_block_bound(&header);
    uint8_t block[1024], *packed = malloc(capacity);
    TableError error;
    TableEncoder *encoder = table_encoder_new(3, dictionary, length);
    TableWriter *writer = table_writer_open(directory, &header, dictionary, length, &error);
    require(encoder && writer && packed);
    for (int s = 0; s < 2; s++) {
        if (!header.side[s].stored) continue;
        for (uint64_t b = 0; b < table_side_blocks(&header); b++) {
            size_t size = format_block_size(&header, b);
            for (size_t i = 0; i < size; i++) block[i] = (uint8_t)(b % 3 ? i * b / 64 : 2);
            size_t got = table_encode_block(encoder, block, size, packed, capacity);
            uint32_t checksum = table_block_checksum(block, size);
            require(table_writer_add(writer, s, b, packed, got, checksum, &error) == TREB_OK);
        }
    }
    require(table_writer_finish(writer, &header, NULL, &error) == TREB_OK);
    char file[TABLE_NAME_SIZE], path[512];
    table_file_name(&material, metric, file);
    snprintf(path, sizeof path, "%.400s/%s", directory, file);
    to_seed(path);
    table_encoder_free(encoder);
    free(packed);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const char *directory = getenv("TREB_FUZZ_SEEDS");
    if (directory == NULL) return 0;
    write_seed(directory, "KvK", TABLE_WDL, NULL);
    write_seed(directory, "KvK", TABLE_DTZ, "a dictionary of typical bytes: 00000001111111222222");
    write_seed(directory, "KRvK", TABLE_WDL, NULL);
    write_seed(directory, "KQvK", TABLE_DTM, NULL);
    return 0;
}
