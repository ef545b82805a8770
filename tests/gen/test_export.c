/* test_export.c - Syzygy's files from solved slices: the map from the solver's cells to the cells
 * of a file, and the values of the files. */
#include <omp.h>

#include "core/chess/movegen.h"
#include "gen/syzygy/array_orders.h"
#include "gen/syzygy/remap.h"
#include "tests/support/gen_run.h"
#include "tests/support/random.h"

enum { VERDICTS_AND_DTZ = 1 << TREB_WDL | 1 << TREB_DTZ };

/* ---- Remapping ------------------------------------------------------------------------------- */

/* Returns the value of a cell in the slow way: by the number of its position in our own index. */
static uint8_t value_of(const Remap *g, uint64_t cell)
{
    const RemapTables *tables = g->tables;
    const Layout *layout = tables->layout;
    treb_position pos;
    syzygy_position_of(g->index, &tables->syzygy, g->file, cell, TREB_WHITE, &pos);
    uint64_t pawns[2];
    int king[2], symmetry;
    for (int c = 0; c < 2; c++) {
        pawns[c] = pos.by_color[c] & pos.by_type[TREB_PAWN];
        king[c] = bit_first(pos.by_color[c] & pos.by_type[TREB_KING]);
    }
    int turn = index_pawns_mirror(&layout->index, pawns) == 1 ? SYM_FILES : 0;
    for (int c = 0; c < 2; c++) {
        pawns[c] = index_symmetry_board(turn, pawns[c]);
        king[c] = index_symmetry_square(turn, king[c]);
    }
    int pair = index_kings(layout->pawns, king[0], king[1], &symmetry);
    if (pair < 0) return g->nothing;
    uint64_t at = tables->place[index_slice(&layout->index, pawns)] * tables->slice +
                  (uint64_t)pair * tables->plane;
    uint64_t left[2][TREB_TYPES];
    for (int c = 0; c < 2; c++)
        for (int t = 0; t < TREB_TYPES; t++) left[c][t] = pos.by_color[c] & pos.by_type[t];
    for (int i = 0; i < layout->men; i++) {
        int sq = bit_pop(&left[layout->man[i].color][layout->man[i].type]);
        sq = index_symmetry_square(symmetry, index_symmetry_square(turn, sq));
        at += (uint64_t)sq << 6 * (layout->men - 1 - i);
    }
    return g->from[at];
}

/* Fills slices with values that do not depend on the order of like men. */
static void fill_from(const Layout *layout, uint8_t *from, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        uint64_t sum = i >> 6 * layout->men;
        for (int k = 0; k < layout->men; k++) {
            uint64_t sq = i >> 6 * (layout->men - 1 - k) & 63;
            sum += (sq * sq * 37 + sq) *
                   (uint64_t)(1 + layout->man[k].type + 7 * layout->man[k].color);
        }
        from[i] = (uint8_t)(sum * 2654435761u >> 24) % 200;
    }
}

static void check_order(const Remap *g, uint8_t *out, uint64_t *random)
{
    enum { SOME = 300 };
    const uint64_t size = g->index->size;
    uint8_t some[SOME];
    memset(out, 0xee, size);
    remap_all(g, out);
    for (int run = 0; run < 4; run++) {
        uint64_t first = run == 0 ? 0 : next_random31(random) % (size - SOME + 1);
        remap_some(g, first, SOME, some);
        ck_assert_mem_eq(some, out + first, SOME);
    }
    for (int n = 0; n < 300; n++) {
        uint64_t cell = next_random31(random) % size;
        ck_assert_uint_eq(out[cell], value_of(g, cell));
    }
}

static const struct {
    const char *name;
    size_t orders; /* number of orders */
    size_t every;  /* one in `every` orders is tested */
} remapped[] = {{"KPvK", 6, 1},   {"KPvKP", 24, 1}, {"KRvKP", 24, 1}, {"KBNvK", 48, 5},
                {"KNNvK", 4, 1},  {"KRvKR", 48, 5}, {"KPPvK", 6, 1},  {"KNPvK", 24, 5},
                {"KNNNvK", 4, 3}, {"KPvKPP", 24, 9}};

