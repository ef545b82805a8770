/* test_gen.c - makes all tables of 3 and 4 men and compares them with published figures. Then makes
 * tables in other ways: the bytes must be equal.
 *
 * TREB_TEST_TABLES=DIR  uses the tables in DIR instead of making them
 * TREB_TEST_KEEP=DIR    leaves the tables in DIR for other tests
 * TREB_TEST_DATA=DIR    has le5.tsv and the other lists (tests/data) */
#include <check.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>

#include "core/chess/movegen.h"
#include "gen/solve/partition.h"
#include "tests/support/gen_run.h"

enum { LINE_SIZE = 512 };

static const char *data_directory = "tests/data";
static bool tables_given;

START_TEST(generate_all)
{
    Material list[ALL];
    Run run = new_run(tables, EVERY);
    if (tables_given) return;
    ck_assert_uint_eq(list_all(list), ALL);
    run_materials(&run, list, ALL);
    ck_assert(!run.stopped);
    ck_assert_int_eq(check_folder(tables, false), ALL * TREB_METRICS);
    for (int i = 0; i < ALL; i++) ck_assert(generate_complete(tables, &list[i], EVERY));
    run_materials(&run, list, ALL);
    ck_assert_int_eq(run.steps, 0);
}
END_TEST

/* ---- Published figures ----------------------------------------------------------------------- */

/* The figures of le5.tsv for one side to move. */
typedef struct Published {
    unsigned longest_win; /* plies to mate; 0: no win */
    uint64_t wins, draws, losses;
} Published;

static bool parse_published(char *line, char **name, Published side[2])
{
    char *field[8] = {0};
    int n = 0;
    for (char *f; n < 8 && (f = strsep(&line, "\t\n")) != NULL;) field[n++] = f;
    if (n < 5 || field[0][0] == '#' || strcmp(field[0], "table") == 0) return false;
    *name = field[0];
    for (int s = 0; s < 2; s++) {
        unsigned long long w, d, l;
        side[s].longest_win = field[1 + s][0] == '-' ? 0 : (unsigned)atoi(field[1 + s]);
        ck_assert_int_eq(sscanf(field[3 + s], "%llu/%llu/%llu", &w, &d, &l), 3);
        side[s].wins = w;
        side[s].draws = d;
        side[s].losses = l;
    }
    return true;
}

static FILE *open_data(const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%.4000s/%s", data_directory, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot read %s", path);
    return file;
}

