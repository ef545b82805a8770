/* test_fathom.c - tests the drop-in for Fathom, built with Debian's own header. The expected
 * results for three men come from a solver that shares no code with it (naive.h). The ranks and
 * scores of the cases below were taken from Debian's libfathom1. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <tbprobe.h>

#include "tests/support/naive_set.h"
#include "tests/support/part.h"

extern int TB_MaxCardinality, TB_MaxCardinalityDTM;

/* The set that tb_init opened last. The linker redirects the call of the drop-in (see the
 * Makefile). */
static treb_tables *opened;
void __real_treb_tables_set_memory(treb_tables *tables, uint64_t bytes);
void __wrap_treb_tables_set_memory(treb_tables *tables, uint64_t bytes);
void __wrap_treb_tables_set_memory(treb_tables *tables, uint64_t bytes)
{
    opened = tables;
    __real_treb_tables_set_memory(tables, bytes);
}

static const NaiveLayout plain = {.per_byte = 1, .block_bits = 10, .side = TREB_WHITE};

static void use_tables(void)
{
    ck_assert(tb_init(directory));
    ck_assert_uint_eq(TB_LARGEST, 3);
}

/* ---- Calls with a position ------------------------------------------------------------------- */

static unsigned wdl_of(const treb_position *p)
{
    const uint64_t *t = p->by_type;
    return tb_probe_wdl(p->by_color[0], p->by_color[1], t[TREB_KING], t[TREB_QUEEN], t[TREB_ROOK],
                        t[TREB_BISHOP], t[TREB_KNIGHT], t[TREB_PAWN], p->halfmove, p->castling,
                        p->ep, p->turn == TREB_WHITE);
}

static unsigned root_of(const treb_position *p, unsigned *results)
{
    const uint64_t *t = p->by_type;
    return tb_probe_root(p->by_color[0], p->by_color[1], t[TREB_KING], t[TREB_QUEEN], t[TREB_ROOK],
                         t[TREB_BISHOP], t[TREB_KNIGHT], t[TREB_PAWN], p->halfmove, p->castling,
                         p->ep, p->turn == TREB_WHITE, results);
}

static int ranks_by_dtz(const treb_position *p, bool repeated, bool rule50, struct TbRootMoves *out)
{
    const uint64_t *t = p->by_type;
    return tb_probe_root_dtz(p->by_color[0], p->by_color[1], t[TREB_KING], t[TREB_QUEEN],
                             t[TREB_ROOK], t[TREB_BISHOP], t[TREB_KNIGHT], t[TREB_PAWN],
                             p->halfmove, p->castling, p->ep, p->turn == TREB_WHITE, repeated,
                             rule50, out);
}

static int ranks_by_wdl(const treb_position *p, bool rule50, struct TbRootMoves *out)
{
    const uint64_t *t = p->by_type;
    return tb_probe_root_wdl(p->by_color[0], p->by_color[1], t[TREB_KING], t[TREB_QUEEN],
                             t[TREB_ROOK], t[TREB_BISHOP], t[TREB_KNIGHT], t[TREB_PAWN],
                             p->halfmove, p->castling, p->ep, p->turn == TREB_WHITE, rule50, out);
}

/* ---- Every position -------------------------------------------------------------------------- */

START_TEST(verdicts)
{
    use_tables();
    unsigned compared = 0;
    for (uint32_t n = 0; n < 1u << 19; n += (uint32_t)test_part()) {
        treb_position pos, turned;
        if (!three_men(solved[_i], n, &pos)) continue;
        position_swap_colors(&pos, &turned);
        unsigned expected = naive_value(solved[_i], &pos)->verdict;
        if (wdl_of(&pos) != expected || wdl_of(&turned) != expected)
            ck_abort_msg("position %u: %u and %u, not %u", n, wdl_of(&pos), wdl_of(&turned),
                         expected);
        compared++;
    }
    ck_assert_uint_gt(compared, 30000 / (unsigned)test_part());
    tb_free();
}
END_TEST

/* Returns verdict and DTZ of three men or two. */
static NaiveValue value_of(const treb_position *pos)
{
    static const NaiveValue draw = {.verdict = TREB_DRAW};
    for (int i = 0; i < SOLVED; i++) {
        const Material *m = naive_material(solved[i]);
        for (int type = TREB_PAWN; type < TREB_KING; type++)
            if (m->count[TREB_WHITE][type] && pos->by_type[type])
                return *naive_value(solved[i], pos);
    }
    return draw;
}

