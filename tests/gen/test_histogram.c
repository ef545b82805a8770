/* test_histogram.c - compares the histogram of distances in a file's header with a count made by
 * probing every position. */
#include <check.h>

#include "core/format/index.h"
#include "tests/support/gen_run.h"

enum { PLIES = 256 };

/* Counts the positions of a table by probing each of them. */
static void count_by_probing(const treb_tables *set, const char *name, treb_metric metric,
                             uint64_t out[2][5][PLIES])
{
    Material material;
    Index index;
    ck_assert(material_parse(name, &material) && index_init(&index, &material, NULL, 1));
    for (uint64_t cell = 0; cell < index.size; cell++) {
        IndexMen men;
        treb_distance d;
        if (!index_to_men(&index, cell, &men)) continue;
        for (int turn = 0; turn < 2; turn++) {
            treb_position pos;
            index_men_to_position(&index, &men, turn, &pos);
            treb_status status = treb_probe_distance(set, &pos, metric, &d, NULL);
            if (status == TREB_ERR_POSITION) continue;
            /* No ck_assert for each position: Check writes every assertion to a file. */
            if (status != TREB_OK || d.plies < 0 || d.plies >= PLIES) ck_abort_msg("%s", name);
            out[turn][d.wdl][d.plies] += index_weight(&index, &men);
        }
    }
}

static const char *const counted[] = {"KPvK", "KBvKB", "KPvKP"};

START_TEST(histograms)
{
    static uint64_t found[2][5][PLIES], said[PLIES];
    treb_tables *set = treb_tables_open((const char *const[]){work}, 1, NULL);
    ck_assert_ptr_nonnull(set);
    /* The largest table is tested in one metric only: it takes as long as all others. */
    for (int metric = _i == 2 ? TREB_DTM : TREB_DTZ; metric <= TREB_DTM; metric++) {
        memset(found, 0, sizeof found);
        count_by_probing(set, counted[_i], metric, found);
        for (int turn = 0; turn < 2; turn++) {
            for (int wdl = TREB_LOSS; wdl <= TREB_WIN; wdl++) {
                size_t count = 77;
                treb_status status = treb_tables_histogram(
                    set, counted[_i], metric, turn, (treb_wdl)wdl, said, PLIES, &count, NULL);
                ck_assert_int_eq(status, wdl == TREB_DRAW ? TREB_ERR_ARGUMENT : TREB_OK);
                if (status != TREB_OK) continue;
                memset(said + count, 0, (PLIES - count) * sizeof *said);
                ck_assert_mem_eq(said, found[turn][wdl], sizeof said);
            }
        }
    }
    treb_tables_close(set);
}
END_TEST

START_TEST(histogram_calls)
{
    treb_tables *set = treb_tables_open((const char *const[]){work}, 1, NULL);
    ck_assert_ptr_nonnull(set);
    treb_error error;
    size_t count = 0;
    uint64_t two[3] = {0, 0, 99};
    /* Only as many numbers are written as the array can hold, but the count is that of all. */
    ck_assert_int_eq(
        treb_tables_histogram(set, "KvKQ", TREB_DTM, TREB_BLACK, TREB_LOSS, two, 2, &count, &error),
        TREB_OK);
    ck_assert_uint_eq(count, 21);
    ck_assert_uint_eq(two[2], 99);
    ck_assert_uint_gt(two[0], 0); /* mates */
    ck_assert_int_eq(treb_tables_histogram(set, "KQvK", TREB_DTM, TREB_WHITE, TREB_LOSS, NULL, 0,
                                           &count, &error),
                     TREB_OK);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(
        treb_tables_histogram(set, "KQvK", TREB_WDL, TREB_WHITE, TREB_WIN, two, 2, &count, &error),
        TREB_ERR_ARGUMENT);
    ck_assert_int_eq(
        treb_tables_histogram(set, "KQvK", TREB_DTZ, 2, TREB_WIN, two, 2, &count, &error),
        TREB_ERR_ARGUMENT);
    ck_assert_int_eq(
        treb_tables_histogram(set, "KQRvKQR", TREB_DTZ, 0, TREB_WIN, two, 2, &count, &error),
        TREB_ERR_NO_TABLE);
    treb_tables_close(set);
}
END_TEST

static void make_tables(void)
{
    make_work();
    Run run = new_run(work, EVERY);
    run_names(&run, "KPvK KBvKB KPvKP");
}

int main(void)
{
    run_codec = TABLE_ZSTD;
    TCase *tests = tcase_create("histograms");
    tcase_add_unchecked_fixture(tests, make_tables, remove_work);
    tcase_add_loop_test(tests, histograms, 0, sizeof counted / sizeof *counted);
    tcase_add_test(tests, histogram_calls);
    Suite *suite = suite_create("histogram");
    suite_add_tcase(suite, tests);
    return run_suite_in_process(suite);
}
