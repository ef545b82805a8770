/* test_verify.c - the verifier accepts correct tables and finds every kind of damage. */
#define _DEFAULT_SOURCE
#include "check/verify/verify.h"
#include "tests/support/part.h"
#include "tests/support/three_men.h"

/* ---- verifying ------------------------------------------------------------------------------- */

static VerifyResult result;
static double share = 1; /* part of the positions in a sample */

static treb_status verify(const char *name, bool full)
{
    Material m;
    const char *dirs[2] = {"/nonexistent", directory};
    VerifyOptions options = {.dirs = dirs, .dirs_count = 2, .full = full, .share = share};
    ck_assert(material_parse(name, &m));
    return verify_material(&m, &options, &result);
}

static uint64_t legal_positions(const Truth *t)
{
    uint64_t legal = 0;
    for (int side = 0; side < 2; side++)
        for (size_t cell = 0; cell < t->index.size; cell++)
            legal += t->verdict[side][cell] != ILLEGAL;
    return legal;
}

static void must_pass(bool full)
{
    share = 1.0 / test_part();
    for (int i = 0; i < MATERIALS; i++) {
        ck_assert_msg(verify(names[i], full) == TREB_OK, "%s: %s", names[i], result.text);
        ck_assert_uint_eq(result.errors, 0);
        ck_assert_uint_eq(result.metrics, 15);
        ck_assert_str_eq(result.text, "");
        ck_assert(result.rule_proved && !result.wdl_only);
        uint64_t legal = legal_positions(&truth[i]);
        if (full || test_part() == 1)
            ck_assert_uint_eq(result.positions, legal);
        else
            ck_assert(result.positions > legal / 2 / test_part() && result.positions < legal);
        ck_assert_uint_ge(result.blocks, 4 + 2);
    }
}

START_TEST(right_tables_pass)
{
    bool mixed = _i != 0, full = _i != 1;
    write_tables(0, KP, mixed);
    must_pass(full);
}
END_TEST

static Truth truth_copy(const Truth *t)
{
    Truth copy = *t;
    size_t cells = t->index.size;
    for (int side = 0; side < 2; side++) {
        copy.verdict[side] = memcpy(malloc(cells), t->verdict[side], cells);
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            copy.plies[m][side] = memcpy(malloc(2 * cells), t->plies[m][side], 2 * cells);
    }
    return copy;
}

/* Writes damaged tables. The verifier must find the damage, and its message must contain
 * `words`. */
static void must_find(Damage what, const char *words)
{
    int which = 0;
    while (strcmp(names[which], what.material) != 0) which++;
    Truth right = truth[which];
    for (int mixed = 0; mixed < 2; mixed++) {
        truth[which] = truth_copy(&right);
        damage = what;
        write_tables(which == KP ? 0 : which, which, mixed);
        for (int full = !mixed; full < 2; full++) {
            treb_status status = verify(what.material, full);
            ck_assert_msg(status == TREB_ERR_DAMAGED, "not found (%d, %d)", mixed, full);
            ck_assert_uint_ge(result.errors, 1);
            ck_assert_msg(strstr(result.text, words) != NULL, "%s", result.text);
        }
    }
}

/* Returns a draw that is not the result of a capture. */
static size_t find_draw(const Truth *t, int side)
{
    for (size_t cell = t->index.size; cell-- > 0;) {
        IndexMen men;
        treb_position pos;
        Move moves[MOVES_MAX];
        if (t->verdict[side][cell] != TREB_DRAW) continue;
        index_to_men(&t->index, cell, &men);
        index_men_to_position(&t->index, &men, side, &pos);
        if (movegen_captures(&pos, moves) == 0) return cell;
    }
    ck_abort_msg("no such cell");
    return 0;
}

static void win_as_loss(Truth *t, TableHeader *h)
{
    (void)h;
    t->verdict[0][find(t, 0, TREB_WIN, 9)] = TREB_LOSS;
}

static void win_as_cursed(Truth *t, TableHeader *h)
{
    (void)h;
    t->verdict[0][find(t, 0, TREB_WIN, 9)] = TREB_CURSED_WIN;
}

static void win_as_draw(Truth *t, TableHeader *h)
{
    (void)h;
    t->verdict[0][find(t, 0, TREB_WIN, 9)] = TREB_DRAW;
}

