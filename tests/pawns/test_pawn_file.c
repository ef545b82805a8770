/* test_pawn_file.c - pawn files: names, writing, checking, and the answers of the library. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pawns/check/pawn_file_check.h"
#include "pawns/solve/pawn_file.h"
#include "tests/support/part.h"
#include "tests/support/suite.h"

enum { PATH_SIZE = 600, SAMPLE = 200000 };

static char directory[64];

static void make_directory(void)
{
    strcpy(directory, "/tmp/trebuchet-solved-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void remove_directory(void)
{
    DIR *list = opendir(directory);
    for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;)
        if (e->d_name[0] != '.') unlinkat(dirfd(list), e->d_name, 0);
    if (list != NULL) closedir(list);
    rmdir(directory);
}

static bool no_rule(void *context, const treb_position *pos, int *out)
{
    (void)context, (void)pos, (void)out;
    return false;
}

static bool half_way(void *context, uint64_t done, uint64_t structures)
{
    (void)context;
    return 2 * done > structures;
}

static void write_until(const char *fen, int men, PawnFileProgress *tell, PawnFileWritten *written,
                        char path[PATH_SIZE])
{
    treb_position pos;
    treb_error error;
    const ProofGraphLimits limits = {.memory = UINT64_C(1) << 29, .pieces = men};
    ck_assert_int_eq(treb_position_from_fen(fen, &pos, &error), TREB_OK);
    Solve *s = solve_position(&pos, &limits, &error);
    ck_assert_msg(s != NULL, "%s", error.text);
    treb_status status = pawn_file_write(s, no_rule, directory, tell, NULL, written, &error);
    ck_assert_msg(status == TREB_OK, "%s", error.text);
    snprintf(path, PATH_SIZE, "%s/%s", directory, written->name);
    solve_free(s);
}

static void write_fen(const char *fen, int men, PawnFileWritten *written, char path[PATH_SIZE])
{
    write_until(fen, men, NULL, written, path);
    ck_assert(!written->stopped);
}

static int files(void)
{
    int count = 0;
    DIR *list = opendir(directory);
    for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;)
        count += e->d_name[0] != '.';
    closedir(list);
    return count;
}

static void must_be_right(const char *path, uint64_t most)
{
    FileCheck check = {.most = most};
    treb_status status = pawn_file_check(path, &check);
    ck_assert_msg(status == TREB_OK, "%s", check.text);
    ck_assert_uint_gt(check.placements, 1000);
}

START_TEST(names)
{
    StructureKey root;
    char again[TABLE_LONG_NAME_SIZE];
    static const char *const good[] = {"a2-a7.solved.treb", "-a2.solved.treb",
                                       "a3-Nb6a7.solved.treb", "a2b2-a5b5c5.solved.treb"};
    static const char *const bad[] = {
        "a2-a7.exact.treb",    "b2a2-a7.solved.treb", "h2-h7.solved.treb",
        "a2-a2.solved.treb",   "a1-a7.solved.treb",   "a2a7.solved.treb",
        "NNNNa2-.solved.treb", "Ka2-a7.solved.treb",  "a2-a7.solved.treb2"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(table_pawn_is_name(good[i], &root), "%s", good[i]);
        table_pawn_name(&root, again);
        ck_assert_str_eq(again, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!table_pawn_is_name(bad[i], NULL), "%s", bad[i]);
}
END_TEST

static bool same_place(const StructurePlace *a, const StructurePlace *b)
{
    return memcmp(&a->key, &b->key, sizeof a->key) == 0 && a->turn == b->turn && a->cell == b->cell;
}

/* All images of a position have the same cell, and no other position has it. */
START_TEST(places)
{
    treb_position pos, image;
    StructurePlace a, b;
    treb_error error;
    ck_assert_int_eq(treb_position_from_fen("8/2k1n3/1p6/8/P2NP3/3K4/8/8 w - - 0 1", &pos, &error),
                     TREB_OK);
    ck_assert(structure_place(&pos, &a));
    position_swap_colors(&pos, &image);
    ck_assert(structure_place(&image, &b));
    ck_assert(same_place(&a, &b));
    position_flip_files(&image, &image);
    ck_assert(structure_place(&image, &b));
    ck_assert(same_place(&a, &b));
    image.turn ^= 1;
    ck_assert(structure_place(&image, &b));
    ck_assert_int_ne(a.turn, b.turn);
}
END_TEST

