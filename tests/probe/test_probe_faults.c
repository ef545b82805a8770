/* test_probe_faults.c - probes without tables, with damaged ones, with little memory and with many
 * threads. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "core/system/io.h"
#include "tests/support/naive_set.h"
#include "tests/support/part.h"

static char coded[PATH_SIZE]; /* the tables of `directory` with codec symbols */

static const char *folder(TableCodec codec) { return codec == TABLE_SYMBOLS ? coded : directory; }

static treb_status probe(const treb_tables *tables, const char *fen, treb_wdl *out,
                         treb_error *error)
{
    treb_position pos = position_of(fen);
    return treb_probe_wdl(tables, &pos, out, error);
}

static void expect(const treb_tables *tables, const char *fen, treb_wdl expected)
{
    treb_wdl wdl = TREB_DRAW;
    treb_error error = {0};
    ck_assert_msg(probe(tables, fen, &wdl, &error) == TREB_OK, "%s: %s", fen, error.text);
    ck_assert_msg(wdl == expected, "%s: %s", fen, treb_wdl_text(wdl));
}

static void expect_failure(const treb_tables *tables, const char *fen, treb_status expected,
                           const char *text)
{
    treb_wdl wdl;
    treb_error error = {0};
    ck_assert_int_eq(probe(tables, fen, &wdl, &error), expected);
    ck_assert_int_eq(error.status, expected);
    ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
    ck_assert_int_eq(probe(tables, fen, &wdl, NULL), expected);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

START_TEST(refused_positions)
{
    treb_tables *tables = open_set(directory);
    treb_error error;
    treb_position pos = {0};
    treb_wdl wdl;
    treb_value value;
    treb_move moves[1];
    size_t count = 7;
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_ERR_POSITION);
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_ERR_POSITION);
    ck_assert_int_eq(treb_probe_moves(tables, &pos, TREB_DTZ, TREB_RULE_50, moves, 1, &count, NULL),
                     TREB_ERR_POSITION);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(treb_position_from_fen("8/8 w", &pos, &error), TREB_ERR_FEN);
    ck_assert_int_eq(treb_position_from_fen("kK6/8/8/8/8/8/8/8 w - - 0 1", &pos, &error),
                     TREB_ERR_POSITION);
    ck_assert(error.text[0] != '\0');
    expect_failure(tables, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", TREB_ERR_CASTLING, "castling");
    expect_failure(tables, "4k3/pppp4/8/8/8/8/PPP5/4K3 w - - 0 1", TREB_ERR_MEN, "8 men");
    expect_failure(tables, "4k3/8/8/8/8/8/8/4KBN1 w - - 0 1", TREB_ERR_NO_TABLE, "KBNvK.wdl.treb");
    pos = position_of("8/8/8/8/8/1k6/8/K1R5 b - - 0 1");
    pos.turn = 2;
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_ERR_POSITION);
    pos = position_of("8/8/8/8/8/1k6/8/K1R5 b - - 0 1");
    treb_distance distance;
    ck_assert_int_eq(treb_probe_distance(tables, &pos, (treb_metric)9, &distance, &error),
                     TREB_ERR_ARGUMENT);
    ck_assert_int_eq(treb_position_play(&pos, "Ke8", &pos, &error), TREB_ERR_ARGUMENT);
    ck_assert_ptr_null(treb_tables_open(&(const char *){"/no/such/place"}, 1, &error));
    ck_assert_int_eq(error.status, TREB_ERR_IO);
    ck_assert(strstr(error.text, "/no/such/place") != NULL);
    treb_tables_close(tables);
    treb_tables_close(NULL);
}
END_TEST

/* ---- Missing tables -------------------------------------------------------------------------- */

