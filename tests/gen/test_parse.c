/* test_parse.c - parses cells of all kinds into symbols, and expands the symbols again. */
#include "gen/compress/optimal_parse.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gen/compress/learn.h"
#include "tests/support/part.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { EFFORTS = PARSE_BEST + 1 };

static uint64_t random_state;

static uint32_t random_below(uint32_t end)
{
    return (uint32_t)((uint64_t)next_random31(&random_state) * end >> 31);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

enum { WORDS = 4096 };

/* Fills the array with runs, or with repeated pieces of one text. */
static void put_cells(uint8_t *cells, size_t size, uint32_t values, uint32_t longest, bool words)
{
    uint8_t text[WORDS];
    for (int i = 0; i < WORDS; i++) text[i] = (uint8_t)random_below(values);
    for (size_t at = 0; at < size;) {
        uint8_t value = (uint8_t)random_below(values);
        if (words && random_below(3) > 0)
            for (uint32_t from = random_below(4000), n = random_below(90); n > 0 && at < size; n--)
                cells[at++] = text[from++];
        else
            for (uint32_t n = 1 + random_below(longest); n > 0 && at < size; n--)
                cells[at++] = value;
    }
}

/* Makes one in `part` cells, and some stretches of cells, allow several values. */
static void blur(uint8_t *cells, size_t size, uint32_t part)
{
    for (size_t i = 0; i < size; i++) {
        if (random_below(part) > 0) continue;
        bool up_to = cells[i] < 29 && random_below(2);
        cells[i] = (uint8_t)(up_to ? ENCODE_UP_TO | (cells[i] + random_below(2)) : ENCODE_ANY);
    }
    for (int n = 0; n < 4; n++)
        for (size_t at = random_below((uint32_t)size), k = random_below(600); k > 0 && at < size;
             k--)
            cells[at++] = ENCODE_ANY;
}

static bool admits(uint8_t cell, uint8_t value)
{
    return cell == value || cell == ENCODE_ANY || (cell >= ENCODE_UP_TO && (cell & 31) >= value);
}

/* ---- Symbols --------------------------------------------------------------------------------- */

static Learned *learn_cells(Stretch cells, unsigned symbols)
{
    MemoryBudget unbound;
    uint64_t times[256] = {0};
    Learned *learned = calloc(1, sizeof *learned);
    LearnOptions options = {.budget = &unbound, .threads = 1, .part = 1, .least = 4};
    CellRanges ranges = {0};
    RunList list = {0};
    ck_assert_ptr_nonnull(learned);
    budget_init(&unbound, UINT64_MAX);
    learned->limits = (CodeLimits){.symbols = symbols, .symbol_bits = 24};
    learn_count(cells, times);
    learn_values(learned, times);
    ck_assert(cell_ranges_make(&ranges, cells, 1 << 13, 1));
    ck_assert(cell_ranges_runs(&ranges, &learned->values, &list));
    ck_assert(learn(learned, &ranges, &list, &options));
    cell_ranges_free(&ranges);
    free(list.run);
    return learned;
}

/* Checks that this processor's build finds the same symbols as the portable one. */
static void check_builds(const Parser *parser, ParseBuffer *buffer, Stretch cells,
                         const uint16_t *token, size_t tokens)
{
    uint16_t *portable = malloc(cells.size * sizeof *portable);
    ck_assert_ptr_nonnull(portable);
    ck_assert_uint_eq(optimal_parse_portable(parser, buffer, cells, portable), tokens);
    ck_assert_mem_eq(portable, token, tokens * sizeof *token);
    free(portable);
}

/* Parses cells and compares the symbols with them. Returns the cost. */
static uint64_t cut(const Learned *learned, Stretch cells, ParseEffort effort)
{
    Parser *parser = parser_make(&learned->pairs, &learned->values, learned->cost, effort);
    ParseBuffer *buffer = parse_buffer_make();
    uint16_t *token = malloc(cells.size * sizeof *token);
    ck_assert(parser != NULL && buffer != NULL && token != NULL);
    size_t tokens = parse_stretch(parser, buffer, cells, token), at = 0;
    check_builds(parser, buffer, cells, token, tokens);
    size_t runs = parser_runs(parser, token, tokens, NULL);
    Run *run = malloc((runs + 1) * sizeof *run);
    ck_assert_ptr_nonnull(run);
    ck_assert_uint_eq(parser_runs(parser, token, tokens, run), runs);
    for (size_t r = 0; r < runs; r++)
        for (uint32_t k = 0; k < run[r].length; k++, at++) {
            ck_assert_uint_lt(at, cells.size);
            ck_assert_msg(admits(cells.cells[at], run[r].value), "cell %zu", at);
        }
    ck_assert_uint_eq(at, cells.size);
    uint64_t cost = 0;
    for (size_t t = 0; t < tokens; t++) cost += learned->cost[token[t]];
    free(run);
    free(token);
    parse_buffer_free(buffer);
    parser_free(parser);
    return cost;
}

START_TEST(any_cells)
{
    enum { SIZE = 40000 };
    static uint8_t cells[SIZE];
    random_state = (uint64_t)_i * 7919;
    size_t size = 1 + random_below(random_below(2) ? 300 : SIZE - 1);
    uint32_t values = 1 + random_below(_i % 3 ? 5 : ENCODE_VALUES - 1);
    uint32_t longest = 1 + random_below(_i % 4 == 0 ? 20000 : _i % 4 == 1 ? 300 : 20);
    put_cells(cells, size, values, longest, random_below(2));
    if (_i % 5 > 0) blur(cells, size, 1 + random_below(30));
    Stretch all = {cells, size};
    Learned *learned = learn_cells(all, _i % 2 ? CODE_SYMBOLS_MAX : 100 + random_below(4000));
    for (int effort = 0; effort < EFFORTS; effort++) cut(learned, all, (ParseEffort)effort);
    free(learned);
}
END_TEST

/* The code has more symbols than a table of Syzygy's may have. */
START_TEST(many_symbols)
{
    enum { SIZE = 1000000, WORD = 12, DIFFERENT = 1400 };
    static uint8_t word[DIFFERENT][WORD];
    random_state = 5;
    for (int i = 0; i < DIFFERENT; i++)
        for (int k = 0; k < WORD; k++) word[i][k] = (uint8_t)random_below(200);
    uint8_t *cells = malloc(SIZE);
    ck_assert_ptr_nonnull(cells);
    memset(cells, 0, SIZE);
    for (int at = 0; at + WORD <= SIZE; at += WORD)
        memcpy(cells + at, word[random_below(DIFFERENT)], WORD);
    Stretch all = {cells, SIZE};
    Learned *learned = learn_cells(all, CODE_SYMBOLS_MAX);
    ck_assert_uint_gt(learned->pairs.count, 8000);
    ck_assert_uint_lt(cut(learned, all, PARSE_FAST) / PARSE_BIT, (uint64_t)SIZE / WORD * 16);
    free(learned);
    free(cells);
}
END_TEST

/* ---- What it costs --------------------------------------------------------------------------- */

/* Returns whether a symbol equals the cells that start here. */
static bool matches(const Pairs *pairs, unsigned symbol, const uint8_t *cells)
{
    if (symbol < pairs->values) return pairs->left[symbol] == *cells;
    unsigned left = pairs->left[symbol];
    return matches(pairs, left, cells) &&
           matches(pairs, pairs->right[symbol], cells + pairs->length[left]);
}

/* Returns the smallest possible cost of cells that each name one value. */
static uint64_t least_cost(const Learned *learned, Stretch cells)
{
    const Pairs *pairs = &learned->pairs;
    uint64_t *cost = malloc((cells.size + 1) * sizeof *cost);
    ck_assert_ptr_nonnull(cost);
    memset(cost, 0xff, (cells.size + 1) * sizeof *cost);
    cost[0] = 0;
    for (size_t at = 0; at < cells.size; at++)
        for (unsigned s = 0; s < pairs->count; s++) {
            size_t end = at + pairs->length[s];
            if (end > cells.size || cost[end] <= cost[at] + learned->cost[s]) continue;
            if (matches(pairs, s, cells.cells + at)) cost[end] = cost[at] + learned->cost[s];
        }
    uint64_t least = cost[cells.size];
    free(cost);
    return least;
}

START_TEST(cost_is_near_the_least)
{
    enum { SIZE = 30000 };
    static uint8_t cells[SIZE];
    static const double most[EFFORTS] = {
        [PARSE_FASTEST] = 1.06, [PARSE_FAST] = 1.05, [PARSE_GOOD] = 1.05, [PARSE_BEST] = 1.03};
    random_state = 100 + (uint64_t)_i;
    put_cells(cells, SIZE, 5, _i % 2 ? 40 : 4, true);
    Stretch all = {cells, SIZE};
    Learned *learned = learn_cells(all, 1000);
    double least = (double)least_cost(learned, all);
    for (int effort = 0; effort < EFFORTS; effort++) {
        double part = (double)cut(learned, all, (ParseEffort)effort) / least;
        ck_assert_msg(part >= 1 && part <= most[effort], "effort %d: %.4f", effort, part);
    }
    free(learned);
}
END_TEST

/* Runs whose ends may be moved to where the ends of other runs are. */
START_TEST(effort_pays)
{
    enum { SIZE = 200000, LINE = 64 };
    uint8_t *cells = malloc(SIZE);
    uint64_t cost[EFFORTS];
    ck_assert_ptr_nonnull(cells);
    random_state = 9;
    for (int at = 0; at < SIZE; at++) {
        int line = at / LINE, place = at % LINE, kind = line * 7 % 11;
        cells[at] = (uint8_t)(place < 9 + kind ? 0 : place < 30 + 2 * kind ? 2 : 1);
        if (random_below(5) == 0) cells[at] = ENCODE_ANY;
    }
    Stretch all = {cells, SIZE};
    Learned *learned = learn_cells(all, 1000);
    for (int effort = 0; effort < EFFORTS; effort++)
        cost[effort] = cut(learned, all, (ParseEffort)effort);
    ck_assert_uint_lt(cost[PARSE_FAST], cost[PARSE_FASTEST]);
    ck_assert_uint_lt(cost[PARSE_GOOD], cost[PARSE_FAST]);
    ck_assert_uint_lt(cost[PARSE_BEST], cost[PARSE_GOOD]);
    free(learned);
    free(cells);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parse");
    TCase *group = tcase_create("cells");
    tcase_set_timeout(group, 300);
    tcase_add_loop_test(group, any_cells, 0, 40 / test_part() + 1);
    tcase_add_test(group, many_symbols);
    tcase_add_loop_test(group, cost_is_near_the_least, 0, 2);
    tcase_add_test(group, effort_pays);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
