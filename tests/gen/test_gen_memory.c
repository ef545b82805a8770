/* test_gen_memory.c - the generator without memory. Allocations fail one by one. Such a run ends
 * with an error and leaves either no table or correct tables. */
#include <omp.h>

#include "core/system/memory_budget.h"
#include "gen/compress/coder.h"
#include "gen/solve/convert.h"
#include "probe/syzygy/syzygy.h"
#include "tests/support/failing_alloc.h"
#include "tests/support/gen_run.h"
#include "tests/support/part.h"

enum { VERDICTS_AND_DTZ = 1 << TREB_WDL | 1 << TREB_DTZ };

/* A run that makes one table again. The tables and scratch files of its sub-endings exist. */
typedef struct Again {
    Material material;
    const char *folder;
    bool syzygy; /* makes Syzygy's files */
    treb_status status, planned;
    char text[512];
    int failures;
} Again;

static void no_report(void *context, size_t step, const GenerateReport *report)
{
    (void)context, (void)step, (void)report;
}

static void make_again(void *context)
{
    Again *again = context;
    Run run = new_run(again->folder, again->syzygy ? VERDICTS_AND_DTZ : EVERY);
    GeneratePlan plan;
    treb_error error = {0};
    run.options.keep_scratch = true;
    run.options.syzygy = again->syzygy;
    run.options.memory = UINT64_C(1) << 30;
    again->planned = generate_plan(&run.options, &again->material, 1, &plan, &error);
    again->status = again->planned;
    if (again->planned == TREB_OK)
        again->status = generate_run(&run.options, &plan, no_report, NULL, &run.stopped, &error);
    memcpy(again->text, error.text, sizeof again->text);
    generate_plan_free(&plan);
}

static int metrics_of(const Again *again) { return again->syzygy ? TREB_DTZ + 1 : TREB_METRICS; }

/* Removes the table again. Checks that each of its files was correct. Returns their number. */
static int take_away(const Again *again)
{
    int files = 0;
    for (int m = 0; m < metrics_of(again); m++) {
        char file[TABLE_NAME_SIZE], path[PATH_SIZE + 300];
        if (again->syzygy)
            syzygy_file_name(&again->material, m, file);
        else
            table_file_name(&again->material, m, file);
        snprintf(path, sizeof path, "%s/%s", again->folder, file);
        if (access(path, F_OK) != 0) continue;
        check_same_file(again->folder, file);
        files++;
        unlink(path);
    }
    return files;
}

static void check_again(void *context, bool failed)
{
    Again *again = context;
    int files = take_away(again);
    if (again->status == TREB_OK) {
        ck_assert_int_eq(files, metrics_of(again));
        return;
    }
    ck_assert(failed);
    ck_assert_msg(again->status == TREB_ERR_MEMORY, "status %d: %s", again->status, again->text);
    ck_assert_msg(strstr(again->text, "memory") != NULL, "%s", again->text);
    again->failures++;
}

/* Makes a table with pawns (slices solved in groups, promotions) and one without. Only a sample of
 * the allocations fails: there are too many. */
START_TEST(allocations_fail_one_by_one)
{
    static const char *const names[] = {"KPvK", "KRvKN", "KPvK", "KRvK", "KRvK"};
    /* Sanitizers skip our own files of the pawn table: only its Syzygy files are made. */
    if (_i == 0 && test_part() > 1) return;
    bool syzygy = _i == 2 || _i == 3;
    run_codec = _i == 4 ? TABLE_SYMBOLS : TABLE_ZSTD;
    char folder[PATH_SIZE];
    snprintf(tables, sizeof tables, "%.4000s/good", work);
    snprintf(folder, sizeof folder, "%.4000s/again", work);
    ck_assert(mkdir(tables, 0777) == 0 && mkdir(folder, 0777) == 0);
    unsigned metrics = syzygy ? VERDICTS_AND_DTZ : EVERY;
    Run good = new_run(tables, metrics), run = new_run(folder, metrics);
    good.options.syzygy = run.options.syzygy = syzygy;
    run_names(&good, names[_i]);
    run.options.keep_scratch = true;
    run_names(&run, names[_i]);
    Again again = {.material = material_of(names[_i]), .folder = folder, .syzygy = syzygy};
    int most = test_part() > 1 ? 1 : 12;
    AllocTest test = {make_again, check_again, &again, (uint64_t)most};
    ck_assert_int_eq(take_away(&again), metrics_of(&again));
    ck_assert_uint_gt(alloc_sweep(&test), (uint64_t)most);
    ck_assert_int_gt(again.failures, most);
    check_folder(folder, true);
}
END_TEST

