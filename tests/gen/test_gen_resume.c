/* test_gen_resume.c - runs that are killed or asked to stop at any moment, or that find the disk
 * full, again and again. Each run resumes where the one before it ended. The final bytes are equal
 * to those of an undisturbed run. */
#include <omp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "core/system/clock.h"
#include "tests/support/gen_run.h"

enum { WITH_DTM50 = EVERY | 1 << TREB_DTM50 };

/* Three kinds of tables. KQvKR saves a slice between plies. KPvKP has groups of slices, en passant captures and
 * promotions. KRPvK has promotions that need subset_men. The last two have many slices. They save less often, because
 * saving at every opportunity would take most of their time. */
static const struct {
    const char *names;
    unsigned metrics;
    int subset_men;
    double save_seconds;
    enum { KILLED, INTERRUPTED, FULL } how;
} ways[] = {{"KQvKR", WITH_DTM50, 0, 1e-9, KILLED},
            {"KPvKP", EVERY, 0, 0.25, KILLED},
            {"KRPvK", EVERY, 4, 0.03, KILLED},
            {"KRPvK", WITH_DTM50, 0, 0.03, KILLED},
            {"KQvKR", EVERY, 0, 1e-9, INTERRUPTED},
            {"KQvKR", EVERY, 0, 1e-9, FULL}};

/* Returns a number that changes when a checkpoint is saved. */
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

enum { NO_ROOM = 7 };

/* Starts a run in a process of its own. None of its files can have more than `room` bytes. */
static pid_t start_run(Run *run, const char *names, uint64_t room)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child > 0) return child;
    Material list[8];
    treb_error error = {0};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){room, room});
    treb_status wanted = room == RLIM_INFINITY ? TREB_OK : TREB_ERR_IO;
    treb_status status = run_try(run, list, materials_of(names, list), &error);
    if (status != TREB_OK && status != wanted) fprintf(stderr, "%s\n", error.text);
    _exit(status == TREB_OK ? 0 : status == wanted ? NO_ROOM : 1);
}

/* Returns true if the run ended without an error. */
static bool run_without_room(Run *run, const char *names, uint64_t room)
{
    int status;
    waitpid(start_run(run, names, room), &status, 0);
    ck_assert(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_ROOM));
    return WEXITSTATUS(status) == 0;
}

/* Starts a run. After it has saved `saves` times and `seconds` more have passed, it is killed or
 * asked to stop. saves = 0: neither. Returns true if the run ended by itself. */
static bool run_ended(Run *run, const char *names, bool killed, int saves, double seconds)
{
    int status;
    uint64_t before = sum_saved(run->options.directory);
    double end = 0;
    atomic_store(&run->stop, false);
    pid_t child = start_run(run, names, RLIM_INFINITY);
    while (waitpid(child, &status, WNOHANG) == 0) {
        uint64_t sum = sum_saved(run->options.directory);
        if (sum != before && --saves == 0) end = clock_seconds() + seconds;
        before = sum;
        if (end > 0 && clock_seconds() >= end && killed) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return false;
        }
        if (end > 0 && clock_seconds() >= end) atomic_store(&run->stop, true);
        /* Looking more often would take a fifth of the test's time. */
        nanosleep(&(struct timespec){0, 300000}, NULL);
    }
    ck_assert_int_eq(status, 0);
    return !run->stopped;
}

START_TEST(again_and_again)
{
    const char *names = ways[_i].names;
    uint64_t room = 200000;
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
    *run = new_run(tables, ways[_i].metrics);
    run->options.subset_men = ways[_i].subset_men;
    ck_assert(run_ended(run, names, false, 0, 0));
    ck_assert_int_eq(atomic_load(&run->progress.resumed), 0);
    run->options.directory = folder;
    run->options.save_seconds = ways[_i].save_seconds;
    for (bool ended = false; !ended; runs++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double later = 0.01 * (double)(seed >> 40) / (double)(1 << 24);
        ended = ways[_i].how == FULL ? run_without_room(run, names, room)
                                     : run_ended(run, names, ways[_i].how == KILLED,
                                                 1 + (int)(seed >> 33 & 15), later);
        room += room / 8;
    }
    ck_assert_int_gt(runs, 3);
    /* A run may also be killed between two tables; on a busy machine most are. */
    ck_assert_int_gt(atomic_load(&run->progress.resumed), 0);
    if (strcmp(names, "KQvKR") == 0) ck_assert_int_gt(atomic_load(&run->progress.within), 3);
    ck_assert_int_eq(check_folder(folder, false), check_folder(tables, false));
    remove_work();
    munmap(run, sizeof *run);
}
END_TEST