START_TEST(cells_are_remapped)
{
    Layout layout;
    RemapTables *tables = malloc(sizeof *tables);
    ArrayOrders orders;
    uint64_t random = (uint64_t)_i + 1;
    Material m = material_of(remapped[_i].name);
    ck_assert(layout_init(&layout, &m));
    ck_assert(remap_tables_init(tables, &layout));
    ck_assert(orders_list(&orders, tables));
    ck_assert_uint_eq(orders.count, remapped[_i].orders);
    int files = layout.pawns ? 4 : 1;
    for (size_t i = 0; i < orders.count; i += remapped[_i].every) {
        const ArrayOrder *order = &orders.order[i];
        SyzygyIndex index;
        int file = (int)(i % (size_t)files);
        ck_assert(syzygy_index_init(&index, &tables->syzygy, &m, order->man, order->place,
                                    order->place2, file));
        uint64_t cells = tables->slices[file] * tables->slice;
        uint8_t *from = malloc(cells), *out = malloc(index.size);
        fill_from(&layout, from, cells);
        check_order(&(Remap){tables, &index, file, from, 201}, out, &random);
        free(from);
        free(out);
    }
    orders_free(&orders);
    remap_tables_free(tables);
    layout_free(&layout);
    free(tables);
}
END_TEST

/* ---- Files ----------------------------------------------------------------------------------- */

static void export_names(const char *directory, const char *names, bool exact)
{
    Run run = new_run(directory, VERDICTS_AND_DTZ);
    run.options.syzygy = true;
    run.options.exact = exact;
    run_names(&run, names);
}

