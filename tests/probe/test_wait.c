/* test_wait.c - probes that do not wait for a disk. They never wait, their answers equal those of
 * other probes, and missing pages are fetched. The disk is that of slow_disk.h: only pages that
 * were read or fetched are in memory.
 *
 *     test_wait            three men, our files with both codecs and Syzygy's
 *     test_wait TABLES     random positions of all files there; a random half of the pages is in
 * memory */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/support/slow_disk.h"

#include "probe/file.h"
#include "tests/support/naive_set.h"

enum { THREADS = 4, POSITIONS = 400, ROUNDS_WDL = 4, ROUNDS_MOST = 200 };

static const NaiveLayout layout = {.per_byte = 3,
                                   .block_bits = 10,
                                   .side = TREB_BLACK,
                                   .scramble = true},
                         symbols = {.per_byte = 2,
                                    .block_bits = 10,
                                    .side = TREB_WHITE,
                                    .scramble = true,
                                    .block_bytes = 64,
                                    .bounds = true};
static const char syzygy[] = "tests/data/syzygy";
static char coded[PATH_SIZE]; /* our files with codec symbols */
static char small[PATH_SIZE]; /* likewise; verdicts with White to move alone */
enum { OURS, SYZYGY, CODED, SMALL, FOLDERS };
static const char queen[] = "8/8/8/8/8/2K5/1Q6/k7 b - - 0 1",
                  pawn[] = "8/8/8/8/8/1k6/1P6/1K6 w - - 0 1";

/* Returns the folder of kind `i`. Many tests run once for each kind. */
static const char *folder(int i)
{
    return i == OURS ? directory : i == CODED ? coded : i == SMALL ? small : syzygy;
}

/* Opens a set without its own memory: each probe reads the file. */
static treb_tables *open_cold(const char *from)
{
    treb_tables *tables = open_set(from);
    treb_tables_set_memory(tables, 0);
    return tables;
}

static void open_all_files(treb_tables *tables)
{
    treb_error error;
    for (int m = TREB_WDL; m < TREB_METRICS; m++)
        ck_assert_msg(treb_tables_warm(tables, m, 0, NULL, NULL, &error) == TREB_OK, "%s",
                      error.text);
}

/* Probes with a promise not to wait. The disk counts calls that wait in spite of the promise. */
static treb_status try_wdl(const treb_tables *tables, const treb_position *pos, treb_wdl *out)
{
    disk_promised = true;
    treb_status status = treb_probe_wdl_try(tables, pos, out, NULL);
    disk_promised = false;
    return status;
}

static treb_status try_distance(const treb_tables *tables, const treb_position *pos, int metric,
                                treb_distance *out)
{
    disk_promised = true;
    treb_status status = treb_probe_distance_try(tables, pos, metric, out, NULL);
    disk_promised = false;
    return status;
}

/* Returns a random legal position of three men. */
static treb_position random_position(uint64_t *seed)
{
    treb_position pos;
    const Naive *naive = solved[next_random31(seed) % SOLVED];
    while (!three_men(naive, next_random31(seed) % (1u << 19), &pos)) {
    }
    return pos;
}

/* ---- Ready or not ---------------------------------------------------------------------------- */

/* Probes until there is an answer. After each try, the pages that were fetched arrive. Returns the
 * number of tries that failed. */
static int rounds_of_wdl(const treb_tables *tables, const treb_position *pos, treb_wdl *out)
{
    int rounds = 0, before = 0;
    treb_status status;
    while ((status = try_wdl(tables, pos, out)) == TREB_ERR_NOT_READY) {
        int fetches = atomic_load(&disk.fetches);
        ck_assert_int_gt(fetches, before); /* a fetch has started */
        before = fetches;
        ck_assert_int_eq(try_wdl(tables, pos, out), TREB_ERR_NOT_READY); /* and has not arrived */
        disk_deliver();
        ck_assert_int_le(++rounds, ROUNDS_WDL);
        before = atomic_load(&disk.fetches);
    }
    ck_assert_int_eq(status, TREB_OK);
    return rounds;
}