/* A run with one thread is killed in the first slice of a table, before any solved slice is in a
 * file. */
START_TEST(in_the_first_slice)
{
    char folder[PATH_SIZE], state[PATH_SIZE + 32], slices[PATH_SIZE + 32];
    Run *run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(run != MAP_FAILED);
    make_work();
    run_codec = TABLE_ZSTD;
    omp_set_num_threads(1);
    snprintf(tables, sizeof tables, "%.4000s/good", work);
    snprintf(folder, sizeof folder, "%.4000s/again", work);
    snprintf(state, sizeof state, "%s/.scratch/KPvK.dtm.part", folder);
    snprintf(slices, sizeof slices, "%s/.scratch/KPvK.dtm.solved.part", folder);
    ck_assert(mkdir(tables, 0777) == 0 && mkdir(folder, 0777) == 0);
    *run = new_run(tables, EVERY);
    ck_assert(run_ended(run, "KPvK", false, 0, 0));
    run->options.directory = folder;
    run->options.save_seconds = 1e-9;
    /* Tries again if the slice or the run had ended before the kill. */
    for (int times = 0; times < 10; times++) {
        int status;
        bool ended = false;
        pid_t child = start_run(run, "KPvK", RLIM_INFINITY);
        while (access(state, F_OK) != 0 && !(ended = waitpid(child, &status, WNOHANG) != 0))
            nanosleep(&(struct timespec){0, 50000}, NULL);
        if (!ended) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
        }
        if (access(state, F_OK) == 0 && access(slices, F_OK) != 0) break;
        remove_tree(folder);
        ck_assert_int_eq(mkdir(folder, 0777), 0);
    }
    ck_assert_int_eq(access(state, F_OK), 0);
    ck_assert_int_ne(access(slices, F_OK), 0);
    run->options.save_seconds = 1e9;
    ck_assert(run_ended(run, "KPvK", true, 0, 0));
    ck_assert_int_eq(check_folder(folder, false), check_folder(tables, false));
    remove_work();
    munmap(run, sizeof *run);
}
END_TEST

/* A run is killed when a slice begins to write its log over that of the slice before it, of which a
 * checkpoint was saved. */
START_TEST(in_a_later_slice)
{
    const char *names = "KPvK";
    char folder[PATH_SIZE], log[PATH_SIZE + 32];
    int killed = 0, status = 0;
    Run *run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(run != MAP_FAILED);
    make_work();
    run_codec = TABLE_ZSTD;
    omp_set_num_threads(1);
    snprintf(tables, sizeof tables, "%.4000s/good", work);
    snprintf(folder, sizeof folder, "%.4000s/again", work);
    snprintf(log, sizeof log, "%s/.scratch/KPvK.dtm.part-log", folder);
    ck_assert(mkdir(tables, 0777) == 0 && mkdir(folder, 0777) == 0);
    *run = new_run(tables, EVERY);
    ck_assert(run_ended(run, names, false, 0, 0));
    run->options.directory = folder;
    for (bool ended = false; !ended;) {
        /* LOG: save everything. NEXT: after a save with a log, save nothing. FILED: save everything
         * again in the next slice. */
        enum { LOG, NEXT, FILED } phase = LOG;
        uint64_t before = sum_saved(folder);
        run->options.save_seconds = 1e-9;
        pid_t child = start_run(run, names, RLIM_INFINITY);
        while (!(ended = waitpid(child, &status, WNOHANG) != 0)) {
            struct stat info = {.st_size = 0};
            nanosleep(&(struct timespec){0, 10000}, NULL);
            if (phase == LOG && sum_saved(folder) == before) continue;
            bool there = stat(log, &info) == 0 && info.st_size > 0;
            if (phase == FILED && there) break;
            if (there == (phase == NEXT)) continue;
            run->options.save_seconds = phase == LOG ? 1e9 : 1e-9;
            phase++;
        }
        if (ended) break;
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        ck_assert_int_lt(++killed, 100);
    }
    ck_assert_int_eq(status, 0);
    ck_assert_int_gt(killed, 3);
    ck_assert_int_gt(atomic_load(&run->progress.resumed), killed / 2);
    ck_assert_int_eq(check_folder(folder, false), check_folder(tables, false));
    remove_work();
    munmap(run, sizeof *run);
}
END_TEST

