/* test_http.c - tables on a web server. Answers equal those of the same files in a folder. The
 * number of requests is limited. No failure of a server or a disk causes a wrong answer. The server
 * is that of table_server.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <time.h>

#include "core/system/clock.h"
#include "probe/remote/disk.h"
#include "tests/support/naive_set.h"
#include "tests/support/table_server.h"
#include "trebuchet-http.h"

enum { THREADS = 8, POSITIONS = 300 };

static const NaiveLayout zstd = {.per_byte = 3,
                                 .block_bits = 10,
                                 .side = TREB_BLACK,
                                 .scramble = true},
                         symbols = {.per_byte = 2,
                                    .block_bits = 10,
                                    .side = TREB_WHITE,
                                    .scramble = true,
                                    .block_bytes = 64,
                                    .bounds = true};
static char coded[PATH_SIZE], cache[PATH_SIZE];
enum { ZSTD, CODED, FOLDERS };

static const char *folder(int i) { return i == ZSTD ? directory : coded; }

/* ---- Sets ------------------------------------------------------------------------------------ */

static treb_source http_source; /* source of the set that was opened last */

static treb_status open_http(const treb_http_options *options, treb_tables **out, treb_error *error)
{
    *out = NULL;
    treb_status status = treb_http_source(table_server.address, options, &http_source, error);
    if (status == TREB_OK) *out = treb_tables_open_sources(&http_source, 1, error);
    return *out != NULL ? TREB_OK : error->status;
}

static treb_tables *open_with(const char *folder_for_pages)
{
    treb_error error;
    treb_tables *tables;
    const treb_http_options options = {
        .cache = folder_for_pages, .cache_bytes = 64 << 20, .timeout = 6};
    ck_assert_msg(open_http(&options, &tables, &error) == TREB_OK, "%s", error.text);
    return tables;
}

static void open_all_files(treb_tables *tables)
{
    treb_error error;
    for (int m = TREB_WDL; m < TREB_METRICS; m++)
        ck_assert_msg(treb_tables_warm(tables, m, 0, NULL, NULL, &error) == TREB_OK, "%s",
                      error.text);
}

static treb_position random_position(uint64_t *seed)
{
    treb_position pos;
    const Naive *naive = solved[next_random31(seed) % SOLVED];
    while (!three_men(naive, next_random31(seed) % (1u << 19), &pos)) {
    }
    return pos;
}

/* Returns a position whose verdict is known, and whose mate distance needs one page that was not
 * read with the headers. */
static treb_position far_position(int i, treb_tables *tables)
{
    treb_wdl wdl;
    treb_position pos = position_of(i == ZSTD ? "3K3k/8/8/8/8/8/Q7/8 b - - 0 1"
                                              : "8/8/6k1/8/8/5K2/8/3R4 w - - 0 1");
    open_all_files(tables);
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, NULL), TREB_OK);
    (void)server_count();
    return pos;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Checks that two sets give identical answers of all kinds to a position. */
static void same_answers(const treb_tables *a, const treb_tables *b, const treb_position *pos)
{
    treb_error error;
    treb_value one, two;
    treb_move moves_one[TREB_MOVES_MAX], moves_two[TREB_MOVES_MAX];
    size_t count_one, count_two;
    ck_assert_msg(treb_probe_root(a, pos, &one, &error) == TREB_OK, "%s", error.text);
    ck_assert_int_eq(treb_probe_root(b, pos, &two, &error), TREB_OK);
    ck_assert_int_eq(one.wdl, two.wdl);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        ck_assert_int_eq(one.status[m], two.status[m]);
        ck_assert_int_eq(one.plies[m], two.plies[m]);
    }
    treb_status status = treb_probe_moves(a, pos, TREB_DTM, TREB_RULE_50, moves_one, TREB_MOVES_MAX,
                                          &count_one, &error);
    ck_assert_int_eq(status, treb_probe_moves(b, pos, TREB_DTM, TREB_RULE_50, moves_two,
                                              TREB_MOVES_MAX, &count_two, &error));
    ck_assert_uint_eq(count_one, count_two);
    for (size_t i = 0; i < count_one; i++) {
        ck_assert_str_eq(moves_one[i].uci, moves_two[i].uci);
        ck_assert_int_eq(moves_one[i].value.wdl, moves_two[i].value.wdl);
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            ck_assert_int_eq(moves_one[i].value.plies[m], moves_two[i].value.plies[m]);
    }
}

static void same_as_folder(const treb_tables *tables, const treb_tables *plain, int positions,
                           uint64_t seed)
{
    for (int i = 0; i < positions; i++) {
        treb_position pos = random_position(&seed);
        same_answers(tables, plain, &pos);
    }
}