static treb_tables *open_tables(void)
{
    treb_error error;
    const char *directory = tables;
    treb_tables *set = treb_tables_open(&directory, 1, &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    return set;
}

/* Counts the figures in our own files, which leave out positions with en passant. */
static void our_figures(const treb_tables *set, const char *name, Published side[2])
{
    static const treb_metric metrics[] = {TREB_WDL, TREB_DTZ, TREB_DTC, TREB_DTM};
    treb_table_info info;
    treb_error error = {0};
    uint64_t count[2][5] = {{0}};
    for (int m = 0; m < TREB_METRICS; m++) {
        treb_status status = treb_tables_find(set, name, metrics[m], &info, &error);
        ck_assert_msg(status == TREB_OK, "%s: %s", name, error.text);
        if (m == 0) memcpy(count, info.count, sizeof count);
        ck_assert(memcmp(count, info.count, sizeof count) == 0);
    }
    for (int s = 0; s < 2; s++) {
        const uint64_t *c = info.count[s];
        unsigned win = info.longest[s][TREB_WIN], cursed = info.longest[s][TREB_CURSED_WIN];
        side[s] = (Published){win > cursed ? win : cursed, c[TREB_CURSED_WIN] + c[TREB_WIN],
                              c[TREB_DRAW], c[TREB_LOSS] + c[TREB_BLESSED_LOSS]};
    }
}

static void add_value(const treb_tables *set, const treb_position *pos, Published *side)
{
    treb_distance d;
    treb_error error;
    treb_status status = treb_probe_dtm(set, pos, &d, &error);
    ck_assert_msg(status == TREB_OK, "%s", error.text);
    if (d.wdl > TREB_DRAW) side->wins++;
    if (d.wdl == TREB_DRAW) side->draws++;
    if (d.wdl < TREB_DRAW) side->losses++;
    if (d.wdl > TREB_DRAW && (unsigned)d.plies > side->longest_win) side->longest_win = d.plies;
}

/* Adds all positions of KPvKP in which the given pawns allow an en passant capture. */
static void add_kings(const treb_tables *set, const treb_position *pawns, Published *side)
{
    for (int kings = 0; kings < 64 * 64; kings++) {
        treb_position pos = *pawns;
        uint64_t taken = position_occupied(&pos);
        if (kings >> 6 == (kings & 63) || bit_test(taken, kings >> 6)) continue;
        if (bit_test(taken, kings & 63)) continue;
        position_put(&pos, TREB_WHITE, TREB_KING, kings >> 6);
        position_put(&pos, TREB_BLACK, TREB_KING, kings & 63);
        if (position_check(&pos, NULL) == TREB_OK && position_ep_legal(&pos))
            add_value(set, &pos, side);
    }
}

static void add_en_passant(const treb_tables *set, Published side[2])
{
    for (int file = 0; file < 8; file++) {
        for (int beside = file - 1; beside <= file + 1; beside += 2) {
            if (beside < 0 || beside > 7) continue;
            for (int turn = 0; turn < 2; turn++) {
                treb_position pos = {.turn = (uint8_t)turn, .fullmove = 1};
                int rank = turn == TREB_WHITE ? 4 : 3;
                position_put(&pos, turn, TREB_PAWN, square_at(beside, rank));
                position_put(&pos, !turn, TREB_PAWN, square_at(file, rank));
                pos.ep = (uint8_t)square_at(file, turn == TREB_WHITE ? 5 : 2);
                add_kings(set, &pos, &side[turn]);
            }
        }
    }
}

static void check_figures(const char *name, const Published *want, const Published *have)
{
    for (int s = 0; s < 2; s++) {
        ck_assert_msg(have[s].wins == want[s].wins && have[s].draws == want[s].draws &&
                          have[s].losses == want[s].losses,
                      "%s side %d: %llu/%llu/%llu", name, s, (unsigned long long)have[s].wins,
                      (unsigned long long)have[s].draws, (unsigned long long)have[s].losses);
        ck_assert_msg(have[s].longest_win == want[s].longest_win, "%s side %d: longest win %u",
                      name, s, have[s].longest_win);
    }
}

START_TEST(published_figures)
{
    FILE *file = open_data("le5.tsv");
    treb_tables *set = open_tables();
    char line[LINE_SIZE], *name;
    Published want[2], have[2];
    int seen = 0;
    while (fgets(line, sizeof line, file)) {
        if (!parse_published(line, &name, want) || strlen(name) > 5) continue;
        our_figures(set, name, have);
        /* KPvKP is the only material of so few men whose published figures include en passant. */
        if (strcmp(name, "KPvKP") == 0) add_en_passant(set, have);
        check_figures(name, want, have);
        seen++;
    }
    ck_assert_int_eq(seen, ALL);
    treb_tables_close(set);
    fclose(file);
}
END_TEST

/* ---- Known positions ------------------------------------------------------------------------- */

/* Sets the position of a line. Returns false if its tables are missing (five men). */
static bool known_position(const treb_tables *set, const char *fen, treb_position *pos)
{
    treb_error error;
    treb_wdl wdl;
    treb_status status = treb_position_from_fen(fen, pos, &error);
    ck_assert_msg(status == TREB_OK, "%s: %s", fen, error.text);
    status = treb_probe_wdl(set, pos, &wdl, &error);
    if (status == TREB_ERR_NO_TABLE && bit_count(position_occupied(pos)) > 4) return false;
    ck_assert_msg(status == TREB_OK, "%s: %s", fen, error.text);
    return true;
}

static int split_line(char *line, char *field[5])
{
    int n = 0;
    if (line[0] == '#') return 0;
    for (char *f; n < 5 && (f = strsep(&line, "\t\n")) != NULL;) field[n++] = f;
    return strcmp(field[0], "fen") == 0 ? 0 : n;
}

START_TEST(golden_positions)
{
    FILE *file = open_data("golden.tsv");
    treb_tables *set = open_tables();
    char line[LINE_SIZE], *field[5];
    treb_position pos;
    treb_value value;
    int seen = 0;
    while (fgets(line, sizeof line, file)) {
        if (split_line(line, field) != 5 || !known_position(set, field[0], &pos)) continue;
        ck_assert_int_eq(treb_probe_root(set, &pos, &value, NULL), TREB_OK);
        ck_assert_msg(strcmp(treb_wdl_text(value.wdl), field[1]) == 0, "%s is no %s", field[0],
                      field[1]);
        for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
            if (strcmp(field[1 + m], "-") == 0) continue;
            ck_assert_int_eq(value.status[m], TREB_OK);
            ck_assert_msg(value.plies[m] == atoi(field[1 + m]), "%s: %s %d", field[0],
                          treb_metric_text(m), value.plies[m]);
        }
        seen++;
    }
    ck_assert_int_ge(seen, 25);
    treb_tables_close(set);
    fclose(file);
}
END_TEST

