/* test_scout.c - the scout: all placements of king and pawn against king by a plain solver; what it says of more pawns
 * is what the lattice then proves, whatever the threads and the patience; and its limits. */
#include <check.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/solve.h"
#include "tests/support/naive.h"
#include "tests/support/suite.h"

static const ScoutLimits ample = {.memory = UINT64_C(500) << 20};

/* Black wins the first, by a run of his king and a pawn; White the second, by a breakthrough. */
static const char black_wins[] = "8/p7/8/1p2k3/8/1P6/2K5/8 b - - 0 1";
static const char white_wins[] = "8/pp4k1/8/PP6/2P5/8/6K1/8 w - - 0 1";
static const char nobody_wins[] = "8/8/3k4/3p4/3P4/3K4/8/8 w - - 0 1";

typedef struct Found {
    ScoutResult result;
    CellsKey *keys;
    size_t count;
} Found;

static treb_position position(const char *fen)
{
    treb_position pos;
    ck_assert_int_eq(position_from_fen(fen, &pos, NULL), TREB_OK);
    return pos;
}

static Found scout_position(const treb_position *pos, int winner, const ScoutLimits *limits,
                            uint64_t patience)
{
    CellsKey key;
    Cell cell;
    Found found = {.result = SCOUT_UNDECIDED};
    ck_assert(cells_from_position(pos, &key, &cell));
    Scout *scout = scout_new(&key, winner, limits);
    ck_assert_ptr_nonnull(scout);
    for (int turns = 0; found.result == SCOUT_UNDECIDED; turns++) {
        ck_assert_int_lt(turns, 1000);
        found.result = scout_win(scout, &key, cell, pos->turn, patience, &found.keys, &found.count);
        ck_assert((found.result == SCOUT_WON) == (found.count > 0));
    }
    ck_assert_uint_gt(scout_bytes(scout), 0);
    scout_free(scout);
    return found;
}

static Found scout_fen(const char *fen, int winner)
{
    treb_position pos = position(fen);
    return scout_position(&pos, winner, &ample, UINT64_MAX / 2);
}

/* ---- King and pawn --------------------------------------------------------------------------- */

/* Every fifth placement of the kings with one pawn, as it stands and with colours exchanged: what the scout calls won
 * is, and it misses no win but where nothing less than a rook does. */
static int placements(const Naive *naive, int pawn, bool turned, int *missed)
{
    const CellsKey plain = {.pawns = {square_bit(pawn), 0}},
                   mirrored = {.pawns = {0, square_bit(pawn ^ 56)}};
    const CellsKey *key = turned ? &mirrored : &plain;
    int wins = 0;
    Scout *scout = scout_new(key, turned ? TREB_BLACK : TREB_WHITE, &ample);
    ck_assert_ptr_nonnull(scout);
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
        const bool found = scout_win(scout, key, cell, turned ? !turn : turn, UINT64_MAX / 2, &keys,
                                     &count) == SCOUT_WON;
        ck_assert_msg(won || !found, "pawn on %d, kings on %d and %d, %d to move", pawn, white,
                      black, turn);
        free(keys);
        wins += won;
        *missed += won && !found;
    }
    scout_free(scout);
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
    Found found[] = {scout_fen(black_wins, TREB_BLACK),  scout_fen(black_wins, TREB_WHITE),
                     scout_fen(white_wins, TREB_WHITE),  scout_fen(white_wins, TREB_BLACK),
                     scout_fen(nobody_wins, TREB_WHITE), scout_fen(nobody_wins, TREB_BLACK)};
    static const ScoutResult expected[] = {SCOUT_WON,       SCOUT_NOT_FOUND, SCOUT_WON,
                                           SCOUT_NOT_FOUND, SCOUT_NOT_FOUND, SCOUT_NOT_FOUND};
    for (int i = 0; i < 6; i++) {
        ck_assert_msg(found[i].result == expected[i], "%d: %d", i, (int)found[i].result);
        for (size_t k = 0; k < found[i].count; k++) {
            const CellsKey *key = &found[i].keys[k];
            ck_assert_int_le(key->men, 1);
            for (size_t other = 0; other < k; other++)
                ck_assert_int_ne(memcmp(key, &found[i].keys[other], sizeof *key), 0);
        }
        free(found[i].keys);
    }
}
END_TEST

/* The same families with one thread and with two, in one turn and in many. */
START_TEST(the_same_again)
{
    const treb_position pos = position(white_wins);
    omp_set_num_threads(1);
    Found one = scout_position(&pos, TREB_WHITE, &ample, UINT64_MAX / 2);
    omp_set_num_threads(2);
    Found two = scout_position(&pos, TREB_WHITE, &ample, UINT64_MAX / 2),
          often = scout_position(&pos, TREB_WHITE, &ample, 1);
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
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 29;
}

/* Two pawns against one, two or none. */
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

/* What the scout says the lattice proves; and it never says that both win. */
START_TEST(the_lattice_proves_it)
{
    uint64_t state = 7;
    int won = 0;
    for (int i = 0; i < 30; i++) {
        const treb_position pos = draw(&state);
        Found found[2];
        const LatticeLimits limits = {.memory = UINT64_C(600) << 20, .men = 1};
        treb_error error;
        for (int winner = 0; winner < 2; winner++)
            found[winner] = scout_position(&pos, winner, &ample, UINT64_MAX / 2);
        ck_assert(found[0].result != SCOUT_WON || found[1].result != SCOUT_WON);
        for (int winner = 0; winner < 2; winner++) {
            free(found[winner].keys);
            if (found[winner].result != SCOUT_WON) continue;
            Solve *s = solve_position(&pos, &limits, &error);
            char fen[TREB_FEN_SIZE];
            position_to_fen(&pos, fen);
            ck_assert_ptr_nonnull(s);
            ck_assert_msg(s->value.verdict ==
                              (winner == TREB_WHITE ? BLOCKED_WHITE : BLOCKED_BLACK),
                          "%s", fen);
            solve_free(s);
            won++;
        }
    }
    ck_assert_int_gt(won, 10);
}
END_TEST

/* ---- Limits ---------------------------------------------------------------------------------- */

static bool stop_at_once(void *context, uint64_t families, uint64_t bytes)
{
    (void)families;
    (void)bytes;
    ++*(int *)context;
    return true;
}

START_TEST(limits)
{
    int asked = 0;
    const treb_position pos = position(white_wins);
    const ScoutLimits impatient = {.memory = ample.memory, .stop = stop_at_once, .context = &asked};
    ck_assert_int_eq(scout_position(&pos, TREB_WHITE, &impatient, 1000).result, SCOUT_STOPPED);
    ck_assert_int_eq(asked, 1);
    const ScoutLimits little = {.memory = 100000};
    ck_assert_int_eq(scout_position(&pos, TREB_WHITE, &little, UINT64_MAX / 2).result,
                     SCOUT_NO_MEMORY);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scout");
    TCase *tc = tcase_create("scout");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, king_and_pawn);
    tcase_add_test(tc, who_wins);
    tcase_add_test(tc, the_same_again);
    tcase_add_test(tc, the_lattice_proves_it);
    tcase_add_test(tc, limits);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
