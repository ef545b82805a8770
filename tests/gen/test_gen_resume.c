/* test_gen_resume.c - runs that are killed at any moment, again and again: each goes on where the one
 * before was, and the bytes are the same in the end. */
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "tests/support/gen_run.h"

/* A slice that is saved between plies; batches, with captures en passant and promotions; promotions that ask for
 * cuts. And a run between two saves is killed at once. */
static const char *const made[] = {"KQvKR", "KPvKP", "KRPvK"};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What changes when something is saved. */
static uint64_t sum_saved(const char *folder)
{
    char path[PATH_SIZE + 300];
    uint64_t sum = 0;
    snprintf(path, sizeof path, "%s/.scratch", folder);
    DIR *list = opendir(path);
    for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
        const char *end = strstr(e->d_name, ".part");
        if (end == NULL || end[5] != '\0' || strstr(e->d_name, ".solved")) continue;
        struct stat info;
        snprintf(path, sizeof path, "%s/.scratch/%.200s", folder, e->d_name);
        if (stat(path, &info) != 0) continue;
        sum += info.st_ino + (uint64_t)info.st_mtim.tv_nsec;
    }
    if (list != NULL) closedir(list);
    return sum;
}

/* One run in a process of its own, killed so many seconds after it saved something so often, 0: never. True if it
 * ended. */
static bool run_killed(Run *run, const char *names, int saves, double seconds)
{
    int status;
    uint64_t before = sum_saved(run->options.directory);
    double end = 0;
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        run_names(run, names);
        _exit(0);
    }
    while (waitpid(child, &status, WNOHANG) == 0) {
        uint64_t sum = sum_saved(run->options.directory);
        if (sum != before && --saves == 0) end = now() + seconds;
        before = sum;
        if (end > 0 && now() >= end) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return false;
        }
        nanosleep(&(struct timespec){0, 50000}, NULL);
    }
    ck_assert_int_eq(status, 0);
    return true;
}

START_TEST(killed_again_and_again)
{
    char folder[PATH_SIZE];
    uint64_t seed = 0x2545f4914f6cdd1d + (uint64_t)_i;
    int runs = 1;
    Run *run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(run != MAP_FAILED);
    make_work();
    run_codec = TABLE_ZSTD;
    snprintf(tables, sizeof tables, "%.4000s/good", work);
    snprintf(folder, sizeof folder, "%.4000s/again", work);
    ck_assert(mkdir(tables, 0777) == 0 && mkdir(folder, 0777) == 0);
    *run = new_run(tables, EVERY);
    run->options.cuts = _i == 2 ? 4 : 0;
    ck_assert(run_killed(run, made[_i], 0, 0));
    ck_assert_int_eq(atomic_load(&run->progress.resumed), 0);
    run->options.directory = folder;
    run->options.save_seconds = 1e-9;
    for (bool ended = false; !ended; runs++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double later = 0.01 * (double)(seed >> 40) / (double)(1 << 24);
        ended = run_killed(run, made[_i], 1 + (int)(seed >> 33 & 15), later);
    }
    ck_assert_int_gt(runs, 3);
    ck_assert_int_gt(atomic_load(&run->progress.resumed), runs / 3);
    if (_i == 0) ck_assert_int_gt(atomic_load(&run->progress.within), 3);
    ck_assert_int_eq(check_folder(folder, false), check_folder(tables, false));
    remove_work();
    munmap(run, sizeof *run);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("resume");
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, killed_again_and_again, 0, 3);
    Suite *suite = suite_create("gen killed");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
