/* test_distance.c - distances to the next capture, promotion or mate: of position after position, each follows from
 * those that the legal moves lead to. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "blocked/solve.h"
#include "tests/support/suite.h"

/* Pawns that hold each other up, races, double pushes that two pawns may take, one piece. */
static const char *const fens[] = {
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "8/8/8/1p3k1p/1P5P/5KP1/8/8 w - - 0 1",
    "8/8/1k6/8/1p1p4/8/2P5/2K5 w - - 0 1",     "4k3/2p3p1/2p5/2P5/5K1P/8/P7/8 w - - 0 1",
    "8/p5k1/8/1P1P4/8/8/1K6/8 b - - 0 1",      "8/8/8/3k4/8/p7/R7/3K4 w - - 0 1"};

enum { FENS = sizeof fens / sizeof *fens, LINE = 160, PIECES = 6 };

typedef struct Seen {
    long positions, bounds, exact, rights;
} Seen;

static bool count_down(void *context, uint64_t families, uint64_t bytes)
{
    long *left = context;
    (void)families;
    (void)bytes;
    return (*left)-- <= 0;
}

static bool wins(const BlockedValue *value, int winner)
{
    return value->verdict == (winner == TREB_WHITE ? BLOCKED_WHITE : BLOCKED_BLACK);
}

/* What the moves of a position say: by the winner the nearest, by the other the farthest. */
static Distance by_moves(const Solve *s, const treb_position *pos, int winner, bool *open)
{
    Move moves[MOVES_MAX];
    Distance best = {-1, -1};
    int count = movegen_legal(pos, moves);
    *open = false;
    for (int i = 0; i < count; i++) {
        treb_position child;
        BlockedValue value;
        Distance d = {0, 0};
        const bool converts = settle_converts(pos, moves[i]);
        position_make(pos, moves[i], &child);
        ck_assert(settle_known(s->lattice, &child, &value));
        if (pos->turn == winner && !wins(&value, winner)) {
            *open = *open || value.can[winner];
            continue;
        }
        if (!converts) ck_assert(distance_of(s->distances, &child, winner, &d));
        const bool first = best.most < 0, near = pos->turn == winner;
        if (first || (near ? d.most < best.most : d.most > best.most)) best.most = d.most;
        if (first || (near ? d.least < best.least : d.least > best.least)) best.least = d.least;
    }
    return (Distance){best.least + 1, best.most + 1};
}

static void check_position(const Solve *s, const treb_position *pos, int winner, Seen *seen)
{
    char fen[TREB_FEN_SIZE], text[LINE];
    Distance d;
    bool open;
    position_to_fen(pos, fen);
    ck_assert_msg(distance_of(s->distances, pos, winner, &d), "%s", fen);
    const Distance by = by_moves(s, pos, winner, &open);
    snprintf(text, sizeof text, "%s: %d to %d plies, by the moves %d to %d", fen, d.least, d.most,
             by.least, by.most);
    ck_assert_msg(d.most == by.most, "%s", text);
    ck_assert_msg(open ? d.least <= by.least : d.least == by.least, "%s", text);
    ck_assert_msg(d.least <= d.most, "%s", text);
    seen->positions++;
    seen->bounds += d.least < d.most;
    seen->exact += d.least == d.most;
    seen->rights += pos->ep != 0;
}

/* With a right to take en passant if there can be one. */
static void check_rights(const Solve *s, treb_position pos, Seen *seen)
{
    const int up = pos.turn == TREB_BLACK ? 8 : -8;
    uint64_t pawns = position_men_of(&pos, !pos.turn, TREB_PAWN) & rank_bits(pos.turn ? 3 : 4);
    while (pawns != 0) {
        const int square = bit_pop(&pawns);
        BlockedValue value;
        pos.ep = (uint8_t)(square - up);
        if (position_check(&pos, NULL) != TREB_OK || !position_ep_legal(&pos)) continue;
        ck_assert(settle_known(s->lattice, &pos, &value));
        for (int winner = 0; winner < 2; winner++) {
            Distance d;
            /* Where captures alone prove it the family has no distance. */
            if (wins(&value, winner) && distance_of(s->distances, &pos, winner, &d))
                check_position(s, &pos, winner, seen);
        }
    }
}

