/* sections_rooks.c - the claims about rook and pawn against rook. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "examples/book-1983/scan.h"
#include "examples/book-1983/sections.h"

/* ---- The longest wins ------------------------------------------------------------------------ */

enum { LONGEST = 120, KEPT = 64 };

typedef struct Longest {
    const Report *report;
    treb_position found[KEPT];
    int count;
} Longest;

static void visit_longest(void *context, const treb_tables *tables, const treb_position *pos,
                          unsigned weight)
{
    Longest *longest = context;
    treb_distance d;
    (void)weight;
    if (treb_probe_dtc(tables, pos, &d, NULL) != TREB_OK || d.wdl >= TREB_DRAW || d.plies < LONGEST)
        return;
    if (longest->count < KEPT) longest->found[longest->count] = *pos;
    longest->count++;
}

static bool same_men(const treb_position *a, const treb_position *b)
{
    return memcmp(a->by_color, b->by_color, sizeof a->by_color) == 0 &&
           memcmp(a->by_type, b->by_type, sizeof a->by_type) == 0;
}

static void report_longest(Report *report)
{
    static const char *const book[4] = {"8/8/8/8/2R1k3/2K5/1P6/3r4 b",
                                        "8/8/8/8/2R2k2/2K5/1P6/3r4 b", "8/8/3R3k/8/8/8/rP6/3K4 b",
                                        "8/6k1/3R4/8/8/r7/1P6/3K4 b"};
    treb_table_info info = report_info(report, "KRPvKR", TREB_DTC);
    unsigned longest = info.longest[TREB_BLACK][TREB_LOSS];
    if (info.longest[TREB_BLACK][TREB_BLESSED_LOSS] > longest)
        longest = info.longest[TREB_BLACK][TREB_BLESSED_LOSS];
    report_claim(report, "the longest win takes 60 moves", longest == LONGEST ? AGREES : DIFFERS,
                 "%u plies, %u moves, with Black to move", longest, (longest + 1) / 2);
    Longest part[SCAN_THREADS] = {{.report = report}, {.report = report}};
    void *context[SCAN_THREADS] = {&part[0], &part[1]};
    scan_ending(report->tables, "KRPvKR", TREB_BLACK, visit_longest, context);
    int count = part[0].count + part[1].count, known = 0;
    for (int i = 0; i < 4; i++) {
        treb_position pos = report_position(book[i]);
        for (int t = 0; t < SCAN_THREADS; t++)
            for (int j = 0; j < part[t].count && j < KEPT; j++) {
                treb_position mirror;
                position_flip_files(&part[t].found[j], &mirror);
                known += same_men(&pos, &part[t].found[j]) || same_men(&pos, &mirror);
            }
    }
    report_claim(report,
                 "in exactly four positions, pawn on files a to d: Kc3 Rc4 Pb2 against Ke4 or Kf4 "
                 "with Rd1; Kd1 Rd6 Pb2 against Kh6 Ra2, and against Kg7 Ra3",
                 count == 4 && known == 4 ? AGREES : DIFFERS,
                 "%d positions are lost in %d plies; %d of them are in the book", count, LONGEST,
                 known);
    /* The book prints the third position with the rook on a8. */
    treb_position misprint = report_position("r7/8/3R3k/8/8/8/1P6/3K4 b");
    treb_distance d = report_distance(report, &misprint, TREB_DTC);
    report_claim(report, "the third position as printed, with a rook on a8", NOTED,
                 "`r7/8/3R3k/8/8/8/1P6/3K4 b` is %s, so a2 is meant",
                 d.wdl == TREB_DRAW ? "a draw" : "won sooner");
}

/* ---- The classes ----------------------------------------------------------------------------- */

static void report_classes(Report *report)
{
    static const char *const classes[] = {"KRPvKR", "KQRvKR", "KRRvKR", "KQRvK", "KRRvK",
                                          "KRBvK",  "KRPvK",  "KRvKR",  "KPvKR", "KQvKR",
                                          "KQvK",   "KRvK",   "KBvK",   "KPvK"};
    int solved = 0;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        treb_table_info info;
        solved += treb_tables_find(report->tables, classes[i], TREB_DTC, &info, NULL) == TREB_OK;
    }
    report_claim(report, "15 classes: KRPvKR and every ending that it can lead to, down to KvK",
                 solved == 14 ? AGREES : DIFFERS,
                 "%d of the 14 with a man besides the kings are solved, with all promotions and "
                 "without assumed values",
                 solved);
}

