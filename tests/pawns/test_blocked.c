/* test_blocked.c - kings among blocked pawns: the tables of the 1983 book, an independent checker,
 * and known structures. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/blocked/blocked.h"
#include "pawns/solve/search.h"
#include "tests/support/suite.h"

static const char book_fen[] = "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1";

static int square_of(const char *name) { return name[0] - 'a' + 8 * (name[1] - '1'); }

static uint64_t squares_of(const char *names)
{
    uint64_t set = 0;
    for (; *names; names += names[2] ? 3 : 2) set |= square_bit(square_of(names));
    return set;
}

static treb_position position(const char *fen)
{
    treb_position pos;
    ck_assert_int_eq(position_from_fen(fen, &pos, NULL), TREB_OK);
    return pos;
}

static Blocked *solve_take(const char *fen, const char *from, bool safe)
{
    BlockedRequest request = {
        .pos = position(fen), .goal = GOAL_TAKE, .from = squares_of(from), .safe = safe};
    treb_error error;
    Blocked *b = blocked_solve(&request, &error);
    ck_assert_msg(b != NULL, "%s", error.text);
    return b;
}

/* ---- The book -------------------------------------------------------------------------------- */

/* Compares one cell of the book's tables. */
static void compare_cell(const Blocked *b, int side, int white, int black, const char *cell)
{
    char found[8];
    int distance = b->by_winner[TREB_WHITE].plies[side][white][black];
    if (!blocked_is_legal(b, side, white, black))
        strcpy(found, "H");
    else if (bit_test(b->by_winner[TREB_WHITE].won[side][white], black))
        snprintf(found, sizeof found, "%d", distance % 1000);
    else
        strcpy(found, side == TREB_WHITE ? "*" : "-");
    ck_assert_msg(strcmp(found, cell) == 0, "%c to move, squares %d and %d: %s, the book has %s",
                  side ? 'b' : 'w', white, black, found, cell);
}

static void find_squares(const Blocked *b, int attacker, const uint64_t region[2], Squares *out)
{
    Placements placements;
    blocked_placements(b, &placements);
    squares_find(&placements, attacker, region, out);
}

START_TEST(book_tables)
{
    Blocked *b = solve_take(book_fen, "c7,d6,d7", true);
    FILE *file = fopen("tests/data/corresponding-squares.tsv", "r");
    ck_assert_ptr_nonnull(file);
    char line[256], cell[12][8];
    int column[12], columns = 0, cells = 0;
    while (fgets(line, sizeof line, file)) {
        int words = 0;
        for (char *word = strtok(line, "\t\n#"); word && words < 12; word = strtok(NULL, "\t\n"))
            snprintf(cell[words++], 8, "%s", word);
        if (strchr(cell[0], 's')) { /* "# stm ..." */
            columns = words;
            for (int i = 2; i < words; i++) column[i] = square_of(cell[i]);
            continue;
        }
        for (int i = 2; i < columns; i++, cells++)
            compare_cell(b, cell[0][0] == 'b', square_of(cell[1]), column[i], cell[i]);
    }
    fclose(file);
    ck_assert_int_eq(cells, 280);
    PawnValue start = blocked_value(b, TREB_WHITE, square_of("e5"), square_of("a5"));
    ck_assert_int_eq(start.verdict, VERDICT_WHITE);
    ck_assert_int_eq(start.plies, 16);
    blocked_free(b);
}
END_TEST

/* ---- A checker of its own -------------------------------------------------------------------- */

/* Checks the distances to a goal, one position at a time, with the rules of core/chess/movegen
 * alone: each distance must follow from those of the positions that its moves lead to. */
typedef struct Checker {
    const Blocked *b;
    int attacker;
} Checker;

static int distance_of_position(const Checker *c, const treb_position *pos)
{
    int white = position_king(pos, TREB_WHITE), black = position_king(pos, TREB_BLACK);
    const BlockedDistances *from = &c->b->by_winner[c->attacker];
    ck_assert_int_eq(bit_test(from->won[pos->turn][white], black),
                     from->plies[pos->turn][white][black] != DISTANCE_NONE);
    return bit_test(from->won[pos->turn][white], black) ? from->plies[pos->turn][white][black] : -1;
}

