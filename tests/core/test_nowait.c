/* test_nowait.c - core/system/nowait.h on real files, as far as results are predictable on any
 * system. The system decides whether a page is in memory; so for a file that may not be in memory
 * the test only checks that answers do not contradict each other. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/nowait.h"
#include "tests/support/suite.h"

enum { SIZE = 300000, PATH = 128 };

static uint8_t bytes[SIZE];

/* Creates a file with some bytes, which are then in the system's memory. Returns -1 if the folder
 * does not exist. */
static int make_file(const char *folder, char path[PATH])
{
    snprintf(path, PATH, "%s/treb-nowait-XXXXXX", folder);
    int file = mkstemp(path);
    if (file < 0) return -1;
    for (int i = 0; i < SIZE; i++) bytes[i] = (uint8_t)(i * 7 + i / 256);
    ck_assert_int_eq(write(file, bytes, SIZE), SIZE);
    return file;
}

/* The usual folder, and one in memory, whose file system may not be able to tell. */
static const char *folder(int i)
{
    const char *usual = getenv("TMPDIR");
    return i == 0 ? (usual != NULL ? usual : "/tmp") : "/dev/shm";
}

START_TEST(what_was_just_written)
{
    static uint8_t back[SIZE];
    char path[PATH];
    int file = make_file(folder(_i), path);
    if (file < 0) return;
    ck_assert(nowait_has(file, 0, SIZE));
    ck_assert(nowait_has(file, 4095, 2));
    ck_assert(nowait_read(file, back, SIZE, 0));
    ck_assert_mem_eq(back, bytes, SIZE);
    ck_assert(nowait_read(file, back, 10000, 123456));
    ck_assert_mem_eq(back, bytes + 123456, 10000);
    ck_assert(!nowait_read(file, back, 2, SIZE - 1)); /* the file ends there */
    ck_assert_int_eq(errno, 0);
    nowait_fetch(file, 0, SIZE);
    close(file);
    unlink(path);
}
END_TEST

START_TEST(what_may_be_gone)
{
    static uint8_t back[SIZE];
    char path[PATH];
    int file = make_file(folder(0), path);
    fsync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    for (uint64_t at = 0; at + 8192 < SIZE; at += 8192) {
        memset(back, 0, 8192);
        bool read = nowait_read(file, back, 8192, at);
        if (read)
            ck_assert_mem_eq(back, bytes + at, 8192);
        else
            ck_assert_int_eq(errno, EAGAIN);
    }
    /* After an ordinary read the bytes are in memory. */
    ck_assert_int_eq(pread(file, back, SIZE, 0), SIZE);
    ck_assert(nowait_read(file, back, SIZE, 0));
    ck_assert_mem_eq(back, bytes, SIZE);
    close(file);
    unlink(path);
}
END_TEST

START_TEST(opened)
{
    char path[PATH];
    int file = make_file(folder(0), path);
    int again = nowait_open(path);
    if (again < 0)
        ck_assert_int_eq(errno, EAGAIN); /* the system cannot tell */
    else
        close(again);
    unlink(path);
    ck_assert_int_lt(nowait_open(path), 0);
    ck_assert(errno == ENOENT || errno == EAGAIN);
    close(file);
}
END_TEST

START_TEST(no_file)
{
    uint8_t byte;
    ck_assert(!nowait_read(-1, &byte, 1, 0));
    ck_assert_int_eq(errno, EBADF);
    ck_assert(!nowait_has(-1, 0, 1));
    nowait_fetch(-1, 0, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("without waiting");
    TCase *tests = tcase_create("without waiting");
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, what_was_just_written, 0, 2);
    tcase_add_test(tests, what_may_be_gone);
    tcase_add_test(tests, opened);
    tcase_add_test(tests, no_file);
    return run_suite(suite);
}
