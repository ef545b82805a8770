/* test_files.c - tables that share few descriptors: right whatever is closed meanwhile.
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

/* The descriptors that the process has open, but for that of the list itself. */
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

/* Tables opened with few descriptors, and what their first blocks hold. */
typedef struct Shelf {
    TableFiles *files;
    Table *table[FILES];
    uint8_t *block[FILES];
    int side[FILES];
    atomic_int wrong, number;
} Shelf;

static void path_of_table(const char *from, int number, char out[2 * PATH_SIZE])
{
    char name[TABLE_NAME_SIZE];
    table_file_name(naive_material(solved[number / TREB_METRICS]),
                    (treb_metric)(number % TREB_METRICS), name);
    snprintf(out, 2 * PATH_SIZE, "%s/%s", from, name);
}

static treb_status read_first(const Shelf *shelf, int number, uint8_t *out, treb_error *error)
{
    TableDecoder *decoder = table_decoder_new();
    treb_status status =
        table_read_block(shelf->table[number], decoder, shelf->side[number], 0, out, error);
    table_decoder_free(decoder);
    return status;
}

static void open_shelf(Shelf *shelf, const char *from)
{
    *shelf = (Shelf){.files = table_files_new(OPEN)};
    for (int i = 0; i < FILES; i++) {
        char path[2 * PATH_SIZE];
        treb_error error;
        path_of_table(from, i, path);
        shelf->table[i] = table_open_among(shelf->files, path, &error);
        ck_assert_msg(shelf->table[i] != NULL, "%s", error.text);
        const TableHeader *header = table_header(shelf->table[i]);
        shelf->side[i] = header->side[TREB_WHITE].stored ? TREB_WHITE : TREB_BLACK;
        shelf->block[i] = malloc((size_t)1 << header->block_bits);
        ck_assert_int_eq(read_first(shelf, i, shelf->block[i], &error), TREB_OK);
    }
}

static void close_shelf(Shelf *shelf)
{
    for (int i = 0; i < FILES; i++) {
        table_close(shelf->table[i]);
        free(shelf->block[i]);
    }
    table_files_free(shelf->files);
}

static void *read_at_random(void *argument)
{
    Shelf *shelf = argument;
    uint8_t *room = malloc(1 << TABLE_BLOCK_BITS_MAX);
    uint64_t seed = 50u + (uint64_t)atomic_fetch_add(&shelf->number, 1);
    for (int i = 0; i < READS; i++) {
        int n = (int)(next_random31(&seed) % FILES);
        size_t size = (size_t)1 << table_header(shelf->table[n])->block_bits;
        if (read_first(shelf, n, room, NULL) != TREB_OK || memcmp(room, shelf->block[n], size) != 0)
            atomic_fetch_add(&shelf->wrong, 1);
    }
    free(room);
    return NULL;
}

START_TEST(few_descriptors)
{
    Shelf shelf;
    pthread_t thread[THREADS];
    int before = count_open();
    open_shelf(&shelf, directory);
    ck_assert_int_le(count_open(), before + OPEN);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, read_at_random, &shelf), 0);
    for (int i = 0; i < 50; i++, usleep(500)) ck_assert_int_le(count_open(), before + OPEN);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    ck_assert_int_eq(atomic_load(&shelf.wrong), 0);
    close_shelf(&shelf);
    ck_assert_int_eq(count_open(), before);
}
END_TEST

/* More threads than descriptors: some wait for their turn. */
START_TEST(fewer_than_threads)
{
    Shelf shelf;
    pthread_t thread[THREADS + OPEN];
    open_shelf(&shelf, directory);
    for (int i = 0; i < THREADS + OPEN; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, read_at_random, &shelf), 0);
    for (int i = 0; i < THREADS + OPEN; i++) pthread_join(thread[i], NULL);
    ck_assert_int_eq(atomic_load(&shelf.wrong), 0);
    close_shelf(&shelf);
}
END_TEST

