/* test_probe.c - compares the answers of probes with a solver that shares no code with them
 * (naive.h). */
#define _DEFAULT_SOURCE
#include "tests/support/naive_set.h"
#include "tests/support/part.h"

/* ---- Every position -------------------------------------------------------------------------- */

/* Asserts only on failure, because Check writes every assertion to a file. */
static void compare_value(const treb_tables *tables, const treb_position *pos,
                          const NaiveValue *expected)
{
    treb_error error;
    treb_wdl wdl;
    char fen[TREB_FEN_SIZE];
    treb_status status = treb_probe_wdl(tables, pos, &wdl, &error);
    bool good = status == TREB_OK && (int)wdl == expected->verdict;
    treb_position_to_fen(pos, fen);
    if (!good) ck_abort_msg("%s: status %d, wdl %d, not %d", fen, status, wdl, expected->verdict);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        treb_distance got;
        status = treb_probe_distance(tables, pos, (treb_metric)m, &got, &error);
        good = status == TREB_OK && got.wdl == wdl && got.plies == expected->plies[m];
        if (!good)
            ck_abort_msg("%s: status %d, %s %d, not %d", fen, status,
                         treb_metric_text((treb_metric)m), got.plies, expected->plies[m]);
    }
}

/* Compares every `step`th position of a material, and every seventh of those with the colours
 * exchanged. */
static void compare_all(const treb_tables *tables, const Naive *naive, uint32_t step)
{
    unsigned compared = 0;
    for (uint32_t n = 0; n < 1u << 19; n += step) {
        treb_position pos;
        if (!three_men(naive, n, &pos)) continue;
        compare_value(tables, &pos, naive_value(naive, &pos));
        if (compared++ % 7 != 0) continue;
        treb_position swapped;
        position_swap_colors(&pos, &swapped);
        compare_value(tables, &swapped, naive_value(naive, &pos));
    }
    ck_assert_uint_gt(compared, 1000);
}

static const NaiveLayout plain = {.per_byte = 1, .block_bits = 10, .side = TREB_WHITE};

START_TEST(every_position)
{
    treb_tables *tables = open_set(directory);
    compare_all(tables, solved[_i], (uint32_t)test_part());
    treb_tables_close(tables);
}
END_TEST

START_TEST(any_layout)
{
    static const NaiveLayout layouts[] = {
        {3, 14, TREB_BLACK, true, true, 0, false},  {2, 11, TREB_WHITE, true, true, 0, false},
        {3, 20, TREB_BLACK, false, true, 0, false}, {2, 12, TREB_BLACK, true, true, 64, false},
        {1, 10, TREB_WHITE, false, true, 8, false}, {2, 16, TREB_WHITE, false, false, 1000, false},
        {3, 14, TREB_WHITE, true, true, 0, true},   {1, 10, TREB_WHITE, false, true, 8, true}};
    char other[PATH_SIZE];
    make_directory(other);
    for (int i = 0; i < SOLVED; i++) write_material(other, solved[i], &layouts[_i]);
    treb_tables *tables = open_set(other);
    for (int i = 0; i < SOLVED; i++) compare_all(tables, solved[i], 5 * (uint32_t)test_part());
    treb_tables_close(tables);
    remove_directory(other);
}
END_TEST

/* ---- Moves and lines ------------------------------------------------------------------------- */

static void check_order(const treb_move *moves, size_t count, treb_metric metric)
{
    for (size_t i = 1; i < count; i++) {
        const treb_value *a = &moves[i - 1].value, *b = &moves[i].value;
        ck_assert_int_ge(a->rule, b->rule);
        if (a->rule != b->rule) continue;
        if (a->wdl > TREB_DRAW) ck_assert_int_le(a->plies[metric], b->plies[metric]);
        if (a->wdl < TREB_DRAW) ck_assert_int_ge(a->plies[metric], b->plies[metric]);
    }
}