START_TEST(written_and_right)
{
    PawnFileWritten written, again;
    char path[PATH_SIZE];
    write_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", 1, &written, path);
    ck_assert_uint_gt(written.structures, 100);
    ck_assert_uint_lt(written.open, written.positions / 2);
    must_be_right(path, SAMPLE);
    /* The mirror image, with other squares of the kings: all known values are kept. */
    write_fen("7k/8/4p3/2p1P2p/2P1P2P/8/7K/8 b - - 0 1", 1, &again, path);
    ck_assert_str_eq(written.name, again.name);
    ck_assert_uint_ge(again.structures, written.structures);
    ck_assert_uint_le(again.open - (again.positions - written.positions), written.open);
    must_be_right(path, SAMPLE);
}
END_TEST

/* Nothing of the new file is left, and the old file stays. */
START_TEST(stopped)
{
    static const char fen[] = "8/8/1p6/p7/P7/1P2k3/8/4K3 b - - 0 1";
    PawnFileWritten written;
    char path[PATH_SIZE];
    write_until(fen, 1, half_way, &written, path);
    ck_assert(written.stopped);
    ck_assert_int_eq(files(), 0);
    write_fen(fen, 1, &written, path);
    write_until(fen, 1, half_way, &written, path);
    ck_assert(written.stopped);
    ck_assert_int_eq(files(), 1);
    must_be_right(path, SAMPLE);
}
END_TEST

/* Writes a file again with one cell changed. */
static void damage(const char *path, int side, uint64_t cell, uint8_t value)
{
    treb_error error;
    Table *table = table_open(path, &error);
    ck_assert_ptr_nonnull(table);
    const TableHeader *h = table_header(table);
    TableWriter *writer = table_writer_open(directory, h, NULL, 0, &error);
    TableEncoder *encoder = table_encoder_new(3, NULL, 0);
    TableDecoder *decoder = table_decoder_new();
    const size_t full = (size_t)1 << h->block_bits;
    uint8_t *plain = malloc(full), *packed = malloc(table_block_bound(h));
    for (int s = 0; s < 2; s++)
        for (uint64_t b = 0; b < table_side_blocks(h); b++) {
            uint64_t left = table_side_bytes(h) - (b << h->block_bits);
            size_t size = left < full ? (size_t)left : full;
            ck_assert_int_eq(table_read_block(table, decoder, s, b, plain, &error), TREB_OK);
            if (s == side && cell >> h->block_bits == b) plain[cell & (full - 1)] = value;
            size_t n = table_encode_block(encoder, plain, size, packed, table_block_bound(h));
            ck_assert_int_eq(table_writer_add(writer, s, b, packed, n,
                                              table_block_checksum(plain, size), &error),
                             TREB_OK);
        }
    ck_assert_msg(table_writer_finish(writer, h, NULL, &error) == TREB_OK, "%s", error.text);
    free(plain);
    free(packed);
    table_encoder_free(encoder);
    table_decoder_free(decoder);
    table_close(table);
}

/* The cell of a position, and its value. */
static unsigned cell_in_file(const char *path, const char *fen, int *side, uint64_t *cell)
{
    treb_position pos;
    treb_error error;
    StructurePlace place;
    uint8_t *plain;
    ck_assert_int_eq(treb_position_from_fen(fen, &pos, &error), TREB_OK);
    ck_assert(structure_place(&pos, &place));
    Table *table = table_open(path, &error);
    ck_assert_ptr_nonnull(table);
    const TableHeader *h = table_header(table);
    const TableStructure *s = table_find_structure(h, &place.key);
    ck_assert_ptr_nonnull(s);
    TableDecoder *decoder = table_decoder_new();
    plain = malloc((size_t)1 << h->block_bits);
    *side = place.turn;
    *cell = s->first + place.cell;
    ck_assert_int_eq(table_read_block(table, decoder, *side, *cell >> h->block_bits, plain, &error),
                     TREB_OK);
    unsigned value = plain[*cell & ((UINT64_C(1) << h->block_bits) - 1)];
    free(plain);
    table_decoder_free(decoder);
    table_close(table);
    return value;
}

START_TEST(damage_is_found)
{
    static const char fen[] =
        "8/8/8/3p1k2/3P4/4K3/8/8 w - - 0 1"; /* a draw; with Black to move too */
    PawnFileWritten written;
    char path[PATH_SIZE];
    int side;
    uint64_t cell;
    write_fen(fen, 1, &written, path);
    must_be_right(path, 0);
    unsigned value = cell_in_file(path, fen, &side, &cell);
    const uint8_t wrong[] = {PAWN_CELL_WIN + 1, PAWN_CELL_WIN + 99, PAWN_CELL_LOSS,
                             PAWN_CELL_LOSS + 100, PAWN_CELLS};
    for (size_t i = 0; i < sizeof wrong; i++) {
        FileCheck check[2] = {{.threads = 1}, {.threads = 3}};
        damage(path, side, cell, wrong[i]);
        for (int n = 0; n < 2; n++)
            ck_assert_msg(pawn_file_check(path, &check[n]) == TREB_ERR_DAMAGED, "%u", wrong[i]);
        /* The results and the reported error do not depend on the number of threads. */
        ck_assert_uint_eq(check[0].placements, check[1].placements);
        ck_assert_uint_eq(check[0].errors, check[1].errors);
        ck_assert_str_eq(check[0].text, check[1].text);
        damage(path, side, cell, (uint8_t)value);
    }
    must_be_right(path, 0);
}
END_TEST

