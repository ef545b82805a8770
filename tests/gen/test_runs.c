/* test_runs.c - runs of the generator in processes of their own. They stay below the allowed
 * memory, keep other runs out of their folder, and leave nothing behind when they are killed.
 *
 * The program starts itself:
 *
 *     test_runs run FOLDER BYTES METRICS 'MATERIAL...' */
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "core/system/stop.h"
#include "gen/folder.h"
#include "tests/support/gen_run.h"

extern char **environ;

enum { VERDICTS = 1 << TREB_WDL | 1 << TREB_DTZ };

/* ---- The process that is started ------------------------------------------------------------- */

/* Returns the largest memory that this process has had, in bytes. getrusage is not used, because
 * its count includes the memory of the parent process before the program was loaded. */
static unsigned long long peak_memory(void)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %llu", &kib) == 1) break;
    if (file != NULL) fclose(file);
    return kib << 10;
}

/* Levels of nested threads that a run allows, and number of files that it wrote. */
typedef struct Noted {
    int levels, files;
} Noted;

static void note_step(void *context, size_t step, const GenerateReport *report)
{
    Noted *noted = context;
    (void)step;
    noted->levels = omp_get_max_active_levels();
    for (int m = 0; m < TREB_METRICS; m++) noted->files += report->result.file_size[m] > 0;
}

static int run_child(char **argv)
{
    Material list[8], only;
    GeneratePlan plan;
    treb_error error = {0};
    bool stopped;
    Noted noted = {0, 0};
    size_t n = 0;
    const char *most = getenv("TREB_TEST_FILE_SIZE");
    struct rlimit limit = {most ? strtoull(most, NULL, 10) : 0, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    if (most != NULL) setrlimit(RLIMIT_FSIZE, &limit);
    GenerateOptions options = {.directory = argv[2],
                               .memory = strtoull(argv[3], NULL, 10),
                               .metrics = (unsigned)atoi(argv[4]),
                               .codec = TABLE_ZSTD};
    if (getenv("TREB_TEST_ONLY") != NULL && material_parse(getenv("TREB_TEST_ONLY"), &only))
        options.only = &only, options.shared = true;
    for (char *name = strtok(argv[5], " "); name != NULL && n < 8; name = strtok(NULL, " "))
        if (material_parse(name, &list[n])) n++;
    treb_status status = generate_plan(&options, list, n, &plan, &error);
    if (status == TREB_OK)
        status = generate_run(&options, &plan, note_step, &noted, &stopped, &error);
    generate_plan_free(&plan);
    printf("%llu %d %d %s\n", peak_memory(), noted.levels, noted.files, error.text);
    return (int)status;
}

/* ---- Starting it ----------------------------------------------------------------------------- */

typedef struct Child {
    pid_t process;
    int output;
} Child;

static Child child_start(const char *folder, uint64_t memory, unsigned metrics, const char *name)
{
    char bytes[32], mask[16];
    int pipe_ends[2];
    Child child;
    posix_spawn_file_actions_t actions;
    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)memory);
    snprintf(mask, sizeof mask, "%u", metrics);
    char *argv[] = {"test_runs", "run", (char *)folder, bytes, mask, (char *)name, NULL};
    ck_assert_int_eq(pipe(pipe_ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipe_ends[0]);
    ck_assert_int_eq(posix_spawn(&child.process, "/proc/self/exe", &actions, NULL, argv, environ),
                     0);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_ends[1]);
    child.output = pipe_ends[0];
    return child;
}

/* Result of a run: its status, the levels of threads, the number of files written, the largest
 * memory and the error's text. */
typedef struct Outcome {
    int status, levels, files;
    unsigned long long peak;
    char text[600];
} Outcome;

static Outcome child_wait(Child child)
{
    Outcome out = {.status = -1};
    char line[800] = "";
    size_t size = 0;
    int status;
    for (ssize_t n; (n = read(child.output, line + size, sizeof line - 1 - size)) > 0;) size += n;
    close(child.output);
    ck_assert_int_eq(waitpid(child.process, &status, 0), child.process);
    if (WIFEXITED(status)) out.status = WEXITSTATUS(status);
    sscanf(line, "%llu %d %d %599[^\n]", &out.peak, &out.levels, &out.files, out.text);
    return out;
}

