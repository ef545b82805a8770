/* test_ranks.c - rank files: what is written is read back, in every orientation; the checker of
 * files finds what is wrong; damage is noticed. */
#define _DEFAULT_SOURCE
#include "blocked.h"
#include "file_check.h"
#include "table_sample.h"

static const char book_fen[] = "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1";
static const char lasker_fen[] = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1";
static const char small_fen[] = "8/8/8/2k5/2p5/2P5/8/4K3 w - - 0 1";

/* Structures and questions, all of which are solved in a moment. */
static const struct {
    const char *fen;
    BlockedGoal goal;
    uint64_t from, target;
    bool safe;
    int men;
    const char *name;
} asked[] = {
    {small_fen, BLOCKED_EXACT, 0, 0, false, 1, "c3-c4.exact.treb"},
    {"8/8/8/3pK3/2kP4/8/8/8 b - - 0 1", BLOCKED_EXACT, 0, 0, false, 2, "d4-d5.exact.treb"},
    {book_fen, BLOCKED_EXACT, 0, 0, false, 0, "a3c4-a4c5c6.exact.treb"}, /* much stays open */
    {book_fen, BLOCKED_EXACT, 0, 0, false, 1, "a3c4-a4c5c6.exact.treb"},
    {book_fen, BLOCKED_TAKE, 0, 0, false, 0, "a3c4-a4c5c6.take.treb"},
    {book_fen, BLOCKED_TAKE, UINT64_C(0x000c080000000000), 0, true, 0,
     "a3c4-a4c5c6.take-d6c7d7-safe.treb"},
    {lasker_fen, BLOCKED_REACH, 0, UINT64_C(0x0100000000000000), false, 0,
     "d3a4f4-d4a5d5f5.reach-a1.treb"},
    {"7k/8/8/8/8/8/8/K7 w - - 0 1", BLOCKED_REACH, 0, UINT64_C(0x8100000000000000), false, 0,
     "kings.reach-a1h1.treb"},
};
enum { ASKED = sizeof asked / sizeof *asked };

static BlockedRequest request_number(int i)
{
    BlockedRequest r = {.goal = asked[i].goal,
                        .from = asked[i].from,
                        .target = asked[i].target,
                        .safe = asked[i].safe,
                        .all = true,
                        .region = {UINT64_MAX, UINT64_MAX},
                        .limits = {.memory = UINT64_C(700) << 20, .men = asked[i].men}};
    ck_assert_int_eq(position_from_fen(asked[i].fen, &r.pos, NULL), TREB_OK);
    return r;
}

/* The same question about the image of the position. */
static BlockedRequest image(const BlockedRequest *request, int symmetry)
{
    BlockedRequest r = *request;
    if (symmetry & SYM_RANKS) position_swap_colors(&r.pos, &r.pos);
    if (symmetry & SYM_FILES) position_flip_files(&r.pos, &r.pos);
    r.from = index_symmetry_board(symmetry, r.from);
    r.target = index_symmetry_board(symmetry, r.target);
    return r;
}

static Blocked *solve(const BlockedRequest *request)
{
    treb_error error;
    Blocked *b = blocked_solve(request, &error);
    ck_assert_msg(b != NULL, "%s", error.text);
    ck_assert(blocked_settle_captures(b));
    return b;
}

static void must_save(const Blocked *b)
{
    treb_error error;
    ck_assert_msg(blocked_save(b, directory, &error) == TREB_OK, "%s", error.text);
}

static Blocked *find(const BlockedRequest *request)
{
    const char *const dirs[] = {"/nonexistent", directory};
    treb_error error;
    Blocked *b = blocked_find(dirs, 2, request, &error);
    ck_assert_msg(b != NULL, "%s", error.text);
    return b;
}

/* ---- Round trip ---------------------------------------------------------------------------- */

