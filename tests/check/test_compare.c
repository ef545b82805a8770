/* test_compare.c - compares two sets of tables and checks the result against probes of each
 * position. The tables are those of naive.c, in layouts that differ in nearly everything, and
 * Syzygy files. */
#define _DEFAULT_SOURCE
#include "check/compare/compare.h"

#include "core/chess/position.h"
#include "core/format/index.h"
#include "tests/support/naive_set.h"
#include "tests/support/part.h"

enum { ALL = (1 << TREB_METRICS) - 1, BOTH = 1 << TREB_WDL | 1 << TREB_DTZ, SHOWN = 20 };
#define PLENTY (UINT64_C(64) << 20)

static const char syzygy[] = "tests/data/syzygy";
static const NaiveLayout plain = {.per_byte = 1, .block_bits = 16};
/* A layout with the other side to move stored, other blocks, and other values in the cells that
 * mean nothing. */
static const NaiveLayout other = {
    .per_byte = 3, .block_bits = 10, .side = TREB_BLACK, .scramble = true};
static char second[PATH_SIZE], third[PATH_SIZE];

static void make_sets(void)
{
    solve_and_write(&plain);
    make_directory(second);
    for (int i = 0; i < SOLVED; i++) write_material(second, solved[i], &other);
}

static void drop_sets(void)
{
    remove_directory(second);
    forget_all();
}

/* Creates a folder for tests that write a set of their own. */
static void make_third(void) { make_directory(third); }
static void drop_third(void) { remove_directory(third); }

/* ---- Comparing ------------------------------------------------------------------------------- */

static CompareSet open_compare(const char *path)
{
    CompareSet set;
    treb_error error;
    ck_assert_msg(compare_open(&set, path, &error) == TREB_OK, "%s", error.text);
    return set;
}

static CompareResult compare(const char *a, const char *b, const Material *material,
                             unsigned metrics, const CompareOptions *options)
{
    CompareSet set[2] = {open_compare(a), open_compare(b)};
    CompareResult result;
    treb_error error;
    unsigned both = compare_metrics(&set[0], material) & compare_metrics(&set[1], material);
    ck_assert_uint_eq(both & metrics, metrics);
    treb_status status =
        compare_material(&set[0], &set[1], material, metrics, options, &result, &error);
    ck_assert_msg(status == TREB_OK, "%s", error.text);
    for (int s = 0; s < 2; s++) compare_close(&set[s]);
    return result;
}

/* Compares two sets by probing the positions in another order. */
static CompareResult probe_all(const char *a, const char *b, const Naive *naive, unsigned metrics)
{
    treb_tables *tables[2] = {open_set(a), open_set(b)};
    CompareResult result = {0};
    Index index;
    index_init(&index, naive_material(naive), NULL, 1);
    bool *seen = calloc(2 * index.size, sizeof *seen);
    for (uint32_t n = 0; n < 64 * 64 * 64 * 2; n++) {
        treb_position pos;
        if (!three_men(naive, n, &pos)) continue;
        bool *known = &seen[2 * index_of_position(&index, &pos) + pos.turn];
        if (*known) continue;
        *known = true;
        result.positions++;
        for (int m = 0; m < TREB_METRICS; m++) {
            treb_distance d[2];
            treb_status status[2];
            CompareCount *count = &result.count[m];
            if (!(metrics >> m & 1)) continue;
            for (int s = 0; s < 2; s++)
                status[s] = treb_probe_distance(tables[s], &pos, (treb_metric)m, &d[s], NULL);
            if (status[0] != TREB_OK || status[1] != TREB_OK)
                count->unknown++;
            else if (d[0].wdl == d[1].wdl && d[0].plies == d[1].plies &&
                     d[0].rounded == d[1].rounded)
                count->equal++;
            else if (d[0].wdl == d[1].wdl && d[0].plies <= d[1].plies + d[1].rounded &&
                     d[1].plies <= d[0].plies + d[0].rounded)
                count->rounded++;
            else
                count->different++;
        }
    }
    free(seen);
    for (int s = 0; s < 2; s++) treb_tables_close(tables[s]);
    return result;
}

static void check_same_counts(const CompareResult *a, const CompareResult *b)
{
    ck_assert_uint_eq(a->positions, b->positions);
    for (int m = 0; m < TREB_METRICS; m++) {
        ck_assert_uint_eq(a->count[m].equal, b->count[m].equal);
        ck_assert_uint_eq(a->count[m].rounded, b->count[m].rounded);
        ck_assert_uint_eq(a->count[m].different, b->count[m].different);
        ck_assert_uint_eq(a->count[m].unknown, b->count[m].unknown);
    }
}

