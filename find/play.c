/* play.c - see play.h. */
#include "find/play.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/index.h"

const char *play_end_text(PlayEnd end)
{
    static const char *const text[PLAY_ENDS] = {"mate",      "a won ending",    "no advice",
                                                "stalemate", "win thrown away", "circles"};
    return text[end];
}

/* Whether White still wins: with the probe's status. */
static treb_status white_wins(const treb_tables *tables, const treb_position *pos, bool *out,
                              treb_error *error)
{
    treb_wdl wdl = TREB_DRAW;
    treb_status status = treb_probe_wdl(tables, pos, &wdl, error);
    *out = pos->turn == TREB_WHITE ? wdl > TREB_DRAW : wdl < TREB_DRAW;
    return status;
}

static bool changes_material(const treb_position *pos, Move m)
{
    return move_is_capture(pos, m) || move_promo(m) != 0;
}

/* ---- Where plans lead ------------------------------------------------------------------------ */

/* A position with White to move that is won, by its cell, or an end beyond the cells; and the plies until then in
 * the lowest bits. */
typedef uint64_t Edge;
enum { PLIES_BITS = 16, PLIES_MAX = (1 << PLIES_BITS) - 1 };

typedef struct Root {
    Edge *edge; /* where its plan may lead; owned. NULL: no such position, or not won */
    uint32_t edges;
    uint16_t plies; /* until the win, against the longest defence; 0: none is proven */
    uint8_t ends;   /* bit: Black can bring this end about */
} Root;

typedef struct Proof {
    const PlayQuery *query;
    PlayReport *report;
    Index index;
    Root *root;     /* by cell */
    uint16_t *best; /* moves needed, or BEST_UNKNOWN */
    uint64_t done;
    atomic_bool stop;
    treb_status status;
    treb_error error;
} Proof;

enum { BEST_UNKNOWN = 0xffff };

/* What a thread has. */
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

static bool stopped(const PlayQuery *query)
{
    return query->stop != NULL && atomic_load_explicit(query->stop, memory_order_relaxed);
}

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

/* A position after a move, where the plan has nothing more to say. `junior`: it is of another ending. */
static void lead_to(Prover *p, const treb_position *pos, bool junior, int plies)
{
    bool wins = false;
    if (p->status == TREB_OK)
        p->status = white_wins(p->proof->query->tables, pos, &wins, &p->error);
    if (!wins)
        add_end(p, PLAY_THROWN, plies);
    else if (junior)
        add_end(p, PLAY_JUNIOR, plies);
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
    if (changes_material(pos, m)) {
        lead_to(p, &child, true, plies + 1);
        return;
    }
    for (int i = 0; i < count && p->status == TREB_OK; i++) {
        position_make(&child, replies[i], &next);
        uint32_t answer = plan_answer(&p->plan, node, replies[i]);
        if (changes_material(&child, replies[i]))
            lead_to(p, &next, true, plies + 2);
        else if (answer != 0)
            follow_plan(p, &next, answer, plies + 2);
        else
            lead_to(p, &next, false, plies + 2);
    }
}

static int compare_edges(const void *a, const void *b)
{
    const Edge x = *(const Edge *)a, y = *(const Edge *)b;
    return (x > y) - (x < y);
}

/* Of edges to the same place the longest counts. */
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

/* The position of a cell, if it is one that is won. */
static bool won_position(Prover *p, uint64_t cell, int turn, treb_position *pos)
{
    const Index *index = &p->proof->index;
    IndexMen men;
    bool wins = false;
    if (!index_to_men(index, cell, &men)) return false;
    index_men_to_position(index, &men, turn, pos);
    if (!position_ok(pos)) return false;
    p->status = white_wins(p->proof->query->tables, pos, &wins, &p->error);
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

/* ---- All of them ----------------------------------------------------------------------------- */

enum { PART = 64 /* cells */ };

static void hand_over(Proof *proof, Prover *p)
{
    if (p->status != TREB_OK && proof->status == TREB_OK && !stopped(proof->query)) {
        proof->status = p->status;
        proof->error = p->error;
    }
    if (p->status != TREB_OK || stopped(proof->query)) proof->stop = true;
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
        p.status = strategy_open(proof->query->path, &p.strategy, &p.error);
#pragma omp for ordered schedule(dynamic)
        for (uint64_t part = 0; part < parts; part++) {
            uint64_t end =
                (part + 1) * PART < proof->index.size ? (part + 1) * PART : proof->index.size;
            for (uint64_t cell = part * PART;
                 cell < end && p.status == TREB_OK && !atomic_load(&proof->stop); cell++)
                plan_cell(&p, cell);
#pragma omp ordered
            hand_over(proof, &p);
        }
#pragma omp critical
        for (int i = 0; i < STRATEGY_ADVICE_MAX; i++) proof->report->followed[i] += p.followed[i];
        strategy_free(p.strategy);
        plan_free(&p.plan);
        free(p.edge);
    }
}

