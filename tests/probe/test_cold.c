/* test_cold.c - what is read of a file that is not in the memory of the system: a verdict costs one
 * page of 4 KiB once the table is open, and opening a table does not read its cells.
 *
 * A file is written, synced and dropped from memory; mincore then says what of it comes back. Where
 * the file system keeps all in memory, or a disk is too fast, there is nothing to see, and the tests
 * say so. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/support/draw.h"
#include "tests/support/suite.h"
#include "tests/support/symbols.h"

enum { PATH_SIZE = 256, PAGE = 4096, PROBES = 60 };

static char directory[PATH_SIZE], path[PATH_SIZE + 40];

/* ---- A file ---------------------------------------------------------------------------------- */

/* Verdicts by chance: a hundred pages. White to move has nothing to take, so that no other table is
 * asked for. */
static void write_table(void)
{
    static uint16_t verdicts[] = {TREB_LOSS, TREB_BLESSED_LOSS, TREB_DRAW, TREB_CURSED_WIN,
                                  TREB_WIN};
    const char *base = getenv("TMPDIR");
    Material material;
    TableHeader header = {.codec = TABLE_SYMBOLS,
                          .pad = 1,
                          .metric = TREB_WDL,
                          .per_byte = 2,
                          .base = 16,
                          .width = 1,
                          .block_bits = 12};
    snprintf(directory, sizeof directory, "%s/treb-cold-XXXXXX", base ? base : "/tmp");
    if (mkdtemp(directory) == NULL || !material_parse("KQRvK", &material) ||
        !index_init_square_colors(&header.index, &material, NULL))
        abort();
    size_t size = (size_t)table_side_bytes(&header);
    uint8_t *data[2] = {malloc(size), calloc(size, 1)};
    uint64_t seed = 99;
    treb_error error;
    for (size_t i = 0; i < size; i++)
        data[0][i] = (uint8_t)(next_random(&seed) % 5 | next_random(&seed) % 5 << 4);
    if (header.index.size % 2 != 0) data[0][size - 1] &= 15;
    for (int s = 0; s < 2; s++) {
        header.side[s].stored = true;
        header.side[s].index = header.index;
        header.side[s].code.block_bytes = 64;
        header.side[s].code.count = 3;
        header.side[s].codes[0] = 5;
        header.side[s].plies[0] = verdicts;
    }
    if (symbols_write(directory, &header, data, NULL, &error) != TREB_OK) abort();
    snprintf(path, sizeof path, "%s/KQRvK.wdl.treb", directory);
    for (int s = 0; s < 2; s++) {
        free(data[s]);
        free(header.side[s].code.bytes);
    }
}

static void remove_table(void)
{
    unlink(path);
    rmdir(directory);
}

/* ---- What is in memory ----------------------------------------------------------------------- */

/* Pages of the file that are in memory; of `pages` in all. */
static int in_memory(int *pages)
{
    static unsigned char there[100000];
    struct stat about;
    int file = open(path, O_RDONLY), count = 0;
    if (file < 0 || fstat(file, &about) != 0) abort();
    *pages = (int)((about.st_size + PAGE - 1) / PAGE);
    void *map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED || *pages > (int)sizeof there ||
        mincore(map, (size_t)about.st_size, there) != 0)
        abort();
    for (int i = 0; i < *pages; i++) count += there[i] & 1;
    munmap(map, (size_t)about.st_size);
    close(file);
    return count;
}

/* Drops what nobody has mapped. */
static void drop(void)
{
    int file = open(path, O_RDONLY);
    if (file < 0) abort();
    fsync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
}

/* Drops the file; false where that cannot be. */
static bool is_cold(void)
{
    int pages;
    drop();
    if (sysconf(_SC_PAGESIZE) == PAGE && in_memory(&pages) == 0) return true;
    printf("SKIPPED: %s keeps its files in memory; set TMPDIR to a folder on a disk\n", directory);
    return false;
}

