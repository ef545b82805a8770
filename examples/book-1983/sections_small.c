/* sections_small.c - the claims about smaller endings, and about engines that use tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "examples/book-1983/scan.h"
#include "examples/book-1983/sections.h"

/* ---- Longest wins and counts ----------------------------------------------------------------- */

/* Returns the length of White's longest win in moves, with either side to move. */
static unsigned longest_moves(const Report *report, const char *material)
{
    treb_table_info info = report_info(report, material, TREB_DTM);
    unsigned white = (info.longest[TREB_WHITE][TREB_WIN] + 1) / 2;
    unsigned black = (info.longest[TREB_BLACK][TREB_LOSS] + 1) / 2;
    return white > black ? white : black;
}

static void report_longest(Report *report)
{
    unsigned moves = longest_moves(report, "KBNvK");
    report_claim(report, "KBNvK never needs more than 34 moves", moves <= 34 ? AGREES : DIFFERS,
                 "%u at most", moves);
    moves = longest_moves(report, "KRvK");
    report_claim(report, "KRvK at most 16 moves", moves <= 16 ? AGREES : DIFFERS, "%u at most",
                 moves);
    treb_table_info info = report_info(report, "KRvKB", TREB_DTC);
    report_claim(report, "KRvKB was solved too", NOTED,
                 "the longest win takes %u plies to mate or the capture",
                 info.longest[TREB_WHITE][TREB_WIN]);
}

static void report_pawn(Report *report)
{
    treb_table_info info = report_info(report, "KPvK", TREB_WDL);
    uint64_t all[2] = {0, 0}, won = info.count[TREB_WHITE][TREB_WIN],
             lost = info.count[TREB_BLACK][TREB_LOSS];
    for (int v = 0; v < 10; v++) all[v / 5] += info.count[v / 5][v % 5];
    report_claim(report, "KPvK, White to move: 163,328 positions, 124,960 won",
                 all[0] == 163328 && won == 124960 ? AGREES : DIFFERS, "%llu and %llu",
                 (unsigned long long)all[0], (unsigned long long)won);
    report_claim(report, "KPvK, Black to move: 168,024 positions, 97,604 lost",
                 all[1] == 168024 && lost == 97604 ? AGREES : DIFFERS, "%llu and %llu",
                 (unsigned long long)all[1], (unsigned long long)lost);
}

/* ---- The lone king --------------------------------------------------------------------------- */

typedef struct Escapes {
    uint64_t positions, stalemates, captures, others;
    treb_position example;
} Escapes;

static void visit_lone_king(void *context, const treb_tables *tables, const treb_position *pos,
                            unsigned weight)
{
    Escapes *e = context;
    treb_wdl wdl;
    Move moves[MOVES_MAX];
    if (treb_probe_wdl(tables, pos, &wdl, NULL) != TREB_OK) exit(1);
    e->positions += weight;
    if (wdl < TREB_DRAW) return;
    uint64_t heavy = pos->by_type[TREB_QUEEN] | pos->by_type[TREB_ROOK];
    int count = movegen_legal(pos, moves);
    bool takes = false;
    for (int i = 0; i < count; i++)
        takes = takes || (!bit_many(heavy) && bit_test(heavy, move_to(moves[i])));
    if (count == 0)
        e->stalemates += weight;
    else if (takes)
        e->captures += weight;
    else if (e->others++ == 0)
        e->example = *pos;
}