START_TEST(torn_files)
{
    PawnFileWritten written;
    char path[PATH_SIZE];
    treb_error error;
    write_fen("8/8/8/3p1k2/3P4/4K3/8/8 w - - 0 1", 1, &written, path);
    for (uint64_t size = written.bytes - 1; size > 0; size = size * 2 / 3) {
        ck_assert_int_eq(truncate(path, (off_t)size), 0);
        ck_assert_ptr_null(table_open(path, &error));
        ck_assert_int_eq(error.status, TREB_ERR_DAMAGED);
    }
}
END_TEST

/* The answers of the library agree with the cells, and the best move makes the distance smaller. */
START_TEST(the_library_answers)
{
    static const char fen[] = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1";
    PawnFileWritten written;
    char path[PATH_SIZE];
    const char *folder = directory;
    treb_error error;
    treb_position pos;
    treb_wdl wdl;
    treb_distance dtz;
    treb_move list[TREB_MOVES_MAX];
    size_t count;
    write_fen(fen, 1, &written, path);
    treb_tables *tables = treb_tables_open(&folder, 1, &error);
    ck_assert_ptr_nonnull(tables);
    ck_assert_int_eq(treb_tables_men(tables), 9);
    ck_assert_uint_eq(treb_tables_count(tables), 0);
    unsigned seen = 0, won = 0;
    for (int i = 0; i < 2 * 4096; i += 7) {
        char text[TREB_FEN_SIZE];
        int side;
        uint64_t cell;
        treb_position_from_fen(fen, &pos, &error);
        pos.by_color[0] &= ~pos.by_type[TREB_KING];
        pos.by_color[1] &= ~pos.by_type[TREB_KING];
        pos.by_type[TREB_KING] = 0;
        if (bit_test(position_occupied(&pos), i >> 6 & 63)) continue;
        position_put(&pos, TREB_WHITE, TREB_KING, i >> 6 & 63);
        if (bit_test(position_occupied(&pos), i & 63)) continue;
        position_put(&pos, TREB_BLACK, TREB_KING, i & 63);
        pos.turn = (uint8_t)(i >> 12);
        if (position_check(&pos, NULL) != TREB_OK) continue;
        treb_position_to_fen(&pos, text);
        unsigned value = cell_in_file(path, text, &side, &cell);
        treb_status status = treb_probe_wdl(tables, &pos, &wdl, &error);
        const bool decided = value == PAWN_CELL_DRAW || value >= PAWN_CELL_WIN;
        ck_assert_msg((status == TREB_OK) == decided, "%s", text);
        if (!decided) ck_assert_int_eq(status, TREB_ERR_MEN);
        seen++;
        if (!decided) continue;
        ck_assert_int_eq(wdl, pawn_cell_wins(value)    ? TREB_WIN
                              : pawn_cell_loses(value) ? TREB_LOSS
                                                       : TREB_DRAW);
        if (!pawn_cell_wins(value)) continue;
        won++;
        ck_assert_int_eq(treb_probe_dtz(tables, &pos, &dtz, &error), TREB_OK);
        ck_assert_uint_eq((unsigned)dtz.plies, pawn_cell_plies(value));
        ck_assert_int_eq(dtz.rounded, dtz.plies > 1 ? TREB_AT_MOST : TREB_EXACT);
        treb_probe_moves(tables, &pos, TREB_DTZ, TREB_RULE_50, list, TREB_MOVES_MAX, &count, NULL);
        ck_assert_int_eq(list[0].value.rule, TREB_WIN);
        ck_assert_int_le(list[0].value.plies[TREB_DTZ], dtz.plies);
    }
    ck_assert_uint_gt(seen, 500);
    ck_assert_uint_gt(won, 50);
    treb_tables_close(tables);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pawn files");
    TCase *files = tcase_create("files");
    suite_add_tcase(suite, files);
    tcase_add_checked_fixture(files, make_directory, remove_directory);
    tcase_set_timeout(files, 300);
    tcase_add_test(files, names);
    tcase_add_test(files, places);
    tcase_add_test(files, written_and_right);
    if (test_part() == 1) tcase_add_test(files, stopped);
    tcase_add_test(files, damage_is_found);
    tcase_add_test(files, torn_files);
    tcase_add_test(files, the_library_answers);
    return run_suite(suite);
}
