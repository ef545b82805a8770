/* blocked_tables.c TABLES MEN [-], TABLES FEN [MEN] - compares all blocked positions of up to MEN
 * men with the ordinary tables: verdicts and distances to conversion. With a FEN: compares the
 * verdicts of all positions of up to MEN men (5) below that position, those after double pushes
 * with their captures en passant.
 *
 * Positions below are solved without the tables; with a third argument values of tables are used
 * where there are any, as the command does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/blocked/blocked.h"
#include "pawns/solve/search.h"
#include "pawns/solve/table_oracle.h"

typedef struct Tally {
    uint64_t structures, positions, open, wrong;
} Tally;

static void report(const Blocked *b, const treb_position *pos, const char *found, const char *table)
{
    char fen[TREB_FEN_SIZE];
    (void)b;
    position_to_fen(pos, fen);
    printf("%s: %s, the table has %s\n", fen, found, table);
}

static void compare(const treb_tables *tables, const Blocked *b, const treb_position *pos,
                    Tally *tally)
{
    static const char *const names[] = {"draw", "White wins", "Black wins", "open"};
    int white = position_king(pos, TREB_WHITE), black = position_king(pos, TREB_BLACK);
    PawnValue value = blocked_value(b, pos->turn, white, black);
    treb_distance dtc;
    treb_error error;
    if (treb_probe_dtc(tables, pos, &dtc, &error) != TREB_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    int winner = dtc.wdl == TREB_DRAW                                 ? VERDICT_DRAW
                 : (dtc.wdl > TREB_DRAW) == (pos->turn == TREB_WHITE) ? VERDICT_WHITE
                                                                      : VERDICT_BLACK;
    char found[64], table[64];
    tally->positions++;
    if (value.verdict == VERDICT_OPEN) {
        /* An open value claims nothing, but it must not exclude the true result. */
        tally->open++;
        if (winner == VERDICT_DRAW || value.can[winner == VERDICT_BLACK]) return;
    }
    bool plies = winner == VERDICT_DRAW || value.plies == dtc.plies ||
                 (b->upper_bounds && value.plies > dtc.plies);
    if ((int)value.verdict == winner && plies) return;
    tally->wrong++;
    snprintf(found, sizeof found, "%s in %d", names[value.verdict], value.plies);
    snprintf(table, sizeof table, "%s in %d", names[winner], dtc.plies);
    if (tally->wrong < 20) report(b, pos, found, table);
}

static bool covers(void *context, const CellsKey *key)
{
    (void)context;
    return key->pieces + bit_count(cells_pawns(key)) <= 3;
}

/* Solves the structure with these pawns and compares all placements of the kings. */
static void check_structure(treb_tables *tables, bool use, const uint64_t pawns[2], Tally *tally)
{
    BlockedRequest request = {.goal = GOAL_EXACT,
                              .all = true,
                              .region = {UINT64_MAX, UINT64_MAX},
                              .limits = {.memory = UINT64_C(1500) << 20, .pieces = 2}};
    treb_position pos = {.fullmove = 1};
    char why[BLOCKED_WHY_SIZE];
    treb_error error;
    pos.by_color[0] = pawns[0];
    pos.by_color[1] = pawns[1];
    pos.by_type[TREB_PAWN] = pawns[0] | pawns[1];
    if (use) {
        request.limits.covers = covers;
        request.limits.oracle = (PositionOracle){tables, table_oracle_value, NULL};
    }
    Blocked *b = NULL;
    for (int i = 0; i < 2 * 4096; i++) {
        int white = i >> 7, black = i >> 1 & 63;
        uint64_t kings = square_bit(white) | square_bit(black);
        if (white == black || (kings & (pawns[0] | pawns[1])) != 0) continue;
        treb_position at = pos;
        at.turn = (uint8_t)(i & 1);
        position_put(&at, TREB_WHITE, TREB_KING, white);
        position_put(&at, TREB_BLACK, TREB_KING, black);
        if (blocked_check(&at, why) != TREB_OK) continue;
        request.pos = at;
        if (b == NULL && (b = blocked_solve(&request, &error)) == NULL) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        compare(tables, b, &at, tally);
    }
    tally->structures += b != NULL;
    blocked_free(b);
}