static void check_family(const Solve *s, Family *f, size_t step, Seen *seen)
{
    for (int side = 0; side < 2; side++)
        for (Cell cell = 0; cell < 64 * cells_words(&f->key); cell += step) {
            treb_position pos;
            if (!cell_in(f->legal[side], cell)) continue;
            cells_to_position(&f->key, cell, side, &pos);
            for (int winner = 0; winner < 2; winner++)
                if (cell_in(f->won[SURE][winner][side], cell)) {
                    if (movegen_any(&pos)) check_position(s, &pos, winner, seen);
                }
            check_rights(s, pos, seen);
        }
}

START_TEST(follow_from_the_moves)
{
    treb_position pos;
    treb_error error;
    Seen seen = {0};
    long left = 4000;
    int pieces = 0;
    const LatticeLimits limits = {
        .memory = UINT64_C(400) << 20, .men = 1, .stop = count_down, .stop_context = &left};
    ck_assert_int_eq(position_from_fen(fens[_i], &pos, NULL), TREB_OK);
    Solve *s = solve_position(&pos, &limits, &error);
    ck_assert_msg(s != NULL, "%s", error.text);
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < s->lattice->count[p]; i++) {
            Family *f = s->lattice->by_potential[p][i];
            if (f->key.men == 1 && ++pieces > PIECES) continue;
            if (f->solved && f->key.men <= 1) check_family(s, f, f->key.men ? 307 : 11, &seen);
        }
    ck_assert(!distances_full(s->distances));
    ck_assert_int_gt(seen.exact, 100);
    if (_i == 2) ck_assert_int_gt(seen.rights, 0);
    if (_i == 3) ck_assert_int_gt(seen.bounds, 100);
    solve_free(s);
}
END_TEST

/* Careful distances avoid what loses a piece, and are never shorter. */
START_TEST(careful_ones_lose_no_piece)
{
    treb_position pos;
    treb_error error;
    Distance d, careful;
    long longer = 0, none = 0, same = 0;
    const LatticeLimits limits = {.memory = UINT64_C(400) << 20, .men = 1};
    ck_assert_int_eq(position_from_fen(fens[0], &pos, NULL), TREB_OK);
    Solve *s = solve_position(&pos, &limits, &error);
    ck_assert_msg(s != NULL, "%s", error.text);
    Distances *other = distances_new(s->lattice, UINT64_C(400) << 20, true);
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < s->lattice->count[p]; i++) {
            const Family *f = s->lattice->by_potential[p][i];
            for (Cell cell = 0; f->key.men == 1 && f->solved && cell < 64 * cells_words(&f->key);
                 cell += 97) {
                if (!cell_in(f->legal[0], cell) || !cell_in(f->won[SURE][0][0], cell)) continue;
                cells_to_position(&f->key, cell, TREB_WHITE, &pos);
                ck_assert(distance_of(s->distances, &pos, TREB_WHITE, &d));
                const bool some = distance_of(other, &pos, TREB_WHITE, &careful);
                ck_assert(!some || careful.most >= d.most);
                longer += some && careful.most > d.most;
                same += some && careful.most == d.most;
                none += !some;
            }
        }
    ck_assert_int_gt(longer, 0);
    ck_assert_int_gt(same, longer);
    distances_free(other);
    solve_free(s);
}
END_TEST

START_TEST(short_of_memory)
{
    treb_position pos;
    treb_error error;
    Distance d;
    const LatticeLimits limits = {.memory = UINT64_C(400) << 20, .men = 1};
    ck_assert_int_eq(position_from_fen(fens[1], &pos, NULL), TREB_OK);
    Solve *s = solve_position(&pos, &limits, &error);
    ck_assert_msg(s != NULL && s->value.verdict == BLOCKED_WHITE && s->value.plies > 0, "%s",
                  error.text);
    Distances *little = distances_new(s->lattice, 50000, false);
    ck_assert(!distance_of(little, &pos, TREB_WHITE, &d));
    ck_assert(distances_full(little));
    distances_free(little);
    solve_free(s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("distance");
    TCase *distance = tcase_create("distance");
    tcase_set_timeout(distance, 300);
    tcase_add_loop_test(distance, follow_from_the_moves, 0, FENS);
    tcase_add_test(distance, careful_ones_lose_no_piece);
    tcase_add_test(distance, short_of_memory);
    suite_add_tcase(suite, distance);
    return run_suite(suite);
}
