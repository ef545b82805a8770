/* sections_queens.c - the claims about queen and pawn on g7 against queen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/position.h"
#include "examples/book-1983/scan.h"
#include "examples/book-1983/sections.h"

enum { PLIES = 512 };

/* Counts of positions with the pawn on g7, by side to move. The scan visits one of two mirror images,
 * so the pawn may be on b7 instead. */
typedef struct Seventh {
    int longest[TREB_METRICS][2];
    treb_position longest_at[TREB_METRICS][2];
    uint64_t positions[2], won[2], cursed[2];
    uint64_t slow[TREB_METRICS][2]; /* won in more than 50 moves by this metric */
    uint64_t dtc[2][PLIES];         /* won positions by DTC */
} Seventh;

static void visit(void *context, const treb_tables *tables, const treb_position *pos,
                  unsigned weight)
{
    static const treb_metric metrics[] = {TREB_DTZ, TREB_DTC, TREB_DTM};
    Seventh *s = context;
    int pawn = bit_first(pos->by_type[TREB_PAWN]);
    (void)weight;
    if (pawn != 49 && pawn != 54) return;
    s->positions[pos->turn]++;
    for (int i = 0; i < 3; i++) {
        treb_distance d;
        if (treb_probe_distance(tables, pos, metrics[i], &d, NULL) != TREB_OK) exit(1);
        bool white = pos->turn == TREB_WHITE ? d.wdl > TREB_DRAW : d.wdl < TREB_DRAW;
        if (!white) return;
        if (i == 0) {
            s->won[pos->turn]++;
            s->cursed[pos->turn] += d.wdl == TREB_CURSED_WIN || d.wdl == TREB_BLESSED_LOSS;
        }
        s->slow[metrics[i]][pos->turn] += d.plies > 100;
        if (metrics[i] == TREB_DTC && d.plies < PLIES) s->dtc[pos->turn][d.plies]++;
        if (d.plies <= s->longest[metrics[i]][pos->turn]) continue;
        s->longest[metrics[i]][pos->turn] = d.plies;
        s->longest_at[metrics[i]][pos->turn] = *pos;
    }
}

static void add(Seventh *sum, const Seventh *part)
{
    for (int side = 0; side < 2; side++) {
        sum->positions[side] += part->positions[side];
        sum->won[side] += part->won[side];
        sum->cursed[side] += part->cursed[side];
        for (int p = 0; p < PLIES; p++) sum->dtc[side][p] += part->dtc[side][p];
        for (int m = 0; m < TREB_METRICS; m++) {
            sum->slow[m][side] += part->slow[m][side];
            if (part->longest[m][side] <= sum->longest[m][side]) continue;
            sum->longest[m][side] = part->longest[m][side];
            sum->longest_at[m][side] = part->longest_at[m][side];
        }
    }
}

static void report_longest(Report *report, const Seventh *s)
{
    static const char *const names[] = {"", "DTZ", "DTC", "DTM"};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        for (int side = 0; side < 2; side++) {
            char claim[96], fen[TREB_FEN_SIZE];
            int moves = (s->longest[m][side] + 1) / 2;
            treb_position pos = s->longest_at[m][side];
            if (square_file(bit_first(pos.by_type[TREB_PAWN])) == 1)
                position_flip_files(&pos, &pos);
            treb_position_to_fen(&pos, fen);
            snprintf(claim, sizeof claim, "the longest win takes 58 moves: by %s, %s to move",
                     names[m], side == TREB_WHITE ? "White" : "Black");
            report_claim(report, claim, moves == 58 ? AGREES : DIFFERS, "%d moves (%d plies): `%s`",
                         moves, s->longest[m][side], fen);
        }
}

