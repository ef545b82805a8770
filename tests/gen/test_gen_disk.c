/* test_gen_disk.c - makes tables with the smallest possible memory, so that logs, solved slices and
 * the slices that pushes and promotions read go to the disk. The bytes must be equal. */
#include <omp.h>

#include "tests/support/gen_run.h"

static char again[PATH_SIZE];

static void make_good(void)
{
    make_work();
    run_codec = TABLE_ZSTD;
    snprintf(tables, sizeof tables, "%.4000s/good", work);
    ck_assert_int_eq(mkdir(tables, 0777), 0);
    Run run = new_run(tables, EVERY);
    run_names(&run, "KRPvK KRvKP");
}

/* Returns the smallest memory for which there is a plan for these tables. */
static uint64_t least_memory(const GenerateOptions *options)
{
    Material list[] = {material_of("KRPvK"), material_of("KRvKP")};
    GeneratePlan plan;
    treb_error error;
    ck_assert_int_eq(generate_plan(options, list, 2, &plan, &error), TREB_OK);
    uint64_t bytes = plan.step[generate_plan_largest(&plan)].memory;
    generate_plan_free(&plan);
    return bytes;
}

START_TEST(same_bytes)
{
    static const struct {
        const char *names;
        int subset_men, threads;
        bool tight;
        uint64_t paged;
    } way[] = {{"KRPvK KRvKP", 4, 2, false, 0},
               {"KRPvK KRvKP", 4, 3, true, 0},
               {"KRPvK KRvKP", 0, 2, true, 0},
               {"KRvKP", 0, 2, false, 1 << 20},
               {"KRPvK", 4, 1, false, 1 << 28}};
    snprintf(again, sizeof again, "%.4000s/again-%d", work, _i);
    ck_assert_int_eq(mkdir(again, 0777), 0);
    Run run = new_run(again, EVERY);
    int before = omp_get_max_threads();
    omp_set_num_threads(way[_i].threads);
    run.options.subset_men = way[_i].subset_men;
    run.options.paged = way[_i].paged;
    if (way[_i].tight) run.options.memory = least_memory(&run.options);
    run_names(&run, way[_i].names);
    omp_set_num_threads(before);
    const int made = check_folder(again, false), all = check_folder(tables, false);
    ck_assert_int_gt(made, all / 2);
    ck_assert(made == all || strchr(way[_i].names, ' ') == NULL);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("disk");
    tcase_add_unchecked_fixture(tests, make_good, remove_work);
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, same_bytes, 0, test_part() > 1 ? 1 : 5);
    Suite *suite = suite_create("gen by disk");
    suite_add_tcase(suite, tests);
    return run_suite_in_process(suite);
}