/* Run with the usual memory, and with none. */
START_TEST(answers)
{
    server_start(folder(_i / 2), NULL, NULL);
    treb_tables *plain = open_set(folder(_i / 2)), *tables = open_with("");
    if (_i % 2) treb_tables_set_memory(tables, 0);
    same_as_folder(tables, plain, POSITIONS, 7);
    treb_distance distance;
    treb_wdl wdl;
    treb_position pos = position_of("8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, NULL), TREB_OK);
    ck_assert_int_eq(treb_probe_dtm(tables, &pos, &distance, NULL), TREB_OK);
    ck_assert_int_eq(wdl, TREB_LOSS);
    ck_assert_int_eq(distance.plies, 0);
    ck_assert_int_eq(table_server.lists, 1);
    treb_tables_close(tables);
    treb_tables_close(plain);
    server_stop();
}
END_TEST

/* The other functions of a set, and the names of its files. */
START_TEST(other_functions)
{
    treb_error error;
    treb_table_info here, there;
    server_start(folder(CODED), NULL, NULL);
    treb_tables *plain = open_set(folder(CODED)), *tables = open_with("");
    ck_assert_uint_eq(treb_tables_count(tables), treb_tables_count(plain));
    ck_assert_int_eq(treb_tables_find(plain, "KPvK", TREB_DTZ, &here, &error), TREB_OK);
    ck_assert_int_eq(treb_tables_find(tables, "KvKP", TREB_DTZ, &there, &error), TREB_OK);
    ck_assert_uint_eq(here.file_size, there.file_size);
    ck_assert_uint_eq(here.count[0][TREB_WIN], there.count[0][TREB_WIN]);
    char path[128];
    snprintf(path, sizeof path, "%sKPvK.dtz.treb", table_server.address);
    ck_assert_str_eq(there.path, path);
    ck_assert_int_eq(treb_tables_pin(tables, "KPvK", TREB_WDL, &error), TREB_OK);
    ck_assert_int_eq(treb_tables_warm(tables, TREB_DTM, UINT64_MAX, NULL, NULL, &error), TREB_OK);
    same_as_folder(tables, plain, 20, 9);
    treb_tables_close(tables);
    treb_tables_close(plain);
    server_stop();
}
END_TEST

/* An address among directories: the first place that has a file is used. */
START_TEST(mixed)
{
    treb_error error;
    treb_wdl wdl;
    treb_position pos = position_of("8/8/8/8/8/2K5/1Q6/k7 b - - 0 1");
    server_start(folder(ZSTD), NULL, NULL);
    treb_tables *plain = open_set(folder(ZSTD));
    const char *first[] = {table_server.address, folder(CODED)};
    const char *last[] = {folder(CODED), table_server.address};
    treb_tables *tables = treb_tables_open(last, 2, &error);
    ck_assert_msg(tables != NULL, "%s", error.text);
    same_as_folder(tables, plain, 20, 11);
    ck_assert_int_eq(server_count(), 0);
    treb_tables_close(tables);
    tables = treb_tables_open(first, 2, &error);
    ck_assert_msg(tables != NULL, "%s", error.text);
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, NULL), TREB_OK);
    ck_assert_int_gt(server_count(), 0);
    treb_tables_close(tables);
    treb_tables_close(plain);
    server_stop();
}
END_TEST

/* ---- What it costs --------------------------------------------------------------------------- */

/* The number of requests of a cold probe when the tables are open: one for a verdict, one more for
 * DTZ, at most three for DTM. The side to move is stored in the files, and no capture or promotion
 * leads to another table. */
START_TEST(requests)
{
    int seen[TREB_METRICS] = {0};
    uint64_t seed = 13;
    server_start(folder(_i), NULL, NULL);
    for (int i = 0; i < 24; i++) {
        treb_distance d;
        treb_wdl wdl;
        treb_position pos;
        while (!three_men(solved[1 + i % 2], next_random31(&seed) % (1u << 19), &pos) ||
               pos.turn != (_i == ZSTD ? zstd.side : symbols.side)) {
        }
        treb_tables *tables = open_with("");
        open_all_files(tables);
        ck_assert_int_le(server_count(), 3 * 4 * 2); /* two for each file */
        ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, NULL), TREB_OK);
        int cost = server_count();
        ck_assert_int_le(cost, 1);
        seen[TREB_WDL] += cost;
        ck_assert_int_eq(treb_probe_dtz(tables, &pos, &d, NULL), TREB_OK);
        cost = server_count();
        ck_assert_int_le(cost, 1);
        seen[TREB_DTZ] += cost;
        ck_assert_int_eq(treb_probe_dtm(tables, &pos, &d, NULL), TREB_OK);
        cost = server_count();
        ck_assert_int_le(cost, 3);
        seen[TREB_DTM] += cost;
        /* Warm probes make no request. */
        ck_assert_int_eq(treb_probe_dtm(tables, &pos, &d, NULL), TREB_OK);
        ck_assert_int_eq(treb_probe_dtz(tables, &pos, &d, NULL), TREB_OK);
        ck_assert_int_eq(server_count(), 0);
        treb_tables_close(tables);
    }
    /* The start of a file may have come with its header, so that some probes cost nothing. */
    ck_assert_int_gt(seen[TREB_WDL], 0);
    ck_assert_int_gt(seen[TREB_DTZ], 0);
    ck_assert_int_gt(seen[TREB_DTM], 0);
    server_stop();
}
END_TEST