static Outcome run_in_child(uint64_t memory, unsigned metrics, const char *name)
{
    return child_wait(child_start(work, memory, metrics, name));
}

/* Returns the memory that a plan estimates. */
static uint64_t estimated_memory(unsigned metrics, const char *name)
{
    GeneratePlan plan;
    treb_error error = {0};
    Material m = material_of(name);
    Run run = new_run(work, metrics);
    ck_assert_int_eq(generate_plan(&run.options, &m, 1, &plan, &error), TREB_OK);
    uint64_t most = plan.step[generate_plan_largest(&plan)].memory;
    generate_plan_free(&plan);
    return most;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The bound is the estimate of the plan, or somewhat more, or much more. */
START_TEST(memory_stays_below_the_bound)
{
    static const struct {
        const char *name;
        unsigned metrics;
        double share; /* bound, as a multiple of the estimate */
    } cases[] = {{"KRvKP", EVERY, 1},
                 {"KRvKP", EVERY, 1.5},
                 {"KPvKP", VERDICTS, 1},
                 {"KRvKN", VERDICTS, 4},
                 {"KNNvKN", VERDICTS, 1}};
    const char *name = cases[_i].name;
    uint64_t bound =
        (uint64_t)(cases[_i].share * (double)estimated_memory(cases[_i].metrics, name));
    Outcome out = run_in_child(bound, cases[_i].metrics, name);
    ck_assert_msg(out.status == TREB_OK, "%s", out.text);
    ck_assert_msg(out.peak > 0 && out.peak <= bound, "%s: %llu bytes, %llu allowed", name, out.peak,
                  (unsigned long long)bound);
}
END_TEST

START_TEST(refused_before_it_starts)
{
    uint64_t least = estimated_memory(EVERY, "KRvKP");
    Outcome out = run_in_child(least - 1, EVERY, "KRvKP");
    ck_assert_int_eq(out.status, TREB_ERR_MEMORY);
    ck_assert_msg(strstr(out.text, "needs") && strstr(out.text, "MB"), "%s", out.text);
    ck_assert_int_eq(check_folder(work, false), 0);
    out = run_in_child(1, EVERY, "KRvKP");
    ck_assert_int_eq(out.status, TREB_ERR_MEMORY);
}
END_TEST

/* The message for a table that no machine can make names the memory that it would take. */
START_TEST(eight_men_are_refused)
{
    Outcome out = run_in_child(0, EVERY, "KPPPvKPPP");
    ck_assert_int_eq(out.status, TREB_ERR_MEMORY);
    ck_assert_msg(strstr(out.text, "free here"), "%s", out.text);
}
END_TEST

/* ---- Threads --------------------------------------------------------------------------------- */

/* Nested threads would share one compressor. The generator does not allow them. */
START_TEST(nested_threads)
{
    setenv("OMP_NUM_THREADS", "2,2", 1);
    setenv("OMP_MAX_ACTIVE_LEVELS", "2", 1);
    Outcome out = run_in_child(0, EVERY, "KPvK");
    unsetenv("OMP_NUM_THREADS");
    unsetenv("OMP_MAX_ACTIVE_LEVELS");
    ck_assert_msg(out.status == TREB_OK, "%s", out.text);
    ck_assert_int_eq(out.levels, 1);
    snprintf(tables, sizeof tables, "%.4000s/good", work);
    ck_assert_int_eq(mkdir(tables, 0777), 0);
    Run run = new_run(tables, EVERY);
    run_names(&run, "KPvK");
    Material list[ALL];
    size_t count = list_all(list), files = 0;
    for (size_t i = 0; i < count; i++)
        for (int m = 0; m < TREB_METRICS; m++) {
            char name[TABLE_NAME_SIZE], path[PATH_SIZE + 300];
            table_file_name(&list[i], m, name);
            snprintf(path, sizeof path, "%s/%s", work, name);
            if (access(path, F_OK) != 0) continue;
            check_same_file(work, name);
            files++;
        }
    ck_assert_uint_eq(files, 20);
}
END_TEST

/* ---- Folders --------------------------------------------------------------------------------- */

START_TEST(one_run_in_a_folder)
{
    FolderLock lock;
    treb_error error = {0};
    char self[32];
    snprintf(self, sizeof self, "process %ld ", (long)getpid());
    ck_assert_int_eq(folder_lock(&lock, work, &error), TREB_OK);
    Outcome out = run_in_child(0, EVERY, "KQvK");
    ck_assert_int_eq(out.status, TREB_ERR_IO);
    ck_assert_msg(strstr(out.text, self) && strstr(out.text, work), "%s", out.text);
    setenv("TREB_TEST_ONLY", "KQvK", 1);
    out = run_in_child(0, EVERY, "KQvK");
    unsetenv("TREB_TEST_ONLY");
    ck_assert_int_eq(out.status, TREB_ERR_IO);
    ck_assert_msg(strstr(out.text, self), "%s", out.text);
    folder_unlock(&lock);
    ck_assert_int_eq(check_folder(work, false), 0);
    ck_assert_int_eq(run_in_child(0, EVERY, "KQvK").status, TREB_OK);
}
END_TEST

static void touch(const char *name)
{
    char path[PATH_SIZE + 300];
    snprintf(path, sizeof path, "%s/%s", work, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
}

static bool exists(const char *name)
{
    char path[PATH_SIZE + 300];
    snprintf(path, sizeof path, "%s/%s", work, name);
    return access(path, F_OK) == 0;
}

/* Several runs may join a folder. The first one removes old locks. A run that needs the folder for
 * itself gets an error that names the others. No lock file stays. */
START_TEST(several_in_a_folder)
{
    FolderLock one, two, other;
    treb_error error = {0};
    bool alone;
    touch(".KRvK.lock");
    touch(".notes.lock");
    ck_assert_int_eq(folder_join(&one, work, &alone, &error), TREB_OK);
    ck_assert(alone && !exists(".KRvK.lock") && exists(".notes.lock"));
    ck_assert_int_eq(folder_share(&one, &error), TREB_OK);
    ck_assert_int_eq(folder_join(&two, work, &alone, &error), TREB_OK);
    ck_assert(!alone);
    ck_assert_int_eq(folder_lock(&other, work, &error), TREB_ERR_IO);
    ck_assert_msg(strstr(error.text, "one of several") && strstr(error.text, work), "%s",
                  error.text);
    folder_unlock(&one);
    ck_assert(exists(".trebuchet.lock"));
    ck_assert_int_eq(folder_lock(&other, work, &error), TREB_ERR_IO);
    folder_unlock(&two);
    ck_assert(!exists(".trebuchet.lock"));
    ck_assert_int_eq(folder_lock(&other, work, &error), TREB_OK);
    ck_assert_int_eq(folder_join(&one, work, &alone, &error), TREB_ERR_IO);
    folder_unlock(&other);
    ck_assert(!exists(".trebuchet.lock"));
}
END_TEST

typedef struct Waiting {
    LockFile *holder;
    int calls, most;
} Waiting;

/* Unlocks the holder's table at the third call. Returns true when the limit of calls is reached. */
static bool wait_a_while(void *context)
{
    Waiting *w = context;
    if (++w->calls == 3) folder_unlock_table(w->holder);
    return w->calls >= w->most;
}

START_TEST(one_run_makes_a_table)
{
    FolderLock one, two;
    LockFile first, second, third;
    treb_error error = {0};
    bool alone;
    Material m = material_of("KRvK"), n = material_of("KQvK");
    Waiting waiting = {&first, 0, 2};
    ck_assert_int_eq(folder_join(&one, work, &alone, &error), TREB_OK);
    ck_assert_int_eq(folder_share(&one, &error), TREB_OK);
    ck_assert_int_eq(folder_join(&two, work, &alone, &error), TREB_OK);
    ck_assert_int_eq(folder_lock_table(&one, &m, &first, wait_a_while, &waiting, &error), TREB_OK);
    ck_assert_int_eq(folder_lock_table(&two, &n, &third, wait_a_while, &waiting, &error), TREB_OK);
    ck_assert_int_eq(waiting.calls, 0);
    ck_assert_int_eq(folder_lock_table(&two, &m, &second, wait_a_while, &waiting, &error), STOPPED);
    waiting = (Waiting){&first, 0, 100};
    ck_assert_int_eq(folder_lock_table(&two, &m, &second, wait_a_while, &waiting, &error), TREB_OK);
    ck_assert_int_eq(waiting.calls, 3);
    ck_assert(exists(".KRvK.lock"));
    folder_unlock_table(&second);
    folder_unlock_table(&third);
    folder_unlock(&one);
    folder_unlock(&two);
    ck_assert_int_eq(check_folder(work, false), 0);
}
END_TEST

static Child start_only(const char *only, const char *list)
{
    setenv("TREB_TEST_ONLY", only, 1);
    Child child = child_start(work, 0, EVERY, list);
    unsetenv("TREB_TEST_ONLY");
    return child;
}

/* Several runs of one list work in one folder. Two that want the same table make it once, and a
 * third uses the slices that they have solved. Together they make the files that one run makes. */
START_TEST(runs_side_by_side)
{
    static const char *const list[] = {"KQvK",  "KRvK",  "KBvK",  "KNvK",  "KPvK", "KQvKR",
                                       "KRvKR", "KRvKB", "KRvKN", "KRvKP", "KRvKP"};
    enum { SOME = sizeof list / sizeof *list };
    Child child[SOME];
    int files = 0;
    /* The run of the largest table starts first. It solves its sub-endings itself, or waits for
     * other runs to do so. */
    for (int i = SOME; i-- > 0;) child[i] = start_only(list[i], "KRvKP");
    for (int i = 0; i < SOME; i++) {
        Outcome out = child_wait(child[i]);
        ck_assert_msg(out.status == TREB_OK, "%s: %s", list[i], out.text);
        files += out.files;
    }
    ck_assert_int_eq(files, 4 * (SOME - 1));
    ck_assert(!exists(".scratch") && !exists(".trebuchet.lock"));
    char other[PATH_SIZE];
    strcpy(other, work);
    strcpy(tables, work);
    make_work();
    ck_assert_int_eq(run_in_child(0, EVERY, "KRvKP").files, 4 * (SOME - 1));
    ck_assert_int_eq(check_folder(work, false), check_folder(other, false));
    remove_tree(other);
}
END_TEST

static Outcome run_only(const char *only) { return child_wait(start_only(only, "KRvKN KQvKR")); }

/* A scratch file stays as long as another table of the list needs it, and no longer. */
START_TEST(scratch_for_others)
{
    Outcome out = run_only("KRvK");
    ck_assert_msg(out.status == TREB_OK, "%s", out.text);
    ck_assert_int_eq(out.files, 4);
    ck_assert(exists(".scratch/KRvK.dtm.solved") && !exists("KNvK.wdl.treb"));
    ck_assert_int_eq(run_only("KNvK").files, 4);
    ck_assert(exists(".scratch/KNvK.dtm.solved"));
    ck_assert_int_eq(run_only("KRvKN").files, 4);
    /* KQvKR is still to do. It converts into KRvK, but not into KNvK. */
    ck_assert(!exists(".scratch/KNvK.dtm.solved") && exists(".scratch/KRvK.dtm.solved"));
    /* This table exists already. */
    ck_assert_int_eq(run_only("KRvKN").files, 0);
    /* This table exists too, but its scratch file, which others need, is lost. They read its files. */
    char lost[PATH_SIZE + 300];
    snprintf(lost, sizeof lost, "%s/.scratch/KRvK.dtm.solved", work);
    ck_assert_int_eq(unlink(lost), 0);
    ck_assert_int_eq(run_only("KRvK").files, 0);
    ck_assert(!exists(".scratch/KRvK.dtm.solved"));
    /* The run writes no files of its sub-endings, which are other runs' jobs. */
    ck_assert_int_eq(run_only("KQvKR").files, 4);
    ck_assert(!exists("KQvK.wdl.treb") && exists(".scratch/KQvK.dtm.solved"));
    ck_assert_int_eq(run_only("KQvK").files, 4);
    ck_assert(!exists(".scratch"));
}
END_TEST

static void sleep_milliseconds(long time)
{
    nanosleep(&(struct timespec){time / 1000, time % 1000 * 1000000}, NULL);
}

/* A run killed at any moment leaves its lock free, and no incomplete tables. The next run cleans up
 * and resumes. */
START_TEST(killed_runs)
{
    const long moments[] = {30, 300};
    strcpy(tables, work);
    ck_assert_int_eq(run_in_child(0, EVERY, "KNvKP").status, TREB_OK);
    const int made = check_folder(tables, false);
    ck_assert_int_gt(made, 20);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        make_work(); /* another folder */
        Child child = child_start(work, 0, EVERY, "KNvKP");
        for (int wait = 0; wait < 500 && !exists(".scratch"); wait++) sleep_milliseconds(10);
        sleep_milliseconds(moments[i]);
        kill(child.process, SIGKILL);
        child_wait(child);
        Outcome out = run_in_child(0, EVERY, "KNvKP");
        ck_assert_msg(out.status == TREB_OK, "%s", out.text);
        ck_assert(!exists(".scratch"));
        ck_assert_int_eq(check_folder(work, false), made);
        remove_work();
    }
    strcpy(work, tables);
}
END_TEST

/* The size of files is limited, as on a full disk. Wherever the limit strikes, a run either ends
 * with the reason, or its tables are correct. */
START_TEST(no_room_on_disk)
{
    static const char *const sizes[] = {"100", "500", "1000", "2000", "4000"};
    snprintf(tables, sizeof tables, "%.4000s/good", work);
    ck_assert_int_eq(mkdir(tables, 0777), 0);
    Run good = new_run(tables, EVERY);
    run_names(&good, "KPvK");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char full[PATH_SIZE], scratch[PATH_SIZE];
        snprintf(full, sizeof full, "%.4000s/full-%zu", work, i);
        ck_assert_int_eq(mkdir(full, 0777), 0);
        setenv("TREB_TEST_FILE_SIZE", sizes[i], 1);
        Outcome out = child_wait(child_start(full, 0, EVERY, "KPvK"));
        unsetenv("TREB_TEST_FILE_SIZE");
        ck_assert_int_eq(out.status, TREB_ERR_IO);
        ck_assert_msg(strstr(out.text, strerror(EFBIG)) && strstr(out.text, full), "%s", out.text);
        snprintf(scratch, sizeof scratch, "%.4000s/.scratch", full);
        check_folder(full, access(scratch, F_OK) == 0);
        ck_assert_int_eq(child_wait(child_start(full, 0, EVERY, "KPvK")).status, TREB_OK);
        ck_assert_int_eq(check_folder(full, false), 20);
    }
}
END_TEST

int main(int argc, char **argv)
{
    run_codec = TABLE_ZSTD;
    if (argc > 5 && strcmp(argv[1], "run") == 0) return run_child(argv);
    Suite *suite = suite_create("gen in bounds");
    TCase *memory = tcase_create("memory"), *others = tcase_create("others");
    tcase_add_checked_fixture(memory, make_work, remove_work);
    tcase_add_checked_fixture(others, make_work, remove_work);
    tcase_add_loop_test(memory, memory_stays_below_the_bound, 0, test_part() > 1 ? 1 : 5);
    tcase_add_test(memory, refused_before_it_starts);
    tcase_add_test(memory, eight_men_are_refused);
    tcase_add_test(others, nested_threads);
    tcase_add_test(others, one_run_in_a_folder);
    tcase_add_test(others, several_in_a_folder);
    tcase_add_test(others, one_run_makes_a_table);
    tcase_add_test(others, runs_side_by_side);
    tcase_add_test(others, scratch_for_others);
    tcase_add_test(others, killed_runs);
    tcase_add_test(others, no_room_on_disk);
    suite_add_tcase(suite, memory);
    suite_add_tcase(suite, others);
    return run_suite_in_process(suite);
}