/* Every placement of `b` against that of its image `m`. */
static void compare_placements(const Blocked *b, const Blocked *m, int symmetry)
{
    bool swap = symmetry & SYM_RANKS;
    for (int i = 0; i < 2 * 4096; i++) {
        int side = i >> 12, white = i >> 6 & 63, black = i & 63;
        int there = swap ? !side : side;
        int first = index_symmetry_square(symmetry, swap ? black : white);
        int second = index_symmetry_square(symmetry, swap ? white : black);
        bool legal = blocked_is_legal(b, side, white, black);
        ck_assert_int_eq(blocked_is_legal(m, there, first, second), legal);
        if (!legal) continue;
        for (int winner = 0; winner < 2; winner++) {
            const BlockedRanks *x = &b->by[winner], *y = &m->by[swap ? !winner : winner];
            ck_assert_int_eq(bit_test(x->won[side][white], black),
                             bit_test(y->won[there][first], second));
            ck_assert_int_eq(bit_test(x->open[side][white], black),
                             bit_test(y->open[there][first], second));
            ck_assert_uint_eq(x->rank[side][white][black], y->rank[there][first][second]);
        }
    }
}

static const BlockedMove *find_move(const BlockedMove *list, int count, Move move)
{
    for (int i = 0; i < count; i++)
        if (list[i].move == move) return &list[i];
    ck_abort_msg("a move is missing");
    return NULL;
}

static void compare_values(const BlockedValue *a, const BlockedValue *b, bool swap)
{
    static const BlockedVerdict other[] = {BLOCKED_DRAW, BLOCKED_BLACK, BLOCKED_WHITE,
                                           BLOCKED_OPEN};
    ck_assert_int_eq(a->plies, b->plies);
    ck_assert_int_eq(a->verdict, swap ? other[b->verdict] : b->verdict);
    ck_assert_int_eq(a->can[0], b->can[swap]);
    ck_assert_int_eq(a->can[1], b->can[!swap]);
}

/* The moves of many placements with their values, captures too. */
static void compare_moves(Blocked *b, Blocked *m, int symmetry)
{
    BlockedMove mine[MOVES_MAX], theirs[MOVES_MAX];
    for (int i = 0; i < 2 * 4096; i += 3) {
        if (!blocked_is_legal(b, i >> 12, i >> 6 & 63, i & 63)) continue;
        ck_assert(cells_to_position(&b->key, (Cell)(i & 4095), i >> 12, &b->request.pos));
        m->request.pos = image(&b->request, symmetry).pos;
        int count = blocked_moves(b, mine);
        ck_assert_int_eq(blocked_moves(m, theirs), count);
        for (int n = 0; n < count; n++) {
            Move move = move_make(index_symmetry_square(symmetry, move_from(mine[n].move)),
                                  index_symmetry_square(symmetry, move_to(mine[n].move)), 0);
            const BlockedMove *other = find_move(theirs, count, move);
            ck_assert_int_eq(mine[n].leaves, other->leaves);
            /* Of two goals reached as soon White's counts, whose image is Black's. */
            if (b->request.goal == BLOCKED_EXACT)
                compare_values(&mine[n].value, &other->value, symmetry & SYM_RANKS);
        }
    }
}

START_TEST(written_and_read)
{
    BlockedRequest request = request_number(_i);
    char name[RANKS_NAME_SIZE], path[PATH_SIZE];
    Blocked *b = solve(&request);
    for (int written = 0; written < 4; written++) {
        BlockedRequest other = image(&request, written);
        blocked_file_name(&other, name);
        ck_assert_str_eq(name, asked[_i].name);
        ck_assert(table_ranks_is_name(name));
        Blocked *solved = written == 0 ? b : solve(&other);
        must_save(solved);
        if (solved != b) blocked_free(solved);
        ck_assert_int_eq(count_files(), 1);
        for (int symmetry = 0; symmetry < 4; symmetry++) {
            BlockedRequest wanted = image(&request, symmetry);
            Blocked *m = find(&wanted);
            ck_assert_ptr_null(m->lattice);
            ck_assert_int_eq(m->upper_bounds, b->upper_bounds);
            compare_placements(b, m, symmetry);
            if (written == 0) compare_moves(b, m, symmetry);
            blocked_free(m);
        }
        path_of(name, path);
        FileCheck check = {0};
        ck_assert_msg(blocked_check_file(path, &check) == TREB_OK, "%s", check.text);
        ck_assert_uint_gt(check.placements, 4000);
    }
    blocked_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rank files");
    TCase *files = add_case(suite, "files", make_directory, remove_directory);
    tcase_set_timeout(files, 120);
    tcase_add_loop_test(files, written_and_read, 0, ASKED);
    return run_suite(suite);
}