static void check_move(const char *fen, const treb_move *move, const char *wdl, const char *dtc)
{
    const char *have = treb_wdl_text(move->value.wdl);
    bool ok = strcmp(wdl, "not win") == 0 ? strcmp(have, "win") != 0 : strcmp(have, wdl) == 0;
    ck_assert_msg(ok, "%s %s: %s", fen, move->san, have);
    if (strcmp(dtc, "-") == 0) return;
    /* The file counts distances from the position after a conversion. */
    bool converts = move->flags & TREB_MOVE_CONVERSION;
    int after = converts ? atoi(dtc) : move->value.plies[TREB_DTC] - 1;
    ck_assert_msg(after == atoi(dtc), "%s %s: %d", fen, move->san, after);
}

/* Returns whether the list has a line for this position and move. */
static bool move_named(const char *fen, const char *san)
{
    FILE *file = open_data("moves.tsv");
    char line[LINE_SIZE], *field[5];
    bool named = false;
    while (fgets(line, sizeof line, file))
        if (split_line(line, field) == 4 && strcmp(field[0], fen) == 0)
            named |= strcmp(field[1], san) == 0;
    fclose(file);
    return named;
}

START_TEST(golden_moves)
{
    FILE *file = open_data("moves.tsv");
    treb_tables *set = open_tables();
    char line[LINE_SIZE], *field[5];
    treb_position pos;
    treb_move move[TREB_MOVES_MAX];
    size_t count;
    while (fgets(line, sizeof line, file)) {
        if (split_line(line, field) != 4 || !known_position(set, field[0], &pos)) continue;
        int found = 0;
        ck_assert_int_eq(
            treb_probe_moves(set, &pos, TREB_DTC, TREB_RULE_50, move, TREB_MOVES_MAX, &count, NULL),
            TREB_OK);
        for (size_t i = 0; i < count; i++) {
            bool rest = strcmp(field[1], "*") == 0 && !move_named(field[0], move[i].san);
            if (!rest && strcmp(field[1], move[i].san) != 0) continue;
            check_move(field[0], &move[i], field[2], field[3]);
            found++;
        }
        ck_assert_msg(found > 0, "%s: no move %s", field[0], field[1]);
    }
    treb_tables_close(set);
    fclose(file);
}
END_TEST

/* ---- Equal bytes in other ways --------------------------------------------------------------- */

START_TEST(threads_do_not_matter)
{
    static const int counts[] = {1, 3};
    Run run = new_run(work, EVERY);
    omp_set_num_threads(counts[_i]);
    run_names(&run, _i ? "KPvK KRvKN" : "KRRvK KBvKN KPvK");
    omp_set_num_threads(omp_get_num_procs());
    ck_assert_int_eq(check_folder(work, false), 4 * (_i ? 6 : 7));
}
END_TEST

START_TEST(missing_files_come_back)
{
    static const char *const gone[] = {"KRvK.dtm.treb", "KPvK.wdl.treb", "KBvK.dtz.treb"};
    char path[PATH_SIZE + 300];
    Run run = new_run(work, EVERY);
    run_names(&run, "KPvK");
    ck_assert_int_eq(run.steps, 6); /* the material of two bare kings is a step, too */
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", work, gone[i]);
        if (i < 2) ck_assert_int_eq(unlink(path), 0);
        if (i == 2) ck_assert_int_eq(truncate(path, 200), 0);
        /* A damaged file comes back if its table is asked for by name. */
        run_names(&run, i == 2 ? "KPvK KBvK" : "KPvK");
        ck_assert_int_ge(run.steps, 1);
        ck_assert_int_eq(check_folder(work, false), 4 * 5);
    }
}
END_TEST

START_TEST(chosen_metrics)
{
    static const struct {
        unsigned metrics;
        int files;
    } choice[] = {{1 << TREB_WDL, 1},
                  {1 << TREB_WDL | 1 << TREB_DTZ, 2},
                  {1 << TREB_DTZ, 2}, /* WDL tables are always written */
                  {1 << TREB_DTC, 2},
                  {1 << TREB_DTM, 2},
                  {1 << TREB_DTC | 1 << TREB_DTM, 3}};
    /* Every other run has a table of four men. */
    const char *names = _i % 2 == 0 ? "KPvK KRvKN" : "KPvK";
    const int tables_of = _i % 2 == 0 ? 6 : 5;
    Run run = new_run(work, choice[_i].metrics);
    run_names(&run, names);
    ck_assert_int_eq(check_folder(work, false), choice[_i].files * tables_of);
    run = new_run(work, EVERY);
    run_names(&run, names);
    ck_assert_int_eq(check_folder(work, false), 4 * tables_of);
}
END_TEST

