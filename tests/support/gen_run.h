/* gen_run.h - what the tests of the generator share: comparing folders, and running the generator.
 * Each test program includes this file once. */
#ifndef TREB_TESTS_SUPPORT_GEN_RUN_H
#define TREB_TESTS_SUPPORT_GEN_RUN_H

#include <check.h>
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/generate.h"
#include "tests/support/part.h"
#include "tests/support/suite.h"

enum { PATH_SIZE = 4200, ALL = 35, EVERY = (1 << TREB_METRICS) - 1 };

static char tables[PATH_SIZE]; /* folder of the reference tables */
static char work[PATH_SIZE];   /* folder for other tables */

/* ---- Folders and files ----------------------------------------------------------------------- */

static inline int remove_entry(const char *path, const struct stat *info, int kind,
                               struct FTW *walk)
{
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

static inline void remove_tree(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void make_work(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(work, sizeof work, "%.4000s/treb-gen-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(work));
}

static inline void remove_work(void) { remove_tree(work); }

/* Returns a file's bytes, owned by the caller. NULL if there is no such file. */
static inline char *read_file(const char *directory, const char *name, size_t *size)
{
    char path[PATH_SIZE + 300], *bytes;
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    ck_assert_int_eq(fstat(fileno(file), &info), 0);
    *size = (size_t)info.st_size;
    ck_assert_ptr_nonnull(bytes = malloc(*size + 1));
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* Without pawns the reference DTC file names the DTZ file. A run that makes no DTZ file writes the cells
 * instead, as many bytes as the DTZ file has. */
static inline bool has_own_cells(const char *name, size_t size)
{
    char dtz[64];
    size_t dtz_size = 0;
    const char *dtc = strstr(name, ".dtc.");
    if (dtc == NULL || strchr(name, 'P') != NULL || size == 96) return false;
    snprintf(dtz, sizeof dtz, "%.*s.dtz.treb", (int)(dtc - name), name);
    free(read_file(tables, dtz, &dtz_size));
    return size == dtz_size;
}

static inline void check_same_file(const char *directory, const char *name)
{
    size_t size = 0, good_size = 0;
    char *bytes = read_file(directory, name, &size), *good = read_file(tables, name, &good_size);
    ck_assert_msg(good != NULL, "%s is no file of 3 or 4 men", name);
    if (has_own_cells(name, size)) {
        free(bytes);
        free(good);
        return;
    }
    ck_assert_msg(bytes && size == good_size && memcmp(bytes, good, size) == 0, "%s differs", name);
    free(bytes);
    free(good);
}

/* Checks that each file of a folder equals the reference file, and that there are no others except
 * scratch files if `scratch`. Returns the number of tables. */
static inline int check_folder(const char *directory, bool scratch)
{
    int n = 0;
    DIR *list = opendir(directory);
    ck_assert_ptr_nonnull(list);
    for (struct dirent *e; (e = readdir(list)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (scratch && strcmp(e->d_name, ".scratch") == 0) continue;
        check_same_file(directory, e->d_name);
        n++;
    }
    closedir(list);
    return n;
}

/* ---- Running the generator ------------------------------------------------------------------- */

typedef struct Run {
    GenerateOptions options;
    atomic_bool stop;
    GenerateProgress progress;
    int stop_after; /* stop after this number of steps; 0: never */
    int steps;      /* steps reported */
    bool stopped;
} Run;

static inline void count_step(void *context, size_t step, const GenerateReport *report)
{
    Run *run = context;
    (void)step, (void)report;
    if (++run->steps == run->stop_after) atomic_store(&run->stop, true);
}

static inline Material material_of(const char *name)
{
    Material m;
    ck_assert_msg(material_parse(name, &m), "%s", name);
    return m;
}

static TableCodec run_codec = TABLE_SYMBOLS; /* codec of new runs; zstd is much faster */

static inline Run new_run(const char *directory, unsigned metrics)
{
    Run run;
    memset(&run, 0, sizeof run);
    run.options = (GenerateOptions){.directory = directory, .metrics = metrics, .codec = run_codec};
    return run;
}

static inline treb_status run_try(Run *run, const Material *materials, size_t count,
                                  treb_error *error)
{
    GeneratePlan plan;
    run->options.stop = &run->stop;
    run->options.progress = &run->progress;
    run->steps = 0;
    ck_assert_int_eq(generate_plan(&run->options, materials, count, &plan, error), TREB_OK);
    treb_status status = generate_run(&run->options, &plan, count_step, run, &run->stopped, error);
    generate_plan_free(&plan);
    return status;
}

static inline void run_materials(Run *run, const Material *materials, size_t count)
{
    treb_error error = {0};
    treb_status status = run_try(run, materials, count, &error);
    ck_assert_msg(status == TREB_OK, "%s", error.text);
}

static inline size_t materials_of(const char *names, Material list[8])
{
    char copy[256], *rest = copy;
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name; (name = strsep(&rest, " ")) != NULL;) list[n++] = material_of(name);
    return n;
}

/* Sets the materials of a run, such as "KRRvK KPvK". Their sub-endings are included. */
static inline void run_names(Run *run, const char *names)
{
    Material list[8];
    run_materials(run, list, materials_of(names, list));
}

/* Makes tables in `work` in a process of its own. The threads of OpenMP, and the memory that they
 * never free, then do not affect the tests. */
static inline void make_tables_apart(const char *names, unsigned metrics)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        Run run = new_run(work, metrics);
        run_names(&run, names);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static inline size_t list_all(Material out[ALL])
{
    size_t n = material_list(3, out, ALL);
    return n + material_list(4, out + n, ALL - n);
}

#endif
