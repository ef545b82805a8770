/* blocked_audit.c TABLES COUNT [SEED] [MEMORY] - random blocked structures of up to 10 men, each
 * solved several ways: with and without the tables, with more and less memory and promoted pieces.
 * Every solution is audited, and no two may contradict each other. MEMORY is in MiB (24). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/check/audit.h"
#include "pawns/solve/table_oracle.h"
#include "tests/support/draw.h"

typedef struct Tally {
    uint64_t solutions, structures, positions, answered, improvable, wrong;
} Tally;

/* ---- Structures ------------------------------------------------------------------------------ */

static uint64_t below(uint64_t *seed, unsigned limit) { return (next_random(seed) >> 33) % limit; }

static bool add_pair(uint64_t *seed, treb_position *pos)
{
    int file = (int)below(seed, 8), rank = 1 + (int)below(seed, 5);
    int white = square_at(file, rank), black = white + 8;
    if (bit_test(position_occupied(pos), white) || bit_test(position_occupied(pos), black))
        return false;
    position_put(pos, TREB_WHITE, TREB_PAWN, white);
    position_put(pos, TREB_BLACK, TREB_PAWN, black);
    return true;
}

/* A single pawn is blocked if it stands behind a blocked pawn of its own colour. */
static void add_single(uint64_t *seed, treb_position *pos)
{
    int color = (int)below(seed, 2), square = 8 + (int)below(seed, 48);
    if (!bit_test(position_occupied(pos), square)) position_put(pos, color, TREB_PAWN, square);
}

/* Two kings and 4 to 8 pawns of which none can move. */
static treb_position draw_blocked(uint64_t *seed)
{
    char why[BLOCKED_WHY_SIZE];
    for (;;) {
        treb_position pos = {.fullmove = 1, .turn = (uint8_t)below(seed, 2)};
        int pairs = 2 + (int)below(seed, 3), singles = (int)below(seed, 3);
        while (pairs > 0) pairs -= add_pair(seed, &pos);
        while (singles-- > 0) add_single(seed, &pos);
        for (int color = 0; color < 2; color++) {
            int square = (int)below(seed, 64);
            if (!bit_test(position_occupied(&pos), square))
                position_put(&pos, color, TREB_KING, square);
        }
        if (bit_count(pos.by_color[0] | pos.by_color[1]) > 10) continue;
        if (blocked_check(&pos, why) == TREB_OK) return pos;
    }
}

/* ---- One solution ---------------------------------------------------------------------------- */

/* The tables of up to 4 men. */
static bool covers(void *context, const CellsKey *key)
{
    (void)context;
    return key->pieces + bit_count(cells_pawns(key)) <= 2;
}

static void show_fault(void *context, const char *text)
{
    uint64_t *shown = context;
    if ((*shown)++ < 10) printf("%s\n", text);
}

static Blocked *solve(const treb_position *pos, treb_tables *tables, int pieces, uint64_t memory,
                      Tally *tally)
{
    BlockedRequest request = {.pos = *pos,
                              .goal = GOAL_EXACT,
                              .all = true,
                              .region = {UINT64_MAX, UINT64_MAX},
                              .limits = {.memory = memory, .pieces = pieces}};
    uint64_t shown = 0;
    AuditOptions options = {.fault = show_fault, .context = &shown};
    AuditReport report;
    treb_error error;
    if (tables != NULL) {
        request.limits.covers = covers;
        request.limits.oracle = (PositionOracle){tables, table_oracle_value, NULL};
    }
    Blocked *b = blocked_solve(&request, &error);
    if (b == NULL || !blocked_audit(b, &options, &report)) {
        fprintf(stderr, "%s\n", b == NULL ? error.text : "the audit failed");
        exit(1);
    }
    tally->solutions++;
    tally->structures += report.structures;
    tally->positions += report.positions;
    tally->answered += report.answered;
    tally->improvable += report.improvable;
    tally->wrong += report.faults;
    return b;
}

/* ---- Two solutions --------------------------------------------------------------------------- */

