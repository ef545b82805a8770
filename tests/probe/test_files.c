/* test_files.c - tables that share a few file descriptors. Answers are right whatever is closed in
 * the meantime.
 *
 *     test_files           the tables of three men, three files open at a time
 *     test_files TABLES    a set of all files there, in a process that may have 64 open */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/support/naive_set.h"

enum { FILES = SOLVED * TREB_METRICS, OPEN = 3, THREADS = 4, READS = 4000 };

static const NaiveLayout layout = {
    .per_byte = 3, .block_bits = 10, .side = TREB_BLACK, .scramble = true};

/* Returns the number of open descriptors of the process, without the one for the directory
 * listing. */
static int count_open(void)
{
    int count = -1;
    DIR *list = opendir("/proc/self/fd");
    if (list == NULL) abort();
    for (struct dirent *e; (e = readdir(list)) != NULL;) count += e->d_name[0] != '.';
    closedir(list);
    return count;
}

static void limit_open(rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) abort();
    limit.rlim_cur = most;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) abort();
}

/* ---- A few files ----------------------------------------------------------------------------- */

/* Tables opened with few descriptors, and the content of their first blocks. */
typedef struct OpenTables {
    TableFiles *files;
    Table *table[FILES];
    uint8_t *block[FILES];
    int side[FILES];
    atomic_int wrong, number;
} OpenTables;

static void path_of_table(const char *from, int number, char out[2 * PATH_SIZE])
{
    char name[TABLE_NAME_SIZE];
    table_file_name(naive_material(solved[number / TREB_METRICS]),
                    (treb_metric)(number % TREB_METRICS), name);
    snprintf(out, 2 * PATH_SIZE, "%s/%s", from, name);
}

static treb_status read_first(const OpenTables *open, int number, uint8_t *out, treb_error *error)
{
    TableDecoder *decoder = table_decoder_new();
    treb_status status =
        table_read_block(open->table[number], decoder, open->side[number], 0, out, error);
    table_decoder_free(decoder);
    return status;
}

static void open_first_blocks(OpenTables *open, const char *from)
{
    *open = (OpenTables){.files = table_files_new(OPEN)};
    for (int i = 0; i < FILES; i++) {
        char path[2 * PATH_SIZE];
        treb_error error;
        path_of_table(from, i, path);
        open->table[i] = table_open_among(open->files, path, &error);
        ck_assert_msg(open->table[i] != NULL, "%s", error.text);
        const TableHeader *header = table_header(open->table[i]);
        open->side[i] = header->side[TREB_WHITE].stored ? TREB_WHITE : TREB_BLACK;
        open->block[i] = malloc((size_t)1 << header->block_bits);
        ck_assert_int_eq(read_first(open, i, open->block[i], &error), TREB_OK);
    }
}

static void close_first_blocks(OpenTables *open)
{
    for (int i = 0; i < FILES; i++) {
        table_close(open->table[i]);
        free(open->block[i]);
    }
    table_files_free(open->files);
}

static void *read_at_random(void *argument)
{
    OpenTables *open = argument;
    uint8_t *buffer = malloc(1 << TABLE_BLOCK_BITS_MAX);
    uint64_t seed = 50u + (uint64_t)atomic_fetch_add(&open->number, 1);
    for (int i = 0; i < READS; i++) {
        int n = (int)(next_random31(&seed) % FILES);
        size_t size = (size_t)1 << table_header(open->table[n])->block_bits;
        if (read_first(open, n, buffer, NULL) != TREB_OK ||
            memcmp(buffer, open->block[n], size) != 0)
            atomic_fetch_add(&open->wrong, 1);
    }
    free(buffer);
    return NULL;
}

START_TEST(few_descriptors)
{
    OpenTables open;
    pthread_t thread[THREADS];
    int before = count_open();
    open_first_blocks(&open, directory);
    ck_assert_int_le(count_open(), before + OPEN);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, read_at_random, &open), 0);
    for (int i = 0; i < 50; i++, usleep(500)) ck_assert_int_le(count_open(), before + OPEN);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    ck_assert_int_eq(atomic_load(&open.wrong), 0);
    close_first_blocks(&open);
    ck_assert_int_eq(count_open(), before);
}
END_TEST