START_TEST(rules_alone)
{
    treb_tables *tables = treb_tables_open(NULL, 0, NULL);
    ck_assert_uint_eq(treb_tables_count(tables), 0);
    expect(tables, "8/8/8/8/8/1k6/8/K7 b - - 0 1", TREB_DRAW);
    expect(tables, "8/8/8/8/8/1k6/8/KN6 b - - 0 1", TREB_DRAW);
    expect(tables, "8/8/8/8/8/1k1b4/8/K7 b - - 0 1", TREB_DRAW);
    expect(tables, "k6R/8/1K6/8/8/8/8/8 b - - 0 1", TREB_LOSS); /* mate */
    expect(tables, "7k/8/6Q1/8/8/8/8/K7 b - - 0 1", TREB_DRAW); /* stalemate */
    /* Black must capture. A probe of one position does not look at moves. */
    expect_failure(tables, "k7/1Q6/8/8/8/8/8/K7 b - - 0 1", TREB_ERR_NO_TABLE, "KQvK.wdl.treb");
    expect_failure(tables, "k7/8/8/8/8/8/8/K5Q1 w - - 0 1", TREB_ERR_NO_TABLE, "KQvK.wdl.treb");
    treb_position takes = position_of("k7/1Q6/8/8/8/8/8/K7 b - - 0 1");
    treb_value value;
    ck_assert_int_eq(treb_probe_root(tables, &takes, &value, NULL), TREB_OK);
    ck_assert_int_eq(value.wdl, TREB_DRAW);
    treb_position mate = position_of("k6R/8/1K6/8/8/8/8/8 b - - 0 1");
    treb_distance distance;
    ck_assert_int_eq(treb_probe_dtm(tables, &mate, &distance, NULL), TREB_OK);
    ck_assert_int_eq(distance.plies, 0);
    treb_tables_close(tables);
}
END_TEST

/* Where the position's own table is missing, treb_probe_root looks one move ahead. The other
 * functions do not. */
START_TEST(one_move_ahead)
{
    treb_tables *tables = open_set(directory);
    treb_error error;
    treb_distance distance;
    expect_failure(tables, "k7/8/8/3r4/8/8/8/3Q3K w - - 0 1", TREB_ERR_NO_TABLE, "KQvKR.wdl.treb");
    treb_position pos = position_of("k7/8/8/3q4/8/8/8/3R2K1 b - - 12 40");
    treb_value value;
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_OK);
    ck_assert_int_eq(value.rule, TREB_WIN);
    pos = position_of("k7/8/8/3r4/8/8/8/3Q3K w - - 0 1");
    ck_assert_int_eq(treb_probe_dtz(tables, &pos, &distance, &error), TREB_ERR_NO_TABLE);
    ck_assert_str_eq(error.text, "KQvKR.wdl.treb is not installed");
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_OK);
    ck_assert_int_eq(value.wdl, TREB_WIN);
    ck_assert_int_eq(value.plies[TREB_DTZ], 1);
    ck_assert_int_eq(value.plies[TREB_DTC], 1);
    ck_assert_int_eq(value.status[TREB_DTZ], TREB_OK);
    ck_assert_int_eq(value.status[TREB_DTC], TREB_OK);
    ck_assert_int_eq(value.status[TREB_DTM], TREB_ERR_NO_TABLE);
    /* No capture wins, and the values of the other moves are not known. */
    pos = position_of("k7/8/8/3r4/8/8/8/4Q2K w - - 0 1");
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_ERR_NO_TABLE);
    ck_assert_str_eq(error.text, "KQvKR.wdl.treb is not installed");
    ck_assert_int_eq(value.status[TREB_WDL], TREB_ERR_NO_TABLE);
    pos = position_of("k7/8/8/3r4/8/8/8/3Q3K w - - 0 1");
    /* All moves are listed. Those with a known value come first. */
    treb_move moves[TREB_MOVES_MAX];
    size_t count;
    ck_assert_int_eq(treb_probe_moves(tables, &pos, TREB_DTM, TREB_RULE_50, moves, TREB_MOVES_MAX,
                                      &count, &error),
                     TREB_ERR_NO_TABLE);
    ck_assert_str_eq(error.text, "KQvKR.wdl.treb is not installed");
    ck_assert_str_eq(moves[0].san, "Qxd5+");
    ck_assert_int_eq(moves[0].value.wdl, TREB_WIN);
    ck_assert_uint_gt(count, 10);
    treb_tables_close(tables);
}
END_TEST