/* The first move has the value of the position. */
static void check_moves(const treb_tables *tables, const treb_position *pos, treb_metric metric)
{
    treb_error error;
    treb_move moves[TREB_MOVES_MAX];
    Move legal[MOVES_MAX];
    size_t count;
    treb_value root;
    ck_assert_int_eq(treb_probe_root(tables, pos, &root, &error), TREB_OK);
    ck_assert_int_eq(
        treb_probe_moves(tables, pos, metric, TREB_RULE_50, moves, TREB_MOVES_MAX, &count, &error),
        TREB_OK);
    ck_assert_uint_eq(count, (size_t)movegen_legal(pos, legal));
    if (count == 0) return;
    check_order(moves, count, metric);
    ck_assert_int_eq(moves[0].value.rule, root.rule);
    ck_assert_int_eq(moves[0].value.wdl, root.wdl);
    ck_assert_int_eq(moves[0].value.plies[metric], root.plies[metric]);
    treb_move few[3];
    size_t kept;
    ck_assert_int_eq(treb_probe_moves(tables, pos, metric, TREB_RULE_50, few, 3, &kept, &error),
                     TREB_OK);
    ck_assert_uint_eq(kept, count < 3 ? count : 3);
    for (size_t i = 0; i < kept; i++) ck_assert_str_eq(few[i].uci, moves[i].uci);
    /* Probing the moves one by one gives equal results. */
    for (size_t i = 0; i < count; i++) {
        treb_move one;
        ck_assert_int_eq(treb_probe_move(tables, pos, moves[i].uci, metric, &one, &error), TREB_OK);
        ck_assert_str_eq(one.san, moves[i].san);
        ck_assert_mem_eq(&one.value, &moves[i].value, sizeof one.value);
        ck_assert_int_eq(treb_compare_moves(&one, &moves[i], metric, TREB_RULE_50), 0);
        if (i > 0)
            ck_assert_int_gt(treb_compare_moves(&one, &moves[i - 1], metric, TREB_RULE_50), 0);
    }
    ck_assert_int_eq(treb_probe_move(tables, pos, "a1a1", metric, few, &error), TREB_ERR_ARGUMENT);
}

static void check_line(const treb_tables *tables, const treb_position *pos, treb_metric metric)
{
    treb_error error;
    treb_move line[300];
    treb_line_end end;
    treb_distance distance;
    treb_position at = *pos;
    size_t count;
    ck_assert_int_eq(
        treb_best_line(tables, pos, metric, TREB_RULE_50, line, 300, &count, &end, &error),
        TREB_OK);
    ck_assert_int_eq(treb_probe_dtm(tables, pos, &distance, &error), TREB_OK);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(treb_position_play(&at, line[i].san, &at, &error), TREB_OK);
    if (distance.wdl == TREB_DRAW) {
        ck_assert_uint_eq(count, 0);
        ck_assert(end == TREB_LINE_DRAW || end == TREB_LINE_STALEMATE);
        return;
    }
    ck_assert_int_eq(end, TREB_LINE_MATE);
    ck_assert(position_in_check(&at) && !movegen_any(&at));
    ck_assert_uint_eq(count % 2, distance.wdl == TREB_WIN);
    if (metric == TREB_DTM) ck_assert_uint_eq(count, (size_t)distance.plies);
    if (count > 2) {
        ck_assert_int_eq(
            treb_best_line(tables, pos, metric, TREB_RULE_50, line, 2, &count, &end, &error),
            TREB_OK);
        ck_assert_uint_eq(count, 2);
        ck_assert_int_eq(end, TREB_LINE_CAPACITY);
    }
}

START_TEST(moves_and_lines)
{
    treb_tables *tables = open_set(directory);
    uint64_t seed = 1;
    for (int i = 0; i < 2000 / test_part(); i++) {
        treb_position pos;
        const Naive *naive = solved[i % SOLVED];
        if (!three_men(naive, next_random31(&seed) & ((1u << 19) - 1), &pos)) continue;
        pos.halfmove = (uint16_t)(i % 3 == 0 ? 0 : next_random31(&seed) % 100);
        check_moves(tables, &pos, (treb_metric)(TREB_DTZ + i % 3));
        pos.halfmove = 0;
        check_line(tables, &pos, (treb_metric)(TREB_DTZ + i / 3 % 3));
    }
    treb_tables_close(tables);
}
END_TEST

/* Without the 50-move rule a line by DTM is as long as DTM says, and DTM falls at every ply.
 * Returns whether the rule makes the line longer. */
static bool check_without_rule(const treb_tables *tables, const treb_position *pos)
{
    treb_error error;
    treb_move line[300];
    treb_line_end end;
    treb_distance distance;
    size_t count;
    ck_assert_int_eq(treb_probe_dtm(tables, pos, &distance, &error), TREB_OK);
    ck_assert_int_eq(
        treb_best_line(tables, pos, TREB_DTM, TREB_RULE_NONE, line, 300, &count, &end, &error),
        TREB_OK);
    ck_assert_uint_eq(count, (size_t)distance.plies);
    for (size_t i = 0; i < count; i++)
        if (line[i].value.plies[TREB_DTM] != distance.plies - (int)i) ck_abort_msg("ply %zu", i);
    if (distance.wdl == TREB_DRAW) return false;
    ck_assert_int_eq(end, TREB_LINE_MATE);
    ck_assert_int_eq(
        treb_best_line(tables, pos, TREB_DTM, TREB_RULE_50, line, 300, &count, &end, &error),
        TREB_OK);
    return count > (size_t)distance.plies;
}

