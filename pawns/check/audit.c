/* audit.c - see audit.h: checks all structures, then the answer itself. */
#include "pawns/check/audit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/check/audit_structure.h"

/* ---- Distances ------------------------------------------------------------------------------- */

/* Checks the distance of one placement and winner. `plies` has the distances found again, at SURE
 * and MAYBE. */
static void check_distance(AuditRun *run, const treb_position *pos, int winner, const int plies[2])
{
    const Blocked *b = run->b;
    const BlockedDistances *by = &b->by_winner[winner];
    int white = position_king(pos, TREB_WHITE), black = position_king(pos, TREB_BLACK);
    bool won = bit_test(by->won[pos->turn][white], black);
    bool open = bit_test(by->open[pos->turn][white], black);
    int shown = by->plies[pos->turn][white][black];
    const char *who = winner ? "Black" : "White";
    if (won != (shown != DISTANCE_NONE) || (won && open) || (open && !b->upper_bounds))
        audit_fault(run, pos, "%s: won %d, open %d and distance %d do not agree", who, won, open,
                    shown);
    if (won && plies[SURE] == DISTANCE_NONE)
        audit_fault(run, pos, "%s is shown to win; the rules do not give it", who);
    if (!won && !open && plies[MAYBE] != DISTANCE_NONE)
        audit_fault(run, pos, "%s is shown not to win; the rules do not exclude it", who);
    if (!won || plies[SURE] == DISTANCE_NONE) return;
    if (shown < plies[SURE])
        audit_fault(run, pos, "distance %d; the rules give %d", shown, plies[SURE]);
    else if (!b->upper_bounds && (shown != plies[SURE] || shown != plies[MAYBE]))
        audit_fault(run, pos, "distance %d is said to be exact; the rules give %d to %d", shown,
                    plies[MAYBE], plies[SURE]);
    run->report->improvable += shown > plies[SURE];
}

static void check_distances(AuditRun *run, const AuditPlies *found)
{
    for (Cell cell = 0; cell < 4096; cell++)
        for (int side = 0; side < 2; side++) {
            treb_position pos;
            bool legal = audit_place(run->b->structure, cell, side, &pos);
            if (blocked_is_legal(run->b, side, (int)(cell / 64), (int)(cell % 64)) != legal)
                audit_fault(run, &pos, "%s position in the solution", legal ? "no" : "a");
            for (int winner = 0; winner < 2 && legal; winner++) {
                int plies[2] = {found->plies[SURE][winner][side][cell],
                                found->plies[MAYBE][winner][side][cell]};
                check_distance(run, &pos, winner, plies);
            }
        }
}

/* ---- Moves ----------------------------------------------------------------------------------- */

/* Whether a verdict follows from the claim about the position. */
static bool verdict_fits(const PawnValue *value, const AuditClaim *claim)
{
    switch (value->verdict) {
    case VERDICT_WHITE:
        return claim->won[SURE][TREB_WHITE];
    case VERDICT_BLACK:
        return claim->won[SURE][TREB_BLACK];
    case VERDICT_DRAW:
        return !claim->won[MAYBE][TREB_WHITE] && !claim->won[MAYBE][TREB_BLACK];
    default:
        return (value->can[TREB_WHITE] || !claim->won[MAYBE][TREB_WHITE]) &&
               (value->can[TREB_BLACK] || !claim->won[MAYBE][TREB_BLACK]);
    }
}

static bool is_win(PawnVerdict verdict)
{
    return verdict == VERDICT_WHITE || verdict == VERDICT_BLACK;
}

/* The worth of a value for `side`, from 0 for a loss to 3 for a win. */
static int worth(const PawnValue *value, int side)
{
    if (value->verdict == VERDICT_OPEN) return 1;
    if (value->verdict == VERDICT_DRAW) return 2;
    return (value->verdict == VERDICT_WHITE) == (side == TREB_WHITE) ? 3 : 0;
}

static void check_move(AuditRun *run, const treb_position *pos, const PawnMove *m)
{
    treb_position child;
    position_make(pos, m->move, &child);
    AuditClaim claim = audit_claim(&run->map, &child);
    int plies = -1;
    if (!verdict_fits(&m->value, &claim))
        audit_fault(run, pos, "%s is given verdict %d; that is not proven", m->uci,
                    (int)m->value.verdict);
    if (is_win(m->value.verdict)) {
        int winner = m->value.verdict == VERDICT_WHITE ? TREB_WHITE : TREB_BLACK;
        int king[2] = {position_king(&child, 0), position_king(&child, 1)};
        plies = m->leaves ? 1 : 1 + run->b->by_winner[winner].plies[child.turn][king[0]][king[1]];
    }
    if (m->leaves != move_is_capture(pos, m->move) || m->value.plies != plies)
        audit_fault(run, pos, "%s is given %d plies, not %d", m->uci, m->value.plies, plies);
}

