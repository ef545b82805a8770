/* test_mate50.c - compares mates under the 50-move rule with those of a plain solver, at every clock: many
 * positions of three men, and some of KQvKR where the value changes. */
#include <stdarg.h>

#include "tests/support/gen_run.h"
#include "tests/support/mate50_values.h"

/* ---- One position ---------------------------------------------------------------------------- */

static const char *text_of(int value)
{
    static char text[4][32];
    static int next;
    char *out = text[next++ % 4];
    snprintf(out, sizeof text[0], "%s %d",
             value > 0   ? "win"
             : value < 0 ? "loss"
                         : "draw",
             value != 0 ? mate50_plies(value) : 0);
    return out;
}

/* An assertion of Check notes that it was passed, which takes longer than what it checks here. */
#define require(condition, pos, ...)                                                               \
    if (!(condition)) failed(pos, __VA_ARGS__)

static void failed(const treb_position *pos, const char *format, ...)
{
    char fen[TREB_FEN_SIZE], text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    position_to_fen(pos, fen);
    ck_abort_msg("%s: %s", fen, text);
}

/* Returns a distance as a number; one that none is if a draw has plies. */
static int value_of(treb_wdl wdl, int plies)
{
    if (wdl == TREB_WIN) return MATE50_BEST - plies;
    if (wdl == TREB_LOSS) return plies - MATE50_BEST;
    return plies == 0 ? 0 : MATE50_ILLEGAL;
}

/* Checks a position with its clock against the plain solver's value. */
static void check_value(const treb_tables *tables, const treb_position *pos, int expected)
{
    treb_error error;
    treb_distance d;
    require(treb_probe_dtm50(tables, pos, &d, &error) == TREB_OK, pos, "%s", error.text);
    const int value = value_of(d.wdl, d.plies);
    require(value == expected, pos, "%s, the plain solver says %s", text_of(value),
            text_of(expected));
}

/* Checks what the other metrics say about the value: it is a win where DTZ says so, never shorter than
 * DTM, and as long where the shortest mate comes in time. */
static void check_others(const treb_tables *tables, const treb_position *pos, int expected)
{
    treb_value value;
    treb_error error;
    const int left = RULE_PLIES - pos->halfmove;
    require(treb_probe_root(tables, pos, &value, &error) == TREB_OK, pos, "%s", error.text);
    const treb_wdl rule = treb_wdl_with_clock(value.wdl, value.plies[TREB_DTZ], pos->halfmove);
    require((rule == TREB_WIN) == (expected > 0) && (rule == TREB_LOSS) == (expected < 0), pos,
            "DTZ is %d", value.plies[TREB_DTZ]);
    require(value.rule == rule && value.dtm50_status == TREB_OK, pos, "another result");
    require(value_of(rule, value.dtm50) == expected, pos, "%d plies", value.dtm50);
    if (expected == 0) return;
    const int dtm = value.plies[TREB_DTM];
    require(dtm <= left ? value.dtm50 == dtm : value.dtm50 >= dtm, pos, "DTM is %d", dtm);
}

/* Checks that the best move by DTM50 is worth as much as the position. */
static void check_moves(const treb_tables *tables, const treb_position *pos, int expected)
{
    treb_move best;
    treb_error error;
    size_t count;
    require(treb_probe_moves(tables, pos, TREB_DTM50, TREB_RULE_50, &best, 1, &count, &error) ==
                TREB_OK,
            pos, "%s", error.text);
    if (count == 0) return;
    const int value = value_of(best.value.rule, best.value.dtm50);
    require(value == expected, pos, "%s is %s, the plain solver says %s", best.uci, text_of(value),
            text_of(expected));
}

/* ---- An ending ------------------------------------------------------------------------------- */

/* Which clocks of a position are compared: all, or those where a value changes, and one in 32. */
typedef struct Comparison {
    const Mate50Values *values;
    treb_tables *tables;
    bool every;
} Comparison;

/* One cell of so many is compared, at every clock or where its value changes. Odd, so that all squares occur. */
enum { AT_EVERY_CLOCK = 3, AT_CHANGES = 127 };

static void compare_position(const Comparison *c, int turn, uint64_t cell)
{
    IndexMen men;
    treb_position pos;
    int before = 0;
    if (!index_to_men(&c->values->index, cell, &men)) ck_abort_msg("no position");
    index_men_to_position(&c->values->index, &men, turn, &pos);
    for (int left = 0; left <= RULE_PLIES; left++) {
        const int value = mate50_value_at(c->values, turn, cell, left);
        const bool changed = left > 0 && value != before;
        pos.halfmove = (uint16_t)(RULE_PLIES - left);
        if (c->every || changed || (cell + (unsigned)left) % 32 == 0)
            check_value(c->tables, &pos, value);
        if (changed) {
            check_others(c->tables, &pos, value);
            if (cell % 8 == 0) check_moves(c->tables, &pos, value);
            pos.halfmove++;
            check_value(c->tables, &pos, before);
        }
        before = value;
    }
}

static treb_tables *open_work(void)
{
    treb_error error;
    const char *folder = work;
    treb_tables *tables = treb_tables_open(&folder, 1, &error);
    ck_assert_msg(tables != NULL, "%s", error.text);
    return tables;
}

/* Compares an ending whose DTM50 file stores one side to move. */
static void compare_side(const Mate50Values *values, int stored, bool every)
{
    mate50_write(values, work, stored);
    const Comparison c = {values, open_work(), every};
    const unsigned step = (unsigned)test_part() * (every ? AT_EVERY_CLOCK : AT_CHANGES);
    uint64_t compared = 0;
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t cell = 0; cell < values->index.size; cell += step) {
            if (!values->legal[turn][cell]) continue;
            compare_position(&c, turn, cell);
            compared++;
        }
    ck_assert_uint_gt(compared, 5000 / step);
    treb_tables_close(c.tables);
}

static void compare_ending(const char *name, bool every)
{
    const Material material = material_of(name);
    make_tables_apart(name, EVERY);
    Mate50Values *values = mate50_values_new(&material);
    compare_side(values, TREB_WHITE, every);
    if (!material_symmetric(&material)) compare_side(values, TREB_BLACK, every);
    mate50_values_free(values);
}

START_TEST(three_men)
{
    static const char *const names[] = {"KQvK", "KRvK", "KPvK"};
    compare_ending(names[_i], true);
}
END_TEST

START_TEST(four_men)
{
    compare_ending("KQvKR", false);
}
END_TEST

/* ---- Main ------------------------------------------------------------------------------------ */

int main(void)
{
    Suite *suite = suite_create("mate50");
    TCase *three = tcase_create("three"), *four = tcase_create("four");
    tcase_add_checked_fixture(three, make_work, remove_work);
    tcase_add_checked_fixture(four, make_work, remove_work);
    tcase_add_loop_test(three, three_men, 0, 3);
    tcase_add_test(four, four_men);
    tcase_set_timeout(three, 1200);
    tcase_set_timeout(four, 1200);
    suite_add_tcase(suite, three);
    suite_add_tcase(suite, four);
    return run_suite(suite);
}