/* Compares with much memory and with none, with one thread and with three. All results must agree
 * with the probes. */
static CompareResult compare_all_ways(const char *a, const char *b, const Naive *naive,
                                      unsigned metrics)
{
    const CompareOptions ways[] = {{.memory = PLENTY, .shown = SHOWN, .threads = 3},
                                   {.memory = PLENTY, .shown = SHOWN, .threads = 1},
                                   {.memory = 50000, .shown = 1, .threads = 2},
                                   {.memory = 0, .threads = 2}};
    CompareResult expected = probe_all(a, b, naive, metrics);
    for (size_t i = sizeof ways / sizeof *ways; i-- > 1;) {
        if (test_part() > 1 && i != 2) continue;
        CompareResult result = compare(a, b, naive_material(naive), metrics, &ways[i]);
        check_same_counts(&result, &expected);
        compare_result_free(&result);
    }
    CompareResult result = compare(a, b, naive_material(naive), metrics, &ways[0]);
    check_same_counts(&result, &expected);
    return result;
}

/* ---- What is equal --------------------------------------------------------------------------- */

START_TEST(files_that_say_the_same_are_equal)
{
    const Naive *naive = solved[_i];
    CompareResult result = compare_all_ways(directory, second, naive, ALL);
    ck_assert_uint_gt(result.positions, 40000);
    for (int m = 0; m < TREB_METRICS; m++) {
        ck_assert_uint_eq(result.count[m].equal, result.positions);
        ck_assert_uint_eq(result.count[m].shown_count, 0);
    }
    compare_result_free(&result);
}
END_TEST

START_TEST(rounded_distances_are_no_difference)
{
    const Naive *naive = solved[_i];
    CompareResult result = compare_all_ways(syzygy, second, naive, BOTH);
    const CompareCount *dtz = &result.count[TREB_DTZ];
    ck_assert_uint_eq(result.count[TREB_WDL].equal, result.positions);
    ck_assert_uint_gt(dtz->rounded, 10000);
    ck_assert_uint_eq(dtz->equal + dtz->rounded, result.positions);
    ck_assert_uint_eq(dtz->shown_count, 0);
    compare_result_free(&result);
}
END_TEST

/* ---- What differs ---------------------------------------------------------------------------- */

/* Copies the tables of a material, with one value of a metric changed. */
static void write_altered(const Naive *naive, treb_metric metric, const NaiveLayout *layout,
                          const char *fen, int verdict, int change)
{
    treb_position pos = position_of(fen);
    NaiveValue *value = (NaiveValue *)naive_value(naive, &pos), good = *value;
    /* All positions that a symmetry maps to each other share a cell. A table takes it from any of
     * them. */
    Index index;
    index_init(&index, naive_material(naive), NULL, 1);
    uint64_t cell = index_of_position(&index, &pos);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t n = 0; n < 64 * 64 * 64 * 2; n++) {
            treb_position twin;
            if (!three_men(naive, n, &twin) || twin.turn != pos.turn) continue;
            if (index_of_position(&index, &twin) != cell) continue;
            value = (NaiveValue *)naive_value(naive, &twin);
            value->verdict = pass ? good.verdict : (uint8_t)verdict;
            value->plies[metric] = (uint16_t)(good.plies[metric] + (pass ? 0 : change));
        }
        if (pass == 0)
            for (int m = 0; m < TREB_METRICS; m++)
                ck_assert(naive_write(naive, third, (treb_metric)m, layout));
    }
}

/* Every difference that is shown is one that the probes find, and they are in order. */
static void check_shown(const CompareCount *count, treb_metric metric, const char *a, const char *b)
{
    treb_tables *tables[2] = {open_set(a), open_set(b)};
    for (size_t i = 0; i < count->shown_count; i++) {
        const CompareCase *one = &count->shown[i];
        treb_position pos = position_of(one->fen);
        treb_distance d[2];
        for (int s = 0; s < 2; s++) {
            ck_assert_int_eq(treb_probe_distance(tables[s], &pos, metric, &d[s], NULL), TREB_OK);
            ck_assert_int_eq(d[s].wdl, one->value[s].distance.wdl);
            ck_assert_int_eq(d[s].plies, one->value[s].distance.plies);
            ck_assert_int_eq(d[s].rounded, one->value[s].distance.rounded);
        }
        ck_assert(d[0].wdl != d[1].wdl || d[0].plies != d[1].plies);
        if (i > 0) ck_assert_uint_gt(one->key, count->shown[i - 1].key);
    }
    for (int s = 0; s < 2; s++) treb_tables_close(tables[s]);
}

