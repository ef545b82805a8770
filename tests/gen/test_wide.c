/* test_wide.c - files with two bytes for each distance, which codec zstd needs for six men. */
#include "check/verify/verify.h"
#include "core/format/table.h"
#include "gen/solve/plies.h"
#include "tests/support/gen_run.h"

static const char *const made[] = {"KPvK", "KQvKR", "KBvKB", "KPvKP"};

static unsigned width_of(const char *name, treb_metric metric)
{
    char path[PATH_SIZE + 100];
    treb_error error;
    snprintf(path, sizeof path, "%s/%s.%s.treb", work, name, table_metric_name(metric));
    Table *table = table_open(path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    unsigned width = table_header(table)->width;
    table_close(table);
    return width;
}

START_TEST(all_is_right)
{
    const char *directory = work;
    Material m = material_of(made[_i]);
    VerifyResult result;
    VerifyOptions options = {.dirs = &directory, .dirs_count = 1, .full = true};
    ck_assert_msg(verify_material(&m, &options, &result) == TREB_OK, "%s", result.text);
    ck_assert_uint_eq(width_of(made[_i], TREB_WDL), 1);
    for (int metric = TREB_DTZ; metric < TREB_METRICS; metric++)
        ck_assert_uint_eq(width_of(made[_i], metric), sizeof(Plies));
}
END_TEST

static void make_tables(void)
{
    make_work();
    Run run = new_run(work, EVERY);
    run.options.wide = true;
    run_names(&run, test_part() > 1 ? "KPvK KQvKR KBvKB" : "KPvK KQvKR KBvKB KPvKP");
}

int main(void)
{
    TCase *tests = tcase_create("wide");
    tcase_add_unchecked_fixture(tests, make_tables, remove_work);
    const int all = sizeof made / sizeof *made; /* the last takes longest */
    tcase_add_loop_test(tests, all_is_right, 0, test_part() > 1 ? all - 1 : all);
    Suite *suite = suite_create("wide");
    suite_add_tcase(suite, tests);
    return run_suite_in_process(suite);
}