START_TEST(line_without_rule)
{
    treb_tables *tables = open_set(directory);
    uint64_t seed = 4;
    unsigned longer = 0;
    for (int i = 0; i < 4000 / test_part(); i++) {
        treb_position pos;
        if (!three_men(solved[0], next_random31(&seed) & ((1u << 19) - 1), &pos)) continue;
        pos.halfmove = (uint16_t)(84 + next_random31(&seed) % 16);
        longer += check_without_rule(tables, &pos);
    }
    ck_assert_uint_gt(longer, test_part() > 1 ? 0 : 10);
    treb_move moves[TREB_MOVES_MAX];
    treb_position pos = position_of("8/1P6/8/8/8/8/k1K5/8 w - - 12 40");
    size_t count;
    ck_assert_int_eq(
        treb_probe_moves(tables, &pos, TREB_DTM, (treb_rule)7, moves, TREB_MOVES_MAX, &count, NULL),
        TREB_ERR_ARGUMENT);
    treb_tables_close(tables);
}
END_TEST

/* A line does not depend on the number of moves asked for at once. */
START_TEST(line_in_parts)
{
    treb_tables *tables = open_set(directory);
    treb_position pos = position_of("8/8/8/8/8/8/k1P5/4K3 w - - 90 1"), at = pos;
    treb_move whole[300], part[7];
    treb_line_end end = TREB_LINE_CAPACITY;
    size_t count, got, done = 0;
    ck_assert_int_eq(
        treb_best_line(tables, &pos, TREB_DTM, TREB_RULE_50, whole, 300, &count, &end, NULL),
        TREB_OK);
    ck_assert_uint_gt(count, 14);
    for (end = TREB_LINE_CAPACITY; end == TREB_LINE_CAPACITY; done += got) {
        ck_assert_int_eq(
            treb_best_line(tables, &at, TREB_DTM, TREB_RULE_50, part, 7, &got, &end, NULL),
            TREB_OK);
        for (size_t i = 0; i < got; i++) {
            ck_assert_str_eq(part[i].uci, whole[done + i].uci);
            ck_assert_int_eq(treb_position_play(&at, part[i].uci, &at, NULL), TREB_OK);
        }
    }
    ck_assert_uint_eq(done, count);
    treb_tables_close(tables);
}
END_TEST

START_TEST(move_flags)
{
    treb_tables *tables = open_set(directory);
    treb_error error;
    treb_move moves[TREB_MOVES_MAX];
    size_t count;
    treb_position pos = position_of("8/1P6/8/8/8/8/k1K5/8 w - - 12 40");
    ck_assert_int_eq(treb_probe_moves(tables, &pos, TREB_DTM, TREB_RULE_50, moves, TREB_MOVES_MAX,
                                      &count, &error),
                     TREB_OK);
    bool queen = false, knight = false;
    for (size_t i = 0; i < count; i++) {
        const treb_move *m = &moves[i];
        if (strcmp(m->uci, "b7b8q") == 0) {
            queen = true;
            ck_assert_str_eq(m->san, "b8=Q");
            ck_assert_int_eq(m->flags, TREB_MOVE_ZEROING | TREB_MOVE_CONVERSION);
            ck_assert_int_eq(m->promotion, TREB_QUEEN);
            ck_assert_int_eq(m->value.rule, TREB_WIN);
            ck_assert_int_eq(m->value.plies[TREB_DTZ], 1);
            ck_assert_int_eq(m->value.plies[TREB_DTC], 1);
        }
        if (strcmp(m->uci, "b7b8n") == 0) {
            knight = true;
            ck_assert_int_eq(m->value.wdl, TREB_DRAW);
        }
    }
    ck_assert(queen && knight);
    pos = position_of("k7/8/1K6/8/8/8/8/7R w - - 0 1");
    ck_assert_int_eq(treb_probe_moves(tables, &pos, TREB_WDL, TREB_RULE_50, moves, TREB_MOVES_MAX,
                                      &count, &error),
                     TREB_OK);
    ck_assert_str_eq(moves[0].san, "Rh8#");
    ck_assert_int_eq(moves[0].flags, TREB_MOVE_CHECK | TREB_MOVE_MATE);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) ck_assert_int_eq(moves[0].value.plies[m], 1);
    pos = position_of("7k/8/8/6Q1/8/8/8/K7 w - - 0 1");
    ck_assert_int_eq(treb_probe_moves(tables, &pos, TREB_DTM, TREB_RULE_50, moves, TREB_MOVES_MAX,
                                      &count, &error),
                     TREB_OK);
    for (size_t i = 0; i < count; i++)
        if (strcmp(moves[i].san, "Qg6") == 0) ck_assert_int_eq(moves[i].flags, TREB_MOVE_STALEMATE);
    treb_tables_close(tables);
}
END_TEST