/* The process has no descriptors left: those of other tables are given up. */
START_TEST(none_left)
{
    Shelf shelf;
    treb_error error;
    int taken[64], count = 0;
    open_shelf(&shelf, directory);
    limit_open((rlim_t)count_open() + 16);
    while (count < 64 && (taken[count] = dup(0)) >= 0) count++;
    ck_assert_int_lt(count, 64);
    uint8_t *room = malloc(1 << TABLE_BLOCK_BITS_MAX);
    for (int i = 0; i < FILES; i++)
        ck_assert_msg(read_first(&shelf, i, room, &error) == TREB_OK, "%s", error.text);
    free(room);
    while (count > 0) close(taken[--count]);
    close_shelf(&shelf);
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

/* A file that is another when it is opened again is refused; one that is gone is missing. */
START_TEST(changed_meanwhile)
{
    Shelf shelf;
    treb_error error;
    char other[PATH_SIZE], path[2 * PATH_SIZE], aside[2 * PATH_SIZE];
    uint8_t *room = malloc(1 << TABLE_BLOCK_BITS_MAX);
    make_directory(other);
    copy_all(directory, other);
    open_shelf(&shelf, other);
    for (int kind = 0; kind < 3; kind++) {
        path_of_table(other, kind, path);
        path_of_table(other, FILES - 1, aside);
        struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
        if (kind == 0) ck_assert_int_eq(rename(aside, path), 0);                 /* another file */
        if (kind == 1) ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0); /* written to */
        if (kind == 2) ck_assert_int_eq(unlink(path), 0);
        treb_status status = read_first(&shelf, kind, room, &error);
        ck_assert_int_eq(status, kind < 2 ? TREB_ERR_DAMAGED : TREB_ERR_NO_TABLE);
        ck_assert_int_eq(error.status, status);
        ck_assert_msg(strstr(error.text, strrchr(path, '/') + 1) != NULL, "%s", error.text);
        if (kind < 2) ck_assert(strstr(error.text, "changed while in use") != NULL);
    }
    ck_assert_int_eq(read_first(&shelf, 3, room, &error), TREB_OK);
    free(room);
    close_shelf(&shelf);
    remove_directory(other);
}
END_TEST

/* ---- A whole set ----------------------------------------------------------------------------- */

enum { POSITIONS = 4000, PROCESS_OPEN = 64, SET_OPEN = PROCESS_OPEN / 4 };

typedef struct Quiz {
    treb_tables *tables;
    treb_position pos[POSITIONS];
    treb_value value[POSITIONS];
    atomic_int wrong, next, running;
} Quiz;

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

/* Positions of all materials in turn, with what they are worth. */
static bool fill(Quiz *quiz)
{
    uint64_t seed = 8;
    size_t files = treb_tables_count(quiz->tables);
    for (int i = 0; i < POSITIONS;) {
        treb_table_info info;
        if (treb_tables_info(quiz->tables, (size_t)(7 * i) % files, &info, NULL) != TREB_OK)
            return false;
        if (!random_position(info.material, &seed, &quiz->pos[i])) continue;
        if (treb_probe_root(quiz->tables, &quiz->pos[i], &quiz->value[i], NULL) != TREB_OK)
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
    Quiz *quiz = argument;
    for (int i; (i = atomic_fetch_add(&quiz->next, 1)) < POSITIONS;) {
        treb_value value;
        treb_status status = treb_probe_root(quiz->tables, &quiz->pos[i], &value, NULL);
        if (status != TREB_OK || !same_value(&value, &quiz->value[i]))
            atomic_fetch_add(&quiz->wrong, 1);
    }
    atomic_fetch_sub(&quiz->running, 1);
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
    static Quiz quiz;
    pthread_t thread[THREADS];
    int before = count_open(), most = 0, now;
    quiz.tables = open_tables(from);
    if (!fill(&quiz)) return EXIT_FAILURE;
    treb_tables_close(quiz.tables);
    limit_open(PROCESS_OPEN);
    quiz.tables = open_tables(from);
    treb_tables_set_memory(quiz.tables, 0); /* so that every probe reads */
    atomic_store(&quiz.running, THREADS);
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, answer, &quiz);
    while (atomic_load(&quiz.running) > 0) {
        now = count_open() - before;
        most = now > most ? now : most;
        usleep(1000);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    printf("%zu files, at most %d open, %d probes wrong\n", treb_tables_count(quiz.tables), most,
           atomic_load(&quiz.wrong));
    treb_tables_close(quiz.tables);
    bool good = most > 0 && most <= SET_OPEN && atomic_load(&quiz.wrong) == 0;
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