START_TEST(verdicts)
{
    treb_tables *tables = open_cold(folder(_i)), *plain = open_set(folder(_i));
    uint64_t seed = 5;
    int cold = 0;
    disk_start();
    disk.delay = INT64_MAX;
    open_all_files(tables);
    for (int i = 0; i < POSITIONS; i++) {
        treb_position pos = random_position(&seed);
        treb_wdl wdl = TREB_DRAW, expected = TREB_DRAW;
        disk.skew += 3; /* the library no longer assumes that these pages are in memory */
        disk_forget();
        cold += rounds_of_wdl(tables, &pos, &wdl) > 0;
        disk.on = false;
        ck_assert_int_eq(treb_probe_wdl(plain, &pos, &expected, NULL), TREB_OK);
        disk.on = true;
        ck_assert_int_eq(wdl, expected);
    }
    ck_assert_int_gt(cold, POSITIONS / 2);
    ck_assert_int_eq(atomic_load(&disk.waits), 0);
    treb_tables_close(tables);
    treb_tables_close(plain);
}
END_TEST

/* Compares the members of two answers. memcmp is not possible, because structures may have
 * padding. */
static void same_value(const treb_value *a, const treb_value *b)
{
    ck_assert_int_eq(a->wdl, b->wdl);
    ck_assert_int_eq(a->rule, b->rule);
    for (int m = 0; m < TREB_METRICS; m++) {
        ck_assert_int_eq(a->status[m], b->status[m]);
        ck_assert_int_eq(a->plies[m], b->plies[m]);
        ck_assert_int_eq(a->rounded[m], b->rounded[m]);
    }
}

static bool lacks_any(const treb_value *value)
{
    for (int m = 0; m < TREB_METRICS; m++)
        if (value->status[m] == TREB_ERR_NOT_READY) return true;
    return false;
}

/* Probes the root and the moves until all values are ready. A value that is not ready has that
 * status. The others must be right all the time. */
static void check_values(const treb_tables *tables, const treb_tables *plain,
                         const treb_position *pos)
{
    treb_value expected, value;
    treb_move moves[TREB_MOVES_MAX], right[TREB_MOVES_MAX];
    treb_distance distance;
    size_t count, all;
    disk.on = false;
    treb_probe_root(plain, pos, &expected, NULL);
    treb_probe_moves(plain, pos, TREB_DTZ, TREB_RULE_50, right, TREB_MOVES_MAX, &all, NULL);
    disk.on = true;
    for (int m = TREB_WDL; m <= TREB_DTM; m++) {
        disk_forget();
        disk.skew += 3;
        treb_status status;
        for (int rounds = 0;
             (status = try_distance(tables, pos, m, &distance)) == TREB_ERR_NOT_READY; rounds++) {
            ck_assert_int_lt(rounds, ROUNDS_MOST);
            disk_deliver();
        }
        ck_assert_int_eq(status, expected.status[m]);
        if (status == TREB_OK) ck_assert_int_eq(distance.plies, expected.plies[m]);
    }
    disk_forget();
    disk.skew += 3;
    disk_promised = true;
    for (bool ready = false; !ready; disk_deliver()) {
        treb_status status = treb_probe_root_try(tables, pos, &value, NULL);
        ck_assert_int_eq(status, value.status[TREB_WDL]);
        ready = !lacks_any(&value);
    }
    same_value(&value, &expected);
    disk_forget();
    disk.skew += 3;
    for (bool ready = false; !ready; disk_deliver()) {
        treb_probe_moves_try(tables, pos, TREB_DTZ, TREB_RULE_50, moves, TREB_MOVES_MAX, &count,
                             NULL);
        ck_assert_uint_eq(count, all);
        ready = true;
        for (size_t i = 0; i < count; i++) ready = ready && !lacks_any(&moves[i].value);
    }
    disk_promised = false;
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(moves[i].uci, right[i].uci);
        same_value(&moves[i].value, &right[i].value);
    }
}

