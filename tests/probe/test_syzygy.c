/* test_syzygy.c - Syzygy's files: their index, their values, and damaged files. tests/data/syzygy
 * has original files of three men and of KNNvK. */
#define _DEFAULT_SOURCE
#include "probe/syzygy/syzygy.h"

#include <fcntl.h>

#include "tests/support/naive_set.h"
#include "tests/support/part.h"

static const char fixtures[] = "tests/data/syzygy";
static SyzygyMaps maps;

static Material material_named(const char *name)
{
    Material material;
    ck_assert(material_parse(name, &material));
    return material;
}

/* ---- The index ------------------------------------------------------------------------------- */

/* Orders of men as the files have them: White's pawn to king are 1 to 6, Black's 9 to 14. */
static const struct {
    const char *name;
    uint8_t man[SYZYGY_MEN_MAX];
    int order, order2;
    uint64_t size; /* size for file a */
} orders[] = {
    {"KQvK", {6, 5, 14}, 0, 15, 31332},
    {"KNNvK", {6, 14, 2, 2}, 1, 15, 462 * (62 * 61 / 2)},
    {"KQvKR", {14, 12, 6, 5}, 1, 15, 31332 * 61},
    {"KPvK", {1, 14, 6}, 2, 15, 6 * 63 * 62},
    {"KPvKP", {1, 9, 6, 14}, 0, 1, 6 * 47 * 62 * 61},
    {"KPvKP", {9, 1, 14, 6}, 3, 0, 6 * 47 * 62 * 61},
    {"KPPvKP", {9, 1, 1, 6, 14}, 1, 2, UINT64_C(6) * (47 * 46 / 2) * 61 * 60},
    {"KRPPvK", {1, 1, 4, 14, 6}, 1, 15, 0},
    {"KPPPvKPP", {9, 9, 1, 1, 1, 14, 6}, 2, 0, 0},
    {"KRBBvKNN", {6, 14, 4, 3, 3, 10, 10}, 0, 15, 0},
    {"KBBvKNN", {6, 14, 10, 10, 3, 3}, 2, 15, 0},
};

static SyzygyIndex index_of_order(size_t i, int file)
{
    SyzygyIndex index;
    Material material = material_named(orders[i].name);
    /* Where there are three single men, they lead. The order of KRBBvKNN names them first. */
    ck_assert_msg(syzygy_index_init(&index, &maps, &material, orders[i].man, orders[i].order,
                                    orders[i].order2, file),
                  "%s", orders[i].name);
    return index;
}

START_TEST(cells_match_their_men)
{
    uint64_t random = 7;
    for (int file = 0; file < 4; file++) {
        SyzygyIndex index = index_of_order((size_t)_i, file);
        if (index.lead != SYZYGY_LEAD_PAWNS && file > 0) break;
        if (file == 0 && orders[_i].size != 0) ck_assert_uint_eq(index.size, orders[_i].size);
        uint64_t step = index.size / 10000 + 1;
        for (uint64_t cell = 0; cell < index.size; cell += 1 + next_random31(&random) % step) {
            treb_position pos, again;
            syzygy_position_of(&index, &maps, file, cell, TREB_WHITE, &pos);
            uint64_t back = syzygy_index_of(&index, &maps, &pos);
            if (index.lead == SYZYGY_LEAD_PAWNS) {
                ck_assert_uint_eq(back, cell);
                uint64_t pawns = pos.by_color[index.man[0] >> 3] & pos.by_type[TREB_PAWN];
                ck_assert_int_eq(syzygy_lead_file(&maps, pawns), file);
            } else if (back != cell) {
                /* Tests leading men of one kind in another order, and the board mirrored at the
                 * diagonal. */
                syzygy_position_of(&index, &maps, file, back, TREB_WHITE, &again);
                ck_assert_uint_eq(syzygy_index_of(&index, &maps, &again), back);
            }
        }
    }
}
END_TEST

