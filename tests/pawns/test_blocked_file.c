/* test_blocked_file.c - blocked-pawn tables: what is written is read back, in every orientation;
 * the check of files finds errors; damage is noticed. */
#define _DEFAULT_SOURCE
#include "pawns/blocked/blocked_file.h"
#include "pawns/check/blocked_file_check.h"
#include "tests/support/part.h"
#include "tests/support/random.h"
#include "tests/support/table_sample.h"

static const char book_fen[] = "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1";
static const char lasker_fen[] = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1";
static const char small_fen[] = "8/8/8/2k5/2p5/2P5/8/4K3 w - - 0 1";

/* Requests that are solved quickly. */
static const struct {
    const char *fen;
    TableGoal goal;
    uint64_t from, target;
    bool safe;
    int pieces;
    const char *name;
} asked[] = {
    {small_fen, GOAL_EXACT, 0, 0, false, 1, "c3-c4.exact.treb"},
    {"8/8/8/3pK3/2kP4/8/8/8 b - - 0 1", GOAL_EXACT, 0, 0, false, 2, "d4-d5.exact.treb"},
    {book_fen, GOAL_EXACT, 0, 0, false, 0, "a3c4-a4c5c6.exact.treb"}, /* much stays open */
    {book_fen, GOAL_EXACT, 0, 0, false, 1, "a3c4-a4c5c6.exact.treb"},
    {book_fen, GOAL_TAKE, 0, 0, false, 0, "a3c4-a4c5c6.take.treb"},
    {book_fen, GOAL_TAKE, UINT64_C(0x000c080000000000), 0, true, 0,
     "a3c4-a4c5c6.take-d6c7d7-safe.treb"},
    {lasker_fen, GOAL_REACH, 0, UINT64_C(0x0100000000000000), false, 0,
     "d3a4f4-d4a5d5f5.reach-a1.treb"},
    {"7k/8/8/8/8/8/8/K7 w - - 0 1", GOAL_REACH, 0, UINT64_C(0x8100000000000000), false, 0,
     "kings.reach-a1h1.treb"},
};
enum { ASKED = sizeof asked / sizeof *asked, SLOW = 3 };

static BlockedRequest request_number(int i)
{
    BlockedRequest r = {.goal = asked[i].goal,
                        .from = asked[i].from,
                        .target = asked[i].target,
                        .safe = asked[i].safe,
                        .all = true,
                        .region = {UINT64_MAX, UINT64_MAX},
                        .limits = {.memory = UINT64_C(700) << 20, .pieces = asked[i].pieces}};
    ck_assert_int_eq(position_from_fen(asked[i].fen, &r.pos, NULL), TREB_OK);
    return r;
}

/* The request for the image of the position. */
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
    ck_assert(blocked_evaluate_captures(b));
    return b;
}

static void must_save(const Blocked *b)
{
    treb_error error;
    ck_assert_msg(blocked_file_write(b, directory, &error) == TREB_OK, "%s", error.text);
}

static Blocked *find(const BlockedRequest *request)
{
    const char *const dirs[] = {"/nonexistent", directory};
    treb_error error;
    Blocked *b = blocked_file_find(dirs, 2, request, &error);
    ck_assert_msg(b != NULL, "%s", error.text);
    return b;
}

/* ---- Round trip ------------------------------------------------------------------------------ */

/* Compares all placements of `b` with those of its image `m`. */
static void compare_placements(const Blocked *b, const Blocked *m, int symmetry)
{
    bool swap = symmetry & SYM_RANKS;
    for (int i = 0; i < 2 * 4096; i++) {
        int side = i >> 12, white = i >> 6 & 63, black = i & 63;
        int there = swap ? !side : side;
        int first = index_symmetry_square(symmetry, swap ? black : white);
        int second = index_symmetry_square(symmetry, swap ? white : black);
        bool legal = blocked_is_legal(b, side, white, black);
        bool same = blocked_is_legal(m, there, first, second) == legal;
        for (int winner = 0; winner < 2 && legal; winner++) {
            const BlockedDistances *x = &b->by_winner[winner],
                                   *y = &m->by_winner[swap ? !winner : winner];
            same = same && x->plies[side][white][black] == y->plies[there][first][second] &&
                   bit_test(x->won[side][white], black) == bit_test(y->won[there][first], second) &&
                   bit_test(x->open[side][white], black) == bit_test(y->open[there][first], second);
        }
        /* Not an assertion for each placement: the test library writes every assertion to a
         * file. */
        if (!same) ck_abort_msg("side %d, kings on %d and %d", side, white, black);
    }
}