START_TEST(values)
{
    treb_tables *tables = open_cold(folder(_i)), *plain = open_set(folder(_i));
    uint64_t seed = 6;
    disk_start();
    disk.delay = INT64_MAX;
    open_all_files(tables);
    for (int i = 0; i < 30; i++) {
        treb_position pos = random_position(&seed);
        check_values(tables, plain, &pos);
    }
    ck_assert_int_eq(atomic_load(&disk.waits), 0);
    treb_tables_close(tables);
    treb_tables_close(plain);
}
END_TEST

/* Values in the set's own memory, and values given by the rules, need no disk. */
START_TEST(needs_no_disk)
{
    treb_tables *tables = open_set(directory);
    treb_position won = position_of(queen), bare = position_of("8/8/8/8/8/2K5/8/k7 b - - 0 1");
    treb_wdl wdl;
    treb_error error;
    ck_assert_int_eq(treb_probe_wdl(tables, &won, &wdl, NULL), TREB_OK);
    ck_assert_int_eq(treb_tables_pin(tables, "KPvK", TREB_WDL, &error), TREB_OK);
    disk_start();
    ck_assert_int_eq(try_wdl(tables, &won, &wdl), TREB_OK);
    ck_assert_int_eq(try_wdl(tables, &bare, &wdl), TREB_OK);
    won = position_of(pawn);
    ck_assert_int_eq(try_wdl(tables, &won, &wdl), TREB_OK);
    ck_assert_int_eq(atomic_load(&disk.reads) + atomic_load(&disk.fetches), 0);
    treb_tables_close(tables);
}
END_TEST

/* A page that was in memory a moment ago is not checked again. Some seconds later it is. */
START_TEST(recently_seen)
{
    treb_tables *tables = open_set(syzygy);
    treb_position pos = position_of(pawn);
    treb_wdl wdl;
    disk_start();
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, NULL), TREB_OK);
    ck_assert_int_eq(try_wdl(tables, &pos, &wdl), TREB_OK);
    for (int i = 0; i < atomic_load(&disk.count);
         i++) /* the pages leave the memory, but mappings can still be read */
        for (size_t p = 0; p < disk.file[i].pages; p++)
            atomic_store(&disk.file[i].there[p], INT64_MAX);
    ck_assert_int_eq(try_wdl(tables, &pos, &wdl), TREB_OK);
    disk.skew += 5;
    ck_assert_int_eq(try_wdl(tables, &pos, &wdl), TREB_ERR_NOT_READY);
    treb_tables_close(tables);
}
END_TEST

/* ---- Files that are not open ----------------------------------------------------------------- */

START_TEST(not_open)
{
    treb_tables *tables = open_set(folder(_i));
    treb_position pos = position_of(pawn);
    treb_wdl wdl, expected;
    treb_error error;
    disk_start();
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(treb_probe_wdl_try(tables, &pos, &wdl, &error), TREB_ERR_NOT_READY);
        ck_assert_msg(strstr(error.text, "KPvK") != NULL, "%s", error.text);
        treb_prefetch(tables, &pos);
        disk_deliver();
    }
    ck_assert_int_eq(atomic_load(&disk.reads) + atomic_load(&disk.fetches), 0);
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &expected, &error), TREB_OK);
    ck_assert_int_gt(atomic_load(&disk.reads), 0);
    ck_assert_int_eq(try_wdl(tables, &pos, &wdl), TREB_OK);
    ck_assert_int_eq(wdl, expected);
    ck_assert_int_eq(atomic_load(&disk.waits), 0);
    treb_tables_close(tables);
}
END_TEST

typedef struct TryThread {
    const treb_tables *tables;
    const treb_position *pos;
    atomic_bool begun;
    treb_status status;
    treb_wdl wdl;
} TryThread;