static bool shows(const CompareCount *count, const Material *material, const char *fen)
{
    Index index;
    treb_position pos = position_of(fen);
    index_init(&index, material, NULL, 1);
    for (size_t i = 0; i < count->shown_count; i++) {
        treb_position at = position_of(count->shown[i].fen);
        if (at.turn == pos.turn &&
            index_of_position(&index, &at) == index_of_position(&index, &pos))
            return true;
    }
    return false;
}

static const struct {
    int solved; /* the material */
    treb_metric metric;
    const NaiveLayout *layout;
    const char *fen;
    int verdict, change;
} altered[] = {
    {1, TREB_DTZ, &plain, "8/8/8/3k4/8/8/8/KQ6 w - - 0 1", TREB_WIN, 1},
    {2, TREB_DTM, &plain, "8/8/8/3k4/8/8/8/KR6 w - - 0 1", TREB_WIN, -2},
    {2, TREB_DTC, &other, "8/8/8/3k4/8/8/8/KR6 b - - 0 1", TREB_LOSS, 1},
    {0, TREB_DTZ, &other, "8/8/8/8/8/1k6/6P1/6K1 b - - 0 1", TREB_LOSS, 2},
    {0, TREB_WDL, &plain, "8/8/8/8/8/1k6/6P1/6K1 w - - 0 1", TREB_DRAW, 0},
    {1, TREB_WDL, &other, "8/8/8/3k4/8/8/8/KQ6 b - - 0 1", TREB_WIN, 0},
};

START_TEST(an_altered_value_is_found)
{
    const Naive *naive = solved[altered[_i].solved];
    treb_metric metric = altered[_i].metric;
    for (int i = 0; i < SOLVED; i++)
        if (solved[i] != naive) write_material(third, solved[i], &plain);
    write_altered(naive, metric, altered[_i].layout, altered[_i].fen, altered[_i].verdict,
                  altered[_i].change);
    /* A distance that rests on a wrong verdict depends on the verdicts that are asked for. */
    const unsigned metrics = metric == TREB_WDL ? 1u << TREB_WDL : ALL;
    CompareResult result = compare_all_ways(directory, third, naive, metrics);
    const CompareCount *count = &result.count[metric];
    ck_assert_uint_ge(count->different, 1);
    ck_assert_uint_lt(count->different, 200);
    for (int m = 0; m < TREB_METRICS; m++) {
        const CompareCount *any = &result.count[m];
        uint64_t cases = any->different + any->unknown;
        if (!(metrics >> m & 1)) continue;
        ck_assert_uint_eq(any->equal + cases, result.positions);
        ck_assert_uint_eq(any->shown_count, cases < SHOWN ? cases : SHOWN);
        if (any->unknown == 0) check_shown(any, (treb_metric)m, directory, third);
        if (altered[_i].verdict == TREB_WIN || altered[_i].verdict == TREB_LOSS)
            ck_assert(m == (int)metric || metric == TREB_WDL || cases == 0);
    }
    /* All differences are shown, as there are few. */
    if (count->different <= SHOWN) ck_assert(shows(count, naive_material(naive), altered[_i].fen));
    compare_result_free(&result);
}
END_TEST

/* Makes every second loss two plies longer, or undoes that. */
static void change_losses(const Naive *naive, int change)
{
    for (uint32_t n = 1; n < 64 * 64 * 64 * 2; n += 4) {
        treb_position pos;
        if (!three_men(naive, n, &pos)) continue;
        NaiveValue *value = (NaiveValue *)naive_value(naive, &pos);
        if (value->verdict == TREB_LOSS)
            value->plies[TREB_DTM] = (uint16_t)(value->plies[TREB_DTM] + change);
    }
}

