/* blocked.c - see blocked.h. With a goal, one retrograde analysis of the kings solves the request;
 * GOAL_EXACT needs the proof graph. */
#include "pawns/blocked/blocked.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "pawns/solve/search.h"

/* ---- A goal ---------------------------------------------------------------------------------- */

/* Ors into `out`, a set of cells, a set that has a word for each square of the attacker and a bit
 * for each square of the defender: if White attacks both are the same, else words and bits are
 * exchanged. */
static void orient_set(int attacker, const uint64_t set[64], uint64_t out[64])
{
    for (int a = 0; a < 64; a++)
        for (uint64_t left = set[a]; left != 0;) {
            int d = bit_pop(&left);
            out[attacker == TREB_WHITE ? a : d] |= square_bit(attacker == TREB_WHITE ? d : a);
        }
}

/* The pawns of the defender that its other pawns do not defend. */
static uint64_t hanging(const Blocked *b, int attacker)
{
    uint64_t pawns = b->key.pawns[!attacker];
    return pawns & ~pawns_attack(!attacker, pawns);
}

/* The cells in which the attacker has reached the goal; with `moves` the attacker is to move, else
 * the defender. */
static void find_goal(const Blocked *b, int attacker, bool moves, uint64_t out[64])
{
    const BlockedRequest *r = &b->request;
    uint64_t set[64] = {0}, own = b->key.pawns[attacker];
    for (int a = 0; a < 64; a++) {
        if (r->goal == GOAL_REACH) {
            if (bit_test(r->target, a)) set[a] = UINT64_MAX;
            continue;
        }
        if (!moves || (r->from != 0 && !bit_test(r->from, a))) continue;
        uint64_t prey = king_attacks(a) & hanging(b, attacker);
        for (int d = 0; d < 64; d++)
            if ((prey & ~king_attacks(d)) != 0 && !(r->safe && (king_attacks(d) & own) != 0))
                set[a] |= square_bit(d);
    }
    orient_set(attacker, set, out);
}

/* The cells in which the defender can lose: it has a quiet move and cannot capture a pawn. */
static void find_losable(const Blocked *b, int attacker, uint64_t out[64])
{
    uint64_t set[64] = {0}, quiet[64] = {0};
    for (int a = 0; a < 64; a++) {
        uint64_t prey = hanging(b, !attacker) & ~king_attacks(a);
        for (int d = 0; d < 64; d++)
            if ((king_attacks(d) & prey) == 0) set[a] |= square_bit(d);
    }
    orient_set(attacker, set, out);
    cells_quiet_moves(&b->key, !attacker, b->legal[attacker], NULL, quiet, NULL);
    for (int i = 0; i < 64; i++) out[i] &= quiet[i];
}

static bool solve_goal(Blocked *b)
{
    for (int attacker = 0; attacker < 2; attacker++) {
        uint64_t won[64] = {0}, lost[64] = {0}, losable[64] = {0};
        BlockedDistances *to = &b->by_winner[attacker];
        find_goal(b, attacker, true, won);
        find_goal(b, attacker, false, lost);
        find_losable(b, attacker, losable);
        for (int i = 0; i < 64; i++) losable[i] |= lost[i];
        Retrograde problem = {.key = &b->key,
                              .winner = attacker,
                              .legal = {b->legal[0], b->legal[1]},
                              .won_at_0 = won,
                              .lost_at_0 = lost,
                              .losable = losable,
                              .won = to->won[attacker],
                              .lost = to->won[!attacker],
                              .plies = {&to->plies[0][0][0], &to->plies[1][0][0]}};
        if (!retrograde_solve(&problem)) return false;
    }
    return true;
}

/* ---- The result of the game ------------------------------------------------------------------ */

bool blocked_take_values(Blocked *b)
{
    enum { CELLS = 64 * 64 };
    Structure *f = b->structure;
    StructurePlies found;
    /* The old values are kept if this fails. */
    uint16_t *plies = malloc(4 * CELLS * sizeof *plies);
    if (plies == NULL) return false;
    memset(plies, 0xff, 4 * CELLS * sizeof *plies);
    for (int i = 0; i < 4; i++) found.plies[i / 2][i % 2] = plies + i * CELLS;
    bool good = structure_solve(f, &found) && proof_graph_sound(b->graph);
    for (int winner = 0; winner < 2 && good; winner++)
        memcpy(b->by_winner[winner].plies, found.plies[winner][0],
               sizeof b->by_winner[winner].plies);
    free(plies);
    if (!good) return false;
    for (int winner = 0; winner < 2; winner++)
        structure_placements(f, winner, b->by_winner[winner].won, b->by_winner[winner].open);
    b->upper_bounds = !found.exact;
    return true;
}