/* A probe fetches all that it needs at the same time. The test probes all moves of a position, and
 * each answer takes 100 ms. */
START_TEST(side_by_side)
{
    size_t count;
    treb_move moves[TREB_MOVES_MAX];
    treb_position pos = position_of("8/8/8/2k5/8/8/6Q1/K7 w - - 0 1");
    server_start(folder(CODED), NULL, NULL);
    treb_tables *tables = open_with("");
    open_all_files(tables);
    (void)server_count();
    server_set(SERVE_SLOWLY, -1);
    uint64_t before = clock_milliseconds();
    ck_assert_int_eq(
        treb_probe_moves(tables, &pos, TREB_DTM, TREB_RULE_50, moves, TREB_MOVES_MAX, &count, NULL),
        TREB_OK);
    uint64_t took = clock_milliseconds() - before;
    int requests = server_count();
    ck_assert_int_ge(requests, 6);
    ck_assert_uint_lt(took, (uint64_t)requests * 100 / 2);
    ck_assert_int_le(table_server.most_at_once, 8); /* limit of connections */
    treb_tables_close(tables);
    server_stop();
}
END_TEST

typedef struct Asking {
    const treb_tables *tables;
    treb_position pos;
    pthread_barrier_t *barrier;
    treb_status status;
} Asking;

static void *ask_once(void *context)
{
    Asking *a = context;
    treb_distance distance;
    pthread_barrier_wait(a->barrier);
    a->status = treb_probe_dtm(a->tables, &a->pos, &distance, NULL);
    return NULL;
}