/* Runs are asked to stop while they learn codes and write files. The long work that is done is not
 * lost. */
START_TEST(while_files_are_made)
{
    const char *names = "KPvK";
    char folder[PATH_SIZE], state[PATH_SIZE + 32];
    int status;
    Run *run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(run != MAP_FAILED);
    make_work();
    snprintf(tables, sizeof tables, "%.4000s/good", work);
    snprintf(folder, sizeof folder, "%.4000s/again", work);
    ck_assert(mkdir(tables, 0777) == 0 && mkdir(folder, 0777) == 0);
    snprintf(state, sizeof state, "%s/.scratch/KPvK.dtm.part", folder);
    *run = new_run(tables, EVERY);
    ck_assert(run_ended(run, names, false, 0, 0));
    run->options.directory = folder;
    run->options.save_seconds = 1e9;
    for (int stops = 0; stops < 3; stops++) {
        WriteProgress *writing = &run->progress.writing;
        atomic_store(&run->stop, false);
        atomic_store(&writing->all, 0);
        pid_t child = start_run(run, names, RLIM_INFINITY);
        /* Stops when the codes of one file are learned: at the start of writing, and later. */
        while (waitpid(child, &status, WNOHANG) == 0) {
            uint64_t all = atomic_load(&writing->all);
            uint64_t part = (uint64_t)stops * all / 16;
            bool last = access(state, F_OK) == 0;
            if (last && all > 0 && atomic_load(&writing->written) >= part)
                atomic_store(&run->stop, true);
            nanosleep(&(struct timespec){0, 10000}, NULL);
        }
        ck_assert_int_eq(status, 0);
        ck_assert(run->stopped);
    }
    ck_assert_int_gt(atomic_load(&run->progress.resumed), 1);
    ck_assert(run_ended(run, names, false, 0, 0));
    ck_assert_int_eq(check_folder(folder, false), check_folder(tables, false));
    remove_work();
    munmap(run, sizeof *run);
}
END_TEST

/* A run is killed when all files of a table are there but its DTM50 file. What was saved is still of use. */
START_TEST(before_the_last_file)
{
    char folder[PATH_SIZE], path[2][PATH_SIZE + 32];
    Run *run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(run != MAP_FAILED);
    make_work();
    snprintf(tables, sizeof tables, "%.4000s/good", work);
    snprintf(folder, sizeof folder, "%.4000s/again", work);
    snprintf(path[0], sizeof path[0], "%s/KPvK.dtm.treb", folder);
    snprintf(path[1], sizeof path[1], "%s/KPvK.dtm50.treb", folder);
    ck_assert(mkdir(tables, 0777) == 0 && mkdir(folder, 0777) == 0);
    *run = new_run(tables, WITH_DTM50);
    ck_assert(run_ended(run, "KPvK", false, 0, 0));
    run->options.directory = folder;
    run->options.save_seconds = 1e9;
    for (int times = 0; times < 10; times++) {
        bool ended = false;
        pid_t child = start_run(run, "KPvK", RLIM_INFINITY);
        while (access(path[0], F_OK) != 0 && !ended) ended = waitpid(child, NULL, WNOHANG) != 0;
        if (!ended) kill(child, SIGKILL);
        if (!ended) waitpid(child, NULL, 0);
        if (access(path[1], F_OK) != 0) break;
        remove_tree(folder);
        ck_assert_int_eq(mkdir(folder, 0777), 0);
    }
    ck_assert(access(path[0], F_OK) == 0 && access(path[1], F_OK) != 0);
    ck_assert(run_ended(run, "KPvK", false, 0, 0));
    ck_assert_int_eq(atomic_load(&run->progress.resumed), 1);
    ck_assert_int_eq(check_folder(folder, false), check_folder(tables, false));
    remove_work();
    munmap(run, sizeof *run);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("resume");
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, again_and_again, 0, test_part() > 1 ? 1 : (int)(sizeof ways / sizeof *ways));
    tcase_add_test(tests, in_the_first_slice);
    TCase *later = tcase_create("later");
    tcase_set_timeout(later, 0);
    tcase_add_test(later, in_a_later_slice);
    tcase_add_test(later, while_files_are_made);
    tcase_add_test(later, before_the_last_file);
    Suite *suite = suite_create("gen resumed");
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, later);
    return run_suite(suite);
}