static void report_count(Report *report, const char *way, const uint64_t count[2])
{
    char claim[160];
    unsigned long long white = count[TREB_WHITE], black = count[TREB_BLACK];
    snprintf(claim, sizeof claim, "516 positions are won only without the 50-move rule, counted %s",
             way);
    bool agrees = white == 516 || black == 516 || white + black == 516;
    report_claim(report, claim, agrees ? AGREES : DIFFERS,
                 "%llu with White to move, %llu with Black, %llu in all", white, black,
                 white + black);
}

/* Finds the number of plies at which the count of slower wins passes 516. `sides` has a bit for each
 * side to move that counts. */
static void report_threshold(Report *report, const Seventh *s, int sides, const char *who)
{
    uint64_t before = 0, count = 0;
    int plies = PLIES;
    char claim[96];
    while (plies > 0 && count <= 516) {
        plies--;
        before = count;
        for (int side = 0; side < 2; side++)
            if (sides >> side & 1) count += s->dtc[side][plies];
    }
    snprintf(claim, sizeof claim, "516 positions by another limit: %s", who);
    report_claim(report, claim, NOTED, "%llu take more than %d plies (DTC), %llu at least %d",
                 (unsigned long long)before, plies, (unsigned long long)count, plies);
}

static void report_moves_of(Report *report)
{
    Moves m;
    report_moves(report, "6K1/6P1/8/5q2/8/8/Q7/2k5 w", TREB_DTC, &m);
    bool only = moves_winning(&m) == 1 && strcmp(m.move[0].san, "Qh2") == 0;
    char list[256];
    moves_list_winning(&m, list, sizeof list);
    report_claim(report, "`6K1/6P1/8/5q2/8/8/Q7/2k5 w`: only Qh2 wins", only ? AGREES : DIFFERS,
                 "winning, with DTC: %s", list);
    report_moves(report, "8/6P1/8/6K1/3Q4/6q1/k7/8 w", TREB_DTC, &m);
    const treb_move *king = NULL, *queen = NULL;
    for (size_t i = 0; i < m.count; i++) {
        if (strncmp(m.move[i].san, "Kf6", 3) == 0) king = &m.move[i];
        if (strncmp(m.move[i].san, "Qg4", 3) == 0) queen = &m.move[i];
    }
    if (king == NULL || queen == NULL) {
        report_claim(report, "`8/6P1/8/6K1/3Q4/6q1/k7/8 w`: Kf6 wins, Qg4 draws", DIFFERS,
                     "one of the moves is not legal");
        return;
    }
    report_claim(report, "`8/6P1/8/6K1/3Q4/6q1/k7/8 w`: Kf6 wins, Qg4 draws",
                 king->value.wdl > TREB_DRAW && queen->value.wdl == TREB_DRAW ? AGREES : DIFFERS,
                 "Kf6 %s, Qg4 %s", move_result(king), move_result(queen));
}

void report_queens(Report *report)
{
    report_section(
        "3. Queen and pawn on g7 against queen",
        "The program of 1974 used rules of thumb for distance 0, and the book admits errors, "
        "so its counts may be wrong.");
    Seventh part[SCAN_THREADS], sum;
    memset(part, 0, sizeof part);
    memset(&sum, 0, sizeof sum);
    void *context[SCAN_THREADS] = {&part[0], &part[1]};
    scan_ending(report->tables, "KQPvKQ", SCAN_BOTH, visit, context);
    for (int i = 0; i < SCAN_THREADS; i++) add(&sum, &part[i]);
    report_longest(report, &sum);
    report_count(report, "by today's rule with the clock at 0 (cursed wins)", sum.cursed);
    report_count(report, "by DTZ over 100 plies", sum.slow[TREB_DTZ]);
    report_count(report, "by DTC over 100 plies", sum.slow[TREB_DTC]);
    report_count(report, "by DTM over 100 plies", sum.slow[TREB_DTM]);
    report_threshold(report, &sum, 1, "White to move");
    report_threshold(report, &sum, 2, "Black to move");
    report_threshold(report, &sum, 3, "either");
    report_moves_of(report);
}