/* ---- The clock ------------------------------------------------------------------------------- */

static treb_value won_in(int plies, int rounded)
{
    treb_value value = {.wdl = TREB_WIN, .rule = TREB_WIN};
    value.plies[TREB_DTZ] = plies;
    value.rounded[TREB_DTZ] = (uint8_t)rounded;
    value.status[TREB_DTC] = value.status[TREB_DTM] = TREB_ERR_NO_TABLE;
    return value;
}

/* What is known at a clock, and what the result is. */
START_TEST(doubts)
{
    treb_value missing = won_in(0, TREB_EXACT), mate = missing, unknown = missing, lost = missing;
    missing.status[TREB_DTZ] = mate.status[TREB_DTZ] = TREB_ERR_NO_TABLE;
    mate.plies[TREB_DTM] = 20, mate.status[TREB_DTM] = TREB_OK;
    unknown.status[TREB_WDL] = TREB_ERR_NO_TABLE;
    lost.wdl = TREB_LOSS;
    const struct {
        treb_value value;
        int clock, doubt, rule;
    } cases[] = {
        {won_in(20, TREB_EXACT), 80, TREB_DOUBT_NONE, TREB_WIN},
        {won_in(20, TREB_EXACT), 81, TREB_DOUBT_NONE, TREB_CURSED_WIN},
        {won_in(20, TREB_ROUNDED), 79, TREB_DOUBT_NONE, TREB_WIN},
        {won_in(20, TREB_ROUNDED), 80, TREB_DOUBT_ROUNDED, TREB_CURSED_WIN},
        {won_in(20, TREB_ROUNDED), 81, TREB_DOUBT_NONE, TREB_CURSED_WIN},
        {won_in(20, TREB_AT_MOST), 80, TREB_DOUBT_NONE, TREB_WIN},
        {won_in(20, TREB_AT_MOST), 81, TREB_DOUBT_CLOCK, TREB_CURSED_WIN},
        {won_in(20, TREB_AT_MOST), 100, TREB_DOUBT_NONE, TREB_CURSED_WIN},
        {missing, 0, TREB_DOUBT_NONE, TREB_WIN},
        {missing, 1, TREB_DOUBT_CLOCK, TREB_WIN},
        {missing, 100, TREB_DOUBT_NONE, TREB_CURSED_WIN},
        {mate, 80, TREB_DOUBT_NONE, TREB_WIN},
        {mate, 81, TREB_DOUBT_CLOCK, TREB_WIN},
        {unknown, 0, TREB_DOUBT_VERDICT, -1},
        {lost, 100, TREB_DOUBT_NONE, TREB_LOSS}, /* mated in time */
        {lost, 101, TREB_DOUBT_NONE, TREB_BLESSED_LOSS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const treb_value *value = &cases[i].value;
        const int clock = cases[i].clock, rule = cases[i].rule;
        ck_assert_msg((int)treb_value_doubt(value, clock) == cases[i].doubt, "case %zu", i);
        ck_assert_msg(rule < 0 || (int)treb_value_rule(value, clock) == rule, "case %zu", i);
    }
}
END_TEST

/* A position in doubt with two moves in doubt: what is known of one settles the rest. */
START_TEST(settling)
{
    treb_value value = won_in(20, TREB_ROUNDED);
    treb_move moves[2] = {{.value = won_in(20, TREB_ROUNDED)}, {.value = won_in(20, TREB_ROUNDED)}};
    treb_settle(&value, moves, 2, 80);
    ck_assert_int_eq(treb_value_doubt(&value, 80), TREB_DOUBT_ROUNDED);
    moves[1].value = won_in(20, TREB_EXACT);
    treb_settle(&value, moves, 2, 80); /* a move surely wins; the other may, too */
    ck_assert_int_eq(value.rule, TREB_WIN);
    ck_assert_int_eq(treb_value_doubt(&value, 80), TREB_DOUBT_NONE);
    ck_assert_int_eq(treb_value_doubt(&moves[0].value, 80), TREB_DOUBT_ROUNDED);
    moves[1].value = won_in(30, TREB_EXACT);
    treb_settle(&value, moves, 2, 80); /* only one of them can do it */
    ck_assert_int_eq(moves[0].value.rule, TREB_WIN);
    ck_assert_int_eq(treb_value_doubt(&moves[0].value, 80), TREB_DOUBT_NONE);
    value = won_in(20, TREB_ROUNDED);
    moves[0].value = won_in(21, TREB_EXACT);
    treb_settle(&value, moves, 2, 80); /* no move wins in time */
    ck_assert_int_eq(value.rule, TREB_CURSED_WIN);
    ck_assert_int_eq(value.plies[TREB_DTZ], 21);
    value.wdl = TREB_LOSS, value.plies[TREB_DTZ] = 20, value.rounded[TREB_DTZ] = TREB_EXACT;
    moves[0].value = moves[1].value = won_in(20, TREB_ROUNDED);
    moves[0].value.wdl = moves[1].value.wdl = TREB_LOSS;
    treb_settle(&value, moves, 2, 80); /* a lost position: every move loses */
    ck_assert_int_eq(treb_value_doubt(&moves[0].value, 80), TREB_DOUBT_NONE);
    ck_assert_int_eq(moves[1].value.rule, TREB_LOSS);
}
END_TEST

START_TEST(clock_counts)
{
    ck_assert_int_eq(treb_wdl_with_clock(TREB_WIN, 20, 80), TREB_WIN);
    ck_assert_int_eq(treb_wdl_with_clock(TREB_WIN, 20, 81), TREB_CURSED_WIN);
    ck_assert_int_eq(treb_wdl_with_clock(TREB_LOSS, 20, 81), TREB_BLESSED_LOSS);
    ck_assert_int_eq(treb_wdl_with_clock(TREB_LOSS, 0, 100), TREB_LOSS);
    ck_assert_int_eq(treb_wdl_with_clock(TREB_CURSED_WIN, 101, 0), TREB_CURSED_WIN);
    ck_assert_int_eq(treb_wdl_with_clock(TREB_DRAW, 0, 150), TREB_DRAW);
    treb_tables *tables = open_set(directory);
    treb_error error;
    treb_value value;
    treb_wdl wdl;
    treb_position pos = position_of("k7/8/1K6/8/8/8/8/7R w - - 99 80"); /* mates on the 100th ply */
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_OK);
    ck_assert_int_eq(value.rule, TREB_WIN);
    pos.halfmove = 100;
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_OK);
    ck_assert_int_eq(value.rule, TREB_CURSED_WIN);
    ck_assert_int_eq(value.wdl, TREB_WIN);
    check_moves(tables, &pos, TREB_DTZ);
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_OK);
    ck_assert_int_eq(wdl, TREB_WIN);
    treb_tables_close(tables);
}
END_TEST

