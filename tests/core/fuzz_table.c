/* fuzz_table.c - libFuzzer target: no bytes may make the readers of table files and blocked-pawn
 * tables fail.
 *
 * The first byte of an input says what is corrected before the rest is read as a file, since
 * otherwise the checksums would reject every mutation: bit 0 the magic, version and file size, bit
 * 1 the checksum of the header, bit 2 those of pages (codec symbols). With
 * TREB_FUZZ_SEEDS=directory the program writes small tables there as initial inputs. `make fuzzers`
 * builds it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/format/table_format.h"
#include "pawns/blocked/blocked_file.h"
#include "pawns/check/blocked_file_check.h"
#include "tests/support/symbols.h"

enum { FIX_FRONT = 1, FIX_CHECKSUM = 2, FIX_PAGES = 4, BLOCKS_READ = 64, CELLS_READ = 40 };

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

static void fix_pages(uint8_t *file, size_t size)
{
    uint64_t meta = format_get64(file + FORMAT_AT_META), number = 0;
    if (meta > size) return;
    for (size_t at = TABLE_PAGE_SIZE; at + PAGE_AT_LENGTHS < meta; at += TABLE_PAGE_SIZE) {
        size_t bytes = meta - at < TABLE_PAGE_SIZE ? meta - at : TABLE_PAGE_SIZE;
        format_put32(file + at, format_page_checksum(file + at, bytes, number++));
    }
}

static void fix(uint8_t *file, size_t size, unsigned what)
{
    if (size < FORMAT_FIXED_SIZE) return;
    if (what & FIX_FRONT) {
        memcpy(file + FORMAT_AT_MAGIC, format_magic, sizeof format_magic);
        format_put16(file + FORMAT_AT_VERSION, FORMAT_VERSION);
        format_put64(file + FORMAT_AT_FILE_SIZE, size);
    }
    if (what & FIX_PAGES && format_get16(file + FORMAT_AT_CODEC) == TABLE_SYMBOLS)
        fix_pages(file, size);
    if (what & FIX_CHECKSUM) fix_checksum(file, size);
}

/* Single cells must be what the block says, from cell `first` on. */
static void read_cells(const Table *table, int side, uint64_t first, const uint8_t *block)
{
    const TableHeader *header = table_header(table);
    uint64_t in_block = (UINT64_C(1) << header->block_bits) / header->width * header->per_byte;
    for (uint64_t i = 0; i < CELLS_READ; i++) {
        uint64_t cell = first + in_block * i / CELLS_READ;
        if (cell >= header->index.size) break;
        int code = table_read_cell(table, WAIT_FOR_ALL, side, cell, NULL, NULL);
        require(code == (int)table_cell_code(header, block, cell));
    }
}

/* Reads some cells: each gives a value or an error. */
static void read_some_cells(const Table *table, int side)
{
    const TableHeader *header = table_header(table);
    for (uint64_t i = 0; i < CELLS_READ; i++) {
        treb_error error = {0};
        uint64_t cell = i % 2 ? header->index.size - 1 - i : header->index.size / CELLS_READ * i;
        if (cell >= header->index.size) continue;
        int code = table_read_cell(table, WAIT_FOR_ALL, side, cell, NULL, &error);
        require(code < (int)header->base);
        require(code >= 0 || (code == -(int)TREB_ERR_DAMAGED && error.text[0] != '\0'));
        MappedBytes page = table_cell_page(table, side, cell);
        require(page.at + page.size <= table_map(table)->size);
    }
}

/* Reads a table that could be opened: its header must make sense, and its blocks can be read or
 * give an error. */
static void read_table(const Table *table, TableDecoder *decoder)
{
    const TableHeader *header = table_header(table);
    size_t full = (size_t)1 << header->block_bits;
    uint8_t *out = malloc(full);
    require(out != NULL);
    uint64_t blocks = table_side_blocks(header), cells = header->index.size;
    require(table_cell_block(header, cells - 1) == blocks - 1);
    for (int side = 0; side < 2; side++) {
        if (header->codec == TABLE_SYMBOLS && header->side[side].stored)
            read_some_cells(table, side);
        for (uint64_t i = 0; i < blocks && i < BLOCKS_READ; i++) {
            treb_error error = {0};
            uint64_t block = i % 2 ? blocks - 1 - i / 2 : i / 2;
            treb_status status = table_read_block(table, decoder, side, block, out, &error);
            require(status == TREB_OK || error.text[0] != '\0');
            require((status == TREB_ERR_ARGUMENT) == !header->side[side].stored);
            if (status != TREB_OK) continue;
            uint64_t cell = (block << header->block_bits) / header->width * header->per_byte;
            require(table_cell_code(header, out, cell) < header->base);
            if (header->codec == TABLE_SYMBOLS) read_cells(table, side, cell, out);
            require(table_cell_code(header, out, cells - 1) < header->base);
        }
    }
    free(out);
}

