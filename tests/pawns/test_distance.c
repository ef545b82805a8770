/* test_distance.c - distances to the next capture, promotion or mate: checks that each distance
 * follows from those of the positions that legal moves lead to. */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pawns/solve/solve.h"
#include "tests/support/part.h"
#include "tests/support/suite.h"

/* Blocked pawns, races, double pushes that two pawns can capture en passant, one piece. */
static const char *const fens[] = {
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "8/8/8/1p3k1p/1P5P/5KP1/8/8 w - - 0 1",
    "8/8/1k6/8/1p1p4/8/2P5/2K5 w - - 0 1",     "4k3/2p3p1/2p5/2P5/5K1P/8/P7/8 w - - 0 1",
    "8/p5k1/8/1P1P4/8/8/1K6/8 b - - 0 1",      "8/8/8/3k4/8/p7/R7/3K4 w - - 0 1"};

enum { FENS = sizeof fens / sizeof *fens, LINE = 160, PIECES = 6 };

typedef struct Seen {
    long positions, bounds, exact, rights;
} Seen;

static bool count_down(void *context, uint64_t structures, uint64_t bytes)
{
    long *left = context;
    (void)structures;
    (void)bytes;
    return (*left)-- <= 0;
}

static bool wins(const PawnValue *value, int winner)
{
    return value->verdict == (winner == TREB_WHITE ? VERDICT_WHITE : VERDICT_BLACK);
}

/* The distance of a position by its moves: the smallest if the winner is to move, else the
 * largest. */
static Distance by_moves(const Solve *s, const treb_position *pos, int winner, bool *open)
{
    Move moves[MOVES_MAX];
    Distance best = {-1, -1};
    int count = movegen_legal(pos, moves);
    *open = false;
    for (int i = 0; i < count; i++) {
        treb_position child;
        PawnValue value;
        Distance d = {0, 0};
        const bool converts = evaluate_converts(pos, moves[i]);
        position_make(pos, moves[i], &child);
        ck_assert(evaluate_known(s->graph, &child, &value));
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

/* Checks the position with each right to capture en passant that it can have. */
static void check_rights(const Solve *s, treb_position pos, Seen *seen)
{
    const int up = pos.turn == TREB_BLACK ? 8 : -8;
    uint64_t pawns = position_men_of(&pos, !pos.turn, TREB_PAWN) & rank_bits(pos.turn ? 3 : 4);
    while (pawns != 0) {
        const int square = bit_pop(&pawns);
        PawnValue value;
        pos.ep = (uint8_t)(square - up);
        if (position_check(&pos, NULL) != TREB_OK || !position_ep_legal(&pos)) continue;
        ck_assert(evaluate_known(s->graph, &pos, &value));
        for (int winner = 0; winner < 2; winner++) {
            Distance d;
            /* Where only captures en passant prove the win, the structure has no distance. */
            if (wins(&value, winner) && distance_of(s->distances, &pos, winner, &d))
                check_position(s, &pos, winner, seen);
        }
    }
}

static void check_structure(const Solve *s, Structure *f, size_t step, Seen *seen)
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
    /* The search is stopped after this number of calls of its callback. */
    long left = 6000;
    int pieces = 0;
    const ProofGraphLimits limits = {.memory = UINT64_C(400) << 20,
                                     .pieces = 1,
                                     .no_win_search = true,
                                     .stop = count_down,
                                     .stop_context = &left};
    ck_assert_int_eq(position_from_fen(fens[_i], &pos, NULL), TREB_OK);
    Solve *s = solve_position(&pos, &limits, &error);
    ck_assert_msg(s != NULL, "%s", error.text);
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < s->graph->count[p]; i++) {
            Structure *f = s->graph->by_potential[p][i];
            if (f->key.pieces == 1 && ++pieces > PIECES) continue;
            if (f->solved && f->key.pieces <= 1)
                check_structure(s, f, f->key.pieces ? 1201 : 23, &seen);
        }
    ck_assert(!distances_full(s->distances));
    ck_assert_int_gt(seen.exact, 100);
    if (_i == 2) ck_assert_int_gt(seen.rights, 0);
    if (_i == 3) ck_assert_int_gt(seen.bounds, 100);
    solve_free(s);
}
END_TEST

/* ---- The 50-move rule ------------------------------------------------------------------------ */

enum { VISITED = 2000 };

/* The visited positions of one structure, and its plies to a capture, pawn move or mate. */
typedef struct Visited {
    Structure *structure;
    uint16_t *plies[2];
    uint64_t *seen[2];
} Visited;

typedef struct Walk {
    const Solve *s;
    int winner, longest, count;
    Visited visited[VISITED];
    treb_position *todo;
    size_t left, room;
} Walk;