static void *try_without_pause(void *context)
{
    TryThread *t = context;
    do {
        t->status = treb_probe_wdl_try(t->tables, t->pos, &t->wdl, NULL);
        atomic_store(&t->begun, true);
    } while (t->status == TREB_ERR_NOT_READY);
    return NULL;
}

/* Another thread opens a file while a probe goes on that has found it closed. What completes a verdict, and whether the
 * file has the side to move, is in its header. */
START_TEST(opened_meanwhile)
{
    enum { TIMES = 100 };
    treb_tables *plain = open_set(directory);
    uint64_t seed = 10;
    for (int i = 0; i < TIMES; i++) {
        treb_tables *tables = open_set(folder(_i));
        treb_position pos;
        treb_wdl expected, wdl;
        pthread_t thread;
        do {
            pos = random_position(&seed);
        } while (_i == SMALL ? pos.turn == TREB_WHITE : !(pos.by_type[TREB_PAWN] >> 48));
        ck_assert_int_eq(treb_probe_wdl(plain, &pos, &expected, NULL), TREB_OK);
        TryThread try = {.tables = tables, .pos = &pos};
        ck_assert_int_eq(pthread_create(&thread, NULL, try_without_pause, &try), 0);
        while (!atomic_load(&try.begun)) {
        }
        ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, NULL), TREB_OK);
        pthread_join(thread, NULL);
        ck_assert_int_eq(try.status, TREB_OK);
        ck_assert_int_eq(try.wdl, expected);
        ck_assert_int_eq(wdl, expected);
        treb_tables_close(tables);
    }
    treb_tables_close(plain);
}
END_TEST

/* Probes that do not wait report the same failures as others. A damaged file is reported as soon as
 * it is known. */
START_TEST(failures)
{
    char copy[PATH_SIZE], path[2 * PATH_SIZE];
    make_directory(copy);
    snprintf(path, sizeof path, "%s/KQvK.wdl.treb", copy);
    FILE *file = fopen(path, "w");
    fputs("no table", file);
    fclose(file);
    treb_tables *tables = open_set(copy);
    treb_position pos = position_of(queen), other = position_of(pawn);
    treb_position none = {0};
    treb_value value;
    treb_wdl wdl;
    ck_assert_int_eq(try_wdl(tables, &other, &wdl), TREB_ERR_NO_TABLE);
    ck_assert_int_eq(try_wdl(tables, &none, &wdl), TREB_ERR_POSITION);
    ck_assert_int_eq(try_wdl(tables, &pos, &wdl), TREB_ERR_NOT_READY);
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, NULL), TREB_ERR_DAMAGED);
    ck_assert_int_eq(try_wdl(tables, &pos, &wdl), TREB_ERR_DAMAGED);
    ck_assert_int_eq(treb_probe_root_try(tables, &pos, &value, NULL), TREB_ERR_DAMAGED);
    treb_prefetch(tables, &none);
    ck_assert_str_eq(treb_status_text(TREB_ERR_NOT_READY), "not in memory yet");
    treb_tables_close(tables);
    remove_directory(copy);
}
END_TEST

/* The set keeps only a few files open. Files that it closed are opened again without waiting, or
 * are not ready. */
