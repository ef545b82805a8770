/* test_codecs.c - tables with both codecs. Each is verified in full. Both give the same answer to
 * every position, with any amount of memory for probes. The cells of a slice can be put in any
 * order. */
#include <check.h>
#include <omp.h>

#include "check/compare/compare.h"
#include "check/verify/verify.h"
#include "core/format/index.h"
#include "core/format/table.h"
#include "gen/write/axis_orders.h"
#include "gen/write/reorder.h"
#include "tests/support/gen_run.h"
#include "tests/support/part.h"

enum { TINY = 3 * 4096 };

static const char *const made[] = {"KPvK", "KBBvK"};
static char folder[2][PATH_SIZE]; /* by codec */

static void make_tables(void)
{
    make_work();
    for (int codec = TABLE_ZSTD; codec <= TABLE_SYMBOLS; codec++) {
        snprintf(folder[codec], PATH_SIZE, "%.4000s/%d", work, codec);
        ck_assert_int_eq(mkdir(folder[codec], 0777), 0);
        Run run = new_run(folder[codec], EVERY);
        run.options.codec = (TableCodec)codec;
        run.options.bounds = 3;
        run_names(&run, "KPvK KBBvK");
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int is_table(const struct dirent *entry) { return strstr(entry->d_name, ".treb") != NULL; }

/* Each file has its codec, and both folders have files of the same names. */
START_TEST(files_are_of_their_codec)
{
    struct dirent **list[2];
    int count[2];
    for (int codec = 0; codec < 2; codec++) {
        count[codec] = scandir(folder[codec], &list[codec], is_table, alphasort);
        for (int i = 0; i < count[codec]; i++) {
            char path[PATH_SIZE + 300];
            treb_error error;
            snprintf(path, sizeof path, "%.4100s/%.280s", folder[codec], list[codec][i]->d_name);
            Table *table = table_open(path, &error);
            ck_assert_msg(table != NULL, "%s", error.text);
            bool bounds = strstr(list[codec][i]->d_name, ".dtm.") != NULL ||
                          strcmp(list[codec][i]->d_name, "KPvK.wdl.treb") == 0;
            ck_assert_int_eq(table_header(table)->codec, codec);
            ck_assert_int_eq(table_header(table)->bounds, bounds && codec == TABLE_SYMBOLS);
            table_close(table);
        }
    }
    ck_assert_int_eq(count[0], count[1]);
    ck_assert_int_eq(count[0], 4 * 6);
    for (int i = 0; i < count[0]; i++) {
        ck_assert_str_eq(list[0][i]->d_name, list[1][i]->d_name);
        free(list[0][i]);
        free(list[1][i]);
    }
    free(list[0]);
    free(list[1]);
}
END_TEST

/* The counts and distances in the headers do not depend on the codec. */
START_TEST(headers_say_the_same)
{
    treb_tables *set[2];
    for (int codec = 0; codec < 2; codec++) {
        const char *from = folder[codec];
        set[codec] = treb_tables_open(&from, 1, NULL);
        ck_assert_ptr_nonnull(set[codec]);
    }
    for (int metric = TREB_WDL; metric < TREB_METRICS; metric++) {
        treb_table_info info[2];
        for (int codec = 0; codec < 2; codec++)
            ck_assert_int_eq(treb_tables_find(set[codec], made[_i], metric, &info[codec], NULL),
                             TREB_OK);
        ck_assert_mem_eq(info[0].count, info[1].count, sizeof info[0].count);
        ck_assert_mem_eq(info[0].longest, info[1].longest, sizeof info[0].longest);
    }
    for (int codec = 0; codec < 2; codec++) treb_tables_close(set[codec]);
}
END_TEST

START_TEST(verified_in_full)
{
    const char *from = folder[_i];
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        Material m = material_of(made[i]);
        VerifyResult result;
        VerifyOptions options = {.dirs = &from, .dirs_count = 1, .full = true};
        ck_assert_msg(verify_material(&m, &options, &result) == TREB_OK, "%s", result.text);
    }
}
END_TEST

/* ---- Bounds of verdicts ---------------------------------------------------------------------- */

/* Makes WDL and DTZ of an ending and what is below it, or what of it is not there. */
static void make_pawns(const char *from, const char *name, int bounds)
{
    Run run = new_run(from, 1 << TREB_WDL | 1 << TREB_DTZ);
    run.options.codec = TABLE_SYMBOLS;
    run.options.bounds = bounds;
    run_names(&run, name);
}

/* Files are smaller if the last pawn's promotion completes verdicts. What is made from such files is
 * the same as what is made from solved slices. */
START_TEST(verdicts_of_the_last_pawn)
{
    char from[2][PATH_SIZE], path[PATH_SIZE + 60];
    size_t size[2];
    for (int k = 0; k < 2; k++) {
        snprintf(from[k], PATH_SIZE, "%.4000s/pawns-%d", work, k);
        ck_assert_int_eq(mkdir(from[k], 0777), 0);
        make_pawns(from[k], k == 0 ? "KPvK" : "KPPvK", k == 0 ? 5 : 3);
        free(read_file(from[k], "KPvK.wdl.treb", &size[k]));
    }
    ck_assert_uint_lt(size[1], size[0]);
    snprintf(tables, sizeof tables, "%.4000s/read", work);
    ck_assert_int_eq(mkdir(tables, 0777), 0);
    static const char *const again[] = {"KPPvK.wdl.treb", "KPPvK.dtz.treb"};
    for (int i = 0; i < 2; i++) {
        char moved[PATH_SIZE + 60];
        snprintf(path, sizeof path, "%.4050s/%s", from[1], again[i]);
        snprintf(moved, sizeof moved, "%.4050s/%s", tables, again[i]);
        ck_assert_int_eq(rename(path, moved), 0);
    }
    make_pawns(from[1], "KPPvK", 3);
    for (int i = 0; i < 2; i++) check_same_file(from[1], again[i]);
}
END_TEST

/* ---- Codes ----------------------------------------------------------------------------------- */

static void folder_of_classes(unsigned classes, int threads, char out[PATH_SIZE])
{
    snprintf(out, PATH_SIZE, "%.4000s/%u-%d", work, classes, threads);
    ck_assert_int_eq(mkdir(out, 0777), 0);
    Run run = new_run(out, 1 << TREB_WDL | 1 << TREB_DTZ);
    run.options.codec = TABLE_SYMBOLS;
    run.options.classes = classes;
    int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    run_names(&run, "KPvK");
    omp_set_num_threads(before);
}

/* Checks that each stored side of a file has a code for each class and pages of each code. Slices
 * of the same file of the board have the same code. */
static void check_codes(const char *from, const char *name, unsigned classes)
{
    char path[PATH_SIZE + 60];
    treb_error error;
    snprintf(path, sizeof path, "%.4050s/%s", from, name);
    Table *table = table_open(path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    const TableHeader *header = table_header(table);
    for (int s = 0; s < 2; s++) {
        const TableSide *side = &header->side[s];
        if (!side->stored) continue;
        ck_assert_uint_eq(side->code.count, classes);
        ck_assert_uint_ge(side->code.pages, classes);
        const Index *index = &side->index;
        for (uint64_t slice = 1; slice < index->slices; slice++) {
            uint64_t cell = slice * index->slice_size;
            unsigned place[2] = {index_slice_place(index, slice - 1),
                                 index_slice_place(index, slice)};
            unsigned class[2];
            for (int k = 0; k < 2; k++)
                class[k] = (6 * (place[k] % 4) + place[k] / 4) * classes / INDEX_PLACES;
            bool apart =
                table_cell_page(table, s, cell - 1).at != table_cell_page(table, s, cell).at;
            ck_assert_uint_le(class[0], class[1]);
            if (class[0] != class[1]) ck_assert(apart);
        }
    }
    table_close(table);
}

/* Classes of slices have their own codes. The tables pass the full check, and do not depend on the
 * number of threads. */
START_TEST(classes)
{
    static const unsigned counts[] = {1, 4, 12};
    unsigned count = counts[_i];
    char from[2][PATH_SIZE];
    VerifyResult result;
    for (int k = 0; k < 2; k++) folder_of_classes(count, 1 + 2 * k, from[k]);
    snprintf(tables, sizeof tables, "%.4090s", from[0]);
    check_same_file(from[1], "KPvK.wdl.treb");
    check_same_file(from[1], "KPvK.dtz.treb");
    check_codes(from[0], "KPvK.wdl.treb", count);
    check_codes(from[0], "KPvK.dtz.treb", count);
    const char *one = from[0];
    Material m = material_of("KPvK");
    VerifyOptions options = {.dirs = &one, .dirs_count = 1, .full = true};
    ck_assert_msg(verify_material(&m, &options, &result) == TREB_OK, "%s", result.text);
}
END_TEST

/* ---- Large slices ----------------------------------------------------------------------------- */

/* Slices are never in memory as a whole. The tables pass the full check, and do not depend on the
 * number of threads. */
START_TEST(large_slices)
{
    char from[2][PATH_SIZE];
    VerifyResult result;
    for (int k = 0; k < 2; k++) {
        snprintf(from[k], PATH_SIZE, "%.4000s/large-%d", work, k);
        ck_assert_int_eq(mkdir(from[k], 0777), 0);
        Run run = new_run(from[k], EVERY);
        run.options.codec = TABLE_SYMBOLS;
        run.options.bounds = 3;
        run.options.large = 20000; /* a slice of KBBvK has more cells, one of KPvK fewer */
        int before = omp_get_max_threads();
        omp_set_num_threads(1 + 2 * k);
        run_names(&run, "KPvK KBBvK");
        omp_set_num_threads(before);
    }
    snprintf(tables, sizeof tables, "%.4090s", from[0]);
    const char *one = from[0];
    VerifyOptions options = {.dirs = &one, .dirs_count = 1, .full = true};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        Material m = material_of(made[i]);
        for (int metric = 0; metric < TREB_METRICS; metric++) {
            char name[TABLE_NAME_SIZE];
            table_file_name(&m, metric, name);
            check_same_file(from[1], name);
        }
        ck_assert_msg(verify_material(&m, &options, &result) == TREB_OK, "%s", result.text);
    }
}
END_TEST

/* The values and the order are chosen from a sample of a few slices. The tables pass the full
 * check. They do not depend on whether there is memory for all slices beside the sample. */
START_TEST(few_slices)
{
    enum { SLICE = 3612 /* cells, of KPvK */ };
    char from[2][PATH_SIZE];
    VerifyResult result;
    for (int k = 0; k < 2; k++) {
        Material m = material_of("KPvK");
        treb_error error = {.status = TREB_ERR_MEMORY};
        snprintf(from[k], PATH_SIZE, "%.4000s/few-%d", work, k);
        ck_assert_int_eq(mkdir(from[k], 0777), 0);
        Run run = new_run(from[k], EVERY);
        run.options.bounds = 3;
        run.options.large = 4 * SLICE;
        /* Run 0 has the smallest memory that suffices, run 1 has all. */
        for (uint64_t mebi = 1; k == 0 && error.status == TREB_ERR_MEMORY; mebi++) {
            run.options.memory = mebi << 20;
            if (run_try(&run, &m, 1, &error) == TREB_OK) break;
            ck_assert_int_eq(error.status, TREB_ERR_MEMORY);
        }
        if (k == 1) run_materials(&run, &m, 1);
    }
    snprintf(tables, sizeof tables, "%.4090s", from[0]);
    const char *one = from[0];
    Material m = material_of("KPvK");
    VerifyOptions options = {.dirs = &one, .dirs_count = 1, .full = true};
    for (int metric = 0; metric < TREB_METRICS; metric++) {
        char name[TABLE_NAME_SIZE];
        table_file_name(&m, metric, name);
        check_same_file(from[1], name);
    }
    ck_assert_msg(verify_material(&m, &options, &result) == TREB_OK, "%s", result.text);
}
END_TEST

/* ---- Answers --------------------------------------------------------------------------------- */

START_TEST(every_position)
{
    CompareSet set[2];
    CompareResult result;
    CompareOptions options = {.memory = UINT64_C(64) << 20};
    treb_error error;
    Material m = material_of(made[_i]);
    for (int codec = 0; codec < 2; codec++)
        ck_assert_int_eq(compare_open(&set[codec], folder[codec], &error), TREB_OK);
    ck_assert_msg(compare_material(&set[0], &set[1], &m, EVERY, &options, &result, &error) ==
                      TREB_OK,
                  "%s", error.text);
    for (int metric = 0; metric < TREB_METRICS; metric++) {
        ck_assert_uint_eq(result.count[metric].equal, result.positions);
        ck_assert_uint_eq(result.count[metric].different + result.count[metric].unknown, 0);
    }
    ck_assert_uint_gt(result.positions, 20000);
    compare_result_free(&result);
    for (int codec = 0; codec < 2; codec++) compare_close(&set[codec]);
}
END_TEST

/* Compares both sets in every `step`th position. `distances`: compares distances too. */
static void compare_answers(treb_tables *const set[2], const Material *m, uint64_t step,
                            bool distances)
{
    Index index;
    uint64_t compared = 0;
    ck_assert(index_init(&index, m, NULL, 1));
    for (uint64_t cell = 0; cell < index.size; cell += step) {
        IndexMen men;
        if (!index_to_men(&index, cell, &men)) continue;
        for (int turn = 0; turn < 2; turn++)
            for (int metric = TREB_WDL; metric <= (distances ? TREB_DTM : TREB_WDL); metric++) {
                treb_position pos;
                treb_distance d[2];
                treb_status status[2];
                index_men_to_position(&index, &men, turn, &pos);
                for (int k = 0; k < 2; k++)
                    status[k] = treb_probe_distance(set[k], &pos, metric, &d[k], NULL);
                if (status[0] == TREB_ERR_POSITION) continue;
                /* No ck_assert for each position: assertions are slow. */
                if (status[0] != TREB_OK || status[1] != TREB_OK || d[0].wdl != d[1].wdl ||
                    d[0].plies != d[1].plies)
                    ck_abort_msg("cell %d, turn %d, metric %d", (int)cell, turn, metric);
                compared++;
            }
    }
    ck_assert_uint_gt(compared, 1000 / (unsigned)test_part());
}

/* Compares probes without a cache, with a tiny one and with the default against zstd's with the
 * default. */
START_TEST(any_memory)
{
    static const uint64_t memory[] = {0, TINY, TREB_MEMORY_DEFAULT};
    treb_tables *set[2];
    treb_memory after;
    for (int codec = 0; codec < 2; codec++) {
        const char *from = folder[codec];
        set[codec] = treb_tables_open(&from, 1, NULL);
        ck_assert_ptr_nonnull(set[codec]);
    }
    treb_tables_set_memory(set[TABLE_SYMBOLS], memory[_i]);
    Material three = material_of("KPvK"), four = material_of("KBBvK");
    unsigned part = (unsigned)test_part();
    compare_answers(set, &three, 3 * part, false);
    compare_answers(set, &three, 61 * part, true);
    compare_answers(set, &four, 37 * part, false);
    compare_answers(set, &four, 4001 * part, true);
    treb_tables_get_memory(set[TABLE_SYMBOLS], &after);
    ck_assert_uint_le(after.cached, memory[_i]);
    ck_assert(memory[_i] == 0 || after.cached > 0);
    for (int codec = 0; codec < 2; codec++) treb_tables_close(set[codec]);
}
END_TEST

/* ---- The order of cells ---------------------------------------------------------------------- */

static const char *const ordered[] = {"KPvKP", "KPPvK", "KRvK", "KBBvK", "KQvKR", "KBNvK", "KRPvK"};

/* Putting a whole slice in order gives the same result as moving its cells one by one. */
START_TEST(slices_in_any_order)
{
    Layout layout;
    Material material = material_of(ordered[_i]);
    uint8_t order[720][INDEX_AXES_MAX];
    ck_assert(layout_init(&layout, &material));
    size_t cells = layout.kings * layout_lane_cells(&layout);
    uint8_t *from = malloc(cells), *one = malloc(cells), *all = malloc(cells);
    for (size_t i = 0; i < cells; i++) from[i] = (uint8_t)(i * 2654435761u >> 24);
    Reorder reorder;
    ck_assert(reorder_init(&reorder, &layout, NULL));
    size_t orders = axis_orders(reorder.axes, order, 720);
    reorder_free(&reorder);
    for (size_t n = 0; n < orders; n++) {
        ck_assert(reorder_init(&reorder, &layout, order[n]));
        size_t size = reorder.index.slice_size;
        reorder_copy(&reorder, from, 0, size, one);
        reorder_slice(&reorder, from, all);
        ck_assert_mem_eq(one, all, size);
        reorder_free(&reorder);
    }
    free(from);
    free(one);
    free(all);
    layout_free(&layout);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("codecs");
    int count = sizeof made / sizeof *made;
    tcase_add_unchecked_fixture(tests, make_tables, remove_work);
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, files_are_of_their_codec);
    tcase_add_loop_test(tests, headers_say_the_same, 0, count);
    tcase_add_loop_test(tests, verified_in_full, 0, 2);
    tcase_add_test(tests, verdicts_of_the_last_pawn);
    tcase_add_loop_test(tests, classes, 0, 3);
    if (test_part() == 1) tcase_add_test(tests, large_slices);
    if (test_part() == 1) tcase_add_test(tests, few_slices);
    tcase_add_loop_test(tests, every_position, 0, count);
    tcase_add_loop_test(tests, any_memory, 0, 3);
    tcase_add_loop_test(tests, slices_in_any_order, 0, sizeof ordered / sizeof *ordered);
    Suite *suite = suite_create("codecs");
    suite_add_tcase(suite, tests);
    return run_suite_in_process(suite);
}