/* Overwrites some bytes in the middle of every scratch file. */
static void damage_scratch(void)
{
    char path[PATH_SIZE + 300];
    snprintf(path, sizeof path, "%s/.scratch", work);
    DIR *list = opendir(path);
    ck_assert_ptr_nonnull(list);
    for (struct dirent *e; (e = readdir(list)) != NULL;) {
        struct stat info;
        snprintf(path, sizeof path, "%s/.scratch/%s", work, e->d_name);
        if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) continue;
        FILE *file = fopen(path, "r+b");
        ck_assert_ptr_nonnull(file);
        fseek(file, (long)info.st_size / 2, SEEK_SET);
        fputs("damage", file);
        fclose(file);
    }
    closedir(list);
}

START_TEST(scratch_files_are_used)
{
    char path[PATH_SIZE + 300];
    Run run = new_run(work, EVERY);
    run.options.keep_scratch = true;
    run_names(&run, "KPvK");
    ck_assert_int_eq(check_folder(work, true), 4 * 5);
    snprintf(path, sizeof path, "%s/KPvK.dtc.treb", work);
    ck_assert_int_eq(unlink(path), 0);
    run.options.keep_scratch = false;
    run_names(&run, "KPvK");
    ck_assert_int_eq(run.steps, 5); /* the four others are there: they are not solved again */
    ck_assert_int_eq(check_folder(work, false), 4 * 5);
}
END_TEST

/* A run for distances to mate cannot use scratch files without them. It solves again. */
START_TEST(scratch_files_of_another_kind)
{
    Run run = new_run(work, 1 << TREB_DTZ);
    run.options.keep_scratch = true;
    run_names(&run, "KPvK");
    run.options.metrics = EVERY;
    run.options.keep_scratch = false;
    run_names(&run, "KPvK");
    ck_assert_int_eq(check_folder(work, false), 4 * 5);
}
END_TEST

/* A damaged scratch file may stop a run with an error, but gives no wrong table. */
START_TEST(scratch_files_damaged)
{
    char path[PATH_SIZE + 300];
    GeneratePlan plan;
    treb_error error = {0};
    Material m = material_of("KPvK");
    Run run = new_run(work, EVERY);
    run.options.keep_scratch = true;
    run_names(&run, "KPvK");
    damage_scratch();
    snprintf(path, sizeof path, "%s/KPvK.dtm.treb", work);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(generate_plan(&run.options, &m, 1, &plan, &error), TREB_OK);
    treb_status status = generate_run(&run.options, &plan, count_step, &run, &run.stopped, &error);
    generate_plan_free(&plan);
    if (status != TREB_OK) ck_assert(error.text[0] != '\0');
    ck_assert_int_eq(check_folder(work, true), status == TREB_OK ? 20 : 19);
}
END_TEST

START_TEST(stopped_between_tables)
{
    Run run = new_run(work, EVERY);
    for (run.stop_after = 1; run.stop_after < 3; run.stop_after++) {
        atomic_store(&run.stop, false);
        run_names(&run, "KPvK KRvKN");
        ck_assert(run.stopped);
        check_folder(work, true);
    }
    run.stop_after = 0;
    atomic_store(&run.stop, false);
    run_names(&run, "KPvK KRvKN");
    ck_assert(!run.stopped);
    ck_assert_int_eq(check_folder(work, false), 4 * 6);
}
END_TEST

/* Stops the run when some slices of its fourth table or a later one are done. */
static void *stop_in_fourth_table(void *context)
{
    Run *run = context;
    while (!atomic_load(&run->stop)) {
        if (atomic_load(&run->progress.table) >= 4 && atomic_load(&run->progress.done) > 0)
            atomic_store(&run->stop, true);
        usleep(100);
    }
    return NULL;
}

START_TEST(stopped_within_a_table)
{
    pthread_t stopper;
    Run run = new_run(work, EVERY);
    ck_assert_int_eq(pthread_create(&stopper, NULL, stop_in_fourth_table, &run), 0);
    run_names(&run, "KBvKP");
    atomic_store(&run.stop, true);
    pthread_join(stopper, NULL);
    ck_assert(run.stopped);
    check_folder(work, true);
    run = new_run(work, EVERY);
    run_names(&run, "KBvKP");
    ck_assert_int_eq(check_folder(work, false), 4 * 10);
}
END_TEST

/* The progress counts all planes of a slice for each side, so that a reader sees how much of it is
 * set up. */