START_TEST(closed_meanwhile)
{
    TableFiles *files = table_files_new(1);
    TableDecoder *decoder = table_decoder_new();
    Table *table[2];
    treb_error error;
    for (int i = 0; i < 2; i++) {
        char path[2 * PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s.wdl.treb", directory, i ? "KQvK" : "KPvK");
        ck_assert_ptr_nonnull(table[i] = table_open_among(files, path, &error));
    }
    uint8_t *block = malloc((size_t)1 << TABLE_BLOCK_BITS_MAX);
    disk_start();
    table_decoder_set_wait(decoder, WAIT_FOR_ALL);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(table_read_block(table[i], decoder, 0, 0, block, &error), TREB_OK);
    table_decoder_set_wait(decoder, WAIT_NEVER);
    disk.refuses_open = true;
    ck_assert_int_eq(table_read_block(table[1], decoder, 0, 0, block, &error), TREB_OK);
    ck_assert_int_eq(table_read_block(table[0], decoder, 0, 0, block, &error), TREB_ERR_NOT_READY);
    disk.refuses_open = false;
    ck_assert_int_eq(table_read_block(table[0], decoder, 0, 0, block, &error), TREB_OK);
    ck_assert_int_eq(atomic_load(&disk.waits), 0);
    free(block);
    table_decoder_free(decoder);
    for (int i = 0; i < 2; i++) table_close(table[i]);
    table_files_free(files);
}
END_TEST

/* ---- Fetching -------------------------------------------------------------------------------- */

START_TEST(prefetched)
{
    treb_tables *tables = open_cold(folder(_i));
    uint64_t seed = 7;
    int fetched = 0;
    disk_start();
    disk.delay = INT64_MAX;
    open_all_files(tables);
    for (int i = 0; i < POSITIONS; i++) {
        treb_position pos = random_position(&seed);
        treb_wdl wdl;
        disk_forget();
        disk.skew += 3;
        disk_count_anew();
        disk_promised = true;
        /* One of our files needs one block. A Syzygy file needs several reads, one after the
         * other. */
        for (int step = 0; step < (_i == SYZYGY ? ROUNDS_WDL : 1); step++) {
            treb_prefetch(tables, &pos);
            disk_deliver();
        }
        fetched += atomic_load(&disk.fetches) > 0;
        ck_assert_int_eq(treb_probe_wdl_try(tables, &pos, &wdl, NULL), TREB_OK);
        disk_promised = false;
        ck_assert_int_eq(atomic_load(&disk.waits) + atomic_load(&disk.reads), 0);
    }
    ck_assert_int_gt(fetched, POSITIONS / 2);
    treb_tables_close(tables);
}
END_TEST

/* Several threads that probe at once, beside a thread that fetches. */
typedef struct ProbeThreads {
    treb_tables *tables;
    const treb_position *pos;
    const treb_wdl *expected;
    atomic_int wrong, late, number;
} ProbeThreads;

static void *ask_until_ready(void *context)
{
    enum { PATIENCE = 20000 };
    ProbeThreads *threads = context;
    int first = atomic_fetch_add(&threads->number, 1);
    for (int i = 0; i < POSITIONS; i++) {
        int at = (i + 37 * first) % POSITIONS, tries = 0;
        treb_wdl wdl = TREB_DRAW;
        treb_status status;
        while ((status = try_wdl(threads->tables, &threads->pos[at], &wdl)) == TREB_ERR_NOT_READY) {
            if (++tries > PATIENCE) break;
            usleep(500);
        }
        if (status == TREB_ERR_NOT_READY)
            atomic_fetch_add(&threads->late, 1);
        else if (status != TREB_OK || wdl != threads->expected[at])
            atomic_fetch_add(&threads->wrong, 1);
    }
    return NULL;
}

START_TEST(by_a_thread)
{
    static treb_position pos[POSITIONS];
    static treb_wdl expected[POSITIONS];
    treb_tables *tables = open_set(folder(_i)), *plain = open_set(folder(_i));
    ProbeThreads threads = {.tables = tables, .pos = pos, .expected = expected};
    pthread_t thread[THREADS];
    treb_error error;
    uint64_t seed = 8;
    for (int i = 0; i < POSITIONS; i++) {
        pos[i] = random_position(&seed);
        ck_assert_int_eq(treb_probe_wdl(plain, &pos[i], &expected[i], NULL), TREB_OK);
    }
    disk_start();
    disk.delay = disk.read_delay = 200000;
    ck_assert_int_eq(treb_tables_set_fetch(tables, TREB_FETCH_THREAD, &error), TREB_OK);
    ck_assert_int_eq(treb_tables_set_fetch(tables, TREB_FETCH_THREAD, &error), TREB_OK);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, ask_until_ready, &threads), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    ck_assert_int_eq(atomic_load(&threads.wrong), 0);
    ck_assert_int_eq(atomic_load(&threads.late), 0);
    ck_assert_int_eq(atomic_load(&disk.waits), 0);
    ck_assert_int_gt(atomic_load(&disk.reads), 0);
    treb_tables_close(tables);
    treb_tables_close(plain);
}
END_TEST