/* ---- En passant ------------------------------------------------------------------------------ */

/* Writes KPvKP tables in which all cells have one verdict and one distance. `stored`: the side
 * whose distances are stored. */
static void write_constant(const char *to, int verdict, int plies, int stored)
{
    Material material;
    material_parse("KPvKP", &material);
    for (int metric = TREB_WDL; metric < TREB_METRICS; metric++) {
        TableHeader h = {.metric = metric, .pad = 1, .width = 1, .per_byte = 1};
        uint8_t *data[2] = {NULL, NULL};
        ck_assert(index_init(&h.index, &material, NULL, 1));
        h.block_bits = 20;
        for (int s = 0; s < 2; s++) {
            h.side[s].stored = s == stored;
            if (s != stored) continue;
            data[s] = calloc(1, table_side_bytes(&h));
            int map = metric == TREB_WDL ? 0 : verdict;
            h.side[s].codes[map] = 1;
            h.side[s].plies[map] = malloc(sizeof(uint16_t));
            h.side[s].plies[map][0] = (uint16_t)(metric == TREB_WDL ? verdict : plies);
        }
        ck_assert(naive_write_bytes(to, &h, data));
        free(data[stored]);
        table_header_free(&h);
    }
}

/* Only e5xd6 captures. Each case has the value in the table, without the capture, and the value of
 * the position. */