static const PawnMove *find_move(const PawnMove *list, int count, Move move)
{
    for (int i = 0; i < count; i++)
        if (list[i].move == move) return &list[i];
    ck_abort_msg("a move is missing");
    return NULL;
}

static bool same_values(const PawnValue *a, const PawnValue *b, bool swap)
{
    static const PawnVerdict other[] = {VERDICT_DRAW, VERDICT_BLACK, VERDICT_WHITE, VERDICT_OPEN};
    return a->plies == b->plies && a->verdict == (swap ? other[b->verdict] : b->verdict) &&
           a->can[0] == b->can[swap] && a->can[1] == b->can[!swap];
}

/* Compares the moves of many placements, with their values. */
static void compare_moves(Blocked *b, Blocked *m, int symmetry)
{
    PawnMove mine[MOVES_MAX], theirs[MOVES_MAX];
    for (int i = 0; i < 2 * 4096; i += 3 * test_part()) {
        if (!blocked_is_legal(b, i >> 12, i >> 6 & 63, i & 63)) continue;
        cells_to_position(&b->key, (Cell)(i & 4095), i >> 12, &b->request.pos);
        m->request.pos = image(&b->request, symmetry).pos;
        int count = blocked_moves(b, mine);
        if (blocked_moves(m, theirs) != count) ck_abort_msg("moves from cell %d", i);
        for (int n = 0; n < count; n++) {
            Move move = move_make(index_symmetry_square(symmetry, move_from(mine[n].move)),
                                  index_symmetry_square(symmetry, move_to(mine[n].move)), 0);
            const PawnMove *other = find_move(theirs, count, move);
            /* If both sides reach the goal at the same ply White counts, whose image is Black. */
            bool same = b->request.goal != GOAL_EXACT ||
                        same_values(&mine[n].value, &other->value, symmetry & SYM_RANKS);
            if (!same || mine[n].leaves != other->leaves)
                ck_abort_msg("%s from cell %d", mine[n].san, i);
        }
    }
}

/* Under sanitizers the slowest request is solved once only, by line_ends_with_the_structure. */
static bool left_out(int i) { return i == SLOW && test_part() > 1; }

START_TEST(written_and_read)
{
    BlockedRequest request = request_number(_i);
    if (left_out(_i)) return;
    char name[TABLE_LONG_NAME_SIZE], path[PATH_SIZE];
    Blocked *b = solve(&request);
    for (int written = 0; written < 4; written += test_part() == 1 ? 1 : 3) {
        BlockedRequest other = image(&request, written);
        blocked_file_name(&other, name);
        ck_assert_str_eq(name, asked[_i].name);
        ck_assert(table_blocked_is_name(name));
        Blocked *solved = written == 0 ? b : solve(&other);
        must_save(solved);
        if (solved != b) blocked_free(solved);
        ck_assert_int_eq(count_files(), 1);
        for (int symmetry = 0; symmetry < 4; symmetry++) {
            BlockedRequest wanted = image(&request, symmetry);
            Blocked *m = find(&wanted);
            ck_assert_ptr_null(m->graph);
            ck_assert_int_eq(m->upper_bounds, b->upper_bounds);
            compare_placements(b, m, symmetry);
            if (written == 0) compare_moves(b, m, symmetry);
            blocked_free(m);
        }
        path_of(name, path);
        FileCheck check = {0};
        ck_assert_msg(blocked_file_check(path, &check) == TREB_OK, "%s", check.text);
        ck_assert_uint_gt(check.placements, 4000);
    }
    blocked_free(b);
}
END_TEST

/* ---- What the checker sees ------------------------------------------------------------------- */

static void path_of_request(const BlockedRequest *request, char path[PATH_SIZE])
{
    char name[TABLE_LONG_NAME_SIZE];
    blocked_file_name(request, name);
    path_of(name, path);
}

