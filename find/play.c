/* play.c - see play.h. */
#include "find/play.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "find/play_proof.h"

const char *play_end_text(PlayEnd end)
{
    static const char *const text[PLAY_ENDS] = {"mate",      "a won ending",    "no advice",
                                                "stalemate", "win thrown away", "circles"};
    return text[end];
}

/* ---- Where plans lead ------------------------------------------------------------------------ */

/* What one thread uses. */
typedef struct Prover {
    Proof *proof;
    Strategy *strategy;
    Plan plan;
    Edge *edge;
    size_t edges, room;
    uint64_t followed[STRATEGY_ADVICE_MAX];
    treb_status status;
    treb_error error;
} Prover;

static void add_edge(Prover *p, uint64_t target, int plies)
{
    if (p->edges == p->room) {
        size_t room = p->room ? 2 * p->room : 256;
        Edge *grown = realloc(p->edge, room * sizeof *grown);
        if (grown == NULL) {
            p->status = fail_memory(&p->error);
            return;
        }
        p->edge = grown;
        p->room = room;
    }
    p->edge[p->edges++] = target << PLIES_BITS | (uint64_t)plies;
}

static void add_end(Prover *p, PlayEnd end, int plies)
{
    add_edge(p, p->proof->index.size + end, plies);
}

/* Adds an edge to the position after a move, at which the plan ends. With `sub_ending`, the
 * position is of another ending. */
static void add_position(Prover *p, const treb_position *pos, bool sub_ending, int plies)
{
    bool wins = false;
    if (p->status == TREB_OK)
        p->status = play_white_wins(p->proof->query->tables, pos, &wins, &p->error);
    if (!wins)
        add_end(p, PLAY_THROWN, plies);
    else if (sub_ending)
        add_end(p, PLAY_SUB_ENDING, plies);
    else
        add_edge(p, index_of_position(&p->proof->index, pos), plies);
}

static void follow_plan(Prover *p, const treb_position *pos, uint32_t node, int plies)
{
    const Move m = p->plan.node[node].move;
    treb_position child, next;
    Move replies[MOVES_MAX];
    position_make(pos, m, &child);
    int count = movegen_legal(&child, replies);
    if (count == 0) {
        add_end(p, position_in_check(&child) ? PLAY_MATE : PLAY_STALEMATE, plies + 1);
        return;
    }
    if (play_changes_material(pos, m)) {
        add_position(p, &child, true, plies + 1);
        return;
    }
    for (int i = 0; i < count && p->status == TREB_OK; i++) {
        position_make(&child, replies[i], &next);
        uint32_t answer = plan_answer(&p->plan, node, replies[i]);
        if (play_changes_material(&child, replies[i]))
            add_position(p, &next, true, plies + 2);
        else if (answer != 0)
            follow_plan(p, &next, answer, plies + 2);
        else
            add_position(p, &next, false, plies + 2);
    }
}

static int compare_edges(const void *a, const void *b)
{
    const Edge x = *(const Edge *)a, y = *(const Edge *)b;
    return (x > y) - (x < y);
}

/* Of several edges to one place, keeps the one with the most plies. */
static size_t keep_longest(Edge *edge, size_t count)
{
    size_t kept = 0;
    qsort(edge, count, sizeof *edge, compare_edges);
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || edge[i] >> PLIES_BITS != edge[i + 1] >> PLIES_BITS)
            edge[kept++] = edge[i];
    return kept;
}

static uint16_t moves_needed(Prover *p, const treb_position *pos)
{
    treb_distance d;
    treb_error error;
    treb_status status = treb_probe_distance(p->proof->query->tables, pos, TREB_DTC, &d, &error);
    if (status == TREB_OK) return (uint16_t)((d.plies + 1) / 2);
    if (status != TREB_ERR_NO_TABLE) {
        p->status = status;
        p->error = error;
    }
    return BEST_UNKNOWN;
}

/* Sets *pos to the position of a cell. Returns false if there is none, or if it is not won. */
static bool won_position(Prover *p, uint64_t cell, int turn, treb_position *pos)
{
    const Index *index = &p->proof->index;
    IndexMen men;
    bool wins = false;
    if (!index_to_men(index, cell, &men)) return false;
    index_men_to_position(index, &men, turn, pos);
    if (!position_ok(pos)) return false;
    p->status = play_white_wins(p->proof->query->tables, pos, &wins, &p->error);
    return p->status == TREB_OK && wins;
}