/* The fetching thread is started, stopped, and closed with work left. Sets without such a thread
 * are closed, too. */
START_TEST(fetch_thread_starts_and_stops)
{
    uint64_t seed = 9;
    treb_error error;
    disk_start();
    disk.read_delay = 1000000;
    for (int i = 0; i < 20; i++) {
        treb_tables *tables = open_set(folder(i % FOLDERS));
        ck_assert_int_eq(treb_tables_set_fetch(tables, TREB_FETCH_THREAD, &error), TREB_OK);
        for (int k = 0; k < 20; k++) {
            treb_position pos = random_position(&seed);
            treb_wdl wdl;
            treb_prefetch(tables, &pos);
            try_wdl(tables, &pos, &wdl);
        }
        if (i % 3 == 0)
            ck_assert_int_eq(treb_tables_set_fetch(tables, TREB_FETCH_SYSTEM, &error), TREB_OK);
        ck_assert_int_eq(treb_tables_set_fetch(tables, (treb_fetch)7, &error), TREB_ERR_ARGUMENT);
        treb_tables_close(tables);
    }
    ck_assert_int_eq(atomic_load(&disk.waits), 0);
}
END_TEST

/* ---- Warming --------------------------------------------------------------------------------- */

typedef struct Told {
    uint64_t last, total;
    int calls, stop_at;
} Told;

static int told(void *context, uint64_t done, uint64_t total)
{
    Told *t = context;
    ck_assert_uint_ge(done, t->last);
    ck_assert_uint_le(done, total);
    t->last = done;
    t->total = total;
    return ++t->calls == t->stop_at;
}

static uint64_t size_of(const treb_tables *tables, const char *material, int metric)
{
    treb_table_info info;
    ck_assert_int_eq(treb_tables_find(tables, material, metric, &info, NULL), TREB_OK);
    return info.file_size;
}

START_TEST(warmed)
{
    treb_tables *tables = open_cold(folder(_i));
    treb_position pos = position_of(pawn);
    treb_error error;
    treb_wdl wdl;
    Told all = {0};
    disk_start();
    disk.delay = INT64_MAX;
    ck_assert_int_eq(treb_tables_warm(tables, TREB_WDL, UINT64_MAX, told, &all, &error), TREB_OK);
    ck_assert_uint_eq(all.last, all.total);
    ck_assert_int_gt(all.calls, 0);
    uint64_t seed = 10;
    disk.skew += 3;
    for (int i = 0; i < POSITIONS;
         i++) { /* everything is in memory, and no page was unpacked for it */
        pos = random_position(&seed);
        ck_assert_int_eq(try_wdl(tables, &pos, &wdl), TREB_OK);
    }
    ck_assert_int_eq(atomic_load(&disk.waits), 0);
    treb_tables_close(tables);
}
END_TEST