static bool solve_exact(Blocked *b)
{
    const BlockedRequest *r = &b->request;
    uint64_t set[2][64] = {{0}};
    uint64_t *wanted[2] = {set[0], set[1]};
    /* An oracle knows values but not the distances of blocked positions, so it is not asked for the
     * position itself. */
    ProofGraphLimits limits = r->limits;
    limits.all = r->all;
    b->graph = proof_graph_new(&limits);
    if (b->graph == NULL ||
        (b->structure = proof_graph_add(b->graph, &b->key, false, BOTH_WINNERS)) == NULL)
        return false;
    set[r->pos.turn][position_king(&r->pos, TREB_WHITE)] =
        square_bit(position_king(&r->pos, TREB_BLACK));
    if (!search_decide(b->graph, b->structure, wanted)) return false;
    for (int i = 0; i < 128; i++)
        set[i / 64][i % 64] = bit_test(r->region[TREB_WHITE], i % 64) ? r->region[TREB_BLACK] : 0;
    if (r->all && !search_decide(b->graph, b->structure, wanted)) return false;
    return blocked_take_values(b);
}

Blocked *blocked_new(const BlockedRequest *request)
{
    Blocked *b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->request = *request;
    b->request.pos.ep = 0; /* no pawn can capture en passant: blocked_check() */
    cells_from_position(&request->pos, &b->key, NULL);
    uint64_t *legal[2] = {b->legal[0], b->legal[1]};
    cells_legal(&b->key, legal, NULL);
    for (int winner = 0; winner < 2; winner++)
        memset(b->by_winner[winner].plies, 0xff, sizeof b->by_winner[winner].plies);
    return b;
}

Blocked *blocked_solve(const BlockedRequest *request, treb_error *error)
{
    char why[BLOCKED_WHY_SIZE];
    treb_status status = blocked_check(&request->pos, why);
    if (status != TREB_OK) {
        fail(error, status, "%s", why);
        return NULL;
    }
    Blocked *b = blocked_new(request);
    if (b == NULL) {
        fail_memory(error);
        return NULL;
    }
    if (request->goal == GOAL_EXACT ? solve_exact(b) : solve_goal(b)) return b;
    if (b->graph != NULL && b->graph->stopped)
        fail(error, TREB_ERR_ARGUMENT, "stopped");
    else if (b->graph != NULL && b->graph->full && b->structure == NULL)
        fail(error, TREB_ERR_ARGUMENT, "the memory allowed is too little to begin");
    else
        fail(error, TREB_ERR_MEMORY, "out of memory, or a table could not be read");
    blocked_free(b);
    return NULL;
}

void blocked_free(Blocked *blocked)
{
    if (blocked == NULL) return;
    proof_graph_free(blocked->graph);
    free(blocked->file);
    free(blocked);
}

/* ---- Values ---------------------------------------------------------------------------------- */

bool blocked_is_legal(const Blocked *b, int side, int white_king, int black_king)
{
    return bit_test(b->legal[side][white_king], black_king);
}

bool blocked_is_decided(const Blocked *b, bool all)
{
    const BlockedRequest *r = &b->request;
    int white = position_king(&r->pos, TREB_WHITE), black = position_king(&r->pos, TREB_BLACK);
    if (blocked_value(b, r->pos.turn, white, black).verdict == VERDICT_OPEN) return false;
    for (int i = 0; i < 256 && all && r->goal == GOAL_EXACT; i++) {
        int row = i % 64;
        uint64_t asked = bit_test(r->region[TREB_WHITE], row) ? r->region[TREB_BLACK] : 0;
        if (b->by_winner[i / 128].open[i / 64 % 2][row] & asked) return false;
    }
    return true;
}

PawnValue blocked_value(const Blocked *b, int side, int white_king, int black_king)
{
    PawnValue value = {.verdict = VERDICT_DRAW, .plies = -1};
    for (int winner = 0; winner < 2; winner++) {
        const BlockedDistances *from = &b->by_winner[winner];
        int plies = from->plies[side][white_king][black_king];
        value.can[winner] = bit_test(from->open[side][white_king], black_king);
        if (!bit_test(from->won[side][white_king], black_king)) continue;
        if (value.plies >= 0 && value.plies <= plies) continue;
        value.verdict = winner == TREB_WHITE ? VERDICT_WHITE : VERDICT_BLACK;
        value.plies = plies == DISTANCE_NONE ? -1 : plies;
    }
    if (value.verdict == VERDICT_DRAW && (value.can[0] || value.can[1]))
        value.verdict = VERDICT_OPEN;
    return value;
}

void blocked_placements(const Blocked *b, Placements *out)
{
    out->pos = b->request.pos;
    memcpy(out->legal, b->legal, sizeof out->legal);
    for (int winner = 0; winner < 2; winner++) {
        memcpy(out->won[winner], b->by_winner[winner].won, sizeof out->won[winner]);
        memcpy(out->open[winner], b->by_winner[winner].open, sizeof out->open[winner]);
    }
}

int blocked_attacker(const Blocked *b)
{
    Placements placements;
    const treb_position *pos = &b->request.pos;
    PawnValue value =
        blocked_value(b, pos->turn, position_king(pos, TREB_WHITE), position_king(pos, TREB_BLACK));
    blocked_placements(b, &placements);
    return squares_attacker(&placements, verdict_winner(value.verdict));
}