static void report_lone_king(Report *report)
{
    static const char *const endings[] = {"KQvK",  "KRvK",  "KQQvK", "KQRvK", "KQBvK", "KQNvK",
                                          "KQPvK", "KRRvK", "KRBvK", "KRNvK", "KRPvK"};
    Escapes part[SCAN_THREADS] = {{0}, {0}};
    void *context[SCAN_THREADS] = {&part[0], &part[1]};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        scan_ending(report->tables, endings[i], TREB_BLACK, visit_lone_king, context);
    uint64_t others = part[0].others + part[1].others;
    char fen[TREB_FEN_SIZE] = "";
    if (others != 0) treb_position_to_fen(&part[part[0].others == 0].example, fen);
    report_claim(
        report,
        "a lone king against at least one queen or rook, to move, escapes only by stalemate "
        "or by capturing the only heavy piece",
        others == 0 ? AGREES : DIFFERS,
        "of %llu positions with 1 or 2 men against it, %llu are stalemate, in %llu the "
        "capture saves it, and in %llu something else does%s%s",
        (unsigned long long)(part[0].positions + part[1].positions),
        (unsigned long long)(part[0].stalemates + part[1].stalemates),
        (unsigned long long)(part[0].captures + part[1].captures), (unsigned long long)others,
        others ? ": " : "", fen);
}

static void report_studies(Report *report)
{
    Moves m;
    report_moves(report, "8/5P1k/8/7K/8/8/8/8 w", TREB_DTM, &m);
    report_claim(report, "`8/5P1k/8/7K/8/8/8/8 w`: only f8=R wins",
                 moves_winning(&m) == 1 && strcmp(m.move[0].san, "f8=R") == 0 ? AGREES : DIFFERS,
                 "%d move wins, %s", moves_winning(&m), m.move[0].san);
    treb_position pos = report_position("7K/8/k1P5/7p/8/8/8/8 w");
    treb_distance d = report_distance(report, &pos, TREB_DTM);
    report_claim(report, "R\xc3\xa9ti, `7K/8/k1P5/7p/8/8/8/8 w`: a draw",
                 d.wdl == TREB_DRAW ? AGREES : DIFFERS, "%s", treb_wdl_text(d.wdl));
}

void report_small(Report *report)
{
    report_section("4. Smaller endings", "Moves are to mate.");
    report_longest(report);
    report_lone_king(report);
    report_pawn(report);
    report_studies(report);
}

/* ---- Use in an engine ------------------------------------------------------------------------ */

/* Plays the best line from the longest win and checks that the distance falls at every move. It
 * ignores the 50-move rule, because a line that obeys it may be longer than DTM and DTC. */
static bool line_falls(const Report *report, const char *material, treb_metric metric, int *plies)
{
    enum { LINE = 512 };
    treb_table_info info = report_info(report, material, metric);
    treb_position pos = report_position(info.longest_fen[TREB_WHITE][TREB_WIN]);
    treb_move *line = malloc(LINE * sizeof *line);
    treb_line_end end;
    size_t count;
    if (line == NULL || treb_best_line(report->tables, &pos, metric, TREB_RULE_NONE, line, LINE,
                                       &count, &end, NULL) != TREB_OK)
        exit(1);
    bool falls = end == TREB_LINE_MATE;
    for (size_t i = 0; i + 1 < count; i++) {
        /* Except DTM, the count begins again after a conversion. */
        if (metric != TREB_DTM && line[i].flags & TREB_MOVE_CONVERSION) continue;
        falls = falls && line[i + 1].value.plies[metric] == line[i].value.plies[metric] - 1;
    }
    *plies = (int)count;
    free(line);
    return falls;
}

void report_engine(Report *report)
{
    report_section(
        "5. Use in an engine",
        "Lines of best play by both sides, from the longest win. The 50-move rule, which may "
        "lengthen a line, is ignored.");
    static const char *const endings[] = {"KRPvKR", "KQPvKQ", "KBNvK"};
    for (size_t i = 0; i < 3; i++)
        for (int metric = TREB_DTC; metric <= TREB_DTM; metric++) {
            char claim[160];
            int plies;
            snprintf(claim, sizeof claim,
                     "from a won position each move lowers the distance: %s by %s", endings[i],
                     metric == TREB_DTM ? "DTM" : "DTC, up to each conversion");
            bool falls = line_falls(report, endings[i], metric, &plies);
            report_claim(report, claim, falls ? AGREES : DIFFERS, "%s in all %d plies to mate",
                         falls ? "it does" : "it does not", plies);
        }
}
