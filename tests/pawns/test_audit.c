/* test_audit.c - the audit of solutions: it accepts correct solutions and finds each kind of damage
 * to one. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/check/audit.h"
#include "tests/support/suite.h"

/* The first is open if only structures of kings and pawns are allowed; the second is decided with
 * one piece. */
static const char open_fen[] = "8/8/3p4/3Pp3/4P3/8/8/k1K5 w - - 0 1";
static const char trebuchet_fen[] = "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1";

/* Answers for kings alone. */
static bool covers_kings(void *context, const CellsKey *key)
{
    (void)context;
    return key->pieces == 0 && cells_pawns(key) == 0;
}

static bool kings_draw(void *context, const treb_position *pos, int *out)
{
    (void)context;
    *out = bit_count(position_occupied(pos)) == 2 ? 0 : 1;
    return true;
}

static Blocked *solve_in(const char *fen, int pieces, uint64_t memory)
{
    BlockedRequest request = {
        .goal = GOAL_EXACT,
        .all = true,
        .region = {UINT64_MAX, UINT64_MAX},
        .limits = {.memory = memory, .pieces = pieces, .covers = covers_kings}};
    treb_error error;
    request.limits.oracle.value = kings_draw;
    ck_assert_int_eq(position_from_fen(fen, &request.pos, NULL), TREB_OK);
    Blocked *b = blocked_solve(&request, &error);
    ck_assert_msg(b != NULL, "%s", error.text);
    return b;
}

static Blocked *solve(const char *fen, int pieces)
{
    return solve_in(fen, pieces, UINT64_C(100) << 20);
}

static char first_fault[256];

static void note_fault(void *context, const char *text)
{
    (void)context;
    if (first_fault[0] == '\0') snprintf(first_fault, sizeof first_fault, "%s", text);
}

static AuditReport audit(Blocked *b)
{
    AuditOptions options = {.fault = note_fault};
    AuditReport report;
    first_fault[0] = '\0';
    ck_assert(blocked_audit(b, &options, &report));
    ck_assert(!report.stopped);
    ck_assert_uint_gt(report.positions, 60000);
    return report;
}

static void expect_fault(Blocked *b, const char *says)
{
    AuditReport report = audit(b);
    ck_assert_uint_gt(report.faults, 0);
    ck_assert_msg(strstr(first_fault, says) != NULL, "not '%s' but '%s'", says, first_fault);
    blocked_free(b);
}

/* ---- What is right --------------------------------------------------------------------------- */

START_TEST(sound_solutions)
{
    static const char *const fens[] = {
        open_fen, trebuchet_fen, "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1",
        "k7/8/8/8/1p6/pP6/P7/6K1 w - - 0 1"}; /* a double push can be answered en passant */
    for (size_t i = 0; i < sizeof fens / sizeof *fens; i++) {
        Blocked *b = solve(fens[i], i == 1);
        AuditReport report = audit(b);
        ck_assert_msg(report.faults == 0, "%s: %s", fens[i], first_fault);
        ck_assert_uint_eq(report.improvable, 0);
        ck_assert_uint_eq(report.structures, b->graph->structures);
        blocked_free(b);
    }
}
END_TEST

static bool stop_at_once(void *context, uint64_t done, uint64_t all)
{
    ck_assert_uint_gt(all, done);
    (void)context;
    return true;
}

START_TEST(stops)
{
    Blocked *b = solve(open_fen, 0);
    AuditOptions options = {.stop = stop_at_once};
    AuditReport report;
    ck_assert(blocked_audit(b, &options, &report));
    ck_assert(report.stopped);
    ck_assert_uint_eq(report.faults, 0);
    blocked_free(b);
}
END_TEST

/* ---- Damage to what structures claim
 * ----------------------------------------------------------- */

/* A structure of kings and pawns that is not completely decided, other than that of the
 * position. */