START_TEST(warmed_in_part)
{
    treb_tables *tables = open_cold(directory);
    treb_position small = position_of("8/8/8/8/8/2K5/1R6/k7 b - - 0 1");
    treb_error error;
    treb_wdl wdl;
    uint64_t size[] = {size_of(tables, "KQvK", TREB_WDL), size_of(tables, "KRvK", TREB_WDL),
                       size_of(tables, "KPvK", TREB_WDL)};
    uint64_t least = size[0] < size[1] ? size[0] : size[1], sum = size[0] + size[1] + size[2];
    if (size[2] < least) least = size[2];
    disk_start();
    Told one = {0}, none = {0}, stopped = {.stop_at = 2};
    ck_assert_int_eq(treb_tables_warm(tables, TREB_WDL, least, told, &one, &error), TREB_OK);
    ck_assert_uint_eq(one.total, least);
    ck_assert_uint_eq(one.last, least);
    ck_assert_int_eq(treb_tables_warm(tables, TREB_WDL, least - 1, told, &none, &error), TREB_OK);
    ck_assert_uint_eq(none.total, 0);
    ck_assert_int_eq(none.calls, 3);
    ck_assert_int_eq(treb_tables_warm(tables, TREB_WDL, sum, told, &stopped, &error), TREB_OK);
    ck_assert_uint_eq(stopped.total, sum);
    ck_assert_uint_lt(stopped.last, sum);
    ck_assert_int_eq(stopped.calls, 2);
    ck_assert_int_eq(treb_tables_warm(tables, TREB_METRICS, 0, NULL, NULL, &error),
                     TREB_ERR_ARGUMENT);
    disk_forget(); /* the files stay open */
    ck_assert_int_eq(try_wdl(tables, &small, &wdl), TREB_ERR_NOT_READY);
    disk_deliver();
    ck_assert_int_eq(try_wdl(tables, &small, &wdl), TREB_OK);
    treb_tables_close(tables);
}
END_TEST

/* A damaged file does not prevent the others from being warmed. */
START_TEST(warmed_beside_a_damaged_one)
{
    char copy[PATH_SIZE], path[2 * PATH_SIZE];
    treb_error error;
    treb_wdl wdl;
    make_directory(copy);
    for (int i = 0; i < SOLVED; i++)
        if (!naive_write(solved[i], copy, TREB_WDL, &layout)) abort();
    snprintf(path, sizeof path, "%s/KQvK.wdl.treb", copy);
    ck_assert_int_eq(truncate(path, 50), 0);
    treb_tables *tables = open_cold(copy);
    disk_start();
    ck_assert_int_eq(treb_tables_warm(tables, TREB_WDL, UINT64_MAX, NULL, NULL, &error),
                     TREB_ERR_DAMAGED);
    ck_assert_msg(strstr(error.text, "KQvK") != NULL, "%s", error.text);
    treb_position pos = position_of(pawn);
    ck_assert_int_eq(try_wdl(tables, &pos, &wdl), TREB_OK);
    treb_tables_close(tables);
    remove_directory(copy);
}
END_TEST

/* ---- A whole set ----------------------------------------------------------------------------- */

/* Draws a random position of a material. Returns false if it is illegal. */
static bool random_of(const Material *material, uint64_t *seed, treb_position *pos)
{
    memset(pos, 0, sizeof *pos);
    pos->turn = next_random31(seed) % 2;
    pos->fullmove = 1;
    for (int color = 0; color < 2; color++)
        for (int type = TREB_PAWN; type <= TREB_KING; type++)
            for (int n = type == TREB_KING ? 1 : material->count[color][type]; n > 0; n--) {
                int sq = (int)(next_random31(seed) % 64);
                if (bit_test(position_occupied(pos), sq)) return false;
                position_put(pos, color, type, sq);
            }
    return position_check(pos, NULL) == TREB_OK;
}

/* Numbers of probes of a whole set, by result. */
typedef struct Counts {
    int asked, ready, partly, wrong;
} Counts;

/* Removes all pages from memory, then puts a random half of them back. */
static void forget_half(uint64_t *seed)
{
    disk_forget();
    disk.skew += 3;
    for (int k = 0; k < atomic_load(&disk.count); k++)
        for (size_t p = 0; p < disk.file[k].pages; p++)
            if (next_random31(seed) % 2) disk_bring(&disk.file[k], p, 0);
    disk_count_anew();
}