/* A claim beyond the bound fails like malloc without memory, and claims nothing. */
START_TEST(budget_refuses)
{
    MemoryBudget budget;
    budget_init(&budget, 3 << 20);
    uint8_t *small = budget_alloc(&budget, 1000), *large = budget_calloc(&budget, 2 << 20);
    ck_assert_ptr_nonnull(small);
    ck_assert_ptr_nonnull(large);
    ck_assert_uint_eq((uintptr_t)small % 64, 0);
    for (int i = 0; i < 2 << 20; i += 4096) ck_assert_uint_eq(large[i], 0);
    ck_assert_ptr_null(budget_alloc(&budget, 1 << 20));
    ck_assert(!budget_claim(&budget, UINT64_MAX));
    ck_assert_uint_eq(budget_left(&budget), (3 << 20) - budget_cost(1000) - budget_cost(2 << 20));
    budget_free(small);
    budget_free(large);
    budget_free(NULL);
    ck_assert_uint_eq(budget_left(&budget), 3 << 20);
    budget_init(&budget, 64 << 20);
    large = budget_calloc(&budget, 40 << 20); /* mapped memory */
    ck_assert_ptr_nonnull(large);
    large[0] = large[(40 << 20) - 1] = 1;
    ck_assert_uint_eq(budget_left(&budget), (64 << 20) - budget_cost(40 << 20));
    budget_free(large);
    ck_assert_uint_eq(budget_left(&budget), 64 << 20);
    ck_assert_uint_eq(budget.most, budget_cost(40 << 20));
}
END_TEST

/* With plenty of memory, arrays are used again. They are cleared on request, and counted as if they
 * were new. */
START_TEST(budget_keeps_spare_arrays)
{
    enum { SIZE = 5 << 20, ARRAYS = BUDGET_SPARES + 2 };
    MemoryBudget budget;
    uint8_t *array[ARRAYS];
    budget_init(&budget, 1 << 30);
    budget.plentiful = true;
    for (int i = 0; i < ARRAYS; i++) {
        array[i] = budget_alloc(&budget, SIZE);
        ck_assert_ptr_nonnull(array[i]);
        memset(array[i], 0xff, SIZE);
    }
    for (int i = 0; i < ARRAYS; i++) budget_free(array[i]);
    ck_assert_uint_eq(budget.held, 0);
    uint8_t *again = budget_calloc(&budget, SIZE - 100000), *other = budget_alloc(&budget, 2 << 20);
    ck_assert_uint_eq(budget.held, budget_cost(SIZE - 100000) + budget_cost(2 << 20));
    bool known = false;
    for (int i = 0; i < ARRAYS; i++) {
        known |= array[i] == again;
        ck_assert_ptr_ne(array[i], other);
    }
    ck_assert(known);
    size_t set = 0;
    for (int i = 0; i < SIZE - 100000; i++) set += again[i] != 0;
    ck_assert_uint_eq(set, 0);
    budget_free(again);
    budget_free(other);
    budget_end(&budget);
    for (int i = 0; i < BUDGET_SPARES; i++) ck_assert_ptr_null(budget.spare[i]);
}
END_TEST

/* ---- Code of our own arrays ------------------------------------------------------------------ */

/* Cells from which a code is learned, and which are then encoded, again and again. */
typedef struct Recode {
    uint8_t cells[20000];
    size_t bytes[2]; /* bytes of blocks and code: at first, and now */
    treb_status status;
} Recode;

static void recode(void *context)
{
    Recode *r = context;
    treb_error error = {0};
    CoderCells all = {r->cells, sizeof r->cells};
    CoderSample sample = {.stretch = &all, .count = 1, .size = sizeof r->cells};
    CodedBlocks blocks = {0};
    Coder *coder = coder_learn(&sample, &(CoderOptions){.threads = 1}, &error);
    CoderBuffer *buffer = coder != NULL ? coder_buffer_make(coder) : NULL;
    r->status = buffer == NULL
                    ? TREB_ERR_MEMORY
                    : coder_encode(coder, buffer, r->cells, sizeof r->cells, 100, &blocks, &error);
    if (coder == NULL && error.status != TREB_ERR_MEMORY) r->status = TREB_ERR_ARGUMENT;
    r->bytes[1] = r->status == TREB_OK ? blocks.count * 100 + coder_code(coder, NULL) : 0;
    coder_blocks_free(&blocks);
    coder_buffer_free(buffer);
    coder_free(coder);
}

