/* test_verify_memory.c - if an allocation fails, a verification ends with an error or has the right
 * result. It never calls correct tables wrong, or wrong tables correct. */
#define _DEFAULT_SOURCE
#include "check/verify/verify.h"
#include "tests/support/failing_alloc.h"
#include "tests/support/part.h"
#include "tests/support/three_men.h"

typedef struct Outcome {
    const char *material;
    bool full, right, syzygy;
    uint64_t memory; /* memory limit */
    treb_status status;
    VerifyResult result, whole; /* result of this run; result of a run with enough memory */
} Outcome;

static void verify(void *context)
{
    Outcome *o = context;
    Material m;
    const char *dirs[] = {o->syzygy ? "tests/data/syzygy" : directory};
    VerifyOptions options = {.dirs = dirs,
                             .dirs_count = 1,
                             .syzygy = o->syzygy,
                             .full = o->full,
                             .share = 0.1,
                             .threads = 2,
                             .memory = o->memory};
    material_parse(o->material, &m);
    o->status = verify_material(&m, &options, &o->result);
}

static void check(void *context, bool failed)
{
    const Outcome *o = context;
    const VerifyResult *is = &o->result, *wanted = &o->whole;
    if (o->status == TREB_ERR_MEMORY) {
        ck_assert(failed);
        ck_assert_msg(strstr(is->text, "out of memory") || strstr(is->text, "needs more memory"),
                      "%s", is->text);
        if (o->right) ck_assert_uint_eq(is->errors, 0);
        return;
    }
    ck_assert_msg(o->status == (o->right ? TREB_OK : TREB_ERR_DAMAGED), "status %d: %s", o->status,
                  is->text);
    ck_assert_uint_eq(is->errors, wanted->errors);
    ck_assert_uint_eq(is->positions, wanted->positions);
    ck_assert_uint_eq(is->blocks, wanted->blocks);
    ck_assert_uint_eq(is->metrics, wanted->metrics);
    ck_assert_str_eq(is->text, wanted->text);
}

/* Makes `runs` allocations fail in each mode. */
static void sweep_of(Outcome o, uint64_t least, uint64_t runs)
{
    verify(&o);
    o.whole = o.result;
    AllocTest test = {
        .work = verify, .check = check, .context = &o, .most = test_part() > 1 ? runs / 3 : runs};
    ck_assert_uint_gt(alloc_sweep(&test), least);
}

static void sweep(Outcome o) { sweep_of(o, 30, 24); }

START_TEST(right_tables)
{
    write_tables(KQ, KP, _i & 1);
    sweep((Outcome){.material = "KPvK", .full = _i & 2, .right = true});
    sweep((Outcome){.material = "KRvK", .full = _i & 2, .right = true});
}
END_TEST

/* Two memory limits: one that leaves little more than the table itself needs, and one that leaves
 * less. Other tables are then read block by block, and the words are in a scratch file. */
START_TEST(little_room)
{
    write_tables(KQ, KP, false);
    uint64_t memory = (UINT64_C(8) + 3 + 1) * truth[KP].index.size;
    sweep_of((Outcome){.material = "KPvK", .full = true, .right = true, .memory = memory}, 30, 9);
    sweep_of((Outcome){.material = "KPvK", .full = true, .right = true, .memory = 1 << 18}, 30, 9);
    sweep_of((Outcome){.material = "KPvK", .right = true, .memory = 1 << 16}, 30, 9);
}
END_TEST

START_TEST(syzygy_files)
{
    sweep_of((Outcome){.material = "KPvK", .full = _i, .right = true, .syzygy = true}, 30, 24);
    sweep_of((Outcome){.material = "KRvK", .full = _i, .right = true, .syzygy = true}, 20, 24);
}
END_TEST

static const char *const some[] = {"tests/data/syzygy/KQvK.rtbw", "tests/data/syzygy/KQvK.rtbz"};

typedef struct Checksums {
    treb_status status;
    size_t right, failed;
} Checksums;

static void on_checked(void *context, size_t number, const VerifyChecksum *result)
{
    Checksums *sums = context;
    (void)number;
    sums->right += result->status == TREB_OK;
    sums->failed += result->status == TREB_ERR_MEMORY;
}

static void compare_checksums(void *context)
{
    Checksums *sums = context;
    VerifyOptions options = {.threads = 2};
    *sums = (Checksums){0};
    sums->status = verify_checksums(some, 2, &options, on_checked, sums);
}

static void judge_checksums(void *context, bool failed)
{
    const Checksums *sums = context;
    if (!failed) ck_assert_uint_eq(sums->right, 2);
    ck_assert(sums->status == TREB_OK ? sums->right + sums->failed == 2
                                      : sums->status == TREB_ERR_MEMORY);
}

START_TEST(checksums)
{
    Checksums sums;
    AllocTest test = {
        .work = compare_checksums, .check = judge_checksums, .context = &sums, .most = 24};
    ck_assert_uint_gt(alloc_sweep(&test), 8);
}
END_TEST

static void other_distance(Truth *t, TableHeader *h)
{
    t->plies[h->metric][0][find(t, 0, TREB_WIN, 9)] += 2;
}

START_TEST(wrong_tables)
{
    damage = (Damage){"KRvK", TREB_DTM, false, other_distance};
    write_tables(KR, KR, false);
    sweep((Outcome){.material = "KRvK", .full = true});
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verifying without memory");
    TCase *tests = add_case(suite, "sweeps", make_directory, remove_directory);
    solve_all();
    tcase_add_loop_test(tests, right_tables, 0, 4);
    tcase_add_test(tests, little_room);
    tcase_add_loop_test(tests, syzygy_files, 0, 2);
    tcase_add_test(tests, checksums);
    tcase_add_test(tests, wrong_tables);
    return run_suite(suite);
}