/* Returns the expected answer of tb_probe_root for a move. */
static unsigned expected_result(const treb_position *pos, Move m)
{
    treb_position child;
    position_make(pos, m, &child);
    NaiveValue value = value_of(&child);
    unsigned verdict = TREB_WIN - value.verdict, plies = value.plies[TREB_DTZ] + 1u;
    if (move_is_zeroing(pos, m)) plies = 1;
    if (verdict == TREB_DRAW) plies = 0;
    if (pos->halfmove + plies > 100 && verdict != TREB_DRAW)
        verdict = verdict == TREB_WIN ? TREB_CURSED_WIN : TREB_BLESSED_LOSS;
    unsigned promotes = move_promo(m) ? 5u - (unsigned)move_promo(m) : 0, word = 0;
    word = TB_SET_WDL(word, verdict);
    word = TB_SET_FROM(word, (unsigned)move_from(m));
    word = TB_SET_TO(word, (unsigned)move_to(m));
    word = TB_SET_PROMOTES(word, promotes);
    return TB_SET_DTZ(word, plies);
}

static bool has_result(const unsigned *results, int count, unsigned word)
{
    for (int i = 0; i < count; i++)
        if (results[i] == word) return true;
    return false;
}

static void check_root(const treb_position *pos)
{
    Move legal[MOVES_MAX];
    unsigned results[TB_MAX_MOVES];
    int moves = movegen_legal(pos, legal), count = 0;
    unsigned root = root_of(pos, results);
    ck_assert_uint_eq(root, root_of(pos, NULL));
    while (results[count] != TB_RESULT_FAILED) count++;
    ck_assert_int_eq(count, moves);
    if (moves == 0) {
        bool check = position_in_check(pos);
        ck_assert_uint_eq(root, check ? TB_RESULT_CHECKMATE : TB_RESULT_STALEMATE);
        return;
    }
    for (int i = 0; i < moves; i++)
        if (!has_result(results, count, expected_result(pos, legal[i])))
            ck_abort_msg("no %08x among the results", expected_result(pos, legal[i]));
    NaiveValue value = value_of(pos);
    ck_assert_uint_eq(root, results[0]);
    ck_assert_uint_eq(TB_GET_DTZ(root), value.verdict == TREB_DRAW ? 0 : value.plies[TREB_DTZ]);
    for (int i = 1; i < count; i++) ck_assert_uint_le(TB_GET_WDL(results[i]), TB_GET_WDL(root));
}

START_TEST(roots)
{
    static const uint16_t clocks[] = {0, 0, 50, 80, 90, 99, 100, 130};
    uint64_t seed = 3;
    use_tables();
    for (int i = 0; i < 3000; i++) {
        treb_position pos;
        if (!three_men(solved[i % SOLVED], next_random31(&seed) & ((1u << 19) - 1), &pos)) continue;
        pos.halfmove = clocks[next_random31(&seed) % 8];
        check_root(&pos);
    }
    tb_free();
}
END_TEST

/* ---- Order of moves -------------------------------------------------------------------------- */

typedef struct RankCase {
    const char *fen;
    bool repeated, rule50;
    int from, to; /* the move tested */
    int rank, score, wdl_rank, wdl_score;
} RankCase;

static const RankCase rank_cases[] = {
    {"8/8/8/3k4/8/8/8/KQ6 w - - 0 1", 0, 1, 0, 9, 1000, 31744, 1000, 31744},
    {"8/8/8/3k4/8/8/8/KQ6 w - - 0 1", 1, 1, 0, 9, 983, 31744, 1000, 31744},
    {"8/8/8/3k4/8/8/8/KQ6 w - - 0 1", 1, 1, 0, 8, 981, 31744, 1000, 31744},
    {"8/8/8/3k4/8/8/8/KQ6 w - - 95 1", 0, 1, 0, 9, 888, 488, 1000, 31744},
    {"8/8/8/3k4/8/8/8/KQ6 w - - 95 1", 0, 0, 0, 8, 886, 31744, 1000, 31744},
    {"8/8/8/3k4/8/8/8/KQ6 b - - 95 1", 0, 1, 35, 26, -891, -491, -1000, -31744},
    {"8/8/8/3k4/8/8/8/KQ6 b - - 95 1", 1, 1, 35, 36, -887, -487, -1000, -31744},
    {"8/5P1k/8/7K/8/8/8/8 w - - 0 1", 0, 1, 39, 30, 0, 0, 0, 0},
    {"7k/5K2/8/6Q1/8/8/8/8 w - - 99 1", 0, 1, 38, 31, 900, 31744, 1000, 31744},
    {"7k/5K2/8/6Q1/8/8/8/8 w - - 99 1", 0, 1, 53, 44, 896, 496, 1000, 31744},
    {"7k/5K2/8/6Q1/8/8/8/8 w - - 100 1", 0, 1, 38, 31, 899, 499, 1000, 31744},
    {"7k/5K2/8/6Q1/8/8/8/8 w - - 198 1", 0, 1, 38, 31, 801, 3, 1000, 31744},
};