static void plan_cell(Prover *p, uint64_t cell)
{
    Proof *proof = p->proof;
    Root *root = &proof->root[cell];
    treb_position pos;
    if (!won_position(p, cell, TREB_WHITE, &pos)) return;
    proof->best[cell] = moves_needed(p, &pos);
    p->edges = 0;
    if (p->status == TREB_OK)
        p->status = strategy_plan(p->strategy, &pos, proof->query->stop, &p->plan, &p->error);
    if (p->status != TREB_OK) return;
    root->advice = (uint8_t)(p->plan.advice < 0 ? STRATEGY_ADVICE_MAX : p->plan.advice);
    if (p->plan.advice < 0) {
        add_end(p, PLAY_NO_ADVICE, 0);
    } else {
        p->followed[p->plan.advice]++;
        follow_plan(p, &pos, 1, 0);
    }
    if (p->status != TREB_OK) return;
    root->edges = (uint32_t)keep_longest(p->edge, p->edges);
    root->edge = malloc(root->edges * sizeof *root->edge);
    if (root->edge == NULL)
        p->status = fail_memory(&p->error);
    else
        memcpy(root->edge, p->edge, root->edges * sizeof *root->edge);
}

/* ---- All plans ------------------------------------------------------------------------------ */

enum { PART = 64 /* number of cells */ };

static void collect(Proof *proof, Prover *p)
{
    if (p->status != TREB_OK && proof->status == TREB_OK && !play_stopped(proof->query)) {
        proof->status = p->status;
        proof->error = p->error;
    }
    if (p->status != TREB_OK || play_stopped(proof->query)) proof->stop = true;
    if (proof->query->progress != NULL)
        proof->query->progress(proof->query->context, proof->done++, proof->index.size / PART);
}

static void plan_all(Proof *proof)
{
    const unsigned threads = proof->query->threads;
    const uint64_t parts = (proof->index.size + PART - 1) / PART;
#pragma omp parallel num_threads(threads > 0 ? (int)threads : omp_get_max_threads())
    {
        Prover p = {.proof = proof};
        p.status = strategy_open(proof->query->path, proof->query->stop, &p.strategy, &p.error);
#pragma omp for ordered schedule(dynamic)
        for (uint64_t part = 0; part < parts; part++) {
            uint64_t end =
                (part + 1) * PART < proof->index.size ? (part + 1) * PART : proof->index.size;
            for (uint64_t cell = part * PART;
                 cell < end && p.status == TREB_OK && !atomic_load(&proof->stop); cell++)
                plan_cell(&p, cell);
#pragma omp ordered
            collect(proof, &p);
        }
#pragma omp critical
        for (int i = 0; i < STRATEGY_ADVICE_MAX; i++) proof->report->followed[i] += p.followed[i];
        strategy_free(p.strategy);
        plan_free(&p.plan);
        free(p.edge);
    }
}

/* Returns how many plies Black can hold out; 0 while that is not known for all positions that the
 * plan may lead to. */
static int longest_defence(const Proof *proof, const Root *root)
{
    int longest = 0;
    for (uint32_t i = 0; i < root->edges; i++) {
        const uint64_t target = root->edge[i] >> PLIES_BITS, size = proof->index.size;
        int plies = (int)(root->edge[i] & PLIES_MAX);
        if (target < size) {
            if (proof->root[target].plies == 0) return 0;
            plies += proof->root[target].plies;
        } else if (target - size != PLAY_MATE && target - size != PLAY_SUB_ENDING) {
            return 0;
        }
        if (plies > longest) longest = plies;
    }
    return longest < PLIES_MAX ? longest : 0;
}

static uint8_t ends_of(const Proof *proof, const Root *root)
{
    uint8_t ends = 0;
    for (uint32_t i = 0; i < root->edges; i++) {
        const uint64_t target = root->edge[i] >> PLIES_BITS;
        ends |= target < proof->index.size ? proof->root[target].ends
                                           : (uint8_t)(1U << (target - proof->index.size));
    }
    return ends & (uint8_t) ~(1U << PLAY_MATE | 1U << PLAY_SUB_ENDING);
}

/* Computes the longest defence and then the ends of all positions, backwards from the ends of the
 * game, until nothing changes. */
static void compute_results(Proof *proof)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t cell = 0; cell < proof->index.size; cell++) {
            Root *root = &proof->root[cell];
            if (root->edges == 0 || root->plies != 0) continue;
            int plies = longest_defence(proof, root);
            root->plies = (uint16_t)plies;
            changed |= plies != 0;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t cell = 0; cell < proof->index.size; cell++) {
            Root *root = &proof->root[cell];
            if (root->plies != 0) continue;
            uint8_t ends = ends_of(proof, root);
            changed |= ends != root->ends;
            root->ends = ends;
        }
    }
}

/* ---- The report ------------------------------------------------------------------------------ */

static PlayExample example_of(const Proof *proof, uint64_t cell)
{
    const Root *root = &proof->root[cell];
    PlayExample e = {.moves = root->plies != 0 ? (root->plies + 1) / 2 : -1,
                     .best = proof->best[cell] == BEST_UNKNOWN ? -1 : proof->best[cell]};
    play_position_of(proof, cell, &e.pos);
    return e;
}

/* Keeps the positions with the longest wins; of equally long ones those that come first in the
 * table. */
static void note_worst(const Proof *proof, uint64_t cell)
{
    PlayReport *r = proof->report;
    const size_t most = proof->query->shown;
    const int moves = (proof->root[cell].plies + 1) / 2;
    if (r->worsts == most && (most == 0 || moves <= r->worst[most - 1].moves)) return;
    size_t at = r->worsts < most ? r->worsts++ : most - 1;
    for (; at > 0 && r->worst[at - 1].moves < moves; at--) r->worst[at] = r->worst[at - 1];
    r->worst[at] = example_of(proof, cell);
}

