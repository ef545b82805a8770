/* test_bounds.c - the largest cost of a probe: how many cells of tables it reads, and how many
 * moves it makes. The test counts, it does not measure time. The linker replaces functions of the
 * library by those below.
 *
 *     test_bounds            a position of many men whose tables are missing; three men
 *     test_bounds TABLES [N] random positions of all tables there; from the worst of them, N steps towards higher costs; prints the largest
 * counts */
#define _DEFAULT_SOURCE
#include "probe/file_open.h"
#include "probe/set.h"
#include "tests/support/naive_set.h"

static unsigned cells, made, cells_of[TREB_METRICS];

int __real_file_cell(const ProbeReader *reader, const OpenTable *file, int side, uint64_t cell,
                     treb_error *error);
int __wrap_file_cell(const ProbeReader *reader, const OpenTable *file, int side, uint64_t cell,
                     treb_error *error);
int __wrap_file_cell(const ProbeReader *reader, const OpenTable *file, int side, uint64_t cell,
                     treb_error *error)
{
    cells++;
    cells_of[file->header->metric]++;
    return __real_file_cell(reader, file, side, cell, error);
}

void __real_position_make(const treb_position *pos, Move m, treb_position *child);
void __wrap_position_make(const treb_position *pos, Move m, treb_position *child);
void __wrap_position_make(const treb_position *pos, Move m, treb_position *child)
{
    made++;
    __real_position_make(pos, m, child);
}

static void forget_counts(void)
{
    cells = made = 0;
    memset(cells_of, 0, sizeof cells_of);
}

/* ---- Many men, few tables -------------------------------------------------------------------- */

/* 30 moves, 24 of them promotions, and similar positions after each. A search through the
 * promotions would not end. */
static const char eight[] = "8/PPP4k/8/8/8/8/ppp4K/8 w - - 0 1";
static const char eight_name[] = "KPPPvKPPP.wdl.treb is not installed";

START_TEST(missing_at_once)
{
    treb_tables *tables = open_set(directory);
    treb_position pos = position_of(eight);
    treb_error error;
    treb_wdl wdl;
    forget_counts();
    ck_assert_int_eq(treb_probe_wdl(tables, &pos, &wdl, &error), TREB_ERR_NO_TABLE);
    ck_assert_str_eq(error.text, eight_name);
    for (int m = TREB_WDL; m < TREB_METRICS; m++) {
        treb_distance distance;
        ck_assert_int_eq(treb_probe_distance(tables, &pos, (treb_metric)m, &distance, &error),
                         TREB_ERR_NO_TABLE);
        ck_assert_str_eq(error.text, eight_name);
    }
    ck_assert_uint_eq(cells, 0);
    ck_assert_uint_eq(made, 0);
    treb_tables_close(tables);
}
END_TEST

START_TEST(missing_by_its_moves)
{
    treb_tables *tables = open_set(directory);
    treb_position pos = position_of(eight);
    treb_error error;
    treb_value value;
    treb_move moves[TREB_MOVES_MAX];
    Move legal[MOVES_MAX];
    size_t count;
    unsigned all = (unsigned)movegen_legal(&pos, legal);
    forget_counts();
    ck_assert_int_eq(treb_probe_root(tables, &pos, &value, &error), TREB_ERR_NO_TABLE);
    ck_assert_str_eq(error.text, eight_name);
    ck_assert_uint_eq(cells, 0);
    ck_assert_uint_le(made, all);
    forget_counts();
    treb_status status = treb_probe_moves(tables, &pos, TREB_DTM, TREB_RULE_50, moves,
                                          TREB_MOVES_MAX, &count, &error);
    ck_assert_int_eq(status, TREB_ERR_NO_TABLE);
    ck_assert_str_eq(error.text, eight_name);
    ck_assert_uint_eq(count, all);
    ck_assert_uint_eq(cells, 0);
    ck_assert_uint_le(made, 3 * all); /* the names of moves are found by making moves, too */
    treb_tables_close(tables);
}
END_TEST

/* ---- Counting -------------------------------------------------------------------------------- */

enum { KINDS = TREB_METRICS + 2, ROOT = TREB_METRICS, MOVES = TREB_METRICS + 1 };

/* The largest costs of one kind of probe. For treb_probe_moves: the cost for each move. */
typedef struct Worst {
    unsigned cells;
    treb_position pos;
} Worst;