START_TEST(en_passant)
{
    static const struct {
        int verdict, plies;
        bool by_capture[TREB_METRICS];
    } cases[] = {{TREB_LOSS, 30, {1, 1, 1, 1}},
                 {TREB_DRAW, 0, {1, 1, 1, 1}},
                 {TREB_WIN, 3, {0, 1, 1, 0}},
                 {TREB_WIN, 90, {0, 1, 1, 1}},
                 {TREB_CURSED_WIN, 120, {1, 1, 1, 1}}};
    char other[PATH_SIZE];
    make_directory(other);
    /* KPvKP is symmetric: only White to move is tested. */
    write_constant(other, cases[_i].verdict, cases[_i].plies, TREB_WHITE);
    const char *both[] = {other, directory};
    treb_error error;
    treb_tables *tables = treb_tables_open(both, 2, &error);
    treb_position pos = position_of("8/8/8/3pP3/8/1K6/8/7k w - d6 0 1"), after;
    treb_position turned;
    position_swap_colors(&pos, &turned);
    ck_assert_int_eq(treb_position_play(&pos, "exd6", &after, &error), TREB_OK);
    const NaiveValue *taken = naive_value(solved[0], &after);
    ck_assert_int_eq(taken->verdict, TREB_LOSS);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        int expected = cases[_i].plies;
        if (cases[_i].by_capture[m]) expected = m == TREB_DTM ? taken->plies[TREB_DTM] + 1 : 1;
        treb_distance got;
        for (int side = 0; side < 2; side++) {
            ck_assert_int_eq(
                treb_probe_distance(tables, side ? &turned : &pos, (treb_metric)m, &got, &error),
                TREB_OK);
            ck_assert_int_eq(got.wdl, TREB_WIN);
            ck_assert_int_eq(got.plies, expected);
        }
    }
    pos.ep = 0;
    treb_wdl wdl;
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_OK);
    ck_assert_int_eq(wdl, cases[_i].verdict);
    treb_tables_close(tables);
    remove_directory(other);
}
END_TEST

/* The error names the missing table of a capture. */
START_TEST(missing_capture)
{
    char other[PATH_SIZE];
    make_directory(other);
    write_constant(other, TREB_WIN, 3, TREB_WHITE);
    treb_tables *tables = open_set(other);
    treb_position pos = position_of("8/8/8/3pP3/8/1K6/8/7k w - d6 0 1");
    treb_error error;
    treb_wdl wdl;
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_ERR_NO_TABLE);
    ck_assert_str_eq(error.text, "KPvK.wdl.treb is not installed");
    ck_assert_str_eq(error.material, "KPvK");
    ck_assert_int_eq(error.metric, TREB_WDL);
    ck_assert_int_eq(
        treb_probe_distance(tables, &pos, (treb_metric)-1, &(treb_distance){0}, &error),
        TREB_ERR_ARGUMENT);
    ck_assert_str_eq(error.material, "");
    ck_assert_int_eq(error.metric, -1);
    pos.ep = 0;
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_OK);
    ck_assert_int_eq(wdl, TREB_WIN);
    treb_tables_close(tables);
    remove_directory(other);
}
END_TEST

/* When en passant is the only move, the error still names the position's own table. */
START_TEST(en_passant_alone)
{
    treb_tables *tables = open_set(directory);
    treb_position pos = position_of("8/8/8/8/pP6/K7/2Q5/k7 b - b3 0 1");
    treb_error error;
    treb_wdl wdl;
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_ERR_NO_TABLE);
    ck_assert_str_eq(error.text, "KQPvKP.wdl.treb is not installed");
    pos.ep = 0;
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_OK);
    ck_assert_int_eq(wdl, TREB_DRAW); /* stalemate, by the rules alone */
    treb_tables_close(tables);
}
END_TEST

/* ---- Materials that are their own mirror ----------------------------------------------------- */