static treb_tables *open_tables(const char *directory)
{
    treb_error error = {0};
    treb_tables *set = treb_tables_open(&directory, 1, &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    return set;
}

typedef struct Compared {
    uint64_t positions, decided, rounded;
} Compared;

static void compare_position(treb_tables *const set[2], const treb_position *pos, Compared *sum)
{
    treb_distance d[2];
    treb_error error = {0};
    for (int i = 0; i < 2; i++)
        ck_assert_msg(treb_probe_distance(set[i], pos, TREB_DTZ, &d[i], &error) == TREB_OK, "%s",
                      error.text);
    bool right = d[0].wdl == d[1].wdl &&
                 (d[0].plies == d[1].plies || (d[1].rounded && d[0].plies == d[1].plies + 1));
    if (!right) {
        char fen[TREB_FEN_SIZE];
        position_to_fen(pos, fen);
        ck_abort_msg("%s: verdict %d in %d plies, exported %d in %d", fen, d[0].wdl, d[0].plies,
                     d[1].wdl, d[1].plies);
    }
    sum->positions++;
    sum->decided += d[0].wdl == TREB_WIN || d[0].wdl == TREB_LOSS;
    sum->rounded += (uint64_t)d[1].rounded;
}

/* Compares one position in `every`. */
static Compared compare_material(treb_tables *const set[2], const char *name, uint64_t every)
{
    Compared sum = {0, 0, 0};
    Index index;
    Material m = material_of(name);
    ck_assert(index_init(&index, &m, NULL, 1));
    for (uint64_t cell = 0; cell < index.size; cell += every)
        for (int side = 0; side < 2; side++) {
            IndexMen men;
            treb_position pos;
            if (!index_to_men(&index, cell, &men)) continue;
            index_men_to_position(&index, &men, side, &pos);
            if (position_check(&pos, NULL) == TREB_OK) compare_position(set, &pos, &sum);
        }
    return sum;
}

/* The exported values equal those of our tables. Our tables are checked by the verifier and against
 * published figures. test_export() in tests/test_programs.py tests pawns on both sides. */
START_TEST(exported_values_are_ours)
{
    static const char *const names[] = {"KPvK", "KQvK", "KRvK", "KBvK", "KNvK"};
    char exported[PATH_SIZE], exact[PATH_SIZE];
    Compared sum = {0, 0, 0};
    make_work();
    snprintf(tables, sizeof tables, "%.4000s/ours", work);
    snprintf(exported, sizeof exported, "%.4000s/exported", work);
    snprintf(exact, sizeof exact, "%.4000s/exact", work);
    ck_assert(mkdir(tables, 0777) == 0 && mkdir(exported, 0777) == 0 && mkdir(exact, 0777) == 0);
    Run ours = new_run(tables, VERDICTS_AND_DTZ);
    ours.options.codec = TABLE_ZSTD;
    run_names(&ours, "KPvK KRvKN");
    export_names(exported, "KPvK KRvKN", false);
    export_names(exact, "KPvK", true);
    treb_tables *set[2] = {open_tables(tables), open_tables(exported)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Compared part = compare_material(set, names[i], 1);
        sum.positions += part.positions;
        sum.decided += part.decided;
        sum.rounded += part.rounded;
    }
    ck_assert_uint_gt(sum.positions, 200000);
    ck_assert_uint_gt(sum.rounded, 10000);
    ck_assert_uint_gt(compare_material(set, "KRvKN", 23).decided, 10000);
    treb_tables_close(set[1]);
    set[1] = open_tables(exact);
    sum = compare_material(set, "KPvK", 1);
    ck_assert_uint_gt(sum.decided, 100000);
    ck_assert_uint_eq(sum.rounded, 0);
    treb_tables_close(set[0]);
    treb_tables_close(set[1]);
    remove_work();
}
END_TEST

/* The bytes do not depend on the number of threads. Existing files are kept, and missing ones are
 * made again. */
START_TEST(files_do_not_depend_on_the_run)
{
    static const char names[] = "KPvK KBNvK";
    char other[PATH_SIZE], path[PATH_SIZE + 20];
    int threads = omp_get_max_threads();
    make_work();
    snprintf(tables, sizeof tables, "%.4000s/good", work);
    snprintf(other, sizeof other, "%.4000s/other", work);
    ck_assert(mkdir(tables, 0777) == 0 && mkdir(other, 0777) == 0);
    omp_set_num_threads(1);
    export_names(tables, names, false);
    ck_assert_int_eq(check_folder(tables, false), 12);
    omp_set_num_threads(3);
    export_names(other, names, false);
    ck_assert_int_eq(check_folder(other, false), 12);
    omp_set_num_threads(threads);
    Run run = new_run(other, VERDICTS_AND_DTZ);
    run.options.syzygy = true;
    run_names(&run, names);
    ck_assert_int_eq(run.steps, 0);
    snprintf(path, sizeof path, "%s/KPvK.rtbz", other);
    ck_assert_int_eq(truncate(path, 100), 0);
    run_names(&run, names);
    ck_assert_int_gt(run.steps, 0);
    ck_assert_int_eq(check_folder(other, false), 12);
    remove_work();
}
END_TEST

START_TEST(stopped_runs_leave_whole_files)
{
    make_work();
    Run run = new_run(work, VERDICTS_AND_DTZ);
    run.options.syzygy = true;
    run.stop_after = 5;
    run_names(&run, "KPvKP");
    ck_assert(run.stopped);
    treb_tables *set = open_tables(work);
    ck_assert_uint_ge(treb_tables_count(set), 4);
    ck_assert_uint_lt(treb_tables_count(set), 20);
    treb_tables_close(set);
    remove_work();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("export");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, cells_are_remapped, 0, (int)(sizeof remapped / sizeof *remapped));
    tcase_add_test(tests, exported_values_are_ours);
    if (test_part() == 1) tcase_add_test(tests, files_do_not_depend_on_the_run);
    tcase_add_test(tests, stopped_runs_leave_whole_files);
    suite_add_tcase(suite, tests);
    return run_suite_in_process(suite);
}