/* How long Black can hold out: 0 as long as that is not known of all that the plan may lead to. */
static int longest_defence(const Proof *proof, const Root *root)
{
    int longest = 0;
    for (uint32_t i = 0; i < root->edges; i++) {
        const uint64_t target = root->edge[i] >> PLIES_BITS, size = proof->index.size;
        int plies = (int)(root->edge[i] & PLIES_MAX);
        if (target < size) {
            if (proof->root[target].plies == 0) return 0;
            plies += proof->root[target].plies;
        } else if (target - size != PLAY_MATE && target - size != PLAY_JUNIOR) {
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
    return ends & (uint8_t) ~(1U << PLAY_MATE | 1U << PLAY_JUNIOR);
}

/* From the ends backwards, until nothing changes: a position is settled when all are that it leads to. */
static void settle(Proof *proof)
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

static void position_of(const Proof *proof, uint64_t cell, treb_position *pos)
{
    IndexMen men;
    index_to_men(&proof->index, cell, &men);
    index_men_to_position(&proof->index, &men, TREB_WHITE, pos);
}

static PlayExample example_of(const Proof *proof, uint64_t cell)
{
    const Root *root = &proof->root[cell];
    PlayExample e = {.moves = root->plies != 0 ? (root->plies + 1) / 2 : -1,
                     .best = proof->best[cell] == BEST_UNKNOWN ? -1 : proof->best[cell]};
    position_of(proof, cell, &e.pos);
    return e;
}

/* Among the longest, those that come first in the table. */
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

/* With Black to move: by what each move leads to. */
static void report_black(Proof *proof)
{
    Prover p = {.proof = proof};
    for (uint64_t cell = 0;
         cell < proof->index.size && p.status == TREB_OK && !stopped(proof->query); cell++) {
        treb_position pos, next;
        Move moves[MOVES_MAX];
        if (!won_position(&p, cell, TREB_BLACK, &pos)) continue;
        int number = movegen_legal(&pos, moves), longest = 0;
        uint8_t ends = 0;
        for (int i = 0; i < number; i++) {
            if (changes_material(&pos, moves[i])) continue; /* still won */
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

/* ---- Games ----------------------------------------------------------------------------------- */

/* Sebastiano Vigna's splitmix64. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static treb_status play_move(PlayGame *game, treb_position *pos, Move m, int advice,
                             treb_error *error)
{
    if (game->moves == game->room) {
        size_t room = game->room ? 2 * game->room : 64;
        PlayMove *grown = realloc(game->move, room * sizeof *grown);
        if (grown == NULL) return fail_memory(error);
        game->move = grown;
        game->room = room;
    }
    game->move[game->moves++] = (PlayMove){m, advice};
    position_make(pos, m, pos);
    return TREB_OK;
}

static treb_status defend(const PlayQuery *query, const treb_position *pos, uint64_t *random,
                          Move *out, treb_error *error)
{
    if (random != NULL) {
        Move moves[MOVES_MAX];
        uint64_t count = (uint64_t)movegen_legal(pos, moves);
        *out = moves[next_random(random) % count];
        return TREB_OK;
    }
    treb_move best[TREB_MOVES_MAX];
    size_t count;
    treb_status status = treb_probe_moves(query->tables, pos, TREB_DTC, TREB_RULE_NONE, best,
                                          TREB_MOVES_MAX, &count, error);
    if (status == TREB_OK) *out = move_make(best[0].from, best[0].to, best[0].promotion);
    return status;
}

/* Whether the game ends with the position that is reached, by a move that may have changed the material. */
static treb_status ends_here(const PlayQuery *query, const treb_position *pos, bool changed,
                             bool *over, PlayGame *game, treb_error *error)
{
    bool wins = false;
    *over = true;
    if (pos->turn == TREB_BLACK && !movegen_any(pos)) {
        game->end = position_in_check(pos) ? PLAY_MATE : PLAY_STALEMATE;
        return TREB_OK;
    }
    treb_status status = white_wins(query->tables, pos, &wins, error);
    game->end = wins ? PLAY_JUNIOR : PLAY_THROWN;
    *over = changed || !wins;
    return status;
}

/* Where plans were made in a game: the third time in one place it goes in circles. */
typedef struct History {
    treb_position *pos;
    size_t count, room;
} History;

static treb_status note_place(History *history, const treb_position *pos, bool *circle,
                              treb_error *error)
{
    treb_position place = *pos;
    int seen = 0;
    place.halfmove = place.fullmove = 0;
    for (size_t i = 0; i < history->count; i++) seen += position_equal(&history->pos[i], &place);
    *circle = seen >= 2;
    if (history->count == history->room) {
        size_t room = history->room ? 2 * history->room : 64;
        treb_position *grown = realloc(history->pos, room * sizeof *grown);
        if (grown == NULL) return fail_memory(error);
        history->pos = grown;
        history->room = room;
    }
    history->pos[history->count++] = place;
    return TREB_OK;
}

typedef struct GameRun {
    const PlayQuery *query;
    Strategy *strategy;
    uint64_t *random;
    PlayGame *game;
    treb_position pos;
    Plan plan;
    uint32_t node; /* of the plan: White's move now; 0: another plan is to be made */
    History history;
} GameRun;

static treb_status move_white(GameRun *run, bool *over, treb_error *error)
{
    treb_status status = TREB_OK;
    if (run->node == 0) {
        bool circle;
        status = note_place(&run->history, &run->pos, &circle, error);
        if (status == TREB_OK)
            status = strategy_plan(run->strategy, &run->pos, run->query->stop, &run->plan, error);
        run->game->end = circle ? PLAY_CIRCLE : PLAY_NO_ADVICE;
        *over = circle || run->plan.advice < 0;
        if (*over || status != TREB_OK) return status;
        run->node = 1;
    }
    const Move m = plan_move(&run->plan, run->plan.node[run->node].move);
    const bool changed = changes_material(&run->pos, m);
    status = play_move(run->game, &run->pos, m, run->plan.advice, error);
    return status == TREB_OK ? ends_here(run->query, &run->pos, changed, over, run->game, error)
                             : status;
}

static treb_status move_black(GameRun *run, bool *over, treb_error *error)
{
    Move m;
    treb_status status = defend(run->query, &run->pos, run->random, &m, error);
    if (status != TREB_OK) return status;
    const bool changed = changes_material(&run->pos, m);
    if (run->node != 0) run->node = plan_answer(&run->plan, run->node, m);
    status = play_move(run->game, &run->pos, m, -1, error);
    return status == TREB_OK ? ends_here(run->query, &run->pos, changed, over, run->game, error)
                             : status;
}

treb_status play_game(const PlayQuery *query, Strategy *strategy, const treb_position *pos,
                      uint64_t *random, PlayGame *game, treb_error *error)
{
    GameRun run = {
        .query = query, .strategy = strategy, .random = random, .game = game, .pos = *pos};
    bool over;
    game->moves = 0;
    treb_status status = ends_here(query, pos, false, &over, game, error);
    while (status == TREB_OK && !over)
        status = run.pos.turn == TREB_WHITE ? move_white(&run, &over, error)
                                            : move_black(&run, &over, error);
    plan_free(&run.plan);
    free(run.history.pos);
    return status;
}

void play_game_free(PlayGame *game)
{
    free(game->move);
    memset(game, 0, sizeof *game);
}

/* A copy of a position by a symmetry of its board. */
static void turn_board(const Index *index, treb_position *pos, unsigned symmetry)
{
    symmetry &= index->pawns ? SYM_FILES : 7;
    for (int c = 0; c < 2; c++)
        pos->by_color[c] = index_symmetry_board((int)symmetry, pos->by_color[c]);
    for (int type = TREB_PAWN; type < TREB_TYPES; type++)
        pos->by_type[type] = index_symmetry_board((int)symmetry, pos->by_type[type]);
}

static void count_game(Proof *proof, const PlayGame *game, int proven)
{
    PlayReport *r = proof->report;
    const int moves = (int)((game->moves + 1) / 2);
    r->games++;
    r->game[game->end]++;
    if (game->end <= PLAY_JUNIOR) {
        r->game_moves += (uint64_t)moves;
        if (moves > r->game_longest) r->game_longest = moves;
    }
    if (proven != 0 && (game->end > PLAY_JUNIOR || (int)game->moves > proven)) r->contradicted++;
}

/* Games from positions drawn at random, half of them against random moves. What was proven is not asked on the
 * way: it is only compared with what came out. */
static void play_games(Proof *proof)
{
    const PlayQuery *query = proof->query;
    Strategy *strategy = NULL;
    PlayGame game = {0};
    uint64_t state = query->seed;
    if (query->games == 0 || proof->report->of[TREB_WHITE].won == 0) return;
    proof->status = strategy_open(query->path, &strategy, &proof->error);
    for (uint64_t g = 0; g < query->games && proof->status == TREB_OK && !stopped(query); g++) {
        uint64_t cell;
        treb_position pos;
        do cell = next_random(&state) % proof->index.size;
        while (proof->root[cell].edges == 0);
        position_of(proof, cell, &pos);
        turn_board(&proof->index, &pos, (unsigned)next_random(&state));
        const bool random = g % 2 == 1 || proof->report->longest_best < 0;
        proof->status =
            play_game(query, strategy, &pos, random ? &state : NULL, &game, &proof->error);
        if (proof->status == TREB_OK) count_game(proof, &game, proof->root[cell].plies);
        if (query->progress != NULL) query->progress(query->context, g + 1, query->games);
    }
    play_game_free(&game);
    strategy_free(strategy);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void prove(Proof *proof)
{
    plan_all(proof);
    if (proof->status != TREB_OK || stopped(proof->query)) return;
    settle(proof);
    proof->report->longest_best = -1;
    report_white(proof);
    report_black(proof);
    if (proof->status == TREB_OK) play_games(proof);
}

treb_status play_try(const PlayQuery *query, PlayReport *report, treb_error *error)
{
    Proof proof = {.query = query, .report = report};
    Strategy *strategy;
    memset(report, 0, sizeof *report);
    treb_status status = strategy_open(query->path, &strategy, error);
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