static const struct TbRootMove *find_move(const struct TbRootMoves *list, int from, int to)
{
    for (unsigned i = 0; i < list->size; i++)
        if (TB_MOVE_FROM(list->moves[i].move) == from && TB_MOVE_TO(list->moves[i].move) == to)
            return &list->moves[i];
    ck_abort_msg("no move %d-%d", from, to);
}

START_TEST(ranks)
{
    static struct TbRootMoves list;
    const RankCase *c = &rank_cases[_i];
    treb_position pos = position_of(c->fen);
    use_tables();
    ck_assert_int_ne(ranks_by_dtz(&pos, c->repeated, c->rule50, &list), 0);
    ck_assert_int_eq(find_move(&list, c->from, c->to)->tbRank, c->rank);
    ck_assert_int_eq(find_move(&list, c->from, c->to)->tbScore, c->score);
    for (unsigned i = 1; i < list.size; i++)
        ck_assert_int_ge(list.moves[i - 1].tbRank, list.moves[i].tbRank);
    ck_assert_int_ne(ranks_by_wdl(&pos, c->rule50, &list), 0);
    ck_assert_int_eq(find_move(&list, c->from, c->to)->tbRank, c->wdl_rank);
    ck_assert_int_eq(find_move(&list, c->from, c->to)->tbScore, c->wdl_score);
    tb_free();
}
END_TEST

/* A win that comes too late ranks above a draw at any clock. */
START_TEST(long_clock)
{
    static struct TbRootMoves list;
    treb_position pos = position_of("8/8/8/3k4/8/8/8/KQ6 w - - 65535 1");
    use_tables();
    ck_assert_int_ne(ranks_by_dtz(&pos, false, true, &list), 0);
    ck_assert_int_gt(list.moves[0].tbRank, 0);
    ck_assert_int_lt(list.moves[0].tbRank, 900);
    ck_assert_uint_eq(TB_GET_WDL(root_of(&pos, NULL)), TB_CURSED_WIN);
    pos.turn = TREB_BLACK;
    ck_assert_int_ne(ranks_by_dtz(&pos, false, true, &list), 0);
    ck_assert_int_lt(list.moves[0].tbRank, 0);
    ck_assert_int_gt(list.moves[0].tbRank, -900);
    tb_free();
}
END_TEST

/* The line of the best move is legal. It ends after the number of plies that DTZ gives, with a mate
 * or a pawn move. */
START_TEST(lines)
{
    static const char *const cases[] = {
        "8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "8/8/8/3k4/8/8/8/KQ6 b - - 0 1",
        "8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/8/8/2K5/2P5/k7 w - - 0 1",
        "8/5P1k/8/7K/8/8/8/8 w - - 0 1"};
    static struct TbRootMoves list;
    use_tables();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        treb_position at = position_of(cases[i]);
        unsigned root = root_of(&at, NULL);
        ck_assert_int_ne(ranks_by_dtz(&at, false, true, &list), 0);
        ck_assert_uint_eq(list.moves[0].pvSize, TB_GET_DTZ(root));
        for (unsigned k = 0; k < list.moves[0].pvSize; k++) {
            static const char promotion[] = "\0qrbn";
            TbMove m = list.moves[0].pv[k];
            char uci[6] = {(char)('a' + TB_MOVE_FROM(m) % 8), (char)('1' + TB_MOVE_FROM(m) / 8),
                           (char)('a' + TB_MOVE_TO(m) % 8),   (char)('1' + TB_MOVE_TO(m) / 8),
                           promotion[TB_MOVE_PROMOTES(m)],    '\0'};
            ck_assert_int_eq(treb_position_play(&at, uci, &at, NULL), TREB_OK);
        }
        for (unsigned k = 1; k < list.size; k++) ck_assert_uint_eq(list.moves[k].pvSize, 1);
    }
    tb_free();
}
END_TEST

