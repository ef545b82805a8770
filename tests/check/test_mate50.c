/* test_mate50.c - verify and compare find what is wrong with a table of mates under the 50-move rule. */
#include "check/compare/compare.h"
#include "check/verify/verify.h"
#include "tests/support/gen_run.h"
#include "tests/support/mate50_values.h"

static Mate50Values *values;  /* of KPvK; solving takes seconds, so all tests share them */
static char other[PATH_SIZE]; /* a second folder */

static void solve_ending(void)
{
    const Material material = material_of("KPvK");
    values = mate50_values_new(&material);
}

static void forget_ending(void) { mate50_values_free(values); }

static void make_folders(void)
{
    make_work();
    strcpy(other, work);
    make_work();
    make_tables_apart("KPvK", EVERY);
}

static void copy_tables(void)
{
    char command[3 * PATH_SIZE];
    snprintf(command, sizeof command, "cp %.4000s/*.treb %.4000s/", work, other);
    ck_assert_int_eq(system(command), 0);
}

static void remove_folders(void)
{
    remove_work();
    remove_tree(other);
}

/* How a value of a file is wrong. */
typedef enum Wrong {
    WRONG_LATER,  /* the mate takes two plies more */
    WRONG_SOONER, /* two plies less */
    WRONG_EARLY,  /* the next value holds with a ply less left */
    WRONG_LATE,   /* with a ply more */
    WRONG_ALL
} Wrong;

static void change(Mate50Step *step, Mate50Step *next, Wrong wrong)
{
    const int longer = wrong == WRONG_LATER ? 2 : -2;
    if (wrong <= WRONG_SOONER)
        step->value = (int16_t)(step->value > 0 ? step->value - longer : step->value + longer);
    else
        next->left = (uint8_t)(next->left + (wrong == WRONG_LATE ? 1 : -1));
}

/* Makes a value wrong of a side that the rule delays. Returns its step. The values remain ones that a
 * file can have: the more plies are left, the less the rule delays. */
static Mate50Step *alter(int turn, Wrong wrong)
{
    for (size_t i = 1; i + 1 < values->steps; i++) {
        Mate50Step *next = &values->step[i], *step = next - 1, *after = next + 1;
        const bool one = step->cell == next->cell && step->turn == turn && next->turn == turn;
        if (!one || next->left < 20) continue;
        if (mate50_plies(step->value) < mate50_plies(next->value) + 4) continue;
        if (next->left - step->left < 2) continue;
        if (after->cell == next->cell && after->left - next->left < 2) continue;
        change(step, next, wrong);
        return step;
    }
    ck_abort_msg("no value changes");
}

/* ---- verify ---------------------------------------------------------------------------------- */

/* Without `full` a share of the positions is checked by probes, at every clock, which takes long. */
static treb_status verify(bool full, double share, VerifyResult *result)
{
    const char *folder = work;
    const Material material = material_of("KPvK");
    const VerifyOptions options = {
        .dirs = &folder, .dirs_count = 1, .full = full, .share = full ? 0 : share};
    return verify_material(&material, &options, result);
}

START_TEST(right)
{
    VerifyResult result;
    mate50_write(values, work, _i);
    for (int full = 0; full < 2; full++) {
        ck_assert_msg(verify(full, 0.02, &result) == TREB_OK, "%s", result.text);
        ck_assert_uint_eq(result.errors, 0);
        ck_assert_uint_gt(result.positions, full ? 100000 : 2000);
        ck_assert(result.metrics >> TREB_DTM50 & 1);
    }
}
END_TEST

/* A wrong value is an error of its position, and of those before it. One kind is enough for probes. */
START_TEST(wrong_value)
{
    VerifyResult result;
    alter(_i % 2, _i);
    mate50_write(values, work, _i % 2);
    for (int full = _i == 0 ? 0 : 1; full < 2; full++) {
        ck_assert_int_eq(verify(full, 1, &result), TREB_ERR_DAMAGED);
        ck_assert_uint_gt(result.errors, 0);
        ck_assert_msg(strstr(result.text, "by the dtm50 table") != NULL, "%s", result.text);
    }
}
END_TEST

/* A full check finds a wrong histogram, and a longest line of another length. */
START_TEST(wrong_header)
{
    VerifyResult result;
    for (size_t i = 0; i + 1 < values->steps; i++)
        if (values->step[i].turn != _i && values->step[i + 1].cell != values->step[i].cell) {
            /* The side that is not stored is only in the header. */
            values->step[i].value =
                (int16_t)(values->step[i].value + (values->step[i].value > 0 ? -2 : 2));
            break;
        }
    mate50_write(values, work, _i);
    ck_assert_int_eq(verify(true, 1, &result), TREB_ERR_DAMAGED);
    ck_assert_msg(strstr(result.text, "KPvK.dtm50.treb") != NULL, "%s", result.text);
}
END_TEST

/* Both checks find an example with another distance, a full one finds another number of delays as well. */
START_TEST(wrong_delays)
{
    VerifyResult result;
    const bool number = _i == 0;
    values->more[DELAYED_LATE] = number;
    values->longer[DELAYED_LATE] = number ? 0 : 2;
    mate50_write(values, work, TREB_WHITE);
    for (int full = number ? 1 : 0; full < 2; full++) {
        ck_assert_int_eq(verify(full, 0.001, &result), TREB_ERR_DAMAGED);
        ck_assert_uint_eq(result.errors, 1);
        ck_assert_msg(strstr(result.text, "delayed mates") != NULL, "%s", result.text);
        ck_assert_msg(strstr(result.text, number ? "another number" : "another distance") != NULL, "%s", result.text);
    }
}
END_TEST