/* Many threads that need the same block cause one request. */
START_TEST(one_for_all)
{
    pthread_t thread[THREADS];
    Asking asking[THREADS];
    pthread_barrier_t barrier;
    server_start(folder(_i), NULL, NULL);
    treb_tables *tables = open_with("");
    treb_position pos = far_position(_i, tables);
    server_set(SERVE_SLOWLY, -1);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        asking[i] = (Asking){tables, pos, &barrier, 0};
        pthread_create(&thread[i], NULL, ask_once, &asking[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(asking[i].status, TREB_OK);
    }
    ck_assert_int_eq(server_count(), 1);
    pthread_barrier_destroy(&barrier);
    treb_tables_close(tables);
    server_stop();
}
END_TEST

/* ---- Not waiting ----------------------------------------------------------------------------- */

/* Probes that do not wait return at once, however slow the server is, and succeed when it has
 * answered. With a thread that fetches, files need not be open. */
START_TEST(never_wait)
{
    treb_wdl wdl, expected;
    uint64_t seed = 17, longest = 0;
    server_start(folder(_i / 2), NULL, NULL);
    treb_tables *plain = open_set(folder(_i / 2)), *tables = open_with("");
    if (_i % 2)
        ck_assert_int_eq(treb_tables_set_fetch(tables, TREB_FETCH_THREAD, NULL), TREB_OK);
    else
        open_all_files(tables);
    server_set(SERVE_SLOWLY, -1);
    for (int i = 0; i < 12; i++) {
        treb_position pos = random_position(&seed);
        uint64_t begin = clock_milliseconds(), before = begin;
        treb_status status;
        treb_prefetch(tables, &pos);
        while ((status = treb_probe_wdl_try(tables, &pos, &wdl, NULL)) == TREB_ERR_NOT_READY) {
            if (clock_milliseconds() - before > longest) longest = clock_milliseconds() - before;
            ck_assert_uint_lt(clock_milliseconds() - begin, 4000);
            server_sleep(2);
            before = clock_milliseconds();
        }
        ck_assert_int_eq(status, TREB_OK);
        ck_assert_int_eq(treb_probe_wdl(plain, &pos, &expected, NULL), TREB_OK);
        ck_assert_int_eq(wdl, expected);
    }
    ck_assert_uint_lt(longest, 60); /* an answer of the server takes 100 ms */
    treb_tables_close(tables);
    treb_tables_close(plain);
    server_stop();
}
END_TEST

/* Probes that do not wait report a failure, too. They succeed when the server works again. */
START_TEST(try_fails)
{
    treb_wdl wdl;
    treb_error error;
    treb_status status;
    treb_position pos = position_of("8/8/8/2k5/8/8/6Q1/K7 w - - 0 1");
    server_start(folder(CODED), NULL, NULL);
    treb_tables *tables = open_with("");
    open_all_files(tables);
    table_server.code = 403;
    server_set(SERVE_CODE, -1);
    while ((status = treb_probe_wdl_try(tables, &pos, &wdl, &error)) == TREB_ERR_NOT_READY)
        server_sleep(1);
    ck_assert_int_eq(status, TREB_ERR_NETWORK);
    ck_assert_ptr_nonnull(strstr(error.text, "HTTP 403"));
    server_set(SERVE_WELL, 0);
    uint64_t begin = clock_milliseconds();
    while (treb_probe_wdl_try(tables, &pos, &wdl, NULL) != TREB_OK) {
        ck_assert_uint_lt(clock_milliseconds() - begin, 4000);
        server_sleep(2);
    }
    treb_tables_close(tables);
    server_stop();
}
END_TEST

/* ---- Servers that misbehave ------------------------------------------------------------------ */

static const struct Misdeed {
    TableServerMode mode;
    int code;
    treb_status status;
    const char *text; /* must be part of the message */
    int requests;
} misdeeds[] = {{SERVE_CODE, 404, TREB_ERR_NETWORK, "HTTP 404", 1},
                {SERVE_CODE, 403, TREB_ERR_NETWORK, "HTTP 403", 1},
                {SERVE_CODE, 400, TREB_ERR_NETWORK, "HTTP 400", 1},
                {SERVE_CODE, 416, TREB_ERR_DAMAGED, "shorter", 1},
                {SERVE_CODE, 503, TREB_ERR_NETWORK, "HTTP 503", 4},
                {SERVE_NEVER, 0, TREB_ERR_TIMEOUT, "", 2},
                {SERVE_WHOLE, 0, TREB_ERR_NETWORK, "whole files", 1},
                {SERVE_SHIFTED, 0, TREB_ERR_NETWORK, "another range", 1},
                {SERVE_CUT, 0, TREB_ERR_NETWORK, "", 4},
                {SERVE_LESS, 0, TREB_ERR_NETWORK, "cut off", 4},
                {SERVE_LARGER, 0, TREB_ERR_DAMAGED, "changed while in use", 1},
                {SERVE_CHANGED, 0, TREB_ERR_DAMAGED, "changed while in use", 1},
                {SERVE_PACKED, 0, TREB_ERR_NETWORK, "compressed", 1},
                {SERVE_GARBLED, 0, TREB_ERR_DAMAGED, "damaged", 2},
                {SERVE_IN_CIRCLES, 0, TREB_ERR_NETWORK, "redirects", 6}};
enum { MISDEEDS = sizeof misdeeds / sizeof *misdeeds };

/* The server misbehaves when the tables are open, and probes fail. It then behaves well, and they
 * succeed. */
START_TEST(misbehaves)
{
    const struct Misdeed *m = &misdeeds[_i];
    treb_distance distance = {TREB_CURSED_WIN, 7, 0};
    treb_error error;
    server_start(folder(_i % FOLDERS), NULL, NULL);
    treb_tables *tables = open_with("");
    treb_position pos = far_position(_i % FOLDERS, tables);
    table_server.code = m->code;
    server_set(m->mode, -1);
    ck_assert_int_eq(treb_probe_dtm(tables, &pos, &distance, &error), m->status);
    ck_assert_int_eq(error.status, m->status);
    ck_assert_msg(strstr(error.text, m->text) != NULL, "%s", error.text);
    ck_assert_int_eq(distance.plies, 7); /* the result is unchanged */
    int requests = server_count();
    if (m->mode == SERVE_GARBLED)
        ck_assert_int_le(requests, 4); /* requests of the prefetch, and one to find the error */
    else if (m->mode == SERVE_NEVER)
        ck_assert_int_ge(requests, m->requests);
    else
        ck_assert_int_eq(requests, m->requests);
    server_set(SERVE_WELL, 0);
    if (_i < FOLDERS) {
        server_sleep(1050); /* a failure is remembered for a second */
        ck_assert_int_eq(treb_probe_dtm(tables, &pos, &distance, &error), TREB_OK);
        ck_assert_int_gt(distance.plies, 0);
    }
    treb_tables_close(tables);
    server_stop();
}
END_TEST

/* The server misbehaves when a table is opened. */
START_TEST(misbehaves_at_first)
{
    const struct Misdeed *m = &misdeeds[_i];
    treb_wdl wdl;
    treb_error error;
    treb_position pos = position_of("8/8/8/2k5/8/8/6Q1/K7 w - - 0 1");
    server_start(folder(CODED), NULL, NULL);
    treb_tables *tables = open_with("");
    table_server.code = m->code;
    server_set(m->mode, -1);
    treb_status status = treb_probe_wdl(tables, &pos, &wdl, &error);
    /* The first answer defines the version, so a changed ETag is not an error. */
    if (m->mode == SERVE_CHANGED) {
        ck_assert_int_eq(status, TREB_OK);
    } else {
        ck_assert_int_eq(status, m->status);
        if (m->mode != SERVE_LARGER) ck_assert_ptr_nonnull(strstr(error.text, m->text));
        server_set(SERVE_WELL, 0);
        server_sleep(1050);
        status = treb_probe_wdl(tables, &pos, &wdl, &error);
        if (m->mode == SERVE_LARGER) /* the wrong size was known first */
            ck_assert_int_eq(status, TREB_ERR_DAMAGED);
        else
            ck_assert_msg(status == TREB_OK, "%s", error.text);
    }
    treb_tables_close(tables);
    server_stop();
}
END_TEST

/* The caller does not notice failures that a second request mends. */
START_TEST(retries)
{
    static const int modes[] = {SERVE_CODE, SERVE_CUT, SERVE_LESS, SERVE_GARBLED, SERVE_REDIRECTED};
    server_start(folder(_i % FOLDERS), NULL, NULL);
    table_server.code = 503;
    treb_tables *plain = open_set(folder(_i % FOLDERS)), *tables = open_with("");
    uint64_t seed = 19;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        for (int k = 0; k < 2; k++) {
            treb_position pos = random_position(&seed);
            /* A page that is garbled twice is given up. */
            server_set(modes[i], modes[i] == SERVE_GARBLED ? 1 : 2);
            same_answers(tables, plain, &pos);
        }
    }
    treb_http_counts counts;
    treb_http_get_counts(&http_source, &counts);
    ck_assert_uint_gt(counts.requests, 0);
    ck_assert_uint_gt(counts.failures, 0);
    treb_tables_close(tables);
    treb_tables_close(plain);
    server_stop();
}
END_TEST