static void check_recode(void *context, bool failed)
{
    Recode *r = context;
    ck_assert_int_eq(r->status, failed ? TREB_ERR_MEMORY : TREB_OK);
    if (!failed && r->bytes[0] == 0) r->bytes[0] = r->bytes[1];
    if (!failed) ck_assert_uint_eq(r->bytes[0], r->bytes[1]);
}

START_TEST(coder_without_memory)
{
    static Recode r;
    for (size_t i = 0; i < sizeof r.cells; i++)
        r.cells[i] = (uint8_t)((i * i / 7 >> 5) % 6 < 5 ? (i >> 4) * 2654435761u >> 29 : 255);
    AllocTest test = {recode, check_recode, &r, 0};
    ck_assert_uint_gt(alloc_sweep(&test), 20);
    ck_assert_uint_gt(r.bytes[0], 200);
}
END_TEST

/* ---- A missing sub-ending is an error: no slice is left out ---------------------------------- */

static treb_status find_nothing(void *context, const Layout *layout, uint64_t slice, int side,
                                bool push, const SolvedArrays **solved, int *lane,
                                treb_error *error)
{
    static const SolvedArrays nothing;
    (void)context, (void)layout, (void)slice, (void)side, (void)push, (void)error;
    *solved = &nothing;
    *lane = 0;
    return TREB_OK;
}

static void release_nothing(void *context, const SolvedArrays *solved)
{
    (void)context, (void)solved;
}

static const Layout *own_shape(void *context, const Material *material, unsigned wanted)
{
    (void)material, (void)wanted;
    return context;
}

/* Every allocation of a list of conversions fails once. */
START_TEST(conversions_without_memory)
{
    Layout layout;
    Converter *converter;
    Material m = material_of("KPvKP");
    uint64_t pawns[2] = {UINT64_C(1) << 8, UINT64_C(1) << 49};
    SliceProvider source = {&layout, own_shape, find_nothing, release_nothing, NULL};
    ck_assert(layout_init(&layout, &m));
    for (uint64_t i = 0;; i++) {
        treb_error error = {0};
        alloc_arm(i, ALLOC_ONE);
        treb_status status = converter_new(&layout, pawns, TREB_WHITE, MOVES_CONVERSIONS, &source, &converter, &error);
        uint64_t made = alloc_disarm();
        if (made <= i) {
            ck_assert_int_eq(status, TREB_OK);
            converter_free(converter);
            ck_assert_uint_ge(i, 2);
            break;
        }
        ck_assert_int_eq(status, TREB_ERR_MEMORY);
        ck_assert_int_eq(error.status, TREB_ERR_MEMORY);
    }
    layout_free(&layout);
}
END_TEST

static const Layout *no_shape(void *context, const Material *material, unsigned wanted)
{
    (void)context, (void)material, (void)wanted;
    return NULL;
}

START_TEST(missing_sub_endings_are_errors)
{
    Layout layout;
    MemoryBudget budget;
    const SolvedSlice *slice;
    treb_error error = {0};
    uint64_t pawns[1][2] = {{0, 0}};
    SliceProvider source = {NULL, no_shape, NULL, NULL, NULL};
    Material m = material_of("KRvK");
    budget_init(&budget, 1 << 30);
    ck_assert(layout_init(&layout, &m));
    SolverPlace place = {{".", NULL, &budget, UINT64_MAX}, 0, NULL};
    Solver *solver;
    ck_assert_int_eq(solver_new(&layout, EVERY, &place, &solver, &error), TREB_OK);
    ck_assert_int_eq(solver_run(solver, 1, pawns, &source, &slice, &error), TREB_ERR_NO_TABLE);
    ck_assert_ptr_nonnull(strstr(error.text, "KvK"));
    solver_free(solver);
    layout_free(&layout);
    ck_assert_uint_eq(budget.held, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gen without memory");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, make_work, remove_work);
    tcase_add_test(all, budget_refuses);
    tcase_add_test(all, budget_keeps_spare_arrays);
    tcase_add_test(all, missing_sub_endings_are_errors);
    tcase_add_test(all, conversions_without_memory);
    tcase_add_test(all, coder_without_memory);
    tcase_add_loop_test(all, allocations_fail_one_by_one, 0, 5);
    suite_add_tcase(suite, all);
    return run_suite_in_process(suite);
}
