/* test_table.c - table files: what is written is read back, and writing that fails leaves no
 * file. */
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <zdict.h>

#include "tests/support/table_sample.h"

/* ---- round trips ----------------------------------------------------------------------------- */

static void round_trip(Sample sample)
{
    size_t size[ARRIVALS];
    uint8_t *bytes[ARRIVALS];
    char path[PATH_SIZE];
    path_of_sample(&sample, path);
    for (int arrival = 0; arrival < ARRIVALS; arrival++) {
        must_write(&sample, (Arrival)arrival);
        must_read(&sample);
        bytes[arrival] = load(path, &size[arrival]);
        ck_assert_uint_eq(size[arrival], size[0]);
        ck_assert_mem_eq(bytes[arrival], bytes[0], size[0]);
    }
    for (int arrival = 0; arrival < ARRIVALS; arrival++) free(bytes[arrival]);
    free_sample(&sample);
}

START_TEST(both_sides)
{
    Sample sample = make_sample("KQvK", TREB_WDL, 1, 1, 3);
    ck_assert_uint_eq(format_block_size(&sample.header, 28), 896);
    round_trip(sample);
}
END_TEST

START_TEST(white_side_only) { round_trip(make_sample("KQvK", TREB_DTZ, 1, 1, 1)); }
END_TEST

START_TEST(black_side_only) { round_trip(make_sample("KQvK", TREB_DTC, 1, 1, 2)); }
END_TEST

START_TEST(five_cells_in_a_byte) { round_trip(make_sample("KQvK", TREB_WDL, 5, 1, 3)); }
END_TEST

START_TEST(two_bytes_a_cell) { round_trip(make_sample("KRvK", TREB_DTM, 1, 2, 3)); }
END_TEST

START_TEST(smallest_table) { round_trip(make_sample("KvK", TREB_WDL, 5, 1, 1)); }
END_TEST

START_TEST(pawns) { round_trip(make_sample("KPvK", TREB_WDL, 3, 1, 3)); }
END_TEST

START_TEST(rank_files)
{
    for (int goal = 0; goal < GOALS; goal++)
        for (unsigned width = 1; width <= 2; width++) {
            Sample sample = make_blocked_sample((TableGoal)goal, width);
            char path[PATH_SIZE];
            path_of_sample(&sample, path);
            round_trip(sample);
            ck_assert_int_eq(remove(path), 0);
        }
}
END_TEST

START_TEST(rank_file_names)
{
    static const char *const good[] = {"kings.reach-a8.treb", "a3c4-a4c5c6.exact.treb",
                                       "a3c4-a4c5c6.take-d6c7d7-safe.treb", "d4-d5.take.treb",
                                       "d4-d5.take-safe.treb"};
    static const char *const bad[] = {
        "KRPvKR.wdl.treb",
        "kings.treb",
        "-.exact.treb",
        "d4-d5.exact",
        "d4d5.exact.treb",
        "d5-d4.exact.treb.tmp",
        "d4-d5.exact.treb2",
        "d4-d5.exacttreb",
        "d4-d5.win.treb",
        "",
        "c4a3-a4c5.exact.treb", /* not in order */
        "a1a2a3a4a5a6a7a8b1-d5.exact.treb" /* more than a side has */};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(table_blocked_is_name(good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!table_blocked_is_name(bad[i]), "%s", bad[i]);
    /* All squares of the board: the longest name. */
    TableBlocked blocked = {.pawns = {0xff00, 0xff0000}, .goal = GOAL_REACH, .squares = UINT64_MAX};
    char name[TABLE_LONG_NAME_SIZE];
    table_blocked_name(&blocked, name);
    ck_assert_uint_lt(strlen(name), TABLE_LONG_NAME_SIZE - 8);
    ck_assert(table_blocked_is_name(name));
}
END_TEST

/* Tables have the version from before blocked-pawn tables. */
START_TEST(tables_stay_at_version_2)
{
    Sample table = make_sample("KQvK", TREB_WDL, 1, 1, 3),
           blocked = make_blocked_sample(GOAL_EXACT, 1);
    uint8_t fixed[FORMAT_FIXED_SIZE];
    format_write_fixed(&table.header, fixed);
    ck_assert_uint_eq(format_get16(fixed + FORMAT_AT_VERSION), 2);
    format_write_fixed(&blocked.header, fixed);
    ck_assert_uint_eq(format_get16(fixed + FORMAT_AT_VERSION), 3);
    free_sample(&table);
    free_sample(&blocked);
}
END_TEST

/* Opens a DTC file that has the distances of a DTZ file which cannot be used. */
static void must_need_dtz(const char *path, treb_status status, const char *words)
{
    treb_error error;
    ck_assert_ptr_null(table_open(path, &error));
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.text, "KQvK.dtc.treb: has the distances of the DTZ file") != NULL &&
                      strstr(error.text, words) != NULL,
                  "%s", error.text);
    if (status == TREB_ERR_NO_TABLE) ck_assert_int_eq(error.metric, TREB_DTZ);
}