/* Writes a solution and checks the file. */
static treb_status check_saved(const Blocked *b, FileCheck *check)
{
    char path[PATH_SIZE];
    must_save(b);
    path_of_request(&b->request, path);
    check->errors = 0;
    check->text[0] = '\0';
    return blocked_file_check(path, check);
}

static uint64_t noise = 88172645463325252u;

static int draw(int below) { return (int)((next_random(&noise) >> 33) % (unsigned)below); }

/* Changes the value of a placement for a winner in one of several ways. */
static void spoil(BlockedDistances *r, bool exact, int side, int white, int black)
{
    uint64_t bit = square_bit(black);
    bool won = r->won[side][white] & bit, open = r->open[side][white] & bit;
    r->won[side][white] &= ~bit;
    r->open[side][white] &= ~bit;
    int plies = r->plies[side][white][black], way = draw(3);
    r->plies[side][white][black] = DISTANCE_NONE;
    if (won && way == 0) return;
    if (exact && !open && way == 1) {
        r->open[side][white] |= bit;
        return;
    }
    r->won[side][white] |= bit;
    r->plies[side][white][black] = (uint16_t)(won ? plies + 1 + draw(3) : draw(9));
}

START_TEST(wrong_distances_are_found)
{
    BlockedRequest request = request_number(_i);
    if (left_out(_i)) return;
    Blocked *b = solve(&request);
    FileCheck check = {0};
    ck_assert_int_eq(check_saved(b, &check), TREB_OK);
    for (int n = 0; n < 60 / test_part();) {
        int side = draw(2), white = draw(64), black = draw(64), winner = draw(2);
        BlockedDistances before = b->by_winner[winner];
        if (!blocked_is_legal(b, side, white, black)) continue;
        spoil(&b->by_winner[winner], request.goal == GOAL_EXACT, side, white, black);
        ck_assert_msg(check_saved(b, &check) == TREB_ERR_DAMAGED, "side %d, kings on %d and %d",
                      side, white, black);
        ck_assert_uint_gt(check.errors, 0);
        ck_assert_str_ne(check.text, "");
        b->by_winner[winner] = before;
        n++;
    }
    ck_assert_int_eq(check_saved(b, &check), TREB_OK);
    blocked_free(b);
}
END_TEST

/* An oracle that knows the values of a file after captures, but answers wrongly for one of them. */
typedef struct Liar {
    const Blocked *b;
    int lie, asked;
} Liar;

static bool liar_value(void *context, const treb_position *pos, int *out)
{
    Liar *liar = context;
    const Blocked *b = liar->b;
    int side = pos->turn, king = position_king(pos, side), pawn = position_king(pos, !side);
    bool wins = bit_test(b->captures[side].won[side][pawn], king);
    bool loses = bit_test(b->captures[!side].won[side][pawn], king);
    *out = wins ? 1 : loses ? -1 : 0;
    if (liar->asked++ == liar->lie) *out = wins ? 0 : 1;
    return true;
}

START_TEST(captures_are_compared)
{
    BlockedRequest request = request_number(0);
    Blocked *b = solve(&request);
    Liar liar = {.b = b, .lie = -1};
    FileCheck check = {.value = liar_value, .context = &liar};
    ck_assert_msg(check_saved(b, &check) == TREB_OK, "%s", check.text);
    ck_assert_uint_gt(check.compared, 100);
    ck_assert_uint_eq(check.compared, check.captures);
    for (liar.lie = 0; liar.lie < 100; liar.lie += 9) {
        liar.asked = 0;
        ck_assert_int_eq(check_saved(b, &check), TREB_ERR_DAMAGED);
        ck_assert_ptr_nonnull(strstr(check.text, "in the tables"));
    }
    /* Finds a capture on which the value of its placement depends. */
    for (int side = 0; side < 2; side++) {
        BlockedCaptures before = b->captures[!side];
        memset(b->captures[!side].won, 0, sizeof before.won);
        check.value = NULL;
        ck_assert_int_eq(check_saved(b, &check), TREB_ERR_DAMAGED);
        b->captures[!side] = before;
    }
    blocked_free(b);
}
END_TEST