typedef struct Seen {
    int calls;  /* that tell the progress */
    bool parts; /* the words were in a scratch file, of which a part was in use at a time */
} Seen;

static bool see(void *context, const char *phase, uint64_t done, uint64_t total)
{
    Seen *seen = context;
    (void)done, (void)total;
    seen->calls++;
    seen->parts |= strstr(phase, "DTM50, part 2 of 24") != NULL;
    return true;
}

/* Checks with a limit of memory. */
static treb_status verify_within(uint64_t memory, VerifyResult *result, Seen *seen)
{
    const char *folder = work;
    const Material material = material_of("KPvK");
    const VerifyOptions options = {.dirs = &folder,
                                   .dirs_count = 1,
                                   .full = true,
                                   .memory = memory,
                                   .progress = see,
                                   .context = seen};
    *seen = (Seen){0};
    return verify_material(&material, &options, result);
}

/* A check says at once how much memory it needs. With so much it finds what it finds with more. */
START_TEST(little_memory)
{
    VerifyResult less, more;
    unsigned long long needed;
    Seen seen;
    if (_i > 0) alter(TREB_BLACK, WRONG_LATER);
    mate50_write(values, work, _i);
    ck_assert_int_eq(verify_within(1 << 18, &less, &seen), TREB_ERR_MEMORY);
    ck_assert_int_eq(seen.calls, 0);
    const char *says = strstr(less.text, "--memory ");
    ck_assert_msg(says != NULL && sscanf(says, "--memory %lluMiB", &needed) == 1, "%s", less.text);
    ck_assert_uint_gt(needed, 1);
    ck_assert_uint_lt(needed, 8);
    const treb_status status = _i == 0 ? TREB_OK : TREB_ERR_DAMAGED;
    ck_assert_int_eq(verify_within(0, &more, &seen), status);
    ck_assert(!seen.parts);
    ck_assert_int_eq(verify_within((uint64_t)needed << 20, &less, &seen), status);
    ck_assert(seen.parts);
    ck_assert_str_eq(less.text, more.text);
    ck_assert_uint_eq(less.errors, more.errors);
    ck_assert_uint_eq(less.positions, more.positions);
}
END_TEST

START_TEST(missing_dtm)
{
    VerifyResult result;
    char path[PATH_SIZE + 32];
    mate50_write(values, work, TREB_WHITE);
    snprintf(path, sizeof path, "%.4000s/KPvK.dtm.treb", work);
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(verify(true, 1, &result), TREB_ERR_NO_TABLE);
    ck_assert_msg(strstr(result.text, "KPvK.dtm.treb") != NULL, "%s", result.text);
}
END_TEST

/* ---- compare --------------------------------------------------------------------------------- */

static void compare(CompareResult *result)
{
    treb_error error;
    CompareSet set[2];
    const Material material = material_of("KPvK");
    const CompareOptions options = {.memory = 64 << 20, .shown = 4};
    ck_assert_int_eq(compare_open(&set[0], work, &error), TREB_OK);
    ck_assert_int_eq(compare_open(&set[1], other, &error), TREB_OK);
    const unsigned metrics =
        compare_metrics(&set[0], &material) & compare_metrics(&set[1], &material);
    ck_assert(metrics >> TREB_DTM50 & 1);
    ck_assert_int_eq(
        compare_material(&set[0], &set[1], &material, metrics, &options, result, &error), TREB_OK);
    for (int s = 0; s < 2; s++) compare_close(&set[s]);
}

/* Files that store different sides to move agree, except where a value differs. */
START_TEST(compared)
{
    CompareResult result;
    mate50_write(values, work, TREB_WHITE);
    copy_tables();
    alter(TREB_BLACK, WRONG_LATER);
    mate50_write(values, other, TREB_BLACK);
    compare(&result);
    const CompareCount *count = &result.count[TREB_DTM50];
    ck_assert_uint_gt(count->different, 0);
    ck_assert_uint_lt(count->different, 100);
    ck_assert_uint_eq(count->equal + count->different, result.positions);
    ck_assert_uint_eq(result.count[TREB_DTM].equal, result.positions);
    ck_assert_uint_eq(count->unknown, 0);
    ck_assert_int_ne(count->shown[0].value[0].distance.plies,
                     count->shown[0].value[1].distance.plies);
    compare_result_free(&result);
}
END_TEST

/* ---- Main ------------------------------------------------------------------------------------ */

int main(void)
{
    Suite *suite = suite_create("mate50");
    TCase *tests = tcase_create("verify");
    tcase_add_unchecked_fixture(tests, solve_ending, forget_ending);
    tcase_add_checked_fixture(tests, make_folders, remove_folders);
    tcase_add_loop_test(tests, right, 0, 2);
    tcase_add_loop_test(tests, wrong_value, 0, WRONG_ALL);
    tcase_add_loop_test(tests, wrong_header, 0, 2);
    tcase_add_loop_test(tests, wrong_delays, 0, 2);
    tcase_add_loop_test(tests, little_memory, 0, 2);
    tcase_add_test(tests, missing_dtm);
    tcase_add_test(tests, compared);
    tcase_set_timeout(tests, 600);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