static void copy_file(const char *from, const char *from_name, const char *to, const char *to_name)
{
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", from, from_name);
    FILE *in = fopen(path, "rb");
    snprintf(path, sizeof path, "%s/%s", to, to_name);
    FILE *out = fopen(path, "wb");
    ck_assert(in && out);
    for (int c; (c = getc(in)) != EOF;) putc(c, out);
    fclose(in);
    fclose(out);
}

/* All moves are captures with known values: the best of them counts. */
START_TEST(all_moves_known)
{
    treb_tables *tables = open_set(directory);
    treb_value value;
    treb_error error;
    treb_position pos = position_of("k7/PP6/8/2K5/8/8/8/8 b - - 0 1"), after;
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_OK);
    ck_assert_int_eq(value.wdl, TREB_DRAW); /* Kxb7 holds, Kxa7 does not */
    pos = position_of("k7/PP6/2K5/8/8/8/8/8 b - - 0 1");
    ck_assert_int_eq(treb_position_play(&pos, "Kxa7", &after, &error), TREB_OK);
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_OK);
    ck_assert_int_eq(value.wdl, TREB_LOSS);
    ck_assert_int_eq(value.plies[TREB_DTZ], 1);
    ck_assert_int_eq(value.plies[TREB_DTC], 1);
    ck_assert_int_eq(value.status[TREB_DTM], TREB_OK);
    ck_assert_int_eq(value.plies[TREB_DTM], naive_value(solved[0], &after)->plies[TREB_DTM] + 1);
    treb_tables_close(tables);
}
END_TEST

START_TEST(promotion_ahead)
{
    char other[PATH_SIZE];
    make_directory(other);
    copy_file(directory, "KQvK.wdl.treb", other, "KQvK.wdl.treb");
    treb_tables *tables = open_set(other);
    treb_value value;
    treb_position pos = position_of("8/1P6/8/8/8/8/k7/2K5 w - - 0 1");
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, NULL), TREB_OK);
    ck_assert_int_eq(value.wdl, TREB_WIN);
    ck_assert_int_eq(value.plies[TREB_DTZ], 1);
    ck_assert_int_eq(value.status[TREB_DTZ], TREB_OK);
    expect_failure(tables, "8/1P6/8/8/8/8/k7/2K5 w - - 0 1", TREB_ERR_NO_TABLE, "KPvK.wdl.treb");
    pos = position_of("8/8/1P6/8/8/8/k7/2K5 w - - 0 1");
    treb_error error;
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_ERR_NO_TABLE);
    ck_assert_str_eq(error.text, "KPvK.wdl.treb is not installed");
    treb_tables_close(tables);
    remove_directory(other);
}
END_TEST

/* ---- Damage ---------------------------------------------------------------------------------- */

static void alter(const char *in, const char *name, long at)
{
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", in, name);
    FILE *file = fopen(path, "rb+");
    ck_assert_ptr_nonnull(file);
    fseek(file, at, SEEK_SET);
    int byte = getc(file);
    fseek(file, at, SEEK_SET);
    putc(byte ^ 0x5a, file);
    fclose(file);
}

/* Probes a sample and counts the results. Wrong answers and unexpected errors end the test. */
static void sample(const treb_tables *tables, const Naive *naive, treb_metric metric, uint32_t step,
                   unsigned *right, unsigned *damaged)
{
    *right = *damaged = 0;
    step *= test_part() > 1 ? 3 : 1;
    for (uint32_t n = 0; n < 1u << 19; n += step) {
        treb_position pos;
        treb_distance got;
        if (!three_men(naive, n, &pos)) continue;
        const NaiveValue *expected = naive_value(naive, &pos);
        treb_status status = treb_probe_distance(tables, &pos, metric, &got, NULL);
        if (status == TREB_ERR_DAMAGED)
            ++*damaged;
        else if (status == TREB_OK && (int)got.wdl == expected->verdict &&
                 got.plies == expected->plies[metric])
            ++*right;
        else
            ck_abort_msg("number %u: status %d", n, status);
    }
}