/* ---- What is no question --------------------------------------------------------------------- */

static void check_refused(const treb_position *pos)
{
    static struct TbRootMoves list;
    unsigned results[TB_MAX_MOVES] = {0};
    list.size = 7;
    ck_assert_uint_eq(wdl_of(pos), TB_RESULT_FAILED);
    ck_assert_uint_eq(root_of(pos, NULL), TB_RESULT_FAILED);
    if (pos->castling == 0) {
        ck_assert_uint_eq(root_of(pos, results), TB_RESULT_FAILED);
        ck_assert_uint_eq(results[0], TB_RESULT_FAILED);
    }
    ck_assert_int_eq(ranks_by_dtz(pos, false, true, &list), 0);
    ck_assert_uint_eq(list.size, 0);
    list.size = 7;
    ck_assert_int_eq(ranks_by_wdl(pos, true, &list), 0);
    ck_assert_uint_eq(list.size, 0);
}

START_TEST(refused)
{
    treb_position good = position_of("8/8/8/3k4/8/8/8/KQ6 w - - 0 1"), pos;
    use_tables();
    ck_assert_uint_eq(wdl_of(&good), TB_WIN);
    pos = position_of("r3k2r/8/8/8/8/8/8/4K3 w kq - 0 1");
    check_refused(&pos);
    pos = position_of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
    check_refused(&pos);
    pos = position_of("8/8/8/3k4/8/8/8/KQRB4 w - - 0 1"); /* no table has these men */
    check_refused(&pos);
    pos = good;
    pos.by_type[TREB_KING] = 0;
    check_refused(&pos);
    pos = good;
    pos.by_type[TREB_ROOK] = pos.by_type[TREB_QUEEN];
    check_refused(&pos);
    pos = good;
    pos.by_color[TREB_BLACK] |= pos.by_color[TREB_WHITE];
    check_refused(&pos);
    pos = good;
    pos.by_type[TREB_PAWN] = pos.by_type[TREB_QUEEN], pos.by_type[TREB_QUEEN] = 0;
    check_refused(&pos); /* a pawn on the first rank */
    memset(&pos, 0, sizeof pos);
    check_refused(&pos);
    memset(&pos, 0xff, sizeof pos);
    pos.castling = 0, pos.halfmove = 0;
    check_refused(&pos);
    tb_free();
    check_refused(&good); /* no tables are open */
}
END_TEST

/* An en passant square on which no pawn can capture is ignored. Its number may have any value. */
START_TEST(useless_en_passant)
{
    treb_position pos = position_of("8/8/8/8/3P4/8/6k1/K7 b - - 0 1");
    const uint64_t *t = pos.by_type;
    use_tables();
    unsigned expected = wdl_of(&pos);
    ck_assert_uint_ne(expected, TB_RESULT_FAILED);
    for (unsigned ep = 0; ep < 300; ep++)
        ck_assert_uint_eq(tb_probe_wdl_impl(pos.by_color[0], pos.by_color[1], t[TREB_KING],
                                            t[TREB_QUEEN], t[TREB_ROOK], t[TREB_BISHOP],
                                            t[TREB_KNIGHT], t[TREB_PAWN], ep, false),
                          expected);
    /* The table of four men is missing. The capture wins, and decides if it is possible. */
    pos = position_of("8/8/8/3pP3/8/1K6/8/7k w - d6 0 1");
    ck_assert_uint_eq(wdl_of(&pos), TB_WIN);
    pos.ep = 0;
    ck_assert_uint_eq(wdl_of(&pos), TB_RESULT_FAILED);
    tb_free();
}
END_TEST

/* A capture that wins needs no table of the position itself; one that draws does not help. */
START_TEST(winning_captures)
{
    treb_position wins = position_of("k7/8/8/3r4/8/8/8/K2Q4 w - - 0 1"),
                  draws = position_of("8/8/8/3qk3/8/8/8/K2Q4 w - - 0 1"),
                  quiet = position_of("k7/8/8/4r3/8/8/8/K2Q4 w - - 0 1");
    use_tables();
    ck_assert_uint_eq(wdl_of(&wins), TB_WIN);
    ck_assert_uint_eq(wdl_of(&draws), TB_RESULT_FAILED);
    ck_assert_uint_eq(wdl_of(&quiet), TB_RESULT_FAILED);
    tb_free();
}
END_TEST

