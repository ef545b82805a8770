/* test_verify_scratch.c - a full check with too little memory for a table: the words are in a
 * scratch file, codes are unpacked batch by batch, and other tables are read block by block. It
 * finds what a check with enough memory finds. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <sys/resource.h>

#include "check/verify/full_state.h"
#include "tests/support/three_men.h"

/* The words of KPvK take three times as much, and so do its codes. The words of the other materials
 * take this much. */
static const uint64_t little = 1 << 18;

static treb_status verify(const char *name, uint64_t memory, VerifyResult *result)
{
    Material m;
    const char *dirs[] = {directory};
    VerifyOptions options = {
        .dirs = dirs, .dirs_count = 1, .full = true, .threads = 2, .memory = memory};
    ck_assert(material_parse(name, &m));
    return verify_material(&m, &options, result);
}

/* The check finds what a check with enough memory finds, and leaves no file behind. */
static treb_status must_agree(const char *name)
{
    VerifyResult less, more;
    int files = count_files();
    treb_status status = verify(name, little, &less);
    ck_assert_int_eq(count_files(), files);
    ck_assert_int_eq(verify(name, 0, &more), status);
    ck_assert_str_eq(less.text, more.text);
    ck_assert_uint_eq(less.errors, more.errors);
    ck_assert_uint_eq(less.positions, more.positions);
    ck_assert_uint_eq(less.blocks, more.blocks);
    ck_assert_uint_eq(less.metrics, more.metrics);
    return status;
}

START_TEST(right_tables_pass)
{
    wide = _i & 2;
    write_tables(0, KP, _i & 1);
    for (int i = 0; i < MATERIALS; i++) ck_assert_int_eq(must_agree(names[i]), TREB_OK);
}
END_TEST

static void win_as_draw(Truth *t, TableHeader *h)
{
    (void)h;
    t->verdict[0][find(t, 0, TREB_WIN, 9)] = TREB_DRAW;
}

static void other_distance(Truth *t, TableHeader *h)
{
    t->plies[h->metric][0][find(t, 0, TREB_WIN, 9)] += 2;
    t->plies[h->metric][1][find(t, 1, TREB_LOSS, 8)] += 2;
}

/* A distance of 4094 plies, the longest possible. */
static void long_distance(Truth *t, TableHeader *h)
{
    if (wide) t->plies[h->metric][0][find(t, 0, TREB_WIN, 9)] = 4094;
}

static void one_more_loss(Truth *t, TableHeader *h)
{
    (void)t;
    h->side[1].count[TREB_LOSS]++;
}

static const Damage damages[] = {
    {"KRvK", TREB_WDL, false, win_as_draw},    {"KPvK", TREB_WDL, false, win_as_draw},
    {"KRvK", TREB_DTM, false, other_distance}, {"KPvK", TREB_DTZ, false, other_distance},
    {"KQvK", TREB_DTC, false, other_distance}, {"KPvK", TREB_DTM, false, other_distance},
    {"KQvK", TREB_WDL, true, one_more_loss},   {"KRvK", TREB_DTM, false, long_distance}};

START_TEST(damage_is_found)
{
    damage = damages[_i];
    wide = damage.act == long_distance;
    write_tables(0, KP, _i & 1);
    ck_assert_int_eq(must_agree(damage.material), TREB_ERR_DAMAGED);
}
END_TEST

/* A block that cannot be read. */
START_TEST(flipped_byte_is_found)
{
    char path[PATH_SIZE];
    VerifyResult result;
    write_tables(0, KP, false);
    path_of("KPvK.dtm.treb", path);
    damage_middle(path);
    ck_assert_int_eq(verify("KPvK", little, &result), TREB_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(result.text, "KPvK.dtm.treb"));
    ck_assert_uint_eq(result.errors, 1);
}
END_TEST

/* ---- no scratch file ------------------------------------------------------------------------- */

static treb_status verify_in(const char *scratch, VerifyResult *result)
{
    const char *dirs[] = {directory};
    VerifyOptions options = {
        .dirs = dirs, .dirs_count = 1, .full = true, .memory = little, .scratch = scratch};
    return verify_material(&truth[KP].index.material, &options, result);
}