/* Distance 0 of GOAL_TAKE. A legal capture is always of a pawn that nothing defends. */
static bool at_goal(const Checker *c, const treb_position *pos, bool captures)
{
    const BlockedRequest *r = &c->b->request;
    int king = position_king(pos, c->attacker), other = position_king(pos, !c->attacker);
    if (r->goal == GOAL_REACH) return bit_test(r->target, king);
    if (pos->turn != c->attacker || !captures || (r->from && !bit_test(r->from, king)))
        return false;
    uint64_t own = position_men_of(pos, c->attacker, TREB_PAWN);
    return !r->safe || (king_attacks(other) & own) == 0;
}

static int plain_distance(const Checker *c, const treb_position *pos)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), least = -1, most = -1, quiet = 0, captures = 0;
    bool all = true;
    for (int i = 0; i < count; i++) {
        treb_position child;
        if (move_is_capture(pos, moves[i])) {
            captures++;
            continue;
        }
        position_make(pos, moves[i], &child);
        int distance = distance_of_position(c, &child);
        quiet++;
        if (distance < 0) {
            all = false;
            continue;
        }
        if (least < 0 || distance < least) least = distance;
        if (distance > most) most = distance;
    }
    if (at_goal(c, pos, captures > 0)) return 0;
    if (pos->turn == c->attacker) return least < 0 ? -1 : least + 1;
    return all && quiet > 0 && captures == 0 ? most + 1 : -1;
}

/* Checks all placements; returns the number of those with a distance. */
static int check_distances(const Blocked *b)
{
    int counted = 0;
    for (int i = 0; i < 4 * 4096; i++) {
        Checker c = {b, i & 1};
        treb_position pos = b->request.pos, check;
        int white = i >> 8 & 63, black = i >> 2 & 63;
        uint64_t pawns = cells_pawns(&b->key);
        for (int color = 0; color < 2; color++) position_remove(&pos, position_king(&pos, color));
        bool free = white != black && !bit_test(pawns, white) && !bit_test(pawns, black);
        pos.turn = i >> 1 & 1;
        if (free) {
            position_put(&pos, TREB_WHITE, TREB_KING, white);
            position_put(&pos, TREB_BLACK, TREB_KING, black);
        }
        check = pos;
        bool legal = free && position_check(&check, NULL) == TREB_OK;
        ck_assert_int_eq(blocked_is_legal(b, pos.turn, white, black), legal);
        if (!legal) continue;
        int distance = distance_of_position(&c, &pos);
        ck_assert_msg(distance == plain_distance(&c, &pos),
                      "kings on %d and %d, turn %d: distance %d, not %d", white, black, pos.turn,
                      distance, plain_distance(&c, &pos));
        counted += distance >= 0;
    }
    return counted;
}

static const char *const structures[] = {
    book_fen,
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/8/8/3pK3/2kP4/8/8/8 b - - 0 1",
    "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1",
    "8/2k5/p1p1p1p1/P1P1P1P1/8/8/4K3/8 w - - 0 1",
    "8/2k3p1/p3p1P1/P3P3/4P3/8/8/K7 b - - 0 1",
    "8/8/3p4/3P1p2/4pP2/4P3/8/K6k w - - 0 1",
    "8/8/2p5/2Pp4/3P4/8/8/K6k w - - 0 1",
    "7k/8/8/8/8/8/8/K7 w - - 0 1",
};
enum { STRUCTURES = sizeof structures / sizeof *structures };

START_TEST(every_rank_of_a_goal)
{
    static const char *const targets[] = {"e5,f5", "d3", "a1,h8"};
    int counted = 0;
    for (int i = 0; i < STRUCTURES; i++)
        for (int kind = 0; kind < 6; kind++) {
            BlockedRequest request = {.pos = position(structures[i]), .goal = GOAL_TAKE};
            treb_error error;
            if (kind == 1) request.safe = true;
            if (kind == 2) request.from = squares_of("c7,d6,d7,e6,g5");
            if (kind > 2) {
                request.goal = GOAL_REACH;
                request.target = squares_of(targets[kind - 3]);
            }
            Blocked *b = blocked_solve(&request, &error);
            ck_assert_msg(b != NULL, "%s", error.text);
            counted += check_distances(b);
            blocked_free(b);
        }
    ck_assert_int_gt(counted, 50000);
}
END_TEST

/* ---- Exact values ---------------------------------------------------------------------------- */