/* Checks that the list has all legal moves, the best first. */
static void check_listed(AuditRun *run, const treb_position *pos, const PawnMove *move, int count)
{
    Move legal[MOVES_MAX];
    int found = 0, all = movegen_legal(pos, legal);
    for (int i = 0; i < all; i++)
        for (int j = 0; j < count; j++) found += move[j].move == legal[i];
    if (found != all || count != all)
        audit_fault(run, pos, "%d moves are shown, %d of the %d legal ones", count, found, all);
    for (int i = 1; i < count; i++)
        if (worth(&move[i].value, pos->turn) > worth(&move[i - 1].value, pos->turn))
            audit_fault(run, pos, "%s is shown after a worse move", move[i].uci);
}

/* Checks the value of the position, and those of its moves. */
static void check_moves(AuditRun *run, const PawnMove *move, int count)
{
    const treb_position *pos = &run->b->request.pos;
    PawnValue value = blocked_value(run->b, pos->turn, position_king(pos, TREB_WHITE),
                                    position_king(pos, TREB_BLACK));
    AuditClaim claim = audit_claim(&run->map, pos);
    if (!verdict_fits(&value, &claim))
        audit_fault(run, pos, "the verdict %d is not proven", (int)value.verdict);
    check_listed(run, pos, move, count);
    for (int i = 0; i < count; i++) check_move(run, pos, &move[i]);
    if (count > 0 && is_win(value.verdict) && move[0].value.plies != value.plies)
        audit_fault(run, pos, "%d plies, but %s takes %d", value.plies, move[0].uci,
                    move[0].value.plies);
}

/* ---- The line -------------------------------------------------------------------------------- */

static bool is_legal(const treb_position *pos, Move move)
{
    Move legal[MOVES_MAX];
    int count = movegen_legal(pos, legal);
    for (int i = 0; i < count; i++)
        if (legal[i] == move) return true;
    return false;
}

/* Checks that each move of the line is legal and keeps the win. Before the first capture each move
 * makes the distance smaller by one ply. */
static void check_line(AuditRun *run, const PawnMove *move, int count, LineEnd end,
                       const treb_position *last)
{
    treb_position pos = run->b->request.pos;
    bool inside = true;
    PawnValue now = blocked_value(run->b, pos.turn, position_king(&pos, TREB_WHITE),
                                  position_king(&pos, TREB_BLACK));
    for (int i = 0; i < count; i++) {
        if (!is_legal(&pos, move[i].move)) {
            audit_fault(run, &pos, "%s in the line is no legal move", move[i].uci);
            return;
        }
        inside = inside && !move_is_capture(&pos, move[i].move);
        position_make(&pos, move[i].move, &pos);
        AuditClaim claim = audit_claim(&run->map, &pos);
        if (!verdict_fits(&(PawnValue){.verdict = now.verdict}, &claim))
            audit_fault(run, &pos, "the line gives up the verdict %d", (int)now.verdict);
        if (!inside) continue;
        PawnValue next = blocked_value(run->b, pos.turn, position_king(&pos, TREB_WHITE),
                                       position_king(&pos, TREB_BLACK));
        if (next.plies != now.plies - 1)
            audit_fault(run, &pos, "distance %d in the line after distance %d", next.plies,
                        now.plies);
        now = next;
    }
    if (!position_equal(&pos, last)) audit_fault(run, last, "this is not where the line ends");
    if (end == LINE_END_MATE && (movegen_any(&pos) || !position_in_check(&pos)))
        audit_fault(run, &pos, "the line is said to end in mate");
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool audit_one(AuditRun *run, const Structure *f)
{
    AuditPlies found;
    if (!audit_ordered(f)) {
        treb_position pos = {0};
        audit_fault(run, &pos, "a structure's pieces are out of order");
        return true;
    }
    if (f->oracle != NULL) return audit_answers(run, f);
    if (!f->solved) return true; /* nothing is claimed about it */
    if (run->b == NULL || f != run->b->structure) return audit_structure(run, f, NULL);
    size_t cells = 4096, bytes = 8 * cells * sizeof(uint16_t);
    uint16_t *memory = malloc(bytes);
    bool good = memory != NULL;
    if (good) memset(memory, 0xff, bytes);
    for (int i = 0; i < 8 && good; i++)
        found.plies[i / 4][i / 2 % 2][i % 2] = memory + (size_t)i * cells;
    good = good && audit_structure(run, f, &found);
    if (good && !run->report->stopped) check_distances(run, &found);
    free(memory);
    return good;
}

static bool audit_all(AuditRun *run)
{
    const ProofGraph *graph = run->graph;
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < graph->count[p]; i++)
            run->all += audit_structure_positions(graph->by_potential[p][i]);
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < graph->count[p] && !run->report->stopped; i++)
            if (!audit_one(run, graph->by_potential[p][i])) return false;
    return !run->map.failed;
}