static const char *kind_name(int kind)
{
    return kind == ROOT ? "root" : kind == MOVES ? "moves" : treb_metric_text((treb_metric)kind);
}

/* Returns the cells read by a probe of one kind. 0 if it fails, for example because a table is
 * missing. */
static unsigned cost_of(const treb_tables *tables, const treb_position *pos, int kind)
{
    treb_wdl wdl;
    treb_distance distance;
    treb_value value;
    static treb_move moves[TREB_MOVES_MAX];
    size_t count = 1;
    treb_status status;
    forget_counts();
    if (kind == TREB_WDL)
        status = treb_probe_wdl(tables, pos, &wdl, NULL);
    else if (kind == ROOT)
        status = treb_probe_root(tables, pos, &value, NULL);
    else if (kind == MOVES)
        status = treb_probe_moves(tables, pos, TREB_DTM, TREB_RULE_50, moves, TREB_MOVES_MAX,
                                  &count, NULL);
    else
        status = treb_probe_distance(tables, pos, (treb_metric)kind, &distance, NULL);
    if (status != TREB_OK || count == 0) return 0;
    return (unsigned)(cells / count);
}

static void compete(const treb_tables *tables, const treb_position *pos, Worst worst[KINDS])
{
    for (int kind = 0; kind < KINDS; kind++) {
        unsigned cost = cost_of(tables, pos, kind);
        if (cost <= worst[kind].cells) continue;
        worst[kind] = (Worst){cost, *pos};
    }
}

/* The largest number of cells that a single probe of up to five men may read, with DTM from bounds.
 * Positions with many captures in a row cost most. */
static const unsigned most[KINDS] = {30, 400, 400, 3500, 3700, 1600};

/* Prints the costs. Returns whether all are within the limits. */
static bool report(const Worst worst[KINDS], bool print)
{
    bool good = true;
    for (int kind = 0; kind < KINDS; kind++) {
        char fen[TREB_FEN_SIZE];
        treb_position_to_fen(&worst[kind].pos, fen);
        if (print) printf("%-5s %4u cells: %s\n", kind_name(kind), worst[kind].cells, fen);
        good = good && worst[kind].cells > 0 && worst[kind].cells <= most[kind];
    }
    return good;
}

START_TEST(three_men_bounded)
{
    Worst worst[KINDS] = {{0}};
    treb_tables *tables = open_set(directory);
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        treb_position pos;
        const Naive *naive = solved[i % SOLVED];
        if (three_men(naive, next_random31(&seed) & ((1u << 19) - 1), &pos))
            compete(tables, &pos, worst);
    }
    ck_assert(report(worst, false));
    treb_tables_close(tables);
}
END_TEST

/* ---- DTC that is DTZ ------------------------------------------------------------------------- */

/* Lists all moves, and returns whether DTC was read. Where DTC is DTZ, it is so in all moves. */
static bool reads_dtc(const treb_tables *tables, const treb_position *pos, bool same)
{
    treb_move moves[TREB_MOVES_MAX];
    size_t count;
    forget_counts();
    ck_assert_int_eq(treb_probe_moves(tables, pos, TREB_DTC, TREB_RULE_50, moves, TREB_MOVES_MAX,
                                      &count, NULL),
                     TREB_OK);
    ck_assert_uint_gt(cells_of[TREB_DTZ], 0);
    for (size_t i = 0; i < count && same; i++)
        ck_assert_int_eq(moves[i].value.plies[TREB_DTC], moves[i].value.plies[TREB_DTZ]);
    return cells_of[TREB_DTC] > 0;
}

/* These files have no histograms, so the test writes the sums of distances itself. */
START_TEST(dtc_that_is_dtz)
{
    treb_tables *tables = open_set(directory);
    treb_position pos = position_of("8/8/8/8/3k4/8/1R6/K7 w - - 0 1");
    treb_position pawn = position_of("8/8/8/8/3k4/8/1P6/K7 w - - 0 1");
    ck_assert(reads_dtc(tables, &pos, true)); /* not known */
    ck_assert(reads_dtc(tables, &pawn, false));
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "KRvK" : "KPvK";
        for (int m = TREB_DTZ; m <= TREB_DTC; m++)
            atomic_load(&set_find_file(tables, name, (treb_metric)m, NULL)->open)->plies = 7;
    }
    ck_assert(!reads_dtc(tables, &pos, true));
    ck_assert(reads_dtc(tables, &pawn, false));
    atomic_load(&set_find_file(tables, "KRvK", TREB_DTC, NULL)->open)->plies = 6;
    ck_assert(reads_dtc(tables, &pos, true));
    treb_tables_close(tables);
}
END_TEST