/* No server runs at the address; and the server ends after the set was opened. */
START_TEST(no_server)
{
    treb_error error;
    treb_tables *tables;
    treb_wdl wdl;
    treb_position pos = position_of("8/8/8/2k5/8/8/6Q1/K7 w - - 0 1");
    const treb_http_options options = {.cache = "", .timeout = 2};
    server_start(folder(CODED), NULL, NULL);
    ck_assert_int_eq(open_http(&options, &tables, &error), TREB_OK);
    server_stop();
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_ERR_NETWORK);
    treb_tables_close(tables);
    ck_assert_int_eq(open_http(&options, &tables, &error), TREB_ERR_NETWORK);
    ck_assert_ptr_nonnull(strstr(error.text, "SHA256SUMS"));
}
END_TEST

/* ---- Certificates and addresses -------------------------------------------------------------- */

static char *file_text(const char *path)
{
    char *text = calloc(1, 4096);
    FILE *file = fopen(path, "r");
    if (text == NULL || file == NULL || fread(text, 1, 4095, file) == 0) abort();
    fclose(file);
    return text;
}

START_TEST(certificates)
{
    const char *authority = "tests/data/http/localhost.pem";
    treb_error error;
    treb_tables *tables;
    char plain[64];
    char *certificate = file_text(authority), *key = file_text("tests/data/http/localhost.key");
    server_start(folder(CODED), certificate, key);
    treb_http_options options = {.cache = "", .timeout = 30};
    ck_assert_int_eq(open_http(&options, &tables, &error), TREB_ERR_NETWORK);
    ck_assert_msg(strstr(error.text, "certificate") != NULL, "%s", error.text);
    options.ca_file = authority;
    ck_assert_msg(open_http(&options, &tables, &error) == TREB_OK, "%s", error.text);
    treb_tables *here = open_set(folder(CODED));
    same_as_folder(tables, here, 5, 23);
    /* An https address must not redirect to http. */
    snprintf(plain, sizeof plain, "http://localhost:1/x");
    table_server.elsewhere = plain;
    server_set(SERVE_ELSEWHERE, -1);
    treb_wdl wdl;
    treb_position pos = position_of("8/8/8/3k4/8/8/6R1/K7 w - - 0 1");
    treb_tables_close(tables);
    ck_assert_msg(open_http(&options, &tables, &error) == TREB_OK, "%s", error.text);
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_ERR_NETWORK);
    ck_assert_msg(strstr(error.text, "rotocol") != NULL, "%s", error.text);
    treb_tables_close(tables);
    treb_tables_close(here);
    server_stop();
    free(certificate);
    free(key);
}
END_TEST