static Visited *visit(Walk *walk, Structure *f)
{
    for (int i = walk->count - 1; i >= 0; i--)
        if (walk->visited[i].structure == f) return &walk->visited[i];
    ck_assert_int_lt(walk->count, VISITED);
    Visited *v = &walk->visited[walk->count++];
    const size_t words = cells_words(&f->key);
    StructurePlies found = {.plies = {{NULL}}};
    v->structure = f;
    for (int side = 0; side < 2; side++) {
        v->seen[side] = calloc(words, sizeof(uint64_t));
        found.plies[walk->winner][side] = v->plies[side] = malloc(64 * words * sizeof(uint16_t));
        memset(v->plies[side], 0xff, 64 * words * sizeof(uint16_t));
    }
    ck_assert(structure_solve(f, &found));
    return v;
}

/* The structure and cell of a position that the winner is proven to win by its structure; NULL for
 * other positions. */
static Visited *find(Walk *walk, const treb_position *pos, Cell *cell)
{
    CellsKey key;
    Structure *f =
        cells_from_position(pos, &key, cell) ? proof_graph_find(walk->s->graph, &key) : NULL;
    if (f == NULL || !f->solved || !cell_in(f->won[SURE][walk->winner][pos->turn], *cell))
        return NULL;
    return visit(walk, f);
}

static void come_to(Walk *walk, const treb_position *pos)
{
    Cell cell;
    Visited *v = find(walk, pos, &cell);
    if (v == NULL || cell_in(v->seen[pos->turn], cell)) return;
    v->seen[pos->turn][cell >> 6] |= square_bit((int)(cell & 63));
    if (v->plies[pos->turn][cell] > walk->longest) walk->longest = v->plies[pos->turn][cell];
    if (walk->left == walk->room) {
        walk->room = 2 * walk->room + 1000;
        walk->todo = realloc(walk->todo, walk->room * sizeof *walk->todo);
        ck_assert(walk->todo != NULL);
    }
    walk->todo[walk->left] = *pos;
    walk->todo[walk->left++].ep = 0;
}

/* Visits the position after a move; if it is unknown, the positions after a capture of the new
 * piece. */
static void come_after(Walk *walk, const treb_position *pos, Move move, const treb_position *child)
{
    Move answers[MOVES_MAX];
    CellsKey key;
    const bool unknown =
        !cells_from_position(child, &key, NULL) || proof_graph_find(walk->s->graph, &key) == NULL;
    const bool retake = unknown && move_promo(move) != 0 && pos->turn != walk->winner;
    if (!unknown) come_to(walk, child);
    if (!retake && !position_ep_legal(child)) return;
    int count = movegen_legal(child, answers);
    for (int i = 0; i < count; i++) {
        treb_position next;
        if (!(retake ? move_to(answers[i]) == move_to(move) : move_is_ep(child, answers[i])))
            continue;
        position_make(child, answers[i], &next);
        come_to(walk, &next);
    }
}

static void walk_on(Walk *walk, const treb_position *pos)
{
    Move moves[MOVES_MAX];
    Cell cell, next;
    const Visited *v = find(walk, pos, &cell);
    const uint16_t n = v->plies[pos->turn][cell];
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        treb_position child;
        const bool zeroing = move_is_zeroing(pos, moves[i]);
        position_make(pos, moves[i], &child);
        if (pos->turn == walk->winner && zeroing != (n == 1)) continue;
        if (pos->turn == walk->winner && !zeroing) {
            const Visited *to = find(walk, &child, &next);
            if (to == NULL || to->plies[child.turn][next] != n - 1) continue;
        }
        come_after(walk, pos, moves[i], &child);
    }
}

/* Following the strategy position by position, with legal moves, gives the same result as
 * rule50_find(). */
START_TEST(longest_way)
{
    treb_position pos;
    treb_error error;
    long left = _i < 2 ? 40000 : 4000;
    const ProofGraphLimits limits = {.memory = UINT64_C(400) << 20,
                                     .pieces = 1,
                                     .no_win_search = true,
                                     .stop = count_down,
                                     .stop_context = &left};
    ck_assert_int_eq(position_from_fen(fens[_i], &pos, NULL), TREB_OK);
    Solve *s = solve_position(&pos, &limits, &error);
    ck_assert_msg(s != NULL, "%s", error.text);
    if (s->rule.plies >= 0) {
        Walk *walk = calloc(1, sizeof *walk);
        walk->s = s;
        walk->winner = s->value.verdict == VERDICT_WHITE ? TREB_WHITE : TREB_BLACK;
        /* Compute it again: moves have taken in structures since. */
        left = LONG_MAX;
        ck_assert(rule50_find(s->graph, &pos, walk->winner, &s->rule));
        come_to(walk, &pos);
        while (walk->left > 0) {
            const treb_position next = walk->todo[--walk->left];
            walk_on(walk, &next);
        }
        ck_assert_int_eq(walk->longest, s->rule.plies);
        ck_assert_int_gt(walk->count, 1);
        for (int i = 0; i < walk->count; i++)
            for (int side = 0; side < 2; side++) {
                free(walk->visited[i].plies[side]);
                free(walk->visited[i].seen[side]);
            }
        free(walk->todo);
        free(walk);
    } else {
        ck_assert_int_ge(_i, 2); /* the first two are won */
    }
    solve_free(s);
}
END_TEST