/* An answer must be right, even if some pages were missing. */
static void ask_half(const treb_tables *tables, const treb_tables *plain, const treb_position *pos,
                     int metric, Counts *counts)
{
    treb_distance answer, expected;
    treb_status status = try_distance(tables, pos, metric, &answer);
    counts->asked++;
    counts->wrong += atomic_load(&disk.waits) > 0;
    if (status == TREB_ERR_NOT_READY) return;
    counts->ready++;
    counts->partly += atomic_load(&disk.fetches) > 0;
    disk.on = false;
    treb_status right = treb_probe_distance(plain, pos, metric, &expected, NULL);
    disk.on = true;
    bool same = right == status && (right != TREB_OK ||
                                    (answer.wdl == expected.wdl && answer.plies == expected.plies));
    counts->wrong += !same;
}

static int whole_set(const char *from)
{
    enum { EACH = 25 };
    treb_tables *tables = treb_tables_open(&from, 1, NULL),
                *plain = treb_tables_open(&from, 1, NULL);
    uint64_t seed = 11;
    Counts counts = {0};
    if (tables == NULL || plain == NULL) return EXIT_FAILURE;
    treb_tables_set_memory(tables, 0);
    disk_start();
    disk.delay = INT64_MAX;
    for (int m = TREB_WDL; m < TREB_METRICS; m++)
        if (treb_tables_warm(tables, m, 0, NULL, NULL, NULL) != TREB_OK) return EXIT_FAILURE;
    for (size_t t = 0; t < treb_tables_count(tables); t++) {
        treb_table_info info;
        Material material;
        treb_tables_info(tables, t, &info, NULL);
        if (!material_parse(info.material, &material)) continue;
        for (int i = 0; i < EACH;) {
            treb_position pos;
            if (!random_of(&material, &seed, &pos)) continue;
            i++;
            forget_half(&seed);
            ask_half(tables, plain, &pos, info.metric, &counts);
        }
    }
    printf("%d asked, %d answered, %d of them though something was lacking, %d wrong\n",
           counts.asked, counts.ready, counts.partly, counts.wrong);
    treb_tables_close(tables);
    treb_tables_close(plain);
    bool good = counts.wrong == 0 && counts.ready > 0 && counts.ready < counts.asked;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void write_small(const Naive *naive)
{
    char name[TABLE_NAME_SIZE], path[2 * PATH_SIZE];
    treb_error error;
    write_material(small, naive, &symbols);
    table_file_name(naive_material(naive), TREB_WDL, name);
    snprintf(path, sizeof path, "%s/%s", coded, name);
    Table *both = table_open(path, &error);
    if (both == NULL || table_write_sides(small, both, 1u << TREB_WHITE, NULL, &error) != TREB_OK)
        abort();
    table_close(both);
}

static void set_up(void)
{
    solve_and_write(&layout);
    make_directory(coded);
    for (int i = 0; i < SOLVED; i++) write_material(coded, solved[i], &symbols);
    make_directory(small);
    for (int i = 0; i < SOLVED; i++) write_small(solved[i]);
}

static void tear_down(void)
{
    remove_directory(coded);
    remove_directory(small);
    forget_all();
}

int main(int argc, char **argv)
{
    if (argc > 1) return whole_set(argv[1]);
    Suite *suite = suite_create("never wait");
    TCase *tests = add_case(suite, "never wait");
    tcase_add_unchecked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, verdicts, 0, FOLDERS);
    tcase_add_loop_test(tests, values, 0, FOLDERS);
    tcase_add_test(tests, needs_no_disk);
    tcase_add_test(tests, recently_seen);
    tcase_add_loop_test(tests, not_open, 0, FOLDERS);
    tcase_add_loop_test(tests, opened_meanwhile, CODED, FOLDERS);
    tcase_add_test(tests, failures);
    tcase_add_test(tests, closed_meanwhile);
    tcase_add_loop_test(tests, prefetched, 0, FOLDERS);
    tcase_add_loop_test(tests, by_a_thread, 0, FOLDERS);
    tcase_add_test(tests, fetch_thread_starts_and_stops);
    tcase_add_loop_test(tests, warmed, 0, FOLDERS);
    tcase_add_test(tests, warmed_in_part);
    tcase_add_test(tests, warmed_beside_a_damaged_one);
    return run_suite(suite);
}