/* Finds a position of the pawns of a blocked-pawn table. Returns false if none is blocked. */
static bool find_position(const TableBlocked *blocked, BlockedRequest *request)
{
    char why[BLOCKED_WHY_SIZE];
    for (int i = 0; i < 4096; i++) {
        int white = i >> 6, black = i & 63;
        uint64_t kings = square_bit(white) | square_bit(black);
        treb_position pos = {.fullmove = 1};
        if (white == black || (kings & (blocked->pawns[0] | blocked->pawns[1])) != 0) continue;
        for (int color = 0; color < 2; color++) pos.by_color[color] = blocked->pawns[color];
        pos.by_type[TREB_PAWN] = blocked->pawns[0] | blocked->pawns[1];
        position_put(&pos, TREB_WHITE, TREB_KING, white);
        position_put(&pos, TREB_BLACK, TREB_KING, black);
        if (blocked_check(&pos, why) != TREB_OK) continue;
        *request = (BlockedRequest){.pos = pos,
                                    .goal = (TableGoal)blocked->goal,
                                    .from = blocked->squares,
                                    .target = blocked->squares,
                                    .safe = blocked->safe};
        return true;
    }
    return false;
}

/* Asks a blocked-pawn table that could be opened for moves and squares. */
static void read_blocked(const char *path, const TableBlocked *blocked)
{
    const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    static Squares squares;
    Placements placements;
    static PawnMove moves[512];
    BlockedRequest request;
    treb_error error = {0};
    treb_position last;
    LineEnd end;
    FileCheck check = {0};
    if (!find_position(blocked, &request)) return;
    Blocked *b = blocked_file_read(path, &request, &error);
    require(b != NULL || (error.status == TREB_ERR_DAMAGED && error.text[0] != '\0'));
    if (b != NULL) {
        require(blocked_moves(b, moves) >= 0);
        require(blocked_line(b, moves, 512, &end, &last) >= 0);
        blocked_placements(b, &placements);
        squares_find(&placements, blocked_attacker(b), all, &squares);
    }
    blocked_free(b);
    require(blocked_file_check(path, &check) == TREB_ERR_DAMAGED); /* the file has another name */
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
    treb_error error = {0};
    Table *table = table_open(path, &error);
    TableDecoder *decoder = table_decoder_new();
    if (table) read_table(table, decoder);
    if (table && table_header(table)->metric == TABLE_BLOCKED)
        read_blocked(path, &table_header(table)->blocked);
    if (table == NULL) require(error.status == TREB_ERR_DAMAGED && error.text[0] != '\0');
    table_decoder_free(decoder);
    table_close(table);
    close(memory);
    free(file);
    return 0;
}

/* ---- seeds ----------------------------------------------------------------------------------- */