/* There are more threads than descriptors: some threads wait for a descriptor. */
START_TEST(fewer_than_threads)
{
    OpenTables open;
    pthread_t thread[THREADS + OPEN];
    open_first_blocks(&open, directory);
    for (int i = 0; i < THREADS + OPEN; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, read_at_random, &open), 0);
    for (int i = 0; i < THREADS + OPEN; i++) pthread_join(thread[i], NULL);
    ck_assert_int_eq(atomic_load(&open.wrong), 0);
    close_first_blocks(&open);
}
END_TEST

/* The process has no free descriptors: the library closes those of other tables. */
START_TEST(none_left)
{
    OpenTables open;
    treb_error error;
    int taken[64], count = 0;
    open_first_blocks(&open, directory);
    limit_open((rlim_t)count_open() + 16);
    while (count < 64 && (taken[count] = dup(0)) >= 0) count++;
    ck_assert_int_lt(count, 64);
    uint8_t *buffer = malloc(1 << TABLE_BLOCK_BITS_MAX);
    for (int i = 0; i < FILES; i++)
        ck_assert_msg(read_first(&open, i, buffer, &error) == TREB_OK, "%s", error.text);
    free(buffer);
    while (count > 0) close(taken[--count]);
    close_first_blocks(&open);
}
END_TEST

static void copy_all(const char *from, const char *to)
{
    for (int i = 0; i < FILES; i++) {
        char path[2 * PATH_SIZE];
        path_of_table(from, i, path);
        FILE *in = fopen(path, "rb");
        path_of_table(to, i, path);
        FILE *out = fopen(path, "wb");
        ck_assert(in && out);
        for (int c; (c = getc(in)) != EOF;) putc(c, out);
        fclose(in);
        fclose(out);
    }
}

/* A file that has changed when it is opened again is refused. A file that was removed is
 * missing. */
START_TEST(changed_meanwhile)
{
    OpenTables open;
    treb_error error;
    char other[PATH_SIZE], path[2 * PATH_SIZE], aside[2 * PATH_SIZE];
    uint8_t *buffer = malloc(1 << TABLE_BLOCK_BITS_MAX);
    make_directory(other);
    copy_all(directory, other);
    open_first_blocks(&open, other);
    for (int kind = 0; kind < 3; kind++) {
        path_of_table(other, kind, path);
        path_of_table(other, FILES - 1, aside);
        struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
        if (kind == 0) ck_assert_int_eq(rename(aside, path), 0); /* another file */
        if (kind == 1)
            ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0); /* the file was written to */
        if (kind == 2) ck_assert_int_eq(unlink(path), 0);
        treb_status status = read_first(&open, kind, buffer, &error);
        ck_assert_int_eq(status, kind < 2 ? TREB_ERR_DAMAGED : TREB_ERR_NO_TABLE);
        ck_assert_int_eq(error.status, status);
        ck_assert_msg(strstr(error.text, strrchr(path, '/') + 1) != NULL, "%s", error.text);
        if (kind < 2) ck_assert(strstr(error.text, "changed while in use") != NULL);
    }
    ck_assert_int_eq(read_first(&open, 3, buffer, &error), TREB_OK);
    free(buffer);
    close_first_blocks(&open);
    remove_directory(other);
}
END_TEST

/* ---- A whole set ----------------------------------------------------------------------------- */

enum { POSITIONS = 4000, PROCESS_OPEN = 64, SET_OPEN = PROCESS_OPEN / 4 };

typedef struct ProbeCases {
    treb_tables *tables;
    treb_position pos[POSITIONS];
    treb_value value[POSITIONS];
    atomic_int wrong, next, running;
} ProbeCases;

