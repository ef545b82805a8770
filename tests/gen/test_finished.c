/* test_finished.c - tables that are made where their sub-endings are there, in files of bounds (docs/format.md): what
 * completes the cells is read as well. Tables of five men and more have such files; here small ones have, too. */
#include <check.h>

#include "gen/solve/promoted.h"
#include "tests/support/gen_run.h"

enum { MADE = 1 << TREB_WDL | 1 << TREB_DTM };

/* Promotions of either side, to sides to move that are stored and that are not, and again after these; en passant; like
 * men. */
static const char *const alone[] = {"KPvKP", "KQvKP", "KPPvK"};

static Run bounds_run(void)
{
    Run run = new_run(work, MADE);
    run.options.bounds = 3;
    run.options.effort = CODER_FAST;
    return run;
}

static void make_tables(void)
{
    make_work();
    Run run = bounds_run();
    run_names(&run, "KPvKP KPPvK");
}

START_TEST(made_alone)
{
    static const char *const metrics[] = {"wdl", "dtm"};
    char name[2][64], path[PATH_SIZE + 64], *made[2];
    size_t size[2], again;
    for (int m = 0; m < 2; m++) {
        snprintf(name[m], sizeof name[m], "%s.%s.treb", alone[_i], metrics[m]);
        made[m] = read_file(work, name[m], &size[m]);
        ck_assert_ptr_nonnull(made[m]);
        snprintf(path, sizeof path, "%s/%s", work, name[m]);
        ck_assert_int_eq(remove(path), 0);
    }
    Run run = bounds_run();
    run_names(&run, alone[_i]);
    for (int m = 0; m < 2; m++) {
        char *bytes = read_file(work, name[m], &again);
        ck_assert_msg(bytes != NULL && again == size[m] && memcmp(bytes, made[m], again) == 0,
                      "%s differs", name[m]);
        free(bytes);
        free(made[m]);
    }
}
END_TEST

static Promoted read_of(const GeneratePlan *plan, const char *name, int side)
{
    const Material material = material_of(name);
    for (size_t i = 0; i < plan->steps; i++)
        if (material_equal(&plan->step[i].material, &material)) return plan->step[i].promoted[side];
    ck_abort_msg("%s is not read", name);
}

/* Of a table to which only promotions lead, the cells are read in which the men that promoted can stand. */
START_TEST(only_promoted_men)
{
    Run run = bounds_run();
    GeneratePlan plan;
    treb_error error;
    const Material material = material_of("KPvKP");
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/KPvKP.dtm.treb", work);
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(generate_plan(&run.options, &material, 1, &plan, &error), TREB_OK);
    const Promoted rook = read_of(&plan, "KRvKP", TREB_BLACK),
                   both = read_of(&plan, "KQvKR", TREB_BLACK),
                   moved = read_of(&plan, "KQvKR", TREB_WHITE),
                   captured = read_of(&plan, "KRvK", TREB_BLACK);
    ck_assert(rook.count[TREB_WHITE][TREB_ROOK] == 1 && promoted_any(&rook));
    ck_assert(both.count[TREB_WHITE][TREB_QUEEN] == 1 && both.count[TREB_BLACK][TREB_ROOK] == 1);
    ck_assert(moved.count[TREB_BLACK][TREB_ROOK] == 0);
    ck_assert(!promoted_any(&captured));
    generate_plan_free(&plan);
    run_names(&run, "KPvKP");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("finished");
    tcase_add_unchecked_fixture(tests, make_tables, remove_work);
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, made_alone, 0, sizeof alone / sizeof *alone);
    tcase_add_test(tests, only_promoted_men);
    Suite *suite = suite_create("finished");
    suite_add_tcase(suite, tests);
    return run_suite_in_process(suite);
}