static void draw_as_loss(Truth *t, TableHeader *h)
{
    (void)h;
    size_t cell = find_draw(t, 1);
    t->verdict[1][cell] = TREB_LOSS;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) t->plies[m][1][cell] = 2;
}

static void distance_too_long(Truth *t, TableHeader *h)
{
    t->plies[h->metric][0][find(t, 0, TREB_WIN, 9)] += 2;
    t->plies[h->metric][1][find(t, 1, TREB_LOSS, 8)] += 2;
}

static void distance_too_short(Truth *t, TableHeader *h)
{
    t->plies[h->metric][0][find(t, 0, TREB_WIN, 9)] -= 2;
    t->plies[h->metric][1][find(t, 1, TREB_LOSS, 8)] -= 2;
}

/* The histogram is changed as well. Otherwise the file would be refused when it is opened. */
static void one_more_win(Truth *t, TableHeader *h)
{
    (void)t;
    h->side[0].count[TREB_WIN]++;
    h->side[0].histogram[TREB_WIN][1]++;
}

static void no_histogram(Truth *t, TableHeader *h)
{
    (void)t;
    free(h->side[1].histogram[TREB_LOSS]);
    h->side[1].histogram[TREB_LOSS] = NULL;
}

static void other_histogram(Truth *t, TableHeader *h)
{
    (void)t;
    h->side[0].histogram[TREB_WIN][3]--;
    h->side[0].histogram[TREB_WIN][5]++;
}

static void one_more_loss(Truth *t, TableHeader *h)
{
    (void)t;
    h->side[1].count[TREB_LOSS]++;
}

static void longest_too_long(Truth *t, TableHeader *h)
{
    (void)t;
    TableSide *s = &h->side[1];
    uint32_t plies = ++s->longest[TREB_LOSS];
    s->histogram[TREB_LOSS] = realloc(s->histogram[TREB_LOSS], (plies + 1) * sizeof(uint64_t));
    ck_assert_ptr_nonnull(s->histogram[TREB_LOSS]);
    s->histogram[TREB_LOSS][plies] = s->histogram[TREB_LOSS][plies - 1];
    s->histogram[TREB_LOSS][plies - 1] = 0;
}

static void other_longest(Truth *t, TableHeader *h)
{
    strcpy(h->side[0].longest_fen[TREB_WIN],
           t->index.pawns ? "8/8/8/8/8/8/5P2/k6K w - - 0 1" : "7k/8/6K1/8/8/8/R7/8 w - - 0 1");
}

static void shorter_longest(Truth *t, TableHeader *h)
{
    size_t cell = find(t, 0, TREB_WIN, 9);
    IndexMen men;
    treb_position pos;
    index_to_men(&t->index, cell, &men);
    index_men_to_position(&t->index, &men, 0, &pos);
    uint64_t *entry = h->side[0].histogram[TREB_WIN];
    uint32_t plies = t->plies[h->metric][0][cell];
    while (h->side[0].longest[TREB_WIN] > plies)
        entry[plies] += entry[h->side[0].longest[TREB_WIN]--];
    position_to_fen(&pos, h->side[0].longest_fen[TREB_WIN]);
}

static void longest_is_no_position(Truth *t, TableHeader *h)
{
    (void)t;
    strcpy(h->side[0].longest_fen[TREB_WIN], "8/8/8/8/8/8/8/8 w - - 0 1");
}

static const struct {
    Damage damage;
    const char *words;
} damages[] = {
    {{"KRvK", TREB_WDL, false, win_as_loss}, " moves"},
    {{"KRvK", TREB_WDL, false, win_as_cursed}, " moves"},
    {{"KQvK", TREB_WDL, false, win_as_draw}, " moves"},
    {{"KPvK", TREB_WDL, false, win_as_draw}, " moves"},
    {{"KRvK", TREB_WDL, false, draw_as_loss}, " moves"},
    {{"KPvK", TREB_WDL, false, draw_as_loss}, " moves"},
    {{"KRvK", TREB_DTM, false, distance_too_long}, "plies by the dtm table, in "},
    {{"KRvK", TREB_DTM, false, distance_too_short}, "plies by the dtm table, in "},
    {{"KPvK", TREB_DTM, false, distance_too_long}, "plies by the dtm table, in "},
    {{"KRvK", TREB_DTZ, false, distance_too_long}, "plies by the dtz table, in "},
    {{"KRvK", TREB_DTC, false, distance_too_long}, " plies by the dtc table, in "},
    {{"KQvK", TREB_DTM, true, one_more_win}, "KQvK.dtm.treb: says "},
    {{"KQvK", TREB_WDL, true, one_more_loss}, " losses with Black to move, but there are "},
    {{"KQvK", TREB_DTZ, true, longest_too_long}, "its position has another distance"},
    {{"KPvK", TREB_DTC, true, longest_too_long}, "its position has another distance"},
    {{"KRvK", TREB_DTM, true, other_longest}, "its position has another distance"},
    {{"KQvK", TREB_DTM, true, other_longest}, "its position does not belong to the table"},
    {{"KQvK", TREB_DTM, true, longest_is_no_position}, "its FEN is invalid"},
    {{"KRvK", TREB_DTC, true, no_histogram},
     "histogram of the losses with Black to move is missing"},
};