START_TEST(addresses)
{
    static const char *const wrong[] = {
        "http://",      "https:///x",   "ftp://host/x", "http://a:b@host/x", "http://host/x?y",
        "http://h/x#y", "http://h/a b", "host/x",       "https://user@host/"};
    treb_error error;
    treb_source source;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(treb_http_source(wrong[i], NULL, &source, &error), TREB_ERR_ARGUMENT);
        ck_assert_ptr_null(strstr(error.text, "a:b")); /* the message does not repeat a password */
    }
}
END_TEST

/* Addresses in a path whose parts are separated by colons. */
START_TEST(places)
{
    static const struct {
        const char *path, *place[5];
    } paths[] = {{"", {NULL}},
                 {"::", {NULL}},
                 {"a:/b::c", {"a", "/b", "c", NULL}},
                 {"http://h/x:/y", {"http://h/x", "/y", NULL}},
                 {"/y:https://h:8443/x/:z", {"/y", "https://h:8443/x/", "z", NULL}},
                 {"HTTP://h:80:https://h", {"HTTP://h:80", "https://h", NULL}},
                 {"http://[::1]:80/x:http://h:/y", {"http://[::1]:80/x", "http://h", "/y", NULL}},
                 {"http:a", {"http", "a", NULL}}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char copy[64], *rest = strcpy(copy, paths[i].path);
        for (int k = 0; paths[i].place[k] != NULL; k++)
            ck_assert_pstr_eq(treb_next_place(&rest), paths[i].place[k]);
        ck_assert_ptr_null(treb_next_place(&rest));
    }
}
END_TEST

/* ---- The list -------------------------------------------------------------------------------- */

START_TEST(lists)
{
#define SUM "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF"
    static const struct {
        const char *text;
        int files; /* -1: refused */
    } list[] = {
        {"", -1}, /* no file is listed */
        {"<html>Please log in.", -1},
        {SUM "  KQvK.wdl.treb\r\n" SUM " *./KRvK.wdl.treb", 2},
        {SUM "  ../KQvK.wdl.treb\n" SUM "  a/KQvK.wdl.treb\n" SUM "  KQvK.wdl.treb\n", 1},
        {SUM "  KQvK.wdl.treb\n" SUM "  KQvK.wdl.treb\n" SUM "  KQvK.rtbw\n" SUM "  README\n", 2},
        {SUM "  README\n", 0}};
    treb_error error;
    treb_tables *tables;
    const treb_http_options options = {.cache = "", .timeout = 30};
    server_start(folder(CODED), NULL, NULL);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        table_server.list = list[i].text;
        treb_status status = open_http(&options, &tables, &error);
        ck_assert_int_eq(status, list[i].files < 0 ? TREB_ERR_NETWORK : TREB_OK);
        if (status != TREB_OK) ck_assert_ptr_nonnull(strstr(error.text, "SHA256SUMS"));
        if (tables != NULL) ck_assert_uint_eq(treb_tables_count(tables), (size_t)list[i].files);
        treb_tables_close(tables);
    }
    /* Files that are not listed are not requested. */
    table_server.list = SUM "  KQvK.wdl.treb\n";
    ck_assert_int_eq(open_http(&options, &tables, &error), TREB_OK);
    treb_wdl wdl;
    treb_position pos = position_of("8/8/8/3k4/8/8/6R1/K7 w - - 0 1");
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_ERR_NO_TABLE);
    ck_assert_int_eq(server_count(), 0);
    treb_tables_close(tables);
    server_stop();
}
END_TEST

/* ---- What is kept on a disk ------------------------------------------------------------------ */

/* Compares answers. Returns the number of requests for them. */
static int requests_of(const treb_tables *plain, int positions, uint64_t seed)
{
    (void)server_count();
    treb_tables *tables = open_with(cache);
    same_as_folder(tables, plain, positions, seed);
    treb_tables_close(tables);
    return server_count();
}

static void cache_path(char out[PATH_SIZE + 32])
{
    snprintf(out, PATH_SIZE + 32, "%s/trebuchet-pages", cache);
}