START_TEST(folder_cannot_be_used)
{
    VerifyResult result;
    write_tables(0, KP, false);
    ck_assert_int_eq(verify_in("/nonexistent", &result), TREB_ERR_IO);
    ck_assert_ptr_nonnull(strstr(result.text, "/nonexistent: cannot make a scratch file"));
    ck_assert_int_eq(verify_in("/tmp", &result), TREB_OK);
}
END_TEST

/* The limit on the size of files must be treated like a full disk. */
START_TEST(disk_is_full)
{
    VerifyResult result;
    struct rlimit limit, less;
    write_tables(0, KP, false);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    less = limit;
    less.rlim_cur = 1 << 16;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &less), 0);
    treb_status status = verify_in(NULL, &result);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(status, TREB_ERR_IO);
    ck_assert_msg(strstr(result.text, "a scratch file of ") != NULL, "%s", result.text);
    ck_assert_ptr_nonnull(strstr(result.text, "set TMPDIR to another folder"));
}
END_TEST

/* ---- words ----------------------------------------------------------------------------------- */

START_TEST(words_hold_what_they_are_made_for)
{
    static const struct {
        unsigned bits[TREB_METRICS], bytes;
        bool completed, bit;
    } kinds[] = {{{3, 0, 0, 0}, 1, false, true},    {{3, 5, 0, 0}, 1, false, false},
                 {{3, 6, 0, 7}, 2, false, false},   {{3, 0, 0, 12}, 2, false, true},
                 {{3, 9, 10, 10}, 4, false, false}, {{3, 9, 10, 11}, 8, false, true},
                 {{3, 12, 12, 12}, 8, false, true}, {{3, 0, 0, 4}, 1, true, true},
                 {{3, 0, 0, 5}, 2, true, true},     {{3, 9, 10, 10}, 8, true, true}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        VerifyWords words = {0};
        treb_error error;
        verify_words_layout(&words, kinds[k].bits, kinds[k].completed);
        ck_assert_uint_eq(words.bytes, kinds[k].bytes);
        ck_assert_int_eq(words.attained != 0, kinds[k].bit);
        ck_assert_int_eq(verify_words_in_memory(&words, 8, 2, &error), TREB_OK);
        for (unsigned cell = 0; cell < 8; cell++) {
            uint64_t word = verify_word_of(cell);
            if (cell % 2) word &= ~words.attained;
            for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
                ck_assert_uint_eq(verify_word_get(&words, word, m), VERIFY_NONE);
                word = verify_word_set(&words, word, m, 8u * (unsigned)m + cell);
            }
            verify_word_put(&words, 1, cell, word);
        }
        for (unsigned cell = 0; cell < 8; cell++) {
            uint64_t word = verify_word(&words, 1, cell);
            ck_assert_uint_eq(verify_word_verdict(word), cell);
            ck_assert_uint_eq(word & words.attained, cell % 2 ? 0 : words.attained);
            for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
                unsigned most = (1u << kinds[k].bits[m]) - 1, said = 8u * (unsigned)m + cell;
                ck_assert_uint_eq(verify_word_get(&words, word, m),
                                  said < most ? said : VERIFY_NONE);
            }
        }
        verify_words_free(&words);
    }
}
END_TEST

static Suite *scratch_suite(void)
{
    Suite *suite = suite_create("verifying in little memory");
    TCase *found = add_case(suite, "findings", make_directory, remove_directory);
    tcase_add_loop_test(found, right_tables_pass, 0, 4);
    tcase_add_loop_test(found, damage_is_found, 0, sizeof damages / sizeof *damages);
    tcase_add_test(found, flipped_byte_is_found);
    TCase *unable = add_case(suite, "unable", make_directory, remove_directory);
    tcase_add_test(unable, folder_cannot_be_used);
    tcase_add_test(unable, disk_is_full);
    TCase *words = add_case(suite, "words", NULL, NULL);
    tcase_add_test(words, words_hold_what_they_are_made_for);
    return suite;
}

int main(void)
{
    solve_all();
    return run_suite(scratch_suite());
}