/* A short list begins like a long one, with any number of threads. */
START_TEST(the_first_differences_are_shown)
{
    const CompareOptions long_list = {.memory = PLENTY, .shown = SHOWN, .threads = 1},
                         short_list = {.memory = PLENTY, .shown = 3, .threads = 4};
    const Naive *naive = solved[1];
    change_losses(naive, 2);
    write_material(third, naive, &other);
    change_losses(naive, -2);
    const Material *m = naive_material(naive);
    CompareResult a = compare(directory, third, m, ALL, &long_list);
    CompareResult b = compare(directory, third, m, ALL, &short_list);
    const CompareCount *of_a = &a.count[TREB_DTM], *of_b = &b.count[TREB_DTM];
    ck_assert_uint_gt(of_a->different, 10000);
    ck_assert_uint_eq(of_a->different, of_b->different);
    ck_assert_uint_eq(of_a->shown_count, SHOWN);
    ck_assert_uint_eq(of_b->shown_count, 3);
    check_shown(of_a, TREB_DTM, directory, third);
    for (int i = 0; i < 3; i++) ck_assert_str_eq(of_a->shown[i].fen, of_b->shown[i].fen);
    compare_result_free(&a);
    compare_result_free(&b);
}
END_TEST

/* ---- What is not answered -------------------------------------------------------------------- */

START_TEST(without_what_captures_lead_to_values_are_unknown)
{
    const CompareOptions options = {.memory = PLENTY, .shown = SHOWN};
    const Material *m = naive_material(solved[0]);
    write_material(third, solved[0], &plain);
    CompareResult result = compare(directory, third, m, ALL, &options);
    for (int k = TREB_WDL; k < TREB_METRICS; k++) {
        const CompareCount *count = &result.count[k];
        /* Neither a verdict nor a cell with a distance to mate depends on promotions. */
        if (k == TREB_WDL || k == TREB_DTM) {
            ck_assert_uint_eq(count->equal, result.positions);
            continue;
        }
        ck_assert_uint_gt(count->unknown, 1000);
        ck_assert_uint_eq(count->equal + count->unknown, result.positions);
        ck_assert_uint_eq(count->shown_count, SHOWN);
        for (int i = 0; i < SHOWN; i++) {
            const CompareValue *a = &count->shown[i].value[0], *b = &count->shown[i].value[1];
            ck_assert_int_eq(a->status, TREB_OK);
            ck_assert_int_eq(b->status, TREB_ERR_NO_TABLE);
            ck_assert_ptr_nonnull(strstr(b->text, "vK.wdl.treb is not installed"));
        }
    }
    compare_result_free(&result);
}
END_TEST

START_TEST(a_damaged_block_leaves_the_others)
{
    char path[2 * PATH_SIZE];
    for (int i = 0; i < SOLVED; i++) write_material(third, solved[i], &plain);
    /* The last byte of the file is in a block. */
    snprintf(path, sizeof path, "%s/KRvK.dtm.treb", third);
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, -1, SEEK_END), 0);
    int last = getc(file);
    ck_assert_int_eq(fseek(file, -1, SEEK_END), 0);
    putc(last ^ 0x55, file);
    fclose(file);
    CompareResult result = compare_all_ways(directory, third, solved[2], ALL);
    const CompareCount *dtm = &result.count[TREB_DTM];
    ck_assert_uint_gt(dtm->unknown, 0);
    ck_assert_uint_eq(dtm->different, 0);
    ck_assert_uint_eq(result.count[TREB_DTZ].equal, result.positions);
    ck_assert_int_eq(dtm->shown[0].value[1].status, TREB_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(dtm->shown[0].value[1].text, "KRvK.dtm.treb"));
    compare_result_free(&result);
}
END_TEST

static bool stop_at_once(void *context, uint64_t done, uint64_t total)
{
    (*(int *)context)++;
    ck_assert_uint_le(done, total);
    return false;
}

START_TEST(progress_can_end_it)
{
    int calls = 0;
    const CompareOptions options = {
        .memory = PLENTY, .threads = 1, .progress = stop_at_once, .context = &calls};
    CompareResult result = compare(directory, second, naive_material(solved[0]), ALL, &options);
    ck_assert_int_gt(calls, 0);
    ck_assert_uint_lt(result.positions, 165676);
    compare_result_free(&result);
}
END_TEST

/* ---- Opening --------------------------------------------------------------------------------- */

static void link_into(const char *from, const char *name, const char *to)
{
    char target[4096 + PATH_SIZE], link[2 * PATH_SIZE], whole[4096];
    ck_assert_ptr_nonnull(realpath(from, whole));
    snprintf(target, sizeof target, "%s/%s", whole, name);
    snprintf(link, sizeof link, "%s/%s", to, name);
    ck_assert_int_eq(symlink(target, link), 0);
}