/* Careful distances avoid moves that lose a piece, and are never smaller. */
START_TEST(careful_ones_lose_no_piece)
{
    treb_position pos;
    treb_error error;
    Distance d, careful;
    long longer = 0, same = 0;
    const ProofGraphLimits limits = {
        .memory = UINT64_C(400) << 20, .pieces = 1, .no_win_search = true};
    ck_assert_int_eq(position_from_fen(fens[0], &pos, NULL), TREB_OK);
    Solve *s = solve_position(&pos, &limits, &error);
    ck_assert_msg(s != NULL, "%s", error.text);
    Distances *other = distances_new(s->graph, UINT64_C(400) << 20, true);
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < s->graph->count[p]; i++) {
            const Structure *f = s->graph->by_potential[p][i];
            for (Cell cell = 0; f->key.pieces == 1 && f->solved && cell < 64 * cells_words(&f->key);
                 cell += 97) {
                if (!cell_in(f->legal[0], cell) || !cell_in(f->won[SURE][0][0], cell)) continue;
                cells_to_position(&f->key, cell, TREB_WHITE, &pos);
                ck_assert(distance_of(s->distances, &pos, TREB_WHITE, &d));
                const bool some = distance_of(other, &pos, TREB_WHITE, &careful);
                ck_assert(!some || careful.most >= d.most);
                longer += some && careful.most > d.most;
                same += some && careful.most == d.most;
            }
        }
    ck_assert_int_gt(longer, 0);
    ck_assert_int_gt(same, longer);
    distances_free(other);
    solve_free(s);
}
END_TEST

/* Solves a position that White wins. */
static Solve *solve_won(const char *fen, treb_position *pos)
{
    treb_error error = {0};
    const ProofGraphLimits limits = {
        .memory = UINT64_C(400) << 20, .pieces = 1, .no_win_search = true};
    ck_assert_int_eq(position_from_fen(fen, pos, NULL), TREB_OK);
    Solve *s = solve_position(pos, &limits, &error);
    ck_assert_msg(s != NULL && s->value.verdict == VERDICT_WHITE, "not won: %s", error.text);
    return s;
}

/* 1.g4+ would be mate without the capture en passant, which wins for Black. */
START_TEST(en_passant_refutes)
{
    treb_position pos;
    Solve *s = solve_won("8/8/8/5KPk/7p/8/6P1/8 w - - 0 1", &pos);
    ck_assert_int_eq(s->value.plies, 5);
    ck_assert(!s->value.at_most);
    const PawnMove *last = &s->move[s->moves - 1];
    ck_assert_str_eq(last->san, "g4+");
    ck_assert_int_eq(last->value.verdict, VERDICT_BLACK);
    ck_assert_int_eq(last->value.plies, 2);
    solve_free(s);
}
END_TEST

START_TEST(short_of_memory)
{
    treb_position pos;
    Distance d;
    Solve *s = solve_won(fens[1], &pos);
    ck_assert_int_gt(s->value.plies, 0);
    Distances *little = distances_new(s->graph, 50000, false);
    ck_assert(!distance_of(little, &pos, TREB_WHITE, &d));
    ck_assert(distances_full(little));
    distances_free(little);
    solve_free(s);
}
END_TEST

/* Distances that were found before the time limit are still given after it. */
START_TEST(short_of_time)
{
    const struct timespec more = {.tv_nsec = 5 * 1000 * 1000};
    treb_position pos;
    Distance d;
    Solve *s = solve_won(fens[1], &pos);
    Distances *late = distances_new(s->graph, UINT64_C(100) << 20, false);
    distances_set_time_limit(late, 1);
    nanosleep(&more, NULL);
    ck_assert(!distance_of(late, &pos, TREB_WHITE, &d));
    ck_assert(!distances_failed(late));
    distances_set_time_limit(late, 0);
    ck_assert(distance_of(late, &pos, TREB_WHITE, &d));
    ck_assert_int_eq(d.most, s->value.plies);
    distances_set_time_limit(late, 1);
    nanosleep(&more, NULL);
    ck_assert(distance_of(late, &pos, TREB_WHITE, &d));
    ck_assert_int_eq(d.most, s->value.plies);
    distances_free(late);
    solve_free(s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("distance");
    TCase *distance = tcase_create("distance");
    tcase_set_timeout(distance, 300);
    tcase_add_loop_test(distance, follow_from_the_moves, 0, test_part() > 1 ? FENS / 4 : FENS);
    tcase_add_loop_test(distance, longest_way, 0, test_part() > 1 ? FENS / 4 : FENS);
    tcase_add_test(distance, careful_ones_lose_no_piece);
    tcase_add_test(distance, en_passant_refutes);
    tcase_add_test(distance, short_of_memory);
    tcase_add_test(distance, short_of_time);
    suite_add_tcase(suite, distance);
    return run_suite(suite);
}