/* All mirror images of a position have one cell, unless all leading men stand on the diagonal. */
START_TEST(turning_the_board_does_not_matter)
{
    SyzygyIndex index = index_of_order((size_t)_i, 0);
    uint64_t random = 11;
    for (int n = 0; n < 20000; n++) {
        treb_position pos, turned;
        uint64_t cell = next_random31(&random) * UINT64_C(0x100000001) % index.size;
        syzygy_position_of(&index, &maps, 0, cell, TREB_WHITE, &pos);
        uint64_t first = syzygy_index_of(&index, &maps, &pos);
        position_flip_files(&pos, &turned);
        /* With two pawns that could lead, one on either wing, the board may be mirrored or not. */
        uint64_t pawns = pos.by_color[index.man[0] >> 3] & pos.by_type[TREB_PAWN];
        if (index.lead == SYZYGY_LEAD_PAWNS && (pawns & flip_files(pawns)) != 0) continue;
        ck_assert_uint_eq(syzygy_index_of(&index, &maps, &turned), first);
        if (index.lead == SYZYGY_LEAD_PAWNS) continue;
        turned = pos;
        for (int color = 0; color < 2; color++)
            turned.by_color[color] = flip_ranks(pos.by_color[color]);
        for (int type = 0; type < TREB_TYPES; type++)
            turned.by_type[type] = flip_ranks(pos.by_type[type]);
        ck_assert_uint_eq(syzygy_index_of(&index, &maps, &turned), first);
    }
}
END_TEST

START_TEST(impossible_orders_are_refused)
{
    static const struct {
        const char *name;
        uint8_t man[SYZYGY_MEN_MAX];
        int order, order2;
    } wrong[] = {
        {"KQvK", {6, 5, 6}, 0, 15},      /* a king twice */
        {"KQvK", {6, 4, 14}, 0, 15},     /* a rook */
        {"KQvK", {6, 5, 14}, 1, 15},     /* no such place */
        {"KQvK", {6, 5, 14}, 0, 0},      /* there are no other pawns */
        {"KQvK", {0, 5, 14}, 0, 15},     /* no man */
        {"KQvK", {7, 5, 14}, 0, 15},     /* no man */
        {"KNNvK", {6, 2, 14, 2}, 0, 15}, /* knights not together */
        {"KNNvK", {2, 2, 6, 14}, 0, 15}, /* knights first */
        {"KPvK", {6, 1, 14}, 0, 15},     /* the pawn is not first */
        {"KPvKP", {1, 6, 9, 14}, 0, 1},  /* a king between pawns */
        {"KPvKP", {1, 9, 6, 14}, 0, 0},  /* one place twice */
        {"KPvKP", {1, 9, 6, 14}, 0, 15}, /* pawns without a place */
        {"KPvKP", {1, 9, 6, 14}, 0, 4},  /* no such place */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        SyzygyIndex index;
        Material material = material_named(wrong[i].name);
        ck_assert_msg(!syzygy_index_init(&index, &maps, &material, wrong[i].man, wrong[i].order,
                                         wrong[i].order2, 0),
                      "order %zu", i);
    }
}
END_TEST

/* The format has at most seven men. A name with eight is not a table's, and its file is not
 * opened. */
START_TEST(eight_men_are_refused)
{
    treb_error error;
    treb_metric metric;
    Material material = material_named("KQQQvKRRR");
    ck_assert(!syzygy_parse_name("a/KQQQvKRRR.rtbw", &material, &metric));
    ck_assert_ptr_null(
        syzygy_open("tests/data/syzygy/KQvK.rtbw", &material, TREB_WDL, &maps, &error));
    ck_assert_int_eq(error.status, TREB_ERR_DAMAGED);
    ck_assert(syzygy_parse_name("a/KRPvKR.rtbz", &material, &metric));
    ck_assert_int_eq(metric, TREB_DTZ);
    ck_assert(!syzygy_parse_name("KRvKRP.rtbz", &material, &metric));
}
END_TEST

/* ---- Values ---------------------------------------------------------------------------------- */

static uint64_t rounded_count;

static void compare_position(const treb_tables *tables, const NaiveValue *truth,
                             const treb_position *pos)
{
    treb_error error = {0};
    treb_distance got;
    treb_status status = treb_probe_distance(tables, pos, TREB_DTZ, &got, &error);
    int plies = truth->verdict == TREB_DRAW ? 0 : truth->plies[TREB_DTZ];
    bool right = status == TREB_OK && (int)got.wdl == truth->verdict &&
                 (plies == got.plies || (got.rounded && plies == got.plies + 1));
    if (!right) {
        char fen[TREB_FEN_SIZE];
        position_to_fen(pos, fen);
        ck_abort_msg("%s: %s, verdict %d and %d plies, not %d and %d", fen, error.text, got.wdl,
                     got.plies, truth->verdict, plies);
    }
    rounded_count += (uint64_t)got.rounded;
}