START_TEST(progress_counts_planes)
{
    Layout layout;
    Material last = material_of("KRvKN");
    Run run = new_run(work, EVERY);
    run_names(&run, "KRvKN");
    ck_assert(layout_init(&layout, &last));
    ck_assert_uint_eq(atomic_load(&run.progress.solver.planes), 2 * layout.kings);
    ck_assert_uint_eq(atomic_load(&run.progress.solver.set_up), 2 * layout.kings);
    ck_assert_uint_gt(atomic_load(&run.progress.solver.ply), 0);
    layout_free(&layout);
}
END_TEST

START_TEST(no_such_folder)
{
    char path[PATH_SIZE + 300];
    GeneratePlan plan;
    treb_error error = {0};
    Material m = material_of("KQvK");
    snprintf(path, sizeof path, "%s/none", work);
    Run run = new_run(path, EVERY);
    ck_assert_int_eq(generate_plan(&run.options, &m, 1, &plan, &error), TREB_OK);
    ck_assert_int_eq(generate_run(&run.options, &plan, count_step, &run, &run.stopped, &error),
                     TREB_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "none"));
    generate_plan_free(&plan);
}
END_TEST

/* ---- All of it ------------------------------------------------------------------------------- */

/* All parts of a partition have about the same number of planes. A push never leads to a plane of
 * another part, even if it leads to the other half of the board. */
START_TEST(planes_are_partitioned)
{
    Layout layout;
    uint8_t part[4096];
    unsigned planes[PARTITION_PARTS] = {0};
    Material material = material_of(_i ? "KPvKP" : "KQvKR");
    ck_assert(layout_init(&layout, &material));
    partition_parts(&layout, part);
    for (uint32_t k = 0; k < layout.kings; k++) {
        int symmetry,
            image = index_kings(true, layout.king[k][0] ^ 7, layout.king[k][1] ^ 7, &symmetry);
        ck_assert_uint_lt(part[k], PARTITION_PARTS);
        planes[part[k]]++;
        if (layout.pawns) ck_assert_uint_eq(part[k], part[image]);
    }
    for (int p = 0; p < PARTITION_PARTS; p++) {
        ck_assert_uint_ge(planes[p], layout.kings / PARTITION_PARTS);
        ck_assert_uint_le(planes[p], layout.kings / PARTITION_PARTS + 2);
    }
    layout_free(&layout);
}
END_TEST

static Suite *gen_suite(void)
{
    Suite *suite = suite_create("gen");
    TCase *all = tcase_create("all"), *ways = tcase_create("ways");
    tcase_add_test(all, generate_all);
    tcase_add_test(all, published_figures);
    tcase_add_test(all, golden_positions);
    tcase_add_test(all, golden_moves);
    tcase_add_loop_test(all, planes_are_partitioned, 0, 2);
    tcase_add_checked_fixture(ways, make_work, remove_work);
    tcase_add_loop_test(ways, threads_do_not_matter, 0, 2);
    tcase_add_test(ways, missing_files_come_back);
    tcase_add_loop_test(ways, chosen_metrics, 0, 6);
    tcase_add_test(ways, scratch_files_are_used);
    tcase_add_test(ways, scratch_files_of_another_kind);
    tcase_add_test(ways, scratch_files_damaged);
    tcase_add_test(ways, stopped_between_tables);
    tcase_add_test(ways, stopped_within_a_table);
    tcase_add_test(ways, progress_counts_planes);
    tcase_add_test(ways, no_such_folder);
    suite_add_tcase(suite, all);
    suite_add_tcase(suite, ways);
    return suite;
}

/* Finds or makes the folder of the reference tables. */
static bool find_tables(void)
{
    const char *given = getenv("TREB_TEST_TABLES"), *keep = getenv("TREB_TEST_KEEP");
    const char *base = getenv("TMPDIR");
    tables_given = given != NULL;
    snprintf(tables, sizeof tables, "%.4000s", given ? given : keep ? keep : "");
    if (given) return true;
    if (keep) return mkdir(tables, 0777) == 0 || errno == EEXIST;
    snprintf(tables, sizeof tables, "%.4000s/treb-tables-XXXXXX", base ? base : "/tmp");
    return mkdtemp(tables) != NULL;
}

int main(void)
{
    if (getenv("TREB_TEST_DATA")) data_directory = getenv("TREB_TEST_DATA");
    if (!find_tables()) {
        perror(tables);
        return EXIT_FAILURE;
    }
    int code = run_suite_in_process(gen_suite());
    if (!tables_given && !getenv("TREB_TEST_KEEP")) remove_tree(tables);
    return code;
}