/* The next process only requests what identifies the version of each file. */
START_TEST(disk_cache)
{
    char path[PATH_SIZE + 32];
    struct stat about;
    server_start(folder(_i), NULL, NULL);
    treb_tables *plain = open_set(folder(_i));
    int cold = requests_of(plain, 30, 29), warm = requests_of(plain, 30, 29);
    ck_assert_int_gt(cold, 40);
    ck_assert_int_le(warm, 12); /* one for each file */
    cache_path(path);
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_le(about.st_size, 64 << 20);
    /* Pages of another version are not used. */
    server_set(SERVE_CHANGED, -1);
    ck_assert_int_gt(requests_of(plain, 30, 29), 40);
    /* Pages of a file without a version are not kept. */
    table_server.untagged = true;
    server_set(SERVE_WELL, 0);
    ck_assert_int_gt(requests_of(plain, 30, 29), 40);
    ck_assert_int_gt(requests_of(plain, 30, 29), 40);
    treb_tables_close(plain);
    server_stop();
}
END_TEST

static void damage(const char *path, uint64_t *seed)
{
    struct stat about;
    int file = open(path, O_RDWR);
    if (file < 0 || fstat(file, &about) != 0) abort();
    for (int i = 0; i < 20000; i++) {
        uint8_t byte = (uint8_t)next_random31(seed);
        off_t at = (off_t)(next_random31(seed) % (uint64_t)about.st_size);
        if (at < 64) continue;
        if (pwrite(file, &byte, 1, at) != 1) abort();
    }
    close(file);
}

/* Answers are right whatever happens to the cache file. */
START_TEST(damaged_disk_cache)
{
    char path[PATH_SIZE + 32];
    uint64_t seed = 31;
    server_start(folder(_i), NULL, NULL);
    treb_tables *plain = open_set(folder(_i));
    cache_path(path);
    (void)requests_of(plain, 30, 37);
    damage(path, &seed);
    (void)requests_of(plain, 30, 37);
    if (truncate(path, 100000) != 0) abort(); /* pages behind the cut are lost */
    (void)requests_of(plain, 30, 37);
    if (truncate(path, 10) != 0) abort();
    (void)requests_of(plain, 30, 37);
    ck_assert_int_le(requests_of(plain, 30, 37), 12);
    treb_tables_close(plain);
    server_stop();
}
END_TEST

/* An error names a folder that cannot be used. */
START_TEST(no_folder)
{
    treb_error error;
    treb_tables *tables;
    const treb_http_options options = {.cache = "/nowhere/at/all", .timeout = 2};
    server_start(folder(CODED), NULL, NULL);
    ck_assert_int_eq(open_http(&options, &tables, &error), TREB_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/at/all"));
    server_stop();
}
END_TEST

/* Many threads store pages on a disk cache that is far too small for them. */
static void *put_and_get(void *context)
{
    treb_error error;
    Disk *disk = disk_open(cache, 1 << 20, &error);
    ck_assert_ptr_nonnull(disk);
    uint64_t seed = (uintptr_t)context;
    int found = 0;
    for (int i = 0; i < 4000; i++) {
        uint8_t page[DISK_PAGE], got[DISK_PAGE];
        uint64_t number = next_random31(&seed) % 600;
        XXH128_hash_t key = XXH3_128bits(&number, sizeof number);
        for (int k = 0; k < DISK_PAGE; k++) page[k] = (uint8_t)(number * 7 + (uint64_t)k);
        if (disk_get(disk, key, got)) {
            ck_assert_mem_eq(got, page, DISK_PAGE);
            found++;
        } else {
            disk_put(disk, key, page);
        }
    }
    disk_close(disk);
    ck_assert_int_gt(found, 100);
    return NULL;
}

START_TEST(shared)
{
    pthread_t thread[4];
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, put_and_get, (void *)(i + 1));
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
}
END_TEST

/* ---- Sources of others ----------------------------------------------------------------------- */

/* A source that reads a folder by plain calls, and cannot read ahead. */
static treb_status plain_list(void *context, void (*add)(void *to, const char *file), void *to,
                              treb_error *error)
{
    DIR *list = opendir(context);
    (void)error;
    for (struct dirent *e; (e = readdir(list)) != NULL;) add(to, e->d_name);
    closedir(list);
    return TREB_OK;
}

static treb_status plain_open(void *context, const char *file, void **handle, uint64_t *size,
                              treb_error *error)
{
    char path[2 * PATH_SIZE];
    (void)error;
    snprintf(path, sizeof path, "%s/%s", (const char *)context, file);
    FILE *opened = fopen(path, "rb");
    if (opened == NULL) return error->status = TREB_ERR_NO_TABLE;
    fseek(opened, 0, SEEK_END);
    *size = (uint64_t)ftell(opened);
    *handle = opened;
    return TREB_OK;
}