static Structure *some_structure(const Blocked *b)
{
    for (int p = PROOF_GRAPH_POTENTIALS - 1; p >= 0; p--)
        for (int i = 0; i < b->graph->count[p]; i++) {
            Structure *f = b->graph->by_potential[p][i];
            if (f != b->structure && f->solved && !f->decided && f->key.pieces == 0) return f;
        }
    ck_abort_msg("no such structure");
    return NULL;
}

/* Flips the first legal cell with the given value, at all levels. */
static void flip(Structure *f, int winner, int side, bool won)
{
    for (Cell cell = 0; cell < 4096; cell++) {
        uint64_t bit = square_bit((int)(cell % 64));
        bool sure = cell_in(f->won[SURE][winner][side], cell);
        bool maybe = cell_in(f->won[MAYBE][winner][side], cell);
        if (!cell_in(f->legal[side], cell) || (won ? !maybe : sure)) continue;
        for (int level = SURE; level <= MAYBE; level++)
            if (won)
                f->won[level][winner][side][cell / 64] &= ~bit;
            else
                f->won[level][winner][side][cell / 64] |= bit;
        return;
    }
    ck_abort_msg("no cell to flip");
}

START_TEST(wins_too_many_and_too_few)
{
    for (int i = 0; i < 8; i++) {
        Blocked *b = solve(open_fen, 0);
        flip(some_structure(b), i & 1, i >> 1 & 1, i >> 2);
        expect_fault(b, i >> 2 ? "is claimed not to win" : "claimed to be won");
    }
}
END_TEST

START_TEST(levels_that_contradict)
{
    Blocked *b = solve(open_fen, 0);
    Structure *f = some_structure(b);
    for (int w = 0; w < 64; w++) f->won[MAYBE][0][0][w] &= ~f->won[SURE][0][0][w];
    f->won[SURE][0][0][10] |= f->legal[0][10];
    expect_fault(b, "");
}
END_TEST

START_TEST(structure_of_cells)
{
    Blocked *b = solve(open_fen, 0);
    Structure *f = some_structure(b);
    f->stuck[1][0] |= f->legal[1][0];
    ck_assert_uint_ne(f->legal[1][0], 0);
    expect_fault(b, "claimed to have no move");
    b = solve(open_fen, 0);
    some_structure(b)->legal[0][0] ^= 1; /* both kings on a1 */
    expect_fault(b, "legal or not");
}
END_TEST

/* Marks positions as won for White in which White can play on for ever and Black has no way out.
 * Each such win rests on others that are claimed, but none is a win. */
typedef struct Circle {
    const Blocked *b;
    uint64_t set[2][64];
} Circle;

static bool in_circle(const Circle *c, const treb_position *pos)
{
    return bit_test(c->set[pos->turn][position_king(pos, 0)], position_king(pos, 1));
}

static bool stays_in_circle(const Circle *c, const treb_position *pos)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), inside = 0;
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_make(pos, moves[i], &child);
        inside += !move_is_zeroing(pos, moves[i]) && in_circle(c, &child);
    }
    return pos->turn == TREB_WHITE ? inside > 0 : inside == count && count > 0;
}

static int shrink_circle(Circle *c)
{
    int removed = 0;
    for (int i = 0; i < 2 * 4096; i++) {
        treb_position pos;
        if (!bit_test(c->set[i >> 12][i >> 6 & 63], i & 63)) continue;
        ck_assert(cells_to_position(&c->b->key, (Cell)i & 4095, i >> 12, &pos));
        if (stays_in_circle(c, &pos)) continue;
        c->set[i >> 12][i >> 6 & 63] &= ~square_bit(i & 63);
        removed++;
    }
    return removed;
}