START_TEST(upper_bounds_are_not_denied)
{
    BlockedRequest request = request_number(2);
    Blocked *b = solve(&request);
    FileCheck check = {0};
    ck_assert(b->upper_bounds);
    ck_assert(!blocked_is_decided(b, true));
    ck_assert_int_eq(check_saved(b, &check), TREB_OK);
    b->upper_bounds = false;
    ck_assert_int_eq(check_saved(b, &check), TREB_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(check.text, "denies"));
    blocked_free(b);
}
END_TEST

/* ---- Lines, and files that will not do ------------------------------------------------------- */

START_TEST(line_ends_with_the_structure)
{
    enum { MOST = 512 };
    static PawnMove mine[MOST], theirs[MOST];
    BlockedRequest request = request_number(SLOW);
    treb_position last, here;
    LineEnd end;
    Blocked *b = blocked_solve(&request, NULL);
    int long_one = blocked_line(b, mine, MOST, &end, &last);
    ck_assert(blocked_evaluate_captures(b));
    must_save(b);
    Blocked *m = find(&request);
    int count = blocked_line(m, theirs, MOST, &end, &here);
    ck_assert_int_eq(end, LINE_END_CAPTURE);
    ck_assert_int_eq(count, 17);
    ck_assert_int_gt(long_one, count);
    ck_assert_str_eq(theirs[0].san, "Kf5");
    ck_assert(theirs[count - 1].leaves);
    ck_assert_int_eq(bit_count(position_occupied(&here)), 6);
    blocked_free(b);
    blocked_free(m);
}
END_TEST

static void must_not_load(const BlockedRequest *request, treb_status status, const char *words)
{
    const char *const dirs[] = {directory};
    treb_error error = {0};
    ck_assert_ptr_null(blocked_file_find(dirs, 1, request, &error));
    ck_assert_msg(error.status == status && strstr(error.text, words), "%d: %s", error.status,
                  error.text);
}

/* More distances than a file can have. */
START_TEST(too_many_distances)
{
    BlockedRequest request = request_number(0);
    Blocked *b = solve(&request);
    uint16_t next = 0;
    for (int winner = 0; winner < 2; winner++)
        for (int i = 0; i < 4096; i++) {
            int white = i >> 6, black = i & 63;
            if (!blocked_is_legal(b, TREB_WHITE, white, black)) continue;
            b->by_winner[winner].won[TREB_WHITE][white] |= square_bit(black);
            b->by_winner[winner].open[TREB_WHITE][white] = 0;
            b->by_winner[winner].plies[TREB_WHITE][white][black] = next++;
        }
    ck_assert_uint_gt(next, TABLE_CODES_MAX);
    treb_error error;
    ck_assert_int_eq(blocked_file_write(b, directory, &error), TREB_ERR_ARGUMENT);
    ck_assert_msg(strstr(error.text, "at most 4096 different distances") != NULL, "%s", error.text);
    ck_assert_int_eq(count_files(), 0);
    blocked_free(b);
}
END_TEST

