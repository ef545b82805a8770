/* audit.c - see audit.h: the families in turn, then the answer itself. */
#include "pawns/audit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/audit_family.h"

/* ---- The ranks that are shown ---------------------------------------------------------------- */

/* Of one placement and winner: the rank shown, and those found anew at SURE and MAYBE. */
static void check_rank(AuditRun *run, const treb_position *pos, int winner, const int rank[2])
{
    const Blocked *b = run->b;
    const BlockedRanks *by = &b->by[winner];
    int white = position_king(pos, TREB_WHITE), black = position_king(pos, TREB_BLACK);
    bool won = bit_test(by->won[pos->turn][white], black);
    bool open = bit_test(by->open[pos->turn][white], black);
    int shown = by->rank[pos->turn][white][black];
    const char *who = winner ? "Black" : "White";
    if (won != (shown != RANK_NONE) || (won && open) || (open && !b->upper_bounds))
        audit_fault(run, pos, "%s: won %d, open %d and rank %d do not agree", who, won, open,
                    shown);
    if (won && rank[SURE] == RANK_NONE)
        audit_fault(run, pos, "%s is shown to win; the rules do not give it", who);
    if (!won && !open && rank[MAYBE] != RANK_NONE)
        audit_fault(run, pos, "%s is shown not to win; the rules do not exclude it", who);
    if (!won || rank[SURE] == RANK_NONE) return;
    if (shown < rank[SURE])
        audit_fault(run, pos, "rank %d; the rules give %d", shown, rank[SURE]);
    else if (!b->upper_bounds && (shown != rank[SURE] || shown != rank[MAYBE]))
        audit_fault(run, pos, "rank %d is said to be exact; the rules give %d to %d", shown,
                    rank[MAYBE], rank[SURE]);
    run->report->loose += shown > rank[SURE];
}

static void check_ranks(AuditRun *run, const AuditRanks *ranks)
{
    for (Cell cell = 0; cell < 4096; cell++)
        for (int side = 0; side < 2; side++) {
            treb_position pos;
            bool legal = audit_place(run->b->family, cell, side, &pos);
            if (blocked_is_legal(run->b, side, (int)(cell / 64), (int)(cell % 64)) != legal)
                audit_fault(run, &pos, "%s position by the ranks", legal ? "no" : "a");
            for (int winner = 0; winner < 2 && legal; winner++) {
                int rank[2] = {ranks->rank[SURE][winner][side][cell],
                               ranks->rank[MAYBE][winner][side][cell]};
                check_rank(run, &pos, winner, rank);
            }
        }
}

/* ---- Moves ----------------------------------------------------------------------------------- */

/* Whether a verdict goes no further than what is claimed of the position. */
static bool verdict_fits(const BlockedValue *value, const AuditClaim *claim)
{
    switch (value->verdict) {
    case BLOCKED_WHITE:
        return claim->won[SURE][TREB_WHITE];
    case BLOCKED_BLACK:
        return claim->won[SURE][TREB_BLACK];
    case BLOCKED_DRAW:
        return !claim->won[MAYBE][TREB_WHITE] && !claim->won[MAYBE][TREB_BLACK];
    default:
        return (value->can[TREB_WHITE] || !claim->won[MAYBE][TREB_WHITE]) &&
               (value->can[TREB_BLACK] || !claim->won[MAYBE][TREB_BLACK]);
    }
}

static bool is_win(BlockedVerdict verdict)
{
    return verdict == BLOCKED_WHITE || verdict == BLOCKED_BLACK;
}

/* From 0, lost for `side`, to 3. */
static int worth(const BlockedValue *value, int side)
{
    if (value->verdict == BLOCKED_OPEN) return 1;
    if (value->verdict == BLOCKED_DRAW) return 2;
    return (value->verdict == BLOCKED_WHITE) == (side == TREB_WHITE) ? 3 : 0;
}

