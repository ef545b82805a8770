/* test_dtm50.c - DTM50 files: their bytes do not depend on threads, only missing files are made, and each value with
 * some plies left follows from those of the moves. tests/probe/ compares values with a plain solver. */
#include <check.h>
#include <inttypes.h>
#include <omp.h>

#include "check/verify/verify.h"
#include "core/chess/movegen.h"
#include "core/format/table_profile.h"
#include "tests/support/gen_run.h"

enum { WITH_DTM50 = EVERY | 1 << TREB_DTM50, DRAW = -1 };

static void make_into(char *folder, const char *name, const char *names, unsigned metrics, int threads)
{
    snprintf(folder, PATH_SIZE, "%.4000s/%s", work, name);
    mkdir(folder, 0777);
    omp_set_num_threads(threads);
    Run run = new_run(folder, metrics);
    run_names(&run, names);
}

static bool same_bytes(const char *a, const char *b, const char *name)
{
    size_t size[2] = {0, 0};
    char *bytes[2] = {read_file(a, name, &size[0]), read_file(b, name, &size[1])};
    ck_assert(bytes[0] != NULL && bytes[1] != NULL);
    const bool same = size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

START_TEST(threads_and_missing_files)
{
    char one[PATH_SIZE], three[PATH_SIZE], later[PATH_SIZE];
    make_into(one, "one", "KPvK KRvKN", WITH_DTM50, 1);
    make_into(three, "three", "KPvK KRvKN", WITH_DTM50, 3);
    make_into(later, "later", "KPvK KRvKN", EVERY, 2);
    const Material rook = material_of("KRvKN"), pawn = material_of("KPvK");
    ck_assert(!generate_complete(later, &rook, WITH_DTM50));
    make_into(later, "later", "KPvK KRvKN", WITH_DTM50, 2);
    ck_assert(generate_complete(later, &rook, WITH_DTM50) && generate_complete(later, &pawn, WITH_DTM50));
    static const char *const files[] = {"KRvKN.dtm50.treb", "KPvK.dtm50.treb", "KPvK.dtm.treb",
                                        "KRvKN.dtz.treb", "KRvKN.wdl.treb"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ck_assert_msg(same_bytes(one, three, files[i]), "%s depends on threads", files[i]);
        ck_assert_msg(same_bytes(one, later, files[i]), "%s differs", files[i]);
    }
}
END_TEST

/* Sub-endings are read from their files, for captures and for promotions, and the bytes are those that solving them again
 * gives. */
START_TEST(finished_sub_endings)
{
    char all[PATH_SIZE], again[PATH_SIZE], path[PATH_SIZE + 64];
    static const char *const files[] = {"KPvK.dtm50.treb", "KPvK.dtz.treb", "KRvKN.dtm50.treb"};
    make_into(all, "all", "KPvK KRvKN", WITH_DTM50, 2);
    make_into(again, "again", "KPvK KRvKN", WITH_DTM50, 2);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", again, files[i]);
        ck_assert_int_eq(remove(path), 0);
    }
    Run run = new_run(again, WITH_DTM50);
    GeneratePlan plan;
    treb_error error;
    const Material material[2] = {material_of("KPvK"), material_of("KRvKN")};
    ck_assert_int_eq(generate_plan(&run.options, material, 2, &plan, &error), TREB_OK);
    for (size_t i = 0; i < plan.steps; i++)
        ck_assert_int_eq(plan.step[i].read, !plan.step[i].write && material_men(&plan.step[i].material) > 2);
    ck_assert_uint_gt(plan.steps, 4);
    generate_plan_free(&plan);
    make_into(again, "again", "KPvK KRvKN", WITH_DTM50, 2);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        ck_assert_msg(same_bytes(all, again, files[i]), "%s differs", files[i]);
}
END_TEST

/* ---- Values ---------------------------------------------------------------------------------- */

static treb_tables *set;
static char folder[PATH_SIZE];
static uint64_t own_profiles; /* that were read */

static int best_move(const treb_position *pos, int left);

