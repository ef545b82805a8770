/* test_cold.c - what is read of a file that is not in the memory of the system. A verdict costs one
 * page of 4 KiB once the table is open. Opening a table does not read its cells.
 *
 * The test writes a file, syncs it and drops it from memory. mincore then shows which pages come
 * back. Where the file system keeps everything in memory, or the disk is too fast, nothing can be
 * observed. The tests then print that they are skipped. */
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

/* Writes random verdicts: a hundred pages. White to move has nothing to capture, so that no other
 * table is read. */
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

/* Returns the number of pages of the file that are in memory. Sets `pages` to the number of all
 * pages. */
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

/* Drops all pages that no process has mapped. */
static void drop(void)
{
    int file = open(path, O_RDONLY);
    if (file < 0) abort();
    fsync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
}

/* Drops the file. Returns false where that is impossible. */
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

/* Opening reads the first page and those after the cells, with the pages that the system reads
 * ahead. */
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

/* Run with the default memory, and with none. */
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
        drop(); /* pages that were touched stay, because the set has mapped them */
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

/* Returns whether the system returns a page at once that is not in memory. Newer kernels start to
 * read it, and the disks of some virtual machines finish before the call returns. */
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

/* Probes that do not wait: the first one reads nothing, and then only its page is read. Where most
 * pages come at once, it can happen that no probe has to be repeated. */
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