static void check_move(AuditRun *run, const treb_position *pos, const BlockedMove *m)
{
    treb_position child;
    position_make(pos, m->move, &child);
    AuditClaim claim = audit_claim(&run->map, &child);
    int plies = -1;
    if (!verdict_fits(&m->value, &claim))
        audit_fault(run, pos, "%s is given verdict %d; that is not proven", m->uci,
                    (int)m->value.verdict);
    if (is_win(m->value.verdict)) {
        int winner = m->value.verdict == BLOCKED_WHITE ? TREB_WHITE : TREB_BLACK;
        int king[2] = {position_king(&child, 0), position_king(&child, 1)};
        plies = m->leaves ? 1 : 1 + run->b->by[winner].rank[child.turn][king[0]][king[1]];
    }
    if (m->leaves != move_is_capture(pos, m->move) || m->value.plies != plies)
        audit_fault(run, pos, "%s is given %d plies, not %d", m->uci, m->value.plies, plies);
}

/* The moves shown must be all there are, the best first. */
static void check_listed(AuditRun *run, const treb_position *pos, const BlockedMove *move,
                         int count)
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

/* And the position worth what they are. */
static void check_moves(AuditRun *run, const BlockedMove *move, int count)
{
    const treb_position *pos = &run->b->request.pos;
    BlockedValue value = blocked_value(run->b, pos->turn, position_king(pos, TREB_WHITE),
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

/* Each move must be legal and keep the win; where ranks are exact it brings it nearer by a ply. */
static void check_line(AuditRun *run, const BlockedMove *move, int count, BlockedEnd end,
                       const treb_position *last)
{
    treb_position pos = run->b->request.pos;
    bool inside = true;
    BlockedValue now = blocked_value(run->b, pos.turn, position_king(&pos, TREB_WHITE),
                                     position_king(&pos, TREB_BLACK));
    for (int i = 0; i < count; i++) {
        if (!is_legal(&pos, move[i].move)) {
            audit_fault(run, &pos, "%s in the line is no legal move", move[i].uci);
            return;
        }
        inside = inside && !move_is_capture(&pos, move[i].move);
        position_make(&pos, move[i].move, &pos);
        AuditClaim claim = audit_claim(&run->map, &pos);
        if (!verdict_fits(&(BlockedValue){.verdict = now.verdict}, &claim))
            audit_fault(run, &pos, "the line gives up the verdict %d", (int)now.verdict);
        if (!inside) continue;
        BlockedValue next = blocked_value(run->b, pos.turn, position_king(&pos, TREB_WHITE),
                                          position_king(&pos, TREB_BLACK));
        if (next.plies != now.plies - 1)
            audit_fault(run, &pos, "rank %d in the line after rank %d", next.plies, now.plies);
        now = next;
    }
    if (!position_equal(&pos, last)) audit_fault(run, last, "this is not where the line ends");
    if (end == BLOCKED_END_MATE && (movegen_any(&pos) || !position_in_check(&pos)))
        audit_fault(run, &pos, "the line is said to end in mate");
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool audit_one(AuditRun *run, const Family *f)
{
    AuditRanks ranks;
    if (!audit_ordered(f)) {
        treb_position pos = {0};
        audit_fault(run, &pos, "a structure's pieces are out of order");
        return true;
    }
    if (f->oracle != NULL) return audit_answers(run, f);
    if (!f->solved) return true; /* and so nothing is claimed of it */
    if (run->b == NULL || f != run->b->family) return audit_family(run, f, NULL);
    size_t cells = 4096, bytes = 8 * cells * sizeof(uint16_t);
    uint16_t *memory = malloc(bytes);
    bool good = memory != NULL;
    if (good) memset(memory, 0xff, bytes);
    for (int i = 0; i < 8 && good; i++)
        ranks.rank[i / 4][i / 2 % 2][i % 2] = memory + (size_t)i * cells;
    good = good && audit_family(run, f, &ranks);
    if (good && !run->report->stopped) check_ranks(run, &ranks);
    free(memory);
    return good;
}

static bool audit_all(AuditRun *run)
{
    const Lattice *lattice = run->lattice;
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < lattice->count[p]; i++)
            run->all += audit_family_positions(lattice->by_potential[p][i]);
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < lattice->count[p] && !run->report->stopped; i++)
            if (!audit_one(run, lattice->by_potential[p][i])) return false;
    return !run->map.failed;
}

bool blocked_audit(Blocked *b, const AuditOptions *options, AuditReport *report)
{
    enum { LINE = 400 };
    assert(b->lattice != NULL && b->family != NULL);
    *report = (AuditReport){0};
    AuditRun run = {.lattice = b->lattice, .b = b, .options = options, .report = report};
    BlockedMove *move = malloc((MOVES_MAX + LINE) * sizeof *move);
    BlockedEnd end;
    treb_position last;
    int moves = move != NULL ? blocked_moves(b, move) : -1;
    int plies = moves >= 0 ? blocked_line(b, move + MOVES_MAX, LINE, &end, &last) : -1;
    bool good = plies >= 0 && audit_map_init(&run.map, b->lattice);
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

/* ---- Of any position ------------------------------------------------------------------------- */

static bool same_verdict(const BlockedValue *a, const BlockedValue *b)
{
    return a->verdict == b->verdict &&
           (a->verdict != BLOCKED_OPEN || (a->can[0] == b->can[0] && a->can[1] == b->can[1]));
}

/* The verdict is that of the moves, if they say more than what is claimed of the position, or follows from that. */
static void check_verdict(AuditRun *run, const Solve *s)
{
    AuditClaim claim = audit_claim(&run->map, &s->pos);
    BlockedValue best = {.verdict = BLOCKED_OPEN, .can = {true, true}};
    for (int i = 0; i < s->moves; i++) {
        if (i == 0)
            best = s->move[0].value;
        else
            settle_take_better(&best, &s->move[i].value, s->pos.turn);
    }
    if (!verdict_fits(&s->value, &claim) && !(s->moves > 0 && same_verdict(&s->value, &best)))
        audit_fault(run, &s->pos, "the verdict %d is not proven", (int)s->value.verdict);
}

static void check_solve_line(AuditRun *run, const Solve *s, const BlockedMove *move, int count,
                             BlockedEnd end, const treb_position *last)
{
    treb_position pos = s->pos;
    for (int i = 0; i < count; i++) {
        if (!is_legal(&pos, move[i].move)) {
            audit_fault(run, &pos, "%s in the line is no legal move", move[i].uci);
            return;
        }
        position_make(&pos, move[i].move, &pos);
        AuditClaim claim = audit_claim(&run->map, &pos);
        if (!verdict_fits(&(BlockedValue){.verdict = s->value.verdict}, &claim))
            audit_fault(run, &pos, "the line gives up the verdict %d", (int)s->value.verdict);
    }
    if (!position_equal(&pos, last)) audit_fault(run, last, "this is not where the line ends");
    if (end == BLOCKED_END_MATE && (movegen_any(&pos) || !position_in_check(&pos)))
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
    AuditRun run = {.lattice = s->lattice, .options = options, .report = report};
    BlockedMove *line = malloc(LINE * sizeof *line);
    BlockedEnd end;
    treb_position last;
    const bool won = s->value.verdict == BLOCKED_WHITE || s->value.verdict == BLOCKED_BLACK;
    int plies = line == NULL ? -1 : won ? solve_line(s, line, LINE, &end, &last) : 0;
    bool good = plies >= 0 && audit_map_init(&run.map, s->lattice) && audit_all(&run);
    if (good && !report->stopped && s->moves > 0) {
        check_solve(&run, s);
        if (won) check_solve_line(&run, s, line, plies, end, &last);
        good = !run.map.failed;
    }
    audit_map_free(&run.map);
    free(line);
    return good;
}