/* Returns the value of a position with some plies left, DRAW if it is none: from the files, or from the moves. */
static int value_of(const treb_position *pos, int left)
{
    treb_error error;
    treb_distance dtz, dtm;
    char name[TABLE_NAME_SIZE], path[PATH_SIZE + 64];
    Material material = material_of_position(pos);
    treb_position turned = *pos;
    if (material_canonical(&material)) position_swap_colors(pos, &turned);
    ck_assert_int_eq(treb_probe_dtz(set, pos, &dtz, &error), TREB_OK);
    ck_assert_int_eq(treb_probe_dtm(set, pos, &dtm, &error), TREB_OK);
    if (dtz.wdl != TREB_WIN && dtz.wdl != TREB_LOSS) return DRAW;
    if (left < dtz.plies) return DRAW;
    if (dtm.plies <= left || dtm.plies == dtz.plies) return dtm.plies;
    table_file_name(&material, TREB_DTM50, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    Table *table = table_open(path, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    const TableHeader *h = table_header(table);
    int value = -2;
    if (h->profiles.turn == turned.turn) {
        const TableProfileClass *of = table_profile_class(h, dtm.plies, dtz.plies);
        ck_assert_ptr_nonnull(of);
        int code = 0;
        if (of->count > 1)
            code = table_read_cell(table, WAIT_FOR_ALL, 0, index_of_position(&h->side[0].index, &turned), NULL, &error);
        ck_assert_msg(code >= 0, "%s", error.text);
        const int profile = table_profile_at(&h->profiles, of, (unsigned)code);
        const unsigned short_by = (unsigned)(dtm.plies - left);
        const bool own = profile == (int)h->profiles.count;
        ck_assert_int_ge(profile, 0);
        const int extra =
            own ? table_read_own_profile(table, WAIT_FOR_ALL, index_of_position(&h->side[1].index, &turned), of,
                                         short_by, &error)
                : table_profile_extra(h, of, (unsigned)profile, short_by);
        ck_assert_msg(extra >= 0, "%s", error.text);
        own_profiles += own;
        value = extra == TABLE_PROFILE_ZEROING ? -2 : dtm.plies + extra;
    }
    table_close(table);
    return value == -2 ? best_move(pos, left) : value;
}

/* Whether value `a` of a move is better than `b` for the side that makes it: a short win, a draw, a long loss. */
static bool better(int a, int b)
{
    const int rank[2] = {a == DRAW ? 0 : a % 2 ? 1000 - a : a - 1000,
                         b == DRAW ? 0 : b % 2 ? 1000 - b : b - 1000};
    return rank[0] > rank[1];
}

static int best_move(const treb_position *pos, int left)
{
    Move move[MOVES_MAX];
    const int count = movegen_legal(pos, move);
    if (count == 0) return position_in_check(pos) ? 0 : DRAW;
    int best = -2;
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_play(pos, move[i], &child);
        const int there = left == 0 ? DRAW
                          : value_of(&child, move_is_zeroing(pos, move[i]) ? RULE_PLIES : left - 1);
        const int here = there == DRAW ? DRAW : there + 1;
        if (best == -2 || better(here, best)) best = here;
    }
    return best;
}

/* The values of some positions, with any number of plies left, are those of their best moves. */
static uint64_t check_values(const char *name, uint64_t step)
{
    Index index;
    uint64_t checked = 0;
    const Material material = material_of(name);
    ck_assert(index_init(&index, &material, NULL, 1));
    for (uint64_t i = 0; i < 2 * index.size; i += step) {
        IndexMen men;
        treb_position pos;
        const char *why;
        if (!index_to_men(&index, i / 2, &men)) continue;
        index_men_to_position(&index, &men, (int)(i % 2), &pos);
        if (position_check(&pos, &why) != TREB_OK) continue;
        for (int left = 1; left <= RULE_PLIES; left += 9)
            ck_assert_msg(value_of(&pos, left) == best_move(&pos, left), "%s %" PRIu64 ", %d left: %d, not %d",
                          name, i, left, value_of(&pos, left), best_move(&pos, left));
        checked++;
    }
    return checked;
}

START_TEST(values_follow_from_moves)
{
    treb_error error;
    const char *directory = folder;
    make_into(folder, "values", "KPvK KRvKN KQQvK", WITH_DTM50, 2);
    set = treb_tables_open(&directory, 1, &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    ck_assert_uint_gt(check_values("KPvK", 397), 200);
    ck_assert_uint_gt(check_values("KRvKN", 5003), 200);
    /* Like men: a position is in two cells and one place. */
    ck_assert_uint_gt(check_values("KQQvK", 20011), 50);
    ck_assert_uint_gt(own_profiles, 10);
    treb_tables_close(set);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("DTM50 files");
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, make_work, remove_work);
    tcase_add_test(files, threads_and_missing_files);
    tcase_add_test(files, finished_sub_endings);
    tcase_add_test(files, values_follow_from_moves);
    suite_add_tcase(suite, files);
    return run_suite_in_process(suite);
}