static treb_tables *open_table(void)
{
    const char *from = directory;
    treb_table_info info;
    treb_error error;
    treb_tables *tables = treb_tables_open(&from, 1, &error);
    ck_assert_ptr_nonnull(tables);
    ck_assert_msg(treb_tables_find(tables, "KQRvK", TREB_WDL, &info, &error) == TREB_OK, "%s",
                  error.text);
    return tables;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* The first page and those behind the cells, with what the system reads ahead of these. */
START_TEST(opening)
{
    int pages;
    if (!is_cold()) return;
    treb_tables *tables = open_table();
    int read = in_memory(&pages);
    printf("opening: %d of %d pages\n", read, pages);
    ck_assert_int_gt(pages, 100);
    ck_assert_int_gt(read, 0);
    ck_assert_int_lt(read, pages / 2);
    treb_tables_close(tables);
}
END_TEST

static treb_position draw(uint64_t *seed)
{
    Material material;
    treb_position pos;
    if (!material_parse("KQRvK", &material)) abort();
    do {
        while (!draw_position(&material, seed, &pos)) {
        }
    } while (pos.turn != TREB_WHITE);
    return pos;
}

/* With the default memory, and none. */
START_TEST(one_page_a_verdict)
{
    uint64_t seed = 5;
    int pages, most = 0, sum = 0;
    if (!is_cold()) return;
    treb_tables *tables = open_table();
    if (_i == 0) treb_tables_set_memory(tables, 0);
    for (int i = 0; i < PROBES; i++) {
        treb_position pos = draw(&seed);
        treb_wdl wdl;
        drop(); /* but for what was touched, which the set has mapped */
        int before = in_memory(&pages);
        ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, NULL), TREB_OK);
        int read = in_memory(&pages) - before;
        sum += read;
        if (read > most) most = read;
    }
    ck_assert_int_eq(most, 1);
    ck_assert_int_gt(sum, PROBES / 2);
    treb_tables_close(tables);
}
END_TEST

/* Whether the system gives a page at once that is not in memory. Newer kernels begin to read it, and
 * the disks of some virtual machines are done before the call is. */
static bool comes_at_once(int page)
{
    char byte;
    struct iovec to = {&byte, 1};
    int file = open(path, O_RDONLY);
    if (file < 0) abort();
    drop();
    bool came = preadv2(file, &to, 1, (off_t)page * PAGE, RWF_NOWAIT) == 1;
    close(file);
    return came;
}

/* The same for one who does not wait: nothing is read, then the page that was asked for. Whoever waits
 * never lacks one; nor does, by chance, one who does not where most pages come at once. */
START_TEST(not_ready)
{
    enum { TRIES = PROBES / 4, FIRST = 20, APART = 5 };
    uint64_t seed = 6;
    int pages, lacking = 0, at_once = 0;
    if (!is_cold()) return;
    treb_tables *tables = open_table();
    for (int i = 0; i < TRIES; i++) {
        treb_position pos = draw(&seed);
        treb_wdl wdl, right;
        treb_status status = TREB_ERR_NOT_READY;
        at_once += comes_at_once(FIRST + i * APART);
        drop();
        int before = in_memory(&pages);
        for (int tries = 0; status == TREB_ERR_NOT_READY && tries < 5000; tries++) {
            status = treb_probe_wdl_try(tables, &pos, &wdl, NULL);
            if (tries == 0) lacking += status == TREB_ERR_NOT_READY;
            if (status == TREB_ERR_NOT_READY) usleep(1000);
        }
        ck_assert_int_eq(status, TREB_OK);
        ck_assert_int_le(in_memory(&pages) - before, 1);
        ck_assert_int_eq(treb_probe_wdl(tables, &pos, &right, NULL), TREB_OK);
        ck_assert_int_eq(wdl, right);
    }
    ck_assert_msg(lacking > 0 || at_once > TRIES / 2,
                  "never lacking, though %d of %d pages came at once", at_once, TRIES);
    if (lacking == 0) printf("SKIPPED: %d of %d pages come at once\n", at_once, TRIES);
    treb_tables_close(tables);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cold");
    TCase *tests = tcase_create("cold");
    tcase_set_timeout(tests, 60);
    tcase_add_unchecked_fixture(tests, write_table, remove_table);
    tcase_add_test(tests, opening);
    tcase_add_loop_test(tests, one_page_a_verdict, 0, 2);
    tcase_add_test(tests, not_ready);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