static bool random_position(const char *name, uint64_t *seed, treb_position *pos)
{
    static const char types[] = "PNBRQK";
    int color = TREB_WHITE;
    *pos = (treb_position){.turn = next_random31(seed) & 1, .fullmove = 1};
    for (; *name; name++) {
        if (*name == 'v') {
            color = TREB_BLACK;
            continue;
        }
        int sq, type = (int)(strchr(types, *name) - types);
        do sq = 8 + (int)(next_random31(seed) % 48);
        while (bit_test(position_occupied(pos), sq));
        position_put(pos, color, type, sq);
    }
    return position_check(pos, NULL) == TREB_OK;
}

/* Positions of all materials in turn, with their values. */
static bool fill(ProbeCases *cases)
{
    uint64_t seed = 8;
    size_t files = treb_tables_count(cases->tables);
    for (int i = 0; i < POSITIONS;) {
        treb_table_info info;
        if (treb_tables_info(cases->tables, (size_t)(7 * i) % files, &info, NULL) != TREB_OK)
            return false;
        if (!random_position(info.material, &seed, &cases->pos[i])) continue;
        if (treb_probe_root(cases->tables, &cases->pos[i], &cases->value[i], NULL) != TREB_OK)
            return false;
        i++;
    }
    return true;
}

static bool same_value(const treb_value *a, const treb_value *b)
{
    bool same = a->wdl == b->wdl && a->rule == b->rule;
    for (int m = 0; m < TREB_METRICS; m++)
        same = same && a->plies[m] == b->plies[m] && a->status[m] == b->status[m];
    return same;
}

static void *answer(void *argument)
{
    ProbeCases *cases = argument;
    for (int i; (i = atomic_fetch_add(&cases->next, 1)) < POSITIONS;) {
        treb_value value;
        treb_status status = treb_probe_root(cases->tables, &cases->pos[i], &value, NULL);
        if (status != TREB_OK || !same_value(&value, &cases->value[i]))
            atomic_fetch_add(&cases->wrong, 1);
    }
    atomic_fetch_sub(&cases->running, 1);
    return NULL;
}

static treb_tables *open_tables(const char *from)
{
    treb_error error;
    treb_tables *tables = treb_tables_open(&from, 1, &error);
    if (tables == NULL || treb_tables_count(tables) == 0) {
        fprintf(stderr, "%s: no tables\n", from);
        exit(EXIT_FAILURE);
    }
    return tables;
}

static int whole_set(const char *from)
{
    static ProbeCases cases;
    pthread_t thread[THREADS];
    int before = count_open(), most = 0, now;
    cases.tables = open_tables(from);
    if (!fill(&cases)) return EXIT_FAILURE;
    treb_tables_close(cases.tables);
    limit_open(PROCESS_OPEN);
    cases.tables = open_tables(from);
    treb_tables_set_memory(cases.tables, 0); /* so that every probe reads the file */
    atomic_store(&cases.running, THREADS);
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, answer, &cases);
    while (atomic_load(&cases.running) > 0) {
        now = count_open() - before;
        most = now > most ? now : most;
        usleep(1000);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    printf("%zu files, at most %d open, %d probes wrong\n", treb_tables_count(cases.tables), most,
           atomic_load(&cases.wrong));
    treb_tables_close(cases.tables);
    bool good = most > 0 && most <= SET_OPEN && atomic_load(&cases.wrong) == 0;
    return good && count_open() == before ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void set_up(void) { solve_and_write(&layout); }

int main(int argc, char **argv)
{
    if (argc > 1) return whole_set(argv[1]);
    Suite *suite = suite_create("files");
    TCase *tests = add_case(suite, "files");
    tcase_add_unchecked_fixture(tests, set_up, forget_all);
    tcase_add_test(tests, few_descriptors);
    tcase_add_test(tests, fewer_than_threads);
    tcase_add_test(tests, none_left);
    tcase_add_test(tests, changed_meanwhile);
    return run_suite(suite);
}
