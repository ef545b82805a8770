/* naive_set.h - folders of tables that tests/support/naive.c solved, and other parts that the tests
 * of probes share. Each test program includes this file once. */
#ifndef TREB_TESTS_SUPPORT_NAIVE_SET_H
#define TREB_TESTS_SUPPORT_NAIVE_SET_H

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/naive.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { SOLVED = 3, PATH_SIZE = 256 };
static Naive *root;                 /* KPvK, which owns the other tables */
static const Naive *solved[SOLVED]; /* KPvK, KQvK, KRvK */
static char directory[PATH_SIZE];

/* One layout for each codec, by TableCodec. */
static const NaiveLayout codec_layouts[] = {
    {.per_byte = 3, .block_bits = 10, .side = TREB_BLACK, .scramble = true},
    {.per_byte = 2,
     .block_bits = 10,
     .side = TREB_WHITE,
     .scramble = true,
     .block_bytes = 64,
     .bounds = true}};
enum { CODEC_LAYOUTS = sizeof codec_layouts / sizeof *codec_layouts };

static inline void make_directory(char out[PATH_SIZE])
{
    const char *base = getenv("TMPDIR");
    snprintf(out, PATH_SIZE, "%s/treb-probe-XXXXXX", base ? base : "/tmp");
    if (mkdtemp(out) == NULL) abort();
}

static inline void remove_directory(const char *name)
{
    DIR *list = opendir(name);
    if (list == NULL) return;
    for (struct dirent *e; (e = readdir(list)) != NULL;) unlinkat(dirfd(list), e->d_name, 0);
    closedir(list);
    rmdir(name);
}

static inline void write_material(const char *to, const Naive *naive, const NaiveLayout *layout)
{
    for (int m = TREB_WDL; m < TREB_METRICS; m++)
        if (!naive_write(naive, to, (treb_metric)m, layout)) abort();
}

/* For fixtures: solves all materials and writes their tables to `directory`. */
static inline void solve_and_write(const NaiveLayout *layout)
{
    make_directory(directory);
    solved[0] = root = naive_solve("KPvK");
    solved[1] = naive_promoted(root, TREB_QUEEN);
    solved[2] = naive_promoted(root, TREB_ROOK);
    for (int i = 0; i < SOLVED; i++) write_material(directory, solved[i], layout);
}

static inline void forget_all(void)
{
    naive_free(root);
    remove_directory(directory);
}

static inline treb_tables *open_set(const char *from)
{
    treb_error error;
    treb_tables *tables = treb_tables_open(&from, 1, &error);
    ck_assert_msg(tables != NULL, "%s", error.text);
    return tables;
}

static inline treb_position position_of(const char *fen)
{
    treb_position pos;
    treb_error error;
    ck_assert_msg(treb_position_from_fen(fen, &pos, &error) == TREB_OK, "%s: %s", fen, error.text);
    return pos;
}

/* Stores the position that has this number in naive.c. Returns false if it is illegal. */
static inline bool three_men(const Naive *naive, uint32_t number, treb_position *pos)
{
    const Material *m = naive_material(naive);
    int white = number >> 13 & 63, black = number >> 7 & 63, third = number >> 1 & 63;
    memset(pos, 0, sizeof *pos);
    pos->turn = number & 1;
    pos->fullmove = 1;
    if (white == black || white == third || black == third) return false;
    position_put(pos, TREB_WHITE, TREB_KING, white);
    position_put(pos, TREB_BLACK, TREB_KING, black);
    for (int type = TREB_PAWN; type < TREB_KING; type++)
        if (m->count[TREB_WHITE][type]) position_put(pos, TREB_WHITE, type, third);
    return position_check(pos, NULL) == TREB_OK;
}

static inline TCase *add_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, 300);
    suite_add_tcase(suite, tests);
    return tests;
}

#endif