static void report_assumed(Report *report, const char *material)
{
    char claim[128];
    treb_table_info info = report_info(report, material, TREB_WDL);
    const uint64_t *count = info.count[TREB_WHITE];
    uint64_t all = 0;
    for (int v = 0; v < 5; v++) all += count[v];
    uint64_t rest = all - count[TREB_WIN] - count[TREB_CURSED_WIN];
    snprintf(claim, sizeof claim, "%s with White to move is taken as won", material);
    report_claim(report, claim, rest == 0 ? AGREES : NOTED,
                 "%llu of %llu positions are not won (%.2f %%); Trebuchet assumes nothing",
                 (unsigned long long)rest, (unsigned long long)all,
                 100.0 * (double)rest / (double)all);
}

/* ---- Under-promotion ------------------------------------------------------------------------- */

typedef struct Promotions {
    uint64_t rook, bishop, knight; /* wins that need a promotion, by the strongest man that wins */
    treb_position example[3];
    bool seen[3];
} Promotions;

/* Counts a position with a pawn on the seventh rank if White wins by an under-promotion only. */
static void visit_promotion(void *context, const treb_tables *tables, const treb_position *pos,
                            unsigned weight)
{
    Promotions *p = context;
    uint64_t pawn = pos->by_type[TREB_PAWN];
    treb_wdl wdl;
    if (square_rank(bit_first(pawn)) != 6 || (pawn << 8 & position_occupied(pos)) != 0) return;
    if (treb_probe_wdl(tables, pos, &wdl, NULL) != TREB_OK || wdl <= TREB_DRAW) return;
    unsigned wins = 0;
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count && (wins & 1) == 0; i++) {
        treb_position child;
        position_make(pos, moves[i], &child);
        if (treb_probe_wdl(tables, &child, &wdl, NULL) != TREB_OK || wdl >= TREB_DRAW) continue;
        int promo = move_promo(moves[i]);
        wins |= promo == 0 || promo == TREB_QUEEN ? 1u : 1u << promo;
    }
    if ((wins & 1) != 0 || wins == 0) return;
    int kind = wins >> TREB_ROOK & 1 ? 0 : wins >> TREB_BISHOP & 1 ? 1 : 2;
    *(kind == 0 ? &p->rook : kind == 1 ? &p->bishop : &p->knight) += weight;
    if (!p->seen[kind]) p->example[kind] = *pos;
    p->seen[kind] = true;
}

static void report_promotions(Report *report)
{
    static const char *const names[3] = {"rook", "bishop", "knight"};
    Promotions part[SCAN_THREADS] = {{0}, {0}};
    void *context[SCAN_THREADS] = {&part[0], &part[1]};
    scan_ending(report->tables, "KRPvKR", TREB_WHITE, visit_promotion, context);
    uint64_t sum[3] = {part[0].rook + part[1].rook, part[0].bishop + part[1].bishop,
                       part[0].knight + part[1].knight};
    for (int kind = 2; kind >= 0; kind--) {
        char claim[96], fen[TREB_FEN_SIZE], example[TREB_FEN_SIZE + 16] = "";
        const Promotions *from = part[0].seen[kind] ? &part[0] : &part[1];
        if (from->seen[kind]) {
            treb_position_to_fen(&from->example[kind], fen);
            snprintf(example, sizeof example, ", such as `%s`", fen);
        }
        snprintf(claim, sizeof claim, "promotion to a %s is %s", names[kind],
                 kind == 2   ? "never needed"
                 : kind == 1 ? "hardly ever needed"
                             : "counted");
        report_claim(report, claim, kind == 2 ? sum[kind] == 0 ? AGREES : DIFFERS : NOTED,
                     "in %llu positions of KRPvKR, White to move, it is the only way to win%s",
                     (unsigned long long)sum[kind], example);
    }
}

/* ---- Along the line -------------------------------------------------------------------------- */