START_TEST(damage_is_found) { must_find(damages[_i].damage, damages[_i].words); }
END_TEST

/* Only a full check finds that one line is longer. */
START_TEST(longer_line_is_found)
{
    damage = (Damage){"KQvK", TREB_DTM, true, shorter_longest};
    write_tables(0, KP, false);
    ck_assert_int_eq(verify("KQvK", false), TREB_OK);
    ck_assert_int_eq(verify("KQvK", true), TREB_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(result.text, "the longest line has another length"));
}
END_TEST

/* Only a full check counts the positions. */
START_TEST(wrong_histogram_is_found)
{
    damage = (Damage){"KQvK", TREB_DTM, true, other_histogram};
    write_tables(0, KP, false);
    ck_assert_int_eq(verify("KQvK", false), TREB_OK);
    ck_assert_int_eq(verify("KQvK", true), TREB_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(result.text, "histogram of the wins with White to move"));
}
END_TEST

START_TEST(flipped_byte_is_found)
{
    char path[PATH_SIZE];
    write_tables(0, KP, false);
    path_of("KRvK.dtm.treb", path);
    damage_middle(path);
    for (int full = 0; full < 2; full++) {
        ck_assert_int_eq(verify("KRvK", full), TREB_ERR_DAMAGED);
        ck_assert_ptr_nonnull(strstr(result.text, "KRvK.dtm.treb"));
        ck_assert_ptr_nonnull(strstr(result.text, "block"));
    }
}
END_TEST

/* ---- what can be checked without all files --------------------------------------------------- */

static void remove_file(const char *name)
{
    char path[PATH_SIZE];
    path_of(name, path);
    ck_assert_int_eq(unlink(path), 0);
}

enum {
    EVERY_DISTANCE = 1 << TREB_DTZ | 1 << TREB_DTC | 1 << TREB_DTM,
    NOT_MATES = 1 << TREB_WDL | 1 << TREB_DTZ | 1 << TREB_DTC
};

static void remove_distances(unsigned metrics)
{
    for (int i = 0; i < MATERIALS; i++)
        for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
            char name[TABLE_NAME_SIZE];
            if (!(metrics >> m & 1)) continue;
            table_file_name(&truth[i].index.material, (treb_metric)m, name);
            remove_file(name);
        }
}

START_TEST(verdicts_alone)
{
    write_tables(0, KP, false);
    remove_distances(EVERY_DISTANCE);
    for (int full = 0; full < 2; full++)
        for (int i = 0; i < MATERIALS; i++) {
            ck_assert_msg(verify(names[i], full) == TREB_OK, "%s", result.text);
            ck_assert(result.wdl_only && !result.rule_proved);
            ck_assert_uint_eq(result.metrics, 1);
        }
    damage = (Damage){"KPvK", TREB_WDL, false, draw_as_loss};
    write_tables(0, KP, false);
    remove_distances(EVERY_DISTANCE);
    for (int full = 0; full < 2; full++) {
        ck_assert_int_eq(verify("KPvK", full), TREB_ERR_DAMAGED);
        ck_assert_ptr_nonnull(strstr(result.text, ", the moves say "));
    }
}
END_TEST

/* Without DTM a full check skips positions that are known to be won at once. It must still count
 * them, and must still find every other error. */
static const struct {
    Damage damage;
    const char *words; /* NULL: the table is correct */
} without_mates[] = {
    {{.material = NULL}, NULL},
    {{"KPvK", TREB_WDL, false, win_as_draw}, " moves"},
    {{"KPvK", TREB_WDL, false, draw_as_loss}, " moves"},
    {{"KRvK", TREB_DTZ, false, distance_too_long}, "plies by the dtz table, in "},
    {{"KPvK", TREB_DTZ, true, one_more_win}, "KPvK.dtz.treb: says "},
};

