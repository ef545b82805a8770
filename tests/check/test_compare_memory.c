/* test_compare_memory.c - if an allocation fails, a comparison ends with an error or has the right
 * result. */
#define _DEFAULT_SOURCE
#include "check/compare/compare.h"

#include "tests/support/failing_alloc.h"
#include "tests/support/naive_set.h"

static const char syzygy[] = "tests/data/syzygy";
static Naive *naive;
static char second[PATH_SIZE];

typedef struct Outcome {
    const char *path[2];
    uint64_t memory;
    treb_status status;
    char text[512], first[TREB_FEN_SIZE]; /* of an error; of a difference */
    CompareResult result, whole; /* result of this run; result of a run with enough memory */
} Outcome;

/* Writes two sets that differ in their longest lines to mate. */
static void make_sets(void)
{
    const NaiveLayout white = {.per_byte = 1, .block_bits = 12},
                      black = {.per_byte = 3, .block_bits = 10, .side = TREB_BLACK};
    make_directory(directory);
    make_directory(second);
    naive = naive_solve("KQvK");
    write_material(directory, naive, &white);
    for (uint32_t n = 1; n < 64 * 64 * 64 * 2; n += 2) {
        treb_position pos;
        if (!three_men(naive, n, &pos)) continue;
        NaiveValue *value = (NaiveValue *)naive_value(naive, &pos);
        if (value->plies[TREB_DTM] > 16) value->plies[TREB_DTM] += 2;
    }
    write_material(second, naive, &black);
}

static void drop_sets(void)
{
    naive_free(naive);
    remove_directory(directory);
    remove_directory(second);
}

static void run(Outcome *o, CompareSet set[2], treb_error *error)
{
    const CompareOptions options = {.threads = 2, .shown = 3, .memory = o->memory};
    const Material *m = naive_material(naive);
    for (int s = 0; s < 2; s++) {
        o->status = compare_open(&set[s], o->path[s], error);
        if (o->status != TREB_OK) return;
    }
    size_t count;
    free(compare_materials(&set[0], &count));
    unsigned metrics = compare_metrics(&set[0], m) & compare_metrics(&set[1], m);
    for (int k = 0; k < TREB_METRICS; k++)
        for (int s = 0; s < 2 && metrics >> k & 1; s++) {
            o->status = compare_check(&set[s], m, (treb_metric)k, error);
            if (o->status != TREB_OK) return;
        }
    o->status = compare_material(&set[0], &set[1], m, metrics, &options, &o->result, error);
    if (o->result.count[TREB_DTM].shown_count > 0)
        strcpy(o->first, o->result.count[TREB_DTM].shown[0].fen);
    compare_result_free(&o->result);
}

static void compare(void *context)
{
    Outcome *o = context;
    CompareSet set[2] = {{0}, {0}};
    treb_error error = {0};
    memset(&o->result, 0, sizeof o->result);
    o->first[0] = '\0';
    run(o, set, &error);
    for (int s = 0; s < 2; s++) compare_close(&set[s]);
    strcpy(o->text, error.text);
}

static void check(void *context, bool failed)
{
    const Outcome *o = context;
    if (o->status != TREB_OK) {
        ck_assert(failed);
        ck_assert_msg(o->status == TREB_ERR_MEMORY || strstr(o->text, "annot allocate memory"),
                      "%d: %s", o->status, o->text);
        return;
    }
    ck_assert_uint_eq(o->result.positions, o->whole.positions);
    for (int m = 0; m < TREB_METRICS; m++) {
        const CompareCount *is = &o->result.count[m], *wanted = &o->whole.count[m];
        ck_assert_uint_eq(is->equal, wanted->equal);
        ck_assert_uint_eq(is->rounded, wanted->rounded);
        ck_assert_uint_eq(is->different, wanted->different);
        ck_assert_uint_eq(is->unknown, 0);
    }
    ck_assert_int_eq(o->first[0] != '\0', o->whole.count[TREB_DTM].different > 0);
}

static void sweep(Outcome o)
{
    compare(&o);
    ck_assert_msg(o.status == TREB_OK, "%s", o.text);
    o.whole = o.result;
    ck_assert_uint_eq(o.whole.count[TREB_DTM].different > 0, o.path[1] == second);
    AllocTest test = {.work = compare, .check = check, .context = &o, .most = 40};
    ck_assert_uint_gt(alloc_sweep(&test), 30);
}

START_TEST(two_sets_of_ours)
{
    sweep((Outcome){.path = {directory, second}, .memory = _i ? 0 : 64 << 20});
}
END_TEST

START_TEST(one_of_syzygy) { sweep((Outcome){.path = {syzygy, directory}, .memory = 64 << 20}); }
END_TEST

int main(void)
{
    Suite *suite = suite_create("comparing without memory");
    TCase *tests = add_case(suite, "sweeps");
    tcase_add_unchecked_fixture(tests, make_sets, drop_sets);
    tcase_add_loop_test(tests, two_sets_of_ours, 0, 2);
    tcase_add_test(tests, one_of_syzygy);
    return run_suite(suite);
}