START_TEST(damaged_block)
{
    static const char *const names[] = {"KQvK.wdl.treb", "KQvK.dtz.treb", "KQvK.dtm.treb"};
    static const treb_metric metrics[] = {TREB_WDL, TREB_DTZ, TREB_DTM};
    /* The byte is in the first block, or in the second page. */
    static const long places[] = {96 + 40, 2 * TABLE_PAGE_SIZE + 400};
    char other[PATH_SIZE];
    unsigned right, damaged;
    int codec = _i / 3, which = _i % 3;
    make_directory(other);
    write_material(other, solved[1], &codec_layouts[codec]);
    alter(other, names[which], places[codec]);
    for (uint64_t budget = 0; budget <= 64 << 20; budget += 64 << 20) {
        treb_tables *tables = open_set(other);
        treb_tables_set_memory(tables, budget);
        for (int again = 0; again < 2; again++) {
            sample(tables, solved[1], metrics[which], budget > 0 ? 7 : 301, &right, &damaged);
            ck_assert_uint_gt(right, 0);
            ck_assert_uint_gt(damaged, 0);
        }
        if (which == 0)
            ck_assert_int_eq(treb_tables_pin(tables, "KvKQ", TREB_WDL, NULL), TREB_ERR_DAMAGED);
        /* The other file is not damaged. Every metric depends on the verdicts, however. */
        sample(tables, solved[1], TREB_DTC, 301, &right, &damaged);
        ck_assert_int_eq(damaged == 0, which > 0);
        treb_tables_close(tables);
    }
    remove_directory(other);
}
END_TEST

START_TEST(damaged_files)
{
    char other[PATH_SIZE], path[2 * PATH_SIZE];
    treb_error error;
    treb_table_info info;
    make_directory(other);
    for (int i = 0; i < SOLVED; i++) write_material(other, solved[i], &codec_layouts[TABLE_ZSTD]);
    copy_file(other, "KRvK.wdl.treb", other, "KQvK.wdl.treb"); /* file of another material */
    snprintf(path, sizeof path, "%s/KRvK.dtz.treb", other);
    ck_assert_int_eq(truncate(path, 1000), 0);
    snprintf(path, sizeof path, "%s/KRvK.dtc.treb", other);
    ck_assert_int_eq(truncate(path, 0), 0);
    copy_file(other, "KPvK.dtm.treb", other, "KvKP.dtm.treb"); /* a name that no table has */
    treb_tables *tables = open_set(other);
    ck_assert_uint_eq(treb_tables_count(tables), 12);
    expect_failure(tables, "k7/8/8/8/8/8/8/K5Q1 w - - 0 1", TREB_ERR_DAMAGED, "KQvK.wdl.treb");
    expect(tables, "k7/8/8/8/8/8/8/K6R w - - 0 1", TREB_WIN);
    treb_position pos = position_of("k7/8/8/8/8/8/8/K6R w - - 0 1");
    treb_distance distance;
    ck_assert_int_eq(treb_probe_dtz(tables, &pos, &distance, &error), TREB_ERR_DAMAGED);
    ck_assert(strstr(error.text, "KRvK.dtz.treb") != NULL);
    ck_assert_int_eq(treb_probe_dtc(tables, &pos, &distance, &error), TREB_ERR_DAMAGED);
    ck_assert_int_eq(treb_probe_dtm(tables, &pos, &distance, &error), TREB_OK);
    unsigned bad = 0;
    for (size_t i = 0; i < 12; i++) {
        treb_status status = treb_tables_info(tables, i, &info, &error);
        if (status == TREB_ERR_DAMAGED) bad++;
        ck_assert(strstr(info.path, info.material) != NULL);
    }
    ck_assert_uint_eq(bad, 3);
    treb_tables_close(tables);
    remove_directory(other);
}
END_TEST

/* The name of a fault, without its folder. */
static const char *fault_name(const treb_tables *tables, size_t number, treb_error *why)
{
    const char *path = treb_tables_fault(tables, number, why);
    ck_assert_ptr_nonnull(path);
    ck_assert_msg(strstr(why->text, path) != NULL, "%s: %s", path, why->text);
    return io_name(path);
}

