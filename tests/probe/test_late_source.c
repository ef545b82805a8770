/* test_late_source.c - a source that cannot wait: each read fails with TREB_ERR_NOT_READY until its bytes have arrived,
 * also one that is asked to wait. The probe fails then, the bytes arrive, and the probe is made again. Answers equal those
 * of the same files in a folder. What is missing is asked for at once: the number of rounds is limited. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/support/naive_set.h"

enum { POSITIONS = 60, PAGE = 4096, PAGES = 64, FILES = 32 };

/* A file takes three rounds to open: its size, its front, its header. Then come cells, and the cells that these lead to. */
enum { ROUNDS = 5 };

/* ---- The source ------------------------------------------------------------------------------ */

typedef enum Arrival { ABSENT, ASKED, HERE } Arrival;

/* A file as the source knows it: whether its size, and which of its pages have arrived. */
typedef struct LateFile {
    FILE *file;
    Arrival size, page[PAGES];
} LateFile;

static struct {
    LateFile file[FILES];
    char name[FILES][64];
    int files;
    unsigned asked;      /* pages and sizes that were asked for and have not arrived */
    treb_status failure; /* what a read fails with; TREB_OK: reads do not fail */
    int closed;
} late;

static treb_status not_ready(Arrival *arrival, treb_error *error)
{
    if (*arrival == ABSENT) late.asked++;
    if (*arrival == ABSENT) *arrival = ASKED;
    snprintf(error->text, sizeof error->text, "it is on its way");
    return error->status = TREB_ERR_NOT_READY;
}

static void arrive(Arrival *arrival)
{
    if (*arrival == ASKED) *arrival = HERE;
}

static void all_arrive(void)
{
    for (int i = 0; i < late.files; i++) {
        arrive(&late.file[i].size);
        for (int p = 0; p < PAGES; p++) arrive(&late.file[i].page[p]);
    }
    late.asked = 0;
}

static treb_status late_list(void *context, void (*add)(void *to, const char *file), void *to,
                             treb_error *error)
{
    DIR *list = opendir(context);
    (void)error;
    for (struct dirent *e; (e = readdir(list)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        ck_assert_int_lt(late.files, FILES);
        snprintf(late.name[late.files++], sizeof *late.name, "%.63s", e->d_name);
        add(to, e->d_name);
    }
    closedir(list);
    return TREB_OK;
}

static treb_status late_open(void *context, const char *name, void **handle, uint64_t *size,
                             treb_error *error)
{
    char path[2 * PATH_SIZE];
    int i = 0;
    while (strcmp(late.name[i], name) != 0) i++;
    LateFile *file = &late.file[i];
    if (file->size != HERE) return not_ready(&file->size, error);
    snprintf(path, sizeof path, "%s/%s", (const char *)context, name);
    if (file->file == NULL) file->file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file->file);
    fseek(file->file, 0, SEEK_END);
    *size = (uint64_t)ftell(file->file);
    ck_assert_uint_le(*size, PAGES * PAGE);
    *handle = file;
    return TREB_OK;
}

static treb_status late_read(void *context, void *handle, treb_read how, uint64_t offset,
                             size_t size, void *out, treb_error *error)
{
    LateFile *file = handle;
    treb_status status = TREB_OK;
    (void)context;
    if (late.failure != TREB_OK) {
        snprintf(error->text, sizeof error->text, "the line is dead");
        return error->status = late.failure;
    }
    for (uint64_t page = offset / PAGE; page <= (offset + size - 1) / PAGE; page++)
        if (file->page[page] != HERE) status = not_ready(&file->page[page], error);
    if (status != TREB_OK || how == TREB_READ_BEGIN) return error->status = TREB_ERR_NOT_READY;
    ck_assert_int_eq(pread(fileno(file->file), out, size, (off_t)offset), (ssize_t)size);
    return TREB_OK;
}

static void late_close_file(void *context, void *handle) { (void)context, (void)handle; }

static void late_close(void *context)
{
    (void)context;
    for (int i = 0; i < late.files; i++)
        if (late.file[i].file != NULL) fclose(late.file[i].file);
    late.closed++;
}

static treb_tables *open_late(void)
{
    treb_error error;
    memset(&late, 0, sizeof late);
    const treb_source source = {"late",    directory,       late_list, late_open,
                                late_read, late_close_file, late_close};
    treb_tables *tables = treb_tables_open_sources(&source, 1, &error);
    ck_assert_msg(tables != NULL, "%s", error.text);
    return tables;
}

/* ---- Probes ---------------------------------------------------------------------------------- */

/* Whether a call is to be made again. Its failure must be that something is not ready, and something must have been asked
 * for. */
static bool again(treb_status status, const treb_error *error, int *rounds)
{
    if (status != TREB_ERR_NOT_READY) return false;
    ck_assert_int_eq(error->status, TREB_ERR_NOT_READY);
    ck_assert_uint_gt(late.asked, 0);
    ck_assert_int_le(++*rounds, ROUNDS);
    all_arrive();
    return true;
}

static treb_position random_position(uint64_t *seed)
{
    treb_position pos;
    const Naive *naive = solved[next_random31(seed) % SOLVED];
    while (!three_men(naive, next_random31(seed) % (1u << 19), &pos)) {
    }
    return pos;
}

static void same_value(const treb_value *a, const treb_value *b)
{
    ck_assert_int_eq(a->wdl, b->wdl);
    ck_assert_int_eq(a->rule, b->rule);
    for (int m = TREB_WDL; m < TREB_METRICS; m++) {
        ck_assert_int_eq(a->status[m], b->status[m]);
        ck_assert_int_eq(a->plies[m], b->plies[m]);
    }
}