/* Tests all positions with White the stronger side, and a quarter of those with Black. */
START_TEST(all_positions_of_three_men_are_right)
{
    treb_tables *tables = open_set(fixtures);
    Naive *pawn = naive_solve("KPvK");
    const Naive *all[] = {pawn, naive_promoted(pawn, TREB_QUEEN), naive_promoted(pawn, TREB_ROOK)};
    uint64_t count = 0;
    /* The step is odd, so that both sides are to move. */
    uint32_t step = test_part() > 1 ? 3 * (uint32_t)test_part() + 1 : 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint32_t number = 0; number < 1u << 19; number += step) {
            treb_position pos, swapped;
            if (!three_men(all[i], number, &pos)) continue;
            const NaiveValue *truth = naive_value(all[i], &pos);
            compare_position(tables, truth, &pos);
            count++;
            if (number / step % 8 > 1) continue;
            position_swap_colors(&pos, &swapped);
            compare_position(tables, truth, &swapped);
        }
    ck_assert_uint_gt(count, 900000 / step);
    ck_assert_uint_gt(rounded_count, 1000 / step);
    naive_free(pawn);
    treb_tables_close(tables);
}
END_TEST

/* Our tables are exact. They are used first, whatever the order of the directories. */
START_TEST(ours_answer_where_both_are)
{
    treb_error error;
    treb_value value;
    const NaiveLayout layout = {.per_byte = 3, .block_bits = 10, .side = TREB_BLACK};
    solve_and_write(&layout);
    treb_position pos = position_of("8/8/8/8/8/4k3/8/QK6 w - - 0 1");
    const char *both[] = {fixtures, directory};
    treb_tables *tables = treb_tables_open(both, 2, &error), *syzygy = open_set(fixtures);
    ck_assert_ptr_nonnull(tables);
    ck_assert_uint_eq(treb_tables_count(tables), 12 + SOLVED * TREB_METRICS);
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_OK);
    ck_assert_int_eq(value.status[TREB_DTM], TREB_OK);
    ck_assert_int_eq(value.rounded[TREB_DTZ], 0);
    int exact = value.plies[TREB_DTZ];
    ck_assert_int_eq(treb_probe_root(syzygy, &pos, &value, &error), TREB_OK);
    ck_assert_int_eq(value.status[TREB_DTM], TREB_ERR_NO_TABLE);
    ck_assert_int_eq(value.status[TREB_DTZ], TREB_OK);
    ck_assert(value.plies[TREB_DTZ] == exact ||
              value.plies[TREB_DTZ] + value.rounded[TREB_DTZ] == exact);
    treb_tables_close(tables);
    treb_tables_close(syzygy);
    forget_all();
}
END_TEST

START_TEST(file_summary)
{
    treb_error error;
    treb_table_info info;
    treb_tables *tables = open_set(fixtures);
    ck_assert_int_eq(treb_tables_find(tables, "KvKP", TREB_WDL, &info, &error), TREB_OK);
    ck_assert_int_eq(info.format, TREB_FORMAT_SYZYGY);
    ck_assert_str_eq(info.material, "KPvK");
    ck_assert_str_eq(info.path, "tests/data/syzygy/KPvK.rtbw");
    ck_assert_uint_eq(info.file_size, 7824);
    ck_assert(info.stored[0] && info.stored[1]);
    ck_assert_int_eq(treb_tables_find(tables, "KRvK", TREB_DTZ, &info, &error), TREB_OK);
    ck_assert_int_eq(info.stored[0] + info.stored[1], 1);
    ck_assert_int_eq(treb_tables_find(tables, "KRvK", TREB_DTM, &info, &error), TREB_ERR_NO_TABLE);
    ck_assert_int_eq(treb_tables_pin(tables, "KRvK", TREB_DTZ, &error), TREB_OK);
    treb_tables_close(tables);
}
END_TEST

/* ---- Damage ---------------------------------------------------------------------------------- */

typedef struct Bytes {
    uint8_t *at;
    size_t size;
} Bytes;

static Bytes read_file(const char *folder, const char *name)
{
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    Bytes bytes = {malloc(1 << 16), 0};
    bytes.size = fread(bytes.at, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static void write_file(const char *name, const Bytes *bytes)
{
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes->at, 1, bytes->size, file), bytes->size);
    fclose(file);
}

static const char *const files[] = {"KQvK.rtbw", "KQvK.rtbz", "KPvK.rtbw", "KPvK.rtbz",
                                    "KRvK.rtbz"};
enum { FILES = sizeof files / sizeof *files };

static treb_metric metric_of(int i) { return strchr(files[i], 'w') ? TREB_WDL : TREB_DTZ; }