static void report_distances(Report *report)
{
    Moves m;
    report_moves(report, "8/8/8/8/2R1k3/2K5/1P6/3r4 b", TREB_DTC, &m);
    int e5 = moves_find(&m, "Ke5")->value.plies[TREB_DTC];
    int d5 = moves_find(&m, "Kd5")->value.plies[TREB_DTC];
    report_claim(report, "`8/8/8/8/2R1k3/2K5/1P6/3r4 b`: Ke5 holds 60 moves, Kd5 only 28",
                 e5 == 120 && d5 == 56 ? AGREES : DIFFERS,
                 "Ke5 %d plies and Kd5 %d, the move included: DTC %d and %d after them", e5, d5,
                 e5 - 1, d5 - 1);
    report_moves(report, "5r2/8/1K6/4k3/8/8/1P1R4/8 w", TREB_DTC, &m);
    int c7 = moves_find(&m, "Kc7")->value.plies[TREB_DTC] - 1;
    int b7 = moves_find(&m, "Kb7")->value.plies[TREB_DTC] - 1;
    int a7 = moves_find(&m, "Ka7")->value.plies[TREB_DTC] - 1;
    int wins = moves_winning(&m);
    report_claim(report,
                 "`5r2/8/1K6/4k3/8/8/1P1R4/8 w`: Kc7 and Kb7 equally fast, Ka7 two moves slower, "
                 "every other move draws",
                 c7 == 106 && b7 == 106 && a7 == 110 && wins == 3 ? AGREES : DIFFERS,
                 "DTC after them %d, %d and %d; %d moves win", c7, b7, a7, wins);
    report_moves(report, "2r5/8/8/1K2k3/8/8/1P1R4/8 w", TREB_DTC, &m);
    int h2 = moves_find(&m, "Rh2")->value.plies[TREB_DTC] - 1;
    int e2 = moves_find(&m, "Re2+")->value.plies[TREB_DTC] - 1;
    report_claim(report, "`2r5/8/8/1K2k3/8/8/1P1R4/8 w`: Rh2 best, Re2+ two moves slower",
                 h2 == 100 && e2 == 104 && m.move[0].value.plies[TREB_DTC] == h2 + 1 ? AGREES
                                                                                     : DIFFERS,
                 "DTC after them %d and %d; best is %s", h2, e2, m.move[0].san);
}

/* Whether the answer draws after the move. */
static bool answer_draws(const Report *report, const char *fen, const char *move,
                         const char *answer)
{
    treb_position pos = report_position(fen);
    treb_wdl wdl;
    return treb_position_play(&pos, move, &pos, NULL) == TREB_OK &&
           treb_position_play(&pos, answer, &pos, NULL) == TREB_OK &&
           treb_probe_wdl(report->tables, &pos, &wdl, NULL) == TREB_OK && wdl == TREB_DRAW;
}

static void report_results(Report *report)
{
    static const char sixth[] = "1r6/8/2K1k3/8/8/8/1P5R/8 w";
    static const char early[] = "3r4/5k2/8/8/8/4R3/1P6/1K6 w";
    static const char last[] = "2K5/1P6/2k5/8/8/4r3/R7/8 w";
    Moves m;
    report_moves(report, sixth, TREB_DTC, &m);
    bool fifth = answer_draws(report, sixth, "Re2+", "Kf5"),
         second = answer_draws(report, sixth, "Rg2", "Kf5");
    char list[256];
    moves_list_winning(&m, list, sizeof list);
    report_claim(
        report, "`1r6/8/2K1k3/8/8/8/1P5R/8 w`: only Rh6+ wins; Re2+ and Rg2 are met by Kf5",
        moves_winning(&m) == 1 && strcmp(m.move[0].san, "Rh6+") == 0 && fifth && second ? AGREES
                                                                                        : DIFFERS,
        "winning, with DTC: %s. Kf5 %s after Re2+ and %s after Rg2", list,
        fifth ? "draws" : "does not draw", second ? "draws" : "does not draw");
    bool draws = answer_draws(report, early, "b3", "Rd2");
    report_claim(report, "`3r4/5k2/8/8/8/4R3/1P6/1K6 w`: b3 is too early, Rd2 draws",
                 draws ? AGREES : DIFFERS, "after b3 Rd2 the position is %s",
                 draws ? "a draw" : "no draw");
    report_moves(report, last, TREB_DTC, &m);
    const treb_move *check = moves_find(&m, "Rc2+"), *queen = moves_find(&m, "b8=Q");
    treb_position pos = report_position(last), mated;
    Moves after;
    treb_position_play(&pos, "b8=Q", &mated, NULL);
    char fen[TREB_FEN_SIZE];
    treb_position_to_fen(&mated, fen);
    report_moves(report, fen, TREB_DTM, &after);
    bool mate = strcmp(after.move[0].san, "Re8#") == 0;
    report_claim(report, "`2K5/1P6/2k5/8/8/4r3/R7/8 w`: Rc2+ wins, b8=Q is mated by Re8",
                 check->value.wdl > TREB_DRAW && mate ? AGREES : DIFFERS, "Rc2+ %s, b8=Q %s to %s",
                 move_result(check), move_result(queen), after.move[0].san);
}

void report_rooks(Report *report)
{
    report_section(
        "2. Rook and pawn against rook",
        "Counts are of positions on the full board. Two mirror images, left and right, count as "
        "one.");
    report_classes(report);
    report_assumed(report, "KQRvKR");
    report_assumed(report, "KRRvKR");
    report_promotions(report);
    report_longest(report);
    report_distances(report);
    report_results(report);
}
