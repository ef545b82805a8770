/* test_machine.c - free memory as control groups and limits define it; parts of paths. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/io.h"
#include "core/system/machine.h"
#include "tests/support/suite.h"

static char folder[] = "/tmp/trebuchet-machine-XXXXXX";
static char groups[64];

static void make_folder(void)
{
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    ck_assert(mkdtemp(folder) != NULL);
    snprintf(groups, sizeof groups, "%s/groups", folder);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Writes a file below the folder, and creates the folders above it. */
static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    ck_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static uint64_t group_memory(void) { return machine_group_memory(groups, folder); }

START_TEST(no_groups)
{
    ck_assert_uint_eq(group_memory(), UINT64_MAX);
    put("groups", "0::/\n");
    ck_assert_uint_eq(group_memory(), UINT64_MAX);
    put("groups", "garbage\n::\n7\n");
    ck_assert_uint_eq(group_memory(), UINT64_MAX);
}
END_TEST

/* The second interface: the limit less the memory used, where file contents that can be dropped do
 * not count. */
START_TEST(second_interface)
{
    put("groups", "0::/a/b\n");
    put("a/b/memory.max", "1000000\n");
    put("a/b/memory.current", "600000\n");
    ck_assert_uint_eq(group_memory(), 400000);
    put("a/b/memory.stat", "anon 5\nactive_file 7\ninactive_file 500000\nfile 9\n");
    ck_assert_uint_eq(group_memory(), 900000);
    put("a/b/memory.current", "2000000\n");
    ck_assert_uint_eq(group_memory(), 0);
    put("a/b/memory.max", "max\n");
    ck_assert_uint_eq(group_memory(), UINT64_MAX);
}
END_TEST

/* A group has at most as much as the groups above it. */
START_TEST(outer_groups)
{
    put("groups", "0::/a/b\n");
    put("a/b/memory.max", "max\n");
    put("a/b/memory.current", "10\n");
    put("a/memory.max", "5000\n");
    put("a/memory.current", "2000\n");
    ck_assert_uint_eq(group_memory(), 3000);
    put("memory.max", "2500\n");
    put("memory.current", "2000\n");
    ck_assert_uint_eq(group_memory(), 500);
}
END_TEST

START_TEST(first_interface)
{
    put("groups", "9:name=systemd:/x\n4:memory:/x\n0::/\n");
    put("memory/x/memory.limit_in_bytes", "7000\n");
    put("memory/x/memory.usage_in_bytes", "6000\n");
    put("memory/x/memory.stat", "inactive_file 1\ntotal_inactive_file 2000\n");
    ck_assert_uint_eq(group_memory(), 3000);
    /* In a container the top folder is the group's own. */
    put("groups", "4:memory:/not/here\n");
    put("memory/memory.limit_in_bytes", "900\n");
    put("memory/memory.usage_in_bytes", "100\n");
    ck_assert_uint_eq(group_memory(), 800);
}
END_TEST

START_TEST(limit_of_the_process)
{
    struct rlimit limit = {UINT64_C(1) << 32, RLIM_INFINITY};
    uint64_t before = machine_free_memory();
    ck_assert_uint_gt(before, 0);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    ck_assert_uint_lt(machine_free_memory(), limit.rlim_cur);
}
END_TEST

START_TEST(disk)
{
    char path[256];
    uint64_t here = machine_free_disk(folder);
    ck_assert_uint_gt(here, 0);
    snprintf(path, sizeof path, "%s/not/there", folder);
    ck_assert_uint_gt(machine_free_disk(path), 0);
    ck_assert_uint_gt(machine_free_disk("not-there"), 0);
    ck_assert_uint_gt(machine_free_disk("/not-there/at-all"), 0);
    ck_assert(machine_free_disk("/proc/self") == UINT64_MAX); /* the file system does not report
                                                                 it */
}
END_TEST

START_TEST(paths)
{
    static const struct {
        const char *path, *folder, *name;
    } part[] = {{"KQvK.wdl.treb", ".", "KQvK.wdl.treb"},
                {"a/KQvK.rtbw", "a", "KQvK.rtbw"},
                {"/data/b/c", "/data/b", "c"},
                {"/c", "/", "c"},
                {"./c", ".", "c"},
                {"a/b/", "a/b", ""},
                {"", ".", ""}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        char *of = io_folder(part[i].path);
        ck_assert_str_eq(of, part[i].folder);
        ck_assert_str_eq(io_name(part[i].path), part[i].name);
        free(of);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("machine");
    TCase *tests = tcase_create("memory and disk");
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, no_groups);
    tcase_add_test(tests, second_interface);
    tcase_add_test(tests, outer_groups);
    tcase_add_test(tests, first_interface);
    tcase_add_test(tests, limit_of_the_process);
    tcase_add_test(tests, disk);
    tcase_add_test(tests, paths);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