START_TEST(distances_of_the_dtz_file)
{
    Sample sample = make_sample("KQvK", TREB_DTZ, 1, 1, 1), other = make_sample("KRvK", TREB_DTZ, 1, 1, 1);
    char dtz[PATH_SIZE], dtc[PATH_SIZE], other_dtz[PATH_SIZE];
    treb_error error;
    uint64_t bytes;
    size_t other_size;
    path_of_sample(&sample, dtz);
    path_of_sample(&other, other_dtz);
    must_write(&other, IN_ORDER);
    uint8_t *content = load(other_dtz, &other_size);
    ck_assert_int_eq(remove(other_dtz), 0);
    must_write(&sample, IN_ORDER);
    ck_assert_int_eq(table_write_as_dtz(directory, &sample.header, &bytes, &error), TREB_OK);
    sample.header.metric = TREB_DTC;
    path_of_sample(&sample, dtc);
    ck_assert_int_eq(table_check_size(dtc, &error), TREB_OK);
    must_read(&sample);
    Table *table = table_open(dtc, &error);
    ck_assert(table_header(table)->as_dtz && table_file_size(table) == bytes);
    table_close(table);
    ck_assert_uint_eq(bytes, FORMAT_FIXED_SIZE);
    save(dtz, content, other_size);
    free(content);
    must_need_dtz(dtc, TREB_ERR_DAMAGED, "KQvK.dtz.treb: its content is a different table");
    ck_assert_int_eq(remove(dtz), 0);
    must_need_dtz(dtc, TREB_ERR_NO_TABLE, "KQvK.dtz.treb");
    free_sample(&sample);
    free_sample(&other);
}
END_TEST

START_TEST(raw_dictionary)
{
    Sample sample = make_sample("KQvK", TREB_WDL, 1, 1, 3);
    sample.dictionary_size = 20000;
    sample.dictionary = malloc(sample.dictionary_size);
    memcpy(sample.dictionary, sample.data[0], sample.dictionary_size);
    round_trip(sample);
}
END_TEST

START_TEST(trained_dictionary)
{
    Sample sample = make_sample("KQvK", TREB_WDL, 1, 1, 3);
    enum { PIECE = 128, PIECES = 29568 / PIECE, ROOM = 4096 };
    size_t sizes[PIECES];
    for (int i = 0; i < PIECES; i++) sizes[i] = PIECE;
    sample.dictionary = malloc(ROOM);
    sample.dictionary_size =
        ZDICT_trainFromBuffer(sample.dictionary, ROOM, sample.data[0], sizes, PIECES);
    ck_assert(!ZDICT_isError(sample.dictionary_size));
    ck_assert_uint_eq(format_get32(sample.dictionary), 0xec30a437);
    round_trip(sample);
}
END_TEST

START_TEST(cells_are_found)
{
    Sample sample = make_sample("KvK", TREB_WDL, 5, 1, 1);
    TableHeader *header = &sample.header;
    const uint8_t block[1024] = {[0] = 2 + 3 * 1 + 27 * 2, [92] = 9};
    const unsigned expected[] = {2, 1, 0, 2, 0, 0};
    for (unsigned i = 0; i < 6; i++)
        ck_assert_uint_eq(table_cell_code(header, block, i), expected[i]);
    ck_assert_uint_eq(table_side_bytes(header), 93);
    ck_assert_uint_eq(table_side_blocks(header), 1);
    ck_assert_uint_eq(table_cell_code(header, block, 461), 0);
    header->per_byte = 1;
    header->base = 65536;
    header->width = 2;
    const uint8_t wide[1024] = {[6] = 0x34, [7] = 0x12};
    ck_assert_uint_eq(table_cell_code(header, wide, 3), 0x1234);
    ck_assert_uint_eq(table_cell_code(header, wide, 515), 0x1234);
    ck_assert_uint_eq(table_cell_block(header, 511), 0);
    ck_assert_uint_eq(table_cell_block(header, 512), 1);
    free_sample(&sample);
}
END_TEST