static void same_moves(treb_tables *tables, treb_tables *plain, const treb_position *pos,
                       int *rounds)
{
    treb_error error;
    treb_move one[TREB_MOVES_MAX], two[TREB_MOVES_MAX];
    size_t count_one, count_two;
    treb_status status;
    do
        status = treb_probe_moves(tables, pos, TREB_DTM, TREB_RULE_50, one, TREB_MOVES_MAX,
                                  &count_one, &error);
    while (again(status, &error, rounds));
    ck_assert_int_eq(status, treb_probe_moves(plain, pos, TREB_DTM, TREB_RULE_50, two,
                                              TREB_MOVES_MAX, &count_two, &error));
    ck_assert_uint_eq(count_one, count_two);
    for (size_t i = 0; i < count_one; i++) {
        ck_assert_str_eq(one[i].uci, two[i].uci);
        same_value(&one[i].value, &two[i].value);
    }
}

/* All moves with all metrics, each time by a new set, of which nothing is there. */
START_TEST(moves)
{
    uint64_t seed = 7;
    treb_tables *plain = open_set(directory);
    int most = 0;
    for (int i = 0; i < POSITIONS; i++) {
        treb_tables *tables = open_late();
        treb_position pos = random_position(&seed);
        int rounds = 0;
        same_moves(tables, plain, &pos, &rounds);
        if (rounds > most) most = rounds;
        ck_assert_uint_eq(treb_tables_faults(tables), 0);
        treb_tables_close(tables);
        ck_assert_int_eq(late.closed, 1);
    }
    ck_assert_uint_eq(treb_tables_faults(plain), 0);
    ck_assert_int_gt(most, 1); /* the source was late indeed */
    treb_tables_close(plain);
}
END_TEST

/* All kinds of probes, by one set. */
START_TEST(probes)
{
    uint64_t seed = 11;
    treb_error error;
    treb_tables *plain = open_set(directory), *tables = open_late();
    for (int i = 0; i < POSITIONS; i++) {
        treb_position pos = random_position(&seed);
        treb_status status;
        treb_wdl wdl, other;
        treb_value one, two;
        treb_distance far, near;
        int rounds = 0, metric = TREB_DTZ + i % 3;
        do status = treb_probe_wdl(tables, &pos, &wdl, &error);
        while (again(status, &error, &rounds));
        ck_assert_int_eq(status, TREB_OK);
        ck_assert_int_eq(treb_probe_wdl(plain, &pos, &other, &error), TREB_OK);
        ck_assert_int_eq(wdl, other);
        rounds = 0;
        do status = treb_probe_distance(tables, &pos, metric, &far, &error);
        while (again(status, &error, &rounds));
        ck_assert_int_eq(status, TREB_OK);
        ck_assert_int_eq(treb_probe_distance(plain, &pos, metric, &near, &error), TREB_OK);
        ck_assert_int_eq(far.plies, near.plies);
        rounds = 0;
        do status = treb_probe_root(tables, &pos, &one, &error);
        while (again(status, &error, &rounds));
        ck_assert_int_eq(status, TREB_OK);
        ck_assert_int_eq(treb_probe_root(plain, &pos, &two, &error), TREB_OK);
        same_value(&one, &two);
    }
    treb_tables_close(tables);
    treb_tables_close(plain);
}
END_TEST

/* A header. */
START_TEST(headers)
{
    treb_error error;
    treb_table_info info;
    treb_status status;
    int rounds = 0;
    treb_tables *tables = open_late();
    do status = treb_tables_find(tables, "KQvK", TREB_DTM, &info, &error);
    while (again(status, &error, &rounds));
    ck_assert_int_eq(status, TREB_OK);
    ck_assert_str_eq(info.material, "KQvK");
    ck_assert_str_eq(info.path, "late/KQvK.dtm.treb");
    ck_assert(info.stored[TREB_WHITE] || info.stored[TREB_BLACK]);
    treb_tables_close(tables);
}
END_TEST

/* A failure is told, is no fault of the file, and passes. */
START_TEST(failure)
{
    treb_error error;
    treb_wdl wdl;
    treb_status status;
    int rounds = 0;
    treb_tables *tables = open_late();
    treb_position pos = position_of("8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_ERR_NOT_READY);
    all_arrive();
    late.failure = TREB_ERR_NETWORK;
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_ERR_NETWORK);
    ck_assert_str_eq(error.text, "the line is dead");
    ck_assert_uint_eq(treb_tables_faults(tables), 0);
    late.failure = TREB_OK;
    do status = treb_probe_wdl(tables, &pos, &wdl, &error);
    while (again(status, &error, &rounds));
    ck_assert_int_eq(status, TREB_OK);
    ck_assert_int_eq(wdl, TREB_LOSS);
    treb_tables_close(tables);
}
END_TEST

static int layout; /* of the tables */

static void prepare(void) { solve_and_write(&codec_layouts[layout]); }

int main(void)
{
    int code = EXIT_SUCCESS;
    for (layout = 0; layout < CODEC_LAYOUTS; layout++) {
        Suite *suite = suite_create(layout == 0 ? "late source, zstd" : "late source, symbols");
        TCase *tests = add_case(suite, "all");
        tcase_add_test(tests, moves);
        tcase_add_test(tests, probes);
        tcase_add_test(tests, headers);
        tcase_add_test(tests, failure);
        prepare();
        if (run_suite(suite) != EXIT_SUCCESS) code = EXIT_FAILURE;
        forget_all();
    }
    return code;
}