START_TEST(symmetric_material)
{
    char other[PATH_SIZE];
    make_directory(other);
    Material material;
    material_parse("KRvKR", &material);
    TableHeader h = {.metric = TREB_WDL, .pad = 4, .width = 1, .per_byte = 3, .base = 5};
    uint8_t order[] = {2, 0, 1};
    ck_assert(index_init(&h.index, &material, order, 4));
    h.block_bits = 12;
    h.side[0].stored = true;
    h.side[0].codes[0] = 5;
    h.side[0].plies[0] = malloc(5 * sizeof(uint16_t));
    for (int c = 0; c < 5; c++) h.side[0].plies[0][c] = (uint16_t)c;
    uint64_t seed = 9, bytes = table_side_bytes(&h);
    uint8_t *data[2] = {malloc(bytes), NULL};
    for (uint64_t i = 0; i < bytes; i++) data[0][i] = (uint8_t)(next_random31(&seed) % 125);
    ck_assert(naive_write_bytes(other, &h, data));
    treb_tables *tables = open_set(other);
    for (int i = 0; i < 100000; i++) {
        treb_position pos = {.turn = TREB_WHITE, .fullmove = 1}, turned;
        for (int man = 0; man < 4; man++) {
            int sq = (int)(next_random31(&seed) & 63);
            if (!bit_test(position_occupied(&pos), sq))
                position_put(&pos, man & 1, man < 2 ? TREB_KING : TREB_ROOK, sq);
        }
        Move captures[MOVES_MAX];
        if (bit_count(position_occupied(&pos)) < 4 || position_check(&pos, NULL) != TREB_OK)
            continue;
        if (movegen_captures(&pos, captures) > 0) continue;
        position_swap_colors(&pos, &turned);
        uint64_t cell = index_of_position(&h.index, &pos);
        unsigned expected = data[0][cell / 3];
        for (unsigned d = cell % 3; d > 0; d--) expected /= 5;
        treb_wdl white, black;
        treb_status status = treb_probe_wdl(tables, &pos, &white, NULL);
        if (status == TREB_OK) status = treb_probe_wdl(tables, &turned, &black, NULL);
        if (status != TREB_OK || (unsigned)white != expected % 5 || white != black)
            ck_abort_msg("cell %llu: %d", (unsigned long long)cell, status);
    }
    treb_tables_close(tables);
    table_header_free(&h);
    free(data[0]);
    remove_directory(other);
}
END_TEST

/* ---- Many positions -------------------------------------------------------------------------- */

typedef struct Listed {
    treb_position pos[20000];
    size_t count;
} Listed;

static int list_position(void *context, const treb_position *pos)
{
    Listed *l = context;
    if (l->count < sizeof l->pos / sizeof *l->pos) l->pos[l->count++] = *pos;
    return 1;
}

/* Any number of positions at a time: those of treb_each_position, in its order. */
START_TEST(positions_at_a_time)
{
    static const size_t capacities[] = {1, 2, 7, 64, 5000, 20000};
    static Listed all, some;
    treb_tables *tables = open_set(directory);
    all.count = 0;
    ck_assert_int_eq(
        treb_each_position(tables, "KvKN", 0, 8, list_position, &all, NULL), TREB_OK);
    ck_assert_uint_gt(all.count, 5000);
    const size_t capacity = capacities[_i];
    uint64_t next = 0;
    size_t count = capacity;
    for (some.count = 0; some.count < all.count && count == capacity; some.count += count) {
        const size_t room = sizeof some.pos / sizeof *some.pos - some.count;
        if (room < capacity) break;
        ck_assert_int_eq(treb_next_positions(tables, "KvKN", &next, some.pos + some.count,
                                             capacity, &count, NULL),
                         TREB_OK);
        ck_assert_uint_gt(count, 0);
    }
    const size_t least = some.count < all.count ? some.count : all.count;
    ck_assert_uint_gt(least, 4000);
    for (size_t i = 0; i < least; i++)
        if (!position_equal(&some.pos[i], &all.pos[i])) ck_abort_msg("position %zu", i);
    /* At the end there are none. */
    next = UINT64_MAX - 1;
    ck_assert_int_eq(treb_next_positions(tables, "KvKN", &next, some.pos, 5, &count, NULL), TREB_OK);
    ck_assert_uint_eq(count, 0);
    treb_tables_close(tables);
}
END_TEST