static Blocked *solve_exact(const char *fen, int pieces, bool all)
{
    BlockedRequest request = {.pos = position(fen),
                              .goal = GOAL_EXACT,
                              .all = all,
                              .region = {UINT64_MAX, UINT64_MAX},
                              .limits = {.memory = UINT64_C(700) << 20, .pieces = pieces}};
    treb_error error;
    Blocked *b = blocked_solve(&request, &error);
    ck_assert_msg(b != NULL, "%s", error.text);
    return b;
}

static PawnValue value_of(const char *fen, int pieces)
{
    Blocked *b = solve_exact(fen, pieces, false);
    const treb_position *pos = &b->request.pos;
    PawnValue value =
        blocked_value(b, pos->turn, position_king(pos, TREB_WHITE), position_king(pos, TREB_BLACK));
    blocked_free(b);
    return value;
}

START_TEST(trebuchet)
{
    static const char square[] = "8/8/8/3pK3/2kP4/8/8/8";
    for (int side = 0; side < 2; side++) {
        char fen[64];
        snprintf(fen, sizeof fen, "%s %c - - 0 1", square, side ? 'b' : 'w');
        PawnValue value = value_of(fen, 2);
        ck_assert_int_eq(value.verdict, side ? VERDICT_WHITE : VERDICT_BLACK);
        ck_assert_int_eq(value.plies, 2);
    }
    Blocked *b = solve_exact("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", 2, true);
    const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    Squares squares;
    ck_assert(!b->upper_bounds);
    for (int attacker = 0; attacker < 2; attacker++) {
        find_squares(b, attacker, all, &squares);
        int a = square_of(attacker ? "c4" : "e5"), d = square_of(attacker ? "e5" : "c4");
        ck_assert(bit_test(squares.double_zugzwang[a], d));
        ck_assert_int_ge(squares.double_zugzwangs, 2);
    }
    blocked_free(b);
}
END_TEST

START_TEST(draws)
{
    static const char *const drawn[] = {
        "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", /* nobody gets through */
        "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 b - - 0 1",
        "7k/8/8/8/8/8/8/K7 w - - 0 1",
    };
    for (size_t i = 0; i < 3; i++) ck_assert_int_eq(value_of(drawn[i], 1).verdict, VERDICT_DRAW);
}
END_TEST

START_TEST(book_position_exactly)
{
    Blocked *b = solve_exact(book_fen, 1, true);
    PawnMove moves[MOVES_MAX];
    int count = blocked_moves(b, moves);
    ck_assert_int_eq(count, 6);
    ck_assert_str_eq(moves[0].san, "Kf5");
    ck_assert_int_eq(moves[0].value.verdict, VERDICT_WHITE);
    ck_assert_int_eq(moves[0].value.plies, 17);
    for (int i = 1; i < count; i++) ck_assert_int_eq(moves[i].value.verdict, VERDICT_DRAW);
    PawnMove line[64];
    LineEnd end;
    treb_position last;
    count = blocked_line(b, line, 64, &end, &last);
    ck_assert_int_ge(count, 17);
    ck_assert(line[16].leaves);
    blocked_free(b);
}
END_TEST

/* Without pieces this is all that can be proven about Lasker and Reichhelm's position: one of
 * White's three moves may win. tests/pawns/blocked_tables.c and docs/blocked.md have more. */
START_TEST(lasker_reichhelm_bounds)
{
    Blocked *b = solve_exact(structures[1], 0, false);
    PawnMove moves[MOVES_MAX];
    int count = blocked_moves(b, moves);
    ck_assert_int_eq(count, 3);
    for (int i = 0; i < count; i++) {
        bool best = strcmp(moves[i].san, "Kb1") == 0;
        ck_assert_int_eq(moves[i].value.verdict, best ? VERDICT_OPEN : VERDICT_DRAW);
        ck_assert(!best || (moves[i].value.can[TREB_WHITE] && !moves[i].value.can[TREB_BLACK]));
    }
    blocked_free(b);
}
END_TEST

