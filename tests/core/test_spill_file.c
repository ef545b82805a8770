/* test_spill_file.c - files of chunks: what was written is read again; what is cut, changed or misplaced is noticed; a
 * full disk and missing memory are errors that leave nothing behind. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/system/spill_file.h"
#include "tests/support/failing_alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { MOST = 200000, CHUNKS = 40 };

static const uint64_t mark = UINT64_C(0x3254534554525254); /* "TRTEST", and so on */

static char folder[64], path[96];
static uint8_t packed[2 * MOST], plain[MOST];

static void make_folder(void)
{
    strcpy(folder, "/tmp/treb-spill-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/spill", folder);
}

/* Checks that nothing else was left. */
static void remove_folder(void)
{
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static size_t size_of(int number) { return number < 4 ? (size_t)number + 1 : (size_t)number * number * 120; }

/* Fills a chunk: with noise, zeros, or something between. */
static const uint8_t *content(int number)
{
    static uint8_t bytes[MOST];
    uint64_t state = (uint64_t)number + 77;
    for (size_t i = 0; i < size_of(number); i++)
        bytes[i] = number % 3 == 0   ? (uint8_t)(next_random(&state) >> 20)
                   : number % 3 == 1 ? 0
                                     : (uint8_t)(next_random(&state) >> 20 & 3);
    return bytes;
}

static void write_chunk(SpillFile *spill, int number, SpillChunk *chunk)
{
    treb_error error;
    ck_assert_uint_le(spill_bound(size_of(number)), sizeof packed);
    ck_assert_msg(spill_write(spill, content(number), size_of(number), packed, chunk, &error) ==
                      TREB_OK,
                  "%s", error.text);
    ck_assert_uint_eq(chunk->size, size_of(number));
    ck_assert_uint_le(chunk->packed, spill_bound(size_of(number)));
}

static void check_chunk(const SpillFile *spill, int number, const SpillChunk *chunk)
{
    treb_error error;
    memset(plain, 0xee, sizeof plain);
    ck_assert_uint_eq(chunk->size, size_of(number));
    ck_assert_msg(spill_read(spill, chunk, packed, plain, &error) == TREB_OK, "%s", error.text);
    ck_assert_mem_eq(plain, content(number), size_of(number));
    ck_assert_uint_eq(plain[size_of(number)], 0xee);
}

/* Chunks in a file with or without a name; all of them, some or none in memory. */
START_TEST(chunks_come_back)
{
    static const uint64_t keep[] = {0, 300000, UINT64_MAX / 2};
    SpillChunk chunk[CHUNKS];
    SpillFile spill;
    MemoryBudget budget;
    treb_error error;
    int kept = 0;
    make_folder();
    budget_init(&budget, 64 << 20);
    ck_assert_int_eq(spill_create(&spill, _i % 2 ? path : NULL, folder, 0, &error), TREB_OK);
    ck_assert_int_eq(access(path, F_OK) == 0, _i % 2);
    spill.budget = &budget;
    spill.keep = keep[_i / 2];
    for (int i = 0; i < CHUNKS; i++) write_chunk(&spill, i, &chunk[i]);
    ck_assert_int_eq(spill_sync(&spill, &error), TREB_OK);
    for (int i = 0; i < CHUNKS; i++) check_chunk(&spill, i * 7 % CHUNKS, &chunk[i * 7 % CHUNKS]);
    for (int i = 0; i < CHUNKS; i++) kept += chunk[i].kept;
    ck_assert(_i / 2 == 0 ? kept == 0 : _i / 2 == 2 ? kept == CHUNKS : kept > 2 && kept < CHUNKS);
    ck_assert_uint_eq(budget.held, spill.kept);
    ck_assert_uint_le(budget.held, spill.keep);
    spill_clear(&spill);
    ck_assert_uint_eq(spill.end, 0);
    ck_assert_uint_eq(budget.held, 0);
    write_chunk(&spill, 9, &chunk[9]);
    check_chunk(&spill, 9, &chunk[9]);
    spill_close(&spill);
    ck_assert_uint_eq(budget.held, 0);
    spill_close(&spill);
    remove_folder();
}
END_TEST

/* Chunks in the file, or in memory: then the threads add blocks at the same time. */
START_TEST(threads_write_side_by_side)
{
    enum { MANY = 4000 };
    static SpillChunk chunk[MANY];
    static const char text[] = "a chunk of which a few numbers differ: ";
    SpillFile spill;
    treb_error error;
    MemoryBudget budget;
    int wrong = 0;
    budget_init(&budget, 64 << 20);
    ck_assert_int_eq(spill_create(&spill, NULL, "/tmp", 0, &error), TREB_OK);
    spill.budget = &budget;
    spill.keep = _i == 0 ? 0 : 64 << 20;
#pragma omp parallel for num_threads(4) schedule(dynamic) reduction(+ : wrong)
    for (int i = 0; i < MANY; i++) {
        uint8_t mine[200], buffer[500];
        int length = snprintf((char *)mine, sizeof mine, "%s %d %d", text, i, i * i);
        wrong += spill_write(&spill, mine, (size_t)length + 1, buffer, &chunk[i], NULL) != TREB_OK;
    }
    for (int i = 0; i < MANY; i++) {
        char want[200];
        snprintf(want, sizeof want, "%s %d %d", text, i, i * i);
        wrong += spill_read(&spill, &chunk[i], packed, plain, NULL) != TREB_OK ||
                 strcmp((char *)plain, want) != 0 || chunk[i].kept != (_i > 0);
    }
    ck_assert_int_eq(wrong, 0);
    spill_close(&spill);
    ck_assert_uint_eq(budget.held, 0);
}
END_TEST

/* Writes a file of some small chunks and its list. */
static treb_status write_file(int first, int chunks, treb_error *error)
{
    SpillFile spill = {.file = -1};
    SpillChunk chunk;
    State list = {0};
    treb_status status = spill_begin(&spill, path, mark, error);
    for (int i = first; i < first + chunks && status == TREB_OK; i++) {
        status = spill_write(&spill, content(i), size_of(i), packed, &chunk, error);
        state_put(&list, (uint64_t)i);
        state_put_bytes(&list, &chunk, sizeof chunk);
    }
    if (status == TREB_OK)
        status = spill_finish(&spill, path, &list, error);
    else
        spill_remove(&spill);
    state_free(&list);
    return status;
}

/* Reads such a file, of which nothing is known. */
static treb_status read_file(int *chunks, treb_error *error)
{
    SpillFile spill;
    SpillChunk chunk;
    State list;
    treb_status status = spill_open(&spill, path, mark, &list, error);
    if (status != TREB_OK) return status;
    for (*chunks = 0; list.at < list.size && status == TREB_OK; ++*chunks) {
        const int number = (int)state_get_most(&list, CHUNKS);
        state_get_bytes(&list, &chunk, sizeof chunk);
        status = spill_read(&spill, &chunk, packed, plain, error);
        if (status == TREB_OK && memcmp(plain, content(number), size_of(number)) != 0)
            status = TREB_ERR_NO_TABLE; /* wrong, and not noticed */
    }
    spill_close(&spill);
    state_free(&list);
    return status;
}

static void check_file(int chunks)
{
    treb_error error;
    int found;
    ck_assert_msg(read_file(&found, &error) == TREB_OK, "%s", error.text);
    ck_assert_int_eq(found, chunks);
}

static size_t load_bytes(uint8_t *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(bytes, 1, most, file);
    fclose(file);
    ck_assert_uint_lt(size, most);
    return size;
}

static void store_bytes(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void must_be_damaged(const char *what, size_t at)
{
    treb_error error;
    int chunks;
    ck_assert_msg(read_file(&chunks, &error) == TREB_ERR_DAMAGED, "%s %zu: %d", what, at,
                  error.status);
    ck_assert_ptr_nonnull(strstr(error.text, path));
}

START_TEST(files_have_lists)
{
    treb_error error;
    make_folder();
    ck_assert_int_eq(write_file(0, CHUNKS, &error), TREB_OK);
    check_file(CHUNKS);
    ck_assert_int_eq(write_file(5, 3, &error), TREB_OK);
    check_file(3);
    ck_assert_int_eq(write_file(5, 0, &error), TREB_OK);
    check_file(0);
    remove_folder();
}
END_TEST

/* A file is cut at each byte, is too long, or has a changed bit: each of them. */
START_TEST(damage_is_noticed)
{
    static uint8_t bytes[4000];
    treb_error error;
    make_folder();
    ck_assert_int_eq(write_file(0, 5, &error), TREB_OK);
    const size_t size = load_bytes(bytes, sizeof bytes);
    for (size_t cut = 0; cut < size; cut++) {
        store_bytes(bytes, cut);
        must_be_damaged("cut at", cut);
    }
    store_bytes(bytes, size + 1);
    must_be_damaged("longer than", size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= 1 << bit % 8;
        store_bytes(bytes, size);
        must_be_damaged("bit", bit);
        bytes[bit / 8] ^= 1 << bit % 8;
    }
    store_bytes(bytes, size);
    check_file(5);
    remove_folder();
}
END_TEST

/* A chunk at the place of another of equal size. */
START_TEST(places_are_checked)
{
    SpillFile spill;
    SpillChunk chunk[2];
    treb_error error;
    uint8_t bytes[2][100];
    make_folder();
    ck_assert_int_eq(spill_create(&spill, path, NULL, 0, &error), TREB_OK);
    for (int i = 0; i < 2; i++) {
        memset(bytes[i], 'a' + i, sizeof bytes[i]);
        ck_assert_int_eq(
            spill_write(&spill, bytes[i], sizeof bytes[i], packed, &chunk[i], &error), TREB_OK);
    }
    ck_assert_uint_eq(chunk[0].packed, chunk[1].packed);
    ck_assert_int_eq(pread(spill.file, packed, chunk[1].packed, (off_t)chunk[1].at),
                     chunk[1].packed);
    ck_assert_int_eq(pwrite(spill.file, packed, chunk[1].packed, 0), chunk[1].packed);
    ck_assert_int_eq(spill_read(&spill, &chunk[1], packed, plain, &error), TREB_OK);
    ck_assert_int_eq(spill_read(&spill, &chunk[0], packed, plain, &error), TREB_ERR_DAMAGED);
    spill_close(&spill);
    remove_folder();
}
END_TEST

static void must_refuse(uint64_t other, const char *text)
{
    SpillFile spill;
    State list;
    treb_error error;
    ck_assert_int_eq(spill_open(&spill, path, other, &list, &error), TREB_ERR_DAMAGED);
    ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
    ck_assert_int_eq(spill.file, -1);
    ck_assert_ptr_null(list.bytes);
}

START_TEST(kinds_and_versions)
{
    SpillFile spill;
    State list;
    treb_error error;
    make_folder();
    ck_assert_int_eq(spill_open(&spill, path, mark, &list, &error), TREB_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "No such file"));
    ck_assert_int_eq(write_file(0, 2, &error), TREB_OK);
    must_refuse(mark + (UINT64_C(1) << 56), "another version");
    must_refuse(__builtin_bswap64(mark), "another machine");
    must_refuse(mark ^ 1, "not a file of saved work");
    check_file(2);
    remove_folder();
}
END_TEST

/* A file goes on from where its list was saved elsewhere. */
START_TEST(resumed)
{
    SpillFile spill;
    SpillChunk chunk[3];
    treb_error error;
    make_folder();
    ck_assert_int_eq(spill_create(&spill, path, NULL, 0, &error), TREB_OK);
    write_chunk(&spill, 20, &chunk[0]);
    const uint64_t end = spill.end;
    write_chunk(&spill, 21, &chunk[1]);
    spill_close(&spill);
    ck_assert(spill_resume(&spill, path, end));
    check_chunk(&spill, 20, &chunk[0]);
    ck_assert_int_eq(spill_read(&spill, &chunk[1], packed, plain, &error), TREB_ERR_DAMAGED);
    write_chunk(&spill, 22, &chunk[2]);
    ck_assert_uint_eq(chunk[2].at, end);
    check_chunk(&spill, 22, &chunk[2]);
    spill_close(&spill);
    ck_assert_int_eq(truncate(path, (off_t)end - 1), 0);
    ck_assert(!spill_resume(&spill, path, end));
    spill_close(&spill);
    unlink(path);
    ck_assert(!spill_resume(&spill, path, end));
    remove_folder();
}
END_TEST

/* No file can have more than `_i` hundred bytes. */
START_TEST(disk_full)
{
    struct rlimit before;
    treb_error error = {0};
    make_folder();
    ck_assert_int_eq(write_file(0, 2, &error), TREB_OK);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)_i * 100, before.rlim_max});
    treb_status status = write_file(0, 5, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert_int_eq(status, TREB_ERR_IO);
    ck_assert_msg(strstr(error.text, "cannot write: File too large") != NULL, "%s", error.text);
    check_file(2);
    remove_folder();
}
END_TEST