static treb_status plain_read(void *context, void *handle, treb_read how, uint64_t offset,
                              size_t size, void *out, treb_error *error)
{
    (void)context;
    if (how == TREB_READ_TRY || how == TREB_READ_BEGIN) return error->status = TREB_ERR_NOT_READY;
    ssize_t n = pread(fileno((FILE *)handle), out, size, (off_t)offset);
    return n == (ssize_t)size ? TREB_OK : (error->status = TREB_ERR_IO);
}

static int closed_files, closed_sources;

static void plain_close_file(void *context, void *handle)
{
    (void)context;
    closed_files++;
    fclose(handle);
}

static void plain_close(void *context)
{
    (void)context;
    closed_sources++;
}

START_TEST(other_sources)
{
    treb_error error;
    const treb_source sources[] = {{"mine", (void *)(uintptr_t)folder(_i), plain_list, plain_open,
                                    plain_read, plain_close_file, plain_close},
                                   {.name = folder(ZSTD)}};
    treb_tables *tables = treb_tables_open_sources(sources, 2, &error),
                *plain = open_set(folder(_i));
    ck_assert_msg(tables != NULL, "%s", error.text);
    same_as_folder(tables, plain, 50, 41);
    treb_table_info info;
    ck_assert_int_eq(treb_tables_find(tables, "KQvK", TREB_WDL, &info, &error), TREB_OK);
    ck_assert_str_eq(info.path, "mine/KQvK.wdl.treb");
    treb_tables_close(tables);
    ck_assert_int_gt(closed_files, 0);
    ck_assert_int_eq(closed_sources, 1);
    /* A source is closed, too, if another place cannot be opened. */
    const treb_source wrong[] = {{.name = "/nowhere/at/all"}, sources[0]};
    ck_assert_ptr_null(treb_tables_open_sources(wrong, 2, &error));
    ck_assert_int_eq(closed_sources, 2);
    treb_tables_close(plain);
}
END_TEST

/* ---------------------------------------------------------------------------------------------- */

static void prepare(void)
{
    solve_and_write(&zstd);
    make_directory(coded);
    for (int i = 0; i < SOLVED; i++) write_material(coded, solved[i], &symbols);
}

static void clean_up(void)
{
    remove_directory(coded);
    forget_all();
}

static void prepare_cache(void) { make_directory(cache); }
static void clean_cache(void) { remove_directory(cache); }

static TCase *add_tests(Suite *suite, const char *name)
{
    TCase *tests = add_case(suite, name);
    tcase_add_checked_fixture(tests, prepare_cache, clean_cache);
    return tests;
}

int main(void)
{
    unsetenv("http_proxy");
    unsetenv("https_proxy");
    Suite *suite = suite_create("http");
    TCase *tests = add_tests(suite, "answers");
    tcase_add_loop_test(tests, answers, 0, 2 * FOLDERS);
    tcase_add_test(tests, other_functions);
    tcase_add_test(tests, mixed);
    tcase_add_loop_test(tests, other_sources, 0, FOLDERS);
    tests = add_tests(suite, "costs");
    tcase_add_loop_test(tests, requests, 0, FOLDERS);
    tcase_add_test(tests, side_by_side);
    tcase_add_loop_test(tests, one_for_all, 0, FOLDERS);
    tests = add_tests(suite, "not waiting");
    tcase_add_loop_test(tests, never_wait, 0, 2 * FOLDERS);
    tcase_add_test(tests, try_fails);
    tests = add_tests(suite, "misdeeds");
    tcase_add_loop_test(tests, misbehaves, 0, MISDEEDS);
    tcase_add_loop_test(tests, misbehaves_at_first, MISDEEDS - 6, MISDEEDS); /* the subtle ones */
    tcase_add_loop_test(tests, retries, 0, FOLDERS);
    tcase_add_test(tests, no_server);
    tests = add_tests(suite, "addresses");
    tcase_add_test(tests, certificates);
    tcase_add_test(tests, addresses);
    tcase_add_test(tests, places);
    tcase_add_test(tests, lists);
    tests = add_tests(suite, "disk");
    tcase_add_loop_test(tests, disk_cache, 0, FOLDERS);
    tcase_add_loop_test(tests, damaged_disk_cache, 0, FOLDERS);
    tcase_add_test(tests, no_folder);
    tcase_add_test(tests, shared);
    prepare(); /* once for all tests */
    int code = run_suite(suite);
    clean_up();
    return code;
}