/* With one piece the corresponding squares of the textbooks are proven. */
START_TEST(lasker_reichhelm_squares)
{
    static const char *const pairs[] = {"c4 b6", "c3 b7", "d3 c7", "c2 b8", "d2 c8",
                                        "b3 a7", "b3 c7", "b2 a8", "b2 c8"};
    Blocked *b = solve_exact(structures[1], 1, false);
    const uint64_t region[2] = {squares_of("c4,c3,d3,c2,d2,b3,b2"),
                                (rank_bits(5) | rank_bits(6) | rank_bits(7)) &
                                    (file_bits(0) | file_bits(1) | file_bits(2))};
    Squares squares;
    find_squares(b, TREB_WHITE, region, &squares);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        ck_assert_msg(bit_test(squares.zugzwang[square_of(pairs[i])], square_of(pairs[i] + 3)),
                      "%s do not correspond", pairs[i]);
    ck_assert_int_eq(squares.zugzwangs, 9);
    ck_assert_int_eq(squares.groups, 7);
    blocked_free(b);
}
END_TEST

START_TEST(bounds_only_tighten)
{
    Blocked *less = solve_exact(structures[7], 0, true),
            *more = solve_exact(structures[7], 1, true);
    int settled = 0;
    for (int i = 0; i < 256; i++) {
        const BlockedDistances *a = &less->by_winner[i >> 7], *b = &more->by_winner[i >> 7];
        int side = i >> 6 & 1, w = i & 63;
        ck_assert_uint_eq(a->won[side][w] & ~b->won[side][w], 0);
        ck_assert_uint_eq(b->open[side][w] & ~a->open[side][w], 0);
        settled += bit_count(a->open[side][w] & ~b->open[side][w]);
    }
    ck_assert_int_gt(settled, 0);
    blocked_free(less);
    blocked_free(more);
}
END_TEST

START_TEST(little_memory)
{
    BlockedRequest request = {.pos = position(book_fen), .limits = {.memory = 1000, .pieces = 2}};
    treb_error error;
    ck_assert_ptr_null(blocked_solve(&request, &error));
    ck_assert(strstr(error.text, "memory") != NULL);
    request.limits.memory = 200000; /* room for a few structures */
    Blocked *b = blocked_solve(&request, &error);
    ck_assert_msg(b != NULL, "%s", error.text);
    ck_assert(b->graph->full);
    ck_assert_uint_le(b->graph->bytes, request.limits.memory);
    ck_assert_int_eq(blocked_value(b, TREB_WHITE, square_of("e5"), square_of("a5")).verdict,
                     VERDICT_OPEN);
    blocked_free(b);
}
END_TEST

/* A smaller structure may have room when a large one does not. */
START_TEST(little_room)
{
    const ProofGraphLimits limits = {.memory = 1 << 20, .pieces = 1, .no_win_search = true};
    const CellsKey kings = {.pieces = 0},
                   queen = {.piece = {{TREB_WHITE, TREB_QUEEN}}, .pieces = 1};
    ProofGraph *graph = proof_graph_new(&limits);
    ck_assert_ptr_nonnull(graph);
    ck_assert_ptr_null(proof_graph_add(graph, &queen, false, BOTH_WINNERS));
    ck_assert(graph->full && !graph->failed);
    ck_assert_ptr_nonnull(proof_graph_add(graph, &kings, false, BOTH_WINNERS));
    proof_graph_free(graph);
}
END_TEST

static int count_sure(const Structure *f, int winner, int side)
{
    int count = 0;
    for (size_t w = 0; w < cells_words(&f->key); w++)
        count += bit_count(f->won[SURE][winner][side][w]);
    return count;
}

/* Black captures the new queen and wins with his pawn. This is known if the structure with the
 * queen is unknown, and also if only White's wins are looked for in it. */
START_TEST(taken_back)
{
    const ProofGraphLimits limits = {
        .memory = UINT64_C(1) << 28, .pieces = 1, .no_win_search = true};
    const uint64_t white = squares_of("b7"), black = squares_of("h3");
    const CellsKey taken = {.pawns = {0, black}}, before = {.pawns = {white, black}},
                   queen = {.pawns = {0, black}, .piece = {{TREB_WHITE, TREB_QUEEN}}, .pieces = 1};
    int known[2];
    for (int with = 0; with < 2; with++) {
        ProofGraph *graph = proof_graph_new(&limits);
        Structure *f = proof_graph_add(graph, &taken, false, BOTH_WINNERS);
        ck_assert(f != NULL && search_decide(graph, f, NULL));
        ck_assert_ptr_null(proof_graph_find(graph, &queen));
        ck_assert(!with || proof_graph_add(graph, &queen, false, TREB_WHITE) != NULL);
        f = proof_graph_add(graph, &before, false, BOTH_WINNERS);
        ck_assert(f != NULL && proof_graph_update(graph, true));
        known[with] = count_sure(f, TREB_BLACK, TREB_WHITE);
        proof_graph_free(graph);
    }
    ck_assert_int_gt(known[0], 0);
    ck_assert_int_ge(known[1], known[0]);
}
END_TEST

