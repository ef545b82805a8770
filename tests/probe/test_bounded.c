/* test_bounded.c - mate distances whose cells are bounds. Probes, comparisons and the verifier give
 * the distance. The verifier finds a bound on the wrong side.
 *
 *     test_bounded           makes tables of up to four men, and turns them into tables of bounds
 *     TREB_TEST_KEEP=DIR     leaves the tables of bounds in DIR, with the WDL tables */
#include "check/compare/compare.h"
#include "check/verify/verify.h"
#include "tests/support/bounded.h"
#include "tests/support/draw.h"
#include "tests/support/gen_run.h"
#include "tests/support/part.h"

static char bounded[PATH_SIZE]; /* folder of the tables of bounds; the plain tables are in `work` */

typedef struct Kind {
    const char *name;
    unsigned stored; /* stored sides, as bits */
    TableCodec codec;
    BoundedFill fill;
    bool loose[2]; /* whether there must be wins and losses whose cells are loose */
    bool full;     /* is verified in full */
    bool small;
} Kind;

/* Sub-endings come first: the children of most tables are bounds, too. Some children are plain
 * (KRvKP). */
static const Kind kinds[] = {
    {"KPvK", 3, TABLE_SYMBOLS, BOUNDED_EXTREME, {true, false}, true, true},
    {"KRRvK", 3, TABLE_ZSTD, BOUNDED_RANDOM, {false, true}, true, true},
    {"KQvKQ", 1, TABLE_ZSTD, BOUNDED_EXTREME, {true, false}, false, false},
    {"KQvKR", 1, TABLE_ZSTD, BOUNDED_RANDOM, {true, false}, true, false},
    {"KRvKR", 1, TABLE_SYMBOLS, BOUNDED_RANDOM, {true, false}, false, false},
    {"KQvKP", 1, TABLE_ZSTD, BOUNDED_EXTREME, {true, false}, false, false},
    {"KPvKP", 1, TABLE_ZSTD, BOUNDED_EXTREME, {true, true}, true, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds, SMALL = 2 };
static Bounded *small[SMALL]; /* as they were written */

/* Sanitizers run only the small ones. */
static int kind_count(void) { return test_part() > 1 ? SMALL : KINDS; }

/* ---- Making them ----------------------------------------------------------------------------- */

static void file_path(const char *directory, const char *name, const char *metric,
                      char out[PATH_SIZE])
{
    snprintf(out, PATH_SIZE, "%.4000s/%s.%s.treb", directory, name, metric);
}

static treb_tables *open_set(const char *from)
{
    treb_error error;
    treb_tables *tables = treb_tables_open(&from, 1, &error);
    ck_assert_msg(tables != NULL, "%s", error.text);
    treb_tables_set_memory(tables, UINT64_C(512) << 20);
    return tables;
}

/* Makes the bounds of one table. The caller frees them. */
static Bounded *make_bounds(const treb_tables *plain, const Kind *kind)
{
    char path[PATH_SIZE];
    treb_error error;
    file_path(work, kind->name, "dtm", path);
    Table *table = table_open(path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    ck_assert_msg(!table_header(table)->bounds, "codec zstd is expected to hold distances");
    Bounded *b = bounded_make(plain, table_header(table), kind->stored, kind->codec, kind->fill);
    table_close(table);
    ck_assert_uint_eq(b->failures, 0);
    return b;
}

/* Copies the files that the folder does not have yet. */
static void copy_others(void)
{
    DIR *list = opendir(work);
    ck_assert_ptr_nonnull(list);
    for (struct dirent *e; (e = readdir(list)) != NULL;) {
        char path[PATH_SIZE + 300];
        size_t size = 0;
        snprintf(path, sizeof path, "%s/%s", bounded, e->d_name);
        if (strstr(e->d_name, ".treb") == NULL || access(path, F_OK) == 0) continue;
        char *bytes = read_file(work, e->d_name, &size);
        FILE *file = fopen(path, "wb");
        ck_assert(bytes != NULL && file != NULL);
        ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
        ck_assert_int_eq(fclose(file), 0);
        free(bytes);
    }
    closedir(list);
}

static void set_up(void)
{
    const char *keep = getenv("TREB_TEST_KEEP");
    make_work();
    run_codec = TABLE_ZSTD;
    make_tables_apart(test_part() > 1 ? "KPvK KRRvK" : "KPvKP KRRvK",
                      1 << TREB_WDL | 1 << TREB_DTM);
    snprintf(bounded, sizeof bounded, "%.4000s", keep != NULL ? keep : "");
    if (keep == NULL) snprintf(bounded, sizeof bounded, "%.4000s/bounded", work);
    ck_assert_int_eq(mkdir(bounded, 0777), 0);
    treb_tables *plain = open_set(work);
    for (int i = 0; i < kind_count(); i++) {
        Bounded *b = make_bounds(plain, &kinds[i]);
        for (int k = 0; k < 2; k++)
            ck_assert_msg((b->loose[k] > 0) == kinds[i].loose[k], "%s: %d", kinds[i].name, k);
        ck_assert(bounded_write(b, bounded));
        if (i < SMALL)
            small[i] = b;
        else
            bounded_free(b);
    }
    treb_tables_close(plain);
    copy_others();
}

static void tear_down(void)
{
    for (int i = 0; i < SMALL; i++) bounded_free(small[i]);
    remove_work();
}

/* ---- Probing --------------------------------------------------------------------------------- */

/* Compares all positions, with all en passant captures. */
START_TEST(same_as_plain)
{
    CompareSet set[2];
    CompareResult result;
    treb_error error;
    Material m = material_of(kinds[_i].name);
    const CompareOptions options = {.memory = UINT64_C(1) << 30};
    ck_assert_int_eq(compare_open(&set[0], work, &error), TREB_OK);
    ck_assert_int_eq(compare_open(&set[1], bounded, &error), TREB_OK);
    treb_status status =
        compare_material(&set[0], &set[1], &m, 1 << TREB_DTM, &options, &result, &error);
    ck_assert_msg(status == TREB_OK, "%s", error.text);
    ck_assert_uint_gt(result.positions, 0);
    ck_assert_uint_eq(result.count[TREB_DTM].equal, result.positions);
    ck_assert_int_eq(result.en_passant > 0, strcmp(kinds[_i].name, "KPvKP") == 0);
    compare_result_free(&result);
    for (int s = 0; s < 2; s++) compare_close(&set[s]);
}
END_TEST

static void check_same(const treb_tables *plain, const treb_tables *tables,
                       const treb_position *pos)
{
    treb_distance a, b;
    treb_value x, y;
    char fen[TREB_FEN_SIZE];
    treb_position_to_fen(pos, fen);
    ck_assert_int_eq(treb_probe_dtm(plain, pos, &a, NULL), TREB_OK);
    ck_assert_int_eq(treb_probe_dtm(tables, pos, &b, NULL), TREB_OK);
    ck_assert_msg(a.wdl == b.wdl && a.plies == b.plies, "%s: %d, not %d", fen, b.plies, a.plies);
    ck_assert_int_eq(treb_probe_root(plain, pos, &x, NULL), TREB_OK);
    ck_assert_int_eq(treb_probe_root(tables, pos, &y, NULL), TREB_OK);
    ck_assert_msg(x.plies[TREB_DTM] == y.plies[TREB_DTM], "%s", fen);
}

static void check_same_moves(const treb_tables *plain, const treb_tables *tables,
                             const treb_position *pos)
{
    static treb_move a[TREB_MOVES_MAX], b[TREB_MOVES_MAX];
    size_t count[2];
    ck_assert_int_eq(
        treb_probe_moves(plain, pos, TREB_DTM, TREB_RULE_50, a, TREB_MOVES_MAX, &count[0], NULL),
        TREB_OK);
    ck_assert_int_eq(
        treb_probe_moves(tables, pos, TREB_DTM, TREB_RULE_50, b, TREB_MOVES_MAX, &count[1], NULL),
        TREB_OK);
    ck_assert_uint_eq(count[0], count[1]);
    for (size_t i = 0; i < count[0]; i++) {
        ck_assert_str_eq(a[i].uci, b[i].uci);
        ck_assert_int_eq(a[i].value.plies[TREB_DTM], b[i].value.plies[TREB_DTM]);
    }
}

/* Compares a position with each possible en passant capture. */
static int check_en_passant(const treb_tables *plain, const treb_tables *tables,
                            const treb_position *pos)
{
    int count = 0;
    for (int file = 0; file < 8; file++) {
        treb_position with = *pos;
        with.ep = (uint8_t)(8 * (pos->turn == TREB_WHITE ? 5 : 2) + file);
        if (position_check(&with, NULL) != TREB_OK || !position_ep_legal(&with)) continue;
        check_same(plain, tables, &with);
        check_same_moves(plain, tables, &with);
        count++;
    }
    return count;
}

/* Compares single probes of random positions. The side that is not stored is computed from its
 * moves. */
START_TEST(random_probes)
{
    treb_tables *plain = open_set(work), *tables = open_set(bounded);
    Material m = material_of(kinds[_i].name);
    bool pawns = m.count[TREB_WHITE][TREB_PAWN] && m.count[TREB_BLACK][TREB_PAWN];
    uint64_t seed = 77;
    int met = 0, count = 20000 / test_part();
    for (int i = 0; i < count;) {
        treb_position pos;
        if (!draw_position(&m, &seed, &pos)) continue;
        check_same(plain, tables, &pos);
        if (i++ % 20 == 0) check_same_moves(plain, tables, &pos);
        if (pawns) met += check_en_passant(plain, tables, &pos);
    }
    ck_assert_int_eq(met > 20, pawns);
    treb_tables_close(plain);
    treb_tables_close(tables);
}
END_TEST

/* ---- Verifying ------------------------------------------------------------------------------- */

static VerifyResult result;

/* Verifies a table. A file that `first` does not have is taken from the folder of bounds. */
static treb_status verify(const char *first, const char *name, VerifyOptions options)
{
    const char *dirs[] = {first, bounded};
    Material m = material_of(name);
    options.dirs = dirs;
    options.dirs_count = 2;
    return verify_material(&m, &options, &result);
}

/* Small tables are verified in full. The sample of the others has cells of all kinds. */
START_TEST(right_bounds_pass)
{
    const VerifyOptions ways[] = {{.share = kinds[_i].small ? 1 : 0}, {.full = true}};
    for (int i = 0; i < (kinds[_i].full ? 2 : 1); i++) {
        treb_status status = verify(bounded, kinds[_i].name, ways[i]);
        ck_assert_msg(status == TREB_OK, "%d: %s", i, result.text);
        ck_assert_uint_eq(result.metrics, 1 << TREB_WDL | 1 << TREB_DTM);
    }
}
END_TEST

/* An error in one cell. */
typedef struct Wrong {
    int kind; /* number in `small` */
    bool win, loose;
    int off; /* the error, in plies */
} Wrong;

static const Wrong wrongs[] = {
    {0, true, true, -2},   {0, true, false, -2},  {0, true, false, 2}, {0, false, false, 2},
    {0, false, false, -2}, {1, true, false, -2},  {1, true, false, 2}, {1, false, true, 2},
    {1, false, false, 2},  {1, false, false, -2},
};

static bool suits(const Bounded *b, const BoundedCell *cell, const Wrong *wrong)
{
    int value = cell->plies + wrong->off;
    return cell->known && (cell->verdict > TREB_DRAW) == wrong->win &&
           cell->loose == wrong->loose && value >= 0 &&
           value <= (int)b->header.side[!wrong->win].longest[cell->verdict];
}

/* Returns the first suitable cell from the middle of the table on. White wins in these
 * materials. */
static uint64_t find_cell(const Bounded *b, const Wrong *wrong)
{
    uint64_t size = b->header.index.size;
    const BoundedCell *cells = b->cell[!wrong->win];
    for (uint64_t i = 0; i < size; i++)
        if (suits(b, &cells[(size / 2 + i) % size], wrong)) return (size / 2 + i) % size;
    ck_abort_msg("no such cell");
    return 0;
}

/* In every other run both sides are stored, so that the cells of the other side are checked as
 * well. The larger table is verified in full once. */
START_TEST(wrong_bounds_are_found)
{
    const Wrong *wrong = &wrongs[_i * test_part()];
    const Kind *kind = &kinds[wrong->kind];
    char folder[PATH_SIZE], path[PATH_SIZE];
    const int fulls = wrong->kind == 0 || _i == 5;
    Bounded *b = bounded_copy(small[wrong->kind], _i % 2 ? 3 : 1u << !wrong->win);
    uint64_t at = find_cell(b, wrong);
    snprintf(folder, sizeof folder, "%.4000s/wrong", work);
    file_path(folder, kind->name, "dtm", path);
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    for (int bad = 0; bad < 2; bad++) {
        BoundedCell *cell = &b->cell[!wrong->win][at];
        if (bad) cell->bound = (uint16_t)(cell->plies + wrong->off);
        ck_assert(bounded_write(b, folder));
        for (int full = bad ? 0 : fulls; full <= fulls; full++) {
            const VerifyOptions options = {.full = full, .share = 1};
            treb_status status = verify(folder, kind->name, options);
            ck_assert_msg(status == (bad ? TREB_ERR_DAMAGED : TREB_OK), "%s", result.text);
            if (bad) ck_assert_ptr_nonnull(strstr(result.text, "by the dtm table, in "));
        }
        ck_assert_int_eq(unlink(path), 0);
    }
    ck_assert_int_eq(rmdir(folder), 0);
    bounded_free(b);
}
END_TEST

static Suite *bounded_suite(void)
{
    int wrong = sizeof wrongs / sizeof *wrongs;
    Suite *suite = suite_create("bounded");
    TCase *tests = tcase_create("bounded");
    tcase_set_timeout(tests, 600);
    tcase_add_unchecked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, same_as_plain, 0, kind_count());
    tcase_add_loop_test(tests, random_probes, 0, kind_count());
    tcase_add_loop_test(tests, right_bounds_pass, 0, kind_count());
    tcase_add_loop_test(tests, wrong_bounds_are_found, 0, wrong / test_part());
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void) { return run_suite_in_process(bounded_suite()); }