START_TEST(no_space_left)
{
    SpillFile spill = {.file = open("/dev/full", O_RDWR), .path = "/dev/full"};
    SpillChunk chunk;
    treb_error error;
    const State list = {0};
    ck_assert_int_eq(spill_write(&spill, content(1), size_of(1), packed, &chunk, &error),
                     TREB_ERR_IO);
    ck_assert_str_eq(error.text, "/dev/full: cannot write: No space left on device");
    ck_assert_int_eq(spill_put_list(&spill, &list, &error), TREB_ERR_IO);
    spill_close(&spill);
    ck_assert_int_eq(spill_create(&spill, NULL, "/no/such/folder", 0, &error), TREB_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "/no/such/folder"));
    ck_assert_int_eq(spill_begin(&spill, "/no/such/folder/x", mark, &error), TREB_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "/no/such/folder"));
    ck_assert_int_eq(spill.file, -1);
}
END_TEST

/* Each allocation fails: the old file stays, and nothing else. */
static treb_status outcome[2];

static void write_and_read(void *context)
{
    int chunks;
    treb_error error;
    (void)context;
    outcome[0] = write_file(0, 4, &error);
    outcome[1] = read_file(&chunks, &error);
}

static void check_outcome(void *context, bool failed)
{
    (void)context;
    for (int i = 0; i < 2; i++)
        ck_assert(outcome[i] == TREB_OK || (failed && outcome[i] == TREB_ERR_MEMORY));
    ck_assert(!failed || outcome[0] != TREB_OK || outcome[1] != TREB_OK);
    check_file(4);
}

START_TEST(without_memory)
{
    treb_error error;
    AllocTest test = {write_and_read, check_outcome, NULL, 0};
    make_folder();
    ck_assert_int_eq(write_file(0, 4, &error), TREB_OK);
    ck_assert_uint_gt(alloc_sweep(&test), 10);
    remove_folder();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spill_file");
    TCase *tests = tcase_create("spill_file");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, chunks_come_back, 0, 6);
    tcase_add_loop_test(tests, threads_write_side_by_side, 0, 2);
    tcase_add_test(tests, files_have_lists);
    tcase_add_test(tests, damage_is_noticed);
    tcase_add_test(tests, places_are_checked);
    tcase_add_test(tests, kinds_and_versions);
    tcase_add_test(tests, resumed);
    tcase_add_loop_test(tests, disk_full, 0, 3);
    tcase_add_test(tests, no_space_left);
    tcase_add_test(tests, without_memory);
    suite_add_tcase(suite, tests);
    return run_suite_in_process(suite);
}