/* What treb_probe_many writes for each position of a sample, against the solver. */
START_TEST(many_positions)
{
    enum { SIZE = 3000 };
    static treb_position pos[SIZE];
    static int8_t wdl[SIZE];
    static int16_t plies[TREB_METRICS][SIZE];
    static uint8_t status[SIZE];
    const Naive *naive = solved[_i];
    size_t count = 0;
    treb_tables *tables = open_set(directory);
    for (uint32_t n = 0; count < SIZE - 1 && n < 1u << 19; n += 83)
        if (three_men(naive, n, &pos[count])) count++;
    ck_assert_uint_gt(count, 1000);
    /* One that no game leads to. */
    memset(&pos[count++], 0, sizeof *pos);
    const treb_columns out = {.wdl = wdl,
                              .plies = {NULL, plies[TREB_DTZ], plies[TREB_DTC], plies[TREB_DTM]},
                              .status = {status}};
    ck_assert_uint_eq(treb_probe_many(tables, pos, count, &out), 4);
    for (size_t i = 0; i + 1 < count; i++) {
        const NaiveValue *value = naive_value(naive, &pos[i]);
        const int sign = value->verdict < TREB_DRAW ? -1 : 1;
        bool good = wdl[i] == value->verdict - TREB_DRAW && status[i] == TREB_OK;
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            good = good && plies[m][i] == sign * value->plies[m];
        if (!good) ck_abort_msg("position %zu", i);
    }
    ck_assert_int_eq(wdl[count - 1], TREB_NO_WDL);
    ck_assert_int_eq(plies[TREB_DTM][count - 1], TREB_NO_PLIES);
    ck_assert_int_eq(status[count - 1], TREB_ERR_POSITION);
    treb_tables_close(tables);
}
END_TEST

/* A sample has each position once; if the ending has no more, all of them. */
START_TEST(samples)
{
    enum { SIZE = 200000 };
    static treb_position pos[SIZE];
    static bool seen[2][1 << 18];
    static const size_t sizes[] = {1, 500, 40000, SIZE};
    Material material;
    Index index;
    size_t count = 0, all = 0;
    treb_tables *tables = open_set(directory);
    material_parse("KQvK", &material);
    ck_assert(index_init(&index, &material, NULL, 1) && index.size < 1 << 18);
    uint64_t next = 0;
    ck_assert_int_eq(treb_next_positions(tables, "KQvK", &next, pos, SIZE, &all, NULL), TREB_OK);
    memset(seen, 0, sizeof seen);
    ck_assert_int_eq(
        treb_sample_positions(tables, "KQvK", 9, 0, pos, sizes[_i], &count, NULL), TREB_OK);
    ck_assert_uint_eq(count, sizes[_i] < all ? sizes[_i] : all);
    for (size_t i = 0; i < count; i++) {
        bool *place = &seen[pos[i].turn][index_of_position(&index, &pos[i])];
        if (*place || treb_position_check(&pos[i], NULL) != TREB_OK) ck_abort_msg("twice: %zu", i);
        *place = true;
    }
    treb_tables_close(tables);
}
END_TEST

START_TEST(many_fens)
{
    static const char *const fens[] = {"8/8/8/8/8/2K5/1Q6/7k w - - 3 7", "nonsense",
                                       "8/8/8/8/8/8/8/8 w"};
    treb_position pos[3], one;
    uint8_t status[3];
    ck_assert_uint_eq(treb_positions_from_fens(fens, 3, pos, status), 2);
    ck_assert_int_eq(treb_position_from_fen(fens[0], &one, NULL), TREB_OK);
    ck_assert(position_equal(&pos[0], &one) && pos[0].halfmove == 3 && pos[0].fullmove == 7);
    ck_assert_int_eq(status[0], TREB_OK);
    ck_assert_int_eq(status[1], TREB_ERR_FEN);
    ck_assert_int_eq(status[2], TREB_ERR_POSITION);
    ck_assert_int_eq(treb_position_check(&pos[1], NULL), TREB_ERR_POSITION);
    ck_assert_uint_eq(treb_positions_from_fens(fens, 1, pos, NULL), 0);
}
END_TEST

static void set_up(void) { solve_and_write(&plain); }

int main(void)
{
    Suite *suite = suite_create("probe");
    TCase *tests = add_case(suite, "probe");
    tcase_add_unchecked_fixture(tests, set_up, forget_all);
    tcase_add_loop_test(tests, every_position, 0, SOLVED);
    tcase_add_loop_test(tests, any_layout, 0, 8);
    tcase_add_test(tests, moves_and_lines);
    tcase_add_test(tests, line_without_rule);
    tcase_add_test(tests, line_in_parts);
    tcase_add_test(tests, move_flags);
    tcase_add_test(tests, doubts);
    tcase_add_test(tests, settling);
    tcase_add_test(tests, clock_counts);
    tcase_add_loop_test(tests, en_passant, 0, 5);
    tcase_add_test(tests, missing_capture);
    tcase_add_test(tests, en_passant_alone);
    tcase_add_test(tests, symmetric_material);
    tcase_add_loop_test(tests, positions_at_a_time, 0, 6);
    tcase_add_loop_test(tests, many_positions, 0, SOLVED);
    tcase_add_loop_test(tests, samples, 0, 4);
    tcase_add_test(tests, many_fens);
    return run_suite(suite);
}