static Material material_of_fixture(int i)
{
    char name[8] = {0};
    memcpy(name, files[i], 4);
    return material_named(name);
}

static Syzygy *open_in_directory(int i, treb_error *error)
{
    char path[2 * PATH_SIZE];
    Material material = material_of_fixture(i);
    snprintf(path, sizeof path, "%s/%s", directory, files[i]);
    return syzygy_open(path, &material, metric_of(i), &maps, error);
}

START_TEST(checksums_are_compared)
{
    treb_error error;
    make_directory(directory);
    Bytes bytes = read_file(fixtures, files[_i]);
    write_file(files[_i], &bytes);
    Syzygy *table = open_in_directory(_i, &error);
    ck_assert_ptr_nonnull(table);
    ck_assert_int_eq(syzygy_check(table, &error), TREB_OK);
    syzygy_close(table);
    /* The file lacks one byte, or 17. */
    for (size_t from_end = 1; from_end <= 17; from_end += 16) {
        bytes.at[bytes.size - from_end] ^= 1;
        write_file(files[_i], &bytes);
        table = open_in_directory(_i, &error);
        ck_assert_ptr_nonnull(table);
        ck_assert_int_eq(syzygy_check(table, &error), TREB_ERR_DAMAGED);
        ck_assert_ptr_nonnull(strstr(error.text, files[_i]));
        syzygy_close(table);
        bytes.at[bytes.size - from_end] ^= 1;
    }
    free(bytes.at);
    remove_directory(directory);
}
END_TEST

/* The check of a file's size, which does not map the file. */
static treb_status size_of_fixture(int i, treb_error *error)
{
    char path[2 * PATH_SIZE];
    Material material = material_of_fixture(i);
    snprintf(path, sizeof path, "%s/%s", directory, files[i]);
    return syzygy_check_size(path, &material, metric_of(i), &maps, error);
}

START_TEST(cut_files_are_refused)
{
    treb_error error;
    make_directory(directory);
    Bytes bytes = read_file(fixtures, files[_i]), cut = bytes;
    write_file(files[_i], &bytes);
    ck_assert_int_eq(size_of_fixture(_i, &error), TREB_OK);
    for (cut.size = 0; cut.size < bytes.size;
         cut.size += cut.size < 200 ? 1 : 64 * (size_t)test_part()) {
        /* A size of 208 is that of a file that was cut and padded to whole blocks. */
        if (cut.size == 200) cut.size = 208;
        write_file(files[_i], &cut);
        Syzygy *table = open_in_directory(_i, &error);
        ck_assert_msg(table == NULL, "%s: %zu of %zu bytes", files[_i], cut.size, bytes.size);
        ck_assert_int_eq(error.status, TREB_ERR_DAMAGED);
        ck_assert_ptr_nonnull(strstr(error.text, files[_i]));
        ck_assert_int_eq(size_of_fixture(_i, &error), TREB_ERR_DAMAGED);
        ck_assert_ptr_nonnull(strstr(error.text, files[_i]));
    }
    free(bytes.at);
    remove_directory(directory);
}
END_TEST

/* Values unpacked from any cell on equal values read cell by cell. */
START_TEST(unpacked_equals_read)
{
    enum { MOST = 4000 };
    treb_error error;
    uint64_t random = 7, compared = 0;
    make_directory(directory);
    Bytes bytes = read_file(fixtures, files[_i]);
    write_file(files[_i], &bytes);
    Syzygy *table = open_in_directory(_i, &error);
    ck_assert_ptr_nonnull(table);
    bool wdl = metric_of(_i) == TREB_WDL;
    for (int n = 0; n < 200 / test_part(); n++) {
        uint16_t value[MOST];
        int file = n % syzygy_files(table), side = wdl ? n / 4 % 2 : syzygy_dtz_side(table, file);
        const SyzygyIndex *index = syzygy_index(table, side, file);
        uint64_t first = next_random31(&random) % index->size;
        uint64_t count = n < 8 ? 1 : MOST < index->size - first ? MOST : index->size - first;
        ck_assert_int_eq(syzygy_unpack(table, side, file, first, count, value, &error), TREB_OK);
        for (uint64_t i = 0; i < count; i++) {
            treb_position pos;
            syzygy_position_of(index, &maps, file, first + i, side, &pos);
            if (syzygy_index_of(index, &maps, &pos) != first + i) continue;
            int verdict = i & 1 ? TREB_WIN : TREB_LOSS;
            int want = wdl ? syzygy_verdict(table, &pos, &error)
                           : syzygy_dtz(table, &pos, verdict, &error);
            int got = wdl ? value[i] : syzygy_dtz_of(table, file, value[i], verdict);
            if (want >= 0 || wdl)
                ck_assert_int_eq(got, want);
            else
                ck_assert_int_lt(got, 0);
            compared++;
        }
    }
    ck_assert_uint_gt(compared, 100000 / (unsigned)test_part());
    syzygy_close(table);
    free(bytes.at);
    remove_directory(directory);
}
END_TEST