/* With a single file the other files of its format are used, although Trebuchet's are in the same
 * folder. */
START_TEST(a_file_stands_for_its_format)
{
    char path[2 * PATH_SIZE];
    const CompareOptions options = {.memory = PLENTY};
    static const char *const names[] = {"KQvK.rtbw", "KQvK.rtbz"};
    for (int i = 0; i < 2; i++) link_into(syzygy, names[i], third);
    write_material(third, solved[1], &plain);
    const Material *m = naive_material(solved[1]);
    CompareResult folder = compare(third, directory, m, 1 << TREB_DTZ, &options);
    ck_assert_uint_eq(folder.count[TREB_DTZ].rounded, 0);
    snprintf(path, sizeof path, "%s/KQvK.rtbz", third);
    CompareResult file = compare(path, third, m, 1 << TREB_DTZ, &options);
    ck_assert_uint_gt(file.count[TREB_DTZ].rounded, 1000);
    CompareSet set = open_compare(path);
    ck_assert_uint_eq(compare_metrics(&set, m), 1 << TREB_DTZ);
    ck_assert_uint_eq(compare_metrics(&set, naive_material(solved[0])), 0);
    compare_close(&set);
    compare_result_free(&folder);
    compare_result_free(&file);
}
END_TEST

START_TEST(materials_that_need_no_table_are_left_out)
{
    size_t count;
    CompareSet set = open_compare(syzygy);
    Material *list = compare_materials(&set, &count), bishop;
    ck_assert_uint_eq(count, 4);
    for (int i = 0; i < 3; i++) ck_assert(material_equal(&list[i], naive_material(solved[i])));
    material_parse("KNNvK", &bishop);
    ck_assert(material_equal(&list[3], &bishop));
    material_parse("KBvK", &bishop);
    ck_assert_uint_eq(compare_metrics(&set, &bishop), 0);
    free(list);
    compare_close(&set);
}
END_TEST

START_TEST(what_is_no_table_is_refused)
{
    CompareSet set;
    treb_error error;
    ck_assert_int_eq(compare_open(&set, "tests/check/test_compare.c", &error), TREB_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "test_compare.c"));
    ck_assert_int_eq(compare_open(&set, "no/such", &error), TREB_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "no/such"));
}
END_TEST

START_TEST(a_torn_file_is_known_beforehand)
{
    char path[2 * PATH_SIZE];
    treb_error error;
    write_material(third, solved[1], &plain);
    snprintf(path, sizeof path, "%s/KQvK.dtc.treb", third);
    ck_assert_int_eq(truncate(path, 300), 0);
    CompareSet set = open_compare(third);
    const Material *m = naive_material(solved[1]);
    ck_assert_uint_eq(compare_metrics(&set, m), ALL);
    ck_assert_int_eq(compare_check(&set, m, TREB_DTM, &error), TREB_OK);
    ck_assert_int_eq(compare_check(&set, m, TREB_DTC, &error), TREB_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(error.text, "KQvK.dtc.treb"));
    compare_close(&set);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compare");
    TCase *two = add_case(suite, "two sets"), *three = add_case(suite, "a third set");
    tcase_add_unchecked_fixture(two, make_sets, drop_sets);
    const int some = test_part() > 1 ? 1 : SOLVED; /* number of materials */
    tcase_add_loop_test(two, files_that_say_the_same_are_equal, 0, some);
    tcase_add_loop_test(two, rounded_distances_are_no_difference, 0, some);
    tcase_add_test(two, progress_can_end_it);
    tcase_add_test(two, materials_that_need_no_table_are_left_out);
    tcase_add_test(two, what_is_no_table_is_refused);
    tcase_add_unchecked_fixture(three, make_sets, drop_sets);
    tcase_add_checked_fixture(three, make_third, drop_third);
    int kinds = sizeof altered / sizeof *altered;
    tcase_add_loop_test(three, an_altered_value_is_found, 0,
                        (kinds + test_part() - 1) / test_part());
    tcase_add_test(three, the_first_differences_are_shown);
    tcase_add_test(three, without_what_captures_lead_to_values_are_unknown);
    tcase_add_test(three, a_damaged_block_leaves_the_others);
    tcase_add_test(three, a_file_stands_for_its_format);
    tcase_add_test(three, a_torn_file_is_known_beforehand);
    return run_suite(suite);
}