/* Without the values of captures a file would claim that they do not win. */
START_TEST(unsettled_captures)
{
    BlockedRequest request = request_number(0);
    treb_error error;
    Blocked *b = blocked_solve(&request, &error);
    ck_assert_ptr_nonnull(b);
    ck_assert_int_eq(blocked_file_write(b, directory, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(count_files(), 0);
    blocked_free(b);
}
END_TEST

START_TEST(files_that_will_not_do)
{
    BlockedRequest request = request_number(1), other = request_number(0);
    char path[PATH_SIZE], wrong[PATH_SIZE];
    size_t size;
    must_not_load(&request, TREB_ERR_NO_TABLE, "there is no blocked-pawn table d4-d5.exact.treb");
    Blocked *b = solve(&request);
    must_save(b);
    path_of_request(&request, path);
    path_of_request(&other, wrong);
    uint8_t *bytes = load(path, &size);
    save(wrong, bytes, size);
    must_not_load(&other, TREB_ERR_DAMAGED, "its content is a different table than its name says");
    FileCheck check = {0};
    ck_assert_int_eq(blocked_file_check(wrong, &check), TREB_ERR_DAMAGED);
    save(path, bytes, size - 1);
    must_not_load(&request, TREB_ERR_DAMAGED, "truncated");
    for (size_t i = FORMAT_FIXED_SIZE; i < format_get64(bytes + FORMAT_AT_META); i += 97) {
        bytes[i] ^= 0x55;
        save(path, bytes, size);
        must_not_load(&request, TREB_ERR_DAMAGED, "block 0 damaged");
        bytes[i] ^= 0x55;
    }
    /* Not blocked: no file is searched for. */
    ck_assert_int_eq(position_from_fen("8/8/8/8/3P4/8/8/K6k w", &request.pos, NULL), TREB_OK);
    must_not_load(&request, TREB_ERR_POSITION, "d4");
    blocked_free(b);
    free(bytes);
}
END_TEST

/* A value map with distances that cells cannot have. Its checksum is right, so only the reader of
 * distances can notice. */
START_TEST(hostile_maps)
{
    BlockedRequest request = request_number(1);
    char path[PATH_SIZE];
    size_t size;
    Blocked *b = solve(&request);
    must_save(b);
    path_of_request(&request, path);
    uint8_t *bytes = load(path, &size);
    uint8_t *meta = bytes + format_get64(bytes + FORMAT_AT_META), *map = meta + FORMAT_BLOCKED_SIZE;
    unsigned codes =
        format_get16(map + 60); /* after the counts and longest distances, as in all tables */
    map += 70;
    for (int i = 0; i < WDL_VALUES; i++) map += 1 + *map;
    map += 1;
    ck_assert_uint_eq(format_get16(map + 2 * (codes - 1)), DISTANCE_NONE);
    for (unsigned code = 0; code < codes; code++) {
        uint16_t plies = format_get16(map + 2 * code);
        format_put16(map + 2 * code, plies >= DISTANCE_WON ? 5 : DISTANCE_WON);
        reseal(bytes, size);
        save(path, bytes, size);
        must_not_load(&request, TREB_ERR_DAMAGED, "a distance that it cannot have");
        format_put16(map + 2 * code, plies);
    }
    format_put16(meta + FORMAT_BLOCKED_SIZE + 60, codes - 1);
    memmove(map + 2 * (codes - 1), map + 2 * codes, (size_t)(bytes + size - (map + 2 * codes)));
    format_put64(bytes + FORMAT_AT_FILE_SIZE, size - 2);
    reseal(bytes, size - 2);
    save(path, bytes, size - 2);
    must_not_load(&request, TREB_ERR_DAMAGED, "a code without a distance");
    blocked_free(b);
    free(bytes);
}
END_TEST

START_TEST(files_are_listed)
{
    const char *const dirs[] = {directory, "/nonexistent", directory};
    FileNames names;
    ck_assert(blocked_file_names(dirs, 3, &names));
    ck_assert_uint_eq(names.count, 0);
    for (int i = 0; i < 2; i++) {
        BlockedRequest request = request_number(i);
        Blocked *b = solve(&request);
        must_save(b);
        blocked_free(b);
    }
    char path[PATH_SIZE];
    path_of("KvK.wdl.treb", path);
    save(path, "x", 1);
    ck_assert(blocked_file_names(dirs, 3, &names));
    ck_assert_uint_eq(names.count, 2);
    ck_assert_str_eq(names.name[0], "c3-c4.exact.treb");
    ck_assert_str_eq(names.name[1], "d4-d5.exact.treb");
    file_names_free(&names);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("blocked-pawn tables");
    TCase *files = add_case(suite, "files", make_directory, remove_directory);
    tcase_set_timeout(files, 120);
    tcase_add_loop_test(files, written_and_read, 0, ASKED);
    tcase_add_loop_test(files, wrong_distances_are_found, 0, ASKED);
    tcase_add_test(files, captures_are_compared);
    tcase_add_test(files, upper_bounds_are_not_denied);
    tcase_add_test(files, line_ends_with_the_structure);
    tcase_add_test(files, too_many_distances);
    tcase_add_test(files, unsettled_captures);
    tcase_add_test(files, files_that_will_not_do);
    tcase_add_test(files, hostile_maps);
    tcase_add_test(files, files_are_listed);
    return run_suite(suite);
}