/* Bytes are changed at random. Reading must end, stay within the file, and give a possible
 * value. */
START_TEST(damage_is_survived)
{
    treb_error error;
    uint64_t random = 5;
    make_directory(directory);
    Bytes bytes = read_file(fixtures, files[_i]);
    Material material = material_of_fixture(_i);
    unsigned opened = 0, refused = 0, wrong = 0;
    for (int n = 0; n < 800 / test_part(); n++) {
        /* The header is changed more often than the rest. */
        size_t range = n % 3 != 0 && bytes.size > 400 ? 400 : bytes.size,
               at = 5 + next_random31(&random) % (range - 5);
        uint8_t was = bytes.at[at];
        bytes.at[at] ^= (uint8_t)(1 + next_random31(&random) % 255);
        write_file(files[_i], &bytes);
        bytes.at[at] = was;
        Syzygy *table = open_in_directory(_i, &error);
        refused += table == NULL;
        if (table == NULL) {
            ck_assert_ptr_nonnull(strstr(error.text, files[_i]));
            continue;
        }
        opened++;
        uint16_t some[500];
        const SyzygyIndex *whole = syzygy_index(table, 0, 0);
        if (whole->size >= 500) {
            uint64_t first = next_random31(&random) % (whole->size - 499);
            treb_status status = syzygy_unpack(table, 0, 0, first, 500, some, &error);
            ck_assert(status == TREB_OK || status == TREB_ERR_DAMAGED);
        }
        for (int k = 0; k < 100; k++) {
            SyzygyIndex index;
            treb_position pos;
            static const uint8_t men[3] = {1, 6, 14};
            uint8_t man[3] = {6, 0, 14};
            for (int type = TREB_PAWN; type < TREB_KING; type++)
                if (material.count[0][type]) man[1] = (uint8_t)(type + 1);
            bool pawn = material_has_pawns(&material);
            int file = pawn ? k % 4 : 0;
            ck_assert(syzygy_index_init(&index, &maps, &material, pawn ? men : man, 0, 15, file));
            syzygy_position_of(&index, &maps, file, next_random31(&random) % index.size, k & 1,
                               &pos);
            int value;
            if (metric_of(_i) == TREB_WDL) {
                value = syzygy_verdict(table, &pos, &error);
                ck_assert_int_le(value, TREB_WIN);
            } else {
                if (!syzygy_stores(table, &pos)) continue;
                value = syzygy_dtz(table, &pos, k & 2 ? TREB_WIN : TREB_LOSS, &error);
                ck_assert_int_le(value, 2 * (2 * 65535 + 202));
            }
            ck_assert_int_ge(value, -TREB_ERR_ARGUMENT);
            wrong += value < 0;
        }
        syzygy_close(table);
    }
    ck_assert_uint_gt(opened, 10);
    ck_assert_uint_gt(refused, 10);
    ck_assert_uint_gt(wrong, 0);
    free(bytes.at);
    remove_directory(directory);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("syzygy");
    enum { ORDERS = sizeof orders / sizeof *orders };
    syzygy_maps_fill(&maps);
    TCase *tests = add_case(suite, "index");
    tcase_add_loop_test(tests, cells_match_their_men, 0, ORDERS);
    tcase_add_loop_test(tests, turning_the_board_does_not_matter, 0, ORDERS);
    tcase_add_test(tests, impossible_orders_are_refused);
    tcase_add_test(tests, eight_men_are_refused);
    tests = add_case(suite, "values");
    tcase_add_test(tests, all_positions_of_three_men_are_right);
    tcase_add_test(tests, ours_answer_where_both_are);
    tcase_add_test(tests, file_summary);
    tcase_add_loop_test(tests, unpacked_equals_read, 0, FILES);
    tests = add_case(suite, "damage");
    tcase_add_loop_test(tests, checksums_are_compared, 0, FILES);
    tcase_add_loop_test(tests, cut_files_are_refused, 0, FILES);
    tcase_add_loop_test(tests, damage_is_survived, 0, FILES);
    return run_suite(suite);
}