/* Checks all ways to put `left` more pawns on squares from `first` on. */
static void check_all(treb_tables *tables, bool use, uint64_t pawns[2], int first, int left,
                      Tally *tally)
{
    if (left == 0) {
        check_structure(tables, use, pawns, tally);
        return;
    }
    for (int square = first; square < 56; square++)
        for (int color = 0; color < 2; color++) {
            pawns[color] |= square_bit(square);
            check_all(tables, use, pawns, square + 1, left - 1, tally);
            pawns[color] &= ~square_bit(square);
        }
}

/* ---- What lies below one position ------------------------------------------------------------ */

static int table_winner(const treb_tables *tables, const treb_position *pos)
{
    treb_wdl wdl;
    treb_error error;
    if (treb_probe_wdl(tables, pos, &wdl, &error) != TREB_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return wdl == TREB_DRAW ? -1 : (wdl > TREB_DRAW) == (pos->turn == TREB_WHITE) ? 0 : 1;
}

static void compare_cell(const treb_tables *tables, const Structure *f, int side, Cell cell,
                         Tally *tally)
{
    treb_position pos;
    if (!cell_in(f->legal[side], cell)) return;
    if (!cells_to_position(&f->key, cell, side, &pos) || position_check(&pos, NULL) != TREB_OK) {
        tally->wrong++;
        return;
    }
    int winner = table_winner(tables, &pos);
    tally->positions++;
    for (int color = 0; color < 2; color++) {
        bool sure = cell_in(f->won[SURE][color][side], cell);
        bool maybe = cell_in(f->won[MAYBE][color][side], cell);
        tally->open += sure != maybe;
        if ((winner == color || !sure) && (winner != color || maybe)) continue;
        tally->wrong++;
        if (tally->wrong < 20)
            report(NULL, &pos, sure ? "won" : "not won", color ? "black" : "white");
    }
}

/* Compares the cells of a structure with the tables; of large structures only a part of the
 * cells. */
static void compare_structure(const treb_tables *tables, int men, const Structure *f, Tally *tally)
{
    Cell cells = cells_words(&f->key) * 64, step = f->key.pieces > 1 ? 997 : f->key.pieces ? 7 : 1;
    if (f->men > men || !f->solved) return;
    tally->structures++;
    for (int side = 0; side < 2; side++)
        for (Cell cell = 0; cell < cells; cell += step) compare_cell(tables, f, side, cell, tally);
}

/* The position need not be blocked. */
static void check_below(const treb_tables *tables, const char *fen, int men, Tally *tally)
{
    treb_error error;
    treb_position pos;
    CellsKey key;
    ProofGraphLimits limits = {.memory = UINT64_C(700) << 20, .pieces = 2};
    ProofGraph *graph = proof_graph_new(&limits);
    if (treb_position_from_fen(fen, &pos, &error) != TREB_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    Structure *top = NULL;
    if (graph != NULL && cells_from_position(&pos, &key, NULL))
        top = proof_graph_add(graph, &key, false, BOTH_WINNERS);
    if (top == NULL || !search_decide(graph, top, NULL)) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    if (!top->decided) printf("%s: not all decided\n", fen);
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < graph->count[p]; i++)
            compare_structure(tables, men, graph->by_potential[p][i], tally);
    proof_graph_free(graph);
}

int main(int argc, char **argv)
{
    treb_error error;
    Tally tally = {0};
    uint64_t pawns[2] = {0, 0};
    bool below = argc > 2 && strchr(argv[2], '/') != NULL;
    int men = below ? 2 : argc > 2 ? atoi(argv[2]) : 0;
    if (men < 2 || men > 5) {
        fprintf(stderr, "usage: %s TABLES MEN [-] (2 to 5), or TABLES FEN [MEN]\n", argv[0]);
        return 2;
    }
    const char *directory = argv[1];
    treb_tables *tables = treb_tables_open(&directory, 1, &error);
    if (tables == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    if (below) check_below(tables, argv[2], argc > 3 ? atoi(argv[3]) : 5, &tally);
    for (int count = 0; count <= men - 2 && !below; count++)
        check_all(tables, argc > 3, pawns, 8, count, &tally);
    treb_tables_close(tables);
    printf("%llu structures, %llu positions, %llu open, %llu wrong\n",
           (unsigned long long)tally.structures, (unsigned long long)tally.positions,
           (unsigned long long)tally.open, (unsigned long long)tally.wrong);
    return tally.wrong != 0 || tally.structures == 0;
}