/* ---- Paths ----------------------------------------------------------------------------------- */

static void check_path(const char *path, unsigned largest)
{
    treb_position pos = position_of("8/8/8/3k4/8/8/8/KQ6 w - - 0 1");
    ck_assert(tb_init(path));
    ck_assert_uint_eq(TB_LARGEST, largest);
    ck_assert_int_eq(TB_MaxCardinality, (int)largest);
    ck_assert_int_eq(TB_MaxCardinalityDTM, 0);
    if (largest == 0) ck_assert_uint_eq(wdl_of(&pos), TB_RESULT_FAILED);
    if (largest == 3) ck_assert_uint_eq(wdl_of(&pos), TB_WIN);
}

START_TEST(paths)
{
    char list[3 * PATH_SIZE], other[PATH_SIZE], nothing[PATH_SIZE];
    make_directory(other); /* verdicts of one material, but no distances */
    make_directory(nothing);
    ck_assert(naive_write(solved[1], other, TREB_WDL, &plain));
    unsetenv("TREBUCHET_PATH");
    check_path(NULL, 0);
    check_path("", 0);
    check_path("<empty>", 0);
    check_path("/nonexistent", 0);
    check_path(nothing, 0);
    check_path(directory, 3);
    check_path(directory, 3);
    ck_assert(tb_init(other));
    ck_assert_uint_eq(TB_LARGEST, 3); /* as in Fathom, although roots need distances */
    treb_position lost = position_of("8/8/8/3k4/8/8/8/KQ6 b - - 0 1");
    ck_assert_uint_eq(wdl_of(&lost), TB_LOSS);
    ck_assert_uint_eq(root_of(&lost, NULL), TB_RESULT_FAILED);
    snprintf(list, sizeof list, "/nonexistent::%s:%s:", nothing, directory);
    check_path(list, 3);
    check_path("", 0);
    ck_assert(tb_init_impl(list));
    ck_assert_uint_eq(TB_LARGEST, 3);
    tb_free();
    ck_assert_uint_eq(TB_LARGEST, 0);
    tb_free();
    setenv("TREBUCHET_PATH", list, 1);
    check_path("", 0);
    check_path("<empty>", 0);
    check_path("/nonexistent", 3);
    check_path(nothing, 3);
    setenv("TREBUCHET_PATH", nothing, 1);
    check_path("x", 0);
    check_path(directory, 3);
    tb_free();
    remove_directory(other);
    remove_directory(nothing);
}
END_TEST

START_TEST(cache_size)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{NULL, 256 << 20},
                 {"", 256 << 20},
                 {"nonsense", 256 << 20},
                 {"12 M", 256 << 20},
                 {"-1", 256 << 20},
                 {"16M", 16 << 20},
                 {"16MiB", 16 << 20},
                 {"512k", 512 << 10},
                 {"1GB", 1 << 30},
                 {"1048576", 1 << 20},
                 {"0", 0},
                 {"1Mx", 256 << 20},
                 {"2T", UINT64_C(1) << 38 /* all the memory that the library uses */}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        treb_memory memory;
        unsetenv("TREBUCHET_CACHE");
        if (cases[i].text != NULL) setenv("TREBUCHET_CACHE", cases[i].text, 1);
        use_tables();
        treb_tables_get_memory(opened, &memory);
        ck_assert_uint_eq(memory.budget, cases[i].bytes);
    }
    tb_free();
}
END_TEST

/* ---- Threads --------------------------------------------------------------------------------- */

enum { THREADS = 8, ASKED = 64 };

typedef struct Shared {
    treb_position pos[ASKED];
    unsigned wdl[ASKED], root[ASKED];
    int rank[ASKED];
    atomic_bool stop;
    bool may_fail; /* the tables are being replaced */
} Shared;

