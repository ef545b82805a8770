/* test_win_search.c - the win search: all placements of king and pawn against king are compared
 * with a plain solver; with more pawns the graph proves what it finds, for any number of threads
 * and any budget; and its limits. */
#include <check.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/hash.h"
#include "pawns/solve/solve.h"
#include "tests/support/naive.h"
#include "tests/support/suite.h"

static const WinSearchLimits ample = {.memory = UINT64_C(500) << 20};

/* Black wins the first with his king and a passed pawn; White wins the second by a breakthrough. */
static const char black_wins[] = "8/p7/8/1p2k3/8/1P6/2K5/8 b - - 0 1";
static const char white_wins[] = "8/pp4k1/8/PP6/2P5/8/6K1/8 w - - 0 1";
static const char nobody_wins[] = "8/8/3k4/3p4/3P4/3K4/8/8 w - - 0 1";

typedef struct Found {
    WinSearchResult result;
    CellsKey *keys;
    size_t count;
} Found;

static treb_position position(const char *fen)
{
    treb_position pos;
    ck_assert_int_eq(position_from_fen(fen, &pos, NULL), TREB_OK);
    return pos;
}

static Found search_position(const treb_position *pos, int winner, const WinSearchLimits *limits,
                             uint64_t budget)
{
    CellsKey key;
    Cell cell;
    Found found = {.result = WIN_SEARCH_UNDECIDED};
    ck_assert(cells_from_position(pos, &key, &cell));
    WinSearch *search = win_search_new(&key, winner, limits);
    ck_assert_ptr_nonnull(search);
    for (int turns = 0; found.result == WIN_SEARCH_UNDECIDED; turns++) {
        ck_assert_int_lt(turns, 1000);
        found.result =
            win_search_run(search, &key, cell, pos->turn, budget, &found.keys, &found.count);
        ck_assert((found.result == WIN_SEARCH_WON) == (found.count > 0));
    }
    ck_assert_uint_gt(win_search_bytes(search), 0);
    win_search_free(search);
    return found;
}

static Found search_fen(const char *fen, int winner)
{
    treb_position pos = position(fen);
    return search_position(&pos, winner, &ample, UINT64_MAX / 2);
}

/* ---- King and pawn --------------------------------------------------------------------------- */

/* Checks every fifth placement of the kings with one pawn, also with the colours exchanged: a win
 * that is found is a win, and no win is missed unless it needs a promotion to a rook. */
static int placements(const Naive *naive, int pawn, bool turned, int *missed)
{
    const CellsKey plain = {.pawns = {square_bit(pawn), 0}},
                   mirrored = {.pawns = {0, square_bit(pawn ^ 56)}};
    const CellsKey *key = turned ? &mirrored : &plain;
    int wins = 0;
    WinSearch *search = win_search_new(key, turned ? TREB_BLACK : TREB_WHITE, &ample);
    ck_assert_ptr_nonnull(search);
    for (int i = 0; i < 2 * 4096; i += 5) {
        const int turn = i >> 12, white = i >> 6 & 63, black = i & 63;
        const Cell cell = (Cell)(turned ? (black ^ 56) << 6 | (white ^ 56) : white << 6 | black);
        treb_position pos;
        CellsKey *keys;
        size_t count;
        if (white == black || !cells_to_position(&plain, (Cell)(i & 4095), turn, &pos)) continue;
        const NaiveValue *value = naive_value(naive, &pos);
        if (!value->legal) continue;
        const bool won = value->verdict == (turn == TREB_WHITE ? TREB_WIN : TREB_LOSS);
        const bool found = win_search_run(search, key, cell, turned ? !turn : turn, UINT64_MAX / 2,
                                          &keys, &count) == WIN_SEARCH_WON;
        ck_assert_msg(won || !found, "pawn on %d, kings on %d and %d, %d to move", pawn, white,
                      black, turn);
        free(keys);
        wins += won;
        *missed += won && !found;
    }
    win_search_free(search);
    return wins;
}

START_TEST(king_and_pawn)
{
    static const int pawns[] = {8, 27, 43, 49};
    int missed = 0;
    Naive *naive = naive_solve("KPvK");
    ck_assert_ptr_nonnull(naive);
    for (size_t i = 0; i < sizeof pawns / sizeof *pawns; i++) {
        const int wins = placements(naive, pawns[i], false, &missed);
        ck_assert_int_gt(wins, 200);
        ck_assert_int_eq(placements(naive, pawns[i], true, &missed), wins);
    }
    ck_assert_int_le(missed, 4);
    naive_free(naive);
}
END_TEST

/* ---- More pawns ------------------------------------------------------------------------------ */