START_TEST(mates_are_not_asked)
{
    const char *words = without_mates[_i].words;
    damage = without_mates[_i].damage;
    write_tables(0, KP, false);
    remove_distances(1 << TREB_DTM);
    for (int conversions = 1; conversions >= 0; conversions--) {
        unsigned metrics = conversions ? NOT_MATES : NOT_MATES & ~(1 << TREB_DTC);
        if (!conversions) remove_distances(1 << TREB_DTC);
        for (int i = 0; words == NULL && i < MATERIALS; i++) {
            uint64_t legal = legal_positions(&truth[i]);
            ck_assert_msg(verify(names[i], true) == TREB_OK, "%s", result.text);
            ck_assert_uint_eq(result.metrics, metrics);
            ck_assert_uint_eq(result.positions, legal);
        }
        if (words == NULL) continue;
        ck_assert_int_eq(verify(damage.material, true), TREB_ERR_DAMAGED);
        ck_assert_msg(strstr(result.text, words) != NULL, "%s", result.text);
    }
}
END_TEST

START_TEST(missing_tables_are_named)
{
    write_tables(0, KP, false);
    for (int full = 0; full < 2; full++) {
        ck_assert_int_eq(verify("KNNvK", full), TREB_ERR_NO_TABLE);
        ck_assert_str_eq(result.text, "KNNvK.wdl.treb is not installed");
    }
    remove_file("KQvK.dtm.treb");
    for (int full = 0; full < 2; full++) {
        ck_assert_int_eq(verify("KPvK", full), TREB_ERR_NO_TABLE);
        ck_assert_str_eq(result.text, "KQvK.dtm.treb is needed but not installed");
        if (full) ck_assert_uint_eq(result.blocks, 0); /* before any block is read */
    }
    ck_assert_int_eq(verify("KvK", true), TREB_ERR_ARGUMENT);
}
END_TEST

static bool give_up(void *context, const char *phase, uint64_t done, uint64_t total)
{
    ck_assert_uint_le(done, total);
    ck_assert_ptr_nonnull(phase);
    ++*(int *)context;
    return false;
}

START_TEST(ends_on_request_or_for_want_of_memory)
{
    int calls = 0;
    const char *dirs[] = {directory};
    VerifyOptions options = {
        .dirs = dirs, .dirs_count = 1, .full = true, .progress = give_up, .context = &calls};
    write_tables(0, KP, false);
    const Material *m = &truth[KP].index.material;
    ck_assert_int_eq(verify_material(m, &options, &result), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(calls, 1);
    options.progress = NULL;
    options.memory = 8;
    ck_assert_int_eq(verify_material(m, &options, &result), TREB_ERR_MEMORY);
    ck_assert_ptr_nonnull(strstr(result.text, "needs more memory: --memory 1MiB"));
    /* There is memory for the table itself but not for its sub-endings, which are then read block
     * by block. */
    options.memory = (UINT64_C(8) + 3 + 1) * truth[KP].index.size;
    ck_assert_msg(verify_material(m, &options, &result) == TREB_OK, "%s", result.text);
}
END_TEST

static Suite *verify_suite(void)
{
    Suite *suite = suite_create("verify");
    TCase *right = add_case(suite, "right", make_directory, remove_directory);
    tcase_add_loop_test(right, right_tables_pass, 0, 3);
    tcase_add_test(right, verdicts_alone);
    tcase_add_loop_test(right, mates_are_not_asked, 0,
                        test_part() > 1 ? 2 : sizeof without_mates / sizeof *without_mates);
    TCase *wrong = add_case(suite, "wrong", make_directory, remove_directory);
    int kinds = sizeof damages / sizeof *damages;
    tcase_add_loop_test(wrong, damage_is_found, 0, (kinds + test_part() - 1) / test_part());
    tcase_add_test(wrong, longer_line_is_found);
    tcase_add_test(wrong, wrong_histogram_is_found);
    tcase_add_test(wrong, flipped_byte_is_found);
    TCase *unable = add_case(suite, "unable", make_directory, remove_directory);
    tcase_add_test(unable, missing_tables_are_named);
    tcase_add_test(unable, ends_on_request_or_for_want_of_memory);
    return suite;
}

int main(void)
{
    solve_all();
    return run_suite(verify_suite());
}