/* ---- Tables that are there ------------------------------------------------------------------- */

static void put_at_random(treb_position *pos, int color, int type, uint64_t *seed)
{
    int sq;
    do {
        sq = (int)(next_random31(seed) & 63);
        /* Pawns about to promote are more frequent than in random positions. */
        if (type == TREB_PAWN && next_random31(seed) % 2)
            sq = (sq & 7) | (color == TREB_WHITE ? 48 : 8);
    } while (bit_test(position_occupied(pos), sq) || (type == TREB_PAWN && (sq < 8 || sq > 55)));
    position_put(pos, color, type, sq);
}

static void set_ep(treb_position *pos)
{
    for (int file = 0; file < 8; file++) {
        pos->ep = (uint8_t)(8 * (pos->turn == TREB_WHITE ? 5 : 2) + file);
        if (position_check(pos, NULL) == TREB_OK) return;
    }
    pos->ep = 0;
}

static bool random_position(const char *name, uint64_t *seed, treb_position *pos)
{
    static const char types[] = "PNBRQK";
    int color = TREB_WHITE;
    *pos = (treb_position){.turn = next_random31(seed) & 1, .fullmove = 1};
    for (; *name; name++) {
        if (*name == 'v')
            color = TREB_BLACK;
        else
            put_at_random(pos, color, (int)(strchr(types, *name) - types), seed);
    }
    if (next_random31(seed) % 4 == 0) set_ep(pos);
    return position_check(pos, NULL) == TREB_OK;
}

/* Moves one man to another square, or changes the side to move. */
static bool change(const treb_position *from, uint64_t *seed, treb_position *pos)
{
    *pos = *from;
    pos->ep = 0;
    if (next_random31(seed) % 8 == 0) {
        pos->turn ^= 1;
    } else {
        int sq;
        do sq = (int)(next_random31(seed) & 63);
        while (!bit_test(position_occupied(pos), sq));
        int color = bit_test(pos->by_color[TREB_WHITE], sq) ? TREB_WHITE : TREB_BLACK, type = 0;
        while (!bit_test(pos->by_type[type], sq)) type++;
        pos->by_color[color] ^= UINT64_C(1) << sq;
        pos->by_type[type] ^= UINT64_C(1) << sq;
        put_at_random(pos, color, type, seed);
    }
    return position_check(pos, NULL) == TREB_OK;
}

static int measure(const char *from, int steps)
{
    Worst worst[KINDS] = {{0}};
    treb_error error;
    treb_tables *tables = treb_tables_open(&from, 1, &error);
    uint64_t seed = 11;
    treb_position pos;
    if (tables == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    treb_tables_set_memory(tables, UINT64_C(256) << 20);
    for (size_t n = 0; n < treb_tables_count(tables); n++) {
        treb_table_info info;
        if (treb_tables_info(tables, n, &info, &error) != TREB_OK || info.metric != TREB_DTM)
            continue;
        for (int i = 0; i < 100; i++)
            if (random_position(info.material, &seed, &pos)) compete(tables, &pos, worst);
    }
    printf("random positions:\n");
    report(worst, true);
    for (int i = 0; i < steps; i++)
        if (change(&worst[i % KINDS].pos, &seed, &pos)) compete(tables, &pos, worst);
    printf("uphill from there:\n");
    bool good = report(worst, true);
    treb_tables_close(tables);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static const NaiveLayout layout = {
    .per_byte = 3, .block_bits = 10, .side = TREB_BLACK, .scramble = true};

static void set_up(void) { solve_and_write(&layout); }

int main(int argc, char **argv)
{
    if (argc > 1) return measure(argv[1], argc > 2 ? atoi(argv[2]) : 20000);
    Suite *suite = suite_create("bounds");
    TCase *tests = add_case(suite, "bounds");
    tcase_add_unchecked_fixture(tests, set_up, forget_all);
    tcase_add_test(tests, missing_at_once);
    tcase_add_test(tests, missing_by_its_moves);
    tcase_add_test(tests, dtc_that_is_dtz);
    tcase_add_test(tests, three_men_bounded);
    return run_suite(suite);
}