/* ---- What is refused ------------------------------------------------------------------------- */

START_TEST(refusals)
{
    static const struct {
        const char *fen, *says;
    } cases[] = {
        {"8/8/8/8/3P4/8/8/K6k w - - 0 1", "white pawn on d4 is not blocked"},
        {"8/8/8/8/3p4/8/8/K6k w - - 0 1", "black pawn on d4 is not blocked"},
        {"8/8/8/8/3k4/3P4/8/K7 b - - 0 1", "white pawn on d3 is not blocked"},
        {"8/8/3P4/3P4/8/8/8/K6k w - - 0 1", "white pawn on d5 is not blocked"},
        {"8/8/2p5/2Pp4/2PP4/8/8/K6k w - - 0 1",
         "white pawn on c4 is not blocked: it can take on d5"},
        {"8/8/3p4/2pP4/2P5/8/4p3/K6k w - - 0 1", "black pawn on e2 is not blocked"},
        {"8/8/4p3/3pP3/3P4/8/8/K6k w - d6 0 1",
         "white pawn on e5 is not blocked: it can take en passant on d6"},
        {"8/8/8/3p4/3PN3/8/8/K6k w - - 0 1", "white knight on e4"},
        {"8/8/8/3pr3/3P4/8/8/K6k w - - 0 1", "black rook on e5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[BLOCKED_WHY_SIZE] = "";
        treb_position pos = position(cases[i].fen);
        treb_status status = blocked_check(&pos, why);
        ck_assert_int_eq(status, TREB_ERR_POSITION);
        ck_assert_msg(strstr(why, cases[i].says) != NULL, "%s: %s", cases[i].fen, why);
    }
    for (int i = 0; i < STRUCTURES; i++) {
        char why[BLOCKED_WHY_SIZE];
        treb_position pos = position(structures[i]);
        ck_assert_msg(blocked_check(&pos, why) == TREB_OK, "%s: %s", structures[i], why);
    }
}
END_TEST

/* ---- Renderers ------------------------------------------------------------------------------- */

START_TEST(renderers_write_to_memory)
{
    Blocked *b = solve_exact(book_fen, 1, true);
    const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    Squares squares;
    Placements placements;
    blocked_placements(b, &placements);
    squares_find(&placements, TREB_WHITE, all, &squares);
    ck_assert_int_ge(squares.zugzwangs,
                     15); /* there are 16; to prove the last one takes more pieces */
    ck_assert(bit_test(squares.zugzwang[square_of("d7")], square_of("b7")));
    for (int kind = 0; kind < 4; kind++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        ck_assert_ptr_nonnull(out);
        if (kind == 0) blocked_print_tsv(out, b, TREB_WHITE, all);
        if (kind == 1) blocked_print_table(out, b, TREB_WHITE, TREB_BLACK, all);
        if (kind == 2) squares_print(out, &placements, &squares);
        if (kind == 3) squares_print_svg(out, &placements, &squares);
        fclose(out);
        ck_assert_uint_gt(size, 500);
        free(text);
    }
    blocked_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("blocked");
    TCase *book = tcase_create("goals"), *exact = tcase_create("exact"),
          *rest = tcase_create("rest");
    tcase_set_timeout(book, 120);
    tcase_set_timeout(exact, 900);
    tcase_set_timeout(rest, 120);
    tcase_add_test(book, book_tables);
    tcase_add_test(book, every_rank_of_a_goal);
    tcase_add_test(exact, trebuchet);
    tcase_add_test(exact, draws);
    tcase_add_test(exact, book_position_exactly);
    tcase_add_test(exact, lasker_reichhelm_bounds);
    tcase_add_test(exact, lasker_reichhelm_squares);
    tcase_add_test(exact, bounds_only_tighten);
    tcase_add_test(exact, little_memory);
    tcase_add_test(exact, little_room);
    tcase_add_test(exact, taken_back);
    tcase_add_test(rest, refusals);
    tcase_add_test(rest, renderers_write_to_memory);
    suite_add_tcase(suite, book);
    suite_add_tcase(suite, exact);
    suite_add_tcase(suite, rest);
    return run_suite(suite);
}