START_TEST(who_wins)
{
    Found found[] = {search_fen(black_wins, TREB_BLACK),  search_fen(black_wins, TREB_WHITE),
                     search_fen(white_wins, TREB_WHITE),  search_fen(white_wins, TREB_BLACK),
                     search_fen(nobody_wins, TREB_WHITE), search_fen(nobody_wins, TREB_BLACK)};
    static const WinSearchResult expected[] = {WIN_SEARCH_WON,       WIN_SEARCH_NOT_FOUND,
                                               WIN_SEARCH_WON,       WIN_SEARCH_NOT_FOUND,
                                               WIN_SEARCH_NOT_FOUND, WIN_SEARCH_NOT_FOUND};
    for (int i = 0; i < 6; i++) {
        ck_assert_msg(found[i].result == expected[i], "%d: %d", i, (int)found[i].result);
        for (size_t k = 0; k < found[i].count; k++) {
            const CellsKey *key = &found[i].keys[k];
            ck_assert_int_le(key->pieces, 1);
            for (size_t other = 0; other < k; other++)
                ck_assert_int_ne(memcmp(key, &found[i].keys[other], sizeof *key), 0);
        }
        free(found[i].keys);
    }
}
END_TEST

/* The result is the same with one thread and with two, in one call and in many. */
START_TEST(the_same_again)
{
    const treb_position pos = position(white_wins);
    omp_set_num_threads(1);
    Found one = search_position(&pos, TREB_WHITE, &ample, UINT64_MAX / 2);
    omp_set_num_threads(2);
    Found two = search_position(&pos, TREB_WHITE, &ample, UINT64_MAX / 2),
          often = search_position(&pos, TREB_WHITE, &ample, 1);
    ck_assert_uint_eq(one.count, two.count);
    ck_assert_int_eq(memcmp(one.keys, two.keys, one.count * sizeof *one.keys), 0);
    ck_assert_uint_eq(one.count, often.count);
    ck_assert_int_eq(memcmp(one.keys, often.keys, one.count * sizeof *one.keys), 0);
    free(one.keys);
    free(two.keys);
    free(often.keys);
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += HASH_FACTOR;
    z = (z ^ z >> 30) * HASH_FACTOR_2;
    return z ^ z >> 29;
}

/* Draws a position with two pawns against one, two or none. */
static treb_position draw(uint64_t *state)
{
    for (;;) {
        treb_position pos = {.fullmove = 1, .turn = (uint8_t)(next_random(state) >> 20 & 1)};
        const int black = (int)(next_random(state) >> 20) % 3;
        for (int i = 0; i < 4 + black; i++) {
            const int color = i < 2 ? i : i < 4 ? TREB_WHITE : TREB_BLACK;
            int square = (int)(next_random(state) >> 20 & 63);
            if (!bit_test(position_occupied(&pos), square))
                position_put(&pos, color, i < 2 ? TREB_KING : TREB_PAWN, square);
        }
        if (bit_count(position_occupied(&pos)) == 4 + black &&
            position_check(&pos, NULL) == TREB_OK && movegen_any(&pos))
            return pos;
    }
}

/* The graph proves what the win search finds, and the win search never finds wins for both
 * sides. */
START_TEST(the_graph_proves_it)
{
    uint64_t state = 7;
    int won = 0;
    for (int i = 0; i < 30; i++) {
        const treb_position pos = draw(&state);
        Found found[2];
        const ProofGraphLimits limits = {.memory = UINT64_C(600) << 20, .pieces = 1};
        treb_error error;
        for (int winner = 0; winner < 2; winner++)
            found[winner] = search_position(&pos, winner, &ample, UINT64_MAX / 2);
        ck_assert(found[0].result != WIN_SEARCH_WON || found[1].result != WIN_SEARCH_WON);
        for (int winner = 0; winner < 2; winner++) {
            free(found[winner].keys);
            if (found[winner].result != WIN_SEARCH_WON) continue;
            Solve *s = solve_position(&pos, &limits, &error);
            char fen[TREB_FEN_SIZE];
            position_to_fen(&pos, fen);
            ck_assert_ptr_nonnull(s);
            ck_assert_msg(s->value.verdict ==
                              (winner == TREB_WHITE ? VERDICT_WHITE : VERDICT_BLACK),
                          "%s", fen);
            solve_free(s);
            won++;
        }
    }
    ck_assert_int_gt(won, 10);
}
END_TEST

/* ---- Limits ---------------------------------------------------------------------------------- */

static bool stop_at_once(void *context, uint64_t structures, uint64_t bytes)
{
    (void)structures;
    (void)bytes;
    ++*(int *)context;
    return true;
}

START_TEST(limits)
{
    int asked = 0;
    const treb_position pos = position(white_wins);
    const WinSearchLimits impatient = {
        .memory = ample.memory, .stop = stop_at_once, .context = &asked};
    ck_assert_int_eq(search_position(&pos, TREB_WHITE, &impatient, 1000).result,
                     WIN_SEARCH_STOPPED);
    ck_assert_int_eq(asked, 1);
    const WinSearchLimits little = {.memory = 100000};
    ck_assert_int_eq(search_position(&pos, TREB_WHITE, &little, UINT64_MAX / 2).result,
                     WIN_SEARCH_NO_MEMORY);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("win_search");
    TCase *tc = tcase_create("win_search");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, king_and_pawn);
    tcase_add_test(tc, who_wins);
    tcase_add_test(tc, the_same_again);
    tcase_add_test(tc, the_graph_proves_it);
    tcase_add_test(tc, limits);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