bool blocked_audit(Blocked *b, const AuditOptions *options, AuditReport *report)
{
    enum { LINE = 400 };
    assert(b->graph != NULL && b->structure != NULL);
    *report = (AuditReport){0};
    AuditRun run = {.graph = b->graph, .b = b, .options = options, .report = report};
    PawnMove *move = malloc((MOVES_MAX + LINE) * sizeof *move);
    LineEnd end;
    treb_position last;
    int moves = move != NULL ? blocked_moves(b, move) : -1;
    int plies = moves >= 0 ? blocked_line(b, move + MOVES_MAX, LINE, &end, &last) : -1;
    bool good = plies >= 0 && audit_map_init(&run.map, b->graph);
    good = good && audit_all(&run);
    if (good && !report->stopped) {
        check_moves(&run, move, moves);
        check_line(&run, move + MOVES_MAX, plies, end, &last);
        good = !run.map.failed;
    }
    audit_map_free(&run.map);
    free(move);
    return good;
}

/* ---- Solutions of any position --------------------------------------------------------------- */

static bool same_verdict(const PawnValue *a, const PawnValue *b)
{
    return a->verdict == b->verdict &&
           (a->verdict != VERDICT_OPEN || (a->can[0] == b->can[0] && a->can[1] == b->can[1]));
}

/* Checks that the verdict follows from the claim about the position or from the verdicts of the
 * moves. */
static void check_verdict(AuditRun *run, const Solve *s)
{
    AuditClaim claim = audit_claim(&run->map, &s->pos);
    PawnValue best = {.verdict = VERDICT_OPEN, .can = {true, true}};
    for (int i = 0; i < s->moves; i++) {
        if (i == 0)
            best = s->move[0].value;
        else
            evaluate_take_better(&best, &s->move[i].value, s->pos.turn);
    }
    if (!verdict_fits(&s->value, &claim) && !(s->moves > 0 && same_verdict(&s->value, &best)))
        audit_fault(run, &s->pos, "the verdict %d is not proven", (int)s->value.verdict);
}

static void check_solve_line(AuditRun *run, const Solve *s, const PawnMove *move, int count,
                             LineEnd end, const treb_position *last)
{
    treb_position pos = s->pos;
    for (int i = 0; i < count; i++) {
        if (!is_legal(&pos, move[i].move)) {
            audit_fault(run, &pos, "%s in the line is no legal move", move[i].uci);
            return;
        }
        position_make(&pos, move[i].move, &pos);
        AuditClaim claim = audit_claim(&run->map, &pos);
        if (!verdict_fits(&(PawnValue){.verdict = s->value.verdict}, &claim))
            audit_fault(run, &pos, "the line gives up the verdict %d", (int)s->value.verdict);
    }
    if (!position_equal(&pos, last)) audit_fault(run, last, "this is not where the line ends");
    if (end == LINE_END_MATE && (movegen_any(&pos) || !position_in_check(&pos)))
        audit_fault(run, &pos, "the line is said to end in mate");
}

static void check_solve(AuditRun *run, const Solve *s)
{
    check_verdict(run, s);
    check_listed(run, &s->pos, s->move, s->moves);
    for (int i = 0; i < s->moves; i++) {
        treb_position child;
        position_make(&s->pos, s->move[i].move, &child);
        AuditClaim claim = audit_claim(&run->map, &child);
        if (!verdict_fits(&s->move[i].value, &claim))
            audit_fault(run, &s->pos, "%s is given verdict %d; that is not proven", s->move[i].uci,
                        (int)s->move[i].value.verdict);
    }
}

bool solve_audit(Solve *s, const AuditOptions *options, AuditReport *report)
{
    enum { LINE = 400 };
    *report = (AuditReport){0};
    AuditRun run = {.graph = s->graph, .options = options, .report = report};
    PawnMove *line = malloc(LINE * sizeof *line);
    LineEnd end;
    treb_position last;
    const bool won = s->value.verdict == VERDICT_WHITE || s->value.verdict == VERDICT_BLACK;
    int plies = line == NULL ? -1 : won ? solve_line(s, line, LINE, &end, &last) : 0;
    bool good = plies >= 0 && audit_map_init(&run.map, s->graph) && audit_all(&run);
    if (good && !report->stopped && s->moves > 0) {
        check_solve(&run, s);
        if (won) check_solve_line(&run, s, line, plies, end, &last);
        good = !run.map.failed;
    }
    audit_map_free(&run.map);
    free(line);
    return good;
}