/* What the headers cannot show is found by a probe, and each file is noted once. */
START_TEST(faults_found_by_probes)
{
    char other[PATH_SIZE];
    treb_error why;
    unsigned right, damaged;
    make_directory(other);
    for (int i = 0; i < SOLVED; i++) write_material(other, solved[i], &codec_layouts[_i]);
    alter(other, "KQvK.dtz.treb", 96 + 40);
    treb_tables *tables = open_set(other);
    ck_assert_uint_eq(treb_tables_check(tables), 0);
    ck_assert_ptr_null(treb_tables_fault(tables, 0, &why));
    for (int again = 0; again < 2; again++) {
        sample(tables, solved[1], TREB_DTZ, 301, &right, &damaged);
        ck_assert_uint_gt(damaged, 0);
        ck_assert_uint_eq(treb_tables_faults(tables), 1);
        ck_assert_str_eq(fault_name(tables, 0, &why), "KQvK.dtz.treb");
        ck_assert_int_eq(why.status, TREB_ERR_DAMAGED);
    }
    ck_assert_uint_eq(treb_tables_check(tables), 1);
    ck_assert_ptr_null(treb_tables_fault(tables, 1, NULL));
    treb_tables_close(tables);
    remove_directory(other);
}
END_TEST

/* A file of any other size than its header says, something that is no file, and a file of another
 * table are found without a probe. */
START_TEST(faults_found_by_the_check)
{
    char other[PATH_SIZE], path[2 * PATH_SIZE];
    treb_error why;
    make_directory(other);
    for (int i = 0; i < SOLVED; i++) write_material(other, solved[i], &codec_layouts[_i]);
    snprintf(path, sizeof path, "%s/KPvK.wdl.treb", other);
    struct stat about;
    copy_file(folder(_i), "KPvK.wdl.treb", other, "KPvK.wdl.treb");
    ck_assert_int_eq(stat(path, &about), 0);
    /* From one byte more, through steps that grow, down to an empty file. */
    for (off_t less = -1; less <= about.st_size; less += less < 64 ? 1 : less / 2) {
        if (less > about.st_size / 2 && less < about.st_size) less = about.st_size;
        copy_file(folder(_i), "KPvK.wdl.treb", other, "KPvK.wdl.treb");
        ck_assert_int_eq(truncate(path, about.st_size - less), 0);
        treb_tables *tables = open_set(other);
        ck_assert_msg(treb_tables_check(tables) == (less != 0), "%ld bytes less", (long)less);
        if (less != 0) ck_assert_str_eq(fault_name(tables, 0, &why), "KPvK.wdl.treb");
        treb_tables_close(tables);
    }
    static const char *const odd[] = {"KQvK.dtc.treb", "KQvK.dtm.treb", "KRvK.dtz.treb",
                                      "KRvK.dtc.treb", "KRvK.dtm.treb"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        snprintf(path, sizeof path, "%s/%s", other, odd[i]);
        ck_assert_int_eq(unlink(path), 0);
        if (i == 0) ck_assert_int_eq(mkfifo(path, 0600), 0);
        if (i == 1) ck_assert_int_eq(mkdir(path, 0700), 0);
        if (i == 2) ck_assert_int_eq(symlink(odd[i], path), 0);
        if (i == 3) ck_assert_int_eq(symlink("/dev/zero", path), 0);
        if (i == 4) copy_file(other, "KRvK.wdl.treb", other, odd[i]);
    }
    treb_tables *tables = open_set(other);
    ck_assert_uint_eq(treb_tables_check(tables), 6); /* with the empty file from above */
    for (size_t i = 0; i < 5; i++) ck_assert_str_eq(fault_name(tables, i + 1, &why), odd[i]);
    /* A probe meets them too, and does not hang. */
    treb_position pos = position_of("k7/8/8/8/8/8/8/K5Q1 w - - 0 1");
    treb_distance distance;
    ck_assert_int_eq(treb_probe_dtc(tables, &pos, &distance, &why), TREB_ERR_IO);
    ck_assert_uint_eq(treb_tables_faults(tables), 6);
    ck_assert_int_ne(treb_tables_warm(tables, TREB_DTC, UINT64_MAX, NULL, NULL, &why), TREB_OK);
    treb_tables_close(tables);
    remove_directory(other);
}
END_TEST