START_TEST(small_overhead)
{
    Sample sample = make_sample("KvK", TREB_WDL, 5, 1, 1);
    must_write(&sample, IN_ORDER);
    char path[PATH_SIZE];
    size_t size;
    path_of_sample(&sample, path);
    free(load(path, &size));
    /* The header, two sides, a map of three codes, one entry of the block table. */
    ck_assert_uint_le(size - 93, 96 + 2 * 75 + 6 + 10);
    free_sample(&sample);
}
END_TEST

/* ---- faults in writing ----------------------------------------------------------------------- */

START_TEST(unwritable_directory)
{
    Sample sample = make_sample("KvK", TREB_WDL, 1, 1, 1);
    const char *places[] = {"/proc/self", "/dev/null", "/nonexistent/place"};
    for (int i = 0; i < 3; i++) {
        treb_error error = {0};
        ck_assert_ptr_null(table_writer_open(places[i], &sample.header, NULL, 0, &error));
        ck_assert_int_eq(error.status, TREB_ERR_IO);
        ck_assert_ptr_nonnull(strstr(error.text, places[i]));
        ck_assert_ptr_nonnull(strstr(error.text, "cannot write"));
    }
    free_sample(&sample);
}
END_TEST

/* A limit on the size of files simulates a full disk. Each limit makes another step fail: reserving
 * the header, writing blocks, sorting them, writing the header. */
START_TEST(disk_full)
{
    Sample sample = make_sample("KQvK", TREB_WDL, 1, 1, 3);
    must_write(&sample, IN_ORDER);
    char path[PATH_SIZE];
    size_t size, again_size;
    path_of_sample(&sample, path);
    uint8_t *before = load(path, &size);
    signal(SIGXFSZ, SIG_IGN);
    for (int arrival = IN_ORDER; arrival <= BACKWARDS; arrival++) {
        for (rlim_t limit = 50; limit < size; limit += limit < 100 ? 50 : size / 5) {
            struct rlimit old, tight;
            getrlimit(RLIMIT_FSIZE, &old);
            tight = old;
            tight.rlim_cur = limit;
            setrlimit(RLIMIT_FSIZE, &tight);
            treb_error error = {0};
            treb_status status = write_sample(&sample, (Arrival)arrival, &error);
            setrlimit(RLIMIT_FSIZE, &old);
            ck_assert_int_eq(status, TREB_ERR_IO);
            ck_assert_msg(strstr(error.text, "cannot write") && strstr(error.text, path), "%s",
                          error.text);
            ck_assert_int_eq(count_files(), 1);
        }
    }
    /* The earlier table is intact. */
    uint8_t *again = load(path, &again_size);
    ck_assert_uint_eq(size, again_size);
    ck_assert_mem_eq(before, again, size);
    free(before);
    free(again);
    free_sample(&sample);
}
END_TEST