/* Returns NULL, or the text of an error. */
static void *ask(void *argument)
{
    Shared *shared = argument;
    struct TbRootMoves *list = malloc(sizeof *list);
    unsigned results[TB_MAX_MOVES];
    const char *wrong = NULL;
    for (int n = 0; wrong == NULL && (n < 400 || (shared->may_fail && !shared->stop)); n++) {
        int i = n % ASKED;
        unsigned wdl = wdl_of(&shared->pos[i]), root = root_of(&shared->pos[i], results);
        int ranked = ranks_by_dtz(&shared->pos[i], false, true, list), rank = shared->rank[i];
        if (wdl != shared->wdl[i] && !(shared->may_fail && wdl == TB_RESULT_FAILED))
            wrong = "another verdict";
        else if (root != shared->root[i] && !(shared->may_fail && root == TB_RESULT_FAILED))
            wrong = "another root";
        else if (!ranked ? !shared->may_fail : list->size > 0 && list->moves[0].tbRank != rank)
            wrong = "another ranking";
    }
    free(list);
    return (void *)wrong;
}

static void run_threads(Shared *shared)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, ask, shared), 0);
    for (int i = 0; shared->may_fail && i < 200; i++) {
        if (i % 3 == 2) tb_free();
        ck_assert(tb_init(directory));
    }
    shared->stop = true;
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        ck_assert_msg(wrong == NULL, "%s", (const char *)wrong);
    }
}

static void *initialise(void *argument)
{
    for (int i = 0; i < 50; i++) {
        tb_init(directory);
        if (i % 7 == 0) tb_free();
    }
    return argument;
}

/* Many threads probe the root at once. Later the tables are replaced while they do. */
START_TEST(threads)
{
    static Shared shared;
    static struct TbRootMoves list;
    uint64_t seed = 5;
    use_tables();
    for (int i = 0; i < ASKED;) {
        treb_position *pos = &shared.pos[i];
        if (!three_men(solved[i % SOLVED], next_random31(&seed) & ((1u << 19) - 1), pos)) continue;
        shared.wdl[i] = wdl_of(pos);
        shared.root[i] = root_of(pos, NULL);
        ck_assert_int_ne(ranks_by_dtz(pos, false, true, &list), 0);
        shared.rank[i++] = list.moves[0].tbRank;
    }
    run_threads(&shared);
    shared.may_fail = true;
    shared.stop = false;
    run_threads(&shared);
    tb_free();
}
END_TEST

START_TEST(threads_that_initialise)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, initialise, NULL), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    use_tables();
    tb_free();
    ck_assert_uint_eq(TB_LARGEST, 0);
}
END_TEST

/* ---- Helpers --------------------------------------------------------------------------------- */

START_TEST(helpers)
{
    ck_assert_uint_eq(tb_pop_count(UINT64_C(0x8100000000000081)), 4);
    ck_assert_uint_eq(tb_lsb(UINT64_C(0x8100000000000000)), 56);
    ck_assert_uint_eq(tb_pop_lsb(0x81), 0x80);
    ck_assert_uint_eq(tb_king_attacks(0), 0x302);
    ck_assert_uint_eq(tb_knight_attacks(0), 0x20400);
    ck_assert_uint_eq(tb_rook_attacks(0, 0x104), 0x106);
    ck_assert_uint_eq(tb_bishop_attacks(0, UINT64_C(1) << 18), 0x40200);
    ck_assert_uint_eq(tb_queen_attacks(0, 0x40104), 0x40306);
    ck_assert_uint_eq(tb_pawn_attacks(4, true), 0x2800); /* from e1, as the header defines */
    ck_assert_uint_eq(tb_pawn_attacks(4, false), 0);
    ck_assert_uint_eq(tb_pawn_attacks(12, false), 0x28);
}
END_TEST

static void set_up(void) { solve_and_write(&plain); }

int main(void)
{
    Suite *suite = suite_create("fathom");
    TCase *tests = add_case(suite, "fathom");
    tcase_add_unchecked_fixture(tests, set_up, forget_all);
    tcase_add_loop_test(tests, verdicts, 0, SOLVED);
    tcase_add_test(tests, roots);
    tcase_add_loop_test(tests, ranks, 0, sizeof rank_cases / sizeof *rank_cases);
    tcase_add_test(tests, long_clock);
    tcase_add_test(tests, lines);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, useless_en_passant);
    tcase_add_test(tests, winning_captures);
    tcase_add_test(tests, paths);
    tcase_add_test(tests, cache_size);
    tcase_add_test(tests, threads);
    tcase_add_test(tests, threads_that_initialise);
    tcase_add_test(tests, helpers);
    return run_suite(suite);
}