static void contradict(const Blocked *b, int side, int white, int black, const char *text,
                       Tally *tally)
{
    char fen[TREB_FEN_SIZE];
    treb_position pos = b->request.pos;
    for (int color = 0; color < 2; color++) position_remove(&pos, position_king(&pos, color));
    position_put(&pos, TREB_WHITE, TREB_KING, white);
    position_put(&pos, TREB_BLACK, TREB_KING, black);
    pos.turn = (uint8_t)side;
    position_to_fen(&pos, fen);
    if (tally->wrong++ < 20) printf("%s: %s\n", fen, text);
}

/* What one solution proves the other must not exclude. Exact distances are the smallest that any
 * solution has. */
static void compare_word(const Blocked *a, const Blocked *b, int winner, int side, int white,
                         Tally *tally)
{
    const BlockedDistances *x = &a->by_winner[winner], *y = &b->by_winner[winner];
    for (int black = 0; black < 64; black++) {
        bool won = bit_test(x->won[side][white], black);
        bool also = bit_test(y->won[side][white], black);
        int distance = x->plies[side][white][black], other = y->plies[side][white][black];
        if (won && !also && !bit_test(y->open[side][white], black))
            contradict(a, side, white, black, "won in one solution, not in the other", tally);
        if (won && also && !a->upper_bounds && other < distance)
            contradict(a, side, white, black, "another solution has less than an exact distance",
                       tally);
    }
}

static void compare(const Blocked *a, const Blocked *b, Tally *tally)
{
    for (int i = 0; i < 256; i++) {
        compare_word(a, b, i >> 7, i >> 6 & 1, i & 63, tally);
        compare_word(b, a, i >> 7, i >> 6 & 1, i & 63, tally);
    }
}

/* With enough memory the solution with more pieces or tables knows all that the other one knows. */
static void compare_nested(const Blocked *less, const Blocked *more, Tally *tally)
{
    if (less->graph->full || more->graph->full) return;
    for (int i = 0; i < 256; i++) {
        int winner = i >> 7, side = i >> 6 & 1, white = i & 63;
        uint64_t lost =
            more->by_winner[winner].open[side][white] & ~less->by_winner[winner].open[side][white];
        if (lost != 0)
            contradict(more, side, white, bit_first(lost), "decided, but open with more", tally);
    }
}

static void check_position(const treb_position *pos, treb_tables *tables, uint64_t memory,
                           Tally *tally)
{
    Blocked *b[] = {solve(pos, NULL, 0, memory, tally), solve(pos, NULL, 1, memory, tally),
                    solve(pos, NULL, 1, memory / 8, tally), solve(pos, tables, 0, memory, tally),
                    solve(pos, tables, 1, memory, tally)};
    enum { WAYS = sizeof b / sizeof *b };
    for (int i = 0; i < WAYS; i++)
        for (int j = i + 1; j < WAYS; j++) compare(b[i], b[j], tally);
    compare_nested(b[0], b[1], tally);
    compare_nested(b[3], b[4], tally);
    for (int i = 0; i < WAYS; i++) blocked_free(b[i]);
}

int main(int argc, char **argv)
{
    treb_error error;
    Tally tally = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: %s TABLES COUNT [SEED] [MEMORY]\n", argv[0]);
        return 2;
    }
    const char *directory = argv[1];
    treb_tables *tables = treb_tables_open(&directory, 1, &error);
    if (tables == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    uint64_t memory = (argc > 4 ? strtoull(argv[4], NULL, 10) : 24) << 20;
    for (int i = 0; i < atoi(argv[2]); i++) {
        char fen[TREB_FEN_SIZE];
        treb_position pos = draw_blocked(&seed);
        position_to_fen(&pos, fen);
        printf("%s\n", fen);
        check_position(&pos, tables, memory, &tally);
    }
    treb_tables_close(tables);
    printf(
        "%llu solutions, %llu structures, %llu positions, %llu of tables, %llu improvable, %llu wrong\n",
        (unsigned long long)tally.solutions, (unsigned long long)tally.structures,
        (unsigned long long)tally.positions, (unsigned long long)tally.answered,
        (unsigned long long)tally.improvable, (unsigned long long)tally.wrong);
    return tally.wrong != 0 || tally.positions == 0;
}