START_TEST(failed_write_is_remembered)
{
    Sample sample = make_sample("KvK", TREB_WDL, 1, 1, 1);
    treb_error error = {0};
    TableWriter *writer = table_writer_open(directory, &sample.header, NULL, 0, &error);
    struct rlimit old, tight;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 100;
    setrlimit(RLIMIT_FSIZE, &tight);
    treb_status status = table_writer_add(writer, 0, 0, sample.data[0], 462, 0, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    ck_assert_int_eq(status, TREB_ERR_IO);
    ck_assert_int_eq(table_writer_finish(writer, &sample.header, NULL, &error), TREB_ERR_IO);
    ck_assert_int_eq(count_files(), 0);
    free_sample(&sample);
}
END_TEST

START_TEST(abort_leaves_nothing)
{
    Sample sample = make_sample("KvK", TREB_WDL, 1, 1, 1);
    treb_error error;
    TableWriter *writer = table_writer_open(directory, &sample.header, NULL, 0, &error);
    ck_assert_ptr_nonnull(writer);
    ck_assert_int_eq(count_files(), 1);
    table_writer_abort(writer);
    ck_assert_int_eq(count_files(), 0);
    table_writer_abort(NULL);
    free_sample(&sample);
}
END_TEST

START_TEST(wrong_calls)
{
    Sample sample = make_sample("KQvK", TREB_WDL, 1, 1, 1);
    TableHeader *header = &sample.header;
    const uint8_t *data = sample.data[0];
    treb_error error;
    TableWriter *writer = table_writer_open(directory, header, NULL, 0, &error);
    ck_assert_int_eq(table_writer_add(writer, 1, 0, data, 9, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_add(writer, 0, 29, data, 9, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_add(writer, 0, 0, data, 0, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_add(writer, 0, 28, data, 897, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_add(writer, 0, 0, data, 9, 0, &error), TREB_OK);
    ck_assert_int_eq(table_writer_add(writer, 0, 0, data, 9, 0, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(table_writer_finish(writer, header, NULL, &error), TREB_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "white side, block 1 was never written"));
    TableHeader bad = *header;
    bad.block_bits = 266;
    ck_assert_ptr_null(table_writer_open(directory, &bad, NULL, 0, &error));
    ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
    ck_assert_int_eq(count_files(), 0);
    free_sample(&sample);
}
END_TEST

START_TEST(header_changes_late)
{
    Sample sample = make_sample("KvK", TREB_WDL, 1, 1, 1);
    treb_error error;
    for (int bad = 0; bad < 2; bad++) {
        TableWriter *writer = table_writer_open(directory, &sample.header, NULL, 0, &error);
        treb_status status = table_writer_add(writer, 0, 0, sample.data[0], 462,
                                              table_block_checksum(sample.data[0], 462), &error);
        ck_assert_int_eq(status, TREB_OK);
        sample.header.side[0].count[TREB_DRAW] = 3612;
        sample.header.side[0].codes[0] = bad ? 0 : 3;
        status = table_writer_finish(writer, &sample.header, NULL, &error);
        ck_assert_int_eq(status, bad ? TREB_ERR_ARGUMENT : TREB_OK);
        if (!bad) must_read(&sample);
    }
    free_sample(&sample);
}
END_TEST

START_TEST(stale_files_are_removed)
{
    pid_t child = fork();
    if (child == 0) _exit(0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    const char *names[] = {".KvK.wdl.treb.tmp-%ld", ".KvK.wdl.treb.sorted.tmp-%ld",
                           "KvK.wdl.treb.tmp-%ld", ".notes.tmp-%ld", ".KvK.wdl.treb.tmp-%ldx"};
    for (int i = 0; i < 5; i++) {
        char name[80], path[PATH_SIZE];
        snprintf(name, sizeof name, names[i], (long)child);
        path_of(name, path);
        save(path, "x", 1);
    }
    char path[PATH_SIZE];
    path_of("KvK.wdl.treb", path);
    save(path, "x", 1);
    Sample sample = make_sample("KvK", TREB_WDL, 1, 1, 1);
    treb_error error;
    TableWriter *writer = table_writer_open(directory, &sample.header, NULL, 0, &error);
    ck_assert_int_eq(count_files(), 7);
    ck_assert_uint_eq(table_remove_stale(directory), 2);
    ck_assert_int_eq(count_files(), 5);
    ck_assert_uint_eq(table_remove_stale("/nonexistent"), 0);
    table_writer_abort(writer);
    free_sample(&sample);
}
END_TEST

/* ---- the program ----------------------------------------------------------------------------- */

int main(void)
{
    Suite *suite = suite_create("table");
    TCase *tests = add_case(suite, "round trips", make_directory, remove_directory);
    tcase_add_test(tests, both_sides);
    tcase_add_test(tests, white_side_only);
    tcase_add_test(tests, black_side_only);
    tcase_add_test(tests, five_cells_in_a_byte);
    tcase_add_test(tests, two_bytes_a_cell);
    tcase_add_test(tests, smallest_table);
    tcase_add_test(tests, pawns);
    tcase_add_test(tests, rank_files);
    tcase_add_test(tests, rank_file_names);
    tcase_add_test(tests, tables_stay_at_version_2);
    tcase_add_test(tests, distances_of_the_dtz_file);
    tcase_add_test(tests, raw_dictionary);
    tcase_add_test(tests, trained_dictionary);
    tcase_add_test(tests, cells_are_found);
    tcase_add_test(tests, small_overhead);
    tests = add_case(suite, "writing", make_directory, remove_directory);
    tcase_add_test(tests, unwritable_directory);
    tcase_add_test(tests, disk_full);
    tcase_add_test(tests, failed_write_is_remembered);
    tcase_add_test(tests, abort_leaves_nothing);
    tcase_add_test(tests, wrong_calls);
    tcase_add_test(tests, header_changes_late);
    tcase_add_test(tests, stale_files_are_removed);
    return run_suite(suite);
}