/* Turns a file in the seeds' directory into a seed: adds the byte of options in front. */
static void to_seed(const char *path)
{
    uint8_t bytes[1 << 16] = {FIX_FRONT | FIX_CHECKSUM | FIX_PAGES};
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    size_t size = 1 + fread(bytes + 1, 1, sizeof bytes - 1, file);
    fclose(file);
    file = fopen(path, "wb");
    require(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void write_seed(const char *directory, const char *name, treb_metric metric,
                       const char *dictionary)
{
    TableHeader header = {.pad = 1, .metric = metric, .per_byte = 1, .width = 1, .block_bits = 10};
    Material material;
    require(material_parse(name, &material) && index_init(&header.index, &material, NULL, 1));
    if (metric == TREB_WDL) {
        header.per_byte = 5;
        header.base = 3;
    }
    uint16_t verdicts[2] = {TREB_DRAW, TREB_WIN};
    header.side[0] = (TableSide){.stored = true, .codes = {2}, .plies = {verdicts}};
    header.side[1].stored = metric != TREB_WDL;
    strcpy(header.side[0].longest_fen[TREB_WIN], "8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    size_t length = dictionary ? strlen(dictionary) : 0, capacity = table_block_bound(&header);
    uint8_t block[1024], *packed = malloc(capacity);
    treb_error error;
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

/* Writes a seed with codec symbols: one or both sides, one code or more, cells that share a byte or
 * take two. */
static void write_coded_seed(const char *directory, const char *name, treb_metric metric,
                             unsigned per_byte, unsigned width, unsigned block_bytes,
                             unsigned codes)
{
    TableHeader header = {.codec = TABLE_SYMBOLS,
                          .pad = 1,
                          .metric = metric,
                          .per_byte = per_byte,
                          .base = per_byte > 1 ? 1u << 8 / per_byte : 0,
                          .width = width,
                          .block_bits = 10};
    Material material;
    require(material_parse(name, &material) &&
            index_init_square_colors(&header.index, &material, NULL));
    uint16_t verdicts[2] = {TREB_DRAW, TREB_WIN};
    uint8_t *data[2] = {NULL, NULL};
    size_t bytes = (size_t)table_side_bytes(&header);
    for (int s = 0; s < 2; s++) {
        TableSide *side = &header.side[s];
        side->index = header.index;
        side->stored = s == 0 || metric == TREB_WDL;
        side->code.block_bytes = block_bytes;
        side->code.count = codes;
        if (side->stored) side->codes[0] = 2;
        if (side->stored) side->plies[0] = verdicts;
        require((data[s] = calloc(bytes, 1)) != NULL);
        for (size_t i = 0; i < bytes; i++)
            data[s][i] = (uint8_t)(width == 2 ? i % 2 ? i / 999 % 3 : i / 7 : i * (i / 700) / 64);
    }
    uint64_t size;
    treb_error error;
    require(symbols_write(directory, &header, data, &size, &error) == TREB_OK);
    char file[TABLE_NAME_SIZE], path[512];
    table_file_name(&material, metric, file);
    snprintf(path, sizeof path, "%.400s/%s", directory, file);
    to_seed(path);
    for (int s = 0; s < 2; s++) {
        free(header.side[s].code.bytes);
        free(data[s]);
    }
}

static void write_rank_seed(const char *directory, const char *fen, TableGoal goal, uint64_t from,
                            uint64_t target)
{
    BlockedRequest request = {.goal = goal,
                              .from = from,
                              .target = target,
                              .all = true,
                              .region = {UINT64_MAX, UINT64_MAX},
                              .limits = {.memory = 64 << 20, .pieces = 0}};
    treb_error error;
    char name[TABLE_LONG_NAME_SIZE], path[800];
    require(position_from_fen(fen, &request.pos, NULL) == TREB_OK);
    Blocked *b = blocked_solve(&request, &error);
    require(b != NULL && blocked_evaluate_captures(b));
    require(blocked_file_write(b, directory, &error) == TREB_OK);
    blocked_file_name(&request, name);
    snprintf(path, sizeof path, "%.400s/%s", directory, name);
    to_seed(path);
    blocked_free(b);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const char *directory = getenv("TREB_FUZZ_SEEDS");
    if (directory == NULL) return 0;
    write_seed(directory, "KvK", TREB_WDL, NULL);
    write_seed(directory, "KvK", TREB_DTZ, "a dictionary of typical bytes: 00000001111111222222");
    write_seed(directory, "KRvK", TREB_WDL, NULL);
    write_seed(directory, "KQvK", TREB_DTM, NULL);
    write_coded_seed(directory, "KvK", TREB_DTM, 1, 2, 8, 1);
    write_coded_seed(directory, "KBvK", TREB_WDL, 4, 1, 64, 3);
    write_coded_seed(directory, "KQvK", TREB_DTZ, 1, 1, 184, 2);
    write_coded_seed(directory, "KNvK", TREB_WDL, 8, 1, 31, 1);
    write_rank_seed(directory, "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", GOAL_EXACT, 0, 0);
    write_rank_seed(directory, "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1", GOAL_EXACT, 0, 0);
    write_rank_seed(directory, "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1", GOAL_TAKE, 1, 0);
    write_rank_seed(directory, "7k/8/8/8/8/8/8/K7 w - - 0 1", GOAL_REACH, 0, 0x81);
    return 0;
}
