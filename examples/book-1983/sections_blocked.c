/* sections_blocked.c - the claims about kings and blocked pawns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/book-1983/sections.h"
#include "pawns/blocked/blocked.h"

static const char start[] = "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1";

static int square_of(const char *name) { return name[0] - 'a' + 8 * (name[1] - '1'); }

static Blocked *solve(TableGoal goal)
{
    BlockedRequest request = {.pos = report_position(start),
                              .goal = goal,
                              .from = square_bit(square_of("c7")) | square_bit(square_of("d6")) |
                                      square_bit(square_of("d7")),
                              .safe = true,
                              .limits = {.memory = UINT64_C(1) << 30, .pieces = 2}};
    treb_error error;
    Blocked *b = blocked_solve(&request, &error);
    if (b != NULL) return b;
    fprintf(stderr, "reproduce: %s\n", error.text);
    exit(1);
}

/* Whether one cell of the tables is equal to the cell in the book. */
static bool same_cell(const Blocked *b, int side, int white, int black, const char *cell)
{
    char found[16];
    const BlockedDistances *distances = &b->by_winner[TREB_WHITE];
    if (!blocked_is_legal(b, side, white, black))
        snprintf(found, sizeof found, "H");
    else if (bit_test(distances->won[side][white], black))
        snprintf(found, sizeof found, "%d", distances->plies[side][white][black]);
    else
        snprintf(found, sizeof found, side == TREB_WHITE ? "*" : "-");
    return strcmp(found, cell) == 0;
}

/* Compares the two tables with those of the book. Returns the number of equal cells; *cells is the
 * number of all cells. */
static int compare_tables(const Blocked *b, int *cells)
{
    FILE *file = fopen("tests/data/corresponding-squares.tsv", "r");
    char line[256];
    int column[16], columns = 0, same = 0;
    *cells = 0;
    if (file == NULL) {
        perror("reproduce: tests/data/corresponding-squares.tsv");
        exit(1);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *word[16];
        int words = 0;
        for (char *w = strtok(line, "\t\n"); w && words < 16; w = strtok(NULL, "\t\n"))
            word[words++] = w;
        for (int i = 2; i < words; i++) {
            if (word[0][0] == '#') {
                column[i] = square_of(word[i]);
                columns = words;
            } else if (i < columns) {
                same += same_cell(b, word[0][0] == 'b', square_of(word[1]), column[i], word[i]);
                ++*cells;
            }
        }
    }
    fclose(file);
    return same;
}

/* Follows the line of the book. White should always play a move with the lowest distance, Black one
 * with the highest. Returns the number of plies up to the first one that does not. */
static int follow_line(TableGoal goal, int *plies)
{
    static const char *const line[] = {"Kf5", "Kb6", "Kf6", "Kb7", "Kf7", "Ka6", "Ke6",
                                       "Ka7", "Ke7", "Ka6", "Kd8", "Kb6", "Kc8", NULL};
    treb_position pos = report_position(start);
    int good = 0;
    Blocked *b = solve(goal);
    for (*plies = 0; line[*plies] != NULL; ++*plies) {
        PawnMove moves[MOVES_MAX];
        b->request.pos = pos;
        int count = blocked_moves(b, moves), i = 0;
        while (i < count && strcmp(moves[i].san, line[*plies]) != 0) i++;
        /* The best moves come first; equally good moves have equal distances. */
        if (i < count && good == *plies && moves[i].value.plies == moves[0].value.plies &&
            moves[i].value.verdict == moves[0].value.verdict)
            good++;
        if (i == count) break;
        position_make(&pos, moves[i].move, &pos);
    }
    blocked_free(b);
    return good;
}

static void report_exact(Report *report)
{
    Blocked *b = solve(GOAL_EXACT);
    PawnMove moves[MOVES_MAX];
    int count = blocked_moves(b, moves), wins = 0;
    for (int i = 0; i < count; i++) wins += moves[i].value.verdict == VERDICT_WHITE;
    PawnValue value = blocked_value(b, TREB_WHITE, square_of("e5"), square_of("a5"));
    report_claim(report, "capturing the pawn (the goal, distance 0) is assumed to win",
                 value.verdict == VERDICT_WHITE ? AGREES : DIFFERS,
                 "%s. With all positions after the capture solved, %s is %s winning move of %d",
                 value.verdict == VERDICT_WHITE ? "White wins" : "White does not win", moves[0].san,
                 wins == 1 ? "the only" : "a", count);
    blocked_free(b);
}

void report_blocked(Report *report)
{
    report_section(
        "1. Kings and blocked pawns",
        "White pawns a3, c4; black pawns a4, c5, c6. Distance 0: the white king on c7, d6 or d7 "
        "attacks an undefended pawn,\nand the black king attacks no pawn "
        "(`trebuchet blocked --from c7,d6,d7 --safe`).");
    Blocked *b = solve(GOAL_TAKE);
    int cells, plies, same = compare_tables(b, &cells);
    report_claim(report, "the two tables of distances, 280 cells",
                 same == 280 && cells == 280 ? AGREES : DIFFERS, "%d of %d cells are equal", same,
                 cells);
    PawnValue value = blocked_value(b, TREB_WHITE, square_of("e5"), square_of("a5"));
    report_claim(report, "`8/8/2p5/k1p1K3/p1P5/P7/8/8 w`: distance 16, the pawn falls on ply 17",
                 value.plies == 16 ? AGREES : DIFFERS, "distance %d, the pawn falls on ply %d",
                 value.plies, value.plies + 1);
    blocked_free(b);
    same = follow_line(GOAL_TAKE, &plies);
    report_claim(
        report, "the line 1.Kf5 Kb6 2.Kf6 Kb7 3.Kf7 Ka6 4.Ke6 Ka7 5.Ke7 Ka6 6.Kd8 Kb6 7.Kc8",
        same == plies ? AGREES : DIFFERS, "%d of its %d moves are best by distance", same, plies);
    report_exact(report);
}