START_TEST(tables_listed)
{
    treb_tables *tables = open_set(directory);
    treb_table_info info;
    treb_error error;
    ck_assert_uint_eq(treb_tables_count(tables), 12);
    ck_assert_int_eq(treb_tables_info(tables, 0, &info, &error), TREB_OK);
    ck_assert_str_eq(info.material, "KPvK");
    ck_assert_int_eq(info.metric, TREB_WDL);
    ck_assert_uint_eq(info.block_size, 1024);
    ck_assert(info.stored[0] && info.stored[1] && info.file_size > 0);
    ck_assert_int_eq(treb_tables_find(tables, "KvKR", TREB_DTM, &info, &error), TREB_OK);
    ck_assert_str_eq(info.material, "KRvK");
    ck_assert(!info.stored[0] && info.stored[1]);
    ck_assert_int_eq(treb_tables_info(tables, 12, &info, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(treb_tables_find(tables, "krk", TREB_DTM, &info, &error), TREB_OK);
    ck_assert_str_eq(info.material, "KRvK");
    ck_assert_int_eq(treb_tables_find(tables, "KXvK", TREB_DTM, &info, &error), TREB_ERR_ARGUMENT);
    ck_assert(strstr(error.text, "no ending called") != NULL);
    ck_assert_int_eq(treb_tables_find(tables, "KBvK", TREB_DTM, &info, &error), TREB_ERR_NO_TABLE);
    /* A second folder with the same files changes nothing: the first one is used. */
    const char *twice[] = {directory, directory};
    treb_tables *both = treb_tables_open(twice, 2, &error);
    ck_assert_uint_eq(treb_tables_count(both), 12);
    treb_tables_close(both);
    treb_tables_close(tables);
}
END_TEST

/* ---- Memory ---------------------------------------------------------------------------------- */

START_TEST(budgets)
{
    static const uint64_t budgets[] = {0, 4096, 5 * 4096, 64 << 20, 0, 3 * 4096, UINT64_MAX};
    treb_tables *tables = open_set(folder(_i));
    treb_memory before, after;
    unsigned right, damaged;
    treb_tables_get_memory(tables, &before);
    ck_assert_uint_eq(before.budget, TREB_MEMORY_DEFAULT);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        treb_tables_set_memory(tables, budgets[i]);
        treb_tables_get_memory(tables, &before);
        ck_assert_uint_le(before.cached, budgets[i]);
        for (int k = 0; k < SOLVED; k++)
            sample(tables, solved[k], (treb_metric)(TREB_DTZ + k), 101, &right, &damaged);
        ck_assert_uint_eq(damaged, 0);
        treb_tables_get_memory(tables, &after);
        ck_assert_uint_gt(after.misses, before.misses);
        ck_assert_uint_le(after.cached, after.budget);
        if (budgets[i] == 0) ck_assert_uint_eq(after.cached, 0);
        if (budgets[i] != 64 << 20) continue;
        sample(tables, solved[1], TREB_DTZ, 101, &right, &damaged);
        treb_tables_get_memory(tables, &before);
        sample(tables, solved[1], TREB_DTZ, 101, &right, &damaged);
        treb_tables_get_memory(tables, &after);
        ck_assert_uint_eq(before.misses, after.misses);
    }
    treb_tables_close(tables);
}
END_TEST

START_TEST(pinned)
{
    treb_tables *tables = open_set(folder(_i));
    treb_memory memory;
    unsigned right, damaged;
    treb_tables_set_memory(tables, 0);
    for (int m = 0; m < TREB_METRICS; m++) {
        ck_assert_int_eq(treb_tables_pin(tables, "KQvK", (treb_metric)m, NULL), TREB_OK);
        ck_assert_int_eq(treb_tables_pin(tables, "KQvK", (treb_metric)m, NULL), TREB_OK);
    }
    for (int m = 0; m < TREB_METRICS; m++)
        sample(tables, solved[1], (treb_metric)m, 11, &right, &damaged);
    treb_tables_get_memory(tables, &memory);
    ck_assert_uint_eq(memory.misses, 0);
    ck_assert_uint_gt(memory.pinned, 4 * 29568 / 3);
    treb_error error;
    ck_assert_int_eq(treb_tables_pin(tables, "KBvK", TREB_WDL, &error), TREB_ERR_NO_TABLE);
    treb_tables_close(tables);
}
END_TEST

/* ---- Threads --------------------------------------------------------------------------------- */

enum { THREADS = 4, THREAD_PROBES = 20000 };

typedef struct Crowd {
    treb_tables *tables;
    atomic_int wrong, number, running;
} Crowd;

static void *probe_at_random(void *argument)
{
    Crowd *crowd = argument;
    uint64_t seed = 1000u + (uint64_t)atomic_fetch_add(&crowd->number, 1);
    for (int i = 0; i < THREAD_PROBES / test_part(); i++) {
        const Naive *naive = solved[next_random31(&seed) % SOLVED];
        treb_metric metric = (treb_metric)(next_random31(&seed) % TREB_METRICS);
        treb_position pos;
        treb_distance got;
        if (!three_men(naive, next_random31(&seed) & ((1u << 19) - 1), &pos)) continue;
        const NaiveValue *expected = naive_value(naive, &pos);
        if (treb_probe_distance(crowd->tables, &pos, metric, &got, NULL) != TREB_OK ||
            (int)got.wdl != expected->verdict || got.plies != expected->plies[metric])
            atomic_fetch_add(&crowd->wrong, 1);
    }
    atomic_fetch_sub(&crowd->running, 1);
    return NULL;
}

START_TEST(threads)
{
    pthread_t thread[THREADS];
    Crowd crowd = {.tables = open_set(folder(_i / 2))};
    uint64_t seed = 5;
    treb_tables_set_memory(crowd.tables, 3 * 4096);
    atomic_store(&crowd.running, THREADS);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, probe_at_random, &crowd), 0);
    while (atomic_load(&crowd.running) > 0) {
        usleep(2000);
        if (_i % 2 == 0) continue;
        treb_tables_set_memory(crowd.tables, 4096u * (next_random31(&seed) % 40));
        if (next_random31(&seed) % 64 == 0)
            treb_tables_pin(crowd.tables, "KQvK", (treb_metric)(next_random31(&seed) % 4), NULL);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    ck_assert_int_eq(atomic_load(&crowd.wrong), 0);
    treb_tables_close(crowd.tables);
}
END_TEST

static void set_up(void)
{
    solve_and_write(&codec_layouts[TABLE_ZSTD]);
    make_directory(coded);
    for (int i = 0; i < SOLVED; i++) write_material(coded, solved[i], &codec_layouts[TABLE_SYMBOLS]);
}

static void tear_down(void)
{
    remove_directory(coded);
    forget_all();
}

int main(void)
{
    Suite *suite = suite_create("probe faults");
    TCase *tests = add_case(suite, "faults");
    tcase_add_unchecked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, refused_positions);
    tcase_add_test(tests, rules_alone);
    tcase_add_test(tests, one_move_ahead);
    tcase_add_test(tests, all_moves_known);
    tcase_add_test(tests, promotion_ahead);
    tcase_add_loop_test(tests, damaged_block, 0, 6);
    tcase_add_test(tests, damaged_files);
    tcase_add_loop_test(tests, faults_found_by_probes, 0, 2);
    tcase_add_loop_test(tests, faults_found_by_the_check, 0, 2);
    tcase_add_test(tests, tables_listed);
    tcase_add_loop_test(tests, budgets, 0, 2);
    tcase_add_loop_test(tests, pinned, 0, 2);
    tcase_add_loop_test(tests, threads, 0, 4);
    return run_suite(suite);
}