START_TEST(wins_in_a_circle)
{
    Blocked *b = solve_in("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", 0, 2 << 20);
    Circle c = {.b = b};
    int marked = 0;
    memcpy(c.set, b->legal, sizeof c.set);
    while (shrink_circle(&c) > 0) {
    }
    for (int i = 0; i < 128; i++) {
        uint64_t cells = c.set[i / 64][i % 64];
        marked += bit_count(cells & ~b->structure->won[SURE][0][i / 64][i % 64]);
        for (int level = SURE; level <= MAYBE; level++)
            b->structure->won[level][0][i / 64][i % 64] |= cells;
    }
    ck_assert_int_gt(marked, 1000);
    AuditReport report = audit(b);
    ck_assert_uint_ge(report.faults, (unsigned)marked);
    ck_assert(strstr(first_fault, "claimed to be won by White") != NULL);
    blocked_free(b);
}
END_TEST

START_TEST(answers_of_tables)
{
    for (int i = 0; i < 2; i++) {
        Blocked *b = solve(trebuchet_fen, 1);
        CellsKey kings;
        treb_position pos;
        ck_assert_int_eq(position_from_fen("8/8/8/4K3/2k5/8/8/8 w - - 0 1", &pos, NULL), TREB_OK);
        ck_assert(cells_from_position(&pos, &kings, NULL));
        Structure *f = proof_graph_find(b->graph, &kings);
        ck_assert_ptr_nonnull(f);
        int word = 0;
        while (f->asked[1][word] == 0) word++;
        uint64_t bit = f->asked[1][word] & (0 - f->asked[1][word]);
        if (i == 0)
            f->won[SURE][0][1][word] |= bit;
        else
            f->stuck[1][word] |= bit;
        expect_fault(b, i == 0 ? "the tables say 0" : "claimed to have no move");
    }
}
END_TEST

/* ---- Damage to what is shown ----------------------------------------------------------------- */

/* A win with a distance of at least 3. */
static uint16_t *some_distance(Blocked *b)
{
    for (int winner = 0; winner < 2; winner++)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < 4096; i++) {
                uint16_t *plies = &b->by_winner[winner].plies[side][i / 64][i % 64];
                if (*plies >= 3 && *plies != DISTANCE_NONE) return plies;
            }
    ck_abort_msg("no win");
    return NULL;
}

START_TEST(distances)
{
    static const char *const says[] = {"is said to be exact", "the rules give", "do not agree"};
    for (int i = 0; i < 3; i++) {
        Blocked *b = solve(trebuchet_fen, 1);
        ck_assert(!b->upper_bounds);
        uint16_t *plies = some_distance(b);
        *plies = i == 0 ? *plies + 2 : i == 1 ? *plies - 2 : DISTANCE_NONE;
        expect_fault(b, says[i]);
    }
}
END_TEST

START_TEST(verdicts)
{
    Blocked *b = solve(trebuchet_fen, 1);
    for (int i = 0; i < 64; i++) b->by_winner[0].won[0][i] ^= b->legal[0][i];
    expect_fault(b, "do not agree");
    b = solve(trebuchet_fen, 1);
    b->by_winner[0].open[0][0] ^= b->legal[0][0];
    expect_fault(b, "do not agree");
    b = solve(open_fen, 0);
    ck_assert(b->upper_bounds);
    b->upper_bounds = false;
    expect_fault(b, "do not agree");
    b = solve(open_fen, 0);
    for (int i = 0; i < 128; i++) b->by_winner[1].open[i / 64][i % 64] = 0;
    expect_fault(b, "the rules do not exclude it");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("audit");
    TCase *right = tcase_create("right"), *damage = tcase_create("damage");
    tcase_set_timeout(right, 300);
    tcase_set_timeout(damage, 300);
    tcase_add_test(right, sound_solutions);
    tcase_add_test(right, stops);
    tcase_add_test(damage, wins_too_many_and_too_few);
    tcase_add_test(damage, levels_that_contradict);
    tcase_add_test(damage, structure_of_cells);
    tcase_add_test(damage, wins_in_a_circle);
    tcase_add_test(damage, answers_of_tables);
    tcase_add_test(damage, distances);
    tcase_add_test(damage, verdicts);
    suite_add_tcase(suite, right);
    suite_add_tcase(suite, damage);
    return run_suite(suite);
}