static void note_wrong(const Proof *proof, uint64_t cell, PlayEnd end)
{
    PlayReport *r = proof->report;
    if (r->wrongs[end] < proof->query->shown)
        r->wrong[end][r->wrongs[end]++] = example_of(proof, cell);
}

static void count(PlayTotals *totals, int plies, uint8_t ends)
{
    totals->won++;
    if (plies >= 0) {
        totals->wins++;
        if ((plies + 1) / 2 > totals->longest) totals->longest = (plies + 1) / 2;
        return;
    }
    for (int end = 0; end < PLAY_CIRCLE; end++) totals->fault[end] += ends >> end & 1;
    totals->fault[PLAY_CIRCLE] += ends == 0;
}

static void report_white(Proof *proof)
{
    PlayReport *r = proof->report;
    for (uint64_t cell = 0; cell < proof->index.size; cell++) {
        const Root *root = &proof->root[cell];
        const int best = proof->best[cell];
        if (root->edges == 0) continue;
        count(&r->of[TREB_WHITE], root->plies != 0 ? root->plies : -1, root->ends);
        if (best != BEST_UNKNOWN && best > r->longest_best) r->longest_best = best;
        if (root->plies != 0) {
            note_worst(proof, cell);
            if (best < PLAY_BEST_MAX) {
                const int moves = (root->plies + 1) / 2;
                r->by_best[best].count++;
                r->by_best[best].sum += (uint64_t)moves;
                if (moves > r->by_best[best].longest) r->by_best[best].longest = moves;
            }
        } else if (root->ends == 0) {
            r->here[PLAY_CIRCLE]++;
            note_wrong(proof, cell, PLAY_CIRCLE);
        }
        for (uint32_t i = 0; i < root->edges; i++) {
            const uint64_t target = root->edge[i] >> PLIES_BITS, size = proof->index.size;
            if (target < size + PLAY_NO_ADVICE) continue;
            r->here[target - size]++;
            note_wrong(proof, cell, (PlayEnd)(target - size));
        }
    }
}

/* Counts the positions with Black to move, from the positions that Black's moves lead to. */
static void report_black(Proof *proof)
{
    Prover p = {.proof = proof};
    for (uint64_t cell = 0;
         cell < proof->index.size && p.status == TREB_OK && !play_stopped(proof->query); cell++) {
        treb_position pos, next;
        Move moves[MOVES_MAX];
        if (!won_position(&p, cell, TREB_BLACK, &pos)) continue;
        int number = movegen_legal(&pos, moves), longest = 0;
        uint8_t ends = 0;
        for (int i = 0; i < number; i++) {
            if (play_changes_material(&pos, moves[i])) continue; /* still won */
            position_make(&pos, moves[i], &next);
            const Root *root = &proof->root[index_of_position(&proof->index, &next)];
            ends |= root->ends;
            if (root->plies == 0 || longest < 0)
                longest = -1;
            else if (root->plies > longest)
                longest = root->plies;
        }
        count(&proof->report->of[TREB_BLACK], longest, ends);
    }
    if (p.status != TREB_OK) {
        proof->status = p.status;
        proof->error = p.error;
    }
}

/* ---- The interface -------------------------------------------------------------------------- */

static void prove(Proof *proof)
{
    plan_all(proof);
    if (proof->status != TREB_OK || play_stopped(proof->query)) return;
    compute_results(proof);
    proof->report->longest_best = -1;
    report_white(proof);
    report_black(proof);
    if (proof->status == TREB_OK) proof->status = play_find_places(proof, &proof->error);
    if (proof->status == TREB_OK) play_games(proof);
}

treb_status play_try(const PlayQuery *query, PlayReport *report, treb_error *error)
{
    Proof proof = {.query = query, .report = report};
    Strategy *strategy;
    memset(report, 0, sizeof *report);
    treb_status status = strategy_open(query->path, query->stop, &strategy, error);
    if (status != TREB_OK) return status;
    const Material material = *strategy_material(strategy);
    strategy_free(strategy);
    if (!index_init(&proof.index, &material, NULL, 1))
        return fail(error, TREB_ERR_MEN, "too many men");
    proof.root = calloc(proof.index.size, sizeof *proof.root);
    proof.best = malloc(proof.index.size * sizeof *proof.best);
    if (proof.root == NULL || proof.best == NULL) {
        status = fail_memory(error);
    } else {
        memset(proof.best, 0xff, proof.index.size * sizeof *proof.best);
        prove(&proof);
        status = proof.status;
        if (status != TREB_OK && error != NULL) *error = proof.error;
    }
    for (uint64_t cell = 0; proof.root != NULL && cell < proof.index.size; cell++)
        free(proof.root[cell].edge);
    free(proof.root);
    free(proof.best);
    return status;
}
